"""Tables that are already in memory, as Arrow."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.sources.layout import MAX_ARRAY_BYTES, Convert, batches_of, normalized
from lazyframe.executors.sources.sampling import TableSample, sample_of
from lazyframe.executors.sources.source import MORSEL_ROWS, ScanMetrics
from lazyframe.executors.sources.summary import Summary, summary_of
from lazyframe.planner.errors import InvalidArgumentError, SourceError, UnsupportedError
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.sources import ColumnStatistics, Question, ScanReport, Statistics
from lazyframe.planner.types import canonical, type_name

if TYPE_CHECKING:
    from lazyframe.planner.relations import Plan
    from lazyframe.planner.scalars import Scalar


_PROCESS = uuid.uuid4().hex
_numbers = count()


class MemorySource:
    """Rows of an Arrow table, record batch or list of record batches. Nothing is copied when it is made.

    Args:
        data: the rows.
        name: what messages and `explain()` call it.
        schema: that of the rows, where they were computed to have it.
        made_by: the query that computed them, where it is to stay known.

    Raises:
        SourceError: where a column that is declared not null holds nulls.
        DuplicateColumnError: where two columns have one name.
        UnsupportedError: where a column has a type that this engine does not know.
    """

    def __init__(
        self,
        data: pa.Table | pa.RecordBatch | Sequence[pa.RecordBatch],
        name: str = "in memory",
        schema: Schema | None = None,
        made_by: Plan | None = None,
    ) -> None:
        self.name = name
        self.made_by = made_by
        self._table = _as_table(data)
        self._identity = ("memory", _PROCESS, next(_numbers))
        self.schema = self._checked_schema() if schema is None else schema

    def _checked_schema(self) -> Schema:
        fields = []
        for index, field in enumerate(self._table.schema):
            if not field.nullable and (nulls := self._table.column(index).null_count):
                raise SourceError(
                    f"column {field.name!r} of {self.name} is declared not null but holds {nulls} nulls",
                    hint="declare it nullable, or fill the nulls",
                )
            fields.append(Field(field.name, _canonical(field, self.name), field.nullable))
        return Schema(fields)

    def identity(self) -> tuple[object, ...]:
        return self._identity

    def __reduce__(self) -> tuple[Any, ...]:
        # As a stream, which holds the rows of a slice and no others.
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self._table.schema) as writer:
            writer.write_table(self._table)
        return _received, (sink.getvalue().to_pybytes(), self.name)

    def statistics(self) -> Statistics:
        return self._statistics

    def summary(self, questions: Sequence[Question], schema: Schema) -> Summary | None:
        return summary_of(self, questions, schema)

    def refresh(self) -> None:
        """Nothing changes."""

    def sample(self) -> TableSample | None:
        return self._sample

    @cached_property
    def _sample(self) -> TableSample | None:
        return sample_of(self, parts=8)

    @cached_property
    def _statistics(self) -> Statistics:
        columns = {
            field.name: ColumnStatistics(nulls=_null_count(column))
            for field, column in zip(self.schema, self._table.columns, strict=True)
        }
        return Statistics(rows=self._table.num_rows, exact=True, bytes=self._table.nbytes, columns=columns)

    def report(self, columns: tuple[str, ...], predicate: Scalar | None) -> ScanReport:
        return ScanReport(groups=len(self._parts), columns_read=len(columns), columns_total=len(self.schema))

    @cached_property
    def _parts(self) -> list[_Part]:
        return [_Part(table) for table in self._cut()]

    def _cut(self) -> list[pa.Table]:
        """The table cut into parts of at most a morsel, which start at the borders of chunks where chunks are long."""
        table = self._table
        if table.num_rows == 0:
            return []
        if table.num_rows <= MORSEL_ROWS:
            return [table]
        if max((column.num_chunks for column in table.columns), default=1) * MORSEL_ROWS > 2 * table.num_rows:
            # Many small chunks: parts of even length, each concatenated when it is read.
            return [table.slice(start, MORSEL_ROWS) for start in range(0, table.num_rows, MORSEL_ROWS)]
        return [pa.Table.from_batches([batch]) for batch in table.to_batches(max_chunksize=MORSEL_ROWS)]

    def splits(
        self,
        columns: Sequence[str],
        predicate: Scalar | None,
        metrics: ScanMetrics | None = None,
    ) -> list[_MemorySplit]:
        fields = [self.schema.field(column) for column in columns]
        return [_MemorySplit(part, fields, self.name) for part in self._parts]


class _Part:
    """Some rows of the table, and what is known of the columns that were read.

    Attributes:
        table: the rows.
        bindings: of the columns as they lie in the table.
    """

    __slots__ = ("_arrays", "_bytes", "bindings", "table")

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        self.bindings: dict[str, Any] = {}
        self._arrays: dict[str, pa.Array | None] = {}
        self._bytes: dict[str, int] = {}

    def nbytes(self, column: str) -> int:
        found = self._bytes.get(column)
        if found is None:
            found = self._bytes[column] = self.table.column(column).nbytes
        return found

    def lying(self, fields: Sequence[Field], convert: Convert) -> Batch | None:
        """The rows as they lie here; None where `convert` would change or copy an array."""
        columns: dict[str, pa.Array] = {}
        for field in fields:
            name = field.name
            if name not in self._arrays:
                self._arrays[name] = self._lying(field, convert)
            array = self._arrays[name]
            if array is None:
                return None
            columns[name] = array
        return Batch(columns, self.table.num_rows, self.bindings)

    def _lying(self, field: Field, convert: Convert) -> pa.Array | None:
        column = self.table.column(field.name)
        if column.num_chunks != 1 or self.nbytes(field.name) > MAX_ARRAY_BYTES:
            return None
        array = column.chunk(0)
        return array if convert(array, field.dtype) is array else None


class _MemorySplit:
    __slots__ = ("_convert", "_fields", "_name", "_part")
    in_memory = is_near = True

    def __init__(self, part: _Part, fields: list[Field], name: str, convert: Convert = normalized) -> None:
        self._convert = convert
        self._name = name
        self._part = part
        self._fields = fields

    def only(self, columns: Sequence[str]) -> _MemorySplit:
        """Some columns of the same rows, in batches of the same lengths."""
        return _MemorySplit(
            self._part, [next(f for f in self._fields if f.name == name) for name in columns], self._name, self._convert
        )

    def laid_out(self, convert: Convert) -> _MemorySplit:
        """The same rows in arrays of other layouts."""
        return _MemorySplit(self._part, self._fields, self._name, convert)

    def read(self, metrics: ScanMetrics) -> Iterator[Batch]:
        table = self._part.table
        metrics.groups_read += 1
        metrics.rows += table.num_rows
        if not self._fields:
            yield Batch({}, table.num_rows)
            return
        nbytes = sum([self._part.nbytes(f.name) for f in self._fields])
        metrics.bytes += nbytes
        if self._convert is not normalized and nbytes <= MAX_ARRAY_BYTES:
            lying = self._part.lying(self._fields, self._convert)
            if lying is not None:
                yield lying
                return
        try:
            yield from batches_of(table, self._fields, MORSEL_ROWS, nbytes, self._convert)
        except (pa.ArrowException, ValueError) as error:
            types = ", ".join(f"{f.name}: {type_name(table.schema.field(f.name).type)}" for f in self._fields)
            raise SourceError(f"a column of {self._name} ({types}) cannot be converted: {error}") from error


def _received(stream: bytes, name: str) -> MemorySource:
    return MemorySource(pa.ipc.open_stream(stream).read_all(), name)


def _as_table(data: pa.Table | pa.RecordBatch | Sequence[pa.RecordBatch]) -> pa.Table:
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    batches = list(data)
    if not batches or not all(isinstance(batch, pa.RecordBatch) for batch in batches):
        raise InvalidArgumentError("an in-memory table is made of an Arrow table or of at least one record batch")
    return pa.Table.from_batches(batches)


def _canonical(field: pa.Field, name: str) -> pa.DataType:
    try:
        return canonical(field.type)
    except ValueError as error:
        raise UnsupportedError(f"column {field.name!r} of {name}: {error}", hint="cast or drop it first") from error


def _null_count(column: pa.ChunkedArray) -> int | None:
    if pa.types.is_dictionary(column.type) or pa.types.is_run_end_encoded(column.type):
        return None  # nulls may stand among the values
    return int(column.null_count)
