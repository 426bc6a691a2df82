"""Check: the original and what was made of it on the same inputs, output by output."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gfx_ir.errors import GfxError
from gfx_ir.loading import backend
from gfx_ir.probing import is_module

from .flavour import loaded_frameworks
from .journal import READ
from .params import mapped, moved, to_host
from .program import Program
from .transpiled import Transpiled

_TOLERANCES = {"float64": 1e-6, "complex128": 1e-6, "float32": 1e-4, "complex64": 1e-4, "float16": 1e-2}
_NARROW = 5e-2  # bfloat16, and what is narrower
_ABSENT = object()


@dataclass(frozen=True)
class Difference:
    """One output: its path, its shapes and dtypes (original, transpiled; None where one has no such output), how far the
    two are apart (`max_rel`: relative to the largest magnitude of the original), and in what they differ ("": in nothing)."""

    path: str
    shapes: tuple[tuple[int, ...] | None, tuple[int, ...] | None]
    dtypes: tuple[str | None, str | None]
    max_abs: float
    max_rel: float
    reason: str

    @property
    def equal(self) -> bool:
        """Whether the two agree."""
        return not self.reason

    def __str__(self) -> str:
        shape = _either(self.shapes)
        text = f"{self.path or 'result'}: shape {shape}, {_either(self.dtypes)}"
        if shape == str(self.shapes[0]):
            text += f", max abs {self.max_abs:.3g}, max rel {self.max_rel:.3g}"
        return text + (f"   <-- {self.reason}" if self.reason else "")


@dataclass(frozen=True)
class Report:
    """What `gfx.check` found: the outputs, and what the program writes (`state`). `tolerance` None: that of each dtype."""

    target: str
    tolerance: float | None
    outputs: tuple[Difference, ...]
    state: tuple[Difference, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether all agree."""
        return all(d.equal for d in (*self.outputs, *self.state))

    def __str__(self) -> str:
        how = "of each dtype" if self.tolerance is None else f"{self.tolerance:g}"
        lines = [f"{'equal' if self.ok else 'DIFFERENT'} on {self.target} (tolerance {how})"]
        lines += [f"  {d}" for d in self.outputs] + [f"  writes {d}" for d in self.state]
        return "\n".join(lines)


def check(subject: Any, *args: Any, tolerance: float | None = None, to: str = "jax", **kwargs: Any) -> Report:
    """Run the original and the transpiled function on the same inputs; compare output by output, and what both write.

    `subject` is a Program or a traced function, which is transpiled `to` a framework, or a Transpiled; `args` are the
    original's own. An output is equal where shapes and dtypes are (64-bit types may be 32-bit ones where the framework
    is set so), NaN stands where NaN stood, integers are the same, and the largest difference is within `tolerance`
    times the largest magnitude (at least 1); the tolerance of a dtype is 1e-6 for float64, 1e-4 for float32, 1e-2 for
    float16 and 5e-2 for bfloat16. A model that writes its state is run as a copy, and keeps the state that it has.

    Raises GfxError for a program that was read from a file, which has no original, and for one that draws random
    numbers; GuardError where the capture does not stand for the inputs.
    """
    subject = _transpiled(subject, to)
    program = subject.program
    owner = backend(subject.target)
    _, given, _ = program.admit(args, kwargs)
    got = _run(subject, mapped(lambda leaf: moved(leaf, owner), given))
    memo: dict[int, Any] = {}
    target = _copy_of(program, memo)
    own_args, own_kwargs = mapped(_copied, list(args)), mapped(_copied, kwargs)
    expected = target(*own_args, **own_kwargs)
    outputs = _compare_all(_flat(expected), _flat(got[0]), owner, tolerance)
    written = _written(program, target, memo, program.binding.bind(own_args, own_kwargs)[0])
    return Report(subject.target, tolerance, outputs, _compare_all(written, got[1], owner, tolerance))


def _transpiled(subject: Any, to: str) -> Transpiled:
    found = subject if isinstance(subject, Transpiled) else getattr(subject, "program", subject)
    if not isinstance(found, Transpiled):
        if not isinstance(found, Program):
            hint = "gfx.check(gfx.transpile(target, to=...), *args)"
            raise GfxError(f"gfx.check takes what GFX captured, not a {type(subject).__name__}", hint=hint)
        found = Transpiled(found, to, {})
    program = found.program
    if program.captured is None:
        hint = "check what symbolic_trace gives"
        raise GfxError("this program was read from a file: there is no original to compare with", hint=hint)
    if any(value.kind == "key" for value in program.entry.placeholders):
        hint = "capture a model after .eval(), or compare means of many calls"
        raise GfxError(
            f"{program.entry.name!r} draws random numbers, and two frameworks draw different ones", hint=hint
        )
    return found


def _copy_of(program: Program, memo: dict[int, Any]) -> Any:
    """The original; where it writes its state a copy of it."""
    target = program.captured.target  # type: ignore[union-attr]  # has been asked for
    if not program.writes:
        return target
    try:
        return copy.deepcopy(target, memo)
    except Exception as error:
        hint = "check it where it was just made; state that still has a gradient's history cannot be copied"
        raise GfxError(f"{program.entry.name!r} writes its state, and cannot be copied: {error}", hint=hint) from error


