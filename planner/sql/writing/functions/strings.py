"""Functions of strings and bytes: SQL counts positions from 1, and we from 0."""

from __future__ import annotations

import re

from lazyframe.planner.scalars import Call
from lazyframe.planner.sql.writing.functions.form import Form, constant, option, refuse
from lazyframe.planner.sql.writing.templates import quoted
from lazyframe.planner.types import is_binary, is_list

_WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def _length(call: Call) -> str:
    (arg,) = call.args
    if is_list(arg.dtype):
        return "ARRAY_LENGTH(a)"
    return "OCTET_LENGTH(a)" if is_binary(arg.dtype) else "LENGTH(a)"


def _byte_length(times: str) -> Form:
    def form(call: Call) -> str:
        return ("OCTET_LENGTH(a)" if is_binary(call.args[0].dtype) else "STRLEN(a)") + times

    return form


def _substring(call: Call) -> str:
    start = constant(call, 1)
    rest = ", c" if len(call.args) == 3 else ""
    if start is not None:
        first = str(start + 1) if start >= 0 else f"GREATEST(LENGTH(a) - {-start}, 0) + 1"
    else:
        first = "CASE WHEN b >= 0 THEN b + 1 ELSE GREATEST(LENGTH(a) + b, 0) + 1 END"
    return f"SUBSTRING(a, {first}{rest})"


def _strip(name: str) -> Form:
    """Python's strip takes off all white space, SQL's trim spaces alone."""

    def form(call: Call) -> str:
        return f"{name}(a, b)" if len(call.args) == 2 else f"{name}(a, {quoted(_WHITE_SPACE)})"

    return form


def _where_known(call: Call, form: str) -> str:
    """The form, which gives null for a null second argument."""
    return form if not call.args[1].nullable else f"CASE WHEN b IS NULL THEN NULL ELSE {form} END"


def _strip_prefix(call: Call) -> str:
    return _where_known(call, "CASE WHEN STARTS_WITH(a, b) THEN SUBSTRING(a, LENGTH(b) + 1) ELSE a END")


def _strip_suffix(call: Call) -> str:
    return _where_known(call, "CASE WHEN ENDS_WITH(a, b) THEN LEFT(a, LENGTH(a) - LENGTH(b)) ELSE a END")


def _like(word: str) -> Form:
    def form(call: Call) -> str:
        if len(call.args) == 2:
            return f"a {word} b"
        escape = constant(call, 2)
        if not isinstance(escape, str):
            raise refuse(call, "with an escape character that is no constant")
        return f"a {word} b ESCAPE {quoted(escape)}" if escape else f"a {word} b"

    return form


def _text_only(form: str) -> Form:
    def written(call: Call) -> str:
        if is_binary(call.args[0].dtype):
            raise refuse(call, "of bytes")
        return form

    return written


def _count_matches(call: Call) -> str:
    if not constant(call, 1):
        raise refuse(call, "of what is no constant, or empty,")
    return "(LENGTH(a) - LENGTH(REPLACE(a, b, ''))) // LENGTH(b)"


def _replace(call: Call) -> str:
    n = option(call, "n")
    if n is None or n < 0:
        return "REPLACE(a, b, c)"
    pattern, replacement = constant(call, 1), constant(call, 2)
    if n != 1 or not isinstance(pattern, str) or not isinstance(replacement, str):
        raise refuse(call, f"of at most {n}")
    return f"REGEXP_REPLACE(a, {quoted(re.escape(pattern))}, {quoted(replacement.replace(chr(92), chr(92) * 2))})"


def _regexp_replace(call: Call) -> str:
    n = option(call, "n", 1)
    if n == 1:
        return "REGEXP_REPLACE(a, b, c)"
    if n is None or n < 0:
        return "REGEXP_REPLACE(a, b, c, 'g')"
    raise refuse(call, f"of at most {n}")


def _extract(call: Call) -> str:
    return f"CASE WHEN REGEXP_MATCHES(a, b) THEN REGEXP_EXTRACT(a, b, {option(call, 'group', 1)}) END"


def _group(name: str) -> Form:
    def form(call: Call) -> str:
        return f"{name}(a, b, {option(call, 'group', 0)})"

    return form


def _pad(name: str) -> Form:
    """SQL's padding also cuts what is too long."""

    def form(call: Call) -> str:
        fill = "c" if len(call.args) == 3 else "' '"
        return f"CASE WHEN LENGTH(a) >= b THEN a ELSE {name}(a, CAST(b AS INTEGER), {fill}) END"

    return form


def _sql_pad(name: str) -> Form:
    def form(call: Call) -> str:
        return f"{name}(a, CAST(b AS INTEGER), {'c' if len(call.args) == 3 else quoted(' ')})"

    return form


