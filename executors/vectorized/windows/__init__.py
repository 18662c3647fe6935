"""Window functions over all rows at once, one concept a file."""
