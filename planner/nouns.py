"""English in messages."""

from __future__ import annotations


def with_article(noun: str) -> str:
    """A noun with `a` or `an`.

    Example:
        >>> with_article("object"), with_article("dict"), with_article("uint8"), with_article("ndarray")
        ('an object', 'a dict', 'a uint8', 'an ndarray')
    """
    return f"{'an' if noun.lower().startswith(_VOWELS) else 'a'} {noun}"


_VOWELS = ("a", "e", "i", "o", "nd")  # as they are spoken: an integer, a uint8, an n-d-array


def counted(count: int, noun: str) -> str:
    """A number of things.

    Example:
        >>> counted(1, "row"), counted(0, "row")
        ('1 row', '0 rows')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


__all__ = ["counted", "with_article"]
