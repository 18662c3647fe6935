"""The graph: nodes, types, binding, rules, statistics. Nothing here executes a query."""
