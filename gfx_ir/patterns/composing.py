"""Compose: ops that bodies, or authors, wrote out become the one op again."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ..errors import ArgumentError
from ..graph import Graph, Value
from ..op import OpDef, lookup
from ..ops._catalogue import ops
from ..program import Program
from ..types import LogicalTensor
from . import forms
from .finding import Match, Pattern
from .rewriting import rewrite
from .ways import anything


@dataclass(frozen=True)
class Rule:
    """What becomes the op: `function` is what is looked for, with some arguments `given`; `made` takes its place, where
    `when` holds. `near`: it gives the same but for rounding."""

    function: Callable[..., Any]
    made: Callable[..., Any]
    when: Callable[[Match], bool]
    given: tuple[tuple[str, Any], ...] = ()
    near: bool = False

    def pattern(self) -> Pattern:
        """The function as a pattern; made once."""
        return _pattern(self)


@functools.cache
def _pattern(rule: Rule) -> Pattern:
    return Pattern(rule.function, **dict(rule.given))


# ---------------------------------------------------------------------- what the ops take
def dims_of(x: Any) -> tuple | None:
    """The sizes of a tensor's axes, as far as they are known; None where their number is not, or it is no tensor."""
    return x.type.dims if type(x) is Value and x.is_tensor and isinstance(x.type, LogicalTensor) else None


def _tensors(match: Match, names: str) -> bool:
    """Whether arguments of these names (the first of them surely) may be tensors, and all others are none."""
    found = [name for name, arg in match.arguments.items() if type(arg) is Value and arg.is_tensor]
    allowed = names.split()
    return allowed[0] in found and set(found) <= set(allowed)


def only(names: str) -> Callable[[Match], bool]:
    """A test that tensors stand for these arguments alone."""
    return lambda match: _tensors(match, names)


def _whole_numbers(tensors: str, *names: str) -> Callable[[Match], bool]:
    """The same, and whole numbers stand for some others: one axis, not several."""
    return lambda match: _tensors(match, tensors) and all(type(match[name]) is int for name in names)


def _with_vectors(tensors: str, vectors: str) -> Callable[[Match], bool]:
    """The same, and some of them, where there are any, have one axis."""

    def test(match: Match) -> bool:
        given = [match.arguments.get(name) for name in vectors.split()]
        return _tensors(match, f"{tensors} {vectors}") and all(x is None or len(dims_of(x) or ()) == 1 for x in given)

    return test


def _affine(count: int) -> Callable[[Match], bool]:
    """The same for a normalisation over the last axes: weight and bias have just these."""

    def test(match: Match) -> bool:
        last = (dims_of(match["x"]) or ())[-count:]
        given = [match.arguments.get(name) for name in ("weight", "bias")]
        return _tensors(match, "x weight bias") and all(
            x is None or (len(last) == count and None not in last and dims_of(x) == last) for x in given
        )

    return test


def _attends(match: Match) -> bool:
    """Stacks of matrices of the same sizes."""
    found = [dims_of(match[name]) for name in "qkv"]
    stacks = {dims[:-2] for dims in found if dims is not None and len(dims) > 2}
    same = None not in found and len(stacks) == 1 and all(None not in stack for stack in stacks)
    mask = match.arguments.get("mask")
    fits = mask is None or (dims_of(mask) is not None and len(dims_of(mask) or ()) <= len(found[0] or ()))
    return same and fits and _tensors(match, "q k v mask")


# ---------------------------------------------------------------------- what takes the place
def sizes(x: Value, count: int) -> tuple:
    """The sizes of the last axes: numbers where they are known, else asked of x."""
    dims = dims_of(x)
    known = (None,) * count if dims is None else dims[-count:]
    return tuple([size if type(size) is int else ops.size(x, at - count) for at, size in enumerate(known)])


def _layer_norm(count: int) -> Callable[..., Any]:
    def made(x: Any, weight: Any, bias: Any, eps: Any) -> Any:
        return ops.layer_norm(x, sizes(x, count), weight, bias, eps)

    return made


