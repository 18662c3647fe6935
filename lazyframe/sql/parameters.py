"""The values of a text's parameters: `$name`, `:name`, `?` and `$1`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from sqlglot import exp

from lazyframe.planner.cells import Cell
from lazyframe.planner.errors import InvalidArgumentError, did_you_mean
from lazyframe.planner.site import TextSite
from lazyframe.planner.sql.reading.positions import SqlSite, text_site
from lazyframe.planner.unbound import Placeholder
from lazyframe.sql.nouns import a_type, frame_hint
from lazyframe.sql.objects import is_tabular
from lazyframe.sql.values import plain_value

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
    if isinstance(params, Mapping):
        for name in params:
            if not isinstance(name, str):
                raise InvalidArgumentError(f"the name of a parameter is a string, not {name!r}")
            if name in named:
                raise InvalidArgumentError(f"the parameter {name!r} is given twice")
        named = {**params, **named}
    if params is None or isinstance(params, Mapping):
        return dict(named)
    if isinstance(params, (np.ndarray, pa.Array)):
        params = params.tolist()
    if isinstance(params, (str, bytes)) or not isinstance(params, Sequence):
        raise InvalidArgumentError(
            f"params is a list of values or a dict of them, not {a_type(params)}", hint="write params=[...]"
        )
    if named:
        raise InvalidArgumentError(
            f"parameters are given by position and by name ({', '.join(named)})",
            hint="write $name for all, or ? for all",
        )
    return list(params)


def list_hint(query: exp.Expr, given: Mapping[str, Any] | Sequence[Any]) -> str | None:
    """What to write instead of `x IN ($list)`, where the query does."""
    for test in query.find_all(exp.In):
        marks = test.expressions
        if len(marks) == 1 and isinstance(marks[0], (exp.Placeholder, exp.Parameter)):
            name = marks[0].name
            value = given.get(name) if isinstance(given, Mapping) else given[int(name) - 1]
            if isinstance(value, list):
                return f"write IN ${name}, without parentheses, for a list of values"
    return None


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
        self._trees = trees
        self._lists: list[exp.Expr] = []
        if not _MARK.search(text):
            return
        unnumbered = 0
        for tree in trees:
            marks = sorted(tree.find_all(exp.Placeholder, exp.Parameter), key=_place)
            for mark in marks:
                _check_use(mark, text)
                if isinstance(mark.parent, exp.In) and mark is mark.parent.args.get("field"):
                    self._lists.append(mark)
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

    def values(
        self, given: Mapping[str, Any] | Sequence[Any], *, waiting: bool = False
    ) -> Mapping[str, Any] | Sequence[Any]:
        """The values as the planner takes them: each parameter used has one, and each is used.

        Args:
            given: the values of the user's.
            waiting: whether those that are not given get their values when the query runs.

        Raises:
            InvalidArgumentError: which names the parameter.
        """
        if waiting:
            given = self._with_places(given)
        if isinstance(given, Mapping):
            self._check_names(given)
            by_name = {name: self._plain(value, name, self.names[name]) for name, value in given.items()}
            self._check_lists(by_name)
            return by_name
        self._check_positions(given)
        found = [self._plain(value, str(number), self.positions[number]) for number, value in enumerate(given, 1)]
        self._check_lists({str(number): value for number, value in enumerate(found, 1)})
        return found

    def _with_places(self, given: Mapping[str, Any] | Sequence[Any]) -> Mapping[str, Any] | Sequence[Any]:
        """The values that are given, and for each of the others a place that waits for one."""
        if not self.positions:
            return (
                {**{name: Placeholder(Cell(name)) for name in self.names}, **given}
                if isinstance(given, Mapping)
                else given
            )
        if isinstance(given, Mapping) and given:
            return given
        return [*given, *[Placeholder(Cell(str(number))) for number in range(len(given) + 1, max(self.positions) + 1)]]

    def _plain(self, value: Any, name: str, mark: exp.Expr) -> Any:
        try:
            return plain_value(value, name)
        except InvalidArgumentError as error:
            error.site = self._site(name, mark)
            raise

    def _check_lists(self, given: Mapping[str, Any]) -> None:
        """Refuse `IN $x` where the value is none that holds others."""
        for mark in self._lists:
            value = given[mark.name]
            if value is not None and not isinstance(value, (list, dict, pa.Scalar, Placeholder)):
                raise InvalidArgumentError(
                    f"IN ${mark.name} takes a list of values, not {a_type(value)}",
                    hint="give a list, or write =",
                    site=SqlSite(self._text, mark),
                )

    def _check_names(self, given: Mapping[str, Any]) -> None:
        for number, mark in self.positions.items():
            raise InvalidArgumentError(
                f"parameter {number} has no value", hint="give params=[...]", site=SqlSite(self._text, mark)
            )
        for name, mark in self.names.items():
            if name not in given:
                hint = did_you_mean(name, given) if given else f"give {name}=..."
                raise InvalidArgumentError(
                    f"the parameter {name!r} has no value", hint=hint, site=self._site(name, mark)
                )
        for name, value in given.items():
            if name not in self.names:
                self._check_table(name, value)
                raise InvalidArgumentError(
                    f"the SQL does not use the parameter {name!r}, {a_type(value)}",
                    hint=did_you_mean(name, self.names) if self.names else f"write ${name} where its value belongs",
                )

    def _check_table(self, name: str, value: Any) -> None:
        """Say of a value that the SQL names as a table that it is none."""
        for tree in self._trees:
            for table in tree.find_all(exp.Table):
                if table.name.casefold() == name.casefold() and len(table.parts) == 1:
                    raise InvalidArgumentError(
                        f"{name!r} is {a_type(value)}, which holds no rows",
                        hint=frame_hint(name, value),
                        site=SqlSite(self._text, table.this),
                    )

    def _site(self, name: str, mark: exp.Expr) -> SqlSite | TextSite:
        """The first place of a parameter, also of one that is used more than once."""
        found = re.search(rf"[$:@]\s*{re.escape(name)}\b", self._text)
        if "start" in mark.meta or found is None:
            return SqlSite(self._text, mark)
        return text_site(self._text, found.start(), found.end() - 1)

    def _check_positions(self, given: Sequence[Any]) -> None:
        for name, mark in self.names.items():
            raise InvalidArgumentError(
                f"the parameter {name!r} has no value: params is a list",
                hint=f"give params={{{name!r}: ...}}, or {name}=...",
                site=self._site(name, mark),
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


def _check_use(mark: exp.Expr, text: str) -> None:
    """Refuse a parameter where a name is meant: its value would be a constant there.

    Raises:
        InvalidArgumentError: at the parameter.
    """
    if isinstance(mark.parent, exp.Table):
        raise InvalidArgumentError(
            "a parameter is a value and never a table",
            hint="name the frame and give it: sql('from t', t=frame); for a file write read_parquet($path) or read_csv($path)",
            site=SqlSite(text, mark),
        )
    if isinstance(mark.parent, exp.Ordered):
        raise InvalidArgumentError(
            "a parameter is a value and never a column: it would order nothing",
            hint="write the name of the column into the SQL",
            site=SqlSite(text, mark),
        )


def _place(mark: exp.Expr) -> int:
    for part in mark.walk():
        if "start" in part.meta:
            return int(part.meta["start"])
    return 0
