"""The kernels of a query, for who wants to read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Generated(Protocol):
    """What was written for a kernel.

    Attributes:
        notes: what it does, one line a step.
        ir: the same as LLVM is given it.
    """

    ir: str

    @property
    def notes(self) -> Sequence[object]: ...


class Operator(Protocol):
    """What has kernels: none before the first batch, and several where batches are laid out in several ways."""

    def programs(self) -> Sequence[Generated]: ...


_listed: ContextVar[list[Operator] | None] = ContextVar("listed", default=None)


@contextmanager
def listed(operators: list[Operator] | None) -> Iterator[None]:
    """Have operators listed that are made meanwhile; with None, none are."""
    before = _listed.set(operators)
    try:
        yield
    finally:
        _listed.reset(before)


def note_operator(operator: Operator) -> None:
    found = _listed.get()
    if found is not None:
        found.append(operator)
