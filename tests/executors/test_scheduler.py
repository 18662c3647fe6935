"""Pipelines on threads: order, errors, early stops, cancellation. What happens at which time is set by events, not by waiting."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading

import pytest

import lazyframe as lf
from lazyframe.executors.context import Context
from lazyframe.executors.pipeline import Pipeline, Stream
from lazyframe.executors.scheduler import run, stream
from lazyframe.planner.errors import QueryCancelledError
from tests.executors.pipeline_parts import SCHEMA, Copies, Failing, Noted, Numbered, Numbers, Times, values

THREADS = [1, 2, 3, 7]


class Backwards:
    """Lets a split of every pair give its batch only after the one that follows it has; of those from `start` on."""

    def __init__(self, count: int, start: int = 0) -> None:
        self.arrived = [threading.Event() for _ in range(count)]
        self.start = start

    def __call__(self, number: int) -> None:
        if number >= self.start and number % 2 == 0 and number + 1 < len(self.arrived):
            assert self.arrived[number + 1].wait(10)
        self.arrived[number].set()


def ran(source: Numbers, transforms: list, sink: Noted, threads: int, context: Context | None = None) -> Noted:
    run(Pipeline(source, transforms, sink, SCHEMA), context or Context(threads))
    return sink


def streamed(source: Numbers, transforms: list, threads: int, context: Context | None = None) -> list[int]:
    return [v for b in stream(Stream(source, transforms), context or Context(threads)) for v in values(b)]


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_all_rows_come_in_order(threads, count):
    sink = ran(Numbers(count), [Times(2)], Noted(), threads)
    assert sink.merged == [2 * n for n in range(count)]
    assert streamed(Numbers(count), [Times(2)], threads) == [2 * n for n in range(count)]


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_merges_are_in_order_even_if_splits_end_backwards(threads):
    assert ran(Numbers(40, Backwards(40)), [], Noted(), threads).merged == list(range(40))
    assert streamed(Numbers(40, Backwards(40)), [], threads) == list(range(40))


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_ordered_transforms_see_rows_in_order(threads):
    first, second = Numbered(), Numbered()
    # Where reading may stop early, further workers start when the first have given something.
    sink = ran(Numbers(30, Backwards(30, start=8)), [Times(1), first, Times(1), second], Noted(), threads)
    assert first.seen == list(range(30))
    assert second.seen == [1000 * n + n for n in range(30)]
    assert sink.merged == [2000 * n + n for n in range(30)]


@pytest.mark.parametrize("threads", THREADS)
def test_ordered_transforms_give_the_same_at_any_number_of_threads(threads):
    assert streamed(Numbers(30), [Numbered(), Times(3)], threads) == [3 * (1000 * n + n) for n in range(30)]


@pytest.mark.parametrize("threads", THREADS)
def test_expansions_keep_the_order(threads):
    sink = ran(Numbers(5), [Copies(2), Times(10), Copies(2)], Noted(), threads)
    assert sink.merged == [10 * n for n in range(5) for _ in range(4)]
    assert streamed(Numbers(5), [Copies(0)], threads) == []


def test_an_expansion_is_not_unrolled():
    copies = Copies(1_000_000)
    batches = stream(Stream(Numbers(1), [copies]), Context(2))
    next(batches)
    batches.close()
    assert copies.given == 1


# Errors.


@pytest.mark.parametrize("threads", THREADS)
def test_the_first_error_in_row_order_wins(threads):
    # 5 fails only after 6 and 7 have.
    later = [threading.Event() for _ in range(40)]

    def before(number):
        if threads > 2 and number == 5:
            assert later[6].wait(10)
        later[number].set()

    for _ in range(20):
        with pytest.raises(ValueError, match=r"^value 5$"):
            ran(Numbers(40, before), [Failing(5, 6, 7, 30)], Noted(), threads)
        with pytest.raises(ValueError, match=r"^value 5$"):
            streamed(Numbers(40, before), [Failing(5, 6, 7, 30)], threads)


@pytest.mark.parametrize("threads", THREADS)
def test_rows_before_an_error_are_given(threads):
    found = []
    with pytest.raises(ValueError, match=r"^value 5$"):  # noqa: PT012
        for b in stream(Stream(Numbers(40), [Failing(5)]), Context(threads)):
            found.extend(values(b))
    assert found == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("threads", THREADS)
def test_errors_of_merges_and_of_reads(threads):
    with pytest.raises(ValueError, match=r"^merge \[3\]$"):
        ran(Numbers(20), [], Noted(failing=3), threads)

    def unreadable(number):
        if number == 4:
            raise OSError("split 4")

    with pytest.raises(OSError, match=r"^split 4$"):
        ran(Numbers(20, unreadable), [], Noted(), threads)


@pytest.mark.parametrize("threads", THREADS)
def test_little_is_read_after_an_error(threads):
    source = Numbers(1000)
    with pytest.raises(ValueError, match=r"^value 3$"):
        ran(source, [Failing(3)], Noted(), threads)
    assert len(source.read) <= 4 + 3 * threads + 3


# Early stops.


@pytest.mark.parametrize("threads", THREADS)
def test_a_limit_stops_reading(threads):
    source, limit = Numbers(1000), Numbered(enough=3)
    assert [v % 1000 for v in streamed(source, [limit], threads)] == [0, 1, 2]
    assert len(source.read) <= 3 + 3 * threads + 3


@pytest.mark.parametrize("threads", THREADS)
def test_what_a_limited_row_expands_to_is_whole(threads):
    # The limit is reached before the second expansion has given its first batch, let alone its last.
    sink = ran(Numbers(5), [Copies(3), Numbered(enough=2), Copies(4)], Noted(), threads)
    assert sink.merged == [0] * 4 + [1000] * 4
    assert streamed(Numbers(5), [Numbered(enough=1), Copies(4)], threads) == [0] * 4


def test_a_limit_ends_the_expansion_before_it():
    copies = Copies(1_000_000)
    assert streamed(Numbers(1), [copies, Numbered(enough=2), Copies(2)], 1) == [0, 0, 1000, 1000]
    assert copies.given <= 3


@pytest.mark.parametrize("threads", THREADS)
def test_a_limit_of_one_row_reads_one_split(threads):
    source = Numbers(1000)
    assert streamed(source, [Numbered(enough=1)], threads) == [0]
    assert source.read == [0]


@pytest.mark.parametrize("threads", THREADS)
def test_a_limit_of_no_rows_reads_nothing(threads):
    source = Numbers(10)
    assert streamed(source, [Numbered(enough=0)], threads) == []
    assert ran(source, [Numbered(enough=0)], Noted(), threads).merged == []
    assert source.read == []


@pytest.mark.parametrize("threads", THREADS)
def test_a_sink_that_has_enough_stops_reading(threads):
    source = Numbers(1000)
    assert ran(source, [], Noted(enough=4), threads).merged == [0, 1, 2, 3]
    assert len(source.read) <= 4 + 3 * threads + 3


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_an_error_behind_the_last_row_is_dropped(threads):
    # Split 2 fails before split 1, which has the last row, gives it.
    failed = threading.Event()

    def before(number):
        if number == 1 and threads > 2:
            assert failed.wait(10)
        if number == 2:
            failed.set()
            raise OSError("nobody asked for it")

    for _ in range(20):
        failed.clear()
        assert ran(Numbers(30, before), [], Noted(enough=2), threads).merged == [0, 1]


@pytest.mark.parametrize("threads", THREADS)
def test_two_limits(threads):
    found = streamed(Numbers(100), [Numbered(enough=7), Numbered(enough=3)], threads)
    assert [v % 1000 for v in found] == [0, 1, 2]


# Stopping a query.


@pytest.mark.parametrize("threads", THREADS)
def test_cancelling(threads):
    context = Context(threads)

    def before(number):
        if number == 5:
            context.cancel("enough of it")

    source = Numbers(1000, before)
    with pytest.raises(QueryCancelledError, match="enough of it"):
        ran(source, [], Noted(), threads, context)
    assert len(source.read) <= 6 + 3 * threads + 3
    with pytest.raises(QueryCancelledError, match="enough of it"):
        streamed(Numbers(5), [], threads, context)


@pytest.mark.parametrize("threads", THREADS)
def test_cancelling_within_one_split(threads):
    context = Context(threads)

    class Cancelling:
        def process(self, found):
            context.cancel()
            return found

    copies = Copies(10_000_000)
    with pytest.raises(QueryCancelledError):
        ran(Numbers(1), [copies, Cancelling()], Noted(), threads, context)
    other = Context(threads)
    context = other
    with pytest.raises(QueryCancelledError):
        streamed(Numbers(1), [copies, Cancelling()], threads, other)
    assert copies.given <= 4


@pytest.mark.parametrize("threads", THREADS)
def test_a_timeout(threads):
    context = Context(threads, timeout=0.02)
    with pytest.raises(QueryCancelledError, match="longer than its timeout"):
        ran(Numbers(3), [Copies(10**9)], Noted(), threads, context)


def test_the_timeout_setting():
    numbers = lf.from_dict({"x": list(range(3000))})
    with lf.config(timeout=0.02), pytest.raises(lf.errors.QueryCancelledError, match="timeout"):
        numbers.join(numbers, how="cross").join(numbers, how="cross", suffix="_again").count()
    assert numbers.count() == 3000


@pytest.mark.parametrize("threads", [2, 3])
def test_a_stream_closed_early_stops_its_workers(threads):
    source = Numbers(1000)
    batches = stream(Stream(source), Context(threads))
    assert values(next(batches)) == [0]
    batches.close()
    read = len(source.read)
    assert read <= 4 * threads + 6
    assert streamed(Numbers(3), [], threads) == [0, 1, 2]
    assert len(source.read) == read


@pytest.mark.parametrize("threads", [2, 3])
def test_workers_do_not_run_far_ahead_of_a_slow_reader(threads):
    source = Numbers(1000)
    batches = stream(Stream(source), Context(threads))
    next(batches)
    # A whole other query runs meanwhile.
    assert len(ran(Numbers(200), [], Noted(), threads).merged) == 200
    assert len(source.read) <= 4 * threads + 6
    assert sum(1 for _ in batches) == 999


def test_queries_at_the_same_time():
    results: list[list[int]] = []

    def one() -> None:
        results.append(ran(Numbers(100), [Times(2)], Noted(), 2).merged)

    threads = [threading.Thread(target=one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert results == [[2 * n for n in range(100)]] * 8


def test_what_was_read_is_counted():
    context = Context(2)
    ran(Numbers(20), [], Noted(), 2, context)
    assert context.metrics.rows == 20
    early = Context(1)
    streamed(Numbers(20), [Numbered(enough=2)], 1, early)
    assert early.metrics.rows == 2


def test_threads_are_used_again():
    ran(Numbers(10), [], Noted(), 2)
    before = threading.active_count()
    for _ in range(20):
        ran(Numbers(10), [], Noted(), 2)
        streamed(Numbers(10), [], 2)
    assert threading.active_count() <= before + 2


# In a process of its own.

PRELUDE = """
import os, signal, sys, threading, time
import lazyframe as lf
from lazyframe import col
numbers = lf.concat([lf.from_dict({"x": list(range(3000))}) for _ in range(4)])
long = numbers.join(numbers, how="cross").join(numbers, how="cross", suffix="_again")
"""


def python(code: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LAZYFRAME_THREADS": "2"}
    return subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
        check=False,
    )


INTERRUPTED = """
def interrupt():
    started.wait()
    time.sleep(0.1)
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

