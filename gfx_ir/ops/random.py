"""Random numbers, each draw from a key of its own: equal keys give equal numbers, and no generator hides anywhere.

What the numbers are is the framework's own affair; shapes, dtypes and distributions are the op's.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .. import dtypes
from ..build import rank_of
from ..defaults import own
from ..dtypes import DType
from ..op import Trait
from ..rules import OPEN
from ..types import LogicalTensor
from . import _costs
from ._catalogue import ops
from ._row import composite, op
from ._shapes import as_type, broadcast, free, shape_arg, size_arg, takes_open

FAMILY = "random"


def _drawn(kind: str, parameters: tuple[str, ...] = ()) -> Any:
    """Infer rule of a draw of `shape`; the parameters of the distribution broadcast to it."""

    @takes_open
    def infer(args: SimpleNamespace, rules: str) -> LogicalTensor:
        dims = shape_arg(args.shape)
        around = [as_type(getattr(args, name), rules).dims for name in parameters]
        broadcast(dims, *around, what="the parameters of a draw")
        given = getattr(args, "dtype", None)
        if given is None:
            return LogicalTensor(dtypes.default(kind, rules), dims)
        return LogicalTensor(given if isinstance(given, DType) else None, dims)

    return infer


@takes_open
def _key(args: SimpleNamespace, rules: str) -> Any:
    return OPEN


@takes_open
def _keys(args: SimpleNamespace, rules: str) -> Any:
    return (OPEN,) * args.count


op(FAMILY, "make_key(seed)", "make_key(seed)", infer=_key, kinds=("key",), compute=free)
op(
    FAMILY,
    "split_key(key, count=2)",
    lambda a: "split_key(key)" if a.count == 2 else f"split_key(key, count){'[0]' if a.count == 1 else ''}",
    infer=_keys,
    kinds=lambda args: ("key",) * args.count,
    compute=free,
    doc="New keys in place of one.",
)
op(
    FAMILY,
    "fold_in(key, data)",
    "fold_in(key, data)",
    infer=_key,
    kinds=("key",),
    compute=free,
    doc="The key that a key and a whole number make together.",
)
op(
    FAMILY,
    "uniform(key, shape, low=0.0, high=1.0, dtype=None, device=None)",
    "uniform(key, shape, low=low, high=high, dtype=dtype)",
    own={"dtype": own("numpy")},
    infer=_drawn("f", ("low", "high")),
    compute=_costs.draws,
    doc="Uniform on [low, high).",
)
op(
    FAMILY,
    "normal(key, shape, mean=0.0, std=1.0, dtype=None, device=None)",
    "normal(key, shape, mean=mean, std=std, dtype=dtype)",
    own={"dtype": own("numpy")},
    infer=_drawn("f", ("mean", "std")),
    compute=_costs.draws,
    doc="Normal with this mean and standard deviation.",
)
op(
    FAMILY,
    "bernoulli(key, p, shape, device=None)",
    "bernoulli(key, p, shape)",
    infer=_drawn("b", ("p",)),
    compute=_costs.draws,
    traits=Trait.CHECKS,
    doc="True with probability p.",
)
op(
    FAMILY,
    "randint(key, shape, low, high, dtype=None, device=None)",
    "randint(key, shape, low, high, dtype=dtype)",
    infer=_drawn("i", ("low", "high")),
    compute=_costs.draws,
    doc="Whole numbers from low to high - 1, each as likely.",
)


op(
    FAMILY,
    "permutation(key, count)",
    "permutation(key, count)",
    infer=takes_open(lambda args, rules: LogicalTensor(dtypes.default("i", rules), (size_arg(args.count),))),
    compute=_costs.draws,
    doc="The whole numbers below `count` in an order of chance.",
)
op(
    FAMILY,
    "gamma(key, a, shape, dtype=None, log=False, device=None)",
    "gamma(key, a, shape, dtype=dtype, log=log)",
    own={"dtype": own("numpy")},
    infer=_drawn("f", ("a",)),
    compute=_costs.draws,
    doc="Of the gamma distribution of shape a and scale 1; `log`: their logarithms, which small a need.",
)
op(
    FAMILY,
    "poisson(key, rate, shape, dtype=None, device=None)",
    "poisson(key, rate, shape, dtype=dtype)",
    infer=_drawn("i", ("rate",)),
    compute=_costs.draws,
    traits=Trait.CHECKS,
    doc="How many events of this rate happen.",
)
op(
    FAMILY,
    "binomial(key, n, p, shape, dtype=None, device=None)",
    "binomial(key, n, p, shape, dtype=dtype)",
    infer=_drawn("f", ("n", "p")),
    compute=_costs.draws,
    traits=Trait.CHECKS,
    doc="How many of n trials succeed, each with probability p; as floats, unless told.",
)


@composite(FAMILY, traits=Trait.CHECKS)
def multinomial(key: Any, p: Any, count: Any, replacement: bool = False) -> Any:
    """Positions along the last axis, drawn with chances in proportion to p: those of the largest log(p) + Gumbel noise."""
    sizes = [ops.size(p, at) for at in range(rank_of(p, "multinomial"))]
    chances = ops.log(ops.astype(p, dtypes.float32))
    if replacement:
        chances = ops.expand_dims(chances, -2)
        sizes.insert(-1, count)
    noise = ops.uniform(key, tuple(sizes), dtype=dtypes.float32)
    scores = ops.subtract(chances, ops.log(ops.negative(ops.log(noise))))
    if replacement:
        return ops.argmax(scores, axis=-1)
    return ops.getitem(ops.argsort(scores, descending=True), (..., slice(None, count)))
