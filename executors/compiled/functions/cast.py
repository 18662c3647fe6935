"""Casts between numbers, booleans, dates, times and timestamps. What does not fit is an error, or null where lenient.

Texts and time zones are left to the vectorized kernels.
"""

from __future__ import annotations

from lazyframe.executors.compiled.calendar import floor_quotient
from lazyframe.executors.compiled.datum import Datum, Number, kind_of
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.functions.emitter import Emitter
from lazyframe.executors.compiled.functions.exact import (
    digits_of,
    has_more_digits,
    kind_for,
    nearest_float,
    scaled_up,
    without_places,
)
from lazyframe.executors.compiled.functions.maths import scaled_half_away
from lazyframe.executors.compiled.kinds import F64, I32, I64, I128, U8, Kind
from lazyframe.executors.compiled.values import Value
from lazyframe.planner.scalars import Cast
from lazyframe.planner.types import (
    DATE,
    TICKS_PER_SECOND,
    DataType,
    integer_bounds,
    is_bool,
    is_date,
    is_decimal,
    is_float,
    is_integer,
    is_numeric,
    is_temporal,
    is_time,
    is_timestamp,
)

_GREATEST_POWER = 22
_DAY_SECONDS = 86_400


def _accepts(cast: Cast) -> bool:
    source, target = cast.arg.dtype, cast.to
    if source == target:
        return True
    if is_decimal(target) and is_float(source):
        # The exact value of a float has few digits more than 18 that anybody wants.
        return target.precision <= 18 and target.scale <= _GREATEST_POWER
    if (is_numeric(source) or is_bool(source)) and (is_numeric(target) or is_bool(target)):
        return True
    if any(is_timestamp(t) and t.tz is not None for t in (source, target)):
        return False
    if is_temporal(source) and is_temporal(target):
        return True
    return (is_integer(source) and is_temporal(target)) or (is_temporal(source) and is_integer(target))


