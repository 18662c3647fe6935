"""Membership in lists of constants, held against the vectorized kernel."""

import datetime as dt
import decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyframe.executors.compiled.coverage import why_not_staged
from tests.executors.compiled.functions.agreement import agrees, call, layouts

NAN = float("nan")
DECIMAL = pa.decimal128(38, 2)
EDGES = [0, 1, -1, 5, 7, 100, 2**63 - 1, -(2**63), None, 42, 1000]


@pytest.mark.parametrize("null", [False, True])
@pytest.mark.parametrize(
    "members", [[], [1], [1, 5, 7], list(range(0, 200, 7)), [*range(30), 2**63 - 1, -(2**63)], [2**63 - 1] * 20]
)
def test_integers(members, null):
    values = pa.array([*EDGES, *range(-3, 210)], pa.int64())
    for column in layouts(values):
        agrees("is_in", column, values=pa.array([*members, *[None] * null], pa.int64()))


@pytest.mark.parametrize("dtype", [pa.int8(), pa.uint8(), pa.int16(), pa.uint32(), pa.uint64()])
def test_integers_of_other_widths(dtype):
    top = 2 ** (dtype.bit_width - (0 if pa.types.is_unsigned_integer(dtype) else 1)) - 1
    values = pa.array([0, 1, 2, 3, 50, 99, None, top, top - 1], dtype)
    for members in ([top, 3], [*range(0, 60, 2), top], [None]):
        agrees("is_in", values, values=pa.array(members, dtype))


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=17, max_size=60), st.lists(st.integers(-9, 9), max_size=9))
def test_many_integers_far_apart(members, near):
    values = [*members[::2], *near, *[m + 1 for m in members[:5] if m < 2**63 - 1], None]
    agrees("is_in", pa.array(values, pa.int64()), values=pa.array([*members, *near], pa.int64()))


@pytest.mark.parametrize("members", [[0.0], [-0.0, 1.5], [NAN], [NAN, None, 2.0], [float("inf"), -1.0]])
@pytest.mark.parametrize("dtype", [pa.float64(), pa.float32()])
def test_floats(members, dtype):
    values = pa.array([0.0, -0.0, 1.5, NAN, -NAN, None, float("inf"), 2.0, -1.0], dtype)
    agrees("is_in", values, values=pa.array(members, dtype))


def test_other_types():
    dates = pa.array([dt.date(2000, 1, 1), dt.date(1969, 12, 31), None])
    agrees("is_in", dates, values=dates.slice(0, 1))
    agrees("is_in", dates, values=pa.array([dt.date(2000, 1, day) for day in range(1, 30)]))
    stamps = pa.array([10**15, None, -(10**15)], pa.timestamp("us"))
    agrees("is_in", stamps, values=stamps.slice(1))
    truths = pa.array([True, False, None])
    agrees("is_in", truths, values=truths.slice(0, 1))
    numbers = pa.array([decimal.Decimal("1.10"), decimal.Decimal("-1.10"), None, decimal.Decimal("9" * 36)], DECIMAL)
    agrees("is_in", numbers, values=numbers.slice(0, 1))
    agrees("is_in", numbers, values=numbers.slice(2))
    short = numbers.slice(0, 3).cast(pa.decimal128(9, 2))
    agrees(
        "is_in", short, values=pa.array([decimal.Decimal(n).scaleb(-2) for n in range(100, 140)], pa.decimal128(9, 2))
    )


def test_long_lists_of_what_has_no_word_are_not_staged():
    many = pa.array([float(n) for n in range(40)])
    assert why_not_staged(call("is_in", many, values=many)) is not None


TEXTS = pa.array(
    ["", "a", "MAIL", "SHIP", "MAILS", None, "long text of more than sixteen", "äö", "long text", "0", "19"]
)


@pytest.mark.parametrize(
    "members",
    [[""], ["MAIL", "SHIP"], ["a", None], ["long text of more than sixteen"], [str(n) for n in range(40)],
     [*(str(n) for n in range(40)), "", "äö", "MAIL", None, "long text of more than sixteen"], [None], []],
)  # fmt: skip
def test_texts(members):
    for texts in layouts(TEXTS):
        agrees("is_in", texts, values=pa.array(members, pa.string()))
