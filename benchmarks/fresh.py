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


def timed(arguments: Sequence[str], settings: Mapping[str, str] | None = None) -> tuple[float, str]:
    """The seconds that a new interpreter takes with those arguments, from its start to its end, and what it prints.

    It keeps the bytecode of a checkout, as installing a package does, whatever the shell says: the peers have theirs.

    Args:
        arguments: of the interpreter.
        settings: what its environment has besides ours.

    Raises:
        subprocess.CalledProcessError: where it fails.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= settings or {}
    start = time.perf_counter()
    done = subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return time.perf_counter() - start, done.stdout
