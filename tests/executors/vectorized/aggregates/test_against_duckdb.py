"""Where DuckDB means the same, it gives the same."""

import math

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from lazyframe.executors.batch import Batch
from lazyframe.executors.vectorized.hash_aggregate import GroupedAggregation
from lazyframe.planner.functions.aggregates import AGGREGATES, SQL_FORMS
from lazyframe.planner.scalars import AggregateCall, Cast, Column, SortKey
from lazyframe.planner.schema import Field, Schema

TYPES = {
    "k": pa.int64(), "i": pa.int32(), "f": pa.float64(), "d": pa.decimal128(12, 2), "s": pa.string(), "b": pa.bool_(),
    "t": pa.timestamp("us"), "o": pa.int64(),
}  # fmt: skip
COLUMNS = {name: Column(name, dtype, True) for name, dtype in TYPES.items()}


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(11)
    n = 3000
    holes = {name: generator.random(n) < 0.1 for name in TYPES}
    values = {
        "k": generator.integers(0, 40, n),
        "i": generator.integers(-1000, 1000, n),
        "f": generator.normal(3, 2, n).round(3),
        "d": generator.integers(-(10**9), 10**9, n),
        "s": generator.choice(["red", "green", "blue", "", "a much longer colour"], n),
        "b": generator.random(n) < 0.5,
        "t": generator.integers(0, 10**15, n),
        "o": generator.permutation(n),
    }
    holes["o"][:] = False
    arrays = {}
    for name, dtype in TYPES.items():
        array = pa.array(values[name].tolist(), pa.int64() if name in "dt" else dtype, mask=holes[name])
        arrays[name] = array.cast(pa.decimal128(19, 0)).cast(pa.decimal128(12, 0)) if name == "d" else array.cast(dtype)
    arrays["d"] = arrays["d"].cast(pa.decimal128(12, 2))
    return pa.table(arrays)


QUERIES = {
    "count(*)": ("len", ()), "count(s)": ("count", "s"), "count(distinct s)": ("count", "s", {"distinct": True}),
    "sum(i)": ("sum", "i"), "sum(d)": ("sum", "d"), "sum(f)": ("sum", "f"), "sum(distinct i)": ("sum", "i", {"distinct": True}),
    "avg(i)": ("mean", "i"), "avg(f)": ("mean", "f"), "min(s)": ("min", "s"), "max(s)": ("max", "s"), "min(d)": ("min", "d"),
    "max(t)": ("max", "t"), "min(f)": ("min", "f"), "bool_and(b)": ("bool_and", "b"), "bool_or(b)": ("bool_or", "b"),
    "stddev(f)": ("stddev", "f"), "stddev_pop(f)": ("stddev_pop", "f"), "var_samp(f)": ("var_samp", "f"),
    "var_pop(f)": ("var_pop", "f"), "skewness(f)": ("skewness", "f"), "kurtosis(f)": ("kurtosis", "f"),
    "kurtosis_pop(f)": ("kurtosis_pop", "f"), "covar_samp(f, o)": ("covar_samp", "fo"), "covar_pop(f, o)": ("covar_pop", "fo"),
    "corr(f, o)": ("corr", "fo"), "median(i)": ("median", "i"), "median(f)": ("median", "f"),
    "quantile_cont(f, 0.9)": ("quantile_cont", "f", {"q": 0.9}), "quantile_cont(i, 0.25)": ("quantile_cont", "i", {"q": 0.25}),
    "quantile_disc(s, 0.25)": ("quantile_disc", "s", {"q": 0.25}), "quantile_disc(f, 0.5)": ("quantile_disc", "f", {"q": 0.5}),
    "entropy(s)": ("entropy", "s"), "arg_min(s, f)": ("arg_min", "sf"), "arg_max(i, o)": ("arg_max", "io"),
    "bit_and(i)": ("bit_and", "i"), "bit_or(i)": ("bit_or", "i"), "bit_xor(i)": ("bit_xor", "i"),
    "list(s order by o)": ("list", "s", {"order": True}), "first(f order by o)": ("first", "f", {"order": True}),
    "last(s order by o)": ("last", "s", {"order": True}),
    "string_agg(s, '; ' order by o)": ("string_agg", "s", {"order": True, "separator": "; "}),
    "sum(i) filter (b)": ("sum", "i", {"where": True}), "count(*) filter (b)": ("len", "", {"where": True}),
    "list(i order by o) filter (b)": ("list", "i", {"where": True, "order": True}),
    "median(f) filter (b)": ("median", "f", {"where": True}),
}  # fmt: skip


def _call(name, arguments="", how=()):
    function, options = SQL_FORMS.get(name, (name, {}))
    how = dict(how)
    where = COLUMNS["b"] if how.pop("where", False) else None
    order = (SortKey(COLUMNS["o"]),) if how.pop("order", False) else ()
    distinct = how.pop("distinct", False)
    options = tuple((options | how).items())
    columns = [COLUMNS[c] for c in arguments]
    wanted = AGGREGATES[function].resolve(tuple(c.dtype for c in columns), dict(options)).arguments
    args = tuple(c if c.dtype == t else Cast(c, t) for c, t in zip(columns, wanted, strict=True))
    return AggregateCall(function, args, where, order, distinct, options)


def _same(found, expected):
    if isinstance(expected, float) and isinstance(found, float):
        return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9) or (math.isnan(found) and math.isnan(expected))
    return found == expected


@pytest.mark.parametrize("keyed", [True, False])
def test_same_as_duckdb(table, keyed):
    calls = [(sql, _call(*query)) for sql, query in QUERIES.items()]
    aggregation = GroupedAggregation([("k", COLUMNS["k"])] if keyed else [], calls)
    partials = []
    for start in range(0, table.num_rows, 700):
        piece = table.slice(start, 700).combine_chunks()
        columns = {name: piece.column(name).chunk(0) for name in TYPES}
        columns["s"] = columns["s"].dictionary_encode()
        partials.append(aggregation.partial(Batch(columns, piece.num_rows)))
    schema = Schema([*([Field("k", pa.int64())] if keyed else []), *[Field(name, c.dtype) for name, c in calls]])
    result = aggregation.finish(aggregation.combine(partials)).to_arrow(schema)

    connection = duckdb.connect()
    connection.register("source", table)
    listed = ", ".join(f'{sql} as "{sql}"' for sql in QUERIES)
    query = f"select {'k, ' if keyed else ''}{listed} from source {'group by k order by min(o)' if keyed else ''}"
    expected = connection.sql(query).to_arrow_table()
    if keyed:
        by_key = {row["k"]: row for row in expected.to_pylist()}
        pairs = [(row, by_key.pop(row["k"])) for row in result.to_pylist()]
        assert not by_key
    else:
        pairs = list(zip(result.to_pylist(), expected.to_pylist(), strict=True))
    for found, wanted in pairs:
        assert {n: v for n, v in found.items() if not _same(v, wanted[n])} == {}, wanted
