"""What was measured, as a table in the terminal and as a page of the documentation."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from typing import NamedTuple

from rich import box
from rich.table import Table

from benchmarks.runner import OURS, Case

_HEADER = ("case", "contender", "median", "least", "ours / theirs")
_MANY = 4
"""Cases with the same contenders from which on they stand side by side, a case a row."""
_PACKAGES = ("duckdb", "polars", "datafusion", "pandas", "tableauhyperapi", "pyarrow", "numpy", "llvmlite")

_PAGE = """# Benchmarks

Side-by-side runs of lazyframe and its peers over the same data. In a checkout:

```sh
pip install -e '.[bench]'
{command}
```

Each contender runs once to warm up, when its answer is compared with the others', and then in turn with them, round after
round. Whatever a contender keeps between runs of its own accord it may keep; what is read is named to each engine once. *Ours /
theirs* is the ratio of the medians: 2.00 means that lazyframe took twice as long, or twice the memory. Where contenders stand side
by side, there are their medians, and behind them this ratio.

These figures are from a machine with {cores} cores, {system} and Python {python}, with {packages}.
"""


class Block(NamedTuple):
    """A table: its header, how many columns of it are words, and the cells of its rows."""

    header: tuple[str, ...]
    words: int
    rows: list[tuple[str, ...]]


def blocks(cases: Sequence[Case]) -> Iterator[Block]:
    """The tables of a benchmark: many cases with the same contenders are a row each, others have a row a contender."""
    for contenders, group in groupby(cases, key=lambda case: tuple(case.samples)):
        alike = list(group)
        if len(alike) >= _MANY and contenders[0] == OURS and len(contenders) > 1:
            yield Block(("case", *contenders), 1, [(case.name, *_medians(case)) for case in alike])
        else:
            yield Block(_HEADER, 2, list(_rows(alike)))


def _medians(case: Case) -> Iterator[str]:
    for contender in case.samples:
        ratio = None if contender == OURS else case.ratio(contender)
        yield quantity(case.median(contender), case.unit) + ("" if ratio is None else f" ({ratio:.2f})")


def _rows(cases: Sequence[Case]) -> Iterator[tuple[str, ...]]:
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


def pictured(cases: Sequence[Case]) -> list[Case]:
    """Those that a picture shows: times of ours and of peers, many with the same contenders."""
    times = [case for case in cases if case.unit == "s" and OURS in case.samples and len(case.samples) > 1]
    return times if len(times) >= _MANY else []


def line(case: Case) -> str:
    """A case in one line, by medians."""
    return f"{case.name}: " + ", ".join([f"{who} {quantity(case.median(who), case.unit)}" for who in case.samples])


def terminal_tables(title: str, cases: Sequence[Case]) -> Iterator[Table]:
    """For the terminal; the first has the title."""
    for place, block in enumerate(blocks(cases)):
        table = Table(title=None if place else title, title_justify="left", box=box.SIMPLE_HEAD)
        for column, name in enumerate(block.header):
            table.add_column(name, justify="left" if column < block.words else "right")
        for cells in block.rows:
            table.add_row(*cells)
        yield table


def page(command: str, found: Mapping[str, tuple[str, Sequence[Case]]], pictures: Mapping[str, str]) -> str:
    """The page of the documentation.

    Args:
        command: what makes it.
        found: by name of a benchmark, what it is about and what it measured.
        pictures: by name of a benchmark that has one, the file of its picture.
    """
    parts = [
        _PAGE.format(
            command=command,
            cores=os.cpu_count(),
            system=platform.system(),
            python=platform.python_version(),
            packages=", ".join([f"{name} {release}" for name in _PACKAGES if (release := _version(name))]),
        )
    ]
    for name, (about, cases) in found.items():
        parts.append(f"## {name}\n\n{about}\n")
        if name in pictures:
            parts.append(f"![{about}]({pictures[name]})\n")
        for block in blocks(cases):
            rule = ["---" if column < block.words else "---:" for column in range(len(block.header))]
            parts.append("\n".join([f"| {' | '.join(cells)} |" for cells in (block.header, rule, *block.rows)]) + "\n")
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


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
