"""What holds for every plan, whatever built or rewrote it. Broken ones are bugs of ours, so they assert."""

from __future__ import annotations

from lazyframe.planner.formatting import label
from lazyframe.planner.graph import postorder
from lazyframe.planner.relations import Aggregate, AsofJoin, Join, PartitionTopK, Plan, Sort, TopK, Window
from lazyframe.planner.relations.scan import Scan
from lazyframe.planner.scalars import AggregateCall, Column, Scalar, SortKey, WindowCall
from lazyframe.planner.schema import Field


def check(root: Plan) -> None:
    """Assert what every plan promises.

    * The schema is what the node derives from its children.
    * A scalar refers to columns that the children have, by their type; it counts on no nulls only where there are none.
    * The two sides of a join share no name.
    * Aggregate functions stand in an `Aggregate` only and not in each other, window functions in a `Window` or a
      `PartitionTopK` only; sort keys in sorts, ordered aggregates and windows.
    """
    for plan in postorder(root):
        assert plan.schema == plan.derive_schema(), f"{label(plan)} has another schema than it derives"
        fields = _fields(plan)
        for scalar in plan.scalars():
            _check_scalar(plan, scalar, fields)


def _fields(plan: Plan) -> dict[str, Field]:
    if isinstance(plan, Scan):
        return {field.name: field for field in plan.source.schema}
    fields: dict[str, Field] = {}
    for child in plan.children():
        if isinstance(plan, Join | AsofJoin):
            shared = [field.name for field in child.schema if field.name in fields]
            assert not shared, f"both sides of {label(plan)} have {shared}"
        fields.update({field.name: field for field in child.schema})
    return fields


def _check_scalar(plan: Plan, root: Scalar, fields: dict[str, Field]) -> None:
    inside: set[bytes] = set()
    if isinstance(plan, Aggregate) and isinstance(root, AggregateCall):
        allowed = {root.digest}
        inside = {key.digest for key in root.order}
    elif isinstance(plan, Window | PartitionTopK) and isinstance(root, WindowCall):
        allowed = {root.digest}
        inside = {key.digest for key in (*root.order, *root.argument_order)}
    else:
        allowed = set()
        if isinstance(plan, (Sort, TopK)):
            assert isinstance(root, SortKey), f"{root!r} is no sort key in {label(plan)}"
            inside = {root.digest}
    for scalar in postorder(root):
        if isinstance(scalar, Column):
            field = fields.get(scalar.name)
            assert field is not None, f"{label(plan)} uses {scalar.name!r}, which is not among {list(fields)}"
            assert field.dtype == scalar.dtype, f"{label(plan)}: {scalar.name!r} is {field.dtype}, not {scalar.dtype}"
            assert scalar.nullable or not field.nullable, f"{label(plan)} counts on no nulls in {scalar.name!r}"
        elif isinstance(scalar, AggregateCall | WindowCall):
            assert scalar.digest in allowed, f"{scalar.function}() stands inside an expression of {label(plan)}"
        elif isinstance(scalar, SortKey):
            assert scalar.digest in inside, f"a sort key stands inside an expression of {label(plan)}"
