import gc
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from lazyframe.executors.compiled import machine
from lazyframe.executors.compiled.code_cache import CodeCache
from lazyframe.executors.compiled.code_generator import CodeGenerator
from lazyframe.executors.compiled.machine import compile_kernel, start_kernel, why_not

SUM = """
define i64 @kernel(ptr %frame) {
entry:
  %length.at = getelementptr i64, ptr %frame, i64 1
  %n = load i64, ptr %length.at
  %p = load ptr, ptr %frame
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %s = phi i64 [ START, %entry ], [ %sum, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %at = getelementptr i64, ptr %p, i64 %i
  %v = load i64, ptr %at
  %sum = add i64 %s, %v
  %next = add i64 %i, 1
  br label %head, !llvm.loop !0
done:
  ret i64 %s
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.vectorize.enable", i1 VECTORS}
"""


def sum_from(start, vectors="false"):
    return SUM.replace("START", str(start)).replace("VECTORS", vectors)


def constant(number):
    return f"define i64 @kernel(ptr %frame) {{ ret i64 {number} }}"


def call(kernel, values):
    frame = np.array([values.ctypes.data, len(values)], np.int64)
    return kernel(frame.ctypes.data)


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """A process that has compiled nothing, again and again, with one folder of code; and what it compiles."""
    compiled = []
    object_code = CodeGenerator.object_code

    def counted(generator, ir):
        compiled.append(ir)
        return object_code(generator, ir)

    def start():
        compilations = machine._Compilations()
        compilations._disk = CodeCache(tmp_path / "code")
        monkeypatch.setattr(machine, "_compilations", compilations)
        return compiled

    monkeypatch.setattr(CodeGenerator, "object_code", counted)
    start()
    return start


@pytest.mark.parametrize("vectors", ["false", "true"])
def test_a_kernel_reads_its_frame(vectors):
    assert why_not() is None
    kernel = compile_kernel(sum_from(0, vectors))
    assert call(kernel, np.arange(1000)) == 499500
    assert call(kernel, np.arange(0)) == 0
    assert kernel.address != 0


def test_code_lives_as_long_as_its_kernel(monkeypatch):
    monkeypatch.setattr(machine, "MOST_KERNELS", 2)
    first = compile_kernel(sum_from(1_000_000))
    for start in range(300):
        compile_kernel(constant(start % 5 + 600))
        compile_kernel(constant(start))
    gc.collect()
    assert call(first, np.array([3, 4])) == 1_000_007


def test_only_so_many_kernels_are_kept(fresh, monkeypatch):
    monkeypatch.setattr(machine, "MOST_KERNELS", 3)
    compiled = fresh()
    machine._compilations._disk = None
    for number in (1, 2, 3, 1, 4):
        assert compile_kernel(constant(number))(0) == number
    assert len(compiled) == 4
    assert [compile_kernel(constant(number))(0) for number in (1, 3, 4)] == [1, 3, 4]
    assert len(compiled) == 4
    assert compile_kernel(constant(2))(0) == 2
    assert len(compiled) == 5


def test_kernels_are_called_at_the_same_time():
    kernel = compile_kernel(sum_from(0))
    values = np.arange(100_000)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(call(kernel, values))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [int(values.sum())] * 8


@pytest.mark.parametrize(
    "ir",
    [
        "this is no module",
        "define i64 @kernel(ptr %frame) { ret i32 0 }",
        "define i64 @kernel(ptr %frame) {\nentry:\n  br label %b\nb:\n  ret i64 %x\nc:\n  %x = add i64 1, 2\n  br label %b\n}",
        "define i64 @another(ptr %frame) { ret i64 0 }",
    ],
)
def test_what_is_no_kernel_raises_each_time(ir, fresh, capfd):
    for _ in range(3):
        with pytest.raises(RuntimeError):
            compile_kernel(ir)
        with pytest.raises(RuntimeError):
            start_kernel(ir).wait()
    gc.collect()
    assert compile_kernel(constant(5))(0) == 5
    assert capfd.readouterr() == ("", "")


def test_code_is_compiled_once_and_found_on_disk(fresh):
    compiled = fresh()
    assert call(compile_kernel(sum_from(2)), np.array([5])) == 7
    assert call(compile_kernel(sum_from(2)), np.array([5])) == 7
    assert len(compiled) == 1
    fresh()
    assert call(compile_kernel(sum_from(2)), np.array([5])) == 7
    assert len(compiled) == 1
    assert call(compile_kernel(sum_from(3)), np.array([5])) == 8
    assert len(compiled) == 2


