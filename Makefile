# The commands of the project: make demo, make quick, make test, make check.
PYTHON ?= python3
BIN := .venv/bin
# Python compiles what is imported; most of what is installed never is
PIP := $(BIN)/python -m pip install -q --disable-pip-version-check --no-compile
# uv takes seconds where pip takes most of a minute; where it cannot, as with an index that only pip
# was told of, pip does it
UV := $(BIN)/uv pip install -q --python $(BIN)/python
install = $(UV) $(1) || { echo "uv cannot; pip does it now"; $(PIP) $(1); }
FOR_TESTS := -e ".[app,charts,formats,optimal,postgres,spark]" --group test --group docs

# what Python and Numba compile is kept for the next process, whatever the shell says
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo quick test thorough ascii locked lowest twins mutants check format bench papers docs clean

demo: .venv/demo
	$(BIN)/discreet demo -o demo --force

# before a commit: single modules and the contract, without what takes long or compiles much
quick: .venv/test
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not long" tests/unit tests/contract

# three workers on two cores: many tests wait, for a page, a job or a server
test: .venv/test
	$(BIN)/python -m tests.kernels
	$(BIN)/python -m pytest -n 3 --dist loadfile -m "not thorough"

# what proves once more, in other surroundings, what a test above proves already: tests/schedule.py
thorough: .venv/test
	$(BIN)/python -m tests.kernels
	$(BIN)/python -m pytest -n 4 --dist loadfile -m thorough
	$(BIN)/python -m pytest -n 2 --dist loadfile --hypothesis-profile thorough -m property

# where the locale has ASCII only, as in a container or a scheduled job, and Python does not help
ascii: .venv/test
	LC_ALL=C PYTHONCOERCECLOCALE=0 PYTHONUTF8=0 $(BIN)/python -m pytest -n 2 --dist loadfile -m "not thorough"

# where nothing but a folder for temporary files can be written to, and there is no home directory;
# PostgreSQL is skipped unless root starts it: its server needs a second user
locked: .venv/test
	$(BIN)/python -m compileall -q -j 2 .venv/lib src tests || true  # some packages hold templates
	room=$$(mktemp -d) && unshare $$([ $$(id -u) = 0 ] || echo --map-root-user) --mount sh tests/locked.sh $$room -n 2 --dist loadfile -m "not thorough"; code=$$?; rmdir $$room; exit $$code

# the lowest versions that pyproject.toml allows, in an environment of their own; PySpark 4.0 leaves
# sockets open, and Hypothesis 6.100 warns of its own source of random numbers
lowest:
	$(PYTHON) -m venv .venv-lowest
	$(PYTHON) tests/lowest.py > .venv-lowest/constraints.txt
	.venv-lowest/bin/python -m pip install -q --disable-pip-version-check --upgrade "pip>=25.1"
	.venv-lowest/bin/python -m pip install -q --disable-pip-version-check -e ".[app,charts,formats,optimal,postgres,spark]" --group test --group docs -c .venv-lowest/constraints.txt
	.venv-lowest/bin/python -m pytest -n 2 --dist loadfile -m "not thorough" -W "ignore:unclosed <socket:ResourceWarning" -W "ignore:It looks like"

twins: .venv/test
	$(BIN)/python -m tests.twins

mutants: .venv/test
	$(BIN)/python -m tests.mutation

check: .venv/check
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: .venv/check
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/test
	$(BIN)/python benchmarks/run.py

papers: .venv/test
	$(BIN)/python -m papers.run

docs: .venv/docs
	$(BIN)/zensical build --clean --strict

clean:
	rm -rf .venv .venv-lowest

.venv/bin/python:
	$(PYTHON) -m venv .venv
	-$(PIP) --only-binary :all: uv

.venv/demo: pyproject.toml | .venv/bin/python
	$(call install,-e ".[charts]")
	@touch $@

# PySpark alone first: what it asks for can then be read, where uv would else build it to see that
.venv/test: pyproject.toml | .venv/bin/python
	$(call install,"pip>=25.1")
	$(call install,--no-deps pyspark)
	$(call install,$(FOR_TESTS))
	@touch $@

.venv/check: .venv/test
	$(call install,--group check)
	@touch $@

.venv/docs: pyproject.toml | .venv/bin/python
	$(call install,"pip>=25.1")
	$(call install,-e . --group docs)
	@touch $@
