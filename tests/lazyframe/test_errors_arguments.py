"""Arguments that make no sense, types that do not fit, aggregates in the wrong place."""

from __future__ import annotations

import re

import pytest

import lazyframe as lf
from lazyframe import col

FRAME = lf.from_dict({"x": [1], "s": ["a"], "b": [True], "l": [[1]], "r": [{"p": 1}]})
OTHER = FRAME.lazy()


def refused(build, error, message):
    with pytest.raises(error) as caught:
        build()
    text = str(caught.value)
    assert re.search(message, text), text
    assert re.search(rf'File ".*test_errors_arguments.py", line {build.__code__.co_firstlineno}', text), text
    assert FRAME.count() == 1


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: FRAME.head(-1), "n is a whole number of 0 or more, not -1"),
        (lambda: FRAME.head("2"), "n is a whole number.*'2'"),
        (lambda: FRAME.head(True), "n is a whole number.*True"),
        (lambda: FRAME.limit(1.5), "n is a whole number.*1.5"),
        (lambda: FRAME.tail(-2), "n is a whole number"),
        (lambda: FRAME.slice(0, -1), "length is a whole number"),
        (lambda: FRAME.slice("a"), "offset is a whole number"),
        (lambda: FRAME.shift(1.0), "n is a whole number"),
        (lambda: FRAME.top_k(-1, by="x"), "k is a whole number"),
        (lambda: FRAME.bottom_k("1", by="x"), "k is a whole number"),
        (lambda: FRAME.with_row_index(offset="a"), "offset is a whole number"),
        (lambda: FRAME.with_row_index(3), "the name of a column is a string, not 3"),
        (lambda: FRAME.sample(), "n or fraction"),  # noqa: PLW0108
        (lambda: FRAME.sample(1, fraction=0.5), "n or fraction"),
        (lambda: FRAME.sample(-1), "n is a whole number"),
        (lambda: FRAME.sample(fraction=1.5), "fraction lies between 0 and 1"),
        (lambda: FRAME.sample(1, seed=-1), "seed is a whole number"),
        (lambda: FRAME.sample(1, seed="s"), "seed is a whole number"),
        (lambda: FRAME.sort("x", descending=[True, False]), "descending has 2 values for 1 keys"),
        (lambda: FRAME.sort("x", nulls_first=["yes"]), "nulls_first has 1 values"),
        (lambda: FRAME.unique(keep="frist"), "keep is one of .*'frist'\ndid you mean 'first'"),
        (lambda: FRAME.rename({"x": 1}), "the name of a column is a string, not 1"),
        (lambda: FRAME.rename("x"), "a mapping or a function, not str"),
        (lambda: FRAME.cast({"x": "intt"}), "no type named 'intt'; did you mean 'int'"),
        (lambda: FRAME.cast({"x": 3}), "not a type: 3"),
        (lambda: FRAME.select(OTHER), "a LazyFrame cannot stand in an expression\njoin the frame instead"),
        (lambda: FRAME.select(print), "cannot stand in an expression\ncall the function first"),
        (lambda: FRAME.select(lf.when(col("b"))), r"when\(\.\.\.\) has no value yet"),
        (lambda: FRAME.select(object()), "an object cannot stand in an expression"),
        (lambda: FRAME.drop(col("x") + 1), "here stands the name of a column"),
        (lambda: FRAME.unique(col("x") + 1), "here stands the name of a column"),
        (lambda: col("x").alias(5), "the name of a column is a string, not 5"),
        (lambda: col("x").name.prefix(5), "a prefix is a string"),
        (lambda: col("x").name.suffix(None), "a suffix is a string"),
        (lambda: col("x").cast("decimal(50,2)"), "a decimal has 1 to 38 digits"),
        (lambda: col("x").is_in(5), "a list of constants, not int"),
        (lambda: col("x").is_in("abc"), "a list of constants, not str"),
        (lambda: col("x").is_in(col("s")), "a list of constants, not Expr"),
        (lambda: col("x").is_between(1, 2, closed="neither"), "closed is one of"),
        (lambda: col("x").order_by("s"), "belongs to an aggregate"),
        (lambda: col("x").distinct(), "belongs to an aggregate"),
        (lambda: col("x") + (lambda: 1), "cannot stand in an expression"),
        (lambda: FRAME.select(col("x").quantile(1.5)), "from 0 to 1"),
        (lambda: FRAME.select(col("x").quantile(0.5, "near")), "interpolation is one of"),
        (lambda: FRAME.select(col("x").std(ddof=-1)), "ddof"),
        (lambda: col("x", int), "names or types, not both"),
        (lambda: lf.any_horizontal(), "no condition"),  # noqa: PLW0108
        (lambda: lf.all_horizontal(), "no condition"),  # noqa: PLW0108
        (lambda: lf.when(), "no condition"),  # noqa: PLW0108
        (lambda: lf.sum(), "names of columns"),  # noqa: PLW0108
        (lambda: FRAME.map_batches("f"), "takes a function, not str"),
        (lambda: lf.collect_all([1]), "here stands a frame, not int"),
    ],
)  # fmt: skip
def test_arguments(build, message):
    refused(build, lf.errors.InvalidArgumentError, message)


