"""The statements of a text, and what each of them asks for. Everything that is no SELECT ends here or is refused."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sqlglot import exp

from lazyframe.planner.errors import LazyFrameError, SqlSyntaxError, UnsupportedError
from lazyframe.planner.site import TextSite
from lazyframe.planner.sql.reading.copy_options import copy_options
from lazyframe.planner.sql.reading.cutting import Piece, pieces
from lazyframe.planner.sql.reading.markers import located, numbered
from lazyframe.planner.sql.reading.parse import parse
from lazyframe.planner.sql.reading.positions import SqlSite, text_site


class SelectStatement(NamedTuple):
    """A query, whatever word it begins with."""

    tree: exp.Expr


class CreateStatement(NamedTuple):
    """CREATE VIEW or TABLE ... AS.

    Attributes:
        kind: `view` or `table`.
        name: the last part of its name.
        columns: the names of its columns, where they are given.
        query: what it holds.
        replace: whether it takes the place of another.
        if_not_exists: whether nothing happens where there is one.
    """

    tree: exp.Expr
    kind: str
    name: exp.Identifier
    columns: tuple[str, ...]
    query: exp.Expr
    replace: bool
    if_not_exists: bool


class DropStatement(NamedTuple):
    """DROP VIEW or TABLE."""

    tree: exp.Expr
    kind: str
    names: tuple[exp.Identifier, ...]
    if_exists: bool


class CopyStatement(NamedTuple):
    """COPY ... TO a file: the query, the place (a text or a parameter), and the options by name, each with its part of the tree."""

    tree: exp.Expr
    query: exp.Expr
    target: exp.Expr
    options: Mapping[str, tuple[Any, exp.Expr]]


class DescribeStatement(NamedTuple):
    """DESCRIBE or SUMMARIZE a query."""

    tree: exp.Expr
    query: exp.Expr
    summarize: bool


class ShowTablesStatement(NamedTuple):
    """SHOW TABLES."""

    tree: exp.Expr


class ExplainStatement(NamedTuple):
    """EXPLAIN a query."""

    tree: exp.Expr
    query: exp.Expr
    analyze: bool
    verbose: bool


Statement = (
    SelectStatement | CreateStatement | DropStatement | CopyStatement | DescribeStatement | ShowTablesStatement | ExplainStatement
)  # fmt: skip


def statements(text: str, dialect: str) -> list[Statement]:
    """The statements of a text, in order.

    Raises:
        SqlSyntaxError: with the place where reading stopped.
        UnsupportedError: for a statement that is none of these, by its name and place.
    """
    found: list[Statement] = []
    number = 1
    for piece in pieces(text, dialect):
        trees, number = numbered(_parsed(piece, text, dialect), piece.text, dialect, number)
        located(trees, piece.text, dialect)
        _moved(trees, piece.start)
        for tree in trees:
            source = _Source(text, piece.start, dialect)
            statement = _statement(tree, source)
            if piece.explain is None:
                found.append(statement)
            elif isinstance(statement, SelectStatement):
                found.append(ExplainStatement(tree, statement.tree, *piece.explain))
            else:
                raise _refused("EXPLAIN of what is no query", tree, source)
    return found


def is_query(tree: exp.Expr) -> bool:
    """Whether it gives rows by itself."""
    return isinstance(tree, (exp.Query, exp.Values, exp.Pivot))


class _Hushed(logging.Filter):
    """Drops what the parser logs about statements that it cannot read: here they are refused."""

    def __init__(self) -> None:
        super().__init__()
        self.reading = threading.local()

    def filter(self, record: logging.LogRecord) -> bool:
        return not getattr(self.reading, "now", False)


_hushed = _Hushed()
logging.getLogger("sqlglot").addFilter(_hushed)


def _parsed(piece: Piece, text: str, dialect: str) -> list[exp.Expr]:
    _hushed.reading.now = True
    try:
        return _shown(parse(piece.text, dialect), piece, dialect)
    except SqlSyntaxError as error:
        site = error.site
        if isinstance(site, TextSite):
            # The place in the whole, and the line as it was written.
            before = text.count("\n", 0, piece.start)
            column = site.column
            if column is not None and site.line == 1:
                column += piece.start - text.rfind("\n", 0, piece.start) - 1
            written = text.split("\n")[before + site.line - 1].replace("\t", " ").rstrip("\r")
            error.site = replace(site, line=before + site.line, column=column, source=written)
        raise
    finally:
        _hushed.reading.now = False


_SHOW = re.compile(
    r"""\bshow\b(?=\s+(?!(?:all|databases|schemas|variables)\b)(?:"[^"]*"|'[^']*'|[\w.]+)\s*;?\s*\Z)""", re.IGNORECASE
)


