# Two commands are all there is to know: `make demo` and `make test`.
.PHONY: help demo test lint format sanitize bench-loading clean
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt README.md $(shell find cpp src -type f -not -name '*.pyc')

help:
	@echo "make demo      install into .venv and show what noisyor does, on bundled data"
	@echo "make test      install into .venv and run lint, types, layer contracts and tests"
	@echo "make format    rewrite the sources in house style"
	@echo "make sanitize  build the kernels with sanitizers and run their tests"

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("noisyor needs Python 3.11 or newer; say make PYTHON=...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/installed: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet '.[dev]'
	@touch $@

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $$(find cpp -name '*.[ch]pp')
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/pytest -n 2

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $$(find cpp -name '*.[ch]pp')

clean:
	rm -rf build $(VENV) .venv-sanitize demo
