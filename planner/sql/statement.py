"""What all parts of one statement share: its text, its parameters, the names that are taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlglot import exp
from sqlglot.errors import ErrorLevel

from lazyframe.planner.bind import call
from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError, did_you_mean
from lazyframe.planner.scalars import PARAMETER, Literal, Parameter, Scalar
from lazyframe.planner.site import ambient, spoken
from lazyframe.planner.sql.names.scope import Scope
from lazyframe.planner.sql.reading.positions import SqlSite, own_extent
from lazyframe.planner.types import NULL, DataType
from lazyframe.planner.unbound import Placeholder

if TYPE_CHECKING:
    from lazyframe.planner.sql.expressions.binder import Expressions
    from lazyframe.planner.sql.expressions.quantified import Rows
    from lazyframe.planner.sql.names.catalog import Catalog

Parameters = Mapping[str, Any] | Sequence[Any]

_HARMLESS = frozenset({"comments"})
_CLAUSES = {"locks": "FOR UPDATE"}
"""Clauses that sqlglot calls otherwise than SQL does."""


class Statement:
    """One statement being bound.

    Args:
        text: as the user wrote it, for errors.
        catalog: where names lead.
        parameters: values for `$name` and `:name`, or for `?` and `$1` in order.
        dialect: the dialect that it was read in.
    """

    def __init__(self, text: str, catalog: Catalog, parameters: Parameters = (), dialect: str = "duckdb") -> None:
        self.text = text
        self.catalog = catalog
        self.parameters = parameters
        self.dialect = dialect
        self._taken: set[str] = set()
        self._numbers: Counter[str] = Counter()
        """How far names that were taken are counted: a long statement asks for the same one thousands of times."""
        self._uses: Counter[str] | None = None
        self._items: list[tuple[int, int, str]] | None = None
        self.root: exp.Expr | None = None
        self.types: dict[Placeholder, DataType] = {}
        """Of parameters that have no type of their own, the type that they have in this statement."""
        self.untyped: dict[Placeholder, exp.Expr] = {}
        """Parameters without a type that were met, and where first."""

    @contextmanager
    def at(self, tree: exp.Expr) -> Iterator[None]:
        """What is wrong in the meantime is wrong at a part of the text."""
        outer = ambient.site
        ambient.site = SqlSite(self.text, tree)
        try:
            yield
        finally:
            ambient.site = outer

    def uses(self, name: str) -> int:
        """How often a table of that name, without regard to case, is written in the statement."""
        if self._uses is None:
            tables = [] if self.root is None else self.root.find_all(exp.Table)
            self._uses = Counter([table.name.casefold() for table in tables])
        return self._uses[name]

    def fresh(self, base: str) -> str:
        """A name for a column that no other column in the statement has."""
        name = base
        while name in self._taken:
            self._numbers[base] += 1
            name = f"{base}:{self._numbers[base]}"
        self._taken.add(name)
        return name

    def defines(self, name: str) -> bool:
        """Whether some WITH of the statement names a query so."""
        ctes = [] if self.root is None else self.root.find_all(exp.CTE)
        return any([cte.alias.casefold() == name.casefold() for cte in ctes])

    def subquery(self, tree: exp.Expr, scope: Scope) -> Rows:
        """A query within an expression."""
        from lazyframe.planner.sql.expressions.quantified import Rows
        from lazyframe.planner.sql.queries.query import bound_query

        rows = bound_query(self, tree, scope, scope.ctes)
        return Rows(rows.plan, tuple([value.name for _, value in rows.columns]), tuple(rows.outers.items()))

    def written(self, tree: exp.Expr) -> str:
        """A part of the tree as SQL."""
        return tree.sql(
            dialect=self.dialect, normalize_functions="lower", comments=False, unsupported_level=ErrorLevel.IGNORE
        )

    def item_text(self, tree: exp.Expr) -> str | None:
        """An item of a SELECT list as it is written; None where that cannot be told."""
        from lazyframe.planner.sql.reading.items import item_spans

        if tree.find(exp.Query) is not None or (span := own_extent(tree)) is None:
            return None
        if self._items is None:
            self._items = item_spans(self.text, self.dialect)
        around = [item for item in self._items if item[0] <= span[0] and span[1] <= item[1]]
        return max(around)[2] if around else None

    def parameter(self, tree: exp.Expr) -> Any:
        """The value that was given for a parameter; a `Placeholder` where it is given when the query runs.

        Raises:
            InvalidArgumentError: where none was given.
        """
        name = tree.this.name if isinstance(tree.this, exp.Expr) else tree.this
        if not name:
            return self._by_position(0, "?", tree)
        if name.isdigit():
            return self._by_position(int(name) - 1, f"${name}", tree)
        if not isinstance(self.parameters, Mapping) or name not in self.parameters:
            known = list(self.parameters) if isinstance(self.parameters, Mapping) else []
            raise InvalidArgumentError(
                f"no value was given for the parameter {name!r}",
                hint=did_you_mean(name, known) or f"give it: sql(..., params={{{name!r}: ...}})",
                site=SqlSite(self.text, tree),
            )
        return self.parameters[name]

    def placeholder(self, place: Placeholder, tree: exp.Expr) -> Parameter:
        """A parameter that gets its value when the query runs."""
        dtype = place.dtype or self.types.get(place)
        if dtype is None:
            self.untyped.setdefault(place, tree)
        return Parameter(place.cell, NULL if dtype is None else dtype, place.index)

    def _by_position(self, index: int, shown: str, tree: exp.Expr) -> Any:
        if isinstance(self.parameters, Mapping):
            if (name := str(index + 1)) in self.parameters:
                return self.parameters[name]
            given = 0
        else:
            given = len(self.parameters)
            if 0 <= index < given:
                return self.parameters[index]
        raise InvalidArgumentError(
            f"no value was given for the parameter {shown} ({index + 1} of {given} given)",
            hint="give them in order: sql(..., params=[...])",
            site=SqlSite(self.text, tree),
        )

    def evaluated(self, e: Expressions, tree: exp.Expr, what: str) -> Any:
        """The value of an expression that must be constant, such as that of a LIMIT.

        Raises:
            InvalidArgumentError: where it depends on rows.
        """
        from lazyframe.planner.folding import folded
        from lazyframe.planner.relations import Project
        from lazyframe.planner.relations.values import ONE_ROW
        from lazyframe.planner.sql.outer import has_subquery, outers_of

        bound = folded(e.bind(tree))
        if isinstance(bound, Literal):
            return bound.value.as_py()
        if bound.holds & PARAMETER:
            raise e.error(
                tree,
                InvalidArgumentError,
                f"{what} is part of the plan, so that no parameter that gets its value later can stand there",
                hint="write the number into the SQL, or give the value to sql()",
            )
        if bound.columns or bound.holds_aggregate or bound.holds_window or has_subquery(bound) or outers_of(bound):
            raise e.error(tree, InvalidArgumentError, f"{what} must be a constant")
        return self.catalog.rows(Project(ONE_ROW, (("value", bound),)))["value"][0].as_py()

    def only(self, tree: exp.Expr, *known: str) -> None:
        """Refuse what is written in a part of a tree beside the arguments known: nothing is ever ignored.

        Raises:
            UnsupportedError: naming the clause.
        """
        for key, value in tree.args.items():
            if key in known or key in _HARMLESS or not value:
                continue
            place = value[0] if isinstance(value, list) else value
            words = _CLAUSES.get(key) or key.strip("_").replace("_", " ").upper()
            what = f"an argument of {spoken(tree.key)}" if isinstance(tree, exp.Func) else words
            raise UnsupportedError(
                f"{what} is not supported here",
                site=SqlSite(self.text, place if isinstance(place, exp.Expr) else tree),
            )

    def whole_row(self, scope: Scope, alias: str) -> Scalar | None:
        """The row of a table as a struct, where a table is named like a column."""
        tables = scope.named(alias)
        if len(tables) != 1 or not tables[0].columns:
            return None
        columns = tables[0].columns
        return call("make_struct", *[c.value for c in columns], names=tuple([c.name for c in columns]))


__all__ = ["Parameters", "Statement"]
