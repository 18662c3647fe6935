"""Write `executors/elementary/coefficients.py`: polynomials near the best ones for parts of elementary functions.

python scripts/elementary_coefficients.py      (needs mpmath)

Each is what meets the function at as many nodes of Chebyshev's as it has coefficients, in 60 digits. Its greatest error is less than
twice that of the best polynomial (minimax) of its degree. Constants that a double is too short for are written as two.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import mpmath
from mpmath import mp, mpf

TARGET = Path(__file__).resolve().parent.parent / "executors" / "elementary" / "coefficients.py"

mp.dps = 60


class Part(NamedTuple):
    """A function to be approached by a polynomial.

    Args:
        says: what it is.
        function: the function, in mpmath's numbers.
        start, stop: where it is needed.
        count: of coefficients.
    """

    says: str
    function: Callable[[Any], Any]
    start: Any
    stop: Any
    count: int


def tail(series: Callable[[int], Any], first: int) -> Callable[[Any], Any]:
    """A power series from a term on, over the power of that term: no digits are lost near zero."""
    return lambda z: mpmath.nsum(lambda n: series(first + int(n)) * z ** int(n), [0, 80], method="d")


HALF_LN2 = mp.log(2) / 2 * mpf("1.0001")
ROOT = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mpf("1.0001")
QUARTER_TURN = (mp.pi / 4) ** 2 * mpf("1.0001")
EIGHTH_TURN = mp.tan(mp.pi / 8) ** 2 * mpf("1.0001")


def asin_term(n: int) -> Any:
    """The coefficient of x^(2 n + 1) in the series of the arc sine."""
    return mpmath.binomial(2 * n, n) / (mpf(4) ** n * (2 * n + 1))


PARTS = {
    "EXP": Part("(e^r - 1 - r) / r^2, in r", tail(lambda n: 1 / mp.factorial(n), 2), -HALF_LN2, HALF_LN2, 11),
    "LOG": Part("(2 atanh(s) - 2 s) / s^3, in s^2", tail(lambda n: mpf(2) / (2 * n + 1), 1), mpf(0), ROOT, 8),
    "LOG_FROM_7": Part(
        "(2 atanh(s) - 2 s - 2/3 s^3 - 2/5 s^5) / s^7, in s^2",
        tail(lambda n: mpf(2) / (2 * n + 1), 3), mpf(0), ROOT, 7,
    ),
    "SIN": Part(
        "(sin(x) - x) / x^3, in x^2",
        tail(lambda n: (-1) ** n / mp.factorial(2 * n + 1), 1), mpf(0), QUARTER_TURN, 7,
    ),
    "COS": Part(
        "(cos(x) - 1 + x^2 / 2) / x^4, in x^2",
        tail(lambda n: (-1) ** n / mp.factorial(2 * n), 2), mpf(0), QUARTER_TURN, 6,
    ),
    "ATAN": Part(
        "(atan(x) - x) / x^3, in x^2",
        tail(lambda n: mpf((-1) ** n) / (2 * n + 1), 1), mpf(0), EIGHTH_TURN, 12,
    ),
    "ASIN": Part("(asin(x) - x) / x^3, in x^2", tail(asin_term, 1), mpf(0), mpf("0.25"), 13),
}  # fmt: skip

CONSTANTS = {
    "LN2": mp.log(2),
    "ONE_BY_LN2": 1 / mp.log(2),
    "ONE_BY_LN10": 1 / mp.log(10),
    "TWO_THIRDS": mpf(2) / 3,
    "TWO_FIFTHS": mpf(2) / 5,
    "HALF_PI": mp.pi / 2,
    "QUARTER_PI": mp.pi / 4,
}


def polynomial(part: Part) -> list[float]:
    """The coefficients, from the constant on."""
    n, middle, half = part.count, (part.start + part.stop) / 2, (part.stop - part.start) / 2
    nodes = [middle + half * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    solved = mpmath.lu_solve(
        mpmath.matrix([[x**j for j in range(n)] for x in nodes]), [part.function(x) for x in nodes]
    )
    worst = max(
        abs(mpmath.polyval(list(solved)[::-1], x) - part.function(x))
        for x in [part.start + (part.stop - part.start) * i / 400 for i in range(401)]
    )
    print(part.says, "error", mpmath.nstr(worst, 3))
    return [float(c) for c in solved]


def cut(value: Any, bits: int) -> list[float]:
    """A constant as two floats, the first of so many bits."""
    scale = mpf(2) ** (bits - 1 - int(mp.floor(mp.log(value, 2))))
    high = mp.floor(value * scale) / scale
    return [float(high), float(value - high)]


def main() -> None:
    """Write the file."""
    lines = [
        '"""Coefficients of polynomials, from the constant on, and constants as a float and what it leaves.',
        "",
        "Written by scripts/elementary_coefficients.py.",
        '"""',
        "",
    ]
    for name, part in PARTS.items():
        lines += [f"{name} = (", *[f"    {c!r}," for c in polynomial(part)], ")", f'"""{part.says}"""', ""]
    for name, value in CONSTANTS.items():
        lines += [f"{name} = ({float(value)!r}, {float(value - mpf(float(value)))!r})"]
    high, low = cut(mp.log(2), 40)
    lines += [
        f"LN2_CUT = ({high!r}, {low!r})",
        '"""ln 2, of which the first has 40 bits: times a whole number of 13 it is exact."""',
    ]
    third = mp.pi / 2
    pieces = []
    for _ in range(3):
        high, _low = cut(third, 33)
        pieces.append(high)
        third -= mpf(high)
    pieces.append(float(third))
    lines += [
        f"HALF_PI_CUT = {tuple(pieces)!r}",
        '"""A half of pi, in parts of 33 bits: times a whole number of 20 they are exact."""',
        "",
    ]
    TARGET.write_text("\n".join(lines))


main()
