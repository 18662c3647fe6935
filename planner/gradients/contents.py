"""Lists and structs that hold what moves with a parameter: what is put into one and taken out again goes through it."""

from __future__ import annotations

from collections.abc import Sequence

from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.gradients.terms import is_real
from lazyframe.planner.graph import postorder, rewrite
from lazyframe.planner.scalars import Call, Cast, Literal, Scalar, cast, null_of
from lazyframe.planner.types import is_list, is_nested

_TAKES = frozenset({"list_get", "list_extract", "list_first", "list_last", "struct_field"})


def opened(scalar: Scalar) -> Scalar:
    """The expression in which an item of a list that is made there, or a field of such a struct, is what was put in."""
    if not any([isinstance(part, Call) and part.function in _TAKES for part in postorder(scalar)]):
        return scalar
    return rewrite(scalar, _taken)


def _taken(current: Scalar) -> Scalar:
    if not isinstance(current, Call) or current.function not in _TAKES:
        return current
    held = current.args[0]
    while isinstance(held, Cast) and is_list(held.arg.dtype):
        held = held.arg
    if not isinstance(held, Call) or held.function not in ("make_list", "make_struct"):
        return current
    if held.function == "make_struct":
        names = dict(held.options)["names"]
        return held.args[names.index(dict(current.options)["name"])]
    place = _place(current)
    if place is None:
        return current
    found = held.args[place] if -len(held.args) <= place < len(held.args) else null_of(current.dtype)
    return cast(found, current.dtype)


def _place(current: Call) -> int | None:
    """Which item is taken, from 0 or, from the end, from -1."""
    if current.function in ("list_first", "list_last"):
        return 0 if current.function == "list_first" else -1
    index = current.args[1]
    while isinstance(index, Cast):
        index = index.arg
    if not isinstance(index, Literal) or index.value.as_py() is None:
        return None
    place = int(index.value.as_py())
    if current.function == "list_get" or place < 0:
        return place
    # Positions of SQL start at 1; at 0 there is nothing, and it stays as it is.
    return place - 1 if place > 0 else None


def check_contents(current: Call, moves: Sequence[bool]) -> None:
    """Raise UnsupportedError where what moves is inside a list or a struct that a function without a derivative reads.

    Nothing else says that what it gives moves, so that its part would be missing without a word.
    """
    if not is_real(current.dtype) and not is_nested(current.dtype):
        return
    if any([moving and is_nested(arg.dtype) for arg, moving in zip(current.args, moves, strict=True)]):
        raise UnsupportedError(
            f"the gradient cannot pass here: {current.function}() of a list or struct of what moves has no derivative",
            hint="compute with the items themselves: lf.col('x') + lf.col('y') for the sum of a list of them",
            site=current.site,
        )
