"""SQL's structs and maps."""

from __future__ import annotations

from sqlglot import exp

from lazyframe.planner.bind import call, unified
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError, UnsupportedError
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.expressions.columns import field
from lazyframe.planner.sql.functions.arguments import arguments, constant_of
from lazyframe.planner.sql.functions.conditional import guarded
from lazyframe.planner.sql.functions.lists import bracketed, contains, or_empty
from lazyframe.planner.types import is_map, is_null, is_struct, type_name


def _named_parts(trees: list[exp.Expression]) -> list[tuple[str | None, exp.Expression]]:
    """The names and values of `{'a': 1}` and `a := 1`; None where there is no name."""
    return [(part.this.name, part.expression) if isinstance(part, exp.PropertyEQ) else (None, part) for part in trees]


def _struct(e: Expressions, tree: exp.Expression) -> Scalar:
    """What has no name gets the one of its column, else that of its place."""
    return _made(e, _named_parts(tree.expressions), own_names=True)


def _row(e: Expressions, tree: exp.Expression) -> Scalar:
    """`row(1, 2)` and `(1, 2)`, whose fields are c0, c1 and so on."""
    if not tree.expressions:
        raise InvalidArgumentError("a row has a value at least")
    return _made(e, _named_parts(tree.expressions), own_names=False)


def _made(e: Expressions, parts: list[tuple[str | None, exp.Expression]], *, own_names: bool) -> Scalar:
    names: list[str] = []
    for place, (name, value) in enumerate(parts):
        if name is None and own_names and isinstance(value, (exp.Column, exp.Alias)):
            name = value.alias or value.name
        names.append(f"c{place}" if name is None else name)
    values = [value.this if isinstance(value, exp.Alias) else value for _, value in parts]
    return call("make_struct", *[e.bind(value) for value in values], names=tuple(names))


def _named_struct(e: Expressions, tree: exp.Anonymous) -> Scalar:
    args = tree.expressions
    if not args or len(args) % 2:
        raise InvalidArgumentError("named_struct() takes pairs of a name and a value")
    names = [e.constant(name, "the name of a field", str) for name in args[::2]]
    return call("make_struct", *[e.bind(value) for value in args[1::2]], names=tuple(names))


def _extract(e: Expressions, tree: exp.StructExtract) -> Scalar:
    """By name, or by place from 1."""
    e.only(tree, "this", "expression")
    value = _a_struct(e, tree.this)
    key = constant_of(e.bind(tree.expression))
    if isinstance(key, int) and 1 <= key <= value.dtype.num_fields:
        return call("struct_field", value, name=value.dtype.field(key - 1).name)
    if not isinstance(key, str):
        raise e.error(tree.expression, InvalidArgumentError, f"a struct has no field {key!r}")
    return field(value, key)


