"""What the statements of a text do: queries become plans, the others happen at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from sqlglot import exp

from lazyframe import session
from lazyframe.dataframe import DataFrame
from lazyframe.frame import LazyFrame
from lazyframe.planner import arrow
from lazyframe.planner.build.projection import check_distinct
from lazyframe.planner.errors import InvalidArgumentError, TableNotFoundError, TypeMismatchError, did_you_mean
from lazyframe.planner.relations import Plan
from lazyframe.planner.relations.project import renamed
from lazyframe.planner.site import ambient
from lazyframe.planner.sql import bind_query
from lazyframe.planner.sql.reading.positions import SqlSite
from lazyframe.planner.sql.reading.statements import (
    CopyStatement,
    CreateStatement,
    DescribeStatement,
    DropStatement,
    ExplainStatement,
    SelectStatement,
    ShowTablesStatement,
    Statement,
    describe_statement,
)
from lazyframe.sql.copying import copied
from lazyframe.sql.descriptions import descriptions, with_queries_around
from lazyframe.sql.entries import Entries, Entry
from lazyframe.sql.explanation import Explanation
from lazyframe.sql.parameters import list_hint
from lazyframe.sql.resolver import Resolver
from lazyframe.sql.summaries import described, summarized


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a statement gave: its rows, and, where it is no query, what it did: `CREATE VIEW`, `COPY`."""

    frame: LazyFrame
    done: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """The statements of one text on the names of one session."""

    text: str
    dialect: str
    entries: Entries
    resolver: Resolver
    parameters: Mapping[str, Any] | Sequence[Any]

    def outcomes(self, statements: Sequence[Statement]) -> Iterator[Outcome]:
        """One statement after the other: what one creates the next can read."""
        for statement in statements:
            yield self._outcome(statement)

    def bound(self, query: exp.Expr) -> Plan:
        """The plan of a query."""
        for place in descriptions(query, self.text):
            name = self.resolver.lend(LazyFrame(self._description(place)))
            place.replace(exp.Table(this=exp.Identifier(this=name, quoted=True)))
        try:
            return bind_query(query, self.text, self.resolver, self.parameters, self.dialect)
        except (TypeMismatchError, InvalidArgumentError) as error:
            error.hint = error.hint or list_hint(query, self.parameters)
            raise

    def _description(self, place: exp.Expr) -> Plan:
        """What a DESCRIBE, SUMMARIZE or SHOW TABLES within a query gives."""
        if not isinstance(place, (exp.Describe, exp.Summarize)):
            return self._tables()
        statement = describe_statement(place, self.text, self.dialect)
        plan = self.bound(with_queries_around(statement.query, place))
        return summarized(plan) if statement.summarize else described(plan)

    def _tables(self) -> Plan:
        names = pa.table({"name": arrow.array(self.entries.names(), pa.string())})
        return session.memory_scan(names, "SHOW TABLES")

    def _outcome(self, statement: Statement) -> Outcome:
        match statement:
            case SelectStatement():
                return Outcome(LazyFrame(self.bound(statement.tree)))
            case CreateStatement():
                return self._create(statement)
            case DropStatement():
                return self._drop(statement)
            case CopyStatement():
                return self._copy(statement)
            case DescribeStatement():
                plan = self.bound(statement.query)
                return Outcome(LazyFrame(summarized(plan) if statement.summarize else described(plan)))
            case ShowTablesStatement():
                return Outcome(LazyFrame(self._tables()))
            case ExplainStatement():
                return self._explain(statement)

    def _create(self, statement: CreateStatement) -> Outcome:
        name = statement.name.name
        found = self._entry(statement.name)
        done = f"CREATE {statement.kind.upper()}"
        if found is not None:
            if statement.if_not_exists:
                return Outcome(_status(done), done)
            known, entry = found
            if entry.kind != statement.kind or not statement.replace:
                raise self._exists(statement, known, entry)
            name = known
        plan = _renamed(self.bound(statement.query), statement, self.text)
        if statement.kind == "view":
            self.entries.set(name, Entry("view", plan))
            return Outcome(_status(done), done)
        table = session.execute(plan)
        self.entries.set(name, Entry("table", session.memory_scan(table, name, plan.schema)))
        return Outcome(_counted(table.num_rows), done)

    def _exists(self, statement: CreateStatement, name: str, entry: Entry) -> InvalidArgumentError:
        if entry.kind == "object":
            what, hint = "is an object that was registered", f"unregister({name!r}) forgets it"
        elif entry.kind != statement.kind:
            what, hint = f"is a {entry.kind}", f"write DROP {entry.kind.upper()} {name} first"
        else:
            what, hint = "exists", f"write CREATE OR REPLACE {entry.kind.upper()}"
        return InvalidArgumentError(f"{name!r} {what} already", hint=hint, site=SqlSite(self.text, statement.name))

    def _drop(self, statement: DropStatement) -> Outcome:
        found: list[str] = []
        for identifier in statement.names:
            known = self._entry(identifier)
            if known is None:
                if statement.if_exists:
                    continue
                raise TableNotFoundError(
                    f"there is no {statement.kind} {identifier.name!r}",
                    hint=did_you_mean(identifier.name, self.entries.names()),
                    site=SqlSite(self.text, identifier),
                )
            name, entry = known
            if entry.kind != statement.kind:
                hint = f"unregister({name!r})" if entry.kind == "object" else f"DROP {entry.kind.upper()} {name}"
                raise InvalidArgumentError(
                    f"{name!r} is no {statement.kind}", hint=f"write {hint}", site=SqlSite(self.text, identifier)
                )
            found.append(name)
        for name in dict.fromkeys(found):
            self.entries.remove(name)
        done = f"DROP {statement.kind.upper()}"
        return Outcome(_status(done), done)

    def _entry(self, identifier: exp.Identifier) -> tuple[str, Entry] | None:
        return self.entries.find(identifier.name, quoted=bool(identifier.args.get("quoted")))

    def _copy(self, statement: CopyStatement) -> Outcome:
        plan = self.bound(statement.query)
        outer = ambient.site
        # What cannot be written is an error at the name of the file.
        ambient.site = SqlSite(self.text, statement.target)
        try:
            rows = copied(plan, self._target(statement), statement.options, self.text)
        finally:
            ambient.site = outer
        return Outcome(_counted(rows), "COPY")

    def _target(self, statement: CopyStatement) -> str:
        target = statement.target
        if not isinstance(target, (exp.Placeholder, exp.Parameter)):
            return target.name
        if isinstance(self.parameters, Mapping):
            value = self.parameters[target.name]
        else:
            value = self.parameters[int(target.name) - 1]
        if isinstance(value, str):
            return value
        raise InvalidArgumentError(
            f"the file to write is named by a text, not by {value!r}", site=SqlSite(self.text, target)
        )

    def _explain(self, statement: ExplainStatement) -> Outcome:
        plan = self.bound(statement.query)
        from lazyframe.explaining import explain

        text = explain(plan, optimized=True, verbose=statement.verbose, analyze=statement.analyze)
        return Outcome(Explanation(text), "EXPLAIN")


def _renamed(plan: Plan, statement: CreateStatement, text: str) -> Plan:
    if not statement.columns:
        return plan
    names = plan.schema.names
    if len(statement.columns) != len(names):
        raise InvalidArgumentError(
            f"{len(statement.columns)} names are given for {len(names)} columns", site=SqlSite(text, statement.name)
        )
    new = dict(zip(names, statement.columns, strict=True))
    check_distinct(list(new.values()), (), "give each column a name of its own")
    return renamed(plan, new)


def _counted(rows: int) -> DataFrame:
    return DataFrame(pa.table({"count": arrow.array([rows], pa.int64())}))


def _status(done: str) -> DataFrame:
    return DataFrame(pa.table({"status": arrow.array([done], pa.string())}))
