"""Regular expressions. Arrow's kernels run RE2; what they do not offer is built from those they do."""

from __future__ import annotations

import re

import pyarrow as pa

from lazyframe.executors.vectorized.functions.subject import mapped
from lazyframe.executors.vectorized.kernel import Arguments, KernelError
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.functions.patterns import regex_error

# Any run of characters, line ends included, whatever flags the user's part sets.
_ANYTHING = r"[\x{0}-\x{10FFFF}]*"


def quoted(text: str) -> str:
    """A regular expression that matches `text` as it is."""
    return re.escape(text).replace("\x00", r"\x00")


def check(pattern: str, replacement: str | None = None) -> None:
    """Refuse what RE2 does not take."""
    if regex_error(pattern):
        raise KernelError(f"invalid regular expression {pattern!r}: {regex_error(pattern)}")
    if replacement is not None and (reason := regex_error(pattern, replacement)):
        raise KernelError(f"invalid replacement {replacement!r} for {pattern!r}: {reason}")


def matches(strings: pa.Array, pattern: str, *, arguments: Arguments) -> pa.Array:
    check(pattern)
    return pc.match_substring_regex(strings, pattern)


def count(strings: pa.Array, pattern: str, *, arguments: Arguments) -> pa.Array:
    check(pattern)
    marked, begin, _ = _marked(strings, pattern, 0)
    return pc.count_substring(marked, begin)


def replace(strings: pa.Array, pattern: str, replacement: str, *, arguments: Arguments) -> pa.Array:
    check(pattern, replacement)
    n = arguments.options.get("n", 1)
    return pc.replace_substring_regex(strings, pattern, replacement, max_replacements=-1 if n is None else n)


def find(strings: pa.Array, pattern: str, *, arguments: Arguments) -> pa.Array:
    check(pattern)
    return code_points_before(strings, pc.find_substring_regex(strings, pattern))


def code_points_before(strings: pa.Array, offsets: pa.Array) -> pa.Array:
    """Byte offsets in strings as positions; null where the offset is -1."""
    offsets = pc.if_else(pc.greater_equal(offsets, 0), offsets, arrow.scalar(None, offsets.type)).cast(pa.int64())
    if pc.all(pc.string_is_ascii(strings), min_count=0).as_py():
        return offsets
    pairs = zip(strings.cast(pa.binary()).to_pylist(), offsets.to_pylist(), strict=True)
    return arrow.array([None if at is None else len(text[:at].decode()) for text, at in pairs], pa.int64())


def extract_or_empty(strings: pa.Array, pattern: str, *, arguments: Arguments) -> pa.Array:
    return _extract(strings, pattern, _group(arguments, 0), otherwise="")


def extract_or_null(strings: pa.Array, pattern: str, *, arguments: Arguments) -> pa.Array:
    return _extract(strings, pattern, _group(arguments, 1), otherwise=None)


def _group(arguments: Arguments, default: int) -> int:
    group = arguments.options.get("group", default)
    if not isinstance(group, int) or not 0 <= group <= 9:
        raise KernelError(f"a group of a regular expression is a number from 0 to 9, not {group!r}")
    return group


def _check_group(pattern: str, group: int) -> None:
    check(pattern)
    if regex_error(pattern, rf"\{group}"):
        raise KernelError(f"the regular expression {pattern!r} has no group {group}")


def _extract(strings: pa.Array, pattern: str, group: int, otherwise: str | None) -> pa.Array:
    _check_group(pattern, group)
    # The lazy start finds the leftmost match.
    whole = rf"\A{_ANYTHING}?({'' if group == 0 else '?:'}{pattern}){_ANYTHING}\z"
    found = pc.replace_substring_regex(strings, whole, rf"\{group or 1}", max_replacements=1)
    return pc.if_else(pc.match_substring_regex(strings, pattern), found, arrow.scalar(otherwise, pa.string()))


def extract_all(strings: pa.Array, pattern: str, *, arguments: Arguments) -> pa.Array:
    group = _group(arguments, 0)
    _check_group(pattern, group)
    marked, begin, end = _marked(strings, pattern, group)
    parts = pc.split_pattern(marked, begin)
    # What stands before the first mark is no match; of the others, what stands after the end mark is none.
    matched = pc.list_slice(parts, 1)
    texts = matched.flatten()
    texts = pc.list_element(pc.split_pattern(texts, end, max_splits=1), 0) if len(texts) else texts
    return like_list(matched, texts)


def split(strings: pa.Array, pattern: str, *, arguments: Arguments) -> pa.Array:
    check(pattern)
    (mark,) = _unused(strings, 1)
    return pc.split_pattern(pc.replace_substring_regex(strings, pattern, mark), mark)


def _marked(strings: pa.Array, pattern: str, group: int) -> tuple[pa.Array, str, str]:
    """The strings with a group of each match between two marks, and the marks."""
    begin, end = _unused(strings, 2)
    return pc.replace_substring_regex(strings, pattern, rf"{begin}\{group}{end}"), begin, end


def _unused(strings: pa.Array, number: int) -> list[str]:
    """Characters that stand in none of the strings."""
    found: list[str] = []
    for code in (*range(1, 9), *range(0xE000, 0xF8FF), *range(0xF0000, 0xFFFFD)):
        if not pc.any(pc.match_substring(strings, chr(code)), min_count=0).as_py():
            found.append(chr(code))
            if len(found) == number:
                return found
    raise KernelError("a text holds all private characters of Unicode, which splitting needs")


def like_list(lists: pa.Array, items: pa.Array) -> pa.Array:
    """Lists of the lengths (and nulls) of `lists` over other items, as many as `lists.flatten()` gives."""
    lengths = pc.fill_null(pc.list_value_length(lists), 0)
    offsets = pc.cumulative_sum(pa.concat_arrays([arrow.array([0], pa.int32()), lengths.cast(pa.int32())]))
    mask = lists.is_null() if lists.null_count else None
    return pa.ListArray.from_arrays(offsets, items, type=pa.list_(pa.field("item", items.type)), mask=mask)


def escape(strings: pa.Array, *, arguments: Arguments) -> pa.Array:
    return mapped(strings, quoted, pa.string())
