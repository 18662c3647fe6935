"""Losses with their gradients, beside frameworks made for them where they are installed."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import logistic, many_parameters
from benchmarks.options import Options
from benchmarks.runner import Case

_PARTS = (logistic.cases, many_parameters.cases)


def run(options: Options) -> Iterator[Case]:
    for part in _PARTS:
        yield from part(options)
