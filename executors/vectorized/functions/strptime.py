"""Reading dates and times: a format becomes one regular expression whose groups are numbers, checked and put together.

Python's `strptime` is too slow for columns, and Arrow's knows no fractions and lets 30 February pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.functions.regex import quoted
from lazyframe.executors.vectorized.kernel import KernelError
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
NANOS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}

_SHORTHANDS = {"%F": "%Y-%m-%d", "%T": "%H:%M:%S", "%R": "%H:%M", "%D": "%m/%d/%y"}
_ZONE = r"Z|[+-]\d{2}(?::?\d{2})?"
_DIRECTIVES = {
    "Y": r"\d{4}", "y": r"\d{2}", "m": r"\d{1,2}", "d": r"\d{1,2}", "e": r" ?\d{1,2}", "j": r"\d{1,3}",
    "H": r"\d{1,2}", "I": r"\d{1,2}", "M": r"\d{1,2}", "S": r"\d{1,2}", "f": r"\d{1,9}",
    "b": "(?i:" + "|".join(name[:3] for name in MONTHS) + ")", "B": "(?i:" + "|".join(MONTHS) + ")",
    "a": "(?i:" + "|".join(name[:3] for name in WEEKDAYS) + ")", "A": "(?i:" + "|".join(WEEKDAYS) + ")",
    "p": "(?i:AM|PM)", "z": _ZONE,
}  # fmt: skip
_ISO_DATE = r"(?P<Y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})"
_ISO_TIME = r"(?P<H>\d{2}):(?P<M>\d{2})(?::(?P<S>\d{2})(?:[.,](?P<f>\d{1,9}))?)?"

ISO_DATE = rf"\A{_ISO_DATE}\z"
ISO_TIME = rf"\A{_ISO_TIME}\z"
ISO_DATETIME = rf"\A{_ISO_DATE}(?:[T ]{_ISO_TIME} ?(?P<z>{_ZONE})?)?\z"

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Parsed:
    """What was read of each string.

    Attributes:
        days: since 1970-01-01.
        nanos: since midnight.
        offset: seconds by which the written time is ahead of UTC.
        zoned: where such an offset is written.
        good: where the string has the form and names a real date and time.
    """

    days: Numbers
    nanos: Numbers
    offset: Numbers
    zoned: npt.NDArray[np.bool_]
    good: npt.NDArray[np.bool_]


_YEAR = 1900
"""The year of a date whose format has none, as C and Python have it."""


@lru_cache(maxsize=512)
def regex_of(text: str) -> str:
    """The regular expression of a format of `strptime`.

    Raises:
        KernelError: at a directive that is not known, or stands twice.
    """
    for short, long in _SHORTHANDS.items():
        text = text.replace(short, long)
    pieces: list[str] = []
    seen: set[str] = set()
    characters = iter(text)
    for character in characters:
        if character != "%":
            pieces.append(r"\s*" if character.isspace() else quoted(character))
            continue
        directive = next(characters, "")
        if directive == "%":
            pieces.append("%")
            continue
        # `%-d` and `%.f` are other tools' spellings of a field without padding, and of a point and a fraction.
        if directive in ("-", "."):
            pieces.append(r"\." if directive == "." else "")
            directive = next(characters, "")
        if directive not in _DIRECTIVES:
            raise KernelError(f"the format {text!r} has a directive that is not known: '%{directive}'")
        if directive in seen:
            raise KernelError(f"the format {text!r} has '%{directive}' twice")
        seen.add(directive)
        pieces.append(f"(?P<{directive}>{_DIRECTIVES[directive]})")
    if not seen:
        raise KernelError(f"the format {text!r} has no directives")
    return r"\A" + "".join(pieces) + r"\z"


def parse(strings: pa.Array, regex: str) -> Parsed:
    """Read strings by a regular expression whose groups are directives."""
    found = pc.extract_regex(strings, regex)
    good = arrow.numpy_of(found.is_valid())
    groups = {found.type.field(i).name: found.field(i) for i in range(found.type.num_fields)}
    rows = len(strings)

    def number(name: str, default: int) -> Numbers:
        if name not in groups:
            return np.full(rows, default, dtype=np.int64)
        text = pc.utf8_trim_whitespace(groups[name])
        text = pc.if_else(pc.and_(found.is_valid(), pc.not_equal(text, "")), text, str(default))
        return arrow.numpy_of(pc.fill_null(text.cast(pa.int64()), default))

    def choice(name: str, labels: tuple[str, ...], default: int) -> Numbers:
        text = pc.utf8_lower(groups[name])
        values = arrow.array([label.lower() for label in labels])
        return arrow.numpy_of(pc.fill_null(pc.index_in(text, values), default)).astype(np.int64)

    year = number("Y", _YEAR)
    if "y" in groups:
        short = number("y", 70)
        year = short + np.where(short < 69, 2000, 1900)
    month = number("m", 1)
    if "b" in groups or "B" in groups:
        name = "b" if "b" in groups else "B"
        month = choice(name, tuple(m[:3] for m in MONTHS) if name == "b" else MONTHS, 0) + 1
    day = number("e", 1) if "e" in groups else number("d", 1)
    good &= (month >= 1) & (month <= 12) & (day >= 1)
    month = np.clip(month, 1, 12)
    first = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    days = first.astype("datetime64[D]").astype(np.int64) + day - 1
    good &= (days.astype("datetime64[D]").astype("datetime64[M]") == first) | ~good
    if "j" in groups:
        ordinal = number("j", 1)
        january = (year - 1970).astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64)
        days = january + ordinal - 1
        good &= (ordinal >= 1) & (days.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) == year - 1970)
    for name in ("a", "A"):
        if name in groups:
            labels = tuple(w[:3] for w in WEEKDAYS) if name == "a" else WEEKDAYS
            good &= choice(name, labels, 0) == (days + 3) % 7
    hour = number("H", 0)
    if "I" in groups:
        half = number("I", 12)
        good &= (half >= 1) & (half <= 12)
        afternoon = choice("p", ("am", "pm"), 0) if "p" in groups else 0
        hour = half % 12 + 12 * afternoon
    minute, second = number("M", 0), number("S", 0)
    good &= (hour < 24) & (minute < 60) & (second < 60)
    fraction = np.zeros(rows, dtype=np.int64)
    if "f" in groups:
        padded = pc.utf8_rpad(pc.fill_null(groups["f"], ""), 9, "0")
        fraction = arrow.numpy_of(padded.cast(pa.int64()))
    nanos = ((hour * 60 + minute) * 60 + second) * 10**9 + fraction
    offset = np.zeros(rows, dtype=np.int64)
    zoned = np.zeros(rows, dtype=bool)
    if "z" in groups:
        zoned = arrow.numpy_of(pc.fill_null(pc.not_equal(groups["z"], ""), False)) & good
        text = pc.replace_substring(pc.if_else(pc.equal(groups["z"], "Z"), "", groups["z"]), ":", "")
        signed = pc.fill_null(pc.if_else(pc.equal(text, ""), "0", text), "0")
        hours = pc.equal(pc.utf8_length(signed), 3)
        packed = (
            pc.replace_substring(pc.if_else(hours, pc.binary_join_element_wise(signed, "00", ""), signed), "+", "")
            .cast(pa.int64())
            .to_numpy()
        )
        size = np.abs(packed)
        good &= (size // 100 < 24) & (size % 100 < 60)
        offset = np.sign(packed) * (size // 100 * 3600 + size % 100 * 60)
    return Parsed(days, nanos, offset, zoned, good)


def refuse_bad(strings: pa.Array, good: npt.NDArray[np.bool_], what: str) -> None:
    """Raise an error that names the first string that is not null and not good."""
    bad = ~good & arrow.numpy_of(strings.is_valid())
    if bad.any():
        row = int(np.argmax(bad))
        raise KernelError(f"cannot read {strings[row].as_py()!r} as {what}", row)