for action in {actions}:
    started, sent = threading.Event(), []
    threading.Thread(target=interrupt).start()
    started.set()
    try:
        action()
    except KeyboardInterrupt:
        took = time.perf_counter() - sent[0]
        print("stopped" if took < 1.0 else f"after {{took}} s")
    print(numbers.sort("x").count())
"""


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_stops_a_query_and_leaves_the_session_usable():
    actions = "[long.count, long.collect, lambda: long.sort(col('x') + col('x_right')).head(1).collect(), lambda: long.submit().result()]"
    done = python(INTERRUPTED.format(actions=actions) + "\nos._exit(0)")
    assert done.stdout.splitlines() == ["stopped", "12000"] * 4, done.stderr


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_with_one_thread():
    done = python("lf.config(threads=1)\n" + INTERRUPTED.format(actions="[long.count, long.collect]") + "\nos._exit(0)")
    assert done.stdout.splitlines() == ["stopped", "12000"] * 2, done.stderr


def test_a_program_ends_although_a_query_runs():
    done = python(
        """
        query = long.submit()
        batches = lf.concat([numbers] * 20).collect_batches()
        next(batches)
        print("end")
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


def test_threads_that_outlive_the_main_one_may_run_queries():
    done = python(
        """
        def later():
            threading.main_thread().join()
            print(numbers.sort("x").count())

        threading.Thread(target=later).start()
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "12000\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_forked_child_has_threads_of_its_own():
    done = python(
        """
        import warnings
        warnings.simplefilter("ignore")
        assert numbers.sort("x").count() == 12000
        batches = numbers.collect_batches()
        next(batches)
        child = os.fork()
        if child == 0:
            print(numbers.sort("x").count(), flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        print(numbers.sort("x").count())
        """
    )
    assert (done.returncode, done.stdout) == (0, "12000\n12000\n"), done.stderr
