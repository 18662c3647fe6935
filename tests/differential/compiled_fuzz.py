"""Fuzz of compiled pipelines: the same rows, order, bits and errors as vectorized, and the rows of DuckDB.

    python -m tests.differential.compiled_fuzz --cases 10000
    python -m tests.differential.compiled_fuzz --seed 4711

Seeds that are odd run in checked mode, with bounds checks in all generated loads and stores.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from dataclasses import asdict

MODULE = "tests.differential.compiled_fuzz"
STATUSES = {"0": "done", "1": "failed", "2": "full", "3": "out of bounds", "4": "unsuited"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=300, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="one case, in this process")
    parser.add_argument("--worker", action="store_true", help="read seeds, write reports")
    given = parser.parse_args()
    if given.worker:
        return _work()
    if given.seed is not None:
        return _one(given.seed)
    return _many(range(given.first, given.first + given.cases))


def _work() -> int:
    reports = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # nothing else may stand between the reports
    from tests.differential.compiled_cases import check

    for line in sys.stdin:
        print(json.dumps(asdict(check(int(line)))), file=reports, flush=True)
    return 0


def _one(seed: int) -> int:
    os.environ["LAZYFRAME_CHECKED"] = str(seed % 2)
    from tests.differential.case_pool import is_failure
    from tests.differential.compiled_cases import case_of, check, shown

    with case_of(seed) as case:
        for name, table in case.tables.items():
            _say(f"{name}: {shown(table)}\n")
        _say(f"{case.shown}\n\n{case.sql}\n\n{case.frame.explain()}\n")
    report = asdict(check(seed))
    _say(f"{report['outcome']}\n{report['detail']}\ncalls of kernels: {report['statuses']}")
    return int(is_failure(report))


def _many(seeds: range) -> int:
    from tests.differential.case_pool import checked_in_pool, is_failure

    outcomes: Counter[str] = Counter()
    statuses: Counter[str] = Counter()
    peers = kernels = 0
    begun = time.perf_counter()
    for number, report in enumerate(checked_in_pool(MODULE, seeds), 1):
        outcomes[report["outcome"]] += 1
        statuses.update(report["statuses"])
        peers += report["duckdb"]
        kernels += bool(report["statuses"])
        if is_failure(report):
            _say(f"--- seed {report['seed']}: {report['outcome']} (alone: {report['alone']})\n{report['detail']}")
        if number % 1_000 == 0:
            _say(f"{number} cases, {time.perf_counter() - begun:.0f} s, {dict(outcomes)}")
    calls = {STATUSES[status]: count for status, count in sorted(statuses.items())}
    _say(
        f"{len(seeds)} cases, {time.perf_counter() - begun:.0f} s: {dict(outcomes)}\n"
        f"{peers} compared with DuckDB, {kernels} with kernels, which were called: {calls}"
    )
    return int(any(is_failure({"outcome": outcome}) for outcome in outcomes))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
