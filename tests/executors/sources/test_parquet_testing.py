"""Files of every encoding and type, and broken ones: the rows that pyarrow reads, or a clear error, never a crash."""

from __future__ import annotations

import subprocess
import sys
import textwrap

from tests.executors.sources.conformance import corpus

FOLDER = corpus("parquet-testing")
GOOD = sorted((FOLDER / "data").glob("*.parquet*"))
BAD = sorted((FOLDER / "bad_data").glob("*.parquet"))

READ = textwrap.dedent("""
    import sys
    import pyarrow as pa
    import pyarrow.parquet as pq
    from lazyframe.executors.sources.parquet import ParquetSource
    from lazyframe.planner.errors import LazyFrameError
    class Metrics: rows = bytes = groups_read = groups_skipped = 0
    for path in sys.argv[1:]:
        try:
            source = ParquetSource(path)
            parts = [b.to_arrow(source.schema) for s in source.splits(source.schema.names, None) for b in s.read(Metrics())]
            table = pa.Table.from_batches(parts, source.schema.to_arrow())
            table.validate(full=True)
        except LazyFrameError as error:
            assert path.rsplit("/", 1)[1] in str(error), str(error)
            print("error", flush=True)
            continue
        expected = pq.ParquetFile(path).read(use_threads=False)
        expected = pa.table([c.cast(f.type) for c, f in zip(expected.columns, table.schema)], table.schema)
        same = expected.equals(table) or str(expected.to_pylist()) == str(table.to_pylist())  # NaN differs from itself
        print("same" if same else "different", flush=True)
""")

ERRORS = {
    "datapage_v1-corrupt-checksum.parquet",
    "rle-dict-uncompressed-corrupt-checksum.parquet",
    "incorrect_map_schema.parquet",
    "large_string_map.brotli.parquet",  # more than 2 GB in one column, which pyarrow does not read either
    "nation.dict-malformed.parquet",
}


def outcomes(paths):
    found = subprocess.run(  # noqa: PLW1510 - the caller looks at the code
        [sys.executable, "-c", READ, *map(str, paths)], capture_output=True, text=True, timeout=120
    )
    assert found.returncode == 0, found.stderr[-3000:]
    return dict(zip([path.name for path in paths], found.stdout.split(), strict=True))


def test_files_are_read_as_pyarrow_reads_them():
    plain = [
        path for path in GOOD if not path.name.endswith((".encrypted", ".json")) and "large_string_map" not in path.name
    ]
    for name, outcome in outcomes(plain).items():
        assert outcome == "same" or (outcome == "error" and name in ERRORS), name


def test_encrypted_and_broken_files_never_crash():
    paths = [path for path in GOOD if path.name.endswith(".encrypted")] + BAD
    for name, outcome in outcomes(paths).items():
        assert outcome in ("same", "error"), name
        assert outcome == "error" or not name.endswith(".encrypted"), name
