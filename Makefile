# Everything sets itself up: a virtual environment in .venv, from hashed requirements.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
HOME_DIR ?= assay-demo
DAYS ?= 2
# Tests wait for databases and processes as long as they compute: one process more than cores.
CORES := $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
JOBS ?= $(shell expr $(CORES) + 1)
# What a search looks at, how many times the usual examples it draws, and where chance begins.
SEARCH ?= tests
TIMES ?= 20
ifndef SEED
SEED := $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')
endif

.PHONY: demo test compile search system chaos race hostile hostile-server fuzz civic lint bench docs clean requirements install-check

demo: $(VENV)/.run compile
	$(BIN)/assay --home $(HOME_DIR) demo --days $(DAYS)

test: $(VENV)/.dev compile lint system
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

# Reading processes cannot write files: what is not compiled, each of them compiles again.
compile: $(VENV)/.run
	$(BIN)/python -m compileall -q -j 0 src tests

# Property-based tests with many new random examples. Turn what they find into written cases.
# `make search SEARCH=tests/reading TIMES=100` looks longer at one area.
search: $(VENV)/.dev system
	@echo "Searching with SEED=$(SEED). A failure prints its example and a line that reproduces it."
	SEARCH_TIMES=$(TIMES) $(BIN)/python -m pytest -n $(JOBS) -m "hypothesis and not postgres" \
	  --hypothesis-profile search --hypothesis-seed $(SEED) $(SEARCH)

# What tests need besides Python: Tesseract with three languages, and Chromium for pages in a browser.
system:
	scripts/system-packages

chaos: $(VENV)/.dev
	$(BIN)/python -m tests.chaos
	$(BIN)/python -m tests.chaos.postgres --kills 30

race: $(VENV)/.dev
	$(BIN)/python -m tests.llm.race --database sqlite
	$(BIN)/python -m tests.llm.race --database postgres

# Every kind of bad input, at its full size, through the readers and the whole spine.
hostile: $(VENV)/.dev
	$(BIN)/python -m tests.hostile

# `/health` of a server alongside hostile requests and slow clients.
hostile-server: $(VENV)/.dev
	$(BIN)/python -m tests.hostile_server

# Every parser on mutated input, led by coverage where atheris has a wheel: MINUTES for all kinds.
MINUTES ?= 60
fuzz: $(VENV)/.dev
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -r requirements/fuzz.txt
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(KINDS)

# Two hundred cities of all vendors, synchronized three times; and their pace on virtual time.
civic: $(VENV)/.dev
	$(BIN)/python -m tests.civic_trial
	$(BIN)/python -m bench.civic_pace

# The wheel, installed into an empty environment from the index that pip is configured with, and the
# demo played from there; `EXTRAS=all` installs extras too.
EXTRAS ?=
install-check: $(VENV)/.dev
	$(BIN)/python -m tests.install_check --extras "$(EXTRAS)"

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	$(BIN)/python -m bench.engine
	$(BIN)/python -m bench.depth
	$(BIN)/python -m bench.limiter
	$(BIN)/python -m bench.calls
	$(BIN)/python -m bench.fetching
	$(BIN)/python -m bench.scout
	$(BIN)/python -m bench.reading
	$(BIN)/python -m bench.ocr
	$(BIN)/python -m bench.revisit
	$(BIN)/python -m bench.twice
	$(BIN)/python -m bench.towns
	$(BIN)/python -m bench.extract_load
	$(BIN)/python -m bench.startup
	$(BIN)/python -m bench.civic_portals

# The reference from the code, and then the site from all pages, in an environment of its own.
docs: $(VENV)/.dev $(VENV)/.docs
	$(BIN)/python -m assay.cli.reference docs/reference README.md
	NO_MKDOCS_2_WARNING=1 $(VENV)/docs/bin/mkdocs build --quiet --strict
	@echo "The site is in site; open site/index.html."

clean:
	if [ -d assay-demo ]; then chmod -R u+w assay-demo; fi
	rm -rf $(VENV) .bench site assay-demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Assay needs Python 3.11 or newer; set PYTHON=/path/to/it.")'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.run: $(VENV)/.python requirements/all.txt pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/all.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/dev.txt
	touch $@

$(VENV)/.docs: $(VENV)/.python requirements/docs.txt
	$(BIN)/python -m venv $(VENV)/docs
	$(VENV)/docs/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/docs.txt
	touch $@

# Needs uv; only for whoever changes requirements/*.in.
requirements:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q requirements/base.in -o requirements/base.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q requirements/all.in -o requirements/all.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q requirements/dev.in -o requirements/dev.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q requirements/docs.in -o requirements/docs.txt
