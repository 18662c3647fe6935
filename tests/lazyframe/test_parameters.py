"""Parameters: constants that get their values when a query runs."""

from __future__ import annotations

import copy
import datetime as dt
import decimal
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.errors import InvalidArgumentError

NOON = dt.datetime(2024, 1, 1, 12)  # noqa: DTZ001 - a time of no zone
FRAME = lf.from_dict({"a": [1, 2, 3, None], "b": [1.5, 2.5, None, 4.0], "t": ["x", "y", "z", None]})


def test_a_value_of_its_own_and_others():
    w = lf.param("w", 2.0)
    frame = FRAME.select(z=col("b") * w)
    assert frame.to_dict() == {"z": [3.0, 5.0, None, 8.0]}
    assert frame.collect(w=10).to_dict() == {"z": [15.0, 25.0, None, 40.0]}
    assert frame.to_dict() == {"z": [3.0, 5.0, None, 8.0]}
    w.value = 0.5
    assert frame.to_dict() == {"z": [0.75, 1.25, None, 2.0]}


def test_every_action_takes_the_value_of_its_own(tmp_path):
    frame = FRAME.filter(col("a") >= lf.param("n", 2)).select("a")
    assert frame.count() == 2
    assert frame.to_arrow().column(0).to_pylist() == [2, 3]
    assert len(frame.fetch(1)) == 1
    with frame.collect_batches(n=3) as batches:
        assert [batch.to_pylist() for batch in batches] == [[{"a": 3}]]
    assert frame.submit(n=1).result().to_dict() == {"a": [1, 2, 3]}
    assert frame.sink_parquet(tmp_path / "f.parquet") == 2
    assert [part.to_dict() for part in lf.collect_all([frame, frame.tail(1)], n=1)] == [{"a": [1, 2, 3]}, {"a": [3]}]


def test_bind_gives_some_of_the_values():
    frame = FRAME.filter((col("a") >= lf.param("low")) & (col("a") <= lf.param("high", 3))).select("a")
    some = frame.bind(low=2)
    assert some.to_dict() == {"a": [2, 3]}
    assert some.collect(high=2).to_dict() == {"a": [2]}
    with pytest.raises(InvalidArgumentError, match="no parameter 'low'"):
        some.collect(low=1)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (pa.array([1, 2, 3], pa.int8()), 2),
        (pa.array([1.0, 2.0, float("nan")], pa.float32()), 2.0),
        (pa.array(["a", "b", None]), "b"),
        (pa.array([b"a", b"b", None]), b"b"),
        (pa.array([True, False, None]), False),
        (pa.array([dt.date(2024, 1, 1), dt.date(2024, 1, 2)]), dt.date(2024, 1, 2)),
        (pa.array([NOON, NOON + dt.timedelta(1)]), NOON),
        (pa.array([dt.time(1), dt.time(2)]), dt.time(2)),
        (pa.array([dt.timedelta(1), dt.timedelta(2)]), dt.timedelta(2)),
        (pa.array([decimal.Decimal("1.10"), decimal.Decimal("2.20")]), decimal.Decimal("2.20")),
    ],
)
def test_types_come_from_what_is_met(column, value):
    frame = lf.from_arrow(pa.table({"x": column}))
    found = frame.filter(col("x") == lf.param("v")).collect(v=value)
    assert found.to_dict() == frame.filter(col("x") == value).to_dict()
    assert len(found) == 1


def test_dates_are_read_from_text():
    frame = lf.from_dict({"d": [dt.date(2024, 1, 1), dt.date(2024, 1, 3)]})
    since = frame.filter(col("d") >= lf.param("since"))
    assert since.collect(since="2024-01-02").to_dict() == {"d": [dt.date(2024, 1, 3)]}
    with pytest.raises(InvalidArgumentError, match="'since' is a date, and 'tomorrow' is none"):
        since.collect(since="tomorrow")


def test_a_type_of_its_own():
    frame = FRAME.select(z=col("a") * lf.param("f", dtype="float64"))
    assert frame.collect(f=0.5).to_dict() == {"z": [0.5, 1.0, 1.5, None]}
    assert frame.collect(f=2).to_dict() == {"z": [2.0, 4.0, 6.0, None]}
    assert lf.param("n", 3, dtype="float64").dtype == pa.float64()
    assert lf.param("n", 3).dtype == pa.int64()
    assert lf.param("n", np.float32(3)).dtype == pa.float32()
    assert lf.param("n").dtype is None


