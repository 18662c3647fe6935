"""The types of staged values: what stands in a register, and how it lies in memory."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """A machine type.

    Args:
        name: as it is written in pseudo-code.
        ir: LLVM's name of it in a register.
        bits: its width in a register.
        sort: `"int"`, `"float"`, `"bool"` or `"pointer"`.
        signed: of integers, whether they have a sign.
    """

    name: str
    ir: str
    bits: int
    sort: str
    signed: bool = True

    @property
    def bytes(self) -> int:
        """Its size in memory; a boolean takes one."""
        return max(self.bits // 8, 1)

    def ir_of(self, lanes: int) -> str:
        """LLVM's name of so many of it in a register."""
        return self.ir if lanes == 1 else f"<{lanes} x {self.ir}>"

    @property
    def memory_ir(self) -> str:
        """LLVM's name of it in memory."""
        return "i8" if self.sort == "bool" else self.ir


BOOL = Kind("bool", "i1", 1, "bool", signed=False)
I8, I16, I32, I64, I128 = (Kind(f"i{n}", f"i{n}", n, "int") for n in (8, 16, 32, 64, 128))
U8, U16, U32, U64, U128 = (Kind(f"u{n}", f"i{n}", n, "int", signed=False) for n in (8, 16, 32, 64, 128))
F32, F64 = Kind("f32", "float", 32, "float"), Kind("f64", "double", 64, "float")
POINTER = Kind("pointer", "ptr", 64, "pointer", signed=False)