def test_a_constant_that_is_not_of_its_type():
    refused(lambda: FRAME.select(lf.lit("a", int)), lf.errors.InvalidArgumentError, "'a' is no value of type int64")
    refused(lambda: FRAME.select(lf.lit(300, "int8")), lf.errors.InvalidArgumentError, "300 is no value of type int8")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: FRAME.filter(col("x")), "a filter must be true or false, not int64: x\ncompare it with something"),
        (lambda: FRAME.filter("s"), "a filter must be true or false, not string"),
        (lambda: FRAME.filter(col("x") == 1, 5), "a filter must be true or false, not int64"),
        (lambda: FRAME.select(col("x") + col("s")), r"cast one side, for example .cast\('int64'\)"),
        (lambda: FRAME.select(col("x") & col("b")), "and"),
        (lambda: FRAME.select(~col("x")), "not"),
        (lambda: FRAME.select(-col("s")), "negate"),
        (lambda: FRAME.select(col("s").sum()), "sum"),
        (lambda: FRAME.select(col("s").sqrt()), "sqrt"),
        (lambda: FRAME.select(col("x").str.upper()), "upper"),
        (lambda: FRAME.select(col("s").dt.year()), "year"),
        (lambda: FRAME.filter(col("x") == "abc"), "cannot read 'abc' as int64"),
        (lambda: FRAME.filter(col("x").is_in(["abc"])), "cannot read 'abc' as int64"),
        (lambda: FRAME.filter(col("s").is_in([1])), "can be no value of s, which is string"),
        (lambda: FRAME.select(lf.when(col("x")).then(1)), "a condition must be true or false, not int64"),
        (
            lambda: FRAME.select(lf.when(col("b")).then(lf.lit("x")).otherwise(1)),
            "the branches are of types string and int64",
        ),
        (lambda: FRAME.select(lf.coalesce("x", "s")), "coalesce"),
        (lambda: FRAME.select(col("l").cast(int)), r"list<int64> cannot be cast to int64"),
        (lambda: FRAME.explode("x"), "'x' is int64, not a list"),
        (lambda: FRAME.unnest("x"), "'x' is int64, not a struct"),
        (lambda: FRAME.fill_null(lf.lit(b"a")), "fits no column"),
        (lambda: FRAME.join(FRAME, left_on="x", right_on="s"), "int64 and string, which are never equal"),
        (lambda: FRAME.select(col("x").sum().filter(col("x"))), "the filter of an aggregate must be true or false"),
    ],
)
def test_types_that_do_not_fit(build, message):
    refused(build, lf.errors.TypeMismatchError, message)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: FRAME.select(col("x").sum().max()), "stands inside the aggregate max"),
        (lambda: FRAME.select((col("x").sum() + 1).mean()), "stands inside the aggregate mean"),
        (lambda: FRAME.select(col("x").sum().filter(col("x") > col("x").mean())), "stands inside the aggregate sum"),
        (lambda: FRAME.select(col("x").first(order_by=col("x").max())), "stands inside the aggregate first"),
        (lambda: FRAME.sort(col("x").sum()), "an aggregate cannot stand in what to sort by"),
        (lambda: FRAME.top_k(1, by=col("x").sum()), "an aggregate cannot stand in what to sort by"),
        (lambda: FRAME.group_by(col("x").sum()), "an aggregate cannot stand in what to group by"),
        (lambda: FRAME.join(FRAME, on=col("x").sum() == col("x_right")), "a join condition holds no aggregates"),
        (lambda: FRAME.select(col("x").filter(col("b"))), "must be followed by an aggregate"),
        (lambda: FRAME.group_by("s").agg(col("x") + col("x").sum()), "neither a key nor inside an aggregate"),
    ],
)
def test_aggregates_in_the_wrong_place(build, message):
    refused(build, lf.errors.InvalidArgumentError, message)


@pytest.mark.parametrize("build", [lambda: FRAME.join(FRAME, left_on=col("x").sum(), right_on="x")])
def test_aggregates_are_no_join_keys(build):
    refused(build, lf.errors.InvalidArgumentError, "an aggregate cannot stand in what to join by")
