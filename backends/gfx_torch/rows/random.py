"""Random numbers from a torch.Generator."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import build, ops
from gfx_ir.backend import Row

from ..lifting import INT64, dtype_like, is_number, refuse, shape_of, sizes


def _uniform(args: SimpleNamespace) -> str:
    draw = "torch.rand(shape, generator=key, dtype=dtype)"
    if _is(args.low, 0):
        return draw if _is(args.high, 1) else f"high * {draw}"
    return f"low + (high - low) * {draw}"


def _normal(args: SimpleNamespace) -> str:
    draw = "torch.randn(shape, generator=key, dtype=dtype)"
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


def _rand(*size: Any, generator: Any = None, dtype: Any = None, **named: Any) -> Any:
    return ops.uniform(_no_generator(generator), _shape(size, named), dtype=dtype)


def _randn(*size: Any, generator: Any = None, dtype: Any = None, **named: Any) -> Any:
    return ops.normal(_no_generator(generator), _shape(size, named), dtype=dtype)


def _shape(size: Any, named: Any) -> Any:
    return sizes((named["size"],) if "size" in named else size)


def _rand_like(input: Any, *, dtype: Any = None) -> Any:
    return ops.uniform(build.next_key(), shape_of(input), dtype=dtype_like(input) if dtype is None else dtype)


def _randn_like(input: Any, *, dtype: Any = None) -> Any:
    return ops.normal(build.next_key(), shape_of(input), dtype=dtype_like(input) if dtype is None else dtype)


def _randint(*args: Any, generator: Any = None, dtype: Any = None, **named: Any) -> Any:
    """torch.randint(high, size), torch.randint(low, high, size)."""
    given = dict(
        zip(("high", "size") if len(args) + len({"high", "size"} & set(named)) == 2 else ("low", "high", "size"), args)
    )
    given.update(named)
    return ops.randint(
        _no_generator(generator), sizes((given["size"],)), given.get("low", 0), given["high"], dtype=dtype or INT64
    )


def _bernoulli(input: Any, p: Any = None, *, generator: Any = None) -> Any:
    drawn = ops.bernoulli(_no_generator(generator), input if p is None else p, shape_of(input))
    return ops.astype(drawn, dtype_like(input))


def _torch_normal(mean: Any, std: Any = 1.0, size: Any = None, *, generator: Any = None, dtype: Any = None) -> Any:
    key = _no_generator(generator)
    if size is not None:
        return ops.normal(key, sizes((size,)), mean, std, dtype=dtype)
    like = std if is_number(mean) else mean
    noise = ops.normal(key, shape_of(like), dtype=dtype_like(like))
    return ops.add(mean, ops.multiply(noise, std))


def _uniform_(input: Any, *bounds: Any, generator: Any = None, **named: Any) -> Any:
    given: dict[str, Any] = {"from": 0.0, "to": 1.0, **dict(zip(("from", "to"), bounds)), **named}
    low, high = given["from"], given["to"]
    return ops.uniform(_no_generator(generator), shape_of(input), low, high, dtype=dtype_like(input))


def _normal_(input: Any, mean: Any = 0.0, std: Any = 1.0, *, generator: Any = None) -> Any:
    return ops.normal(_no_generator(generator), shape_of(input), mean, std, dtype=dtype_like(input))


def _bernoulli_(input: Any, p: Any = 0.5, *, generator: Any = None) -> Any:
    return ops.astype(ops.bernoulli(_no_generator(generator), p, shape_of(input)), dtype_like(input))


ROWS = (
    Row("split_key", "(key, key)"),
    Row("make_key", "torch.Generator().manual_seed(seed)"),
    Row("uniform", _uniform, {"torch.rand": _rand, "torch.rand_like": _rand_like, "Tensor.uniform_": _uniform_}),
    Row(
        "normal",
        _normal,
        {
            "torch.randn": _randn,
            "torch.randn_like": _randn_like,
            "torch.normal": _torch_normal,
            "Tensor.normal_": _normal_,
        },
    ),
    Row(
        "bernoulli",
        "torch.rand(shape, generator=key) < p",
        {"torch.bernoulli Tensor.bernoulli": _bernoulli, "Tensor.bernoulli_": _bernoulli_},
    ),
    Row("randint", "torch.randint(low, high, shape, generator=key, dtype=dtype)", {"torch.randint": _randint}),
)
