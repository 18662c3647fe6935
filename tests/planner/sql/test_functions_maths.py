"""SQL's functions of numbers. The values are those of DuckDB 2."""

import decimal

import pytest

from tests.planner.sql.expressions import value_of

D = decimal.Decimal

VALUES = [
    ("abs(-3)", 3),
    ("abs(-2.5)", D("2.5")),
    ("ceil(2.1)", D("3")),
    ("ceiling(-2.1)", D("-2")),
    ("floor(-2.1)", D("-3")),
    ("round(2.5)", D("3")),
    ("round(-2.5)", D("-3")),
    ("round(2.567, 1)", D("2.6")),
    ("round(1234, -2)", 1200),
    ("round(2.675::double, 2)", 2.67),
    ("round_even(2.5, 0)", D("2")),
    ("trunc(2.567, 1)", D("2.5")),
    ("trunc(-2.5)", D("-2")),
    ("trunc(1234.567, -2)", D("1200")),
    ("sqrt(2)", 1.4142135623730951),
    ("cbrt(27)", 3.0000000000000004),
    ("exp(1)", 2.718281828459045),
    ("ln(1)", 0.0),
    ("log(100)", 2.0),
    ("log(2, 8)", 3.0),
    ("log2(8)", 3.0),
    ("log10(1000)", 3.0),
    ("power(2, 3)", 8.0),
    ("pow(2.5, 2)", 6.25),
    ("2 ^ 3", 8.0),
    ("2 ** 3", 8.0),
    ("sign(-2.5)", -1),
    ("sign(0)", 0),
    ("mod(-7, 3)", -1),
    ("-7 % 3", -1),
    ("7 % -3", 1),
    ("-7 // 2", -3),
    ("7 / 2", 3.5),
    ("gcd(-4, 6)", 2),
    ("lcm(4, 6)", 12),
    ("factorial(5)", D("120")),
    ("factorial(21)", D("51090942171709440000")),
    ("degrees(pi())", 180.0),
    ("radians(180)", 3.141592653589793),
    ("atan2(1, -1)", 2.356194490192345),
    ("sin(0)", 0.0),
    ("cos(0)", 1.0),
    ("cot(1)", 0.6420926159343306),
    ("asinh(1)", 0.881373587019543),
    ("acosh(1)", 0.0),
    ("atanh(0.5)", 0.5493061443340548),
    ("gamma(5)", 24.0),
    ("isnan('nan'::double)", True),
    ("isnan(1)", False),
    ("isinf('inf'::double)", True),
    ("isfinite(1.5)", True),
    ("bit_count(7)", 3),
    ("bit_count(-1::tinyint)", 8),
    ("~5", -6),
    ("xor(5, 1)", 4),
    ("5 & 3", 1),
    ("5 | 3", 7),
    ("1 << 3", 8),
    ("2048 >> 10", 2),
    ("-1 >> 1", -1),
    ("2048 << null", None),
    ("to_hex(255)", "FF"),
    ("hex(-1)", "FFFFFFFFFFFFFFFF"),
    ("hex(0)", "0"),
    ("bin(5)", "101"),
    ("bin(0)", "0"),
    ("to_base(255, 16)", "FF"),
    ("to_base(5, 2, 8)", "00000101"),
    ("greatest(1, null, 3)", 3),
    ("least(2, 1)", 1),
    ("sqrt(null)", None),
    ("abs(null::int)", None),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression, value):
    assert value_of(expression) == (pytest.approx(value, rel=1e-15) if isinstance(value, float) else value)
