"""From a call of an aggregate function to its implementation."""

from __future__ import annotations

from lazyframe.executors.vectorized.aggregates import (
    counts,
    distributions,
    lists,
    moments,
    picks,
    products,
    quantiles,
    sums,
)
from lazyframe.executors.vectorized.aggregates.collected import Direction, prepared
from lazyframe.executors.vectorized.aggregates.sketch import approx_n_unique
from lazyframe.executors.vectorized.aggregates.state import Aggregate, Family
from lazyframe.executors.vectorized.kernel import Arguments
from lazyframe.planner.scalars import AggregateCall, SortKey

FAMILIES: dict[str, Family] = {
    "len": counts.count,
    "count": counts.count,
    "n_unique": distributions.n_unique,
    "approx_n_unique": approx_n_unique,
    "sum": sums.sum_,
    "mean": sums.mean,
    "product": products.product,
    "min": picks.extreme("min"),
    "max": picks.extreme("max"),
    "min_by": picks.value_by("min"),
    "max_by": picks.value_by("max"),
    "first": picks.end("first"),
    "last": picks.end("last"),
    "any": picks.extreme("max"),
    "all": picks.extreme("min"),
    "std": moments.spread(root=True),
    "var": moments.spread(root=False),
    "skew": moments.skew,
    "kurtosis": moments.kurtosis,
    "cov": moments.cov,
    "corr": moments.corr,
    "median": quantiles.median,
    "quantile": quantiles.quantile,
    "mode": distributions.mode,
    "entropy": distributions.entropy,
    "histogram": distributions.histogram,
    "list": lists.list_,
    "string_agg": lists.string_agg,
    "bit_and": products.bits("bitwise_and"),
    "bit_or": products.bits("bitwise_or"),
    "bit_xor": products.bits("bitwise_xor"),
}

# A value that comes again changes nothing.
_DISTINCT_ALREADY = frozenset(
    ("min", "max", "min_by", "max_by", "any", "all", "bit_and", "bit_or", "n_unique", "approx_n_unique")
)


def implementation(call: AggregateCall) -> Aggregate:
    """What computes a call from its arguments and, behind them, the keys of its order; `where` has been applied."""
    arguments = Arguments(tuple([a.dtype for a in call.args]), call.dtype, dict(call.options))
    plain = FAMILIES[call.function](arguments)
    order = call.order if call.definition.ordered else ()
    distinct = call.distinct and call.function not in _DISTINCT_ALREADY
    if not order and not distinct:
        return plain
    keys = [key for key in order if isinstance(key, SortKey)]
    directions = [Direction(key.descending, key.nulls_first) for key in keys]
    return prepared(plain, arguments.types, tuple([key.dtype for key in keys]), directions, distinct=distinct)
