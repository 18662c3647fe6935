"""Lines of the user's code, as answers name them."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterable
from pathlib import PurePath
from typing import NamedTuple

from lazyframe.planner.site import AnySite, Site, TextSite

_FROM = re.compile(r"\bfrom\b", re.IGNORECASE)


class Line(NamedTuple):
    """A piece of the user's code: the file (or `SQL`), the number of its line, and what is written there."""

    file: str
    number: int
    code: str

    def __str__(self) -> str:
        place = f"{PurePath(self.file).name}:{self.number}" if self.number else self.file
        return f"{place} {self.code}".rstrip()


def lines_of(sites: Iterable[AnySite]) -> list[Line]:
    """The lines of some places, each piece of code once; of pieces that lie in one another the longest.

    A whole query in SQL says less than a piece of it: it is left out where there is one.
    """
    found = list(dict.fromkeys([_line(site) for site in sites]))
    parts = [
        line for line in found if not (_FROM.search(line.code) and any(_is_within(other, line) for other in found))
    ]
    return [line for line in parts if not any(_is_within(line, other) for other in parts)]


def _is_within(line: Line, other: Line) -> bool:
    return line != other and line[:2] == other[:2] and line.code in other.code


def _line(site: AnySite) -> Line:
    located = getattr(site, "located", None)
    if located is not None:
        site = located()
    if isinstance(site, Site):
        first, start, last, end = site.position()
        source = linecache.getline(site.file, first).rstrip("\n").encode()
        whole = start is None or end is None or last != first
        return Line(site.file, first, (source if whole else source[start:end]).decode(errors="replace").strip())
    if isinstance(site, TextSite):
        source_text = site.source or ""
        start = (site.column or 1) - 1
        return Line(site.label, site.line, source_text[start : start + site.length] or source_text)
    return Line(site.describe().strip(), 0, "")


__all__ = ["Line", "lines_of"]
