"""Operators between values. Long chains of them are bound without recursion."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from lazyframe.planner.bind import call, choice
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Call, Scalar, cast, null_of
from lazyframe.planner.site import ambient
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.expressions.temporal import is_moment_or_span, minus, plus, times
from lazyframe.planner.sql.reading.positions import SqlSite
from lazyframe.planner.types import BINARY, STRING, is_integer, is_list, is_null, is_numeric, type_name

Operand = exp.Expr | Scalar
Operator = Callable[[Expressions, exp.Binary, Operand, Operand], Scalar]


def _plain(function: str) -> Operator:
    return lambda e, tree, left, right: e.apply(function, left, right)


def _temporal(function: str, rule: Callable[[Scalar, Scalar], Scalar | None]) -> Operator:
    """An operator with a rule of SQL's own for dates and intervals."""

    def bind(e: Expressions, tree: exp.Binary, left: Operand, right: Operand) -> Scalar:
        # Constants stay as they are written: they take the type of what they meet.
        sides = [part if isinstance(part, Scalar) or e.is_constant(part) else e.bind(part) for part in (left, right)]
        if any(isinstance(side, Scalar) and is_moment_or_span(side) for side in sides):
            a, b = (side if isinstance(side, Scalar) else e.bind(side) for side in sides)
            found = rule(a, b)
            if found is not None:
                return found
        return e.apply(function, *sides)

    return bind


_sum = _temporal("add", plus)


def _add(e: Expressions, tree: exp.Binary, left: Operand, right: Operand) -> Scalar:
    found = _sum(e, tree, left, right)
    if found.dtype == STRING:
        raise TypeMismatchError("'+' is not defined between texts", hint="join texts with ||")
    return found


def _concat(e: Expressions, tree: exp.Binary, left: Operand, right: Operand) -> Scalar:
    """`||`: of lists, of bytes, and of anything else as text. Null where one is."""
    a, b = (part if isinstance(part, Scalar) else e.bind(part) for part in (left, right))
    if is_list(a.dtype) or is_list(b.dtype):
        return call("list_concat", a, b)
    if a.dtype == BINARY and b.dtype == BINARY:
        return call("concat_strings", a, b)
    return call("concat_strings", cast(a, STRING), cast(b, STRING))


def _integer_divide(e: Expressions, tree: exp.Binary, left: Operand, right: Operand) -> Scalar:
    """`//` rounds toward zero, as integers do in SQL; other numbers are divided as by `/`."""
    a, b = (part if isinstance(part, Scalar) else e.bind(part) for part in (left, right))
    whole = (is_integer(a.dtype) or is_null(a.dtype)) and (is_integer(b.dtype) or is_null(b.dtype))
    return e.apply("truncated_divide" if whole else "divide", left, right)


def _divide(e: Expressions, tree: exp.Binary, left: Operand, right: Operand) -> Scalar:
    """`/`; in dialects that say so, of integers the quotient rounded toward zero, and by zero null."""
    typed, safe = tree.args.get("typed"), tree.args.get("safe")
    if not typed and not safe:
        return e.apply("divide", left, right)
    a, b = (part if isinstance(part, Scalar) else e.bind(part) for part in (left, right))
    divided = e.apply("truncated_divide" if typed and is_integer(a.dtype) and is_integer(b.dtype) else "divide", a, b)
    if not safe:
        return divided
    zero = e.apply("equal", b, literal(0))
    return choice([zero], [None, None], [null_of(divided.dtype), divided])


_BINARY: dict[type[exp.Expr], Operator] = {
    exp.Add: _add,
    exp.Sub: _temporal("subtract", minus),
    exp.Mul: _temporal("multiply", times),
    exp.Div: _divide,
    exp.IntDiv: _integer_divide,
    exp.Mod: _plain("truncated_modulo"),
    exp.DPipe: _concat,
    exp.BitwiseAnd: _plain("bit_and"),
    exp.BitwiseOr: _plain("bit_or"),
    exp.BitwiseXor: _plain("bit_xor"),
}


