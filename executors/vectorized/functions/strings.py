"""Kernels of functions of strings."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions import digests, edit_distance, lists, parsing, regex
from lazyframe.executors.vectorized.functions.like_pattern import parse_like
from lazyframe.executors.vectorized.functions.subject import by_row, mapped, of_columns, of_subject
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, KernelError
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc


def _in_case(ascii_kernel: Callable[[pa.Array], pa.Array], change: Callable[[str], str]) -> Kernel:
    """Arrow maps characters to characters; Python's full mapping knows that the upper case of ß is SS."""

    def run(strings: pa.Array, *, arguments: Arguments) -> pa.Array:
        ascii_rows = pc.string_is_ascii(strings)
        if pc.all(ascii_rows, min_count=0).as_py():
            return ascii_kernel(_from_zero(strings))
        others = pc.invert(pc.fill_null(ascii_rows, True))
        changed = [change(s) for s in strings.filter(others).to_pylist()]
        return pc.replace_with_mask(
            ascii_kernel(pc.if_else(others, "", strings)), others, arrow.array(changed, pa.string())
        )

    return of_columns(run)


def _from_zero(strings: pa.Array) -> pa.Array:
    """The same strings, with offsets from 0: Arrow's ASCII kernels keep the offsets, but not the bytes in front of the first."""
    offsets = strings.buffers()[1]
    if offsets is None or not offsets.size or not np.frombuffer(offsets, np.int32, count=1)[0]:
        return strings
    return pa.concat_arrays([strings, strings.slice(0, 0)])


