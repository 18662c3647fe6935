"""`lazyframe describe FILE`: what files hold."""

from __future__ import annotations

import argparse
import functools
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lazyframe.cli.exit_codes import FAILED
from lazyframe.formats import format_of
from lazyframe.planner import arrow

if TYPE_CHECKING:
    import pyarrow as pa

    from lazyframe.frame import LazyFrame

# Beyond these numbers stand with an exponent.
_LEAST, _GREATEST = 1e-5, 1e15


def parser() -> argparse.ArgumentParser:
    """The arguments of `lazyframe describe`."""
    command = argparse.ArgumentParser(
        prog="lazyframe describe",
        description="Say what files hold: columns, types, rows, sizes and the spread of values.",
    )
    command.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a Parquet, CSV, Arrow IPC or JSON file; or a folder, a quoted pattern or a URL, whose files are one table",
    )
    command.add_argument("--rows", type=count, default=0, metavar="N", help="show the first N rows too")
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
    return command


def run(options: argparse.Namespace) -> int:
    """Do what the arguments say, and return the exit code."""
    return describe(options.files, options.rows, _csv_options(options))


def _csv_options(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of `scan_csv` that were given."""
    found = {name: getattr(options, name) for name in ("separator", "encoding", "ragged")}
    return {name: value for name, value in found.items() if value is not None} | (
        {"has_header": False} if options.no_header else {}
    )


def count(text: str) -> int:
    """A number of rows given as an argument."""
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
            code = FAILED
        except BrokenPipeError:
            raise
        except OSError as error:  # a name that no filesystem takes is met before anything opens it
            sys.stdout.flush()
            print(f"lazyframe: cannot read {file}: {error.strerror or error}", file=sys.stderr)
            code = FAILED
    return code


def _described(path: str, rows: int, csv: Mapping[str, Any]) -> str:
    from lazyframe.display.escaping import visible
    from lazyframe.display.text import render_text

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
        columns.add_column(2, pa.field("nullable", pa.string()), arrow.array(nullable, pa.string())),
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
        table = table.append_column(name, arrow.array(values, pa.string()))
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
    from lazyframe.io import scan_csv, scan_ipc, scan_json, scan_parquet

    readers: dict[str, Callable[..., LazyFrame]] = {
        "Parquet": scan_parquet, "CSV": scan_csv, "Arrow IPC": scan_ipc, "JSON": scan_json,
    }  # fmt: skip
    if kind != "CSV":
        return readers[kind]
    tabs = {"separator": "\t"} if ".tsv" in Path(path).suffixes else {}
    return functools.partial(scan_csv, **{**tabs, **csv})
