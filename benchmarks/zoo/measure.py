"""Measure: one model of the zoo."""

import ast
import contextlib
import dataclasses
import importlib.util
import linecache
import os
import statistics
import sys
import sysconfig
import time
import warnings
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "docs" / "gallery")]
warnings.filterwarnings("ignore")

import jax  # noqa: E402 - the paths come first
import jax.numpy as jnp  # noqa: E402
import libraries  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
from cases import JaxModel  # noqa: E402

import examples  # noqa: E402
import gfx_trace as gfx  # noqa: E402
from gfx_ir.param_tree import flatten  # noqa: E402
from gfx_trace.api.differences import flat  # noqa: E402

SEEN, UNSEEN, ROUNDS = (2, 7), ((3, 11), (1, 20)), 7
FRAMEWORKS = ("torch", "jax", "numpy")
STANDARD = sysconfig.get_path("stdlib")


def cases():
    """All of them by name; examples first."""

    found = examples.CASES | libraries.CASES
    if importlib.util.find_spec("transformers") is not None:
        import families

        found |= families.CASES
    return found


# ---------------------------------------------------------------------- lines
def code_lines(source):
    """Lines of code: without blank ones, imports, comments and docstrings."""
    tree, skipped = ast.parse(source), set()
    for node in ast.walk(tree):
        told = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        if told or isinstance(node, (ast.Import, ast.ImportFrom)):
            skipped.update(range(node.lineno, node.end_lineno + 1))
    lines = enumerate(source.splitlines(), 1)
    return sum(bool(text.strip()) and not text.lstrip().startswith("#") and at not in skipped for at, text in lines)


def lines_that_run(fn):
    """Lines of the author's code that run in a call: those of the functions that it enters outside of the frameworks' own."""
    seen = set()

    def watch(frame, event, arg):
        path = frame.f_code.co_filename
        if "<" in path or path.startswith(STANDARD) or any(f"{os.sep}{name}{os.sep}" in path for name in FRAMEWORKS):
            return None
        if event in ("call", "line"):
            seen.add((path, frame.f_lineno))
        return watch

    sys.settrace(watch)
    try:
        fn()
    finally:
        sys.settrace(None)
    return sum(bool(linecache.getline(*place).strip()) for place in seen)


# ---------------------------------------------------------------------- numbers
def host(tree):
    """The arrays of a result, in order."""
    return [
        np.asarray(x.detach() if isinstance(x, torch.Tensor) else x) for x in flat(tree).values() if hasattr(x, "shape")
    ]


def apart(wanted, found):
    """The largest difference, relative to the largest magnitude of each array (at least 1)."""
    if [x.shape for x in wanted] != [x.shape for x in found]:
        raise ValueError(f"results of shapes {[x.shape for x in wanted]}, and of {[x.shape for x in found]}")
    worst = 0.0
    for a, b in zip(wanted, found):
        if a.size and a.dtype.kind in "fc":
            a, b = a.astype(np.float64), b.astype(np.float64)
            at = np.isfinite(a) & (np.abs(a) < 1e30)
            if (np.isfinite(a) != np.isfinite(b)).any():
                return float("inf")
            worst = max(
                worst,
                float(np.max(np.abs(a - b), where=at, initial=0) / max(1, np.max(np.abs(a), where=at, initial=0))),
            )
        elif not np.array_equal(a, b):
            return float("inf")
    return worst


def seconds(fn):
    """The median of a few calls, after one that may compile."""
    fn()
    found = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        fn()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def loss(tree, sin, total):
    """A number that hangs on every float of a result."""
    floats = [x for x in flat(tree).values() if hasattr(x, "dtype") and "float" in str(x.dtype)]
    return total([sin(x).sum() for x in floats])


# ---------------------------------------------------------------------- both directions
@dataclasses.dataclass
class Row:
    """What the table shows of a model."""

    name: str
    library: str
    captured: str = "no"
    nodes: int = 0
    lines: int = 0
    original: int = 0
    error: float | None = None
    gradient: float | None = None
    seconds: float = 0.0
    ratio: float | None = None
    torchax: float | None = None
    reason: str = ""


