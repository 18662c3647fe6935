"""The types of parameters that get their values when the query runs."""

from __future__ import annotations

from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.parameters import Parameters
from lazyframe.planner.relations import Plan
from lazyframe.planner.sql.expressions.types import sql_name
from lazyframe.planner.sql.reading.positions import SqlSite
from lazyframe.planner.sql.statement import Statement
from lazyframe.planner.types import DataType, common_type, is_null
from lazyframe.planner.unbound import Placeholder


def types_asked_for(statement: Statement, plan: Plan) -> dict[Placeholder, DataType]:
    """The type of each parameter that has none of its own: the one that all places have in common where it stands.

    Args:
        statement: after it was bound, with parameters of type null.
        plan: what it was bound to, in which they have taken the types that they met.

    Raises:
        InvalidArgumentError: where nothing asks for a type.
        TypeMismatchError: where two places ask for types that have nothing in common.
    """
    known = Parameters([plan]).by_name
    found: dict[Placeholder, DataType] = {}
    for place, tree in statement.untyped.items():
        name = place.cell.name
        shown = f"parameter {name}" if name.isdecimal() else f"parameter {name!r}"
        asked = [each.dtype for each in known.get(name, []) if not is_null(each.dtype)]
        if not asked:
            raise InvalidArgumentError(
                f"nothing says of what type the {shown} is",
                hint=f"write CAST({statement.written(tree)} AS DOUBLE), or as another type",
                site=SqlSite(statement.text, tree),
            )
        dtype = asked[0]
        for other in asked[1:]:
            common = common_type(dtype, other)
            if common is None:
                raise TypeMismatchError(
                    f"the {shown} is {sql_name(dtype)} in one place and {sql_name(other)} in another",
                    hint="use two parameters, or cast it where it stands",
                    site=SqlSite(statement.text, tree),
                )
            dtype = common
        found[place] = dtype
    return found
