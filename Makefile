# `make demo` and `make test` work from a bare clone: they install what they find missing, build,
# and do their work. Run again, they reuse all that has not changed.
#
# Set PYTHON to use another interpreter, VENV to use another virtual environment.

PYTHON ?= python3
VENV ?= .venv
export FASTPIPE_WERROR ?= 1

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.NOTPARALLEL:
.DEFAULT_GOAL := build
.PHONY: build demo pipelines endurance soak schedules test lint format docs asan tsan ubsan fuzz \
  coverage wheel clean system

python := $(VENV)/bin/python
pip := $(python) -m pip --disable-pip-version-check --quiet
# Stamps are named after the contents they depend on: checking out the same files is no change.
contents := $(shell cat pyproject.toml .ci/requirements.py | sha256sum | cut -c 1-16)
environment := $(VENV)/.environment-$(contents)
installed := $(VENV)/.installed-$(contents)
native_files = $$(find csrc tests/native tests/fuzz -name '*.cc' -o -name '*.c' -o -name '*.h')

demo: build
	$(python) -m fastpipe compare

# pytest comes last: its closing line is the summary of the whole.
test: build lint docs
	$(python) tests/native/build.py --sanitize address thread --short --run
	$(python) -m pytest --numprocesses 2 --dist loadfile

# Five thousand random pipelines, of which the tests try some hundreds.
pipelines: build
	FASTPIPE_PIPELINES=5000 $(python) -m pytest tests/test_random_pipelines.py

# What must hold for weeks, at full size; the tests try a few rounds.
endurance: build
	$(python) tests/endurance/run.py all

soak: build
	$(python) tests/endurance/run.py soak

# Twenty thousand interleavings of the threads, of which the tests try a thousand.
schedules: $(environment)
	FASTPIPE_SCHEDULES=20000 $(python) tests/native/build.py --sanitize address --run -tc='schedules:*'

# As pip does with what it installs: where PYTHONDONTWRITEBYTECODE is set, every start would compile.
build: $(installed)
	$(python) setup.py --quiet build_ext --inplace
	$(python) -m compileall -q fastpipe

lint: $(environment)
	$(python) -m ruff check .
	$(python) -m ruff format --check .
	$(python) -m mypy
	@echo clang-format --dry-run -Werror
	@$(VENV)/bin/clang-format --dry-run -Werror $(native_files)

format: $(environment)
	$(python) -m ruff check --fix-only --exit-zero .
	$(python) -m ruff format .
	$(VENV)/bin/clang-format -i $(native_files)

# The API reference, from the docstrings; a warning fails it. It changes nothing that is committed.
docs: build
	$(python) -W error -m pdoc --output-directory build/docs fastpipe '!fastpipe.tools'

asan: $(environment)
	$(python) tests/native/build.py --sanitize address --run

tsan: $(environment)
	$(python) tests/native/build.py --sanitize thread --run

# A part of asan, for where AddressSanitizer cannot run.
ubsan: $(environment)
	$(python) tests/native/build.py --sanitize undefined --run

# By clang's libFuzzer. FUZZ_TARGET chooses one target, FUZZ_SECONDS the time of each.
fuzz: $(environment)
	@.ci/system-packages $(PYTHON) fuzz
	$(python) tests/fuzz/run.py

# Which lines and branches of csrc the tests reach, native and Python. In a folder of its own.
coverage: $(environment)
	$(pip) install 'gcovr>=8'
	$(python) tests/native/coverage_report.py

# The old build folder goes first: files deleted since would still be put into the wheel.
wheel: $(environment)
	rm -rf build/lib.* build/bdist.* dist
	$(pip) wheel . --no-deps --no-build-isolation --wheel-dir dist
	ls -l dist

# Keeps the virtual environment.
clean:
	rm -rf build dist *.egg-info fastpipe/*.so .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -path ./.venv -prune -o -name __pycache__ -exec rm -rf {} +

system:
	@.ci/system-packages $(PYTHON)

$(environment): | system
	@$(python) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	$(python) .ci/requirements.py > $(VENV)/requirements.txt
	$(pip) install --requirement $(VENV)/requirements.txt
	@$(python) .ci/requirements.py --check
	@touch $@

# Built before it is installed, because pip would hide the progress of the compilation.
$(installed): $(environment)
	$(python) setup.py --quiet build_ext --inplace
	$(pip) install --no-build-isolation --no-deps --editable .
	@touch $@
