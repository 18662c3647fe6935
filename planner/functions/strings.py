"""Functions of strings.

Lengths and positions count code points. Positions start at 0, except in the functions that say they are SQL's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.functions.definition import (
    Function,
    Options,
    Resolver,
    Signature,
    Types,
    by_name,
    cast_is_allowed,
    fixed,
)
from lazyframe.planner.functions.definition import strings as of_strings
from lazyframe.planner.functions.patterns import not_negative, one_character, sound_pattern, sound_replacement
from lazyframe.planner.types import (
    BINARY,
    BOOL,
    DATE,
    INT32,
    INT64,
    STRING,
    is_binary,
    is_list,
    is_null,
)

if TYPE_CHECKING:
    from lazyframe.planner.scalars import Scalar

STRINGS = pa.list_(pa.field("item", STRING))


def _length(types: Types, options: Options) -> Signature | None:
    (t,) = types
    if is_null(t):
        return Signature((STRING,), INT64)
    return Signature(types, INT64) if t in (STRING, BINARY) or is_list(t) else None


def _reverse(types: Types, options: Options) -> Signature | None:
    (t,) = types
    if is_null(t):
        return Signature((STRING,), STRING)
    return Signature(types, t) if t == STRING or is_list(t) else None


def _text_or_bytes(result: pa.DataType, count: int = 1) -> Resolver:
    """All arguments strings, or all of them bytes."""

    def resolve(types: Types, options: Options) -> Signature | None:
        wanted = BINARY if any(is_binary(t) for t in types) else STRING
        return Signature((wanted,) * count, result) if all(is_null(t) or t == wanted for t in types) else None

    return resolve


def _concat(types: Types, options: Options) -> Signature | None:
    wanted = BINARY if any(is_binary(t) for t in types) else STRING
    if not all(is_null(t) or t == wanted for t in types):
        return None
    return Signature((wanted,) * len(types), wanted)


def _as_text(types: Types, options: Options) -> Signature | None:
    """Anything that can be written as a string."""
    return Signature((STRING,) * len(types), STRING) if all(cast_is_allowed(t, STRING) for t in types) else None


def _datetime(types: Types, options: Options) -> Signature | None:
    unit, zone = options.get("unit", "us"), options.get("time_zone")
    if unit not in ("s", "ms", "us", "ns"):
        raise InvalidArgumentError(f"a time unit is one of 's', 'ms', 'us' and 'ns', not {unit!r}")
    return fixed((STRING, STRING), pa.timestamp(unit, zone))(types, options)


def _integer(types: Types, options: Options) -> Signature | None:
    base = options.get("base", 10)
    if not isinstance(base, int) or not 2 <= base <= 36:
        raise InvalidArgumentError(f"the base of a number is from 2 to 36, not {base!r}")
    return fixed((STRING,), INT64)(types, options)


def _normalize(types: Types, options: Options) -> Signature | None:
    form = options.get("form", "NFC")
    if form not in ("NFC", "NFD", "NFKC", "NFKD"):
        raise InvalidArgumentError(f"a normal form is one of 'NFC', 'NFD', 'NFKC' and 'NFKD', not {form!r}")
    return fixed((STRING,), STRING)(types, options)


def _without_escape(args: Sequence[Scalar]) -> bool:
    """Only an escape character can stand where nothing follows it."""
    return len(args) == 2


_TEXT_START = (STRING, INT64, INT64)

FUNCTIONS = by_name(
    Function(name="lower", resolver=of_strings(STRING), arity=(1, 1), sql=("lower", "lcase"), summary="In lower case."),
    Function(name="upper", resolver=of_strings(STRING), arity=(1, 1), sql=("upper", "ucase"), summary="In upper case."),
    Function(name="title", resolver=of_strings(STRING), arity=(1, 1), summary="Each word with a capital and the rest in lower case; a word is a run of letters."),
    Function(name="capitalize", resolver=of_strings(STRING), arity=(1, 1), summary="The first character in title case and the rest in lower case."),
    Function(name="length", resolver=_length, arity=(1, 1), sql=("length", "len", "char_length", "character_length"), summary="The number of code points of a string, of bytes, or of items of a list."),
    Function(name="byte_length", resolver=_text_or_bytes(INT64), arity=(1, 1), sql=("strlen", "octet_length"), summary="The number of bytes of the UTF-8 form."),
    Function(name="bit_length", resolver=_text_or_bytes(INT64), arity=(1, 1), sql=("bit_length",), summary="The number of bits of the UTF-8 form."),
    Function(name="reverse", resolver=_reverse, arity=(1, 1), sql=("reverse",), summary="The code points of a string, or the items of a list, last first."),
    Function(name="substring", resolver=fixed(_TEXT_START, STRING), arity=(2, 3), total=not_negative(2), summary="The part that starts at a position (negative: counted from the end) and is at most so long."),
    Function(name="substr", resolver=fixed(_TEXT_START, STRING), arity=(2, 3), total=not_negative(2), sql=("substr", "substring", "mid"), summary="SQL's substring: positions start at 1, negative ones count from the end."),
    Function(name="head_of_string", resolver=fixed((STRING, INT64), STRING), arity=(2, 2), sql=("left",), summary="The first n code points; negative: all but the last -n."),
    Function(name="tail_of_string", resolver=fixed((STRING, INT64), STRING), arity=(2, 2), sql=("right",), summary="The last n code points; negative: all but the first -n."),
    Function(name="strip", resolver=of_strings(STRING, 2), arity=(1, 2), summary="Without white space, or the characters given, at both ends."),
    Function(name="lstrip", resolver=of_strings(STRING, 2), arity=(1, 2), summary="Without white space, or the characters given, at the start."),
    Function(name="rstrip", resolver=of_strings(STRING, 2), arity=(1, 2), summary="Without white space, or the characters given, at the end."),
    Function(name="trim", resolver=of_strings(STRING, 2), arity=(1, 2), sql=("trim", "btrim"), summary="SQL's trim: without spaces, or the characters given, at both ends."),
    Function(name="ltrim", resolver=of_strings(STRING, 2), arity=(1, 2), sql=("ltrim",), summary="SQL's trim at the start."),
    Function(name="rtrim", resolver=of_strings(STRING, 2), arity=(1, 2), sql=("rtrim",), summary="SQL's trim at the end."),
    Function(name="strip_prefix", resolver=of_strings(STRING, 2), arity=(2, 2), summary="Without the second at the start, once, if it is there."),
    Function(name="strip_suffix", resolver=of_strings(STRING, 2), arity=(2, 2), summary="Without the second at the end, once, if it is there."),
    Function(name="contains", resolver=_text_or_bytes(BOOL, 2), arity=(2, 2), sql=("contains",), summary="Whether the second stands in the first, as it is."),
    Function(name="starts_with", resolver=_text_or_bytes(BOOL, 2), arity=(2, 2), sql=("starts_with", "prefix"), summary="Whether the first begins with the second."),
    Function(name="ends_with", resolver=_text_or_bytes(BOOL, 2), arity=(2, 2), sql=("ends_with", "suffix"), summary="Whether the first ends with the second."),
    Function(name="like", resolver=of_strings(BOOL, 3), arity=(2, 3), total=_without_escape, sql=("like_escape",), summary="Whether the string matches a pattern of `_` (one character) and `%` (any number); the third argument is an escape character."),
    Function(name="ilike", resolver=of_strings(BOOL, 3), arity=(2, 3), total=_without_escape, sql=("ilike_escape",), summary="As like, without regard to case."),
    Function(name="regexp_matches", resolver=of_strings(BOOL, 2), arity=(2, 2), total=sound_pattern, sql=("regexp_matches",), summary="Whether a regular expression (RE2) matches somewhere."),
    Function(name="find", resolver=of_strings(INT64, 2), arity=(2, 2), nulls="maybe", summary="Where the second first stands in the first; null where it does not."),
    Function(name="regexp_find", resolver=of_strings(INT64, 2), arity=(2, 2), nulls="maybe", total=sound_pattern, summary="Where a regular expression first matches; null where it does not."),
    Function(name="position", resolver=of_strings(INT64, 2), arity=(2, 2), sql=("strpos", "instr", "position"), summary="SQL's position: where the second first stands in the first, from 1; 0 where it does not."),
    Function(name="count_matches", resolver=of_strings(INT64, 2), arity=(2, 2), summary="How often the second stands in the first, without overlaps."),
    Function(name="regexp_count", resolver=of_strings(INT64, 2), arity=(2, 2), total=sound_pattern, sql=("regexp_count",), summary="How often a regular expression matches, without overlaps."),
    Function(name="replace", resolver=of_strings(STRING, 3), arity=(3, 3), sql=("replace",), summary="With the second replaced by the third, everywhere or at most the option `n` times."),
    Function(name="regexp_replace", resolver=of_strings(STRING, 3), arity=(3, 3), total=sound_replacement, sql=("regexp_replace",), summary=r"With what the regular expression matches replaced by the third, in which \1 is its first group; at most the option `n` times (default 1; None: everywhere)."),
    Function(name="extract", resolver=of_strings(STRING, 2), arity=(2, 2), nulls="maybe", total=False, summary="What the group of the option `group` (default 1; 0: the whole) of a regular expression matches first; null where nothing does."),
    Function(name="regexp_extract", resolver=of_strings(STRING, 2), arity=(2, 2), total=False, sql=("regexp_extract",), summary="SQL's extract: group 0 by default, and '' where nothing matches."),
    Function(name="extract_all", resolver=of_strings(STRINGS, 2), arity=(2, 2), total=False, sql=("regexp_extract_all",), summary="All that a regular expression, or its group of the option `group` (default 0), matches."),
    Function(name="split", resolver=of_strings(STRINGS, 2), arity=(2, 2), sql=("string_split", "str_split", "split", "string_to_array"), summary="The parts between the places where the second stands; by '' the characters."),
    Function(name="regexp_split", resolver=of_strings(STRINGS, 2), arity=(2, 2), total=sound_pattern, sql=("regexp_split_to_array", "string_split_regex", "str_split_regex"), summary="The parts between the matches of a regular expression."),
    Function(name="split_part", resolver=fixed((STRING, STRING, INT64), STRING), arity=(3, 3), sql=("split_part",), summary="SQL's split_part: the part of that number, from 1 or, negative, from the end; '' where there is none."),
    Function(name="concat_strings", resolver=_concat, arity=(1, None), symbol="+", summary="All arguments joined; null where one is."),
    Function(name="concat", resolver=_as_text, arity=(1, None), nulls="never", sql=("concat",), summary="All arguments that are not null, joined."),
    Function(name="concat_ws", resolver=_as_text, arity=(1, None), nulls="maybe", sql=("concat_ws",), summary="All arguments after the first that are not null, joined with the first between them."),
    Function(name="pad_start", resolver=fixed((STRING, INT64, STRING), STRING), arity=(2, 3), total=one_character(2), summary="Filled at the start with spaces, or the character given, up to a length."),
    Function(name="pad_end", resolver=fixed((STRING, INT64, STRING), STRING), arity=(2, 3), total=one_character(2), summary="Filled at the end with spaces, or the character given, up to a length."),
    Function(name="lpad", resolver=fixed((STRING, INT64, STRING), STRING), arity=(2, 3), sql=("lpad",), summary="SQL's lpad: filled at the start, or cut, to just that length."),
    Function(name="rpad", resolver=fixed((STRING, INT64, STRING), STRING), arity=(2, 3), sql=("rpad",), summary="SQL's rpad: filled at the end, or cut, to just that length."),
    Function(name="zfill", resolver=fixed((STRING, INT64), STRING), arity=(2, 2), summary="Filled with zeros after the sign up to a length."),
    Function(name="repeat", resolver=fixed((STRING, INT64), STRING), arity=(2, 2), sql=("repeat",), summary="Written n times; '' where n is not positive."),
    Function(name="translate", resolver=of_strings(STRING, 3), arity=(3, 3), sql=("translate",), summary="Each character of the second replaced by the one at its place in the third, or left out where there is none."),
    Function(name="parse_date", resolver=of_strings(DATE, 2), arity=(1, 2), nulls="maybe", total=False, summary="The date that is written in ISO form or in the format given; with the option `strict` off, null where it is not one."),
    Function(name="parse_datetime", resolver=_datetime, arity=(1, 2), nulls="maybe", total=False, sql=("strptime",), summary="The timestamp that is written in ISO form or in the format given, in the options `unit` and `time_zone`; with the option `strict` off, null where it is not one."),
    Function(name="parse_time", resolver=of_strings(pa.time64("us"), 2), arity=(1, 2), nulls="maybe", total=False, summary="The time of day that is written in ISO form or in the format given; with the option `strict` off, null where it is not one."),
    Function(name="parse_integer", resolver=_integer, arity=(1, 1), nulls="maybe", total=False, summary="The integer written in the base of the option `base`; with the option `strict` off, null where it is not one."),
    Function(name="hex_encode", resolver=_text_or_bytes(STRING), arity=(1, 1), summary="The bytes as hexadecimal digits in lower case."),
    Function(name="hex", resolver=_text_or_bytes(STRING), arity=(1, 1), sql=("hex", "to_hex"), summary="The bytes as hexadecimal digits in upper case."),
    Function(name="hex_decode", resolver=_text_or_bytes(BINARY), arity=(1, 1), nulls="maybe", total=False, sql=("unhex", "from_hex"), summary="The bytes that hexadecimal digits stand for; with the option `strict` off, null where they are none."),
    Function(name="base64_encode", resolver=_text_or_bytes(STRING), arity=(1, 1), sql=("base64", "to_base64"), summary="The bytes in base64."),
    Function(name="base64_decode", resolver=_text_or_bytes(BINARY), arity=(1, 1), nulls="maybe", total=False, sql=("from_base64",), summary="The bytes that a base64 text stands for; with the option `strict` off, null where it is none."),
    Function(name="encode_utf8", resolver=of_strings(BINARY), arity=(1, 1), sql=("encode",), summary="The bytes of the UTF-8 form."),
    Function(name="md5", resolver=_text_or_bytes(STRING), arity=(1, 1), sql=("md5",), summary="The MD5 digest, in hexadecimal digits."),
    Function(name="sha1", resolver=_text_or_bytes(STRING), arity=(1, 1), sql=("sha1",), summary="The SHA-1 digest, in hexadecimal digits."),
    Function(name="sha256", resolver=_text_or_bytes(STRING), arity=(1, 1), sql=("sha256",), summary="The SHA-256 digest, in hexadecimal digits."),
    Function(name="sha224", resolver=_text_or_bytes(STRING), arity=(1, 1), sql=("sha224",), summary="The SHA-224 digest, in hexadecimal digits."),
    Function(name="sha384", resolver=_text_or_bytes(STRING), arity=(1, 1), sql=("sha384",), summary="The SHA-384 digest, in hexadecimal digits."),
    Function(name="sha512", resolver=_text_or_bytes(STRING), arity=(1, 1), sql=("sha512",), summary="The SHA-512 digest, in hexadecimal digits."),
    Function(name="normalize", resolver=_normalize, arity=(1, 1), sql=("nfc_normalize",), summary="In the Unicode normal form of the option `form` (default 'NFC')."),
    Function(name="strip_accents", resolver=of_strings(STRING), arity=(1, 1), sql=("strip_accents",), summary="Without combining marks."),
    Function(name="ascii", resolver=of_strings(INT32), arity=(1, 1), sql=("ascii", "unicode", "ord"), summary="The number of the first code point; 0 of ''."),
    Function(name="chr", resolver=fixed((INT64,), STRING), arity=(1, 1), total=False, sql=("chr",), summary="The character of a code point's number."),
    Function(name="levenshtein", resolver=of_strings(INT64, 2), arity=(2, 2), sql=("levenshtein", "editdist3"), summary="The least number of insertions, deletions and replacements that make one of the other."),
    Function(name="regexp_escape", resolver=of_strings(STRING), arity=(1, 1), sql=("regexp_escape",), summary="A regular expression that matches the string as it is."),
)  # fmt: skip
