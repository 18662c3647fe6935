"""Staged values: what they write, and that it runs."""

import numpy as np
import pytest

import lazyframe as lf
from lazyframe.executors.batch import Batch
from lazyframe.executors.compiled.binding import Binding
from lazyframe.executors.compiled.kinds import F64, I32, I64, I128, POINTER
from lazyframe.executors.compiled.machine import compile_kernel
from lazyframe.executors.compiled.program import Program, Writing
from lazyframe.executors.compiled.stage import DONE, FAILED, OUT_OF_BOUNDS, STATUS_ROW, STATUS_SITE, Function, Module
from lazyframe.executors.compiled.values import Value


def run(module: Module, **slots: int) -> tuple[int, dict[str, int]]:
    frame = np.zeros(len(module.slots), dtype=np.int64)
    for name, value in slots.items():
        if name in module.slots:
            frame[module.slots[name]] = value
    status = compile_kernel(module.text())(frame.ctypes.data)
    return status, {name: int(frame[place]) for name, place in module.slots.items()}


def collatz(module: Module) -> None:
    """How many steps each number takes to 1, added up."""
    cg = module.kernel()
    values = cg.pointer("values", I64)
    steps = cg.variable(I64, 0)
    with cg.for_range(0, cg.slot("rows"), note="each row") as row:
        number = cg.variable(I64, values[row])
        with cg.if_(number.get() < 1, note="it is below 1"):
            cg.fail(7, row)
        with cg.loop(note="until it is 1") as loop:
            with cg.if_(number.get() == 1):
                loop.leave()
            with cg.if_((number.get() & 1) == 0) as branch:
                number.set(number.get().quotient(2))
            with branch.otherwise():
                number.set(number.get() * 3 + 1)
            steps.add(1)
    cg.put("steps", steps.get())
    cg.return_(DONE)


def test_control_flow() -> None:
    module = Module(checked=False)
    collatz(module)
    values = np.array([1, 6, 27], dtype=np.int64)
    status, slots = run(module, values=values.ctypes.data, rows=3)
    assert (status, slots["steps"]) == (DONE, 0 + 8 + 111)
    assert [str(note) for note in module.notes] == ["for each row:", "    if it is below 1:", "    until it is 1:"]


def test_a_failure_tells_site_and_row() -> None:
    module = Module(checked=False)
    collatz(module)
    values = np.array([5, 0], dtype=np.int64)
    status, slots = run(module, values=values.ctypes.data, rows=2)
    assert (status, slots[STATUS_SITE], slots[STATUS_ROW]) == (FAILED, 7, 1)


def test_checked_mode_stops_what_reads_too_far() -> None:
    module = Module(checked=True)
    collatz(module)
    values = np.array([1, 1], dtype=np.int64)
    status, _ = run(module, values=values.ctypes.data, rows=3, **{"values.length": 2})
    assert status == OUT_OF_BOUNDS


def _second_of(cg: Function, words: Value) -> Value:
    return words.of(I64)[1] + 1


def through_functions(module: Module) -> None:
    """The word that is so many behind one, by a function that calls another."""
    cg = module.kernel()
    words = cg.pointer("words", I64)
    cg.note("look it up")
    found = cg.local(
        "second_behind",
        I64,
        [POINTER, I64],
        lambda cg, words, place: cg.local("second_of", I64, [POINTER], _second_of, words.of(I64).at(place)) * 10,
        words,
        cg.slot("place"),
    )
    cg.put("found", found)
    cg.return_(DONE)


@pytest.mark.parametrize("checked", [False, True])
def test_functions_are_given_pointers(checked: bool) -> None:
    module = Module(checked=checked)
    through_functions(module)
    words = np.array([1, 2, 3, 4], dtype=np.int64)
    status, slots = run(module, words=words.ctypes.data, place=2, **{"words.length": 4})
    assert (status, slots["found"]) == (DONE, 50)


@pytest.mark.parametrize("place", [3, 4, 100, -2])
def test_checked_mode_stops_functions_that_read_too_far(place: int) -> None:
    module = Module(checked=True)
    through_functions(module)
    words = np.array([1, 2, 3, 4], dtype=np.int64)
    status, slots = run(module, words=words.ctypes.data, place=place, **{"words.length": 4})
    assert (status, slots["found"]) == (OUT_OF_BOUNDS, 0)
    assert module.accesses[slots[STATUS_SITE]] == "argument 0 of second_of to i64, near: look it up"
    assert slots[STATUS_ROW] == 1


