"""Pages name what is there, and are found."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("lazyframe", "planner", "executors")
PACKAGES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("__init__.py"))]


def test_decisions_are_listed():
    pages = sorted([path.name for path in (ROOT / "docs/adr").glob("0*.md")])
    assert pages
    assert sorted(re.findall(r"\]\((0[^)]*\.md)\)", (ROOT / "docs/adr/index.md").read_text())) == pages
    assert sorted(re.findall(r"- adr/(0.*\.md)", (ROOT / "mkdocs.yml").read_text())) == pages


@pytest.mark.parametrize("path", PACKAGES, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_a_package_lists_modules_that_it_has(path):
    listed = re.findall(r"`(\w+\.py)`", ast.get_docstring(ast.parse(path.read_text())) or "")
    assert [name for name in listed if not (path.parent / name).is_file()] == []


def test_the_architecture_names_files_that_are_there():
    text = (ROOT / "docs/ARCHITECTURE.md").read_text()
    named = re.findall(r"`((?:lazyframe|planner|executors)/[\w/.]*)`", text)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists()] == []
