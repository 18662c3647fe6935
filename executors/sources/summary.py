"""What the metadata of a source says of all its rows: how many there are, and the least and greatest values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.sources.layout import normalized
from lazyframe.executors.sources.source import ReadableSource, ScanMetrics
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.schema import Schema
from lazyframe.planner.sources import Question, ScanReport, Statistics
from lazyframe.planner.types import BOOL, DATE, DataType, is_decimal, is_integer, is_timestamp

if TYPE_CHECKING:
    from lazyframe.planner.scalars import Scalar


class Refreshed(ReadableSource, Protocol):
    """A source that can look again whether its files are those that it knows."""

    def refresh(self) -> None: ...


class Summary:
    """A table of one row: answers to questions about all rows of a source, from its metadata.

    Args:
        source: the source, whose metadata answers them now.
        questions: what each column answers.
        schema: its columns.

    When it is read the source may have changed: then it is asked again, and where its metadata does not say any more, its
    rows are read.
    """

    def __init__(self, source: Refreshed, questions: Sequence[Question], schema: Schema) -> None:
        self.source = source
        self.questions = tuple(questions)
        self.schema = schema
        self.name = f"metadata of {source.name}"

    def identity(self) -> tuple[object, ...]:
        asked = tuple((question.function, question.column or "") for question in self.questions)
        return ("summary", self.source.identity(), asked, tuple(self.schema.names))

    def statistics(self) -> Statistics:
        return Statistics(rows=1, exact=True)

    def report(self, columns: tuple[str, ...], predicate: Scalar | None) -> ScanReport:
        return ScanReport(columns_read=len(columns), columns_total=len(self.schema))

    def splits(
        self, columns: Sequence[str], predicate: Scalar | None, metrics: ScanMetrics | None = None
    ) -> list[_SummarySplit]:
        self.source.refresh()
        return [_SummarySplit(self, list(columns))]

    def answers(self, metrics: ScanMetrics) -> list[Any]:
        """The answers as they are now."""
        found = answers(self.source, self.questions)
        return self._counted(metrics) if found is None else found

    def _counted(self, metrics: ScanMetrics) -> list[Any]:
        names = sorted({question.column for question in self.questions if question.column is not None})
        schema = Schema([self.source.schema.field(name) for name in names])
        rows = 0
        known: dict[Question, Any] = dict.fromkeys(self.questions)
        for split in self.source.splits(names, None):
            for batch in split.read(metrics):
                plain = batch.to_arrow(schema)
                rows += plain.num_rows
                for question, value in known.items():
                    if question.column is not None:
                        known[question] = _more(value, question.function, plain.column(question.column))
        return [
            rows if q.column is None else known[q] or 0 if q.function == "count" else known[q] for q in self.questions
        ]


class _SummarySplit:
    """The one row."""

    __slots__ = ("_columns", "_summary")

    def __init__(self, summary: Summary, columns: list[str]) -> None:
        self._summary = summary
        self._columns = columns

    def read(self, metrics: ScanMetrics) -> Iterator[Batch]:
        schema = self._summary.schema
        values = dict(zip(schema.names, self._summary.answers(metrics), strict=True))
        fields = [schema.field(name) for name in self._columns]
        yield Batch({f.name: normalized(arrow.array([values[f.name]], f.dtype), f.dtype) for f in fields}, 1)


def _more(known: Any, function: str, column: pa.Array) -> Any:
    """An answer that counts some more rows."""
    if function == "count":
        return (known or 0) + len(column) - column.null_count
    value = pc.min_max(column)[function].as_py()
    if known is None or value is None:
        return value if known is None else known
    return min(known, value) if function == "min" else max(known, value)


def summary_of(source: Refreshed, questions: Sequence[Question], schema: Schema) -> Summary | None:
    """A table of the answers; None where the metadata does not have them all, exactly."""
    return None if answers(source, questions) is None else Summary(source, questions, schema)


def answers(source: ReadableSource, questions: Sequence[Question]) -> list[Any] | None:
    """What metadata says; None where it does not say all of it, exactly."""
    statistics = source.statistics()
    if statistics.rows is None or not statistics.exact:
        return None
    rows = int(statistics.rows)
    found: list[Any] = []
    for function, column in questions:
        if column is None:
            found.append(rows)
            continue
        known = statistics.columns.get(column)
        field = source.schema.field(column)
        nulls = 0 if not field.nullable else None if known is None else known.nulls
        if nulls is None:
            return None
        if function == "count":
            found.append(rows - nulls)
        elif nulls == rows:
            found.append(None)
        else:
            value = None if known is None else known.minimum if function == "min" else known.maximum
            if value is None or not _has_exact_bounds(field.dtype):
                return None
            found.append(value)
    return found


def _has_exact_bounds(dtype: DataType) -> bool:
    """Whether bounds in files are values that occur: those of texts may be cut short, those of floats leave NaN out, and
    Python has no nanoseconds.
    """
    if is_timestamp(dtype):
        return dtype.unit != "ns"
    return is_integer(dtype) or is_decimal(dtype) or dtype in (DATE, BOOL)
