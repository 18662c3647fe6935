"""Parameters of queries."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lazyframe as lf

T = lf.from_dict({"x": [1, 2, 3], "y": ["a", "b", "c"]})


def column(frame, name="x"):
    return frame.to_dict()[name]


@pytest.mark.parametrize("mark", ["$least", ":least"])
def test_by_name(mark):
    assert column(lf.sql(f"select x from T where x >= {mark}", least=2)) == [2, 3]
    assert column(lf.sql(f"select x from T where x >= {mark}", params={"least": 3})) == [3]


def test_by_position():
    assert column(lf.sql("select x from T where x >= ? and y < ?", params=[2, "c"])) == [2]
    assert column(lf.sql("select x from T where y < $2 and x >= $1", params=(2, "c"))) == [2]


def test_question_marks_count_in_the_order_of_the_text():
    # WITH stands first in the text and last in some trees.
    found = lf.sql("with a as (select ? as x, '?' as q) select x, q, ? as y from a where x = ? -- ?", params=[1, 2, 1])
    assert found.to_dicts() == [{"x": 1, "q": "?", "y": 2}]
    found = lf.sql("select ? as a, ? as b, ? as c union all select ?, ?, ? order by a limit ?", params=[*range(6), 1])
    assert found.to_dicts() == [{"a": 0, "b": 1, "c": 2}]


def test_errors_behind_question_marks_keep_their_places():
    with pytest.raises(lf.errors.ColumnNotFoundError) as caught:
        lf.sql("select ?, ?,\n  ? + wrong from T", params=[1, 2, 3])
    assert "SQL line 2, column 7" in str(caught.value)
    assert "? + wrong" in str(caught.value)


def test_values_of_all_types():
    values = {
        "i": 1, "f": 0.5, "d": Decimal("1.25"), "s": "it's", "b": True, "n": None, "day": datetime.date(2013, 1, 2),
        "at": datetime.datetime(2013, 1, 2, 3, 4, 5),  # noqa: DTZ001
        "span": datetime.timedelta(hours=1),
    }  # fmt: skip
    found = lf.sql("select " + ", ".join([f"${name} as {name}" for name in values]), **values)
    assert found.to_dicts() == [values]


def test_a_list_is_a_parameter():
    assert column(lf.sql("select len($values) as x", values=[1, 2, 3])) == [3]


def test_a_parameter_may_be_a_limit():
    assert column(lf.sql("select x from T order by x desc limit $n", n=2)) == [3, 2]


def test_a_parameter_is_no_sql():
    assert column(lf.sql("select x from T where y = $text", text="a' or 'x' = 'x")) == []


def test_missing_ones_are_named_with_their_place():
    with pytest.raises(lf.errors.InvalidArgumentError, match="'least' has no value") as caught:
        lf.sql("select x from T\nwhere x > $least", lest=3)
    assert "did you mean 'lest'" in str(caught.value)
    assert "SQL line" in str(caught.value)
    with pytest.raises(lf.errors.InvalidArgumentError, match="parameter 2 has no value: params has 1"):
        lf.sql("select ? + ?", params=[1])
    with pytest.raises(lf.errors.InvalidArgumentError, match="parameter 1 has no value"):
        lf.sql("select ?")
    with pytest.raises(lf.errors.InvalidArgumentError, match="'a' has no value: params is a list"):
        lf.sql("select $a", params=[1])


def test_unused_ones_are_named():
    with pytest.raises(lf.errors.InvalidArgumentError, match="does not use the parameter 'most'") as caught:
        lf.sql("select x from T where x > $least", least=1, most=3)
    assert "least" in str(caught.value)
    with pytest.raises(lf.errors.InvalidArgumentError, match="does not use the parameter 'x'"):
        lf.sql("select 1", x=3)
    with pytest.raises(lf.errors.InvalidArgumentError, match="does not use parameter 2: params has 2 values"):
        lf.sql("select ?", params=[1, 2])
    with pytest.raises(lf.errors.InvalidArgumentError, match="does not use parameter 1"):
        lf.sql("select 1", params=[1])
    # Frames may be more than the query reads: whole collections of them are given.
    assert column(lf.sql("select x from T", other=pa.table({"x": [1]}))) == [1, 2, 3]


def test_what_does_not_go_together():
    with pytest.raises(lf.errors.InvalidArgumentError, match="by position and by name"):
        lf.sql("select ?", params=[1], x=2)
    with pytest.raises(lf.errors.InvalidArgumentError, match=r"by name .* and by position"):
        lf.sql("select ?, $x", params={"x": 2})
    with pytest.raises(lf.errors.InvalidArgumentError, match="'x' is given twice"):
        lf.sql("select $x", params={"x": 2}, x=3)
    with pytest.raises(lf.errors.InvalidArgumentError, match="a list of values or a dict"):
        lf.sql("select $x", params="x")
    with pytest.raises(lf.errors.InvalidArgumentError, match="is a string, not 1"):
        lf.sql("select $x", params={1: 2})


def test_over_several_statements():
    session = lf.Session()
    found = session.sql("create table a as select $x as x; select x + $y as x from a", x=1, y=2)
    assert column(found) == [3]
    assert column(session.sql("select ? as x; select x + ? as x from a", params=[5, 6])) == [7]


@pytest.mark.parametrize(
    "values",
    [
        np.array([1, 3]), pd.Series([1, 3]), pd.Index([1, 3]), pl.Series([1, 3]), pa.array([1, 3]),
        pa.chunked_array([[1], [3]]), (1, 3), range(1, 4, 2), {1, 3}, {1: "a", 3: "b"}.keys(), [np.int64(1), np.int8(3)],
    ],
    ids=lambda values: type(values).__name__,
)  # fmt: skip
def test_a_list_of_values(values):
    assert column(lf.sql("select x from T where x in $values", values=values)) == [1, 3]
    assert column(lf.sql("select x from T where x in ?", params=[values])) == [1, 3]
    assert column(lf.sql("select len($values) as x", values=values)) == [2]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (pd.NaT, None), (pd.NA, None), (np.datetime64("NaT"), None), (np.float32(1.5), 1.5), (np.array(3), 3),
        ([pd.NaT, np.int64(1)], [None, 1]), (pd.Series([1.5, None]), [1.5, None]), (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (pd.Series(["a", None], dtype="category"), ["a", None]), ({"a": np.array([True])}, {"a": [True]}),
        (np.array(["2013-01-02T03:04:05.5"], dtype="M8[ns]"), [datetime.datetime(2013, 1, 2, 3, 4, 5, 500_000)]),  # noqa: DTZ001
        (np.array([], dtype="int64"), []), (pa.MonthDayNano([1, 2, 3]), pa.MonthDayNano([1, 2, 3])),
    ],
    ids=str,
)  # fmt: skip
def test_values_of_other_libraries(value, expected):
    assert lf.sql("select $v as v", v=value).item() == expected


def test_what_is_no_value_is_named_with_its_place():
    with pytest.raises(lf.errors.InvalidArgumentError, match="an ndarray can be no value of the parameter 'v'"):
        lf.sql("select $v", v=np.array([object()]))
    with pytest.raises(
        lf.errors.InvalidArgumentError, match="an object can be no value of the parameter 'v'"
    ) as caught:
        lf.sql("select 1 + $v", v=object())
    assert "SQL line 1, column 12" in str(caught.value)


def test_a_list_in_parentheses():
    with pytest.raises(lf.errors.TypeMismatchError, match=r"write IN \$ids, without parentheses"):
        lf.sql("select x from T where x in ($ids)", ids=[1, 3])
    lists = lf.from_dict({"l": [[1], [2]]})
    assert lf.sql("select l from lists where l in ($one)", one=[1]).to_dicts() == [{"l": [1]}]
    del lists


def test_what_is_no_list():
    for text, given in (("select x from T where x in $ids", {"ids": 1}), ("select x from T where x in ?", [1])):
        with pytest.raises(lf.errors.InvalidArgumentError, match="takes a list of values, not an int") as caught:
            lf.sql(text, params=given)
        assert "SQL line 1, column 28" in str(caught.value)
    assert column(lf.sql("select x from T where x in $ids", ids=[])) == []
    assert column(lf.sql("select x from T where x not in $ids", ids=[1, 3])) == [2]


@pytest.mark.parametrize(
    ("value", "what", "hint"),
    [
        ({"x": [1]}, "a dict", "write u=lf.from_dict(u)"), ([{"x": 1}], "a list", "write u=lf.from_dicts(u)"),
        ([1], "a list", "write u=lf.from_dict({'x': u})"), ("t.csv", "a str", "FROM 't.csv'"),
        ("select 1", "a str", "lf.sql(u)"), (np.array([1]), "an ndarray", "lf.from_dict({'x': u})"),
        (pd.Series([1]), "a Series", "write u=u.to_frame()"),
    ],
)  # fmt: skip
def test_a_value_that_is_read_as_a_table(value, what, hint):
    for call in (lambda: lf.sql("select * from u", u=value), lambda u: lf.sql("select * from u")):
        with pytest.raises(lf.errors.LazyFrameError, match=f"is {what}, which holds no rows") as caught:
            call(*[value] * call.__code__.co_argcount)
        assert hint in str(caught.value)
        assert "SQL line 1, column 15" in str(caught.value)


def test_a_parameter_is_no_table_and_no_column():
    with pytest.raises(lf.errors.InvalidArgumentError, match="never a table") as caught:
        lf.sql("select count(*) as c from $p", p="t.csv")
    assert "SQL line 1, column 27" in str(caught.value)
    assert "read_csv($path)" in str(caught.value)
    for text in ("select x from T order by $p", "select row_number() over (order by :p desc) from T"):
        with pytest.raises(lf.errors.InvalidArgumentError, match="never a column"):
            lf.sql(text, p="x")
    # As part of an expression it may well order.
    assert column(lf.sql("select x from T order by x * $p", p=-1)) == [3, 2, 1]


def test_the_place_of_a_missing_one_that_is_used_twice():
    with pytest.raises(lf.errors.InvalidArgumentError, match="'v' has no value") as caught:
        lf.sql("select 1,\n $v + $v")
    assert "SQL line 2, column 2" in str(caught.value)


def test_a_list_is_looked_up_like_written_values():
    t = lf.from_dict({"x": [1, None, 5, 7]})
    frame = lf.sql("select x from t where x in $some", t=t, some=[5, 9])
    assert frame.same_plan(lf.sql("select x from t where x in (5, 9)", t=t))
    # A list holds a value or not, whatever nulls are in it; a null is in no list and out of none.
    asked = lf.sql("select x in $some as found, x not in $some as missed from t", t=t, some=[1, None, 9])
    assert asked.collect().to_dict() == {"found": [True, None, False, False], "missed": [False, None, True, True]}
