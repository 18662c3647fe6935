import gc
import threading

import numpy as np
import pytest

from lazyframe.executors.compiled.machine import compile_kernel, why_not

SUM = """
define i64 @kernel(ptr %frame) {
entry:
  %length.at = getelementptr i64, ptr %frame, i64 1
  %n = load i64, ptr %length.at
  %p = load ptr, ptr %frame
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %s = phi i64 [ 0, %entry ], [ %sum, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %at = getelementptr i64, ptr %p, i64 %i
  %v = load i64, ptr %at
  %sum = add i64 %s, %v
  %next = add i64 %i, 1
  br label %head
done:
  ret i64 %s
}
"""


def call(kernel, values):
    frame = np.array([values.ctypes.data, len(values)], np.int64)
    return kernel(frame.ctypes.data)


def test_a_kernel_reads_its_frame():
    assert why_not() is None
    kernel = compile_kernel(SUM)
    assert call(kernel, np.arange(1000)) == 499500
    assert call(kernel, np.arange(0)) == 0
    assert kernel.address != 0


def test_code_lives_as_long_as_its_kernel():
    kernels = [compile_kernel(SUM) for _ in range(3)]
    kept = kernels.pop()
    del kernels
    gc.collect()
    assert call(kept, np.array([3, 4])) == 7


def test_kernels_are_called_at_the_same_time():
    kernel = compile_kernel(SUM)
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
    ],
)
def test_what_is_no_module_raises(ir):
    with pytest.raises(RuntimeError):
        compile_kernel(ir)
