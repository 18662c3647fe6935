"""Random queries that pass through kernels: verbs of `queries.py` and further ones, of types that peers write otherwise too."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import strategies as st
from hypothesis.internal.conjecture.data import ConjectureData

import lazyframe as lf
from lazyframe.planner.graph import postorder
from lazyframe.planner.unbound import Ref
from tests.differential import queries
from tests.differential.compiled_columns import literals
from tests.differential.compiled_expressions import grown
from tests.differential.expressions import LITERALS, E, aggregates, column, combine, quoted, values
from tests.differential.queries import Draw, Query
from tests.differential.tables import family

_COMPARISONS: list[tuple[Callable[[Any, Any], Any], str]] = [
    (lambda a, b: a == b, "="), (lambda a, b: a != b, "<>"), (lambda a, b: a < b, "<"), (lambda a, b: a <= b, "<="),
    (lambda a, b: a > b, ">"), (lambda a, b: a >= b, ">="), (lambda a, b: a.eq_missing(b), "IS NOT DISTINCT FROM"),
    (lambda a, b: a.ne_missing(b), "IS DISTINCT FROM"),
]  # fmt: skip


def drawer(random: Random) -> Draw:
    """What draws from hypothesis' strategies by a seed."""
    return ConjectureData(random=random).draw  # type: ignore[return-value]


def _of_columns(draw: Draw, q: Query, kind: str, depth: int) -> E:
    """An expression that mostly depends on some column: the tables have few columns of a kind."""
    for _ in range(3):
        found = draw(values(q.ours.schema, kind, depth))
        if any(isinstance(node, Ref) for node in postorder(found.ours._node)):
            break
    return found


def _kind(draw: Draw, q: Query) -> str:
    """A family of types, mostly of a column."""
    here = sorted({family(field.dtype) for field in q.ours.schema} & set(LITERALS))
    return draw(st.sampled_from(here if here and draw(st.integers(0, 3)) else list(LITERALS)))


def _filter(draw: Draw, q: Query, other: Query) -> Query:
    p = _of_columns(draw, q, "bool", draw(st.integers(1, 3)))
    sql = None if p.sql is None else f"SELECT * FROM {{t}} WHERE {p.sql}"
    return q.then(f"filter({p.ours!r})", q.ours.filter(p.ours), sql, in_order=q.in_order)


def _compute(draw: Draw, q: Query, other: Query) -> Query:
    """Columns computed of others, in place of some or beside them."""
    names = draw(st.lists(st.sampled_from([*q.names, "w", "y", "z"]), unique=True, min_size=1, max_size=3))
    new = {n: _of_columns(draw, q, _kind(draw, q), draw(st.integers(1, 3))) for n in names}
    every = {**{n: column(n) for n in q.names}, **new}
    sql = None
    if all(e.sql is not None for e in new.values()):
        sql = f"SELECT {', '.join(f'{e.sql} AS {quoted(n)}' for n, e in every.items())} FROM {{t}}"
    return q.then(f"with_columns({[(n, e.ours) for n, e in new.items()]})",
                  q.ours.with_columns([e.ours.alias(n) for n, e in new.items()]), sql)  # fmt: skip


def _compute_grown(draw: Draw, q: Query, other: Query) -> Query:
    """Columns of any types, of functions of any sort."""
    made = [e for e, _ in grown(draw, q.ours, draw(st.integers(1, 6)))[len(q.names) :]][-3:]
    named = [e.alias(n) for n, e in zip(("g1", "g2", "g3"), made, strict=False)]
    return q.then(f"with_columns({made})", q.ours.with_columns(named)) if made else q


def _filter_grown(draw: Draw, q: Query, other: Query) -> Query:
    made = grown(draw, q.ours, draw(st.integers(2, 6)))[len(q.names) :]
    conditions = [e for e, dtype in made if str(dtype) == "bool"]
    if not conditions:
        return q
    return q.then(f"filter({conditions[-2:]})", q.ours.filter(conditions[-2:]))


