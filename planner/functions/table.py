"""The table of all functions. An order written down, not made by imports."""

from lazyframe.planner.functions import (
    arithmetic,
    binary,
    bits,
    comparison,
    dates,
    intervals,
    lambdas,
    list_aggregates,
    list_algebra,
    lists,
    logic,
    maps,
    maths,
    python,
    similarity,
    strings,
    structs,
    vectors,
    volatile,
    words,
)
from lazyframe.planner.functions.definition import Function

TOPICS = (
    arithmetic, comparison, logic, maths, bits, strings, words, similarity, binary, dates, intervals, lists, list_aggregates, list_algebra, lambdas,
    structs, maps, vectors, volatile, python,
)  # fmt: skip

FUNCTIONS: dict[str, Function] = {name: found for topic in TOPICS for name, found in topic.FUNCTIONS.items()}
