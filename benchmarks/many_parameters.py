"""Losses of a hundred parameters over rows of a Parquet file: what the gradients by all of them cost beside the loss alone.

Of each loss two things are measured: the loss, and the loss with its gradients, planned anew each time. How many rows either reads of the
file is counted by `lf.watch`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import lazyframe as lf
from benchmarks.options import Options
from benchmarks.runner import Case, measure
from lazyframe import col

_ROWS, _GROUP, _COLUMNS = 6_000_000, 1_000_000, 10

X, Y = [col(f"x{number}") for number in range(_COLUMNS)], col("y")


def cases(options: Options) -> Iterator[Case]:
    rows = int(_ROWS * (options.scale or 1))
    frame = lf.scan_parquet(str(_file(options.data, rows)))
    for name, make in _LOSSES.items():
        params, expression = make()
        loss = frame.select(expression.mean())
        yield Case(f"rows read, {name}", "rows", _rows_read(loss, params))
        yield measure(
            f"{name}, 100 parameters, {rows:,} rows",
            {"with gradients": _value_and_gradients(loss, params), "the loss alone": loss.collect},
            rounds=options.rounds or 5,
            check=False,
        )


def _file(folder: Path, rows: int) -> Path:
    path = folder / f"many-parameters-{rows}.parquet"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        random = np.random.default_rng(1)
        schema = pa.schema([(f"x{number}", pa.float64()) for number in range(_COLUMNS)] + [("y", pa.float64())])
        partial = path.with_suffix(".partial")
        with pq.ParquetWriter(partial, schema) as writer:
            for start in range(0, rows, _GROUP):
                count = min(_GROUP, rows - start)
                writer.write_table(
                    pa.table([random.normal(size=count) for _ in schema], schema=schema), row_group_size=_GROUP
                )
        partial.rename(path)
    return path


def _value_and_gradients(loss: lf.LazyFrame, params: list[Any]) -> Callable[[], Any]:
    return lambda: lf.value_and_grad(loss, params)


def _rows_read(loss: lf.LazyFrame, params: list[Any]) -> dict[str, list[float]]:
    with lf.watch() as watched:
        lf.value_and_grad(loss, params)
        loss.collect()
    return {name: [float(action.rows_read)] for name, action in zip(_NAMES, watched.actions, strict=True)}


_NAMES = ("with gradients", "the loss alone")


def _products() -> tuple[list[Any], Any]:
    """A polynomial: a parameter for each pair of columns."""
    weights = lf.param("W", np.linspace(0, 0.1, _COLUMNS**2))
    return [weights], (weights.dot([a * b for a in X for b in X]) - Y) ** 2


def _network(activation: Callable[[Any], Any]) -> tuple[list[Any], Any]:
    """Eight units with ten inputs and a bias, and a unit over them: 97 parameters."""
    random = np.random.default_rng(0)
    inner = lf.param("inner", random.normal(size=(8, _COLUMNS + 1)) * 0.3)
    outer = lf.param("outer", random.normal(size=9) * 0.3)
    units = [activation(unit) for unit in inner.dot([*X, 1.0])]
    return [inner, outer], (outer.dot([*units, 1.0]) - Y) ** 2


def _single() -> tuple[list[Any], Any]:
    """A hundred parameters that are single numbers."""
    params = [lf.param(f"p{number}", 0.01 * number) for number in range(100)]
    total = lf.lit(0.0)
    for number, param in enumerate(params):
        total = total + param * X[number % _COLUMNS] * (1.0 + number // _COLUMNS)
    return params, (total - Y) ** 2


_LOSSES: dict[str, Callable[[], tuple[list[Any], Any]]] = {
    "products of columns": _products,
    "a network with ReLU": lambda: _network(lambda unit: unit.clip(0.0)),
    "a network with tanh": lambda: _network(lambda unit: unit.tanh()),
    "single numbers": _single,
}
