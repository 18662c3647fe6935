"""What tables are drawn with, by what standard output can encode."""

from __future__ import annotations

import codecs
import sys
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Glyphs:
    """A frame's rules as (left, line, crossing, right), and the signs around it.

    Args:
        top: the rule above the header.
        middle: the rule below the header.
        bottom: the rule below the rows.
        bar: what stands between columns.
        ellipsis: what stands for something left out.
        times: the sign between rows and columns.
        encoding: what texts must be encodable in, None where it holds every character.
    """

    top: str
    middle: str
    bottom: str
    bar: str
    ellipsis: str
    times: str
    encoding: str | None

    def clean(self, text: str) -> str:
        """`text` with our signs and with escapes for what the encoding lacks."""
        if self.encoding is None or text.isascii():
            return text
        text = text.replace("…", self.ellipsis).replace("×", self.times)
        return text.encode(self.encoding, "backslashreplace").decode(self.encoding)


_BOXES = Glyphs("┌─┬┐", "├─┼┤", "└─┴┘", "│", "…", "×", None)


def choose_glyphs(encoding: str) -> Glyphs:
    """Box-drawing characters if `encoding` has them, else ASCII.

    >>> choose_glyphs("utf-8").bar, choose_glyphs("ascii").bar
    ('│', '|')
    """
    try:
        name = codecs.lookup(encoding).name
        "┌─┬┐├┼┤└┴┘│…×".encode(name)
    except LookupError:
        return _ascii("ascii")
    except UnicodeEncodeError:
        return _ascii(name)
    if name.startswith("utf"):
        return _BOXES
    return Glyphs(_BOXES.top, _BOXES.middle, _BOXES.bottom, _BOXES.bar, _BOXES.ellipsis, _BOXES.times, name)


def _ascii(encoding: str) -> Glyphs:
    return Glyphs("+-++", "+-++", "+-++", "|", "...", "x", encoding)


def output_encoding() -> str:
    """The encoding of standard output, UTF-8 where it has none."""
    return getattr(sys.stdout, "encoding", None) or "utf-8"
