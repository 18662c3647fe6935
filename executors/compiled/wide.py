"""Division of 128-bit integers, and their conversion to and from floats.

Processors have neither. Compilers call a function of their support library for them, which a linker of code in memory does
not find; so they are written here, as local functions of the kernel.

The long division is Knuth's algorithm D (The Art of Computer Programming, vol. 2, 4.3.1) with digits of 32 bits, as in
H. S. Warren, "Hacker's Delight", 9-4 and 9-5.
"""

from __future__ import annotations

from lazyframe.executors.compiled.kinds import F32, F64, I64, I128, U32, U64, U128, Kind
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Value

_DIGIT = 1 << 32


def quotient(a: Value, b: Value) -> Value:
    """Division toward zero. The divisor must not be 0 (nor -1 of the least)."""
    if a.kind.signed:
        return a.cg.local("quotient_i128", I128, [I128, I128], _signed_quotient, a, b)
    return a.cg.local("quotient_u128", U128, [U128, U128], _quotient, a, b)


def remainder(a: Value, b: Value) -> Value:
    """What `quotient` leaves, with the sign of the dividend."""
    return a - quotient(a, b) * b


def to_float(a: Value, kind: Kind) -> Value:
    """The nearest float; of two that are as near the even one."""
    name = "signed" if a.kind.signed else "unsigned"
    return a.cg.local(f"{name}_i128_to_{kind.name}", kind, [a.kind], lambda cg, a: _to_float(cg, a, kind), a)


def from_float(x: Value, kind: Kind) -> Value:
    """What a float is, cut toward zero; it must be within range."""
    cut = x.cg.local("f64_to_i128", I128, [F64], _from_float, x.to(F64))
    return cut.to(kind)


def _magnitude(cg: Function, a: Value) -> Value:
    return cg.choose(a < 0, -a, a).to(U128) if a.kind.signed else a


def _signed_quotient(cg: Function, a: Value, b: Value) -> Value:
    found = quotient(_magnitude(cg, a), _magnitude(cg, b)).to(I128)
    return cg.choose((a ^ b) < 0, -found, found)


def _quotient(cg: Function, a: Value, b: Value) -> Value:
    found = cg.variable(U128, 0)
    with cg.if_(((a | b) >> 64) == 0) as short:
        found.set(a.to(U64).quotient(b.to(U64)).to(U128))
    with short.otherwise():
        with cg.if_((b >> 64) == 0) as narrow:
            divisor, high = b.to(U64), (a >> 64).to(U64)
            low = _long_division(high.remainder(divisor), a.to(U64), divisor)
            found.set((high.quotient(divisor).to(U128) << 64) | low.to(U128))
        with narrow.otherwise():
            # The divisor's first 64 bits give the quotient or one more, and one less is never too much.
            shift = _leading_zeros(b)
            half = a >> 1
            estimate = _long_division((half >> 64).to(U64), half.to(U64), ((b << shift) >> 64).to(U64))
            near = (estimate.to(U128) << shift) >> 63
            near = near - (near != 0).to(U128)
            found.set(near + (a - near * b >= b).to(U128))
    return found.get()


def _long_division(high: Value, low: Value, divisor: Value) -> Value:
    """128 bits by 64, whose quotient has 64: the divisor is greater than the high half."""
    return high.cg.local("long_division", U64, [U64, U64, U64], _digits, high, low, divisor)


def _digits(cg: Function, high: Value, low: Value, divisor: Value) -> Value:
    shift = cg.intrinsic("llvm.ctlz", U64, divisor, immediate=[False])
    divisor = divisor << shift
    shifted = ((high.to(U128) << 64) | low.to(U128)) << shift.to(U128)
    first, last = divisor >> 32, divisor & (_DIGIT - 1)
    rest = (shifted >> 64).to(U64)
    found = cg.lift(0, U64)
    following = shifted.to(U64)
    for digit in (following >> 32, following & (_DIGIT - 1)):
        guess, left = rest.quotient(first), rest.remainder(first)
        # The first digit of the divisor alone gives too much by 2 at most.
        for _ in range(2):
            is_more = (guess >= _DIGIT) | (guess * last > ((left << 32) | digit))
            step = (is_more & (left < _DIGIT)).to(U64)
            guess, left = guess - step, left + step * first
        rest = (rest << 32) + digit - guess * divisor
        found = (found << 32) + guess
    return found


def _leading_zeros(a: Value) -> Value:
    return a.cg.intrinsic("llvm.ctlz", U128, a, immediate=[False])


def _to_float(cg: Function, a: Value, kind: Kind) -> Value:
    found = cg.variable(kind, 0.0)
    narrow = I64 if a.kind.signed else U64
    with cg.if_(a.to(narrow).to(a.kind) == a) as short:
        found.set(a.to(narrow).to(kind))
    with short.otherwise():
        # Rounding happens once: the first 64 bits, of which the last one also stands for any that follow, are more than a
        # float has and one to spare. What they are multiplied by is a power of two.
        size = _magnitude(cg, a)
        zeros = _leading_zeros(size)
        shifted = size << zeros
        first = (shifted >> 64).to(U64) | (shifted.to(U64) != 0).to(U64)
        bias, fraction, bits = (127, 23, U32) if kind is F32 else (1023, 52, U64)
        scale = (((zeros.to(U64) * -1) + (bias + 64)) << fraction).to(bits).bits_as(kind)
        rounded = first.to(kind) * scale
        found.set(cg.choose(a < 0, -rounded, rounded) if a.kind.signed else rounded)
    return found.get()


def _from_float(cg: Function, x: Value) -> Value:
    found = cg.variable(I128, 0)
    bits = x.bits_as(U64)
    exponent = (bits >> 52) & 0x7FF
    with cg.if_(exponent < 1023 + 63) as short:
        found.set(x.to(I64).to(I128))
    with short.otherwise():
        fraction = (bits & ((1 << 52) - 1)) | (1 << 52)
        size = (fraction.to(U128) << ((exponent - 1075) & 127).to(U128)).to(I128)
        found.set(cg.choose(x < 0.0, -size, size))
    return found.get()
