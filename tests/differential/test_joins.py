"""Joins of every kind on random keys and comparisons, against DuckDB."""

from __future__ import annotations

import operator

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyframe as lf
from lazyframe import col
from tests.differential.comparing import rows, same_rows
from tests.differential.tables import TYPES, pool

KINDS = ["inner", "left", "right", "full", "semi", "anti"]
COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}
ORDERED = ["i8", "i64", "u64", "f32", "f64", "dec", "wide", "str", "bool", "date", "ts", "tz"]


def draw_table(data: st.DataObject, names: tuple[str, ...], kinds: list[str]) -> pa.Table:
    """A table of some rows, none of them included; nulls among the values."""
    size = data.draw(st.sampled_from([0, 1, 4, 9]))
    columns = {
        name: pa.array(
            data.draw(st.lists(st.one_of(pool(TYPES[kind]), st.none()), min_size=size, max_size=size)), TYPES[kind]
        )
        for name, kind in zip(names, kinds, strict=True)
    }
    return pa.table({**columns, f"{names[0]}_row": pa.array(range(size), pa.int64())})


def duck(sql: str, **tables: pa.Table) -> list[tuple]:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for name, table in tables.items():
            connection.register(name, table)
        return rows(connection.sql(sql).to_arrow_table())


def selected(frame: lf.LazyFrame, names: list[str], threads: int) -> list[tuple]:
    with lf.config(threads=threads):
        return rows(frame.select(names).to_arrow())


@settings(max_examples=150)
@given(data=st.data())
def test_any_condition(data: st.DataObject) -> None:
    kinds = [data.draw(st.sampled_from(ORDERED)) for _ in range(2)]
    left, right = (draw_table(data, names, kinds) for names in (("a", "b"), ("x", "y")))
    kind = data.draw(st.sampled_from(KINDS))
    parts, texts = [], []
    for _ in range(data.draw(st.integers(1, 3))):
        one, other = data.draw(
            st.sampled_from([("a", "x"), ("b", "y"), ("x", "a"), ("y", "b"), ("a", "a"), ("x", "x")])
        )
        symbol = data.draw(st.sampled_from([*COMPARISONS, "<", ">", "="]))
        parts.append(COMPARISONS[symbol](col(one), col(other)))
        texts.append(f"{one} {symbol} {other}")
    if data.draw(st.booleans()) and len(parts) > 1:
        parts = [parts[0] | parts[1], *parts[2:]]
        texts = [f"({texts[0]} OR {texts[1]})", *texts[2:]]
    condition = parts[0]
    for part in parts[1:]:
        condition = condition & part
    found = lf.from_arrow(left).join(lf.from_arrow(right), on=condition, how=kind)
    names = ["a_row"] if kind in ("semi", "anti") else ["a_row", "x_row"]
    word = {"full": "FULL OUTER"}.get(kind, kind.upper())
    sql = f"SELECT {', '.join(names)} FROM l {word} JOIN r ON {' AND '.join(texts)}"
    if kind in ("semi", "anti", "right", "full"):
        # Said in words that every engine has.
        on = " AND ".join(texts)
        exists = f"EXISTS (SELECT 1 FROM {{}} WHERE {on})"
        pairs = f"SELECT a_row, x_row FROM l JOIN r ON {on}"
        alone_left = f"SELECT a_row, NULL FROM l WHERE NOT {exists.format('r')}"
        alone_right = f"SELECT NULL, x_row FROM r WHERE NOT {exists.format('l')}"
        sql = {
            "semi": f"SELECT a_row FROM l WHERE {exists.format('r')}",
            "anti": f"SELECT a_row FROM l WHERE NOT {exists.format('r')}",
            "right": f"{pairs} UNION ALL {alone_right}",
            "full": f"{pairs} UNION ALL {alone_left} UNION ALL {alone_right}",
        }[kind]
    ours = selected(found, names, 1)
    assert ours == selected(found, names, 2)
    theirs = duck(sql, l=left, r=right)
    assert same_rows(ours, theirs, ordered=False), (
        f"{kind} join on {' and '.join(texts)}\nours   {ours}\ntheirs {theirs}"
    )
    # In the order of the side that is kept, partners in the order of the other; those of a full join's right side last.
    first, second = (1, 0) if kind == "right" else (0, -1)
    numbered = [(row[first] is None, row[first], row[second]) for row in ours]
    assert numbered == sorted(numbered, key=lambda row: (row[0], row[1] or 0, -1 if row[2] is None else row[2]))


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_on_both_sides_of_many_rows(kind):
    size = 3000
    left = pa.table({"a_row": range(size), "low": [(7919 * n) % 10_007 / 4 for n in range(size)]})
    left = left.append_column(
        "high", pa.array([None if n % 50 == 0 else v + 3.0 for n, v in enumerate(left["low"].to_pylist())])
    )
    values = [
        float("nan") if n % 100 == 0 else None if n % 77 == 0 else (104_729 * n) % 10_037 / 4 for n in range(size)
    ]
    right = pa.table({"x_row": range(size), "v": values})
    on = (col("low") <= col("v")) & (col("v") < col("high")) & (col("x_row") % 3 != 1)
    found = lf.from_arrow(left).join(lf.from_arrow(right), on=on, how=kind)
    names = ["a_row"] if kind in ("semi", "anti") else ["a_row", "x_row"]
    word = {"full": "FULL OUTER"}.get(kind, kind.upper())
    theirs = duck(
        f"SELECT {', '.join(names)} FROM l {word} JOIN r ON low <= v AND v < high AND x_row % 3 <> 1", l=left, r=right
    )
    assert same_rows(selected(found, names, 2), theirs, ordered=False)
