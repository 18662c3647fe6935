"""Random queries in SQL over small tables: subqueries of every kind above all, at every place, several levels deep.

A query is written from a seed. What it may answer is fixed by the standard: LIMIT stands behind an ORDER BY of all columns,
window functions have an order of all columns, and numbers are such that sums of them are exact.
"""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Sequence
from random import Random
from typing import Any

import pyarrow as pa

COLUMNS = {"id": "int", "k": "int", "v": "int", "s": "str", "x": "float", "d": "dec", "dt": "date"}
TYPES = {
    "id": pa.int64(), "k": pa.int32(), "v": pa.int64(), "s": pa.string(), "x": pa.float64(), "d": pa.decimal128(6, 2),
    "dt": pa.date32(),
}  # fmt: skip
VALUES: dict[str, list[Any]] = {
    "id": [0, 1, 2, 3], "k": [0, 1, 2, 3, 5], "v": [0, 1, 2, 3, 5, 7, -1], "s": ["", "a", "b", "ab", "B", "A"],
    "x": [0.0, -0.0, 0.5, 1.0, -1.5, float("nan")],
    "d": [decimal.Decimal(text) for text in ("0.00", "1.50", "-2.25", "3.00")],
    "dt": [datetime.date(*day) for day in ((1970, 1, 1), (2024, 1, 31), (2024, 2, 29), (2024, 3, 1))],
}  # fmt: skip
LITERALS = {
    "int": ["0", "1", "2", "3", "5", "-1", "7"], "str": ["'a'", "'b'", "''", "'ab'", "'B'"],
    "float": ["0.5e0", "1e0", "-1.5e0", "0e0"], "dec": ["1.50", "0.00", "-2.25", "3.00"],
    "date": ["date '2024-01-31'", "date '2024-02-29'", "date '1970-01-01'"],
}  # fmt: skip
SQL_TYPES = {"int": "int", "str": "varchar", "float": "double", "dec": "decimal(6,2)", "date": "date"}

Columns = list[tuple[str, str]]
"""Values by the text that means them, with their kinds."""
Levels = list[Columns]
"""The columns of FROM, then those of the queries around it, innermost first."""


def tables(seed: int) -> dict[str, pa.Table]:
    """Tables of the same columns, with nulls and duplicates; `e` is empty."""
    random = Random(seed)
    sizes = {"t": random.choice([5, 8]), "u": random.choice([4, 7]), "w": random.choice([1, 3]), "e": 0}
    return {name: _table(random, size, random.choice([0, 0.2, 0.4])) for name, size in sizes.items()}


def _table(random: Random, size: int, nulls: float) -> pa.Table:
    def values(name: str) -> list[Any]:
        return [None if random.random() < nulls else random.choice(VALUES[name]) for _ in range(size)]

    return pa.table({name: pa.array(values(name), dtype) for name, dtype in TYPES.items()})


