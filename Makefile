# Two commands are all there is to know: `make demo` and `make test`.
.PHONY: help fuzz fuzz-guided soak demo test test-all test-browser pictures docs lint format stubs \
	sanitize sanitize-address sanitize-thread cancelling wheels bench-loading table1 table2 table3 \
	heldout study grid relations calibration gaps states race large recovery \
	results clean
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV := .venv
SANITIZED := .venv-sanitize
RACE := .venv-race
DEMO := demo

# Installed editable: Python sources are live, so only what is compiled asks for a new install.
BUILT_FROM := pyproject.toml CMakeLists.txt $(shell find cpp -name '*.[ch]pp')
KERNEL_SOURCES := $(filter cpp/%,$(BUILT_FROM))
PIP := -m pip --disable-pip-version-check install --quiet

# Bytecode is kept: many tests start Python, which would compile the package anew each time.
PYTEST := PYTHONDONTWRITEBYTECODE= $(VENV)/bin/pytest

help:
	@echo "make demo      install into $(VENV) and show what noisyor does, on bundled data"
	@echo "make test      install into $(VENV) and run lint, types, layer contracts and the quick tests"
	@echo "make test-all  run every test, the slow ones too, with many random examples (ten minutes)"
	@echo "make test-browser  test the report in Chromium, which must be installed (see .ci/run)"
	@echo "make docs      build the documentation into site, and check its links"
	@echo "make pictures  take the pictures of reports in the documentation anew, in Chromium"
	@echo "make format    rewrite the sources in house style"
	@echo "make stubs     write the typed stub of the kernels anew"
	@echo "make sanitize  run the tests of the kernels under three sanitizers, in $(SANITIZED)-* (an hour)"
	@echo "make fuzz      try mutated files on every reader (five minutes); fuzz-guided: by coverage"
	@echo "make soak      an hour of random problems, solved in every way there is, which must agree"
	@echo "make cancelling  cancel every command fifty times, at random moments (an hour)"
	@echo "make wheels    build a wheel for each Python that is found, and try it, into dist"
	@echo "make bench-loading  time the reading of a large file (ten minutes, 2 GB of disk)"
	@echo "make table1    recover noisy-OR parameters, as the paper's Table 1 (a minute)"
	@echo "make table2    learn from the paper's sixteen data sets, as its Table 2"
	@echo "make table3    compare inference with seven ground-truth networks, as its Table 3"
	@echo "make heldout   what are relations worth on real data? held-out records (an hour)"
	@echo "make study     does allowing noisy-ORs pay? structures, held-out records, calibration"
	@echo "make grid      when do relations pay? leaks, strengths, wrong models (four minutes)"
	@echo "make relations  which relations should compete? sets of relations against known networks"
	@echo "make calibration  which weights can be believed? ten kinds against known networks"
	@echo "make gaps      learning from records with gaps: EM against simpler ways (five minutes)"
	@echo "make states    learning from tables whose variables have more than two states"
	@echo "make race      the same jobs by other programs, which are installed into $(RACE)"
	@echo "make race GOBNILP=/path/to/gobnilp  the same score files by a GOBNILP that you have"
	@echo "make large     good networks of many variables, by other programs, too (hours)"
	@echo "make recovery  networks of 20 to 200 variables: what is recovered, and where proofs stop"
	@echo "make results   write what the docs say of stored results: docs/results.md, docs/results, README"
	@echo "make clean     delete everything that make made"

# What is installed, or else what compiles soonest.
demo: $(or $(wildcard $(VENV)/installed),$(VENV)/installed-quick)
	@mkdir -p $(DEMO)
	$(VENV)/bin/noisyor examples clinic -o $(DEMO)/clinic.csv
	$(VENV)/bin/noisyor describe $(DEMO)/clinic.csv
	$(VENV)/bin/noisyor learn $(DEMO)/clinic.csv -o $(DEMO)/clinic
	$(VENV)/bin/noisyor show $(DEMO)/clinic/best.json --node fever --data $(DEMO)/clinic.csv
	$(VENV)/bin/noisyor query $(DEMO)/clinic/networks.json flu cold pneumonia --given fever=yes,cough=no
	@echo
	@echo "The table that was read:     $(DEMO)/clinic.csv"
	@echo "All that was found in it:    $(DEMO)/clinic"
	@echo "Look at the report:          $(DEMO)/clinic/report.html"

