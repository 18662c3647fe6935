"""Several frames as one."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import TYPE_CHECKING, Any, cast

from lazyframe.arguments import is_name, listed, nodes
from lazyframe.boundary import public
from lazyframe.checks import check_choice
from lazyframe.expr import all_of, to_node
from lazyframe.planner.build import asof, joins, sets
from lazyframe.planner.errors import (
    InvalidArgumentError,
)
from lazyframe.planner.relations.asof import STRATEGIES
from lazyframe.planner.relations.join import KINDS
from lazyframe.planner.unbound import Apply, Ref, Unbound
from lazyframe.verbs.core import Core

if TYPE_CHECKING:
    from lazyframe.frame import LazyFrame


class Several(Core):
    """The verbs of several frames."""

    __slots__ = ()

    @public
    def join(
        self,
        other: LazyFrame,
        on: Any = None,
        how: str = "inner",
        *,
        left_on: Any = None,
        right_on: Any = None,
        suffix: str = "_right",
        validate: str = "m:m",
        nulls_equal: bool = False,
        coalesce: bool | None = None,
    ) -> LazyFrame:
        """Rows of two frames side by side, where they belong together.

        Args:
            other: the frame on the right side.
            on: names of columns that both have, or a condition over the columns of both, such as
                `(lf.col("a") == lf.col("b")) & (lf.col("x") < lf.col("y"))`; a right column whose name the left has too is
                known by its name with the suffix.
            how: `"inner"`, `"left"`, `"right"`, `"full"`, `"semi"` (left rows with a partner), `"anti"` (without), or
                `"cross"` (all pairs, no `on`).
            left_on, right_on: instead of `on`: names or expressions for each side.
            suffix: for right columns whose name is taken.
            validate: how many partners are allowed: `"m:m"`, `"1:m"`, `"m:1"`, `"1:1"`; more is an error when it runs.
            nulls_equal: whether a null key matches a null key.
            coalesce: whether the key columns of both sides become one; by default all joins but `full` do so.

        Raises:
            ColumnNotFoundError, TypeMismatchError, DuplicateColumnError: for what does not fit the frames.

        Example:
            >>> a = lf.from_dict({"k": [1, 2], "x": ["a", "b"]})
            >>> b = lf.from_dict({"k": [2, 3], "y": ["c", "d"]})
            >>> a.join(b, on="k", how="left").to_dicts()
            [{'k': 1, 'x': 'a', 'y': None}, {'k': 2, 'x': 'b', 'y': 'c'}]
        """
        right = frame_of(other)._plan
        how = {"outer": "full", "outer_coalesce": "full", "leftsemi": "semi", "leftanti": "anti"}.get(how, how)
        check_choice("how", how, KINDS)
        check_choice("validate", validate, ("m:m", "1:m", "m:1", "1:1"))
        conditions = on if isinstance(on, (list, tuple)) else [on]
        if on is not None and not all(is_name(c) for c in conditions):
            if left_on is not None or right_on is not None:
                raise InvalidArgumentError("a join takes a condition as on=, or left_on= and right_on=, not both")
            if how == "cross":
                raise InvalidArgumentError(
                    "a cross join pairs all rows and takes no condition", hint="write how='inner'"
                )
            if nulls_equal or coalesce is not None:
                raise InvalidArgumentError(
                    "nulls_equal= and coalesce= go with names, not with a condition",
                    hint="write col('a').eq_missing(col('b')) for nulls that match",
                )
            written = [all_of([to_node(c)]) if not is_name(c) else _same(c, suffix) for c in conditions]
            return self._with(joins.joined_where(self._plan, right, how, written, suffix=suffix, validate=validate))
        left_keys, right_keys = _keys(how, on, left_on, right_on)
        return self._with(
            joins.joined(
                self._plan, right, how, left_keys, right_keys,
                suffix=suffix, nulls_equal=nulls_equal, validate=validate, coalesce=coalesce,
            )
        )  # fmt: skip

    @public
    def join_asof(
        self,
        other: LazyFrame,
        on: Any = None,
        *,
        left_on: Any = None,
        right_on: Any = None,
        by: Any = None,
        by_left: Any = None,
        by_right: Any = None,
        strategy: str = "backward",
        tolerance: int | float | decimal.Decimal | dt.timedelta | str | None = None,
        suffix: str = "_right",
        allow_exact_matches: bool = True,
    ) -> LazyFrame:
        """Each row with the one row of the other frame that is the next before it, after it, or nearest to it.

        Neither frame needs to be sorted. Rows come in the order of this frame, with nulls where there is no partner; a null
        in any of the columns that decide has none.

        Args:
            other: the frame in which a partner is looked for.
            on: the column by whose order it is found, in both frames: numbers, points in time, or text.
            left_on, right_on: instead of `on`: a name or an expression for each frame.
            by: names of columns that must be equal as well.
            by_left, by_right: instead of `by`: names or expressions for each frame.
            strategy: `"backward"` is the last row that is not greater, `"forward"` the first that is not less, `"nearest"`
                the one at the least distance (of two, the greater). Of equal ones it is the last, going forward the first.
            tolerance: how far away a partner may be: a number, and of points in time a span such as `"5m"` or a timedelta.
            suffix: for columns of the other frame whose name is taken.
            allow_exact_matches: whether an equal value is a partner.

        Raises:
            ColumnNotFoundError, TypeMismatchError, DuplicateColumnError: for what does not fit the frames.
            InvalidArgumentError: where the tolerance is no distance.

        Example:
            >>> trades = lf.from_dict({"at": [3, 7, 9], "qty": [1, 2, 3]})
            >>> quotes = lf.from_dict({"at": [1, 7, 8], "price": [10, 11, 12]})
            >>> trades.join_asof(quotes, on="at").to_dicts()
            [{'at': 3, 'qty': 1, 'price': 10}, {'at': 7, 'qty': 2, 'price': 11}, {'at': 9, 'qty': 3, 'price': 12}]
        """
        check_choice("strategy", strategy, STRATEGIES)
        pairs = _asof_keys("on", on, "left_on", left_on, "right_on", right_on)
        if len(pairs) != 1:
            raise InvalidArgumentError("an asof join needs one column as on=, or left_on= and right_on=")
        return self._with(
            asof.asof_joined(
                self._plan,
                frame_of(other)._plan,
                pairs[0],
                _asof_keys("by", by, "by_left", by_left, "by_right", by_right),
                strategy=strategy,
                strict=not allow_exact_matches,
                tolerance=tolerance,
                suffix=suffix,
            )
        )

    @public
    def union(self, other: LazyFrame, *, keep_duplicates: bool = False) -> LazyFrame:
        """The rows of both frames, each different row once unless `keep_duplicates`. Columns go by name."""
        return self._set_operation(other, "union", keep_duplicates)

    @public
    def intersect(self, other: LazyFrame, *, keep_duplicates: bool = False) -> LazyFrame:
        """The rows that both frames have; as often as in both, if `keep_duplicates`. Columns go by name."""
        return self._set_operation(other, "intersect", keep_duplicates)

    @public
    def except_(self, other: LazyFrame, *, keep_duplicates: bool = False) -> LazyFrame:
        """The rows that the other frame does not have; the surplus of each, if `keep_duplicates`. Columns go by name."""
        return self._set_operation(other, "except", keep_duplicates)

    def _set_operation(self, other: LazyFrame, kind: str, keep_duplicates: bool) -> LazyFrame:
        return self._with(sets.operation(self._plan, frame_of(other)._plan, kind, keep_duplicates=keep_duplicates))


def frame_of(other: Any) -> LazyFrame:
    """The frame that was given; what holds rows becomes one."""
    if isinstance(other, Core):
        return cast("LazyFrame", other)
    if hasattr(other, "__arrow_c_stream__") or hasattr(other, "__dataframe__"):
        from lazyframe.dataframe import DataFrame

        return DataFrame(other)
    raise InvalidArgumentError(
        f"here stands a frame, not {type(other).__name__}", hint="make one with lf.from_arrow(...) or lf.from_dict(...)"
    )


def _asof_keys(
    both: str, value: Any, left: str, of_left: Any, right: str, of_right: Any
) -> list[tuple[Unbound, Unbound]]:
    """Pairs of expressions for the two sides, given as one argument or as one for each."""
    if value is not None:
        if of_left is not None or of_right is not None:
            raise InvalidArgumentError(f"an asof join takes {both}=, or {left}= and {right}=, not both")
        of_left = of_right = value
    if (of_left is None) != (of_right is None):
        missing, given = (left, right) if of_left is None else (right, left)
        raise InvalidArgumentError(f"{given}= needs {missing}= beside it")
    if of_left is None:
        return []
    found, others = nodes(listed(of_left), {}), nodes(listed(of_right), {})
    if len(found) != len(others):
        raise InvalidArgumentError(f"{left} has {len(found)} keys and {right} {len(others)}")
    return list(zip(found, others, strict=True))


def _same(key: Any, suffix: str) -> Unbound:
    name = key if isinstance(key, str) else key._node.name
    return Apply("equal", (Ref(name), Ref(name + suffix)))


def _keys(how: str, on: Any, left_on: Any, right_on: Any) -> tuple[list[Unbound], list[Unbound]]:
    """The key expressions of both sides of a join."""
    if how == "cross":
        if on is not None or left_on is not None or right_on is not None:
            raise InvalidArgumentError("a cross join pairs all rows and takes no keys")
        return [], []
    if on is not None:
        if left_on is not None or right_on is not None:
            raise InvalidArgumentError("a join takes on=, or left_on= and right_on=, not both")
        keys = nodes(listed(on), {})
        return keys, keys
    if left_on is None or right_on is None:
        raise InvalidArgumentError("a join needs on=, or left_on= and right_on=", hint="how='cross' pairs all rows")
    left = nodes(listed(left_on), {})
    right = nodes(listed(right_on), {})
    if len(left) != len(right):
        raise InvalidArgumentError(f"left_on has {len(left)} keys and right_on {len(right)}")
    if not left:
        raise InvalidArgumentError("a join needs at least one key", hint="how='cross' pairs all rows")
    return left, right
