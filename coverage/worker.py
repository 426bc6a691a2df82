"""A process of a sweep: reads jobs as lines of JSON, writes records as lines of JSON.

It runs alone so that a crash of a framework's compiled code ends this process and not the sweep.
"""

import importlib
import json
import os
import sys
import time
import warnings


def main() -> None:
    """Serve the sweep named by the first argument until the input ends."""
    records = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print goes where errors go
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    warnings.simplefilter("ignore")
    sweep = importlib.import_module(sys.argv[1])
    _single_threaded()
    for line in sys.stdin:
        job = json.loads(line)
        start = time.process_time()
        record = {"names": sweep.names()} if job["name"] is None else sweep.run(job["name"], job["options"])
        records.write(json.dumps({**record, "seconds": round(time.process_time() - start, 2)}) + "\n")


def _single_threaded() -> None:
    import jax
    import torch

    torch.set_num_threads(1)
    jax.config.update("jax_enable_x64", True)


if __name__ == "__main__":
    main()
