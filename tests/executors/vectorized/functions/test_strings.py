# ruff: noqa: DTZ001 - timestamps without a zone are half of what is tested
import functools
import hashlib
import unicodedata
from collections.abc import Callable
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lazyframe.executors.vectorized.kernel import KernelError
from tests.executors.vectorized.functions.answers import call

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
TEXTS = st.lists(st.none() | TEXT, max_size=6)
SMALL = st.integers(-6, 6)


def column(values: list[str | None]) -> pa.Array:
    """A slice out of a longer array, so that offsets count."""
    return pa.array(["before", *values, None, "after"], pa.string()).slice(1, len(values))


def expected(values: list[str | None], function: Callable[[str], Any]) -> list[Any]:
    return [None if v is None else function(v) for v in values]


@pytest.mark.parametrize(
    ("name", "python"),
    [
        ("lower", str.lower), ("upper", str.upper), ("title", str.title), ("capitalize", str.capitalize),
        ("length", len), ("byte_length", lambda s: len(s.encode())), ("reverse", lambda s: s[::-1]),
        ("strip", None), ("md5", lambda s: hashlib.md5(s.encode()).hexdigest()),
        ("sha256", lambda s: hashlib.sha256(s.encode()).hexdigest()), ("hex_encode", lambda s: s.encode().hex()),
        ("encode_utf8", str.encode), ("normalize", lambda s: unicodedata.normalize("NFC", s)),
        ("ascii", lambda s: ord(s[0]) if s else 0),
    ],
)  # fmt: skip
@settings(max_examples=60, deadline=None)
@given(values=TEXTS)
def test_unary_functions_agree_with_python(name: str, python: Callable[[str], Any] | None, values):
    if python is None:
        # Python also strips the separators of ASCII (0x1c to 0x1f), which Unicode does not count as white space.
        values = [None if v is None else v.translate(dict.fromkeys(range(0x1C, 0x20))) for v in values]
        python = str.strip
    assert call(name, column(values)) == expected(values, python)


@pytest.mark.parametrize(("name", "python"), [("lower", str.lower), ("upper", str.upper)])
@pytest.mark.parametrize("start", [0, 1])
def test_offsets_need_not_begin_at_zero(name: str, python: Callable[[str], str], start: int):
    _, offsets, data = pa.array(["before", "A", "bC", "De"]).buffers()
    text = pa.Array.from_buffers(pa.string(), 3 - start, [None, offsets.slice(4), data], offset=start)
    assert call(name, text) == [python(s) for s in ["A", "bC", "De"][start:]]


@settings(max_examples=100, deadline=None)
@given(TEXTS, SMALL, st.none() | st.integers(0, 6))
def test_substring_is_a_slice_of_python(values, start, length):
    def python(s: str) -> str:
        stop = None if length is None else start + length
        if start < 0 and stop is not None and stop >= 0:
            stop = None
        return s[start:stop]

    arguments = [start] if length is None else [start, length]
    assert call("substring", column(values), *arguments) == expected(values, python)
    columns = [pa.array([a] * len(values), pa.int64()) for a in arguments]
    assert call("substring", column(values), *columns) == expected(values, python)


@settings(max_examples=60, deadline=None)
@given(TEXTS, SMALL)
def test_head_and_tail(values, n):
    assert call("head_of_string", column(values), n) == expected(values, lambda s: s[:n])
    assert call("tail_of_string", column(values), n) == expected(values, lambda s: s[-n:] if n else "")


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXT)
def test_searching_agrees_with_python(values, part):
    s = column(values)
    assert call("contains", s, part) == expected(values, lambda v: part in v)
    assert call("starts_with", s, part) == expected(values, lambda v: v.startswith(part))
    assert call("ends_with", s, part) == expected(values, lambda v: v.endswith(part))
    assert call("position", s, part) == expected(values, lambda v: v.find(part) + 1)
    assert call("find", s, part) == expected(values, lambda v: v.find(part) if part in v else None)
    assert call("count_matches", s, part) == expected(values, lambda v: v.count(part))
    assert call("strip_prefix", s, part) == expected(values, lambda v: v.removeprefix(part))
    assert call("strip_suffix", s, part) == expected(values, lambda v: v.removesuffix(part))
    assert call("split", s, part) == expected(values, lambda v: v.split(part) if part else list(v))
    assert call("contains", s, pa.array([part] * len(values), pa.string())) == expected(values, lambda v: part in v)
    if part:
        assert call("replace", s, part, "é") == expected(values, lambda v: v.replace(part, "é"))
        assert call("replace", s, part, "é", n=1) == expected(values, lambda v: v.replace(part, "é", 1))


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXT)
def test_an_escaped_text_as_regular_expression_finds_the_text(values, part):
    (escaped,) = call("regexp_escape", pa.array([part]))
    assert call("regexp_matches", column(values), escaped) == expected(values, lambda v: part in v)
    assert call("regexp_find", column(values), escaped) == expected(
        values, lambda v: v.find(part) if part in v else None
    )