def _shown(trees: list[exp.Expr], piece: Piece, dialect: str) -> list[exp.Expr]:
    """`SHOW name` is DESCRIBE by another word, which the parser does not know."""
    if len(trees) == 1 and isinstance(trees[0], exp.Command) and trees[0].name.upper() == "SHOW":
        described, found = _SHOW.subn("desc", piece.text, count=1)
        if found:
            return parse(described, dialect)
    return trees


def _moved(trees: Sequence[exp.Expr], start: int) -> None:
    """Make the places in trees those of the whole text, in which their statement begins at `start`."""
    if not start:
        return
    for tree in trees:
        for part in tree.walk():
            meta = part._meta
            if meta and "start" in meta:
                meta["start"] += start
                meta["end"] += start


class _Source(NamedTuple):
    """The whole text, where in it a statement begins, and its dialect."""

    text: str
    start: int
    dialect: str


def _statement(tree: exp.Expr, source: _Source) -> Statement:
    match tree:
        case exp.Create():
            return _create(tree, source)
        case exp.Drop():
            return _drop(tree, source)
        case exp.Copy():
            return _copy(tree, source)
        case exp.Describe() | exp.Summarize():
            return _describe(tree, source)
        case exp.Show() if tree.name.upper() == "TABLES" and _only(tree, "this"):
            return ShowTablesStatement(tree)
        case exp.Command() if tree.name.upper() == "COPY":
            raise _unread_copy(source)
        case _ if is_query(tree):
            if isinstance(tree, exp.Select) and tree.args.get("into") is not None:
                raise _refused("SELECT INTO", tree, source, "write CREATE TABLE name AS SELECT ...")
            return SelectStatement(tree)
    raise _refused(_name_of(tree, source), tree, source, _HINTS.get(type(tree)))


_HINTS: dict[type[exp.Expr], str] = {
    exp.Insert: "frames never change: write CREATE OR REPLACE TABLE t AS ... UNION ALL BY NAME ..., or COPY ... TO a file",
    exp.Update: "frames never change: write CREATE OR REPLACE TABLE t AS SELECT * REPLACE (... AS column) FROM t",
    exp.Delete: "frames never change: write CREATE OR REPLACE TABLE t AS SELECT ... WHERE NOT ...",
    exp.Show: "write SHOW TABLES, or DESCRIBE table",
    exp.Set: "settings are changed with lf.config()",
    exp.Pragma: "settings are changed with lf.config()",
}


def _only(tree: exp.Expr, *known: str) -> bool:
    return all([name in known for name, value in tree.args.items() if value])


def _name_of(tree: exp.Expr, source: _Source) -> str | None:
    """The words by which a statement is called; None where it begins with no word."""
    if isinstance(tree, exp.DML):
        return type(tree).__name__.upper()  # it may stand behind WITH
    words = re.findall(r"\w+", source.text[_first(source)[0] :])[:2]
    if not words or isinstance(tree, (exp.Binary, exp.Literal)):
        return None
    kind = tree.args.get("kind") if isinstance(tree, (exp.Create, exp.Drop, exp.Alter)) else None
    second = kind or (words[1] if len(words) > 1 and words[0].upper() in ("SHOW", "CREATE", "ALTER", "DROP") else "")
    return f"{words[0]} {second}".strip().upper()


