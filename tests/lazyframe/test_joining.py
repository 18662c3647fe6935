"""Joins: kinds, keys and conditions, names, nulls, validation."""

from __future__ import annotations

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col

NAN = float("nan")
LEFT = lf.from_dict({"k": [1, 2, 2, None], "x": ["a", "b", "c", "d"]})
RIGHT = lf.from_dict({"k": [2, 3, 2, None], "y": [10, 20, 30, 40]})


def columns(frame):
    table = frame.collect()
    assert table.to_arrow().schema == frame.schema.to_arrow()
    return [tuple(row.values()) for row in table]


@pytest.mark.parametrize(
    ("frame", "rows"),
    [
        (LEFT.join(RIGHT, on="k"), [(2, "b", 10), (2, "b", 30), (2, "c", 10), (2, "c", 30)]),
        (LEFT.join(RIGHT, on="k", how="left"),
         [(1, "a", None), (2, "b", 10), (2, "b", 30), (2, "c", 10), (2, "c", 30), (None, "d", None)]),
        # In the order of the right side.
        (LEFT.join(RIGHT, on="k", how="right"),
         [(2, "b", 10), (2, "c", 10), (3, None, 20), (2, "b", 30), (2, "c", 30), (None, None, 40)]),
        (LEFT.join(RIGHT, on="k", how="full"),
         [(1, "a", None, None), (2, "b", 2, 10), (2, "b", 2, 30), (2, "c", 2, 10), (2, "c", 2, 30),
          (None, "d", None, None), (None, None, 3, 20), (None, None, None, 40)]),
        (LEFT.join(RIGHT, on="k", how="full", coalesce=True),
         [(1, "a", None), (2, "b", 10), (2, "b", 30), (2, "c", 10), (2, "c", 30), (None, "d", None), (3, None, 20),
          (None, None, 40)]),
        (LEFT.join(RIGHT, on="k", how="semi"), [(2, "b"), (2, "c")]),
        (LEFT.join(RIGHT, on="k", how="anti"), [(1, "a"), (None, "d")]),
        (LEFT.head(2).join(RIGHT.head(2), how="cross"),
         [(1, "a", 2, 10), (1, "a", 3, 20), (2, "b", 2, 10), (2, "b", 3, 20)]),
        (LEFT.join(RIGHT, on="k", nulls_equal=True),
         [(2, "b", 10), (2, "b", 30), (2, "c", 10), (2, "c", 30), (None, "d", 40)]),
        (LEFT.join(RIGHT, on="k", how="anti", nulls_equal=True), [(1, "a")]),
        (LEFT.join(RIGHT, on="k", how="semi", nulls_equal=True), [(2, "b"), (2, "c"), (None, "d")]),
        (LEFT.join(RIGHT, on="k", how="left", coalesce=False).head(2), [(1, "a", None, None), (2, "b", 2, 10)]),
        (LEFT.join(RIGHT, left_on="k", right_on="k", how="inner").head(1), [(2, "b", 10)]),
        (LEFT.join(RIGHT, left_on=["k"], right_on=[col("k") - 1], how="inner"), [(1, "a", 2, 10), (1, "a", 2, 30), (2, "b", 3, 20), (2, "c", 3, 20)]),
        (LEFT.join(RIGHT, on=col("k") == col("k_right")),
         [(2, "b", 2, 10), (2, "b", 2, 30), (2, "c", 2, 10), (2, "c", 2, 30)]),
        (LEFT.join(RIGHT, on=(col("k") == col("k_right")) & (col("y") > 10)), [(2, "b", 2, 30), (2, "c", 2, 30)]),
        (LEFT.join(RIGHT, on=["k", col("y") > 10]), [(2, "b", 2, 30), (2, "c", 2, 30)]),
        (LEFT.join(RIGHT, on=col("k") < col("k_right"), suffix="_right"),
         [(1, "a", 2, 10), (1, "a", 3, 20), (1, "a", 2, 30), (2, "b", 3, 20), (2, "c", 3, 20)]),
        # An ON predicate on the preserved side does not filter it.
        (LEFT.join(RIGHT, on=["k", col("x") == "b"], how="left"),
         [(1, "a", None, None), (2, "b", 2, 10), (2, "b", 2, 30), (2, "c", None, None), (None, "d", None, None)]),
        (LEFT.join(RIGHT, on=(col("k") == 1) | (col("y") == 20), how="left"),
         [(1, "a", 2, 10), (1, "a", 3, 20), (1, "a", 2, 30), (1, "a", None, 40), (2, "b", 3, 20), (2, "c", 3, 20),
          (None, "d", 3, 20)]),
        (LEFT.join(RIGHT, on=col("k") > col("k_right") + 5, how="full").select("x", "y"),
         [("a", None), ("b", None), ("c", None), ("d", None), (None, 10), (None, 20), (None, 30), (None, 40)]),
        (LEFT.join(RIGHT, on=col("k") < col("k_right"), how="semi"), [(1, "a"), (2, "b"), (2, "c")]),
        (LEFT.join(RIGHT, on=col("k") < col("k_right"), how="anti"), [(None, "d")]),
        (LEFT.join(RIGHT, on=col("y") > 30, how="right").select("x", "y"),
         [(None, 10), (None, 20), (None, 30), ("a", 40), ("b", 40), ("c", 40), ("d", 40)]),
        (LEFT.join(RIGHT, on=lf.lit(True)).head(2), [(1, "a", 2, 10), (1, "a", 3, 20)]),
        (LEFT.join(RIGHT, on=lf.lit(False), how="left").head(1), [(1, "a", None, None)]),
    ],
)  # fmt: skip
def test_join(frame, rows):
    for threads in (1, 2):
        with lf.config(threads=threads):
            assert columns(frame) == rows