def opened(inputs):
    """The types of the arguments of a model of JAX's, with those sizes open that hang on batch and length."""

    def spec(seen, new):
        sizes = enumerate(zip(seen.shape, new.shape))
        dims = [gfx.Dim("BT"[axis], min=1) if a != b else a for axis, (a, b) in sizes]
        return gfx.TensorSpec(tuple(dims), str(seen.dtype).removeprefix("torch."))

    seen, new = inputs(*SEEN), inputs(*UNSEEN[0])
    return [spec(a, b) for a, b in zip(seen, new)]


def captured(row, target, options, args, kwargs, to):
    for backend in ("torch", "jax"):  # frameworks and rows are loaded
        gfx.symbolic_trace(lambda x: x + 1, backend=backend)
    start = time.perf_counter()
    program = gfx.symbolic_trace(target, *args, kwargs=kwargs, **options)
    row.seconds, row.captured = time.perf_counter() - start, "yes"
    row.nodes = sum(1 for graph in program.graphs for _ in graph.walk())
    made = gfx.transpile(program, to=to)
    row.lines = code_lines(made.source)
    return made


def of_torch(row, model, case):
    """A model of PyTorch's, written for JAX."""
    inputs = case.inputs
    seen = inputs(*SEEN)
    with torch.no_grad():
        made = captured(row, model, {"dynamic": case.types is None}, (), case.types or seen, "jax")
        row.original = lines_that_run(lambda: model(**seen))
        sizes = [inputs(*size) for size in UNSEEN]
        given = [{name: jnp.asarray(x.numpy()) for name, x in new.items()} for new in sizes]
        row.error = max(apart(host(model(**new)), host(made(**x))) for new, x in zip(sizes, given))
        theirs = seconds(lambda: model(**sizes[0]))
    row.ratio = seconds(lambda: jax.block_until_ready(made(**given[0]))) / theirs
    if importlib.util.find_spec("torchax") is not None:
        import torchax

        params, fn = torchax.extract_jax(model)
        compiled = jax.jit(fn)
        row.torchax = row.ratio * theirs / seconds(lambda: jax.block_until_ready(compiled(params, (), given[0])))
    loss(model(**sizes[0]), torch.sin, sum).backward()
    wanted = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    own = lambda params: loss(made.fn(params, **given[0]), jnp.sin, sum)
    found = flatten(jax.jit(jax.grad(own, allow_int=True))(made.params))
    row.gradient = apart([wanted[name].numpy() for name in wanted], [np.asarray(found[name]) for name in wanted])


def of_jax(row, model, case):
    """A model of one of JAX's libraries, written for PyTorch."""
    inputs = case.inputs
    seen = inputs(*SEEN)
    made = captured(row, model.target, model.options, opened(inputs), None, "torch")
    row.original = lines_that_run(lambda: model.call(model.params, *seen))
    sizes = [inputs(*size) for size in UNSEEN]
    given = [[torch.from_numpy(np.array(x)) for x in new] for new in sizes]
    module = made.module()
    wanted = [model.call(model.params, *new) for new in sizes]
    row.error = max(apart(host(want), host(module(*x))) for want, x in zip(wanted, given))
    compiled = jax.jit(model.call)
    with torch.no_grad():
        ours = seconds(lambda: module(*given[0]))
    row.ratio = ours / seconds(lambda: jax.block_until_ready(compiled(model.params, *sizes[0])))
    loss(module(*given[0]), torch.sin, sum).backward()
    found = [p.grad.numpy() for _, p in module.named_parameters() if p.grad is not None]
    own = lambda params: loss(model.call(params, *sizes[0]), jnp.sin, sum)
    grads = [
        np.asarray(x)
        for x in jax.tree.leaves(jax.grad(own, allow_int=True)(model.params))
        if x.dtype != jax.dtypes.float0
    ]
    order = lambda x: (x.shape, float(np.abs(x).sum()))
    row.gradient = apart(sorted(grads, key=order), sorted(found, key=order))


def measured(name):
    """The row of a model; where something fails, the reason."""
    case = cases()[name]
    row = Row(name, case.library)
    try:
        torch.manual_seed(0)
        model = case.make()
        (of_jax if isinstance(model, JaxModel) else of_torch)(row, model, case)
    except Exception as error:  # whatever any step of a model raises is a line of the table
        row.reason = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
    return row


def report(name, queue):
    """Put the row of a model on a queue, as a dictionary."""
    torch.set_num_threads(1)
    with contextlib.redirect_stdout(sys.stderr):
        queue.put(dataclasses.asdict(measured(name)))
