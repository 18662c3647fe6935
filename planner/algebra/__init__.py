"""Laws of expressions: each a small function from an expression to a simpler one of the same value."""
