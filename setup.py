"""Map the three folders of the checkout onto the one import package `lazyframe`.

Everything else is in pyproject.toml. The list of packages is computed, so that a new sub-package is never forgotten:
`packages.find` cannot rename what it finds, and `planner` must install as `lazyframe.planner`.
"""

from setuptools import find_packages, setup

FOLDER_OF = {
    "lazyframe": "lazyframe",
    "lazyframe.planner": "planner",
    "lazyframe.executors": "executors",
}

packages = [
    package
    for name, folder in FOLDER_OF.items()
    for package in (name, *(f"{name}.{sub}" for sub in find_packages(folder)))
]

setup(packages=packages, package_dir=FOLDER_OF)
