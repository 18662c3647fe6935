"""Cases in processes of their own: one that dies of a signal, or hangs, is a finding like any other."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

_SECONDS = 150.0
_CASES_PER_PROCESS = 400


class Worker:
    """A process that checks seeds.

    Args:
        module: what it runs, with `--worker`: it reads a seed a line and writes a report a line, as JSON.
        checked: whether kernels test their bounds.
    """

    def __init__(self, module: str, *, checked: bool) -> None:
        self._command = [sys.executable, "-X", "faulthandler", "-m", module, "--worker"]
        self._environment = {**os.environ, "LAZYFRAME_CHECKED": "1" if checked else "0"}
        self._process: subprocess.Popen[str] | None = None
        self._done = 0

    def check(self, seed: int) -> dict[str, Any]:
        """The report of a seed."""
        if self._process is None or self._done >= _CASES_PER_PROCESS:
            self.close()
            self._start()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.write(f"{seed}\n")
            process.stdin.flush()
        line = self._line(process)
        self._done += 1
        if line:
            return json.loads(line)  # type: ignore[no-any-return]
        return self._ended(process, seed)

    def _start(self) -> None:
        self._said = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            self._command,
            env=self._environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
        )
        self._done = 0

    def _line(self, process: subprocess.Popen[str]) -> str:
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(_SECONDS):
                return ""
        return process.stdout.readline()

    def _ended(self, process: subprocess.Popen[str], seed: int) -> dict[str, Any]:
        outcome = "hangs"
        with suppress(subprocess.TimeoutExpired):
            code = process.wait(1.0)
            outcome = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit {code}"
        self._said.seek(0)
        detail = self._said.read().partition("\nExtension modules")[0][-3_000:]
        self.close()
        return {"seed": seed, "outcome": outcome, "detail": detail, "duckdb": False, "statuses": {}}

    def close(self) -> None:
        """End the process."""
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._said):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        self._process = None


def checked_in_pool(module: str, seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The reports of seeds, by one process at a time; odd seeds run with kernels that test their bounds.

    A seed that fails is checked once more in a fresh process, so that its report says whether it fails alone.
    """
    workers = [Worker(module, checked=False), Worker(module, checked=True)]
    try:
        for seed in seeds:
            report = workers[seed % 2].check(seed)
            if is_failure(report):
                alone = Worker(module, checked=seed % 2 == 1)
                try:
                    report["alone"] = alone.check(seed)["outcome"]
                finally:
                    alone.close()
            yield report
    finally:
        for worker in workers:
            worker.close()


def is_failure(report: dict[str, Any]) -> bool:
    return report["outcome"] not in ("agrees", "error", "slow", "not planned")