def _filter_alike(draw: Draw, q: Query, other: Query) -> Query:
    """A comparison of columns of one type, whichever it is."""
    a = draw(st.sampled_from(q.names))
    dtype = q.ours.schema[a]
    compare, operator = draw(st.sampled_from(_COMPARISONS))
    chosen = draw(st.sampled_from(["column", "column", "null", "literal", "in"]))
    if chosen == "null":
        return q.then(
            f"drop_nulls({a})",
            q.ours.filter(lf.col(a).is_not_null()),
            f"SELECT * FROM {{t}} WHERE {quoted(a)} IS NOT NULL",
        )
    if chosen != "column" and literals(dtype):
        value = draw(st.sampled_from(literals(dtype)))
        condition = compare(lf.col(a), value) if chosen == "literal" else lf.col(a).is_in(literals(dtype))
        return q.then(f"filter({condition!r})", q.ours.filter(condition))
    b = draw(st.sampled_from([n for n in q.names if q.ours.schema[n] == dtype]))
    condition = compare(lf.col(a), lf.col(b))
    return q.then(f"filter({condition!r})", q.ours.filter(condition),
                  f"SELECT * FROM {{t}} WHERE {quoted(a)} {operator} {quoted(b)}")  # fmt: skip


def _compute_alike(draw: Draw, q: Query, other: Query) -> Query:
    """A choice between columns of one type."""
    a = draw(st.sampled_from(q.names))
    b = draw(st.sampled_from([n for n in q.names if q.ours.schema[n] == q.ours.schema[a]]))
    if "alike" in q.names:
        return q
    p = _of_columns(draw, q, "bool", 1)
    form = draw(st.sampled_from(["when", "coalesce", "null", "extreme", "null_if"]))
    x, y, s, t = lf.col(a), lf.col(b), quoted(a), quoted(b)
    found, sql = {
        "when": (lf.when(p.ours).then(x).otherwise(y), p.sql and f"CASE WHEN {p.sql} THEN {s} ELSE {t} END"),
        "coalesce": (lf.coalesce(x, y), f"coalesce({s}, {t})"), "null": (x.is_null(), f"({s} IS NULL)"),
        "extreme": (lf.max_horizontal(x, y), f"greatest({s}, {t})"), "null_if": (x.null_if(y), f"nullif({s}, {t})"),
    }[form]  # fmt: skip
    return q.then(f"with_columns(alike={found!r})", q.ours.with_columns(found.alias("alike")),
                  sql and f"SELECT *, {sql} AS alike FROM {{t}}")  # fmt: skip


def _any_aggregate(draw: Draw, q: Query) -> E:
    """An aggregate, of a column of any type too."""
    if draw(st.integers(0, 2)):
        return draw(aggregates(q.ours.schema, ordered=False))
    name = draw(st.sampled_from(q.names))
    if draw(st.integers(0, 2)) == 0:
        return E(_grown_aggregate(draw, q), None, None)
    function = draw(st.sampled_from(["min", "max", "first", "last", "count", "n_unique", "null_count", "len"]))
    sql = {"min": "min({0})", "max": "max({0})", "count": "count({0})"}.get(function)
    found = combine(lambda a: getattr(a, function)(), sql, None, column(name))
    if draw(st.integers(0, 3)) == 0:
        where = _of_columns(draw, q, "bool", 1)
        return combine(lambda a, w: a.filter(w), "{0} FILTER (WHERE {1})", None, found, where)
    return found


def _grown_aggregate(draw: Draw, q: Query) -> lf.Expr:
    """An aggregate of something computed."""
    e, dtype = grown(draw, q.ours, draw(st.integers(0, 3)))[-1]
    names = ["min", "max", "first", "last", "count", "n_unique", "null_count"]
    if family(dtype) in ("int", "float", "dec"):
        names += ["sum", "mean", "sum", "mean", "std", "var", "median", "product"]
    elif str(dtype) == "bool":
        names += ["any", "all", "sum"]
    elif str(dtype).startswith("duration"):
        names += ["sum", "mean"]
    return getattr(e, draw(st.sampled_from(names)))()


