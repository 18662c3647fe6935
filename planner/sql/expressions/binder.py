"""Binding expressions of SQL: the tree that sqlglot read becomes a typed scalar."""

from __future__ import annotations

import decimal
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from sqlglot import exp

from lazyframe.planner.bind import applied
from lazyframe.planner.errors import (
    FunctionNotFoundError,
    InvalidArgumentError,
    LazyFrameError,
    TypeMismatchError,
    UnsupportedError,
    did_you_mean,
)
from lazyframe.planner.literals import literal, read_as
from lazyframe.planner.scalars import Literal, Parameter, Scalar, cast, null_of
from lazyframe.planner.site import ambient
from lazyframe.planner.sql.reading.positions import SqlSite
from lazyframe.planner.types import BOOL, STRING, is_integer, is_null, type_name
from lazyframe.planner.unbound import Constant, Placeholder

if TYPE_CHECKING:
    from lazyframe.planner.sql.names.scope import Scope
    from lazyframe.planner.sql.statement import Statement

T = TypeVar("T")

_CHOOSING = frozenset({"coalesce", "greatest", "least"})
"""Functions that give one of their arguments, among which SQL reads a text as what the others are."""

Handler = Callable[["Expressions", Any], Scalar]
"""Binds one sort of expression."""


class Expressions:
    """The binder of the expressions of one clause.

    Args:
        statement: what the whole statement knows: its text, parameters, names that are taken.
        scope: what names mean.
        clause: where the expressions stand, for errors: `WHERE`, `SELECT`.
        aggregates: whether aggregates may stand here.
        windows: whether window functions may.
        aliases: expressions of the SELECT list, which names that no column has may mean.
    """

    __slots__ = ("_defining", "aggregates", "aliases", "clause", "guarded", "lambdas", "scope", "statement", "windows")

    def __init__(
        self,
        statement: Statement,
        scope: Scope,
        clause: str,
        *,
        aggregates: bool = False,
        windows: Mapping[str, exp.Window] | None = None,
        aliases: Mapping[str, exp.Expr] | None = None,
    ) -> None:
        self.statement = statement
        self.scope = scope
        self.clause = clause
        self.aggregates = aggregates
        self.windows = windows
        self.aliases = aliases or {}
        self.lambdas: dict[str, Scalar] = {}
        self.guarded = False
        """Whether what is bound stands in a branch that may not be taken."""
        self._defining: set[str] = set()

    def bind(self, tree: exp.Expr) -> Scalar:
        """The expression over the columns of the scope.

        Raises:
            LazyFrameError: with the place of the part that is wrong.
        """
        if not isinstance(tree, exp.Expr):
            raise InvalidArgumentError("an argument is missing")
        outer = ambient.site
        ambient.site = SqlSite(self.statement.text, tree)
        try:
            return self._form(tree)(self, tree)
        finally:
            ambient.site = outer

    @contextmanager
    def in_branch(self, guarded: bool = True) -> Iterator[None]:
        """While what a CASE may never evaluate is bound."""
        before = self.guarded
        self.guarded = before or guarded
        try:
            yield
        finally:
            self.guarded = before

    @contextmanager
    def defining(self, alias: str) -> Iterator[None]:
        """While the definition of an alias is bound, in which the alias itself means nothing.

        Raises:
            InvalidArgumentError: where it is being bound already.
        """
        folded = alias.casefold()
        if folded in self._defining:
            raise InvalidArgumentError(f"the alias {alias!r} is used in its own definition")
        self._defining.add(folded)
        try:
            yield
        finally:
            self._defining.discard(folded)

    def _form(self, tree: exp.Expr) -> Handler:
        forms = _forms()
        if isinstance(tree, exp.Anonymous):
            name = tree.name.lower()
            form = forms.get(name)
            if form is not None:
                return form
            if name in _plain_functions():
                return _plain
            raise FunctionNotFoundError(f"no function named {tree.name!r}", hint=did_you_mean(name, function_names()))
        form = forms.get(type(tree))
        if form is not None:
            return form
        if isinstance(tree, exp.Func):
            for name in tree.sql_names():
                if name.lower() in _plain_functions():
                    return _plain
            raise FunctionNotFoundError(
                f"the function {tree.sql_name()} is not supported",
                hint=did_you_mean(tree.sql_name().lower(), function_names()),
            )
        raise UnsupportedError(f"{_described(tree)} is not supported here")

    def apply(self, function: str, *args: exp.Expr | Scalar, **options: Any) -> Scalar:
        """A function of ours; constants among the arguments take the types of the others, as the function wants it."""
        written = [self.written_constant(arg) if isinstance(arg, exp.Expr) else None for arg in args]
        bound = [
            arg if isinstance(arg, Scalar) else literal(found.value) if found is not None else self.bind(arg)
            for arg, found in zip(args, written, strict=True)
        ]
        texts = [found is not None and isinstance(found.value, str) for found in written]
        if any(texts) and not all(texts) and all([found is not None for found in written]):
            # A text beside a number is read as one, as it is beside a column.
            written = [found if text else None for found, text in zip(written, texts, strict=True)]
        return applied(function, written, bound, options, read_text=function in _CHOOSING)

    def predicate(self, tree: exp.Expr, role: str | None = None) -> Scalar:
        """A condition.

        Raises:
            TypeMismatchError: where it is not boolean.
        """
        bound = self.bind(tree)
        if is_null(bound.dtype):
            return cast(bound, BOOL) if isinstance(bound, Parameter) else null_of(BOOL)
        if is_integer(bound.dtype):
            # As in C, and in DuckDB: a number is true where it is not 0.
            return cast(bound, BOOL)
        if isinstance(bound, Literal) and bound.dtype == STRING:
            return read_as(bound.value.as_py(), BOOL)
        if bound.dtype != BOOL:
            raise self.error(
                tree,
                TypeMismatchError,
                f"{role or self.clause} wants a condition, which is true or false, not {type_name(bound.dtype)}",
                "compare it with something, such as <> 0",
            )
        return bound

    def constant(self, tree: exp.Expr, what: str, kind: type[T] | tuple[type[T], ...]) -> T:
        """The value of an argument that must be a constant.

        Raises:
            InvalidArgumentError: where it is none, or of another type.
        """
        found = self.written_constant(tree)
        value = found.value if found is not None else self.statement.evaluated(self, tree, what)
        if isinstance(value, bool) and kind is int:
            value = None
        if kind is float and isinstance(value, (int, decimal.Decimal)):
            value = float(value)
        if not isinstance(value, kind):
            wanted = " or ".join([k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,))])
            raise self.error(tree, InvalidArgumentError, f"{what} must be a constant of type {wanted}, not {value!r}")
        return value

    def is_constant(self, tree: exp.Expr) -> bool:
        """Whether it is written as a plain constant, whose type is what it meets."""
        return self.written_constant(tree) is not None

    def written_constant(self, tree: exp.Expr) -> Constant | None:
        """A number, text or parameter as a constant without a type, which takes that of what it meets; None of all else."""
        if isinstance(tree, exp.Literal):
            return Constant(tree.this if tree.is_string else number(tree.this))
        if isinstance(tree, exp.Neg):
            inner = self.written_constant(tree.this)
            if inner is not None and isinstance(inner.value, (int, float, decimal.Decimal)):
                return Constant(-inner.value)
            return None
        if isinstance(tree, exp.Paren):
            return self.written_constant(tree.this)
        if isinstance(tree, (exp.Placeholder, exp.Parameter)):
            value = self.statement.parameter(tree)
            return None if isinstance(value, Placeholder) else Constant(value)
        return None

    def error(
        self, tree: exp.Expr, kind: type[LazyFrameError], message: str, hint: str | None = None
    ) -> LazyFrameError:
        """An error at the place of a part of the statement."""
        return kind(message, hint=hint, site=SqlSite(self.statement.text, tree))

    def only(self, tree: exp.Expr, *known: str) -> None:
        """Refuse what else is written in a part of the tree than the arguments known: nothing is ever ignored.

        Raises:
            UnsupportedError: at the part that is not known.
        """
        self.statement.only(tree, *known)


