"""What follows on a capture, on chains of 1k and 100k ops: emit, verify, infer, save, load are linear, too. So are capture,
emission and explanation of functions of many tests, and of many loops."""

import functools
import linecache
import pathlib
import tempfile

from chains import captured, flat

import gfx_trace as gfx
from gfx_ir.verify import verify

TESTS = (25, 250)
TEXTS = {
    "tests": "    if x.sum() > {k}:\n        x = x * {k}\n",
    "loops": "    while x.sum() < {k}:\n        x = x + {k}\n",
}
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
    for name, text in TEXTS.items():
        written = functools.partial(many, text)
        flat(report, f"{name}: explain", gfx.explain, written, 3, TESTS)
        flat(report, f"{name}: capture", untyped, written, 3, TESTS)
        for target in ("jax", "torch"):
            stage = functools.partial(emitted, target=target)
            flat(report, f"{name}: emit {target}", stage, lambda count, fn=written: untyped(fn(count)), 3, TESTS)


def untyped(fn):
    return gfx.symbolic_trace(fn, backend="torch")


def many(text, count):
    """A function of so many statements, each written by its number."""
    source = "def f(x):\n" + "".join(text.format(k=k) for k in range(count)) + "    return x\n"
    file, names = f"<{count} statements of {len(text)}>", {}
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), names)
    return names["f"]


def emitted(program, target):
    """The source, written anew: a program keeps what it has emitted."""
    return gfx.Program.of(program, program.captured).source(target)
