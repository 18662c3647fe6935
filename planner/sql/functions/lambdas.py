"""Lambdas: `list_transform(x, i -> i + 1)`, `list_filter`, `list_reduce`, and `[i + 1 for i in x if i > 0]`."""

from __future__ import annotations

from sqlglot import exp

from lazyframe.planner.bind import call
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError, UnsupportedError
from lazyframe.planner.graph import postorder, rewrite
from lazyframe.planner.scalars import Call, Column, Scalar, cast, is_volatile
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.functions.arguments import arguments
from lazyframe.planner.types import BOOL, INT64, DataType, common_type, decimal_type, is_decimal, is_list, type_name

_MOST_ROUNDS = 4


class _Lambda:
    """A lambda's body with its parameters.

    Args:
        names: of the parameters.
        body: what it gives.
    """

    def __init__(self, names: list[str], body: exp.Expression) -> None:
        self.names = names
        self.body = body

    def bound(
        self, e: Expressions, types: list[DataType], *, condition: bool = False
    ) -> tuple[Scalar, tuple[str, ...]]:
        """The body where the parameters have these types, and the names of the columns that stand for them."""
        for part in self.body.walk():
            if isinstance(part, (exp.Query, exp.AggFunc, exp.Window)):
                raise e.error(
                    part, UnsupportedError, "a lambda computes with its items: no queries, aggregates or windows in it"
                )
        outer = e.lambdas
        columns = tuple([f"lambda {len(outer)} {name}" for name in self.names])
        mine = {name: Column(column, t, True) for name, column, t in zip(self.names, columns, types, strict=False)}
        e.lambdas = {**outer, **mine}
        try:
            body = e.predicate(self.body, "the lambda") if condition else e.bind(self.body)
        finally:
            e.lambdas = outer
        if is_volatile(body):
            raise e.error(self.body, UnsupportedError, "nothing is drawn at random in a lambda")
        return body, columns


def _read(e: Expressions, tree: exp.Expression, *counts: int) -> _Lambda:
    if not isinstance(tree, exp.Lambda):
        raise e.error(tree, InvalidArgumentError, "a lambda is written as x -> x + 1")
    names = [part.name for part in tree.expressions]
    if len(names) not in counts:
        wanted = " or ".join(str(count) for count in counts)
        raise e.error(tree, InvalidArgumentError, f"the lambda has {wanted} parameters here, not {len(names)}")
    return _Lambda(names, tree.this)


def _items(e: Expressions, tree: exp.Expression) -> Scalar:
    value = e.bind(tree)
    if not is_list(value.dtype):
        raise e.error(tree, TypeMismatchError, f"a lambda goes over the items of a list, not {type_name(value.dtype)}")
    return value


def _applied(function: str, args: list[Scalar], body: Scalar, columns: tuple[str, ...], **options: object) -> Scalar:
    """What the body takes from around it becomes arguments after the list."""
    captured: dict[Scalar, str] = {}
    for part in postorder(body):
        outside = isinstance(part, Column) and part.name not in columns
        if outside or (isinstance(part, Call) and part.function == "now"):
            captured.setdefault(part, f"captured {len(captured)}")

    def step(part: Scalar) -> Scalar:
        name = captured.get(part)
        return part if name is None else Column(name, part.dtype, part.nullable)

    inner = rewrite(body, step) if captured else body
    names = tuple(captured.values())
    return call(function, *args, *captured, body=inner, parameters=columns, captured=names, **options)


def _pair(tree: exp.Expression) -> tuple[exp.Expression, exp.Expression]:
    if isinstance(tree, exp.Anonymous):
        items, function = arguments(tree, 2)
        return items, function
    return tree.this, tree.expression


def _transform(e: Expressions, tree: exp.Expression) -> Scalar:
    items, function = _pair(tree)
    return _transformed(e, _items(e, items), _read(e, function, 1, 2))


def _transformed(e: Expressions, value: Scalar, function: _Lambda) -> Scalar:
    body, columns = function.bound(e, [value.dtype.value_type, INT64])
    return _applied("list_transform", [value], body, columns)


def _filter(e: Expressions, tree: exp.Expression) -> Scalar:
    items, function = _pair(tree)
    return _filtered(e, _items(e, items), _read(e, function, 1, 2))


def _filtered(e: Expressions, value: Scalar, function: _Lambda) -> Scalar:
    body, columns = function.bound(e, [value.dtype.value_type, INT64], condition=True)
    return _applied("list_filter", [value], cast(body, BOOL), columns)


def _reduce(e: Expressions, tree: exp.Expression) -> Scalar:
    """`list_reduce(x, (a, b) -> a + b)`, perhaps with an initial value behind."""
    items, lambda_tree, *rest = arguments(tree, 2, 3)
    value, function = _items(e, items), _read(e, lambda_tree, 2, 3)
    initial = e.bind(rest[0]) if rest else None
    item = value.dtype.value_type
    kind = item if initial is None else initial.dtype
    body, columns = function.bound(e, [kind, item, INT64])
    # What is reduced so far has the type of what comes out: where that is wider, it is looked at once more.
    for _ in range(_MOST_ROUNDS):
        if body.dtype == kind:
            break
        kind = _wider(e, lambda_tree, kind, body.dtype)
        body, columns = function.bound(e, [kind, item, INT64])
    body = cast(body, kind)
    if initial is not None:
        return _applied("list_reduce", [value, cast(initial, kind)], body, columns, initial=True)
    if kind != item:
        from lazyframe.planner.functions.lists import list_of

        value = cast(value, list_of(kind))
        body, columns = function.bound(e, [kind, kind, INT64])
        body = cast(body, kind)
    return _applied("list_reduce", [value], body, columns, initial=False)


def _wider(e: Expressions, tree: exp.Expression, kind: DataType, result: DataType) -> DataType:
    common = common_type(kind, result)
    if common is None:
        raise e.error(
            tree, TypeMismatchError, f"{type_name(kind)} reduced gives {type_name(result)}, which is another type"
        )
    return decimal_type(38, common.scale) if is_decimal(common) else common


def comprehension(e: Expressions, tree: exp.Comprehension) -> Scalar:
    """`[f(x) for x in list if condition]`."""
    e.only(tree, "this", "expression", "iterator", "condition")
    value = _items(e, tree.args["iterator"])
    names = [tree.expression.name]
    condition = tree.args.get("condition")
    if condition is not None:
        value = _filtered(e, value, _Lambda(names, condition))
    return _transformed(e, value, _Lambda(names, tree.this))


def _parameter(e: Expressions, tree: exp.Identifier) -> Scalar:
    """A parameter of a lambda; what else is written so is a column."""
    found = e.lambdas.get(tree.name)
    return found if found is not None else e.bind(exp.Column(this=tree.copy()))


FORMS: dict[type | str, Handler] = {
    exp.ArrayFilter: _filter,
    exp.Identifier: _parameter,
    exp.Transform: _transform,
    "array_apply": _transform,
    "array_filter": _filter,
    "array_reduce": _reduce,
    "array_transform": _transform,
    "list_apply": _transform,
    "list_filter": _filter,
    "list_reduce": _reduce,
    "list_transform": _transform,
}

__all__ = ["FORMS", "comprehension"]