def _group(draw: Draw, q: Query, other: Query) -> Query:
    """Up to four keys of any type, with several aggregates."""
    keys = draw(st.lists(st.sampled_from(q.names), unique=True, max_size=4))
    aggs = [(n, _any_aggregate(draw, q)) for n in ("p", "q", "s", "u", "v")[: draw(st.integers(0 if keys else 1, 5))]]
    aggs = [(n, e) for n, e in aggs if n not in keys]
    if not keys and not aggs:
        return q
    named = [e.ours.alias(n) for n, e in aggs]
    ours = q.ours.group_by(keys).agg(named) if keys else q.ours.select(named)
    sql = None
    if all(e.sql is not None for _, e in aggs):
        listed = ", ".join([*map(quoted, keys), *[f"{e.sql} AS {quoted(n)}" for n, e in aggs]])
        sql = f"SELECT {listed} FROM {{t}}" + (f" GROUP BY {', '.join(map(quoted, keys))}" if keys else "")
    return q.then(f"group_by({keys}).agg({[(n, e.ours) for n, e in aggs]})", ours, sql)


def _window(draw: Draw, q: Query, other: Query) -> Query:
    partition = draw(st.lists(st.sampled_from(q.names), unique=True, max_size=2))
    order = draw(st.lists(st.sampled_from(q.names), unique=True, max_size=2))
    down = draw(st.booleans())
    name = draw(st.sampled_from(q.names))
    function = draw(st.sampled_from(_WINDOWS))
    if not partition and not order:
        return q
    options: dict[str, Any] = {"order_by": [lf.desc(n) if down else lf.asc(n) for n in order]} if order else {}
    found = function(lf.col(name))
    over = found.over(partition, **options) if partition else found.over(**options)
    return q.then(f"with_columns(w={over!r})", q.ours.with_columns(over.alias("w")))


_WINDOWS: list[Callable[[lf.Expr], lf.Expr]] = [
    lambda x: x.min(), lambda x: x.max(), lambda x: x.count(), lambda x: x.first(), lambda x: x.last(), lambda x: lf.len(),
    lambda x: lf.row_number(), lambda x: lf.rank(), lambda x: lf.dense_rank(), lambda x: x.lag(), lambda x: x.lead(2),
    lambda x: x.is_null().sum(), lambda x: x.n_unique(), lambda x: x.first_value(), lambda x: lf.ntile(3),
]  # fmt: skip


def _beside_groups(draw: Draw, q: Query, other: Query) -> Query:
    """Rows beside an aggregate of the same rows, which are a shared part of the plan."""
    key = draw(st.sampled_from(q.names))
    e = _any_aggregate(draw, q)
    if {"of_group", "k"} & set(q.names):
        return q
    groups = q.ours.group_by(lf.col(key).alias("k")).agg(e.ours.alias("of_group"))
    how = draw(st.sampled_from(["inner", "left", "semi", "anti"]))
    equal = draw(st.booleans())
    sql = None
    if e.sql is not None:
        inner = f"(SELECT {quoted(key)} AS k, {e.sql} AS of_group FROM {{t}} GROUP BY {quoted(key)}) g"
        on = f"t.{quoted(key)} {'IS NOT DISTINCT FROM' if equal else '='} g.k"
        sql = f"SELECT t.*, g.k, g.of_group FROM {{t}} {how} JOIN {inner} ON {on}"
        if how in ("semi", "anti"):
            sql = (
                f"SELECT * FROM {{t}} WHERE {'NOT ' if how == 'anti' else ''}EXISTS (SELECT 1 FROM {inner} WHERE {on})"
            )
    return q.then(
        f"join(group_by({key}).agg({e.ours!r}), {how}, nulls_equal={equal})",
        q.ours.join(groups, left_on=key, right_on="k", how=how, nulls_equal=equal, coalesce=False), sql,
    )  # fmt: skip


