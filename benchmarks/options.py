"""What the command line asks of a benchmark."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """How, and over what, a benchmark runs.

    Args:
        data: the folder that holds the data, or will.
        scale: of the tables; each benchmark has its own where None.
        rounds: how often each contender has its turn; each benchmark has its own where None.
        each: whether to show every query where a benchmark else shows totals and the worst ones.
        peers: who is asked beside us in suites that know several; each suite has its own where None.
        only: a regular expression that is found in the names of the questions that are asked in such suites.
        cpu: whether such suites, and fresh processes, count the time that threads are on a processor, which says something on a busy
            machine as well.
    """

    data: Path
    scale: float | None = None
    rounds: int | None = None
    each: bool = False
    peers: tuple[str, ...] | None = None
    only: str = ""
    cpu: bool = False

    @property
    def clock(self) -> Callable[[], float]:
        """What tells the seconds of such suites."""
        return time.process_time if self.cpu else time.perf_counter
