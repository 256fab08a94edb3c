# What a developer and CI run. Needs make, git and Python 3.11 or newer; everything else is set up.
#
#   make demo    build dist/reeval.pyz and run examples/hello with it
#   make test    set up .venv from the lock, then run all tests    (ARGS="tests/plan -x")
#   make check   format, lint, types, layering
#   make bench   figures side by side; never fails on a time       (ARGS="start attempts")

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
LOCK := requirements/dev.lock
# Made anew when the lock changes: the stamp carries its checksum.
STAMP := $(VENV)/made-for-$(shell cksum < $(LOCK) | tr -d ' ')
CHECKED := build_pyz.py packaging bench reeval reeval_python tests

# The first Python that is new enough; a version manager's name for one it lacks does not start.
FIND_PYTHON := python=$$(for name in $(PYTHON) python3.11 python3.12 python3.13 python3.14 python3; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$name" && break; \
	done); test -n "$$python" || { echo "reeval needs Python 3.11 or newer; set PYTHON=…" >&2; exit 1; }

.PHONY: demo test test-offline check format bench stress lock pyz setup clean

demo: pyz
	@$(FIND_PYTHON); cd examples/hello && "$$python" ../../dist/reeval.pyz run

test: setup pyz
	$(BIN)/python -m pytest -m "not stress" $(ARGS)

# All tests but those that install from a registry, with no network but loopback.
test-offline: setup pyz
	unshare $$(test "$$(id -u)" = 0 || echo -r) -n $(BIN)/python tests/loopback_only.py \
		-m pytest -m "not stress and not registry" $(ARGS)

check: setup
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/mypy
	$(BIN)/mypy build_pyz.py packaging/bootstrap.py packaging/lock.py bench
	$(BIN)/python -m pytest tests/test_layering.py tests/test_repository.py

format: setup
	$(BIN)/ruff format $(CHECKED)
	$(BIN)/ruff check --fix $(CHECKED)

bench: setup pyz
	$(BIN)/python -m bench $(ARGS)

stress: setup pyz
	$(BIN)/python -m pytest -m stress $(ARGS)

# Quick when nothing changed: the wheels are kept in .build, and the same sources give the same bytes.
pyz:
	@$(FIND_PYTHON); "$$python" build_pyz.py

setup: $(STAMP)

$(STAMP):
	@$(FIND_PYTHON); "$$python" -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r $(LOCK)
	@# The checkout itself, importable from any folder that a test starts a process in.
	@$(BIN)/python -c 'import os, pathlib, sysconfig; \
		pathlib.Path(sysconfig.get_path("purelib"), "reeval_checkout.pth").write_text(os.getcwd() + "\n")'
	@rm -f $(VENV)/made-for-*
	@touch $@

# Pins pyproject.toml's packages anew; needs a registry.
lock:
	@$(FIND_PYTHON); "$$python" -m venv .build/lock
	.build/lock/bin/python -m pip install --quiet --disable-pip-version-check pip-tools
	.build/lock/bin/python packaging/lock.py $(ARGS)

clean:
	rm -rf $(VENV) .build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis reeval.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