def _both_parts(draw: Draw, q: Query, other: Query) -> Query:
    """The rows for which a condition is true, then the others: two readers of one part of the plan."""
    p = _of_columns(draw, q, "bool", 2)
    return q.then(
        f"concat(filter({p.ours!r}), the rest)",
        lf.concat([q.ours.filter(p.ours), q.ours.filter(~lf.coalesce(p.ours, lf.lit(False)))]),
        "SELECT * FROM {t}" if p.sql is not None else None,
    )


def _unique_join(draw: Draw, q: Query, other: Query) -> Query:
    """A join with a side on which no key occurs twice."""
    right = other.ours.rename({n: f"o{n}" for n in other.names})
    pairs = [(a, b) for a in q.names for b in right.columns if q.ours.schema[a] == right.schema[b]]
    if not pairs or set(q.names) & set(right.columns):
        return q
    a, b = draw(st.sampled_from(pairs))
    how = draw(st.sampled_from(["inner", "left", "right", "full", "semi", "anti"]))
    return q.then(
        f"join(other.unique({b}), {a} == {b}, {how})",
        q.ours.join(right.unique(b), left_on=a, right_on=b, how=how, coalesce=False),
    )


def _sort_any(draw: Draw, q: Query, other: Query) -> Query:
    """An order by columns of any type, perhaps of the first rows only."""
    names = draw(st.lists(st.sampled_from(q.names), unique=True, min_size=1, max_size=3))
    down, first = [draw(st.booleans()) for _ in names], [draw(st.booleans()) for _ in names]
    ours = q.ours.sort(names, descending=down, nulls_first=first)
    k = draw(st.sampled_from([None, None, 0, 1, 3, 10, 100]))
    if k is None:
        return q.then(f"sort({names}, {down}, {first})", ours, "SELECT * FROM {t}")
    return q.then(f"sort({names}, {down}, {first}).head({k})", ours.head(k))


Verb = Callable[[Draw, Query, Query], Query]
_JOINS: list[Verb] = [
    queries._join,
    queries._join_where,
    queries._join_same_names,
    queries._cross,
    _beside_groups,
    _unique_join,
]
_VERBS: list[Verb] = [
    *queries._VERBS, *[_filter, _compute, _group] * 12, *[queries._select, queries._join, queries._unique, _filter_alike] * 4,
    *[_compute_alike, _window, _sort_any, _beside_groups, _both_parts, _unique_join] * 4,
    *[_compute_grown, _filter_grown] * 10,
]  # fmt: skip


def query_of(draw: Draw, first: Query, second: Query, *, joins: int, pairs: bool, longest: int) -> Query:
    """A chain of verbs over the first table; joins and the like take the second, itself behind a verb or two.

    Args:
        draw: of all choices.
        first: the first table.
        second: the second one.
        joins: how many there may be.
        pairs: whether every pair of rows may be looked at.
        longest: how many verbs there are at most.
    """
    query, other = first, second
    for _ in range(draw(st.integers(0, 2))):
        other = _then(draw, draw(st.sampled_from(_BEFORE_JOINS)), other, first)
    for _ in range(draw(st.integers(1, longest))):
        verb = draw(st.sampled_from(_VERBS))
        if not query.names or (verb in _JOINS and not joins) or (verb in _OF_PAIRS and not pairs):
            continue
        joins -= verb in _JOINS
        query = _then(draw, verb, query, other)
    return query


_BEFORE_JOINS: list[Verb] = [_filter, _compute, _compute_grown, queries._sort, queries._head, _group, queries._unique]
_OF_PAIRS: list[Verb] = [queries._join_where, queries._cross, queries._list_and_explode]


def _then(draw: Draw, verb: Verb, query: Query, other: Query) -> Query:
    try:
        return verb(draw, query, other) if query.names and other.names else query
    except lf.errors.LazyFrameError:
        return query  # a verb that does not fit the types, which is said when it is written
