"""`*`, `t.*` and COLUMNS(...): expressions that stand for several columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from sqlglot import exp

from lazyframe.planner.bind import call
from lazyframe.planner.errors import (
    ColumnNotFoundError,
    InvalidArgumentError,
    TableNotFoundError,
    UnsupportedError,
    did_you_mean,
)
from lazyframe.planner.functions.patterns import regex_error
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.sql.names.scope import Scope, Visible
from lazyframe.planner.sql.statement import Statement
from lazyframe.planner.types import is_struct


class Item(NamedTuple):
    """One column of a SELECT list: an expression of the text, or a value that a star stands for."""

    name: str | None
    tree: exp.Expr
    value: Scalar | None = None


def items(statement: Statement, scope: Scope, trees: list[exp.Expr]) -> Iterator[Item]:
    """The columns of a SELECT list, stars written out."""
    for tree in trees:
        inner = tree.this if isinstance(tree, exp.Alias) else tree
        if isinstance(inner, exp.Star):
            for visible in _starred(statement, scope.star(), inner):
                yield Item(visible.name, visible.tree, visible.value)
        elif isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star):
            for visible in _starred(statement, _of_table(scope, inner), inner.this):
                yield Item(visible.name, visible.tree, visible.value)
        elif inner.find(exp.Columns) is not None or _filtered_star(inner) is not None:
            yield from _repeated(statement, scope, tree, inner)
        else:
            yield Item(tree.alias if isinstance(tree, exp.Alias) else None, inner)


class _Starred(NamedTuple):
    name: str
    tree: exp.Expr
    value: Scalar | None


def _of_table(scope: Scope, tree: exp.Column) -> list[Visible]:
    tables = scope.named(tree.table)
    if not tables:
        value = scope.own_column(tree.table)
        if value is not None and is_struct(value.dtype):
            # The fields of a struct.
            return [Visible(f.name, call("struct_field", value, name=f.name)) for f in value.dtype]
        hint = did_you_mean(tree.table, scope.aliases())
        raise TableNotFoundError(f"no table named {tree.table!r} stands in FROM", hint=hint)
    return [visible for table in tables for visible in table.columns]


def _starred(statement: Statement, columns: list[Visible], star: exp.Star) -> list[_Starred]:
    """The columns of a star with its EXCLUDE, REPLACE and RENAME."""
    statement.only(star, "except_", "replace", "rename")
    if not columns:
        raise InvalidArgumentError("* stands for nothing where there is no FROM")
    for clause in ("replace", "rename"):
        for part in star.args.get(clause) or []:
            if not isinstance(part, exp.Alias):
                raise InvalidArgumentError(f"a part of {clause.upper()} is written ... AS name")
    excluded = _named(star.args.get("except_"), columns, lambda part: part)
    replaced = _named(star.args.get("replace"), columns, lambda part: part.args["alias"])
    renamed = _named(star.args.get("rename"), columns, lambda part: part.this)
    found: list[_Starred] = []
    for visible in columns:
        folded = visible.name.casefold()
        if folded in excluded:
            continue
        name = renamed[folded].args["alias"].name if folded in renamed else visible.name
        if folded in replaced:
            found.append(_Starred(name, replaced[folded].this, None))
        else:
            found.append(_Starred(name, star, visible.value))
    return found


def _named(
    parts: exp.Expr | list[exp.Expr] | None,
    columns: list[Visible],
    name_of: Callable[[exp.Expr], exp.Expr],
) -> dict[str, exp.Expr]:
    """The parts of a clause of a star by the column they name, without regard to case."""
    known = {visible.name.casefold() for visible in columns}
    found: dict[str, exp.Expr] = {}
    for part in parts if isinstance(parts, list) else [parts] if parts is not None else []:
        name = name_of(part).name
        if name.casefold() not in known:
            raise ColumnNotFoundError(
                f"no column named {name!r} among those of *", hint=did_you_mean(name, [v.name for v in columns])
            )
        found[name.casefold()] = part
    return found


def _filtered_star(tree: exp.Expr) -> exp.Star | None:
    """The star of `* LIKE 'pattern'`."""
    if isinstance(tree, (exp.Like, exp.ILike, exp.SimilarTo, exp.Glob)) and isinstance(tree.this, exp.Star):
        return tree.this
    return None


def _repeated(statement: Statement, scope: Scope, tree: exp.Expr, inner: exp.Expr) -> Iterator[Item]:
    """An expression once for each column that COLUMNS(...) in it stands for."""
    star = _filtered_star(inner)
    if star is not None:
        pattern = inner.expression.name
        expression = _like_as_regex(pattern) if isinstance(inner, (exp.Like, exp.ILike)) else pattern
        flags = re.IGNORECASE if isinstance(inner, exp.ILike) else 0
        if isinstance(inner, exp.Glob):
            raise UnsupportedError("* GLOB is not supported", hint="write COLUMNS('regular expression')")
        for visible in _starred(statement, scope.star(), star):
            if re.fullmatch(expression, visible.name, flags):
                yield Item(visible.name, visible.tree, visible.value)
        return
    many = list(inner.find_all(exp.Columns))
    chosen = _chosen(statement, scope, many[0])
    if any(each != many[0] for each in many[1:]):
        raise UnsupportedError("different COLUMNS(...) in one expression are not supported")
    if not chosen:
        raise InvalidArgumentError("COLUMNS(...) stands for no column")
    alias = tree.alias if isinstance(tree, exp.Alias) else None
    for name, table in chosen:
        column = exp.column(
            exp.to_identifier(name, quoted=True), table=exp.to_identifier(table, quoted=True) if table else None
        )
        copy = inner.copy()
        if isinstance(copy, exp.Columns):
            copy = column
        else:
            for each in list(copy.find_all(exp.Columns)):
                each.replace(column.copy())
        label = alias if alias is None else re.sub(r"\\0", name.replace("\\", r"\\"), alias)
        yield Item(label if label is not None else name, copy)


def _chosen(statement: Statement, scope: Scope, tree: exp.Columns) -> list[tuple[str, str]]:
    """The columns that COLUMNS(...) stands for, with the table that each is of."""
    what = tree.this
    tables = [(visible.name, table.alias if table.qualified else "") for table, visible in scope.star_with_tables()]
    names = [name for name, _ in tables]
    if isinstance(what, exp.Star):
        wanted = [starred.name for starred in _starred(statement, scope.star(), what)]
        return [(name, table) for name, table in tables if name in wanted]
    if isinstance(what, exp.Literal) and what.is_string:
        if problem := regex_error(what.this):
            raise InvalidArgumentError(f"COLUMNS wants a regular expression: {problem}")
        return [(name, table) for name, table in tables if re.search(what.this, name)]
    if isinstance(what, (exp.Array, exp.Tuple)):
        found = []
        for each in what.expressions:
            if each.name not in names:
                raise ColumnNotFoundError(f"no column named {each.name!r}", hint=did_you_mean(each.name, names))
            found += [(name, table) for name, table in tables if name == each.name]
        return found
    raise UnsupportedError("COLUMNS wants *, a regular expression or a list of names")


def _like_as_regex(pattern: str) -> str:
    parts = {"%": ".*", "_": "."}
    return "".join([parts.get(char) or re.escape(char) for char in pattern])


__all__ = ["Item", "items"]
