"""The lazy frame: each verb builds one step of a plan, and nothing runs before an action.

This file is long because it is one class: the methods are one step each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, NoReturn, ParamSpec, Self, TypeVar

from lazyframe.actions import Actions, Path
from lazyframe.arguments import condition, nodes
from lazyframe.boundary import public
from lazyframe.expr import (
    Expr,
    IntoExpr,
    all_of,
    check_choice,
    check_name,
    column_node,
    flags,
    order_keys,
    to_node,
    wanted_type,
)
from lazyframe.planner.bind import bind
from lazyframe.planner.build import joins, projection, sets
from lazyframe.planner.errors import (
    InvalidArgumentError,
    LazyValueError,
    TypeMismatchError,
    column_not_found,
)
from lazyframe.planner.relations import (
    Cache,
    Distinct,
    Explode,
    Interpolate,
    Limit,
    MapBatches,
    Plan,
    Project,
    Reverse,
    RowIndex,
    Sample,
    Shift,
    Sort,
    Tail,
    TopK,
    Unpivot,
)
from lazyframe.planner.relations.project import choose, column, renamed
from lazyframe.planner.scalars import Call, Scalar, cast
from lazyframe.planner.schema import Schema, fresh_name
from lazyframe.planner.types import common_type, is_float, is_list, is_numeric, is_struct, type_name
from lazyframe.planner.unbound import Apply, Ref, Unbound, expand

if TYPE_CHECKING:
    from lazyframe.grouping import GroupBy

P = ParamSpec("P")
T = TypeVar("T")


class LazyFrame(Actions):
    """A query that has not run.

    Frames are made by `lf.scan_parquet` and its like, and by the verbs of other frames. They never change.

    Example:
        >>> df = lf.from_dict({"city": ["Rome", "Oslo", "Rome"], "t": [31, 12, 29]})
        >>> df.group_by("city").agg(lf.col("t").mean()).to_dicts()
        [{'city': 'Rome', 't': 30.0}, {'city': 'Oslo', 't': 12.0}]
    """

    __slots__ = ("_plan",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    # Columns.

    @public
    def select(self, *exprs: IntoExpr | Iterable[IntoExpr], **named: IntoExpr) -> LazyFrame:
        """Just these columns.

        Where all of them are aggregates the result has one row; an aggregate beside other columns holds for every row.

        Args:
            exprs: expressions, or names of columns.
            named: expressions under names of their own.

        Raises:
            ColumnNotFoundError, TypeMismatchError, DuplicateColumnError: for what does not fit the frame.

        Example:
            >>> lf.from_dict({"x": [1, 3]}).select("x", share=lf.col("x") / lf.col("x").sum()).to_dicts()
            [{'x': 1, 'share': 0.25}, {'x': 3, 'share': 0.75}]
        """
        return LazyFrame(projection.select(self._plan, nodes(exprs, named)))

    @public
    def with_columns(self, *exprs: IntoExpr | Iterable[IntoExpr], **named: IntoExpr) -> LazyFrame:
        """All columns, with some added or replaced.

        Args:
            exprs: expressions; each replaces the column of its name, or comes after the others.
            named: expressions under names of their own.

        Example:
            >>> lf.from_dict({"x": [1, 2]}).with_columns(y=lf.col("x") * 2).to_dicts()
            [{'x': 1, 'y': 2}, {'x': 2, 'y': 4}]
        """
        return LazyFrame(projection.with_columns(self._plan, nodes(exprs, named)))

    @public
    def filter(self, *predicates: IntoExpr | Iterable[IntoExpr], **equal: Any) -> LazyFrame:
        """The rows for which all conditions are true.

        Args:
            predicates: conditions; a row for which one is false or null is left out.
            equal: values that columns must have.

        Example:
            >>> lf.from_dict({"x": [1, 2], "y": ["a", "b"]}).filter(lf.col("x") > 0, y="b").to_dicts()
            [{'x': 2, 'y': 'b'}]
        """
        schema = self._plan.schema
        written = nodes([condition(p, schema) for p in predicates], {})
        written += [Apply("equal", (Ref(name), to_node(value))) for name, value in equal.items()]
        return LazyFrame(projection.filtered(self._plan, written))

    @public
    def drop(self, *columns: IntoExpr | Iterable[IntoExpr], strict: bool = True) -> LazyFrame:
        """All columns but these.

        Args:
            columns: names or selectors.
            strict: whether a name that is not there is an error.
        """
        schema = self._plan.schema
        dropped: set[str] = set()
        for node in nodes(columns, {}):
            if isinstance(node, Ref) and node.name not in schema and not strict:
                continue
            dropped.update(self._names(node))
        return LazyFrame(choose(self._plan, [name for name in schema.names if name not in dropped]))

    @public
    def rename(self, mapping: Mapping[str, str] | Callable[[str], str], *, strict: bool = True) -> LazyFrame:
        """The same columns, some under other names.

        Args:
            mapping: from old to new names, or a function from one to the other.
            strict: whether an old name that is not there is an error.

        Example:
            >>> lf.from_dict({"a": [1]}).rename({"a": "b"}).columns
            ['b']
        """
        schema = self._plan.schema
        if callable(mapping):
            mapping = {name: mapping(name) for name in schema.names}
        if not isinstance(mapping, Mapping):
            raise InvalidArgumentError(f"rename() takes a mapping or a function, not {type(mapping).__name__}")
        if strict:
            for name in mapping:
                schema.field(name)
        new = {old: check_name("a column", name) for old, name in mapping.items() if old in schema}
        projection.check_distinct(
            [new.get(name, name) for name in schema.names], (), "rename the other column too, or drop it before"
        )
        return LazyFrame(renamed(self._plan, new))

    @public
    def cast(self, dtypes: Mapping[Any, Any] | Any, *, strict: bool = True) -> LazyFrame:
        """Columns as other types.

        Args:
            dtypes: types by column name or selector, or one type for all columns.
            strict: whether a value that does not fit is an error; otherwise it becomes null.

        Example:
            >>> lf.from_dict({"x": ["1"]}).cast({"x": int}).to_dicts()
            [{'x': 1}]
        """
        wanted = dtypes if isinstance(dtypes, Mapping) else dict.fromkeys(self.columns, dtypes)
        new: list[Unbound] = []
        for key, dtype in wanted.items():
            for name in self._names(column_node(key)):
                new.append(Expr(Ref(name)).cast(dtype, strict=strict)._node)
        return LazyFrame(projection.with_columns(self._plan, new))

    @public
    def unnest(self, *columns: IntoExpr | Iterable[IntoExpr]) -> LazyFrame:
        """The fields of structs as columns of their own, in the struct's place.

        Args:
            columns: names of struct columns.

        Example:
            >>> lf.from_dict({"s": [{"a": 1, "b": 2}]}).unnest("s").to_dicts()
            [{'a': 1, 'b': 2}]
        """
        schema = self._plan.schema
        chosen = {name for node in nodes(columns, {}) for name in self._names(node)}
        exprs: list[tuple[str, Scalar]] = []
        for field in schema:
            value = column(schema, field.name)
            if field.name not in chosen:
                exprs.append((field.name, value))
                continue
            if not is_struct(field.dtype):
                raise TypeMismatchError(f"{field.name!r} is {type_name(field.dtype)}, not a struct")
            exprs.extend((f.name, Call("struct_field", (value,), (("name", f.name),))) for f in field.dtype)
        projection.check_distinct(
            [name for name, _ in exprs], (), "rename or drop the column before, or take single fields with .struct.field(...)"
        )
        return LazyFrame(Project(self._plan, tuple(exprs)))

    # Nulls.

    @public
    def fill_null(self, value: IntoExpr) -> LazyFrame:
        """All nulls replaced by a value, in the columns whose type it fits.

        Args:
            value: a constant or an expression.

        Example:
            >>> lf.from_dict({"x": [1, None], "s": [None, "a"]}).fill_null(0).to_dicts()
            [{'x': 1, 's': None}, {'x': 0, 's': 'a'}]
        """
        return self._fill(value, lambda dtype, other: common_type(dtype, other) == dtype)

    @public
    def fill_nan(self, value: IntoExpr) -> LazyFrame:
        """All NaN of float columns replaced by a value.

        Args:
            value: a constant or an expression.
        """
        new = [Expr(Ref(f.name)).fill_nan(value)._node for f in self.schema if is_float(f.dtype)]
        return LazyFrame(projection.with_columns(self._plan, new)) if new else self

    def _fill(self, value: IntoExpr, fits: Callable[[Any, Any], bool]) -> LazyFrame:
        given = to_node(value)
        new: list[Unbound] = []
        for field in self.schema:
            try:
                filled = bind(Apply("coalesce", (Ref(field.name), given)), self.schema)
            except TypeMismatchError:
                continue
            if fits(field.dtype, filled.dtype):
                new.append(Apply("coalesce", (Ref(field.name), given)))
        if not new:
            raise TypeMismatchError("the value to fill in fits no column")
        return LazyFrame(projection.with_columns(self._plan, new))

    @public
    def drop_nulls(self, *subset: IntoExpr | Iterable[IntoExpr]) -> LazyFrame:
        """The rows without nulls.

        Args:
            subset: the columns to look at; all by default.

        Example:
            >>> lf.from_dict({"x": [1, None]}).drop_nulls().to_dicts()
            [{'x': 1}]
        """
        names = [name for node in nodes(subset, {}) for name in self._names(node)] if subset else self.columns
        if not names:
            return self
        return LazyFrame(projection.filtered(self._plan, [Apply("is_not_null", (Ref(name),)) for name in names]))

    @public
    def interpolate(self) -> LazyFrame:
        """Nulls of number columns between two values on the straight line between them. Such columns become floats."""
        schema = self._plan.schema
        exprs: list[tuple[str, Scalar]] = []
        names = []
        for field in schema:
            value: Scalar = column(schema, field.name)
            if is_numeric(field.dtype):
                value = value if is_float(field.dtype) else cast(value, wanted_type("float64"))
                names.append(field.name)
            exprs.append((field.name, value))
        return LazyFrame(Interpolate(Project(self._plan, tuple(exprs)), tuple(names)))

    @public
    def clip(self, lower: IntoExpr = None, upper: IntoExpr = None) -> LazyFrame:
        """The values of all number columns, kept within bounds.

        Args:
            lower, upper: the bounds, or None for none.
        """
        new = [
            Expr(Ref(f.name)).clip(lower, upper)._node for f in self.schema if is_numeric(f.dtype)
        ]
        return LazyFrame(projection.with_columns(self._plan, new)) if new else self

    # Order and number of rows.

    @public
    def sort(
        self,
        *keys: IntoExpr | Iterable[IntoExpr],
        descending: bool | Sequence[bool] = False,
        nulls_first: bool | Sequence[bool] = False,
        maintain_order: bool = True,
    ) -> LazyFrame:
        """The rows in the order of the keys. Rows with equal keys keep their order.

        Args:
            keys: expressions, or names of columns; `lf.desc(key)` for one from the greatest down.
            descending: whether the greatest comes first; for all keys or each.
            nulls_first: whether nulls come first instead of last; for all keys or each.
            maintain_order: accepted for those used to it: the sort is always stable.

        Example:
            >>> lf.from_dict({"x": [2, None, 1]}).sort("x", descending=True).to_dicts()
            [{'x': 2}, {'x': 1}, {'x': None}]
        """
        del maintain_order
        bound = self._sort_keys(keys, descending, nulls_first)
        return LazyFrame(Sort(self._plan, bound)) if bound else self

    def _sort_keys(self, keys: Any, descending: Any, nulls_first: Any) -> tuple[Scalar, ...]:
        """Sort keys bound to this frame; a selector stands for several."""
        schema = self._plan.schema
        types = {f.name: f.dtype for f in schema}
        written = nodes(keys, {})
        directions = flags("descending", descending, len(written))
        placements = flags("nulls_first", nulls_first, len(written))
        found: list[Scalar] = []
        for node, down, nulls in zip(written, directions, placements, strict=True):
            for single in expand(node, schema.names, types):
                (written_key,) = order_keys([Expr(single)], down, nulls)
                key = bind(written_key, schema)
                projection.refuse_aggregates(key, "sort by")
                found.append(key)
        return tuple(found)

    @public
    def top_k(self, k: int, *, by: Any, nulls_first: bool | Sequence[bool] = False) -> LazyFrame:
        """The `k` rows with the greatest keys, from the greatest down.

        Args:
            k: how many rows.
            by: an expression or a name, or a list of them.
            nulls_first: whether nulls count as the greatest.
        """
        keys = self._sort_keys([by] if isinstance(by, (str, Expr)) else by, True, nulls_first)
        return LazyFrame(TopK(self._plan, keys, whole_number("k", k)))

    @public
    def bottom_k(self, k: int, *, by: Any, nulls_first: bool | Sequence[bool] = False) -> LazyFrame:
        """The `k` rows with the least keys, from the least up. For the arguments see `top_k`."""
        keys = self._sort_keys([by] if isinstance(by, (str, Expr)) else by, False, nulls_first)
        return LazyFrame(TopK(self._plan, keys, whole_number("k", k)))

    @public
    def head(self, n: int = 5) -> LazyFrame:
        """The first `n` rows.

        Example:
            >>> lf.from_dict({"x": [1, 2, 3]}).head(2).to_dicts()
            [{'x': 1}, {'x': 2}]
        """
        return LazyFrame(Limit(self._plan, whole_number("n", n)))

    @public
    def limit(self, n: int = 5) -> LazyFrame:
        """The first `n` rows: `head` under its other name."""
        return self.head(n)

    @public
    def tail(self, n: int = 5) -> LazyFrame:
        """The last `n` rows."""
        return LazyFrame(Tail(self._plan, whole_number("n", n)))

    @public
    def slice(self, offset: int, length: int | None = None) -> LazyFrame:
        """Some rows.

        Args:
            offset: how many rows are left out before them; counted from the end where negative.
            length: how many rows; all that follow where None.

        Example:
            >>> lf.from_dict({"x": [1, 2, 3]}).slice(-2, 1).to_dicts()
            [{'x': 2}]
        """
        if length is not None:
            whole_number("length", length)
        if integer("offset", offset) < 0:
            return LazyFrame(self._from_end(-offset, length))
        return LazyFrame(Limit(self._plan, length, offset))

    def _from_end(self, back: int, length: int | None) -> Plan:
        last = Tail(self._plan, back)
        if length is None or length >= back:
            return last
        # Counted from the end, so that positions before the first row take nothing.
        return Reverse(Limit(Reverse(last), length, back - length))

    @public
    def reverse(self) -> LazyFrame:
        """The rows from the last to the first."""
        return LazyFrame(Reverse(self._plan))

    @public
    def shift(self, n: int = 1) -> LazyFrame:
        """Every value moved down by `n` rows (up where negative); the rows that open are null.

        Example:
            >>> lf.from_dict({"x": [1, 2]}).shift(1).to_dicts()
            [{'x': None}, {'x': 1}]
        """
        return LazyFrame(Shift(self._plan, integer("n", n)))

    @public
    def with_row_index(self, name: str = "index", offset: int = 0) -> LazyFrame:
        """The rows with their number in a column before the others.

        Args:
            name: of the new column.
            offset: the number of the first row.

        Example:
            >>> lf.from_dict({"x": ["a", "b"]}).with_row_index().to_dicts()
            [{'index': 0, 'x': 'a'}, {'index': 1, 'x': 'b'}]
        """
        hint = "give the numbers another name: with_row_index('row')"
        projection.check_distinct([check_name("a column", name), *self.columns], (), hint)
        if not -(1 << 62) <= integer("offset", offset) <= 1 << 62:
            raise InvalidArgumentError(f"offset {offset} leaves no room to count in int64")
        return LazyFrame(RowIndex(self._plan, name, offset))

    @public
    def sample(
        self,
        n: int | None = None,
        *,
        fraction: float | None = None,
        with_replacement: bool = False,
        seed: int | None = None,
    ) -> LazyFrame:
        """Rows drawn at random, in the order they have.

        Args:
            n: how many.
            fraction: instead: each row with this chance, from 0 to 1.
            with_replacement: whether a row can be drawn more than once.
            seed: the same seed draws the same rows; a new one is made for this frame where None.
        """
        if (n is None) == (fraction is None):
            raise InvalidArgumentError("sample() takes n or fraction, one of them")
        if n is not None:
            whole_number("n", n)
        if fraction is not None and not (0 <= fraction <= 1 or (with_replacement and fraction >= 0)):
            raise InvalidArgumentError(f"fraction lies between 0 and 1, not {fraction!r}")
        if seed is None:
            import secrets

            seed = secrets.randbits(63)
        whole_number("seed", seed)
        return LazyFrame(Sample(self._plan, n, None if fraction is None else float(fraction), seed, with_replacement))

    # Groups and duplicates.

    @public
    def group_by(
        self, *keys: IntoExpr | Iterable[IntoExpr], maintain_order: bool = True, **named: IntoExpr
    ) -> GroupBy:
        """The rows in groups of equal keys: follow it with `agg`.

        Args:
            keys: expressions, or names of columns.
            maintain_order: accepted for those used to it: the order is always kept.
            named: expressions under names of their own.

        Returns:
            The groups. Their results come in order of first appearance.

        Example:
            >>> df = lf.from_dict({"k": ["a", "b", "a"], "x": [1, 2, 3]})
            >>> df.group_by("k").agg(lf.col("x").sum(), n=lf.len()).to_dicts()
            [{'k': 'a', 'x': 4, 'n': 2}, {'k': 'b', 'x': 2, 'n': 1}]
        """
        del maintain_order
        return self._group(keys, named, None)

    @public
    def rollup(self, *keys: IntoExpr | Iterable[IntoExpr], **named: IntoExpr) -> GroupBy:
        """Groups by all keys, then by all but the last, down to all rows; keys left out are null."""
        from lazyframe.planner.build.grouping import rollup_sets

        return self._group(keys, named, rollup_sets)

    @public
    def cube(self, *keys: IntoExpr | Iterable[IntoExpr], **named: IntoExpr) -> GroupBy:
        """Groups by every subset of the keys; keys left out are null."""
        from lazyframe.planner.build.grouping import cube_sets

        return self._group(keys, named, cube_sets)

    @public
    def grouping_sets(self, *sets: Sequence[str]) -> GroupBy:
        """Groups by each of some sets of columns; those left out are null.

        Args:
            sets: lists of names of columns.

        Example:
            >>> df = lf.from_dict({"a": [1, 1], "b": [1, 2], "x": [3, 4]})
            >>> df.grouping_sets(["a"], []).agg(lf.col("x").sum()).to_dicts()
            [{'a': 1, 'x': 7}, {'a': None, 'x': 7}]
        """
        chosen = [[name] if isinstance(name, str) else list(name) for name in sets]
        names = list(dict.fromkeys(name for each in chosen for name in each))
        return self._group(names, {}, lambda count: [tuple(names.index(name) for name in each) for each in chosen])

    def _group(self, keys: Any, named: Any, sets_of: Callable[[int], Sequence[Sequence[int]]] | None) -> GroupBy:
        from lazyframe.grouping import GroupBy

        bound = projection.bound(self._plan, nodes(keys, named))
        projection.check_distinct([name for name, _ in bound], ())
        for _, key in bound:
            projection.refuse_aggregates(key, "group by")
        return GroupBy(self._plan, tuple(bound), None if sets_of is None else sets_of(len(bound)))

    @public
    def unique(self, subset: Any = None, *, keep: str = "first", maintain_order: bool = True) -> LazyFrame:
        """One row for each different tuple of values, in the order of the rows.

        Args:
            subset: names of the columns to look at; all by default.
            keep: which row: `"first"`, `"last"`, `"any"`, or `"none"` for only those that occur once.
            maintain_order: accepted for those used to it: the order is always kept.
        """
        del maintain_order
        check_choice("keep", keep, ("first", "last", "any", "none"))
        wanted = [subset] if isinstance(subset, (str, Expr)) else subset
        names = self.columns if wanted is None else [n for node in nodes(wanted, {}) for n in self._names(node)]
        return LazyFrame(Distinct(self._plan, tuple(names), "first" if keep == "any" else keep))

    @public
    def value_counts(self, *columns: IntoExpr | Iterable[IntoExpr], name: str = "count", sort: bool = True) -> LazyFrame:
        """How often each value occurs.

        Args:
            columns: whose values, together; all by default.
            name: of the column of counts.
            sort: whether the most frequent come first.

        Example:
            >>> lf.from_dict({"x": ["a", "b", "b"]}).value_counts().to_dicts()
            [{'x': 'b', 'count': 2}, {'x': 'a', 'count': 1}]
        """
        from lazyframe.functions import len as count_rows

        groups = self.group_by(*(columns or self.columns))
        taken = [key for key, _ in groups._keys]
        projection.check_distinct([*taken, name], (), f"give the counts another name: name='{name}_2'")
        counted = groups.agg(count_rows().alias(name))
        return counted.sort(name, descending=True) if sort else counted

    # Several frames.

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
        check_choice("how", how, joins.KINDS)
        check_choice("validate", validate, ("m:m", "1:m", "m:1", "1:1"))
        conditions = on if isinstance(on, (list, tuple)) else [on]
        if on is not None and not all(is_name(c) for c in conditions):
            if left_on is not None or right_on is not None:
                raise InvalidArgumentError("a join takes a condition as on=, or left_on= and right_on=, not both")
            if how == "cross":
                raise InvalidArgumentError("a cross join pairs all rows and takes no condition", hint="write how='inner'")
            if nulls_equal or coalesce is not None:
                raise InvalidArgumentError(
                    "nulls_equal= and coalesce= go with names, not with a condition",
                    hint="write col('a').eq_missing(col('b')) for nulls that match",
                )
            written = [all_of([to_node(c)]) if not is_name(c) else _same(c, suffix) for c in conditions]
            return LazyFrame(
                joins.joined_where(self._plan, right, how, written, suffix=suffix, validate=validate)
            )
        left_keys, right_keys = _keys(how, on, left_on, right_on)
        return LazyFrame(
            joins.joined(
                self._plan, right, how, left_keys, right_keys,
                suffix=suffix, nulls_equal=nulls_equal, validate=validate, coalesce=coalesce,
            )
        )  # fmt: skip

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
        return LazyFrame(sets.operation(self._plan, frame_of(other)._plan, kind, keep_duplicates=keep_duplicates))

    # Shape.

    @public
    def explode(self, *columns: IntoExpr | Iterable[IntoExpr]) -> LazyFrame:
        """A row for each item of list columns; an empty list and null give one row with null.

        Args:
            columns: names of list columns; several must have lists of the same lengths.

        Example:
            >>> lf.from_dict({"k": ["a", "b"], "x": [[1, 2], []]}).explode("x").to_dicts()
            [{'k': 'a', 'x': 1}, {'k': 'a', 'x': 2}, {'k': 'b', 'x': None}]
        """
        names = [name for node in nodes(columns, {}) for name in self._names(node)]
        for name in names:
            if not is_list(self.schema[name]):
                raise TypeMismatchError(f"{name!r} is {type_name(self.schema[name])}, not a list")
        if not names:
            raise InvalidArgumentError("explode() takes the names of list columns")
        return LazyFrame(Explode(self._plan, tuple(names)))

    @public
    def unpivot(
        self,
        on: Any = None,
        *,
        index: Any = None,
        variable_name: str = "variable",
        value_name: str = "value",
    ) -> LazyFrame:
        """For each row one row a column: its name and its value.

        Args:
            on: the columns that become rows; all that are not in `index` by default.
            index: the columns that stay.
            variable_name, value_name: the names of the two new columns.

        Example:
            >>> lf.from_dict({"k": [1], "a": [2], "b": [3]}).unpivot(index="k").to_dicts()
            [{'k': 1, 'variable': 'a', 'value': 2}, {'k': 1, 'variable': 'b', 'value': 3}]
        """
        kept = [] if index is None else self._all_names(index)
        chosen = self._all_names(on) if on is not None else [name for name in self.columns if name not in kept]
        if not chosen:
            raise InvalidArgumentError("unpivot() has no columns to turn into rows")
        schema = self._plan.schema
        target = schema[chosen[0]]
        for name in chosen:
            wider = common_type(target, schema[name])
            if wider is None:
                raise TypeMismatchError(
                    f"{chosen[0]!r} is {type_name(target)} and {name!r} {type_name(schema[name])}: "
                    "they cannot stand in one column",
                    hint="cast them to one type before",
                )
            target = wider
        hint = "give other names: variable_name=, value_name="
        projection.check_distinct([*kept, variable_name, value_name], (), hint)
        # A column may both stay and become rows: what stays then has another name meanwhile.
        taken = [*schema.names, variable_name, value_name]
        inner = {name: fresh_name(f"{name}:index", taken) if name in chosen else name for name in kept}
        exprs: list[tuple[str, Scalar]] = [(inner[name], column(schema, name)) for name in kept]
        exprs += [(name, cast(column(schema, name), target)) for name in dict.fromkeys(chosen)]
        same = all(schema[name] == target for name in chosen) and not set(kept) & set(chosen)
        wide = choose(self._plan, [*kept, *dict.fromkeys(chosen)]) if same else Project(self._plan, tuple(exprs))
        long = Unpivot(wide, tuple(chosen), tuple(inner.values()), variable_name, value_name)
        return LazyFrame(renamed(long, {meanwhile: name for name, meanwhile in inner.items()}))

    @public
    def describe(self, *, percentiles: Sequence[float] = (0.25, 0.5, 0.75)) -> LazyFrame:
        """A row for each column: how many values and nulls it has, its mean, spread, extremes and quantiles.

        Args:
            percentiles: the quantiles to give, from 0 to 1.

        Example:
            >>> lf.from_dict({"x": [1, 2, None]}).describe().select("column", "count", "nulls", "mean").to_dicts()
            [{'column': 'x', 'count': 2, 'nulls': 1, 'mean': 1.5}]
        """
        from lazyframe.describing import described

        return LazyFrame(described(self._plan, tuple(percentiles)))

    # The user's own code, and results that are kept.

    def pipe(self, function: Callable[Concatenate[LazyFrame, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`function(self, *args, **kwargs)`: to write a function of frames as one of the steps."""
        return function(self, *args, **kwargs)

    @public
    def map_batches(
        self, function: Callable[[Any], Any], schema: Any = None, *, streaming: bool = False
    ) -> LazyFrame:
        """A Python function from an Arrow table to an Arrow table, or to whatever exports one.

        Args:
            function: called with a `pyarrow.Table` of all rows, or of some where `streaming`.
            schema: the columns that it gives: a mapping of names to types, or a pyarrow schema; by default those of this
                frame, all nullable.
            streaming: whether it can be called with batches of rows, in several threads.

        Raises:
            UserFunctionError: when it runs and raises, or gives something else than it declares.

        Example:
            >>> df = lf.from_dict({"x": [1, 2]})
            >>> df.map_batches(lambda table: table.slice(1)).to_dicts()
            [{'x': 2}]
        """
        if not callable(function):
            raise InvalidArgumentError(f"map_batches() takes a function, not {type(function).__name__}")
        return LazyFrame(MapBatches(self._plan, function, declared(schema, self._plan.schema), streaming))

    @public
    def cache(self) -> LazyFrame:
        """The same rows, which the first query that needs them keeps in memory for the others.

        Example:
            >>> df = lf.from_dict({"x": [1, 2]}).filter(lf.col("x") > 1).cache()
            >>> df.count(), df.count()
            (1, 1)
        """
        from lazyframe import session

        return LazyFrame(Cache(self._plan, session.cache_slot()))

    @public
    def checkpoint(self, path: Path) -> LazyFrame:
        """Run the query, write its rows to a Parquet file, and go on from that file.

        Args:
            path: the file, which is replaced if it exists.

        Returns:
            A frame over the file.
        """
        from lazyframe import session

        session.write(self._plan, "parquet", path, {"compression": "zstd"})
        return LazyFrame(session.file_source("parquet", path, {}))

    @public
    def lazy(self) -> LazyFrame:
        """The same rows as a lazy frame."""
        return LazyFrame(self._plan)

    # What a lazy frame is not.

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        from lazyframe.display import render_schema_text

        return render_schema_text([(f.name, type_name(f.dtype), f.nullable) for f in self.schema], self._sources())

    def _repr_html_(self) -> str:
        from lazyframe import session
        from lazyframe.display import render_schema_html

        fields = [(f.name, type_name(f.dtype), f.nullable) for f in self.schema]
        text = session.explain(self._plan, optimized=True, verbose=False, analyze=False)
        return render_schema_html(fields, self._sources(), ".show()", text)

    def _sources(self) -> list[str]:
        from lazyframe.planner.graph import postorder
        from lazyframe.planner.relations import Scan

        return list(dict.fromkeys(node.source.name for node in postorder(self._plan) if isinstance(node, Scan)))

    @public
    def __bool__(self) -> NoReturn:
        self._no_value("truth value", "write frame.count() > 0 to ask whether there are rows")

    @public
    def __len__(self) -> int:
        self._no_value("length", "write frame.count(), which runs the query")

    @public
    def __iter__(self) -> Any:
        self._no_value("rows", "write frame.collect(), or frame.collect_batches() for batch after batch")

    @public
    def __getitem__(self, key: Any) -> Any:
        raise LazyValueError(
            f"a lazy frame has no values before the query runs: frame[{key!r}]",
            hint="write frame.select(...) for columns, frame.slice(...) for rows, lf.col(...) in expressions, or collect() first",
        )

    @public
    def __eq__(self, other: object) -> NoReturn:
        raise LazyValueError(
            "frames are not compared with == or !=",
            hint="write a.collect().equals(b) to ask whether they hold the same rows, a.except_(b) for those that differ",
        )

    def _no_value(self, what: str, hint: str) -> NoReturn:
        raise LazyValueError(f"a lazy frame has no {what} before the query runs", hint=hint)

    # Names.

    def _names(self, node: Unbound) -> list[str]:
        """The columns that a name or selector means."""
        schema = self._plan.schema
        types = {f.name: f.dtype for f in schema}
        found = []
        for single in expand(node, schema.names, types):
            if not isinstance(single, Ref):
                raise InvalidArgumentError(f"here stands the name of a column, not {single!r}", site=node.site)
            if single.name not in schema:
                raise column_not_found(single.name, schema.names, node.site)
            found.append(single.name)
        return found

    def _all_names(self, columns: Any) -> list[str]:
        given = [columns] if isinstance(columns, (str, Expr)) else columns
        return [name for node in nodes(given, {}) for name in self._names(node)]


