"""The fuzz of compiled pipelines, some cases of it; `python -m tests.differential.compiled_fuzz --cases 10000` takes longer."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from tests.differential.case_pool import Worker, checked_in_pool, is_failure
from tests.differential.compiled_fuzz import MODULE
from tests.differential.lowered_thresholds import unknown

EXAMPLES = int(os.environ.get("LAZYFRAME_FUZZ_EXAMPLES", "0"))
CASES = EXAMPLES or 180


@pytest.mark.skipif(
    int(pa.__version__.split(".")[0]) < 26,
    reason="this release of pyarrow crashes when it is asked how large a string view is",
)
def test_compiled_agrees() -> None:
    reports = list(checked_in_pool(MODULE, range(CASES)))
    found = [f"seed {r['seed']}: {r['outcome']} (alone: {r['alone']})\n{r['detail']}" for r in reports if is_failure(r)]
    assert not found, "\n".join(found)
    assert sum(bool(report["statuses"]) for report in reports) > CASES // 4, "too few cases reach a kernel"


def test_thresholds_are_those_that_operators_have() -> None:
    assert unknown() == [], "their names have changed"


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A process that dies of what it is asked: a signal for seed 0, nothing for other seeds."""
    (tmp_path / "dying.py").write_text(
        "import json, os, signal, sys\n"
        "for line in sys.stdin:\n"
        "    if int(line) == 0:\n"
        "        os.kill(os.getpid(), signal.SIGSEGV)\n"
        "    print(json.dumps({'seed': int(line), 'outcome': 'agrees'}), flush=True)\n"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    made = Worker("dying", checked=False)
    yield made
    made.close()


def test_a_signal_is_a_finding_and_the_next_case_runs(worker: Worker) -> None:
    assert worker.check(1)["outcome"] == "agrees"
    died = worker.check(0)
    assert died["outcome"] == "signal SIGSEGV"
    assert died["seed"] == 0
    assert "Segmentation fault" in died["detail"]
    assert is_failure(died)
    assert worker.check(2)["outcome"] == "agrees"
