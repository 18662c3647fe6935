"""How much strings are alike."""

from __future__ import annotations

from lazyframe.planner.functions.definition import Function, by_name, strings
from lazyframe.planner.types import FLOAT64, INT64

FUNCTIONS = by_name(
    Function(name="hamming", resolver=strings(INT64, 2), arity=(2, 2), total=False, sql=("hamming", "mismatches"), summary="In how many places two strings of one length differ."),
    Function(name="damerau_levenshtein", resolver=strings(INT64, 2), arity=(2, 2), sql=("damerau_levenshtein",), summary="As levenshtein, where two neighbours that change places count once."),
    Function(name="jaccard", resolver=strings(FLOAT64, 2), arity=(2, 2), total=False, sql=("jaccard",), summary="The share of different characters that both strings have."),
    Function(name="jaro", resolver=strings(FLOAT64, 2), arity=(2, 2), sql=("jaro_similarity",), summary="Jaro's similarity, from 0 to 1."),
    Function(name="jaro_winkler", resolver=strings(FLOAT64, 2), arity=(2, 2), sql=("jaro_winkler_similarity",), summary="Jaro's similarity raised where the strings begin alike (Winkler, 1990)."),
)  # fmt: skip