def test_one_name_with_several_types():
    v = lf.param("v")
    frame = FRAME.select(x=col("a") + v, y=col("b") + v)
    assert frame.collect(v=1).to_dict() == {"x": [2, 3, 4, None], "y": [2.5, 3.5, None, 5.0]}


def test_a_list():
    frame = FRAME.filter(lf.param("wanted", dtype="list<int64>").list.contains(col("a"))).select("a")
    assert frame.collect(wanted=[1, 3]).to_dict() == {"a": [1, 3]}
    assert frame.collect(wanted=[]).to_dict() == {"a": []}
    chosen = FRAME.filter(col("a").is_in([lf.param("x"), 3])).select("a")
    assert chosen.collect(x=1).to_dict() == {"a": [1, 3]}


def test_arrays():
    w = lf.param("W", np.arange(6.0).reshape(2, 3))
    assert (len(w), w.shape, w[1].shape, len(w[1]), w.dtype) == (2, (2, 3), (3,), 3, pa.float64())
    frame = FRAME.select(z=w[0, 1] * col("a"), last=w[-1][-1])
    assert frame.to_dict() == {"z": [1.0, 2.0, 3.0, None], "last": [5.0] * 4}
    assert frame.collect(W=np.full((2, 3), 2.0)).to_dict() == {"z": [2.0, 4.0, 6.0, None], "last": [2.0] * 4}
    rows = w.dot(["a", col("b"), 1])
    found = FRAME.select(*[row.alias(str(i)) for i, row in enumerate(rows)]).to_dict()
    assert found == {"0": [3.5, 4.5, None, None], "1": [14.0, 21.0, None, None]}
    assert FRAME.select(s=lf.param("v", [1, 2, 3]) @ ["a", "a", "a"]).to_dict() == {"s": [6, 12, 18, None]}
    assert [repr(item) for item in w[0]] == ["param('W')[0, 0]", "param('W')[0, 1]", "param('W')[0, 2]"]
    w.value = np.zeros((2, 3))
    assert frame.to_dict()["last"] == [0.0] * 4
    w[1].value = [7, 8, 9]
    assert frame.to_dict()["last"] == [9.0] * 4
    assert len(w[0][1:]) == 2


def test_the_array_is_its_own_copy():
    given = np.ones(2)
    w = lf.param("w", given)
    given[0] = 5
    assert w.value.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("use", "message", "advice"),
    [
        (lambda: FRAME.filter(col("a") > lf.param("x")).collect(), "'x' has no value", "collect(x=...)"),
        (lambda: FRAME.filter(col("a") > lf.param("x")).count(), "'x' has no value", "bind(x=...)"),
        (lambda: FRAME.filter(col("a") > lf.param("width")).collect(widht=1), "no parameter 'widht'", "'width'"),
        (lambda: FRAME.lazy().collect(x=1), "no parameter 'x', nor any other", "lf.param('x')"),
        (lambda: FRAME.collect(x=1), "no parameter 'x', nor any other", "lf.param('x')"),
        (lambda: FRAME.filter(col("a") > lf.param("x")).collect(x=2.5), "'x' is an int64, and 2.5 is none", "dtype="),
        (lambda: FRAME.filter(col("a") > lf.param("x")).collect(x=True), "'x' is an int64, and True is none", ""),
        (lambda: FRAME.filter(col("a") > lf.param("x")).collect(x=2**70), "is none", ""),
        (lambda: FRAME.filter(col("t") > lf.param("x")).collect(x=1), "'x' is a string, and 1 is none", ""),
        (lambda: FRAME.filter(col("a") > lf.param("x")).collect(x=None), "'x' is never null", ""),
        (lambda: FRAME.select(lf.param("x")), "nothing says of what type the parameter 'x' is", "dtype="),
        (lambda: FRAME.select(lf.param("x") + lf.param("y")), "nothing says of what type", "dtype="),
        (lambda: FRAME.select(lf.param("x", 1) + lf.param("x", 2)).collect(), "two parameters .* called 'x'", "name"),
        (lambda: FRAME.filter(col("a") > lf.param("x", 1)).cache(), "depend on parameters", "bind"),
        (lambda: lf.param("x", 1).__setattr__("value", "one"), "'x' is an int64, and 'one' is none", ""),
        (lambda: lf.param("x").__setattr__("value", 1), "made without a value", "collect(x=...)"),
        (lambda: lf.param("x", object()), "an object cannot stand in an expression", ""),
        (lambda: lf.param("x", col("a")), "a constant, not an expression", ""),
        (lambda: lf.param("x", ["a"]), "an array with elements of <U1", "dtype='list<string>'"),
        (lambda: lf.param("x", []), "an array with no element", ""),
        (lambda: lf.param("w", [1.0]) * col("a"), "is no expression", "w.dot"),
        (lambda: col("a") * lf.param("w", [1.0]), "is no expression", "w.dot"),
        (lambda: FRAME.select(lf.param("w", [1.0])), "is no expression", "w.dot"),
        (lambda: lf.param("w", [1.0])[1], r"has no item \[1\]", ""),
        (lambda: lf.param("w", [1.0])[0, 0], "has no item", ""),
        (lambda: lf.param("w", [1.0])[col("a")], "whole numbers, not by an Expr", "join"),
        (lambda: lf.param("w", [1.0, 2.0]).dot(["a"]), "as many values as .* 2, not 1", ""),
        (
            lambda: FRAME.select(lf.param("w", [1.0])[0]).collect(w=[1.0, 2.0]),
            "of shape .1,., not one of shape .2,.",
            "",
        ),
        (lambda: FRAME.select(lf.param("w", [1.0])[0]).collect(w=1.0), "not a float", ""),
        (lambda: FRAME.select(lf.param("w", [1])[0]).collect(w=[1.5]), "array of int64, not of float64", ""),
    ],
)
def test_what_is_refused(use, message, advice):
    with pytest.raises(InvalidArgumentError, match=message) as caught:
        use()
    assert advice in str(caught.value)
    first = use.__code__.co_firstlineno
    assert f'test_parameters.py", line {first}' in str(caught.value)