def test_a_kernel_that_reaches_out_says_where() -> None:
    writing = Writing({})
    writing.module.checked = True
    cg = writing.cg
    values = cg.pointer("values", I64)
    with cg.for_range(0, cg.slot("rows"), note="each row") as row:
        values[row + 2] = row
    cg.return_(DONE)
    program = Program(writing.finish())
    frame = program.frame(Batch({}, 3))
    frame.lend("values", np.zeros(5, dtype=np.int64))
    assert program.run(frame) == DONE
    frame["rows"] = 4
    with pytest.raises(AssertionError, match="a kernel reached element 5 of values to i64, near: for each row:"):
        program.run(frame)


@pytest.mark.parametrize(("a", "b", "overflows"), [(1 << 62, 2, True), (3, -5, False), (-(1 << 63), -1, True)])
def test_overflow_is_seen(a: int, b: int, overflows: bool) -> None:
    module = Module(checked=False)
    cg = module.kernel()
    product, flag = cg.slot("a").with_overflow("mul", cg.slot("b"))
    cg.put("product", product)
    cg.put("flag", flag.to(I64))
    cg.return_(DONE)
    _, slots = run(module, a=a, b=b)
    assert slots["flag"] == (overflows and 1)
    if not overflows:
        assert slots["product"] == a * b


def test_wide_numbers_and_floats() -> None:
    module = Module(checked=False)
    cg = module.kernel()
    product = cg.slot("a").to(I128) * cg.slot("b").to(I128)
    cg.put("high", (product >> 64).to(I64))
    cg.put("low", product.to(I64))
    cg.put("half", (cg.slot("a").to(F64) * 0.5).bits_as(I64))
    cg.return_(DONE)
    a, b = (1 << 62) + 12345, -(1 << 61) + 77
    _, slots = run(module, a=a, b=b)
    assert (slots["high"] << 64) + (slots["low"] & ((1 << 64) - 1)) == a * b
    assert np.int64(slots["half"]).view(np.float64) == a * 0.5


def test_what_is_known_while_staging_writes_nothing() -> None:
    module = Module(checked=False)
    cg = module.kernel()
    with cg.if_(cg.truth(False)) as branch:
        cg.fail(1, cg.lift(0, I64))
    with branch.otherwise():
        cg.put("seen", cg.lift(2, I64) + 3)
    cg.return_(DONE)
    assert "br" not in module.text()
    assert run(module)[1]["seen"] == 5


def test_local_functions_are_written_once() -> None:
    module = Module(checked=False)
    cg = module.kernel()

    def square(inner: Function, x):
        return x * x

    total = cg.local("square", I32, [I32], square, 3) + cg.local("square", I32, [I32], square, 4)
    cg.put("total", total.to(I64))
    cg.return_(DONE)
    assert module.text().count("define internal") == 1
    assert run(module)[1]["total"] == 25


@pytest.mark.parametrize("column", ["x", "s"])
def test_a_query_that_reaches_out_fails_in_checked_mode(column: str, monkeypatch: pytest.MonkeyPatch) -> None:
    point = Binding.point

    def shortened(binding, name, address, count):
        point(binding, name, address, count // 2)

    monkeypatch.setenv("LAZYFRAME_CHECKED", "1")
    monkeypatch.setenv("LAZYFRAME_COMPILED", "0")

    def query() -> lf.LazyFrame:
        frame = lf.from_dict({"x": [1, 2, 3, 4], "s": ["aaaa", "bbb", "cc", "d"]}).lazy()
        return frame.filter(lf.col(column) >= (2 if column == "x" else "bbb")).select("x")

    assert query().to_dict() == {"x": [2, 3, 4]}
    monkeypatch.setattr(Binding, "point", shortened)
    with pytest.raises(AssertionError, match=r"a kernel reached element 2 of column\d\..* to .*, near: for each row:"):
        query().to_dict()


@pytest.mark.parametrize("checked", [False, True])
def test_what_stands_behind_the_end_is_not_written(checked: bool) -> None:
    module = Module(checked=checked)
    cg = module.kernel()
    values = cg.pointer("values", I64)
    with cg.for_range(0, cg.slot("rows")) as row:
        with cg.if_(cg.truth(True)):
            cg.fail(1, row)
        value = values[row]
        with cg.if_(value > 2) as branch:
            cg.put("seen", value)
        with branch.otherwise():
            values[row] = value + 1
        with cg.loop() as loop:
            loop.leave()
        with cg.for_range(0, value) as place:
            values[place] = value
    cg.return_(DONE)
    numbers = np.array([5], dtype=np.int64)
    status, slots = run(module, values=numbers.ctypes.data, rows=1, **{"values.length": 1})
    assert (status, slots[STATUS_SITE], numbers.tolist()) == (FAILED, 1, [5])
    assert run(module, rows=0)[0] == DONE
