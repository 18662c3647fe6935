"""Joining."""

from __future__ import annotations

from lazyframe.planner.graph import node
from lazyframe.planner.relations.plan import Plan, check_columns, check_predicate
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.schema import Schema

KINDS = ("inner", "left", "right", "full", "semi", "anti", "cross")


@node
class Join(Plan):
    """Pairs of rows whose keys are equal and for which `condition` is true.

    The two sides share no column name. `left`, `right` and `full` keep the rows of that side that have no partner, with
    nulls for the other side; `semi` and `anti` give the left rows that have, or have not, a partner. Rows come in the order
    of the left side (of the right side for `right`), partners in the order of the other; for `full`, right rows without a
    partner come last. Null keys match nothing unless `nulls_equal`. `validate` is how many partners are allowed:
    `m:m`, `1:m`, `m:1` or `1:1`.
    """

    left: Plan
    right: Plan
    kind: str
    left_keys: tuple[Scalar, ...] = ()
    right_keys: tuple[Scalar, ...] = ()
    condition: Scalar | None = None
    nulls_equal: bool = False
    validate: str = "m:m"

    def derive_schema(self) -> Schema:
        left, right = self.left.schema, self.right.schema
        assert self.kind in KINDS
        shared = [name for name in right.names if name in left]
        assert not shared, f"both sides have {shared}"
        for a, b in zip(self.left_keys, self.right_keys, strict=True):
            assert a.dtype == b.dtype, f"keys of types {a.dtype} and {b.dtype}"
            check_columns(a, left)
            check_columns(b, right)
        both = Schema([*left, *right])
        if self.condition is not None:
            check_predicate(self.condition, both)
        if self.kind in ("semi", "anti"):
            return left
        if self.kind in ("right", "full"):
            left = nullable(left)
        if self.kind in ("left", "full"):
            right = nullable(right)
        return Schema([*left, *right])


def nullable(schema: Schema) -> Schema:
    return Schema([field._replace(nullable=True) for field in schema])
