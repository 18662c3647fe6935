"""Random chains of verbs, each step applied to the same query in this engine, in DuckDB's SQL and in Polars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import polars as pl
from hypothesis import event
from hypothesis import strategies as st

import lazyframe as lf
from lazyframe.planner.unbound import Constant, Ref
from tests.differential.expressions import E, aggregates, any_value, column, quoted, values
from tests.differential.tables import family


@dataclass(frozen=True)
class Query:
    """A query in three languages.

    Args:
        ours: for this engine.
        sql: for DuckDB; None where SQL cannot say it, or says something else.
        polars: for Polars, likewise.
        polars_order: whether Polars has the rows in the same order.
        in_order: whether the rows are in the order of all their columns, so that SQL knows which are the first.
        steps: the verbs.
    """

    ours: lf.LazyFrame
    sql: str | None
    polars: pl.LazyFrame | None
    polars_order: bool = True
    in_order: bool = False
    steps: tuple[str, ...] = field(default=())

    @property
    def names(self) -> list[str]:
        return self.ours.columns

    def then(
        self,
        step: str,
        ours: lf.LazyFrame,
        sql: str | None = None,
        polars: Callable[[pl.LazyFrame], pl.LazyFrame | None] | None = None,
        *,
        polars_order: bool | None = None,
        in_order: bool = False,
    ) -> Query:
        """The query with a verb more; `sql` is a format with `{t}` for what it reads."""
        return Query(
            ours,
            sql.replace("{t}", f"({self.sql}) t") if sql is not None and self.sql is not None else None,
            polars(self.polars) if polars is not None and self.polars is not None else None,
            self.polars_order if polars_order is None else polars_order,
            in_order,
            (*self.steps, step),
        )

    def forget_peers(self) -> Query:
        return replace(self, sql=None, polars=None)


Draw = st.DrawFn


def _listed(expressions: Sequence[tuple[str, E]]) -> str | None:
    if any(e.sql is None for _, e in expressions):
        return None
    return ", ".join(f"{e.sql} AS {quoted(name)}" for name, e in expressions)


def _polars(expressions: Sequence[tuple[str, E]]) -> list[pl.Expr] | None:
    if any(e.polars is None for _, e in expressions):
        return None
    return [e.polars.alias(name) for name, e in expressions if e.polars is not None]


def _filter(draw: Draw, q: Query, other: Query) -> Query:
    p = draw(values(q.ours.schema, "bool", 3))
    sql = None if p.sql is None else f"SELECT * FROM {{t}} WHERE {p.sql}"
    return q.then(
        f"filter({p.ours!r})", q.ours.filter(p.ours), sql,
        None if p.polars is None else lambda f: f.filter(p.polars), in_order=q.in_order,
    )  # fmt: skip


def _select(draw: Draw, q: Query, other: Query) -> Query:
    kept = draw(st.lists(st.sampled_from(q.names), unique=True, max_size=3))
    exprs = [(n, column(n)) for n in kept]
    free = [n for n in "xyz" if n not in kept]
    exprs += [(n, draw(any_value(q.ours.schema))) for n in free[: draw(st.integers(0 if kept else 1, 2))]]
    listed, peers = _listed(exprs), _polars(exprs)
    if not any(_is_column(e) for _, e in exprs):
        peers = None  # Polars gives one row for constants alone
    return q.then(
        f"select({[(n, e.ours) for n, e in exprs]})", q.ours.select([e.ours.alias(n) for n, e in exprs]),
        None if listed is None else f"SELECT {listed} FROM {{t}}",
        None if peers is None else lambda f: f.select(peers),
    )  # fmt: skip


def _with_columns(draw: Draw, q: Query, other: Query) -> Query:
    names = draw(st.lists(st.sampled_from([*q.names, "w", "v"]), unique=True, min_size=1, max_size=2))
    exprs = [(n, draw(any_value(q.ours.schema))) for n in names]
    new = dict(exprs)
    every = [(n, new.get(n) or column(n)) for n in dict.fromkeys([*q.names, *names])]
    listed, peers = _listed(every), _polars(exprs)
    return q.then(
        f"with_columns({[(n, e.ours) for n, e in exprs]})", q.ours.with_columns([e.ours.alias(n) for n, e in exprs]),
        None if listed is None else f"SELECT {listed} FROM {{t}}",
        None if peers is None else lambda f: f.with_columns(peers),
    )  # fmt: skip


def _with_aggregate(draw: Draw, q: Query, other: Query) -> Query:
    e = draw(aggregates(q.ours.schema, ordered=False))
    return q.then(f"with_columns(g={e.ours!r})", q.ours.with_columns(e.ours.alias("g")))


def _drop_rename(draw: Draw, q: Query, other: Query) -> Query:
    name = draw(st.sampled_from(q.names))
    if len(q.names) > 1 and draw(st.booleans()):
        return q.then(
            f"drop({name})", q.ours.drop(name), f"SELECT * EXCLUDE ({quoted(name)}) FROM {{t}}", lambda f: f.drop(name)
        )
    new = "r" + name
    if new in q.names:
        return q
    return q.then(
        f"rename({name})", q.ours.rename({name: new}), f"SELECT * RENAME ({quoted(name)} AS {quoted(new)}) FROM {{t}}",
        lambda f: f.rename({name: new}), in_order=q.in_order,
    )  # fmt: skip


def _sort(draw: Draw, q: Query, other: Query) -> Query:
    full = draw(st.booleans())
    names = q.names if full else draw(st.lists(st.sampled_from(q.names), unique=True, min_size=1, max_size=2))
    if any(family(q.ours.schema[n]) == "other" for n in names):
        return q
    down = [draw(st.booleans()) for _ in names]
    nulls = [draw(st.booleans()) for _ in names]
    keys = ", ".join(
        f"{quoted(n)} {'DESC' if d else 'ASC'} NULLS {'FIRST' if f else 'LAST'}"
        for n, d, f in zip(names, down, nulls, strict=True)
    )
    return q.then(
        f"sort({names}, {down}, {nulls})", q.ours.sort(names, descending=down, nulls_first=nulls),
        f"SELECT * FROM {{t}} ORDER BY {keys}",
        lambda f: f.sort(names, descending=down, nulls_last=[not n for n in nulls], maintain_order=True),
        in_order=full,
    )  # fmt: skip


def _head(draw: Draw, q: Query, other: Query) -> Query:
    n, offset = draw(st.integers(0, 6)), draw(st.sampled_from([0, 0, 1, 3]))
    sql = f"SELECT * FROM {{t}} LIMIT {n} OFFSET {offset}" if q.in_order else None
    ours = q.ours.head(n) if offset == 0 else q.ours.slice(offset, n)
    return q.then(
        f"slice({offset}, {n})",
        ours,
        sql,
        (lambda f: f.slice(offset, n)) if q.polars_order else None,
        in_order=q.in_order,
    )


def _tail(draw: Draw, q: Query, other: Query) -> Query:
    n = draw(st.integers(0, 6))
    if draw(st.booleans()):
        return q.then(f"tail({n})", q.ours.tail(n), None, (lambda f: f.tail(n)) if q.polars_order else None)
    length = draw(st.integers(0, 4))
    return q.then(
        f"slice({-n - 1}, {length})", q.ours.slice(-n - 1, length), None,
        (lambda f: f.slice(-n - 1, length)) if q.polars_order else None,
    )  # fmt: skip


def _top(draw: Draw, q: Query, other: Query) -> Query:
    names = draw(st.lists(st.sampled_from(q.names), unique=True, min_size=1, max_size=2))
    if any(family(q.ours.schema[n]) == "other" for n in names):
        return q
    k = draw(st.integers(0, 4))
    if draw(st.booleans()):
        return q.then(f"top_k({k}, {names})", q.ours.top_k(k, by=names), None,
            (lambda f: f.sort(names, descending=True, nulls_last=True, maintain_order=True).head(k)) if q.polars_order else None)  # fmt: skip
    return q.then(f"bottom_k({k}, {names})", q.ours.bottom_k(k, by=names), None,
        (lambda f: f.sort(names, nulls_last=True, maintain_order=True).head(k)) if q.polars_order else None)  # fmt: skip


def _group_by(draw: Draw, q: Query, other: Query) -> Query:
    kept = draw(st.lists(st.sampled_from(q.names), unique=True, max_size=2))
    keys: list[tuple[str, E]] = [(n, column(n)) for n in kept]
    if not keys or draw(st.integers(0, 3)) == 0:
        keys.append(("key", draw(any_value(q.ours.schema, 1))))
    aggs = [(n, draw(aggregates(q.ours.schema, ordered=q.polars_order))) for n in ("p", "q")[: draw(st.integers(0, 2))]]
    listed, peers, peer_keys = _listed([*keys, *aggs]), _polars(aggs), _polars(keys)
    if len({n for n, _ in [*keys, *aggs]}) < len(keys) + len(aggs):
        return q
    sql = None
    if listed is not None:
        sql = f"SELECT {listed} FROM {{t}} GROUP BY {', '.join(str(i + 1) for i in range(len(keys)))}"
        if any("::" in str(e.sql) or "(" in str(e.sql) for _, e in keys):
            sql = None if any(_is_constant(e) for _, e in keys) else sql
    if not kept:
        peer_keys = None
    return q.then(
        f"group_by({[(n, e.ours) for n, e in keys]}).agg({[(n, e.ours) for n, e in aggs]})",
        q.ours.group_by([e.ours.alias(n) for n, e in keys]).agg([e.ours.alias(n) for n, e in aggs]),
        sql,
        None if peers is None or peer_keys is None else lambda f: f.group_by(peer_keys, maintain_order=True).agg(peers),
    )  # fmt: skip


def _is_column(e: E) -> bool:
    return isinstance(e.ours._node, Ref)


def _is_constant(e: E) -> bool:
    return isinstance(e.ours._node, Constant)


def _total(draw: Draw, q: Query, other: Query) -> Query:
    aggs = [(n, draw(aggregates(q.ours.schema, ordered=q.polars_order))) for n in ("p", "q")]
    listed, peers = _listed(aggs), _polars(aggs)
    return q.then(
        f"select({[(n, e.ours) for n, e in aggs]})", q.ours.select([e.ours.alias(n) for n, e in aggs]),
        None if listed is None else f"SELECT {listed} FROM {{t}}",
        None if peers is None else lambda f: f.select(peers),
    )  # fmt: skip


def _list_and_explode(draw: Draw, q: Query, other: Query) -> Query:
    key, value = draw(st.sampled_from(q.names)), draw(st.sampled_from(q.names))
    if family(q.ours.schema[key]) == "other":
        return q
    p = draw(values(q.ours.schema, "bool", 1))
    ours = q.ours.group_by(lf.col(key).alias("k")).agg(lf.col(value).filter(p.ours).implode().alias("l"))
    peer = None
    if draw(st.booleans()):
        ours = ours.explode("l")
        if p.polars is not None and q.polars_order:
            peer = lambda f: (  # noqa: E731
                f.group_by(pl.col(key).alias("k"), maintain_order=True)
                .agg(pl.col(value).filter(p.polars).alias("l"))
                .explode("l", empty_as_null=True)
            )
    return q.then(f"group_by({key}).agg(implode {value} where {p.ours!r}).explode", ours, None, peer)


def _unique(draw: Draw, q: Query, other: Query) -> Query:
    if draw(st.booleans()):
        return q.then(
            "unique()", q.ours.unique(), "SELECT DISTINCT * FROM {t}", lambda f: f.unique(maintain_order=True)
        )
    subset = draw(st.lists(st.sampled_from(q.names), unique=True, min_size=1, max_size=2))
    keep = draw(st.sampled_from(["first", "last", "none"]))
    return q.then(
        f"unique({subset}, keep={keep})", q.ours.unique(subset, keep=keep), None,
        (lambda f: f.unique(subset, keep=keep, maintain_order=True)) if q.polars_order else None,
    )  # fmt: skip


def _concat(draw: Draw, q: Query, other: Query) -> Query:
    same = [n for n in q.names if n in other.names and q.ours.schema[n] == other.ours.schema[n]]
    kind = draw(st.sampled_from(["self", "other", "diagonal"]))
    if kind == "self" or not same:
        return q.then("concat(self)", lf.concat([q.ours, q.ours]), None, lambda f: pl.concat([f, f]))
    if kind == "diagonal":
        try:
            return q.then("concat(diagonal)", lf.concat([q.ours, other.ours], how="diagonal"))
        except lf.errors.LazyFrameError:
            return q
    listed = ", ".join(quoted(n) for n in same)
    sql = None if other.sql is None else f"SELECT {listed} FROM {{t}} UNION ALL SELECT {listed} FROM ({other.sql}) o"
    return q.then(
        f"concat(other, {same})", lf.concat([q.ours.select(same), other.ours.select(same)]), sql,
        lambda f: None if other.polars is None else pl.concat([f.select(same), other.polars.select(same)]),
    )  # fmt: skip


def _set_operation(draw: Draw, q: Query, other: Query) -> Query:
    same = [n for n in q.names if n in other.names and q.ours.schema[n] == other.ours.schema[n]]
    if not same:
        return q
    kind, keep = draw(st.sampled_from(["union", "intersect", "except_"])), draw(st.booleans())
    listed = ", ".join(quoted(n) for n in same)
    word = f"{kind.rstrip('_').upper()}{' ALL' if keep else ''}"
    sql = None if other.sql is None else f"SELECT {listed} FROM {{t}} {word} SELECT {listed} FROM ({other.sql}) o"
    ours = getattr(q.ours.select(same), kind)(other.ours.select(same), keep_duplicates=keep)
    return q.then(f"{kind}({same}, keep_duplicates={keep})", ours, sql)


def _renamed(other: Query) -> str | None:
    """The other query in SQL, with `o` before each name."""
    if other.sql is None:
        return None
    listed = ", ".join(f"{quoted(n)} AS {quoted('o' + n)}" for n in other.names)
    return f"(SELECT {listed} FROM ({other.sql}) u) o"


_KINDS = {"inner": "JOIN", "left": "LEFT JOIN", "right": "RIGHT JOIN", "full": "FULL JOIN"}


def _join(draw: Draw, q: Query, other: Query) -> Query:
    left, right = q.ours, other.ours.rename({n: f"o{n}" for n in other.names})
    pairs = [
        (a, f"o{b}") for a in q.names for b in other.names
        if family(q.ours.schema[a]) == family(other.ours.schema[b]) != "other"
    ]  # fmt: skip
    if not pairs or set(q.names) & set(right.columns):
        return q
    keys = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=2, unique=True))
    how = draw(st.sampled_from([*_KINDS, *_KINDS, "semi", "anti"]))
    equal = draw(st.booleans())
    listed = ", ".join([*map(quoted, q.names), *map(quoted, right.columns)])
    renamed = _renamed(other)
    word = "IS NOT DISTINCT FROM" if equal else "="
    on = " AND ".join(f"t.{quoted(a)} {word} o.{quoted(b)}" for a, b in keys)
    sql = None
    if renamed is not None:
        if how in _KINDS:
            sql = f"SELECT {listed} FROM {{t}} {_KINDS[how]} {renamed} ON {on}"
        else:
            sql = f"SELECT * FROM {{t}} WHERE {'NOT ' if how == 'anti' else ''}EXISTS (SELECT 1 FROM {renamed} WHERE {on})"
    peer = None
    same = all(q.ours.schema[a] == right.schema[b] for a, b in keys)
    if (
        other.polars is not None
        and same
        and how in ("inner", "left", "semi", "anti")
        and q.polars_order
        and other.polars_order
    ):
        peers = other.polars.rename({n: f"o{n}" for n in other.names})
        peer = lambda f: f.join(  # noqa: E731
            peers,
            left_on=[a for a, _ in keys],
            right_on=[b for _, b in keys],
            how=how,
            nulls_equal=equal,
            coalesce=False,
            maintain_order="left_right",
        )
    return q.then(
        f"join(other, {keys}, {how}, nulls_equal={equal})",
        left.join(right, left_on=[a for a, _ in keys], right_on=[b for _, b in keys], how=how, nulls_equal=equal, coalesce=False),
        sql, peer, polars_order=(q.polars_order and how != "inner") or q.polars_order,
    )  # fmt: skip


def _join_where(draw: Draw, q: Query, other: Query) -> Query:
    right = other.ours.rename({n: f"o{n}" for n in other.names})
    if set(q.names) & set(right.columns):
        return q
    wide = lf.LazyFrame(q.ours.join(right, how="cross")._plan)
    condition = draw(values(wide.schema, "bool", 3))
    if _is_column(condition):
        return q  # a bare column is the name of a key
    how = draw(st.sampled_from([*_KINDS, "semi", "anti"]))
    sql = None
    renamed = _renamed(other)
    if renamed is not None and condition.sql is not None:
        if how in _KINDS:
            sql = f"SELECT * FROM {{t}} {_KINDS[how]} {renamed} ON {condition.sql}"
        else:
            sql = f"SELECT * FROM {{t}} WHERE {'NOT ' if how == 'anti' else ''}EXISTS (SELECT 1 FROM {renamed} WHERE {condition.sql})"
    return q.then(f"join(other, {condition.ours!r}, {how})", q.ours.join(right, on=condition.ours, how=how), sql)


def _cross(draw: Draw, q: Query, other: Query) -> Query:
    right = other.ours.rename({n: f"o{n}" for n in other.names}).head(3)
    if set(q.names) & set(right.columns):
        return q
    return q.then("join(other.head(3), how=cross)", q.ours.join(right, how="cross"))


def _join_same_names(draw: Draw, q: Query, other: Query) -> Query:
    """Columns of both sides share names, so that suffixes and merged keys come into play."""
    both = [n for n in q.names if n in other.names and q.ours.schema[n] == other.ours.schema[n]]
    if not both or any(f"{n}_right" in (*q.names, *other.names) for n in other.names):
        return q
    keys = draw(st.lists(st.sampled_from(both), min_size=1, max_size=2, unique=True))
    how = draw(st.sampled_from(["inner", "left", "semi", "anti"]))
    peer = None
    if other.polars is not None and q.polars_order and other.polars_order:
        peer = lambda f: f.join(other.polars, on=keys, how=how, maintain_order="left_right")  # noqa: E731
    return q.then(f"join(other, on={keys}, how={how})", q.ours.join(other.ours, on=keys, how=how), None, peer)


def _unpivot(draw: Draw, q: Query, other: Query) -> Query:
    kinds = {str(q.ours.schema[n]) for n in q.names}
    kind = draw(st.sampled_from(sorted(kinds)))
    on = [n for n in q.names if str(q.ours.schema[n]) == kind]
    index = [n for n in q.names if n not in on][:2]
    if {"variable", "value"} & set(q.names):
        return q
    return q.then(
        f"unpivot({on}, index={index})", q.ours.unpivot(on, index=index), None,
        lambda f: f.unpivot(on, index=index), polars_order=False,
    )  # fmt: skip


def _number(draw: Draw, q: Query, other: Query) -> Query:
    if "n" in q.names:
        return q
    return q.then("with_row_index(n)", q.ours.with_row_index("n"), None,
        (lambda f: f.with_row_index("n")) if q.polars_order else None)  # fmt: skip


def _reverse_or_shift(draw: Draw, q: Query, other: Query) -> Query:
    if draw(st.booleans()):
        return q.then("reverse()", q.ours.reverse(), None, (lambda f: f.reverse()) if q.polars_order else None)
    n = draw(st.integers(-3, 3))
    return q.then(f"shift({n})", q.ours.shift(n), None, (lambda f: f.shift(n)) if q.polars_order else None)


def _sample(draw: Draw, q: Query, other: Query) -> Query:
    seed = draw(st.integers(0, 3))
    if draw(st.booleans()):
        return q.then(f"sample(fraction, seed={seed})", q.ours.sample(fraction=0.6, seed=seed))
    replacement = draw(st.booleans())
    return q.then(f"sample(2, seed={seed})", q.ours.head(5).sample(n=2, seed=seed, with_replacement=replacement)
                  if not replacement else q.ours.sample(fraction=0.5, seed=seed, with_replacement=True))  # fmt: skip


def _fill_or_drop_nulls(draw: Draw, q: Query, other: Query) -> Query:
    name = draw(st.sampled_from(q.names))
    if draw(st.booleans()):
        return q.then(f"drop_nulls({name})", q.ours.drop_nulls(name), f"SELECT * FROM {{t}} WHERE {quoted(name)} IS NOT NULL",
                      lambda f: f.drop_nulls(name), in_order=q.in_order)  # fmt: skip
    return q.then(f"value_counts({name})", q.ours.value_counts(name, name="times"))


def _filter_aggregate(draw: Draw, q: Query, other: Query) -> Query:
    name = draw(st.sampled_from(q.names))
    if family(q.ours.schema[name]) == "other":
        return q
    quoted_name = quoted(name)
    sql = f"SELECT * FROM {{t}} WHERE {quoted_name} = (SELECT max({quoted_name}) FROM {{t}})"
    floats = family(q.ours.schema[name]) == "float"
    return q.then(
        f"filter({name} == max)", q.ours.filter(lf.col(name) == lf.col(name).max()), sql,
        None if floats else lambda f: f.filter(pl.col(name) == pl.col(name).max()),
    )  # fmt: skip


def _grouping_sets(draw: Draw, q: Query, other: Query) -> Query:
    keys = draw(st.lists(st.sampled_from(q.names), unique=True, min_size=1, max_size=2))
    if any(family(q.ours.schema[k]) == "other" for k in keys):
        return q
    listed = ", ".join(map(quoted, keys))
    verb = draw(st.sampled_from(["rollup", "cube"]))
    return q.then(
        f"{verb}({keys}).agg(len)", getattr(q.ours, verb)(keys).agg(lf.len().alias("rows")),
        f"SELECT {listed}, count(*) AS rows FROM {{t}} GROUP BY {verb}({listed})",
    )  # fmt: skip


_VERBS: list[Callable[[Draw, Query, Query], Query]] = [
    _filter, _filter, _filter, _select, _select, _with_columns, _with_columns, _with_aggregate, _drop_rename, _sort, _sort, _head,
    _head, _tail, _top, _group_by, _group_by, _group_by, _total, _list_and_explode, _unique, _concat, _set_operation, _join,
    _join, _join, _join_where, _join_where, _cross, _join_same_names, _unpivot, _number, _reverse_or_shift, _sample,
    _fill_or_drop_nulls, _filter_aggregate, _grouping_sets,
]  # fmt: skip


@st.composite
def queries(draw: Draw, first: Query, second: Query, longest: int = 5) -> Query:
    """A chain of verbs over the first table; joins and the like take the second, itself behind a verb or two."""
    other = second
    for _ in range(draw(st.integers(0, 2))):
        other = draw(st.sampled_from([_filter, _with_columns, _sort, _head, _group_by, _unique]))(draw, other, first)
    query = first
    for _ in range(draw(st.integers(1, longest))):
        if not query.names:
            break
        verb = draw(st.sampled_from(_VERBS))
        try:
            query = verb(draw, query, other)
        except (lf.errors.TypeMismatchError, lf.errors.DuplicateColumnError) as error:
            event(f"{verb.__name__}: {str(error).splitlines()[0]}")
    return query


def steps(query: Query) -> str:
    return "\n".join(f"  .{step}" for step in query.steps)
