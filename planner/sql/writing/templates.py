"""Texts of SQL with places for arguments: how most functions are written.

A template is an expression in DuckDB's dialect, in which the columns `a`, `b`, ... stand for the arguments and `...` for
all of them. It is parsed once, and sqlglot writes it in any dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import sqlglot
from sqlglot import exp

from lazyframe.planner.errors import UnsupportedError

_LETTERS = "abcdefgh"

LARGEST = 500_000
"""How many nodes an expression may grow to. Templates write an argument more than once, and nested ones multiply."""


class Sized:
    """Expressions and how many nodes each has, so that one that grows out of hand is noticed before it is made."""

    def __init__(self) -> None:
        self._sizes: dict[int, tuple[exp.Expression, int]] = {}

    def size(self, expression: exp.Expression) -> int:
        found = self._sizes.get(id(expression))
        return 1 if found is None else found[1]

    def check(self, size: int) -> None:
        if size > LARGEST:
            raise UnsupportedError(
                "the expression is too long to be written as SQL",
                hint="compute parts of it by with_columns() first, and keep them with cache()",
            )

    def remember(self, expression: exp.Expression, size: int) -> exp.Expression:
        # The expression is kept too, so that no other gets its id.
        self._sizes[id(expression)] = (expression, size)
        return expression


def quoted(text: str) -> str:
    """A string as a constant of a template."""
    return "'" + text.replace("'", "''") + "'"


def fill(template: str, args: Sequence[exp.Expression], sizes: Sized) -> exp.Expression:
    """The template with the arguments in their places, in parentheses where they need them."""
    return fill_around(template, args, sizes, lambda node: False, lambda node: node)


def fill_around(
    template: str,
    args: Sequence[exp.Expression],
    sizes: Sized,
    is_chosen: Callable[[exp.Expression], bool],
    wrap: Callable[[exp.Expression], exp.Expression],
) -> exp.Expression:
    """As `fill`, where nodes of the template (never of the arguments) that are chosen are wrapped."""
    if "..." in template:
        template = template.replace("...", ", ".join([f"arg{index}" for index in range(len(args))]))
    names: dict[str, exp.Expression] = {f"arg{index}": arg for index, arg in enumerate(args)}
    names.update(zip(_LETTERS, args, strict=False))
    size, places = _measured(template)
    total = size + sum([sizes.size(names[place]) for place in places])
    sizes.check(total)
    # What is at the top is replaced too, so it has to hang below something.
    root = exp.Paren(this=_parsed(template).copy())
    nodes = list(root.this.walk())
    for place in [node for node in nodes if _is_place(node)]:
        arg = placed(names[place.name])
        place.replace(operand(arg) if _is_tight(place, arg) else arg)
    for node in [node for node in nodes if is_chosen(node)]:
        node.replace(wrap(node.copy()))
    return sizes.remember(root.this.pop(), total)


@lru_cache(maxsize=4096)
def _parsed(template: str) -> exp.Expression:
    selected = sqlglot.parse_one(f"SELECT {template}", read="duckdb")
    assert isinstance(selected, exp.Select)
    (expression,) = selected.expressions
    return expression.copy()


@lru_cache(maxsize=4096)
def _measured(template: str) -> tuple[int, tuple[str, ...]]:
    """How many nodes a template has, and the arguments it writes, each as often as it stands there."""
    nodes = list(_parsed(template).walk())
    return len(nodes), tuple([n.name for n in nodes if _is_place(n)])


def _is_place(node: exp.Expr) -> bool:
    name = node.name
    return isinstance(node, exp.Column) and not node.table and (name in _LETTERS or name.startswith("arg"))


def placed(expression: exp.Expression) -> exp.Expression:
    """The expression, to stand at one more place: a tree has each of its nodes once."""
    return expression if expression.parent is None else expression.copy()


# Those among which an argument could be taken apart.
_TIGHT = (exp.Binary, exp.Unary, exp.In, exp.Between, exp.AtTimeZone, exp.Predicate)

_ASSOCIATIVE = (exp.And, exp.Or, exp.Add, exp.Mul, exp.DPipe)


def _is_tight(place: exp.Expression, arg: exp.Expression) -> bool:
    """Whether an operator stands around the place that could take the argument apart."""
    parent = place.parent
    if isinstance(parent, exp.Connector):
        return isinstance(arg, exp.Connector) and type(parent) is not type(arg)
    if not isinstance(parent, _TIGHT) or isinstance(parent, exp.Func):
        return False
    return not (type(parent) is type(arg) and isinstance(arg, _ASSOCIATIVE) and place.arg_key == "this")


_LOOSE = (exp.Binary, exp.Unary, exp.In, exp.Between, exp.AtTimeZone, exp.Is, exp.Interval, exp.Lambda)


def operand(expression: exp.Expression) -> exp.Expression:
    """The expression as an operand, in parentheses where an operator could take it apart."""
    if isinstance(expression, (exp.Paren, exp.Func, exp.Bracket, exp.Dot)) and not isinstance(
        expression, exp.Connector
    ):
        return expression
    if isinstance(expression, exp.Interval) or (
        isinstance(expression, exp.Neg) and isinstance(expression.this, exp.Literal)
    ):
        return expression
    return exp.Paren(this=expression) if isinstance(expression, _LOOSE) else expression
