"""A process of a sweep: reads jobs as lines of JSON, writes records as lines of JSON.

It runs alone so that a crash of a framework's compiled code ends this process and not the sweep.
"""

import importlib
import json
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

# Compiling takes most of a sweep's time: little optimisation, and compiled code is kept for the next sweep.
_JAX = {
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_backend_optimization_level=0",
    "JAX_COMPILATION_CACHE_DIR": str(Path(__file__).resolve().parent.parent / "build" / "coverage" / "compiled"),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
}


def main() -> None:
    """Serve the sweep named by the first argument until the input ends."""
    records = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print goes where errors go
    os.environ.update(_JAX)
    warnings.simplefilter("ignore")
    sweep = importlib.import_module(sys.argv[1])
    _single_threaded()
    for line in sys.stdin:
        job = json.loads(line)
        start = time.process_time()
        record = {"names": sweep.names()} if job["name"] is None else _record(sweep, job)
        records.write(json.dumps({**record, "seconds": round(time.process_time() - start, 2)}) + "\n")


def _record(sweep: Any, job: dict[str, Any]) -> dict[str, Any]:
    """What the sweep finds of a name; an error in its inputs is told like a crash of the process."""
    try:
        return sweep.run(job["name"], job["options"])
    except Exception as error:
        return {"name": job["name"], "died": f"inputs: {type(error).__name__}: {str(error)[:200]}"}


def _single_threaded() -> None:
    import jax
    import torch

    torch.set_num_threads(1)
    jax.config.update("jax_enable_x64", True)


if __name__ == "__main__":
    main()
