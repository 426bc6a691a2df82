"""Runs one conformance case: by the interpreter, as emitted source in its own framework and in another one, by gradient."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re

import jax
import numpy as np
import torch

import gfx_trace.api.program
from gfx_ir.errors import GfxError
from gfx_ir.graph import Value
from gfx_ir.loading import backend
from gfx_ir.param_tree import nest
from gfx_ir.runtime.executor import Executor
from gfx_ir.trees import leaves
from gfx_trace.capture.capture import capture
from places import CONFORMANCE
from stages import stage

# Loops that data alone ends: JAX has a reverse mode for them where their trips are promised.
MAX_TRIPS = {"while_int_promotes_to_float": 8, "for_traced_range": 8}
# Lists whose lengths data decide: the suite expects errors, and they are captured. JAX's source of them runs where data are at hand.
BEYOND = frozenset(("for_append_traced_length", "for_append_under_if", "comprehension_filter"))
WAYS = ("interpreter", "torch", "jax")
OTHER = {"torch": "jax", "numpy": "jax", "jax": "torch"}


def load_cases():
    """The module of cases, or None where the folder is absent."""
    file = CONFORMANCE / "control_flow_cases.py"
    if not file.exists():
        return None
    spec = importlib.util.spec_from_file_location("control_flow_cases", file)
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["control_flow_cases"] = module
    spec.loader.exec_module(module)
    return module


class Harness:
    """Runs cases of one module."""

    def __init__(self, cases) -> None:
        self.cases = cases
        self.convert = cases.to_framework

    def run(self, case) -> None:
        """Raises AssertionError where a case is not met."""
        if case.name in BEYOND:
            program = self.capture(case, case.args[0])
            for at, args in enumerate(case.args):
                self.results(
                    case,
                    program,
                    args,
                    at,
                    ("interpreter",) if case.flavour == "jax" else ("interpreter", case.flavour),
                )
            return
        if case.expect == "error":
            self.error(case)
            return
        programs: dict[int, gfx_trace.api.program.Program] = {}
        for at, args in enumerate(case.args):
            key = 0 if case.expect == "convert" else at
            if key not in programs:
                try:
                    programs[key] = self.capture(case, args)
                except Exception as error:
                    assert at in case.raises and isinstance(error, case.raises[at]), f"arguments {at}: {error!r}"
                    continue
            if case.expect == "convert" and at == 0:
                self.nodes(case, programs[key])
            self.results(case, programs[key], args, at)

    def capture(self, case, args, level: int = 1):
        given = tuple(self.convert(args, case.flavour)) if level else ()
        return gfx_trace.api.program.Program.of(capture(case.fn, given, {}, asked=case.flavour).program)

    def untyped(self, case) -> None:
        """Captured without any argument, the program has the function's results as source of both frameworks."""
        program = self.capture(case, case.args[0], level=0)
        for at, args in enumerate(case.args):
            last = at == len(case.args) - 1
            self.results(case, program, args, at, (case.flavour, OTHER[case.flavour]) if last else (case.flavour,))

    def error(self, case) -> None:
        try:
            self.capture(case, case.args[0])
        except GfxError as error:
            text = str(error)
            missing = [word for word in case.words if not re.search(word, text, re.IGNORECASE)]
            assert not missing, f"{missing} are missing in: {text}"
            assert f"control_flow_cases.py:{case.err_line}" in text, f"line {case.err_line} is missing in: {text}"
            return
        raise AssertionError("no error")

    def nodes(self, case, program) -> None:
        have = {node.op.name for graph in (program.entry, *program.functions.values()) for node in graph.walk()}
        missing = [names for names in case.nodes if not any(name in have for name in names.split("|"))]
        assert not missing, f"the graph lacks {missing}"

    # ------------------------------------------------------------------ results
    def results(self, case, program, args, at: int, ways: tuple[str, ...] = ()) -> None:
        """Each way gives what Python does; where one does not, the error names the stage that it comes from."""
        wanted = self.cases.run_plain(case, args)[0]
        for way in ways or ("interpreter", case.flavour, OTHER[case.flavour]):
            got = self.outcome(case, program, way, args)
            if not self.right(case, wanted, got, way):
                fault = stage(
                    way, WAYS, lambda w: self.right(case, wanted, self.outcome(case, program, w, args), w, True)
                )
                source = program.source(case.flavour if way == "interpreter" else way)
                raise AssertionError(f"{fault}: arguments {at}, {way}: want {wanted!r}, got {got!r}\n{source}")

    def outcome(self, case, program, way: str, args):
        """What a way gives: its result, or its exception."""
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                return self.call(program, way, case.flavour if way == "interpreter" else way, case.fn, args)
            except Exception as error:
                return error

    def right(self, case, wanted, got, way: str, strict: bool = False) -> bool:
        """Whether an outcome is Python's; compiled code cannot raise, so it counts for nothing where that is asked (`strict`)."""
        if isinstance(wanted, Exception):
            return (way == "jax" and not strict) or (isinstance(got, type(wanted)) and str(wanted) in str(got))
        return not isinstance(got, Exception) and self.cases.same(wanted, got, max(case.tol, 1e-5))

    def call(self, program, way: str, target: str, function, args):
        """The result of a program, by the interpreter or as emitted source (JAX under jit)."""
        given = dict(zip([p.name for p in program.signature], args))
        names = [p.name for p in program.signature if any(type(leaf) is Value for leaf in leaves(p.tree))]
        given = {name: self.moved(given[name], target) for name in names if name in given}
        if way == "interpreter":
            found = self.interpreted(program, target, given)
        else:
            extra = (
                (nest({n: self.moved(np.asarray(x), target) for n, x in program.params.items()}),)
                if program.params
                else ()
            )
            fn = program.module(target).load()
            found = self.jitted(fn, extra, given) if target == "jax" else fn(*extra, **given)
        return found[0] if program.writes else found

    def moved(self, x, target: str):
        """NumPy leaves as arrays of a framework."""
        return self.convert(x, target)

    def interpreted(self, program, target: str, given: dict):
        flat: list = []
        for parameter in (p for p in program.signature if not p.fixed):
            pairs = _pairs(parameter.tree, given.get(parameter.name, parameter.default))
            flat += [data for value, data in pairs if type(value) is Value]
        params = {n: self.moved(np.asarray(x), target) for n, x in program.params.items()}
        return Executor(backend(target))(program, flat, params)

    def jitted(self, fn, extra: tuple, given: dict):
        """Under jax.jit; texts, which it cannot return, are put back behind it."""
        held: list = []

        def arrays(*args, **kwargs):
            out = fn(*args, **kwargs)
            flat, tree = jax.tree_util.tree_flatten(out, is_leaf=lambda x: isinstance(x, str))
            held[:] = [(tree, [x if isinstance(x, str) else None for x in flat])]
            return [x for x in flat if not isinstance(x, str)]

        found = iter(jax.jit(arrays)(*extra, **given))
        tree, texts = held[0]
        return jax.tree_util.tree_unflatten(tree, [next(found) if text is None else text for text in texts])

    # ------------------------------------------------------------------ gradients
    def gradients(self, case, max_trips: int | None = None) -> None:
        """torch and JAX output have the gradients of the function."""
        program = self.capture(case, case.args[0])
        for at, args in enumerate(case.args):
            wanted = [np.asarray(g) for g in self.cases.plain_gradients(case, args)]
            for target in ("torch", "jax"):
                got = self.gradient(case, program, target, args, max_trips)
                for want, found in zip(wanted, got):
                    assert np.allclose(want, found, 1e-4, 1e-5), f"arguments {at}, {target}: want {want}, got {found}"

    def gradient(self, case, program, target: str, args, max_trips: int | None) -> list:
        names = [p.name for p in program.signature]
        kept = [p.name for p in program.signature if any(type(leaf) is Value for leaf in leaves(p.tree))]
        given = {n: self.moved(a, target) for n, a in zip(names, args) if n in kept}
        wrt = [names[k] for k in case.grad]
        fn = program.module(target, max_trips=max_trips).load()
        if target == "torch":
            for name in wrt:
                given[name] = given[name].detach().requires_grad_()
            total = sum(x.sum() for x in leaves(fn(**given)) if isinstance(x, torch.Tensor) and x.is_floating_point())
            return [g.numpy() for g in torch.autograd.grad(total, [given[n] for n in wrt])]

        def total_of(*values):
            out = fn(**{**given, **dict(zip(wrt, values))})
            return sum(
                jax.numpy.sum(x)
                for x in jax.tree_util.tree_leaves(out)
                if jax.numpy.issubdtype(jax.numpy.result_type(x), jax.numpy.floating)
            )

        found = jax.jit(jax.grad(total_of, argnums=tuple(range(len(wrt)))))(*(given[n] for n in wrt))
        return [np.asarray(g) for g in found]


def _pairs(tree, data) -> list:
    """(leaf of the tree, what stands in its place) pairs."""
    if isinstance(tree, dict):
        return [pair for key, item in tree.items() for pair in _pairs(item, data[key])]
    if isinstance(tree, (tuple, list)):
        return [pair for item, inner in zip(tree, data) for pair in _pairs(item, inner)]
    return [(tree, data)]
