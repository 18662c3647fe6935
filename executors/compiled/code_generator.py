"""LLVM, set up for the processor of this process: modules become object code, object code becomes functions.

Where the time goes, for a kernel of 220 lines: parsing 0.3 ms, the passes chosen here 1.2, generating code 5, linking 0.3.
LLVM's own level 2 takes 9 in place of 1.2 and gives code of the same speed, because staged values are already what most of
its passes look for; what it has ahead is vectors, so it is kept for modules that ask for them.
"""

from __future__ import annotations

import ctypes
import threading
from functools import cached_property
from itertools import count
from typing import Any

_ASKS_FOR_VECTORS = "llvm.loop.vectorize.enable"
_MOST_IN_ENGINE = 200

_LONG = 4_000
"""Of code of more lines less is made: the instructions of a long run of arithmetic need no better order, and finding one takes
half of the time."""

RECIPE = "2"
"""Which way of compiling this is: object code made by another one is not taken from a cache."""


class CodeGenerator:
    """LLVM's compiler and linker. Loading it takes some 25 ms."""

    def __init__(self) -> None:
        import llvmlite.binding as llvm

        self._llvm = llvm
        llvm.initialize_native_target()
        self._lock = threading.Lock()
        self._names = count()
        self._engine: Any = None

    @cached_property
    def identity(self) -> str:
        """What object code depends on, besides the module: the compiler and the processor."""
        import llvmlite

        compiler = (RECIPE, llvmlite.__version__, self._llvm.llvm_version_info)
        return repr((*compiler, self._llvm.get_process_triple(), self._cpu, self._features))

    @cached_property
    def _cpu(self) -> str:
        return self._llvm.get_host_cpu_name()

    @cached_property
    def _features(self) -> str:
        return self._llvm.get_host_cpu_features().flatten()

    @cached_property
    def _target(self) -> Any:
        self._llvm.initialize_native_asmprinter()
        return self._llvm.Target.from_triple(self._llvm.get_process_triple())

    @cached_property
    def _unlocked(self) -> _Unlocked:
        return _Unlocked(self._llvm)

    def object_code(self, ir: str) -> bytes:
        """Compile a module. Several threads may do so at a time.

        Raises:
            RuntimeError: the text is no valid module.
        """
        llvm = self._llvm
        effort = 2 if ir.count("\n") <= _LONG else 1
        # Neither a target machine nor a context may be used by two threads: each compilation has its own. What depends on
        # another is closed before it; left to the garbage collector, a context may go before its module, which crashes.
        with self._target.create_target_machine(
            cpu=self._cpu, features=self._features, opt=effort, jit=True
        ) as machine:
            head = f'target triple = "{machine.triple}"\ntarget datalayout = "{machine.target_data}"\n'
            with llvm.create_context() as context, llvm.parse_assembly(head + ir, context) as module:
                module.verify()
                self._optimise(ir, module, machine)
                return self._unlocked.emit(machine, module)

    def _optimise(self, ir: str, module: Any, machine: Any) -> None:
        llvm = self._llvm
        with (
            llvm.create_pipeline_tuning_options(speed_level=2) as options,
            llvm.create_pass_builder(machine, options) as builder,
            builder.getModulePassManager() if _ASKS_FOR_VECTORS in ir else self._passes(ir) as passes,
        ):
            self._unlocked.run(passes, module, builder)

    def _passes(self, ir: str) -> Any:
        passes = self._llvm.create_new_module_pass_manager()
        if "alwaysinline" in ir:
            passes.add_always_inliner_pass()
            passes.add_global_dead_code_eliminate_pass()
        passes.add_sroa_pass()
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
        return passes

    def link(self, code: bytes) -> tuple[int, object]:
        """Put object code into memory.

        Returns:
            The address of its kernel, and what has to be kept for as long as that may be called.
        """
        library = self._llvm.JITLibraryBuilder().add_object_img(code).add_current_process().export_symbol("kernel")
        with self._lock:
            number = next(self._names)
            # An engine keeps some 9 KB of each kernel that it ever had, so it is left after many; it ends with the last
            # of its kernels.
            if number % _MOST_IN_ENGINE == 0:
                self._engine = self._llvm.create_lljit_compiler(suppress_errors=True)
            linked = library.link(self._engine, f"kernel{number}")
        return linked["kernel"], linked


class _Unlocked:
    """The two calls that take nearly all of the time, without the lock that llvmlite holds around each call into LLVM.

    LLVM itself lets any number of threads compile, each in a context of its own. A release of llvmlite in which these
    functions are declared otherwise than expected is used as it is, one thread at a time.
    """

    def __init__(self, llvm: Any) -> None:
        ffi = llvm.ffi
        self._run = _without_lock(
            ffi,
            "LLVMPY_RunNewModulePassManager",
            ("LLVMModulePassManagerRef", "LLVMModuleRef", "LLVMPassBuilderRef"),
        )
        self._emit = _without_lock(
            ffi, "LLVMPY_TargetMachineEmitToMemory", ("LLVMTargetMachineRef", "LLVMModuleRef", ctypes.c_int, None)
        )
        self._ffi = ffi

    def run(self, passes: Any, module: Any, builder: Any) -> None:
        if self._run is None:
            passes.run(module, builder)
        else:
            self._run(passes, module, builder)

    def emit(self, machine: Any, module: Any) -> bytes:
        if self._emit is None:
            return machine.emit_object(module)
        library = self._ffi.lib
        with self._ffi.OutputString() as error:
            buffer = self._emit(machine, module, 1, error)
            if not buffer:
                raise RuntimeError(str(error))
        try:
            return ctypes.string_at(library.LLVMPY_GetBufferStart(buffer), library.LLVMPY_GetBufferSize(buffer))
        finally:
            library.LLVMPY_DisposeMemoryBuffer(buffer)


def _without_lock(ffi: Any, name: str, expected: tuple[Any, ...]) -> Any:
    try:
        locked = getattr(ffi.lib, name)
        declared = locked.argtypes
        types = [getattr(ffi, kind) if isinstance(kind, str) else kind for kind in expected]
        if len(declared) != len(types) or any(
            kind is not None and found is not kind for found, kind in zip(declared, types, strict=True)
        ):
            return None
        function = getattr(ctypes.CDLL(ffi.lib._name), name)
        function.argtypes, function.restype = declared, locked.restype
    except (AttributeError, TypeError, OSError):
        return None
    return function
