"""The methods of strings: `col("x").str`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.functions.patterns import foreign_group

if TYPE_CHECKING:
    from lazyframe.expr import Expr


class StringNamespace:
    r"""Methods of strings. Lengths and positions count code points, and positions start at 0.

    Regular expressions are RE2's. There `\w`, `\d`, `\s` and `\b` know ASCII alone, so that `\w+` ends before an é: a letter, digit
    or underscore of any script is `[\p{L}\p{N}_]`. A replacement names groups by a backslash: `\1`.

    Args:
        expr: gives strings.
    """

    __slots__ = ("_expr",)

    def __init__(self, expr: Expr) -> None:
        self._expr = expr

    def lower(self) -> Expr:
        """In lower case."""
        return self._expr._apply("lower")

    def upper(self) -> Expr:
        """In upper case.

        Examples:
            >>> import lazyframe as lf
            >>> lf.from_dict({"s": ["straße"]}).select(lf.col("s").str.upper()).to_dicts()
            [{'s': 'STRASSE'}]
        """
        return self._expr._apply("upper")

    def title(self) -> Expr:
        """Each word with a capital and the rest in lower case; a word is a run of letters."""
        return self._expr._apply("title")

    def capitalize(self) -> Expr:
        """The first character with a capital and the rest in lower case."""
        return self._expr._apply("capitalize")

    def len_chars(self) -> Expr:
        """The number of characters (code points).

        Examples:
            >>> import lazyframe as lf
            >>> lf.from_dict({"s": ["été"]}).select(lf.col("s").str.len_chars()).to_dicts()
            [{'s': 3}]
        """
        return self._expr._apply("length")

    def len_bytes(self) -> Expr:
        """The number of bytes of the UTF-8 form."""
        return self._expr._apply("byte_length")

    def slice(self, offset: int | Expr, length: int | Expr | None = None) -> Expr:
        """The part from a position on.

        Args:
            offset: the first character, from 0; negative counts from the end.
            length: at most how many characters; by default all that follow.

        Examples:
            >>> import lazyframe as lf
            >>> lf.from_dict({"s": ["abcdef"]}).select(lf.col("s").str.slice(-3, 2)).to_dicts()
            [{'s': 'de'}]
        """
        if length is None:
            return self._expr._apply("substring", offset)
        return self._expr._apply("substring", offset, length)

    def head(self, n: int | Expr) -> Expr:
        """The first characters.

        Args:
            n: how many; negative: all but the last -n.
        """
        return self._expr._apply("head_of_string", n)

    def tail(self, n: int | Expr) -> Expr:
        """The last characters.

        Args:
            n: how many; negative: all but the first -n.
        """
        return self._expr._apply("tail_of_string", n)

    def strip(self, characters: str | Expr | None = None) -> Expr:
        """Without certain characters at both ends.

        Args:
            characters: those to leave out, in any order; by default white space.
        """
        if characters is None:
            return self._expr._apply("strip")
        return self._expr._apply("strip", characters)

    def lstrip(self, characters: str | Expr | None = None) -> Expr:
        """Without certain characters at the start.

        Args:
            characters: those to leave out, in any order; by default white space.
        """
        if characters is None:
            return self._expr._apply("lstrip")
        return self._expr._apply("lstrip", characters)

    def rstrip(self, characters: str | Expr | None = None) -> Expr:
        """Without certain characters at the end.

        Args:
            characters: those to leave out, in any order; by default white space.
        """
        if characters is None:
            return self._expr._apply("rstrip")
        return self._expr._apply("rstrip", characters)

    def strip_prefix(self, prefix: str | Expr) -> Expr:
        """Without a text at the start, once, if it is there.

        Args:
            prefix: the text.
        """
        return self._expr._apply("strip_prefix", prefix)

    def strip_suffix(self, suffix: str | Expr) -> Expr:
        """Without a text at the end, once, if it is there.

        Args:
            suffix: the text.
        """
        return self._expr._apply("strip_suffix", suffix)

    def contains(self, pattern: str | Expr, *, literal: bool = False) -> Expr:
        r"""Whether a pattern is found.

        Args:
            pattern: a string, or an expression that gives one for each row.
            literal: whether it is a text to find as it is, rather than a regular expression (RE2).
                `\w` and `\b` know ASCII alone; `[\p{L}\p{N}_]` is the former in any script.

        Examples:
            >>> import lazyframe as lf
            >>> lf.from_dict({"s": ["a.c", "abc"]}).select(lf.col("s").str.contains("a.c", literal=True)).to_dicts()
            [{'s': True}, {'s': False}]
        """
        return self._expr._apply("contains" if literal else "regexp_matches", pattern)

    def starts_with(self, prefix: str | Expr) -> Expr:
        """Whether the string begins with a text.

        Args:
            prefix: the text.
        """
        return self._expr._apply("starts_with", prefix)

    def ends_with(self, suffix: str | Expr) -> Expr:
        """Whether the string ends with a text.

        Args:
            suffix: the text.
        """
        return self._expr._apply("ends_with", suffix)

    def like(self, pattern: str | Expr, *, escape: str | None = None) -> Expr:
        """Whether the whole string matches a pattern of SQL's LIKE.

        Args:
            pattern: `_` stands for one character and `%` for any number of them.
            escape: a character after which `_` and `%` stand for themselves.
        """
        if escape is None:
            return self._expr._apply("like", pattern)
        return self._expr._apply("like", pattern, escape)

    def ilike(self, pattern: str | Expr, *, escape: str | None = None) -> Expr:
        """Whether the whole string matches a pattern of SQL's LIKE without regard to case.

        Args:
            pattern: `_` stands for one character and `%` for any number of them.
            escape: a character after which `_` and `%` stand for themselves.
        """
        if escape is None:
            return self._expr._apply("ilike", pattern)
        return self._expr._apply("ilike", pattern, escape)

    def find(self, pattern: str | Expr, *, literal: bool = False) -> Expr:
        r"""Where a pattern is first found, from 0; null where it is not.

        Args:
            pattern: a string, or an expression that gives one for each row.
            literal: whether it is a text to find as it is, rather than a regular expression (RE2).
                `\w` and `\b` know ASCII alone; `[\p{L}\p{N}_]` is the former in any script.
        """
        return self._expr._apply("find" if literal else "regexp_find", pattern)

    def count_matches(self, pattern: str | Expr, *, literal: bool = False) -> Expr:
        r"""How often a pattern is found, without overlaps.

        Args:
            pattern: a string, or an expression that gives one for each row.
            literal: whether it is a text to find as it is, rather than a regular expression (RE2).
                `\w` and `\b` know ASCII alone; `[\p{L}\p{N}_]` is the former in any script.
        """
        return self._expr._apply("count_matches" if literal else "regexp_count", pattern)

    def replace(self, pattern: str | Expr, value: str | Expr, *, literal: bool = False, n: int = 1) -> Expr:
        r"""With the first places where a pattern is found replaced.

        Args:
            pattern: a string, or an expression that gives one for each row.
            value: what stands there instead; with a regular expression, `\1` is its first group.
            literal: whether the pattern is a text to find as it is, rather than a regular expression (RE2).
                `\w` and `\b` know ASCII alone; `[\p{L}\p{N}_]` is the former in any script.
            n: how many places.

        Raises:
            InvalidArgumentError: where the pattern has groups and the value `$1`: those would stand in the result as they are. A dollar
                before a digit that is meant so goes with a pattern whose groups are `(?:...)`.
        """
        if literal:
            return self._expr._apply("replace", pattern, value, n=n)
        _check_groups(pattern, value)
        return self._expr._apply("regexp_replace", pattern, value, n=n)

    def replace_all(self, pattern: str | Expr, value: str | Expr, *, literal: bool = False) -> Expr:
        r"""With every place where a pattern is found replaced.

        Args:
            pattern: a string, or an expression that gives one for each row.
            value: what stands there instead; with a regular expression, `\1` is its first group.
            literal: whether the pattern is a text to find as it is, rather than a regular expression (RE2).
                `\w` and `\b` know ASCII alone; `[\p{L}\p{N}_]` is the former in any script.

        Raises:
            InvalidArgumentError: where the pattern has groups and the value `$1`: those would stand in the result as they are. A dollar
                before a digit that is meant so goes with a pattern whose groups are `(?:...)`.

        Examples:
            >>> import lazyframe as lf
            >>> lf.from_dict({"s": ["2024-05-01"]}).select(lf.col("s").str.replace_all("-", "/", literal=True)).to_dicts()
            [{'s': '2024/05/01'}]
        """
        if literal:
            return self._expr._apply("replace", pattern, value, n=None)
        _check_groups(pattern, value)
        return self._expr._apply("regexp_replace", pattern, value, n=None)

    def extract(self, pattern: str | Expr, group: int = 1) -> Expr:
        r"""What a group of a regular expression first matches; null where it does not match.

        Args:
            pattern: a regular expression (RE2). `\w` and `\b` know ASCII alone; `[\p{L}\p{N}_]` is the former in any script.
            group: the number of the group; 0 is the whole match.

        Examples:
            >>> import lazyframe as lf
            >>> lf.from_dict({"s": ["id=17", "none"]}).select(lf.col("s").str.extract(r"id=([0-9]+)")).to_dicts()
            [{'s': '17'}, {'s': None}]
        """
        return self._expr._apply("extract", pattern, group=group)

    def extract_all(self, pattern: str | Expr, group: int = 0) -> Expr:
        r"""A list of all that a regular expression matches.

        Args:
            pattern: a regular expression (RE2). `\w` and `\b` know ASCII alone; `[\p{L}\p{N}_]` is the former in any script.
            group: the number of a group; 0 is the whole match.
        """
        return self._expr._apply("extract_all", pattern, group=group)

    def split(self, by: str | Expr, *, literal: bool = True) -> Expr:
        """A list of the parts between the places where a separator stands.

        Args:
            by: the separator; the empty string splits into characters.
            literal: whether it is a text, rather than a regular expression (RE2).

        Examples:
            >>> import lazyframe as lf
            >>> lf.from_dict({"s": ["a,b"]}).select(lf.col("s").str.split(",")).to_dicts()
            [{'s': ['a', 'b']}]
        """
        return self._expr._apply("split" if literal else "regexp_split", by)

    def split_part(self, by: str | Expr, index: int) -> Expr:
        """One of the parts between the places where a separator stands; the empty string where there is no such part.

        Args:
            by: the separator.
            index: the number of the part, from 0; negative counts from the end.
        """
        return self._expr._apply("split_part", by, index + 1 if index >= 0 else index)

    def concat(self, *others: str | Expr) -> Expr:
        """Joined with other strings; null where one is.

        Args:
            others: what follows.
        """
        return self._expr._apply("concat_strings", *others)

    def pad_start(self, length: int | Expr, fill: str | Expr = " ") -> Expr:
        """Filled at the start up to a length.

        Args:
            length: in characters; longer strings stay as they are.
            fill: one character.
        """
        return self._expr._apply("pad_start", length, fill)

    def pad_end(self, length: int | Expr, fill: str | Expr = " ") -> Expr:
        """Filled at the end up to a length.

        Args:
            length: in characters; longer strings stay as they are.
            fill: one character.
        """
        return self._expr._apply("pad_end", length, fill)

    def zfill(self, length: int | Expr) -> Expr:
        """Filled with zeros after the sign up to a length.

        Args:
            length: in characters.

        Examples:
            >>> import lazyframe as lf
            >>> lf.from_dict({"s": ["-7", "42"]}).select(lf.col("s").str.zfill(4)).to_dicts()
            [{'s': '-007'}, {'s': '0042'}]
        """
        return self._expr._apply("zfill", length)

    def repeat(self, n: int | Expr) -> Expr:
        """Written several times.

        Args:
            n: how often.
        """
        return self._expr._apply("repeat", n)

    def reverse(self) -> Expr:
        """The characters (code points), last first."""
        return self._expr._apply("reverse")

    def translate(self, old: str | Expr, new: str | Expr) -> Expr:
        """With characters replaced one by one.

        Args:
            old: the characters to replace.
            new: what each of them becomes, at the same place; those without a partner are left out.
        """
        return self._expr._apply("translate", old, new)

    def to_date(self, format: str | Expr | None = None, *, strict: bool = True) -> Expr:  # noqa: A002
        """The date that is written in the string.

        Args:
            format: of `strptime`, such as `%d/%m/%Y`; by default the ISO form.
            strict: whether a string that cannot be read is an error; otherwise it gives null.
        """
        if format is None:
            return self._expr._apply("parse_date", strict=strict)
        return self._expr._apply("parse_date", format, strict=strict)

    def to_time(self, format: str | Expr | None = None, *, strict: bool = True) -> Expr:  # noqa: A002
        """The time of day that is written in the string.

        Args:
            format: of `strptime`, such as `%d/%m/%Y`; by default the ISO form.
            strict: whether a string that cannot be read is an error; otherwise it gives null.
        """
        if format is None:
            return self._expr._apply("parse_time", strict=strict)
        return self._expr._apply("parse_time", format, strict=strict)

    def to_datetime(
        self,
        format: str | Expr | None = None,  # noqa: A002
        *,
        unit: str = "us",
        time_zone: str | None = None,
        strict: bool = True,
    ) -> Expr:
        """The timestamp that is written in the string.

        Args:
            format: of `strptime`, such as `%d/%m/%Y %H:%M`; by default the ISO form.
            unit: `s`, `ms`, `us` or `ns`.
            time_zone: of the result. A string that says its offset from UTC is that instant, one that does not is local time there.
                Without a zone, an offset is an error; a format that asks for it with `%z` gets it reckoned to UTC.
            strict: whether a string that cannot be read is an error; otherwise it gives null.
        """
        if format is None:
            return self._expr._apply("parse_datetime", unit=unit, time_zone=time_zone, strict=strict)
        return self._expr._apply("parse_datetime", format, unit=unit, time_zone=time_zone, strict=strict)

    def to_integer(self, *, base: int = 10, strict: bool = True) -> Expr:
        """The 64-bit integer that is written in the string.

        Args:
            base: of its digits, from 2 to 36.
            strict: whether a string that cannot be read is an error; otherwise it gives null.

        Examples:
            >>> import lazyframe as lf
            >>> lf.from_dict({"s": ["ff"]}).select(lf.col("s").str.to_integer(base=16)).to_dicts()
            [{'s': 255}]
        """
        return self._expr._apply("parse_integer", base=base, strict=strict)

    def encode(self, encoding: str) -> Expr:
        """The UTF-8 bytes as text.

        Args:
            encoding: `hex` or `base64`.
        """
        if encoding not in ("hex", "base64"):
            raise InvalidArgumentError(f"an encoding is 'hex' or 'base64', not {encoding!r}")
        return self._expr._apply(f"{encoding}_encode")

    def decode(self, encoding: str, *, strict: bool = True) -> Expr:
        """The bytes for which the text stands.

        Args:
            encoding: `hex` or `base64`.
            strict: whether a string that cannot be read is an error; otherwise it gives null.
        """
        if encoding not in ("hex", "base64"):
            raise InvalidArgumentError(f"an encoding is 'hex' or 'base64', not {encoding!r}")
        return self._expr._apply(f"{encoding}_decode", strict=strict)

    def to_bytes(self) -> Expr:
        """The bytes of the UTF-8 form."""
        return self._expr._apply("encode_utf8")

    def md5(self) -> Expr:
        """The MD5 digest, in hexadecimal digits."""
        return self._expr._apply("md5")

    def sha1(self) -> Expr:
        """The SHA-1 digest, in hexadecimal digits."""
        return self._expr._apply("sha1")

    def sha256(self) -> Expr:
        """The SHA-256 digest, in hexadecimal digits."""
        return self._expr._apply("sha256")

    def normalize(self, form: str = "NFC") -> Expr:
        """In a normal form of Unicode.

        Args:
            form: `NFC`, `NFD`, `NFKC` or `NFKD`.
        """
        return self._expr._apply("normalize", form=form)

    def strip_accents(self) -> Expr:
        """Without combining marks."""
        return self._expr._apply("strip_accents")

    def code_point(self) -> Expr:
        """The number of the first code point; 0 of the empty string."""
        return self._expr._apply("ascii")

    def levenshtein(self, other: str | Expr) -> Expr:
        """The least number of insertions, deletions and replacements that make one string of the other.

        Args:
            other: the other string.

        Examples:
            >>> import lazyframe as lf
            >>> lf.from_dict({"s": ["kitten"]}).select(lf.col("s").str.levenshtein("sitting")).to_dicts()
            [{'s': 3}]
        """
        return self._expr._apply("levenshtein", other)

    def escape_regex(self) -> Expr:
        """A regular expression that matches the string as it is."""
        return self._expr._apply("regexp_escape")

    to_lowercase = lower
    to_uppercase = upper
    to_titlecase = title
    strip_chars = strip
    strip_chars_start = lstrip
    strip_chars_end = rstrip


def _check_groups(pattern: str | Expr, value: str | Expr) -> None:
    """Refuse a group that is written as other tools write it."""
    if isinstance(pattern, str) and isinstance(value, str) and (written := foreign_group(pattern, value)):
        raise InvalidArgumentError(
            f"{written!r} in the replacement {value!r} is no group of the pattern",
            hint=f"groups are written with a backslash: r'\\{written.strip('${}')}'",
        )