def test_patterns_may_differ_from_row_to_row():
    s = pa.array(["abc", "a.c", None, "xyz", "abc"])
    patterns = pa.array(["b", r"\.", "x", None, "z$"])
    assert call("regexp_matches", s, patterns) == [True, True, None, None, False]
    assert call("replace", s, pa.array(["b", ".", "x", "y", "c"]), "-") == ["a-c", "a-c", None, "x-z", "ab-"]
    assert call("like", s, pa.array(["a%", "a_c", "a", "x_z", "_"])) == [True, True, None, True, False]
    assert call("contains", "abc", pa.array(["b", "d", None])) == [True, False, None]


@pytest.mark.parametrize(
    "pattern",
    ["", "%", "a%", "%c", "%b%", "a_c", "_", "__%", "a%c", "%a%b%", "a.c", "A%", "%\n%", "a%%", "é_", "%_%", "[a]"],
)
def test_like_agrees_with_duckdb(pattern):
    values = ["", "a", "abc", "a.c", "a\nc", "ABC", "éé", "e\u0301", "cab", "%", "a%", "[a]", "xaybz", None, "😀"]
    for name, operator in (("like", "LIKE"), ("ilike", "ILIKE")):
        rows = (
            duckdb.connect().execute(f"SELECT unnest($1::VARCHAR[]) s, s {operator} $2", [values, pattern]).fetchall()
        )
        assert call(name, pa.array(values), pattern) == [answer for _, answer in rows]


def test_like_with_escape():
    assert call("like", pa.array(["50%", "500", "a_b", "axb"]), "50!%", "!") == [True, False, False, False]
    assert call("like", pa.array(["a_b", "axb"]), r"a\_b", "\\") == [True, False]
    with pytest.raises(KernelError, match="ends with its escape"):
        call("like", pa.array(["a"]), "a!", "!")


def test_regular_expressions():
    s = pa.array(["k1=v1;k2=v2", "none", None, "😀k9=é", ""])
    assert call("extract", s, r"(\w+)=(\S)", group=2) == ["v", None, None, "é", None]
    assert call("extract", s, r"k(\d)") == ["1", None, None, "9", None]
    assert call("regexp_extract", s, r"k\d") == ["k1", "", None, "k9", ""]
    assert call("extract_all", s, r"k\d") == [["k1", "k2"], [], None, ["k9"], []]
    assert call("extract_all", s, r"k(\d)=", group=1) == [["1", "2"], [], None, ["9"], []]
    assert call("regexp_count", s, r"\d") == [4, 0, None, 1, 0]
    assert call("regexp_split", s, "[;=]") == [["k1", "v1", "k2", "v2"], ["none"], None, ["😀k9", "é"], [""]]
    assert call("regexp_replace", s, r"(\w)(\d)", r"\2\1") == ["1k=v1;k2=v2", "none", None, "😀9k=é", ""]
    assert call("regexp_replace", s, r"\d", "", n=None) == ["k=v;k=v", "none", None, "😀k=é", ""]
    assert call("extract", pa.array(["a\nb1"]), r"(?i)B(\d)") == ["1"]


def test_matches_are_found_in_their_surroundings():
    assert call("extract_all", pa.array(["aaa", "b a"]), r"\ba") == [["a"], ["a"]]
    assert call("extract_all", pa.array(["\x01a\x02a"]), "a") == [["a", "a"]]
    assert call("extract_all", pa.array(["ab"]), "x*") == [["", "", ""]]


def test_a_bad_regular_expression_is_named():
    with pytest.raises(KernelError, match=r"invalid regular expression '\(': missing \)"):
        call("regexp_matches", pa.array(["a"]), "(")
    with pytest.raises(KernelError, match="invalid replacement"):
        call("regexp_replace", pa.array(["a"]), "a", r"\2")
    with pytest.raises(KernelError, match="has no group 2"):
        call("extract", pa.array(["a"]), "(a)", group=2)


