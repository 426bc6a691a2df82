"""What follows on a capture, on chains of 1k and 100k ops: emit, verify, infer, save, load are linear, too."""

import pathlib
import tempfile

from chains import captured, flat

import gfx_trace as gfx
from gfx_ir.verify import verify

SPEC = gfx.TensorSpec(("B", 3), "float32")


def measure(report):
    with tempfile.TemporaryDirectory() as folder:
        paths = {}

        def saved(count):
            paths[count] = pathlib.Path(folder, f"{count}.json")
            captured(count).save(paths[count])
            return paths[count]

        flat(report, "verify", verify, captured)
        flat(report, "infer", lambda program: program.infer(), lambda count: captured(count).bind(x=SPEC), 3)
        flat(report, "save", lambda program: program.save(pathlib.Path(folder, "chain.json")), captured, 3)
        flat(report, "load", gfx.load, saved, 3)
        flat(report, "text", str, captured, 3)
        for target in ("jax", "torch", "numpy"):
            flat(report, f"emit {target}", lambda program, to=target: emitted(program, to), captured, 1)


def emitted(program, target):
    """The source, written anew: a program keeps what it has emitted."""
    return gfx.Program.of(program, program.captured).source(target)
