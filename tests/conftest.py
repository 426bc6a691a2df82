"""Settings that every test shares: quiet, offline, one thread a worker, repeatable, little to collect for the garbage collector."""

import functools
import gc
import hashlib
import os
import random
import sys

# Read by the frameworks when they are imported, so set before any test module is.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_ENABLE_COMPILATION_CACHE", "false")  # on disk, to which JAX would name each program
os.environ.setdefault("GFX_DEBUG", "1")  # a test that fails shows every frame
# Nearly all programs of the tests are compiled for one call: what XLA's optimizer takes longer than it saves is left out.
os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true --xla_cpu_use_fusion_emitters=false"
    " --xla_cpu_parallel_codegen_split_count=1",
)
if os.environ.get("PYTEST_XDIST_WORKER"):
    os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

from places import CONFORMANCE

settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")

_SEED = int(os.environ.get("SEED", "0"))
"""Another one shows the tests that hang on the numbers they draw."""


def _seed():
    """Random numbers are those of a test or a module, whatever ran in the process before it."""
    random.seed(_SEED)
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed(_SEED)
    if (torch := sys.modules.get("torch")) is not None:
        torch.manual_seed(_SEED)


def pytest_collectstart(collector):
    if isinstance(collector, pytest.Module):
        _seed()


@pytest.fixture(autouse=True)
def _seeded():
    _seed()


gc.disable()  # until all tests are collected: what imports make is no garbage
gc.set_threshold(20_000, 20, 20)  # frameworks do much of their own at each of its rounds

_MODULES = 20
"""After so many modules JAX forgets what it compiled: by then most of it is of no more use, and takes gigabytes."""
_FEW = 5
"""After so many the garbage is collected, and what is left set apart."""


def pytest_collection_finish(session):
    """What imports made stays: the garbage collector need not look at it again after every few tests."""
    _share_contexts()
    gc.enable()
    gc.collect()
    gc.freeze()


def pytest_runtest_teardown(item, nextitem):
    """So does what the tests of a module made and left, which is what the frameworks remember of it."""
    if nextitem is None or nextitem.module is item.module:
        return
    seen = item.config.stash.setdefault(_SEEN, [])
    seen.append(item.module.__name__)
    _share_contexts()  # of a JAX that was imported since the collection
    if (shared := sys.modules.get(_LOWERING)) is not None:
        shared.make_ir_context.cache_clear()
    if len(seen) % _MODULES == 0 and "jax" in sys.modules:
        sys.modules["jax"].clear_caches()
    if len(seen) % _FEW == 0:
        gc.collect()
        gc.freeze()


_SEEN = pytest.StashKey[list[str]]()


def _share_contexts():
    """The programs that a module's tests compile are lowered in one MLIR context: JAX makes one for each, a quarter of the time of
    compiling a small one. And what XLA compiled serves every program of the same text: a third of them had been there before."""
    lowering, compiler = sys.modules.get(_LOWERING), sys.modules.get(_COMPILER)
    if lowering is not None and not hasattr(lowering.make_ir_context, "cache_clear"):
        lowering.make_ir_context = functools.cache(lowering.make_ir_context)
        compiler.backend_compile_and_load = _compiled_once(compiler.backend_compile_and_load)
        frames = sys.modules["jax._src.traceback_util"]  # which asks the disk whose each frame of an error is
        frames.include_filename = functools.cache(frames.include_filename)


_LOWERING, _COMPILER = "jax._src.interpreters.mlir", "jax._src.compiler"


def _compiled_once(compile):
    known = {}

    def compiled(backend, module, devices, options, callbacks):
        if callbacks:  # the program's own
            return compile(backend, module, devices, options, callbacks)
        text = str(module).split(" ", 2)[2]  # all but its name
        key = backend, tuple(devices), options.SerializeAsString(), hashlib.sha256(text.encode()).digest()
        if key not in known:
            known[key] = compile(backend, module, devices, options, callbacks)
        return known[key]

    return compiled


def pytest_terminal_summary(terminalreporter):
    """Tests that are skipped for the want of their cases are no tests that pass."""
    if not CONFORMANCE.exists():
        terminalreporter.write_line(f"the conformance cases were not run: there is no {CONFORMANCE}", red=True)


@pytest.fixture
def wide():
    """JAX with 64-bit numbers: all frameworks compute in float64."""
    import jax

    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)