def _field_by_name(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """`get_field(s, 'name')`, of a map the value of a key."""
    whole, key = arguments(tree, 2)
    value = e.bind(whole)
    if is_map(value.dtype):
        return call("map_get", value, e.bind(key))
    return field(_a_struct(e, whole), e.constant(key, "the name of a field", str))


def _a_struct(e: Expressions, tree: exp.Expression) -> Scalar:
    value = e.bind(tree)
    if not is_struct(value.dtype):
        raise e.error(tree, TypeMismatchError, f"only structs have fields, not {type_name(value.dtype)}")
    return value


def _fields(value: Scalar) -> dict[str, Scalar]:
    return {f.name: call("struct_field", value, name=f.name) for f in value.dtype}


def _insert(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """`struct_insert(s, name := value)` adds fields, or replaces those of the name; those of no struct are null."""
    if len(tree.expressions) < 2:
        raise InvalidArgumentError(f"{tree.name.lower()}() takes a struct, and fields such as name := value")
    value = _a_struct(e, tree.expressions[0])
    found = _fields(value)
    for name, part in _named_parts(tree.expressions[1:]):
        if name is None:
            raise e.error(part, InvalidArgumentError, "a field is written as name := value")
        found[name] = e.bind(part)
    return call("make_struct", *found.values(), names=tuple(found))


def _values(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """The fields of a struct as those of a row, which have no names of their own."""
    value = _a_struct(e, arguments(tree, 1)[0])
    parts = list(_fields(value).values())
    if not parts:
        raise InvalidArgumentError("the struct has no fields")
    return guarded(value, call("make_struct", *parts, names=tuple([f"c{place}" for place in range(len(parts))])))


def _concat(e: Expressions, tree: exp.Anonymous) -> Scalar:
    found: dict[str, Scalar] = {}
    values = [_a_struct(e, part) for part in tree.expressions]
    for value in values:
        for name, part in _fields(value).items():
            if name in found:
                raise InvalidArgumentError(f"more than one of the structs has the field {name!r}")
            found[name] = part
    return call("make_struct", *found.values(), names=tuple(found))


def _keys(e: Expressions, tree: exp.Anonymous) -> Scalar:
    value = _a_struct(e, arguments(tree, 1)[0])
    return guarded(value, call("make_list", *[literal(f.name) for f in value.dtype]))


def _map(e: Expressions, tree: exp.Map) -> Scalar:
    """`map(keys, values)`, or of a list of pairs."""
    e.only(tree, "keys", "values")
    keys, values = tree.args.get("keys"), tree.args.get("values")
    if keys is None:
        return call("make_map", call("make_list"), call("make_list"))
    if values is None:
        return call("map_from_entries", e.bind(keys))
    return call("make_map", e.bind(keys), e.bind(values))


def _map_literal(e: Expressions, tree: exp.ToMap) -> Scalar:
    """`MAP {key: value, ...}`."""
    entries = tree.this
    if isinstance(entries, exp.Bracket):
        # `MAP {...}[key]` is read as MAP of what stands before it.
        return bracketed(e, entries, _map_literal(e, exp.ToMap(this=entries.this)))
    if not isinstance(entries, exp.Struct):
        return call("map_from_entries", e.bind(entries))
    pairs = entries.expressions
    for pair in pairs:
        if not isinstance(pair, exp.PropertyEQ):
            raise e.error(pair, UnsupportedError, "an entry of a map is written as key: value")
    keys, values = [pair.this for pair in pairs], [pair.expression for pair in pairs]
    return call("make_map", e.apply("make_list", *keys), e.apply("make_list", *values))


def _map_entries_of(e: Expressions, tree: exp.MapFromEntries) -> Scalar:
    e.only(tree, "this")
    return call("map_from_entries", e.bind(tree.this))


def _map_concat(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """The entries of all maps; no map counts as an empty one."""
    if not tree.expressions:
        raise InvalidArgumentError("map_concat() takes maps")
    bound = unified([e.bind(each) for each in tree.expressions], "the maps")
    if is_null(bound[0].dtype):
        return bound[0]
    return call("map_concat", *[or_empty(each) if is_map(each.dtype) else each for each in bound])


def _map_values_contain(e: Expressions, tree: exp.Anonymous) -> Scalar:
    whole, value = arguments(tree, 2)
    return e.apply("list_contains", call("map_values", e.bind(whole)), value)


def _map_has(e: Expressions, tree: exp.Anonymous) -> Scalar:
    whole, key = arguments(tree, 2)
    return contains(e, whole, key)


def _map_has_entry(e: Expressions, tree: exp.Anonymous) -> Scalar:
    whole, key, value = arguments(tree, 3)
    found = e.apply("map_get", whole, key)
    return guarded(e.bind(whole), call("coalesce", e.apply("equal", found, value), literal(False)))


def _json(e: Expressions, tree: exp.Expression) -> Scalar:
    raise e.error(
        tree, UnsupportedError, "JSON is not supported", "read JSON files as tables, whose fields are structs"
    )


_JSON = (
    exp.JSONExtract, exp.JSONExtractScalar, exp.JSONObject, exp.JSONArray, exp.JSONType, exp.JSONKeys, exp.ParseJSON,
    exp.JSONFormat, exp.JSONBExtract, exp.JSONBExtractScalar, exp.JSONArrayContains, exp.JSONExists,
)  # fmt: skip
_JSON_NAMES = (
    "json", "to_json", "json_array_length", "json_valid", "json_structure", "json_quote", "json_contains", "json_merge_patch",
    "json_transform", "from_json", "row_to_json", "array_to_json", "json_extract_string", "json_array", "json_pretty",
)  # fmt: skip

FORMS: dict[type | str, Handler] = {
    exp.Map: _map,
    exp.MapFromEntries: _map_entries_of,
    exp.Struct: _struct,
    exp.StructExtract: _extract,
    exp.ToMap: _map_literal,
    exp.Tuple: _row,
    "map_concat": _map_concat,
    "map_contains": _map_has,
    "map_contains_entry": _map_has_entry,
    "map_contains_value": _map_values_contain,
    "get_field": _field_by_name,
    "named_struct": _named_struct,
    "row": _row,
    "struct_concat": _concat,
    "struct_insert": _insert,
    "struct_keys": _keys,
    "struct_pack": _struct,
    "struct_update": _insert,
    "struct_values": _values,
    **dict.fromkeys(_JSON, _json),
    **dict.fromkeys(_JSON_NAMES, _json),
}

__all__ = ["FORMS"]