def _rms_norm(count: int) -> Callable[..., Any]:
    def made(x: Any, weight: Any, eps: Any) -> Any:
        return ops.rms_norm(x, sizes(x, count), weight, eps)

    return made


def _divided(q: Any, k: Any, v: Any, scale: Any) -> Any:
    return ops.scaled_dot_product_attention(q, k, v, scale=1 / scale)


def _attention(q: Any, k: Any, v: Any, scale: Any) -> Any:
    return ops.scaled_dot_product_attention(q, k, v, scale=scale)


def _whole(name: str, when: Callable[[Match], bool]) -> Rule:
    """The op's own body."""
    op: OpDef = lookup(name)
    return Rule(op, op, when)


def _over_axes(name: str, made: Callable[[int], Callable[..., Any]]) -> list[Rule]:
    """The body of a normalisation over one, two or three axes."""
    op: OpDef = lookup(name)
    axes = [("normalized_shape", tuple([anything() for _ in range(count)])) for count in (1, 2, 3)]
    return [Rule(op, made(count), _affine(count), (given,)) for count, given in enumerate(axes, 1)]


@functools.cache
def rules() -> dict[str, tuple[Rule, ...]]:
    """The ops that can be composed, each after those that its own forms are written with; for each what becomes it."""
    near = functools.partial(Rule, near=True)
    x, along = only("x"), _whole_numbers("x", "axis")
    return {
        "relu": (Rule(forms.above_zero, lookup("relu"), x),),
        "gelu": (
            _whole("gelu", x),
            near(forms.gelu_by_erf, lookup("gelu"), x),
            near(forms.gelu_by_tanh, lambda x: ops.gelu(x, approximate="tanh"), x),
        ),
        "silu": (_whole("silu", x),),
        "softplus": (_whole("softplus", x),),
        "mish": (_whole("mish", x),),
        "elu": (_whole("elu", x),),
        "leaky_relu": (_whole("leaky_relu", x),),
        "logsigmoid": (_whole("logsigmoid", x),),
        "log_softmax": (_whole("log_softmax", along), Rule(forms.log_softmax_of_one, lookup("log_softmax"), along)),
        "softmax": (
            _whole("softmax", along),
            Rule(forms.softmax_of_one, lookup("softmax"), along),
            near(forms.softmax_still, lookup("softmax"), along),
        ),
        "layer_norm": (
            *_over_axes("layer_norm", _layer_norm),
            near(forms.layer_norm_by_hand, _layer_norm(1), _affine(1)),
        ),
        "rms_norm": (*_over_axes("rms_norm", _rms_norm), near(forms.rms_norm_by_hand, _rms_norm(1), _affine(1))),
        "group_norm": (_whole("group_norm", _with_vectors("x", "weight bias")),),
        "batch_norm": (_whole("batch_norm", _with_vectors("x", "mean var weight bias")),),
        "scaled_dot_product_attention": (
            _whole("scaled_dot_product_attention", _attends),
            near(forms.attention_by_hand, _attention, _attends),
            near(forms.attention_divided, _divided, _attends),
        ),
        "conv": (Rule(forms.biased, lookup("conv"), _with_vectors("x weight", "bias")),),
    }


def compose(target: Graph | Program, names: Iterable[str] | None = None, *, near: bool = False, promotion: str = "torch") -> int:  # fmt: skip
    """Put ops (by name; None: all that can be) in the place of what they are made of, in place; how many there were.

    What an op stands for then is its own body on these arguments, node for node; with `near` also what authors write by
    hand and what differs from the body in rounding alone. Raises ArgumentError for an op that cannot be composed.
    """
    table = rules()
    wanted = set(table) if names is None else set(names)
    unknown = sorted(wanted - set(table))
    if unknown:
        raise ArgumentError(f"{unknown[0]!r} cannot be composed", hint=f"there are: {', '.join(table)}")
    count = 0
    for name in table:
        for rule in table[name] if name in wanted else ():
            if near or not rule.near:
                count += rewrite(target, rule.pattern(), rule.made, when=rule.when, promotion=promotion)
    return count
