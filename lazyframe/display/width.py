"""Text measured in terminal cells: wide characters take two, combining ones none."""

from __future__ import annotations

import shutil
from bisect import bisect_right
from collections.abc import Iterable


def terminal_width() -> int:
    """Columns of the terminal, 80 where output is not one."""
    return shutil.get_terminal_size(fallback=(80, 24)).columns


def cells(text: str) -> int:
    """How many terminal cells `text` takes.

    >>> cells("abc"), cells("日本")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def shorten(text: str, width: int, ellipsis: str = "…") -> str:
    """Cut `text` to at most `width` cells, ending in the ellipsis where something was cut.

    >>> shorten("abcdef", 4), shorten("日本語", 4)
    ('abc…', '日…')
    """
    if cells(text) <= width:
        return text
    ellipsis = ellipsis[: max(width, 0)]
    room = width - len(ellipsis)
    if text.isascii():
        return text[: max(room, 0)] + ellipsis
    # The longest beginning that fits has its combining marks with it, since they take no room.
    end = bisect_right(range(len(text) + 1), room, key=lambda stop: cells(text[:stop])) - 1
    # A joiner with nothing to join would swallow the ellipsis.
    return text[: max(end, 0)].rstrip("\u200d") + ellipsis


def pad(text: str, width: int, *, right: bool) -> str:
    """Fill `text` with blanks up to `width` cells, on its left if it is to be right-aligned."""
    blanks = " " * (width - cells(text))
    return blanks + text if right else text + blanks


def wrap(text: str, width: int) -> list[str]:
    """Break a sentence at its blanks into lines of at most `width` cells."""
    lines: list[str] = []
    for word in text.split(" "):
        word = shorten(word, width)
        if lines and cells(lines[-1]) + 1 + cells(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def list_names(prefix: str, names: Iterable[str], width: int, *, complete: bool = True) -> str:
    """`prefix` and as many names as fit in a line of `width` cells; an ellipsis stands for the others.

    Args:
        prefix: how the line begins; alone where no name fits.
        names: names in order, only consumed as far as needed.
        width: cells of the line.
        complete: whether there are no names beyond these.

    >>> list_names("columns: ", ["a", "b", "c"], 16), list_names("columns: ", ["a", "b", "c"], 15)
    ('columns: a, b, c', 'columns: a, …')
    """
    pending = iter(names)
    line, following = prefix, next(pending, None)
    separator = ""
    while following is not None:
        name, following = following, next(pending, None)
        is_last = following is None and complete
        extended = f"{line}{separator}{name}"
        if cells(extended) + (0 if is_last else cells(", …")) > width:
            return f"{line}, …" if separator else shorten(prefix.rstrip(" :"), width)
        line, separator = extended, ", "
    return line if complete else f"{line}, …"
