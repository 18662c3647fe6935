"""Emitters of functions of strings, held against the vectorized kernels."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyframe.executors.compiled.coverage import why_not_staged
from tests.executors.compiled.functions.agreement import agrees, call, layouts

TEXTS = pa.array(
    ["", "a", "ab", "abc", None, "äöü", "日本語", "a%b", "a_b", "aäa", "special requests", "xxspecial yy requests zz",
     "requests special", "a" * 15, "a" * 16 + "b", "a" * 17, "ab" * 40, "b" + "a" * 31 + "needle" + "c" * 9, "nee needl needle",
     None, "\U0001f600x\U0001f600", "PROMO BRUSHED", "12-345", "\n", " a ", "aab", "aaab", "abab"],
    pa.string(),
)  # fmt: skip

PATTERNS = [
    "", "%", "_", "%%", "a%", "%a", "%a%", "abc", "a_c", "_b_", "%special%requests%", "%needle%", "a%b", "%ab", "__", "___%",
    "%_", "_%_", "%a_b%", "%_ö_", "ä%", "%本_", "%aab", "%\n%", "_ab%", "a%a%a", "%b%b%", "PROMO%", "%needle_c%c", "%ab%ab",
]  # fmt: skip
CHARACTERS = st.text(alphabet="ab%_ä日 ", max_size=40)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_like(pattern):
    for texts in layouts(TEXTS):
        agrees("like", texts, pa.scalar(pattern))


@pytest.mark.parametrize(("pattern", "escape"), [("a#%b", "#"), ("a#_b%", "#"), ("%##%", "#"), ("a%", "")])
def test_like_with_an_escape(pattern, escape):
    agrees("like", TEXTS, pa.scalar(pattern), pa.scalar(escape))


@given(
    st.lists(st.one_of(st.none(), CHARACTERS), max_size=20),
    st.text(alphabet="ab%_ä", max_size=6),
)
def test_like_of_random_texts(texts, pattern):
    agrees("like", pa.array(texts, pa.string()), pa.scalar(pattern))


PARTS = [
    "",
    "a",
    "ab",
    "abc",
    "needle",
    "special",
    "requests",
    "äö",
    "本",
    "a" * 8,
    "a" * 9,
    "a" * 16,
    "a" * 17,
    "ab" * 20,
]


@pytest.mark.parametrize(
    "function", ["starts_with", "ends_with", "contains", "position", "find", "strip_prefix", "strip_suffix"]
)
@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_a_string(function, part):
    for texts in layouts(TEXTS):
        agrees(function, texts, pa.scalar(part))


@pytest.mark.parametrize(
    "function", ["starts_with", "ends_with", "contains", "position", "find", "strip_prefix", "strip_suffix"]
)
@given(
    st.lists(st.tuples(st.one_of(st.none(), CHARACTERS), st.one_of(st.none(), st.text("abä", max_size=3))), max_size=9)
)
def test_parts_that_are_columns(function, rows):
    texts, parts = ([row[i] for row in rows] for i in (0, 1))
    agrees(function, pa.array(texts, pa.string()), pa.array(parts, pa.string()))


@pytest.mark.parametrize("function", ["length", "byte_length", "bit_length"])
def test_lengths(function):
    for texts in layouts(TEXTS):
        agrees(function, texts)


@given(st.lists(st.one_of(st.none(), st.text(max_size=40)), max_size=20))
def test_length_of_random_texts(texts):
    agrees("length", pa.array(texts, pa.string()))


def test_length_of_bytes():
    agrees("length", pa.array([b"", b"\xff\x80", None], pa.binary()))


@pytest.mark.parametrize("function", ["substring", "substr"])
@pytest.mark.parametrize("start", [-40, -7, -3, -1, 0, 1, 2, 3, 9, 40])
@pytest.mark.parametrize("length", [None, 0, 1, 2, 3, 8, 9, 50])
def test_substring(function, start, length):
    places = [pa.scalar(n, pa.int64()) for n in (start, length) if n is not None]
    for texts in layouts(TEXTS):
        agrees(function, texts, *places)


@pytest.mark.parametrize("function", ["head_of_string", "tail_of_string"])
@pytest.mark.parametrize("count", [-40, -9, -2, -1, 0, 1, 2, 8, 9, 40])
def test_ends_of_strings(function, count):
    for texts in layouts(TEXTS):
        agrees(function, texts, pa.scalar(count, pa.int64()))


@pytest.mark.parametrize("name", ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"])
@pytest.mark.parametrize("constant", [*PARTS, "aab"])
def test_comparison_with_a_constant(name, constant):
    for texts in layouts(TEXTS):
        agrees(name, texts, pa.scalar(constant))
        agrees(name, pa.scalar(constant), texts)


@pytest.mark.parametrize("name", ["equal", "less"])
def test_comparison_of_columns(name):
    other = pa.array([*TEXTS[1:].to_pylist(), "x"], pa.string())
    agrees(name, TEXTS, other)
    agrees(name, TEXTS, TEXTS.dictionary_encode())
    agrees(name, TEXTS, TEXTS)


@given(st.lists(st.tuples(st.text("ab", max_size=20), st.text("ab", max_size=20)), max_size=9))
def test_order_of_random_texts(rows):
    texts, others = (pa.array([row[i] for row in rows], pa.string()) for i in (0, 1))
    for name in ("equal", "less", "greater_equal"):
        agrees(name, texts, others)


@pytest.mark.parametrize("name", ["trim", "ltrim", "rtrim", "strip", "lstrip", "rstrip"])
@pytest.mark.parametrize("characters", [None, " ", "a", "ab ", "", "x"])
def test_trimming(name, characters):
    if characters is None and "strip" in name:
        return
    for texts in layouts(pa.array([*TEXTS.to_pylist(), "   ", " a b ", "ä a ", " \t x"])):
        agrees(name, texts, *[pa.scalar(c) for c in [characters] if c is not None])


def test_characters_of_several_bytes_are_not_staged():
    for scalar in (call("strip", TEXTS), call("strip", TEXTS, pa.scalar("ä"))):
        assert why_not_staged(scalar) is not None
