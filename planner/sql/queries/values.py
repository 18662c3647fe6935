"""VALUES: rows written in the statement."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from sqlglot import exp

from lazyframe.planner.bind import read_as, unified
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.folding import folded
from lazyframe.planner.graph import repeated
from lazyframe.planner.relations import Plan, Project, Union
from lazyframe.planner.relations.project import column
from lazyframe.planner.relations.values import ONE_ROW, values
from lazyframe.planner.scalars import Literal, Scalar
from lazyframe.planner.sql.expressions.binder import Expressions
from lazyframe.planner.sql.names.scope import Scope
from lazyframe.planner.sql.outer import has_subquery
from lazyframe.planner.sql.queries.query import Bound
from lazyframe.planner.sql.queries.with_clause import Cte
from lazyframe.planner.sql.statement import Statement
from lazyframe.planner.sql.unnesting import placed
from lazyframe.planner.types import STRING, DataType, is_null, type_name


def bound_values(statement: Statement, tree: exp.Values, parent: Scope | None, ctes: Mapping[str, Cte]) -> Bound:
    """Rows of expressions; columns take the common type of their values, and are called col0, col1, ..."""
    scope = Scope(parent, ctes)
    e = Expressions(statement, scope, "VALUES")
    trees = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in tree.expressions]
    width = len(trees[0])
    if not width:
        raise e.error(tree, InvalidArgumentError, "a row of VALUES wants values")
    for row in trees:
        if len(row) != width:
            raise InvalidArgumentError(
                f"a row of VALUES has {len(row)} values, the first has {width}",
                site=e.error(row[0] if row else tree, InvalidArgumentError, "").site,
            )
    rows = [[e.bind(each) for each in row] for row in trees]
    columns = [_column(e, [row[i] for row in trees], [row[i] for row in rows]) for i in range(width)]
    names = [statement.fresh(f"col{i}") for i in range(width)]
    plan = _constant(names, columns) or _computed(statement, names, list(zip(*columns, strict=True)))
    found = [column(plan.schema, name) for name in names]
    return Bound(plan, tuple([(f"col{i}", value) for i, value in enumerate(found)]), scope.outers)


def _column(e: Expressions, trees: list[exp.Expr], items: list[Scalar]) -> list[Scalar]:
    """The values of a column with one type: texts among other values are read as those are written."""
    texts = [isinstance(tree, exp.Literal) and tree.is_string for tree in trees]
    others = [item.dtype for item, text in zip(items, texts, strict=True) if not text and not is_null(item.dtype)]
    if any(texts) and others and not any([dtype == STRING for dtype in others]):
        items = [
            _read(e, tree, item, others[0]) if text and isinstance(item, Literal) else item
            for tree, item, text in zip(trees, items, texts, strict=True)
        ]
    return unified(items, "values of a column")


def _read(e: Expressions, tree: exp.Expr, text: Literal, dtype: DataType) -> Scalar:
    try:
        return read_as(text.value.as_py(), dtype)
    except TypeMismatchError:
        written = text.value.as_py()
        raise e.error(
            tree, TypeMismatchError, f"{written!r} is no {type_name(dtype)}, as other values of the column are"
        ) from None


def _constant(names: list[str], columns: list[list[Scalar]]) -> Plan | None:
    """Rows of constants as arrays; None where an expression has to be computed."""
    arrays: list[tuple[str, pa.Array]] = []
    for name, items in zip(names, columns, strict=True):
        constants = [folded(item) for item in items]
        if not all([isinstance(each, Literal) for each in constants]):
            return None
        dtype = constants[0].dtype
        parts = [repeated(each.value) for each in constants if isinstance(each, Literal)]
        arrays.append((name, pa.concat_arrays([part if part.type == dtype else part.cast(dtype) for part in parts])))
    return values(arrays, len(columns[0]) if columns else 1)


def _computed(statement: Statement, names: list[str], rows: list[tuple[Scalar, ...]]) -> Plan:
    parts: list[Plan] = []
    for row in rows:
        source: Plan = ONE_ROW
        scalars = list(row)
        if any([has_subquery(scalar) for scalar in scalars]):
            source, scalars = placed(source, scalars, statement.fresh)
        parts.append(Project(source, tuple(zip(names, scalars, strict=True))))
    return parts[0] if len(parts) == 1 else Union(tuple(parts))


__all__ = ["bound_values"]