@pytest.mark.parametrize("start", range(-7, 8))
@pytest.mark.parametrize("length", [None, 0, 1, 3, 9])
def test_substr_agrees_with_duckdb(start, length):
    values = ["", "a", "hello", "žluť😀ý", None]
    arguments = [start] if length is None else [start, length]
    sql = f"SELECT substr(unnest($1::VARCHAR[]), {', '.join(map(str, arguments))})"
    assert call("substr", pa.array(values), *arguments) == [
        row for (row,) in duckdb.connect().execute(sql, [values]).fetchall()
    ]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("lpad", [4, "xy"]), ("rpad", [4, "xy"]), ("lpad", [0, "x"]), ("split_part", ["l", 2]), ("split_part", ["l", -1]),
        ("split_part", ["l", 0]), ("split_part", ["z", 1]), ("left", [2]), ("right", [2]), ("left", [-2]), ("right", [-2]),
        ("repeat", [3]), ("repeat", [-1]), ("translate", ["lhe", "L"]), ("levenshtein", ["hallo"]), ("trim", []),
        ("ltrim", []), ("rtrim", ["o"]), ("strlen", []), ("replace", ["", "x"]), ("concat_ws", ["a", "b"]),
    ],
)  # fmt: skip
def test_sql_functions_agree_with_duckdb(name, arguments):
    from lazyframe.planner.functions.table import FUNCTIONS

    ours = next(f.name for f in FUNCTIONS.values() if name in f.sql)
    values = ["", "hello", " a ", "žluť😀ý", None]
    sql = f"SELECT {name}({', '.join(['unnest($1::VARCHAR[])', *map(repr, arguments)])})"
    assert call(ours, pa.array(values), *arguments) == [
        row for (row,) in duckdb.connect().execute(sql, [values]).fetchall()
    ]


def test_joining():
    a, b = pa.array(["a", None, ""]), pa.array(["x", "y", None])
    assert call("concat_strings", a, "-", b) == ["a-x", None, None]
    assert call("concat", a, b) == ["ax", "y", ""]
    assert call("concat_ws", ", ", a, b) == ["a, x", "y", ""]
    assert call("concat_ws", pa.array(["-", None, "+"]), a, b) == ["a-x", None, ""]
    nothing = pa.nulls(2, pa.string())
    assert call("concat", nothing, nothing) == ["", ""]
    assert call("concat_ws", ",", nothing, pa.array([None, "z"])) == ["", "z"]
    assert call("concat_ws", ",", nothing) == ["", ""]
    assert call("concat_strings", "a", "b") == "ab"
    assert call("concat_strings", pa.array([b"\xff", None]), b"\x00") == [b"\xff\x00", None]


def test_padding():
    s = pa.array(["7", "-7", "+123", "", None, "é"])
    assert call("zfill", s, 4) == ["0007", "-007", "+123", "0000", None, "000é"]
    assert call("pad_start", s, 3, "ž") == ["žž7", "ž-7", "+123", "žžž", None, "žžé"]
    assert call("pad_end", s, 2) == ["7 ", "-7", "+123", "  ", None, "é "]
    assert call("pad_start", s, pa.array([2, 3, 9, 1, 1, None])) == [" 7", " -7", "     +123", " ", None, None]
    with pytest.raises(KernelError, match="one character"):
        call("pad_start", s, 3, "ab")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.datetimes(), min_size=1, max_size=5))
def test_written_timestamps_are_read_back(stamps):
    texts = pa.array([s.isoformat() for s in stamps])
    assert call("parse_datetime", texts) == stamps
    assert call("parse_date", pa.array([s.date().isoformat() for s in stamps])) == [s.date() for s in stamps]
    written = call("strftime", pa.array(stamps, pa.timestamp("us")), "%d.%m.%Y %I:%M:%S.%f %p")
    assert call("parse_datetime", pa.array(written), "%d.%m.%Y %I:%M:%S.%f %p") == stamps
    assert call("parse_time", pa.array([s.time().isoformat() for s in stamps])) == [s.time() for s in stamps]


