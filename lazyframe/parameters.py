"""Parameters of queries: `lf.param` makes a constant whose value may change between two runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from lazyframe.boundary import public
from lazyframe.checks import check_name, wanted_type
from lazyframe.expr import Expr, IntoExpr, call, column_node
from lazyframe.planner.cells import Cell, as_literal
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.literals import literal
from lazyframe.planner.nouns import counted, with_article
from lazyframe.planner.types import DataType, canonical, is_float, is_null, type_name
from lazyframe.planner.unbound import Placeholder


class Param:
    """A parameter, which `lf.param` makes: a single value, which is an expression, or an array of values."""

    __slots__ = ()

    _cell: Cell

    @property
    def label(self) -> str:
        """The name by which its value is given."""
        return self._cell.name

    @property
    def dtype(self) -> DataType | None:
        """The type of the value, or of the elements of the array; None where what it meets decides."""
        return self._cell.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array; () for a single value."""
        return self._cell.shape

    @property
    def value(self) -> Any:
        """The value that it has where none is given; None where one must be given.

        It may be set, to a value of the same type and shape: queries that run afterwards see it.

        Raises:
            InvalidArgumentError: for a value of another type or shape, or where it was made without a value.
        """
        return self._cell.value

    def _set_value(self, value: Any) -> None:
        cell = self._cell
        if cell.value is None:
            raise InvalidArgumentError(
                f"the parameter {cell.name!r} was made without a value, and gets one where a query runs",
                hint=f"write collect({cell.name}=...), or lf.param({cell.name!r}, value)",
            )
        cell.value = cell.checked(value)

    @property
    def grad(self) -> Any:
        """The gradient that `backward()` has left: a number, or an array of the parameter's shape; None where there is none."""
        return self._cell.grad

    @grad.setter
    def grad(self, grad: Any) -> None:
        self._cell.grad = grad


class ScalarParam(Param, Expr):
    """A parameter of one value: an expression like any other."""

    __slots__ = ("_cell",)

    def __init__(self, cell: Cell) -> None:
        Expr.__init__(self, Placeholder(cell, cell.dtype))
        self._cell = cell

    @property
    def value(self) -> Any:
        """See `Param.value`."""
        return self._cell.value

    @value.setter
    @public
    def value(self, value: Any) -> None:
        self._set_value(value)


