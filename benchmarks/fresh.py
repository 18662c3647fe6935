"""Code that is run by a process of its own, to measure what is cold."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence


def fresh(code: str) -> str:
    """What a new process with that code prints.

    Raises:
        subprocess.CalledProcessError: where the code fails.
    """
    return timed(["-c", code])[1]


def timed(
    arguments: Sequence[str], settings: Mapping[str, str] | None = None, *, cpu: bool = False
) -> tuple[float, str]:
    """The seconds that a new interpreter takes with those arguments, from its start to its end, and what it prints.

    It keeps the bytecode of a checkout, as installing a package does, whatever the shell says: the peers have theirs.

    Args:
        arguments: of the interpreter.
        settings: what its environment has besides ours.
        cpu: whether only seconds on a processor count, of all its threads (not on Windows).

    Raises:
        subprocess.CalledProcessError: where it fails.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= settings or {}
    clock = _children if cpu else time.perf_counter
    start = clock()
    done = subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return clock() - start, done.stdout


def _children() -> float:
    """Seconds on a processor of all processes of ours that have ended."""
    times = os.times()
    return times.children_user + times.children_system
