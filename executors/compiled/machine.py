"""Kernels: from the text of a module in LLVM's intermediate representation to machine code that can be called.

A kernel is a module with the function `i64 @kernel(ptr)`, that names neither a target nor a layout of data: it is compiled for
the processor this runs on. LLVM is loaded by the first kernel.

A text is compiled once: it is looked up in memory, then on disk, and whoever asks for it meanwhile waits for the compilation
that is under way.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import threading
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from lazyframe.executors import threads
from lazyframe.executors.compiled.code_cache import CodeCache, default_folder
from lazyframe.executors.compiled.code_generator import CodeGenerator

MOST_KERNELS = 512
"""How many kernels are kept for who may ask again. One that is in use lives on without being kept here."""

_PATIENCE_AT_FORK_SECONDS = 30.0

_signature = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


class Kernel:
    """Machine code that can be called, and lives as long as this does.

    Calls release the interpreter's lock, and any number of threads may call at a time.
    """

    __slots__ = ("_call", "_code", "address")

    def __init__(self, address: int, code: object) -> None:
        self.address = address
        self._code = code
        self._call = _signature(address)

    def __call__(self, frame_address: int) -> int:
        return self._call(frame_address)

    def __del__(self) -> None:
        # Code is given back by LLVM, which a fork must not find at work: see `_Compilations`. Nothing is left of this module when
        # the process ends.
        if _unused is not None:
            _unused.append(self._code)


_unused: deque[object] = deque()


class Pending:
    """A kernel that is being compiled, by another thread or by whoever first waits for it."""

    __slots__ = ("_error", "_finished", "_ir", "_is_taken", "_kernel", "_name")

    def __init__(self, name: str, ir: str, kernel: Kernel | None = None) -> None:
        self._name = name
        self._ir = ir
        self._kernel = kernel
        self._error: BaseException | None = None
        self._is_taken = False
        self._finished = threading.Event()

    def ready(self, within: float = 0.0) -> bool:
        """Whether `wait` would give, or raise, at once, or within so many seconds."""
        if self._kernel is None and self._error is None and within:
            self._finished.wait(within)
        return self._kernel is not None or self._error is not None

    def wait(self) -> Kernel:
        """The kernel, once it is compiled.

        Raises:
            RuntimeError: the text is no valid module, or nothing can be compiled here.
        """
        if not self.ready():
            self._compile()
            self._finished.wait()
        if self._error is not None:
            raise RuntimeError(str(self._error)) from self._error
        assert self._kernel is not None
        return self._kernel

    def _compile(self) -> None:
        """Compile it, unless another thread does so."""
        if not _compilations.take(self):
            return
        try:
            with _compilations.at_work():
                self._kernel = _compilations.kernel(self._name, self._ir)
        except BaseException as error:
            self._error = error
            # A Ctrl-C is for who is compiling, not for who waits.
            if not isinstance(error, Exception):
                raise
        finally:
            _compilations.finish(self)

    def _start_anew(self) -> None:
        self._is_taken = False
        self._finished = threading.Event()


class _Compilations:
    """What is compiled in this process, and what has been.

    A fork lets no work of LLVM's begin and waits for what has begun, so that the child finds no lock held by a thread that it
    does not have.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Kernel] = OrderedDict()
        self._pending: dict[str, Pending] = {}
        self._generator: CodeGenerator | None = None
        folder = default_folder()
        self._disk = None if folder is None else CodeCache(folder)
        self.start_anew()

    def start_anew(self) -> None:
        self._state = threading.Condition(threading.Lock())
        self._loading = threading.Lock()
        self._running = 0
        self._forks = 0
        self._is_loading = False
        for pending in self._pending.values():
            pending._start_anew()
        # Who waits for one of these compiles it. The next who asks has a thread started, which these no longer have.
        self._pending.clear()

    def ask(self, ir: str) -> tuple[Pending, bool]:
        """The kernel of a text; and whether nobody has asked for it before."""
        name = hashlib.sha256(ir.encode()).hexdigest()
        with self._state:
            kernel = self._kept.get(name)
            if kernel is not None:
                self._kept.move_to_end(name)
                return Pending(name, "", kernel), False
            found = self._pending.get(name)
            if found is not None:
                return found, False
            asked = self._pending[name] = Pending(name, ir)
            return asked, True

    def take(self, pending: Pending) -> bool:
        with self._state:
            is_first, pending._is_taken = not pending._is_taken, True
        return is_first

    def finish(self, pending: Pending) -> None:
        pending._ir = ""
        with self._state:
            self._pending.pop(pending._name, None)
            if pending._kernel is not None:
                self._kept[pending._name] = pending._kernel
                if len(self._kept) > MOST_KERNELS:
                    self._kept.popitem(last=False)
        pending._finished.set()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Whatever LLVM does is done within this."""
        with self._state:
            while self._forks:
                self._state.wait()
            self._running += 1
        try:
            yield
        finally:
            with self._state:
                self._running -= 1
                self._state.notify_all()

    def load_soon(self) -> None:
        if self._generator is None and not self._is_loading:
            self._is_loading = True
            threads.start(self._load_early)

    def _load_early(self) -> None:
        with self.at_work():
            if why_not() is None:
                self._load()

    def kernel(self, name: str, ir: str) -> Kernel:
        reason = why_not()
        if reason is not None:
            raise RuntimeError(reason)
        _unused.clear()
        generator = self._load()
        if self._disk is None:
            return Kernel(*generator.link(generator.object_code(ir)))
        file = self._file(name, generator)
        code = self._disk.get(file)
        if code is None:
            code = generator.object_code(ir)
            self._disk.put(file, code)
        return Kernel(*generator.link(code))

    def is_on_disk(self, name: str) -> bool:
        """Whether the code of a text is likely to be found on disk."""
        if self._disk is None or why_not() is not None:
            return False
        with self.at_work():
            return self._disk.has(self._file(name, self._load()))

    def _file(self, name: str, generator: CodeGenerator) -> str:
        # What the text does not say of its code is in `identity`; a release of ours that compiles otherwise has another.
        return hashlib.sha256(f"{name}\n{generator.identity}".encode()).hexdigest()

    def _load(self) -> CodeGenerator:
        with self._loading:
            if self._generator is None:
                self._generator = CodeGenerator()
            return self._generator

    def before_fork(self) -> None:
        self._state.acquire()
        self._forks += 1
        self._state.wait_for(lambda: self._running == 0, _PATIENCE_AT_FORK_SECONDS)

    def after_fork_in_parent(self) -> None:
        self._forks -= 1
        self._state.notify_all()
        self._state.release()


_compilations = _Compilations()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_compilations.before_fork,
        after_in_parent=_compilations.after_fork_in_parent,
        after_in_child=_compilations.start_anew,
    )


@cache
def why_not() -> str | None:
    """Why nothing can be compiled here, or None."""
    try:
        import llvmlite.binding as llvm
    except (ImportError, OSError) as error:
        return f"LLVM cannot be loaded: {error}"
    try:
        llvm.check_jit_execution()
    except OSError as error:
        return f"the system gives no memory for machine code: {error}"
    return None


def compile_kernel(ir: str) -> Kernel:
    """The machine code of a module.

    Args:
        ir: the text, with one function `i64 @kernel(ptr)`.

    Raises:
        RuntimeError: the text is no valid module, or nothing can be compiled here.
    """
    pending, _ = _compilations.ask(ir)
    return pending.wait()


def load_soon() -> None:
    """Have LLVM loaded on another thread, as something is likely to be compiled."""
    _compilations.load_soon()


def start_kernel(ir: str) -> Pending:
    """Have a module compiled on another thread, beside what this one does meanwhile. Errors come when it is waited for.

    Code that is kept on disk is put into memory at once: that takes less than what would be done meanwhile.
    """
    pending, is_new = _compilations.ask(ir)
    if is_new:
        if _compilations.is_on_disk(pending._name):
            pending._compile()
        else:
            threads.start(pending._compile)
    return pending
