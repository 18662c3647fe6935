"""Staged values: what a register will hold, what lies at an address, and places for what changes.

Their operators write LLVM's instructions as text into the function they belong to. A value may be that of one row, or those of
`LANES` rows that follow each other: what is computed from such is computed for all of them by the same instructions, and the
code that stages it is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lazyframe.executors.compiled.kinds import BOOL, I64, POINTER, U8, Kind
from lazyframe.executors.vectorized.aggregates.groups import LANES

if TYPE_CHECKING:
    from lazyframe.executors.compiled.stage import Function


class RowByRow(Exception):
    """Something that cannot be staged for several rows at once, such as a branch."""


class Value:
    """What a register holds; or a constant, in `constant`.

    Attributes:
        lanes: of how many rows it is.
    """

    __slots__ = ("cg", "constant", "kind", "lanes", "ref")

    def __init__(
        self, cg: Function, kind: Kind, ref: str, constant: int | float | bool | None = None, lanes: int = 1
    ) -> None:
        self.cg = cg
        self.kind = kind
        self.ref = ref
        self.constant = constant
        self.lanes = lanes

    @property
    def ir(self) -> str:
        """LLVM's name of its type."""
        return self.kind.ir_of(self.lanes)

    def __bool__(self) -> bool:
        raise TypeError("a staged value has no truth while staging: use cg.if_()")

    def __hash__(self) -> int:
        return id(self)

    # Arithmetic wraps; see `with_overflow` for the other kind.
    def __add__(self, other: Operand) -> Value:
        return self._binary("add", "fadd", other, lambda a, b: a + b)

    def __radd__(self, other: Operand) -> Value:
        return self.cg.lift(other, self.kind) + self

    def __sub__(self, other: Operand) -> Value:
        return self._binary("sub", "fsub", other, lambda a, b: a - b)

    def __rsub__(self, other: Operand) -> Value:
        return self.cg.lift(other, self.kind) - self

    def __mul__(self, other: Operand) -> Value:
        return self._binary("mul", "fmul", other, lambda a, b: a * b)

    def __rmul__(self, other: Operand) -> Value:
        return self.cg.lift(other, self.kind) * self

    def __neg__(self) -> Value:
        if self.kind.sort == "float":
            return self.cg.emit(self.kind, f"fneg {self.ir} {self.ref}", self.lanes)
        return self.cg.lift(0, self.kind) - self

    def quotient(self, other: Operand) -> Value:
        """IEEE division of floats; of integers toward zero, whose divisor must not be 0 (nor -1 of the least)."""
        if self.kind.bits == 128:
            from lazyframe.executors.compiled import wide

            return wide.quotient(self, self.cg.lift(other, self.kind))
        return self._binary("sdiv" if self.kind.signed else "udiv", "fdiv", other)

    def remainder(self, other: Operand) -> Value:
        """What `quotient` leaves, with the sign of the dividend."""
        if self.kind.bits == 128:
            from lazyframe.executors.compiled import wide

            return wide.remainder(self, self.cg.lift(other, self.kind))
        return self._binary("srem" if self.kind.signed else "urem", "frem", other)

    def __and__(self, other: Operand) -> Value:
        if self.kind is BOOL:
            return self.cg.both(self, self.cg.lift(other, BOOL))
        return self._binary("and", None, other, lambda a, b: int(a) & int(b))

    __rand__ = __and__

    def __or__(self, other: Operand) -> Value:
        if self.kind is BOOL:
            return self.cg.either(self, self.cg.lift(other, BOOL))
        return self._binary("or", None, other, lambda a, b: int(a) | int(b))

    __ror__ = __or__

    def __xor__(self, other: Operand) -> Value:
        return self._binary("xor", None, other)

    def __invert__(self) -> Value:
        if self.kind is BOOL and self.constant is not None:
            return self.cg.truth(not self.constant)
        return self._binary("xor", None, True if self.kind is BOOL else -1)

    def __lshift__(self, other: Operand) -> Value:
        return self._binary("shl", None, other)

    def __rshift__(self, other: Operand) -> Value:
        """Arithmetic where the kind has a sign, else logical."""
        return self._binary("ashr" if self.kind.signed else "lshr", None, other)

    def shifted_right(self, other: Operand) -> Value:
        """Logical, whatever the kind."""
        return self._binary("lshr", None, other)

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return self._compare("eq", "oeq", other)

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return self._compare("ne", "une", other)

    def __lt__(self, other: Operand) -> Value:
        return self._compare("lt", "olt", other)

    def __le__(self, other: Operand) -> Value:
        return self._compare("le", "ole", other)

    def __gt__(self, other: Operand) -> Value:
        return self._compare("gt", "ogt", other)

    def __ge__(self, other: Operand) -> Value:
        return self._compare("ge", "oge", other)

    def is_nan(self) -> Value:
        """Of floats, whether it is no number."""
        return self.cg.emit(BOOL, f"fcmp uno {self.ir} {self.ref}, {self.ref}", self.lanes)

    def flags(self) -> Value:
        """The bits of a number, as booleans of so many rows."""
        return self.cg.emit(BOOL, f"bitcast {self.ir} {self.ref} to {BOOL.ir_of(self.kind.bits)}", self.kind.bits)

    def count(self) -> Value:
        """Of booleans, how many are true."""
        if self.lanes == 1:
            return self.to(I64)
        return self.cg.intrinsic("llvm.ctpop", U8, self._bits()).to(I64)

    def any(self) -> Value:
        """Of booleans, whether one is true."""
        return self if self.lanes == 1 else self._bits() != 0

    def first(self) -> Value:
        """Of booleans of which one is true, the number of the first that is."""
        if self.lanes == 1:
            return self.cg.lift(0, I64)
        return self.cg.intrinsic("llvm.cttz", U8, self._bits(), immediate=[True]).to(I64)

    def _bits(self) -> Value:
        """Booleans of several rows as a number."""
        assert self.kind is BOOL
        assert self.lanes == U8.bits
        return self.cg.emit(U8, f"bitcast {self.ir} {self.ref} to i8")

    def with_overflow(self, operation: str, other: Operand) -> tuple[Value, Value]:
        """`"add"`, `"sub"` or `"mul"` of integers, and whether the result does not fit in the kind."""
        cg = self.cg
        sign = "s" if self.kind.signed else "u"
        a, b = cg.alike(self, cg.lift(other, self.kind))
        ir, lanes = a.ir, a.lanes
        name = f"llvm.{sign}{operation}.with.overflow.{cg.suffix(self.kind, lanes)}"
        both = f"{{{ir}, {BOOL.ir_of(lanes)}}}"
        cg.module.declare(f"declare {both} @{name}({ir}, {ir})")
        pair = cg.line_value(f"call {both} @{name}({ir} {a.ref}, {ir} {b.ref})")
        value = cg.emit(self.kind, f"extractvalue {both} {pair}, 0", lanes)
        return value, cg.emit(BOOL, f"extractvalue {both} {pair}, 1", lanes)

    def to(self, kind: Kind) -> Value:
        """As another kind: cut, extended or converted. Floats out of an integer's range give anything: test before."""
        cg, mine = self.cg, self.kind
        if mine is kind:
            return self
        if self.constant is not None and mine.sort != "float" and kind.sort in ("int", "bool"):
            return cg.lift(bool(int(self.constant) & 1) if kind is BOOL else self.constant, kind)
        lanes, ir, target = self.lanes, self.ir, kind.ir_of(self.lanes)
        if mine.sort == kind.sort == "float":
            return cg.emit(
                kind, f"{'fpext' if kind.bits > mine.bits else 'fptrunc'} {ir} {self.ref} to {target}", lanes
            )
        if lanes > 1 and (128 in (mine.bits, kind.bits) or "pointer" in (mine.sort, kind.sort)):
            raise RowByRow
        if 128 in (mine.bits, kind.bits) and "float" in (mine.sort, kind.sort):
            from lazyframe.executors.compiled import wide

            return wide.from_float(self, kind) if mine.sort == "float" else wide.to_float(self, kind)
        if mine.sort == "float":
            return cg.emit(kind, f"{'fptosi' if kind.signed else 'fptoui'} {ir} {self.ref} to {target}", lanes)
        if kind.sort == "float":
            return cg.emit(kind, f"{'sitofp' if mine.signed else 'uitofp'} {ir} {self.ref} to {target}", lanes)
        if kind.sort == "pointer":
            return Pointer(cg, cg.emit(POINTER, f"inttoptr {ir} {self.ref} to ptr").ref, U8)
        if mine.sort == "pointer":
            return cg.emit(kind, f"ptrtoint ptr {self.ref} to {kind.ir}")
        if mine.bits == kind.bits:
            return Value(cg, kind, self.ref, self.constant, lanes)
        how = "trunc" if kind.bits < mine.bits else "sext" if mine.signed else "zext"
        return cg.emit(kind, f"{how} {ir} {self.ref} to {target}", lanes)

    def bits_as(self, kind: Kind) -> Value:
        """The same bits as a kind of the same width."""
        if self.kind.ir == kind.ir:
            return Value(self.cg, kind, self.ref, self.constant, self.lanes)
        return self.cg.emit(kind, f"bitcast {self.ir} {self.ref} to {kind.ir_of(self.lanes)}", self.lanes)

    def _binary(
        self, integer: str, floating: str | None, other: Operand, fold: Callable[[float, float], float] | None = None
    ) -> Value:
        b = self.cg.lift(other, self.kind)
        assert b.kind is self.kind, f"{integer} of {self.kind.name} and {b.kind.name}"
        if self.kind.sort == "float":
            assert floating is not None
            x, y = self.cg.alike(self, b)
            return self.cg.emit(self.kind, f"{floating} {x.ir} {x.ref}, {y.ref}", x.lanes)
        if fold is not None and self.constant is not None and b.constant is not None:
            found = fold(self.constant, b.constant)
            if -(1 << (self.kind.bits - 1)) <= found < 1 << (self.kind.bits - 1):
                return self.cg.lift(found, self.kind)
        if b.constant == 0 and integer in ("add", "sub", "or", "shl", "ashr", "lshr"):
            return self
        if b.constant == 1 and integer in ("mul", "sdiv", "udiv"):
            return self
        x, y = self.cg.alike(self, b)
        return self.cg.emit(self.kind, f"{integer} {x.ir} {x.ref}, {y.ref}", x.lanes)

    def _compare(self, integer: str, floating: str, other: object) -> Value:
        b = self.cg.lift(other, self.kind)  # type: ignore[arg-type]
        assert b.kind is self.kind, f"comparison of {self.kind.name} and {b.kind.name}"
        prefix = "" if integer in ("eq", "ne") else "s" if self.kind.signed else "u"
        test = f"fcmp {floating}" if self.kind.sort == "float" else f"icmp {prefix}{integer}"
        x, y = self.cg.alike(self, b)
        return self.cg.emit(BOOL, f"{test} {x.ir} {x.ref}, {y.ref}", x.lanes)


