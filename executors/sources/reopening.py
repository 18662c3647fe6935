"""Sources of files that travel to another process, where they are opened again."""

from __future__ import annotations

from typing import Any, Self

from lazyframe.planner.errors import SourceError
from lazyframe.planner.schema import Schema


class Reopened:
    """A source that is pickled as the arguments it was made with."""

    name: str
    schema: Schema
    _arguments: tuple[tuple[Any, ...], dict[str, Any]]

    def __new__(cls, *args: Any, **options: Any) -> Self:
        made = super().__new__(cls)
        made._arguments = (args, options)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (type(self), *self._arguments, self.schema)


def _reopened(kind: type[Reopened], args: tuple[Any, ...], options: dict[str, Any], schema: Schema) -> Reopened:
    """The source opened again.

    Raises:
        SourceError: where its columns are not those that the query was written for.
    """
    source = kind(*args, **options)
    if source.schema != schema:
        raise SourceError(
            f"{source.name} has other columns or types now than when the query was written",
            hint="write the query again",
        )
    return source