def test_uses_as_a_value_are_refused():
    with pytest.raises(lf.errors.LazyValueError, match="no truth value"):
        bool(lf.param("x", 1) > 0)


def test_an_empty_frame_and_clashing_names():
    empty = FRAME.filter(col("a") > 100)
    assert empty.select(z=col("b") * lf.param("w", 1.0)).to_dict() == {"z": []}
    # A parameter and a column may have one name.
    assert FRAME.select(z=col("a") + lf.param("a", 10)).to_dict() == {"z": [11, 12, 13, None]}


def test_frames_that_share_a_node():
    x = lf.param("x")
    below = FRAME.filter(col("a") >= x)
    both = lf.concat([below.select("a"), below.select(a=col("a") * x)])
    assert both.collect(x=2).to_dict() == {"a": [2, 3, 4, 6]}
    assert below.join(FRAME.select("a", c=col("b")), on="a").select("a", "c").collect(x=3).to_dicts() == [
        {"a": 3, "c": None}
    ]
    counts = below.group_by("t").agg(n=lf.len() * x)
    assert counts.collect(x=3).to_dicts() == [{"t": "z", "n": 3}]


def test_a_parameter_that_the_optimizer_drops():
    frame = FRAME.with_columns(z=col("a") * lf.param("x")).select("a")
    assert frame.collect(x=3).to_dict() == {"a": [1, 2, 3, None]}
    with pytest.raises(InvalidArgumentError, match="'x' has no value"):
        frame.collect()


def test_row_groups_are_pruned_by_the_value_of_the_run(tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"k": range(1000), "v": range(1000)}), path, row_group_size=100)
    frame = lf.scan_parquet(str(path)).filter(col("k") >= lf.param("n") + 10).select(n=col("v").sum())
    assert frame.collect(n=980).item() == sum(range(990, 1000))
    assert frame.collect(n=-10).item() == sum(range(1000))
    assert "9 of 10" not in frame.explain()
    assert "100 rows" in frame.bind(n=980).explain(analyze=True)
    with pytest.raises(InvalidArgumentError, match="'n' has no value"):
        frame.explain(analyze=True)


def test_explaining_needs_no_value():
    shown = FRAME.filter(col("a") > lf.param("n")).explain()
    assert "a > $n" in shown


def test_copies_and_travelling():
    w = lf.param("w", 2.0)
    frame = FRAME.select(z=col("b") * w, y=w)
    assert copy.deepcopy(w) is w
    there = pickle.loads(pickle.dumps(frame))
    assert there.collect(w=4.0).to_dict()["y"] == [4.0] * 4
    assert there.to_dict()["y"] == [2.0] * 4


def test_kernels_serve_every_value(monkeypatch):
    monkeypatch.setenv("LAZYFRAME_COMPILED", "0")
    frame = (
        lf.from_dict({"x": list(range(1000))})
        .filter(col("x") < lf.param("n"))
        .select(s=(col("x") * lf.param("w", 2.0)).sum())
    )
    for n, w in ((10, 1.0), (500, 0.5), (0, 3.0)):
        expected = sum(range(n)) * w if n else None
        assert frame.collect(n=n, w=w).item() == expected
