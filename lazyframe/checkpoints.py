"""What is kept in memory between the readers of a frame, and what is computed again."""

from __future__ import annotations

from lazyframe.boundary import public
from lazyframe.frame import LazyFrame
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.nouns import with_article
from lazyframe.planner.relations.shared import Shared, holds_volatile


@public
def checkpoint(frame: LazyFrame, *, keep: bool = False) -> LazyFrame:
    """The same rows, of which it is said whether they stay in memory where a query reads them several times.

    A loss and its gradients read the same rows: those of a join are computed once, and kept until the last of them has read them. Where
    they are too many to be kept, they can be computed again.

    Args:
        frame: the rows.
        keep: False: each reader computes them again, with all below, and none are kept. True: they are computed once for
            all readers, though each may want other rows or columns of them.

    Raises:
        InvalidArgumentError: where rows that are drawn at random would be computed again.

    Example:
        >>> users = lf.param_table("users", {"user": [1, 2], "u": [0.5, 1.0]}, key="user")
        >>> rated = lf.from_dict({"user": [1, 1, 2], "stars": [1.0, 2.0, 3.0]}).join(users, on="user")
        >>> loss = lf.checkpoint(rated).select(((lf.col("stars") - lf.col("u")) ** 2).sum())
        >>> plan = lf.grad(loss, users).explain()
        >>> "Recomputed for reader 1" in plan, "Recomputed for reader 2" in plan
        (True, True)
        >>> lf.value_and_grad(loss, [users])[0]
        6.5
    """
    if not isinstance(frame, LazyFrame):
        raise InvalidArgumentError(
            f"checkpoint() takes a frame, not {with_article(type(frame).__name__)}",
            hint="write lf.checkpoint(frame.with_columns(...))",
        )
    if not keep and holds_volatile(frame._plan):
        raise InvalidArgumentError(
            "rows that are drawn at random would be others each time that they are computed",
            hint="write keep=True",
        )
    return frame._with(Shared(frame._plan, keep))
