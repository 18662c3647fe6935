"""From text to tokens, where parameters stand close together.

Behind `$` sqlglot looks for the tag of a text between dollars, `$tag$ ... $tag$`, and takes anything without a space for one: `$1+$2`
would begin a text that is called `1+`. So parameters are told apart by a space, and the tokens stand where they stood without it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from sqlglot.tokenizer_core import Token

_CLOSE = re.compile(r"\$\w+[^\w\s$][^\s$]*\$")
"""What is part of every text in which a parameter might be taken for such a tag."""

_PARTS = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/ | \$([^\W\d]\w*|)\$.*?\$\1\$ | (?P<parameter>\$\w+)(?=[^\w\s$])""",
    re.DOTALL | re.VERBOSE,
)


def tokenized(spoken: Any, text: str) -> Sequence[Token]:
    """The tokens of a text in a dialect of sqlglot's.

    Raises:
        SqlglotError, ValueError: where it cannot be read.
    """
    if _CLOSE.search(text) is None:
        tokens: Sequence[Token] = spoken.tokenize(text)
        return tokens
    # The places in the longer text at which there is a space more.
    added: list[int] = []

    def spaced(match: re.Match[str]) -> str:
        if match["parameter"] is None:
            return match[0]
        added.append(match.end() + len(added))
        return f"{match[0]} "

    longer = _PARTS.sub(spaced, text)
    return [_moved(token, added, longer) for token in spoken.tokenize(longer)]


def _moved(token: Token, added: Sequence[int], longer: str) -> Token:
    before = bisect_left(added, token.start)
    line = longer.rfind("\n", 0, token.start) + 1
    here = before - bisect_left(added, line)
    return Token(
        token.token_type,
        token.text,
        token.line,
        token.col - here,
        token.start - before,
        token.end - bisect_left(added, token.end),
        token.comments,
    )
