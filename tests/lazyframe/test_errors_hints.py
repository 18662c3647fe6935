"""What errors advise: the thing that fits where the mistake was made."""

from __future__ import annotations

import datetime

import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.errors import (
    ColumnNotFoundError,
    DuplicateColumnError,
    InvalidArgumentError,
    LazyFrameError,
    LazyValueError,
    TypeMismatchError,
)

NOON = datetime.datetime(2024, 1, 1, 12)  # noqa: DTZ001 - it has no zone on purpose
FRAME = lf.from_dict(
    {
        "k": [1],
        "s": ["a"],
        "l": [[1]],
        "r": [{"k": 1}],
        "t": [NOON],
        "z": [NOON.replace(tzinfo=datetime.UTC)],
        "b": [True],
    }
)


def advice(build, error) -> str:
    with pytest.raises(error) as caught:
        build()
    assert isinstance(caught.value, LazyFrameError)
    assert "test_errors_hints.py" in str(caught.value)
    return f"{caught.value.message}\n{caught.value.hint}"


@pytest.mark.parametrize(
    ("build", "error", "said"),
    [
        (lambda: FRAME.select(col("l").list.join(",")), TypeMismatchError, "cast('list<string>')"),
        (lambda: FRAME.select(lf.concat_str("k", "s")), TypeMismatchError, "cast('string')"),
        (lambda: FRAME.select(col("k").fill_null("a")), TypeMismatchError, ".cast('string').fill_null("),
        (lambda: FRAME.filter(col("k") == "January"), TypeMismatchError, "compare it with a value of its type"),
        (lambda: FRAME.filter(col("k").is_in(["January"])), TypeMismatchError, "compare it with a value of its type"),
        (lambda: FRAME.filter(col("t") == "January"), TypeMismatchError, "YYYY-MM-DD"),
        (
            lambda: FRAME.select(col("s").sum()),
            TypeMismatchError,
            "s is string; for numbers in text write .cast('float64')",
        ),
        (lambda: FRAME.filter(col("t") < col("z")), TypeMismatchError, "replace_time_zone"),
        (lambda: FRAME.filter(col("z") == NOON), TypeMismatchError, "replace_time_zone"),
        (lambda: FRAME.join(FRAME, left_on="t", right_on="z"), TypeMismatchError, "replace_time_zone"),
        (lambda: FRAME.filter(col("k") == 1 & (col("k") == 2)), TypeMismatchError, "(a == 1) & (b == 2)"),
        (lambda: FRAME.filter(col("k") == 1 & col("k") == 2), LazyValueError, "(a == 1) & (b == 2)"),
        (lambda: FRAME.filter(col("b") & col("k")), TypeMismatchError, "(a == 1) & (b == 2)"),
        (lambda: FRAME.join(FRAME, on="q"), ColumnNotFoundError, "no column named 'q' on the left side of the join"),
        (
            lambda: FRAME.join(FRAME, left_on="k", right_on="q"),
            ColumnNotFoundError,
            "no column named 'q' on the right side of the join",
        ),
        (lambda: FRAME.value_counts("k", name="k"), DuplicateColumnError, "name='k_2'"),
        (lambda: FRAME.unnest("r"), DuplicateColumnError, "rename or drop the column before"),
        (lambda: FRAME.rename({"k": "s"}), DuplicateColumnError, "rename the other column too"),
        (lambda: FRAME.with_row_index("k"), DuplicateColumnError, "with_row_index('row')"),
        (lambda: FRAME.unpivot("s", index="k", variable_name="k"), DuplicateColumnError, "variable_name="),
        (lambda: FRAME.sort(by="k"), InvalidArgumentError, "sort() has no argument 'by'\nwrite sort(*keys, descending"),
        (lambda: FRAME.sort("k", nulls_last=True), InvalidArgumentError, "did you mean nulls_first=?"),
        (lambda: FRAME.drop_nulls(subset="k"), InvalidArgumentError, "write drop_nulls(*subset)"),
        (lambda: FRAME.rename(columns={"k": "q"}), InvalidArgumentError, "write rename(mapping, strict)"),
        (
            lambda: lf.DataFrame([[1, 2]], schema=["a", "b"]),
            InvalidArgumentError,
            "schema is a mapping of column names to types",
        ),
        (lambda: lf.DataFrame({"a": [1]}, columns=["a"]), InvalidArgumentError, "write DataFrame(data, schema)"),
    ],
)
def test_advice(build, error, said):
    assert said in advice(build, error)


def test_only_the_call_itself_is_translated():
    def strange(frame, *, size):
        return frame.head(size)

    with pytest.raises(TypeError, match="unexpected keyword argument 'length'"):
        FRAME.pipe(strange, length=1)
    with pytest.raises(TypeError, match="missing 1 required"):
        FRAME.rename()
