"""The definitions of all functions, one file a topic. An order written down, not made by imports."""

from lazyframe.planner.functions import (
    arithmetic,
    binary,
    comparison,
    dates,
    lists,
    logic,
    maths,
    strings,
    structs,
)
from lazyframe.planner.functions.definition import Function

TOPICS = (arithmetic, comparison, logic, maths, strings, binary, dates, lists, structs)

FUNCTIONS: dict[str, Function] = {name: found for topic in TOPICS for name, found in topic.FUNCTIONS.items()}
