"""How what was measured is shown: tables for people, and a picture that is well-formed."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from benchmarks.chart import chart
from benchmarks.report import blocks, line, page, pictured
from benchmarks.runner import OURS, Case

_SVG = "{http://www.w3.org/2000/svg}"


def _cases(count: int) -> list[Case]:
    return [
        Case(f"q{index}", samples={OURS: [0.01], "a<b": [0.005 * index], "c": [0.1]}) for index in range(1, count + 1)
    ]


def test_many_cases_with_the_same_contenders_stand_side_by_side():
    side_by_side, apart = blocks([*_cases(4), Case("rows", unit="rows", samples={OURS: [1000]})])
    assert side_by_side.header == ("case", OURS, "a<b", "c")
    assert side_by_side.rows[3] == ("q4", "10.0 ms", "20.0 ms (0.50)", "100.0 ms (0.10)")
    assert apart.rows == [("rows", OURS, "1,000", "1,000", "")]


def test_few_cases_have_a_row_for_each_contender():
    (block,) = blocks(_cases(1))
    assert block.rows[1] == ("", "a<b", "5.0 ms", "5.0 ms", "2.00")


def test_a_line_says_the_medians():
    assert line(Case("q", samples={OURS: [3.0, 1.0, 2.5], "c": [4.0]})) == "q: lazyframe 2.50 s, c 4.00 s"


def test_a_page_shows_a_picture_above_its_tables():
    text = page("a command", {"suite": ("About it.", _cases(4)), "other": ("More.", _cases(1))}, {"suite": "suite.svg"})
    assert "a command" in text
    assert (
        "## suite\n\nAbout it.\n\n![About it.](suite.svg)\n\n| case | lazyframe | a<b | c |\n| --- | ---: | ---: | ---: |"
        in text
    )
    assert text.count("![") == 1


def test_pictures_are_of_many_times_of_ours_and_of_peers():
    assert pictured([*_cases(4), Case("n", unit="queries", samples={"c": [3]})]) == _cases(4)
    assert pictured(_cases(3)) == []


def test_a_mark_stands_where_its_ratio_is():
    tree = ElementTree.fromstring(chart("all & more", _cases(4)))
    lines = {
        text.text: float(text.get("x")) for text in tree.iter(f"{_SVG}text") if text.get("text-anchor") == "middle"
    }
    marks = [mark for mark in tree.iter(f"{_SVG}circle") if mark.find(f"{_SVG}title") is not None]
    assert [mark.find(f"{_SVG}title").text for mark in marks] == ["a<b: 0.50", "a<b: 1.00", "a<b: 1.50", "a<b: 2.00"]
    at = [float(mark.get("cx")) for mark in marks]
    assert at == pytest.approx([lines["0.5"], lines["1"], at[2], lines["2"]])
    assert lines["1"] < at[2] < lines["2"]


def test_colours_differ_on_dark_ground():
    text = chart("all", _cases(4))
    assert "prefers-color-scheme: dark" in text
    assert text.count(".p0 {") == 2