EMPTY_LEFT, EMPTY_RIGHT = LEFT.filter(col("k") > 9), RIGHT.filter(col("k") > 9)


@pytest.mark.parametrize(
    ("how", "no_left", "no_right"),
    [
        ("inner", 0, 0), ("left", 0, 4), ("right", 4, 0), ("full", 4, 4), ("semi", 0, 0), ("anti", 0, 4),
    ],
)  # fmt: skip
def test_empty_sides(how, no_left, no_right):
    assert len(columns(EMPTY_LEFT.join(RIGHT, on="k", how=how))) == no_left
    assert len(columns(LEFT.join(EMPTY_RIGHT, on="k", how=how))) == no_right
    assert columns(EMPTY_LEFT.join(EMPTY_RIGHT, on="k", how=how)) == []
    unlike = col("k") < col("k_right")
    assert len(columns(EMPTY_LEFT.join(RIGHT, on=unlike, how=how))) == no_left
    assert len(columns(LEFT.join(EMPTY_RIGHT, on=unlike, how=how))) == no_right


def test_cross_with_nothing():
    assert columns(LEFT.join(EMPTY_RIGHT, how="cross")) == []
    assert columns(EMPTY_LEFT.join(RIGHT, how="cross")) == []


def test_names():
    a, b = lf.from_dict({"k": [1], "v": [2]}), lf.from_dict({"k": [1], "v": [3]})
    assert a.join(b, on="k").columns == ["k", "v", "v_right"]
    assert a.join(b, on="k", suffix="2").columns == ["k", "v", "v2"]
    assert a.join(b, on=["k", "v"]).columns == ["k", "v"]
    assert a.join(b, left_on="k", right_on="v").columns == ["k", "v", "k_right"]
    assert a.join(b, how="cross").columns == ["k", "v", "k_right", "v_right"]
    assert a.join(b, on="k", how="full").columns == ["k", "v", "k_right", "v_right"]
    assert a.join(b, on="k", how="semi").columns == ["k", "v"]
    assert a.join(a, on="k").to_dicts() == [{"k": 1, "v": 2, "v_right": 2}]


