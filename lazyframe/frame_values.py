"""Where Python wants a value of a frame: `if`, `len()`, iterating, operators, numpy.

A lazy frame has no rows before the query runs, and says what to write instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from lazyframe.boundary import public
from lazyframe.planner.errors import LazyValueError
from lazyframe.planner.relations import Plan


class FrameValues:
    """A frame where Python wants a value."""

    __slots__ = ()
    # Before pandas takes a column of its own apart.
    __pandas_priority__ = 10_000

    _plan: Plan

    def _no_value(self, what: str, hint: str) -> NoReturn:
        raise LazyValueError(f"a lazy frame has no {what} before the query runs", hint=hint)

    def __contains__(self, name: object) -> bool:
        """Whether a column has that name."""
        return isinstance(name, str) and name in self._plan.schema

    @public
    def __bool__(self) -> bool:  # noqa: PLE0304
        self._no_value("truth value", "write frame.count() > 0 to ask whether there are rows, frame.item() for a value")

    @public
    def __len__(self) -> int:  # noqa: PLE0303
        self._no_value("length", "write frame.count(), which runs the query")

    @public
    def __iter__(self) -> Any:
        self._no_value("rows", "write frame.collect(), or frame.collect_batches() for batch after batch")

    @public
    def __getitem__(self, key: Any) -> Any:
        raise LazyValueError(
            f"a lazy frame has no values before the query runs: frame[{key!r}]",
            hint="write frame.select(...) for columns, frame.slice(...) for rows, lf.col(...) in expressions, or collect() first",
        )

    @public
    def __setitem__(self, key: Any, value: Any) -> None:
        name = key if isinstance(key, str) and key.isidentifier() else "name"
        raise LazyValueError(
            f"a frame never changes: frame[{key!r}] = ...",
            hint=f"write frame = frame.with_columns({name}=...), which makes another",
        )

    @public
    def __delitem__(self, key: Any) -> None:
        raise LazyValueError(
            f"a frame never changes: del frame[{key!r}]", hint=f"write frame = frame.drop({key!r}), which makes another"
        )

    if not TYPE_CHECKING:  # to a checker a frame has no other attributes

        def __getattr__(self, name: str) -> Any:
            message = f"a frame has no attribute {name!r}"
            if not name.startswith("_") and name in self._plan.schema:
                message += f"; for the column write lf.col({name!r})"
            raise AttributeError(message, name=name, obj=self)

    @public
    def __float__(self) -> float:
        self._no_value("number", "write frame.item() for the value of one row and one column")

    @public
    def __int__(self) -> int:
        self._no_value("number", "write frame.item() for the value of one row and one column")

    @public
    def __index__(self) -> int:  # noqa: PLE0305
        self._no_value(
            "number", "write frame.item() for the value of one row and one column, frame.count() for that of rows"
        )

    @public
    def __hash__(self) -> int:
        raise LazyValueError(
            "a frame is unhashable, as its rows are not known", hint="keep frames in a list, or in a dict by names"
        )

    @public
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self._no_value("array of values", "write frame.to_numpy(), which runs the query")

    @public
    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> NoReturn:
        self._refuse_numpy(function.__name__)

    @public
    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> NoReturn:
        self._refuse_numpy(function.__name__)

    def _refuse_numpy(self, name: str) -> NoReturn:
        raise LazyValueError(
            f"np.{name}() takes arrays, and a frame is none",
            hint="write an expression, frame.select(lf.col('x').mean()), or frame.to_numpy() for an array",
        )

    # Frames are compared and computed with by verbs.

    @public
    def __eq__(self, other: object) -> NoReturn:
        self._refuse_comparison()

    @public
    def __ne__(self, other: object) -> NoReturn:
        self._refuse_comparison()

    def _refuse_comparison(self) -> NoReturn:
        raise LazyValueError(
            "frames are not compared with == or !=",
            hint="write a.collect().equals(b) to ask whether they hold the same rows, a.except_(b) for those that differ",
        )

    @public
    def _refuse_order(self, other: object) -> NoReturn:
        raise LazyValueError(
            "frames have no order",
            hint="compare columns, frame.filter(lf.col('x') > 3), or the value of one row and one column: frame.item() > 3",
        )

    @public
    def _refuse_arithmetic(self, *_: object) -> NoReturn:
        raise LazyValueError(
            "a frame is not computed with as a whole",
            hint="write frame.with_columns(lf.all() + 1) for all columns, frame.select(lf.col('x') + 1) for one, "
            "frame.item() + 1 for the value of one row and one column, lf.concat([a, b]) or a.join(b) for two frames",
        )

    @public
    def _refuse_sets(self, other: object) -> NoReturn:
        raise LazyValueError(
            "frames are not combined with &, | or ^",
            hint="write a.intersect(b), a.union(b) or a.except_(b); conditions are combined within filter(...)",
        )

    __lt__ = __le__ = __gt__ = __ge__ = _refuse_order
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse_arithmetic
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = (
        _refuse_arithmetic
    )
    __neg__ = __pos__ = __abs__ = __round__ = _refuse_arithmetic
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _refuse_sets
