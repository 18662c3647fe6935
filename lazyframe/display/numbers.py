"""Floats and decimals as text: a column shares its decimals, and no figure looks like another number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

_SIGNIFICANT = 6
_FIXED_FROM, _FIXED_BELOW = 1e-4, 1e16


def format_floats(values: Sequence[float | None]) -> list[str | None]:
    """Format floats that stand below each other.

    At least six significant digits; integer parts in full up to 1e16 and at least two decimals where there is
    a fraction; every value of the column gets as many decimals as the one that needs most. Beyond 1e16 and
    below 1e-4 a value is in scientific notation.

    >>> format_floats([1.5, -0.0, 1234567.891, None, math.nan, 6.02214076e23])
    ['1.50', '-0.00', '1234567.89', None, 'NaN', '6.02214e+23']
    """
    fixed = [abs(value) for value in values if value is not None and _is_fixed(value)]
    decimals = _shared_decimals(fixed) if fixed else 1
    return [None if value is None else _format_float(value, decimals) for value in values]


def format_decimal(value: Decimal) -> str:
    """Every digit, never an exponent."""
    return format(value, "f")


def _is_fixed(value: float) -> bool:
    return value == 0 or _FIXED_FROM <= abs(value) < _FIXED_BELOW


def _shared_decimals(magnitudes: Sequence[float]) -> int:
    needed = max(_decimals_needed(value) for value in magnitudes)
    # Six decimals suffice beside a value of 0.1 or more; a column of small values may have up to nine.
    most = min(max(_SIGNIFICANT - 1 - _exponent(max(magnitudes)), _SIGNIFICANT), 9)
    return min(needed, most)


def _decimals_needed(value: float) -> int:
    if value == math.floor(value):
        return 1
    places = max(_SIGNIFICANT - 1 - _exponent(value), 2)
    fraction = f"{value:.{places}f}".rstrip("0").rpartition(".")[2]
    return max(len(fraction), 1)


def _exponent(value: float) -> int:
    return int(f"{value:.{_SIGNIFICANT - 1}e}".rpartition("e")[2])


def _format_float(value: float, decimals: int) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if _is_fixed(value):
        return f"{value:.{decimals}f}"
    mantissa, _, exponent = f"{value:.{_SIGNIFICANT - 1}e}".partition("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{exponent}"
