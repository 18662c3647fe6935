"""Random queries in SQL of the shapes that rules of the optimizer look for.

Where `sql_queries` writes subqueries at all places, this writes what can be rewritten: filters over outer joins, keys that
follow from others, groups of groups, numbered rows of which the first are asked for, conditions that are ranges, lists,
casts or said twice. What a query may answer is fixed in the same way.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.differential.sql_queries import LITERALS, Columns, Levels, QueryWriter

_COMPARED = ("=", "=", "<", "<=", ">", ">=", "<>")


class RuleQueryWriter(QueryWriter):
    """Writes one query that rules have something to do with."""

    # Conditions.

    def condition(self, levels: Levels, depth: int = 2, *, queries: bool = True) -> str:
        if self.chance(0.45):
            return self.simple(levels)
        return super().condition(levels, depth, queries=queries)

    def simple(self, levels: Levels) -> str:
        """A condition on one column, most often with literals."""
        kind = self.kind()
        column = self.column(kind, levels, 0.1)
        if column is None:
            return super().condition(levels, 0, queries=False)
        a, b, c = (self.literal(kind) for _ in range(3))
        one, two = (f"{column} {self.pick(*_COMPARED)} {literal}" for literal in (a, b))
        forms: list[str] = [
            one,
            f"({one} and {two})",
            f"({one} or {two})",
            f"({one} and ({one} or {two}))",
            f"(({one} and {two}) or ({one} and {self.other(levels)}))",
            f"not ({one})",
            f"not ({one} and {two})",
            f"({one}) = true",
            f"({column} = {column})",
            f"({column} = {a} or {column} = {b} or {column} = {c})",
            f"({column} in ({a}, {b}) and {column} in ({b}, {c}))",
            f"({column} <> {a} and {column} <> {b})",
            f"({column} between {a} and {a})",
            f"(case when {one} then true else false end)",
            f"(case when {one} then {two} end)",
            f"coalesce({one}, false)",
            f"({column} is not null and {one})",
            f"({column} is null or {one})",
            f"({one} or not ({one}))",
            f"coalesce({column}, {a}) = {b}",
        ]
        return self.pick(*forms, *self.of_kind(kind, column))

    def other(self, levels: Levels) -> str:
        """A plain condition on any column."""
        kind = self.kind()
        return f"{self.column(kind, levels, 0) or self.literal(kind)} {self.pick(*_COMPARED)} {self.literal(kind)}"

    def of_kind(self, kind: str, column: str) -> list[str]:
        """Conditions that only values of this kind have."""
        compared, literal = self.pick(*_COMPARED), self.literal(kind)
        match kind:
            case "int":
                return [
                    f"cast({column} as bigint) {compared} {literal}",
                    f"cast({column} as double) {compared} {self.pick('1.0e0', '2.5e0', '-1.5e0')}",
                    f"cast({column} as decimal(12, 1)) {compared} {self.pick('1.0', '2.5')}",
                    f"{column} {compared} {self.pick('3000000000', '-3000000000', '2.5', '1e0')}",
                    f"{column} + 1 {compared} {literal}",
                    f"-{column} {compared} {literal}",
                ]
            case "float":
                return [f"cast({column} as float) {compared} {literal}", f"{column} {compared} 'nan'::double"]
            case "dec":
                return [f"cast({column} as decimal(12, 4)) {compared} {literal}", f"{column} {compared} 1.505"]
            case "date":
                return [
                    f"date_trunc('month', {column}) {compared} {literal}",
                    f"year({column}) {compared} {self.pick('2024', '1970', '2023')}",
                    f"month({column}) = {self.pick('1', '2', '3')}",
                    f"cast({column} as timestamp) {compared} timestamp '{self.pick('2024-02-29', '2024-01-31 01:00:00')}'",
                ]
        pattern = self.pick("'a%'", "'%b'", "'%a%'", "'ab'", "'a_'", "''", "'%'", "'A%'")
        return [
            f"{column} {self.pick('', 'not ')}like {pattern}",
            f"starts_with({column}, 'a')",
            f"lower({column}) = 'ab'",
        ]

    # Tables and joins.

    def table(self) -> tuple[str, Columns]:
        alias = self.name("r")
        columns = [(f"{alias}.{name}", kind) for name, kind in self.columns.items()]
        return f"{self.weighted(t=4, u=4, w=2, e=0.4)} {alias}", columns

    @property
    def columns(self) -> dict[str, str]:
        return {"id": "int", "k": "int", "v": "int", "s": "str", "x": "float", "d": "dec", "dt": "date"}

    def unique(self) -> tuple[str, Columns, str]:
        """A relation with a key that no two rows share, and the name of that key."""
        alias, table = self.name("q"), self.pick("t", "u", "w")
        key = self.pick("id", "k", "s")
        form = self.weighted(grouped=3, distinct=1, first=1)
        kind = self.columns[key]
        if form == "distinct":
            return f"(select distinct {key} from {table}) {alias}", [(f"{alias}.{key}", kind)], f"{alias}.{key}"
        if form == "first":
            order = self.order(list(self.columns))
            text = f"select {key}, v from {table} qualify row_number() over (partition by {key} order by {order}) = 1"
        else:
            text = f"select {key}, {self.pick('max', 'sum', 'count')}(v) as v from {table} group by {key}"
        return f"({text}) {alias}", [(f"{alias}.{key}", kind), (f"{alias}.v", "int")], f"{alias}.{key}"

    def chain(self) -> tuple[str, Columns]:
        """Two to four relations, most of them joined by an equality."""
        text, columns = self.table()
        for _ in range(self.pick(1, 1, 2, 2, 3)):
            key = ""
            if self.chance(0.4):
                right, added, key = self.unique()
            else:
                right, added = self.table()
            kind = self.weighted(inner=5, left=4, right=1.5, full=1.5, semi=1, anti=1, cross=0.5)
            if kind == "cross":
                text, columns = f"{text} cross join {right}", [*columns, *added]
                continue
            found = [
                (a, b) for a, of in columns for b, other in added if of == other and (not key or b == key)
            ]  # fmt: skip
            a, b = self.pick(*found) if found else (columns[0][0], columns[0][0])
            on = [f"{a} = {b}"]
            if self.chance(0.3):
                on.append(self.condition([[*columns, *added]], 1, queries=False))
            text = f"{text} {kind} join {right} on {' and '.join(on)}"
            columns = columns if kind in ("semi", "anti") else [*columns, *added]
        return text, columns

    def where(self, columns: Columns, share: float = 0.8) -> str:
        parts = [self.condition([columns], 1) for _ in range(self.pick(1, 1, 2, 3))]
        return f" where {' and '.join(parts)}" if self.chance(share) else ""

    def some(self, columns: Columns, most: int = 3) -> list[str]:
        """Some columns, of one of the relations only where it so happens."""
        relation = self.pick(*columns)[0].split(".")[0]
        own = [text for text, _ in columns if self.chance(0.3) or text.startswith(f"{relation}.")]
        return self.random.sample(own, min(len(own), self.random.randint(1, most)))

    def listed(self, texts: list[str]) -> str:
        return ", ".join(f"{text} as {self.name('a')}" for text in texts)

    # Queries.

    def joined(self) -> str:
        text, columns = self.chain()
        distinct = "distinct " if self.chance(0.2) else ""
        query = f"select {distinct}{self.listed(self.some(columns))} from {text}{self.where(columns)}"
        return f"select distinct * from ({query}) g" if distinct and self.chance(0.3) else query

    def missing(self) -> str:
        """Rows without a partner, as outer joins tell them."""
        one, left = self.table()
        two, right, key = self.unique() if self.chance(0.5) else (*self.table(), "")
        key = key or self.pick(*right)[0]
        own = self.column(dict(right)[key], [left])
        on = f"{own} = {key}"
        if self.chance(0.3):
            on += f" and {self.condition([[*left, *right]], 1, queries=False)}"
        other = self.pick(*right)[0]
        asked = self.pick(f"{key} is null", f"{key} is not null", f"{other} is null", f"not ({own} <> {key})")
        kind = self.pick("left", "left", "full")
        return f"select {self.listed(self.some(left))} from {one} {kind} join {two} on {on} where {asked}"

    def grouped(self) -> str:
        text, columns = self.chain() if self.chance(0.6) else self.table()
        keys = self.some(columns, 2)
        values = [self.aggregate(self.kind(), [columns]) for _ in range(self.pick(1, 2))]
        constant = [str(self.pick("1", "'x'", "null"))] if self.chance(0.15) else []
        by = ", ".join(map(str, range(1, len(keys) + len(constant) + 1)))
        listed = self.listed([*keys, *constant, *values])
        query = f"select {listed} from {text}{self.where(columns, 0.5)} group by {by}"
        if self.chance(0.4):
            query += f" having {self.pick(*keys)} is not null"
        return query

    def regrouped(self) -> str:
        """Groups of groups, or filters over them."""
        key, other = self.random.sample(["id", "k", "s", "dt"], 2)
        inner = f"select {key}, {other}, sum(v) as v, min(x) as x, count(*) as n from {self.pick('t', 'u')} group by {key}, {other}"
        columns = [("g.v", "int"), ("g.n", "int"), (f"g.{key}", self.columns[key]), (f"g.{other}", self.columns[other])]
        forms = (
            f"select {key} as a, max(v) as b, min(x) as c, sum(n) as m from ({inner}) g{{where}} group by {key}",
            f"select distinct {key} as a, {other} as b from ({inner}) g{{where}}",
            f"select {key} as a, {other} as b, n as c from ({inner}) g{{where}}",
            f"select count(distinct {key}) as a, count(distinct v) as b, count(*) as c from ({inner}) g{{where}}",
        )
        return self.pick(*forms).format(where=self.where(columns, 0.6))

    def numbered(self) -> str:
        """The first rows by some order."""
        text, columns = self.table()
        function = self.pick("row_number()", "row_number()", "rank()", "dense_rank()")
        keys = ["partition by " + self.pick(*columns)[0]] if self.chance(0.7) else []
        # Ranks may have ties, and then any order of the columns will do.
        names = [name for name, _ in columns]
        order = self.order(names) if function == "row_number()" else self.order(self.random.sample(names, 2))
        numbers = f"{function} over ({' '.join(keys)} order by {order})"
        asked = f"n {self.pick('<=', '<', '=', '<=', '>')} {self.pick('1', '2', '3')}"
        more = f" and {self.condition([[(name.split('.')[1], kind) for name, kind in columns]], 1, queries=False)}"
        return f"select * from (select *, {numbers} as n from {text}) g where {asked}{more if self.chance(0.4) else ''}"

    def limited(self) -> str:
        """The first rows of a join or a union, by an order of all their columns."""
        if self.chance(0.4):
            one, two = (f"select id, k, s from {self.table()[0]}" for _ in range(2))
            inner, width = f"({one}) union all ({two})", 3
        else:
            text, columns = self.chain()
            chosen = self.some(columns, 4)
            inner, width = f"select {self.listed(chosen)} from {text}{self.where(columns, 0.4)}", len(chosen)
        order = self.order(range(1, width + 1)) + self.pick("", "", ", 1", ", 1 desc")
        query = (
            f"select * from ({inner}) g order by {order} limit {self.pick(0, 1, 2, 5)}{self.pick('', '', ' offset 1')}"
        )
        form = self.weighted(plain=7, again=1.5, counted=1.5)
        if form == "again":
            return f"select * from ({query}) h limit {self.pick(0, 9)}"
        return f"select count(*) from ({query}) h" if form == "counted" else query

    def ordered(self) -> str:
        """An order that nothing above sees, or only in part."""
        text, columns = self.table()
        chosen = [name for name, _ in columns]
        inner = f"select * from {text}{self.where(columns, 0.4)} order by {self.order(self.random.sample(chosen, 2))}"
        key, value = self.random.sample([name.split(".")[1] for name in chosen], 2)
        return str(
            self.pick(
                f"select {key}, count(*) as n, max({value}) as m from ({inner}) g group by {key}",
                f"select distinct {key} from ({inner}) g",
                f"select {key} from ({inner}) g where {value} is not null",
                f"select g.{key} from ({inner}) g join (select * from u order by {value}) h on g.{value} = h.{value}",
                f"select * from ({inner}) g order by {self.order(range(1, 8))} limit 3",
            )
        )

    def shared(self) -> str:
        """A query of WITH that is read more than once, or a table filtered by itself."""
        text, columns = self.chain()
        inner = f"select {columns[0][0]} as a, {self.pick(*columns)[0]} as b, count(*) as n from {text} group by 1, 2"
        own = [("c.n", "int"), ("c.a", columns[0][1])]
        one, two = (self.condition([own], 1, queries=False) for _ in range(2))
        return self.pick(
            f"with c as ({inner}) select a, n from c where {one} union all select a, n from c where {two}",
            f"with c as ({inner}) select c.a, c.n, o.n as m from c join c o on c.a = o.a where {one}",
            f"with c as ({inner}) select a, n from c where n >= (select max(n) from c) and {one}",
            f"with c as ({inner}) select a, n from c where a in (select a from c where {two}) and {one}",
        )

    def whole(self) -> str:
        """Aggregates of all rows, which statistics may know."""
        column = self.pick(*self.columns)
        calls = ["count(*)", f"count({column})", f"min({column})", f"max({column})", f"count(distinct {column})"]
        listed = self.listed(self.random.sample(calls, self.pick(1, 2, 3)))
        table = self.pick("t", "u", "w", "e")
        columns = list(self.columns.items())
        return f"select {listed} from {table}{self.where(columns, 0.3)}"

    def quantified(self) -> str:
        """Rows that have a partner, or have none, of duplicates or groups."""
        text, columns = self.table()
        key, kind = self.pick(*[each for each in columns if each[1] in LITERALS])
        inner, others = self.table() if self.chance(0.5) else self.chain()
        own = [name for name, of in others if of == kind] or [f"null::{'int' if kind == 'int' else 'varchar'}"]
        if own[0].startswith("null") and kind not in ("int", "str"):
            return self.joined()
        asked = self.pick("select distinct", "select")
        member = self.pick("in", "in", "not in")
        condition = f"{key} {member} ({asked} {self.pick(*own)} from {inner}{self.where(others, 0.6)})"
        return (
            f"select {self.listed(self.some(columns))} from {text} where {condition} and {self.condition([columns], 1)}"
        )

    def rule_query(self) -> str:
        forms: dict[Callable[[], str], float] = {
            self.joined: 4, self.grouped: 3, self.regrouped: 2, self.numbered: 2, self.limited: 2, self.shared: 2,
            self.whole: 1, self.quantified: 2, self.missing: 1.5, self.ordered: 1,
        }  # fmt: skip
        return self.random.choices(list(forms), list(forms.values()))[0]()


def rule_query_of(seed: int) -> str:
    """The query of a seed."""
    return RuleQueryWriter(seed).rule_query()
