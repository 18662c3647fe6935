"""In which order relations are joined: trees of joins as graphs, and the search for the cheapest tree.

* `reading.py` takes a tree of joins apart: relations, predicates, and joins that are not inner.
* `conflicts.py` says which relations must be joined before such a join, so that any tree that keeps to it gives the same rows.
* `cardinality.py` estimates how many rows the join of a set of relations gives.
* `search.py` finds the cheapest tree: by dynamic programming, or greedily where there are too many.
* `building.py` makes a plan of it.
"""
