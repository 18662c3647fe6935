"""Functions of calendar intervals: months, days and nanoseconds, three measures that have no fixed ratio."""

from __future__ import annotations

from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.functions.definition import Function, Options, Signature, Types, by_name, fixed
from lazyframe.planner.types import DATE, FLOAT64, INT64, INTERVAL, common_type, decimal_type, is_null, is_timestamp

INTERVAL_FIELDS = (
    "millennium", "century", "decade", "year", "quarter", "month", "day", "hour", "minute", "second", "millisecond",
    "microsecond", "nanosecond",
)  # fmt: skip


def _field(types: Types, options: Options) -> Signature | None:
    if options["field"] not in INTERVAL_FIELDS:
        raise InvalidArgumentError(f"an interval has no field {options['field']!r}")
    return fixed((INTERVAL,), INT64)(types, options)


def _age(types: Types, options: Options) -> Signature | None:
    a, b = (DATE if is_null(t) else t for t in types)
    if not all(t == DATE or is_timestamp(t) for t in (a, b)):
        return None
    common = common_type(a, b)
    return None if common is None else Signature((common, common), INTERVAL)


FUNCTIONS = by_name(
    Function(name="make_interval", resolver=fixed((INT64,) * 3, INTERVAL), arity=(3, 3), total=False, summary="The interval of so many months, days and nanoseconds."),
    Function(name="scale_interval", resolver=fixed((INTERVAL, INT64), INTERVAL), arity=(2, 2), total=False, summary="The interval so many times."),
    Function(name="interval_field", resolver=_field, arity=(1, 1), summary="The field of the option `field`: years, months up to 11, days, hours, minutes up to 59 and so on; it has the interval's sign."),
    Function(name="interval_seconds", resolver=fixed((INTERVAL,), FLOAT64), arity=(1, 1), summary="The interval in seconds, with months of 30 days and years of 365.25."),
    Function(name="interval_nanos_of_day", resolver=fixed((INTERVAL,), INT64), arity=(1, 1), summary="The hours and less of an interval in nanoseconds, without whole days."),
    Function(name="interval_length", resolver=fixed((INTERVAL,), decimal_type(38, 0)), arity=(1, 1), summary="The interval in nanoseconds, with months of 30 days of 24 hours: intervals are ordered by it."),
    Function(name="age", resolver=_age, arity=(2, 2), sql=("age",), summary="From the second to the first in months, days and time, as people count ages."),
)  # fmt: skip
