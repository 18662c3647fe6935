"""Kernels of functions of lists that take an expression of their items: it is computed for the items of all lists at once."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch, decoded
from lazyframe.executors.vectorized.functions.list_items import ListItems, Numbers, lists_of
from lazyframe.executors.vectorized.functions.subject import of_columns
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, KernelError
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc

if TYPE_CHECKING:
    from lazyframe.executors.vectorized.expression import Expressions
    from lazyframe.planner.scalars import Scalar


@lru_cache(maxsize=128)
def _compiled(body: Scalar, identity: int) -> Expressions:
    """Equal bodies that are written in two places have two sites for their errors, so that each is compiled."""
    from lazyframe.executors.vectorized.expression import Expressions

    return Expressions([body])


def _computed(options: dict[str, Any], columns: dict[str, pa.Array], rows: int) -> pa.Array:
    body = options["body"]
    (found,) = _compiled(body, id(body)).columns(Batch(columns, rows))
    return decoded(found, body.dtype)


def _columns(found: ListItems, others: tuple[pa.Array, ...], options: dict[str, Any]) -> dict[str, pa.Array]:
    """The columns of the body for all items of all lists."""
    rows = found.rows
    item, *position = options["parameters"]
    columns = {item: found.items}
    for name in position:
        columns[name] = arrow.array(np.arange(found.total) - found.starts[rows] + 1)
    owners = arrow.array(rows)
    columns.update(zip(options["captured"], [other.take(owners) for other in others], strict=True))
    return columns


def _transform(lists: pa.Array, *others: pa.Array, arguments: Arguments) -> pa.Array:
    found, options = ListItems(lists), arguments.options
    return lists_of(found.lengths, _computed(options, _columns(found, others, options), found.total), found.null)


def _filter(lists: pa.Array, *others: pa.Array, arguments: Arguments) -> pa.Array:
    found, options = ListItems(lists), arguments.options
    kept = _computed(options, _columns(found, others, options), found.total)
    return found.kept(arrow.numpy_of(pc.fill_null(kept, False)))


def _reduce(lists: pa.Array, *others: pa.Array, arguments: Arguments) -> pa.Array:
    """A step takes the next item of every list that has one."""
    found, options = ListItems(lists), arguments.options
    first, captured = (1, others) if not options["initial"] else (0, others[1:])
    if first:
        empty = ~found.null & (found.lengths == 0)
        if empty.any():
            raise KernelError("an empty list cannot be reduced without an initial value", int(np.argmax(empty)))
        so_far = found.at(np.zeros_like(found.starts), ~found.null)
    else:
        so_far = pc.if_else(arrow.array(found.null), arrow.scalar(None, others[0].type), others[0])
    for position in range(first, int(found.lengths.max(initial=0))):
        rows = np.flatnonzero(found.lengths > position)
        stepped = _computed(options, _step(found, rows, position, so_far, captured, options), len(rows))
        places = np.arange(len(so_far))
        places[rows] = len(so_far) + np.arange(len(rows))
        so_far = pc.take(pa.concat_arrays([so_far, stepped]), arrow.array(places))
    return so_far


def _step(
    found: ListItems,
    rows: Numbers,
    position: int,
    so_far: pa.Array,
    captured: tuple[pa.Array, ...],
    options: dict[str, Any],
) -> dict[str, pa.Array]:
    taken = arrow.array(rows)
    reduced, item, *index = options["parameters"]
    columns = {reduced: so_far.take(taken), item: pc.take(found.items, arrow.array(found.starts[rows] + position))}
    for name in index:
        columns[name] = pa.repeat(arrow.scalar(position + 1), len(rows))
    columns.update(zip(options["captured"], [column.take(taken) for column in captured], strict=True))
    return columns


KERNELS: dict[str, Kernel] = {
    "list_transform": of_columns(_transform),
    "list_filter": of_columns(_filter),
    "list_reduce": of_columns(_reduce),
}
