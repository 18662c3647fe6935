"""The command line: `lazyframe describe FILE`."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from lazyframe.frame import LazyFrame

_SUFFIXES = {
    "Parquet": (".parquet", ".pq"),
    "CSV": (".csv", ".tsv", ".txt"),
    "Arrow IPC": (".arrow", ".arrows", ".feather", ".ipc"),
    "JSON": (".json", ".jsonl", ".ndjson"),
}
_FORMATS = {suffix: name for name, suffixes in _SUFFIXES.items() for suffix in suffixes}
_COMPRESSED = (".gz", ".zst", ".bz2", ".xz")
_MAGIC = {b"PAR1": "Parquet", b"ARROW1": "Arrow IPC", b"\xff\xff\xff\xff": "Arrow IPC", b"{": "JSON", b"[": "JSON"}

# Beyond these numbers stand with an exponent.
_LEAST, _GREATEST = 1e-5, 1e15

_FAILED = 1
_INTERRUPTED = 130
_BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments after the program's name; those of the process by default.

    Returns:
        The exit code: 0, 1 where a file could not be read, 2 for wrong arguments, 130 after Ctrl-C.

    Example:
        >>> main(["describe", "no-such-file.parquet"])
        1
    """
    try:
        options = _parser().parse_args(argv)
    except SystemExit as stop:  # argparse has printed its message
        return int(stop.code or 0)
    try:
        code = describe(options.files, options.rows, _csv_options(options))
        sys.stdout.flush()
    except BrokenPipeError:
        # Nobody reads on. Nor shall the interpreter try to flush what is left, at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="lazyframe", description="Look into files of rows.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    command = commands.add_parser(
        "describe",
        help="say what files hold: columns, types, rows, sizes and the spread of values",
        description="Say what files hold: columns, types, rows, sizes and the spread of values.",
    )
    command.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a Parquet, CSV, Arrow IPC or JSON file; or a folder, a quoted pattern or a URL, whose files are one table",
    )
    command.add_argument("--rows", type=_count, default=0, metavar="N", help="show the first N rows too")
    csv = command.add_argument_group("CSV files")
    csv.add_argument(
        "--separator", type=_separator, metavar="C", help=r"what stands between values: a comma; \t is a tab"
    )
    csv.add_argument("--encoding", metavar="NAME", help="of the text: utf-8")
    csv.add_argument(
        "--ragged",
        choices=("error", "skip", "null"),
        help="what becomes of rows with too few or too many values: an error; or they are left out, or filled with nulls",
    )
    csv.add_argument("--no-header", action="store_true", help="the first line holds values and no names")
    return parser


