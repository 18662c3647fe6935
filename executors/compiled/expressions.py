"""Staged expressions: from scalars of the plan to values in registers.

A row knows its columns as functions, so that a value is loaded where it is first used and computed once: what a scope of the
kernel has computed is known in the scopes within it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from lazyframe.executors.compiled.constants import Constants
from lazyframe.executors.compiled.coverage import staged_arguments
from lazyframe.executors.compiled.datum import Datum, Number, Text, is_text, kind_of
from lazyframe.executors.compiled.entries import CodedColumn
from lazyframe.executors.compiled.kinds import BOOL, I64, POINTER, U8
from lazyframe.executors.compiled.stage import FULL, Function
from lazyframe.executors.compiled.values import Pointer, Together, Value, Variable
from lazyframe.executors.vectorized.always import Always
from lazyframe.planner.scalars import (
    PARAMETER,
    Call,
    Case,
    Cast,
    Column,
    Literal,
    Parameter,
    Scalar,
    is_total,
    structure,
)

if TYPE_CHECKING:
    from lazyframe.executors.compiled.functions import Emitter


class Row:
    """The row that a kernel is at.

    Args:
        cg: the kernel.
        columns: of each column, what loads or computes it.
        number: of the row in its batch.
        constants: where literals go.
        sites: collects the expressions that may fail, in the order of their numbers.
        resuming: whether the kernel goes on in the midst of a row, where it had no more room for what the row becomes.

    Attributes:
        numbers: the number of the row of each build side of a join that the row is joined with, -1 where it is none.
    """

    def __init__(
        self,
        cg: Function,
        columns: Mapping[str, Callable[[], Datum]],
        number: Value,
        constants: Constants,
        sites: list[Scalar],
        resuming: Variable | None = None,
    ) -> None:
        self.cg = cg
        self.columns = columns
        self.number = number
        self.constants = constants
        self.sites = sites
        self.resuming = resuming
        self.numbers: dict[str, Value] = {}
        self._places: dict[str, Value] = {}
        self._known: dict[Hashable, tuple[int, Datum]] = {}
        self._needs: Always | None = None

    def with_columns(self, columns: Mapping[str, Callable[[], Datum]]) -> Row:
        """The same row with other columns."""
        row = Row(self.cg, columns, self.number, self.constants, self.sites, self.resuming)
        row.numbers, row._places = self.numbers, self._places
        return row

    def joined(self, columns: Mapping[str, Callable[[], Datum]], numbers: Mapping[str, Value]) -> Row:
        """The same row with other columns, as a pair with rows of build sides."""
        row = self.with_columns(columns)
        row.numbers = {**self.numbers, **numbers}
        return row

    def pausing(self, places: Mapping[str, Value]) -> Row:
        """The same row, which says by what it goes on where the kernel has to stop in the midst of it."""
        row = self.with_columns({name: self._known_reader(name) for name in self.columns})
        row._places = {**self._places, **places}
        return row

    def pause(self) -> None:
        """End the kernel here for want of room. Called again with `Frame.go_on`, it goes on with what is emitted now."""
        self.cg.put("row", self.number)
        for name, value in self._places.items():
            self.cg.put(name, value)
        self.cg.return_(FULL)

    def column(self, name: str) -> Datum:
        """A column, which is loaded or computed once."""
        known = self._known.get(name)
        if known is not None and self.cg.is_open(known[0]):
            return known[1]
        found = self.columns[name]()
        self._known[name] = self.cg.current_scope, found
        return found

    def project(self, exprs: tuple[tuple[str, Scalar], ...] | list[tuple[str, Scalar]]) -> Row:
        """The row of a projection; each expression is computed where it is first used."""
        return self.with_columns({name: self._reader(scalar) for name, scalar in exprs})

    def _reader(self, scalar: Scalar) -> Callable[[], Datum]:
        if isinstance(scalar, Column):
            return self._known_reader(scalar.name)
        return lambda: self.value(scalar)

    def _known_reader(self, name: str) -> Callable[[], Datum]:
        """What reads a column by way of this row, which loads it once."""

        def read() -> Datum:
            return self.column(name)

        column = self.columns[name]
        return column.read_by(read) if isinstance(column, CodedColumn) else read

    def value(self, scalar: Scalar) -> Datum:
        """The value of an expression in this row."""
        found = self._known_value(scalar)
        waiting = [scalar] if found is None else []
        # Arguments first, without recursion: a sum of many terms is as deep as it is long.
        while waiting:
            node = waiting[-1]
            found = self._known_value(node) or self._looked_up(node)
            if found is None:
                missing = [child for child in _arguments_first(node) if self._known_value(child) is None]
                if missing:
                    waiting += reversed(missing)
                    continue
                found = self._stage(node)
            self._known[structure(node)] = self.cg.current_scope, found
            waiting.pop()
        assert found is not None
        return found

    def know(self, scalar: Scalar, datum: Datum) -> None:
        """Take the value of an expression as given."""
        self._known[structure(scalar)] = self.cg.current_scope, datum

    def _known_value(self, scalar: Scalar) -> Datum | None:
        known = self._known.get(structure(scalar))
        return known[1] if known is not None and self.cg.is_open(known[0]) else None

    def _looked_up(self, scalar: Scalar) -> Datum | None:
        """The value of an expression over a dictionary, by the code; None where it is computed in each row."""
        if scalar.holds & PARAMETER or isinstance(scalar, Column | Literal) or len(scalar.columns) != 1:
            return None
        (name,) = scalar.columns
        column = self.columns.get(name)
        if not isinstance(column, CodedColumn) or not is_total(scalar) or _is_test_of_null(scalar):
            return None
        text = self.column(name)
        assert isinstance(text, Text)
        return self.constants.table(scalar, column.column).stage(self.cg, text)

    def truth(self, scalar: Scalar) -> Value:
        """Whether a condition is true; null counts as false."""
        datum = self.value(scalar)
        assert isinstance(datum, Number)
        return self.cg.both(datum.valid, datum.value)

    def fail_if(self, condition: Value, scalar: Scalar, valid: Value | None) -> None:
        """End the kernel where an expression that has arguments has no answer."""
        cg, number = self.cg, self.number
        fails = cg.both(valid, condition)
        if fails.constant is False:
            return
        with cg.if_(fails.any()):
            self.sites.append(scalar)
            cg.fail(len(self.sites) - 1, number.start + fails.first() if isinstance(number, Together) else number)

    def _stage(self, scalar: Scalar) -> Datum:
        match scalar:
            case Column(name=name):
                return self.column(name)
            case Literal():
                return self.constants.literal(self.cg, scalar)
            case Parameter():
                return self.constants.parameter(self.cg, scalar)
            case Case():
                return self._case(scalar, 0)
            case Call(function="and" | "or"):
                return self._logic(scalar)
            case Call(function="coalesce"):
                return self._coalesce(scalar, 0)
            case Call() | Cast():
                from lazyframe.executors.compiled.functions import emitter_of

                emitter = emitter_of(scalar)
                assert emitter is not None
                return self._apply(emitter, scalar)
        raise AssertionError(f"{type(scalar).__name__} is not staged")

    def _apply(self, emitter: Emitter, scalar: Call | Cast) -> Datum:
        arguments = [self.value(child) for child in staged_arguments(scalar, emitter)]
        return emitter.emit(Application(self, scalar, arguments))

    def _logic(self, call: Call) -> Number:
        """AND and OR: the right side is computed only where the left one leaves it open, if it may fail."""
        cg, (left, right) = self.cg, call.args
        decided = call.function == "or"
        a = self._number(left)
        if is_total(right):
            return _connected(cg, call, a, self._number(right), decided=decided)
        value, valid = cg.variable(BOOL, decided), cg.variable(BOOL, True)
        # The left side decides where it is known and what decides.
        settled = cg.both(a.valid, a.value if decided else ~a.value)
        with cg.if_(~settled):
            both = _connected(cg, call, a, self._number(right), decided=decided)
            value.set(both.value)
            valid.set(True if both.valid is None else both.valid)
        return Number(call.dtype, value.get(), valid.get() if call.nullable else None)

    def _number(self, scalar: Scalar) -> Number:
        found = self.value(scalar)
        assert isinstance(found, Number)
        return found

    def _case(self, case: Case, number: int) -> Datum:
        if number == len(case.conditions):
            return self.value(case.otherwise)
        condition = self.truth(case.conditions[number])
        if number == 0 and not is_total(case):
            for part in self._needed_by_all(case):
                self.value(part)
        return self._either(
            condition, case, lambda: self.value(case.values[number]), lambda: self._case(case, number + 1)
        )

    def _needed_by_all(self, case: Case) -> list[Scalar]:
        """What all branches need, which would be written in each of them."""
        if self._needs is None or not self._needs.knows(case):
            self._needs = Always([case], structure)
        return self._needs.shared(case)

    def _coalesce(self, call: Call, number: int) -> Datum:
        first = self.value(call.args[number])
        if first.valid is None or number == len(call.args) - 1:
            return first
        return self._either(first.valid, call, lambda: first, lambda: self._coalesce(call, number + 1))

    def _either(self, condition: Value, scalar: Scalar, yes: Callable[[], Datum], no: Callable[[], Datum]) -> Datum:
        """One of two values, of which only the one that is taken is computed, unless neither can fail."""
        cg, dtype = self.cg, scalar.dtype
        if is_total(scalar) and not is_text(dtype):
            a, b = yes(), no()
            assert isinstance(a, Number)
            assert isinstance(b, Number)
            valid = None
            if a.valid is not None or b.valid is not None:
                valid = cg.choose(condition, _flag(cg, a.valid), _flag(cg, b.valid))
            return Number(dtype, cg.choose(condition, a.value, b.value), valid)
        slots = Slots(cg, dtype)
        with cg.if_(condition) as branch:
            slots.set(yes())
        with branch.otherwise():
            slots.set(no())
        return slots.get()


class Slots:
    """A variable for a value of any type."""

    def __init__(self, cg: Function, dtype: object) -> None:
        self._cg = cg
        self._dtype = dtype
        self._valid = cg.variable(BOOL, True)
        self._null_seen = False
        if is_text(dtype):
            self._value = cg.variable(POINTER, cg.lift(0, I64).to(POINTER))
            self._length = cg.variable(I64, 0)
        else:
            kind = kind_of(dtype)
            assert kind is not None
            self._value = cg.variable(kind, 0)

    def set(self, datum: Datum) -> None:
        self._valid.set(_flag(self._cg, datum.valid))
        self._null_seen |= datum.valid is not None
        if isinstance(datum, Text):
            self._value.set(datum.address)
            self._length.set(datum.length)
        else:
            self._value.set(datum.value)

    def get(self) -> Datum:
        valid = self._valid.get() if self._null_seen else None
        value = self._value.get()
        if is_text(self._dtype):
            length = self._length.get()
            return Text(self._dtype, Pointer(self._cg, value.ref, U8, length), length, valid)
        return Number(self._dtype, value, valid)


class Application:
    """A function applied to its arguments, as an emitter sees it.

    Attributes:
        row: the row.
        cg: the kernel.
        scalar: the call or cast.
        arguments: the staged arguments, without those that the emitter takes as constants.
        valid: whether no argument is null; None where none can be.
    """

    __slots__ = ("arguments", "cg", "row", "scalar", "valid")

    def __init__(self, row: Row, scalar: Scalar, arguments: list[Datum]) -> None:
        self.row = row
        self.cg = row.cg
        self.scalar = scalar
        self.arguments = arguments
        self.valid: Value | None = None
        for argument in arguments:
            if argument.valid is not None:
                self.valid = row.cg.both(self.valid, argument.valid)

    @property
    def values(self) -> list[Value]:
        """The arguments, where all are numbers."""
        return [argument.value for argument in self.arguments]  # type: ignore[union-attr]

    @property
    def numbers(self) -> list[Number]:
        return [argument for argument in self.arguments if isinstance(argument, Number)]

    @property
    def texts(self) -> list[Text]:
        return [argument for argument in self.arguments if isinstance(argument, Text)]

    @property
    def call(self) -> Call:
        assert isinstance(self.scalar, Call)
        return self.scalar

    def fail_if(self, condition: Value) -> None:
        """End the kernel where the function has no answer for its arguments."""
        self.row.fail_if(condition, self.scalar, self.valid)

    def number(self, value: Value) -> Number:
        """The result, which is null where an argument is."""
        return Number(self.scalar.dtype, value, self.valid)


def _is_test_of_null(scalar: Scalar) -> bool:
    return isinstance(scalar, Call) and scalar.function in ("is_null", "is_not_null")


def _flag(cg: Function, valid: Value | None) -> Value:
    return cg.truth(True) if valid is None else valid


def _connected(cg: Function, call: Call, a: Number, b: Number, *, decided: bool) -> Number:
    """AND (which false decides) or OR (which true decides) of two values that may be unknown."""
    value = cg.either(a.value, b.value) if decided else cg.both(a.value, b.value)
    if a.valid is None and b.valid is None:
        return Number(call.dtype, value)
    known_a, known_b = _flag(cg, a.valid), _flag(cg, b.valid)
    settles_a = cg.both(known_a, a.value if decided else ~a.value)
    settles_b = cg.both(known_b, b.value if decided else ~b.value)
    settled = cg.either(settles_a, settles_b)
    valid = cg.either(cg.both(known_a, known_b), settled)
    # Where one side settles it, the other may hold anything.
    value = cg.choose(settled, cg.truth(decided), value)
    return Number(call.dtype, value, valid)


def _arguments_first(scalar: Scalar) -> Sequence[Scalar]:
    """What is computed before an expression in any case."""
    from lazyframe.executors.compiled.functions import emitter_of

    if not isinstance(scalar, (Call, Cast)):
        return ()
    emitter = emitter_of(scalar)
    return () if emitter is None else staged_arguments(scalar, emitter)
