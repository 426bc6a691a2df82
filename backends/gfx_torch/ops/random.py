"""Random numbers from a torch.Generator."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import build, ops
from gfx_ir.backend import Row
from gfx_ir.defaults import own
from gfx_ir.graph import Value

from .. import kinds
from ..lifting import INT64, default_dtype, dtype_like, is_number, names, place, shape_of, sizes
from ..lifts import drawing
from ..lifts.drawing import key_of
from ._spell import sized, spread
from .create import shape_given


def _is_tensor(x: Any) -> bool:
    return type(x) is Value and x.is_tensor


def _uniform(args: SimpleNamespace) -> str:
    draw = spread("torch.rand(*shape, generator=key, dtype=dtype, device=device)", "shape")(args)
    if _is(args.low, 0):
        return draw if _is(args.high, 1) else f"high * {draw}"
    return f"low + (high - low) * {draw}"


def _normal(args: SimpleNamespace) -> str:
    draw = spread("torch.randn(*shape, generator=key, dtype=dtype, device=device)", "shape")(args)
    scaled = draw if _is(args.std, 1) else f"std * {draw}"
    return scaled if _is(args.mean, 0) else f"mean + {scaled}"


def _is(x: Any, number: int) -> bool:
    return isinstance(x, (int, float)) and x == number


def _spread(name: str) -> str:
    return f"torch.broadcast_to(torch.as_tensor({name}, dtype=torch.float32, device=device), shape)"


def _poisson_spelling(args: SimpleNamespace) -> str:
    return f"torch.poisson({_spread('rate')}, generator=key).to({'torch.int64' if args.dtype is None else 'dtype'})"


def _binomial_spelling(args: SimpleNamespace) -> str:
    drawn = f"torch.binomial({_spread('n')}, {_spread('p')}, generator=key)"
    return drawn if args.dtype is None else f"{drawn}.to(dtype)"


def _fold_spelling(args: SimpleNamespace) -> str:
    """A generator of its own, where whole numbers tell which: none of them, that it is a copy."""
    if type(args.data) is not tuple:
        return "key"
    return "derived(key, *data)" if args.data else "key.clone_state()"


# ---------------------------------------------------------------- lifts
def _randperm(n: Any, *, generator: Any = None, dtype: Any = None, device: Any = None) -> Any:
    order = ops.permutation(key_of(generator), n)
    return order if dtype in (None, INT64) else ops.astype(order, dtype)


def _poisson(input: Any, generator: Any = None) -> Any:
    like = _of(input)
    return ops.poisson(key_of(generator), input, shape_of(input), **like)


def _binomial(count: Any, prob: Any, generator: Any = None) -> Any:
    like = _of(count)
    return ops.binomial(key_of(generator), count, prob, shape_of(ops.add(count, prob)), **like)


def _rand(*size: Any, generator: Any = None, dtype: Any = None, device: Any = None, **named: Any) -> Any:
    shape = shape_given(size, named)
    return ops.uniform(key_of(generator), shape, dtype=dtype or default_dtype(), device=place(device))


def _randn(*size: Any, generator: Any = None, dtype: Any = None, device: Any = None, **named: Any) -> Any:
    shape = shape_given(size, named)
    return ops.normal(key_of(generator), shape, dtype=dtype or default_dtype(), device=place(device))


def _of(input: Any, dtype: Any = None, device: Any = None) -> dict[str, Any]:
    """Numbers as a tensor is, unless told."""
    placed = ops.device_of(input) if device is None else place(device)
    return {"dtype": dtype_like(input) if dtype is None else dtype, "device": placed}


def _rand_like(input: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return ops.uniform(build.next_key(), shape_of(input), **_of(input, dtype, device))


def _randn_like(input: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return ops.normal(build.next_key(), shape_of(input), **_of(input, dtype, device))


def _randint(*args: Any, generator: Any = None, dtype: Any = None, device: Any = None, **named: Any) -> Any:
    """torch.randint(high, size), torch.randint(low, high, size)."""
    given = dict(
        zip(("high", "size") if len(args) + len({"high", "size"} & set(named)) == 2 else ("low", "high", "size"), args)
    )
    given.update(named)
    bounds = given.get("low", 0), given["high"]
    key, shape = key_of(generator), sizes((given["size"],))
    return ops.randint(key, shape, *bounds, dtype=dtype or INT64, device=place(device))


def _bernoulli(input: Any, p: Any = None, *, generator: Any = None) -> Any:
    if p is None:
        kinds.check("torch.bernoulli", [input], "f")
    like = _of(input)
    drawn = ops.bernoulli(key_of(generator), input if p is None else p, shape_of(input), device=like["device"])
    return ops.astype(drawn, like["dtype"])


def _torch_normal(
    mean: Any, std: Any = 1.0, size: Any = None, *, generator: Any = None, dtype: Any = None, device: Any = None
) -> Any:
    key = key_of(generator)
    if size is not None:
        return ops.normal(key, sizes((size,)), mean, std, dtype=dtype or default_dtype(), device=place(device))
    like = std if is_number(mean) else mean
    return ops.add(mean, ops.multiply(ops.normal(key, shape_of(like), **_of(like)), std))


def _normal_(input: Any, mean: Any = 0.0, std: Any = 1.0, *, generator: Any = None) -> Any:
    return ops.normal(key_of(generator), shape_of(input), mean, std, **_of(input))


def _bernoulli_(input: Any, p: Any = 0.5, *, generator: Any = None) -> Any:
    like = _of(input)
    drawn = ops.bernoulli(key_of(generator), p, shape_of(input), device=like["device"])
    return ops.astype(drawn, like["dtype"])


ROWS = (
    Row("split_key", lambda a: "key" if a.count == 1 else "(key,) * count"),
    Row("fold_in", _fold_spelling),
    Row(
        "permutation",
        "torch.randperm(count, generator=key)",
        {"torch.randperm": _randperm},
    ),
    Row("gamma", "draw_gamma(a, shape, key, dtype, log=log, device=device)"),
    Row("poisson", _poisson_spelling, {"torch.poisson": _poisson}),
    Row("binomial", _binomial_spelling, {"torch.binomial": _binomial}),
    Row("make_key", lambda a: f"torch.Generator().manual_seed({'int(seed)' if _is_tensor(a.seed) else 'seed'})"),
    Row(
        "uniform",
        _uniform,
        {"torch.rand": _rand, "torch.rand_like": _rand_like},
        own={"dtype": own("torch")},
    ),
    Row(
        "normal",
        _normal,
        {
            "torch.randn": _randn,
            "torch.randn_like": _randn_like,
            "torch.normal": _torch_normal,
            "Tensor.normal_": _normal_,
        },
        own={"dtype": own("torch")},
    ),
    Row(
        "bernoulli",
        "torch.rand(shape, generator=key, device=device) < p",
        {"torch.bernoulli Tensor.bernoulli": _bernoulli, "Tensor.bernoulli_": _bernoulli_},
    ),
    Row(
        "randint",
        sized("torch.randint(low, high, shape, generator=key, dtype=dtype, device=device)"),
        {"torch.randint": _randint},
        own={"dtype": INT64},
    ),
    Row(
        "multinomial",
        "torch.multinomial(p, count, replacement, generator=key)",
        {names("multinomial"): drawing.multinomial},
    ),
)
