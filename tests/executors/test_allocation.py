"""Which allocator Arrow uses after a query."""

import os
import subprocess
import sys

import pyarrow as pa
import pytest

_CODE = """
import pyarrow as pa
{before}
import lazyframe as lf
lf.from_dict({{"a": [1, 2]}}).lazy().filter(lf.col("a") > 1).collect()
print(pa.default_memory_pool().backend_name)
"""


def _pool_after_a_query(before: str = "", **settings: str) -> str:
    environment = {k: v for k, v in os.environ.items() if k != "ARROW_DEFAULT_MEMORY_POOL"} | settings
    command = [sys.executable, "-c", _CODE.format(before=before)]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or pa.default_memory_pool().backend_name not in ("mimalloc", "system"),
    reason="elsewhere allocators are left as they are",
)
def test_arrow_allocates_where_numpy_does_unless_told_otherwise() -> None:
    assert _pool_after_a_query() == "system"
    assert _pool_after_a_query(ARROW_DEFAULT_MEMORY_POOL="mimalloc") == "mimalloc"
    if "jemalloc" in pa.supported_memory_backends():
        assert _pool_after_a_query("pa.set_memory_pool(pa.jemalloc_memory_pool())") == "jemalloc"
