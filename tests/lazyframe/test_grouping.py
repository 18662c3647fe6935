"""Groups: keys, grouping sets, and what may stand in `agg`."""

from __future__ import annotations

import datetime

import pytest

import lazyframe as lf
import lazyframe.selectors as cs
from lazyframe import col

NAN = float("nan")
FRAME = lf.from_dict({"k": ["b", "a", "b", None], "g": [1, 1, 2, 2], "x": [1, 2, 3, None], "y": [0.5, 1.5, 2.5, 3.5]})


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (FRAME.group_by("k").agg(col("x").sum()), {"k": ["b", "a", None], "x": [4, 2, None]}),
        (FRAME.group_by("k").agg(total=col("x").sum(), n=lf.len()), {"k": ["b", "a", None], "total": [4, 2, None], "n": [2, 1, 1]}),
        (FRAME.group_by("k", "g").agg(lf.len()), {"k": ["b", "a", "b", None], "g": [1, 1, 2, 2], "len": [1, 1, 1, 1]}),
        (FRAME.group_by(["g"]).agg([col("x").min(), col("y").max()]), {"g": [1, 2], "x": [1, 3], "y": [1.5, 3.5]}),
        (FRAME.group_by(big=col("x") > 1).agg(n=lf.len()), {"big": [False, True, None], "n": [1, 2, 1]}),
        (FRAME.group_by(col("g") * 10).agg(lf.len()), {"g": [10, 20], "len": [2, 2]}),
        (FRAME.group_by(cs.string()).agg(lf.len()), {"k": ["b", "a", None], "len": [2, 1, 1]}),
        # What is no aggregate is gathered as a list.
        (FRAME.group_by("g").agg("x"), {"g": [1, 2], "x": [[1, 2], [3, None]]}),
        (FRAME.group_by("g").agg(col("x") * 2), {"g": [1, 2], "x": [[2, 4], [6, None]]}),
        # Around aggregates stand keys, constants and other aggregates.
        (FRAME.group_by("g").agg(s=col("x").sum() + col("g") * 100), {"g": [1, 2], "s": [103, 203]}),
        (FRAME.group_by("g").agg(s=(col("x").max() - col("x").min()).fill_null(0)), {"g": [1, 2], "s": [1, 0]}),
        (FRAME.group_by("g").agg(c=lf.lit(1)), {"g": [1, 2], "c": [1, 1]}),
        (FRAME.group_by("g").agg(twice=col("g") * 2), {"g": [1, 2], "twice": [2, 4]}),
        (FRAME.group_by("g").agg(a=col("x").sum(), b=col("x").sum()), {"g": [1, 2], "a": [3, 3], "b": [3, 3]}),
        (FRAME.group_by("g").agg(cs.numeric().sum()), {"g": [1, 2], "x": [3, 3], "y": [2.0, 6.0]}),
        (FRAME.group_by("g").agg(lf.when(col("x").sum() > 3).then(1).otherwise(0).alias("w")), {"g": [1, 2], "w": [0, 0]}),
        (FRAME.group_by().agg(col("x").sum()), {"x": [6]}),
        (FRAME.group_by("g").agg(), {"g": [1, 2]}),
        # An aggregate of a column that a key hides under its name.
        (FRAME.group_by(x=col("g")).agg(s=col("x").sum()), {"x": [1, 2], "s": [3, 3]}),
        (FRAME.group_by("g").len(), {"g": [1, 2], "len": [2, 2]}),
        (FRAME.group_by("g").count("n"), {"g": [1, 2], "n": [2, 2]}),
        (FRAME.group_by("g").sum(), {"g": [1, 2], "x": [3, 3], "y": [2.0, 6.0]}),
        (FRAME.group_by("g").sum("x"), {"g": [1, 2], "x": [3, 3]}),
        (FRAME.group_by("g").mean("y"), {"g": [1, 2], "y": [1.0, 3.0]}),
        (FRAME.group_by("g").min(), {"g": [1, 2], "x": [1, 3], "y": [0.5, 2.5]}),
        (FRAME.group_by("g").max("y", "x"), {"g": [1, 2], "y": [1.5, 3.5], "x": [2, 3]}),
        (FRAME.group_by("g").first(), {"g": [1, 2], "k": ["b", "b"], "x": [1, 3], "y": [0.5, 2.5]}),
        (FRAME.group_by("g").last("k"), {"g": [1, 2], "k": ["a", None]}),
        (FRAME.head(0).group_by("g").agg(col("x").sum()), {"g": [], "x": []}),
        (FRAME.head(0).group_by().agg(col("x").sum(), n=lf.len()), {"x": [None], "n": [0]}),
        (FRAME.head(0).select(col("x").sum(), n=lf.len()), {"x": [None], "n": [0]}),
    ],
)  # fmt: skip
def test_group_by(answer, frame, expected):
    assert answer(frame) == expected


