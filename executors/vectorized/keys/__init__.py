"""Keys of group-by, distinct, join, set operations and sort: one definition of equality and of order."""

from lazyframe.executors.vectorized.keys.encode import Codes, encode
from lazyframe.executors.vectorized.keys.order import one_word, rank_codes, sort_indices, sort_runs, top_k_indices
from lazyframe.executors.vectorized.keys.table import KeyTable

__all__ = ["Codes", "KeyTable", "encode", "one_word", "rank_codes", "sort_indices", "sort_runs", "top_k_indices"]
