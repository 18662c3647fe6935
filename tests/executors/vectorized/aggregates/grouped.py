"""Running an aggregate over a column, in one batch or several."""

import pyarrow as pa

from lazyframe.executors.batch import Batch, decoded
from lazyframe.executors.vectorized.hash_aggregate import GroupedAggregation
from lazyframe.planner.scalars import AggregateCall, Column
from lazyframe.planner.types import canonical


def aggregate(function, *columns, keys=None, **options):
    """The values of an aggregate: the columns may be lists of pieces, each its own batch."""
    pieces = [column if isinstance(column, list) else [column] for column in columns]
    names = [f"x{i}" for i in range(len(pieces))]
    arguments = [Column(name, canonical(piece[0].type), True) for name, piece in zip(names, pieces, strict=True)]
    return aggregate_call(AggregateCall(function, tuple(arguments), options=tuple(options.items())), pieces, keys)


def aggregate_call(call, pieces, keys=None):
    """The values of a call over columns `x0`, `x1`, ... given in pieces."""
    by = [] if keys is None else [("k", Column("k", canonical(keys[0].type), True))]
    aggregation = GroupedAggregation(by, [("r", call)])
    partials = []
    for i, arrays in enumerate(zip(*pieces, strict=True)):
        found = {f"x{j}": array for j, array in enumerate(arrays)}
        if keys is not None:
            found["k"] = keys[i]
        partials.append(aggregation.partial(Batch(found, len(arrays[0]))))
    result = aggregation.finish(aggregation.combine(partials))
    return decoded(result["r"], call.dtype).to_pylist()


def decimal_as_int64(values, dtype):
    """A decimal column in the layout of unscaled integers, with the call's argument of type `dtype`."""
    return pa.array(values, pa.int64()), Column("x0", dtype, True)
