"""Workers begin on processors of their own, and are bound to none in the end."""

import os
import threading

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.executors import placement, threads
from lazyframe.executors.placement import Placement

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="threads cannot be bound to processors here"
)


@pytest.fixture
def processors(monkeypatch):
    """Two processors, whatever the machine has; gives to what each thread was bound, in order."""
    bound = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5})
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, mask: bound.append((threading.get_ident(), set(mask))))
    return bound


def test_each_worker_has_its_own(processors):
    both = Placement(2, wanted=True)
    for worker in (0, 1):
        assert both.begin(worker)
        both.end()
    assert [mask for _, mask in processors] == [{3}, {3, 5}, {5}, {3, 5}]


@pytest.mark.parametrize(("workers", "wanted"), [(1, True), (2, False)])
def test_fewer_workers_than_processors_go_where_they_like(processors, workers, wanted):
    assert not Placement(workers, wanted=wanted).begin(0)
    assert processors == []


def test_a_thread_that_a_bound_one_starts_is_not_bound(processors, monkeypatch):
    monkeypatch.setattr(threads, "_threads", threads._Threads())
    bound = Placement(2, wanted=True)
    bound.begin(1)
    try:
        task = threads.start(lambda: None)
    finally:
        bound.end()
    task.result()
    here = threading.get_ident()
    assert [mask for thread, mask in processors if thread == here] == [{5}, {3, 5}]
    assert [mask for thread, mask in processors if thread != here] == [{3, 5}]


def test_what_libraries_start_meanwhile_is_not_bound(processors, monkeypatch):
    numbers = {"1", "2"}
    monkeypatch.setattr(placement, "_all_threads", lambda: set(numbers))
    released = []
    monkeypatch.setattr(os, "sched_setaffinity", lambda thread, mask: released.append((thread, set(mask))))
    placed = Placement(2, wanted=True, reads=True)
    placed.begin(0)
    numbers.add("77")
    placed.end()
    assert released == [(0, {3}), (0, {3, 5}), (77, {3, 5})]


def test_a_query_binds_its_workers_and_lets_them_go(processors, monkeypatch):
    monkeypatch.setenv("LAZYFRAME_COMPILED", "0")
    table = pa.Table.from_batches(
        [pa.RecordBatch.from_pydict({"x": list(range(n, n + 200))}) for n in range(0, 6000, 200)]
    )
    frame = lf.from_arrow(pa.concat_tables([table] * 200).combine_chunks())
    with lf.config(threads=2):
        assert frame.filter(lf.col("x") < 10).select(lf.col("x").sum()).item() == 45 * 200
    masks: dict[int, list[set[int]]] = {}
    for thread, mask in processors:
        masks.setdefault(thread, []).append(mask)
    # Threads that compile were started by these.
    assert sorted(min(mask[0]) for mask in masks.values() if len(mask[0]) == 1) == [3, 5]
    assert all(mask[-1] == {3, 5} for mask in masks.values())
