"""From expressions of SQL to typed scalars."""
