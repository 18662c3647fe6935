"""From text to statements: tokens, trees of sqlglot's, and where their parts stand in the text."""
