"""Whether expressions are part of the graph that gradients walk back through."""

from __future__ import annotations

from contextvars import ContextVar, Token
from types import TracebackType

from lazyframe.planner.graph import replace
from lazyframe.planner.unbound import Aggregated, Apply, Choose, Constant, Convert, Unbound, Windowed

recording: ContextVar[bool] = ContextVar("lazyframe.recording", default=True)
"""Of this thread or task."""


def detached(node: Unbound) -> Unbound:
    """What is computed, as a constant to gradients. An aggregate stays one, of values that are constant."""
    match node:
        case Apply(function="detach"):
            return node
        case Apply() | Choose() | Convert():
            return Apply("detach", (node,))
        case Aggregated(args=args) | Windowed(args=args):
            return replace(node, args=tuple([_constant(arg) for arg in args]))
    return node


def _constant(arg: Unbound) -> Unbound:
    if isinstance(arg, Constant) or (isinstance(arg, Apply) and arg.function == "detach"):
        return arg
    return Apply("detach", (arg,))


class no_grad:  # noqa: N801 - written as a verb, as in PyTorch
    """A `with` block in which what is computed from parameters counts as a constant: no gradient goes through it.

    It is about the expressions that are written within, by the thread or task that it stands in.

    Example:
        >>> w = lf.param("w", 3.0)
        >>> with lf.no_grad():
        ...     scale = w * 10
        >>> lf.value_and_grad(w * scale, [w])
        (90.0, [30.0])
    """

    def __init__(self) -> None:
        self._tokens: list[Token[bool]] = []

    def __enter__(self) -> None:
        self._tokens.append(recording.set(False))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        recording.reset(self._tokens.pop())
