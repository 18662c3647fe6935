"""Window functions as SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.functions.aggregates import AGGREGATES
from lazyframe.planner.scalars import WindowCall
from lazyframe.planner.sql.writing.aggregates import aggregate
from lazyframe.planner.sql.writing.templates import Sized, placed

FORMS: dict[str, type[exp.Expression]] = {
    "row_number": exp.RowNumber, "rank": exp.Rank, "dense_rank": exp.DenseRank, "percent_rank": exp.PercentRank,
    "cume_dist": exp.CumeDist, "ntile": exp.Ntile, "lag": exp.Lag, "lead": exp.Lead, "first_value": exp.FirstValue,
    "last_value": exp.LastValue, "nth_value": exp.NthValue,
}  # fmt: skip

REFUSED: dict[str, str] = {
    "ewm_mean": "has no counterpart",
    "ewm_var": "has no counterpart",
    "ewm_std": "has no counterpart",
}

# Besides, `fill` is LAST_VALUE or FIRST_VALUE without nulls, over a frame of its own.


def window(
    call: WindowCall,
    args: Sequence[exp.Expression],
    partition: Sequence[exp.Expression],
    order: Sequence[exp.Expression],
    where: exp.Expression | None,
    argument_order: Sequence[exp.Expression],
    bounds: exp.WindowSpec | None,
    sizes: Sized,
) -> exp.Expression:
    """The call with its OVER clause.

    Raises:
        UnsupportedError: where SQL has no such window function.
    """
    name, options = call.function, dict(call.options)
    if name in REFUSED:
        raise UnsupportedError(f"{name}() cannot be written as SQL: it {REFUSED[name]}")
    if name == "fill":
        bounds = _bounds_of_fill(options)

    def over(function: exp.Expression) -> exp.Expression:
        return exp.Window(
            this=function,
            partition_by=[p.copy() for p in partition] or None,
            order=exp.Order(expressions=[o.copy() for o in order]) if order else None,
            spec=None if bounds is None else bounds.copy(),
        )

    if name in AGGREGATES:
        ordered = [o for o in argument_order if isinstance(o, exp.Ordered)]
        return aggregate(call, args, where, ordered, sizes, over)
    function = _function(name, args, options)
    ignores = options.get("ignore_nulls", False) or name == "fill"
    total = 1 + sum([sizes.size(part) for part in (*args, *partition, *order)])
    return sizes.remember(over(exp.IgnoreNulls(this=function) if ignores else function), total)


def _function(name: str, args: Sequence[exp.Expression], options: dict[str, object]) -> exp.Expression:
    given = [placed(arg) for arg in args]
    if name == "fill":
        forward = options.get("direction", "forward") == "forward"
        return exp.LastValue(this=given[0]) if forward else exp.FirstValue(this=given[0])
    if name in ("lag", "lead"):
        rest = dict(zip(("offset", "default"), given[1:], strict=False))
        return FORMS[name](this=given[0], **rest)
    if name == "nth_value":
        from_first = options.get("counted_from", "first") == "first"
        if not from_first:
            raise UnsupportedError("nth_value() counted from the last row cannot be written as SQL")
        return exp.NthValue(this=given[0], offset=given[1])
    if name == "ntile":
        return exp.Ntile(this=given[0])
    return FORMS[name](this=given[0]) if given else FORMS[name]()


def _bounds_of_fill(options: dict[str, object]) -> exp.WindowSpec:
    limit = options.get("limit")
    far: object = "UNBOUNDED" if limit is None else exp.Literal.number(str(limit))
    if options.get("direction", "forward") == "forward":
        return exp.WindowSpec(kind="ROWS", start=far, start_side="PRECEDING", end="CURRENT ROW", end_side=None)
    return exp.WindowSpec(kind="ROWS", start="CURRENT ROW", start_side=None, end=far, end_side="FOLLOWING")
