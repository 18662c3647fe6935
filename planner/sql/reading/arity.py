"""Arguments that sqlglot would read and forget: functions with more of them than it knows are refused before it sees them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.sql.reading.positions import text_site

_COMMON = {
    "arg_max": 3, "arg_min": 3, "argmax": 3, "argmin": 3, "array_agg": 1, "array_append": 2, "array_prepend": 2,
    "array_remove": 2, "arrayagg": 1, "date_to_date_str": 1, "generate_uuid": 0, "leftpad": 3, "like": 3, "rightpad": 3,
    "time_to_time_str": 1, "ts_or_ds_to_date_str": 1, "ceil": 2, "charindex": 3, "floor": 2, "gen_random_uuid": 0, "hex": 1, "initcap": 1,
    "locate": 3, "log10": 1, "log2": 1, "lpad": 3, "ltrim": 2, "max_by": 3, "min_by": 3, "mod": 2, "position": 2, "rpad": 3,
    "rtrim": 2, "sha256": 1, "sort_array": 2, "to_hex": 1, "uuid_string": 0,
}  # fmt: skip
_MOST: dict[str, dict[str, int]] = {
    "duckdb": {
        **_COMMON, "any_value": 1, "approx_quantile": 2, "array_distinct": 1, "array_slice": 4, "convert": 0, "date_diff": 3,
        "date_trunc": 2, "datediff": 3, "datetrunc": 2, "decode": 1, "encode": 1, "epoch_ms": 1, "generate_series": 3,
        "get_bit": 2, "list_distinct": 1, "list_prepend": 2, "map": 2, "quantile": 2, "quantile_cont": 2, "quantile_disc": 2,
        "range": 3, "regexp_extract": 4, "regexp_extract_all": 4, "regexp_replace": 4, "strftime": 2, "strptime": 2,
        "try_convert": 0, "uuid": 0, "xor": 2,
    },
    "postgres": {
        **_COMMON, "date_trunc": 3, "div": 2, "glob": 2, "length": 2, "sha384": 1, "sha512": 1, "to_char": 2, "to_date": 2,
        "to_timestamp": 2, "uuid": 0,
    },
}  # fmt: skip
"""How many arguments sqlglot keeps, of the functions of which it forgets more."""

_FULLER: dict[str, dict[tuple[str, int], str]] = {
    "duckdb": {
        ("encode", 2): "encode/2", ("decode", 2): "decode/2", ("date_trunc", 3): "date_trunc/3", ("datetrunc", 3): "date_trunc/3",
    },
}  # fmt: skip
"""Functions with more arguments than DuckDB's have, under names that sqlglot does not know and nobody can write."""

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})


def rename_calls(tokens: Sequence[Token], dialect: str) -> None:
    """Give functions whose further arguments the parser would forget a name by which it keeps them."""
    fuller = _FULLER.get(dialect)
    if fuller is None:
        return
    names = {name for name, _ in fuller}
    for index, token in enumerate(tokens[:-1]):
        if tokens[index + 1].token_type is TokenType.L_PAREN and token.text.lower() in names:
            renamed = fuller.get((token.text.lower(), _count(tokens, index + 1)))
            if renamed is not None:
                token.text = renamed


def check_arguments(tokens: Sequence[Token], text: str, dialect: str) -> None:
    """Refuse a function with an argument that the parser would drop.

    Raises:
        InvalidArgumentError: at the function.
    """
    most = _MOST.get(dialect)
    if most is None:
        return
    for index, token in enumerate(tokens[:-1]):
        if tokens[index + 1].token_type is not TokenType.L_PAREN:
            continue
        limit = most.get(token.text.lower())
        if limit is None:
            continue
        # A name behind a point is a column's or a schema's.
        found = _count(tokens, index + 1)
        if found > limit and (index == 0 or tokens[index - 1].token_type is not TokenType.DOT):
            wanted = "no arguments" if limit == 0 else f"up to {limit} argument{'s' if limit > 1 else ''}"
            raise InvalidArgumentError(
                f"{token.text.lower()}() takes {wanted}, not {found}", site=text_site(text, token.start, token.end)
            )


def _count(tokens: Sequence[Token], opening: int) -> int:
    """How many arguments stand in the parentheses that open there."""
    depth, commas = 0, 0
    for index in range(opening, len(tokens)):
        kind = tokens[index].token_type
        if kind in _OPENING:
            depth += 1
        elif kind in _CLOSING:
            depth -= 1
            if depth == 0:
                return 0 if index == opening + 1 else commas + 1
        elif kind is TokenType.ORDER_BY and depth == 1:
            # What follows are keys, not arguments.
            return commas + 1
        elif kind is TokenType.COMMA and depth == 1:
            commas += 1
    return 0


__all__ = ["check_arguments", "rename_calls"]
