"""The statements of a text, and what each of them asks for. Everything that is no SELECT ends here or is refused."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token, TokenType

from lazyframe.planner.errors import InvalidArgumentError, LazyFrameError, SqlSyntaxError, UnsupportedError
from lazyframe.planner.sql.parse import parse
from lazyframe.planner.sql.positions import SqlSite, text_site


@dataclass(frozen=True, slots=True)
class SelectStatement:
    """A query, whatever word it begins with."""

    tree: exp.Expression


@dataclass(frozen=True, slots=True)
class CreateStatement:
    """CREATE VIEW or TABLE ... AS.

    Attributes:
        kind: `view` or `table`.
        name: the last part of its name.
        columns: the names of its columns, where they are given.
        query: what it holds.
        replace: whether it takes the place of another.
        if_not_exists: whether nothing happens where there is one.
    """

    tree: exp.Expression
    kind: str
    name: exp.Identifier
    columns: tuple[str, ...]
    query: exp.Expression
    replace: bool
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class DropStatement:
    """DROP VIEW or TABLE."""

    tree: exp.Expression
    kind: str
    names: tuple[exp.Identifier, ...]
    if_exists: bool


@dataclass(frozen=True, slots=True)
class CopyStatement:
    """COPY ... TO a file: the query, the place (a text or a parameter), and the options by name, each with its part of the tree."""

    tree: exp.Expression
    query: exp.Expression
    target: exp.Expression
    options: Mapping[str, tuple[Any, exp.Expression]]


@dataclass(frozen=True, slots=True)
class DescribeStatement:
    """DESCRIBE or SUMMARIZE a query."""

    tree: exp.Expression
    query: exp.Expression
    summarize: bool


@dataclass(frozen=True, slots=True)
class ShowTablesStatement:
    """SHOW TABLES."""

    tree: exp.Expression


@dataclass(frozen=True, slots=True)
class ExplainStatement:
    """EXPLAIN a query."""

    tree: exp.Expression
    query: exp.Expression
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
    pieces = _pieces(text, dialect)
    if pieces is None:
        return [_statement(tree, text) for tree in _numbered(text, text, dialect)]
    found: list[Statement] = []
    for piece in pieces:
        for tree in _numbered(piece.text, text, dialect):
            if piece.explain is None:
                found.append(_statement(tree, text))
            elif isinstance(inner := _statement(tree, text), SelectStatement):
                found.append(ExplainStatement(tree, inner.tree, *piece.explain))
            else:
                raise _refused("EXPLAIN of what is no query", tree, text)
    return found


def is_query(tree: exp.Expression) -> bool:
    """Whether it gives rows by itself."""
    return isinstance(tree, (exp.Query, exp.Values, exp.Pivot))


# Cutting a text into statements. EXPLAIN is none that sqlglot reads: it takes the rest as one string.


@dataclass(slots=True)
class _Piece:
    """One statement in a text of blanks, so that its places are those of the whole."""

    text: str
    explain: tuple[bool, bool] | None


_EXPLAIN = re.compile(r"\bexplain\b", re.IGNORECASE)
_WORDS = re.compile(r"\s*(?:(analyze|analyse|verbose)\b|\(([^()]*)\)(?=\s*\w))", re.IGNORECASE)
_NOT_BLANK = re.compile(r"[^\n]")


def _pieces(text: str, dialect: str) -> list[_Piece] | None:
    """The statements apart, None where there is only one and no EXPLAIN."""
    explains = _EXPLAIN.search(text) is not None
    if not explains and ";" not in text.rstrip().rstrip(";"):
        return None
    explained: dict[int, tuple[bool, bool]] = {}
    blanked = text
    while True:
        tokens = _tokens(blanked, dialect)
        command = next((t for t in tokens if t.token_type is TokenType.COMMAND and t.text.upper() == "EXPLAIN"), None)
        if command is None:
            break
        end, flags = _explain_options(text, command)
        explained[command.start] = flags
        blanked = blanked[: command.start] + _blank(blanked[command.start : end]) + blanked[end:]
    borders = [token.start for token in tokens if token.token_type is TokenType.SEMICOLON]
    found = []
    for start, end in zip([0, *[border + 1 for border in borders]], [*borders, len(text)], strict=True):
        flags_here = [flags for place, flags in explained.items() if start <= place < end]
        if not any([start <= token.start < end for token in tokens]):
            if flags_here:
                raise SqlSyntaxError("EXPLAIN needs a query", site=_site_of(text, explained, start, end))
            continue
        piece = _blank(blanked[:start]) + blanked[start:end] + _blank(blanked[end:])
        if len(flags_here) > 1:
            raise SqlSyntaxError("EXPLAIN stands twice", site=_site_of(text, explained, start, end))
        found.append(_Piece(piece, flags_here[0] if flags_here else None))
    if not found:
        raise SqlSyntaxError("there is no statement in the SQL")
    return found


def _tokens(text: str, dialect: str) -> Sequence[Token]:
    try:
        return Dialect.get_or_raise(dialect).tokenize(text)
    except (SqlglotError, ValueError):
        parse(text, dialect)  # raises the error of ours
        raise


def _explain_options(text: str, command: Token) -> tuple[int, tuple[bool, bool]]:
    """Where the query of an EXPLAIN begins, and whether it says ANALYZE and VERBOSE."""
    end = command.end + 1
    given: set[str] = set()
    while (match := _WORDS.match(text, end)) is not None:
        words = [match[1]] if match[1] else match[2].split(",")
        first = match.start(1 if match[1] else 2)
        if not match[1] and any(len(word.split()) != 1 for word in words):
            # A query in parentheses, or an option with a value.
            if re.match(r"\s*(select|with|from|values|explain|table|pivot|unpivot|\()", match[2], re.IGNORECASE):
                break
            raise UnsupportedError(
                f"EXPLAIN ({match[2].strip()}) is not supported",
                hint="write EXPLAIN, EXPLAIN ANALYZE or EXPLAIN VERBOSE",
                site=text_site(text, first, first + max(len(match[2]), 1) - 1),
            )
        for word in words:
            option = word.strip().upper().replace("ANALYSE", "ANALYZE")
            if option not in ("ANALYZE", "VERBOSE"):
                raise UnsupportedError(
                    f"EXPLAIN ({option}) is not supported",
                    hint="write EXPLAIN, EXPLAIN ANALYZE or EXPLAIN VERBOSE",
                    site=text_site(text, first, first + max(len(word), 1) - 1),
                )
            given.add(option)
        end = match.end()
    return end, ("ANALYZE" in given, "VERBOSE" in given)


def _site_of(text: str, explained: Mapping[int, tuple[bool, bool]], start: int, end: int) -> Any:
    place = max(place for place in explained if start <= place < end)
    return text_site(text, place, place + len("explain") - 1)


def _blank(text: str) -> str:
    return _NOT_BLANK.sub(" ", text)


# Parameters without a number.


def _numbered(piece: str, text: str, dialect: str) -> list[exp.Expression]:
    """The trees of a piece of the text. Each `?` gets its number, which the tree alone does not tell."""
    trees = _parsed(piece, text, dialect)
    if "?" not in piece:
        return trees
    bare = [mark for tree in trees for mark in tree.find_all(exp.Placeholder) if not mark.name]
    marks = [token for token in _tokens(piece, dialect) if token.token_type is TokenType.PLACEHOLDER]
    if len(bare) == 1:
        bare[0].set("this", "1")
        _place(bare[0], marks[0].start, marks[0].end)
    if len(bare) <= 1:
        return trees
    if len(marks) != len(bare):
        raise UnsupportedError("? is an operator and a parameter here", hint="write $1, $2, ... for the parameters")
    sigil = "$" if dialect == "duckdb" else ":"
    longer, last = [], 0
    for number, mark in enumerate(marks, 1):
        longer += [piece[last : mark.start], f" {sigil}{number} "]
        last = mark.end + 1
    trees = parse("".join([*longer, piece[last:]]), dialect)
    starts = [mark.start + sum([len(f"{sigil}{n} ") for n in range(1, i + 1)]) for i, mark in enumerate(marks)]
    for tree in trees:
        for part in tree.walk():
            meta = part._meta
            if meta and "start" in meta:
                for key in ("start", "end"):
                    before = sum([1 for start in starts if start < meta[key]])
                    meta[key] -= sum([len(f"{sigil}{n} ") for n in range(1, before + 1)])
            if isinstance(part, exp.Placeholder) and part.name.isdecimal():
                mark = marks[int(part.name) - 1]
                _place(part, mark.start, mark.end)
    return trees


class _Hushed(logging.Filter):
    """Drops what the parser logs about statements that it cannot read: here they are refused."""

    def __init__(self) -> None:
        super().__init__()
        self.reading = threading.local()

    def filter(self, record: logging.LogRecord) -> bool:
        return not getattr(self.reading, "now", False)


_hushed = _Hushed()
logging.getLogger("sqlglot").addFilter(_hushed)


def _parsed(piece: str, text: str, dialect: str) -> list[exp.Expression]:
    _hushed.reading.now = True
    try:
        return parse(piece, dialect)
    except SqlSyntaxError as error:
        site = error.site
        if piece is not text and getattr(site, "line", None) is not None:
            # The line as it was written, with what was blanked for sqlglot.
            line = text.split("\n")[site.line - 1].replace("\t", " ").rstrip("\r")  # type: ignore[union-attr]
            error.site = type(site)(site.label, site.line, site.column, line, site.length)  # type: ignore[union-attr, call-arg, arg-type]
        raise
    finally:
        _hushed.reading.now = False


def _place(part: exp.Expression, start: int, end: int) -> None:
    part.meta.update(start=start, end=end)


# What a statement asks for.


def _statement(tree: exp.Expression, text: str) -> Statement:
    match tree:
        case exp.Create():
            return _create(tree, text)
        case exp.Drop():
            return _drop(tree, text)
        case exp.Copy():
            return _copy(tree, text)
        case exp.Describe() | exp.Summarize():
            return _describe(tree, text)
        case exp.Show() if tree.name.upper() == "TABLES" and _only(tree, "this"):
            return ShowTablesStatement(tree)
        case _ if is_query(tree):
            if tree.args.get("into") is not None:
                raise _refused("SELECT INTO", tree, text, "write CREATE TABLE name AS SELECT ...")
            return SelectStatement(tree)
    raise _refused(_name_of(tree, text), tree, text, _HINTS.get(type(tree)))


_HINTS: dict[type[exp.Expression], str] = {
    exp.Insert: "frames never change: write CREATE OR REPLACE TABLE t AS ... UNION ALL BY NAME ..., or COPY ... TO a file",
    exp.Update: "frames never change: write CREATE OR REPLACE TABLE t AS SELECT * REPLACE (... AS column) FROM t",
    exp.Delete: "frames never change: write CREATE OR REPLACE TABLE t AS SELECT ... WHERE NOT ...",
    exp.Set: "settings are changed with lf.config()",
    exp.Pragma: "settings are changed with lf.config()",
}


def _only(tree: exp.Expression, *known: str) -> bool:
    return all([name in known for name, value in tree.args.items() if value])


def _name_of(tree: exp.Expression, text: str) -> str | None:
    """The words by which a statement is called; None where it begins with no word."""
    if isinstance(tree, exp.DML):
        return type(tree).__name__.upper()  # it may stand behind WITH
    words = re.findall(r"\w+", text[_first(tree, text)[0] :])[:2]
    if not words or isinstance(tree, (exp.Binary, exp.Literal)):
        return None
    kind = tree.args.get("kind") if isinstance(tree, (exp.Create, exp.Drop, exp.Alter)) else None
    second = kind or (words[1] if len(words) > 1 and words[0].upper() in ("SHOW", "CREATE", "ALTER", "DROP") else "")
    return f"{words[0]} {second}".strip().upper()


def _first(tree: exp.Expression, text: str) -> tuple[int, int]:
    """The first and the last character of a statement's first word, which no part of the tree keeps."""
    start = min([part.meta["start"] for part in tree.walk() if "start" in part.meta], default=0)
    border = text.rfind(";", 0, start) + 1
    word = re.compile(r"\s*(\w+)").match(text, border)
    return (word.start(1), word.end(1) - 1) if word else (start, start)