def _length(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    if pa.types.is_string(values.type):
        return pc.utf8_length(values)
    return pc.binary_length(values) if pa.types.is_binary(values.type) else pc.list_value_length(values)


def _bytes(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    return pc.binary_length(values)


def _bits(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    return pc.multiply(pc.binary_length(values).cast(pa.int64()), 8)


def _reverse(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    return pc.utf8_reverse(values) if pa.types.is_string(values.type) else lists.reversed_lists(values)


def _from_start(start: int, length: int | None = None) -> slice:
    """Positions from 0, negative ones from the end."""
    if length is None:
        return slice(start, None)
    if length < 0:
        raise KernelError(f"a substring cannot be {length} characters long")
    stop = start + length
    return slice(start, None if start < 0 <= stop else stop)


def _from_one(start: int, length: int | None = None) -> slice:
    """SQL's positions: 0 stands before the first character."""
    if start == 0 and length is not None:
        return _from_start(0, length - 1 if length > 0 else length)
    return _from_start(start - 1 if start > 0 else start, length)


def _slicer(part: Callable[..., slice]) -> Kernel:
    constant = of_subject(lambda strings, *place, arguments: _sliced(strings, part(*place)))
    varying = by_row(lambda text, *place: text[part(*place)])
    return _constant_or(constant, varying)


def _constant_or(constant: Kernel, varying: Kernel) -> Kernel:
    """`constant` where all arguments after the first are scalars, else `varying`."""

    def run(values: Any, arguments: Arguments, rows: int) -> Any:
        scalars = all(isinstance(value, pa.Scalar) for value in values[1:])
        return (constant if scalars else varying).run(values, arguments, rows)

    return Kernel(run)


def _sliced(strings: pa.Array, part: slice) -> pa.Array:
    if part.stop is not None and part.stop == 0 and (part.start or 0) >= 0:
        return pc.if_else(strings.is_valid(), "", strings)
    return pc.utf8_slice_codeunits(strings, part.start or 0, part.stop)


def _head(strings: pa.Array, n: int, *, arguments: Arguments) -> pa.Array:
    return _sliced(strings, slice(0, n))


def _tail(strings: pa.Array, n: int, *, arguments: Arguments) -> pa.Array:
    return _sliced(strings, slice(-n, None)) if n else _sliced(strings, slice(0, 0))


def _strip(side: str, otherwise: str | None) -> Kernel:
    of_characters = getattr(pc, f"utf8_{side}")
    of_white_space = getattr(pc, f"utf8_{side}_whitespace")

    def run(strings: pa.Array, characters: str | None = otherwise, *, arguments: Arguments) -> pa.Array:
        if characters is None:
            return of_white_space(strings)
        return of_characters(strings, characters) if characters else strings

    return of_subject(run)


def _strip_prefix(strings: pa.Array, prefix: str, *, arguments: Arguments) -> pa.Array:
    return pc.if_else(pc.starts_with(strings, prefix), _sliced(strings, slice(len(prefix), None)), strings)


def _strip_suffix(strings: pa.Array, suffix: str, *, arguments: Arguments) -> pa.Array:
    if not suffix:
        return strings
    return pc.if_else(pc.ends_with(strings, suffix), _sliced(strings, slice(0, -len(suffix))), strings)


def _test(kernel: Callable[..., pa.Array], of_pair: Callable[[Any, Any], bool]) -> Kernel:
    def run(strings: pa.Array, text: str | bytes, *, arguments: Arguments) -> pa.Array:
        return kernel(strings, text)

    return _constant_or(of_subject(run), by_row(of_pair))


def _like(*, ignore_case: bool) -> Kernel:
    def run(strings: pa.Array, pattern: str, escape: str = "", *, arguments: Arguments) -> pa.Array:
        return parse_like(pattern, escape).match(strings, ignore_case=ignore_case)

    return of_subject(run)


def _find(strings: pa.Array, text: str, *, arguments: Arguments) -> pa.Array:
    return regex.code_points_before(strings, pc.find_substring(strings, text))


def _found(text: str, part: str) -> int | None:
    at = text.find(part)
    return None if at < 0 else at


def _position(strings: pa.Array, text: str, *, arguments: Arguments) -> pa.Array:
    found = pc.fill_null(pc.add(_find(strings, text, arguments=arguments), 1), 0)
    return pc.if_else(strings.is_valid(), found, arrow.scalar(None, pa.int64()))


def _count(strings: pa.Array, text: str, *, arguments: Arguments) -> pa.Array:
    return pc.count_substring(strings, text) if text else pc.add(pc.utf8_length(strings), 1)


def _replace(strings: pa.Array, old: str, new: str, *, arguments: Arguments) -> pa.Array:
    n = arguments.options.get("n")
    if not old:
        return strings
    return pc.replace_substring(strings, old, new, max_replacements=-1 if n is None else n)


def _split(strings: pa.Array, separator: str, *, arguments: Arguments) -> pa.Array:
    if not separator:
        return arrow.array([None if s is None else list(s) for s in strings.to_pylist()], arguments.result)
    return pc.split_pattern(strings, separator)


def _split_part(strings: pa.Array, separator: str, number: int, *, arguments: Arguments) -> pa.Array:
    if not separator:
        return strings if number in (1, -1) else pc.if_else(strings.is_valid(), "", strings)
    parts = pc.split_pattern(strings, separator)
    counts = arrow.numpy_of(pc.fill_null(pc.list_value_length(parts), 0)).astype(np.int64)
    places = np.cumsum(counts) - (counts if number > 0 else 0) + (number - 1 if number > 0 else number)
    there = (counts >= abs(number)) & (number != 0)
    found = pc.fill_null(pc.take(parts.flatten(), arrow.array(places, mask=~there)), "")
    return pc.if_else(strings.is_valid(), found, arrow.scalar(None, pa.string()))


def _concat(*columns: pa.Array, arguments: Arguments) -> pa.Array:
    empty = arrow.scalar(b"" if pa.types.is_binary(arguments.result) else "", arguments.result)
    return pc.binary_join_element_wise(*columns, empty)


def _concat_values(*columns: pa.Array, arguments: Arguments) -> pa.Array:
    return pc.binary_join_element_wise(*columns, arrow.scalar(""), null_handling="replace", null_replacement="")


def _concat_ws(separator: pa.Array, *columns: pa.Array, arguments: Arguments) -> pa.Array:
    if not columns:
        return pc.if_else(separator.is_valid(), "", separator)
    # Arrow leaves out the rows in which all values are skipped.
    nothing = columns[0].is_null()
    for column in columns[1:]:
        nothing = pc.and_(nothing, column.is_null())
    first = pc.if_else(nothing, "", columns[0])
    return pc.binary_join_element_wise(first, *columns[1:], separator, null_handling="skip")


_MOST_CHARACTERS = 2**31 - 1
_TOO_LONG = "the texts of a batch would have more than 2 GB"


def _one(fill: str) -> str:
    if len(fill) != 1:
        raise KernelError(f"a text is filled with one character, not with {fill!r}")
    return fill


def _pad(kernel: Callable[..., pa.Array]) -> Kernel:
    def run(strings: pa.Array, length: int, fill: str = " ", *, arguments: Arguments) -> pa.Array:
        return kernel(strings, max(length, 0), _one(fill))

    return of_subject(run)


def _filling(text: str, length: int, fill: str) -> str:
    missing = length - len(text)
    return (fill * (missing // len(fill) + 1))[:missing] if missing > 0 and fill else ""


def _sql_pad(*, at_start: bool) -> Kernel:
    def run(strings: pa.Array, length: int, fill: str = " ", *, arguments: Arguments) -> pa.Array:
        length = max(length, 0)
        if length * len(strings) > _MOST_CHARACTERS:
            raise KernelError(_TOO_LONG)

        def padded(text: str) -> str:
            filling = _filling(text, length, fill)
            return filling + text[:length] if at_start else text[:length] + filling

        return mapped(strings, padded, pa.string())

    return of_subject(run)


def _repeat(strings: pa.Array, times: pa.Array, *, arguments: Arguments) -> pa.Array:
    try:
        return pc.binary_repeat(strings, pc.max_element_wise(times, 0, skip_nulls=False))
    except pa.ArrowCapacityError:
        raise KernelError(_TOO_LONG) from None


def _translate(strings: pa.Array, old: str, new: str, *, arguments: Arguments) -> pa.Array:
    table: dict[int, str | None] = {}
    for index, character in enumerate(old):
        table.setdefault(ord(character), new[index] if index < len(new) else None)
    return mapped(strings, lambda text: text.translate(table), pa.string())


def _of_text(function: Callable[[str], Any]) -> Kernel:
    return of_columns(lambda strings, *, arguments: mapped(strings, function, arguments.result))


def _normalize(strings: pa.Array, *, arguments: Arguments) -> pa.Array:
    if pc.all(pc.string_is_ascii(strings), min_count=0).as_py():
        return strings
    form: Any = arguments.options.get("form", "NFC")
    return mapped(strings, lambda text: unicodedata.normalize(form, text), pa.string())


def _without_marks(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if unicodedata.category(c) != "Mn"))


def _character(code: int) -> str:
    if not 0 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise KernelError(f"no character has the number {code}")
    return chr(code)


def _utf8(strings: pa.Array, *, arguments: Arguments) -> pa.Array:
    return strings.cast(pa.binary())


KERNELS: dict[str, Kernel] = {
    "lower": _in_case(pc.ascii_lower, str.lower),
    "upper": _in_case(pc.ascii_upper, str.upper),
    "title": _in_case(pc.ascii_title, str.title),
    "capitalize": _in_case(pc.ascii_capitalize, str.capitalize),
    "length": of_columns(_length),
    "byte_length": of_columns(_bytes),
    "bit_length": of_columns(_bits),
    "reverse": of_columns(_reverse),
    "substring": _slicer(_from_start),
    "substr": _slicer(_from_one),
    "head_of_string": _constant_or(of_subject(_head), by_row(lambda text, n: text[:n])),
    "tail_of_string": _constant_or(of_subject(_tail), by_row(lambda text, n: text[-n:] if n else "")),
    "strip": _strip("trim", None),
    "lstrip": _strip("ltrim", None),
    "rstrip": _strip("rtrim", None),
    "trim": _strip("trim", " "),
    "ltrim": _strip("ltrim", " "),
    "rtrim": _strip("rtrim", " "),
    "strip_prefix": _constant_or(of_subject(_strip_prefix), by_row(str.removeprefix)),
    "strip_suffix": _constant_or(of_subject(_strip_suffix), by_row(str.removesuffix)),
    "contains": _test(pc.match_substring, lambda text, part: part in text),
    "starts_with": _test(pc.starts_with, lambda text, part: text.startswith(part)),
    "ends_with": _test(pc.ends_with, lambda text, part: text.endswith(part)),
    "like": _like(ignore_case=False),
    "ilike": _like(ignore_case=True),
    "regexp_matches": of_subject(regex.matches),
    "find": _constant_or(of_subject(_find), by_row(_found)),
    "regexp_find": of_subject(regex.find),
    "position": _constant_or(of_subject(_position), by_row(lambda text, part: text.find(part) + 1)),
    "count_matches": _constant_or(of_subject(_count), by_row(str.count)),
    "regexp_count": of_subject(regex.count),
    "replace": of_subject(_replace),
    "regexp_replace": of_subject(regex.replace),
    "extract": of_subject(regex.extract_or_null),
    "regexp_extract": of_subject(regex.extract_or_empty),
    "extract_all": of_subject(regex.extract_all),
    "split": of_subject(_split),
    "regexp_split": of_subject(regex.split),
    "split_part": of_subject(_split_part),
    "concat_strings": of_columns(_concat),
    "concat": of_columns(_concat_values),
    "concat_ws": of_columns(_concat_ws),
    "pad_start": _pad(pc.utf8_lpad),
    "pad_end": _pad(pc.utf8_rpad),
    "lpad": _sql_pad(at_start=True),
    "rpad": _sql_pad(at_start=False),
    "zfill": of_subject(lambda strings, n, *, arguments: mapped(strings, lambda text: text.zfill(n), pa.string())),
    "repeat": of_columns(_repeat),
    "translate": of_subject(_translate),
    "encode_utf8": of_columns(_utf8),
    "normalize": of_columns(_normalize),
    "strip_accents": _of_text(_without_marks),
    "ascii": _of_text(lambda text: ord(text[0]) if text else 0),
    "chr": by_row(_character),
    "levenshtein": of_columns(edit_distance.levenshtein),
    "regexp_escape": of_columns(regex.escape),
    **parsing.KERNELS,
    **digests.KERNELS,
}
