"""Stable order of rows by several keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.keys.byte_ranks import SEVERAL, TextWords, byte_ranks, repeats
from lazyframe.executors.vectorized.keys.byte_rows import WORD, ByteRows, Mask, Words
from lazyframe.executors.vectorized.keys.encode import code_bytes, offsets_from
from lazyframe.executors.vectorized.keys.grouping import Positions
from lazyframe.executors.vectorized.keys.normalise import (
    Bytes,
    Dictionary,
    Fixed,
    Form,
    ListOf,
    Record,
    Wide,
    normalise,
)
from lazyframe.executors.vectorized.keys.radix import SortKey, SortWord, dense_ranks, ordered_runs, stable_order, taken

# Words of a string that a top-k looks at before it sorts what is left.
_WORDWISE = 4


def sort_indices(columns: Sequence[pa.Array], descending: Sequence[bool], nulls_first: Sequence[bool]) -> Positions:
    """The rows in sorted order; rows with equal keys keep theirs.

    Floats are in total order with NaN the greatest, strings go by code point, dictionaries by value, structs by their
    fields in turn, lists by their elements in turn with the shorter first. A null inside a struct or list is the
    greatest value.

    Args:
        columns: key columns of one length, at least one, the first the most significant.
        descending: for each column, whether great values come first.
        nulls_first: for each column, where nulls go, whatever the direction.

    Raises:
        TypeError: if values of a column's type can't be compared.

    Examples:
        >>> sort_indices([pa.array([2.0, None, float("nan"), 1.0])], [True], [False]).tolist()
        [2, 0, 3, 1]
    """
    forms = [normalise(column) for column in columns]
    return stable_order(_all_words(forms, descending, nulls_first), len(columns[0]))


def sort_runs(
    columns: Sequence[pa.Array], descending: Sequence[bool], nulls_first: Sequence[bool]
) -> tuple[Positions, Mask]:
    """The rows in sorted order, and at each place but the first whether its row differs from the one before.

    Args:
        columns: key columns as for `sort_indices`.
        descending: as for `sort_indices`.
        nulls_first: as for `sort_indices`.
    """
    return ordered_runs(_all_words([normalise(column) for column in columns], descending, nulls_first), len(columns[0]))


def top_k_indices(
    columns: Sequence[pa.Array], descending: Sequence[bool], nulls_first: Sequence[bool], k: int
) -> Positions:
    """The first `k` of `sort_indices`, found without sorting the rest.

    Args:
        columns: key columns as for `sort_indices`.
        descending: as for `sort_indices`.
        nulls_first: as for `sort_indices`.
        k: how many rows, from 0; beyond the number of rows it is all.
    """
    n = len(columns[0])
    if k <= 0:
        return np.zeros(0, dtype=np.intp)
    if 4 * k >= n:
        return sort_indices(columns, descending, nulls_first)[:k]
    forms = [normalise(column) for column in columns]
    rows = _candidates(forms[0], descending[0], nulls_first[0], k)
    if any(isinstance(form, ListOf | Record) for form in forms):
        words = _all_words(forms, descending, nulls_first)
        order = stable_order([taken(word, rows) for word in words], len(rows))
    else:
        words = _all_words([_take(form, rows) for form in forms], descending, nulls_first)
        order = stable_order(words, len(rows))
    return rows.take(order[:k])


def one_word(columns: Sequence[pa.Array], descending: Sequence[bool], nulls_first: Sequence[bool]) -> Words | None:
    """Words that sort as the rows do; None where these take more than 64 bits.

    Args:
        columns: key columns as for `sort_indices`.
        descending: as for `sort_indices`.
        nulls_first: as for `sort_indices`.
    """
    keys = _all_words([normalise(column) for column in columns], descending, nulls_first)
    word, used = np.zeros(len(columns[0]), dtype=np.uint64), 0
    for key in keys:
        if not isinstance(key, tuple) or used + key[1] > 64:
            return None
        word = word << np.uint64(key[1]) | key[0] if used else key[0]
        used += key[1]
    return word


def rank_codes(
    columns: Sequence[pa.Array], descending: Sequence[bool], nulls_first: Sequence[bool]
) -> npt.NDArray[np.int64]:
    """Dense codes in sorted order: equal rows share one, and the rows that come first have 0.

    Args:
        columns: key columns as for `sort_indices`.
        descending: as for `sort_indices`.
        nulls_first: as for `sort_indices`.
    """
    return dense_ranks(_all_words([normalise(column) for column in columns], descending, nulls_first), len(columns[0]))


def _all_words(forms: Sequence[Form], descending: Sequence[bool], nulls_first: Sequence[bool]) -> list[SortKey]:
    keys = zip(forms, descending, nulls_first, strict=True)
    return [word for form, down, first in keys for word in _form_words(form, down, first)]


def _form_words(form: Form, descending: bool, nulls_first: bool) -> Sequence[SortKey]:
    match form:
        case Fixed(values, valid):
            return _fixed_words(values, valid, descending, nulls_first)
        case Wide(limbs, valid):
            low, fits = form.narrow()
            if fits.all():
                return _fixed_words(low, valid, descending, nulls_first)
            words = [] if valid is None else [_null_word(valid, nulls_first)]
            for limb in limbs:
                cleared = limb if valid is None else np.where(valid, limb, 0).astype(limb.dtype)
                words += _fixed_words(cleared, None, descending, nulls_first)
            return words
        case Bytes(rows, valid):
            if rows.longest < WORD:
                return _fixed_words(_big_endian(rows), valid, descending, nulls_first)
            if len(rows) > SEVERAL and not repeats(rows):
                present = [] if valid is None else [_null_word(valid, nulls_first)]
                return [*present, TextWords(rows, descending)]
            return _fixed_words(byte_ranks(rows), valid, descending, nulls_first)
        case Dictionary(values, indices):
            ranks = dense_ranks(_form_words(values, descending, nulls_first), len(values))
            return _fixed_words(ranks.take(indices), None, False, False)
        case Record(fields, valid):
            fields_valid: list[SortKey] = [] if valid is None else [_null_word(valid, nulls_first)]
            # A null field is the greatest value, so it comes first where great values do.
            return fields_valid + _all_words(fields, [descending] * len(fields), [descending] * len(fields))
        case ListOf(lengths, elements, valid):
            ranks = rank_codes([elements], [False], [False])
            rows = ByteRows(code_bytes(lengths, ranks, ">i8"))
            return _form_words(Bytes(rows, valid), descending, nulls_first)


def _fixed_words(values: npt.NDArray, valid: Mask | None, descending: bool, nulls_first: bool) -> list[SortWord]:
    present = values if valid is None else values.compress(valid)
    if not len(present):
        return []
    low, high = int(present.min()), int(present.max())
    words = offsets_from(values, low)
    span = high - low
    if descending:
        np.subtract(np.uint64(span), words, out=words)
    if valid is None:
        return [(words, span.bit_length())] if span else []
    if span + 1 >= 1 << 64:
        np.putmask(words, ~valid, 0)
        return [_null_word(valid, nulls_first), (words, 64)]
    if nulls_first:
        words += np.uint64(1)
    np.putmask(words, ~valid, 0 if nulls_first else span + 1)
    return [(words, (span + 1).bit_length())]


def _null_word(valid: Mask, nulls_first: bool) -> SortWord:
    return (valid if nulls_first else ~valid).astype(np.uint64), 1


def _big_endian(rows: ByteRows) -> Words:
    """Rows of at most 7 bytes as words in byte order; a row comes after its prefixes by its length."""
    return rows.word(0).byteswap() | rows.lengths.view(np.uint64)


def _candidates(form: Form, descending: bool, nulls_first: bool, k: int) -> Positions:
    """Rows in their order, among which are the first `k` of the sorted ones, and hopefully few others."""
    rows = np.arange(len(form))
    ahead: list[Positions] = []
    for word in _leading_words(form, descending, nulls_first):
        leading = word(rows)
        threshold = np.partition(leading, k - 1)[k - 1]
        less = rows.compress(leading < threshold)
        ahead.append(less)
        rows = rows.compress(leading == threshold)
        k -= len(less)
        if len(rows) <= max(2 * k, 64):
            break
    return np.sort(np.concatenate([*ahead, rows]))


def _leading_words(form: Form, descending: bool, nulls_first: bool) -> Iterator[Callable[[Positions], Words]]:
    """Words of some rows that never contradict the order, the more significant before."""
    if not isinstance(form, Bytes) or form.rows.longest < WORD:
        for key in _form_words(form, descending, nulls_first):
            if not isinstance(key, tuple):
                return
            yield key[0].take
        return
    if form.valid is not None:
        yield _null_word(form.valid, nulls_first)[0].take
    for j in range(_WORDWISE):

        def word(rows: Positions, j: int = j) -> Words:
            words = form.rows.word(j, rows).byteswap()
            return ~words if descending else words

        yield word


def _take(form: Form, rows: Positions) -> Form:
    match form:
        case Fixed(values, valid):
            return Fixed(values.take(rows), None if valid is None else valid.take(rows))
        case Wide(limbs, valid):
            return Wide(tuple(limb.take(rows) for limb in limbs), None if valid is None else valid.take(rows))
        case Bytes(byte_rows, valid):
            return Bytes(byte_rows.take(rows), None if valid is None else valid.take(rows))
        case Dictionary(values, indices):
            return Dictionary(values, indices.take(rows))
        case Record() | ListOf():
            raise AssertionError("nested keys are sorted by their words")