def _parse(target: str) -> Form:
    def form(call: Call) -> str:
        strict = option(call, "strict", default=True)
        if len(call.args) == 1:
            return f"CAST(a AS {target})" if strict else f"TRY_CAST(a AS {target})"
        read = "STRPTIME(a, b)" if strict else "TRY_STRPTIME(a, b)"
        return read if target == "TIMESTAMP" else f"CAST({read} AS {target})"

    return form


def _parse_datetime(call: Call) -> str:
    zone = option(call, "time_zone")
    form = _parse("TIMESTAMP")
    assert callable(form)
    return form(call) if zone is None else f"({form(call)}) AT TIME ZONE {quoted(zone)}"


def _parse_integer(call: Call) -> str:
    if option(call, "base", 10) != 10:
        raise refuse(call, f"of base {option(call, 'base')}")
    return "CAST(a AS BIGINT)" if option(call, "strict", default=True) else "TRY_CAST(a AS BIGINT)"


def _strict(form: str) -> Form:
    def written(call: Call) -> str:
        if not option(call, "strict", default=True):
            raise refuse(call, "that gives null for what it cannot read")
        return form

    return written


def _bytes_of(form: str) -> Form:
    def written(call: Call) -> str:
        return form if is_binary(call.args[0].dtype) else form.replace("(a)", "(ENCODE(a))")

    return written


def _normalize(call: Call) -> str:
    if option(call, "form", "NFC") != "NFC":
        raise refuse(call, f"to {option(call, 'form')}")
    return "NFC_NORMALIZE(a)"


FORMS: dict[str, Form] = {
    "format_bytes": lambda call: (
        "FORMATREADABLEDECIMALSIZE(a)" if option(call, "base", 1024) == 1000 else "FORMAT_BYTES(a)"
    ),
    "length": _length,
    "byte_length": _byte_length(""),
    "bit_length": _byte_length(" * 8"),
    "reverse": lambda call: "LIST_REVERSE(a)" if is_list(call.dtype) else "REVERSE(a)",
    "capitalize": "UPPER(LEFT(a, 1)) || LOWER(SUBSTRING(a, 2))",
    "substring": _substring,
    "substr": "SUBSTRING(...)",
    "head_of_string": "LEFT(a, b)",
    "tail_of_string": "RIGHT(a, b)",
    "strip": _strip("TRIM"),
    "lstrip": _strip("LTRIM"),
    "rstrip": _strip("RTRIM"),
    "trim": "TRIM(...)",
    "ltrim": "LTRIM(...)",
    "rtrim": "RTRIM(...)",
    "strip_prefix": _strip_prefix,
    "strip_suffix": _strip_suffix,
    "contains": _text_only("CONTAINS(a, b)"),
    "starts_with": _text_only("STARTS_WITH(a, b)"),
    "ends_with": _text_only("ENDS_WITH(a, b)"),
    "like": _like("LIKE"),
    "ilike": _like("ILIKE"),
    "find": "NULLIF(STRPOS(a, b), 0) - 1",
    "position": "STRPOS(a, b)",
    "count_matches": _count_matches,
    "regexp_count": "ARRAY_LENGTH(REGEXP_EXTRACT_ALL(a, b))",
    "replace": _replace,
    "regexp_replace": _regexp_replace,
    "extract": _extract,
    "regexp_extract": _group("REGEXP_EXTRACT"),
    "extract_all": _group("REGEXP_EXTRACT_ALL"),
    "concat_strings": lambda call: " || ".join([f"arg{i}" for i in range(len(call.args))]),
    "pad_start": _pad("LPAD"),
    "pad_end": _pad("RPAD"),
    "lpad": _sql_pad("LPAD"),
    "rpad": _sql_pad("RPAD"),
    "zfill": (
        "CASE WHEN LENGTH(a) >= b THEN a WHEN LEFT(a, 1) IN ('-', '+')"
        " THEN LEFT(a, 1) || LPAD(SUBSTRING(a, 2), CAST(b - 1 AS INTEGER), '0')"
        " ELSE LPAD(a, CAST(b AS INTEGER), '0') END"
    ),
    "parse_date": _parse("DATE"),
    "parse_datetime": _parse_datetime,
    "parse_time": _parse("TIME"),
    "parse_integer": _parse_integer,
    "hex_encode": "LOWER(HEX(a))",
    "hex": "HEX(a)",
    "hex_decode": _strict("UNHEX(a)"),
    "base64_encode": _bytes_of("TO_BASE64(a)"),
    "base64_decode": _strict("FROM_BASE64(a)"),
    "decode_utf8": _strict("DECODE(a)"),
    "normalize": _normalize,
    "chr": "CHR(CAST(a AS INTEGER))",
}

REFUSED: dict[str, str] = {
    "title": "has no counterpart (INITCAP takes digits for letters)",
    "regexp_find": "has no counterpart",
    "binary_slice": "has no counterpart",
}
