# make demo: set everything up and run the main job.  make test: set everything up and pass all tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PLANETREE_DATA ?= $(wildcard $(abspath ../shared/datasets))
SOURCES := pyproject.toml CMakeLists.txt $(wildcard cpp/*/*)
SANITIZE := .venv-sanitize
COVERAGE := .venv-coverage

.PHONY: demo studio test browser lint stub sanitize soak fuzz quiet instructions mutate coverage benchmark frontier experiments experiments-quick clean

demo: $(VENV)/installed
	$(BIN)/python examples/demo.py

# The studio with breast-cancer data, on a page in the browser: Ctrl+C ends it.
studio: $(VENV)/installed
	mkdir -p demo
	test -f demo/breast-cancer.csv || $(BIN)/planetree datasets breast-cancer --out demo/breast-cancer.csv
	$(BIN)/planetree studio demo/breast-cancer.csv

test: $(VENV)/installed browser
	$(BIN)/python -m pytest -n 2 -q

# Reports are tried in a browser. It is installed where it is missing and that is allowed; otherwise their tests are skipped.
browser:
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	  test "$$(id -u)" = 0 && command -v apt-get >/dev/null && timeout 600 apt-get install -y -qq chromium >/dev/null 2>&1 || true

lint: $(VENV)/linters
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror cpp/*/*.cpp cpp/*/*.hpp

# What type checkers read of the core: written again whenever its bindings change.
stub: $(VENV)/linters
	$(BIN)/python -m nanobind.stubgen -q -m planetree._core -o src/planetree/_core.pyi
	$(BIN)/ruff format --quiet src/planetree/_core.pyi

# Campaigns, see docs/soundness.md. Each failure prints what repeats it; SEED=1 draws other trials. Ten minutes of odd tables,
# certificates, mutated files and exports; thirty of kills, faults, memory, threads, interrupts, time limits and invariance.
SEED ?= 0
fuzz: $(VENV)/installed
	-$(BIN)/pip install --quiet --disable-pip-version-check atheris
	for kind in json csv arff names; do $(BIN)/python -m campaigns.fuzzing.guided $$kind -max_total_time=30 || exit 1; done
	$(BIN)/python -m campaigns.fuzz --minutes 8 --seed $(SEED) --save last

soak: $(VENV)/installed
	$(BIN)/python -m campaigns.soak --minutes 12 --seed $(SEED) --save last
	$(BIN)/python -m campaigns.interrupts
	$(BIN)/python -m campaigns.time_limits
	$(BIN)/python -m campaigns.invariance --tables 1000 --minutes 8 --jobs 2

# The figures of docs/soundness.md, on a machine with nothing else to do.
quiet: $(VENV)/installed
	$(BIN)/python -m campaigns.certificates --tables 20000 --save after
	$(BIN)/python -m campaigns.interrupts --save after
	$(BIN)/python -m campaigns.time_limits --save after
	$(BIN)/python -m campaigns.invariance --tables 80 --jobs 2 --save after
	$(BIN)/python -m campaigns.printing

# Instructions of the core on ten problems against the table that is kept: 3 % more fails.
instructions: $(VENV)/installed
	$(BIN)/python -m campaigns.instructions

# Errors made on purpose in a copy, one at a time: the tests that are listed for each must fail.
mutate: $(VENV)/installed
	$(BIN)/python -m campaigns.mutate

# Lines that the tests reach: of Python, and of the core in a build of its own.
coverage:
	test -x $(COVERAGE)/bin/python || $(PYTHON) -m venv $(COVERAGE)
	$(COVERAGE)/bin/pip install --quiet --disable-pip-version-check 'scikit-build-core>=0.10' 'nanobind>=2.4' cmake ninja coverage gcovr
	CXXFLAGS="--coverage -O1" $(COVERAGE)/bin/pip install --quiet --disable-pip-version-check --no-build-isolation \
	  --config-settings=build-dir=build/coverage --config-settings=cmake.build-type=Debug --editable '.[test]'
	COVERAGE_CORE=sysmon $(COVERAGE)/bin/coverage run --source=src/planetree -m pytest -q -p no:cacheprovider || true
	$(COVERAGE)/bin/coverage report --skip-covered --fail-under=95
	$(COVERAGE)/bin/gcovr --root . --filter cpp/ --object-directory build/coverage --fail-under-line 90

benchmark: $(VENV)/installed
	$(BIN)/python -m benchmarks

# docs/frontier.md: the readable tree beside its peers on all groups of sets; what was computed before is not computed again.
frontier: $(VENV)/installed
	$(BIN)/python -m benchmarks.frontier --final

# The papers' tables and figures, written to docs/papers; what was computed before is not computed again.
experiments: $(VENV)/installed
	$(BIN)/python -m experiments --jobs 2

experiments-quick: $(VENV)/installed
	$(BIN)/python -m experiments --quick

$(VENV)/installed: $(SOURCES)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check 'scikit-build-core>=0.10' 'nanobind>=2.4' cmake ninja
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[test]'
	touch $@

$(VENV)/linters: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[lint]'
	touch $@

# The core is built a second time with sanitizers and the tests that reach it are run under them.
sanitize:
	test -x $(SANITIZE)/bin/python || $(PYTHON) -m venv $(SANITIZE)
	$(SANITIZE)/bin/pip install --quiet --disable-pip-version-check 'scikit-build-core>=0.10' 'nanobind>=2.4' cmake ninja
	$(SANITIZE)/bin/pip install --quiet --disable-pip-version-check --no-build-isolation --config-settings=build-dir=build/sanitize \
	  --config-settings=cmake.define.PLANETREE_SANITIZE=ON --config-settings=cmake.build-type=RelWithDebInfo '.[test]'
	LD_PRELOAD="$$(c++ -print-file-name=libasan.so) $$(c++ -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
	  $(SANITIZE)/bin/python -m pytest -q -m core -o addopts= tests

clean:
	rm -rf $(VENV) $(SANITIZE) $(COVERAGE) build dist demo .hypothesis .pytest_cache .ruff_cache .mypy_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
