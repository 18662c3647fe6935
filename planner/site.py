"""Where the user wrote a node, captured cheaply and read only when an error is shown."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import NamedTuple, Protocol

_PACKAGE = __name__.partition(".")[0]
_PREFIX = _PACKAGE + "."


class Site(NamedTuple):
    """A place in the user's Python code: a code object and the offset of an instruction in it.

    The offset is translated to a line and columns (`co_positions`, `linecache`) only when asked for.
    """

    code: CodeType
    offset: int

    @property
    def file(self) -> str:
        return self.code.co_filename

    @property
    def function(self) -> str:
        return self.code.co_name

    def position(self) -> tuple[int, int | None, int | None, int | None]:
        """First line, first column, last line and last column, counted from 1 and 0 as Python does."""
        for index, (line, end_line, column, end_column) in enumerate(self.code.co_positions()):
            if index == self.offset // 2:
                return line or self.code.co_firstlineno, column, end_line, end_column
        return self.code.co_firstlineno, None, None, None

    @property
    def line(self) -> int:
        return self.position()[0]

    def describe(self) -> str:
        """The line as Python's tracebacks show it, with the expression underlined."""
        import linecache

        line, column, end_line, end_column = self.position()
        text = f'  File "{self.file}", line {line}'
        if self.function != "<module>":
            text += f", in {self.function}"
        source = linecache.getline(self.file, line).rstrip("\n")
        if not source.strip():
            return text
        stripped = source.lstrip()
        text += f"\n    {stripped}"
        if column is not None and end_column is not None:
            # Columns count UTF-8 bytes; what is shown counts characters.
            raw = source.encode()
            start = len(raw[:column].decode(errors="replace"))
            end = len(raw[:end_column].decode(errors="replace")) if end_line == line else len(source)
            indent = len(source) - len(stripped)
            text += "\n    " + " " * max(start - indent, 0) + "^" * max(end - max(start, indent), 1)
        return text


@dataclass(frozen=True, slots=True)
class TextSite:
    """A place in a text that the user gave: a file and line of data, or a line and column of SQL."""

    label: str
    line: int
    column: int | None = None
    source: str | None = None
    length: int = 1

    def describe(self) -> str:
        text = f"  {self.label} line {self.line}"
        if self.column is not None:
            text += f", column {self.column}"
        if self.source is not None:
            text += f"\n    {self.source}"
            if self.column is not None:
                text += "\n    " + " " * (self.column - 1) + "^" * max(self.length, 1)
        return text


@dataclass(frozen=True, slots=True)
class DescribedSite:
    """A place of which the description is left: code cannot travel to another process, text can."""

    text: str

    def describe(self) -> str:
        return self.text


class Place(Protocol):
    """Any other place that can be described."""

    def describe(self) -> str:
        """The place as lines of text, indented by two spaces."""
        ...


AnySite = Site | TextSite | DescribedSite | Place


class _Ambient(threading.local):
    site: AnySite | None = None


def spoken(function: str) -> str:
    """What the user wrote for a function of ours, as errors say it: in SQL what stands at the ambient site."""
    written = getattr(ambient.site, "called", None)
    return f"{function}()" if written is None else written(function)


ambient = _Ambient()
"""The site that nodes take when they are made: a verb sets it for what it builds, the rule driver for what a rule makes."""


def capture() -> Site | None:
    """The innermost frame outside this package, or None where there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name != _PACKAGE and not name.startswith(_PREFIX):
            return Site(frame.f_code, frame.f_lasti)
        frame = frame.f_back
    return None
