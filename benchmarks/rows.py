"""Functions of many statements of one kind, from few to many, stage by stage: time a statement is the same."""

import functools
import linecache
import pathlib
import tempfile

import torch
from harness import paired, seconds

import gfx_trace as gfx
from gfx_ir.verify import verify
from stages import emitted

LIMIT = 1.5
X = torch.ones(3)
GIVEN = {"typed": (X,), "open": ()}
SPEC = gfx.TensorSpec((3,), "float32")


def row(lines, begin="", end="    return x\n"):
    """A text of so many statements, each with its number."""
    return lambda count: begin + "".join(lines.format(k=k) for k in range(count)) + end


def nested(count):
    """Tests within tests."""
    lines = (f"{'    ' * (k + 1)}if x.sum() > {k}:\n{'    ' * (k + 2)}x = x * {k + 1}\n" for k in range(count))
    return "".join(lines) + "    return x\n"


def carried(count):
    """A loop that carries so many tensors."""
    begin = "".join(f"    a{k} = x * {k}\n" for k in range(count)) + "    while x.sum() < 10:\n        x = x + 1\n"
    body = "".join(f"        a{k} = a{k} + x\n" for k in range(count))
    return f"{begin}{body}    return x + {' + '.join(f'a{k}' for k in range(count))}\n"


KINDS = {
    "tests": (row("    if x.sum() > {k}:\n        x = x * {k}\n"), 25, 1000),
    "tests within tests": (nested, 5, 18),  # Python reads no more than 20 levels of loops, 100 of indentation
    "loops": (row("    while x.sum() < {k}:\n        x = x + {k}\n"), 25, 250),
    "carried tensors": (carried, 20, 320),
    "m = m & m": (row("    m = m & m\n", "    m = x > 0\n", "    return m\n"), 50, 200),
    "early returns": (row("    if x.sum() > {k}:\n        return x * {k}\n"), 25, 400),
}


def function(kind, text, count):
    """The function of such a text."""
    source = f"def f(x):\n{text(count)}"
    file, names = f"<{count} {kind}>", {}
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), names)
    return names["f"]


def captured(f, given):
    return gfx.symbolic_trace(f, *given, backend="torch")


def stages(folder, given):
    """What is timed, of a function, of the program that was captured of it, and of that with a typed argument."""
    return {
        "explain": lambda f, program, bound: gfx.explain(f),
        "capture": lambda f, program, bound: captured(f, given),
        "torch source": lambda f, program, bound: emitted(program, "torch"),
        "jax source": lambda f, program, bound: emitted(program, "jax"),
        "infer": lambda f, program, bound: bound.infer(),
        "verify": lambda f, program, bound: verify(program),
        "save": lambda f, program, bound: program.save(folder / "saved.json"),
    }


def measure(report):
    with tempfile.TemporaryDirectory() as folder:
        for level, given in GIVEN.items():
            for kind, (text, few, many) in KINDS.items():
                made = []
                for count in (few, many):
                    f = function(kind, text, count)
                    program = captured(f, given)
                    made.append((f, program, program if given else program.bind(x=SPEC)))
                for name, work in stages(pathlib.Path(folder), given).items():
                    works = [functools.partial(work, *each) for each in made]
                    grows(report, f"{kind}, {level}: {name}", works, few, many)


def grows(report, name, works, few, many):
    """Time a statement at the larger count against the smaller: 1 is linear."""
    repeat = max(1, many // few // 5)

    def often():
        for _ in range(repeat):
            works[0]()

    often()
    pairs = [(a / many, b / (repeat * few)) for a, b in paired(works[1], often, 3)]
    detail = " : ".join(seconds(sorted(times)[len(times) // 2]) for times in zip(*pairs))
    report.add(f"{name}: one of {many} / of {few}", [a / b for a, b in pairs], "x", LIMIT, detail, noisy=True)