_FIRST_WORD = re.compile(r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*(\w+)", re.DOTALL)


def _first(source: _Source) -> tuple[int, int]:
    """The first and the last character of a statement's first word, which no part of the tree keeps."""
    word = _FIRST_WORD.match(source.text, source.start)
    return (word.start(1), word.end(1) - 1) if word else (source.start, source.start)


def _refused(name: str | None, tree: exp.Expr, source: _Source, hint: str | None = None) -> LazyFrameError:
    if name is None:
        return SqlSyntaxError("a statement was expected", hint="write SELECT ...", site=SqlSite(source.text, tree))
    return UnsupportedError(f"{name} is not supported", hint=hint, site=text_site(source.text, *_first(source)))


def _create(tree: exp.Create, source: _Source) -> Statement:
    kind = str(tree.args.get("kind") or "").upper()
    properties = tree.args.get("properties")
    odd = [p for p in (properties.expressions if properties else ()) if not isinstance(p, exp.TemporaryProperty)]
    allowed = ("this", "kind", "expression", "replace", "exists", "properties")
    if kind not in ("VIEW", "TABLE"):
        raise _refused(_name_of(tree, source), tree, source)
    if odd or not _only(tree, *allowed):
        part = odd[0].sql() if odd else next(n for n, v in tree.args.items() if v and n not in allowed)
        raise _refused(f"CREATE {kind} with {part.upper()}", tree, source)
    query = tree.expression
    if query is None or not is_query(query):
        raise _refused(f"CREATE {kind} without AS", tree, source, f"write CREATE {kind} name AS SELECT ...")
    target = tree.this
    columns: tuple[str, ...] = ()
    if isinstance(target, exp.Schema):
        if not all([isinstance(column, exp.Identifier) for column in target.expressions]):
            raise _refused(f"CREATE {kind} with types of columns", tree, source, "cast them in the SELECT")
        columns = tuple([column.name for column in target.expressions])
        target = target.this
    replace, exists = bool(tree.args.get("replace")), bool(tree.args.get("exists"))
    if replace and exists:
        raise _refused("OR REPLACE together with IF NOT EXISTS", tree, source)
    return CreateStatement(tree, kind.lower(), _identifier(target, source), columns, query, replace, exists)


def _drop(tree: exp.Drop, source: _Source) -> Statement:
    kind = str(tree.args.get("kind") or "").upper()
    if kind not in ("VIEW", "TABLE"):
        raise _refused(_name_of(tree, source), tree, source)
    tables = tree.args.get("tables") or ([tree.this] if tree.this else [])
    if not _only(tree, "this", "tables", "kind", "exists") or not tables:
        odd = next((n for n, v in tree.args.items() if v and n not in ("this", "tables", "kind", "exists")), "nothing")
        raise _refused(f"DROP {kind} with {odd.upper()}", tree, source)
    names = tuple([_identifier(table, source) for table in tables])
    return DropStatement(tree, kind.lower(), names, bool(tree.args.get("exists")))


_SCHEMAS = {("main",), ("temp",), ("memory", "main"), ("temp", "main")}


def _identifier(table: exp.Expr, source: _Source) -> exp.Identifier:
    """The name of a view or table, which stands in no schema but the session's own."""
    if isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier):
        schema = tuple([part.name.casefold() for part in table.parts[:-1]])
        if not schema or schema in _SCHEMAS:
            return table.this
        raise UnsupportedError(
            f"there is no schema {'.'.join(schema)!r}: a session has one, main", site=SqlSite(source.text, table)
        )
    raise SqlSyntaxError("a name was expected here", site=SqlSite(source.text, table))


