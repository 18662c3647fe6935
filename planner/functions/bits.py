"""Functions of integers as bits and as digits."""

from __future__ import annotations

from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.functions.definition import Function, Options, Signature, Types, by_name, same
from lazyframe.planner.types import INT8, INT64, STRING, UINT64, is_integer, is_null


def _shift(types: Types, options: Options) -> Signature | None:
    if not all(is_integer(t) or is_null(t) for t in types):
        return None
    wide = UINT64 if types[0] == UINT64 else INT64
    return Signature((wide, INT64), wide)


def _digits(types: Types, options: Options) -> Signature | None:
    base, least = options.get("base", 10), options.get("least", 1)
    if not 2 <= base <= 36:
        raise InvalidArgumentError(f"the base of a number is from 2 to 36, not {base}")
    if not 0 <= least <= 64:
        raise InvalidArgumentError(f"a number is written with up to 64 digits, not {least}")
    (t,) = types
    if not is_integer(t) and not is_null(t):
        return None
    return Signature((UINT64 if t == UINT64 else INT64,), STRING)


FUNCTIONS = by_name(
    Function(name="bit_not", resolver=same(is_integer), arity=(1, 1), summary="Each bit the other way round."),
    Function(name="shift_left", resolver=_shift, arity=(2, 2), total=False, summary="The bits moved up; what leaves the type is an error."),
    Function(name="shift_right", resolver=_shift, arity=(2, 2), total=False, summary="The bits moved down: division by a power of 2, rounded down."),
    Function(name="bit_count", resolver=same(is_integer, INT8), arity=(1, 1), sql=("bit_count",), summary="How many bits are set; negative numbers in two's complement of their type."),
    Function(name="digits", resolver=_digits, arity=(1, 1), total=False, summary="The number written in the base of the option `base`, with at least `least` digits; negative ones in 64 bits where the base is 2 or 16."),
)  # fmt: skip
