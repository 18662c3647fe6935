"""Subqueries become joins.

A subquery depends on the rows of the query around it through its outer values. In its place comes a dependent join, which
is dissolved in one of two ways, for any subquery whatever:

* **pulling up**: where the outer values stand in filters alone, the conditions move up and into the join
  (`pull_up.py`). This costs nothing, and is how most subqueries are written.
* **pushing the domain down**: else the subquery is computed for the set of all different outer values at once
  (`domain.py`), after Th. Neumann and A. Kemper, "Unnesting arbitrary queries", BTW 2015.
"""

from lazyframe.planner.sql.unnesting.dependent_join import dependent_join
from lazyframe.planner.sql.unnesting.placing import filtered_by, placed, with_arguments

__all__ = ["dependent_join", "filtered_by", "placed", "with_arguments"]
