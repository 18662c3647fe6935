"""Functions of structs."""

from __future__ import annotations

import pyarrow as pa

from lazyframe.planner.errors import InvalidArgumentError, did_you_mean
from lazyframe.planner.functions.definition import Function, Options, Signature, Types, by_name
from lazyframe.planner.types import is_struct


def _field(types: Types, options: Options) -> Signature | None:
    (t,) = types
    if not is_struct(t):
        return None
    names = [f.name for f in t]
    name = options["name"]
    if name not in names:
        raise InvalidArgumentError(f"the struct has no field named {name!r}", hint=did_you_mean(name, names))
    return Signature(types, t.field(names.index(name)).type)


def _make(types: Types, options: Options) -> Signature | None:
    names = options["names"]
    if len(names) != len(types):
        raise InvalidArgumentError(f"a struct of {len(names)} names cannot have {len(types)} values")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidArgumentError(f"a struct cannot have two fields named {twice!r}")
    return Signature(types, pa.struct([pa.field(name, t) for name, t in zip(names, types, strict=True)]))


FUNCTIONS = by_name(
    Function(name="struct_field", resolver=_field, arity=(1, 1), nulls="maybe", sql=("struct_extract",), summary="The field whose name is the option `name`; null where the struct is."),
    Function(name="make_struct", resolver=_make, arity=(0, None), nulls="never", sql=("struct_pack",), summary="A struct of the arguments, whose names are the option `names`."),
)  # fmt: skip
