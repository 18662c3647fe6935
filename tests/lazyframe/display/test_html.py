"""Tables in a notebook: well-formed, escaped, and complete about what is missing."""

from __future__ import annotations

from html.parser import HTMLParser

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lazyframe.display.html import render_html
from lazyframe.display.schema import render_schema_html

ALLOWED = {"div", "table", "thead", "tbody", "tr", "th", "td", "p", "b", "small", "details", "summary", "pre"}


class Page(HTMLParser):
    """The tags, attributes and texts of a page whose tags must close in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag in ALLOWED
        self.open.append(tag)
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def test_rows_types_alignment_and_nulls():
    page = Page(render_html(pa.table({"s": ["a", None], "n": [1, 22]})))
    assert page.rows == [["s", "n"], ["string", "int64"], ["a", "1"], ["null", "22"]]
    assert page.tags[1] == ("table", {"class": "dataframe"})
    cells = [attributes for tag, attributes in page.tags if tag == "td"]
    assert [cell.get("class") for cell in cells] == [None, None, "null", None]
    assert ["right" in cell["style"] for cell in cells] == [False, True, False, True]
    assert page.text.strip().endswith("2 rows × 2 columns")


def test_left_out_rows_and_columns_are_stated():
    table = pa.table({name: range(100) for name in "abcde"})
    page = Page(render_html(table, max_rows=2, max_columns=3))
    assert page.rows == [
        ["a", "b", "…", "e"],
        ["int64", "int64", "…", "int64"],
        ["0", "0", "…", "0"],
        ["…", "…", "…", "…"],
        ["99", "99", "…", "99"],
    ]
    assert "… 2 more columns: c, d" in page.text
    assert "100 rows × 5 columns, showing 2 rows" in page.text


def test_beginning_of_a_longer_result():
    page = Page(render_html(pa.table({"n": [1]}), total_rows=5000))
    assert page.rows[2:] == [["1"], ["…"]]
    assert "5,000 rows × 1 column, showing 1 row" in page.text


def test_names_types_and_values_are_escaped():
    evil = "<script>alert('x')</script>&amp;"
    nested = pa.struct([(evil, pa.string())])
    table = pa.table([pa.array([evil]), pa.array([{evil: evil}], nested)], names=[evil, "b"])
    text = render_html(table)
    assert "<script" not in text
    page = Page(text)
    assert page.rows[0][0] == page.rows[2][0] == evil
    assert evil in page.rows[1][1]


def test_no_columns():
    assert Page(render_html(pa.table({}))).text.strip() == "0 rows × 0 columns"


@given(st.lists(st.text(), max_size=3), st.text())
def test_any_text_leaves_the_page_well_formed(values, name):
    page = Page(render_html(pa.table({name: pa.array(values, pa.string())})))
    assert [len(row) for row in page.rows] == [1] * (2 + len(values))


def test_schema_strip_with_the_plan_folded_away():
    text = render_schema_html(
        [("year", "int32", True), ("<b>", "string", False)], ["a&b.parquet"], ".show() runs it", "Scan <x>"
    )
    page = Page(text)
    assert page.rows == [["year", "<b>"], ["int32", "string"], ["nullable", "not null"]]
    assert "LazyFrame (not run) 2 columns from a&b.parquet" in page.text
    assert ".show() runs it" in page.text
    assert "<details><summary>Optimised plan</summary><pre>Scan &lt;x&gt;</pre></details>" in text


def test_schema_strip_without_a_plan_and_with_many_fields():
    page = Page(render_schema_html([(f"c{i}", "int8", True) for i in range(35)], [], "", None))
    assert len(page.rows[0]) == 31
    assert page.rows[0][-1] == "… 5 more"
    assert "details" not in {tag for tag, _ in page.tags}
