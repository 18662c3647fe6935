"""The values of a text's parameters: `$name`, `:name`, `?` and `$1`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from lazyframe.planner.errors import InvalidArgumentError, did_you_mean
from lazyframe.planner.sql.reading.positions import SqlSite
from lazyframe.sql.objects import is_tabular

_MARK = re.compile(r"[$?@]|:\s*\w")


def parted(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Keyword arguments as frames and as parameters."""
    frames = {name: value for name, value in given.items() if is_tabular(value)}
    return frames, {name: value for name, value in given.items() if name not in frames}


def joined(params: Any, named: Mapping[str, Any]) -> Mapping[str, Any] | Sequence[Any]:
    """What `params=` and keyword arguments give together: values by name, or by position.

    Raises:
        InvalidArgumentError: where a name is given twice, or values by name and by position.
    """
    if params is None:
        return dict(named)
    if isinstance(params, Mapping):
        for name in params:
            if not isinstance(name, str):
                raise InvalidArgumentError(f"the name of a parameter is a string, not {name!r}")
            if name in named:
                raise InvalidArgumentError(f"the parameter {name!r} is given twice")
        return {**params, **named}
    if isinstance(params, (str, bytes)) or not isinstance(params, Sequence):
        raise InvalidArgumentError(
            f"params is a list of values or a dict of them, not a {type(params).__name__}", hint="write params=[...]"
        )
    if named:
        raise InvalidArgumentError(
            f"parameters are given by position and by name ({', '.join(named)})",
            hint="write $name for all, or ? for all",
        )
    return list(params)


class Marks:
    """The parameters that a text uses, over all its statements: those by name and those by position.

    Args:
        text: the text.
        trees: its statements.

    Raises:
        InvalidArgumentError: where it uses both sorts.
    """

    def __init__(self, text: str, trees: Sequence[exp.Expr]) -> None:
        self.names: dict[str, exp.Expr] = {}
        self.positions: dict[int, exp.Expr] = {}
        self._text = text
        if not _MARK.search(text):
            return
        unnumbered = 0
        for tree in trees:
            marks = sorted(tree.find_all(exp.Placeholder, exp.Parameter), key=_place)
            for mark in marks:
                name = mark.name
                if not mark.this:
                    unnumbered += 1
                    self.positions.setdefault(unnumbered, mark)
                elif name.isdecimal():
                    self.positions.setdefault(int(name), mark)
                else:
                    self.names.setdefault(name, mark)
        if self.names and self.positions:
            name, first = next(iter(self.names.items()))
            raise InvalidArgumentError(
                f"the SQL uses parameters by name (${name}) and by position",
                hint="write $name for all, or ? for all",
                site=SqlSite(text, first),
            )

    def check(self, given: Mapping[str, Any] | Sequence[Any]) -> None:
        """Check that each parameter used has a value, and each value is used.

        Raises:
            InvalidArgumentError: which names the parameter.
        """
        if isinstance(given, Mapping):
            self._check_names(given)
        else:
            self._check_positions(given)

    def _check_names(self, given: Mapping[str, Any]) -> None:
        for number, mark in self.positions.items():
            raise InvalidArgumentError(
                f"parameter {number} has no value", hint="give params=[...]", site=SqlSite(self._text, mark)
            )
        for name, mark in self.names.items():
            if name not in given:
                hint = did_you_mean(name, given) if given else f"give {name}=..."
                raise InvalidArgumentError(
                    f"the parameter {name!r} has no value", hint=hint, site=SqlSite(self._text, mark)
                )
        for name, value in given.items():
            if name not in self.names:
                raise InvalidArgumentError(
                    f"the SQL does not use the parameter {name!r} ({type(value).__name__})",
                    hint=did_you_mean(name, self.names) if self.names else f"write ${name} where its value belongs",
                )

    def _check_positions(self, given: Sequence[Any]) -> None:
        for name, mark in self.names.items():
            raise InvalidArgumentError(
                f"the parameter {name!r} has no value: params is a list",
                hint=f"give params={{{name!r}: ...}}, or {name}=...",
                site=SqlSite(self._text, mark),
            )
        for number, mark in self.positions.items():
            if not 1 <= number <= len(given):
                raise InvalidArgumentError(
                    f"parameter {number} has no value: params has {len(given)}", site=SqlSite(self._text, mark)
                )
        unused = [number for number in range(1, len(given) + 1) if number not in self.positions]
        if unused:
            used = max(self.positions, default=0)
            raise InvalidArgumentError(
                f"the SQL does not use parameter {unused[0]}: params has {len(given)} values and the SQL takes {used}"
            )


def _place(mark: exp.Expr) -> int:
    for part in mark.walk():
        if "start" in part.meta:
            return int(part.meta["start"])
    return 0
