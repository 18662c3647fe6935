"""Names in expressions: columns, aliases, fields of structs; and constants."""

from __future__ import annotations

from sqlglot import exp

from lazyframe.planner.bind import call
from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import FALSE, TRUE, Column, Scalar, is_volatile, null_of
from lazyframe.planner.sql.expressions.binder import Expressions, Handler, number
from lazyframe.planner.sql.names.scope import unknown_column
from lazyframe.planner.types import NULL, is_map, is_struct
from lazyframe.planner.unbound import Placeholder


def _column(e: Expressions, tree: exp.Column) -> Scalar:
    """What a name stands for, written where the name is: the scope's column was made where its table was read."""
    found = _found(e, tree)
    return Column(found.name, found.of_type, found.may_be_null) if isinstance(found, Column) else found


def _found(e: Expressions, tree: exp.Column) -> Scalar:
    """A column of a table in FROM; else an alias of the SELECT list; else a field of a column that is a struct."""
    name = tree.this
    if isinstance(name, exp.Star):
        raise UnsupportedError("* cannot stand here")
    parts = [part for key in ("catalog", "db", "table", "this") if (part := tree.args.get(key)) is not None]
    if len(parts) == 1:
        return _unqualified(e, tree, name)
    # The longest prefix that names a table wins; what follows its column are fields.
    first, second, *rest = parts
    found: Scalar | None = None
    if e.scope.has_table(first.name):
        found = e.scope.column_of(first.name, second.name, quoted=bool(second.args.get("quoted")))
    elif len(parts) > 2 and e.scope.has_table(second.name):
        # A schema before the table.
        third, *rest = rest
        found = e.scope.column_of(second.name, third.name, quoted=bool(third.args.get("quoted")))
    if found is None:
        found = e.scope.column(first.name, quoted=bool(first.args.get("quoted")))
        if found is None or not (is_struct(found.dtype) or is_map(found.dtype)):
            raise unknown_column(e.scope, tree)
        rest = parts[1:]
    for part in rest:
        found = field(found, part.name)
    return found


def _unqualified(e: Expressions, tree: exp.Column, name: exp.Expr) -> Scalar:
    text = name.name
    if text in e.lambdas:
        return e.lambdas[text]
    quoted = bool(name.args.get("quoted"))
    found = e.scope.own_column(text, quoted=quoted)
    if found is None:
        found = _alias(e, text)
    if found is None:
        found = e.scope.column(text, quoted=quoted)
    if found is None:
        found = e.statement.whole_row(e.scope, text)
    if found is None:
        raise unknown_column(e.scope, tree)
    return found


def _alias(e: Expressions, name: str) -> Scalar | None:
    folded = name.casefold()
    tree = e.aliases.get(folded)
    if tree is None:
        return None
    with e.defining(name):
        value = e.bind(tree)
    if is_volatile(value):
        # Written out again, it would be drawn again.
        raise UnsupportedError(
            f"the alias {name!r} stands for a value that is drawn at random",
            hint="compute it in a subquery, and use it around that",
        )
    return value


def field(value: Scalar, name: str) -> Scalar:
    """A field of a struct, whose name is matched without case where it is not found exactly; or the value of a key of a map."""
    if is_struct(value.dtype):
        names = [f.name for f in value.dtype]
        if name not in names:
            folded = [known for known in names if known.casefold() == name.casefold()]
            name = folded[0] if len(folded) == 1 else name
    if is_map(value.dtype):
        return call("map_get", value, literal(name))
    return call("struct_field", value, name=name)


def _dot(e: Expressions, tree: exp.Dot) -> Scalar:
    if isinstance(tree.expression, exp.Func):
        raise UnsupportedError("a function called with a dot is not supported", hint="write f(x) for x.f()")
    return field(e.bind(tree.this), tree.expression.name)


def _literal(e: Expressions, tree: exp.Literal) -> Scalar:
    return literal(tree.this if tree.is_string else number(tree.this))


def _parameter(e: Expressions, tree: exp.Expr) -> Scalar:
    value = e.statement.parameter(tree)
    return e.statement.placeholder(value, tree) if isinstance(value, Placeholder) else literal(value)


FORMS: dict[type | str, Handler] = {
    exp.Column: _column,
    exp.Dot: _dot,
    exp.Literal: _literal,
    exp.Boolean: lambda e, tree: TRUE if tree.this else FALSE,
    exp.Null: lambda e, tree: null_of(NULL),
    exp.Paren: lambda e, tree: e.bind(tree.this),
    exp.Placeholder: _parameter,
    exp.Parameter: _parameter,
}

__all__ = ["FORMS", "field"]
