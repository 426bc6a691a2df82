"""One case in every target: capture, emit, run, compare with what the case's own framework gives."""

import ast
import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import torch

import gfx_trace as gfx
from compare import difference
from gfx_ir.errors import MissingOp
from outcome import CaseTimeout, Outcome, differs, failed, passed

TARGETS = ("torch", "numpy", "jax")

# What jax.jit raises for code whose shapes or branches depend on values.
_NEEDS_VALUES = (
    jax.errors.ConcretizationTypeError,
    jax.errors.NonConcreteBooleanIndexError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerBoolConversionError,
    jax.errors.TracerIntegerConversionError,
)


@dataclasses.dataclass
class Case:
    """A call of a framework: `call(*arrays)` with the framework's arrays.

    `want` is its result. `state` has by path (before, after) what the call may write: arguments ("xs_0", ...) and what belongs
    to a model ("*.running_mean"). `value_dependent` tells whether the shape of the result hangs on values, so that it cannot run
    under jax.jit. `differs(want, got)` says what differs, `after_differs` the same of the state.
    """

    label: str
    source: str
    call: Callable[..., Any]
    arrays: list[Any]
    want: Any
    state: dict[str, tuple[Any, Any]]
    value_dependent: Callable[[], bool]
    differs: Callable[[Any, Any], str | None] = difference
    after_differs: Callable[[Any, Any], str | None] = difference

    def copies(self) -> list[Any]:
        """The arrays once more, for a call that may write them."""
        return [copied(x) for x in self.arrays]


def states(before: list[Any], after: list[Any]) -> dict[str, tuple[Any, Any]]:
    """The state of arguments, by path."""
    return {f"xs_{at}": pair for at, pair in enumerate(zip(before, after))}


def copied(x: Any) -> Any:
    """An array of the same data and strides that shares no memory."""
    return x.clone() if isinstance(x, torch.Tensor) else x.copy()


def to_host(x: Any) -> np.ndarray:
    """A torch, JAX or NumPy array as NumPy."""
    if not isinstance(x, torch.Tensor):
        return np.asarray(x)
    x = x.detach().resolve_conj().resolve_neg()
    return x.float().numpy().astype(ml_dtypes.bfloat16) if x.dtype is torch.bfloat16 else x.numpy()


def moved(x: Any, target: str) -> Any:
    """An array as one of the target's."""
    if target == "torch":
        if isinstance(x, torch.Tensor):
            return x
        host = np.array(x)
        is_bfloat = host.dtype == ml_dtypes.bfloat16
        return torch.from_numpy(host.astype(np.float32)).bfloat16() if is_bfloat else torch.from_numpy(host)
    host = to_host(x)
    return jnp.asarray(host) if target == "jax" else np.array(host)


def attempt(case: Case, targets: tuple[str, ...] = TARGETS) -> tuple[dict[str, Outcome], dict[str, int]]:
    """(outcome by target, number of calls in the emitted function by target)."""
    try:
        program = gfx.symbolic_trace(case.call, *case.copies(), backend=case.source)
    except (Exception, CaseTimeout) as error:
        return dict.fromkeys(targets, failed(error, "capture")), {}
    held = next((node for node in program.entry.walk() if node.op.name == "holder"), None)
    if held is not None:  # what is kept as it is is not covered
        return dict.fromkeys(
            targets, failed(MissingOp(held.arg("why") or f"GFX has no op for {held.arg('target')}"), "capture")
        ), {}
    found = {target: _in_target(case, program, target) for target in targets}
    return {t: outcome for t, (outcome, _) in found.items()}, {t: n for t, (_, n) in found.items() if n is not None}


def _in_target(case: Case, program: gfx.Program, target: str) -> tuple[Outcome, int | None]:
    stage, calls = "emit", None
    try:
        fn = program.to(target)
        calls = calls_in(program.source(target), fn.__name__)
        stage = "run"
        got = _run(case, fn, [moved(x, target) for x in case.copies()], target)
        return _compared(case, program, got), calls
    except (Exception, CaseTimeout) as error:
        return failed(error, stage), calls


def _run(case: Case, fn: Callable[..., Any], arrays: list[Any], target: str) -> Any:
    names = inspect.signature(fn).parameters
    given: dict[str, Any] = {}
    if "key" in names:
        given["key"] = jax.random.key(0) if target == "jax" else np.array([0, 1], dtype=np.uint64)
    if target != "jax":
        return fn(*arrays, **given)
    try:
        return jax.jit(fn)(*arrays, **given)
    except _NEEDS_VALUES:
        if not case.value_dependent():
            raise
    except IndexError as error:  # a slice that ends at a value
        if "static integers" not in str(error) or not case.value_dependent():
            raise
    except TypeError as error:  # a result that is no array, as a dtype
        if "valid JAX type" not in str(error):
            raise
    return fn(*arrays, **given)


def _compared(case: Case, program: gfx.Program, got: Any) -> Outcome:
    state: dict[str, Any] = {}
    if program.writes:
        got, state = got
    what = case.differs(case.want, got)
    if what is not None:
        return differs(what)
    state = {f"*.{path.partition('.')[2]}" if "." in path else path: value for path, value in state.items()}
    for path, (before, after) in case.state.items():
        what = case.after_differs(after, state.get(path, before))
        if what is not None:
            return differs(f"{path} after the call: {what}")
    return passed()


def calls_in(source: str, name: str) -> int:
    """Number of calls written in the function `name` of a source, operators not counted."""
    tree = ast.parse(source)
    entry = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name)
    return sum(isinstance(node, ast.Call) for node in ast.walk(entry))
