"""Left joins of which nothing but their left side is used."""

from __future__ import annotations

from lazyframe.planner.graph import postorder
from lazyframe.planner.properties import is_unique_on
from lazyframe.planner.relations import AsofJoin, Join, Plan
from lazyframe.planner.rules.push_projection import Names, demanded, gives_left_rows, narrowed
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import is_volatile


@rule(Join)
def remove_join(plan: Plan) -> Plan | None:
    """Join left a b  =>  a, where nothing above uses a column of b, and the keys are unique in b.

    Sound: each row of a comes once, with a partner or without. What is unique is known of groups, of distinct rows and of one
    row. What only the join used of a and b goes as well (see push_projection).

    Not where a row of a may have several partners: `count(*)` counts them. Not an inner join, which leaves out rows without a
    partner; nor where partners are counted on the left, or a key is volatile.
    """
    joins = [each for each in postorder(plan) if isinstance(each, Join) and _keeps_left_rows(each)]
    if not joins:
        return None
    demand, _ = demanded(plan, gives_left_rows)
    if not any([demand[id(join)].issubset(join.left.schema.names) for join in joins]):
        return None
    return narrowed(plan, lambda join, names: gives_left_rows(join, names) or _goes(join, names))


def _goes(join: Join | AsofJoin, names: Names) -> bool:
    return isinstance(join, Join) and _keeps_left_rows(join) and names.issubset(join.left.schema.names)


def _keeps_left_rows(join: Join) -> bool:
    """Whether a left join gives each left row just once."""
    return (
        join.kind == "left"
        and join.validate in ("m:m", "m:1")
        and is_unique_on(join.right, join.right_keys)
        and not any(map(is_volatile, join.scalars()))
    )
