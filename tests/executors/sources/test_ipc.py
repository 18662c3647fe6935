from __future__ import annotations

import random
import subprocess
import sys
import textwrap

import pyarrow as pa
import pytest

from lazyframe.executors.sources.ipc import IpcSource
from lazyframe.executors.sources.source import MORSEL_ROWS
from lazyframe.planner.errors import SourceError
from tests.executors.sources.scan import Metrics, batches, read, rows

TABLE = pa.table({"a": [1, None, 3], "s": pa.array(["x", None, ""], pa.string_view()),
                  "d": pa.array(["u", "v", "u"]).dictionary_encode()})  # fmt: skip


def write(path, table, *, stream=False, rows_each=None, **options):
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with make(path, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, rows_each)
    return path


@pytest.mark.parametrize(
    "options", [{}, {"stream": True}, {"compression": "zstd"}, {"stream": True, "compression": "lz4"}]
)
def test_both_formats(tmp_path, options):
    source = IpcSource(write(tmp_path / "a.arrow", TABLE, **options))
    assert source.schema.types == [pa.int64(), pa.string(), pa.string()]
    assert rows(source) == TABLE.to_pylist()
    assert rows(source, ["d"]) == [{"d": "u"}, {"d": "v"}, {"d": "u"}]
    assert sum(b.length for b in batches(source, [])) == 3


def test_batches_are_split_and_joined_to_morsels(tmp_path):
    count = 2 * MORSEL_ROWS + 5
    table = pa.table({"a": range(count)})
    one = IpcSource(write(tmp_path / "one.arrow", table))
    assert (len(one.splits(["a"], None)), [b.length for b in batches(one)]) == (1, [MORSEL_ROWS, MORSEL_ROWS, 5])
    many = IpcSource(write(tmp_path / "many.arrow", table, rows_each=1000))
    metrics = Metrics()
    assert read(many, metrics=metrics).column("a").to_pylist() == list(range(count))
    assert len(many.splits(["a"], None)) == 3
    assert (metrics.rows, metrics.groups_read) == (count, 263)
    assert (many.statistics().rows, many.statistics().exact) == (count, True)


def test_dictionaries_that_differ_between_batches(tmp_path):
    one, two = (pa.table({"d": pa.array(v).dictionary_encode()}) for v in (["x", "y"], ["z", "x", None]))
    with pa.ipc.new_stream(tmp_path / "a.arrow", one.schema) as writer:
        writer.write_table(one)
        writer.write_table(two)
    assert [r["d"] for r in rows(IpcSource(tmp_path / "a.arrow"))] == ["x", "y", "z", "x", None]


def test_folders_and_hive(tmp_path):
    for k in (1, 2):
        (tmp_path / f"k={k}").mkdir()
        write(tmp_path / f"k={k}" / "a.arrow", pa.table({"a": [k * 10]}))
    assert rows(IpcSource(tmp_path), ["k", "a"]) == [{"k": 1, "a": 10}, {"k": 2, "a": 20}]


@pytest.mark.parametrize(("content", "message"), [
    (b"", "empty"), (b"PAR1xxxxPAR1", "looks like a Parquet file"), (b"a,b\n1,2\n", "looks like CSV"),
    (b"ARROW1\0\0" + b"x" * 100, "truncated or half-written"),
])  # fmt: skip
def test_foreign_and_truncated_files(tmp_path, content, message):
    (tmp_path / "a.arrow").write_bytes(content)
    with pytest.raises(SourceError, match=message):
        IpcSource(tmp_path / "a.arrow")


def test_invalid_content_is_found_before_it_is_used(tmp_path):
    path = write(tmp_path / "a.arrow", pa.table({"s": ["a", "b", "c" * 40]}))
    content = path.read_bytes()
    offsets = b"".join(n.to_bytes(4, "little") for n in (0, 1, 2, 42))
    assert content.count(offsets) == 1
    path.write_bytes(content.replace(offsets, b"".join(n.to_bytes(4, "little") for n in (0, 2**30, 2, 42))))
    with pytest.raises(SourceError, match=r"a.arrow, record batch 0 is corrupt"):
        read(IpcSource(path))


def test_a_column_declared_not_null_that_holds_nulls(tmp_path):
    schema = pa.schema([pa.field("a", pa.int64(), nullable=False)])
    batch = pa.RecordBatch.from_arrays([pa.array([1, None])], schema=schema)
    with pa.ipc.new_file(tmp_path / "a.arrow", schema) as writer:
        writer.write_batch(batch)
    with pytest.raises(SourceError, match="'a' is declared not null but holds nulls"):
        read(IpcSource(tmp_path / "a.arrow"))


def test_mutants_never_crash(tmp_path):
    path = write(tmp_path / "a.arrow", TABLE)
    content = path.read_bytes()
    generator = random.Random(7)
    for number in range(150):
        mutant = bytearray(content)
        for _ in range(3):
            mutant[generator.randrange(len(mutant))] = generator.randrange(256)
        (tmp_path / f"{number}.mutant").write_bytes(mutant)
    code = """
        import pathlib, sys
        from lazyframe.executors.sources.ipc import IpcSource
        from lazyframe.planner.errors import LazyFrameError
        class Metrics: rows = bytes = groups_read = groups_skipped = 0
        for path in pathlib.Path(sys.argv[1]).glob("*.mutant"):
            try:
                source = IpcSource(path)
                for split in source.splits(source.schema.names, None):
                    for batch in split.read(Metrics()):
                        batch.to_arrow(source.schema).to_pylist()
            except (LazyFrameError, UnicodeDecodeError):
                pass
        print("done")
    """
    found = subprocess.run(  # noqa: PLW1510 - the caller looks at the code
        [sys.executable, "-c", textwrap.dedent(code), str(tmp_path)], capture_output=True, text=True, timeout=120
    )
    assert (found.stdout.strip(), found.returncode) == ("done", 0), found.stderr[-2000:]
