"""Rows that were computed before the query around them: what computed them stays known.

A frame that has run at once (`lf.eager`) is a table in memory to whatever is built on it. What asks for the way back, to a
gradient or to the columns that a value came from, looks through the table at the query that made it.
"""

from __future__ import annotations

from lazyframe.planner.graph import rewrite_top_down
from lazyframe.planner.relations.plan import Plan
from lazyframe.planner.relations.project import choose
from lazyframe.planner.relations.scan import Scan


def made_by(plan: Plan) -> Plan | None:
    """The query whose rows a scan reads, or None where it reads anything else."""
    return getattr(plan.source, "made_by", None) if isinstance(plan, Scan) else None


def restored(plan: Plan) -> Plan:
    """The query as it would be if nothing in it had run before; itself where nothing has."""

    def step(current: Plan) -> Plan | None:
        query = made_by(current)
        if query is None:
            return None
        assert isinstance(current, Scan)
        assert current.predicate is None, "what the user wrote reads all rows"
        return query if query.schema.names == list(current.columns) else choose(query, current.columns)

    return rewrite_top_down(plan, step)