def _refused(name: str | None, tree: exp.Expression, text: str, hint: str | None = None) -> LazyFrameError:
    if name is None:
        return SqlSyntaxError("a statement was expected", hint="write SELECT ...", site=SqlSite(text, tree))
    return UnsupportedError(f"{name} is not supported", hint=hint, site=text_site(text, *_first(tree, text)))


def _create(tree: exp.Create, text: str) -> Statement:
    kind = str(tree.args.get("kind") or "").upper()
    properties = tree.args.get("properties")
    odd = [p for p in (properties.expressions if properties else ()) if not isinstance(p, exp.TemporaryProperty)]
    allowed = ("this", "kind", "expression", "replace", "exists", "properties")
    if kind not in ("VIEW", "TABLE"):
        raise _refused(_name_of(tree, text), tree, text)
    if odd or not _only(tree, *allowed):
        part = odd[0].sql() if odd else next(n for n, v in tree.args.items() if v and n not in allowed)
        raise _refused(f"CREATE {kind} with {part.upper()}", tree, text)
    query = tree.expression
    if query is None or not is_query(query):
        raise _refused(f"CREATE {kind} without AS", tree, text, f"write CREATE {kind} name AS SELECT ...")
    target = tree.this
    columns: tuple[str, ...] = ()
    if isinstance(target, exp.Schema):
        if not all([isinstance(column, exp.Identifier) for column in target.expressions]):
            raise _refused(f"CREATE {kind} with types of columns", tree, text, "cast them in the SELECT")
        columns = tuple([column.name for column in target.expressions])
        target = target.this
    replace, exists = bool(tree.args.get("replace")), bool(tree.args.get("exists"))
    if replace and exists:
        raise _refused("OR REPLACE together with IF NOT EXISTS", tree, text)
    return CreateStatement(tree, kind.lower(), _identifier(target, text), columns, query, replace, exists)


