"""Losses of pairs, margins and distributions: each is one call of torch.nn.functional."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch.nn.functional as F

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.lifting.ranks import known_alike, least, require_alike
from gfx_ir.op import lookup
from gfx_ir.ops.loss import reduced

from .. import kinds
from ..lifting import floating, kind, known_rank
from ..lifts.activations import order
from ..lifts.losses import settled
from ..lifts.matrices import cdist

_AS_OP = {"input": "x", "input1": "x1", "input2": "x2"}
_LEGACY = ("size_average", "reduce")


def _one_sample(given: dict[str, Any]) -> dict[str, Any]:
    """A sample alone has the classes on its only axis, if it has one; its target may have an axis all the same."""
    x, target = given["input"], given["target"]
    rank = known_rank(x)
    if rank is None or rank > 1 or known_rank(target) not in (0, 1):
        return given
    shape = (-1,) if known_rank(target) == 0 else (1, -1)
    return {**given, "input": x if rank == len(shape) else ops.reshape(x, shape)}


def _some_axis(given: dict[str, Any]) -> dict[str, Any]:
    """Of tensors of no axes, which are one class."""
    if known_rank(given["input"]) != 0:
        return given
    return {**given, **{name: ops.reshape(given[name], (1,)) for name in ("input", "target")}}


def _of_floats(given: dict[str, Any]) -> dict[str, Any]:
    """The mean of whole numbers is none that torch computes."""
    if given["reduction"] == "mean":
        kinds.check("F.hinge_embedding_loss with reduction='mean'", [given["input"]], "f")
    return given


def _of_one_rank(given: dict[str, Any]) -> dict[str, Any]:
    known_alike("F.margin_ranking_loss", *(given[name] for name in ("input1", "input2", "target")), numbers=False)
    return given


def _of_variances(given: dict[str, Any]) -> dict[str, Any]:
    """A variance for each element, or one for each row."""
    x, var = given["input"], given["var"]
    if (known_rank(x) or 0) - (known_rank(var) or 0) == 1 and known_rank(var) is not None:
        var = ops.expand_dims(var, -1)
    known_alike("F.gaussian_nll_loss", x, var, numbers=isinstance(var, float))
    return {**given, "var": var}


_GIVEN = {
    "gaussian_nll_loss": _of_variances,
    "margin_ranking_loss": _of_one_rank,
    "hinge_embedding_loss": _of_floats,
    "multi_margin_loss": _one_sample,
    "multilabel_margin_loss": _some_axis,
}


def _loss(op: str, spelled: str, apply: Callable[..., Any] | None = None) -> Row:
    """The row of a loss that the op and torch call alike, with its options in the same words; `apply`: what is called for the op."""
    return Row(op, f"F.{op}({spelled}, reduction=reduction)", {f"F.{op}": _lift(op, apply or lookup(op))})


def _lift(op: str, apply: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(getattr(F, op))

    def fn(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = dict(bound.arguments)
        if _LEGACY[0] in given:
            given["reduction"] = settled(given["reduction"], *(given.pop(name) for name in _LEGACY))
        given = _GIVEN[op](given) if op in _GIVEN else given
        return apply(**{_AS_OP.get(name, name): value for name, value in given.items()})

    fn.__signature__ = signature  # type: ignore[attr-defined]
    return fn


def _distance(x1: Any, x2: Any, p: Any = 2.0, eps: Any = 1e-6, keepdim: Any = False) -> Any:
    if kind(x1) in ("i", "u") and kind(x2) in ("i", "u"):  # differences of whole numbers, which wrap
        gap = ops.add(floating(ops.subtract(x1, x2)), eps)
        return ops.vector_norm(gap, axis=-1, keepdims=keepdim, ord=order(p))
    return lookup("pairwise_distance")(floating(x1), floating(x2), order(p), eps, keepdim)


def _triplet(**given: Any) -> Any:
    """Of tensors of one rank; the differences of whole numbers wrap."""
    anchor, positive, negative = three = [given[name] for name in ("anchor", "positive", "negative")]
    for x in (positive, negative):
        require_alike("torch.triplet_margin_loss", anchor, x)
    if not any(kind(x) in ("i", "u") for x in three):
        return lookup("triplet_margin_loss")(**given)
    apart = lambda a, b: _distance(a, b, given["p"], given["eps"])
    near, far = apart(anchor, positive), apart(anchor, negative)
    far = ops.minimum(far, apart(positive, negative)) if given["swap"] else far
    return reduced(ops.maximum(ops.add(ops.subtract(near, far), given["margin"]), 0.0), given["reduction"])


def _cosine(x1: Any, x2: Any, dim: Any = 1, eps: Any = 1e-8) -> Any:
    if known_rank(x1) == known_rank(x2) == 0:
        x1, x2, dim = ops.reshape(x1, (1,)), ops.reshape(x2, (1,)), 0
    return ops.cosine_similarity(x1, x2, dim, eps)


ROWS = (
    Row(
        "cosine_similarity",
        "F.cosine_similarity(x1, x2, dim=axis, eps=eps)",
        {"F.cosine_similarity torch.cosine_similarity": _cosine},
    ),
    Row("cdist", "torch.cdist(x1, x2, p=p)", {"torch.cdist": least("torch.cdist", cdist, 2, 2)}),
    Row(
        "pairwise_distance",
        "F.pairwise_distance(x1, x2, p=p, eps=eps, keepdim=keepdims)",
        {"F.pairwise_distance torch.pairwise_distance": _distance},
    ),
    _loss("margin_ranking_loss", "x1, x2, target, margin=margin"),
    _loss("hinge_embedding_loss", "x, target, margin=margin"),
    _loss("soft_margin_loss", "x, target"),
    _loss("multilabel_soft_margin_loss", "x, target, weight=weight"),
    _loss("gaussian_nll_loss", "x, target, var, full=full, eps=eps"),
    _loss("poisson_nll_loss", "x, target, log_input=log_input, full=full, eps=eps"),
    _loss("cosine_embedding_loss", "x1, x2, target, margin=margin"),
    _loss("triplet_margin_loss", "anchor, positive, negative, margin=margin, p=p, eps=eps, swap=swap", _triplet),
    _loss("multilabel_margin_loss", "x, target"),
    _loss("multi_margin_loss", "x, target, p=p, margin=margin, weight=weight"),
)
