"""The bar that shows how far a training run is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(steps: int, wanted: bool | None) -> Iterator[Callable[[float], None]]:
    """A bar on standard error while something is trained.

    Args:
        steps: how many there will be.
        wanted: whether it is shown; None: where standard error is a terminal.

    Returns:
        What is told the loss of each step.
    """
    if wanted is None:
        wanted = sys.stderr is not None and sys.stderr.isatty()
    if not wanted:
        yield lambda loss: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("fit"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("loss {task.fields[loss]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as shown:
        task = shown.add_task("fit", total=steps, loss="")
        yield lambda loss: shown.update(task, advance=1, loss=f"{loss:.6g}")
