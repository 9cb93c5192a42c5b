# The commands of the project: make demo, make quick, make test, make check.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo quick test twins mutants check format bench papers docs clean

demo: .venv/demo
	$(BIN)/discreet demo -o demo --force

# before a commit: single modules and the contract, without what takes long or compiles much
quick: .venv/test
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not long" tests/unit tests/contract

# four workers on two cores: many tests wait, for a page, a job or a server
test: .venv/test
	$(BIN)/python -m tests.kernels
	$(BIN)/python -m pytest -n 4 --dist loadfile

twins: .venv/test
	$(BIN)/python -m tests.twins

mutants: .venv/test
	$(BIN)/python -m tests.mutation

check: .venv/test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: .venv/test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/test
	$(BIN)/python benchmarks/run.py

papers: .venv/test
	$(BIN)/python -m papers.run

docs: .venv/docs
	$(BIN)/zensical build --clean --strict

clean:
	rm -rf .venv

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/demo: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install -q --disable-pip-version-check -e ".[charts]"
	@touch $@

.venv/test: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install -q --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install -q --disable-pip-version-check -e ".[app,charts,optimal,postgres,spark]" --group test --group check --group docs
	@touch $@

.venv/docs: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install -q --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install -q --disable-pip-version-check -e . --group docs
	@touch $@
