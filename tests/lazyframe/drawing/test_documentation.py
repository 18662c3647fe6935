"""The pictures of the documentation are those that the script draws."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "pictures.py"))


@pytest.mark.parametrize("name", SCRIPT["PICTURES"])
def test_the_picture_is_as_it_would_be_drawn_now(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    drawn = SCRIPT["PICTURES"][name]().to_svg()
    held = (ROOT / "docs" / "images" / name).read_text(encoding="utf-8")
    assert held == drawn, f"docs/images/{name} is not what is drawn: `python scripts/pictures.py` draws it anew"
    # It is in use.
    assert any(f"images/{name}" in page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
