"""Expressions as a program: a list of steps, each over values computed before it.

A subexpression that occurs several times is computed once. A CASE whose branches can raise is *guarded*: a branch must be
computed for the rows that take it and no others. It becomes steps like everything else, which run in a scope of their own:
the rows of a scope are some of its parent's, and a value known in the parent is narrowed to them instead of computed again.
So neither nesting nor sharing costs more than there are steps. AND, OR and COALESCE are guarded likewise where what comes
later can raise: it is computed for the rows that what comes before leaves open.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from lazyframe.executors.batch import Batch
from lazyframe.executors.vectorized.always import Always, guarded
from lazyframe.executors.vectorized.steps import State, Step, merge, narrow, split, step_of
from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.parameters import Literals
from lazyframe.planner.scalars import Case, Column, Literal, Parameter, Scalar
from lazyframe.planner.site import AnySite

ALL_ROWS = 0
"""The scope of all rows of the batch."""

_CONSTANTS = (Literal, Parameter)
_MOST_SCOPES = 100_000

_LEAVES = (Column, *_CONSTANTS)


class Program:
    """The steps that compute some expressions.

    Attributes:
        steps: in the order in which they run.
        scopes: of each step, where it runs.
        sites: of each step, where the user wrote what it computes.
        spent: of each step, the registers that are not needed after it, so that a long program holds few columns.
        outputs: the registers of the expressions' values; step n writes register n.
    """

    __slots__ = (
        "_expressions", "_inputs", "_keys", "_needs", "_parents", "_registers", "_site", "outputs", "scopes", "sites", "spent", "steps",
    )  # fmt: skip

    def __init__(self, expressions: Sequence[Scalar]) -> None:
        self.steps: list[Step] = []
        self.scopes: list[int] = []
        self.sites: list[AnySite | None] = []
        self._inputs: list[Sequence[int]] = []
        # Beside leaves, a single computation is equal to none: no digests are needed to find that out.
        self._keys: Callable[[Scalar], Hashable] = _structure if _may_share(expressions) else id
        self._parents = [ALL_ROWS]
        self._site: AnySite | None = None
        self._registers: list[dict[Hashable, int]] = [{}]
        self._expressions = expressions
        self._needs: Always | None = None
        for expression in expressions:
            self._site = expression.site
            self._compile(expression)
        self.outputs = [self._register(expression, ALL_ROWS) for expression in expressions]
        self.spent = self._last_uses()

    def state(self, batch: Batch, parameters: Literals) -> State:
        """The state in which a run over the batch begins."""
        return State(batch, len(self._parents), parameters)

    def _compile(self, expression: Scalar) -> None:
        # What is still to be done, the next at the end: an expression in a scope, or a step whose inputs are there by then.
        tasks: list[tuple[Scalar, int] | Callable[[], None]] = [(expression, ALL_ROWS)]
        while tasks:
            task = tasks.pop()
            if callable(task):
                task()
                continue
            scalar, scope = task
            if self._known(scalar, scope) is not None:
                continue
            if isinstance(scalar, _LEAVES):
                self._add(scalar, (), ALL_ROWS)
            elif (case := guarded(scalar)) is not None:
                self._open_case(case, scalar, scope, tasks)
            else:
                missing = [child for child in scalar.children() if self._known(child, scope) is None]
                if missing:
                    tasks.append(task)
                    tasks.extend((child, scope) for child in reversed(missing))
                else:
                    self._add(scalar, scalar.children(), scope)

    def _known(self, scalar: Scalar, scope: int) -> int | None:
        """The register of a value in a scope, narrowed from an outer one where it is known there; None where it is not."""
        key = self._keys(scalar)
        if isinstance(scalar, _CONSTANTS):
            return self._registers[ALL_ROWS].get(key)
        inner = []
        while (found := self._registers[scope].get(key)) is None:
            if scope == ALL_ROWS:
                return None
            inner.append(scope)
            scope = self._parents[scope]
        for scope in reversed(inner):
            found = self._append(narrow(found, scope), scope, None, (found,))
            self._registers[scope][key] = found
        return found

    def _append(self, step: Step, scope: int, site: AnySite | None, inputs: Sequence[int]) -> int:
        self.steps.append(step)
        self.scopes.append(scope)
        self.sites.append(site)
        self._inputs.append(inputs)
        return len(self.steps) - 1

    def _last_uses(self) -> list[list[int]]:
        spent: list[list[int]] = [[] for _ in self.steps]
        seen = set(self.outputs)
        for number in range(len(self.steps) - 1, -1, -1):
            for register in self._inputs[number]:
                if register not in seen:
                    seen.add(register)
                    spent[number].append(register)
        return spent

    def _add(self, scalar: Scalar, children: Sequence[Scalar], scope: int) -> None:
        inputs = [self._register(child, scope) for child in children]
        self._registers[scope][self._keys(scalar)] = self._append(
            step_of(scalar, inputs, scope), scope, scalar.site, inputs
        )

    def _register(self, scalar: Scalar, scope: int) -> int:
        found = self._known(scalar, scope)
        assert found is not None, "a step before what it needs"
        return found

    def _scope_below(self, parent: int) -> int:
        if len(self._parents) > _MOST_SCOPES:
            # Values that some branches share are computed in each of them, and so in the branches within, without end.
            raise UnsupportedError(
                f"an expression has choices within choices, with more than {_MOST_SCOPES:,} ways through them",
                hint="compute the inner ones first, in a with_columns() of their own; branches that cannot fail, such as those of "
                "floats, need no ways of their own",
                site=self._site,
            )
        self._parents.append(parent)
        self._registers.append({})
        return len(self._parents) - 1

    def _open_case(
        self, case: Case, scalar: Scalar, scope: int, tasks: list[tuple[Scalar, int] | Callable[[], None]]
    ) -> None:
        """Plan a guarded CASE, which `scalar` is or means: each condition divides the rows that those before it left."""
        pieces: list[tuple[int, int]] = []

        def divide(number: int, here: int) -> None:
            taken, rest = self._scope_below(here), self._scope_below(here)
            pieces.append((taken, rest))
            condition = self._register(case.conditions[number], here)
            self._append(split(condition, here, taken, rest), here, None, (condition,))
            if number + 1 < len(case.conditions):
                tasks.append(lambda: divide(number + 1, rest))
                tasks.append((case.conditions[number + 1], rest))
            else:
                tasks.append(close)
                if case.otherwise is scalar:
                    # In these rows all of its arguments are wanted.
                    tasks.append(lambda: self._add(scalar, scalar.children(), rest))
                    tasks.extend((child, rest) for child in reversed(scalar.children()))
                else:
                    tasks.append((case.otherwise, rest))
            tasks.append((case.values[number], taken))

        def close() -> None:
            values = [self._register(v, taken) for v, (taken, _) in zip(case.values, pieces, strict=True)]
            values.append(self._register(case.otherwise, pieces[-1][1]))
            register = self._append(merge(case.dtype, scope, pieces, values), scope, scalar.site, values)
            self._registers[scope][self._keys(scalar)] = register

        tasks.append(lambda: divide(0, scope))
        if isinstance(scalar, Case):
            tasks.extend((part, scope) for part in reversed(self._always().shared(scalar)))
        tasks.append((case.conditions[0], scope))

    def _always(self) -> Always:
        """What all rows need, of all expressions."""
        if self._needs is None:
            self._needs = Always(self._expressions, self._keys)
        return self._needs


def _structure(scalar: Scalar) -> Hashable:
    """What equal expressions over the same rows share."""
    return scalar.name if isinstance(scalar, Column) else scalar.digest


def _may_share(expressions: Sequence[Scalar]) -> bool:
    """Whether more than one thing is computed, so that some of it may be the same."""
    computed = [e for e in expressions if not isinstance(e, _LEAVES)]
    return len(computed) > 1 or any(not isinstance(child, _LEAVES) for e in computed for child in e.children())
