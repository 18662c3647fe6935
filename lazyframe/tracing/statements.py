"""The statements of a traced function: what happens to the variables, and which rows leave a block early.

Where a condition depends on a column, both ways are gone: rows that leave a block on one of them (`return`, `break`,
`continue`) do not take part in what follows, which a choice around each later value says. So nothing is written twice, and
nothing is computed for a row that does not get there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import Any, NamedTuple

from lazyframe.expr import Expr
from lazyframe.functions import lit
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.nouns import counted
from lazyframe.tracing.branches import NOTHING, Condition, chosen, either, merged, pick
from lazyframe.tracing.expressions import Evaluator
from lazyframe.tracing.source import Source

LONGEST = 10_000
"""How many rounds of one loop are unrolled."""
DEEPEST = 100
"""How deep traced functions may call each other."""


class Outcome(NamedTuple):
    """Which rows leave a block, and how. No row leaves it twice; `value` has a meaning for those that return, and
    `variables` for those that go on somewhere else.
    """

    returns: Condition = False
    value: Any = NOTHING
    breaks: Condition = False
    continues: Condition = False
    variables: Mapping[str, Any] = MappingProxyType({})

    @property
    def resumes(self) -> Condition:
        """The rows that go on after the loop, or with its next round."""
        return either(self.breaks, self.continues)

    @property
    def leaves(self) -> Condition:
        return either(self.returns, self.resumes)


GOES_ON = Outcome()


def _decided(condition: Condition, first: Outcome, second: Outcome) -> Mapping[str, Any]:
    """The variables of rows that go on elsewhere."""
    if second.resumes is False:
        return first.variables
    return second.variables if first.resumes is False else merged(condition, first.variables, second.variables)


def followed(first: Outcome, second: Outcome) -> Outcome:
    """A block after another: its rows are those that the first has not left."""
    gone = first.leaves
    return Outcome(
        pick(gone, first.returns, second.returns),
        chosen(first.returns, first.value, second.value),
        pick(gone, first.breaks, second.breaks),
        pick(gone, first.continues, second.continues),
        _decided(first.resumes, first, second),
    )


def branched(condition: Condition, then: Outcome, otherwise: Outcome) -> Outcome:
    """Two blocks, of which each row takes one."""
    return Outcome(
        pick(condition, then.returns, otherwise.returns),
        chosen(condition, then.value, otherwise.value),
        pick(condition, then.breaks, otherwise.breaks),
        pick(condition, then.continues, otherwise.continues),
        _decided(condition, then, otherwise),
    )


class Tracer(Evaluator):
    """Goes through the statements of one call.

    Args:
        source: the function.
        variables: its arguments by name.
        depth: how many traced functions are around.
    """

    def block(self, statements: Sequence[ast.stmt]) -> Outcome:
        """Go through statements; afterwards the variables are those of the rows that have not left."""
        passed: list[tuple[ast.AST, Outcome]] = []
        last = GOES_ON
        for statement in statements:
            place = getattr(statement, "test", statement)
            with self.source.at(place):
                found = self.statement(statement)
            leaves = found.leaves
            if leaves is True:
                last = found
                break
            if leaves is not False:
                passed.append((place, found))
        for place, outcome in reversed(passed):
            with self.source.at(place):
                last = followed(outcome, last)
        return last

    def statement(self, statement: ast.stmt) -> Outcome:
        """Go through one statement."""
        match statement:
            case ast.Return(value=value):
                return Outcome(True, None if value is None else self.value(value))
            case ast.Assign(targets=targets, value=value):
                found = self.value(value)
                for target in targets:
                    self.assign(target, found)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self.assign(target, self.value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                if not isinstance(target, ast.Name):
                    self.refuse(target, "only variables are assigned", "use a variable of its own")
                old = self.variable(target.id, target)
                if isinstance(old, (list, dict, set)):
                    self.refuse(statement, "a list cannot be changed", "make another: a = [*a, b]")
                self.assign(target, self.operate(statement, op, old, self.value(value)))
            case ast.If():
                return self._if(statement)
            case ast.For():
                return self._for(statement)
            case ast.While():
                return self._while(statement)
            case ast.Break():
                return Outcome(breaks=True, variables=self.variables)
            case ast.Continue():
                return Outcome(continues=True, variables=self.variables)
            case ast.Expr(value=value):
                if not isinstance(value, ast.Constant):
                    self.value(value)
            case ast.Pass():
                pass
            case _:
                name = type(statement).__name__.lower()
                self.refuse(statement, f"{name} cannot be traced", "write it with if, for, assignments and return")
        return GOES_ON

    def _if(self, statement: ast.If) -> Outcome:
        condition = self.condition(statement.test)
        if isinstance(condition, bool):
            return self.block(statement.body if condition else statement.orelse)
        before = self.variables
        self.variables = dict(before)
        then = self.block(statement.body)
        of_then, self.variables = self.variables, dict(before)
        otherwise = self.block(statement.orelse)
        if then.leaves is True:
            pass  # no row goes on with the variables of the other branch
        elif otherwise.leaves is True:
            self.variables = of_then
        else:
            self.variables = merged(condition, of_then, self.variables)
        return branched(condition, then, otherwise)

    def _for(self, statement: ast.For) -> Outcome:
        return self._loop(statement, iter(self.items(statement.iter)))

    def _while(self, statement: ast.While) -> Outcome:
        return self._loop(statement, None)

    def _loop(self, statement: ast.For | ast.While, items: Iterator[Any] | None) -> Outcome:
        """The rounds of a loop, one after the other; of `while` where there are no items."""
        passed: list[Outcome] = []
        for number in count(1):
            with self.source.at(statement):
                if not self._begins(statement, items):
                    return self._ended(statement, passed)
                if number > LONGEST:
                    self.refuse(
                        statement,
                        f"a loop is longer than {counted(LONGEST, 'round')}",
                        "each round becomes part of the expression: make it shorter, or use fallback=True",
                    )
            found = self.block(statement.body)
            if found.leaves is True:
                self.variables = dict(found.variables)
            elif found.continues is not False:
                self.variables = merged(found.continues, found.variables, self.variables)
            found = found._replace(continues=False)
            if found.leaves is not False:
                passed.append(found)
            if found.leaves is True:
                break
        return self._after(passed, GOES_ON)

    def _ended(self, statement: ast.For | ast.While, passed: list[Outcome]) -> Outcome:
        """A loop that has come to its end, for the rows that have not left."""
        if not statement.orelse:
            return self._after(passed, GOES_ON)
        if any([outcome.breaks is not False for outcome in passed]):
            self.refuse(
                statement.orelse[0],
                "the else of a loop whose break depends on a column cannot be traced",
                "note in a variable whether the loop was left",
            )
        return self._after(passed, self.block(statement.orelse))

    def _after(self, passed: list[Outcome], last: Outcome) -> Outcome:
        """What follows the rounds of a loop: rows that broke off go on as well, with the variables that they had."""
        for outcome in reversed(passed):
            if outcome.breaks is not False:
                self.variables = merged(outcome.breaks, outcome.variables, self.variables)
            last = followed(outcome, last)._replace(breaks=last.breaks, variables=last.variables)
        return last

    def _begins(self, statement: ast.For | ast.While, items: Iterator[Any] | None) -> bool:
        """Whether there is another round, whose variable is set."""
        if isinstance(statement, ast.For):
            assert items is not None
            for item in items:
                self.assign(statement.target, item)
                return True
            return False
        condition = self.condition(statement.test)
        if isinstance(condition, Expr):
            self.refuse(
                statement.test,
                "how often a while loop runs depends on a column",
                "write a for loop over a range that is long enough, with if ...: break",
            )
        return condition


def traced(source: Source, args: tuple[Any, ...], kwargs: Mapping[str, Any], depth: int = 0) -> Any:
    """What a function gives for expressions.

    Args:
        source: the function.
        args, kwargs: what it is called with.
        depth: how many traced functions are around.

    Raises:
        UnsupportedError: for what cannot be traced, at its line in the function.
        UserFunctionError: where a part of it that depends on no column fails.
    """
    if depth > DEEPEST:
        source.refuse(
            source.node,
            f"it calls itself, more than {DEEPEST} calls deep",
            "let a number that is no column say how deep it goes, or write a loop",
        )
    try:
        given = source.signature.bind(*args, **kwargs)
    except TypeError as error:
        raise InvalidArgumentError(f"{source.name}(): {error}", hint=f"write {source.name}{source.signature}") from None
    given.apply_defaults()
    found = Tracer(source, dict(given.arguments), depth).block(source.body)
    with source.at(source.node):
        return _column(None if found.returns is False else chosen(found.returns, found.value, None))


def _column(value: Any) -> Any:
    """A constant as an expression too, since the same function gives one elsewhere."""
    if isinstance(value, (Expr, tuple, list, dict)):
        return value
    return lit(value)


__all__ = ["traced"]