class _Conversion:
    """A cast that is being staged: values are refused, or null, as it says."""

    def __init__(self, application: Application) -> None:
        cast = application.scalar
        assert isinstance(cast, Cast)
        self.application = application
        self.cg = application.cg
        self.cast = cast
        (self.number,) = application.numbers
        self.source: DataType = self.number.dtype
        self.target: DataType = cast.to
        self._good: Value | None = None

    def refuse(self, bad: Value) -> None:
        """Values that have none in the type."""
        if self.cast.lenient:
            self._good = self.cg.both(self._good, ~bad)
        else:
            self.application.fail_if(bad)

    def result(self, value: Value) -> Number:
        """A value of the type, unless it was refused."""
        valid = self.application.valid
        if self._good is not None:
            valid = self.cg.both(valid, self._good)
        return Number(self.target, value, valid)

    @property
    def kind(self) -> Kind:
        kind = kind_of(self.target)
        assert kind is not None
        return kind

    # Numbers.

    def of_integer(self, value: Value) -> Number:
        """Of an integer or a boolean."""
        target = self.target
        if is_bool(target):
            return self.result(value != 0)
        if is_float(target):
            return self.result(value.to(self.kind))
        if is_decimal(target):
            return self._decimal_of_integer(value)
        self.refuse_outside(value, *integer_bounds(target))
        return self.result(value.to(self.kind))

    def refuse_outside(self, value: Value, least: int, greatest: int) -> None:
        """Integers beyond bounds."""
        kind = value.kind
        low, high = (-(1 << kind.bits - 1), (1 << kind.bits - 1) - 1) if kind.signed else (0, (1 << kind.bits) - 1)
        if least > low:
            self.refuse(value < least)
        if greatest < high:
            self.refuse(value > greatest)

    def _decimal_of_integer(self, value: Value) -> Number:
        target, digits = self.target, digits_of(self.source)
        kind = I64 if self.kind is I64 and digits <= 19 and value.kind.signed else I128
        wide = value.to(kind)
        if digits + target.scale > target.precision:
            self.refuse(has_more_digits(self.cg, wide, target.precision - target.scale))
        return self.result((wide * 10**target.scale).to(self.kind))

    def of_float(self, value: Value) -> Number:
        target = self.target
        if is_bool(target):
            return self.result(value != 0.0)
        if is_float(target):
            return self.result(value.to(self.kind))
        wide = value.to(F64)
        if is_decimal(target):
            return self._decimal_of_float(wide)
        name = "llvm.rint" if self.cast.rounding == "half_even" else "llvm.trunc"
        whole = self.cg.intrinsic(name, F64, wide)
        least, greatest = integer_bounds(target)
        # One more than the greatest is a power of two, which a float can be; NaN is within no bounds.
        good = self.cg.both(whole >= float(least), whole < float(greatest + 1))
        self.refuse(~good)
        return self.result(self.cg.choose(good, whole, self.cg.lift(0.0, F64)).to(self.kind))

    def _decimal_of_float(self, value: Value) -> Number:
        cg, target = self.cg, self.target
        good = cg.intrinsic("llvm.fabs", F64, value) < 10.0 ** (target.precision - target.scale)
        self.refuse(~good)
        whole, doubtful = scaled_half_away(cg, cg.choose(good, value, cg.lift(0.0, F64)), target.scale)
        self.application.fail_if(doubtful)
        unscaled = whole.to(I64)
        self.refuse(has_more_digits(cg, unscaled, target.precision))
        return self.result(unscaled)

    def of_decimal(self) -> Number:
        cg, number, target, scale = self.cg, self.number, self.target, self.source.scale
        value = number.value
        if is_bool(target):
            return self.result(value != 0)
        if is_float(target):
            return self.result(nearest_float(self.application, number).to(self.kind))
        if is_decimal(target):
            return self._decimal_of_decimal()
        if self.cast.rounding == "half_even":
            whole = without_places(cg, value, scale)
        else:
            whole = value.quotient(10**scale) if scale else value
        self.refuse_outside(whole, *integer_bounds(target))
        return self.result(whole.to(self.kind))

    def _decimal_of_decimal(self) -> Number:
        cg, number, source, target = self.cg, self.number, self.source, self.target
        places = target.scale - source.scale
        if places < 0:
            value = without_places(cg, number.value, -places)
        else:
            kind = self.kind if source.precision + places <= 18 else kind_for(source.precision + places)
            if kind is I128 and number.value.kind is I64 and self.kind is I64:
                # Refused before it is scaled, so that 64 bits do.
                self.refuse(has_more_digits(cg, number.value, target.precision - places))
                return self.result(number.value * 10**places)
            value = scaled_up(self.application, number, places, kind)
        if source.precision - source.scale + (places < 0) > target.precision - target.scale:
            self.refuse(has_more_digits(cg, value, target.precision))
        return self.result(value.to(self.kind))

    # Times.

    def of_count(self, value: Value) -> Number:
        """A temporal value so many units from its zero."""
        target = self.target
        if not value.kind.signed and value.kind.bits == 64:
            self.refuse(value.to(I64) < 0)
        count = value.to(I64)
        if is_date(target):
            self.refuse_outside(count, -(1 << 31), (1 << 31) - 1)
        elif is_time(target):
            self.refuse_outside(count, 0, _ticks_of_day(target) - 1)
        return self.result(count.to(self.kind))

    def to_count(self, value: Value) -> Number:
        self.refuse_outside(value.to(I64), *_bounds_within_64(self.target))
        return self.result(value.to(I64).to(self.kind))

    def of_time(self, value: Value) -> Number:
        source, target = self.source, self.target
        value = value.to(I64)
        if is_date(source):
            day = _ticks_of_day(target)
            self._refuse_products(value, day)
            return self.result(value * day)
        if is_timestamp(source) and not is_timestamp(target):
            day = _ticks_of_day(source)
            days = floor_quotient(value, day)
            if target == DATE:
                if source.unit in ("s", "ms"):
                    self.refuse_outside(days, -(1 << 31), (1 << 31) - 1)
                return self.result(days.to(I32))
            value = value - days * day
        have, want = TICKS_PER_SECOND[source.unit], TICKS_PER_SECOND[target.unit]
        if want < have:
            return self.result(floor_quotient(value, have // want).to(self.kind))
        self._refuse_products(value, want // have)
        return self.result((value * (want // have)).to(self.kind))

    def _refuse_products(self, value: Value, factor: int) -> None:
        """Numbers whose product with a factor has more than 64 bits."""
        self.refuse_outside(value, -((1 << 63) // factor), ((1 << 63) - 1) // factor)


def _ticks_of_day(dtype: DataType) -> int:
    return _DAY_SECONDS * TICKS_PER_SECOND[dtype.unit]


def _bounds_within_64(dtype: DataType) -> tuple[int, int]:
    """The integers of a type that have 64 bits with a sign."""
    least, greatest = integer_bounds(dtype)
    return least, min(greatest, (1 << 63) - 1)


def _emit(application: Application) -> Datum:
    conversion = _Conversion(application)
    source, target, value = conversion.source, conversion.target, conversion.number.value
    if source == target:
        return conversion.result(value)
    if is_integer(source) and is_temporal(target):
        return conversion.of_count(value)
    if is_temporal(source):
        return conversion.to_count(value) if is_integer(target) else conversion.of_time(value)
    if is_float(source):
        return conversion.of_float(value)
    if is_decimal(source):
        return conversion.of_decimal()
    return conversion.of_integer(value.to(U8) if is_bool(source) else value)


EMITTER = Emitter(_emit, _accepts)