def _chain(e: Expressions, tree: exp.Binary) -> Scalar:
    """`a + b - c ...`, which is read as `(a + b) - c`, from the left end on."""
    parts: list[exp.Binary] = []
    current: exp.Expr = tree
    while type(current) in _BINARY:
        assert isinstance(current, exp.Binary)
        parts.append(current)
        current = current.this
    outer = ambient.site
    value: Operand = current
    inverted = 0
    while isinstance(value, exp.BitwiseNot) and type(parts[-1]) in _ARITHMETIC:
        # `~a + b` is `~(a + b)`: the operator binds less than those of arithmetic, which sqlglot does not know.
        value, inverted = value.this, inverted + 1
    for part in reversed(parts):
        ambient.site = SqlSite(e.statement.text, part)
        if inverted and type(part) not in _ARITHMETIC:
            value, inverted = _inverted(value, inverted), 0
        value = _BINARY[type(part)](e, part, value, part.expression)
    ambient.site = outer
    assert isinstance(value, Scalar)
    return _inverted(value, inverted)


_ARITHMETIC = frozenset({exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod})


def _inverted(value: Operand, times: int) -> Scalar:
    assert isinstance(value, Scalar)
    for _ in range(times):
        value = call("bit_not", value)
    return value


def _logic(e: Expressions, tree: exp.Connector) -> Scalar:
    """A chain of ANDs or of ORs, balanced so that it stays shallow."""
    kind, function = type(tree), tree.key
    parts: list[exp.Expr] = []
    stack: list[exp.Expr] = [tree]
    while stack:
        current = stack.pop()
        if type(current) is kind:
            assert isinstance(current, exp.Binary)
            stack += [current.expression, current.this]
        else:
            parts.append(current)
    if kind is exp.Or:
        parts = _gathered(parts)
    level = [e.predicate(part, tree.key.upper()) for part in parts]
    while len(level) > 1:
        paired: list[Scalar] = [Call(function, (level[i], level[i + 1])) for i in range(0, len(level) - 1, 2)]
        level = [*paired, level[-1]] if len(level) % 2 else paired
    return level[0]


_WORTH_GATHERING = 8
"""Fewer comparisons are as quick as they are."""


def _gathered(parts: list[exp.Expr]) -> list[exp.Expr]:
    """`x = 1 OR x = 2 OR ...` with the comparisons of a column with constants as one IN, where there are many."""
    if len(parts) < _WORTH_GATHERING:
        return parts
    by_column: dict[tuple[str, ...], list[exp.EQ]] = {}
    for part in parts:
        if isinstance(part, exp.EQ) and isinstance(part.this, exp.Column) and isinstance(part.expression, exp.Literal):
            by_column.setdefault(tuple([name.name for name in part.this.parts]), []).append(part)
    members: dict[int, exp.In] = {}
    dropped: set[int] = set()
    for same in by_column.values():
        if len(same) >= _WORTH_GATHERING:
            members[id(same[0])] = exp.In(this=same[0].this, expressions=[part.expression for part in same])
            dropped.update([id(part) for part in same[1:]])
    return [members.get(id(part), part) for part in parts if id(part) not in dropped]


def _not(e: Expressions, tree: exp.Not) -> Scalar:
    return call("not", e.predicate(tree.this, "NOT"))


def _negate(e: Expressions, tree: exp.Neg) -> Scalar:
    constant = e.is_constant(tree)
    return e.apply("negate", tree.this) if not constant else _negative_constant(e, tree)


def _negative_constant(e: Expressions, tree: exp.Neg) -> Scalar:
    return literal(e.constant(tree, "a number", object))


def _collate(e: Expressions, tree: exp.Collate) -> Scalar:
    raise InvalidArgumentError("COLLATE is not supported: text is compared by code point")


def _power(e: Expressions, tree: exp.Pow) -> Scalar:
    """`^`, `**` and pow(): in floats, as SQL has it."""
    from lazyframe.planner.types import FLOAT64

    args = [e.bind(part) for part in (tree.this, tree.expression)]
    for arg in args:
        if not is_numeric(arg.dtype) and not is_null(arg.dtype):
            raise TypeMismatchError(f"a power is of numbers, not of {type_name(arg.dtype)}")
    return call("power", *[cast(arg, FLOAT64) for arg in args])


FORMS: dict[type | str, Handler] = {
    **dict.fromkeys(_BINARY, _chain),
    exp.And: _logic,
    exp.Or: _logic,
    exp.Xor: lambda e, tree: e.apply("xor", e.predicate(tree.this), e.predicate(tree.expression)),
    exp.Not: _not,
    exp.Neg: _negate,
    exp.Pow: _power,
    exp.Collate: _collate,
}

__all__ = ["FORMS"]
