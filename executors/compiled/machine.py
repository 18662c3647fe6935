"""From the text of a kernel in LLVM's intermediate representation to its machine code.

A kernel is a module with the function `i64 @kernel(ptr)`, that names neither a target nor a layout of data: it is compiled for
the processor this runs on. LLVM is loaded by the first kernel.
"""

from __future__ import annotations

import ctypes
import threading
from functools import cache, cached_property
from itertools import count
from typing import Any

_MOST_IN_ENGINE = 1000

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


class _Machine:
    """LLVM, set up for the processor of this process.

    LLVM holds some 9 KB a kernel for as long as its engine lives, so that after many kernels a new engine is taken; the
    old one ends with the last of its kernels.
    """

    def __init__(self) -> None:
        import llvmlite.binding as llvm

        self.llvm = llvm
        llvm.initialize_native_target()
        self.lock = threading.Lock()
        self.names = count()
        self.engine: Any = None

    @cached_property
    def cpu(self) -> str:
        return self.llvm.get_host_cpu_name()

    @cached_property
    def features(self) -> str:
        return self.llvm.get_host_cpu_features().flatten()

    @cached_property
    def target(self) -> Any:
        self.llvm.initialize_native_asmprinter()
        return self.llvm.Target.from_triple(self.llvm.get_process_triple())

    def object_code(self, ir: str) -> bytes:
        """Compile a module to an object file."""
        # A target machine has no lock: each compilation takes its own, and a context of its own.
        machine = self.target.create_target_machine(cpu=self.cpu, features=self.features, opt=2, jit=True)
        head = f'target triple = "{machine.triple}"\ntarget datalayout = "{machine.target_data}"\n'
        module = self.llvm.parse_assembly(head + ir, self.llvm.create_context())
        module.verify()
        options = self.llvm.create_pipeline_tuning_options(speed_level=2)
        builder = self.llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        return machine.emit_object(module)

    def link(self, code: bytes) -> Kernel:
        """Put an object file into memory."""
        library = self.llvm.JITLibraryBuilder().add_object_img(code).add_current_process().export_symbol("kernel")
        with self.lock:
            number = next(self.names)
            if number % _MOST_IN_ENGINE == 0:
                self.engine = self.llvm.create_lljit_compiler()
            linked = library.link(self.engine, f"kernel{number}")
        return Kernel(linked["kernel"], linked)


@cache
def _machine() -> _Machine:
    return _Machine()


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
        RuntimeError: the text is no valid module.
    """
    machine = _machine()
    return machine.link(machine.object_code(ir))
