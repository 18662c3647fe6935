"""`lazyframe -> planner <- executors`: read off every import statement, those inside functions included."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE_OF = {"lazyframe": "lazyframe", "planner": "lazyframe.planner", "executors": "lazyframe.executors"}

# The one module of what users touch that knows the machines.
GATE = "lazyframe.session"


def module_name(path: Path) -> str:
    folder, *rest = path.relative_to(ROOT).with_suffix("").parts
    parts = [PACKAGE_OF[folder], *rest]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(source: str, module: str, *, is_package: bool = False) -> set[str]:
    """Every module that an import statement of `source` may load, by its full name."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = module.split(".")
                parents = parents[: len(parents) - node.level + is_package]
                base = ".".join([*parents, *([node.module] if node.module else [])])
            # `from lazyframe import planner` means the sub-package: the root is what every import passes through.
            found.update({base} - {"lazyframe"})
            found.update(f"{base}.{alias.name}" for alias in node.names)
    return found


def layer(module: str) -> str | None:
    """The layer a module is in: planner, executors, lazyframe (what users touch), or none of ours."""
    for folder in ("planner", "executors"):
        if module == PACKAGE_OF[folder] or module.startswith(PACKAGE_OF[folder] + "."):
            return folder
    return "lazyframe" if module == "lazyframe" or module.startswith("lazyframe.") else None


def breaches(source: str, module: str, *, is_package: bool = False) -> list[str]:
    allowed = {"planner": {"planner"}, "executors": {"planner", "executors"}, "lazyframe": {"lazyframe", "planner"}}
    reachable = allowed[str(layer(module))] | ({"executors"} if module == GATE else set())
    found = []
    for target in sorted(imports(source, module, is_package=is_package)):
        if target.split(".")[0] in {"planner", "executors"}:
            found.append(f"{module} imports {target}: write lazyframe.{target}, there is no such module once installed")
        elif (of := layer(target)) is not None and of not in reachable:
            found.append(f"{module} imports {target}")
    return found


MODULES = sorted(path for folder in PACKAGE_OF for path in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=[str(path.relative_to(ROOT)) for path in MODULES])
def test_module_keeps_the_arrows(path):
    source = path.read_text(encoding="utf-8")
    assert breaches(source, module_name(path), is_package=path.name == "__init__.py") == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("lazyframe.planner.graph", "from lazyframe.executors.lower import lower"),
        ("lazyframe.planner.graph", "def f():\n    import lazyframe.executors"),
        ("lazyframe.planner.graph", "from lazyframe import executors"),
        ("lazyframe.planner.graph", "from .. import executors"),
        ("lazyframe.planner.graph", "import lazyframe"),
        ("lazyframe.planner.graph", "import lazyframe\nfrom lazyframe.planner import site"),
        ("lazyframe.planner.rules.fold", "from lazyframe.frame import LazyFrame"),
        ("lazyframe.executors.lower", "if True:\n    from lazyframe.io import scan_parquet"),
        ("lazyframe.executors.lower", "from lazyframe import LazyFrame"),
        ("lazyframe.executors.lower", "from ..frame import LazyFrame"),
        ("lazyframe.frame", "from lazyframe.executors import run"),
        ("lazyframe.sessions", "from lazyframe.executors import run"),
        ("lazyframe.frame", "from planner.graph import fold"),
        ("lazyframe.frame", "import executors"),
    ],
)
def test_a_wrong_arrow_is_seen(module, source):
    assert breaches(source, module) != []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("lazyframe.planner.graph", "from lazyframe.planner.site import capture\nimport numpy"),
        ("lazyframe.planner.graph", "from .site import capture"),
        ("lazyframe.planner.graph", "from lazyframe import planner"),
        ("lazyframe.executors.lower", "from lazyframe.planner import graph\nfrom lazyframe.executors import pool"),
        ("lazyframe.frame", "from lazyframe.planner.graph import fold\nfrom lazyframe import io"),
        ("lazyframe.session", "def run():\n    from lazyframe.executors.lower import lower"),
    ],
)
def test_a_right_arrow_passes(module, source):
    assert breaches(source, module) == []


def test_every_layer_is_read():
    assert {path.relative_to(ROOT).parts[0] for path in MODULES} == set(PACKAGE_OF)