def test_groups_come_in_order_of_first_appearance(answer, in_parts):
    keys = ["z", "a", "m", "a", "z", "q"]
    assert answer(in_parts({"k": keys}).group_by("k").len()) == {"k": ["z", "a", "m", "q"], "len": [2, 2, 1, 1]}


def test_nan_and_zero_make_one_group_each(answer):
    frame = lf.from_dict({"k": [NAN, 0.0, -0.0, NAN], "x": [1, 2, 3, 4]})
    assert answer(frame.group_by("k").agg(col("x").sum()).select("x")) == {"x": [5, 5]}


@pytest.mark.parametrize(
    "keys",
    [
        [datetime.date(2024, 1, 1), None, datetime.date(2024, 1, 1)],
        [b"a", None, b"a"],
        [True, None, True],
        [[1, 2], None, [1, 2]],
        [{"p": 1}, None, {"p": 1}],
        [datetime.timedelta(hours=1), None, datetime.timedelta(hours=1)],
    ],
)
def test_keys_of_all_types(answer, keys):
    found = answer(lf.from_dict({"k": keys, "x": [1, 2, 3]}).group_by("k").agg(col("x").sum()))
    assert found == {"k": [keys[0], None], "x": [4, 2]}


def test_rollup_goes_from_all_keys_to_none(answer):
    frame = lf.from_dict({"a": ["p", "p", "q"], "b": [1, 2, 1], "x": [10, 20, 40]})
    assert answer(frame.rollup("a", "b").agg(col("x").sum())) == {
        "a": ["p", "p", "q", "p", "q", None], "b": [1, 2, 1, None, None, None], "x": [10, 20, 40, 30, 40, 70],
    }  # fmt: skip


def test_cube_takes_every_subset(answer):
    frame = lf.from_dict({"a": ["p", "q"], "b": [1, 1], "x": [10, 20]})
    assert answer(frame.cube("a", "b").agg(col("x").sum())) == {
        "a": ["p", "q", "p", "q", None, None], "b": [1, 1, None, None, 1, None], "x": [10, 20, 10, 20, 30, 30],
    }  # fmt: skip


def test_grouping_sets(answer):
    frame = lf.from_dict({"a": ["p", "q"], "b": [1, 1], "x": [10, 20]})
    assert answer(frame.grouping_sets("a", ["b", "a"], []).agg(col("x").sum(), n=lf.len())) == {
        "a": ["p", "q", "p", "q", None], "b": [None, None, 1, 1, None],
        "x": [10, 20, 10, 20, 30], "n": [1, 1, 1, 1, 2],
    }  # fmt: skip
    assert answer(frame.grouping_sets(["a"]).agg(col("x").sum())) == {"a": ["p", "q"], "x": [10, 20]}


def test_grouping_sets_need_a_set():
    with pytest.raises(lf.errors.InvalidArgumentError, match="at least one set"):
        FRAME.grouping_sets().agg(lf.len())