def test_damaged_code_is_compiled_again(fresh, tmp_path):
    compiled = fresh()
    compile_kernel(sum_from(2))
    [file] = [file for file in (tmp_path / "code").iterdir() if file.name != "key"]
    whole = file.read_bytes()
    for position in range(0, len(whole), 37):
        file.write_bytes(whole[:position] + bytes([whole[position] ^ 16]) + whole[position + 1 :])
        fresh()
        compiled.clear()
        assert call(compile_kernel(sum_from(2)), np.array([5])) == 7
        assert len(compiled) == 1
        assert file.read_bytes()[32:] == whole[32:]


def test_code_for_another_processor_is_not_taken(fresh, monkeypatch):
    compiled = fresh()
    compile_kernel(sum_from(2))
    fresh()
    identity = CodeGenerator.identity.func
    monkeypatch.setattr(CodeGenerator, "identity", property(lambda self: identity(self) + ",+another"))
    compile_kernel(sum_from(2))
    assert len(compiled) == 2


def test_two_askers_share_one_compilation(fresh, monkeypatch):
    compiled = fresh()
    begun, may_go_on = threading.Event(), threading.Event()
    object_code = CodeGenerator.object_code

    def slow(generator, ir):
        begun.set()
        assert may_go_on.wait(10)
        return object_code(generator, ir)

    monkeypatch.setattr(CodeGenerator, "object_code", slow)
    one = start_kernel(sum_from(4))
    assert begun.wait(10)
    two = start_kernel(sum_from(4))
    assert not one.ready()
    assert not two.ready()
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(compile_kernel(sum_from(4))))
    waiting.start()
    may_go_on.set()
    waiting.join(10)
    assert one.wait() is two.wait() is answers[0]
    assert one.ready()
    assert len(compiled) == 1
    assert start_kernel(sum_from(4)).ready()


def test_many_threads_compile_the_same_code_as_one(fresh):
    compiled = fresh()
    irs = [sum_from(start, vectors) for start in range(40) for vectors in ("true", "false")]
    pending = [start_kernel(ir) for ir in irs]
    values = np.arange(10)
    assert [call(p.wait(), values) for p in pending] == [45 + start for start in range(40) for _ in range(2)]
    assert sorted(compiled) == sorted(irs)
    generator = CodeGenerator()
    together: list[bytes] = []
    threads = [threading.Thread(target=lambda: together.append(generator.object_code(irs[0]))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(together) == {generator.object_code(irs[0])}


def test_where_nothing_can_be_compiled_it_is_said(fresh, monkeypatch):
    import llvmlite.binding as llvm

    def refused():
        raise OSError("permission denied")

    monkeypatch.setattr(llvm, "check_jit_execution", refused)
    why_not.cache_clear()
    try:
        assert why_not() == "the system gives no memory for machine code: permission denied"
        with pytest.raises(RuntimeError, match="no memory for machine code"):
            compile_kernel(constant(1))
    finally:
        why_not.cache_clear()


def test_llvm_is_loaded_by_the_first_kernel():
    script = (
        "import sys, lazyframe, lazyframe.executors.compiled.machine as m; assert 'llvmlite' not in sys.modules;"
        f"print(m.compile_kernel({constant(3)!r})(0))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "3\n"


def test_an_interrupt_is_no_refusal(fresh, monkeypatch):
    fresh()
    object_code = CodeGenerator.object_code

    def interrupted(generator, ir):
        raise KeyboardInterrupt

    monkeypatch.setattr(CodeGenerator, "object_code", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compile_kernel(constant(77))
    monkeypatch.setattr(CodeGenerator, "object_code", object_code)
    assert compile_kernel(constant(77))(0) == 77


def test_llvm_may_be_loaded_beforehand(fresh):
    fresh()
    machine.load_soon()
    machine.load_soon()
    assert compile_kernel(constant(9))(0) == 9
    machine.load_soon()


FORKS = """
import os, sys, threading, time
from lazyframe.executors.compiled.machine import compile_kernel, start_kernel

def constant(number):
    return f"define i64 @kernel(ptr %frame) {{ ret i64 {number} }}"

stop = False
def busy(first):
    number = first
    while not stop:
        assert compile_kernel(constant(number))(0) == number
        number += 1
        time.sleep(0.001)

threads = [threading.Thread(target=busy, args=(start,)) for start in (0, 10**6)]
for thread in threads:
    thread.start()
old = compile_kernel(constant(5 * 10**6))
for turn in range(8):
    begun = start_kernel(constant(2 * 10**6 + turn))
    child = os.fork()
    if child == 0:
        fine = old(0) == 5 * 10**6 and begun.wait()(0) == 2 * 10**6 + turn
        fine = fine and start_kernel(constant(3 * 10**6 + turn)).wait()(0) == 3 * 10**6 + turn
        os._exit(0 if fine else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
    begun.wait()
stop = True
for thread in threads:
    thread.join()
print("done")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_forked_child_compiles(tmp_path):
    environment = os.environ | {"LAZYFRAME_CODE_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKS],
        capture_output=True,
        text=True,
        timeout=100,
        env=environment,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