def _run(subject: Transpiled, given: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """(result, what it writes); nothing is written."""
    terms = subject.emitted.terms
    assert terms is not None
    leading = {terms.leading: subject.params} if terms.leading else {}
    out = terms.binding.call(subject.jitted, {**leading, **given})
    return out if subject.program.writes else (out, {})


def _written(program: Program, target: Any, memo: Mapping[int, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What the original has left where the program writes. `memo`: the copies that were made of the original's parts."""
    if not program.writes or program.captured is None:
        return {}
    arguments = dict(program.admission.arrays(given))
    found = {}
    for path in program.writes:
        write = program.captured.slots.get(path)
        if write is not None and write.slot is not None:
            slot = write.slot
            found[path] = READ[slot.kind](memo.get(id(slot.object), slot.object), slot.key)
        elif path in program.params:
            held = program.params[path]
            replaced = _attribute(target, path) if is_module(target) else None
            found[path] = memo.get(id(held), held) if replaced is None else replaced
        else:
            found[path] = arguments[path]
    return found


def _attribute(module: Any, path: str) -> Any:
    for part in path.split("."):
        module = getattr(module, part, None)
    return module


def _copied(leaf: Any) -> Any:
    if any(b.is_tensor(leaf) for b in loaded_frameworks()):
        return leaf.clone() if hasattr(leaf, "clone") else copy.copy(leaf)
    return leaf


def _flat(tree: Any, prefix: str = "") -> dict[str, Any]:
    if isinstance(tree, Mapping):
        pairs = [(str(k), v) for k, v in tree.items()]
    elif isinstance(tree, (tuple, list)):
        pairs = [(str(k), v) for k, v in enumerate(tree)]
    elif hasattr(tree, "__dataclass_fields__"):
        pairs = [(k, getattr(tree, k)) for k in tree.__dataclass_fields__]
    else:
        return {} if tree is None else {prefix: tree}
    return {k: v for key, item in pairs for k, v in _flat(item, f"{prefix}.{key}" if prefix else key).items()}


# ---------------------------------------------------------------------- one output
def _compare_all(
    want: Mapping[str, Any], have: Mapping[str, Any], owner: Any, tolerance: float | None
) -> tuple[Difference, ...]:
    paths = dict.fromkeys([*want, *have])
    return tuple(_compare(path, want.get(path, _ABSENT), have.get(path, _ABSENT), owner, tolerance) for path in paths)


def _compare(path: str, want: Any, have: Any, owner: Any, tolerance: float | None) -> Difference:
    a, b = _array(want), _array(have)
    shapes = (None if a is None else a.shape, None if b is None else b.shape)
    dtypes = (None if a is None else str(a.dtype), None if b is None else str(b.dtype))
    far = float("inf")
    if a is None or b is None:
        reason = "the transpiled function has no such output" if b is None else "the original has no such output"
        return Difference(path, shapes, dtypes, far, far, reason)
    if a.shape != b.shape:
        return Difference(path, shapes, dtypes, far, far, "shapes differ")
    if a.dtype.kind in "USO" or b.dtype.kind in "USO":  # texts and other plain objects
        return Difference(path, shapes, dtypes, 0.0, 0.0, "" if want == have else "values differ")
    furthest, scale = _distance(a, b)
    if not _dtypes_agree(want, a, b, owner):
        return Difference(path, shapes, dtypes, furthest, furthest / scale, "dtypes differ")
    exact = tolerance is None and a.dtype.kind in "bui"
    if tolerance is None:
        tolerance = 0.0 if exact else max(_TOLERANCES.get(name, _NARROW) for name in map(str, (a.dtype, b.dtype)))
    reason = "" if furthest <= tolerance * max(scale, 1.0) else "values differ"
    return Difference(path, shapes, dtypes, furthest, furthest / scale, reason)


def _array(x: Any) -> Any:
    return None if x is _ABSENT else np.asarray(to_host(x))


def _dtypes_agree(want: Any, a: np.ndarray, b: np.ndarray, owner: Any) -> bool:
    """Whether the result has the dtype of the original, as far as the framework has it; a Python number is of its kind only."""
    if a.dtype == b.dtype:
        return True
    if isinstance(want, (bool, int, float, complex)):
        return a.dtype.kind == b.dtype.kind
    return owner.to_host(owner.from_host(np.zeros((), a.dtype))).dtype == b.dtype


def _distance(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """(the largest difference, the largest magnitude of a): infinite where NaN stands on one side only."""
    wide = np.complex128 if "c" in a.dtype.kind + b.dtype.kind else np.float64
    same = a == b
    a, b = a.astype(wide), b.astype(wide)
    with np.errstate(invalid="ignore"):
        gap = np.where(same | (np.isnan(a) & np.isnan(b)), 0, np.abs(a - b))
    furthest = float(np.max(gap, initial=0.0)) if not np.isnan(gap).any() else float("inf")
    return furthest, max(float(np.max(np.abs(a[np.isfinite(a)]), initial=0.0)), 1e-30)


def _either(pair: tuple[Any, Any]) -> str:
    return str(pair[0]) if pair[0] == pair[1] else f"{pair[0]} / {pair[1]}"
