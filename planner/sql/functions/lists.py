"""SQL's functions of lists, and how parts of lists, structs, maps and texts are named by brackets."""

from __future__ import annotations

import pyarrow as pa
from sqlglot import exp

from lazyframe.planner import arrow
from lazyframe.planner.bind import call, choice, unified
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError, UnsupportedError
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Literal, Scalar, cast, null_of
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.expressions.casts import converted
from lazyframe.planner.sql.expressions.quantified import list_query, listed_query
from lazyframe.planner.sql.functions.arguments import arguments, constant_of, named, plain
from lazyframe.planner.sql.functions.conditional import guarded
from lazyframe.planner.sql.reading.parse import first_position
from lazyframe.planner.types import (
    DATE,
    INT64,
    INTERVAL,
    STRING,
    is_integer,
    is_list,
    is_map,
    is_null,
    is_struct,
    is_timestamp,
    type_name,
)

STRINGS = pa.list_(pa.field("item", STRING))
_LONGEST_SLICE = 1 << 30


def list_of_text(value: Scalar) -> Scalar:
    """A list with its items as text."""
    return converted(value, STRINGS) if is_list(value.dtype) else value


def contains(e: Expressions, whole: exp.Expression, part: exp.Expression) -> Scalar:
    """`contains(x, y)`: of a list an item, of a map a key, of a text a part."""
    value = e.bind(whole)
    if is_list(value.dtype):
        return e.apply("list_contains", value, part)
    if is_map(value.dtype):
        return e.apply("map_contains", value, part)
    return e.apply("contains", value, part)


def _array(e: Expressions, tree: exp.Array) -> Scalar:
    e.only(tree, "expressions", "bracket_notation", "value_constructor")
    if len(tree.expressions) == 1 and isinstance(tree.expressions[0], exp.Comprehension):
        from lazyframe.planner.sql.functions.lambdas import comprehension

        return comprehension(e, tree.expressions[0])
    query = listed_query(tree)
    if query is not None:
        return list_query(e, query)
    return e.apply("make_list", *tree.expressions)


def _make(e: Expressions, tree: exp.Anonymous) -> Scalar:
    return e.apply("make_list", *tree.expressions)


def _bracket(e: Expressions, tree: exp.Bracket) -> Scalar:
    return bracketed(e, tree, e.bind(tree.this))


def bracketed(e: Expressions, tree: exp.Bracket, whole: Scalar) -> Scalar:
    """`x[1]`, `x[1:2]`, `s['field']`, `m[key]`: positions are from 1."""
    e.only(tree, "this", "expressions")
    if len(tree.expressions) != 1:
        raise e.error(tree, UnsupportedError, "one position stands between brackets")
    (index,) = tree.expressions
    if isinstance(index, exp.Slice):
        return cut(e, whole, index.this, index.expression, index.args.get("step"))
    if is_null(whole.dtype):
        return whole
    at = e.bind(index)
    if is_map(whole.dtype):
        return call("map_get", whole, _key(whole, at))
    shift = 1 - first_position(e.statement.dialect) if is_integer(at.dtype) else 0
    if is_struct(whole.dtype):
        key = constant_of(at)
        return _field(e, tree, whole, key + shift if isinstance(key, int) else key)
    if shift:
        at = call("add", at, literal(shift))
    if whole.dtype == STRING:
        return call("substr", whole, at, literal(1))
    return call("list_extract", whole, at)


def _key(whole: Scalar, key: Scalar) -> Scalar:
    """A constant integer as the type of a map's keys, where it is one of them."""
    wanted = whole.dtype.key_type
    known = constant_of(key)
    if isinstance(known, int) and not isinstance(known, bool) and is_integer(wanted):
        from lazyframe.planner.literals import adapted

        return adapted(known, wanted, read_text=False)
    return key


