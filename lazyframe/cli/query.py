"""`lazyframe "select ..."`: queries in SQL."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from lazyframe.cli.describe import count
from lazyframe.cli.exit_codes import FAILED, WRONG_ARGUMENTS
from lazyframe.cli.output import FORMATS, print_outcome
from lazyframe.cli.parameters import value_of
from lazyframe.errors import LazyFrameError
from lazyframe.formats import KINDS, format_by_name

if TYPE_CHECKING:
    from lazyframe.frame import LazyFrame
    from lazyframe.sql.running import Outcome

_EPILOG = """
Tables are files in quotes: lazyframe "select origin, count(*) from 'flights.parquet' group by all".
Without a query and from a terminal it starts a prompt; otherwise it reads SQL from its input.
`lazyframe describe FILE` says what files hold.
"""


def parser() -> argparse.ArgumentParser:
    """The arguments of `lazyframe`."""
    made = argparse.ArgumentParser(prog="lazyframe", description="Query files in SQL.", epilog=_EPILOG)
    made.add_argument("query", nargs="?", metavar="SQL", help="one or more statements, with ; between")
    made.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    made.add_argument("-f", "--file", metavar="FILE", help="read the SQL from a file; - is the input")
    made.add_argument("-o", "--output", metavar="FILE", help="write the rows to a .parquet, .csv, .json or .arrow file")
    made.add_argument("--format", choices=FORMATS, default="table", help="how rows are printed: table")
    made.add_argument("--limit", type=count, metavar="N", help="no more than N rows")
    made.add_argument(
        "--param", action="append", default=[], type=_parameter, metavar="NAME=VALUE",
        help="a value for $NAME: a number, date, timestamp, true, false or null is read as such, all else is text, "
        "as is what stands in single quotes",
    )  # fmt: skip
    made.add_argument("--dialect", default="duckdb", metavar="NAME", help="of the SQL, one that sqlglot reads: duckdb")
    made.add_argument("--explain", action="store_true", help="print the plans and run nothing")
    made.add_argument(
        "--analyze", action="store_true", help="run the queries, and print their plans with what happened"
    )
    return made


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from lazyframe import __version__

        print(f"lazyframe {__version__}")
        parser.exit()


def _parameter(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise argparse.ArgumentTypeError(f"write NAME=VALUE, not {text!r}")
    return name.strip().lstrip("$:"), value_of(value)


class _WrongArguments(Exception):
    """Arguments that do not go together."""


def run(options: argparse.Namespace) -> int:
    """Do what the arguments say, and return the exit code."""
    try:
        _check(options)
        text = _text(options)
        if text is None:
            from lazyframe.prompt import run_prompt

            return run_prompt(options.dialect)
        _answer(text, options)
    except _WrongArguments as error:
        print(f"lazyframe: {error}", file=sys.stderr)
        return WRONG_ARGUMENTS
    except LazyFrameError as error:
        sys.stdout.flush()
        print(f"lazyframe: {error}", file=sys.stderr)
        return FAILED
    return 0


def _check(options: argparse.Namespace) -> None:
    if options.query is not None and options.file is not None:
        _refuse("give the SQL, or -f FILE, not both")
    if options.output is not None:
        if options.explain or options.analyze:
            _refuse("-o writes rows, of which --explain and --analyze print none")
        if options.format != "table":
            _refuse("the name after -o tells the format; --format is for what is printed")
        if format_by_name(options.output) is None:
            _refuse(f"-o {options.output}: end the name with .parquet, .csv, .json or .arrow")
    names = [name for name, _ in options.param]
    for name in names:
        if names.count(name) > 1:
            _refuse(f"--param {name} is given twice")


def _refuse(message: str) -> NoReturn:
    raise _WrongArguments(message)


def _text(options: argparse.Namespace) -> str | None:
    """The SQL, None where the prompt shall ask for it."""
    if options.query is not None:
        return str(options.query)
    if options.file is not None and options.file != "-":
        try:
            return Path(options.file).read_text(encoding="utf-8-sig")
        except OSError as error:
            _refuse(f"cannot read {options.file}: {error.strerror or error}")
        except UnicodeDecodeError:
            _refuse(f"cannot read {options.file}: it is not UTF-8")
    if options.file is None and sys.stdin.isatty():
        if options.output or options.explain or options.analyze or options.param:
            _refuse("these options need a query")
        return None
    return sys.stdin.read()


def _answer(text: str, options: argparse.Namespace) -> None:
    if options.explain and not options.analyze:
        _check_harmless(text, options.dialect)
    outcomes = _outcomes(text, options)
    if options.output is not None:
        _write([outcome for outcome in outcomes if outcome.done is None], options)
        return
    for outcome in outcomes:
        if outcome.done is None and (options.explain or options.analyze):
            print(_explained(outcome.frame, options))
        else:
            print_outcome(outcome, options.format, options.limit)


def _check_harmless(text: str, dialect: str) -> None:
    """Refuse statements that would compute or write something where only plans are asked for."""
    from lazyframe.planner.sql.reading.statements import CopyStatement, CreateStatement, statements

    for statement in statements(text, dialect):
        if isinstance(statement, CopyStatement):
            _refuse("--explain runs nothing, and COPY would write a file")
        if isinstance(statement, CreateStatement) and statement.kind == "table":
            _refuse("--explain runs nothing, and CREATE TABLE would compute rows: write CREATE VIEW")


def _outcomes(text: str, options: argparse.Namespace) -> Iterator[Outcome]:
    from lazyframe.sql import Session

    parameters = dict(options.param)
    if parameters and all([name.isdecimal() for name in parameters]):
        # `--param 1=x` is for `?` and `$1`.
        numbers = sorted(map(int, parameters))
        if numbers != list(range(1, len(numbers) + 1)):
            _refuse(f"--param: the numbers of parameters are 1 to {len(numbers)}")
        return Session()._each(text, options.dialect, [parameters[str(n)] for n in numbers], {}, _no_scopes)
    return Session()._each(text, options.dialect, parameters, {}, _no_scopes)


def _no_scopes() -> Iterator[dict[str, Any]]:
    """There are no variables on the command line."""
    return iter(())


def _explained(frame: LazyFrame, options: argparse.Namespace) -> str:
    from lazyframe.explaining import explain

    return explain(frame._plan, optimized=True, verbose=False, analyze=options.analyze)


def _write(results: list[Outcome], options: argparse.Namespace) -> None:
    from lazyframe import session
    from lazyframe.planner.relations import Limit

    if len(results) != 1:
        _refuse(f"-o writes the rows of one query, and there are {len(results)}")
    plan = results[0].frame._plan
    kind = KINDS[format_by_name(options.output) or ""]
    tabs = {"separator": "\t"} if ".tsv" in Path(options.output).suffixes else {}
    rows = session.write(
        plan if options.limit is None else Limit(plan, options.limit),
        kind,
        options.output,
        tabs if kind == "csv" else {},
    )
    if sys.stderr.isatty():
        print(f"{rows:,} row{'' if rows == 1 else 's'} written to {options.output}", file=sys.stderr)
