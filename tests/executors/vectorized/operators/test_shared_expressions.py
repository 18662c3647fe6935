"""What an operator computes in several of its expressions it computes once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.executors.vectorized import steps
from lazyframe.executors.vectorized.kernel import Kernel

BACKWARDS = col("x").str.reverse()
NUMBER = col("y") // col("z")

Rows = list[int]


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> Rows:
    """For how many rows `reverse` and `//` were computed, each time."""
    found: Rows = []
    kernel_of = steps.kernel_of

    def counting(name: str) -> Kernel:
        kernel = kernel_of(name)
        if name not in ("reverse", "floor_divide"):
            return kernel

        def run(*args: object) -> object:
            found.append(args[2])  # type: ignore[arg-type]
            return kernel.run(*args)  # type: ignore[arg-type]

        return Kernel(run, encoded=kernel.encoded)  # type: ignore[arg-type]

    monkeypatch.setattr(steps, "kernel_of", counting)
    return found


def table() -> lf.LazyFrame:
    return lf.from_dict({"x": [f"a{n}" for n in range(6)], "y": list(range(6)), "z": [1, 2, 1, 2, 1, 2]})


QUERIES: dict[str, tuple[Callable[[lf.LazyFrame], lf.LazyFrame], Rows]] = {
    "columns": (lambda t: t.select(a=BACKWARDS, b=BACKWARDS + "x", c=BACKWARDS.str.len_chars()), [6]),
    "columns of columns": (lambda t: t.with_columns(k=BACKWARDS).with_columns(n=col("k") + "a"), [6]),
    "branches": (lambda t: t.select(a=lf.when(BACKWARDS > "1").then(BACKWARDS).otherwise(BACKWARDS + "b")), [6]),
    "aggregates": (lambda t: t.group_by("z").agg(a=BACKWARDS.min(), b=BACKWARDS.max()), [6]),
    "key and aggregate": (lambda t: t.group_by(k=BACKWARDS).agg(m=BACKWARDS.max()), [6]),
    "filter": (lambda t: t.filter((BACKWARDS > "1") & (BACKWARDS < "4b")), [6]),
    "two filters": (lambda t: t.filter(BACKWARDS > "1").filter(BACKWARDS != "3a"), [6]),
    # The second part computes more, and does so for the rows that the first keeps.
    "more in the second": (
        lambda t: t.filter((BACKWARDS > "2") & ((BACKWARDS + col("x")).str.len_chars() > 1)),
        [6, 4],
    ),
    # A part that may raise is guarded by those before it, and sees the rows that they keep.
    "what may raise": (lambda t: t.filter((NUMBER > 2) & (NUMBER < 5)), [6, 1]),
}


@pytest.mark.parametrize("name", QUERIES)
def test_it_is_computed_once(computed: Rows, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # What kernels compute is not counted.
    monkeypatch.setenv("LAZYFRAME_COMPILED", "off")
    query, wanted = QUERIES[name]
    query(table()).collect()
    assert computed == wanted
