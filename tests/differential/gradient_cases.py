"""Generated expressions and plans, which several machines can compute: ours, and PyTorch's.

An expression is a tuple of an operation and its parts, a plan a list of steps and a loss. `Ours` and `Theirs` (in
`gradient_torch.py`) have a method for each operation and each step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import lazyframe as lf
from lazyframe import col

ROWS = 40
_rng = np.random.default_rng(17)
FACTS = {
    "id": np.arange(ROWS),
    "k": _rng.integers(0, 5, ROWS),
    "x": _rng.normal(size=ROWS),
    "y": _rng.normal(size=ROWS),
}
SIDE = {"k": np.array([0, 1, 3, 4]), "z": np.array([0.5, -1.2, 2.0, 0.8])}
PARAMETERS = {"a": 0.7, "b": -0.4, "w": np.array([0.3, -0.8, 0.5])}

_UNARY = (
    "sin", "cos", "tanh", "atan", "sigmoid", "exp", "log", "sqrt", "cbrt", "square", "cube", "negate", "abs", "log1p", "log2",
    "log10", "asin", "acos", "tan", "sinh", "cosh", "radians", "reciprocal",
)  # fmt: skip
_BINARY = ("add", "subtract", "multiply", "divide", "power", "greatest", "least")
Expression = Any


def expression(rng: np.random.Generator, leaves: list[Expression], depth: int) -> Expression:
    """An expression over some leaves, which is smooth around every place but a few that no row is at."""
    if depth == 0 or rng.random() < 0.1:
        if rng.random() < 0.15:
            return ("constant", round(float(rng.normal()), 2))
        return leaves[rng.integers(len(leaves))]
    chosen = rng.random()
    if chosen < 0.4:
        return (_UNARY[rng.integers(len(_UNARY))], expression(rng, leaves, depth - 1))
    if chosen < 0.85:
        parts = [expression(rng, leaves, depth - 1) for _ in range(2)]
        return (_BINARY[rng.integers(len(_BINARY))], *parts)
    if chosen < 0.95:
        return ("case", *[expression(rng, leaves, depth - 1) for _ in range(4)])
    return ("clip", expression(rng, leaves, depth - 1))


def column_expression(seed: int) -> Expression:
    """An expression over two columns and two parameters, which moves with the column x."""
    rng = np.random.default_rng([1, seed])
    leaves = [("column", "x"), ("column", "y"), ("parameter", "a"), ("parameter", "b")]
    bent = ("add", ("square", ("column", "x")), ("multiply", ("column", "x"), expression(rng, leaves, 3)))
    return ("add", expression(rng, leaves, 3), bent)


def plan(seed: int) -> tuple[list[tuple[Any, ...]], tuple[Any, ...]]:
    """Steps from the facts to a frame, and a loss of it."""
    rng = np.random.default_rng([2, seed])
    still, moving = ["x", "y"], ["p"]
    steps: list[tuple[Any, ...]] = [("derive", "p", _moving(rng, still, ["x", "y"]))]
    per_row, joined = True, False
    for number in range(int(rng.integers(2, 6))):
        new = f"c{number}"
        kinds = ["derive", "derive", "over", "union", "filter"]
        kinds += ["running", "rolling", "limit", "group"] if per_row else []
        kinds += [] if joined else ["join", "left join"]
        kind = kinds[rng.integers(len(kinds))]
        arg = moving[rng.integers(len(moving))]
        match kind:
            case "derive":
                steps.append(("derive", new, _moving(rng, still, moving)))
                moving.append(new)
            case "over":
                steps.append(("over", new, ("sum", "mean", "max", "min", "var")[rng.integers(5)], arg))
                moving.append(new)
            case "running" | "rolling":
                steps.append((kind, new, arg))
                moving.append(new)
            case "filter" | "union":
                steps.append((kind, "x" if per_row else "k", float(rng.uniform(-1.0, 0.3))))
                per_row = per_row and kind == "filter"
            case "limit":
                steps.append(("limit", int(rng.integers(15, 35))))
            case "join" | "left join":
                steps.append((kind,))
                still, joined = [*still, "z"], True
                per_row = False
            case "group":
                asked = [
                    (f"g{number}{i}", _GROUPED[rng.integers(len(_GROUPED))], each) for i, each in enumerate(moving[-2:])
                ]
                steps.append(("group", asked))
                still, moving, per_row = [], [name for name, _, _ in asked], False
    last = _moving(rng, still, moving)
    return steps, (("mean square", "sum", "std", "mean exp", "max", "log mean")[rng.integers(6)], last)


_GROUPED = ("sum", "mean", "max", "min", "var")


def _moving(rng: np.random.Generator, still: list[str], moving: list[str]) -> Expression:
    """An expression that stays of a moderate size, and moves with all parameters."""
    leaves = [("column", name) for name in (*still, *moving)]
    leaves += [("parameter", "a"), ("parameter", "b"), *[("element", number) for number in range(3)]]
    first = ("multiply", ("parameter", "a"), ("column", moving[rng.integers(len(moving))]))
    second = ("multiply", ("element", int(rng.integers(3))), ("sin", expression(rng, leaves, 2)))
    return ("add", ("tanh", expression(rng, leaves, 2)), ("add", first, ("add", second, ("parameter", "b"))))


class Machine:
    """An expression by any machine: numbers need the operators of Python, and `apply` for functions by name."""

    def value(self, tree: Expression, columns: Any) -> Any:
        kind, *parts = tree
        match kind:
            case "constant":
                return self.constant(parts[0])
            case "column":
                return self.column(parts[0], columns)
            case "parameter":
                return getattr(self, parts[0])
            case "element":
                return self.w[parts[0]]
        return self.applied(kind, *[self.value(part, columns) for part in parts])

    def applied(self, kind: str, e: Any, *more: Any) -> Any:
        """An operation, whose argument is brought to where it is smooth and of moderate size."""
        match kind, more:
            case "square", ():
                return e**2
            case "cube", ():
                return e**3
            case "negate", ():
                return -e
            case "sigmoid", ():
                return 1.0 / (1.0 + self.apply("exp", -self.apply("tanh", e)))
            case "reciprocal", ():
                return 1.0 / (e * e + 0.7)
            case "add", (f,):
                return e + f
            case "subtract", (f,):
                return e - f
            case "multiply", (f,):
                return e * f
            case "divide", (f,):
                return e / (f * f + 1.0)
            case "power", (f,):
                return (e * e + 0.5) ** self.apply("tanh", f)
            case (("exp" | "sinh" | "cosh" | "tan"), ()):
                return self.apply(kind, self.apply("tanh", e))
            case (("log" | "log2" | "log10" | "sqrt" | "cbrt"), ()):
                return self.apply(kind, e * e + 0.6)
            case "log1p", ():
                return self.apply(kind, e * e)
            case (("asin" | "acos"), ()):
                return self.apply(kind, self.apply("sin", e) * 0.9)
        return self.apply(kind, e, *more)


class Ours(Machine):
    """What we make of it."""

    def __init__(self) -> None:
        self.a, self.b = lf.param("a", PARAMETERS["a"]), lf.param("b", PARAMETERS["b"])
        self.w = lf.param("w", PARAMETERS["w"])

    def column(self, name: str, columns: Any) -> Any:
        return col(name)

    def constant(self, number: float) -> Any:
        return lf.lit(number)

    def apply(self, kind: str, e: Any, *more: Any) -> Any:
        match kind:
            case "greatest":
                return lf.max_horizontal(e, *more)
            case "least":
                return lf.min_horizontal(e, *more)
            case "clip":
                return e.clip(-0.9, 0.8)
            case "case":
                f, g, h = more
                return lf.when(e > f).then(g).otherwise(h)
            case "asin" | "acos" | "atan":
                return getattr(e, f"arc{kind[1:]}")()
        return getattr(e, kind)()

    def loss(self, case):
        """The frame of a generated plan."""
        steps, (kind, tree) = case
        frame = lf.DataFrame(FACTS)
        for step in steps:
            frame = self.step(frame, *step)
        e = self.value(tree, None)
        match kind:
            case "mean square":
                found = (e**2).mean()
            case "sum":
                found = e.sum() * 0.1
            case "std":
                found = e.std()
            case "mean exp":
                found = e.tanh().exp().mean()
            case "max":
                found = e.max() + e.min() * self.a
            case "log mean":
                found = (e * e + 1.0).mean().log()
        return frame.select(loss=found)

    def step(self, frame, kind, *parts):
        match kind:
            case "derive":
                return frame.with_columns(**{parts[0]: self.value(parts[1], None)})
            case "over":
                name, function, arg = parts
                found = col(arg).var(ddof=0) if function == "var" else getattr(col(arg), function)()
                return frame.with_columns(**{name: found.over("k")})
            case "running":
                return frame.with_columns(**{parts[0]: col(parts[1]).sum().over(order_by="id") * 0.1})
            case "rolling":
                return frame.with_columns(**{parts[0]: col(parts[1]).rolling_mean(3, min_samples=1)})
            case "filter":
                return frame.filter(col(parts[0]) > parts[1])
            case "union":
                return lf.concat([frame, frame.filter(col(parts[0]) > parts[1])])
            case "limit":
                return frame.sort("id").limit(parts[0])
            case "join":
                return frame.join(lf.DataFrame(SIDE), on="k")
            case "left join":
                return frame.join(lf.DataFrame(SIDE), on="k", how="left").with_columns(z=col("z").fill_null(0.25))
            case "group":
                found = {
                    name: col(arg).var(ddof=0) if function == "var" else getattr(col(arg), function)()
                    for name, function, arg in parts[0]
                }
                return frame.group_by("k").agg(**found)
        raise AssertionError(kind)
