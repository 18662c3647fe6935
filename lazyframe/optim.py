"""Optimizers: from the gradients that `backward()` has left to new values of parameters, as in PyTorch."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lazyframe.boundary import public
from lazyframe.parameters import ArrayParam, Param
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.types import is_float, type_name


class Optimizer:
    """What all optimizers do.

    Args:
        params: parameters with values, which are floats.

    Raises:
        InvalidArgumentError, TypeMismatchError: for what is none.
    """

    def __init__(self, params: Iterable[Any]) -> None:
        self.params = [params] if isinstance(params, Param) else list(params)
        self.steps = 0
        self._states: list[Any] = [None] * len(self.params)
        if not self.params:
            raise InvalidArgumentError(
                "an optimizer needs at least one parameter", hint="write lf.optim.SGD([w], lr=0.1)"
            )
        for each in self.params:
            if not isinstance(each, Param):
                raise InvalidArgumentError(
                    f"an optimizer changes parameters, and {each!r} is none", hint="make it one: w = lf.param('w', 0.0)"
                )
            if isinstance(each, ArrayParam) and each._index:
                raise InvalidArgumentError(
                    f"an optimizer changes whole parameters, and {each!r} is a part of one", hint="give the whole array"
                )
            if each._cell.value is None or each._cell.dtype is None:
                raise InvalidArgumentError(
                    f"the parameter {each.label!r} has no value to start from",
                    hint=f"write lf.param({each.label!r}, 0.0)",
                )
            if not is_float(each._cell.dtype):
                raise TypeMismatchError(
                    f"the parameter {each.label!r} is {type_name(each._cell.dtype)}, and only floats are learned",
                    hint=f"give it a float: lf.param({each.label!r}, 1.0)",
                )

    def zero_grad(self) -> None:
        """Forget the gradients, so that the next `backward()` starts anew."""
        for each in self.params:
            each.grad = None

    @public
    def step(self) -> None:
        """Give each parameter that has a gradient its next value; none of them where it fails or is interrupted."""
        cells = [each._cell for each in self.params]
        values, states, steps = [cell.value for cell in cells], self._states, self.steps
        following = list(states)
        try:
            for number, (each, cell) in enumerate(zip(self.params, cells, strict=True)):
                if cell.grad is not None:
                    value = np.asarray(cell.value, dtype=np.float64)
                    moved, following[number] = self._moved(value, np.asarray(cell.grad), states[number])
                    each._set_value(moved if each.shape else float(moved))
            self._states, self.steps = following, steps + 1
        except BaseException:
            for cell, value in zip(cells, values, strict=True):
                cell.value = value
            self._states, self.steps = states, steps
            raise

    def _moved(self, value: np.ndarray, slope: np.ndarray, state: Any) -> tuple[np.ndarray, Any]:
        """The next value of a parameter, and what is remembered of it for the step after.

        Args:
            value: of the parameter.
            slope: its gradient.
            state: what was remembered; None before its first step.
        """
        raise AssertionError("every optimizer moves")


class SGD(Optimizer):
    """Stochastic gradient descent.

    Args:
        params: what is learned.
        lr: the learning rate: how far a step goes against the gradient.
        momentum: which share of the last step is gone again.
        weight_decay: which share of the value is added to the gradient.
        nesterov: whether the gradient is taken as if the momentum had been gone already (Nesterov 1983).

    Example:
        >>> w = lf.param("w", 0.0)
        >>> optimizer = lf.optim.SGD([w], lr=0.25)
        >>> ((w - 3) ** 2).backward()
        >>> optimizer.step()
        >>> w.value
        1.5
    """

    @public
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        *,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        super().__init__(params)
        _not_negative(lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and not momentum:
            raise InvalidArgumentError("nesterov=True needs a momentum", hint="write momentum=0.9")
        self.lr, self.momentum, self.weight_decay, self.nesterov = lr, momentum, weight_decay, nesterov

    def _moved(self, value: np.ndarray, slope: np.ndarray, state: Any) -> tuple[np.ndarray, Any]:
        slope = slope + self.weight_decay * value
        speed = state
        if self.momentum:
            speed = slope if speed is None else self.momentum * speed + slope
            slope = slope + self.momentum * speed if self.nesterov else speed
        return value - self.lr * slope, speed


class Adam(Optimizer):
    """Adam (Kingma and Ba 2015): steps of a size that follows from running means of the gradient and of its square.

    Args:
        params: what is learned.
        lr: the learning rate.
        betas: how much of the two means stays in a step.
        eps: is added to the root that is divided by.
        weight_decay: which share of the value is added to the gradient.

    Example:
        >>> w = lf.param("w", 0.0)
        >>> optimizer = lf.optim.Adam([w], lr=0.5)
        >>> ((w - 3) ** 2).backward()
        >>> optimizer.step()
        >>> round(w.value, 6)
        0.5
    """

    @public
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        *,
        betas: Sequence[float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params)
        _not_negative(lr=lr, eps=eps, weight_decay=weight_decay)
        if [_is_number(beta) and 0 <= beta < 1 for beta in betas] != [True, True]:
            raise InvalidArgumentError(f"betas are two numbers from 0 to below 1, not {betas!r}")
        self.lr, self.betas, self.eps, self.weight_decay = lr, betas, eps, weight_decay

    def _moved(self, value: np.ndarray, slope: np.ndarray, state: Any) -> tuple[np.ndarray, Any]:
        slope = slope + self.weight_decay * value
        nothing = np.zeros_like(value)
        count, mean, square = (0, nothing, nothing) if state is None else state
        first, second = self.betas
        count, mean, square = count + 1, first * mean + (1 - first) * slope, second * square + (1 - second) * slope**2
        root = np.sqrt(square) / np.sqrt(1 - second**count) + self.eps
        return value - self.lr / (1 - first**count) * (mean / root), (count, mean, square)


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real)


def _not_negative(**given: float) -> None:
    for name, value in given.items():
        if not _is_number(value) or not 0 <= value < math.inf:
            raise InvalidArgumentError(f"{name} is a number of 0 or more, not {value!r}")


__all__ = ["SGD", "Adam", "Optimizer"]
