"""Code that is run by a process of its own, to measure what is cold."""

from __future__ import annotations

import os
import subprocess
import sys


def fresh(code: str) -> str:
    """What a new process with that code prints.

    It keeps the bytecode of a checkout, as installing a package does, whatever the shell says: the peers have theirs.

    Raises:
        subprocess.CalledProcessError: where the code fails.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
