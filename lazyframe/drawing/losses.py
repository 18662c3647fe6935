"""The graph of a loss with the walk backwards: from the one number to the parameters."""

from __future__ import annotations

from lazyframe.drawing.backward import gradient_lines, parameter_lines, with_gradients
from lazyframe.drawing.moving import Moving
from lazyframe.drawing.picture import Arrow, Box, Picture
from lazyframe.drawing.plans import picture_of
from lazyframe.gradient_graph import GradFn, requires_grad
from lazyframe.planner.cells import Cell
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.gradients.losses import check_loss
from lazyframe.planner.graph import postorder
from lazyframe.planner.relations import Plan, Scan
from lazyframe.planner.site import ambient
from lazyframe.planner.sources import learned


def is_loss(plan: Plan) -> bool:
    """Whether it is one number that moves with some parameter."""
    if len(plan.schema) != 1 or not requires_grad(plan):
        return False
    try:
        check_loss(plan)
    except (InvalidArgumentError, TypeMismatchError):
        return False
    return id(plan) in Moving(plan).nodes


def picture_of_loss(plan: Plan) -> Picture:
    """The picture of a loss, in which values flow down, and gradients up beside them.

    Raises:
        InvalidArgumentError, TypeMismatchError: where it is no loss, or moves with no parameter.
    """
    check_loss(plan, ambient.site)
    moving = Moving(plan)
    if id(plan) not in moving.nodes:
        raise InvalidArgumentError(
            "the loss does not move with any parameter, so that nothing goes back from it",
            hint="make it from lf.param(...)s that are floats, or leave out backward=True",
            site=ambient.site,
        )
    forward = picture_of(plan)
    nodes = postorder(plan)
    keys = {id(node): box.key for node, box in zip(nodes, forward.boxes, strict=True)}
    boxes: list[Box] = []
    arrows = list(forward.arrows)
    operations: dict[str, tuple[str, ...]] = {}
    of_cell: dict[object, str] = {}
    reached: set[Arrow] = set()
    for node, box in zip(nodes, forward.boxes, strict=True):
        for parameter, is_reached in moving.parameters[id(node)].items():
            identity = parameter.cell.identity()
            if identity not in of_cell:
                key = of_cell[identity] = f"p{len(of_cell)}"
                boxes.append(Box(key, parameter_lines(parameter.cell), "parameter"))
            arrow = Arrow(of_cell[identity], box.key)
            arrows.append(arrow)
            if is_reached:
                operations[arrow.tail] = gradient_lines(parameter.cell)
                reached.add(arrow)
        known = _table_of(node)
        boxes.append(box if known is None else box._replace(kind="parameter"))
        if id(node) in moving.nodes:
            operations[box.key] = (GradFn(node).name,) if known is None else gradient_lines(known)
    # A condition on rows, for one, is computed from a parameter and passes nothing back to it.
    still = set(arrows).difference(reached, forward.arrows)
    return with_gradients(Picture(tuple(boxes), tuple(dict.fromkeys(arrows))), keys[id(plan)], operations, still)


def _table_of(node: Plan) -> Cell | None:
    """The parameter that a table is."""
    known = learned(node.source) if isinstance(node, Scan) else None
    return None if known is None else known.cell


__all__ = ["is_loss", "picture_of_loss"]