def _describe(tree: exp.Describe | exp.Summarize, source: _Source) -> DescribeStatement:
    summarize = isinstance(tree, exp.Summarize)
    word = "SUMMARIZE" if summarize else "DESCRIBE"
    target = tree.this
    kind = str(tree.args.get("kind") or "table").upper()
    odd = [name for name, value in tree.args.items() if value and name not in ("this", "table", "kind", "expressions")]
    if odd or kind not in ("TABLE", "VIEW") or tree.args.get("expressions"):
        raise _refused(f"{word} {odd[0].upper() if odd else kind}", tree, source)
    if isinstance(target, exp.Literal) and target.is_string:
        target = exp.Table(this=_path(target))
    if isinstance(target, exp.Table):
        target = _all_of(target)
    if not is_query(target):
        raise _refused(f"{word} of what is no query or table", tree, source)
    return DescribeStatement(tree, target, summarize)


def describe_statement(tree: exp.Describe | exp.Summarize, text: str, dialect: str) -> DescribeStatement:
    """What a DESCRIBE or SUMMARIZE asks for that stands within a query.

    Raises:
        UnsupportedError: where it says more than that.
    """
    return _describe(tree, _Source(text, 0, dialect))


def _path(text: exp.Literal) -> exp.Identifier:
    """A path as the name of a table, at its place."""
    name = exp.to_identifier(text.name, quoted=True)
    name.meta.update(text.meta)
    return name


def _all_of(table: exp.Expr, columns: Sequence[exp.Expr] = ()) -> exp.Expr:
    """`SELECT *`, or some columns, of a table as the tree has it, whose places are kept."""
    chosen: list[exp.Expr] = [exp.Column(this=column) for column in columns]
    return exp.Select(expressions=chosen or [exp.Star()], from_=exp.From(this=table))


def _copy(tree: exp.Copy, source: _Source) -> Statement:
    if tree.args.get("kind"):
        raise _refused("COPY ... FROM", tree, source, "write CREATE TABLE t AS FROM 'file'")
    credentials = tree.args.get("credentials")
    if not _only(tree, "this", "kind", "files", "params", "credentials") or (
        credentials and any(credentials.args.values())
    ):
        raise _refused("COPY with CREDENTIALS", tree, source)
    files = tree.args.get("files") or []
    if len(files) != 1 or not isinstance(
        files[0], (exp.Literal, exp.Placeholder, exp.Parameter, exp.Table, exp.Identifier)
    ):
        raise _refused("COPY to anything but one file", tree, source, "write COPY ... TO 'file.parquet'")
    written = tree.this
    if isinstance(written, exp.Schema):
        query = _all_of(written.this, written.expressions)
    elif isinstance(written, exp.Table):
        query = _all_of(written)
    else:
        query = written.this if isinstance(written, (exp.Subquery, exp.Paren)) and _only(written, "this") else written
    if not is_query(query):
        raise _refused("COPY of what is no query or table", tree, source)
    options = copy_options(tree, source.text, source.start, source.dialect)
    return CopyStatement(tree, query, files[0], options)


_BARE_FILE = re.compile(r"\bto\s+([\w./\\~*:-]+)\s*(?=\(|;|$)", re.IGNORECASE)


def _unread_copy(source: _Source) -> LazyFrameError:
    """What is wrong with a COPY that the parser does not understand."""
    if bare := _BARE_FILE.search(source.text, source.start):
        return SqlSyntaxError(
            "the file to write stands in quotes",
            hint=f"write TO '{bare[1]}'",
            site=text_site(source.text, bare.start(1), bare.end(1) - 1),
        )
    return SqlSyntaxError(
        "this COPY cannot be read",
        hint="write COPY table TO 'file.parquet' (OPTION value, ...)",
        site=text_site(source.text, *_first(source)),
    )


__all__ = [
    "CopyStatement", "CreateStatement", "DescribeStatement", "DropStatement", "ExplainStatement", "SelectStatement",
    "ShowTablesStatement", "Statement", "describe_statement", "is_query", "statements",
]  # fmt: skip
