"""Joining."""

from __future__ import annotations

from lazyframe.planner.graph import node
from lazyframe.planner.relations.plan import Plan, check_columns, check_predicate
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.types import BOOL

KINDS = ("inner", "left", "right", "full", "semi", "anti", "cross")
"""The kinds that a user can ask for."""

OF_SUBQUERIES = ("mark", "single")
"""The kinds that only subqueries become."""


DROPS_LEFT = frozenset(["inner", "semi", "right"])
DROPS_RIGHT = frozenset(["inner", "semi", "anti", "mark", "left", "single"])
"""Kinds of join with keys or a condition in whose result a row of that side does not show if it has no partner."""


@node
class Join(Plan):
    """Pairs of rows whose keys are equal and for which `condition` is true.

    The two sides share no column name. `left`, `right` and `full` keep the rows of that side that have no partner, with
    nulls for the other side; `semi` and `anti` give the left rows that have, or have not, a partner. Rows come in the order
    of the left side (of the right side for `right`), partners in the order of the other; for `full`, right rows without a
    partner come last. Null keys match nothing unless `nulls_equal`. `validate` is how many partners are allowed:
    `m:m`, `1:m`, `m:1` or `1:1`.

    `mark` gives the left rows with one column more, named by the field `mark`, that is true where the row has a partner and
    false where it has none, never null. `single` is `left`, where a left row with more than one partner is an error: what a
    scalar subquery is.

    Where not `ordered`, the rows may come in any order that is the same in every run.

    Where `first` names a side, that side is computed before the other one. It then gives its keys away: `gives` has a name for
    each key, empty where nobody asks for it, under which scans below the other side know its values (`Scan.filters`).
    """

    left: Plan
    right: Plan
    kind: str
    left_keys: tuple[Scalar, ...] = ()
    right_keys: tuple[Scalar, ...] = ()
    condition: Scalar | None = None
    nulls_equal: bool = False
    validate: str = "m:m"
    mark: str = ""
    ordered: bool = True
    first: str = ""
    gives: tuple[str, ...] = ()

    def derive_schema(self) -> Schema:
        left, right = self.left.schema, self.right.schema
        assert self.kind in KINDS or self.kind in OF_SUBQUERIES
        assert bool(self.mark) == (self.kind == "mark"), "a mark join names its mark, and no other"
        assert self.validate == "m:m" or self.kind not in OF_SUBQUERIES
        for a, b in zip(self.left_keys, self.right_keys, strict=True):
            assert a.dtype == b.dtype, f"keys of types {a.dtype} and {b.dtype}"
            check_columns(a, left)
            check_columns(b, right)
        both = left.beside(right)
        if self.condition is not None:
            check_predicate(self.condition, both)
        if self.kind in ("inner", "cross"):
            return both
        if self.kind in ("semi", "anti"):
            return left
        if self.kind == "mark":
            assert self.mark not in both, f"the sides of the join have a column {self.mark}"
            return Schema([*left, Field(self.mark, BOOL, False)])
        if self.kind in ("right", "full"):
            left = nullable(left)
        if self.kind in ("left", "full", "single"):
            right = nullable(right)
        return left.beside(right)


def nullable(schema: Schema) -> Schema:
    return Schema([field._replace(nullable=True) for field in schema])
