"""Write `docs/rules.md`: the rules of the optimizer, from their docstrings and the first of their cases.

python scripts/rules_page.py
"""

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from lazyframe.planner.rules import PHASES  # noqa: E402
from lazyframe.planner.rules.rule import Phase, Rule  # noqa: E402
from tests.planner.rules.case_files import FOLDER, TextCase, read_cases  # noqa: E402

PAGE = ROOT / "docs" / "rules.md"

HEAD = """\
# Rules of the optimizer

<!-- Written by `make rules` (scripts/rules_page.py): change the docstrings of the rules, or their cases. -->

A rule is a small function from a node of a plan to a better node. Each has a file under `planner/rules/`, and each is sound by
itself: whatever the others do, and wherever it fires, the rows stay the same, and so do their order and their bits where the
plan promises an order. What a rule removes may have been an error in rows that nobody asked for; it never adds one.

`explain(verbose=True)` shows each rule that fired, and what it changed. `lf.config(disable=["merge_filters"])` switches rules off
by name. The examples below are the first of each rule's cases in `tests/planner/rules/cases`, which all run.

The rules are applied in phases, one after the other:
"""

ORDERS = {
    "bottom_up": "bottom-up: a node over inputs that are finished",
    "top_down": "top-down: a node before its inputs",
    "whole": "once, to the whole plan",
}


def page() -> str:
    """The text of the page."""
    seen: set[str] = set()
    parts = [HEAD, *[_phase_line(number, phase) for number, phase in enumerate(PHASES, 1)], ""]
    for phase in PHASES:
        new = [rule for rule in phase.rules if rule.name not in seen]
        seen.update([rule.name for rule in new])
        if new:
            parts += [f"## {phase.name.capitalize()}", ""]
            parts += [line for rule in new for line in _section(rule)]
    return "\n".join(parts).rstrip("\n") + "\n"


def _phase_line(number: int, phase: Phase) -> str:
    rules = ", ".join([f"[{rule.name}](#{rule.name})" for rule in phase.rules])
    where = f", where there is a {phase.where.__name__}" if phase.where.__name__ != "Plan" else ""
    return f"{number}. **{phase.name}** ({ORDERS[phase.order]}{where}): {rules}"


def _section(rule: Rule) -> Iterator[str]:
    algebra, *paragraphs = inspect.cleandoc(rule.apply.__doc__ or "").split("\n\n")
    yield from (f"### {rule.name}", "", "```text", *_laws(algebra), "```", "")
    for paragraph in paragraphs:
        yield from (_prose(paragraph), "")
    cases = list(read_cases(FOLDER / f"{rule.name}.txt"))
    example = next((case for case in cases if case.kind == "fires"), None)
    if example is not None:
        language = "sql" if example.is_sql else "py"
        yield from (f"Example, {_prose(example.title)}:", "", f"```{language}", example.query, "```", "")
        yield from ('```text title="before"', example.before or "", "```", "")
        yield from ('```text title="after"', example.after or "", "```", "")
    stays = [_stay(case) for case in cases if case.kind == "stays"]
    if stays:
        yield from ("It does not fire:", "", *stays, "")


def _laws(algebra: str) -> list[str]:
    """The laws of a docstring's first paragraph, one a line."""
    text = " ".join(algebra.split("\n")).replace("  =>  ", " => ")
    return [re.sub(r" => ", "  =>  ", law.strip()) for law in re.split(r";\s+", text)]


def _prose(paragraph: str) -> str:
    """A paragraph of a docstring, whose stars are no emphasis."""
    lines = [line.strip() for line in paragraph.split("\n")]
    text = " ".join(lines) if not any([line.startswith(("* ", "- ")) for line in lines]) else "\n".join(lines)
    parts = text.split("`")
    parts[::2] = [part.replace("*", r"\*").replace("<", "&lt;") for part in parts[::2]]
    return "`".join(parts)


def _stay(case: TextCase) -> str:
    query = f": `{case.query}`" if "\n" not in case.query and "`" not in case.query else ""
    return f"* {_prose(case.title)}{query}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
