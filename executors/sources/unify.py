"""One schema for several files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lazyframe.planner.errors import InvalidArgumentError, SourceError
from lazyframe.planner.schema import Field
from lazyframe.planner.types import DataType, common_type, is_integer, is_null, type_name


def unified_fields(
    files: Sequence[tuple[str, Mapping[str, Field]]], missing_columns: str = "error"
) -> dict[str, Field]:
    """The columns of all files together, in the order of the first file that has each.

    Args:
        files: the name and the fields of each file.
        missing_columns: `"error"`, or `"null"` where a file may lack a column that others have.

    Raises:
        SourceError: where a file lacks a column, or has it with another type than integers widen to. Names both files.
    """
    if missing_columns not in ("error", "null"):
        raise InvalidArgumentError(f"missing_columns is 'error' or 'null', not {missing_columns!r}")
    first_name, first = files[0]
    merged = dict(first)
    origin = dict.fromkeys(first, first_name)
    for name, fields in files[1:]:
        if missing_columns == "error":
            _same_names(first_name, first, name, fields)
        for field in fields.values():
            held = merged.get(field.name)
            if held is None:
                merged[field.name] = field
                origin[field.name] = name
                continue
            dtype = _widened(held.dtype, field.dtype)
            if dtype is None:
                raise SourceError(
                    f"column {field.name!r} is {type_name(held.dtype)} in {origin[field.name]} "
                    f"but {type_name(field.dtype)} in {name}",
                    hint="read the files apart, cast the column, and concat",
                )
            merged[field.name] = Field(field.name, dtype, held.nullable or field.nullable)
    if missing_columns == "null":
        everywhere = set.intersection(*(set(fields) for _, fields in files))
        merged = {n: f if n in everywhere else f._replace(nullable=True) for n, f in merged.items()}
    return merged


def _same_names(first_name: str, first: Mapping[str, Field], name: str, fields: Mapping[str, Field]) -> None:
    hint = "missing_columns='null' fills what a file lacks with nulls"
    for column in first:
        if column not in fields:
            dtype = type_name(first[column].dtype)
            raise SourceError(f"column {column!r} ({dtype}) of {first_name} is missing in {name}", hint=hint)
    for column in fields:
        if column not in first:
            dtype = type_name(fields[column].dtype)
            raise SourceError(f"column {column!r} ({dtype}) of {name} is missing in {first_name}", hint=hint)


def _widened(a: DataType, b: DataType) -> DataType | None:
    if a == b:
        return a
    if is_null(a) or is_null(b) or (is_integer(a) and is_integer(b)):
        wider = common_type(a, b)
        return wider if wider is not None and (is_integer(wider) or is_null(a) or is_null(b)) else None
    return None
