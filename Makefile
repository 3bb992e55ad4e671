# make demo    set everything up, then train, judge and explain on the sample mailbox
# make test    set everything up and pass every check, and the quick tier of the tests: minutes
# make deep    the same with all tests, many more examples and fuzzing: half an hour or more; with TIER=--new-examples,
#              examples that no run has had; with TIER='--deep --beyond-quick', after make test, only what it has more
# make test-mail  the recipes for mail servers with the real programs, a part of make deep; root, and .ci/run first
# make lint    formatters, linters, type checkers, stubs
# make minimum test with exactly the lowest versions of all dependencies that pyproject.toml admits (Python 3.11)
# make bench   measure against the rivals
# make parity  run all of scikit-learn's own tests of the estimators that Deciban has too
# make licences  collect in THIRD-PARTY.md those of all crates that the extension links with
# make audit   look up known faults, licences and origins of all dependencies; needs the network, cargo-deny, pip-audit
# make site    build the documentation site into site/, strictly: no link may be broken
# make man     write the manual pages of the commands anew
# make pages   write the pages of the studies anew, from their templates and recorded numbers: seconds
# make docs    draw the pictures and measure the models of the documentation anew: up to an hour

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
LOWEST := $(VENV)-minimum
AGAIN  := $(MAKE)

RUST := $(shell find crates -name '*.rs' -not -path '*/target/*') Cargo.toml Cargo.lock crates/core/Cargo.toml crates/python/Cargo.toml

.PHONY: demo test deep test-mail rust fuzz clippy lint minimum bench parity audit docs licences man pages site tools clean
.DEFAULT_GOAL := demo
# The tests start thousands of processes, each of which would compile all modules.
unexport PYTHONDONTWRITEBYTECODE

demo: $(VENV)/.installed
	@$(BIN)/deciban demo

CHECKS := rust lint
# A quarter of the time of the tests is waiting for other processes, half of that of the deep ones.
WORKERS := 3
deep: WORKERS := 4
deep: TIER := --deep
deep: CHECKS := rust lint fuzz

# The other checks run beside the tests of Python; what they say is shown after, and the failure of either fails.
test deep: $(VENV)/.tested
	@$(AGAIN) --no-print-directory --keep-going $(CHECKS) >$(VENV)/checks.log 2>&1 & checks=$$!; \
	trap "kill $$checks" INT TERM; $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal $(TIER); tests=$$?; \
	wait $$checks; checks=$$?; cat $(VENV)/checks.log; \
	echo "exit status of the tests: $$tests, of the other checks: $$checks"; test $$tests$$checks = 00

# The tests of make deep that ask mail programs; what is not installed is skipped, and named.
test-mail: $(VENV)/.tested
	$(BIN)/python -m pytest --deep -m programs -rs tests/system

rust: $(VENV)/.tested
	cargo test --workspace --profile quick --quiet

FUZZ_SECONDS ?= 10
fuzz: | tools
	sh crates/core/fuzz/run $(FUZZ_SECONDS)

# In a directory of its own: without the settings of Python's build it would have the extension compiled anew.
clippy: | tools
	cargo clippy --workspace --all-targets --target-dir target/lint --quiet -- -D warnings

lint: $(VENV)/.tested clippy
	cargo fmt --all --check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python tests/docstrings.py
	$(BIN)/python -m mypy.stubtest deciban._core

# Tests that every estimator learns and is read again, and the command; the extension is the one that was built above.
minimum: $(LOWEST)/.installed $(VENV)/.installed
	PYTHONPATH=$(CURDIR)/python $(LOWEST)/bin/python -m pytest tests/system/test_minimum_versions.py tests/laws/test_solvers.py \
	  tests/laws/test_bounds.py tests/laws/test_paired.py tests/system/test_cli_train.py

$(LOWEST)/.installed: tests/minimum-versions.txt | tools
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --requirement $< hypothesis pytest
	@touch $@

bench: $(VENV)/.released
	$(BIN)/python benchmarks/run.py

# Slow: minutes. A part of `make deep`.
parity: $(VENV)/.tested
	$(BIN)/python -m pytest --deep tests/parity/test_sklearn_modules.py

# Not among the checks of every change: what is known of dependencies changes without one.
audit: $(VENV)/.installed
	@command -v cargo-deny >/dev/null || { echo "cargo-deny is missing: cargo install --locked cargo-deny"; exit 1; }
	@command -v pip-audit >/dev/null || { echo "pip-audit is missing: pipx install pip-audit"; exit 1; }
	cargo deny check
	$(BIN)/python -m pip freeze --exclude-editable --exclude deciban >$(VENV)/audited.txt
	pip-audit --requirement $(VENV)/audited.txt --no-deps --disable-pip --strict

licences:
	$(PYTHON) crates/licences.py

docs: $(VENV)/.tested
	$(BIN)/python docs/picture.py
	$(BIN)/python docs/site_build/api_pictures/draw.py
	$(BIN)/python docs/course/mail_model.py
	$(BIN)/python docs/course/pictures.py
	for study in $(STUDIES); do $(BIN)/python benchmarks/studies/$$study.py || exit; done
	$(AGAIN) --no-print-directory pages

# Their numbers are in benchmarks/studies/, their words in docs/studies/; no model is fitted.
STUDIES := $(basename $(notdir $(wildcard docs/studies/*.md)))
pages: $(VENV)/.tested
	$(BIN)/python docs/site_build/study_pages.py

site: pages
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

man: $(VENV)/.tested
	$(BIN)/python docs/man_pages.py

# What is missing is named, with where to get it.
tools:
	@command -v cargo >/dev/null || { echo "cargo is missing: install Rust 1.89 or newer from https://rustup.rs"; exit 1; }
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

# For tests it is built as the Rust tests are, in less time. Of dependencies only what is imported is compiled, then.
$(VENV)/.tested: pyproject.toml $(RUST) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
	  --config-settings=build-args='--profile quick' --editable '.[test,site]'
	@touch $@ $(VENV)/.installed
	@rm -f $(VENV)/.released

clean:
	rm -rf $(VENV) $(LOWEST) site target crates/core/fuzz/target
