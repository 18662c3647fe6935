"""Functions of the user's, written in Python."""

from __future__ import annotations

from lazyframe.planner.functions.definition import Function, Options, Signature, Types, by_name


def _declared(types: Types, options: Options) -> Signature | None:
    return Signature(types, options["dtype"])


FUNCTIONS = by_name(
    Function(name="python_function", resolver=_declared, arity=(0, None), nulls="maybe", total=False, summary="The value that the option `python` gives for each row, as the option `dtype`."),
)  # fmt: skip