test: lint
	$(PYTEST) -n 2 -m "not slow"

# All that `make test` leaves out: slow tests, and many examples of every property.
test-all: $(VENV)/installed-dev
	$(PYTEST) -n 2 --hypothesis-profile=full

# Apart from the other tests, for these need a browser, and only root can install one.
# axe-core, which finds what people with disabilities cannot use, comes as a file of a wheel that
# wants another browser driver; so it has a folder of its own.
test-browser: $(VENV)/installed-dev build/browser-tools/installed
	$(VENV)/bin/pytest tests/browser

build/browser-tools/installed: tests/browser/requirements.txt | $(VENV)/bin/pip
	$(VENV)/bin/python $(PIP) --no-deps --require-hashes --upgrade --target $(@D) --requirement $<
	@touch $@

# Like the tests of the report, these need a browser.
pictures: $(VENV)/installed-dev
	$(VENV)/bin/python -m tests.browser.pictures

# A link to a page, a heading or a file that is not there is a warning, and -W makes it an error.
docs: $(VENV)/installed-dev
	$(VENV)/bin/python -m sphinx -W --keep-going -q docs site
	@echo "Open site/index.html"

lint: $(VENV)/installed-dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/clang-format --dry-run --Werror $(KERNEL_SOURCES)
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

format: $(VENV)/installed-dev
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .
	$(VENV)/bin/clang-format -i $(KERNEL_SOURCES)

stubs: $(VENV)/installed-dev
	$(VENV)/bin/python -m nanobind.stubgen -m noisyor._kernels._plain -o src/noisyor/_kernels/_plain.pyi

# Each in an environment of its own: a module has one sanitizer. What passed is not run again until
# it changes; a file is begun only within the hour of processor time.
sanitize: sanitize-address sanitize-thread

sanitize-address sanitize-thread: sanitize-%: $(SANITIZED)-%/installed-dev
	$(SANITIZED)-$*/bin/python -m tests.sanitize $*

# Hostile input: mutated files in child processes of bounded time and memory; see tests/fuzz.
fuzz: $(VENV)/installed-dev
	$(VENV)/bin/python -m tests.fuzz.try_inputs --seconds 300

# atheris in a folder of its own: it has wheels for some versions of Python only.
fuzz-guided: $(VENV)/installed-dev
	$(VENV)/bin/python $(PIP) --no-deps --target build/fuzz-tools atheris==3.0.0
	PYTHONPATH=build/fuzz-tools $(VENV)/bin/python -m tests.fuzz.guided --seconds 300

# By table, by price, with and without bounds, by brute force; see tests/soak.
soak: $(VENV)/installed-dev
	$(VENV)/bin/python -m tests.soak --seconds 3600 --seed 1 --jobs 2 -o build/soak.json

# Ctrl-C and SIGTERM at random moments of every command; see tests/cancelling.
cancelling: $(VENV)/installed-dev
	$(VENV)/bin/python -m tests.cancelling --times 50 -o build/cancelling.json

# For each supported Python that is found, tried in an empty environment away from the sources.
wheels:
	scripts/build-wheels.sh

bench-loading: $(VENV)/installed-dev
	$(VENV)/bin/python -m benchmarks.timings.loading

# Each makes what benchmarks/results does not have yet; the data are expected in ../shared.
table1: $(VENV)/installed-dev
	$(VENV)/bin/python -m benchmarks.paper.table1

table2: $(VENV)/installed-dev
	$(VENV)/bin/python -m benchmarks.paper.table2
	$(VENV)/bin/python -m benchmarks.paper.table2.emulation

table3: $(VENV)/installed-dev
	$(VENV)/bin/python -m benchmarks.paper.table3

heldout: $(VENV)/installed-dev $(RACE)/installed-peers
	$(VENV)/bin/python -m benchmarks.heldout --peers $(RACE)/bin/python

