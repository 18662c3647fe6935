"""What is refused, by name and at its place: nothing that is written is ignored or read as something else."""

import pytest

import lazyframe as lf
from lazyframe.planner.errors import (
    EvaluationError,
    FunctionNotFoundError,
    InvalidArgumentError,
    LazyFrameError,
    TypeMismatchError,
    UnsupportedError,
)
from tests.planner.sql.expressions import value_of

REFUSED = [
    ("upercase('a')", FunctionNotFoundError, "no function named 'upercase'"),
    ("date_trunc('month', timestamp '2024-01-03', 'UTC')", TypeMismatchError, "a time zone goes with timestamps"),
    ("encode('a', 'rot13')", UnsupportedError, "encoding 'rot13'"),
    ("log10(1, 2)", InvalidArgumentError, "up to 1 argument"),
    ("lpad('a', 1, 'b', 'c')", InvalidArgumentError, "up to 3 arguments"),
    ("instr('a', 'b', 2)", UnsupportedError, r"an argument of instr\(\)"),
    ("round(1.5, 1, 2)", UnsupportedError, r"an argument of round\(\)"),
    ("date_trunc(case when true then 'day' else 'year' end, date '2024-01-02')", InvalidArgumentError, "must be a constant"),
    ("170141183460469231731687303715884105727", InvalidArgumentError, "39 digits"),
    ("to_hours()", InvalidArgumentError, "number of hours"),
    ("list_sort(1)", TypeMismatchError, r"list_sort\(\) is not defined"),
    ("len(1)", TypeMismatchError, r"len\(\) is not defined"),
    ("upper(lower(1))", TypeMismatchError, r"lower\(\) is not defined"),
    ("arg_max(1)", InvalidArgumentError, r"arg_max\(\) takes 2 arguments"),
    ("- 'a'::varchar", TypeMismatchError, "'-' is not defined for string"),
    ("regexp_matches('a', 'b', 'q')", UnsupportedError, "flag 'q'"),
    ("regexp_matches('a', 'b', 'g')", UnsupportedError, "flag 'g'"),
    ("regexp_extract('abc', '(b)', ['x', 'y'])", InvalidArgumentError, "fewer groups than the 2 names"),
    ("regexp_extract('abc', '(b)(c)', ['x', 'x'])", InvalidArgumentError, "names that differ"),
    ("list_inner_product([1, 2, 3], [2, 1])", EvaluationError, "not 3 and 2"),
    ("list_distance([1, null], [2, 1])", EvaluationError, "cannot hold a null"),
    ("list_zip()", InvalidArgumentError, "takes lists"),
    ("width_bucket(1, 2, 2, 3)", InvalidArgumentError, "two ends that differ"),
    ("parse_path('a/b', 'slash')", InvalidArgumentError, "one of system, forward_slash"),
    ("max(1, 0)", InvalidArgumentError, "from 1 to"),
    ("geomean('a')", TypeMismatchError, r"geomean\(\) is of numbers"),
    ("sem(distinct 1)", UnsupportedError, "DISTINCT"),
    ("regr_slope(distinct 1, 2)", UnsupportedError, "DISTINCT"),
    ("max(*)", InvalidArgumentError, r"only count\(\*\) is of rows"),
    ("histogram(1)", UnsupportedError, r"histogram\(\) is not supported"),
    ("current_user", UnsupportedError, "current_user"),
    ("regexp_extract('abc', 'b', 12)", InvalidArgumentError, "from 0 to 9"),
    ("regexp_replace('a', 'x', 'y', 2)", InvalidArgumentError, "flags"),
    ("'a' collate nocase", InvalidArgumentError, "COLLATE"),
    ("cast('a' as uuid)", UnsupportedError, "UUID"),
    ("cast('a' as json)", UnsupportedError, "JSON"),
    ("cast([1] as int[3])", UnsupportedError, "fixed length"),
    ("cast(1 as decimal(39, 0))", InvalidArgumentError, "1 to 38 digits"),
    ("cast(1 as foo)", InvalidArgumentError, "no type named 'foo'"),
    ("cast(1 as time with time zone)", UnsupportedError, "TIMETZ"),
    ("cast(1 as date[])", TypeMismatchError, "cannot be cast"),
    ("cast('a' as varchar collate nocase)", UnsupportedError, "COLLATE"),
    ("timestamp '2024-01-01 10:00:00+02'", InvalidArgumentError, "offset from UTC"),
    ("interval '1 fortnight'", InvalidArgumentError, "no unit of time named 'fortnight'"),
    ("interval 'soon'", InvalidArgumentError, "not an interval"),
    ("interval '0.1 year'", InvalidArgumentError, "whole months"),
    ("interval (1.5) month", TypeMismatchError, "whole numbers"),
    ("extract(week from time '10:00')", TypeMismatchError, "not of time"),
    ("extract(fortnight from date '2024-01-01')", InvalidArgumentError, "no field 'fortnight'"),
    ("extract(year from '2024-01-01')", TypeMismatchError, "not of string"),
    ("date_trunc('fortnight', date '2024-01-01')", InvalidArgumentError, "fortnight"),
    ("time_bucket(interval '1 month 1 day', date '2024-01-01')", InvalidArgumentError, "months alone"),
    ("timestamp '2024-01-01' at time zone 'Mars'", InvalidArgumentError, "no time zone named 'Mars'"),
    ("1 at time zone 'UTC'", TypeMismatchError, "only timestamps"),
    ("to_char(1, '999')", UnsupportedError, "numbers are not written by a format"),
    ("to_char(date '2024-01-01', 'Month')", UnsupportedError, "'Month'"),
    ("format('{:d}', 1)", UnsupportedError, "format"),
    ("format('{} {}', 1)", InvalidArgumentError, "more than 1 arguments"),
    ("printf('%5.2f', 1.5)", UnsupportedError, "format"),
    ("printf('%d', 'a')", InvalidArgumentError, "%d wants an integer"),
    ("{'a': 1}.b", InvalidArgumentError, "no field named 'b'"),
    ("{'a': 1}[2]", InvalidArgumentError, "no field 2"),
    ("[1, 2]['a']", TypeMismatchError, "not defined"),
    ("json_extract('{}', '$.a')", UnsupportedError, "JSON"),
    ("'{}'->'a'", UnsupportedError, "JSON"),
    ("list_aggregate([1], 'histogram')", UnsupportedError, "histogram"),
    ("list_sort([1], 'UP')", InvalidArgumentError, None),
    ("list_transform([1], lambda x: sum(x))", UnsupportedError, "no queries, aggregates or windows"),
    ("list_transform([1], lambda x: (select x))", UnsupportedError, "no queries, aggregates or windows"),
    ("list_transform([1], lambda x: random())", UnsupportedError, "at random"),
    ("list_transform([1], 2)", InvalidArgumentError, "x -> x"),
    ("list_transform(1, lambda x: x)", TypeMismatchError, "items of a list"),
    ("generate_series(date '2024-01-01', date '2024-01-03')", InvalidArgumentError, "interval as its step"),
    ("range(1.5)", TypeMismatchError, "integers or timestamps"),
    ("split_part('a', ',', 'x')", TypeMismatchError, "not defined"),
    ("sha2('a', 100)", UnsupportedError, "100 bits"),
    ("setseed(0.5)", UnsupportedError, "setseed"),
    ("nullif(1)", LazyFrameError, None),
    ("struct_extract(1, 'a')", TypeMismatchError, "only structs"),
    ("map {'a': 1, 'b': 'x'}", TypeMismatchError, "not defined"),
]  # fmt: skip


