# make demo      train, compare, parse and draw, without any data of your own
# make test      run the tests
# make coverage  run the tests and print the lines that none of them reaches; too many are an error
# make check     formatting, lint, types, file lengths
# make docs      the documentation as a web site in site/
# Each target creates the virtual environment and installs what it needs by itself.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
RUN := $(VENV)/.ready
DEVELOP := $(VENV)/.ready-to-develop

.PHONY: demo test coverage check docs clean
.SILENT:

demo: $(RUN)
	$(BIN)/eigenparse demo --out demo-output

test: $(DEVELOP)
	PATH="$(abspath $(BIN)):$$PATH" scripts/test

coverage: $(DEVELOP)
	PATH="$(abspath $(BIN)):$$PATH" EIGENPARSE_COVERAGE=1 scripts/test

check: $(DEVELOP)
	PATH="$(abspath $(BIN)):$$PATH" scripts/check

docs: $(DEVELOP)
	PATH="$(abspath $(BIN)):$$PATH" scripts/docs

$(RUN): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "eigenparse needs Python 3.11 or newer; set PYTHON=path")'
	echo "setting up $(VENV)"
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) --editable .
	touch $@

$(DEVELOP): $(RUN)
	echo "adding test and lint tools to $(VENV)"
	$(PIP) --editable . --group test --group lint --group docs
	touch $@

clean:
	rm -rf $(VENV) demo-output site .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage* docs/reference