def _field(e: Expressions, tree: exp.Expression, whole: Scalar, key: object) -> Scalar:
    from lazyframe.planner.sql.expressions.columns import field

    if isinstance(key, str):
        return field(whole, key)
    if isinstance(key, int) and 1 <= key <= whole.dtype.num_fields:
        return call("struct_field", whole, name=whole.dtype.field(key - 1).name)
    raise e.error(tree, InvalidArgumentError, f"a struct has no field {key!r}")


def cut(
    e: Expressions,
    whole: Scalar,
    low: exp.Expression | None,
    high: exp.Expression | None,
    step: exp.Expression | None,
) -> Scalar:
    """The items or characters from one position up to and with another; what is left out is the end of that side."""
    by = e.bind(step) if step is not None else None
    if by is not None and not isinstance(constant_of(by), int):
        raise e.error(step, UnsupportedError, "the step of a slice must be a constant integer")  # type: ignore[arg-type]
    backwards = by is not None and constant_of(by) < 0
    first = e.bind(low) if low is not None else literal(-1 if backwards else 1)
    last = e.bind(high) if high is not None else literal(1 if backwards else -1)
    if is_list(whole.dtype) or is_null(whole.dtype):
        return call("list_cut", whole, first, last, *([by] if by is not None else []))
    if whole.dtype != STRING:
        raise TypeMismatchError(f"there are no slices of {type_name(whole.dtype)}")
    if by is not None:
        raise UnsupportedError("slices of text have no steps")
    return _part_of_text(whole, first, last)


def _part_of_text(whole: Scalar, first: Scalar, last: Scalar) -> Scalar:
    """The characters from a position up to and with another; negative ones count from the end."""
    for place in (first, last):
        if not is_integer(place.dtype) and not is_null(place.dtype):
            raise TypeMismatchError(f"the ends of a slice are integers, not {type_name(place.dtype)}")
    start, end = (constant_of(place) for place in (first, last))
    if isinstance(start, int) and start >= 0 and isinstance(end, int):
        upto = call("head_of_string", whole, literal(end if end >= 0 else end + 1)) if end != -1 else whole
        return call("substr", upto, literal(max(start, 1)), literal(_LONGEST_SLICE))
    size, zero, one = cast(call("length", whole), INT64), literal(0), literal(1)
    low, high = (
        choice(
            [call("less", cast(place, INT64), zero)], [None, None], [call("add", call("add", size, place), one), place]
        )
        for place in (first, last)
    )
    low = call("greatest", low, one)
    count = call("greatest", call("add", call("subtract", high, low), one), zero)
    found = call("substr", whole, low, count)
    return guarded(first, guarded(last, found))


def _slice_function(e: Expressions, tree: exp.Expression) -> Scalar:
    if isinstance(tree, exp.Anonymous):
        whole, low, high, *step = arguments(tree, 3, 4)
        return cut(e, e.bind(whole), low, high, step[0] if step else None)
    e.only(tree, "this", "start", "end", "step")
    return cut(e, e.bind(tree.this), tree.args["start"], tree.args.get("end"), tree.args.get("step"))


def _extended(e: Expressions, items: exp.Expression, value: exp.Expression, *, at_start: bool) -> Scalar:
    """A list with a value more; no list counts as an empty one."""
    whole = e.bind(items)
    if is_null(whole.dtype):
        return e.apply("make_list", value)
    if not is_list(whole.dtype):
        raise TypeMismatchError(f"only lists are appended to, not {type_name(whole.dtype)}")
    one = _as_items(e, value, whole)
    full, one = unified([whole, one], "the lists")
    return call("list_concat", *((one, or_empty(full)) if at_start else (or_empty(full), one)))


def _as_items(e: Expressions, value: exp.Expression, whole: Scalar) -> Scalar:
    """A list of one value, which takes the type of the items where it is a constant that fits."""
    from lazyframe.planner.literals import adapted

    found = e.written_constant(value)
    item = adapted(found.value, whole.dtype.value_type, read_text=False) if found is not None else e.bind(value)
    return call("make_list", item)


