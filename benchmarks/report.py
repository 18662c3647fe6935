"""What was measured, as a table in the terminal and as a page of the documentation."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version

from rich import box
from rich.table import Table

from benchmarks.runner import OURS, Case

_HEADER = ("case", "contender", "median", "least", "ours / theirs")
_PACKAGES = ("duckdb", "polars", "pyarrow", "numpy")

_PAGE = """# Benchmarks

Side-by-side runs of lazyframe and its peers over the same data. In a checkout:

```sh
pip install -e '.[bench]'
{command}
```

Each contender runs once to warm up, when its answer is compared with the others', and then in turn with them, round after
round. Whatever a contender keeps between runs of its own accord it may keep; our frames are made anew for each run. *Ours /
theirs* is the ratio of the medians: 2.00 means that lazyframe took twice as long, or twice the memory.

These figures are from a machine with {cores} cores, {system} and Python {python}, with {packages}.
"""


def rows(cases: Sequence[Case]) -> Iterator[tuple[str, ...]]:
    """The cells of the table, contender by contender."""
    for case in cases:
        for index, contender in enumerate(case.samples):
            ratio = case.ratio(contender)
            yield (
                case.name if index == 0 else "",
                contender,
                quantity(case.median(contender), case.unit),
                quantity(case.least(contender), case.unit),
                "" if ratio is None or contender == OURS else f"{ratio:.2f}",
            )


def line(case: Case) -> str:
    """A case in one line, by medians."""
    return f"{case.name}: " + ", ".join([f"{who} {quantity(case.median(who), case.unit)}" for who in case.samples])


def terminal_table(title: str, cases: Sequence[Case]) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for name in _HEADER:
        table.add_column(name, justify="left" if name in _HEADER[:2] else "right")
    for cells in rows(cases):
        table.add_row(*cells)
    return table


def page(command: str, found: Mapping[str, tuple[str, Sequence[Case]]]) -> str:
    """The page of the documentation.

    Args:
        command: what makes it.
        found: by name of a benchmark, what it is about and what it measured.
    """
    parts = [
        _PAGE.format(
            command=command,
            cores=os.cpu_count(),
            system=platform.system(),
            python=platform.python_version(),
            packages=", ".join(f"{name} {_version(name)}" for name in _PACKAGES),
        )
    ]
    for name, (about, cases) in found.items():
        lines = [
            f"| {' | '.join(cells)} |" for cells in (_HEADER, ("---", "---", "---:", "---:", "---:"), *rows(cases))
        ]
        parts.append(f"## {name}\n\n{about}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def quantity(value: float, unit: str) -> str:
    """A measured number with a unit that suits its size.

    >>> quantity(0.000731, "s"), quantity(0.0424, "s"), quantity(12.3, "s"), quantity(734003200, "bytes")
    ('731 µs', '42.4 ms', '12.30 s', '700 MiB')
    >>> quantity(6001215, "rows"), quantity(1.25, "times")
    ('6,001,215', '1.25')
    """
    if unit in ("rows", "queries"):
        return f"{value:,.0f}"
    if unit == "times":
        return f"{value:,.2f}"
    if unit == "bytes":
        return f"{value / 2**20:,.0f} MiB"
    if value < 0.002:
        return f"{value * 1e6:,.0f} µs"
    return f"{value * 1e3:,.1f} ms" if value < 2 else f"{value:.2f} s"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(not installed)"
