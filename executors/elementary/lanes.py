"""What elementary functions are written over: numbers with operators, and the few operations that have none."""

from __future__ import annotations

from typing import Any, Protocol

Floats = Any
"""64-bit floats: an array of numpy's, or a staged value. `+`, `-`, `*` and comparisons are IEEE's; a float may stand beside them."""

Words = Any
"""64-bit integers with a sign, whose `+`, `-`, `&`, `<<` and `>>` wrap."""

Truths = Any
"""Booleans with `&` and `|`."""


class Lanes(Protocol):
    """How to compute with `Floats`, `Words` and `Truths` of one kind."""

    def quotient(self, a: Floats, b: Floats) -> Floats:
        """IEEE division."""

    def choose(self, condition: Truths, yes: Floats, no: Floats) -> Floats:
        """One of two that have both been computed."""

    def magnitude(self, x: Floats) -> Floats:
        """Without the sign."""

    def signed(self, size: Floats, x: Floats) -> Floats:
        """The magnitude of the first with the sign of the second."""

    def root(self, x: Floats) -> Floats:
        """The square root, correctly rounded."""

    def floor(self, x: Floats) -> Floats:
        """The greatest whole number not above."""

    def bits(self, x: Floats) -> Words:
        """What a float is made of."""

    def from_bits(self, word: Words) -> Floats:
        """The float that is made of these."""

    def number(self, word: Words) -> Floats:
        """A small integer as a float."""


def polynomial(x: Floats, coefficients: tuple[float, ...]) -> Floats:
    """A polynomial, by Estrin's scheme: few operations wait for another."""
    terms: list[Floats] = list(coefficients)
    power = x
    while True:
        terms = [terms[i] + power * terms[i + 1] if i + 1 < len(terms) else terms[i] for i in range(0, len(terms), 2)]
        if len(terms) == 1:
            return terms[0]
        power = power * power


_ROUNDS = 1.5 * 2.0**52
_ROUNDS_BITS = 0x4338000000000000


def nearest(lanes: Lanes, x: Floats) -> tuple[Floats, Words]:
    """The nearest whole number to one of less than 2^51, as a float and as an integer."""
    shifted = x + _ROUNDS
    return shifted - _ROUNDS, lanes.bits(shifted) - _ROUNDS_BITS


def power_of_two(lanes: Lanes, exponent: Words) -> Floats:
    """2 to a power from -1022 to 1023."""
    return lanes.from_bits((exponent + 1023) << 52)


def scaled(lanes: Lanes, x: Floats, exponent: Words) -> Floats:
    """A number near 1 times 2 to a power from -2044 to 2046, rounded once at most."""
    half = exponent >> 1
    return (x * power_of_two(lanes, half)) * power_of_two(lanes, exponent - half)