def _append(e: Expressions, tree: exp.Expression) -> Scalar:
    if isinstance(tree, exp.Anonymous):
        items, value = arguments(tree, 2)
        return _extended(e, items, value, at_start=False)
    e.only(tree, "this", "expression")
    return _extended(e, tree.this, tree.expression, at_start=False)


def _prepend(e: Expressions, tree: exp.Expression) -> Scalar:
    if isinstance(tree, exp.Anonymous):
        value, items = arguments(tree, 2)
        return _extended(e, items, value, at_start=True)
    e.only(tree, "this", "expression")
    return _extended(e, tree.this, tree.expression, at_start=True)


def _push_front(e: Expressions, tree: exp.Anonymous) -> Scalar:
    items, value = arguments(tree, 2)
    return _extended(e, items, value, at_start=True)


def _concat(e: Expressions, tree: exp.Expression) -> Scalar:
    """The items of all lists; no list counts as an empty one."""
    trees = tree.expressions if isinstance(tree, exp.Anonymous) else [tree.this, *tree.expressions]
    if not trees:
        raise InvalidArgumentError("there are no lists to join")
    bound = unified([e.bind(each) for each in trees], "the lists")
    kind = bound[0].dtype
    if not is_list(kind) and not is_null(kind):
        raise TypeMismatchError(f"only lists are joined so, not {type_name(kind)}")
    if len(bound) == 1 or is_null(kind):
        return bound[0]
    return call("list_concat", *map(or_empty, bound))


def or_empty(value: Scalar) -> Scalar:
    """A list or map, an empty one where it is null."""
    return call("coalesce", value, Literal(arrow.scalar([], value.dtype))) if value.nullable else value


def _intersect(e: Expressions, tree: exp.Expression) -> Scalar:
    """What a list has in common with no list is nothing."""
    if not isinstance(tree, exp.Anonymous):
        e.only(tree, "expressions")
    first, second = unified([e.bind(each) for each in arguments(tree, 2)], "the lists")
    return call("list_intersect", first, or_empty(second) if is_list(second.dtype) else second)


