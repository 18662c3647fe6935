"""Staged values: Python that reads like the kernel it writes.

A `Value` is not a number but the register that will hold one; its operators write LLVM's instructions as text. What is known
while staging costs nothing when the kernel runs: `cg.if_(TRUE)` writes no branch, and a column that cannot be null has
`None` for its validity, so that no test of it is written.

Variables live in memory here and in registers after LLVM's first pass (mem2reg), so no phi is ever written. Every load and
store goes through `Pointer`, which in checked mode knows how many elements it may reach and tests that.

This file is long because a `Function` is one class: whatever can be written into one is a method of a few lines.

The approach is that of R. Tahboub, G. Essertel and T. Rompf, "How to architect a query compiler, revisited" (SIGMOD 2018).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from lazyframe.executors.compiled.kinds import BOOL, F32, I64, POINTER, U8, Kind
from lazyframe.executors.compiled.values import Operand, Pointer, RowByRow, Value, Variable
from lazyframe.planner.formatting import format_scalar
from lazyframe.planner.scalars import Scalar

DONE, FAILED, FULL, OUT_OF_BOUNDS, UNSUITED = 0, 1, 2, 3, 4
"""What a kernel gives: all rows are done; a row has no answer; there is no more room; a bug; values it was not made for."""

STATUS_SITE, STATUS_ROW = "status.site", "status.row"
_STATUS_BOUNDS = "status.bounds"

_ANY_LENGTH = (1 << 63) - 1
"""The length of what checked mode knows none of, where one is passed on."""


_MOST_NAMES = 200_000
"""A kernel of more registers takes too long to compile."""


class TooLong(Exception):
    """A kernel that grows out of all proportion: choices within choices have no end of ways through them."""


def is_checked() -> bool:
    """Whether kernels test the bounds of all that they load and store."""
    return os.environ.get("LAZYFRAME_CHECKED", "0") not in ("", "0")


class Note(NamedTuple):
    """A line of pseudo-code, which is written when somebody asks for it: an expression may be long.

    Args:
        depth: how far in it stands.
        text: what it says, with `{}` for the expressions.
        about: the expressions.
    """

    depth: int
    text: str
    about: Sequence[Scalar]

    def __str__(self) -> str:
        shown = self.text.replace("{}", ", ".join(map(format_scalar, self.about))) if self.about else self.text
        return "    " * self.depth + shown


class Module:
    """The text of a kernel: its function, and those that it calls.

    Attributes:
        slots: the names of the places in the frame, in their order.
        checked: whether bounds are tested.
        notes: what the kernel does, one line a step, for people.
        accesses: in checked mode, what is said of a load or a store that is out of bounds, by its number.
        in_place: how many functions that could be called have been written where they are used.
    """

    def __init__(self, checked: bool | None = None) -> None:
        self.slots: dict[str, int] = {}
        self.checked = is_checked() if checked is None else checked
        self.notes: list[Note] = []
        self.accesses: list[str] = []
        self.in_place = 0
        self._declarations: dict[str, None] = {}
        self._functions: dict[str, Function] = {}

    def declare(self, line: str) -> None:
        self._declarations[line] = None

    def kernel(self) -> Function:
        """The function that is called from outside."""
        function = Function(self, "kernel", I64, [POINTER])
        self._functions["kernel"] = function
        return function

    def local(
        self,
        name: str,
        result: Kind | None,
        parameters: Sequence[Kind],
        body: Callable[..., Value | None],
        lanes: int = 1,
    ) -> Function:
        """A function that is written once and called from several places.

        Args:
            name: which, together with the lanes, says what it does.
            result: what it gives, if anything.
            parameters: the kinds of what it is given.
            body: writes it, given the function and a staged value for each parameter; gives the result.
            lanes: of how many rows its parameters and its result are.
        """
        if lanes > 1:
            name = f"{name}.of{lanes}"
        found = self._functions.get(name)
        if found is None:
            found = self._functions[name] = Function(self, name, result, parameters, lanes)
            value = body(found, *found.parameters)
            if not found.ended:
                found.give(value)
        return found

    def slot(self, name: str) -> int:
        return self.slots.setdefault(name, len(self.slots))

    def text(self) -> str:
        """The module as LLVM's assembly language."""
        return "\n".join([*self._declarations, *[f.text() for f in self._functions.values()], "!0 = !{}", ""])


