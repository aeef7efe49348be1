# `make demo` and `make test` need nothing but Python 3.11 or later and make; nothing is compiled.
PYTHON ?= $(firstword $(foreach p,python3.11 python3.12 python3.13 python3,$(shell $(p) -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null && echo $(p))))
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
SEED ?= 1
# The whole of `make test` ends after this many seconds, whatever happens; one test after 600.
LIMIT ?= 3600
PYTEST := $(BIN)/python .ci/limit $(LIMIT) $(BIN)/python -m pytest
# worksteal, since loadfile waits for ever when a worker process is killed
WORKERS := -n 2 --dist worksteal

# Compiled modules are kept, whatever the environment says: many tests start Python anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test coverage check slow bench bench-mlm clean help

help:
	@echo "make demo   install, generate fresh minimal pairs, score the built-in models, make a report (MODELS=smollm2 adds one)"
	@echo "make test   install what the tests need and run them; names what was skipped and how to run it"
	@echo "make coverage  the same, and how much of the code they reach"
	@echo "make check  lint and type checks"
	@echo "make slow   the tests that take minutes"
	@echo "make bench  speed and memory compared with lm-evaluation-harness and minicons"
	@echo "make bench-mlm  masked models compared with minicons: scores and speed"

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Priscian needs Python 3.11 or later; set PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(BIN)/python
	$(PIP) install -q -e .
	@touch $@

# torch comes first and by its exact version: any other specifier may bring gigabytes of CUDA.
$(VENV)/.hf: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install -q torch==2.13.0
	$(PIP) install -q -c constraints.txt -e ".[hf]"
	@touch $@

$(VENV)/.dev: $(VENV)/.hf
	$(PIP) install -q -c constraints.txt -e ".[hf,dev]"
	@touch $@

# Some tests score a real model; without a network they are skipped.
$(VENV)/.weights: | $(VENV)/.dev
	-$(BIN)/priscian models get smollm2 && touch $@

# A browser and axe-core; what cannot be had is named, and its tests are skipped.
$(VENV)/.tools: scripts/test_tools.py | $(VENV)/.dev
	-$(BIN)/python -m scripts.test_tools && touch $@

demo: $(VENV)/.core $(if $(MODELS),$(VENV)/.hf)
	$(BIN)/priscian demo $(MODELS) --seed $(SEED)

test: $(VENV)/.dev $(VENV)/.weights $(VENV)/.tools
	$(PYTEST) $(WORKERS) -m "not slow" $(ARGS)

# Measuring it makes the tests half as slow again.
coverage: $(VENV)/.dev $(VENV)/.weights $(VENV)/.tools
	$(PYTEST) $(WORKERS) --cov=priscian --cov-report=term --cov-fail-under=90 -m "not slow" $(ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy

slow: LIMIT = 14400
slow: $(VENV)/.dev $(VENV)/.weights $(VENV)/.tools
	$(PYTEST) -m slow -o faulthandler_timeout=1800 --hypothesis-profile=search $(ARGS)

.venv-bench/.done: pyproject.toml constraints.txt benchmarks/peers.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install -q torch==2.13.0
	.venv-bench/bin/python -m pip install -q -c constraints.txt -r benchmarks/peers.txt -e ".[hf]"
	@touch $@

bench: .venv-bench/.done
	-.venv-bench/bin/python benchmarks/scoring_speed.py $(ARGS)
	-.venv-bench/bin/python benchmarks/memory.py
	-.venv-bench/bin/python benchmarks/startup.py
	-.venv-bench/bin/python benchmarks/generate_speed.py
	-.venv-bench/bin/python benchmarks/report_speed.py
	-.venv-bench/bin/python benchmarks/train_speed.py
	-.venv-bench/bin/python benchmarks/rnng_speed.py

# minicons' masked scorer needs Transformers 4, Priscian 5: each runs in its own environment.
.venv-bench-mlm/.done: benchmarks/peers-mlm.txt
	$(PYTHON) -m venv .venv-bench-mlm
	.venv-bench-mlm/bin/python -m pip install -q torch==2.13.0
	.venv-bench-mlm/bin/python -m pip install -q -c constraints.txt -r benchmarks/peers-mlm.txt
	@touch $@

bench-mlm: $(VENV)/.hf .venv-bench-mlm/.done
	-$(BIN)/python benchmarks/transfo_xl_parity.py
	$(BIN)/python benchmarks/pll_peer.py $(ARGS)

clean:
	rm -rf $(VENV) .venv-bench .venv-bench-mlm .pytest_cache .mypy_cache .ruff_cache htmlcov .coverage*
