"""Row groups that hold none of the values that are asked for, as their Bloom filters tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from lazyframe.executors.sources.bloom_filter import ReadAt, hashes_of
from lazyframe.executors.sources.files import DataFile, open_file
from lazyframe.executors.sources.parquet_metadata import Footer
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.errors import SourceError
from lazyframe.planner.scalars import Call, Column, Literal, Scalar, conjuncts
from lazyframe.planner.types import DATE, STRING, is_integer

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_VALUES = 64
"""For more values than these so many blocks would be read that one of them matches by chance."""


class AskedValues:
    """The values of which a predicate wants one, by column: parts such as `x == 5` and `x in (5, 7)`."""

    def __init__(self, predicate: Scalar) -> None:
        self._asked = [found for part in conjuncts(predicate) if (found := _asked(part)) is not None]

    def groups_that_may_match(self, footer: Footer, groups: list[int]) -> list[int]:
        """The row groups without those that lack all values that one of the parts asks for.

        Only of local files: far away it takes as long to ask for 32 bytes as for a row group.
        """
        asked = [(name, values) for name, values in self._asked if footer.has_filters(name)]
        if not asked or footer.file.filesystem is not None:
            return groups
        try:
            return _kept(footer, groups, asked, footer.file)
        except (OSError, SourceError):
            # Whoever reads the rows will say what is wrong with the file.
            return groups


def _kept(footer: Footer, groups: list[int], asked: Iterable[tuple[str, pa.Array]], file: DataFile) -> list[int]:
    with open_file(file) as opened:

        def read(position: int, size: int) -> bytes:
            opened.seek(position)
            found: bytes = opened.read(size)
            return found

        return [group for group in groups if all([_may_hold(footer, group, *each, read) for each in asked])]


def _may_hold(footer: Footer, group: int, name: str, values: pa.Array, read: ReadAt) -> bool:
    found = footer.bloom_filter(group, name, read)
    hashes = None if found is None else hashes_of(values, footer.physical_type(group, name))
    return found is None or hashes is None or found.may_hold(hashes, read)


def _asked(part: Scalar) -> tuple[str, pa.Array] | None:
    match part:
        case Call(function="equal", args=(Column(name=name), Literal(value=value))) if value.is_valid:
            values = arrow.array([value.as_py()], value.type)
        case Call(function="is_in", args=(Column(name=name),)):
            values = pc.drop_null(dict(part.options)["values"])
        case _:
            return None
    kind, dtype = values.type, part.args[0].dtype
    known = kind == dtype if kind in (STRING, DATE) else is_integer(kind) and is_integer(dtype)
    return (name, values) if known and 0 < len(values) <= _MOST_VALUES else None
