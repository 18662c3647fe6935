"""Optimizers: from the gradients that `backward()` has left to new values of parameters, as in PyTorch."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
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
        """Give each parameter that has a gradient its next value."""
        self.steps += 1
        for number, each in enumerate(self.params):
            if each._cell.grad is not None:
                cell = each._cell
                moved = self._moved(number, np.asarray(cell.value, dtype=np.float64), np.asarray(cell.grad))
                each._set_value(moved if each.shape else float(moved))

    def whole_step(self) -> None:
        """As `step`, or nothing of it where it is interrupted."""
        values = [each._cell.value for each in self.params]
        state = {name: dict(held) if isinstance(held, dict) else held for name, held in vars(self).items()}
        try:
            self.step()
        except BaseException:
            for each, value in zip(self.params, values, strict=True):
                each._cell.value = value
            vars(self).update(state)
            raise

    def _moved(self, number: int, value: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """The next value of the parameter of that number."""
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
        self._speed: dict[int, np.ndarray] = {}

    def _moved(self, number: int, value: np.ndarray, slope: np.ndarray) -> np.ndarray:
        slope = slope + self.weight_decay * value
        if self.momentum:
            before = self._speed.get(number)
            speed = slope if before is None else self.momentum * before + slope
            self._speed[number] = speed
            slope = slope + self.momentum * speed if self.nesterov else speed
        return value - self.lr * slope


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
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params)
        _not_negative(lr=lr, eps=eps, weight_decay=weight_decay)
        if len(betas) != 2 or not all(_is_number(beta) and 0 <= beta < 1 for beta in betas):
            raise InvalidArgumentError(f"betas are two numbers from 0 to below 1, not {betas!r}")
        self.lr, self.betas, self.eps, self.weight_decay = lr, betas, eps, weight_decay
        self._means: dict[int, tuple[int, np.ndarray, np.ndarray]] = {}

    def _moved(self, number: int, value: np.ndarray, slope: np.ndarray) -> np.ndarray:
        slope = slope + self.weight_decay * value
        nothing = np.zeros_like(value)
        count, mean, square = self._means.get(number, (0, nothing, nothing))
        first, second = self.betas
        count, mean, square = count + 1, first * mean + (1 - first) * slope, second * square + (1 - second) * slope**2
        self._means[number] = count, mean, square
        root = np.sqrt(square) / np.sqrt(1 - second**count) + self.eps
        return value - self.lr / (1 - first**count) * (mean / root)


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real)


def _not_negative(**given: float) -> None:
    for name, value in given.items():
        if not _is_number(value) or not 0 <= value < math.inf:
            raise InvalidArgumentError(f"{name} is a number of 0 or more, not {value!r}")


__all__ = ["SGD", "Adam", "Optimizer"]
