"""The text cases of the rules: how the files in `cases/` are read. Their format is in `cases/README.md`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "cases"
SEPARATOR = "--"

_TITLE = re.compile(r"(?P<kind>fires|stays)(?: with (?P<others>[a-z_]+(?:, *[a-z_]+)*))?: *(?P<title>.+)")
_COMMENT = re.compile(r"#(?: |$)")


@dataclass(frozen=True)
class TextCase:
    """A query at which a rule fires, or does not.

    Args:
        rule: the rule, which the name of the file is.
        line: the line in the file where the case begins.
        kind: `fires` or `stays`.
        others: rules that may fire besides.
        title: what the case is about.
        query: the last expression of some lines of Python, or a SQL text.
        before: the plan as it was written, and
        after: the plan that the rule leaves; None where the file does not say.
    """

    rule: str
    line: int
    kind: str
    others: tuple[str, ...]
    title: str
    query: str
    before: str | None
    after: str | None

    @property
    def is_sql(self) -> bool:
        return re.match(r"(?i)(select|with|values|from(?!.*\bimport\b))\s|\(\s*select\s", self.query) is not None

    @property
    def is_complete(self) -> bool:
        return self.before is not None and (self.after is not None or self.kind == "stays")

    @property
    def name(self) -> str:
        return f"{self.rule}-{self.kind}-{self.title}".replace(" ", "_")


def read_cases(path: Path) -> Iterator[TextCase]:
    """The cases of a file, in order.

    Raises:
        ValueError: where the file is not of the format; names the line.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    starts = [number for number, line in enumerate(lines) if _TITLE.fullmatch(line)]
    for number in range(starts[0] if starts else len(lines)):
        if lines[number].strip() and not _COMMENT.match(lines[number]):
            raise ValueError(f"{path.name}:{number + 1}: no case begins with {lines[number]!r}")
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        found = _TITLE.fullmatch(lines[start])
        assert found is not None
        parts: list[list[str]] = [[]]
        for line in lines[start + 1 : end]:
            if line.strip() == SEPARATOR:
                parts.append([])
            elif not _COMMENT.match(line):
                parts[-1].append(line.rstrip())
        query, *plans = ["\n".join(part).strip("\n") for part in parts]
        kind = found["kind"]
        most = 2 if kind == "fires" else 1
        if not query or len(plans) > most or "" in plans:
            raise ValueError(f"{path.name}:{start + 1}: a case that {kind} is a query and {most} plan(s)")
        others = tuple([name.strip() for name in (found["others"] or "").split(",") if name])
        before, after, *_ = [*plans, None, None]
        yield TextCase(path.stem, start + 1, kind, others, found["title"], query, before, after)


def all_cases() -> list[TextCase]:
    return [case for path in sorted(FOLDER.glob("*.txt")) for case in read_cases(path)]


def written(case: TextCase, before: str | None, after: str | None) -> str:
    """The case as it would be written with these plans."""
    others = f" with {', '.join(case.others)}" if case.others else ""
    parts = [case.query, before, after if case.kind == "fires" else None]
    return f"{case.kind}{others}: {case.title}\n" + f"\n{SEPARATOR}\n".join(
        [each for each in parts if each is not None]
    )


def fill(case: TextCase, before: str, after: str) -> None:
    """Write the plans that a case lacks into its file; what is there stays."""
    path = FOLDER / f"{case.rule}.txt"
    text = path.read_text(encoding="utf-8")
    old = written(case, case.before, case.after)
    assert text.count(old) == 1, "only a case without comments, and with a title of its own, can be filled in"
    path.write_text(text.replace(old, written(case, case.before or before, case.after or after)), encoding="utf-8")
