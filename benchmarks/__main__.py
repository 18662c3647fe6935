"""`python -m benchmarks NAME...`: run benchmarks and print what they measured."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from benchmarks.chart import chart
from benchmarks.data import default_folder
from benchmarks.options import Options
from benchmarks.report import line, page, pictured, terminal_tables
from benchmarks.runner import Case

NAMES = (
    "small", "prepared", "planning", "scan", "joins", "sorts", "groups", "tpch", "threads", "imports", "memory", "plans", "job",
    "joborder", "tpchmem", "h2o", "clickbench", "cold", "peaks", "gradients",
)  # fmt: skip
_PICTURED = ("tpch", "tpchmem", "h2o", "clickbench")
_ONLY_BY_NAME = ("memory", "plans", "job", "joborder", "tpchmem", "h2o", "clickbench", "cold", "peaks", "gradients")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Side-by-side runs against peers.")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"{', '.join(NAMES)}; all but {', '.join(_ONLY_BY_NAME)} by default"
    )
    parser.add_argument(
        "--data", type=Path, default=default_folder(), help="the folder where data is kept [%(default)s]"
    )
    parser.add_argument(
        "--scale", type=float, help="of the tables [memory: 10, h2o: 1e7 rows, clickbench: 5e6 rows, others: 1]"
    )
    parser.add_argument("--rounds", type=int, help="how often each contender has its turn")
    parser.add_argument(
        "--each",
        action="store_true",
        help="of `plans`, `job` and `joborder`: show every query, not only the worst ones",
    )
    parser.add_argument("--peers", metavar="NAME,...", help="who is asked beside us: see `benchmarks/contenders`")
    parser.add_argument(
        "--markdown",
        type=Path,
        metavar="FILE",
        help="write the tables as a page of the documentation, with pictures beside it",
    )
    parser.add_argument("--only", default="", metavar="REGEX", help="of suites: ask only questions with such names")
    parser.add_argument(
        "--cpu",
        action="store_true",
        help="of suites and fresh processes: seconds on a processor, of all threads, for a machine that is busy (Hyper's are not seen)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every sample")
    parser.add_argument("--profile", action="store_true", help="instead print where our time goes in `small`")
    given = parser.parse_args()
    if given.profile:
        from benchmarks.small import profile

        profile()
        return
    names = given.names or [name for name in NAMES if name not in _ONLY_BY_NAME]
    for name in names:
        if name not in NAMES:
            parser.error(f"no benchmark named {name!r}; there are {', '.join(NAMES)}")
    peers = None if given.peers is None else tuple(given.peers.split(","))
    options = Options(given.data, given.scale, given.rounds, given.each, peers, given.only, given.cpu)
    console = Console()
    found = {}
    for name in names:
        module = importlib.import_module(f"benchmarks.{name}")
        about = (module.__doc__ or "").partition("\n")[0]
        cases = []
        for case in module.run(options):
            cases.append(case)
            print(f"{name}: {line(case)}", file=sys.stderr, flush=True)  # a long run shows how far it is
        found[name] = (about, cases)
        for table in terminal_tables(f"[bold]{name}[/]: {about}", cases):
            console.print(table)
    if given.json:
        samples = {name: {case.name: case.samples for case in cases} for name, (_, cases) in found.items()}
        given.json.write_text(json.dumps(samples, indent=1), encoding="utf-8")
    if given.markdown:
        scale = "" if given.scale is None else f" --scale {given.scale:g}"
        asked = ("" if given.peers is None else f" --peers {given.peers}") + " --cpu" * given.cpu
        _write_page(given.markdown, f"python -m benchmarks {' '.join(names)}{scale}{asked}", found)


def _write_page(path: Path, command: str, found: Mapping[str, tuple[str, Sequence[Case]]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pictures = {}
    for name, (about, cases) in found.items():
        if name in _PICTURED and (shown := pictured(cases)):
            pictures[name] = f"{path.stem}-{name}.svg"
            path.with_name(pictures[name]).write_text(chart(about, shown), encoding="utf-8")
    path.write_text(page(command, found, pictures), encoding="utf-8")


if __name__ == "__main__":
    main()
