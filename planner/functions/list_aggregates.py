"""Aggregate functions over the items of a list."""

from __future__ import annotations

from lazyframe.planner.functions.definition import Function, Options, Signature, Types, by_name, lookup_aggregate
from lazyframe.planner.functions.lists import list_of
from lazyframe.planner.types import NULL, is_list, is_null


def _aggregate(types: Types, options: Options) -> Signature | None:
    (t,) = types
    item = NULL if is_null(t) else t.value_type if is_list(t) else None
    if item is None:
        return None
    found = lookup_aggregate(options["aggregate"]).resolve((item,), dict(options.get("with", ())))
    return Signature((list_of(found.arguments[0]),), found.result)


FUNCTIONS = by_name(
    Function(name="list_aggregate", resolver=_aggregate, arity=(1, 1), nulls="maybe", total=False, summary="The value of the aggregate function of the option `aggregate`, with the options `with`, over the items."),
)  # fmt: skip
