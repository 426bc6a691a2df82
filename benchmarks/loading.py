"""Import time, in fresh processes; the time of bare Python with NumPy beside it."""

import subprocess
import sys

PROBE = """
import sys, time
start = time.perf_counter()
import gfx_trace
took = time.perf_counter() - start
heavy = [name for name in ("torch", "jax", "scipy", "rich", "typer") if name in sys.modules]
assert not heavy, f"importing gfx_trace imports {heavy}"
print(took)
"""


def probe(code):
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def measure(report):
    pairs = [(probe(PROBE), probe(PROBE.replace("import gfx_trace", "import numpy", 1))) for _ in range(6)][1:]
    report.add("import gfx_trace", [a for a, _ in pairs], "s", 0.3, "loads neither torch, jax, scipy, rich nor typer")
    report.add("import numpy, a part of it", [b for _, b in pairs], "s")
