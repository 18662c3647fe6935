"""What verbs are given: names and expressions, lists of them, and what Python made of them by mistake."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.expr import Expr, column_node
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.nouns import with_article
from lazyframe.planner.schema import Schema
from lazyframe.planner.unbound import Ref, Unbound

_COMPARISON = re.compile(r"\s*(\w+)\s*(==|=|!=|<=|>=|<|>)\s*(.+?)\s*")


def nodes(exprs: Iterable[Any], named: Mapping[str, Any]) -> list[Unbound]:
    """The nodes of what a verb was given: names and expressions, lists of them, and named ones."""
    found: list[Unbound] = []
    for expr in exprs:
        if isinstance(expr, (list, tuple, set, frozenset)) or hasattr(expr, "__next__"):
            found.extend([column_node(one_column(item)) for item in expr])
        else:
            found.append(column_node(one_column(expr)))
    for name, expr in named.items():
        found.append(Expr(column_node(one_column(expr, name))).alias(name)._node)
    return found


def listed(given: Any) -> Any:
    """One name or expression as a list of one; several as they are."""
    return [given] if isinstance(given, (str, Expr)) else given


def one_column(value: Any, name: str | None = None) -> Any:
    """What stands for one column: not a collection, which could be meant in more than one way."""
    if isinstance(value, (str, Expr)):
        return value
    if isinstance(value, Mapping):
        raise InvalidArgumentError(
            f"{with_article(type(value).__name__)} cannot stand for a column" + (f": {name}={value!r}" if name else ""),
            hint="write new=lf.col('old') for another name, or rename(); lf.col('x').sum() for an aggregate; "
            "lf.lit({...}) for a constant struct",
        )
    if isinstance(value, (list, tuple, set, frozenset, pa.Array, pa.ChunkedArray)):
        shown = f": {name}={value!r}" if name and not isinstance(value, (pa.Array, pa.ChunkedArray)) else ""
        raise InvalidArgumentError(
            f"{with_article(type(value).__name__)} cannot stand for one column{shown}",
            hint="write lf.lit([...]) for a constant list; several columns stand without a name",
        )
    return value


def condition(value: Any, schema: Schema) -> Any:
    """A condition given to a filter, and not the values that Python has computed instead of one."""
    if isinstance(value, (list, tuple)):
        return [condition(item, schema) for item in value]
    if isinstance(value, (bool, np.bool_)):
        raise InvalidArgumentError(
            f"a filter takes a condition over columns, not {value}",
            hint='write lf.col("month") == 1; df["month"] holds values that Python compares at once. '
            f"lf.lit({value}) is a condition for all rows",
        )
    if isinstance(value, (np.ndarray, pa.Array, pa.ChunkedArray)) or type(value).__name__ == "Series":
        raise InvalidArgumentError(
            f"a filter takes a condition over columns, not the values of {with_article(type(value).__name__)}",
            hint='write lf.col("month") == 1, or join with a frame of the values to keep (how="semi")',
        )
    if isinstance(value, str) and value not in schema and (parts := _COMPARISON.fullmatch(value)):
        raise InvalidArgumentError(
            f"a filter takes a condition, not the text {value!r}",
            hint=f'write lf.col("{parts[1]}") {"==" if parts[2] == "=" else parts[2]} {parts[3]}',
        )
    return value


def is_name(value: Any) -> bool:
    """Whether it is the name of one column: a string, or `col("name")`."""
    return isinstance(value, str) or (isinstance(value, Expr) and isinstance(value._node, Ref))
