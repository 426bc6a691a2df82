"""Speed and size against the peers: ratios of paired runs in one process, pinned to one core.

usage: python benchmarks/run.py [SECTION ...]      figures also go to benchmarks/results.json
"""

import argparse
import importlib
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
SECTIONS = (
    "loading",
    "conversion",
    "models",
    "exported",
    "chains",
    "stages",
    "growth",
    "rows",
    "running",
    "devices",
    "control",
    "patterns",
    "costs",
)
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}


def pin():
    """One core and one thread, for this process and those it starts. Has to come before torch and jax are imported."""
    if hasattr(os, "sched_setaffinity"):  # not on macOS and Windows
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    os.environ.update(ONE_THREAD)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of: {', '.join(SECTIONS)} (default: all)")
    chosen = parser.parse_args().sections or SECTIONS
    unknown = sorted(set(chosen) - set(SECTIONS))
    if unknown:
        parser.error(f"there is no section {', '.join(unknown)}")
    pin()
    sys.path.insert(0, str(HERE.parent / "examples"))
    harness = importlib.import_module("harness")  # these only now: torch and jax read the environment when imported
    report = harness.Report()
    for name in chosen:
        report.section = name
        importlib.import_module(name).measure(report)
        report.show(name)
        report.write(HERE / "results.json")
    return report.summary()


if __name__ == "__main__":
    sys.exit(main())
