"""Every aggregate, over every type it takes, with nulls, filter, distinct, order, keys or none, in one batch or split at
random, plain or encoded: the same as a model in plain Python."""

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lazyframe.executors.batch import Batch, decoded, narrowed
from lazyframe.executors.vectorized.hash_aggregate import GroupedAggregation
from lazyframe.planner.scalars import AggregateCall, Column, SortKey
from lazyframe.planner.schema import Field, Schema
from tests.executors.vectorized.aggregates import model

UTC_DAY = dt.datetime(2024, 3, 1)  # noqa: DTZ001


def decimals(precision, scale):
    most = 10**precision - 1
    # Not by scaleb(), which rounds to the 28 digits of the context.
    return st.integers(-most, most).map(lambda n: Decimal((int(n < 0), tuple(map(int, str(abs(n)))), -scale)))


def small_decimals():
    return st.sampled_from([Decimal(n).scaleb(-2) for n in (-150, 0, 1, 25, 100, 99_999)])


def instants():
    return st.integers(-5, 5).map(lambda n: UTC_DAY + dt.timedelta(microseconds=n))


VALUES = {
    pa.int8(): st.integers(-128, 127),
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.int64(): st.integers(-(2**57), 2**57),
    pa.uint8(): st.integers(0, 255),
    pa.uint64(): st.integers(0, 2**58),
    pa.float64(): st.sampled_from([-2.5, -1.0, -0.0, 0.0, 0.5, 3.0, math.nan, math.inf]),
    pa.float32(): st.sampled_from([-2.5, -0.0, 0.0, 0.5, 3.0, math.nan]),
    pa.decimal128(10, 2): small_decimals(),
    pa.decimal128(34, 4): decimals(34, 4),
    pa.bool_(): st.booleans(),
    pa.string(): st.sampled_from(["", "a", "ab", "abcdefgh", "abcdefghi", "abcdefghé", "é", "😀"]),
    pa.binary(): st.sampled_from([b"", b"\x00", b"\xff", b"abc"]),
    pa.date32(): st.dates(dt.date(2024, 2, 27), dt.date(2024, 3, 2)),
    pa.timestamp("us"): instants(),
    pa.duration("us"): st.integers(-3, 3).map(lambda n: dt.timedelta(microseconds=n)),
    pa.list_(pa.field("item", pa.int64())): st.lists(st.integers(0, 1), max_size=2),
}
QUIET = st.integers(-8, 8).map(lambda n: n / 2)
"""Floats whose moments no cancellation spoils."""

SORTABLE = [t for t in VALUES if not pa.types.is_list(t)]
NUMBERS = [t for t in VALUES if pa.types.is_integer(t) or pa.types.is_floating(t) or pa.types.is_decimal(t)]
INTEGERS = [t for t in VALUES if pa.types.is_integer(t)]

CASES = [
    ("len", [()], [{}]),
    ("count", list(VALUES), [{}]),
    ("n_unique", list(VALUES), [{}]),
    ("sum", [*NUMBERS, pa.bool_(), pa.duration("us")], [{}]),
    ("mean", [*NUMBERS, pa.bool_()], [{}]),
    ("min", SORTABLE, [{}]),
    ("max", SORTABLE, [{}]),
    (
        "min_by",
        [(pa.string(), t) for t in SORTABLE] + [(pa.decimal128(10, 2), pa.int8())],
        [{}, {"ignore_nulls": True}],
    ),
    ("max_by", [(t, pa.float64()) for t in VALUES], [{}, {"ignore_nulls": True}]),
    ("first", list(VALUES), [{}, {"ignore_nulls": True}]),
    ("last", list(VALUES), [{}, {"ignore_nulls": True}]),
    ("any", [pa.bool_()], [{}]),
    ("all", [pa.bool_()], [{}]),
    ("var", [QUIET], [{}, {"ddof": 0}, {"ddof": 2}]),
    ("std", [QUIET], [{}, {"ddof": 0}]),
    ("skew", [QUIET], [{}, {"bias": False}]),
    ("kurtosis", [QUIET], [{}, {"bias": False}]),
    ("cov", [(QUIET, QUIET)], [{}, {"ddof": 0}]),
    ("corr", [(QUIET, QUIET)], [{}]),
    ("median", [*NUMBERS], [{}]),
    (
        "quantile",
        [pa.int8(), pa.float64(), pa.decimal128(10, 2)],
        [{"q": q, "interpolation": i} for q in (0, 0.3, 0.5, 1.0) for i in ("linear", "midpoint")],
    ),
    ("quantile", SORTABLE, [{"q": 0.3, "interpolation": i} for i in ("lower", "higher", "nearest", "discrete")]),
    ("mode", list(VALUES), [{}]),
    ("entropy", SORTABLE, [{}, {"base": 10.0}]),
    ("list", list(VALUES), [{}]),
    ("string_agg", [pa.string()], [{}, {"separator": " | "}]),
    ("bit_and", INTEGERS, [{}]),
    ("bit_or", INTEGERS, [{}]),
    ("bit_xor", INTEGERS, [{}]),
]


def _arguments(spec):
    """Types and strategies of the arguments."""
    specs = spec if isinstance(spec, tuple) else (spec,)
    return [(pa.float64(), QUIET) if s is QUIET else (s, VALUES[s]) for s in specs]


