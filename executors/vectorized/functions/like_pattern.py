"""Patterns of LIKE."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from lazyframe.executors.vectorized.functions.regex import quoted
from lazyframe.executors.vectorized.kernel import KernelError
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.functions.patterns import ANY, like_parts


class LikePattern(NamedTuple):
    """A pattern as texts, ANY (a run of any characters) and ONE (any character)."""

    parts: tuple[object, ...]

    def match(self, strings: pa.Array, *, ignore_case: bool) -> pa.Array:
        """For each string, whether the whole of it matches."""
        if not ignore_case:
            match self.parts:
                case ():
                    return pc.equal(strings, "")
                case (str(text),):
                    return pc.equal(strings, text)
                case (str(text), last) if last is ANY:
                    return pc.starts_with(strings, text)
                case (first, str(text)) if first is ANY:
                    return pc.ends_with(strings, text)
                case (first, str(text), last) if first is ANY and last is ANY:
                    return pc.match_substring(strings, text)
                case _:
                    pass
        return pc.match_substring_regex(strings, self.regex(ignore_case=ignore_case))

    def regex(self, *, ignore_case: bool) -> str:
        """The regular expression that is found in just those strings that match as a whole."""
        parts = list(self.parts)
        begin, end = r"\A", r"\z"
        if parts and parts[0] is ANY:
            begin = ""
            parts.pop(0)
        if parts and parts[-1] is ANY:
            end = ""
            parts.pop()
        pieces = [quoted(part) if isinstance(part, str) else ".*" if part is ANY else "." for part in parts]
        return ("(?is)" if ignore_case else "(?s)") + begin + "".join(pieces) + end


def parse_like(pattern: str, escape: str = "") -> LikePattern:
    """Read a pattern.

    Raises:
        KernelError: if `escape` is longer than a character, or ends the pattern.
    """
    if len(escape) > 1:
        raise KernelError(f"the escape of LIKE is one character, not {escape!r}")
    parts = like_parts(pattern, escape)
    if parts is None:
        raise KernelError(f"the pattern {pattern!r} of LIKE ends with its escape {escape!r}")
    return LikePattern(parts)
