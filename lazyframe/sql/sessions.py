"""Sessions: where queries in SQL find the views and tables that others made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from lazyframe.boundary import public
from lazyframe.checks import check_name
from lazyframe.planner.errors import InvalidArgumentError, TableNotFoundError, did_you_mean
from lazyframe.sql.caller import caller_scopes
from lazyframe.sql.entries import Entries
from lazyframe.sql.nouns import a_type
from lazyframe.sql.plan_cache import PlanCache, signature
from lazyframe.sql.resolver import Resolver, Scopes

if TYPE_CHECKING:
    from lazyframe.frame import LazyFrame
    from lazyframe.sql.running import Outcome


_BYTE_ORDER_MARK = "\ufeff"
"""What some editors begin a file with."""

_LONGEST = 100_000
"""Texts up to so many characters are remembered with their plans."""


class Session:
    """Views, tables and registered objects by name, which the SQL run in it can read. `lf.sql` has one of its own.

    Example:
        >>> session = lf.Session()
        >>> session.register("cities", lf.from_dict({"city": ["Rome", "Oslo"], "t": [31, 12]}))
        >>> session.sql("create view warm as select city from cities where t > 20").to_dicts()
        [{'status': 'CREATE VIEW'}]
        >>> session.sql("from warm").to_dicts(), session.tables()
        ([{'city': 'Rome'}], ['cities', 'warm'])
    """

    def __init__(self) -> None:
        self._entries = Entries()
        self._plans = PlanCache()

    def __repr__(self) -> str:
        names = self.tables()
        return f"Session({', '.join(names)})" if names else "Session()"

    @public
    def sql(self, query: str, /, dialect: str = "duckdb", params: Any = None, **frames_or_params: Any) -> LazyFrame:
        """As `lf.sql`, with the views and tables of this session."""
        scopes = caller_scopes()
        return self._run(query, dialect, params, frames_or_params, lambda: scopes)

    @public
    def register(self, name: str, frame: Any) -> None:
        """Give a frame, or any object that holds rows, a name in this session. What had that name before is forgotten.

        Args:
            name: in SQL it is found without regard to case.
            frame: a frame, an Arrow table, a pandas or polars frame, whatever exports `__arrow_c_stream__`.

        Raises:
            InvalidArgumentError: where it holds no rows.
        """
        check_name("a table", name)
        self._entries.register(name, frame)
        self._plans.clear()

    @public
    def unregister(self, name: str) -> None:
        """Forget a name, whatever it stands for.

        Raises:
            TableNotFoundError: where there is none such.
        """
        self._entries.remove(self._known(name))
        self._plans.clear()

    def tables(self) -> list[str]:
        """The names of all views, tables and registered objects."""
        return self._entries.names()

    @public
    def table(self, name: str) -> LazyFrame:
        """What a name stands for, as a frame.

        Raises:
            TableNotFoundError: where there is none such.
        """
        from lazyframe.eager import made

        found = self._entries.find(self._known(name), quoted=True)
        assert found is not None
        return made(found[1].read(found[0]))

    def _known(self, name: str) -> str:
        found = self._entries.find(check_name("a table", name))
        if found is None:
            raise TableNotFoundError(f"there is no table {name!r}", hint=did_you_mean(name, self.tables()))
        return found[0]

    # For all who have SQL to run.

    def _run(self, query: str, dialect: str, params: Any, named: Mapping[str, Any], scopes: Scopes) -> LazyFrame:
        """What the last statement of a text gives."""
        from lazyframe.dataframe import DataFrame
        from lazyframe.eager import made

        if not isinstance(query, str):
            raise InvalidArgumentError(f"a query is a text, not {a_type(query)}")
        resolver, values = self._given(params, named, scopes)
        query = query.removeprefix(_BYTE_ORDER_MARK)
        try:
            found = self._frame(query, dialect, values, resolver)
        finally:
            resolver.close()
        return found if isinstance(found, DataFrame) else made(found._plan)

    def _frame(
        self, query: str, dialect: str, values: Mapping[str, Any] | Sequence[Any], resolver: Resolver
    ) -> LazyFrame:
        from lazyframe.frame import LazyFrame

        signed = signature(values) if len(query) <= _LONGEST else None
        key = (query, dialect, signed)
        if signed is not None:
            plan = self._plans.find(key, resolver, self._entries.version)
            if plan is not None:
                return LazyFrame(plan)
        last: Outcome | None = None
        count = 0
        for outcome in self._outcomes(query, dialect, values, resolver):
            last, count = outcome, count + 1
        assert last is not None, "a text without statements is an error"
        if count == 1 and last.done is None and signed is not None:
            self._plans.keep(key, last.frame._plan, resolver, self._entries.version)
        return last.frame

    def _prepared(self, query: str, dialect: str, params: Any, named: Mapping[str, Any], scopes: Scopes) -> LazyFrame:
        """A query, in which parameters that are not given stay."""
        from lazyframe.planner.sql.reading.statements import SelectStatement, statements
        from lazyframe.sql.parameters import Marks
        from lazyframe.sql.running import Run

        resolver, given = self._given(params, named, scopes)
        query = query.removeprefix(_BYTE_ORDER_MARK)
        found = statements(query, dialect)
        if len(found) != 1 or not isinstance(found[0], SelectStatement):
            raise InvalidArgumentError("prepare() takes one query, which is a SELECT")
        values = Marks(query, [found[0].tree]).values(given, waiting=True)
        try:
            (outcome,) = Run(query, dialect, self._entries, resolver, values).outcomes(found)
        finally:
            resolver.close()
        return outcome.frame

    def _each(
        self, query: str, dialect: str, params: Any, named: Mapping[str, Any], scopes: Scopes
    ) -> Iterator[Outcome]:
        """What each statement of a text gives, run as it is asked for."""
        resolver, values = self._given(params, named, scopes)
        return self._outcomes(query.removeprefix(_BYTE_ORDER_MARK), dialect, values, resolver)

    def _given(
        self, params: Any, named: Mapping[str, Any], scopes: Scopes
    ) -> tuple[Resolver, Mapping[str, Any] | Sequence[Any]]:
        from lazyframe.sql.parameters import joined, parted

        frames, plain = parted(named) if named else ({}, {})
        return Resolver(self._entries, frames, scopes), joined(params, plain)

    def _outcomes(
        self, query: str, dialect: str, values: Mapping[str, Any] | Sequence[Any], resolver: Resolver
    ) -> Iterator[Outcome]:
        from lazyframe.planner.sql.reading.statements import statements
        from lazyframe.sql.parameters import Marks
        from lazyframe.sql.running import Run

        found = statements(query, dialect)
        values = Marks(query, [statement.tree for statement in found]).values(values)
        version = self._entries.version
        for outcome in Run(query, dialect, self._entries, resolver, values).outcomes(found):
            if self._entries.version != version:
                # Plans over what is gone would hold its rows.
                self._plans.clear()
                version = self._entries.version
            yield outcome


@cache
def default_session() -> Session:
    """The session of `lf.sql`."""
    return Session()


@public
def sql(query: str, /, dialect: str = "duckdb", params: Any = None, **frames_or_params: Any) -> LazyFrame:
    """A query in SQL as a frame. It has not run: verbs and SQL mix, and both make the same plans.

    A table is, in this order: a frame given by keyword; a view or table of the session; a variable of the caller that holds
    rows (a frame, an Arrow table, a pandas or polars frame, a DuckDB relation, whatever exports `__arrow_c_stream__`); a
    file, pattern, folder or URL in quotes. CREATE, DROP and COPY happen at once, and of several statements the last gives
    the result.

    Args:
        query: one or more statements, with `;` between.
        dialect: any that sqlglot reads: how the text is written.
        params: values for `?` and `$1`, as a list; for `$name` and `:name`, as a dict.
        frames_or_params: frames by the names that the query uses; other values are parameters.

    Raises:
        SqlSyntaxError: for what is no SQL, with its place.
        TableNotFoundError, ColumnNotFoundError, FunctionNotFoundError: for a name that means nothing, with the nearest ones.
        UnsupportedError: for what is understood but not supported.

    Example:
        >>> cities = lf.from_dict({"city": ["Rome", "Oslo"], "t": [31, 12]})
        >>> lf.sql("select city from cities where t > $least", least=20).to_dicts()
        [{'city': 'Rome'}]
    """
    scopes = caller_scopes()
    return default_session()._run(query, dialect, params, frames_or_params, lambda: scopes)
