# Every target makes what it needs: a virtual environment in .venv, filled once and again when pyproject.toml changes.
# Needed beforehand: Python 3.11 or newer (choose another with `make PYTHON=python3.12 ...`), make and git.

PYTHON ?= python3
WORKERS ?= 2

python := .venv/bin/python
lower := .venv-lower/bin/python
install = -m pip install --quiet --disable-pip-version-check

.PHONY: help demo test test-lower lint format types bench rules pictures docs dist clean
.NOTPARALLEL:
.DELETE_ON_ERROR:

help:
	@echo 'make demo        six questions about the flights of 2013, answered in Python and SQL'
	@echo 'make test        the whole test suite, documentation examples included'
	@echo 'make test-lower  the test suite on the lowest releases of our dependencies'
	@echo 'make lint        ruff: rules and format'
	@echo 'make format      let ruff correct what it can'
	@echo 'make types       mypy on an installed copy of the package'
	@echo 'make bench       side-by-side runs against other engines'
	@echo 'make rules       docs/rules.md, from the docstrings of the rules and their cases'
	@echo 'make pictures    docs/images/, the pictures of the documentation'
	@echo 'make docs        the documentation as a site in site/'
	@echo 'make dist        the source archive and the wheel, in dist/'
	@echo 'make clean       remove environments and everything built'

demo: .venv/stamp-base
	$(python) examples/flights.py

test: .venv/stamp-dev
	$(python) -m pytest -n $(WORKERS) $(ARGS)

# Benchmarks are no part of it, nor the examples of the documentation: they show the output of current releases.
test-lower: .venv-lower/stamp
	$(lower) -m pytest -n $(WORKERS) tests $(ARGS)

lint: .venv/stamp-dev
	$(python) -m ruff check .
	$(python) -m ruff format --check .

format: .venv/stamp-dev
	$(python) -m ruff check --fix .
	$(python) -m ruff format .

# The copy is made anew, from nothing: setuptools leaves deleted modules in build/lib.
types: .venv/stamp-dev
	rm -rf build
	$(python) $(install) --no-deps --no-build-isolation --target build/types .
	cd build/types && ../../$(python) -m mypy --config-file ../../pyproject.toml --cache-dir ../../.mypy_cache -p lazyframe

bench: .venv/stamp-bench
	$(python) -m benchmarks $(ARGS)

rules: .venv/stamp-dev
	$(python) scripts/rules_page.py

pictures: .venv/stamp-dev
	$(python) scripts/pictures.py

# The reference is read off an installed copy too.
docs: .venv/stamp-docs
	rm -rf build
	$(python) $(install) --no-deps --target build/docs .
	NO_MKDOCS_2_WARNING=1 $(python) -m mkdocs build --quiet --strict

# The wheel is built from the source archive, so both are known to be complete.
dist: .venv/stamp-dev
	rm -rf build dist
	$(python) -m build

clean:
	rm -rf .venv .venv-lower build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info

.venv/stamp-base: pyproject.toml setup.py
	@"$(PYTHON)" -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.11 ..." if sys.version_info < (3, 11) else 0)'
	test -x $(python) || "$(PYTHON)" -m venv .venv
	$(python) $(install) --editable .
	touch $@

.venv/stamp-%: .venv/stamp-base
	$(python) $(install) --editable '.[$*]'
	touch $@

.venv-lower/stamp: pyproject.toml setup.py scripts/lower_bounds.py
	test -x $(lower) || "$(PYTHON)" -m venv .venv-lower
	$(lower) scripts/lower_bounds.py > .venv-lower/constraints.txt
	$(lower) $(install) --constraint .venv-lower/constraints.txt --editable '.[test]'
	touch $@
