"""The wheel holds the three folders of the checkout as one package, and nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parent.parent
INSTALLED_AS = {"lazyframe": "lazyframe", "planner": "lazyframe/planner", "executors": "lazyframe/executors"}
NOT_SHIPPED = {"__pycache__", ".ipynb_checkpoints"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    # Built from a copy: setuptools keeps what it once copied in build/, and would ship deleted modules from there.
    tree = tmp_path_factory.mktemp("tree with spaces")
    for folder in INSTALLED_AS:
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns(*NOT_SHIPPED))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tree / "dist", tree]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = (tree / "dist").glob("*.whl")
    return path


@pytest.fixture(scope="module")
def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def metadata_folder(names):
    (folder,) = {PurePosixPath(name).parts[0] for name in names if ".dist-info/" in name}
    return folder


def test_wheel_holds_the_tree(names):
    tree = {
        f"{target}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, target in INSTALLED_AS.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and not NOT_SHIPPED.intersection(path.parts) and not path.name.startswith(".")
    }
    shipped = {name for name in names if ".dist-info/" not in name}
    missing, surplus = sorted(tree - shipped), sorted(shipped - tree)
    assert not missing, (
        f"not in the wheel (a folder without __init__.py, or a kind of file not in package-data?): {missing}"
    )
    assert not surplus, f"in the wheel, but not in the tree: {surplus}"


def test_wheel_has_one_top_level_package(names):
    assert {PurePosixPath(name).parts[0] for name in names} == {"lazyframe", metadata_folder(names)}


def test_every_folder_of_modules_is_a_package():
    folders = {path.parent for folder in INSTALLED_AS for path in (ROOT / folder).rglob("*.py")}
    assert [str(folder.relative_to(ROOT)) for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


def test_wheel_says_that_it_is_typed(names):
    assert "lazyframe/py.typed" in names


def test_metadata(wheel, names):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    folder = metadata_folder(names)
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"{folder}/METADATA").decode()
        scripts = archive.read(f"{folder}/entry_points.txt").decode()
    assert "\nName: lazyframe-engine\n" in metadata
    assert f"\nVersion: {project['version']}\n" in metadata
    assert "\nLicense-Expression: Apache-2.0\n" in metadata
    assert "\nRequires-Python: >=3.11\n" in metadata
    assert "lazyframe = lazyframe.cli:main" in scripts
    assert f"{folder}/licenses/LICENSE" in names
