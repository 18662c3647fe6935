"""A network of 2 inputs, 4 units with ReLU and 1 output, as a query.

Four points of XOR are rows of a table, and the layers sums of products over their columns. The losses of 100 steps of gradient
descent are those of PyTorch.

Run it with `python examples/network.py`.
"""

import numpy as np

import lazyframe as lf
from lazyframe import LazyFrame, col

POINTS = lf.from_dict({"p": [0.0, 0.0, 1.0, 1.0], "q": [0.0, 1.0, 0.0, 1.0], "t": [0.0, 1.0, 1.0, 0.0]})

# A row for each unit: the weights of what it sees, and at last its bias.
HIDDEN = np.array([[0.9, -0.7, 0.1], [-0.6, 0.8, 0.2], [0.5, 0.4, -0.3], [-0.2, -0.9, 0.6]])
OUTPUT = np.array([0.7, 0.9, -0.5, 0.3, 0.05])


def model() -> tuple[list[lf.Param], LazyFrame]:
    """The two layers, and the mean squared error."""
    hidden, output = lf.param("hidden", HIDDEN), lf.param("output", OUTPUT)
    units = [unit.clip(0.0) for unit in hidden.dot(["p", "q", 1.0])]
    error = output.dot([*units, 1.0]) - col("t")
    return [hidden, output], POINTS.select((error**2).mean())


def main(steps: int = 100) -> lf.History:
    layers, loss = model()
    history = lf.fit(loss, layers, lf.optim.SGD(layers, lr=0.1), steps=steps)
    for step in range(0, len(history.losses), max(1, steps // 5)):
        print(f"step {step:4}: {history.losses[step]:.6f}")
    return history


if __name__ == "__main__":
    main()
