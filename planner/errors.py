"""The errors a user can meet. Each says what was found, what was expected, what to try, and where."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from lazyframe.planner.site import AnySite, DescribedSite, ambient


class LazyFrameError(Exception):
    """Base of all errors of ours.

    Args:
        message: what is wrong, in one sentence.
        hint: what to try, in one sentence.
        site: where the user wrote it; by default the place of the verb that is being built.
    """

    def __init__(self, message: str, *, hint: str | None = None, site: AnySite | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.site = site if site is not None else ambient.site

    def __str__(self) -> str:
        parts = [self.message]
        if self.hint:
            parts.append(self.hint)
        if self.site is not None:
            parts.append(self.site.describe())
        return "\n".join(parts)

    def __reduce__(self) -> tuple[object, ...]:
        # Code objects cannot be pickled: what travels to another process is the text.
        return (_rebuild, (type(self), self.message, self.hint, self.site.describe() if self.site else None))


def _rebuild(kind: type[LazyFrameError], message: str, hint: str | None, described: str | None) -> LazyFrameError:
    error = kind.__new__(kind)
    Exception.__init__(error, message)
    error.message, error.hint = message, hint
    error.site = DescribedSite(described) if described else None
    return error


class ColumnNotFoundError(LazyFrameError, KeyError):
    """A name that no column has."""

    __str__ = LazyFrameError.__str__


class DuplicateColumnError(LazyFrameError, ValueError):
    """Two columns of one frame would have the same name."""


class AmbiguousColumnError(LazyFrameError, ValueError):
    """A name that more than one column has."""


class TypeMismatchError(LazyFrameError, TypeError):
    """An operation that is not defined for these types."""


class InvalidArgumentError(LazyFrameError, ValueError):
    """An argument of a verb or function that makes no sense."""


class LazyValueError(LazyFrameError, TypeError):
    """A lazy expression or frame used as if it were a Python value."""


class EvaluationError(LazyFrameError, ArithmeticError):
    """A value for which an expression has no answer: overflow, division by zero, a failed cast."""


class UserFunctionError(LazyFrameError):
    """A Python function that the user gave raised, or returned what it had not declared."""


class SourceError(LazyFrameError, OSError):
    """A file or other source that cannot be read as what it is said to be."""

    __str__ = LazyFrameError.__str__


class SourceNotFoundError(SourceError, FileNotFoundError):
    """A path that does not exist, or a pattern that matches nothing."""

    __str__ = LazyFrameError.__str__


class SinkError(LazyFrameError, OSError):
    """A result that could not be written. Nothing half-written is left."""

    __str__ = LazyFrameError.__str__


class QueryCancelledError(LazyFrameError):
    """The query was stopped, by `cancel()` or by a limit."""


class UnsupportedError(LazyFrameError):
    """Something that is understood but not supported."""


class SqlSyntaxError(LazyFrameError, ValueError):
    """A SQL text that is no statement."""


class TableNotFoundError(LazyFrameError, LookupError):
    """A name in SQL that no table, frame or file has."""


class FunctionNotFoundError(LazyFrameError, LookupError):
    """A name in SQL that no function has."""


def nearest(name: str, candidates: Iterable[str], count: int = 3) -> list[str]:
    """The candidates most like `name`: those of the same letters in other case, else by similarity, best first."""
    pool = list(dict.fromkeys(candidates))
    folded = [c for c in pool if c.casefold() == name.casefold()]
    if folded:
        return folded[:count]
    by_fold: dict[str, str] = {c.casefold(): c for c in reversed(pool)}
    close = [by_fold[c] for c in difflib.get_close_matches(name.casefold(), list(by_fold), n=count, cutoff=0.5)]
    containing = [c for c in pool if len(name) > 2 and name.casefold() in c.casefold()]
    return list(dict.fromkeys([*close, *containing]))[:count]


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """A hint that offers the nearest names, or lists what there is when nothing is near."""
    pool = list(candidates)
    close = nearest(name, pool)
    if close:
        return "did you mean " + " or ".join(repr(c) for c in close) + "?"
    if not pool:
        return None
    shown = ", ".join(repr(c) for c in pool[:12])
    return f"there are: {shown}" + (f" and {len(pool) - 12} more" if len(pool) > 12 else "")


def column_not_found(name: str, candidates: Iterable[str], site: AnySite | None = None) -> ColumnNotFoundError:
    return ColumnNotFoundError(f"no column named {name!r}", hint=did_you_mean(name, candidates), site=site)