class Branch:
    """An `if` whose other side may follow."""

    __slots__ = ("_after", "_cg", "_known", "_otherwise")

    def __init__(self, cg: Function, otherwise: str, after: str, known: bool | None) -> None:
        self._cg = cg
        self._otherwise = otherwise
        self._after = after
        self._known = known

    @contextmanager
    def otherwise(self, note: str = "") -> Iterator[None]:
        """The other side, which must follow at once."""
        cg = self._cg
        if self._known is not None:
            with cg.silent(self._known):
                yield
            return
        cg.reopen(self._otherwise, self._after)
        with cg.indented("else:" if note else ""), cg.scope():
            yield
        cg.jump(self._after)
        cg.label(self._after)


class Loop:
    """A loop that is being written."""

    __slots__ = ("_after", "_cg", "_next")

    def __init__(self, cg: Function, following: str, after: str) -> None:
        self._cg = cg
        self._next = following
        self._after = after

    def leave(self) -> None:
        """Go on behind the loop."""
        self._cg.jump(self._after)

    def next(self) -> None:
        """Go on with the next turn."""
        self._cg.jump(self._next)


class Function:
    """A function that is being written; `cg` where it is used."""

    def __init__(
        self, module: Module, name: str, result: Kind | None, parameters: Sequence[Kind], lanes: int = 1
    ) -> None:
        self.module = module
        self.name = name
        self.result = result
        self.lanes = lanes
        # In checked mode local functions are also given the frame, to say there what went wrong, and how many bytes are
        # behind each pointer.
        self._passes_bounds = module.checked and name != "kernel"
        self._frame = "%frame" if self._passes_bounds else "%p0"
        self.parameters: list[Value] = [
            self._pointer_parameter(i) if kind is POINTER else Value(self, kind, f"%p{i}", lanes=lanes)
            for i, kind in enumerate(parameters)
        ]
        self.ended = False
        self._entry: list[str] = []
        self._lines: list[str] = []
        self._names = 0
        self._scopes: list[int] = [0]
        self._scope_count = 0
        self._slots: dict[str, Value] = {}
        self._muted = 0
        self._depth = 0

    def lift(self, value: Operand, kind: Kind) -> Value:
        """A constant as a staged value of a kind; staged values are given back."""
        if isinstance(value, Value):
            return value
        if kind.sort == "float":
            number = struct.unpack("<f", struct.pack("<f", value))[0] if kind is F32 else float(value)
            return Value(self, kind, f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}", number)
        if kind is BOOL:
            return self.truth(bool(value))
        if kind is POINTER:
            return self.lift(value, I64).to(POINTER)
        return Value(self, kind, str(int(value)), int(value))

    def truth(self, value: bool) -> Value:
        return Value(self, BOOL, "true" if value else "false", value)

    def both(self, a: Value | None, b: Value | None) -> Value:
        """The conjunction of booleans; None is one that is always true."""
        a, b = a if a is not None else self.truth(True), b if b is not None else self.truth(True)
        for one, other in ((a, b), (b, a)):
            if one.constant is not None:
                return other if one.constant else one
        a, b = self.alike(a, b)
        return self.emit(BOOL, f"and {a.ir} {a.ref}, {b.ref}", a.lanes)

    def both_lazily(self, a: Value, b: Callable[[], Value]) -> Value:
        """The conjunction of booleans, of which the second is computed only where the first is true."""
        result = self.variable(BOOL, False)
        with self.if_(a):
            result.set(b())
        return result.get()

    def either(self, a: Value, b: Value) -> Value:
        for one, other in ((a, b), (b, a)):
            if one.constant is not None:
                return one if one.constant else other
        a, b = self.alike(a, b)
        return self.emit(BOOL, f"or {a.ir} {a.ref}, {b.ref}", a.lanes)

    def choose(self, condition: Value, yes: Value, no: Value) -> Value:
        """One of two values that have both been computed."""
        if condition.constant is not None:
            return yes if condition.constant else no
        assert yes.kind is no.kind, f"a choice of {yes.kind.name} and {no.kind.name}"
        condition, yes, no = self.alike(condition, yes, no)
        ref = self.line_value(f"select {condition.ir} {condition.ref}, {yes.ir} {yes.ref}, {no.ir} {no.ref}")
        if isinstance(yes, Pointer) and isinstance(no, Pointer):
            known = yes.length is not None and no.length is not None
            length = self.choose(condition, yes.length, no.length) if known else None  # type: ignore[arg-type]
            return Pointer(self, ref, yes.element, length, yes.name)
        return Pointer(self, ref, U8) if yes.kind is POINTER else Value(self, yes.kind, ref, lanes=yes.lanes)

    def alike(self, *values: Value) -> list[Value]:
        """Values that are all of as many rows: where one is of several, the others are the same in each of them."""
        lanes = max([value.lanes for value in values])
        return [self._spread(value, lanes) if value.lanes < lanes else value for value in values]

    def _spread(self, value: Value, lanes: int) -> Value:
        if value.kind is POINTER:
            raise RowByRow
        kind, ir = value.kind, value.kind.ir_of(lanes)
        if value.constant is not None:
            return Value(self, kind, f"<{', '.join([f'{kind.ir} {value.ref}'] * lanes)}>", lanes=lanes)
        first = self.line_value(f"insertelement {ir} poison, {kind.ir} {value.ref}, i64 0")
        return self.emit(kind, f"shufflevector {ir} {first}, {ir} poison, <{lanes} x i32> zeroinitializer", lanes)

    def intrinsic(self, name: str, kind: Kind, *arguments: Operand, immediate: Sequence[bool] = ()) -> Value:
        """A function of LLVM's over one kind, such as `llvm.floor`; `immediate` are boolean flags behind its arguments."""
        values = self.alike(*[self.lift(a, kind) for a in arguments])
        ir, lanes = values[0].ir, values[0].lanes
        given = [f"{ir} {a.ref}" for a in values] + [f"i1 {str(f).lower()}" for f in immediate]
        types = ", ".join([ir] * len(arguments) + ["i1"] * len(immediate))
        full = f"{name}.{self.suffix(kind, lanes)}"
        self.module.declare(f"declare {ir} @{full}({types})")
        return self.emit(kind, f"call {ir} @{full}({', '.join(given)})", lanes)

    def suffix(self, kind: Kind, lanes: int = 1) -> str:
        """What LLVM calls a type in the names of its functions."""
        name = {"float": "f32", "double": "f64"}.get(kind.ir, kind.ir)
        return name if lanes == 1 else f"v{lanes}{name}"

    def slot(self, name: str, kind: Kind = I64) -> Value:
        """A number that the caller has put into the frame; read once, when the kernel is entered."""
        found = self._slots.get(name)
        if found is None:
            number = self.module.slot(name)
            if kind.bits == 128:
                self.module.slot(f"{name}.high")
            address = self._new()
            self._entry.append(f"  {address} = getelementptr i64, ptr {self._frame}, i64 {number}")
            ref = self._new()
            if kind is BOOL:
                byte = self._new()
                self._entry.append(f"  {byte} = load i8, ptr {address}")
                self._entry.append(f"  {ref} = icmp ne i8 {byte}, 0")
            else:
                self._entry.append(f"  {ref} = load {kind.ir}, ptr {address}, align 8")
            found = self._slots[name] = Value(self, kind, ref)
        return found

    def pointer(self, name: str, element: Kind) -> Pointer:
        """An address that the caller has put into the frame; in checked mode with the number of elements behind it."""
        address = self.slot(name, POINTER)
        length = self.slot(f"{name}.length") if self.module.checked else None
        return Pointer(self, address.ref, element, length, name)

    def count(self, name: str, step: int = 1) -> None:
        """Add to a number in the frame."""
        address = self.line_value(f"getelementptr i64, ptr %p0, i64 {self.module.slot(name)}")
        self.store(self.load(I64, address) + step, address)

    def put(self, name: str, value: Value) -> None:
        """Write a number into the frame, where the caller finds it."""
        address = self.line_value(f"getelementptr i64, ptr {self._frame}, i64 {self.module.slot(name)}")
        self.store(value, address)

    @contextmanager
    def if_(
        self, condition: Value, note: str = "", about: Sequence[Scalar] = (), *, at_once: bool = False
    ) -> Iterator[Branch]:
        """What happens where a condition is true; `with branch.otherwise():` may follow. For the note see `note`.

        LLVM may test the parts of a conjunction one after the other; not where it is to be decided `at_once`. One branch that is
        seldom taken is foreseen by the processor, several that depend on the row are not.
        """
        if self.ended:
            # What stands behind the end of a kernel is not written, so that no value of it can be used either.
            with self.silent():
                yield Branch(self, "", "", True)
            return
        with self.indented(f"if {note}:" if note else "", about):
            if condition.lanes > 1:
                raise RowByRow
            if condition.constant is not None:
                with self.silent(not condition.constant):
                    yield Branch(self, "", "", bool(condition.constant))
                return
            inside, otherwise, after = self._label("then"), self._label("else"), self._label("after")
            hint = ", !unpredictable !0" if at_once else ""
            self.line(f"br i1 {condition.ref}, label %{inside}, label %{otherwise}{hint}")
            self.label(inside)
            with self.scope():
                yield Branch(self, otherwise, after, None)
            self.jump(after)
            self.label(otherwise)
            self.jump(after)
            self.label(after)

    def reopen(self, otherwise: str, after: str) -> None:
        """Go on in the empty other side of the `if_` that has just been written."""
        if self._muted:
            return
        assert self._lines[-3:] == [f"{otherwise}:", f"  br label %{after}", f"{after}:"], "otherwise() follows at once"
        del self._lines[-2:]

    @contextmanager
    def loop(self, note: str = "") -> Iterator[Loop]:
        """What is repeated until it is left."""
        if self.ended:
            with self.silent():
                yield Loop(self, "", "")
            return
        head, after = self._label("loop"), self._label("after")
        self.jump(head)
        self.label(head)
        with self.indented(f"{note}:" if note else ""), self.scope():
            yield Loop(self, head, after)
        self.jump(head)
        self.label(after)

    @contextmanager
    def for_range(self, start: Operand, stop: Operand, note: str = "", step: int = 1) -> Iterator[Value]:
        """For each number from `start` up to and without `stop` (with a negative step down to and without it)."""
        index = self.variable(I64, start)
        end = self.lift(stop, I64)
        if self.ended:
            with self.silent():
                yield self.lift(0, I64)
            return
        head, body, following, after = (self._label(n) for n in ("for", "body", "next", "after"))
        self.jump(head)
        self.label(head)
        with self.indented(f"for {note}:" if note else ""), self.scope():
            current = index.get()
            inside = current < end if step > 0 else current > end
            self.line(f"br i1 {inside.ref}, label %{body}, label %{after}")
            self.label(body)
            yield current
            self.jump(following)
            self.label(following)
            index.add(step)
            self.jump(head)
        self.label(after)

    def variable(self, kind: Kind, value: Operand) -> Variable:
        ref = self._new()
        self._entry.append(f"  {ref} = alloca {kind.memory_ir}")
        found = Variable(self, kind, ref)
        found.set(value)
        return found

    def words(self, count: int) -> Pointer:
        """Words of 64 bits that are this function's own, and stand in registers where each is used by itself."""
        ref = self._new()
        self._entry.append(f"  {ref} = alloca [{max(count, 1)} x i64], align 16")
        return Pointer(self, ref, I64, self.lift(count, I64) if self.module.checked else None)

    def return_(self, status: int) -> None:
        """End the kernel with a status; a function that is no kernel gives nothing worth having."""
        if self.name == "kernel":
            self.give(self.lift(status, I64))
        else:
            self.give(None)

    def give(self, value: Value | None) -> None:
        """End the function with a value."""
        if self.result is None:
            self.line("ret void")
        elif value is None:
            self.line(f"ret {self.result.ir} {'null' if self.result is POINTER else 'zeroinitializer'}")
        else:
            if value.lanes < self.lanes:
                value = self._spread(value, self.lanes)
            self.line(f"ret {value.ir} {value.ref}")
        self.ended = self.ended or not self._muted

    def fail(self, site: int, row: Value, status: int = FAILED) -> None:
        """End the kernel at a row for which an expression has no answer."""
        self.put(STATUS_SITE, self.lift(site, I64))
        self.put(STATUS_ROW, row)
        self.return_(status)

    def reached_out(self, what: str, index: Value) -> None:
        """End the kernel, or the function and with it the kernel, as something is out of bounds: a bug."""
        near = str(self.module.notes[-1]).strip() if self.module.notes else self.name
        self.module.accesses.append(f"{what}, near: {near}")
        if self._passes_bounds:
            self.put(_STATUS_BOUNDS, self.lift(1, I64))
        self.fail(len(self.module.accesses) - 1, index, OUT_OF_BOUNDS)

    def call(self, function: Function, *arguments: Operand) -> Value:
        """The result of a local function."""
        given = [f"ptr {self._frame}"] if function._passes_bounds else []
        for argument, parameter in zip(arguments, function.parameters, strict=True):
            a = self.lift(argument, parameter.kind)
            if a.lanes < function.lanes:
                a = self._spread(a, function.lanes)
            if a.lanes > function.lanes:
                raise RowByRow
            given.append(f"{a.ir} {a.ref}")
            if function._passes_bounds and a.kind is POINTER:
                given.append(f"i64 {self._bytes_behind(a)}")
        text = ", ".join(given)
        if function.result is None:
            self.line(f"call void @{function.name}({text})")
            self._stop_if_out_of_bounds(function)
            return self.truth(True)
        lanes = function.lanes
        ref = self.line_value(f"call {function.result.ir_of(lanes)} @{function.name}({text})")
        self._stop_if_out_of_bounds(function)
        return Pointer(self, ref, U8) if function.result is POINTER else Value(self, function.result, ref, lanes=lanes)

    def _bytes_behind(self, pointer: Value) -> str:
        if not isinstance(pointer, Pointer) or pointer.length is None:
            return str(_ANY_LENGTH)
        return (pointer.length * pointer.element.bytes).ref

    def _pointer_parameter(self, i: int) -> Pointer:
        length = Value(self, I64, f"%p{i}.length") if self._passes_bounds else None
        return Pointer(self, f"%p{i}", U8, length, f"argument {i} of {self.name}")

    def _stop_if_out_of_bounds(self, function: Function) -> None:
        if not function._passes_bounds:
            return
        place = self.line_value(f"getelementptr i64, ptr {self._frame}, i64 {self.module.slot(_STATUS_BOUNDS)}")
        with self.if_(self.load(I64, place) != 0):
            self.return_(OUT_OF_BOUNDS)

    def local(
        self,
        name: str,
        result: Kind | None,
        parameters: Sequence[Kind],
        body: Callable[..., Value | None],
        *given: Operand,
    ) -> Value:
        """Call a function that is written where it is first called."""
        return self.call(self.module.local(name, result, parameters, body), *given)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is computed in it is known within it and nowhere else."""
        self._scope_count += 1
        self._scopes.append(self._scope_count)
        yield
        self._scopes.pop()

    @property
    def current_scope(self) -> int:
        return self._scopes[-1]

    def is_open(self, scope: int) -> bool:
        """Whether what was computed in a scope is known here."""
        return scope in self._scopes

    def note(self, text: str, about: Sequence[Scalar] = ()) -> None:
        """Say in the pseudo-code what follows; `{}` stands for the expressions that it is about."""
        if not self._muted:
            self.module.notes.append(Note(self._depth, text, about))

    @contextmanager
    def indented(self, head: str, about: Sequence[Scalar] = ()) -> Iterator[None]:
        """What the pseudo-code shows further in, below a line of its own; nothing changes without one."""
        if head:
            self.note(head, about)
        self._depth += bool(head)
        yield
        self._depth -= bool(head)

    @contextmanager
    def silent(self, really: bool = True) -> Iterator[None]:
        """Write nothing: what is staged can never run."""
        self._muted += really
        with self.scope():
            yield
        self._muted -= really

    def emit(self, kind: Kind, instruction: str, lanes: int = 1) -> Value:
        return Value(self, kind, self.line_value(instruction), lanes=lanes)

    def line_value(self, instruction: str) -> str:
        ref = self._new()
        self.line(f"{ref} = {instruction}")
        return ref

    def line(self, text: str) -> None:
        # What stands behind a jump is never reached, and LLVM allows nothing there.
        if not self.ended and not self._muted:
            self._lines.append(f"  {text}")

    def label(self, name: str) -> None:
        if not self._muted:
            self._lines.append(f"{name}:")
            self.ended = False

    def jump(self, label: str) -> None:
        self.line(f"br label %{label}")
        if not self._muted:
            self.ended = True

    def load(self, kind: Kind, address: str, align: int = 8, lanes: int = 1) -> Value:
        # Buffers of others may begin anywhere.
        if lanes > 1 and kind in (BOOL, POINTER):
            raise RowByRow
        stored = kind.memory_ir if lanes == 1 else kind.ir_of(lanes)
        ref = self.line_value(f"load {stored}, ptr {address}, align {min(kind.bytes, align)}")
        if kind is BOOL:
            return self.emit(BOOL, f"icmp ne i8 {ref}, 0")
        return Pointer(self, ref, U8) if kind is POINTER else Value(self, kind, ref, lanes=lanes)

    def store(self, value: Value, address: str, align: int = 8, lanes: int = 1) -> None:
        if value.lanes < lanes:
            value = self._spread(value, lanes)
        if value.lanes != lanes or (lanes > 1 and value.kind is BOOL):
            raise RowByRow
        ref, stored = value.ref, value.kind.memory_ir if lanes == 1 else value.ir
        if value.kind is BOOL:
            ref = self.line_value(f"zext i1 {ref} to i8")
        self.line(f"store {stored} {ref}, ptr {address}, align {min(value.kind.bytes, align)}")

    def text(self) -> str:
        given = ["ptr %frame"] if self._passes_bounds else []
        for p in self.parameters:
            given.append(f"{p.ir} {p.ref}")
            if self._passes_bounds and p.kind is POINTER:
                given.append(f"i64 {p.ref}.length")
        parameters = ", ".join(given)
        result = "void" if self.result is None else self.result.ir_of(self.lanes)
        linkage = "" if self.name == "kernel" else "internal "
        lines = [*self._entry, *self._lines]
        if not self.ended:
            lines.append("  unreachable")
        return "\n".join([f"define {linkage}{result} @{self.name}({parameters}) {{", "entry:", *lines, "}"])

    def _new(self) -> str:
        self._names += 1
        if self._names > _MOST_NAMES:
            raise TooLong
        return f"%v{self._names}"

    def _label(self, name: str) -> str:
        self._names += 1
        return f"{name}{self._names}"
