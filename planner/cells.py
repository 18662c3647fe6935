"""Where the value of a parameter is: what a `Parameter` of an expression refers to."""

from __future__ import annotations

import uuid
from typing import Any

import numpy as np

from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.literals import literal, read_as
from lazyframe.planner.nouns import with_article
from lazyframe.planner.scalars import Literal
from lazyframe.planner.site import AnySite, ambient
from lazyframe.planner.types import BOOL, STRING, DataType, type_name


class Cell:
    """The place of a parameter's value, and what the parameter is known by.

    Two cells are one parameter where they share their identity: a cell that has a value is itself alone, those that wait for
    one share theirs with all of the same name.

    Attributes:
        name: by which values are given.
        shape: of an array; () for a single value.
        dtype: of the value, or of the elements of the array; None where each use decides.
        value: the value of its own; None: it gets one whenever the query runs. For an array, an array of numpy.
        grad: the gradient that a backward walk has left.
        site: where the user made it.
    """

    __slots__ = ("__weakref__", "_identity", "dtype", "grad", "name", "shape", "site", "value")

    def __init__(
        self,
        name: str,
        dtype: DataType | None = None,
        shape: tuple[int, ...] = (),
        value: Any = None,
        *,
        identity: bytes | None = None,
    ) -> None:
        self.name = name
        self.dtype = dtype
        self.shape = shape
        self.value = value
        self.grad: Any = None
        self.site: AnySite | None = ambient.site
        self._identity = identity or (b"" if value is None else uuid.uuid4().bytes)

    def identity(self) -> tuple[object, ...]:
        return ("parameter", self.name, self._identity, self.shape)

    def label(self, index: tuple[int, ...] = ()) -> str:
        """What messages call it, or an element or row of it: `w`, `w[0, 1]`."""
        return f"{self.name}{list(index) if index else ''}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _cell, (self.name, self.dtype, self.shape, self.value, self._identity)

    def checked(self, given: Any, dtype: DataType | None = None) -> Any:
        """A value as the cell would hold it.

        Args:
            given: by the user.
            dtype: its type; that of the cell by default.

        Raises:
            InvalidArgumentError: where it is none of the parameter's type and shape.
        """
        dtype = dtype if self.dtype is None else self.dtype
        if self.shape:
            return self._checked_array(given)
        if given is None:
            raise InvalidArgumentError(
                f"the parameter {self.name!r} is never null",
                hint="write is_null() or lf.lit(None) into the query where null is meant",
            )
        return as_literal(self.name, given, dtype).value.as_py()

    def _checked_array(self, given: Any) -> np.ndarray:
        assert self.dtype is not None
        try:
            found = np.asarray(given)
        except ValueError:
            found = np.asarray(given, dtype=object)
        if found.shape != self.shape:
            raise InvalidArgumentError(
                f"the parameter {self.name!r} is an array of shape {self.shape}, not {_shape_of(given, found)}"
            )
        wanted = self.dtype.to_pandas_dtype()
        exact = found.dtype.kind in "biuf" and (found.dtype.kind != "f" or np.dtype(wanted).kind == "f")
        if not exact:
            raise InvalidArgumentError(
                f"the parameter {self.name!r} is an array of {type_name(self.dtype)}, not of {found.dtype}"
            )
        return np.array(found, dtype=wanted)


def _cell(name: str, dtype: DataType | None, shape: tuple[int, ...], value: Any, identity: bytes) -> Cell:
    return Cell(name, dtype, shape, value, identity=identity)


def _shape_of(given: Any, found: np.ndarray) -> str:
    return f"one of shape {found.shape}" if found.ndim else with_article(type(given).__name__)


def as_literal(name: str, given: Any, dtype: DataType | None) -> Literal:
    """A value of a parameter as a literal; text is read as dates and times are written.

    Raises:
        InvalidArgumentError: where it is no value of the type.
    """
    if type(given) is str and dtype is not None and dtype != STRING:
        try:
            return literal(read_as(given, dtype).value, dtype)
        except TypeMismatchError:
            pass
    elif type(given) is not bool or dtype is None or dtype == BOOL:
        try:
            return literal(given, dtype)
        except InvalidArgumentError:
            if dtype is None:
                raise
    raise InvalidArgumentError(
        f"the parameter {name!r} is {with_article(type_name(dtype))}, and {given!r} is none",
        hint=f"give a value of that type, or make it lf.param({name!r}, dtype=...) of another",
    )
