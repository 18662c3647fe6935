"""The generated expressions and plans of `gradient_cases.py` by PyTorch, in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.differential.gradient_cases import FACTS, PARAMETERS, SIDE, Machine

torch.set_default_dtype(torch.float64)


class Theirs(Machine):
    """What PyTorch makes of it: a frame is a dict of tensors, and keys are arrays of numpy."""

    def __init__(self) -> None:
        self.a, self.b, self.w = [torch.tensor(value, requires_grad=True) for value in PARAMETERS.values()]

    def facts(self) -> dict[str, Any]:
        return {name: torch.tensor(each) if each.dtype == float else each for name, each in FACTS.items()}

    def column(self, name: str, columns: Any) -> Any:
        return columns[name]

    def constant(self, number: float) -> Any:
        return torch.tensor(number)

    def apply(self, kind: str, e: Any, *more: Any) -> Any:
        match kind:
            case "greatest":
                return torch.maximum(e, *more)
            case "least":
                return torch.minimum(e, *more)
            case "clip":
                return e.clip(-0.9, 0.8)
            case "case":
                f, g, h = more
                return torch.where(e > f, g, h)
            case "radians":
                return torch.deg2rad(e)
            case "cbrt":
                return e ** (1 / 3)
        return getattr(torch, kind)(e)

    def loss(self, case: Any) -> Any:
        """The loss of a generated plan."""
        steps, (kind, tree) = case
        columns = self.facts()
        for step in steps:
            columns = self.step(columns, *step)
        e = self.value(tree, columns)
        match kind:
            case "mean square":
                return (e**2).mean()
            case "sum":
                return e.sum() * 0.1
            case "std":
                return e.std()
            case "mean exp":
                return e.tanh().exp().mean()
            case "max":
                return e.max() + e.min() * self.a
            case "log mean":
                return (e * e + 1.0).mean().log()
        raise AssertionError(kind)

    def step(self, columns: dict[str, Any], kind: str, *parts: Any) -> dict[str, Any]:
        rows = len(columns["k"])
        match kind:
            case "derive":
                return {**columns, parts[0]: self.value(parts[1], columns)}
            case "over":
                name, function, arg = parts
                groups, number = np.unique(columns["k"], return_inverse=True)
                found = torch.stack([_of_group(function, columns[arg][number == each]) for each in range(len(groups))])
                return {**columns, name: found[number]}
            case "running":
                return {**columns, parts[0]: columns[parts[1]].cumsum(0) * 0.1}
            case "rolling":
                values = columns[parts[1]]
                return {**columns, parts[0]: torch.stack([values[max(0, i - 2) : i + 1].mean() for i in range(rows)])}
            case "filter":
                return _taken(columns, np.flatnonzero(np.asarray(columns[parts[0]]) > parts[1]))
            case "union":
                rest = _taken(columns, np.flatnonzero(np.asarray(columns[parts[0]]) > parts[1]))
                return {
                    name: torch.cat([each, rest[name]]) if torch.is_tensor(each) else np.concatenate([each, rest[name]])
                    for name, each in columns.items()
                }
            case "limit":
                return _taken(columns, np.arange(min(parts[0], rows)))
            case "join" | "left join":
                places = {key: place for place, key in enumerate(SIDE["k"])}
                if kind == "join":
                    columns = _taken(columns, np.flatnonzero(np.isin(columns["k"], SIDE["k"])))
                z = [SIDE["z"][places[key]] if key in places else 0.25 for key in columns["k"]]
                return {**columns, "z": torch.tensor(z)}
            case "group":
                groups, number = np.unique(columns["k"], return_inverse=True)
                return {
                    "k": groups,
                    **{
                        name: torch.stack(
                            [_of_group(function, columns[arg][number == each]) for each in range(len(groups))]
                        )
                        for name, function, arg in parts[0]
                    },
                }
        raise AssertionError(kind)


def _taken(columns: dict[str, Any], rows: np.ndarray) -> dict[str, Any]:
    return {name: each[rows] for name, each in columns.items()}


def _of_group(function: str, values: Any) -> Any:
    return values.var(correction=0) if function == "var" else getattr(values, function)()