def _drop(tree: exp.Drop, text: str) -> Statement:
    kind = str(tree.args.get("kind") or "").upper()
    if kind not in ("VIEW", "TABLE"):
        raise _refused(_name_of(tree, text), tree, text)
    tables = tree.args.get("tables") or ([tree.this] if tree.this else [])
    if not _only(tree, "this", "tables", "kind", "exists") or not tables:
        odd = next((n for n, v in tree.args.items() if v and n not in ("this", "tables", "kind", "exists")), "nothing")
        raise _refused(f"DROP {kind} with {odd.upper()}", tree, text)
    names = tuple([_identifier(table, text) for table in tables])
    return DropStatement(tree, kind.lower(), names, bool(tree.args.get("exists")))


_SCHEMAS = {("main",), ("temp",), ("memory", "main"), ("temp", "main")}


def _identifier(table: exp.Expression, text: str) -> exp.Identifier:
    """The name of a view or table, which stands in no schema but the session's own."""
    if isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier):
        schema = tuple([part.name.casefold() for part in table.parts[:-1]])
        if not schema or schema in _SCHEMAS:
            return table.this
        raise UnsupportedError(
            f"there is no schema {'.'.join(schema)!r}: a session has one, main", site=SqlSite(text, table)
        )
    raise SqlSyntaxError("a name was expected here", site=SqlSite(text, table))


