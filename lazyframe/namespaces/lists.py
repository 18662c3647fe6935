"""The methods of lists: `col("x").list`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lazyframe.expr import Expr


class ListNamespace:
    """Methods of lists. Positions start at 0, and negative ones count from the end.

    Args:
        expr: gives lists.
    """

    __slots__ = ("_expr",)

    def __init__(self, expr: Expr) -> None:
        self._expr = expr

    def len(self) -> Expr:
        """The number of items, nulls among them."""
        return self._expr._apply("list_length")

    def get(self, index: int | Expr) -> Expr:
        """The item at a position; null where there is none.

        Args:
            index: from 0; negative counts from the end.

        Examples:
            >>> import lazyframe as lf
            >>> lf.from_dict({"l": [[1, 2], []]}).select(lf.col("l").list.get(-1)).to_dicts()
            [{'l': 2}, {'l': None}]
        """
        return self._expr._apply("list_get", index)

    def first(self) -> Expr:
        """The first item; null of an empty list."""
        return self._expr._apply("list_first")

    def last(self) -> Expr:
        """The last item; null of an empty list."""
        return self._expr._apply("list_last")

    def contains(self, value: object) -> Expr:
        """Whether an item is equal to a value; false where none is, nulls or not.

        Args:
            value: a value of the items' type.
        """
        return self._expr._apply("list_contains", value)

    def find(self, value: object) -> Expr:
        """The position of the first item that is equal to a value, from 0; null where none is.

        Args:
            value: a value of the items' type.
        """
        return self._expr._apply("list_find", value)

    def count_matches(self, value: object) -> Expr:
        """How many items are equal to a value.

        Args:
            value: a value of the items' type.
        """
        return self._expr._apply("list_count_matches", value)

    def sum(self) -> Expr:
        """The sum of the items that are not null; null where there is none."""
        return self._expr._apply("list_sum")

    def mean(self) -> Expr:
        """The mean of the items that are not null; null where there is none."""
        return self._expr._apply("list_mean")

    def min(self) -> Expr:
        """The least item that is not null."""
        return self._expr._apply("list_min")

    def max(self) -> Expr:
        """The greatest item that is not null; NaN is the greatest of floats."""
        return self._expr._apply("list_max")

    def any(self) -> Expr:
        """Whether an item is true; nulls are left out."""
        return self._expr._apply("list_any")

    def all(self) -> Expr:
        """Whether no item is false; nulls are left out."""
        return self._expr._apply("list_all")

    def n_unique(self) -> Expr:
        """How many different items there are, null counting as one."""
        return self._expr._apply("list_n_unique")

    def sort(self, *, descending: bool = False, nulls_first: bool = False) -> Expr:
        """The items in order.

        Args:
            descending: whether great values come first.
            nulls_first: whether nulls come first, in either direction.
        """
        return self._expr._apply("list_sort", descending=descending, nulls_first=nulls_first)

    def reverse(self) -> Expr:
        """The items, last first."""
        return self._expr._apply("list_reverse")

    def unique(self) -> Expr:
        """Each different item once, in order of first appearance.

        Examples:
            >>> import lazyframe as lf
            >>> lf.from_dict({"l": [[2, 1, 2, None]]}).select(lf.col("l").list.unique()).to_dicts()
            [{'l': [2, 1, None]}]
        """
        return self._expr._apply("list_unique")

    def drop_nulls(self) -> Expr:
        """The items that are not null."""
        return self._expr._apply("list_drop_nulls")

    def slice(self, offset: int | Expr, length: int | Expr | None = None) -> Expr:
        """The items from a position on.

        Args:
            offset: the first item, from 0; negative counts from the end.
            length: at most how many; by default all that follow.
        """
        if length is None:
            return self._expr._apply("list_slice", offset)
        return self._expr._apply("list_slice", offset, length)

    def head(self, n: int | Expr = 5) -> Expr:
        """The first items.

        Args:
            n: how many; negative: all but the last -n.
        """
        return self._expr._apply("list_head", n)

    def tail(self, n: int | Expr = 5) -> Expr:
        """The last items.

        Args:
            n: how many; negative: all but the first -n.
        """
        return self._expr._apply("list_tail", n)

    def join(self, separator: str | Expr) -> Expr:
        """The strings that are not null joined.

        Args:
            separator: what stands between them.
        """
        return self._expr._apply("list_join", separator)

    def concat(self, *others: Expr) -> Expr:
        """With the items of other lists after its own; null where a list is.

        Args:
            others: expressions that give lists.
        """
        return self._expr._apply("list_concat", *others)

    def flatten(self) -> Expr:
        """The items of the lists in the list."""
        return self._expr._apply("list_flatten")