class QueryWriter:
    """Writes one query.

    Args:
        seed: of all choices.
    """

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.count = 0
        self.budget = self.random.choice([1, 2, 3, 4, 5])
        self.ctes: list[tuple[str, Columns]] = []

    # Choices.

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def pick(self, *items: Any) -> Any:
        return self.random.choice(items)

    def weighted(self, **weights: float) -> str:
        return self.random.choices(list(weights), list(weights.values()))[0]

    def name(self, base: str) -> str:
        self.count += 1
        return f"{base}{self.count}"

    def kind(self) -> str:
        return self.pick("int", "int", "int", "str", "float", "dec", "date")

    def kinds(self) -> list[str]:
        return [self.kind() for _ in range(self.random.randint(1, 3))]

    def spend(self, share: float = 1.0) -> bool:
        """Whether to write another subquery."""
        if self.budget <= 0 or not self.chance(share):
            return False
        self.budget -= 1
        return True

    # Expressions.

    def column(self, kind: str, levels: Levels, outer: float = 0.35) -> str | None:
        """A column of the kind, often of a query around."""
        order = list(range(len(levels)))
        if len(levels) > 1 and self.chance(outer):
            order.insert(0, self.random.randrange(1, len(levels)))
        for level in order:
            found = [text for text, of in levels[level] if of == kind]
            if found:
                return str(self.pick(*found))
        return None

    def literal(self, kind: str) -> str:
        if self.chance(0.05):
            return f"null::{SQL_TYPES[kind]}"
        return str(self.pick(*LITERALS[kind]))

    def value(self, kind: str, levels: Levels, depth: int = 1, *, queries: bool = True) -> str:
        column = self.column(kind, levels)
        if depth <= 0 or self.chance(0.55):
            return column if column is not None and self.chance(0.92) else self.literal(kind)
        if queries and self.spend(0.35):
            return self.scalar_query(kind, levels)
        a, b = (self.value(kind, levels, depth - 1, queries=queries) for _ in range(2))
        form = self.weighted(case=1, coalesce=1, computed=2)
        if form == "case":
            return f"case when {self.condition(levels, depth - 1, queries=queries)} then {a} else {b} end"
        if form == "coalesce":
            return f"coalesce({a}, {b})"
        if kind == "str":
            return str(self.pick(f"({a} || {b})", f"upper({a})"))
        if kind == "date":
            return f"({a} + interval 1 day)::date"
        return f"({a} {self.pick('+', '-')} {b})"

    def condition(self, levels: Levels, depth: int = 2, *, queries: bool = True) -> str:
        if queries and depth > 0 and self.spend(0.35):
            return self.query_condition(levels)
        if depth > 1 and self.chance(0.3):
            a, b = (self.condition(levels, depth - 1, queries=queries) for _ in range(2))
            return str(self.pick(f"({a} and {b})", f"({a} or {b})", f"not ({a})"))
        kind = self.kind()
        a, b, c = (self.value(kind, levels, min(depth, 1), queries=queries) for _ in range(3))
        form = self.weighted(compared=8, null=1, member=1, between=1)
        if form == "null":
            return f"({a} is {self.pick('', 'not ')}null)"
        if form == "member":
            return f"({a} {self.pick('', 'not ')}in ({self.literal(kind)}, {self.literal(kind)}))"
        if form == "between":
            return f"({a} between {b} and {c})"
        return f"({a} {self.pick('=', '=', '<', '>=', '<>', 'is not distinct from', 'is distinct from')} {b})"

    def dependence(self, levels: Levels) -> str:
        """A condition between a column of FROM and one of a query around."""
        around = [each for level in levels[1:] for each in level]
        outer, kind = self.pick(*around) if around else ("", "")
        inner = self.column(kind, levels[:1])
        if inner is None:
            return self.condition(levels, 1, queries=False)
        form = self.weighted(equal=4, shifted=2, same=2, compared=2, either=1, computed=1)
        if form == "shifted" and kind == "int":
            return str(self.pick(f"{inner} = {outer} + 1", f"{inner} - 1 = {outer}", f"{inner} + {outer} = 3"))
        if form == "same":
            return f"{inner} is not distinct from {outer}"
        if form == "compared":
            return f"{inner} {self.pick('<', '>', '<=', '>=', '<>')} {outer}"
        if form == "either":
            return f"({inner} = {outer} or {inner} is null)"
        if form == "computed":
            return f"coalesce({inner}, {self.literal(kind)}) = {outer}"
        return f"{inner} = {outer}"

    # Subqueries in expressions.

    def scalar_query(self, kind: str, levels: Levels) -> str:
        form = self.weighted(whole=5, first=4, bare=1)
        if form == "bare":
            return f"({self.bare([kind], levels)[0]})"
        return f"({self.select([kind], levels, whole=form == 'whole', limit=1 if form == 'first' else None)[0]})"

    def query_condition(self, levels: Levels) -> str:
        kind = self.kind()
        form = self.weighted(exists=3, member=3, rows=1, quantified=2, compared=2)
        if form == "exists":
            return f"{self.pick('', 'not ')}exists ({self.query(self.kinds(), levels)[0]})"
        if form == "rows":
            pair = f"({self.value('int', levels, 0)}, {self.value('str', levels, 0)})"
            return f"({pair} {self.pick('', 'not ')}in ({self.query(['int', 'str'], levels)[0]}))"
        value = self.value(kind, levels, 1, queries=False)
        if form == "member":
            return f"({value} {self.pick('', 'not ')}in ({self.query([kind], levels)[0]}))"
        compared = f"{value} {self.pick('=', '<>', '<', '<=', '>', '>=')}"
        if form == "quantified":
            return f"({compared} {self.pick('any', 'all')} ({self.query([kind], levels)[0]}))"
        return f"({compared} {self.scalar_query(kind, levels)})"

    # Aggregates and windows.

    def aggregate(self, kind: str, levels: Levels) -> str:
        own = self.column(kind, levels[:1])
        if own is None:
            # An aggregate of outer columns alone would belong to the query around.
            own = f"case when {levels[0][0][0]} is null then {self.literal(kind)} else {self.literal(kind)} end"
        elif self.chance(0.3):
            own = f"case when {self.condition(levels, 1)} then {own} else {self.value(kind, levels, 0)} end"
        where = f" filter (where {self.condition(levels, 1)})" if self.chance(0.15) else ""
        if kind == "int":
            any_column = self.pick(*levels[0])[0]
            calls = [f"count({any_column})", f"count(distinct {any_column})", "count(*)", f"sum({own})", f"max({own})"]
            return f"{self.pick(*calls)}{where}"
        functions = ["min", "max"] if kind in ("str", "date") else ["min", "max", "sum"]
        return f"{self.pick(*functions)}({own}){where}"

    def window(self, kind: str, own: Columns) -> str:
        found = [text for text, of in own if of == kind]
        if kind == "int" and (not found or self.chance(0.4)):
            call = self.pick("row_number()", "rank()", "dense_rank()", "ntile(2)")
            frames = [""]
        elif not found:
            return self.literal(kind)
        else:
            call = f"{self.pick('lag', 'lead', 'first_value', 'last_value', 'min', 'max')}({self.pick(*found)})"
            frames = ["", " rows between 1 preceding and current row", " rows between 1 following and 2 following",
                      " groups between 1 preceding and 1 following exclude current row"]  # fmt: skip
            frames = frames[:1] if call.startswith("l") and not call.startswith("last") else frames
        partition = f"partition by {self.pick(*own)[0]} " if self.chance(0.6) else ""
        return f"{call} over ({partition}order by {self.order([text for text, _ in own])}{self.pick(*frames)})"

    def order(self, texts: Sequence[object]) -> str:
        ways = (" nulls last", " desc nulls last", " nulls first")
        return ", ".join(f"{text}{self.pick(*ways)}" for text in self.random.sample(list(texts), len(texts)))

    # FROM.

    def source(self, levels: Levels, left: Columns | None) -> tuple[str, Columns, bool]:
        """A table or query; whether it may depend on those `left` of it."""
        alias = self.name("r")
        if self.spend(0.2):
            lateral = left is not None and self.chance(0.5)
            around = [left, *levels] if lateral and left is not None else levels
            text, columns = self.query([*self.kinds(), "int"], around)
            names = [f"c{number}" for number in range(len(columns))]
            known = [(f"{alias}.{name}", kind) for name, (_, kind) in zip(names, columns, strict=True)]
            return f"{'lateral ' if lateral else ''}({text}) {alias}({', '.join(names)})", known, lateral
        if self.ctes and self.chance(0.5):
            name, columns = self.pick(*self.ctes)
            return f"{name} {alias}", [(f"{alias}.{column}", kind) for column, kind in columns], False
        if left is not None and self.chance(0.08):
            values = [self.value("int", [left, *levels], 0) for _ in range(2)]
            lists = (f"unnest([{', '.join(values)}])", f"lateral (values ({values[0]}), ({values[1]}))")
            return f"{self.pick(*lists)} {alias}(c0)", [(f"{alias}.c0", "int")], True
        table = self.weighted(t=4, u=4, w=2, e=0.6)
        return f"{table} {alias}", [(f"{alias}.{name}", kind) for name, kind in COLUMNS.items()], False

    def sources(self, levels: Levels) -> tuple[str, Columns]:
        text, columns, _ = self.source(levels, None)
        for _ in range(self.pick(0, 0, 0, 1, 1, 2)):
            right, added, lateral = self.source(levels, columns)
            both = [*columns, *added]
            if lateral:
                on = self.condition([both, *levels], 1, queries=False) if self.chance(0.5) else "true"
                text, columns = f"{text} {self.pick('inner', 'left')} join {right} on {on}", both
                continue
            kind = self.weighted(inner=4, left=3, right=2, full=2, semi=1, anti=1)
            parts: list[str] = []
            one, of = self.pick(*columns)
            other = self.column(of, [added])
            if other is not None and self.chance(0.75):
                parts.append(f"{one} {self.pick('=', '=', '=', 'is not distinct from')} {other}")
            if not parts or self.chance(0.35):
                parts.append(self.condition([both, *levels], 1))
            text = f"{text} {kind} join {right} on {' and '.join(parts)}"
            columns = columns if kind in ("semi", "anti") else both
        return text, columns

    def using(self) -> tuple[str, Columns]:
        a, b = self.name("r"), self.name("r")
        shared = self.random.sample(list(COLUMNS), self.random.randint(1, 2))
        kind = self.pick("inner", "left", "right", "full")
        text = f"{self.pick('t', 'u')} {a} {kind} join {self.pick('u', 'w')} {b} using ({', '.join(shared)})"
        own = [(f"{alias}.{name}", of) for alias in (a, b) for name, of in COLUMNS.items() if name not in shared]
        return text, [*[(name, COLUMNS[name]) for name in shared], *own]

    # Queries.

    def bare(self, kinds: Sequence[str], levels: Levels) -> tuple[str, Columns]:
        """A SELECT without FROM."""
        names = [self.name("a") for _ in kinds]
        items = [f"{self.value(kind, [[], *levels])} as {name}" for kind, name in zip(kinds, names, strict=True)]
        return f"select {', '.join(items)}", list(zip(names, kinds, strict=True))

    def select(
        self, kinds: Sequence[str], levels: Levels, *, whole: bool = False, limit: int | None = None
    ) -> tuple[str, Columns]:
        """A SELECT of columns of some kinds; `whole`: one row that aggregates all."""
        text, own = self.using() if not levels and self.chance(0.12) else self.sources(levels)
        inner = [own, *levels]
        where = [self.dependence(inner) for share in (0.75, 0.2) if levels and self.chance(share)]
        if self.chance(0.25 if levels else 0.55):
            where.append(self.condition(inner))
        form = "whole" if whole else self.weighted(plain=6, whole=1, groups=3, sets=0.8, windows=1.2)
        tail = ""
        if form == "plain":
            items = [self.value(kind, inner) for kind in kinds]
        elif form == "windows":
            items = [self.window(kind, own) for kind in kinds]
            if self.chance(0.3):
                tail = f" qualify {self.window('int', own)} {self.pick('<=', '>', '=')} 1"
        else:
            keys = [] if form == "whole" else self.random.sample(own, min(len(own), self.random.randint(1, 2)))
            items = [self.of_groups(kind, inner, keys) for kind in kinds]
            tail = self.grouping([key for key, _ in keys], form) if keys else ""
            if self.chance(0.3 if keys else 0.1):
                tail += f" having {self.of_groups('int', inner, keys)} {self.pick('>', '<', '=')} {self.literal('int')}"
                if keys and self.chance(0.5):
                    tail += f" and {self.condition([keys, *levels], 1)}"
        names = [self.name("a") for _ in kinds]
        distinct = "distinct " if self.chance(0.12) else ""
        listed = ", ".join([f"{item} as {name}" for item, name in zip(items, names, strict=True)])
        where_text = f" where {' and '.join(where)}" if where else ""
        query = f"select {distinct}{listed} from {text}{where_text}{tail}"
        if limit is None and form != "whole" and self.chance(0.14):
            limit = self.random.randint(0, 4)
        if limit is not None:
            query += f" order by {self.order(range(1, len(names) + 1))} limit {limit}{self.pick('', '', ' offset 1')}"
        return query, list(zip(names, kinds, strict=True))

    def of_groups(self, kind: str, levels: Levels, keys: Columns) -> str:
        own = [key for key, of in keys if of == kind]
        if own and self.chance(0.4):
            return str(self.pick(*own))
        found = self.aggregate(kind, levels)
        if self.chance(0.15) and any([keys, *levels[1:]]):
            other = self.value(kind, [keys, *levels[1:]])
            return f"case when {self.aggregate('int', levels)} > 1 then {other} else {found} end"
        return found

    def grouping(self, keys: list[str], form: str) -> str:
        listed = ", ".join(keys)
        if form == "groups":
            return f" group by {listed}"
        sets = f"grouping sets (({listed}), ({keys[0]}), ())"
        return f" group by {self.pick(f'rollup ({listed})', f'cube ({listed})', sets)}"

    def query(self, kinds: Sequence[str], levels: Levels) -> tuple[str, Columns]:
        """Any query."""
        if self.spend(0.12):
            a, columns = self.select(kinds, levels)
            b, _ = self.select(kinds, levels)
            operation = self.pick("union", "union all", "intersect", "except", "intersect all", "except all")
            text = f"({a}) {operation} ({b})"
            if self.chance(0.3):
                order = self.order(range(1, len(kinds) + 1))
                text = f"select * from ({text}) {self.name('r')} order by {order} limit {self.random.randint(0, 3)}"
            return text, columns
        if not self.ctes and self.spend(0.08):
            name = self.name("c")
            text, columns = self.select([*kinds, "int"], levels)
            self.ctes.append((name, columns))
            found, columns = self.select(kinds, levels)
            self.ctes.pop()
            return f"with {name} as ({text}) {found}", columns
        if levels and self.chance(0.06):
            return self.bare(kinds, levels)
        return self.select(kinds, levels)


def query_of(seed: int) -> str:
    """The query of a seed."""
    writer = QueryWriter(seed)
    return writer.query(writer.kinds(), [])[0]
