# Every target sets up its own environment first; nothing is needed but Python 3.11 (or later), pip and make.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
WORKERS ?= 2
CODE := $(wildcard gfx_ir gfx_trace backends tests examples benchmarks coverage notebooks docs)

# Many tests start a Python of their own: each would compile the project anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: env demo test fuzz families snapshots lint format conformance bench zoo gallery coverage sweeps docs clean

env: $(STAMP)

# PyTorch comes first and alone: its version is the one requirement for which pip must not look at anything else.
$(STAMP): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "GFX needs Python 3.11 or later: make PYTHON=python3.11")'
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet torch==2.13.0
	$(PY) -m pip install --quiet -r requirements.lock
	$(PY) -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

demo: $(STAMP)
	$(PY) examples/demo.py

lint: $(STAMP)
	$(PY) -m ruff check $(CODE)
	$(PY) -m ruff format --check $(CODE)
	$(PY) -m mypy --num-workers $(WORKERS)

# The tests of a file run in one process: JAX compiles there once what several of them compute. Files with few tests take no less
# time than others, so they do not come last.
PYTEST := $(PY) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
test: lint
	$(PYTEST)

# N random programs against plain Python, with a table for each grammar: make fuzz N=20000 START=7000 GRAMMAR=programs
N ?= 1000
START ?= 0
GRAMMAR ?= programs aimed ordinary
fuzz: $(STAMP)
	JAX_PLATFORMS=cpu PYTHONPATH=tests/support $(PY) tests/fuzz/fuzz.py $(N) --start $(START) --grammar $(GRAMMAR) --jobs $(WORKERS)

# Each state of Python's, in each way that code uses it, in each place of control flow (3,500 programs), or those whose name has a
# word: make families WORD=heap. Then so of what calls keep for later ones, of constructs, arrays, modules, dtypes, draws, except clauses, special methods, pairs of
# shapes, methods of objects and programs as of libraries (300,000 programs, of which one in so many is run): make families WORD=meshgrid ONE_IN=1
WORD ?=
ONE_IN ?= 20
families: $(STAMP)
	JAX_PLATFORMS=cpu PYTHONPATH=tests/support:tests/fuzz $(PY) tests/fuzz/fuzz_families.py "$(WORD)"
	JAX_PLATFORMS=cpu PYTHONPATH=tests/support:tests/fuzz $(PY) tests/fuzz/fuzz_families_kept.py "$(WORD)" --one-in $(ONE_IN)
	JAX_PLATFORMS=cpu PYTHONPATH=tests/support:tests/fuzz $(PY) tests/fuzz/fuzz_families_constructs.py "$(WORD)" --one-in $(ONE_IN)
	JAX_PLATFORMS=cpu PYTHONPATH=tests/support:tests/fuzz $(PY) tests/fuzz/fuzz_families_arrays.py "$(WORD)" --one-in $(ONE_IN)
	JAX_PLATFORMS=cpu PYTHONPATH=tests/support:tests/fuzz $(PY) tests/fuzz/fuzz_families_modules.py "$(WORD)" --one-in $(ONE_IN)
	JAX_PLATFORMS=cpu PYTHONPATH=tests/support:tests/fuzz $(PY) tests/fuzz/fuzz_families_dtypes.py "$(WORD)" --one-in $(ONE_IN)
	JAX_PLATFORMS=cpu PYTHONPATH=tests/support:tests/fuzz $(PY) tests/fuzz/fuzz_families_draws.py "$(WORD)" --one-in $(ONE_IN)
	JAX_PLATFORMS=cpu PYTHONPATH=tests/support:tests/fuzz $(PY) tests/fuzz/fuzz_families_handlers.py "$(WORD)" --one-in $(ONE_IN)
	JAX_PLATFORMS=cpu PYTHONPATH=tests/support:tests/fuzz $(PY) tests/fuzz/fuzz_families_special.py "$(WORD)" --one-in $(ONE_IN)
	JAX_PLATFORMS=cpu PYTHONPATH=tests/support:tests/fuzz $(PY) tests/fuzz/fuzz_families_pairs.py "$(WORD)" --one-in $(ONE_IN)
	JAX_PLATFORMS=cpu PYTHONPATH=tests/support:tests/fuzz $(PY) tests/fuzz/fuzz_families_methods.py "$(WORD)" --one-in $(ONE_IN)
	JAX_PLATFORMS=cpu PYTHONPATH=tests/support:tests/fuzz $(PY) tests/fuzz/fuzz_families_libraries.py "$(WORD)" --one-in $(ONE_IN)

# The emitted source that tests compare with, written anew: the commit says why it changed.
snapshots: $(STAMP)
	JAX_PLATFORMS=cpu PYTHONPATH=. $(PY) tests/support/snapshot.py

format: $(STAMP)
	$(PY) -m ruff check --fix $(CODE)
	$(PY) -m ruff format $(CODE)

conformance: $(STAMP)
	JAX_PLATFORMS=cpu $(PY) tests/support/conformance_table.py

bench: $(STAMP)
	$(PY) benchmarks/run.py

# Models of transformers, of the examples and of JAX's libraries, each in a process of its own; writes docs/zoo.md. Not a part of make test.
# The libraries go to a folder of their own: what they need besides must not change the versions that the tests run with.
ZOO := $(VENV)/zoo
zoo: $(STAMP) $(ZOO)/.installed
	PYTHONPATH=$(ZOO) $(PY) benchmarks/zoo/run.py $(MODELS)

$(ZOO)/.installed: $(STAMP)
	$(PY) -m pip install --quiet --no-deps --target $(ZOO) flax==0.12.8 equinox==0.13.8 dm-haiku==0.0.17 optax==0.2.8 orbax-checkpoint==0.12.8 \
		jaxtyping==0.3.11 wadler-lindig jmp tabulate absl-py msgpack treescope etils humanize
	touch $@

# Writes docs/gallery.md and the emitted files beside it; a model of a library that is not there is refused.
gallery: $(STAMP) $(ZOO)/.installed
	PYTHONPATH=$(ZOO) JAX_PLATFORMS=cpu $(PY) -m docs.exhibits

coverage: $(STAMP)
	$(PY) coverage/run.py

# Laws over many cases (ops, dtypes, random programs), of which make test tries a share: all of them. make sweeps TESTS=tests/gfx_ir/ops
TESTS ?= tests
sweeps: $(STAMP)
	SWEEPS=all JAX_PLATFORMS=cpu $(PYTEST) $(TESTS)

docs: $(STAMP)
	$(PY) -m docs.build

clean:
	rm -rf $(VENV) demo_output build dist *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis
