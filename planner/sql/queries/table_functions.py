"""Functions in FROM that the session knows: readers of files."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.folding import folded
from lazyframe.planner.relations import Plan
from lazyframe.planner.scalars import Call, Literal, Scalar
from lazyframe.planner.sql.expressions.binder import Expressions, function_name
from lazyframe.planner.sql.names.scope import Scope
from lazyframe.planner.sql.statement import Statement


def rows_of_function(statement: Statement, tree: exp.Func, scope: Scope) -> Plan | None:
    """The rows of a function that the session has; None where it has none of that name.

    Arguments are constants; those with a name (`delim = ';'`) are options.
    """
    name = function_name(tree)
    if isinstance(tree, exp.ReadCSV):
        name = "read_csv" if name != "read_csv_auto" else name
    if name not in statement.catalog.table_functions():
        return None
    args: list[Any] = []
    options: dict[str, Any] = {}
    e = Expressions(statement, Scope(), f"{name}()")
    written = [] if tree.this is None or isinstance(tree, exp.Anonymous) else [tree.this]
    for each in [*written, *tree.expressions]:
        if isinstance(each, (exp.EQ, exp.PropertyEQ, exp.Kwarg)):
            options[each.this.name.lower()] = _value(e, each.expression)
        else:
            args.append(_value(e, each))
    return statement.catalog.table_function(name, args, options)


def _value(e: Expressions, tree: exp.Expr) -> Any:
    if isinstance(tree, exp.Column) and len(tree.parts) == 1:
        return tree.name
    if isinstance(tree, (exp.Array, exp.Tuple)):
        return [_value(e, each) for each in tree.expressions]
    if isinstance(tree, exp.Struct):
        return {each.this.name: _value(e, each.expression) for each in tree.expressions}
    return _python(e, tree, folded(e.bind(tree)))


def _python(e: Expressions, tree: exp.Expr, value: Scalar) -> Any:
    if isinstance(value, Literal):
        return value.value.as_py()
    if isinstance(value, Call) and value.function == "make_list":
        return [_python(e, tree, folded(arg)) for arg in value.args]
    raise e.error(tree, InvalidArgumentError, "the arguments of a function that reads files are constants")


__all__ = ["rows_of_function"]
