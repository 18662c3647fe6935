"""What a frame's columns are: chosen, computed, named and typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from lazyframe.arguments import condition, nodes
from lazyframe.boundary import public
from lazyframe.checks import check_name
from lazyframe.expr import Expr, IntoExpr, column_node, to_node
from lazyframe.planner.build import projection
from lazyframe.planner.errors import (
    InvalidArgumentError,
    TypeMismatchError,
)
from lazyframe.planner.relations import (
    Project,
)
from lazyframe.planner.relations.project import choose, column, renamed
from lazyframe.planner.scalars import Call, Scalar
from lazyframe.planner.types import is_struct, type_name
from lazyframe.planner.unbound import Apply, Ref, Unbound
from lazyframe.verbs.core import Core

if TYPE_CHECKING:
    from lazyframe.frame import LazyFrame


class Columns(Core):
    """The verbs of columns."""

    __slots__ = ()

    @public
    def select(self, *exprs: IntoExpr | Iterable[IntoExpr], **named: IntoExpr) -> LazyFrame:
        """Just these columns.

        Where all of them are aggregates the result has one row; an aggregate beside other columns holds for every row.

        Args:
            exprs: expressions, or names of columns.
            named: expressions under names of their own.

        Raises:
            ColumnNotFoundError, TypeMismatchError, DuplicateColumnError: for what does not fit the frame.

        Example:
            >>> lf.from_dict({"x": [1, 3]}).select("x", share=lf.col("x") / lf.col("x").sum()).to_dicts()
            [{'x': 1, 'share': 0.25}, {'x': 3, 'share': 0.75}]
        """
        return self._with(projection.select(self._plan, nodes(exprs, named)))

    @public
    def with_columns(self, *exprs: IntoExpr | Iterable[IntoExpr], **named: IntoExpr) -> LazyFrame:
        """All columns, with some added or replaced.

        Args:
            exprs: expressions; each replaces the column of its name, or comes after the others.
            named: expressions under names of their own.

        Example:
            >>> lf.from_dict({"x": [1, 2]}).with_columns(y=lf.col("x") * 2).to_dicts()
            [{'x': 1, 'y': 2}, {'x': 2, 'y': 4}]
        """
        return self._with(projection.with_columns(self._plan, nodes(exprs, named)))

    @public
    def filter(self, *predicates: IntoExpr | Iterable[IntoExpr], **equal: Any) -> LazyFrame:
        """The rows for which all conditions are true.

        Args:
            predicates: conditions; a row for which one is false or null is left out.
            equal: values that columns must have.

        Example:
            >>> lf.from_dict({"x": [1, 2], "y": ["a", "b"]}).filter(lf.col("x") > 0, y="b").to_dicts()
            [{'x': 2, 'y': 'b'}]
        """
        schema = self._plan.schema
        written = nodes([condition(p, schema) for p in predicates], {})
        written += [Apply("equal", (Ref(name), to_node(value))) for name, value in equal.items()]
        return self._with(projection.filtered(self._plan, written))

    @public
    def drop(self, *columns: IntoExpr | Iterable[IntoExpr], strict: bool = True) -> LazyFrame:
        """All columns but these.

        Args:
            columns: names or selectors.
            strict: whether a name that is not there is an error.
        """
        schema = self._plan.schema
        dropped: set[str] = set()
        for node in nodes(columns, {}):
            if isinstance(node, Ref) and node.name not in schema and not strict:
                continue
            dropped.update(self._names(node))
        return self._with(choose(self._plan, [name for name in schema.names if name not in dropped]))

    @public
    def rename(self, mapping: Mapping[str, str] | Callable[[str], str], *, strict: bool = True) -> LazyFrame:
        """The same columns, some under other names.

        Args:
            mapping: from old to new names, or a function from one to the other.
            strict: whether an old name that is not there is an error.

        Example:
            >>> lf.from_dict({"a": [1]}).rename({"a": "b"}).columns
            ['b']
        """
        schema = self._plan.schema
        if callable(mapping):
            mapping = {name: mapping(name) for name in schema.names}
        if not isinstance(mapping, Mapping):
            raise InvalidArgumentError(f"rename() takes a mapping or a function, not {type(mapping).__name__}")
        if strict:
            for name in mapping:
                schema.field(name)
        new = {old: check_name("a column", name) for old, name in mapping.items() if old in schema}
        projection.check_distinct(
            [new.get(name, name) for name in schema.names], (), "rename the other column too, or drop it before"
        )
        return self._with(renamed(self._plan, new))

    @public
    def cast(self, dtypes: Mapping[Any, Any] | Any, *, strict: bool = True) -> LazyFrame:
        """Columns as other types.

        Args:
            dtypes: types by column name or selector, or one type for all columns.
            strict: whether a value that does not fit is an error; otherwise it becomes null.

        Example:
            >>> lf.from_dict({"x": ["1"]}).cast({"x": int}).to_dicts()
            [{'x': 1}]
        """
        wanted = dtypes if isinstance(dtypes, Mapping) else dict.fromkeys(self.columns, dtypes)
        new: list[Unbound] = []
        for key, dtype in wanted.items():
            new += [Expr(Ref(name)).cast(dtype, strict=strict)._node for name in self._names(column_node(key))]
        return self._with(projection.with_columns(self._plan, new))

    @public
    def unnest(self, *columns: IntoExpr | Iterable[IntoExpr]) -> LazyFrame:
        """The fields of structs as columns of their own, in the struct's place.

        Args:
            columns: names of struct columns.

        Example:
            >>> lf.from_dict({"s": [{"a": 1, "b": 2}]}).unnest("s").to_dicts()
            [{'a': 1, 'b': 2}]
        """
        schema = self._plan.schema
        chosen = set(self._all_names(columns))
        exprs: list[tuple[str, Scalar]] = []
        for field in schema:
            value = column(schema, field.name)
            if field.name not in chosen:
                exprs.append((field.name, value))
                continue
            if not is_struct(field.dtype):
                raise TypeMismatchError(f"{field.name!r} is {type_name(field.dtype)}, not a struct")
            exprs.extend((f.name, Call("struct_field", (value,), (("name", f.name),))) for f in field.dtype)
        projection.check_distinct(
            [name for name, _ in exprs],
            (),
            "rename or drop the column before, or take single fields with .struct.field(...)",
        )
        return self._with(Project(self._plan, tuple(exprs)))
