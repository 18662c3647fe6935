"""`docs/rules.md` says what the rules are now."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from lazyframe.planner.rules import PHASES

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "rules_page.py"))
RULES = {rule.name: rule for phase in PHASES for rule in phase.rules}


def test_the_page_is_up_to_date():
    page = SCRIPT["PAGE"].read_text(encoding="utf-8")
    assert page == SCRIPT["page"](), (
        "docs/rules.md is not what the rules say: `python scripts/rules_page.py` writes it anew"
    )


@pytest.mark.parametrize("name", RULES)
def test_a_docstring_says_what_and_why(name):
    """It begins with the algebra, and says why that is sound."""
    text = RULES[name].apply.__doc__ or ""
    assert "=>" in text.split("\n\n", maxsplit=1)[0], "the first paragraph is the algebra: A  =>  B"
    assert "Sound" in text, "it says why: Sound: ..."
