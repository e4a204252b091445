# make demo    set everything up and watch it work
# make test    set everything up and run the whole suite
# make test-hosts  try it with real programs: Claude Code, Codex, the MCP inspector and the conformance suite
# make check   ruff and mypy only
# make bench   speed, survival under kill -9 (minutes), and quality on the question sets in DATA (hours, once)
# make docs    write the pages that are made from the code
# make clean   remove the virtual environment and caches

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DATA ?= data
HOSTS ?= .hosts
HOST_TESTS ?= tests/hosts
SETS = $(wildcard $(foreach end,json json.gz json.xz jsonl jsonl.gz jsonl.xz,$(DATA)/*.$(end)))

.PHONY: demo test test-hosts check bench docs clean
.DEFAULT_GOAL := test

$(VENV)/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("recollect needs Python 3.11 or newer: make PYTHON=python3.12 …" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/developing: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

demo: $(VENV)/installed
	@$(BIN)/recollect demo

check: $(VENV)/developing
	$(BIN)/ruff check src tests examples
	$(BIN)/ruff format --check src tests examples
	$(BIN)/mypy

test: check
	$(BIN)/python -m pytest

test-hosts: $(VENV)/developing
	@RECOLLECT_HOSTS=$(HOSTS) $(BIN)/python tests/hosts/install.py
	@test ! -e $(HOSTS)/installed || RECOLLECT_HOSTS=$(HOSTS) $(BIN)/python -m pytest $(HOST_TESTS)

bench: $(VENV)/developing
	$(BIN)/python -m recollect.bench.scoring
	$(BIN)/python -m recollect.bench.speed
	folder=$$(mktemp -d) && $(BIN)/python -m recollect.testing.torture $$folder/two.db --writers 2 --turns 1000 \
	  && $(BIN)/python -m recollect.testing.torture $$folder/kills.db --writers 3 --turns 100000 --kills 50; \
	  status=$$?; rm -rf $$folder; exit $$status
ifeq ($(SETS),)
	@echo 'No question sets in $(DATA): make bench DATA=a/folder/with/locomo10.json (docs/benchmarks.md says where from)'
else
	$(BIN)/recollect bench quality $(SETS)
endif

docs: $(VENV)/installed
	$(BIN)/python -m recollect.surfaces.pages docs

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