def number(text: str) -> int | float | decimal.Decimal:
    """A number as SQL reads it: with a point exact, with an exponent a float.

    Raises:
        InvalidArgumentError: where it is a whole number of more than 38 digits.
    """
    text = text.replace("_", "")
    if "e" in text.lower():
        return float(text)
    if "." not in text:
        digits = len(text.lstrip("0"))
        if digits > 38:
            raise InvalidArgumentError(
                f"the number {text if digits < 60 else text[:20] + '...'} has {digits} digits, and exact ones have up to 38",
                hint="write e0 behind it for the float next to it",
            )
        return int(text)
    exact = decimal.Decimal(text)
    _, written, exponent = exact.as_tuple()
    return exact if max(len(written), -int(exponent)) <= 38 else float(text)


def function_name(tree: exp.Func) -> str:
    """The name of a function in lower case: as it is written where sqlglot does not know it, else the one sqlglot prefers."""
    if isinstance(tree, exp.ExplodingGenerateSeries):
        return "generate_series"
    if isinstance(tree, exp.GenerateSeries) and tree.args.get("is_end_exclusive"):
        return "range"
    return (tree.name if isinstance(tree, exp.Anonymous) else tree.sql_name()).lower()


def _plain(e: Expressions, tree: exp.Func) -> Scalar:
    """A function that SQL calls as we do, argument by argument."""
    if isinstance(tree, exp.Anonymous):
        name = tree.name.lower()
        args: list[exp.Expr] = tree.expressions
    else:
        name = next(name.lower() for name in tree.sql_names() if name.lower() in _plain_functions())
        args = arguments_of(tree)
    return e.apply(_plain_functions()[name], *args)


