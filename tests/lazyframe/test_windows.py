"""Window functions of the fluent API: values by hand, names, types, and what is refused."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.errors import EvaluationError, InvalidArgumentError, TypeMismatchError

NAN, INF = float("nan"), float("inf")
SALES = lf.from_dict(
    {
        "shop": ["a", "b", "a", "b", "a"],
        "day": [3, 1, 1, 2, 2],
        "sold": [30, 5, 10, None, 20],
    }
)


def values(frame, expression):
    return frame.select(expression.alias("x")).to_dict()["x"]


def test_an_aggregate_beside_every_row():
    assert values(SALES, col("sold").sum().over("shop")) == [60, 5, 60, 5, 60]
    assert values(SALES, col("sold").sum().over("shop", order_by="day")) == [60, 5, 10, 5, 30]
    assert values(SALES, lf.len().over("shop")) == [3, 2, 3, 2, 3]
    assert values(SALES, col("sold").sum().filter(col("day") > 1).over("shop")) == [50, None, 50, None, 50]
    assert values(SALES, col("sold").count().distinct().over()) == [4] * 5
    assert values(SALES, col("sold").max().over(["shop", "day"])) == [30, 5, 10, None, 20]
    assert values(SALES, (col("sold") / col("sold").sum()).over("shop").round(2)) == [0.5, 1.0, 0.17, None, 0.33]
    assert values(SALES, col("sold").implode(order_by=lf.desc("day")).over("shop"))[0] == [30, 20, 10]


def test_names_are_those_of_the_values():
    frame = SALES.select(
        col("sold").sum().over("shop"), col("day").rank(), lf.row_number(), lf.len().over("shop"),
        lf.col("shop").shift().alias("before"),
    )  # fmt: skip
    assert frame.columns == ["sold", "day", "row_number", "len", "before"]
    assert SALES.select(col("sold", "day").cum_sum()).columns == ["sold", "day"]
    assert SALES.select(col("sold", "day").diff().over("shop").name.suffix("_diff")).columns == [
        "sold_diff",
        "day_diff",
    ]


def test_frames():
    def total(*frame, **order):
        return values(SALES, col("day").sum().over(order_by="day", frame=frame, **order))

    # In the order of the days: 1, 1, 2, 2, 3.
    assert total("rows", -1, 0) == [5, 1, 2, 3, 4]
    assert total("rows", None, None) == [9] * 5
    assert total("rows", 1, None) == [None, 8, 7, 5, 3]
    assert total("range", -1, 0) == [7, 2, 2, 6, 6]
    assert total("range", 1, 1) == [None, 4, 4, 3, 3]
    assert total("groups", 0, 1) == [3, 6, 6, 7, 7]
    assert total("rows", None, None, "current_row") == [6, 8, 8, 7, 7]
    assert total("rows", None, None, "group") == [6, 7, 7, 5, 5]
    assert total("rows", None, None, "ties") == [9, 8, 8, 7, 7]
    assert total("range", -0.5, 0) == [3, 2, 2, 4, 4]
    assert total("range", -1, 0, descending=True) == [3, 6, 6, 7, 7]
    named = lf.window_frame("rows", -1, 1, exclude="current_row")
    assert values(SALES, col("day").sum().over(order_by="day", frame=named)) == [2, 1, 3, 3, 5]


def test_frames_of_time():
    days = lf.from_dict({"d": [datetime.date(2024, 1, 31), datetime.date(2024, 2, 29), datetime.date(2024, 3, 30)]})
    for frame, expected in (
        (("range", "-1mo", 0), [1, 2, 2]),  # a month before the end of March is the end of February
        (("range", "-30d", 0), [1, 2, 2]),
        (("range", datetime.timedelta(days=-29), 0), [1, 2, 1]),
        (("range", 0, "1mo"), [2, 1, 1]),
    ):
        assert values(days, lf.len().over(order_by="d", frame=frame)) == expected


def test_days_of_frames_follow_the_clocks():
    """On 2024-03-31 the clocks of Paris go forward, so that a day before noon is 23 hours away."""
    times = [datetime.datetime(2024, 3, 30, 12), datetime.datetime(2024, 3, 31, 12)]  # noqa: DTZ001
    clock = lf.from_dict({"t": times}).select(col("t").dt.replace_time_zone("Europe/Paris"))
    assert values(clock, lf.len().over(order_by="t", frame=("range", "-1d", 0))) == [1, 2]
    assert values(clock, lf.len().over(order_by="t", frame=("range", "-22h", 0))) == [1, 1]
    assert values(clock, lf.len().over(order_by="t", frame=("range", "-23h", 0))) == [1, 2]


def test_ranks():
    x = lf.from_dict({"x": [2.0, NAN, 2.0, None, -0.0, 0.0]})
    assert values(x, col("x").rank("min")) == [3, 5, 3, None, 1, 1]
    assert values(x, col("x").rank("max")) == [4, 5, 4, None, 2, 2]
    assert values(x, col("x").rank("dense")) == [2, 3, 2, None, 1, 1]
    assert values(x, col("x").rank("ordinal")) == [3, 5, 4, None, 1, 2]
    assert values(x, col("x").rank()) == [3.5, 5.0, 3.5, None, 1.5, 1.5]
    assert values(x, col("x").rank("dense", descending=True)) == [2, 1, 2, None, 3, 3]
    assert values(SALES, col("day").rank("ordinal").over("shop")) == [3, 1, 1, 2, 2]
    assert values(SALES, lf.dense_rank().over(order_by="day")) == [3, 1, 1, 2, 2]
    assert values(SALES, lf.rank().over(order_by="day", descending=True)) == [1, 4, 4, 2, 2]
    assert values(SALES, lf.percent_rank().over(order_by="day")) == [1.0, 0.0, 0.0, 0.5, 0.5]
    assert values(SALES, lf.cume_dist().over(order_by="day")) == [1.0, 0.4, 0.4, 0.8, 0.8]
    assert values(SALES, lf.ntile(3).over(order_by="day")) == [3, 1, 1, 2, 2]
    assert values(SALES, lf.ntile(9).over("shop")) == [1, 1, 2, 2, 3]


def test_rows_before_and_behind():
    assert values(SALES, col("day").shift()) == [None, 3, 1, 1, 2]
    assert values(SALES, col("day").shift(-2, fill_value=0)) == [1, 2, 2, 0, 0]
    assert values(SALES, col("day").shift(0)) == [3, 1, 1, 2, 2]
    assert values(SALES, col("shop").lead(default="none").over("shop", order_by="day")) == [
        "none",
        "b",
        "a",
        "none",
        "a",
    ]
    assert values(SALES, col("sold").lag(2, ignore_nulls=True)) == [None, None, 30, 5, 5]
    assert values(SALES, col("sold").lead(ignore_nulls=True)) == [5, 10, 20, 20, None]
    assert values(SALES, col("sold").diff()) == [None, -25, 5, None, None]
    assert values(SALES, col("sold").diff(-1)) == [25, -5, None, None, None]
    assert values(SALES, col("sold").nth_value(2).over("shop", order_by="day", frame=("rows", None, None)))[0] == 20
    assert values(SALES, col("sold").nth_value(1, from_last=True).over("shop")) == [20, None, 20, None, 20]
    assert values(SALES, col("sold").first_value().over("shop", order_by="day")) == [10, 5, 10, 5, 10]
    # The frame ends with the row.
    assert values(SALES, col("day").last_value().over("shop", order_by="day")) == [3, 1, 1, 2, 2]
    small = lf.from_dict({"x": pa.array([1, 2], pa.int8())})
    assert small.select(col("x").shift(fill_value=5)).schema["x"] == pa.int8()


def test_fills():
    x = lf.from_dict({"k": [1, 2, 1, 2, 1], "x": [None, "b", None, None, "a"]})
    assert values(x, col("x").forward_fill()) == [None, "b", "b", "b", "a"]
    assert values(x, col("x").backward_fill()) == ["b", "b", "a", "a", "a"]
    assert values(x, col("x").forward_fill(limit=1)) == [None, "b", "b", None, "a"]
    assert values(x, col("x").forward_fill().over("k")) == [None, "b", None, "b", "a"]
    assert values(x, col("x").backward_fill(1).over("k")) == [None, "b", "a", None, "a"]


def test_cumulative():
    x = lf.from_dict({"x": [2, None, 3, -1]})
    assert values(x, col("x").cum_sum()) == [2, None, 5, 4]
    assert values(x, col("x").cum_sum(reverse=True)) == [4, None, 2, -1]
    assert values(x, col("x").cum_min()) == [2, None, 2, -1]
    assert values(x, col("x").cum_max()) == [2, None, 3, 3]
    assert values(x, col("x").cum_prod()) == [2, None, 6, -6]
    assert values(x, col("x").cum_count()) == [1, 1, 2, 3]


def test_sums_so_far_are_exact_or_fail():
    large = lf.from_dict({"x": [2**62, 2**62, -(2**62)]})
    with pytest.raises(EvaluationError, match="sum overflows int64: 9223372036854775808"):
        large.select(col("x").cum_sum()).collect()
    assert values(large, col("x").rolling_sum(1)) == [2**62, 2**62, -(2**62)]
    assert values(lf.from_dict({"x": [2**62, -(2**62), 2**62]}), col("x").cum_sum()) == [2**62, 0, 2**62]
    money = lf.from_dict({"x": [Decimal("0.10"), Decimal("99999999999999999999.95"), Decimal("-0.05")]})
    assert values(money, col("x").cum_sum()) == [
        Decimal("0.10"), Decimal("100000000000000000000.05"), Decimal("100000000000000000000.00"),
    ]  # fmt: skip


def test_sums_of_floats_forget_what_has_left_the_window():
    x = lf.from_dict({"x": [1.0, 1e20, 1.0, INF, 2.0, NAN, 3.0, 4.0]})
    found = values(x, col("x").rolling_sum(1))
    assert found[2] == 1.0
    assert found[4] == 2.0
    assert values(x, col("x").rolling_sum(2))[-1] == 7.0
    assert values(x, col("x").rolling_mean(2))[-1] == 3.5
    assert values(x, col("x").rolling_var(2))[-1] == 0.5
    by_parity = lf.from_dict({"k": [1, 2, 1, 2], "x": [NAN, 1.0, 2.0, 3.0]})
    assert values(by_parity, col("x").cum_sum().over("k"))[3] == 4.0


def test_rolling():
    x = lf.from_dict({"x": [1, 2, None, 4, 8]})
    assert values(x, col("x").rolling_sum(2)) == [None, 3, None, None, 12]
    assert values(x, col("x").rolling_sum(2, min_samples=1)) == [1, 3, 2, 4, 12]
    assert values(x, col("x").rolling_max(3, min_samples=1, center=True)) == [2, 2, 4, 8, 8]
    assert values(x, col("x").rolling_median(3, min_samples=2)) == [None, 1.5, 1.5, 3.0, 6.0]
    assert values(x, col("x").rolling_quantile(0.5, "lower", window_size=2)) == [None, 1, None, None, 4]
    assert values(SALES, col("day").rolling_sum(2).over("shop", order_by="day")) == [5, None, None, 3, 3]
    assert values(SALES, col("day").rolling_mean_by("day", 1)) == [3.0, 1.0, 1.0, 2.0, 2.0]
    assert values(SALES, col("day").rolling_sum_by("day", 1, closed="both")) == [7, 2, 2, 6, 6]
    assert values(SALES, col("day").rolling_sum_by("day", 1, closed="left").over("shop")) == [2, None, None, 1, 1]


def test_windows_in_filters_and_of_windows():
    assert SALES.filter(col("day").rank("min").over("shop") == 1).to_dict()["shop"] == ["b", "a"]
    assert SALES.filter(lf.row_number() > 3).to_dict() == {"shop": ["b", "a"], "day": [2, 2], "sold": [None, 20]}
    assert values(SALES, col("day").cum_sum().shift()) == [None, 3, 4, 5, 7]
    assert values(SALES, col("day").diff().max()) == [1]
    assert values(SALES, (col("day") - col("day").mean()).cum_sum().round(1)) == [1.2, 0.4, -0.4, -0.2, 0.0]
    assert values(SALES, col("day").sum().over("shop").max().over()) == [6] * 5


def test_windows_in_groups():
    by_shop = SALES.group_by("shop")
    assert by_shop.agg(most=col("day").diff().max(), days=col("day").cum_sum()).to_dicts() == [
        {"shop": "a", "most": 1, "days": [3, 4, 6]}, {"shop": "b", "most": 1, "days": [1, 3]},
    ]  # fmt: skip
    assert by_shop.agg(place=col("day").sum().rank("min")).to_dicts() == [
        {"shop": "a", "place": 2}, {"shop": "b", "place": 1},
    ]  # fmt: skip
    with pytest.raises(InvalidArgumentError, match="several sets of keys"):
        SALES.rollup("shop").agg(col("day").diff().max())


def test_no_rows_and_one():
    none = SALES.head(0).select(
        a=col("sold").sum().over("shop"), b=lf.row_number(), c=col("sold").rolling_mean(3), d=col("sold").ewm_mean(alpha=0.5),
        e=col("shop").lag(), f=col("sold").median().over(order_by="day", frame=("rows", -1, 0)),
    )  # fmt: skip
    assert none.collect().to_arrow().schema.types == [
        pa.int64(), pa.int64(), pa.float64(), pa.float64(), pa.string(), pa.float64()
    ]  # fmt: skip
    one = lf.from_dict({"x": [1.0]})
    assert one.select(p=lf.percent_rank(), v=col("x").var().over(), e=col("x").ewm_var(alpha=0.5)).to_dicts() == [
        {"p": 0.0, "v": None, "e": None}
    ]


def test_a_condition_guards_what_it_filters():
    x = lf.from_dict({"x": [0, 1, 2]})
    guarded = (6 // col("x")).sum().filter(col("x") != 0)
    assert values(x, guarded.over()) == [9, 9, 9]
    assert values(x, guarded.over(order_by="x")) == [None, 6, 9]


@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_rows_at_any_number_of_threads(threads):
    many = lf.from_dict({"k": [n % 7 for n in range(1000)], "x": [(n * 7919) % 1009 / 7 for n in range(1000)]})
    frames = lf.concat([many] * 4).with_columns(
        s=col("x").sum().over("k", order_by="x"), m=col("x").rolling_mean(9), e=col("x").ewm_mean(span=5).over("k")
    )
    with lf.config(threads=1):
        expected = frames.collect().to_arrow()
    with lf.config(threads=threads):
        assert frames.collect().to_arrow().equals(expected)


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: col("x").over("k"), InvalidArgumentError, "belongs to an aggregate or a window function"),
        (
            lambda: lf.rank().over(frame=("rows", 0, 0)),
            InvalidArgumentError,
            "nothing in the expression looks at a frame",
        ),
        (lambda: col("x").sum().over(frame=3), InvalidArgumentError, "a frame is a tuple such as"),
        (lambda: col("x").sum().over(frame=("row", 0, 1)), InvalidArgumentError, "unit is one of"),
        (lambda: col("x").sum().over(frame=("rows", 0, "1d")), InvalidArgumentError, "a whole number or None"),
        (lambda: col("x").sum().over(frame=("rows", 0, 1, "tie")), InvalidArgumentError, "exclude is one of"),
        (
            lambda: col("x").sum().over(frame=("range", 0, [1])),
            InvalidArgumentError,
            "a distance is a number",
        ),
        (lambda: col("x").rank("first"), InvalidArgumentError, "method is one of"),
        (lambda: col("x").rolling_sum("2d"), InvalidArgumentError, "number of rows, not '2d'"),
        (lambda: col("x").rolling_sum(0), InvalidArgumentError, "1 or more"),
        (lambda: col("x").rolling_sum(2, min_samples=3), InvalidArgumentError, "more than window_size"),
        (lambda: col("x").rolling_sum_by("x", "-2d"), InvalidArgumentError, "a distance above 0"),
        (lambda: col("x").ewm_mean(), InvalidArgumentError, "one of com, span, half_life and alpha"),
        (lambda: col("x").ewm_mean(alpha=2), InvalidArgumentError, "alpha is a number above 0 and up to 1"),
        (lambda: lf.ntile(0), InvalidArgumentError, "1 or more"),
        (lambda: col("x").shift(1.5), InvalidArgumentError, "n is a whole number"),
        (lambda: col("x").forward_fill(-1), InvalidArgumentError, "limit is a whole number"),
    ],
)
def test_what_is_refused_where_it_is_written(build, error, message):
    with pytest.raises(error, match=message) as caught:
        build()
    assert "test_windows.py" in str(caught.value)


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda f: f.sort(col("day").rank()), InvalidArgumentError, "a window function cannot stand in what to sort by"),
        (lambda f: f.group_by(lf.row_number()), InvalidArgumentError, "cannot stand in what to group by"),
        (lambda f: f.select(col("shop").cum_sum()), TypeMismatchError, "sum\\(\\) is not defined for string"),
        (
            lambda f: f.select(lf.len().over(order_by="shop", frame=("range", -1, 0))), TypeMismatchError,
            "an order of string has no offset of type int64",
        ),
        (
            lambda f: f.select(lf.len().over(frame=("groups", -1, 0))), InvalidArgumentError, "GROUPS needs an order",
        ),
    ],
)  # fmt: skip
def test_what_is_refused_by_the_verb(build, error, message):
    with pytest.raises(error, match=message):
        build(SALES)


def test_errors_of_values_name_the_line():
    frame = lf.from_dict({"n": [1, 0]}).select(x=6 // col("n").cum_sum().shift(), y=col("n").nth_value(1).over())
    with pytest.raises(EvaluationError, match=r"test_windows\.py"):
        lf.from_dict({"n": [2**62] * 3}).select(col("n").cum_sum()).collect()
    assert frame.to_dict() == {"x": [None, 6], "y": [1, 1]}


def test_how_it_is_written():
    shown = repr(col("x").sum().over("k", order_by="t", frame=("rows", -1, 0)))
    assert shown == (
        "sum(col('x')) over (partition by col('k') order by col('t') rows between 1 preceding and current row)"
    )
    assert repr(lf.row_number()) == "row_number() over ()"
