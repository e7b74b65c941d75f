# Every target makes its own .venv when it is missing; nothing else has to be installed by hand.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: demo test stress test-matrix lint format bench bench-isa docs lock clean isa-tables isa-objects

$(STAMP): pyproject.toml requirements/lock.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c requirements/lock.txt -r requirements/dev.in -e .
	@touch $@

demo: $(STAMP)            ## the day of a user, on bundled data, in a temporary ledger
	$(BIN)/atlas demo

test: $(STAMP)            ## the whole suite, with coverage
	$(BIN)/pytest -n auto --cov --cov-report=term

stress: $(STAMP)          ## 200 kills, 10 000 mutated ledgers, 60 000 mutated objects; prints counts
	ATLAS_STRESS=1 $(BIN)/pytest -s tests/stress tests/atlas/cli/test_cli_many_hosts.py
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

bench: $(STAMP)           ## whole commands against their bounds; BENCH_FULL=1 takes 10^6 events
	cd tools && ../$(BIN)/python -m bench

docs: $(STAMP)            ## the command line and the relations, from the code
	$(BIN)/python tools/make_docs.py

# The suite on every DuckDB line that reads and writes the same files.
test-matrix: $(STAMP)
	for version in 1.5.5 2.0.1; do \
	  $(PYTHON) -m venv .venv-$$version && \
	  grep -v '^duckdb==' requirements/lock.txt > .venv-$$version/lock.txt && \
	  .venv-$$version/bin/pip install --quiet --disable-pip-version-check -c .venv-$$version/lock.txt \
	    -r requirements/dev.in duckdb==$$version -e . && \
	  .venv-$$version/bin/pytest -n auto || exit 1; \
	done

lock: $(STAMP)            ## newest versions of everything, pinned
	$(BIN)/pip install --quiet --upgrade --upgrade-strategy eager -r requirements/dev.in -e .
	$(BIN)/pip freeze --exclude-editable > requirements/lock.txt

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .coverage
