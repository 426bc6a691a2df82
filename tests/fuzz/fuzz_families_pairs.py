"""Functions of two arrays by pairs of shapes: what the author's framework gives or refuses, against the emitted source, where the
capture knows no shapes, and where it knows them."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import torch

import gfx_trace as gfx
from family_checks import REFUSED, SECONDS, outcome, run_families, same, within
from program_text import define

SHAPES = ((), (0,), (1,), (3,), (1, 3), (3, 1), (2, 3), (2, 1, 3))
TARGETS = {"torch": ("torch", "jax"), "numpy": ("numpy", "torch", "jax"), "jax": ("jax", "torch", "numpy")}
_MAKE: dict[str, Callable[[np.ndarray], Any]] = {
    "torch": lambda x: torch.from_numpy(x.copy()),
    "numpy": np.copy,
    "jax": jnp.asarray,
}
_DATA: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "x": lambda at: np.cos(at * 2 + 1).astype(np.float32),
    "y": lambda at: (np.sin(at * 3) + 2).astype(np.float32),
    "i": lambda at: np.zeros(at.shape, np.int64),
    "m": lambda at: at % 3 != 1,
}
"""What the arrays of these names hold, by the number of each element: floats, others, first positions, a mask."""
_IMPORTS = {
    "torch": "import torch\nfrom torch.nn import functional as F",
    "numpy": "import numpy as np",
    "jax": "import jax\nfrom jax import lax, numpy as jnp",
}


class Pairing(NamedTuple):
    """A call of an array x and another one, whose name tells what it holds, of two shapes."""

    name: str
    text: str
    flavour: str
    second: str
    shapes: tuple[tuple[int, ...], tuple[int, ...]]


CALLS: dict[str, str] = {
    "torch": """
        x + y; x * y; x ** y; x @ y; x < y; torch.dot(x, y); torch.mv(x, y); torch.mm(x, y); torch.bmm(x, y); torch.outer(x, y); torch.inner(x, y);
        torch.kron(x, y); torch.vdot(x, y); torch.cross(x, y, dim=-1); torch.tensordot(x, y, 1); torch.einsum('i,i', x, y);
        torch.einsum('...i,...i->...', x, y); torch.einsum('ij,jk', x, y); torch.cat([x, y]); torch.stack([x, y]); torch.hstack([x, y]);
        torch.vstack([x, y]); torch.dstack([x, y]); torch.column_stack([x, y]); torch.cdist(x, y); torch.dist(x, y); torch.lerp(x, y, 0.5);
        torch.maximum(x, y); torch.fmod(x, y); torch.atan2(x, y); torch.hypot(x, y); torch.where(x > 0, x, y); torch.where(m, x, 0.0);
        torch.equal(x, y); torch.allclose(x, y); torch.isclose(x, y); torch.searchsorted(x, y); torch.bucketize(x, y); torch.isin(x, y);
        torch.gather(x, 0, i); torch.take(x, i); torch.take_along_dim(x, i, 0); torch.index_select(x, 0, i); torch.index_fill(x, 0, i, 2.0);
        torch.index_add(x, 0, i, x); torch.scatter(x, 0, i, 2.0); torch.masked_select(x, m); torch.masked_fill(x, m, 2.0); x[i]; x[m]; x[i, i];
        torch.cartesian_prod(x, y); torch.complex(x, y); torch.addcmul(x, y, y); torch.addcdiv(x, y, y); torch.heaviside(x, y); torch.clamp(x, y);
        torch.clamp(x, max=y); torch.broadcast_to(x, y.shape); x.expand_as(y); x.view_as(y); x.reshape(y.shape); torch.bincount(i);
        torch.meshgrid(x, y, indexing='ij'); torch.repeat_interleave(x, i, 0); torch.repeat_interleave(x, i); torch.polar(x, y);
        torch.logaddexp(x, y); torch.linalg.solve(x, y); torch.linalg.lstsq(x, y).solution; torch.linalg.vecdot(x, y); torch.linalg.cross(x, y);
        torch.linalg.multi_dot([x, y]); F.linear(x, y); F.bilinear(x, x, y[None]); F.cosine_similarity(x, y, dim=-1); F.pairwise_distance(x, y);
        F.mse_loss(x, y); F.l1_loss(x, y, reduction='none'); F.huber_loss(x, y); F.kl_div(x, y); F.binary_cross_entropy_with_logits(x, y);
        F.cross_entropy(x, i); F.nll_loss(x, i); F.cross_entropy(x, y); F.prelu(x, y); F.embedding(i, x); F.conv1d(x, y); F.layer_norm(x, y.shape, y);
        F.batch_norm(x, None, None, y, training=True); F.rms_norm(x, y.shape, y); F.group_norm(x, 1, y); F.scaled_dot_product_attention(x, y, y);
        F.hinge_embedding_loss(x, y); F.soft_margin_loss(x, y); F.poisson_nll_loss(x, y); F.gaussian_nll_loss(x, y, y); F.cosine_embedding_loss(x, y, y);
        F.margin_ranking_loss(x, y, y); F.one_hot(i, 2) + x; torch.cov(x, aweights=y); torch.cov(x, fweights=i); torch.renorm(x, 2, 0, 1.0) + y;
        torch.addmm(x, y, y.T); torch.addmv(x, y, y[0]); torch.addr(x, y, y); torch.baddbmm(x, y, y); F.glu(x) + y; torch.quantile(x, y / 4)
    """,
    "numpy": """
        x + y; x * y; x ** y; x @ y; x < y; np.dot(x, y); np.vdot(x, y); np.inner(x, y); np.outer(x, y); np.matmul(x, y); np.kron(x, y); np.cross(x, y);
        np.tensordot(x, y, 1); np.einsum('i,i', x, y); np.einsum('...i,...i->...', x, y); np.einsum('ij,jk', x, y); np.concatenate([x, y]);
        np.stack([x, y]); np.hstack([x, y]); np.vstack([x, y]); np.dstack([x, y]); np.column_stack([x, y]); np.append(x, y); np.append(x, y, 0);
        np.insert(x, 0, y); np.insert(x, 0, y, 0); np.maximum(x, y); np.fmod(x, y); np.arctan2(x, y); np.hypot(x, y); np.where(x > 0, x, y);
        np.where(m, x, 0.0); np.array_equal(x, y); np.allclose(x, y); np.isclose(x, y); np.searchsorted(x, y); np.digitize(x, y); np.isin(x, y);
        np.intersect1d(x, y); np.union1d(x, y); np.setdiff1d(x, y); np.take(x, i); np.take(x, i, 0); np.take_along_axis(x, i, 0); np.compress(m, x);
        np.compress(m, x, 0); np.extract(m, x); x[i]; x[m]; x[i, i]; x[np.ix_(i)]; np.delete(x, i); np.select([m], [x]);
        np.heaviside(x, y); np.clip(x, y, None); np.broadcast_to(x, y.shape); np.reshape(x, y.shape); np.resize(x, y.shape); np.bincount(i, x);
        np.meshgrid(x, y); np.repeat(x, i, 0); np.repeat(x, i); np.logaddexp(x, y); np.linalg.solve(x, y); np.linalg.vecdot(x, y);
        np.vecmat(x, y); np.matvec(x, y); np.average(x, weights=y); np.average(x, axis=0, weights=y); np.average(x, axis=-1, weights=y);
        np.sum(x, where=m); np.max(x, initial=0, where=m); np.prod(x, axis=0, where=m); np.interp(x, y, y); np.polyval(x, y); np.convolve(x, y);
        np.correlate(x, y); np.histogram(x, 2, weights=y)[0]; np.histogram(x, y)[0]; np.cov(x, y); np.cov(x, aweights=y); np.corrcoef(x, y);
        np.quantile(x, y / 4); np.percentile(x, y); np.gradient(x, y); np.diff(x, prepend=y); np.ediff1d(x, y); np.copysign(x, y); np.nextafter(x, y);
        np.atleast_2d(x, y); np.broadcast_arrays(x, y); np.lexsort((x, y)); np.tile(x, i); np.roll(x, i); np.polyfit(x, y, 1); np.put_along_axis(x, i, 2.0, 0)
    """,
    "jax": """
        x + y; x * y; x ** y; x @ y; x < y; jnp.dot(x, y); jnp.vdot(x, y); jnp.inner(x, y); jnp.outer(x, y); jnp.matmul(x, y); jnp.kron(x, y);
        jnp.cross(x, y); jnp.tensordot(x, y, 1); jnp.einsum('i,i', x, y); jnp.einsum('...i,...i->...', x, y); jnp.concatenate([x, y]);
        jnp.stack([x, y]); jnp.hstack([x, y]); jnp.vstack([x, y]); jnp.dstack([x, y]); jnp.column_stack([x, y]); jnp.append(x, y); jnp.append(x, y, 0);
        jnp.maximum(x, y); jnp.fmod(x, y); jnp.arctan2(x, y); jnp.where(x > 0, x, y); jnp.where(m, x, 0.0); jnp.array_equal(x, y); jnp.allclose(x, y);
        jnp.searchsorted(x, y); jnp.digitize(x, y); jnp.isin(x, y); jnp.take(x, i); jnp.take(x, i, 0); jnp.take_along_axis(x, i, 0); x[i]; x[i, i];
        jnp.heaviside(x, y); jnp.clip(x, y); jnp.broadcast_to(x, y.shape); jnp.reshape(x, y.shape); jnp.meshgrid(x, y);
        jnp.logaddexp(x, y); jnp.linalg.solve(x, y); jnp.linalg.vecdot(x, y); jnp.average(x, weights=y); jnp.average(x, axis=0, weights=y);
        jnp.sum(x, where=m); jnp.max(x, initial=0, where=m); jnp.interp(x, y, y); jnp.polyval(x, y); jnp.convolve(x, y); jnp.correlate(x, y);
        jnp.histogram(x, 2, weights=y)[0]; jnp.cov(x, y); jnp.corrcoef(x, y); jnp.quantile(x, y / 4); jnp.diff(x, prepend=y); jnp.ediff1d(x, y);
        jnp.copysign(x, y); jnp.broadcast_arrays(x, y); jnp.lexsort((x, y)); jnp.roll(x, i); jnp.bincount(i, x, length=3); jnp.select([m], [x]);
        x.at[i].set(2.0); x.at[i].add(1.0); x.at[0].set(y); x.at[m].set(0.0); lax.add(x, y); lax.select(m, x, x);
        lax.concatenate([x, y], 0); lax.dynamic_update_slice_in_dim(x, y, 0, 0); lax.broadcast(x, y.shape); lax.reshape(x, y.shape); lax.dot(x, y);
        lax.atan2(x, y); lax.max(x, y); lax.clamp(x, y, y); lax.pad(x, y, ((0, 0, 0),)); jax.nn.one_hot(i, 2); jax.nn.softmax(x, where=m, initial=0);
        jax.nn.logsumexp(x, b=y); jax.scipy.special.logsumexp(x, axis=0, b=y); jax.scipy.linalg.solve_triangular(x, y); jax.nn.dot_product_attention(x, y, y)
    """,
}  # fmt: skip
"""Calls of x and of y, i or m."""


def pairs(flavour: str) -> Iterator[Pairing]:
    """Each call, of each two shapes."""
    for call, shapes in itertools.product(CALLS[flavour].split(";"), itertools.product(SHAPES, SHAPES)):
        call = " ".join(call.split())
        second = next((name for name in "yim" if _takes(call, name)), "y")
        yield Pairing(
            f"{call} of {shapes}",
            f"{_IMPORTS[flavour]}\n\ndef f(x, {second}):\n    return {call}\n",
            flavour,
            second,
            shapes,
        )


def _takes(call: str, name: str) -> bool:
    return name in {node for node in compile(call, "call", "eval").co_names}


def _array(name: str, shape: tuple[int, ...], flavour: str) -> Any:
    return _MAKE[flavour](np.asarray(_DATA[name](np.arange(np.prod(shape, dtype=int)).reshape(shape))))


@functools.lru_cache(maxsize=8)
def _open(text: str, flavour: str) -> Any:
    """The source of a call for each target, of a capture without types; None: it is refused."""
    return _sources(lambda: gfx.symbolic_trace(define(text, "<pairs>"), backend=flavour), flavour)


def _sources(capture: Callable[[], Any], flavour: str) -> dict[str, Callable[..., Any]]:
    try:
        program = capture()
    except gfx.GfxError:
        return {}
    found = {}
    for target in TARGETS[flavour]:
        try:
            found[target] = program.to(target)
        except gfx.GfxError:
            continue
    return found


@within(SECONDS)
def judged_pair(pair: Pairing) -> str:
    """What came of it: "equal", "refused", "raises", where another framework's source does, or what is wrong: also an answer where the
    author's framework has none."""
    given = lambda flavour: [_array(n, shape, flavour) for n, shape in zip(("x", pair.second), pair.shapes)]
    f = define(pair.text, "<pairs>")
    want = outcome(lambda: f(*given(pair.flavour)))
    try:
        ways = {
            "open": _open(pair.text, pair.flavour),
            "typed": _sources(lambda: gfx.symbolic_trace(f, *given(pair.flavour)), pair.flavour),
        }
    except Exception as error:
        return "skipped" if _raises(want) else f"crash: {type(error).__name__}: {error}"
    kinds = {"refused" if not any(ways.values()) else "equal"}
    for way, target in ((way, target) for way, runs in ways.items() for target in runs):
        got = outcome(lambda: ways[way][target](*given(target)))
        if _raises(got) and not _raises(want):
            kinds.add("raises")
        elif got == REFUSED or (
            _raises(want) and (_raises(got) or (pair.second == "i" and "jax" in (target, pair.flavour)))
        ):
            continue
        elif _raises(want) or not same(want, got, target == pair.flavour):
            return f"{'lenient' if _raises(want) else 'wrong'}: {way} {target}: {want}, got {got}"
    return "raises" if "raises" in kinds else kinds.pop()


def _raises(found: Any) -> bool:
    return isinstance(found, str) and found.startswith("raises ")


FAMILIES = {flavour: functools.partial(pairs, flavour) for flavour in CALLS}


if __name__ == "__main__":
    raise SystemExit(run_families(FAMILIES, (), __doc__, judged_pair))
