"""The ways to run a captured program: the Program itself, the interpreter of its graph, and its source, run, traced or differentiated.

"shapes" traces the JAX source alone, which finds what JAX refuses, and shapes that differ; "eager" runs it without compiling: both
without the cost of XLA. "jax" is the source under jax.jit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import torch

from fuzz_programs import Settings
from gfx_ir.control import hangs_on_data
from gfx_ir.graph import Value
from gfx_ir.loading import backend
from gfx_ir.op import Trait
from gfx_ir.runtime.executor import Executor
from gfx_ir.trees import leaves, tree_map

NAMES = ("x", "n", "k", "m")
SILENT = ("shapes", "eager", "jax", "jax gradient")  # JAX's code raises nothing that hangs on data
Run = Callable[[dict], Any]


def own(x: Any, how: Settings) -> Any:
    """An argument as the program takes it: what NumPy's code says is an array is one, and a number given as an example is one."""
    if how.flavour == "numpy" and how.level == 0 and isinstance(x, np.generic):
        return np.array(x)
    return moved(x, how.flavour)


def moved(x: Any, target: str) -> Any:
    """A NumPy argument as an array of a framework; for NumPy a number stays one."""
    if not isinstance(x, (np.ndarray, np.generic)):
        return x
    if target == "numpy":
        return x.copy()
    return torch.from_numpy(np.array(x)) if target == "torch" else jax.numpy.asarray(np.array(x))


def framework(way: str, how: Settings) -> str:
    """What a way runs on."""
    if way == "program":
        return how.flavour
    if way == "interpreter":
        return "numpy" if how.flavour == "numpy" else "torch"
    return "torch" if way.startswith("torch") else "jax"


def ready(program: Any, way: str, how: Settings) -> Run:
    """What runs a program on arguments by name. Raises GfxError where its source for the way's target is refused."""
    return WAYS[way](program, how)


def is_open(parameter: Any) -> bool:
    """Whether a call gives data for a parameter."""
    return any(type(leaf) is Value for leaf in leaves(parameter.tree))


def _names(program: Any) -> list[str]:
    return [p.name for p in program.signature if is_open(p)]


def _result(program: Any, out: Any) -> Any:
    return out[0] if program.writes else out


def _program(program: Any, how: Settings) -> Run:
    return lambda args: program(*(own(args[name], how) for name in NAMES if name in args))


def _interpreter(program: Any, how: Settings) -> Run:
    runs_on = framework("interpreter", how)
    executor = Executor(backend(runs_on))
    names = _names(program)

    def run(args: dict) -> Any:
        given = {p.name: moved(args.get(p.name, p.default), runs_on) for p in program.signature}
        program.admission.check(given, backend(runs_on))  # the graph stands for what its guards admit
        return _result(program, executor(program, [given[name] for name in names]))

    return run


def _given(program: Any, args: dict, framework: str) -> dict:
    params = {"params": program.params_for(framework)} if program.params else {}
    return {**params, **{name: moved(args[name], framework) for name in _names(program) if name in args}}


def _torch(program: Any, how: Settings) -> Run:
    fn = program.module("torch").load()
    return lambda args: _result(program, fn(**_given(program, args, "torch")))


def _jitted(program: Any) -> Any:
    module = program.module("jax")
    told = "which jax.jit refuses" in (module.load().__doc__ or "")
    if told or any(map(_gives_a_list, (node for graph in program.graphs for node in graph.walk()))):
        return _AsItIs(module.load())
    return jax.jit(module.load(), static_argnames=module.static_argnames)


def _gives_a_list(node: Any) -> bool:
    """Whether data decides how many items a list has, or their order: JAX source of that is for calls as they are."""
    decided = hangs_on_data(node) or node.op.traits & Trait.ORDERS
    return decided and any(value.kind == "list" for value in node.values)


class _AsItIs:
    """Called like a function under `jax.jit`, and not compiled."""

    def __init__(self, fn: Any) -> None:
        self.fn = fn

    def __call__(self, **args: Any) -> Any:
        return self.fn(**args)

    def eval_shape(self, **args: Any) -> Any:
        return jax.tree.map(np.asarray, self.fn(**args))


def _jax(program: Any, how: Settings) -> Run:
    fn = _jitted(program)
    return lambda args: _result(program, fn(**_given(program, args, "jax")))


def _shapes(program: Any, how: Settings) -> Run:
    fn = _jitted(program)

    def run(args: dict) -> Any:
        traced = fn.eval_shape(**_given(program, args, "jax"))
        return _result(program, jax.tree.map(lambda leaf: np.zeros(leaf.shape), traced))

    return run


def _eager(program: Any, how: Settings) -> Run:
    fn = program.module("jax").load()

    def run(args: dict) -> Any:
        with jax.disable_jit():
            return _result(program, fn(**_given(program, args, "jax")))

    return run


# ---------------------------------------------------------------------- gradients
def gradient(fn: Callable[[Any], Any], x: np.ndarray) -> Any:
    """PyTorch's gradient of the sum of a result's floats by x, and the result; none is zero."""
    given = torch.from_numpy(x.copy()).requires_grad_()
    before = torch.is_grad_enabled()
    try:
        with torch.enable_grad():
            out = fn(given)
    finally:
        torch.set_grad_enabled(before)
    parts = [t.sum() for t in leaves(out) if isinstance(t, torch.Tensor) and t.requires_grad]
    found = torch.autograd.grad(sum(parts), given, allow_unused=True)[0] if parts else None
    return torch.zeros_like(given) if found is None else found, tree_map(_detached, out)


def _detached(leaf: Any) -> Any:
    return leaf.detach() if isinstance(leaf, torch.Tensor) else leaf


def _torch_gradient(program: Any, how: Settings) -> Run:
    fn = program.module("torch").load()

    def run(args: dict) -> Any:
        given = _given(program, args, "torch")
        return gradient(lambda x: _result(program, fn(**{**given, "x": x})), args["x"])

    return run


def jax_gradient(result: Callable[[Any], Any], x: Any) -> Any:
    """JAX's gradient of the same."""

    def total(x: Any) -> Any:
        out = result(x)
        floats = [a for a in jax.tree.leaves(out) if jax.numpy.issubdtype(jax.numpy.result_type(a), jax.numpy.floating)]
        return sum((jax.numpy.sum(a) for a in floats), 0.0 * x.sum()), out

    return jax.grad(total, has_aux=True)(x)


def _jax_gradient(program: Any, how: Settings) -> Run:
    fn = program.module("jax", max_trips=8).load()

    def run(args: dict) -> Any:
        given = _given(program, args, "jax")
        return jax_gradient(lambda x: _result(program, fn(**{**given, "x": x})), given["x"])

    return run


WAYS: dict[str, Callable[[Any, Settings], Run]] = {
    "program": _program,
    "interpreter": _interpreter,
    "torch": _torch,
    "shapes": _shapes,
    "eager": _eager,
    "jax": _jax,
    "torch gradient": _torch_gradient,
    "jax gradient": _jax_gradient,
}