def _describe(tree: exp.Describe | exp.Summarize, text: str) -> Statement:
    summarize = isinstance(tree, exp.Summarize)
    word = "SUMMARIZE" if summarize else "DESCRIBE"
    target = tree.this
    kind = str(tree.args.get("kind") or "table").upper()
    odd = [name for name, value in tree.args.items() if value and name not in ("this", "table", "kind", "expressions")]
    if odd or kind not in ("TABLE", "VIEW") or tree.args.get("expressions"):
        raise _refused(f"{word} {odd[0].upper() if odd else kind}", tree, text)
    if isinstance(target, exp.Literal) and target.is_string:
        target = exp.Table(this=_path(target))
    if isinstance(target, exp.Table):
        target = _all_of(target)
    if not is_query(target):
        raise _refused(f"{word} of what is no query or table", tree, text)
    return DescribeStatement(tree, target, summarize)


def _path(text: exp.Literal) -> exp.Identifier:
    """A path as the name of a table, at its place."""
    name = exp.to_identifier(text.name, quoted=True)
    name.meta.update(text.meta)
    return name


def _all_of(table: exp.Expression, columns: Sequence[exp.Expression] = ()) -> exp.Expression:
    """`SELECT *`, or some columns, of a table as the tree has it, whose places are kept."""
    chosen = [exp.Column(this=column) for column in columns] or [exp.Star()]
    select = exp.Select(expressions=chosen)
    # The key is `from` in some releases and `from_` in others.
    select.set("from_" if "from_" in exp.Select.arg_types else "from", exp.From(this=table))
    return select


