"""Plans of gradients are the same in every process, which is what code that is kept rests on."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
import lazyframe as lf
from lazyframe import col

w = lf.param("w", 1.0)
frame = lf.from_dict({"k": [1, 1, 2], "x": [1.0, 2.0, 3.0]})
groups = frame.group_by("k").agg(
    a=(col("x") * w).std(), b=(col("x") * w).mean(), c=(col("x") * w).var(), d=(col("x") * w).product()
)
print(lf.grad(groups.select((col("a") * col("b") + col("c") * col("d")).sum()), wrt=[w]).explain())
"""


def explained(seed: int) -> str:
    """The plan in a process with another order of sets."""
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        text=True,
        check=True,
    )
    return found.stdout


def test_names_do_not_depend_on_the_order_of_sets():
    first, *others = [explained(seed) for seed in (1, 2, 3)]
    assert "Aggregate" in first
    assert others == [first, first]
