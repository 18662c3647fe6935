"""TABLESAMPLE and USING SAMPLE."""

from __future__ import annotations

import secrets

from sqlglot import exp

from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError
from lazyframe.planner.relations import Plan, Sample
from lazyframe.planner.sql.expressions.binder import Expressions
from lazyframe.planner.sql.names.scope import Scope
from lazyframe.planner.sql.statement import Statement


def sampled(statement: Statement, plan: Plan, tree: exp.TableSample) -> Plan:
    """Some rows drawn at random: a share of them, or so many. REPEATABLE draws the same each time."""
    statement.only(tree, "method", "percent", "size", "rows", "seed")
    method = tree.args["method"].name.upper() if tree.args.get("method") else "BERNOULLI"
    if method not in ("BERNOULLI", "SYSTEM", "RESERVOIR"):
        raise UnsupportedError(f"the sampling method {method} is not supported")
    e = Expressions(statement, Scope(), "TABLESAMPLE")
    seed = tree.args.get("seed")
    drawn = secrets.randbits(62) if seed is None else e.constant(seed, "the seed", int)
    percent = tree.args.get("percent")
    if percent is not None:
        share = e.constant(percent, "the percentage", float)
        if not 0 <= share <= 100:
            raise e.error(percent, InvalidArgumentError, f"a percentage lies between 0 and 100, not {share}")
        return Sample(plan, None, share / 100, drawn)
    size = tree.args.get("size") or tree.args.get("rows")
    if size is None:
        raise UnsupportedError("TABLESAMPLE wants a percentage or a number of rows")
    count = e.constant(size, "the number of rows", int)
    if count < 0:
        raise e.error(size, InvalidArgumentError, f"a number of rows is 0 or more, not {count}")
    return Sample(plan, count, None, drawn)


__all__ = ["sampled"]
