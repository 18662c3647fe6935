"""Joins: names made unique below the join, and given back above it."""

from __future__ import annotations

from collections.abc import Sequence

from lazyframe.planner.bind import ZONE_HINT, bind, bind_predicate, has_aggregate
from lazyframe.planner.build.projection import refuse_aggregates
from lazyframe.planner.errors import ColumnNotFoundError, DuplicateColumnError, InvalidArgumentError, TypeMismatchError
from lazyframe.planner.functions.definition import lookup
from lazyframe.planner.predicates import key_pair_between
from lazyframe.planner.relations import Join, Plan, Project
from lazyframe.planner.relations.project import column, renamed
from lazyframe.planner.scalars import Call, Case, Column, Scalar, cast, conjunction, conjuncts, rename_columns
from lazyframe.planner.schema import Schema, fresh_name
from lazyframe.planner.types import DataType, common_type, is_null, is_timestamp, rounds, type_name
from lazyframe.planner.unbound import Ref, Unbound
from lazyframe.planner.zero import zero


def joined(
    left: Plan,
    right: Plan,
    kind: str,
    left_on: Sequence[Unbound],
    right_on: Sequence[Unbound],
    *,
    suffix: str,
    nulls_equal: bool,
    validate: str,
    coalesce: bool | None,
) -> Plan:
    """A join on equal keys.

    Key columns of one name are given once where they are equal in every row (all kinds but `full`, unless `coalesce` says
    otherwise); other columns of the right side whose name is taken get `suffix`.
    """
    inner_names, outer_names = right_names(left.schema, right.schema, suffix)
    right_renamed = renamed(right, inner_names)
    left_keys, right_keys = [], []
    conditions: list[Scalar] = []
    for a, b in zip(left_on, right_on, strict=True):
        x, y = key_of_side(a, left.schema, "left"), key_of_side(b, right.schema, "right")
        for key in (x, y):
            refuse_aggregates(key, "join by")
        wanted = common_type(x.dtype, y.dtype)
        if wanted is None:
            raise TypeMismatchError(
                f"the join keys {x!r} and {y!r} are {type_name(x.dtype)} and {type_name(y.dtype)}, which are never equal",
                hint=_cast_hint(x.dtype, y.dtype),
            )
        y = rename_columns(y, inner_names)
        left_keys.append(cast(x, wanted))
        right_keys.append(cast(y, wanted))
        if rounds(x.dtype, y.dtype):
            conditions.append(Call("equal_missing" if nulls_equal else "equal", (x, y)))
    join = Join(
        left,
        right_renamed,
        kind,
        tuple(left_keys),
        tuple(right_keys),
        conjunction(conditions),
        nulls_equal=nulls_equal,
        validate=validate,
    )
    if kind in ("semi", "anti"):
        return join
    pairs = [
        (a.name, b.name) for a, b in zip(left_on, right_on, strict=True) if isinstance(a, Ref) and isinstance(b, Ref)
    ]
    if coalesce is None:
        # A full join's keys differ where a side has no partner.
        merged = {} if kind == "full" else {b: a for a, b in pairs if a == b or kind in ("inner", "left")}
    else:
        merged = {b: a for a, b in pairs} if coalesce else {}
    return _visible(join, left.schema, right.schema, inner_names, outer_names, merged)


def key_of_side(written: Unbound, schema: Schema, side: str) -> Scalar:
    """A join key bound to its side."""
    try:
        return bind(written, schema)
    except ColumnNotFoundError as error:
        error.message += f" on the {side} side of the join"
        error.args = (error.message,)
        raise


def _cast_hint(a: DataType, b: DataType) -> str:
    if is_timestamp(a) and is_timestamp(b) and (a.tz is None) != (b.tz is None):
        return ZONE_HINT
    return "cast one of them"


def right_names(left: Schema, right: Schema, suffix: str) -> tuple[dict[str, str], dict[str, str]]:
    """For the right side's columns, the names they have within the join, and those they get outside."""
    taken = {*left.names}
    inner: dict[str, str] = {}
    outer: dict[str, str] = {}
    for name in right.names:
        outer[name] = name + suffix if name in left else name
        inner[name] = fresh_name(f"{name}:right", taken | {*right.names}) if name in left else name
        taken.add(inner[name])
    return inner, outer


