"""Functions of lists and structs: SQL counts positions from 1, and we from 0."""

from __future__ import annotations

from lazyframe.planner.scalars import Call
from lazyframe.planner.sql.writing.functions.form import Form, constant, option, refuse
from lazyframe.planner.sql.writing.templates import quoted


def _get(call: Call) -> str:
    position = constant(call, 1)
    if position is None:
        return "LIST_EXTRACT(a, CASE WHEN b >= 0 THEN b + 1 ELSE b END)"
    return f"LIST_EXTRACT(a, {position + 1 if position >= 0 else position})"


def _slice(call: Call) -> str:
    start, length = constant(call, 1), constant(call, 2)
    if not isinstance(start, int) or (len(call.args) == 3 and not isinstance(length, int)):
        raise refuse(call, "between positions that are no constants")
    first = str(start + 1) if start >= 0 else f"GREATEST(ARRAY_LENGTH(a) - {-start}, 0) + 1"
    if length is None:
        return f"LIST_SLICE(a, {first}, ARRAY_LENGTH(a))"
    last = str(start + length) if start >= 0 else f"GREATEST(ARRAY_LENGTH(a) - {-start} + {length}, 0)"
    return f"LIST_SLICE(a, {first}, {last})"


def _head(call: Call) -> str:
    count = constant(call, 1)
    if not isinstance(count, int):
        raise refuse(call, "of a number that is no constant")
    return f"LIST_SLICE(a, 1, {count if count >= 0 else f'GREATEST(ARRAY_LENGTH(a) - {-count}, 0)'})"


def _tail(call: Call) -> str:
    count = constant(call, 1)
    if not isinstance(count, int):
        raise refuse(call, "of a number that is no constant")
    first = f"GREATEST(ARRAY_LENGTH(a) - {count}, 0) + 1" if count >= 0 else str(-count + 1)
    return f"LIST_SLICE(a, {first}, ARRAY_LENGTH(a))"


def _truth(name: str, empty: str) -> str:
    """SQL gives null for a list without truth values."""
    return f"CASE WHEN a IS NOT NULL THEN COALESCE({name}(a), {empty}) END"


def _sort(call: Call) -> str:
    order = "DESC" if option(call, "descending", default=False) else "ASC"
    nulls = "FIRST" if option(call, "nulls_first", default=False) else "LAST"
    return f"LIST_SORT(a, '{order}', 'NULLS {nulls}')"


def _grade_up(call: Call) -> str:
    order = "DESC" if option(call, "descending", default=False) else "ASC"
    nulls = "FIRST" if option(call, "nulls_first", default=False) else "LAST"
    return f"LIST_GRADE_UP(a, '{order}', 'NULLS {nulls}')"


def _zip(call: Call) -> str:
    lists = ", ".join([f"arg{index}" for index in range(len(call.args))])
    if option(call, "truncate", default=False):
        lists += ", TRUE"
    # The fields get the names that they have here: each engine has its own for those of a row.
    fields = ", ".join([f"'c{index}': STRUCT_EXTRACT(item, {index + 1})" for index in range(len(call.args))])
    return f"LIST_TRANSFORM(LIST_ZIP({lists}), LAMBDA item : {{{fields}}})"


def _concat(call: Call) -> str:
    names = [f"arg{index}" for index in range(len(call.args))]
    joined = names[0]
    for name in names[1:]:
        joined = f"LIST_CONCAT({joined}, {name})"
    known = [f"{name} IS NOT NULL" for name, arg in zip(names, call.args, strict=True) if arg.nullable]
    return f"CASE WHEN {' AND '.join(known)} THEN {joined} END" if known and len(names) > 1 else joined


_OPTIONS = {("skew", False): "skewness", ("kurtosis", False): "kurtosis", ("kurtosis", True): "kurtosis_pop"}
"""The names of aggregates that depend on whether they are of the values alone."""
_NAMES = {"approx_n_unique": "approx_count_distinct"}
_POPULATION = {"std": "stddev_pop", "var": "var_pop"}
_SAMPLE = {"std": "stddev_samp", "var": "var_samp"}


def _aggregate(call: Call) -> str:
    """An aggregate of a list, by the name that SQL has for it."""
    name, options = option(call, "aggregate"), dict(option(call, "with", ()))
    if name in _SAMPLE:
        ddof = options.get("ddof", 1)
        if ddof not in (0, 1):
            raise refuse(call, f"with {ddof} degrees of freedom taken off")
        name = (_SAMPLE if ddof else _POPULATION)[name]
    elif (name, options.get("bias", True)) in _OPTIONS:
        name = _OPTIONS[name, options.get("bias", True)]
    elif name == "skew" or options:
        raise refuse(call, "with options")
    name = _NAMES.get(name, name)
    return f"LIST_AGGREGATE(a, {quoted(name)})"


def _field(call: Call) -> str:
    return f"STRUCT_EXTRACT(a, {quoted(option(call, 'name'))})"


def _make_struct(call: Call) -> str:
    if not call.args:
        raise refuse(call, "without fields")
    fields = [f"{quoted(name)}: arg{index}" for index, name in enumerate(option(call, "names"))]
    return "{" + ", ".join(fields) + "}"


FORMS: dict[str, Form] = {
    "list_length": "ARRAY_LENGTH(a)",
    "list_get": _get,
    "list_first": "LIST_EXTRACT(a, 1)",
    "list_last": "LIST_EXTRACT(a, -1)",
    "list_find": "NULLIF(LIST_POSITION(a, b), 0) - 1",
    "list_position": "NULLIF(LIST_POSITION(a, b), 0)",
    "list_count_matches": "ARRAY_LENGTH(LIST_FILTER(a, LAMBDA item : item = b))",
    "list_any": _truth("LIST_BOOL_OR", "FALSE"),
    "list_all": _truth("LIST_BOOL_AND", "TRUE"),
    "list_n_unique": (
        "ARRAY_LENGTH(LIST_DISTINCT(a))"
        " + CASE WHEN ARRAY_LENGTH(LIST_FILTER(a, LAMBDA item : item IS NULL)) > 0 THEN 1 ELSE 0 END"
    ),
    "list_sort": _sort,
    "list_grade_up": _grade_up,
    "list_zip": _zip,
    "list_drop_nulls": "LIST_FILTER(a, LAMBDA item : item IS NOT NULL)",
    "list_remove": "LIST_FILTER(a, LAMBDA item : item IS DISTINCT FROM b)",
    "list_replace": "LIST_TRANSFORM(a, LAMBDA item : CASE WHEN item IS NOT DISTINCT FROM b THEN c ELSE item END)",
    "list_slice": _slice,
    "list_head": _head,
    "list_tail": _tail,
    "list_concat": _concat,
    "list_aggregate": _aggregate,
    "list_cut": "LIST_SLICE(...)",
    "list_range": lambda call: (
        "GENERATE_SERIES(a, b, c)" if option(call, "inclusive", default=True) else "RANGE(a, b, c)"
    ),
    "make_map": "MAP(a, b)",
    "map_from_entries": "MAP_FROM_ENTRIES(a)",
    "map_length": "CARDINALITY(a)",
    "list_join": "ARRAY_TO_STRING(a, b)",
    "make_list": "[...]",
    "struct_field": _field,
    "make_struct": _make_struct,
}

REFUSED: dict[str, str] = {
    "list_unique": "keeps the order of the items, which SQL's LIST_DISTINCT does not",
}
