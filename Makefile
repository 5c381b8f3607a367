# `make demo` and `make test` set up all they need in .venv, with `python3 -m venv` and pip alone.
# A step is done again only when what it is made from has changed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The folder of documents that `make demo` works on; by default this repository's own.
DOCS ?=
# More arguments for pytest: make test ARGS="-k slug -x"
ARGS ?=
SHIPPED := $(shell find lwc migrations skills -type f ! -name '*.pyc')
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Outside the checkout, so that the installed package is tested and not the files beside it.
PYTEST := cd build/testrun && ../../$(BIN)/python -P -m pytest -c ../../pyproject.toml --rootdir ../..

.PHONY: demo test test-slow check docs bench clean FORCE

demo: $(VENV)/.installed
	$(BIN)/python -P -m lwc.demo $(if $(DOCS),"$(DOCS)")

test: build/testrun $(VENV)/.installed
	$(PYTEST) -n 2 ../../tests $(ARGS)

test-slow: build/testrun $(VENV)/.installed
	$(PYTEST) -n 2 -m slow ../../tests $(ARGS)

check: $(VENV)/.installed
	scripts/check

docs: $(VENV)/.installed
	$(BIN)/python -P scripts/print_docs.py

bench: $(VENV)/.installed
	$(BIN)/python benchmarks $(ARGS)

clean:
	rm -rf build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# setuptools would ship what an earlier build left in build/lib.
$(VENV)/.installed: $(VENV)/.requirements build/shipped pyproject.toml $(SHIPPED)
	rm -rf build/lib build/bdist.*
	$(PIP) install --quiet --no-deps --no-build-isolation --force-reinstall .
	touch $@

$(VENV)/.requirements: requirements/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "lwc needs Python 3.11 or newer: make PYTHON=python3.11 …")'
	@echo "Setting up $(VENV); this takes a minute, once."
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --upgrade pip
	$(PIP) install --quiet --require-hashes -r requirements/dev.txt
	touch $@

# The names of the shipped files: one that was removed makes no other file newer.
build/shipped: FORCE
	@mkdir -p build
	@echo $(sort $(SHIPPED)) | cmp -s - $@ || echo $(sort $(SHIPPED)) > $@

build/testrun:
	mkdir -p $@
