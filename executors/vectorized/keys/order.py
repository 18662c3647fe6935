"""Stable order of rows by several keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lazyframe.executors.vectorized.keys.byte_rows import WORD, ByteRows, Mask, Words
from lazyframe.executors.vectorized.keys.encode import code_bytes, digits_of, encode_digits, offsets_from
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

SortWord: TypeAlias = tuple[Words, int]
"""Unsigned words that sort as the key does, and how many of their low bits are used."""

# Rows still equal after so many words are ranked whole.
_WORDWISE = 4
_SAMPLE = 4096


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
    leading, _ = _leading_word(forms[0], descending[0], nulls_first[0])
    threshold = np.partition(leading, k - 1)[k - 1]
    rows = np.flatnonzero(leading <= threshold)
    if any(isinstance(form, ListOf | Record) for form in forms):
        words = _all_words(forms, descending, nulls_first)
        order = stable_order([(word.take(rows), bits) for word, bits in words], len(rows))
    else:
        words = _all_words([_take(form, rows) for form in forms], descending, nulls_first)
        order = stable_order(words, len(rows))
    return rows.take(order[:k])


def rank_codes(
    columns: Sequence[pa.Array], descending: Sequence[bool], nulls_first: Sequence[bool]
) -> npt.NDArray[np.int64]:
    """Dense codes in sorted order: equal rows share one, and the rows that come first have 0.

    Args:
        columns: key columns as for `sort_indices`.
        descending: as for `sort_indices`.
        nulls_first: as for `sort_indices`.
    """
    return _ranks(_all_words([normalise(column) for column in columns], descending, nulls_first), len(columns[0]))


def stable_order(words: Sequence[SortWord], n: int) -> Positions:
    """The stable order of rows by words, the first the most significant.

    Each pass sorts by as many low bits as fit into 64 beside the row's place from the pass before: so no two of the
    sorted integers are equal, and the fastest sort is a stable one.
    """
    order = np.arange(n)
    if n < 2:
        return order
    place_bits = (n - 1).bit_length()
    shift = np.uint64(place_bits)
    mask = np.uint64((1 << place_bits) - 1)
    places = order.view(np.uint64)
    started = False
    for digit in _digits(words, 64 - place_bits):
        keys = (digit.take(order, mode="clip") if started else digit) << shift
        keys |= places
        keys.sort()
        keys &= mask
        order = order.take(keys.view(np.int64), mode="clip") if started else keys.view(np.intp)
        started = True
    return order


def _digits(words: Sequence[SortWord], width: int) -> Iterator[Words]:
    """The words, read as one long number, cut into digits of `width` bits, the lowest first."""
    digit: Words | None = None
    used = 0
    for word, bits in reversed(words):
        done = 0
        while done < bits:
            part = word >> np.uint64(done) if done else word
            taken = min(bits - done, width - used)
            if taken < bits - done:
                part = part & np.uint64((1 << taken) - 1)
            digit = part if digit is None else digit | (part << np.uint64(used))
            used += taken
            done += taken
            if used == width:
                yield digit
                digit, used = None, 0
    if digit is not None:
        yield digit


def _all_words(forms: Sequence[Form], descending: Sequence[bool], nulls_first: Sequence[bool]) -> list[SortWord]:
    keys = zip(forms, descending, nulls_first, strict=True)
    return [word for form, down, first in keys for word in _form_words(form, down, first)]


def _form_words(form: Form, descending: bool, nulls_first: bool) -> list[SortWord]:
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
            if rows.longest() < WORD:
                return _fixed_words(_big_endian(rows), valid, descending, nulls_first)
            return _fixed_words(_byte_ranks(rows), valid, descending, nulls_first)
        case Dictionary(values, indices):
            ranks = _ranks(_form_words(values, descending, nulls_first), len(values))
            return _fixed_words(ranks.take(indices), None, False, False)
        case Record(fields, valid):
            words = [] if valid is None else [_null_word(valid, nulls_first)]
            # A null field is the greatest value, so it comes first where great values do.
            return words + _all_words(fields, [descending] * len(fields), [descending] * len(fields))
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


def _byte_ranks(rows: ByteRows) -> npt.NDArray[np.int64]:
    """How many rows are less than each row: by its first word, and among equals by the next."""
    n = len(rows)
    if n > 2 * _SAMPLE and _repeats(rows):
        codes = encode_digits(digits_of(Bytes(rows, None)), n)
        return _byte_ranks(rows.take(codes.first)).take(codes.codes)
    ranks = np.zeros(n, dtype=np.int64)
    active = np.arange(n)
    for j in range(_WORDWISE):
        word = rows.word(j, active).byteswap()
        # Of rows with equal words the shorter is a prefix of the longer; beyond the word it is the next one's turn.
        left = np.clip(rows.lengths.take(active) - WORD * j, 0, WORD + 1).view(np.uint64)
        before = ranks.take(active)
        order = stable_order([(before.view(np.uint64), n.bit_length()), (word, 64), (left, 4)], len(active))
        active, word, left, before = active.take(order), word.take(order), left.take(order), before.take(order)
        new_before = np.concatenate(([True], before[1:] != before[:-1]))
        new = new_before | np.concatenate(([True], (word[1:] != word[:-1]) | (left[1:] != left[:-1])))
        starts = np.flatnonzero(new)
        sizes = np.diff(starts, append=len(active))
        rank = before.take(starts) + starts - np.maximum.accumulate(np.where(new_before, np.arange(len(active)), 0))[starts]
        ranks[active] = np.repeat(rank, sizes)
        tied = np.repeat(sizes > 1, sizes) & (left > WORD)
        active = active.compress(tied)
        if not len(active):
            return ranks
    return _rank_whole(rows, ranks, active)


def _rank_whole(rows: ByteRows, ranks: npt.NDArray[np.int64], active: Positions) -> npt.NDArray[np.int64]:
    """Settle rows that are equal so far by comparing them whole."""
    encoded = rows.take(active).source.dictionary_encode(null_encoding="encode")
    values = encoded.dictionary
    if pa.types.is_fixed_size_binary(values.type):
        values = values.cast(pa.binary())
    by_value = np.empty(len(values), dtype=np.int64)
    by_value[pc.sort_indices(values).to_numpy()] = np.arange(len(values))
    whole = by_value.take(encoded.indices.to_numpy())
    before = ranks.take(active)
    n = len(rows)
    order = stable_order([(before.view(np.uint64), n.bit_length()), (whole.view(np.uint64), n.bit_length())], len(active))
    active, whole, before = active.take(order), whole.take(order), before.take(order)
    new_before = np.concatenate(([True], before[1:] != before[:-1]))
    new = new_before | np.concatenate(([True], whole[1:] != whole[:-1]))
    places = np.arange(len(active))
    start = np.maximum.accumulate(np.where(new, places, 0))
    ranks[active] = before + start - np.maximum.accumulate(np.where(new_before, places, 0))
    return ranks


def _repeats(rows: ByteRows) -> bool:
    """Whether a sample has so many equal rows that it pays to sort the distinct ones."""
    step = len(rows) // _SAMPLE
    sample = np.arange(_SAMPLE) * step
    return 2 * len(np.unique(rows.take(sample).hashes())) < _SAMPLE


def _ranks(words: Sequence[SortWord], n: int) -> npt.NDArray[np.int64]:
    order = stable_order(words, n)
    new = np.zeros(n, dtype=np.bool_)
    for word, _ in words:
        ordered = word.take(order)
        new[1:] |= ordered[1:] != ordered[:-1]
    ranks = np.empty(n, dtype=np.int64)
    ranks[order] = np.cumsum(new)
    return ranks


def _leading_word(form: Form, descending: bool, nulls_first: bool) -> SortWord:
    """One word in which no row precedes another that comes before it."""
    match form:
        case Bytes(rows, valid):
            words = _fixed_words(rows.word(0).byteswap(), valid, descending, nulls_first)
        case _:
            words = _form_words(form, descending, nulls_first)
    if not words:
        return np.zeros(len(form), dtype=np.uint64), 0
    if len(words) > 1 and words[0][1] + words[1][1] <= 64:
        return words[0][0] << np.uint64(words[1][1]) | words[1][0], words[0][1] + words[1][1]
    return words[0]


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