def _resize(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """No size is that of an empty list."""
    items, size, *fill = arguments(tree, 2, 3)
    return e.apply("list_resize", e.bind(items), call("coalesce", e.bind(size), literal(0)), *fill)


def _size(e: Expressions, tree: exp.Expression) -> Scalar:
    """`array_length(x)`, or of its first dimension `array_length(x, 1)`."""
    if isinstance(tree, exp.Anonymous):
        (arg,) = arguments(tree, 1)
    else:
        e.only(tree, "this", "expression")
        arg = tree.this
        dimension = tree.args.get("expression")
        if dimension is not None and e.constant(dimension, "the dimension", int) != 1:
            raise e.error(
                dimension, UnsupportedError, "lists in lists may have different lengths: only dimension 1 has one"
            )
    value = e.bind(arg)
    return call("map_length" if is_map(value.dtype) else "list_length", value)


def _is_empty(e: Expressions, tree: exp.Anonymous) -> Scalar:
    return call("equal", _size(e, tree), literal(0))


def _dimensions(e: Expressions, tree: exp.Anonymous) -> Scalar:
    (arg,) = arguments(tree, 1)
    value = e.bind(arg)
    if not is_list(value.dtype):
        raise TypeMismatchError(f"only lists have dimensions, not {type_name(value.dtype)}")
    depth, t = 0, value.dtype
    while is_list(t):
        depth, t = depth + 1, t.value_type
    return guarded(value, literal(depth))


def _sort(e: Expressions, tree: exp.Expression) -> Scalar:
    """With the order and the place of nulls as texts."""
    if isinstance(tree, exp.Anonymous):
        backwards = tree.name.lower().endswith("reverse_sort")
        items, *words = arguments(tree, 1, 2, 3)
        spoken = [e.constant(word, "the order", str).upper() for word in words]
    else:
        e.only(tree, "this", "expression", "asc", "nulls_first")
        items, backwards = tree.this, False
        spoken = _spoken(e, tree)
    orders, nulls = spoken[:1], spoken[1:]
    if backwards:
        orders, nulls = ["DESC"], spoken
    descending = _word(orders[0], "ASC", "DESC") if orders else False
    return e.apply(
        "list_sort",
        items,
        descending=descending,
        nulls_first=bool(nulls) and _word(nulls[0], "NULLS LAST", "NULLS FIRST"),
    )


def _grade_up(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """`list_grade_up(x, 'DESC', 'NULLS FIRST')`: the positions of the items in that order."""
    items, *words = arguments(tree, 1, 2, 3)
    spoken = [e.constant(word, "the order", str).upper() for word in words]
    return e.apply(
        "list_grade_up",
        items,
        descending=bool(spoken) and _word(spoken[0], "ASC", "DESC"),
        nulls_first=len(spoken) > 1 and _word(spoken[1], "NULLS LAST", "NULLS FIRST"),
    )


def _zip(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """`list_zip(x, y, ...)`; true behind them ends with the shortest list."""
    *lists, last = tree.expressions or [None]
    truncate = isinstance(last, exp.Boolean)
    if not truncate:
        lists.append(last)
    if not lists or last is None:
        raise InvalidArgumentError("list_zip() takes lists")
    return e.apply("list_zip", *lists, **({"truncate": True} if truncate and last.this else {}))


def _spoken(e: Expressions, tree: exp.Expression) -> list[str]:
    """What sqlglot made of the order: truth values where it understood the texts, else the texts."""
    order, nulls = tree.args.get("asc"), tree.args.get("nulls_first")
    texts = tree.args.get("expression"), order
    if texts[0] is not None:
        return [e.constant(text, "the order", str).upper() for text in texts if text is not None]
    falling = isinstance(order, exp.Boolean) and not order.this
    first = isinstance(nulls, exp.Boolean) and bool(nulls.this)
    return ["DESC" if falling else "ASC", "NULLS FIRST" if first else "NULLS LAST"]


def _word(word: str, no: str, yes: str) -> bool:
    if word not in (no, yes):
        raise InvalidArgumentError(f"the order is {no!r} or {yes!r}, not {word!r}")
    return word == yes


def _distinct_count(e: Expressions, tree: exp.Anonymous) -> Scalar:
    (arg,) = arguments(tree, 1)
    return call("list_n_unique", call("list_drop_nulls", e.bind(arg)))


def _count(e: Expressions, value: Scalar) -> Scalar:
    return call("list_length", call("list_drop_nulls", value))


_AGGREGATES = {
    "sum": "list_sum", "avg": "list_mean", "mean": "list_mean", "min": "list_min", "max": "list_max", "first": "list_first",
    "last": "list_last", "bool_and": "list_all", "bool_or": "list_any",
}  # fmt: skip


_FOLDS: dict[str, tuple[str, tuple[tuple[str, object], ...]]] = {
    "product": ("product", ()), "median": ("median", ()), "mode": ("mode", ()),
    "stddev": ("std", ()), "stddev_samp": ("std", ()), "stddev_pop": ("std", (("ddof", 0),)), "variance": ("var", ()),
    "var_samp": ("var", ()), "var_pop": ("var", (("ddof", 0),)), "bit_and": ("bit_and", ()), "bit_or": ("bit_or", ()),
    "bit_xor": ("bit_xor", ()), "skewness": ("skew", (("bias", False),)), "kurtosis": ("kurtosis", (("bias", False),)),
    "kurtosis_pop": ("kurtosis", ()), "entropy": ("entropy", ()), "approx_count_distinct": ("approx_n_unique", ()),
}  # fmt: skip
"""Names of aggregates of lists, with the aggregate and the options that they mean."""


def _aggregated(e: Expressions, value: Scalar, name: str, tree: exp.Expression) -> Scalar:
    """An aggregate of the items of a list."""
    if name in _AGGREGATES:
        return call(_AGGREGATES[name], value)
    if name in _FOLDS:
        aggregate, options = _FOLDS[name]
        return call("list_aggregate", value, **{"aggregate": aggregate, "with": options})
    if name == "count":
        return _count(e, value)
    if name == "any_value":
        return call("list_first", call("list_drop_nulls", value))
    if name == "string_agg":
        return call("list_join", list_of_text(value), literal(","))
    raise e.error(
        tree, UnsupportedError, f"the aggregate {name}() of a list is not supported", "unnest the list and group"
    )


def _aggregate(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """`list_aggregate(x, 'sum')`; the text that string_agg puts between may stand behind."""
    items, name, *more = arguments(tree, 2, 3)
    aggregate = e.constant(name, "the name of the aggregate", str).lower()
    if more:
        if aggregate != "string_agg":
            raise e.error(more[0], UnsupportedError, f"an argument of the aggregate {aggregate}() is not supported")
        return call("list_join", list_of_text(e.bind(items)), e.bind(more[0]))
    return _aggregated(e, e.bind(items), aggregate, name)


def _aggregate_named(name: str) -> Handler:
    def bind(e: Expressions, tree: exp.Expression) -> Scalar:
        (arg,) = arguments(tree, 1) if isinstance(tree, exp.Anonymous) else [tree.this]
        return _aggregated(e, e.bind(arg), name, tree)

    return bind


def _series(e: Expressions, tree: exp.GenerateSeries) -> Scalar:
    e.only(tree, "start", "end", "step", "is_end_exclusive")
    step = tree.args.get("step")
    return series(e, tree.args["start"], tree.args["end"], step, inclusive=not tree.args.get("is_end_exclusive"))


def _range(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """`range(stop)`, `range(start, stop)` and `range(start, stop, step)`."""
    args = arguments(tree, 1, 2, 3)
    start, stop = (exp.Literal.number(0), args[0]) if len(args) == 1 else (args[0], args[1])
    return series(e, start, stop, args[2] if len(args) == 3 else None, inclusive=False)


def series(
    e: Expressions, start: exp.Expression, stop: exp.Expression, step: exp.Expression | None, *, inclusive: bool
) -> Scalar:
    """The list of the values from one up to another: integers, or timestamps by an interval."""
    bounds = [e.bind(start), e.bind(stop)]
    bounds = [cast(bound, pa.timestamp("us")) if bound.dtype == DATE else bound for bound in bounds]
    moments = any(is_timestamp(bound.dtype) for bound in bounds)
    if step is None and moments:
        raise e.error(
            start, InvalidArgumentError, "a series of dates has an interval as its step", "add INTERVAL '1 day'"
        )
    by = e.bind(step) if step is not None else literal(1)
    if not moments:
        for tree, bound in zip((start, stop, step), (*bounds, by), strict=True):
            if not is_integer(bound.dtype) and not is_null(bound.dtype):
                raise e.error(
                    tree or start,
                    TypeMismatchError,
                    f"a series is of integers or timestamps, not {type_name(bound.dtype)}",
                )
    elif is_null(by.dtype):
        by = null_of(INTERVAL)
    return call("list_range", *bounds, by, inclusive=inclusive)


def _popped(*, at_start: bool) -> Handler:
    """A list without its first or its last item."""

    def bind(e: Expressions, tree: exp.Anonymous) -> Scalar:
        (arg,) = arguments(tree, 1)
        first, last = (2, -1) if at_start else (1, -2)
        return call("list_cut", e.bind(arg), literal(first), literal(last))

    return bind


def _repeated(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """`array_repeat(value, n)`."""
    value, times = arguments(tree, 2)
    one = call("make_list", e.bind(value))
    count = call("greatest", e.bind(times), literal(0))
    return call("list_resize", call("list_head", one, literal(0)), count, e.bind(value))


def _contained(e: Expressions, tree: exp.ArrayContainedBy) -> Scalar:
    return e.apply("list_has_all", tree.expression, tree.this)


def _item_at(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """`list_extract(x, i)` and `array_extract(x, i)`, of lists, texts and structs."""
    whole, index = arguments(tree, 2)
    value, at = e.bind(whole), e.bind(index)
    if is_struct(value.dtype):
        return _field(e, tree, value, constant_of(at))
    if is_map(value.dtype):
        return call("map_get", value, _key(value, at))
    if value.dtype == STRING:
        return call("substr", value, at, literal(1))
    return call("list_extract", value, at)


FORMS: dict[type | str, Handler] = {
    exp.Array: _array,
    exp.ArrayAppend: _append,
    exp.ArrayConcat: _concat,
    exp.ArrayContainedBy: _contained,
    exp.ArrayContains: plain("list_contains", "this", "expression"),
    exp.ArrayContainsAll: plain("list_has_all", "this", "expression"),
    exp.ArrayDistinct: plain("list_distinct", "this"),
    exp.ArrayExcept: plain("list_except", "this", "expression"),
    exp.ArrayIntersect: _intersect,
    exp.ArrayMax: _aggregate_named("max"),
    exp.ArrayMin: _aggregate_named("min"),
    exp.ArrayOverlaps: plain("list_has_any", "this", "expression"),
    exp.ArrayPosition: plain("list_position", "this", "expression"),
    exp.ArrayPrepend: _prepend,
    exp.ArrayRemove: plain("list_remove", "this", "expression"),
    exp.ArrayReverse: plain("list_reverse", "this"),
    exp.ArraySize: _size,
    exp.ArraySlice: _slice_function,
    exp.ArraySort: _sort,
    exp.Bracket: _bracket,
    exp.Flatten: plain("list_flatten", "this"),
    exp.GenerateSeries: _series,
    "array_aggregate": _aggregate,
    "array_element": _item_at,
    "array_empty": _is_empty,
    "array_extract": _item_at,
    "array_flatten": named("list_flatten", 1),
    "array_has_any": named("list_has_any", 2),
    "array_ndims": _dimensions,
    "array_pop_back": _popped(at_start=False),
    "array_pop_front": _popped(at_start=True),
    "array_push_back": _append,
    "array_push_front": _push_front,
    "array_remove_all": named("list_remove", 2),
    "array_repeat": _repeated,
    "array_replace_all": named("list_replace", 3),
    "array_resize": _resize,
    "array_reverse_sort": _sort,
    "array_grade_up": _grade_up,
    "array_sort": _sort,
    "array_unique": _distinct_count,
    "array_zip": _zip,
    "grade_up": _grade_up,
    "cardinality": _size,
    "empty": _is_empty,
    "list_aggr": _aggregate,
    "list_aggregate": _aggregate,
    "list_append": _append,
    "list_cat": _concat,
    "list_concat": _concat,
    "list_element": _item_at,
    "list_extract": _item_at,
    "list_grade_up": _grade_up,
    "list_intersect": _intersect,
    "list_ndims": _dimensions,
    "list_pack": _make,
    "list_prepend": _prepend,
    "list_resize": _resize,
    "list_reverse_sort": _sort,
    "list_slice": _slice_function,
    "list_sort": _sort,
    "list_unique": _distinct_count,
    "list_value": _make,
    "list_zip": _zip,
    "make_array": _make,
    "range": _range,
    **{
        f"{prefix}_{name}": _aggregate_named(name)
        for prefix in ("list", "array")
        for name in (*_AGGREGATES, *_FOLDS, "count", "any_value", "string_agg")
    },
}

__all__ = ["FORMS", "contains", "cut", "list_of_text", "or_empty", "series"]