def test_reading_dates_and_numbers():
    import datetime as dt

    assert call("parse_date", pa.array(["29 Feb 2024", "1 MAR 1999", None]), "%d %b %Y") == [
        dt.date(2024, 2, 29), dt.date(1999, 3, 1), None,
    ]  # fmt: skip
    for bad in ("2023-02-29", "2024-13-01", "2024-00-10", "2024-1-1", "x", "2024-01-01 "):
        assert call("parse_date", pa.array([bad]), strict=False) == [None]
        with pytest.raises(KernelError, match=f"cannot read '{bad}'"):
            call("parse_date", pa.array([None, bad]))
    assert call("parse_date", pa.array(["2024366", "2023366"]), "%Y%j", strict=False) == [dt.date(2024, 12, 31), None]
    assert call("parse_datetime", pa.array(["2024-07-01 12:00+0200"]), "%Y-%m-%d %H:%M%z") == [
        dt.datetime(2024, 7, 1, 10)
    ]
    (zoned,) = call("parse_datetime", pa.array(["2024-07-01T12:00"]), time_zone="Europe/Paris")
    assert zoned.astimezone(dt.UTC) == dt.datetime(2024, 7, 1, 10, tzinfo=dt.UTC)
    (zoned,) = call("parse_datetime", pa.array(["2024-07-01T12:00Z"]), time_zone="Europe/Paris")
    assert zoned.astimezone(dt.UTC) == dt.datetime(2024, 7, 1, 12, tzinfo=dt.UTC)
    (zoned,) = call("parse_datetime", pa.array(["2024-07-01 12:00:00+00"]), time_zone="UTC")
    assert zoned == dt.datetime(2024, 7, 1, 12, tzinfo=dt.UTC)
    mixed = pa.array(["2024-07-01 12:00", None, "2024-07-01 12:00-05"])
    with pytest.raises(KernelError, match="'2024-07-01 12:00-05' as a timestamp without a zone") as caught:
        call("parse_datetime", mixed)
    assert (caught.value.row, caught.value.hint) == (2, "time_zone='UTC' (or another) keeps the instant")
    assert call("parse_datetime", mixed, strict=False) == [dt.datetime(2024, 7, 1, 12), None, None]
    assert call("parse_datetime", pa.array(["12-05"]), "%H%z") == [dt.datetime(1900, 1, 1, 17)]
    with pytest.raises(KernelError, match="directive that is not known: '%Q'"):
        call("parse_date", pa.array(["x"]), "%Q")
    assert call("parse_integer", pa.array(["ff", "-7f", None]), base=16) == [255, -127, None]
    assert call("parse_integer", pa.array(["1_0", "9223372036854775808", "", "٣"]), strict=False) == [None] * 4


def test_bytes_as_text_and_back():
    data = pa.array([b"\x00\xff", b"", None])
    assert call("hex", data) == ["00FF", "", None]
    assert call("base64_encode", data) == ["AP8=", "", None]
    assert call("base64_decode", pa.array(["AP8=", "", None])) == [b"\x00\xff", b"", None]
    assert call("hex_decode", pa.array(["00fF", "0", "zz"]), strict=False) == [b"\x00\xff", None, None]
    with pytest.raises(KernelError, match="not base64"):
        call("base64_decode", pa.array(["A"]))


def test_characters():
    assert call("chr", pa.array([65, 0x1F600, None])) == ["A", "😀", None]
    with pytest.raises(KernelError, match="55296"):
        call("chr", pa.array([0xD800]))
    assert call("strip_accents", pa.array(["Žluťoučký", "ñ", "ß"])) == ["Zlutoucky", "n", "ß"]
    assert call("levenshtein", pa.array(["kitten", "", "flaw"]), pa.array(["sitting", "abc", "lawn"])) == [3, 3, 2]


@pytest.mark.parametrize(
    "name", ["upper", "split", "extract", "replace", "substring", "parse_date", "zfill", "levenshtein"]
)
def test_no_rows_and_only_nulls(name):
    more = {
        "split": [","],
        "extract": ["(a)"],
        "replace": ["a", "b"],
        "substring": [1],
        "zfill": [2],
        "levenshtein": ["a"],
    }
    arguments = more.get(name, [])
    assert call(name, pa.array([], pa.string()), *arguments) == []
    assert call(name, pa.array([None, None], pa.string()), *arguments) == [None, None]
    assert call(name, pa.scalar(None, pa.string()), *arguments) is None


@given(st.lists(st.tuples(st.text("abé😀", max_size=9), st.none() | st.text("abé😀", max_size=9)), max_size=30))
def test_levenshtein_of_many_pairs(pairs):
    @functools.cache
    def distance(a: str, b: str) -> int:
        """The definition."""
        if not a or not b:
            return len(a) + len(b)
        replaced = distance(a[1:], b[1:]) + (a[0] != b[0])
        return min(distance(a[1:], b) + 1, distance(a, b[1:]) + 1, replaced)

    a, b = (pa.array([pair[i] for pair in pairs], pa.string()) for i in (0, 1))
    assert call("levenshtein", a, b) == [None if y is None else distance(x, y) for x, y in pairs]


def test_levenshtein_of_long_texts():
    a, b = "ab" * 300, "ba" * 300
    # One letter goes at the start and comes back at the end.
    assert call("levenshtein", pa.array([a, a, ""]), pa.array([b, a + "x" * 50, b])) == [2, 50, 600]


def test_split_part_of_varying_arguments():
    texts = pa.array(["a-b-c", "a-b-c", None, "é", "", "x-"])
    assert call("split_part", texts, "-", pa.array([1, -1, 1, 2, 1, -1])) == ["a", "c", None, "", "", ""]
    assert call("split_part", texts, pa.array(["-", "b", "-", "", "-", None]), -2) == ["b", "a-", None, "", "", None]
