"""Text made visible: what a terminal or a browser would swallow, act upon or confuse is shown as an escape."""

from __future__ import annotations

import unicodedata

_ZERO_WIDTH_JOINER = "\u200d"
_ZERO_WIDTH_NON_JOINER = "\u200c"
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str, *, quote: bool = False, reserved: str | None = None, cut: bool = False) -> str:
    r"""Return `text` bare where that reads unambiguously, else in double quotes with escapes.

    Quotes stand around an empty text, outer blanks, a leading quote and anything that needs an escape, so
    `"a\n"` in quotes is a newline while bare `C:\new` is a backslash and an `n`.

    Args:
        text: any string; lone surrogates U+DC80..U+DCFF stand for bytes that were not UTF-8.
        quote: always quote (strings inside lists and structs).
        reserved: a word that must be quoted when it is the text itself (`null`).
        cut: the text is the beginning of a longer one: an ellipsis is added in place of the closing quote.

    >>> visible("plain"), visible("two\nlines"), visible("null", reserved="null"), visible("")
    ('plain', '"two\\nlines"', '"null"', '""')
    """
    ending = "…" if cut else ""
    needs_escape = not (text.isascii() and text.isprintable()) and any(
        _is_hidden(text, index) for index in range(len(text))
    )
    if not needs_escape and not quote:
        outer_blanks = text[:1].isspace() or (text[-1:].isspace() and not cut)
        if text and text != reserved and not outer_blanks and not text.startswith('"'):
            return text + ending
    body = "".join(
        _escape(character) if needs_escape and _is_hidden(text, index) else _in_quotes(character)
        for index, character in enumerate(text)
    )
    return f'"{body}{ending}' if cut else f'"{body}"'


def _is_hidden(text: str, index: int) -> bool:
    """Whether the character would be invisible or change how its surroundings are laid out."""
    character = text[index]
    if character == _ZERO_WIDTH_JOINER:
        return not (0 < index < len(text) - 1 and _is_pictograph(text[index - 1]) and _is_pictograph(text[index + 1]))
    if character == _ZERO_WIDTH_NON_JOINER:
        return index == 0
    if not character.isprintable():
        return unicodedata.category(character) != "Zs"
    # A combining mark with nothing before it would attach to the table's own border.
    return index == 0 and unicodedata.category(character) in ("Mn", "Me")


def _is_pictograph(character: str) -> bool:
    """Emoji, skin tones and the variation selector: where a joiner makes one picture out of two."""
    return character == "\ufe0f" or unicodedata.category(character) in ("So", "Sk")


def _in_quotes(character: str) -> str:
    return "\\" + character if character in '"\\' else character


def _escape(character: str) -> str:
    short = _SHORT_ESCAPES.get(character)
    if short is not None:
        return short
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