@pytest.mark.parametrize(
    "outputs",
    [
        {"y": col("x") + col("y").sum()},
        # The names of an aggregate and of a key do not stand for columns of the frame.
        {"x": col("x").sum(), "y": col("x") + col("y").sum()},
    ],
)
def test_a_column_outside_all_aggregates_is_refused(outputs):
    with pytest.raises(lf.errors.InvalidArgumentError, match="'x' is neither a key nor inside an aggregate"):
        FRAME.group_by("g").agg(**outputs)


def test_the_name_of_a_key_does_not_stand_for_the_column_it_hides():
    with pytest.raises(lf.errors.InvalidArgumentError, match="'x' is neither a key nor inside an aggregate"):
        FRAME.group_by(col("g").alias("x")).agg(s=col("x") + col("y").sum())


def test_groups_say_what_to_do_with_them():
    assert repr(FRAME.group_by("k", "g")) == "GroupBy(k, g): follow it with .agg(...)"


@pytest.mark.parametrize(
    ("summarised", "expected"),
    [
        (lambda g: g.median(), [{"g": 1, "x": 1.5, "y": 1.0}, {"g": 2, "x": 3.0, "y": 3.0}]),
        (lambda g: g.var("y"), [{"g": 1, "y": 0.5}, {"g": 2, "y": 0.5}]),
        (lambda g: g.std("y", ddof=0), [{"g": 1, "y": 0.5}, {"g": 2, "y": 0.5}]),
        (lambda g: g.quantile(0.5, "x", interpolation="lower"), [{"g": 1, "x": 1}, {"g": 2, "x": 3}]),
        (lambda g: g.n_unique("k", "x"), [{"g": 1, "k": 2, "x": 2}, {"g": 2, "k": 2, "x": 2}]),
    ],
)
def test_one_aggregate_of_many_columns(summarised, expected):
    assert summarised(FRAME.group_by("g")).to_dicts() == expected


def test_grouping_tells_which_keys_are_left_out(answer):
    frame = lf.from_dict({"a": ["p", None], "b": [1, 1], "x": [10, 20]})
    assert answer(frame.rollup("a", "b").agg(col("x").sum(), g=lf.grouping("a", "b"), half=lf.grouping("b") / 2)) == {
        "a": ["p", None, "p", None, None], "b": [1, 1, None, None, None], "x": [10, 20, 10, 20, 30],
        "g": [0, 0, 1, 1, 3], "half": [0.0, 0.0, 0.5, 0.5, 0.5],
    }  # fmt: skip
    assert answer(frame.group_by("a").agg(g=lf.grouping("a"))) == {"a": ["p", None], "g": [0, 0]}
    computed = frame.rollup(k=col("b") + 1).agg(lf.len(), g=lf.grouping(col("b") + 1))
    assert answer(computed) == {"k": [2, None], "len": [2, 2], "g": [0, 1]}


def test_keys_in_expressions_are_null_where_they_are_left_out(answer):
    frame = lf.from_dict({"a": ["p", "q"], "x": [10, 20]})
    assert answer(frame.rollup("a").agg(label=col("a").fill_null("all"), s=col("x").sum())) == {
        "a": ["p", "q", None], "label": ["p", "q", "all"], "s": [10, 20, 30],
    }  # fmt: skip


def test_grouping_is_refused_where_there_are_no_groups():
    with pytest.raises(lf.errors.InvalidArgumentError, match=r"grouping\(\) takes keys, and x is none"):
        FRAME.rollup("k").agg(g=lf.grouping("x"))
    with pytest.raises(lf.errors.InvalidArgumentError, match=r"grouping\(\) has a value for groups only"):
        FRAME.filter(lf.grouping("k") == 0)
    with pytest.raises(lf.errors.InvalidArgumentError, match=r"grouping\(\) has a value for groups only"):
        FRAME.with_columns(g=lf.grouping("k"))
    with pytest.raises(lf.errors.InvalidArgumentError, match=r"grouping\(\) takes keys"):
        lf.grouping()
