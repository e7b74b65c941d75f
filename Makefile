# Every target makes its own .venv when it is missing; nothing else has to be installed by hand.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: demo test test-matrix lint format bench docs lock clean isa-tables isa-objects bench-isa stress

$(STAMP): pyproject.toml requirements/lock.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c requirements/lock.txt -r requirements/dev.in -e .
	@touch $@

demo: $(STAMP)            ## the day of a user, on bundled data, in a temporary ledger
	$(BIN)/atlas demo

test: $(STAMP)            ## the whole suite, with coverage
	$(BIN)/pytest -n auto --cov --cov-report=term

stress: $(STAMP)          ## the full numbers of what the suite does a little of
	$(BIN)/python tools/fuzz_isa.py --count 60000

bench-isa: $(STAMP)       ## inspection of 500 objects against one LLVM process per tool and object
	$(BIN)/python tools/bench_isa.py

isa-tables: $(STAMP)      ## opcode tables, from LLVM 22 and 19
	$(BIN)/python tools/isa_tables.py

isa-objects: $(STAMP)     ## test objects and what LLVM says of them, with clang-19
	$(BIN)/python tools/build_isa_objects.py

lint: $(STAMP)            ## ruff (wide) and mypy --strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .coverage
