"""The walk backwards beside the graph it walks: a box for each operation that a gradient goes through, level with its own."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from lazyframe.drawing.picture import BACK, BESIDE, Arrow, Box, Picture
from lazyframe.planner.cells import Cell

FORWARD, BACKWARD = "forward", "backward"
KEY = (("data", "values"), ("gradient", "gradients"))


def with_gradients(
    picture: Picture, root: str, operations: Mapping[str, tuple[str, ...]], still: Container[Arrow] = ()
) -> Picture:
    """A graph with its walk backwards.

    Args:
        picture: the graph, in which values flow down.
        root: the key of its last box, where the walk begins.
        operations: what stands in the boxes that the walk comes to, by the keys of their own boxes.
        still: arrows that it does not go along.
    """
    forward = [box._replace(group=FORWARD) for box in picture.boxes]
    back = [
        Box(_twin(box.key), operations[box.key], "gradient", BACKWARD, box.key)
        for box in picture.boxes
        if box.key in operations
    ]
    arrows = [
        Arrow(_twin(arrow.head), _twin(arrow.tail), "gradient", BACK)
        for arrow in picture.arrows
        if arrow.tail in operations and arrow.head in operations and arrow not in still
    ]
    seed = Arrow(root, _twin(root), "seed", BESIDE)
    return Picture((*forward, *back), (*picture.arrows, seed, *arrows), key=KEY)


def _twin(key: str) -> str:
    return f"{key} back"


def parameter_lines(cell: Cell, index: tuple[int, ...] = ()) -> tuple[str, str]:
    """What stands in the box of a parameter: its name, and its value as far as it is known."""
    value = cell.value if cell.value is None or not index else cell.value[index]
    return cell.label(index), "given when it runs" if value is None else _shown(value)


def gradient_lines(cell: Cell, index: tuple[int, ...] = ()) -> tuple[str, str]:
    """What stands in the box of its gradient, which `backward()` fills."""
    grad = cell.grad if cell.grad is None or not index else cell.grad[index]
    return f"{cell.label(index)}.grad", "none yet" if grad is None else _shown(grad)


def _shown(value: Any) -> str:
    """A number; of an array its shape, and the numbers where they are few."""
    if not isinstance(value, np.ndarray):
        return str(float(f"{value:.6g}")) if isinstance(value, float) else str(value)
    size = " x ".join(map(str, value.shape))
    if value.size > 4:
        return f"{size}, norm {np.linalg.norm(value):.4g}"
    return f"{size}: {', '.join([f'{each:.4g}' for each in value.ravel()])}"


__all__ = ["gradient_lines", "parameter_lines", "with_gradients"]