def arguments_of(tree: exp.Func) -> list[exp.Expr]:
    """The arguments of a function in the order in which its class declares them.

    Raises:
        UnsupportedError: where one is no expression: a flag of some dialect's, which is not to be ignored.
    """
    found: list[exp.Expr] = []
    for key in tree.arg_types:
        value = tree.args.get(key)
        if value is None or value is False:
            continue
        values: Iterable[Any] = value if isinstance(value, list) else (value,)
        for each in values:
            if not isinstance(each, exp.Expr):
                raise UnsupportedError(f"{tree.sql_name()} with {key} is not supported")
            found.append(each)
    return found


def _described(tree: exp.Expr) -> str:
    if isinstance(tree, exp.Star):
        return "*"
    words = "".join([f" {c.lower()}" if c.isupper() else c for c in type(tree).__name__]).strip()
    return f"the SQL expression {words!r}"


@cache
def _forms() -> dict[type | str, Handler]:
    """Every form of expression: by its class in sqlglot, or by its name where sqlglot knows no class."""
    from lazyframe.planner.sql.expressions.forms import FORMS

    return FORMS


@cache
def _plain_functions() -> dict[str, str]:
    """Names of SQL that call a function of ours with the same arguments."""
    from lazyframe.planner.functions.table import FUNCTIONS

    return {name: function.name for function in FUNCTIONS.values() for name in function.sql}


@cache
def function_names() -> list[str]:
    """All functions that SQL can call, for those who mistype one."""
    found = {name for name in _forms() if isinstance(name, str) and name.isidentifier()} | set(_plain_functions())
    for form in _forms():
        if isinstance(form, type) and issubclass(form, exp.Func):
            found.update(name.lower() for name in form.sql_names())
    return sorted(found)


__all__ = ["Expressions", "Handler", "arguments_of", "function_name", "function_names", "number"]
