"""What is done with values of many columns at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from lazyframe.boundary import public
from lazyframe.checks import wanted_type
from lazyframe.expr import Expr, IntoExpr, to_node
from lazyframe.planner.bind import bind
from lazyframe.planner.build import projection
from lazyframe.planner.errors import (
    TypeMismatchError,
)
from lazyframe.planner.relations import (
    Interpolate,
    Project,
)
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import Scalar, cast
from lazyframe.planner.types import common_type, is_float, is_numeric
from lazyframe.planner.unbound import Apply, Ref, Unbound
from lazyframe.verbs.core import Core

if TYPE_CHECKING:
    from lazyframe.frame import LazyFrame


class Values(Core):
    """The verbs of missing and extreme values."""

    __slots__ = ()

    @public
    def fill_null(self, value: IntoExpr) -> LazyFrame:
        """All nulls replaced by a value, in the columns whose type it fits.

        Args:
            value: a constant or an expression.

        Example:
            >>> lf.from_dict({"x": [1, None], "s": [None, "a"]}).fill_null(0).to_dicts()
            [{'x': 1, 's': None}, {'x': 0, 's': 'a'}]
        """
        return self._fill(value, lambda dtype, other: common_type(dtype, other) == dtype)

    @public
    def fill_nan(self, value: IntoExpr) -> LazyFrame:
        """All NaN of float columns replaced by a value.

        Args:
            value: a constant or an expression.
        """
        new = [Expr(Ref(f.name)).fill_nan(value)._node for f in self.schema if is_float(f.dtype)]
        return self._with(projection.with_columns(self._plan, new)) if new else self._with(self._plan)

    def _fill(self, value: IntoExpr, fits: Callable[[Any, Any], bool]) -> LazyFrame:
        given = to_node(value)
        new: list[Unbound] = []
        for field in self.schema:
            try:
                filled = bind(Apply("coalesce", (Ref(field.name), given)), self.schema)
            except TypeMismatchError:
                continue
            if fits(field.dtype, filled.dtype):
                new.append(Apply("coalesce", (Ref(field.name), given)))
        if not new:
            raise TypeMismatchError("the value to fill in fits no column")
        return self._with(projection.with_columns(self._plan, new))

    @public
    def drop_nulls(self, *subset: IntoExpr | Iterable[IntoExpr]) -> LazyFrame:
        """The rows without nulls.

        Args:
            subset: the columns to look at; all by default.

        Example:
            >>> lf.from_dict({"x": [1, None]}).drop_nulls().to_dicts()
            [{'x': 1}]
        """
        names = self._all_names(subset) if subset else self.columns
        if not names:
            return self._with(self._plan)
        return self._with(projection.filtered(self._plan, [Apply("is_not_null", (Ref(name),)) for name in names]))

    @public
    def interpolate(self) -> LazyFrame:
        """Nulls of number columns between two values on the straight line between them. Such columns become floats."""
        schema = self._plan.schema
        exprs: list[tuple[str, Scalar]] = []
        names = []
        for field in schema:
            value: Scalar = column(schema, field.name)
            if is_numeric(field.dtype):
                value = value if is_float(field.dtype) else cast(value, wanted_type("float64"))
                names.append(field.name)
            exprs.append((field.name, value))
        return self._with(Interpolate(Project(self._plan, tuple(exprs)), tuple(names)))

    @public
    def clip(self, lower: IntoExpr = None, upper: IntoExpr = None) -> LazyFrame:
        """The values of all number columns, kept within bounds.

        Args:
            lower, upper: the bounds, or None for none.
        """
        new = [Expr(Ref(f.name)).clip(lower, upper)._node for f in self.schema if is_numeric(f.dtype)]
        return self._with(projection.with_columns(self._plan, new)) if new else self._with(self._plan)
