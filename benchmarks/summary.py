"""What the queries of a suite come to together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from benchmarks.runner import OURS, Case


def summary(title: str, cases: Sequence[Case]) -> Iterator[Case]:
    """The sum of the medians, their geometric mean, and to whom we lose how many queries.

    A contender that was not asked every question is left out: its sum would be of other questions.
    """
    complete = [name for name in cases[0].samples if all(name in case.samples for case in cases)]
    medians = {name: [case.median(name) for case in cases] for name in complete}
    yield Case(f"{title}: sum", samples={name: [sum(found)] for name, found in medians.items()})
    means = {name: [math.exp(sum(map(math.log, found)) / len(found))] for name, found in medians.items()}
    yield Case(f"{title}: geometric mean", samples=means)
    slower = {
        name: [sum(ours > theirs for ours, theirs in zip(medians[OURS], found, strict=True))]
        for name, found in medians.items()
        if name != OURS
    }
    yield Case(f"{title}: queries in which {OURS} is slower than", unit="queries", samples=slower)