Operand = Value | int | float | bool


class Together(Value):
    """The numbers of `LANES` rows that follow each other, of which `start` is the first: an index for as many elements."""

    __slots__ = ("start",)

    def __init__(self, cg: Function, start: Operand) -> None:
        self.start = cg.lift(start, I64)
        super().__init__(cg, I64, self.start.ref, lanes=LANES)

    def within(self) -> Value:
        """The numbers counted anew after each `LANES`; the first is a multiple of it."""
        return Together(self.cg, 0)

    def __add__(self, other: Operand) -> Value:
        raise RowByRow

    def __mul__(self, other: Operand) -> Value:
        raise RowByRow

    def to(self, kind: Kind) -> Value:
        raise RowByRow

    def _binary(self, *given: object) -> Value:
        raise RowByRow

    def _compare(self, *given: object) -> Value:
        raise RowByRow


class Pointer(Value):
    """An address of elements of one kind.

    Args:
        length: how many there are, where checked mode knows.
        name: what checked mode calls it.
    """

    __slots__ = ("element", "length", "name")

    def __init__(self, cg: Function, ref: str, element: Kind, length: Value | None = None, name: str = "") -> None:
        super().__init__(cg, POINTER, ref)
        self.element = element
        self.length = length
        self.name = name

    def at(self, index: Operand) -> Pointer:
        """The address of an element, as a pointer of its own."""
        i = self.cg.lift(index, I64)
        if i.lanes > 1:
            raise RowByRow
        rest = None
        if self.length is not None:
            # Nothing may be read of what begins before the first element.
            rest = self.cg.choose(i >= 0, self.length - i, self.cg.lift(-1, I64))
        return Pointer(self.cg, self._address(i), self.element, rest, self.name)

    def of(self, element: Kind, length: Value | None = None) -> Pointer:
        """The same address, of elements of another kind."""
        if length is None and self.length is not None and element.bytes != self.element.bytes:
            length = (self.length * self.element.bytes).quotient(element.bytes)
        return Pointer(self.cg, self.ref, element, self.length if length is None else length, self.name)

    def __getitem__(self, index: Operand) -> Value:
        start, lanes = self._reached(index)
        return self.cg.load(self.element, self._address(start), align=1, lanes=lanes)

    def __setitem__(self, index: Operand, value: Operand) -> None:
        start, lanes = self._reached(index)
        self.cg.store(self.cg.lift(value, self.element), self._address(start), align=1, lanes=lanes)

    def _reached(self, index: Operand) -> tuple[Value, int]:
        """The first element that an index reaches, and how many it does."""
        if isinstance(index, Together):
            self._check(index.start)
            self._check(index.start + (index.lanes - 1))
            return index.start, index.lanes
        i = self.cg.lift(index, I64)
        if i.lanes > 1:
            raise RowByRow
        self._check(i)
        return i, 1

    def unaligned(self, offset: Operand, kind: Kind) -> Value:
        """What stands so many bytes behind a pointer to bytes, wherever that is."""
        return self.cg.load(kind, self._bytes_at(offset, kind), align=1)

    def set_unaligned(self, offset: Operand, value: Value) -> None:
        self.cg.store(value, self._bytes_at(offset, value.kind), align=1)

    def copy(self, source: Pointer, count: Value) -> None:
        """Copy so many bytes, which do not overlap, to a pointer to bytes."""
        for pointer in (self, source):
            assert pointer.element.bytes == 1
            if pointer.length is not None:
                pointer._stop_unless((count >= 0) & (count <= pointer.length), count)
        self.cg.module.declare("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        self.cg.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {self.ref}, ptr {source.ref}, i64 {count.ref}, i1 false)")

    def fill(self, byte: int, count: Value) -> None:
        """Set so many bytes behind a pointer to bytes."""
        assert self.element.bytes == 1
        if self.length is not None:
            self._stop_unless((count >= 0) & (count <= self.length), count)
        self.cg.module.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        self.cg.line(f"call void @llvm.memset.p0.i64(ptr {self.ref}, i8 {byte}, i64 {count.ref}, i1 false)")

    def _bytes_at(self, offset: Operand, kind: Kind) -> str:
        assert self.element.bytes == 1
        i = self.cg.lift(offset, I64)
        if i.lanes > 1:
            raise RowByRow
        if self.length is not None:
            self._stop_unless((i >= 0) & (i <= self.length - kind.bytes), i)
        return self._address(i)

    def _check(self, index: Value) -> None:
        if self.length is not None:
            # Both are signed: what lies behind the end has a negative length.
            self._stop_unless((index >= 0) & (index < self.length), index)

    def _stop_unless(self, within: Value, index: Value) -> None:
        with self.cg.if_(~within):
            self.cg.reached_out(f"{self.name or 'a pointer'} to {self.element.name}", index)

    def _address(self, index: Value) -> str:
        if index.constant == 0:
            return self.ref
        return self.cg.line_value(f"getelementptr {self.element.memory_ir}, ptr {self.ref}, i64 {index.ref}")


class Variable:
    """A place for a value that changes while the kernel runs."""

    __slots__ = ("_cg", "_ref", "kind")

    def __init__(self, cg: Function, kind: Kind, ref: str) -> None:
        self._cg = cg
        self._ref = ref
        self.kind = kind

    def get(self) -> Value:
        return self._cg.load(self.kind, self._ref)

    def set(self, value: Operand) -> None:
        self._cg.store(self._cg.lift(value, self.kind), self._ref)

    def add(self, step: Operand) -> None:
        self.set(self.get() + step)