def _csv_options(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of `scan_csv` that were given."""
    found = {name: getattr(options, name) for name in ("separator", "encoding", "ragged")}
    return {name: value for name, value in found.items() if value is not None} | (
        {"has_header": False} if options.no_header else {}
    )


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from lazyframe import __version__

        print(f"lazyframe {__version__}")
        parser.exit()


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a whole number of 0 or more, not {text!r}")
    return int(text)


def _separator(text: str) -> str:
    # Shells pass a tab less readily than its name.
    return "\t" if text == r"\t" else text


def describe(files: Sequence[str], rows: int, csv: Mapping[str, Any]) -> int:
    """Print what each file holds. A file that cannot be read does not keep the others from being shown.

    Args:
        files: paths, patterns or URLs.
        rows: how many of the first rows to show.
        csv: arguments of `scan_csv` for those that are CSV.
    """
    from lazyframe.errors import LazyFrameError

    code = 0
    for number, file in enumerate(files):
        if number:
            print()
        try:
            print(_described(file, rows, csv))
        except LazyFrameError as error:
            sys.stdout.flush()
            print(f"lazyframe: {error.message}", file=sys.stderr)
            if error.hint:
                print(f"  {error.hint}", file=sys.stderr)
            code = _FAILED
        except BrokenPipeError:
            raise
        except OSError as error:  # a name that no filesystem takes is met before anything opens it
            sys.stdout.flush()
            print(f"lazyframe: cannot read {file}: {error.strerror or error}", file=sys.stderr)
            code = _FAILED
    return code


def _described(path: str, rows: int, csv: Mapping[str, Any]) -> str:
    from lazyframe.display import render_text
    from lazyframe.display.escaping import visible

    kind = format_of(path)
    frame = _reader(kind, path, csv)(path)
    found = frame.describe().to_arrow()
    total = found["count"][0].as_py() + found["nulls"][0].as_py() if found.num_rows else frame.count()
    facts = [kind, _counted(total, "row"), _counted(len(frame.columns), "column"), *_sizes(frame, path, kind)]
    parts = [f"{visible(path)}\n{', '.join(facts)}"]
    parts += [render_text(table, max_rows=table.num_rows) for table in _tables(frame, found) if table.num_rows]
    if rows:
        parts.append(render_text(frame.fetch(rows).to_arrow(), total_rows=total, max_rows=rows))
    return "\n\n".join(parts)


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}" + ("" if count == 1 else "s")


def _tables(frame: LazyFrame, found: pa.Table) -> list[pa.Table]:
    """The columns; the spread and the quantiles of those that are numbers; the bounds of the others. Each fits 80 cells."""
    import pyarrow as pa

    nullable = ["yes" if field.nullable else "no" for field in frame.schema]
    columns = found.select(["column", "type", "nulls", "unique"])
    numbers = found.filter(found["mean"].is_valid())
    others = found.filter(found["mean"].is_null())
    return [
        columns.add_column(2, pa.field("nullable", pa.string()), pa.array(nullable, pa.string())),
        _written(numbers, ["mean", "std", "min", "max"]),
        _written(numbers, [name for name in found.column_names if name.endswith("%")]),
        others.filter(others["min"].is_valid()).select(["column", "min", "max"]),
    ]


def _written(found: pa.Table, names: Sequence[str]) -> pa.Table:
    """Columns of `describe()` with their floats as text."""
    import pyarrow as pa

    table = found.select(["column"])
    for name in names:
        values = [_number(value) if isinstance(value, float) else value for value in found[name].to_pylist()]
        table = table.append_column(name, pa.array(values, pa.string()))
    return table


def _number(value: float) -> str:
    """A float in a few places; in none where it is whole.

    >>> _number(2013.0), _number(2.6457513), _number(151219.537), _number(-0.00012), _number(1.5e300)
    ('2013', '2.64575', '151219.54', '-0.00012', '1.5e+300')
    """
    if not math.isfinite(value) or (value and not _LEAST <= abs(value) < _GREATEST):
        return f"{value:.6g}"
    if value == int(value):
        return str(int(value))
    places = max(2, 5 - math.floor(math.log10(abs(value))))
    return f"{value:.{places}f}".rstrip("0").rstrip(".")


def _sizes(frame: LazyFrame, path: str, kind: str) -> list[str]:
    """What is known of the files from outside: how many, how large, in how many row groups."""
    source = frame._plan.source  # type: ignore[attr-defined]
    report = source.report((), None)
    found = []
    if report.files > 1:
        found.append(f"{report.files:,} files")
    if Path(path).is_file():
        found.append(_bytes(Path(path).stat().st_size))
    if report.groups and kind == "Parquet":
        found.append(f"{report.groups:,} row group{'s' if report.groups > 1 else ''}")
    return found


def _bytes(count: float) -> str:
    """A size as people say it.

    >>> _bytes(512), _bytes(5_452_595)
    ('512 bytes', '5.2 MiB')
    """
    if count < 1024:
        return f"{count:,.0f} bytes"
    for unit in ("KiB", "MiB", "GiB"):
        count /= 1024
        if count < 1024:
            return f"{count:.1f} {unit}"
    return f"{count / 1024:,.1f} TiB"


def _reader(kind: str, path: str, csv: Mapping[str, Any]) -> Callable[..., LazyFrame]:
    import functools

    from lazyframe.io import scan_csv, scan_ipc, scan_json, scan_parquet

    readers: dict[str, Callable[..., LazyFrame]] = {
        "Parquet": scan_parquet, "CSV": scan_csv, "Arrow IPC": scan_ipc, "JSON": scan_json,
    }  # fmt: skip
    if kind != "CSV":
        return readers[kind]
    tabs = {"separator": "\t"} if ".tsv" in Path(path).suffixes else {}
    return functools.partial(scan_csv, **{**tabs, **csv})


def format_of(path: str) -> str:
    """What a file is, by its suffix, else by its first bytes; for a folder, what the first file in it is.

    Example:
        >>> format_of("2013/flights.csv.gz"), format_of("flights-*.parquet")
        ('CSV', 'Parquet')
    """
    here = Path(path)
    if here.is_dir():
        names = sorted(file.name for file in here.rglob("*") if file.is_file())
        return next((found for found in map(_by_suffix, names) if found), "Parquet")
    found = _by_suffix(path)
    if found is None and here.is_file():
        return _by_content(here)
    # What does not exist is refused by whoever reads it.
    return found or "Parquet"


def _by_suffix(path: str) -> str | None:
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    while suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return _FORMATS.get(suffixes[-1]) if suffixes else None


def _by_content(path: Path) -> str:
    try:
        with path.open("rb") as file:
            head = file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()
    except OSError:
        return "CSV"
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), "CSV")
