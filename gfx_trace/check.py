"""Check: the original and what was made of it on the same inputs, output by output."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from gfx_ir.backend import backend
from gfx_ir.errors import GfxError

from .flavour import loaded_frameworks
from .params import mapped, moved, to_host
from .program import Program
from .transpiled import Transpiled


@dataclass(frozen=True)
class Difference:
    """One output: its path, shape, dtypes, and how far the two are apart (`max_rel` relative to the largest magnitude)."""

    path: str
    shape: tuple[int, ...]
    dtypes: tuple[str, str]
    max_abs: float
    max_rel: float
    equal: bool


@dataclass(frozen=True)
class Report:
    """What `gfx.check` found."""

    target: str
    tolerance: float
    outputs: tuple[Difference, ...]

    @property
    def ok(self) -> bool:
        """Whether every output is within the tolerance."""
        return all(d.equal for d in self.outputs)

    def __str__(self) -> str:
        lines = [f"{'equal' if self.ok else 'DIFFERENT'} on {self.target} (tolerance {self.tolerance:g})"]
        lines += [
            f"  {d.path or 'result'}: shape {d.shape}, {d.dtypes[0]} / {d.dtypes[1]}, max abs {d.max_abs:.3g}, max rel {d.max_rel:.3g}"
            + ("" if d.equal else "   <-- differs")
            for d in self.outputs
        ]
        return "\n".join(lines)


def check(subject: Program | Transpiled, *args: Any, tolerance: float = 1e-4, to: str = "jax", **kwargs: Any) -> Report:
    """Run the original and the transpiled function on the same inputs; compare output by output.

    `args` are the original's own. An output is equal where the largest difference is within `tolerance` times its largest
    magnitude (at least 1), and NaN stands where NaN stood. Raises GfxError where the program was loaded from a file and has no original.
    """
    if not isinstance(subject, Transpiled):
        program = subject if isinstance(subject, Program) else getattr(subject, "program", subject)
        subject = Transpiled(program, to, {})
    captured = subject.program.captured
    if captured is None:
        raise GfxError(
            "this program was read from a file: there is no original to compare with",
            hint="check what symbolic_trace gives",
        )
    original_args, original_kwargs = mapped(_copied, list(args)), mapped(_copied, kwargs)
    expected = captured.target(*original_args, **original_kwargs)
    owner = backend(subject.target)
    kept = subject.program._admit(_owner_of(args, subject.program), args, kwargs)
    got = subject(**mapped(lambda leaf: moved(leaf, owner), kept))
    want, have = _flat(expected), _flat(got)
    if list(want) != list(have):
        want = {str(at): item for at, item in enumerate(want.values())}
        have = {str(at): item for at, item in enumerate(have.values())}
    if len(want) != len(have):
        raise GfxError(f"the original gives {len(want)} outputs, the transpiled function {len(have)}")
    return Report(subject.target, tolerance, tuple(_compare(str(k), want[k], have[k], tolerance) for k in want))


def _owner_of(args: Any, program: Program) -> Any:
    return program._framework(list(args))


def _copied(leaf: Any) -> Any:
    if any(b.is_tensor(leaf) for b in loaded_frameworks()):
        return leaf.clone() if hasattr(leaf, "clone") else copy.copy(leaf)
    return leaf


def _flat(tree: Any, prefix: str = "") -> dict[str, Any]:
    if hasattr(tree, "items"):
        pairs = [(str(k), v) for k, v in tree.items()]
    elif isinstance(tree, (tuple, list)):
        pairs = [(str(k), v) for k, v in enumerate(tree)]
    elif hasattr(tree, "__dataclass_fields__"):
        pairs = [(k, getattr(tree, k)) for k in tree.__dataclass_fields__]
    else:
        return {} if tree is None else {prefix: tree}
    return {k: v for key, item in pairs for k, v in _flat(item, f"{prefix}.{key}" if prefix else key).items()}


def _compare(path: str, want: Any, have: Any, tolerance: float) -> Difference:
    a, b = np.asarray(to_host(want)), np.asarray(to_host(have))
    dtypes = (str(a.dtype), str(b.dtype))
    if a.shape != b.shape:
        return Difference(path, a.shape, dtypes, float("inf"), float("inf"), False)
    wide = np.complex128 if "complex" in dtypes[0] + dtypes[1] else np.float64
    a, b = a.astype(wide), b.astype(wide)
    both = np.isnan(a) & np.isnan(b) | (a == b)
    with np.errstate(invalid="ignore"):
        gap = np.where(both, 0, np.abs(a - b))
    furthest = float(np.max(gap, initial=0.0)) if not np.isnan(gap).any() else float("inf")
    finite = np.abs(a[np.isfinite(a)])
    scale = max(float(np.max(finite, initial=0.0)), 1e-30)
    return Difference(path, a.shape, dtypes, furthest, furthest / scale, furthest <= tolerance * max(scale, 1.0))