def test_a_filter_after_a_join_means_the_column_it_names():
    a, b = lf.from_dict({"a": [1, 2], "p": [5, 6]}), lf.from_dict({"b": [1, 2], "a": [7, 1]})
    joined = a.join(b, left_on="a", right_on="b")
    assert joined.filter(col("a") == 1).to_dicts() == [{"a": 1, "p": 5, "a_right": 7}]
    assert joined.filter(col("a_right") == 1).to_dicts() == [{"a": 2, "p": 6, "a_right": 1}]


def test_name_taken_by_the_suffix_is_an_error():
    a = lf.from_dict({"k": [1], "v": [2], "v_right": [3]})
    with pytest.raises(lf.errors.DuplicateColumnError, match="'v_right'"):
        a.join(a.select("k", "v"), on="k")
    assert a.join(a.select("k", "v"), on="k", suffix="_b").columns == ["k", "v", "v_right", "v_b"]


def test_keys_of_different_types_meet_by_value():
    a = lf.from_dict({"k": [1, 2], "x": ["a", "b"]}, {"k": "int8"})
    b = lf.from_dict({"k": [2**63, 2], "y": [1, 2]}, {"k": "uint64"})
    assert columns(a.join(b, on="k")) == [(2, "b", 2)]
    floats = lf.from_dict({"k": [1.0, 2.5], "y": [1, 2]})
    assert columns(a.join(floats, on="k")) == [(1, "a", 1)]
    right = a.join(floats, on="k", how="right")
    assert columns(right) == [(1.0, "a", 1), (2.5, None, 2)]
    assert right.schema["k"] == pa.float64()


def test_keys_that_are_never_equal_are_refused():
    with pytest.raises(lf.errors.TypeMismatchError, match="never equal"):
        LEFT.join(RIGHT, left_on="x", right_on="k")


def test_keys_by_value_whatever_their_bits():
    a = lf.from_dict({"k": [0.0, NAN, 1.0], "x": [1, 2, 3]})
    b = lf.from_dict({"k": [-0.0, NAN], "y": [10, 20]})
    assert [row[1:] for row in columns(a.join(b, on="k"))] == [(1, 10), (2, 20)]
    words = lf.from_arrow(pa.table({"k": pa.array(["b", "a"]).dictionary_encode(), "x": [1, 2]}))
    others = lf.from_arrow(pa.table({"k": pa.array(["a", "b"], pa.large_string()), "y": [3, 4]}))
    assert columns(words.join(others, on="k")) == [("b", 1, 4), ("a", 2, 3)]


ONE = lf.from_dict({"k": [1, 2, None, None], "x": [1, 2, 3, 4]})
MANY = lf.from_dict({"k": [1, 1, 2], "y": [5, 6, 7]})


@pytest.mark.parametrize("how", ["inner", "left", "right", "full"])
def test_validate_allows_what_it_says(how):
    assert ONE.join(MANY, on="k", how=how, validate="1:m").count() >= 3
    assert MANY.join(ONE, on="k", how=how, validate="m:1").count() >= 3
    assert ONE.join(ONE.head(2), on="k", how=how, validate="1:1").count() >= 2


@pytest.mark.parametrize("how", ["inner", "left", "right", "full"])
@pytest.mark.parametrize(
    ("left", "right", "validate", "side"),
    [(MANY, ONE, "1:m", "left"), (MANY, ONE, "1:1", "left"), (ONE, MANY, "m:1", "right"), (ONE, MANY, "1:1", "right")],
)
def test_validate_refuses_the_rest(how, left, right, validate, side):
    with pytest.raises(
        lf.errors.InvalidArgumentError, match=rf"{validate}, but on its {side} side 2 rows have the key 1"
    ):
        left.join(right, on="k", how=how, validate=validate).collect()


def test_validate_counts_nulls_only_where_they_match():
    assert ONE.join(ONE.head(3), on="k", validate="1:1").count() == 2
    with pytest.raises(lf.errors.InvalidArgumentError, match="key None"):
        ONE.join(ONE.head(3), on="k", validate="1:1", nulls_equal=True).collect()


