"""Which functions kernels compute."""

from lazyframe.executors.compiled.functions import EMITTERS
from lazyframe.planner.functions.table import FUNCTIONS

STAGED = [
    "abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bit_and", "bit_count", "bit_length", "bit_not",
    "bit_or", "bit_xor", "byte_length", "cbrt", "ceil", "contains", "cos", "cosh", "cot", "date", "date_diff", "day",
    "day_of_week", "days_in_month", "degrees", "detach", "divide", "ends_with", "epoch", "equal", "equal_missing",
    "exp", "expm1", "find", "floor", "floor_divide", "greater", "greater_equal", "greatest", "head_of_string", "hour",
    "is_finite", "is_in", "is_infinite", "is_leap_year", "is_nan", "is_not_null", "is_null", "last_day", "least",
    "length", "less", "less_equal", "like", "ln", "log", "log10", "log1p", "log2", "lstrip", "ltrim", "microsecond",
    "microseconds_of_minute", "millisecond", "milliseconds_of_minute", "minute", "modulo", "month", "month_end",
    "month_start", "multiply", "nanosecond", "negate", "not", "not_equal", "not_equal_missing", "offset_by",
    "only_value", "ordinal_day", "position", "power", "quarter", "radians", "round", "rstrip", "rtrim", "second",
    "sign", "sin", "sinh", "sqrt", "starts_with", "strip", "strip_prefix", "strip_suffix", "substr", "substring",
    "subtract", "tail_of_string", "tan", "tanh", "total_days", "total_hours", "total_microseconds",
    "total_milliseconds", "total_minutes", "total_nanoseconds", "total_seconds", "trim", "trunc", "truncate",
    "truncated_divide", "truncated_modulo", "weekday", "xor", "year",
]  # fmt: skip


def test_the_functions_that_have_emitters():
    assert sorted(EMITTERS) == sorted(STAGED)


def test_emitters_have_the_names_of_functions():
    assert set(EMITTERS) <= set(FUNCTIONS)
