"""From queries to plans: the clauses of SELECT, set operations, WITH, and what stands in FROM."""