class ArrayParam(Param):
    """A parameter that is an array: its elements are expressions, and its rows smaller arrays.

    Example:
        >>> w = lf.param("w", np.array([1.0, 10.0]))
        >>> lf.from_dict({"x": [1, 2], "y": [3, 4]}).select(z=w.dot(["x", "y"])).to_dicts()
        [{'z': 31.0}, {'z': 42.0}]
    """

    __slots__ = ("_cell", "_index")
    __array_ufunc__ = None

    def __init__(self, cell: Cell, index: tuple[int, ...] = ()) -> None:
        self._cell = cell
        self._index = index

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self._cell.shape[len(self._index) :]

    @property
    def value(self) -> Any:
        """See `Param.value`."""
        return self._cell.value[self._index]

    @value.setter
    @public
    def value(self, value: Any) -> None:
        if not self._index:
            self._set_value(value)
            return
        changed = self._cell.value.copy()
        try:
            changed[self._index] = value
        except (TypeError, ValueError) as error:
            raise InvalidArgumentError(f"{self!r} cannot be set: {error}") from None
        self._set_value(changed)

    def __repr__(self) -> str:
        return f"param({self._cell.name!r}){list(self._index) if self._index else ''}, an array of shape {self.shape}"

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self._at((number,)) for number in range(len(self)))

    @public
    def __getitem__(self, key: Any) -> Any:
        """An element as an expression, a row as a smaller array, a slice as a list of either."""
        if isinstance(key, slice):
            return [self._at((number,)) for number in range(*key.indices(len(self)))]
        return self._at(key if isinstance(key, tuple) else (key,))

    def _at(self, key: tuple[Any, ...]) -> Any:
        shape = self.shape
        if len(key) > len(shape):
            raise InvalidArgumentError(f"{self!r} has no item {list(key)}: {counted(len(key), 'number')} for it")
        index = []
        for each, size in zip(key, shape, strict=False):
            if isinstance(each, bool) or not isinstance(each, (int, np.integer)):
                hint = (
                    "for values that are found by a column make a table of them, and join it: lf.param_table(...)"
                    if isinstance(each, Expr)
                    else None
                )
                raise InvalidArgumentError(
                    f"an array is indexed by whole numbers, not by {with_article(type(each).__name__)}", hint=hint
                )
            if not -size <= each < size:
                raise InvalidArgumentError(f"{self!r} has no item {list(key)}")
            index.append(int(each) % size)
        whole = (*self._index, *index)
        if len(whole) == len(self._cell.shape):
            return Expr(Placeholder(self._cell, self._cell.dtype, whole))
        return ArrayParam(self._cell, whole)

    @public
    def dot(self, values: Iterable[IntoExpr]) -> Any:
        """The sum of products of elements and values: one expression; for a matrix a list of them, one for each of its rows.

        Args:
            values: expressions, names of columns or constants, as many as the array has in its last dimension.

        Raises:
            InvalidArgumentError: where there are more or fewer.

        Example:
            >>> w = lf.param("w", np.array([[1.0, 10.0], [0.0, 2.0]]))
            >>> frame = lf.from_dict({"x": [1, 2], "y": [3, 4]})
            >>> a, b = w.dot([lf.col("x"), lf.col("y")])
            >>> frame.select(a=a, b=b).to_dicts()
            [{'a': 31.0, 'b': 6.0}, {'a': 42.0, 'b': 8.0}]
        """
        if isinstance(values, (str, bytes, Expr)) or not isinstance(values, Iterable):
            raise InvalidArgumentError(
                f"dot() takes a list of expressions, not {with_article(type(values).__name__)}",
                hint="write w.dot([lf.col('a'), lf.col('b')])",
            )
        factors = [Expr(column_node(value)) for value in values]
        if len(factors) != self.shape[-1]:
            raise InvalidArgumentError(
                f"dot() takes as many values as the array has in its last dimension, {self.shape[-1]}, not {len(factors)}"
            )
        return self._dot(factors)

    def _dot(self, factors: Sequence[Expr]) -> Any:
        if len(self.shape) > 1:
            return [row._dot(factors) for row in self]
        return _total([call("multiply", weight, factor) for weight, factor in zip(self, factors, strict=True)])

    def __matmul__(self, values: Iterable[IntoExpr]) -> Any:
        return self.dot(values)

    @public
    def _refused(self, *_: object) -> NoReturn:
        raise InvalidArgumentError(
            f"{self!r} is no expression",
            hint="use its elements, w[0] or w[0, 1], or a sum of products: w.dot([lf.col('a'), lf.col('b')])",
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refused
    __pow__ = __rpow__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = __rmatmul__ = _refused


def _total(terms: list[Expr]) -> Expr:
    """The sum of terms, which stays shallow."""
    while len(terms) > 1:
        paired = [call("add", terms[i], terms[i + 1]) for i in range(0, len(terms) - 1, 2)]
        terms = [*paired, terms[-1]] if len(terms) % 2 else paired
    return terms[0]


@public
def param(name: str, value: Any = None, dtype: Any = None) -> Any:
    """A parameter: a constant of which a query runs with one value now and with another later, without being planned again.

    Args:
        name: by which its value is given: `collect(name=...)`.
        value: the one that it has where none is given. An array of numpy, or a list of numbers, makes a parameter whose elements
            are used one by one (`w[0]`, `w[0, 1]`) or in a sum of products (`w.dot([...])`).
        dtype: its type; by default that of the value, or without one the type that what it meets asks for.

    Returns:
        An expression; for an array a `Param` of which the elements are expressions.

    Raises:
        InvalidArgumentError: for a value that is none of the type.

    Example:
        >>> least = lf.param("least", 2)
        >>> query = lf.from_dict({"x": [1, 2, 3]}).filter(lf.col("x") >= least)
        >>> query.to_dicts(), query.collect(least=3).to_dicts()
        ([{'x': 2}, {'x': 3}], [{'x': 3}])
    """
    check_name("a parameter", name)
    wanted = None if dtype is None else wanted_type(dtype)
    if isinstance(value, (Param, Expr)):
        raise InvalidArgumentError("the value of a parameter is a constant, not an expression")
    if isinstance(value, (np.ndarray, list, tuple)) and not (wanted is not None and pa.types.is_nested(wanted)):
        array = _array(name, value, wanted)
        if array.ndim:
            cell = Cell(name, canonical(pa.from_numpy_dtype(array.dtype)), array.shape, array)
            return ArrayParam(cell)
        value = array[()]
    if value is None:
        return ScalarParam(Cell(name, wanted))
    if isinstance(value, np.generic) and wanted is None and value.dtype.kind in "biuf":
        wanted = canonical(pa.from_numpy_dtype(value.dtype))
    found = literal(value) if wanted is None else as_literal(name, value, wanted)
    if is_null(found.dtype):
        raise InvalidArgumentError(f"the parameter {name!r} is never null", hint="leave the value out to give it later")
    return ScalarParam(Cell(name, found.dtype, (), found.value.as_py()))


def _array(name: str, value: Any, wanted: DataType | None) -> np.ndarray:
    """An array of numbers of the user's, as one of our own."""
    try:
        found = np.asarray(value)
    except ValueError:
        found = np.asarray(value, dtype=object)
    if found.dtype.kind not in "biuf" or 0 in found.shape or found.dtype == np.float16:
        what = "no element" if 0 in found.shape else f"elements of {found.dtype}"
        raise InvalidArgumentError(
            f"the parameter {name!r} is an array with {what}",
            hint="give an array of numbers, or for a list of other values the type: dtype='list<string>'",
        )
    if wanted is None:
        return np.array(found)
    target = np.dtype(wanted.to_pandas_dtype())
    if target.kind not in "biuf" or (found.dtype.kind == "f" and not is_float(wanted)):
        raise InvalidArgumentError(f"the elements of {name!r} are {found.dtype}, which is not {type_name(wanted)}")
    return np.array(found, dtype=target)
