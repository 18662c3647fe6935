"""A missing or misspelt column, in every verb: the error names it, offers the nearest, and shows the line."""

from __future__ import annotations

import re

import pytest

import lazyframe as lf
import lazyframe.selectors as cs
from lazyframe import col

FRAME = lf.from_dict({"carrier": ["AA"], "dep_delay": [1], "arr_delay": [2], "stops": [["JFK"]], "at": [{"p": 1}]})
OTHER = lf.from_dict({"carrier": ["AA"], "name": ["American"]})

VERBS = {
    "select": lambda: FRAME.select("dep_dely"),
    "select expression": lambda: FRAME.select(col("dep_dely") + 1),
    "select aggregate": lambda: FRAME.select(col("dep_dely").sum()),
    "select named": lambda: FRAME.select(d="dep_dely"),
    "with_columns": lambda: FRAME.with_columns(d=col("dep_dely")),
    "filter": lambda: FRAME.filter(col("dep_dely") > 1),
    "filter by keyword": lambda: FRAME.filter(dep_dely=1),
    "drop": lambda: FRAME.drop("dep_dely"),
    "rename": lambda: FRAME.rename({"dep_dely": "d"}),
    "cast": lambda: FRAME.cast({"dep_dely": float}),
    "sort": lambda: FRAME.sort("dep_dely"),
    "sort descending": lambda: FRAME.sort("carrier", lf.desc("dep_dely")),
    "top_k": lambda: FRAME.top_k(3, by="dep_dely"),
    "bottom_k": lambda: FRAME.bottom_k(3, by=["carrier", "dep_dely"]),
    "unique": lambda: FRAME.unique("dep_dely"),
    "unique list": lambda: FRAME.unique(["carrier", "dep_dely"]),
    "group_by": lambda: FRAME.group_by("dep_dely"),
    "rollup": lambda: FRAME.rollup("carrier", "dep_dely"),
    "cube": lambda: FRAME.cube("dep_dely"),
    "grouping_sets": lambda: FRAME.grouping_sets(["carrier"], ["dep_dely"]),
    "agg": lambda: FRAME.group_by("carrier").agg(col("dep_dely").mean()),
    "agg filter": lambda: FRAME.group_by("carrier").agg(col("arr_delay").mean().filter(col("dep_dely") > 1)),
    "agg order": lambda: FRAME.group_by("carrier").agg(col("arr_delay").first(order_by="dep_dely")),
    "group sum": lambda: FRAME.group_by("carrier").sum("dep_dely"),
    "group first": lambda: FRAME.group_by("carrier").first("dep_dely"),
    "value_counts": lambda: FRAME.value_counts("dep_dely"),
    "drop_nulls": lambda: FRAME.drop_nulls("dep_dely"),
    "fill_null": lambda: FRAME.fill_null(col("dep_dely")),
    "explode": lambda: FRAME.explode("dep_dely"),
    "unnest": lambda: FRAME.unnest("dep_dely"),
    "unpivot": lambda: FRAME.unpivot("dep_dely"),
    "unpivot index": lambda: FRAME.unpivot("arr_delay", index="dep_dely"),
    "when": lambda: FRAME.select(lf.when(col("dep_dely") > 1).then(1)),
    "coalesce": lambda: FRAME.select(lf.coalesce("dep_dely", 1)),
    "selector": lambda: FRAME.select(cs.by_name("carrier", "dep_dely")),
    "col of several": lambda: FRAME.select(col("carrier", "dep_dely")),
    "join": lambda: OTHER.join(FRAME, left_on="carrier", right_on="dep_dely"),
    "join condition": lambda: FRAME.join(OTHER, on=col("dep_dely") == col("name")),
    "item": lambda: FRAME["dep_dely"],
    "schema": lambda: FRAME.schema["dep_dely"],
    "corr": lambda: FRAME.select(lf.corr("arr_delay", "dep_dely")),
    "min_by": lambda: FRAME.select(col("arr_delay").min_by("dep_dely")),
}


@pytest.mark.parametrize("verb", list(VERBS))
def test_a_misspelt_column(verb):
    with pytest.raises(lf.errors.ColumnNotFoundError) as caught:
        VERBS[verb]()
    text = str(caught.value)
    where = " on the right side of the join" if verb == "join" else ""
    assert text.startswith(f"no column named 'dep_dely'{where}\ndid you mean 'dep_delay'")
    if verb != "schema":
        line = VERBS[verb].__code__.co_firstlineno
        assert re.search(rf'File ".*test_errors_columns.py", line {line}, in <lambda>', text)
    assert FRAME.count() == 1


def test_join_keys_are_looked_up_on_their_own_side():
    with pytest.raises(lf.errors.ColumnNotFoundError, match="no column named 'name'"):
        FRAME.join(OTHER, on="name")
    with pytest.raises(
        lf.errors.ColumnNotFoundError, match="'dep_delay' on the right side of the join\nthere are: 'carrier', 'name'"
    ):
        FRAME.join(OTHER, on="dep_delay")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("CARRIER", "did you mean 'carrier'?"),
        ("delay", "did you mean 'dep_delay' or 'arr_delay'?"),
        ("zzzz", "there are: 'carrier', 'dep_delay', 'arr_delay', 'stops', 'at'"),
    ],
)
def test_the_nearest_names_are_offered(name, hint):
    with pytest.raises(lf.errors.ColumnNotFoundError) as caught:
        FRAME.select(name)
    assert caught.value.hint == hint


def test_long_lists_of_names_are_cut():
    wide = lf.from_dict({f"c{n}": [1] for n in range(30)})
    with pytest.raises(lf.errors.ColumnNotFoundError) as caught:
        wide.select("zzzz")
    assert caught.value.hint is not None
    assert caught.value.hint.endswith("'c11' and 18 more")


def test_a_frame_without_columns_offers_nothing():
    with pytest.raises(lf.errors.ColumnNotFoundError) as caught:
        FRAME.select().select("x")
    assert caught.value.hint is None


@pytest.mark.parametrize(
    "build",
    [
        lambda: FRAME.select("carrier", "carrier"),
        lambda: FRAME.select("carrier", carrier="dep_delay"),
        lambda: FRAME.select(col("dep_delay").alias("carrier"), "carrier"),
        lambda: FRAME.select(cs.all(), "carrier"),
        lambda: FRAME.with_columns(col("dep_delay"), col("dep_delay") + 1),
        lambda: FRAME.rename({"dep_delay": "carrier"}),
        lambda: FRAME.group_by("carrier", "carrier"),
        lambda: FRAME.group_by("carrier").agg(carrier=lf.len()),
        lambda: FRAME.group_by("carrier").agg(lf.len(), lf.len()),
        lambda: FRAME.with_row_index("carrier"),
        lambda: FRAME.value_counts("carrier", name="carrier"),
        lambda: FRAME.select("carrier", "at").rename({"at": "p"}).with_columns(at=FRAME_STRUCT).unnest("p", "at"),
    ],
)
def test_two_columns_of_one_name(build):
    with pytest.raises(
        lf.errors.DuplicateColumnError, match=r"two columns would be named '(carrier|dep_delay|len|p)'"
    ) as caught:
        build()
    assert "test_errors_columns.py" in str(caught.value)


FRAME_STRUCT = lf.struct(p="carrier")
