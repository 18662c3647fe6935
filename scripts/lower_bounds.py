"""Print the lowest allowed release of every run-time dependency, as constraints for pip."""

import re
import tomllib
from pathlib import Path

BOUND = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[^\]]*\])?>=(?P<release>[0-9.]+)")


def lower_bounds(pyproject: Path) -> list[str]:
    """Return one `name==release` for each dependency of the project.

    Raises:
        ValueError: a dependency is not written as `name>=release`.
    """
    bounds = []
    for dependency in tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["dependencies"]:
        match = BOUND.fullmatch(dependency)
        if match is None:
            raise ValueError(f"the dependency {dependency!r} is not written as name>=release")
        bounds.append(f"{match['name']}=={match['release']}")
    return bounds


if __name__ == "__main__":
    print("\n".join(lower_bounds(Path(__file__).resolve().parent.parent / "pyproject.toml")))
