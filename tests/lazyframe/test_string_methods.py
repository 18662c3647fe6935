from __future__ import annotations

import pytest

import lazyframe as lf
from lazyframe import col

FRAME = lf.from_dict({"s": ["ab12", "éa"]})


def answer(expr):
    return FRAME.select(s=expr).to_dict()["s"]


def test_groups_are_written_with_a_backslash():
    assert answer(col("s").str.replace(r"([a-z]+)(\d)", r"\2\1")) == ["1ab2", "éa"]
    for method in (col("s").str.replace, col("s").str.replace_all):
        for written in ("$1", "${1}"):
            with pytest.raises(lf.errors.InvalidArgumentError, match="is no group of the pattern") as caught:
                method("([a-z])", f"<{written}>")
            assert caught.value.hint == r"groups are written with a backslash: r'\1'"


def test_a_dollar_that_is_meant_is_written():
    assert answer(col("s").str.replace_all(r"(\d+)", r"$\1")) == ["ab$12", "éa"]
    assert answer(col("s").str.replace_all(r"\d+", "$1")) == ["ab$1", "éa"]
    assert answer(col("s").str.replace_all(r"(?:\d)+", "$1")) == ["ab$1", "éa"]
    assert answer(col("s").str.replace("ab", "$1", literal=True)) == ["$112", "éa"]


def test_words_of_any_script():
    assert answer(col("s").str.extract(r"(\w+)")) == ["ab12", "a"]
    assert answer(col("s").str.extract(r"([\p{L}\p{N}_]+)")) == ["ab12", "éa"]