def is_name(value: Any) -> bool:
    """Whether it is the name of one column: a string, or `col("name")`."""
    return isinstance(value, str) or (isinstance(value, Expr) and isinstance(value._node, Ref))


def frame_of(other: Any) -> LazyFrame:
    """The frame that was given; what holds rows becomes one."""
    if isinstance(other, LazyFrame):
        return other
    if hasattr(other, "__arrow_c_stream__") or hasattr(other, "__dataframe__"):
        from lazyframe.dataframe import DataFrame

        return DataFrame(other)
    raise InvalidArgumentError(
        f"here stands a frame, not {type(other).__name__}", hint="make one with lf.from_arrow(...) or lf.from_dict(...)"
    )


def integer(name: str, value: Any) -> int:
    """A number of rows given by the user, forwards or backwards."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidArgumentError(f"{name} is a whole number, not {value!r}")
    return value


def whole_number(name: str, value: Any) -> int:
    """A count given by the user."""
    if integer(name, value) < 0:
        raise InvalidArgumentError(f"{name} is a whole number of 0 or more, not {value!r}")
    return value


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
        keys = nodes([on] if isinstance(on, (str, Expr)) else on, {})
        return keys, keys
    if left_on is None or right_on is None:
        raise InvalidArgumentError("a join needs on=, or left_on= and right_on=", hint="how='cross' pairs all rows")
    left = nodes([left_on] if isinstance(left_on, (str, Expr)) else left_on, {})
    right = nodes([right_on] if isinstance(right_on, (str, Expr)) else right_on, {})
    if len(left) != len(right):
        raise InvalidArgumentError(f"left_on has {len(left)} keys and right_on {len(right)}")
    if not left:
        raise InvalidArgumentError("a join needs at least one key", hint="how='cross' pairs all rows")
    return left, right


def declared(schema: Any, default: Schema) -> tuple[tuple[str, Any, bool], ...]:
    """The columns that a user's function declares."""
    if schema is None:
        return tuple((f.name, f.dtype, True) for f in default)
    if isinstance(schema, Mapping):
        return tuple((name, wanted_type(dtype), True) for name, dtype in schema.items())
    if isinstance(schema, Schema):
        return tuple((f.name, f.dtype, f.nullable) for f in schema)
    if hasattr(schema, "names") and hasattr(schema, "types"):
        return tuple((f.name, wanted_type(f.type), f.nullable) for f in schema)
    raise InvalidArgumentError(f"a schema is a mapping of names to types or a pyarrow schema, not {type(schema).__name__}")


@public
def concat(frames: Iterable[LazyFrame], how: str = "vertical") -> LazyFrame:
    """Several frames as one.

    Args:
        frames: at least one.
        how: `"vertical"`: the rows one after the other, columns by name, which all have; `"diagonal"`: the same, where
            columns that a frame lacks are null; `"horizontal"`: the columns side by side, shorter frames filled up with nulls.

    Example:
        >>> a, b = lf.from_dict({"x": [1]}), lf.from_dict({"x": [2.5]})
        >>> lf.concat([a, b]).to_dicts()
        [{'x': 1.0}, {'x': 2.5}]
    """
    check_choice("how", how, ("vertical", "diagonal", "horizontal"))
    if isinstance(frames, LazyFrame):
        raise InvalidArgumentError("concat() takes a list of frames")
    plans = [frame_of(frame)._plan for frame in frames]
    if not plans:
        raise InvalidArgumentError("concat() needs at least one frame")
    if how == "horizontal":
        return LazyFrame(sets.horizontal(plans))
    return LazyFrame(sets.vertical(plans, fill=how == "diagonal"))