def test_outer_joins_promise_nulls_on_the_side_that_may_be_missing():
    a = lf.from_dict({"k": [1], "x": [1]}).drop_nulls().with_columns(x=lf.lit(1))
    b = lf.from_dict({"k": [1]}).with_columns(y=lf.lit(1))

    def nullable(how):
        return {f.name: f.nullable for f in a.join(b, on="k", how=how).schema}

    assert nullable("inner") == {"k": True, "x": False, "y": False}
    assert nullable("left") == {"k": True, "x": False, "y": True}
    assert nullable("right") == {"k": True, "x": True, "y": False}
    assert nullable("full") == {"k": True, "x": True, "k_right": True, "y": True}


def test_one_row_with_more_partners_than_a_batch_holds():
    many = lf.from_dict({"k": [7] * 300_000}).with_row_index("n")
    few = lf.from_dict({"k": [7, 8, 7], "x": [0, 1, 2]})
    joined = few.join(many, on="k")
    assert joined.group_by("x").agg(a=col("n").min(), b=col("n").max(), c=lf.len()).to_dicts() == [
        {"x": 0, "a": 0, "b": 299_999, "c": 300_000}, {"x": 2, "a": 0, "b": 299_999, "c": 300_000},
    ]  # fmt: skip
    assert joined.count() == 600_000
    assert few.join(many, on="k", how="anti").to_dicts() == [{"k": 8, "x": 1}]


def test_join_with_what_holds_rows(in_parts):
    assert LEFT.join(pa.table({"k": [1], "z": [True]}), on="k").to_dicts() == [{"k": 1, "x": "a", "z": True}]
    with pytest.raises(lf.errors.InvalidArgumentError, match="here stands a frame, not int"):
        LEFT.join(3, on="k")


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
def test_rows_read_one_by_one_join_the_same(how, in_parts):
    with lf.config(threads=3):
        apart = in_parts(LEFT.to_dict()).join(in_parts(RIGHT.to_dict()), on="k", how=how)
        assert apart.to_dicts() == LEFT.join(RIGHT, on="k", how=how).to_dicts()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "needs on="),
        ({"on": "k", "left_on": "k"}, "not both"),
        ({"left_on": "k"}, "needs on="),
        ({"left_on": ["k", "x"], "right_on": ["k"]}, "2 keys and right_on 1"),
        ({"left_on": [], "right_on": []}, "at least one key"),
        ({"on": "k", "how": "iner"}, "how is one of .*'iner'"),
        ({"on": "k", "validate": "1:n"}, "validate is one of"),
        ({"on": "k", "how": "cross"}, "takes no keys"),
        ({"on": col("k") == col("y"), "how": "cross"}, "takes no condition"),
        ({"on": col("k") == col("y"), "left_on": "k"}, "not both"),
        ({"on": col("k") == col("y"), "nulls_equal": True}, "go with names"),
        ({"on": col("k") == col("y"), "coalesce": True}, "go with names"),
        ({"on": col("k").sum() == col("y")}, "no aggregates"),
    ],
)
def test_arguments_that_make_no_sense(arguments, message):
    with pytest.raises(lf.errors.InvalidArgumentError, match=message):
        LEFT.join(RIGHT, **arguments)


@pytest.mark.parametrize("huge", [2**80, -(2**80)])
def test_decimal_keys_that_need_more_room_on_one_side(huge):
    narrow = lf.from_dict({"k": [1, -2, None], "x": [1, 2, 3]}).cast({"k": "decimal(38,0)"})
    wide = lf.from_dict({"k": [str(huge), "-2", None, "1"], "y": [1, 2, 3, 4]}).cast({"k": "decimal(38,0)"})
    assert columns(narrow.join(wide, on="k").select("x", "y")) == [(1, 4), (2, 2)]
    assert columns(wide.join(narrow, on="k").select("y", "x")) == [(2, 2), (4, 1)]
    assert columns(wide.join(narrow, on="k", nulls_equal=True).select("y", "x")) == [(2, 2), (3, 3), (4, 1)]
    assert columns(wide.join(narrow, on="k", how="anti").select("y")) == [(1,), (3,)]
    assert columns(narrow.join(wide, on="k", how="anti").select("x")) == [(3,)]