@st.composite
def tables(draw, arguments):
    """Rows of a key, an order, a condition, and the arguments; then where to cut them, and which pieces to encode."""
    columns = {
        "k": draw_type(pa.string(), st.sampled_from(["a", "b", "a long key"])),
        "o": draw_type(pa.int64(), st.integers(0, 5)),
        "w": draw_type(pa.bool_(), st.booleans()),
        **{f"x{i}": draw_type(t, s) for i, (t, s) in enumerate(arguments)},
    }
    row = st.tuples(*columns.values())
    rows = draw(st.lists(row, max_size=24))
    cuts = sorted(draw(st.lists(st.integers(0, len(rows)), max_size=3)))
    encoded = draw(st.lists(st.booleans(), min_size=len(cuts) + 1, max_size=len(cuts) + 1))
    return list(columns), rows, cuts, encoded


def draw_type(dtype, strategy):
    return st.none() | strategy


def _pieces(names, types, rows, cuts, encoded):
    bounds = [0, *cuts, len(rows)]
    for (low, high), as_encoded in zip(pairwise(bounds), encoded, strict=True):
        yield _batch(names, types, rows[low:high], as_encoded)


def _batch(names, types, rows, as_encoded):
    columns = {}
    for i, (name, dtype) in enumerate(zip(names, types, strict=True)):
        array = pa.array([row[i] for row in rows], dtype)
        if as_encoded:
            array = array.dictionary_encode() if dtype in (pa.string(), pa.binary()) else narrowed(array)
        columns[name] = array
    return Batch(columns, len(rows))


def _expected(function, rows, *, keyed, filtered, ordered, distinct, options):
    groups = {}
    if not keyed:
        groups[None] = []
    for key, order, condition, *arguments in rows:
        members = groups.setdefault(key if keyed else None, [])
        if condition or not filtered:
            members.append((order, tuple(arguments)))
    found = []
    for members in groups.values():
        if distinct:
            members = model.first_rows_of_each(members, lambda m: tuple(map(repr, map(model.key_of, m[1]))))
        if ordered:
            # Descending, nulls first.
            members = sorted(members, key=lambda m: (0, 0) if m[0] is None else (1, -m[0]))
        found.append(model.FUNCTIONS[function]([m[1] for m in members], **options))
    return found


def _same(found, expected, scale):
    if found is None or expected is None:
        return found is expected
    if isinstance(expected, float):
        if math.isnan(expected) or math.isinf(expected):
            return found == expected or (math.isnan(found) and math.isnan(expected))
        if expected == 0 and found == 0:
            return math.copysign(1, found) == math.copysign(1, expected) or not scale
        return math.isclose(found, expected, rel_tol=1e-11, abs_tol=1e-11)
    if isinstance(expected, Fraction):
        return Fraction(found) == expected
    if isinstance(expected, list):
        return len(found) == len(expected) and all(_same(f, e, scale) for f, e in zip(found, expected, strict=True))
    return found == expected


EXAMPLES = 30
PICKING = ("min", "max", "min_by", "max_by", "first", "last", "mode", "list")


@pytest.mark.parametrize(
    ("function", "specs", "choices"), [pytest.param(*case, id=f"{case[0]}-{len(case[1])}") for case in CASES]
)
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data())
def test_as_the_model(function, specs, choices, data):
    options = data.draw(st.sampled_from(choices), label="options")
    arguments = _arguments(data.draw(st.sampled_from(specs), label="types"))
    names, rows, cuts, encoded = data.draw(tables(arguments))
    keyed, filtered, ordered, distinct = (data.draw(st.booleans(), label=name) for name in ("k", "w", "o", "d"))
    distinct = distinct and bool(arguments)
    types = [pa.string(), pa.int64(), pa.bool_(), *[t for t, _ in arguments]]
    scalars = {name: Column(name, dtype, True) for name, dtype in zip(names, types, strict=True)}
    call = AggregateCall(
        function,
        tuple(scalars[name] for name in names[3:]),
        where=scalars["w"] if filtered else None,
        order=(SortKey(scalars["o"], descending=True, nulls_first=True),) if ordered else (),
        distinct=distinct,
        options=tuple(options.items()),
    )
    aggregation = GroupedAggregation([("k", scalars["k"])] if keyed else [], [("r", call)])
    partials = [aggregation.partial(batch) for batch in _pieces(names, types, rows, cuts, encoded)]
    split = aggregation.finish(aggregation.combine(partials))
    step_by_step = partials[0]
    for partial in partials[1:]:
        step_by_step = aggregation.combine([step_by_step, partial])
    whole = aggregation.finish(aggregation.partial(_batch(names, types, rows, False)))

    scale = {"scale": call.dtype.scale} if pa.types.is_decimal(call.dtype) else {}
    rows = [tuple(_physical(v, t) for v, t in zip(row, types, strict=True)) for row in rows]
    expected = _expected(
        function, rows, keyed=keyed, filtered=filtered, ordered=ordered and call.definition.ordered,
        distinct=distinct, options=options | scale,
    )  # fmt: skip
    schema = Schema([Field("r", call.dtype)])
    for result in (whole, split, aggregation.finish(step_by_step)):
        found = result.select(["r"]).to_arrow(schema).column(0).to_pylist()
        assert len(found) == len(expected)
        assert all(_same(f, e, function in PICKING) for f, e in zip(found, expected, strict=True)), (found, expected)
        if keyed:
            keys = decoded(result["k"], pa.string()).to_pylist()
            assert keys == list(dict.fromkeys(row[0] for row in rows))


def _physical(value, dtype):
    """What a float32 column makes of a float."""
    return pa.scalar(value, dtype).as_py() if dtype == pa.float32() else value
