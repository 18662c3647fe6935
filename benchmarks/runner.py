"""Measuring contenders in turn, so that whatever else the machine does hits all of them alike."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.agreement import GIVEN_ORDER, Agreement, Order

OURS = "lazyframe"

Contenders = Mapping[str, Callable[[], Any]]
"""By name what each of them does; the result is something that exports an Arrow table."""


@dataclass(frozen=True)
class Case:
    """What was measured of each contender in one case.

    Args:
        name: of the case.
        unit: of the samples: `"s"`, `"bytes"`, `"rows"`, `"queries"` or, of ratios, `"times"`.
        samples: by contender, one number a run.
    """

    name: str
    unit: str = "s"
    samples: dict[str, list[float]] = field(default_factory=dict)

    def median(self, contender: str) -> float:
        """Of its samples."""
        return statistics.median(self.samples[contender])

    def least(self, contender: str) -> float:
        """Of its samples."""
        return min(self.samples[contender])

    def ratio(self, contender: str) -> float | None:
        """How many times the contender's median ours is; None where that cannot be said."""
        if OURS not in self.samples or not self.median(contender):
            return None
        return self.median(OURS) / self.median(contender)


def measure(
    name: str,
    contenders: Contenders,
    *,
    rounds: int,
    calls: int = 1,
    check: bool = True,
    order: Order = GIVEN_ORDER,
    clock: Callable[[], float] = time.perf_counter,
) -> Case:
    """Run all contenders once to warm up and to compare their answers, then in turn, round after round.

    Args:
        name: of the case.
        contenders: what each does.
        rounds: how often each has its turn.
        calls: how often it runs in a turn; each run is a sample.
        check: whether the warm-up's answers must be the same.
        order: what of the answers has to be the same.
        clock: tells the seconds.

    Raises:
        AssertionError: where the answers differ.
    """
    agreement = Agreement(name, order)
    for contender, run in contenders.items():
        answer = run()
        if check:
            agreement.take(contender, answer)
        del answer
    del agreement
    case = Case(name, samples={contender: [] for contender in contenders})
    for _ in range(rounds):
        for contender, run in contenders.items():
            gc.collect()
            gc.disable()
            for _ in range(calls):
                start = clock()
                run()
                case.samples[contender].append(clock() - start)
            gc.enable()
    return case
