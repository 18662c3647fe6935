"""Checks of plain arguments: choices, names, flags, numbers of rows, types."""

from __future__ import annotations

from typing import Any

from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.types import parse_type


def flags(name: str, given: Any, count: int) -> list[bool]:
    """One flag for each of `count` keys, from one for all or a list."""
    if isinstance(given, bool):
        return [given] * count
    found = list(given)
    if len(found) != count or not all(isinstance(flag, bool) for flag in found):
        raise InvalidArgumentError(
            f"{name} has {len(found)} values for {count} keys", hint="give one for all, or one each"
        )
    return found


def check_choice(name: str, given: object, choices: tuple[str, ...]) -> None:
    """Raise where an argument is none of its choices."""
    if given not in choices:
        from lazyframe.planner.errors import did_you_mean

        hint = did_you_mean(given, choices) if isinstance(given, str) else None
        raise InvalidArgumentError(
            f"{name} is one of {', '.join(map(repr, choices))}, not {given!r}",
            hint=hint if hint and "?" in hint else None,
        )


def check_name(what: str, name: object) -> str:
    """The name that was given, which is a string."""
    if not isinstance(name, str):
        raise InvalidArgumentError(f"the name of {what} is a string, not {name!r}")
    return name


def wanted_type(dtype: Any) -> Any:
    """The type that the user names."""
    try:
        return parse_type(dtype)
    except ValueError as error:
        raise InvalidArgumentError(str(error)) from None


def integer(name: str, value: Any) -> int:
    """A number of rows given by the user, forwards or backwards."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidArgumentError(f"{name} is a whole number, not {value!r}")
    return value


def whole_number(name: str, value: Any) -> int:
    """A count given by the user."""
    if integer(name, value) < 0:
        raise InvalidArgumentError(f"{name} is a whole number of 0 or more, not {value!r}")
    return value
