"""A query that has not run, in a terminal."""

from __future__ import annotations

import io
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from lazyframe.display.schema import render_schema_text


def test_names_types_and_sources():
    fields = [("year", "int32", True), ("origin", "string", False), ("at", "timestamp[us]", True)]
    assert render_schema_text(fields, ["flights.parquet"], width=80).split("\n") == [
        "LazyFrame (not run)  3 columns from flights.parquet",
        "  year    int32",
        "  origin  string         not null",
        "  at      timestamp[us]",
    ]


def test_long_schemas_and_many_sources_are_cut():
    fields = [(f"c{i:02}", "int8", True) for i in range(42)]
    drawn = render_schema_text(fields, ["a", "b", "c", "d", "e"], width=50).split("\n")
    assert drawn[0] == "LazyFrame (not run)  42 columns from a, b, c and …"
    assert drawn[30] == "  c29  int8"
    assert drawn[31:] == ["  … 12 more: c30, c31, c32, c33, c34, c35, c36, …"]
    assert render_schema_text([], [], width=50) == "LazyFrame (not run)  0 columns"


def test_long_names_and_types_are_cut():
    fields = [("n" * 50, "struct<" + "x" * 50, False)]
    wide, narrow = (render_schema_text(fields, [], width=width).split("\n")[1] for width in (60, 40))
    assert wide == "  " + "n" * 29 + "…  struct<" + "x" * 8 + "…  not null"
    assert narrow == "  " + "n" * 19 + "…  struct<" + "x" * 8 + "…"


def test_ascii_where_the_output_has_no_ellipsis(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert render_schema_text([("é" * 20, "int8", True)], [], width=40).split("\n")[1].isascii()


@given(st.lists(st.tuples(st.text(), st.text(), st.booleans()), max_size=40), st.lists(st.text()), st.integers(20, 100))
def test_never_wider_than_asked(fields, sources, width):
    drawn = render_schema_text(fields, sources, width=width).split("\n")
    assert max(map(cell_len, drawn)) <= width
    assert len(drawn) == 1 + min(len(fields), 30) + (len(fields) > 30)


def test_importing_brings_nothing_heavy():
    program = (
        "import sys, lazyframe.display; print(*[m for m in ('rich', 'pyarrow.compute', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
