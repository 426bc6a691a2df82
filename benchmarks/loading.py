"""Import time, in fresh processes that find compiled bytecode; the time of NumPy, which is a part of it, beside it."""

import os
import subprocess
import sys
import tempfile

PROBE = """
import sys, time
start = time.process_time()
import gfx_trace
took = time.process_time() - start
heavy = [name for name in ("torch", "jax", "scipy", "rich", "typer") if name in sys.modules]
assert not heavy, f"importing gfx_trace imports {heavy}"
print(took)
"""


def measure(report):
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)

        def probe(code):
            done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment)
            return float(done.stdout)

        bare = PROBE.replace("import gfx_trace", "import numpy", 1)
        pairs = [(probe(PROBE), probe(bare)) for _ in range(8)][1:]  # the first compiles
    report.add("import gfx_trace", [a for a, _ in pairs], "s", 0.3, "loads neither torch, jax, scipy, rich nor typer")
    report.add("import numpy, a part of it", [b for _, b in pairs], "s")
