"""Random numbers from a torch.Generator."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import build, ops
from gfx_ir.backend import Row
from gfx_ir.defaults import own

from ..lifting import INT64, default_dtype, dtype_like, is_number, place, refuse, shape_of, sizes
from ._spell import spread


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


# ---------------------------------------------------------------- lifts
def _no_generator(generator: Any) -> Any:
    """A key for one draw. A generator of one's own has a state that is not the program's."""
    if generator is not None:
        refuse(
            "a torch.Generator made inside the captured code has no counterpart",
            "leave generator= out: the emitted code takes one",
        )
    return build.next_key()


def _rand(*size: Any, generator: Any = None, dtype: Any = None, device: Any = None, **named: Any) -> Any:
    shape = _shape(size, named)
    return ops.uniform(_no_generator(generator), shape, dtype=dtype or default_dtype(), device=place(device))


def _randn(*size: Any, generator: Any = None, dtype: Any = None, device: Any = None, **named: Any) -> Any:
    shape = _shape(size, named)
    return ops.normal(_no_generator(generator), shape, dtype=dtype or default_dtype(), device=place(device))


def _shape(size: Any, named: Any) -> Any:
    return sizes((named["size"],) if "size" in named else size)


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
    key, shape = _no_generator(generator), sizes((given["size"],))
    return ops.randint(key, shape, *bounds, dtype=dtype or INT64, device=place(device))


def _bernoulli(input: Any, p: Any = None, *, generator: Any = None) -> Any:
    like = _of(input)
    drawn = ops.bernoulli(_no_generator(generator), input if p is None else p, shape_of(input), device=like["device"])
    return ops.astype(drawn, like["dtype"])


def _torch_normal(
    mean: Any, std: Any = 1.0, size: Any = None, *, generator: Any = None, dtype: Any = None, device: Any = None
) -> Any:
    key = _no_generator(generator)
    if size is not None:
        return ops.normal(key, sizes((size,)), mean, std, dtype=dtype or default_dtype(), device=place(device))
    like = std if is_number(mean) else mean
    return ops.add(mean, ops.multiply(ops.normal(key, shape_of(like), **_of(like)), std))


def _uniform_(input: Any, *bounds: Any, generator: Any = None, **named: Any) -> Any:
    given: dict[str, Any] = {"from": 0.0, "to": 1.0, **dict(zip(("from", "to"), bounds)), **named}
    return ops.uniform(_no_generator(generator), shape_of(input), given["from"], given["to"], **_of(input))


def _normal_(input: Any, mean: Any = 0.0, std: Any = 1.0, *, generator: Any = None) -> Any:
    return ops.normal(_no_generator(generator), shape_of(input), mean, std, **_of(input))


def _bernoulli_(input: Any, p: Any = 0.5, *, generator: Any = None) -> Any:
    like = _of(input)
    drawn = ops.bernoulli(_no_generator(generator), p, shape_of(input), device=like["device"])
    return ops.astype(drawn, like["dtype"])


ROWS = (
    Row("split_key", "(key, key)"),
    Row("make_key", "torch.Generator().manual_seed(seed)"),
    Row(
        "uniform",
        _uniform,
        {"torch.rand": _rand, "torch.rand_like": _rand_like, "Tensor.uniform_": _uniform_},
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
        "torch.randint(low, high, shape, generator=key, dtype=dtype, device=device)",
        {"torch.randint": _randint},
        own={"dtype": INT64},
    ),
)
