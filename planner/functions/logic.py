"""Three-valued logic, and nulls."""

from __future__ import annotations

from lazyframe.planner.functions.definition import (
    Function,
    Options,
    Signature,
    Types,
    all_common,
    anything,
    by_name,
    fixed,
)
from lazyframe.planner.types import BOOL, INT64


def _itself(types: Types, options: Options) -> Signature | None:
    return Signature(types, types[0])


def _only_value(types: Types, options: Options) -> Signature | None:
    value, _ = types
    return Signature((value, INT64), value)


FUNCTIONS = by_name(
    Function(name="and", resolver=fixed((BOOL, BOOL), BOOL), arity=(2, 2), symbol="&", summary="False if one is, else null if one is."),
    Function(name="or", resolver=fixed((BOOL, BOOL), BOOL), arity=(2, 2), symbol="|", summary="True if one is, else null if one is."),
    Function(name="xor", resolver=fixed((BOOL, BOOL), BOOL), arity=(2, 2), symbol="^", summary="Whether just one is true."),
    Function(name="not", resolver=fixed((BOOL,), BOOL), arity=(1, 1), summary="The other truth value; null stays null."),
    Function(name="is_null", resolver=anything(BOOL), arity=(1, 1), nulls="never", summary="Whether the value is null."),
    Function(name="is_not_null", resolver=anything(BOOL), arity=(1, 1), nulls="never", summary="Whether there is a value."),
    Function(
        name="coalesce", resolver=all_common(), arity=(1, None), nulls="all", literals="others", sql=("coalesce", "ifnull"),
        summary="The first argument that is not null.",
    ),
    Function(
        name="detach", resolver=_itself, arity=(1, 1),
        summary="The value itself, through which no gradient goes.",
    ),
    Function(
        name="only_value", resolver=_only_value, arity=(2, 2), nulls="maybe", total=False,
        summary="The first argument, the value of a query that has as many rows as the second says; an error where it has several.",
    ),
)  # fmt: skip