study: $(VENV)/installed-dev
	$(VENV)/bin/python -m benchmarks.study

grid: $(VENV)/installed-dev
	$(VENV)/bin/python -m benchmarks.grid

relations: $(VENV)/installed-dev
	$(VENV)/bin/python -m benchmarks.relations

gaps: $(VENV)/installed-dev
	$(VENV)/bin/python -m benchmarks.gaps

calibration: $(VENV)/installed-dev
	$(VENV)/bin/python -m benchmarks.calibration

states: $(VENV)/installed-dev
	$(VENV)/bin/python -m benchmarks.timings.states

# GOBNILP=/path/to/gobnilp races a binary that you have instead of the peers in Python.
ifdef GOBNILP
race: $(VENV)/installed-dev
	$(VENV)/bin/python -m benchmarks.race.gobnilp '$(GOBNILP)'
else
race: $(VENV)/installed-dev $(RACE)/installed-peers
	$(VENV)/bin/python -m benchmarks.race --peers $(RACE)/bin/python
endif

large: $(VENV)/installed-dev $(RACE)/installed-peers
	$(VENV)/bin/python -m benchmarks.race.large --peers $(RACE)/bin/python

recovery: $(VENV)/installed-dev
	$(VENV)/bin/python -m benchmarks.recovery

results: $(VENV)/installed-dev
	$(VENV)/bin/python -m benchmarks.report

# Other programs, in an environment of their own: they want other versions of shared libraries.
$(RACE)/installed-peers: benchmarks/race/requirements.txt | $(RACE)/bin/pip
	$(RACE)/bin/python $(PIP) --requirement $<
	$(RACE)/bin/python $(PIP) --no-deps pygobnilp==1.0
	@touch $@

# The kernels once, with less optimization: the same results, but slower. What is being compiled is
# shown, since a minute of silence looks like a fault.
QUICKLY := --config-settings=cmake.define.NOISYOR_QUICK=ON --config-settings=build-dir=build/quick
SHOWN := ^(Collecting|Installing|Successfully)|^ *\[[0-9]+/[0-9]+\]
$(VENV)/installed-quick: SHELL := bash
$(VENV)/installed-quick: $(BUILT_FROM) | $(VENV)/bin/pip
	@mkdir -p build
	@echo "Installing into $(VENV), and compiling quickly; 'make test' and 'pip install .' compile faster kernels."
	@set -o pipefail; $(VENV)/bin/python -m pip --disable-pip-version-check install --verbose --editable . $(QUICKLY) 2>&1 \
		| tee build/quick.log | grep --line-buffered --extended-regexp '$(SHOWN)' \
		|| { tail -n 60 build/quick.log; exit 1; }
	@touch $@

$(VENV)/installed: $(BUILT_FROM) | $(VENV)/bin/pip
	$(VENV)/bin/python $(PIP) --editable .
	@touch $@

$(SANITIZED)-address/installed: CHECKS := address,undefined
$(SANITIZED)-thread/installed: CHECKS := thread
$(SANITIZED)-address/installed $(SANITIZED)-thread/installed: $(SANITIZED)-%/installed: $(BUILT_FROM) | $(SANITIZED)-%/bin/pip
	$(@D)/bin/python $(PIP) --editable . \
		--config-settings=cmake.define.NOISYOR_SANITIZE=$(CHECKS) --config-settings=build-dir=build/sanitize-$*
	@touch $@

# After the package, whose requirements it moves to the versions of the lock. A file whose hash is
# not in the lock is not installed, whichever index it comes from.
%/installed-dev: requirements-dev.lock | %/installed
	$*/bin/python $(PIP) --require-hashes --requirement requirements-dev.lock
	@touch $@

# pip is the last thing that venv makes: where it is missing, the environment is not whole.
%/bin/pip:
	$(PYTHON) scripts/check_machine.py
	$(PYTHON) -m venv --clear $*

clean:
	rm -rf build dist site $(DEMO) $(VENV) $(SANITIZED)-* $(RACE) .venv-release
