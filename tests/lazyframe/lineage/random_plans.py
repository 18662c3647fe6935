"""Queries and tables by chance, for tests of what lineage promises."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pyarrow as pa

import lazyframe as lf
from lazyframe import col

INTS = ("k", "a", "b", "c", "d")


def table(rng: random.Random, prefix: str, rows: int) -> pa.Table:
    """Small numbers, so that keys meet and ties are there, and nulls."""
    return pa.table(
        {
            prefix + name: pa.array([None if rng.random() < 0.1 else rng.randrange(6) for _ in range(rows)], pa.int64())
            for name in INTS
        }
    )


def changed(rng: random.Random, data: pa.Table, names: set[str]) -> pa.Table:
    """The same table with other values in some columns."""
    for name in sorted(names):
        values = [rng.choice([None, rng.randrange(9), rng.randrange(-9, 0)]) for _ in range(len(data))]
        data = data.set_column(data.schema.get_field_index(name), name, pa.array(values, pa.int64()))
    return data


class Builder:
    """Builds one query by chance; the same chance builds the same query over other tables."""

    def __init__(
        self,
        seed: int,
        steps: Sequence[Callable[..., lf.LazyFrame]] = (),
        most: int = 200,
        last: Callable[..., lf.LazyFrame] | None = None,
    ) -> None:
        self.seed = seed
        self.last = None if last is None else last.__get__(self)
        self.most = most
        self.steps = steps or STEPS

    def over(self, tables: dict[str, pa.Table]) -> lf.LazyFrame:
        self.rng = random.Random(self.seed)
        frames = self.frames = [lf.from_arrow(data).lazy() for data in tables.values()]
        frame = frames[0]
        for number in range(self.rng.randrange(1, 6)):
            step = self.rng.choice(self.steps)
            frame = step(self, frame, frames, number)
        return frame if self.last is None else self.last(frame, frames, 9)

    def name(self, frame: lf.LazyFrame) -> str:
        return self.rng.choice(frame.columns)

    def join(self, frame, frames, number):
        return self.joined(frame, frames, number, self.rng.choice(["inner", "left", "full", "semi", "anti", "right"]))

    def inner_join(self, frame, frames, number):
        return self.joined(frame, frames, number, "inner")

    def joined(self, frame, frames, number, how):
        other = frames[self.rng.randrange(1, len(frames))]
        other = other.rename({name: f"{name}_{number}" for name in other.columns})
        return frame.join(other, left_on=self.name(frame), right_on=self.name(other), how=how).head(self.most)

    def filter(self, frame, frames, number):
        if self.rng.random() < 0.9:
            return self.keep(frame, frames, number)
        return frame.filter(col(self.name(frame)) > col(self.name(frame)).min())

    def keep(self, frame, frames, number):
        return frame.filter(col(self.name(frame)).fill_null(0) >= self.rng.randrange(3))

    def compute(self, frame, frames, number):
        one, other = self.name(frame), self.name(frame)
        value = self.rng.choice(
            [
                col(one) + col(other),
                lf.when(col(one) > 2).then(col(other)).otherwise(lf.lit(1)),
                lf.coalesce(col(one), col(other)),
            ]
        )
        return frame.with_columns(value.cast("int64").alias(f"x{number}"))

    def choose(self, frame, frames, number):
        return frame.select(self.rng.sample(frame.columns, self.rng.randrange(1, len(frame.columns) + 1)))

    def group(self, frame, frames, number):
        keys = self.rng.sample(frame.columns, self.rng.randrange(0, min(3, len(frame.columns) + 1)))
        value, condition = self.name(frame), self.name(frame)
        made = [
            col(value).sum().cast("int64").alias(f"s{number}"),
            lf.len().cast("int64").alias(f"n{number}"),
            col(value).filter(col(condition) > 2).max().alias(f"m{number}"),
            col(value).first().alias(f"f{number}"),
        ]
        made = self.rng.sample(made, self.rng.randrange(1, 4))
        return frame.group_by(*keys).agg(*made) if keys else frame.select(made)

    def window(self, frame, frames, number):
        value, over, by = self.name(frame), self.name(frame), self.name(frame)
        made = self.rng.choice(
            [
                col(value).sum().over(over),
                col(value).shift(1).over(over, order_by=by),
                col(value).cum_sum(),
                lf.row_number().over(over, order_by=by),
            ]
        )
        return frame.with_columns(made.cast("int64").alias(f"w{number}"))

    def reaching(self, frame, frames, number):
        """Windows whose frames begin or end at the row: over the rows of a frame alone they have the same value."""
        value, over, by = self.name(frame), self.name(frame), self.name(frame)
        within = self.rng.choice([{"partition_by": over}, {"partition_by": over, "order_by": by}, {}])
        made = self.rng.choice(
            [
                lambda: col(value).cum_sum(),
                lambda: col(value).rolling_sum(3, min_samples=1),
                lambda: col(value).shift(self.rng.choice([1, -1])),
                lambda: col(value).sum(),
                lambda: col(value).filter(col(by) > 2).max(),
                lambda: col(value).forward_fill(),
            ]
        )()
        if self.rng.random() < 0.2:
            within, made = (
                {"partition_by": over, "order_by": by},
                self.rng.choice([lf.row_number(), lf.rank(), lf.dense_rank()]),
            )
        made = made.over(**within) if within else made
        return frame.with_columns(made.cast("int64").alias(f"w{number}"))

    def sort(self, frame, frames, number):
        sorted_ = frame.sort(self.name(frame), descending=self.rng.random() < 0.5)
        return sorted_.head(self.rng.randrange(3, 30)) if self.rng.random() < 0.5 else sorted_

    def distinct(self, frame, frames, number):
        return frame.unique(self.rng.choice([None, [self.name(frame)]]))

    def index(self, frame, frames, number):
        return frame.with_row_index(f"i{number}").tail(self.rng.randrange(5, 50))

    def unpivot(self, frame, frames, number):
        if len(frame.columns) < 2:
            return frame
        on = self.rng.sample(frame.columns, 2)
        index = [name for name in frame.columns if name not in on]
        return frame.unpivot(on=on, index=index, variable_name=f"v{number}", value_name=f"u{number}").drop(f"v{number}")

    def union(self, frame, frames, number):
        mine = self.rng.sample(frame.columns, min(2, len(frame.columns)))
        other = frames[-1].select([col(name).alias(new) for name, new in zip(frames[-1].columns, mine, strict=False)])
        return lf.concat([frame.select(mine), other])

    def set_operation(self, frame, frames, number):
        mine = self.rng.sample(frame.columns, 1)
        other = frames[-1].select(col(self.name(frames[-1])).alias(mine[0]))
        return (frame.select(mine).intersect if self.rng.random() < 0.5 else frame.select(mine).except_)(other)


STEPS = [
    Builder.join, Builder.join, Builder.filter, Builder.filter, Builder.compute, Builder.choose, Builder.group, Builder.group,
    Builder.window, Builder.sort, Builder.distinct, Builder.index, Builder.unpivot, Builder.union, Builder.set_operation,
]  # fmt: skip


def tables_of(rng: random.Random, rows: int = 40) -> dict[str, pa.Table]:
    return {name: table(rng, f"{name}_", rows) for name in "pqr"}