def _copy(tree: exp.Copy, text: str) -> Statement:
    if tree.args.get("kind"):
        raise _refused("COPY ... FROM", tree, text, "write CREATE TABLE t AS FROM 'file'")
    credentials = tree.args.get("credentials")
    if not _only(tree, "this", "kind", "files", "params", "credentials") or (
        credentials and any(credentials.args.values())
    ):
        raise _refused("COPY with CREDENTIALS", tree, text)
    files = tree.args.get("files") or []
    if len(files) != 1 or not isinstance(
        files[0], (exp.Literal, exp.Placeholder, exp.Parameter, exp.Table, exp.Identifier)
    ):
        raise _refused("COPY to anything but one file", tree, text, "write COPY ... TO 'file.parquet'")
    source = tree.this
    if isinstance(source, exp.Schema):
        query = _all_of(source.this, source.expressions)
    elif isinstance(source, exp.Table):
        query = _all_of(source)
    else:
        query = source.this if isinstance(source, (exp.Subquery, exp.Paren)) and _only(source, "this") else source
    if not is_query(query):
        raise _refused("COPY of what is no query or table", tree, text)
    options: dict[str, tuple[Any, exp.Expression]] = {}
    for given in tree.args.get("params") or ():
        name = given.name.upper()
        if name in options:
            raise InvalidArgumentError(f"the option {name} is given twice", site=SqlSite(text, given))
        if given.expressions and given.args.get("expression") is None:
            value: Any = [_option(part, text) for part in given.expressions]
        else:
            value = True if given.expression is None else _option(given.expression, text)
        options[name] = (value, given)
    return CopyStatement(tree, query, files[0], options)


def _option(tree: exp.Expression, text: str) -> Any:
    """The value of an option: a text or name, number, truth value, or a list of them."""
    match tree:
        case exp.Tuple() | exp.Array():
            return [_option(part, text) for part in tree.expressions]
        case exp.Paren():
            return [_option(tree.this, text)]
        case exp.Boolean():
            return bool(tree.this)
        case exp.Literal() if not tree.is_string:
            return int(tree.this) if tree.this.isdecimal() else float(tree.this)
        case exp.Literal() | exp.Var() | exp.Identifier():
            return _word(tree.name)
        case exp.Column() if len(tree.parts) == 1:
            return _word(tree.name)
        case exp.Star():
            return "*"
    error: LazyFrameError = InvalidArgumentError("an option takes a plain value here", site=SqlSite(text, tree))
    raise error


def _word(text: str) -> str | bool:
    return {"true": True, "false": False}.get(text.lower(), text)


__all__ = [
    "CopyStatement", "CreateStatement", "DescribeStatement", "DropStatement", "ExplainStatement", "SelectStatement",
    "ShowTablesStatement", "Statement", "is_query", "statements",
]  # fmt: skip
