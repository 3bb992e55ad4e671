# make demo    set everything up, then train, judge and explain on the sample mailbox
# make test    set everything up and pass every check and test
# make lint    formatters, linters, type checkers, stubs
# make minimum test with exactly the lowest versions of all dependencies that pyproject.toml admits (Python 3.11)
# make bench   measure against the rivals
# make parity  run all of scikit-learn's own tests of the estimators that Deciban has too
# make docs    draw the pictures and measure the models of the documentation anew

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
FUZZ_SECONDS ?= 3
LOWEST := $(VENV)-minimum

RUST := $(shell find crates -name '*.rs' -not -path '*/target/*') Cargo.toml Cargo.lock crates/core/Cargo.toml crates/python/Cargo.toml

.PHONY: demo test lint minimum bench parity docs tools clean
.DEFAULT_GOAL := demo

demo: $(VENV)/.installed
	@$(BIN)/deciban demo

test: lint
	cargo test --workspace --profile quick --quiet
	sh crates/core/fuzz/run $(FUZZ_SECONDS)
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

lint: $(VENV)/.tested
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --profile quick --quiet -- -D warnings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m mypy.stubtest deciban._core

# Tests that every estimator learns and is read again, and the command; the extension is the one that was built above.
minimum: $(LOWEST)/.installed $(VENV)/.installed
	PYTHONPATH=$(CURDIR)/python $(LOWEST)/bin/python -m pytest tests/system/test_minimum_versions.py tests/laws/test_solvers.py \
	  tests/laws/test_bounds.py tests/laws/test_paired.py tests/system/test_cli_train.py

$(LOWEST)/.installed: tests/minimum-versions.txt | tools
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $< hypothesis pytest
	@touch $@

bench: $(VENV)/.released
	$(BIN)/python benchmarks/run.py

# Slow: minutes. The quick modules are part of `make test`.
parity: $(VENV)/.tested
	DECIBAN_PARITY=all $(BIN)/python -m pytest tests/parity/test_sklearn_modules.py

docs: $(VENV)/.tested
	$(BIN)/python docs/picture.py
	$(BIN)/python docs/kernel.py
	$(BIN)/python docs/generative.py
	$(BIN)/python docs/predictive.py
	$(BIN)/python docs/linear.py
	$(BIN)/python docs/theory.py
	$(BIN)/python docs/networks.py
	$(BIN)/python docs/suspects.py
	$(BIN)/python docs/decisions.py
	$(BIN)/python docs/calibration.py
	$(BIN)/python docs/evidence.py
	$(BIN)/python docs/compare.py

# What is missing is named, with where to get it.
tools:
	@command -v cargo >/dev/null || { echo "cargo is missing: install Rust 1.88 or newer from https://rustup.rs"; exit 1; }
	@command -v cc >/dev/null || { echo "cc is missing: Rust links with it; on Debian: apt install build-essential"; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is missing: install Python 3.11 or newer, or say make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is too old: Python 3.11 or newer is needed; say make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv is missing: on Debian: apt install python3-venv"; exit 1; }

$(BIN)/python: | tools
	$(PYTHON) -m venv $(VENV)

# The extension as users have it, which the benchmarks measure.
$(VENV)/.installed $(VENV)/.released: pyproject.toml $(RUST) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $(VENV)/.installed $(VENV)/.released

# For tests it is built as the Rust tests are, in less time.
$(VENV)/.tested: pyproject.toml $(RUST) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --config-settings=build-args='--profile quick' \
	  --editable '.[test]'
	@touch $@ $(VENV)/.installed
	@rm -f $(VENV)/.released

clean:
	rm -rf $(VENV) $(LOWEST) target crates/core/fuzz/target