MISUSED = [
    "array_concat(1, 1)", "array_concat(null, interval '1 day')", "list_cat()", "make_date(interval '1 day')", "make_date([1])",
    "even(date '2024-01-02')", "fdiv(time '10:00', 1)", "fmod('a', 1)", "julian(time '10:00')", "normalize('a', map {'a': 1})",
    "split_part('a', ',')", "space(1000000000000)", "rpad('a', 1000000000000)", "isnan(date '2024-01-02')", "row()", "map_concat()",
    "list_bit_or(1)", "regexp_match('a')", "struct_insert({'a': 1})", "printf()", "named_struct('a')",
]  # fmt: skip


@pytest.mark.parametrize("expression", MISUSED)
def test_misuse_is_an_error_of_ours(expression):
    with pytest.raises(LazyFrameError, match="SQL line 1"):
        value_of(expression)


@pytest.mark.parametrize(
    "expression", ["age(null)", "epoch_us(null)", "list_bit_or(null)", "list_concat(null, null)", "year(null)"]
)
def test_null_of_no_type(expression):
    assert value_of(expression) is None


@pytest.mark.parametrize(("expression", "error", "message"), REFUSED)
def test_refused(expression, error, message):
    with pytest.raises(error, match=message) as caught:
        value_of(expression)
    assert "SQL line 1" in str(caught.value)


def test_the_part_that_is_wrong_is_underlined():
    with pytest.raises(UnsupportedError) as caught:
        lf.sql("SELECT 1,\n  regexp_matches('a', 'b', 'q')")
    line, column, *_ = str(caught.value).splitlines()[-3:]
    assert "line 2, column 28" in line
    assert column.strip() == "regexp_matches('a', 'b', 'q')"


def test_names_that_are_near_are_offered():
    with pytest.raises(FunctionNotFoundError, match="did you mean 'list_transform'"):
        value_of("list_transfrom([1], lambda x: x)")
