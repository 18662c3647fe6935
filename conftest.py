"""Run the examples of the documentation: Python blocks of README.md and docs/, and the docstrings of the three packages."""

from __future__ import annotations

import doctest
import importlib
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sybil import Sybil
from sybil.document import PythonDocStringDocument
from sybil.example import NotEvaluated
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser
from sybil.parsers.rest import DocTestParser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sybil.example import Example

ROOT = Path(__file__).resolve().parent
PACKAGE_OF = {"lazyframe": "lazyframe", "planner": "lazyframe.planner", "executors": "lazyframe.executors"}
OPTIONS = doctest.ELLIPSIS


class ModuleDocstrings(PythonDocStringDocument):
    """The docstrings of one module, which see what the module sees, and `lf`."""

    def import_document(self, example: Example) -> None:
        """Import the module under its installed name when its first example runs."""
        del example
        path = Path(self.path).resolve().relative_to(ROOT).with_suffix("")
        parts = path.parts[1:-1] if path.name == "__init__" else path.parts[1:]
        module = importlib.import_module(".".join([PACKAGE_OF[path.parts[0]], *parts]))
        self.namespace.update(vars(module))
        self.namespace.setdefault("lf", importlib.import_module("lazyframe"))
        # An example stands for the user's code: errors name its line, which they would not in a module of ours.
        self.namespace["__name__"] = "__main__"
        self.pop_evaluator(self.import_document)
        raise NotEvaluated


collect_docstrings = Sybil(
    parsers=[DocTestParser(optionflags=OPTIONS)],
    pattern="*.py",
    document_types={".py": ModuleDocstrings},
    fixtures=["snippet_folder"],
).pytest()

collect_markdown = Sybil(
    parsers=[PythonCodeBlockParser(doctest_optionflags=OPTIONS), SkipParser()],
    pattern="*.md",
    fixtures=["snippet_folder"],
).pytest()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Hand each file to what finds examples in it, by the folder it is in."""
    path = file_path.relative_to(ROOT) if file_path.is_relative_to(ROOT) else file_path
    if path.parts[0] in PACKAGE_OF:
        return collect_docstrings(file_path, parent)
    if path.parts[0] in {"docs", "README.md"}:
        return collect_markdown(file_path, parent)
    return None


@pytest.fixture(scope="module")
def snippet_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder to run a document's examples in: what they write is not left in the checkout."""
    folder = tmp_path_factory.mktemp("snippets")
    (folder / "datasets").symlink_to(ROOT / "datasets", target_is_directory=True)
    with chdir(folder):
        yield folder
