"""Why there is no gradient, at the line that is the reason."""

from __future__ import annotations

from collections.abc import Sequence

from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.gradients.expressions import Stop
from lazyframe.planner.site import AnySite


def unreached(name: str, what: str, stops: Sequence[Stop], site: AnySite | None = None) -> InvalidArgumentError:
    """The error for what the value does not move with.

    Args:
        name: of the parameter or column, as the user knows it.
        what: the value: "the loss", "the expression".
        stops: where paths back to it ended.
        site: where the gradient was asked for.
    """
    if not stops:
        return InvalidArgumentError(
            f"{what} does not depend on {name}",
            hint=f"use {name} in it, or leave it out of what to differentiate by",
            site=site,
        )
    reasons = list(dict.fromkeys([stop.what for stop in stops]))
    last = stops[-1]
    more = f" (and {', '.join(reasons[:-1])})" if len(reasons) > 1 else ""
    return InvalidArgumentError(
        f"no differentiable path leads from {what} to {name}: it only passes {reasons[-1]}{more}, which has no slope",
        hint="use something smooth in its place, such as a sigmoid for a step, or leave it out of what to differentiate by",
        site=last.site or site,
    )