def _visible(
    join: Join,
    left: Schema,
    right: Schema,
    inner: dict[str, str],
    outer: dict[str, str],
    merged: dict[str, str],
) -> Plan:
    """The columns of a join as the user knows them: the left's, then the right's that are not merged into a left key."""
    schema = join.schema
    back = {ours: theirs for theirs, ours in merged.items()}
    exprs: list[tuple[str, Scalar]] = []
    for field in left:
        value: Scalar = column(schema, field.name)
        partner = back.get(field.name)
        if partner is not None and join.kind == "right":
            value = (
                cast(column(schema, inner[partner]), value.dtype)
                if partner != field.name
                else _of_right(join, inner[partner], value)
            )
        elif partner is not None and join.kind == "full":
            signature = lookup("coalesce").resolve((value.dtype, right[partner]), {})
            ours, theirs = value, column(schema, inner[partner])
            value = Call("coalesce", tuple(cast(s, signature.result) for s in (ours, theirs)))
        exprs.append((field.name, value))
    for field in right:
        if field.name in merged:
            continue
        name = outer[field.name]
        if any(name == taken for taken, _ in exprs):
            raise DuplicateColumnError(
                f"two columns would be named {name!r}", hint="give another suffix=, or rename columns before the join"
            )
        exprs.append((name, column(schema, inner[field.name])))
    if [n for n, s in exprs if isinstance(s, Column) and s.name == n] == schema.names == [n for n, _ in exprs]:
        return join
    return Project(join, tuple(exprs))


def _of_right(join: Join, name: str, like: Scalar) -> Scalar:
    wanted = common_type(like.dtype, join.schema[name])
    assert wanted is not None
    return cast(column(join.schema, name), wanted)


def joined_where(
    left: Plan, right: Plan, kind: str, conditions: Sequence[Unbound], *, suffix: str, validate: str
) -> Plan:
    """A join on any condition over the columns of both sides.

    A right column whose name is taken is known in the condition by that name with the suffix. Equalities between the two
    sides become keys.
    """
    inner, outer = right_names(left.schema, right.schema, suffix)
    known = Schema([*left.schema, *[f._replace(name=outer[f.name]) for f in right.schema]])
    parts: list[Scalar] = []
    back = {outer[name]: inner[name] for name in outer}
    for condition in conditions:
        predicate = bind_predicate(condition, known, "a join condition")
        if has_aggregate(predicate) or predicate.holds_window:
            raise InvalidArgumentError("a join condition holds no aggregates and window functions", site=condition.site)
        parts.extend(conjuncts(rename_columns(predicate, back)))
    right_renamed = renamed(right, inner)
    keys, rest = split_equalities(parts, left.schema, right_renamed.schema)
    join = Join(
        left,
        right_renamed,
        kind,
        tuple([a for a, _ in keys]),
        tuple([b for _, b in keys]),
        conjunction(rest),
        validate=validate,
    )
    if kind in ("semi", "anti"):
        return join
    return _visible(join, left.schema, right.schema, inner, outer, {})


def null_safe_keys(a: Scalar, b: Scalar) -> list[tuple[Scalar, Scalar]]:
    """Keys that are equal where `a` and `b` are equal or both null, in a join whose null keys match nothing.

    Two columns that may be null become whether they are, and their values with a constant in place of null: so plain keys
    and such ones stand in one join.

    Args:
        a, b: values of one type, over the two sides of a join.
    """
    assert a.dtype == b.dtype, f"keys of types {a.dtype} and {b.dtype}"
    if not (a.nullable and b.nullable):
        return [(a, b)]
    pairs: list[tuple[Scalar, Scalar]] = [(Call("is_null", (a,)), Call("is_null", (b,)))]
    if not is_null(a.dtype):
        constant = zero(a.dtype)
        pairs.append((_filled(a, constant), _filled(b, constant)))
    return pairs


def _filled(value: Scalar, constant: Scalar) -> Scalar:
    return Case((Call("is_not_null", (value,)),), (value,), constant)


def unordered_join(
    left: Plan,
    right: Plan,
    kind: str,
    pairs: Sequence[tuple[Scalar, Scalar]] = (),
    condition: Scalar | None = None,
    *,
    mark: str = "",
) -> Join:
    """A join on pairs of keys, the left one first, of which nobody asks in what order the rows come: as in SQL."""
    left_keys, right_keys = tuple([a for a, _ in pairs]), tuple([b for _, b in pairs])
    return Join(left, right, kind, left_keys, right_keys, condition, mark=mark, ordered=False)


def split_equalities(
    parts: Sequence[Scalar], left: Schema, right: Schema
) -> tuple[list[tuple[Scalar, Scalar]], list[Scalar]]:
    """Conditions that compare a value of one side with one of the other for equality, and the other conditions."""
    keys: list[tuple[Scalar, Scalar]] = []
    rest: list[Scalar] = []
    for part in parts:
        pair = key_pair_between(part, left, right)
        if pair is not None:
            keys.append((pair.left, pair.right))
        if pair is None or not pair.exact:
            rest.append(part)
    return keys, rest
