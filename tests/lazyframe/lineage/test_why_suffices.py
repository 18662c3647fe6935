"""What `why()` promises: over the rows that it gives alone, the query gives the row again; without one of them it may not."""

from __future__ import annotations

import random
from collections import Counter

import pyarrow as pa
import pytest

from tests.lazyframe.lineage.random_plans import Builder, tables_of

GROWING = [
    Builder.join, Builder.join, Builder.filter, Builder.compute, Builder.choose, Builder.group, Builder.distinct, Builder.unpivot,
    Builder.union,
]  # fmt: skip
ALL = 1_000_000
OF_SINGLE_ROWS = [Builder.inner_join, Builder.keep, Builder.compute, Builder.choose]


def bag(frame) -> Counter:
    return Counter([tuple(row.values()) for row in frame.to_dicts()])


def over(builder: Builder, tables, numbers):
    """The query over some rows of each table."""
    return builder.over({name: data.take(pa.array(sorted(numbers[name]), pa.int64())) for name, data in tables.items()})


def sources(builder: Builder, tables, query, row) -> dict[str, set[int]]:
    names = dict(zip(tables, builder.frames, strict=True))
    found = query.why(row, **names).numbers
    return {name: set(found.get(name, [])) for name in tables}


@pytest.mark.parametrize("seed", range(60))
def test_the_rows_suffice(seed):
    rng = random.Random(seed)
    tables = tables_of(rng, 12)
    builder = Builder(seed, GROWING, ALL)
    query = builder.over(tables)
    rows = query.to_dicts()
    for number in rng.sample(range(len(rows)), min(3, len(rows))):
        query = builder.over(tables)
        numbers = sources(builder, tables, query, number)
        again = over(builder, tables, numbers)
        assert bag(again)[tuple(rows[number].values())] > 0, (
            f"row {number}, {numbers} of\n{query.explain(optimized=False)}"
        )


@pytest.mark.parametrize("seed", range(30))
def test_no_row_is_too_much_for_a_row_of_joins(seed):
    rng = random.Random(seed)
    tables = tables_of(rng, 12)
    builder = Builder(seed, OF_SINGLE_ROWS, ALL)
    query = builder.over(tables)
    rows = query.to_dicts()
    if not rows:
        return
    number = rng.randrange(len(rows))
    numbers = sources(builder, tables, query, number)
    for name, held in numbers.items():
        for left_out in held:
            fewer = over(builder, tables, {**numbers, name: held - {left_out}})
            assert (
                bag(fewer)[tuple(rows[number].values())]
                < bag(over(builder, tables, numbers))[tuple(rows[number].values())]
            )


@pytest.mark.parametrize("seed", range(60))
def test_the_rows_of_frames_suffice(seed):
    rng = random.Random(seed)
    tables = tables_of(rng, 10)
    builder = Builder(seed, [*OF_SINGLE_ROWS, Builder.unpivot, Builder.union], ALL, Builder.reaching)
    query = builder.over(tables)
    rows = query.to_dicts()
    for number in rng.sample(range(len(rows)), min(3, len(rows))):
        query = builder.over(tables)
        numbers = sources(builder, tables, query, number)
        again = over(builder, tables, numbers)
        assert bag(again)[tuple(rows[number].values())] > 0, (
            f"row {number}, {numbers} of\n{query.explain(optimized=False)}"
        )
