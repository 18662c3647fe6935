"""Which expressions kernels compute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lazyframe.executors.compiled.datum import is_known
from lazyframe.executors.compiled.known_code import Known
from lazyframe.planner.parameters import is_placeholder
from lazyframe.planner.scalars import Call, Case, Cast, Column, Literal, Parameter, Scalar, is_volatile
from lazyframe.planner.types import type_name

if TYPE_CHECKING:
    from lazyframe.executors.compiled.functions import Emitter

_answers = Known(256)

_MOST_NODES = 20_000
"""More are left to the vectorized executor: LLVM takes long over them."""


def why_not_staged(scalar: Scalar) -> str | None:
    """Why kernels cannot compute an expression; None where they can."""
    return why_not_all([scalar])


def why_not_all(scalars: Sequence[Scalar]) -> str | None:
    """Why kernels cannot compute some expressions together; None where they can."""
    # A prepared query asks again in each run.
    key = _MOST_NODES, *[scalar.digest for scalar in scalars]
    return _answers.get(key, lambda: (_why_not(scalars),))[0]


def _why_not(scalars: Sequence[Scalar]) -> str | None:
    from lazyframe.executors.compiled.functions import emitter_of

    if any(map(is_volatile, scalars)):
        return "its value changes from call to call"
    nodes: list[Scalar] = list(scalars)
    seen = set(map(id, nodes))
    for node in nodes:
        if len(nodes) > _MOST_NODES:
            return f"expressions of more than {_MOST_NODES:,} operations"
        if not is_known(node.dtype):
            return f"a value of type {type_name(node.dtype)}"
        children: Sequence[Scalar] = node.children()
        match node:
            case Parameter() if not is_placeholder(node):
                return f"a parameter of type {type_name(node.dtype)}"
            case Column() | Literal() | Parameter() | Case() | Call(function="and" | "or" | "coalesce"):
                pass
            case Call() | Cast():
                emitter = emitter_of(node)
                if emitter is None or not emitter.accepts(node):
                    return _name(node)
                if any(
                    [isinstance(children[place], Parameter) for place in emitter.constants if place < len(children)]
                ):
                    return f"a parameter in {node.function if isinstance(node, Call) else 'a cast'}"
                children = staged_arguments(node, emitter)
            case _:
                return type(node).__name__
        for child in children:
            if id(child) not in seen:
                seen.add(id(child))
                nodes.append(child)
    return None


def staged_arguments(scalar: Call | Cast, emitter: Emitter) -> Sequence[Scalar]:
    """Without what the emitter takes as constants; those of types that no register holds always are."""
    return [
        child
        for place, child in enumerate(scalar.children())
        if place not in emitter.constants and (is_known(child.dtype) or not isinstance(child, Literal))
    ]


def _name(node: Call | Cast) -> str:
    types = ", ".join(type_name(child.dtype) for child in node.children())
    if isinstance(node, Cast):
        return f"a cast of {types} to {type_name(node.to)}"
    return f"{node.function} of {types}"
