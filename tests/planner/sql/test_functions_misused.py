"""Every function that SQL can call, with any number of arguments of any types: what comes out is a value or an error of ours."""

import itertools
import random

import pytest

import lazyframe as lf
from lazyframe.planner.errors import LazyFrameError
from lazyframe.planner.sql.expressions.binder import function_names

VALUES = {
    "int": "7", "float": "1.5e0", "decimal": "2.5", "text": "'a'", "date": "date '2024-01-02'", "bool": "true",
    "timestamp": "timestamp '2024-01-02 03:04:05'", "interval": "interval '1 day'", "list": "[1, 2]", "struct": "{'k': 1}",
    "map": "map {'a': 1}", "null": "null",
}  # fmt: skip
CONSTANTS = list(VALUES.values())
COLUMNS = [f"c_{name}" for name in VALUES]
PARTS = 6


def calls(part: int) -> list[str]:
    """Each function with nothing, with one argument of each type in constants or columns, and with a few longer lists."""
    draw = random.Random(part)
    found = []
    for place, name in enumerate(function_names()):
        if place % PARTS != part:
            continue
        found.append(f"{name}()")
        found += [f"{name}({arg})" for arg in [*draw.sample(CONSTANTS, 2), "c_null", *draw.sample(COLUMNS, 3)]]
        same = [", ".join([arg] * count) for count in (2, 3, 4) for arg in draw.sample(COLUMNS, 1)]
        mixed = [", ".join(draw.choices(COLUMNS, k=count)) for count in (2, 2, 3)]
        found += [f"{name}({args})" for args in itertools.chain(same, mixed)]
    return found


@pytest.fixture(scope="module")
def row() -> lf.DataFrame:
    return lf.sql("select " + ", ".join(f"{value} as c_{name}" for name, value in VALUES.items())).collect()


@pytest.mark.parametrize("part", range(PARTS))
def test_no_error_of_python(row: lf.DataFrame, part: int) -> None:
    for call in calls(part):
        try:
            lf.sql(f"select {call} as x from t", t=row).collect()
        except LazyFrameError as error:
            assert str(error), call  # noqa: PT017 (that the message can be written is what is tested)
        except Exception as error:
            raise AssertionError(f"{call}: {type(error).__name__}: {error}") from error


@pytest.mark.parametrize(
    "arguments", ["null, null", "c_null, c_null", "c_list, c_list", "c_null, c_list", "c_date, c_date"]
)
def test_two_alike_of_functions_of_lists(row: lf.DataFrame, arguments: str) -> None:
    for name in function_names():
        if name.startswith(("list_", "array_")):
            try:
                lf.sql(f"select {name}({arguments}) as x from t", t=row).collect()
            except LazyFrameError as error:
                assert str(error)  # noqa: PT017
