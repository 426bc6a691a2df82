"""A shape, whole or part, also of open rank, is a tuple of whole numbers, and `list(x.shape)` a list of them."""

import math
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, GuardError, UnsupportedConstruct

X = torch.arange(16.0).reshape(4, 4)
Y = torch.arange(24.0).reshape(2, 4, 3)


def loops(x):
    n = 1
    for d in x.shape[-2:]:
        n = n * d
    for i, d in enumerate(x.shape):
        n = n + i * d
    return x * n


def unpacked(x):
    first, *rest = x.shape
    *most, last = x.shape
    return x * first + rest[0] + last + most[0] + len(rest)


def changed(x):
    sizes = list(x.shape)
    sizes[-1] = 1
    sizes.append(sizes.pop(0))
    sizes.insert(0, 1)
    sizes += [1]
    del sizes[0]
    return x.new_zeros(sizes), sizes[::-1], sizes.copy() * 2, isinstance(sizes, list), type(sizes) is list


def rows_changed(x):
    sizes = list(x.shape)
    sizes[1:] = [1] * (len(sizes) - 1)
    also = list(x.shape)
    also[:1], also[-1:] = [2, 2], []
    also[2:1] = [5]
    del also[3:]
    return x.new_zeros(sizes), also


def numbered(x):
    return x * math.pow(x.shape[0], -0.5) + math.sin(x.shape[1]) * math.hypot(x.shape[0], x.shape[1])


def asserted(x):
    assert all(d % 2 == 0 for d in x.shape[:2])
    assert len(x.shape) > 1 and x.shape[:1] != (1,) and 4 in x.shape
    return x * 2


def texts(x):
    return f"{x.shape[1:]} {list(x.shape)} {(list(x.shape[:1]), 1)}", str(list(x.shape))


def called(x):
    def product(a, b):
        return a * b

    return x * product(*x.shape[:2]) + max(*x.shape)


def resized(x):
    return torch.nn.functional.interpolate(x[None, None, ..., 0] if x.dim() == 3 else x[None, None], size=x.shape[:2])


CASES = {
    "plus": lambda x: x.reshape(x.shape[:-1] + (2, -1)) if x.shape[-1] == 4 else x,
    "plus on the right": lambda x: x.reshape((-1,) + x.shape[1:] + (1,)),
    "size()": lambda x: x.view(x.size()[:-1] + (1, -1)),
    "list": lambda x: x.reshape(list(x.shape[:-1]) + [1, -1]),
    "list of a comprehension": lambda x: x.reshape([d for i, d in enumerate(x.shape)]),
    "tuple of a generator": lambda x: x.reshape(tuple(1 * d for d in x.shape)),
    "map": lambda x: x.reshape(list(map(lambda d: d, x.shape))),
    "zip": lambda x: [a * b for a, b in zip(x.shape, x.shape[::-1])],
    "reversed": lambda x: x.reshape(tuple(reversed(x.shape))),
    "star": lambda x: x.reshape(*x.shape[:-1], 1, -1),
    "displays": lambda x: x.reshape([1, *x.shape]) + torch.ones((*x.shape[1:],)) + len([*x.shape, 3]) + (*x.shape, 7)[-1],
    "sum, min and max": lambda x: x * sum(x.shape) + max(x.shape) + min(x.shape[1:]) + math.prod(x.shape[:-1]),
    "sorted": lambda x: x * sorted(x.shape)[0] + sorted(x.shape, reverse=True)[0],
    "times": lambda x: x.repeat((1,) * len(x.shape)) + len(2 * x.shape) + len([1] * x.dim()),
    "index and count": lambda x: x * x.shape.index(4) + x.shape[1:].count(4) + list(x.shape).index(4),
    "normed": lambda x: torch.nn.functional.layer_norm(x, x.shape[-1:]) + torch.layer_norm(x, x.size()[-2:]),
    "positions": lambda x: torch.stack(torch.where(x.view(-1, x.shape[-1]) > 3)),
    "equal": lambda x: x * 2 if x.shape == (4, 4) else x,
    "type as a text": lambda x: x * 2 if x.type() == "torch.FloatTensor" and x.type() != "a text" else x,
    "types as texts": lambda x: x * 2 if x.type() != x.half().type() else x,
    "equal to open ones": lambda x: x * 2 if x.shape == (x.shape[1], x.shape[-1]) else x,
    "part equal": lambda x: x * 2 if x.shape[1:] == (4,) or tuple(x.shape) == (2, 4, 3) else x,
    "list equal": lambda x: x * 2 if list(x.shape) == [4, 4] else x,
    "less": lambda x: x * 2 if x.shape < (3, 5) else x,
    "in": lambda x: x * 2 if 3 in x.shape else x,
    "truth": lambda x: x * 2 if list(x.shape[2:]) else x,
    "numel": lambda x: x * x.shape.numel() + x.shape[1:].numel(),
    "makers": lambda x: x.new_zeros(x.shape[1:]) + torch.ones(*x.shape) + torch.full(x.shape, 2.0) + torch.zeros(1, *x.shape[1:]),
    "as many tensors": lambda x: torch.stack([x.sum(0)] * x.shape[0]) + torch.cat((x[0][None],) * x.shape[0]),
    "results": lambda x: (x.shape + (1,), list(x.shape), [d + 1 for d in x.shape], x.shape[::-1]),
}  # fmt: skip
FUNCTIONS = [loops, unpacked, changed, rows_changed, numbered, asserted, texts, called, resized]
SPECS = {"open": (), "sizes open": (gfx.TensorSpec(("A", "B"), "float32"),), "typed": (X,)}


def same(found, want):
    if isinstance(want, (tuple, list)):
        assert len(found) == len(want)
        for a, b in zip(found, want):
            same(a, b)
    elif isinstance(want, torch.Tensor):
        np.testing.assert_allclose(np.asarray(found), want.numpy(), rtol=1e-5)
    else:
        assert found == want


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("fn", [*CASES.values(), *FUNCTIONS], ids=[*CASES, *(fn.__name__ for fn in FUNCTIONS)])
def test_a_shape_is_a_tuple(fn, spec):
    program = gfx.symbolic_trace(fn, *SPECS[spec], backend="torch")
    torch_fn, jax_fn = program.to("torch"), None
    if fn is texts and spec == "open":  # of a shape, which is an object of PyTorch's own
        with pytest.raises(UnsupportedConstruct, match="a shape or dtype has another text there"):
            program.to("jax")
    else:
        jax_fn = program.to("jax")
    for x in (X, Y) if spec == "open" else (X,):
        want = fn(x)
        same(program(x), want)
        same(torch_fn(x), want)
        if jax_fn is not None:
            same(jax_fn(jnp.asarray(x.numpy())), want)


def test_a_shape_stays_one_under_jit():
    def flattened(x):
        return x.reshape(list(x.shape[:-2]) + [math.prod(x.shape[-2:])]) * sum(d for d in x.shape)

    compiled = jax.jit(gfx.transpile(flattened, to="jax", backend="torch").fn)
    same(compiled(jnp.asarray(Y.numpy())), flattened(Y))


REFUSED = {
    "key": (lambda x: {x.shape: 1}[x.shape], "a key needs"),
    "set": (lambda x: {d for d in x.shape}, "how many items it has is open"),
    "set display": (lambda x: {*x.shape}, "how many items `*` gives is open"),
    "rest of arguments": (lambda x: (lambda *sizes: len(sizes))(*x.shape), "how many arguments"),
    "default": (lambda x: (lambda a, b=1: a * b)(*x.shape), "how many arguments"),
    "tensor in it": (lambda x: (*x.shape, x), "not all that stands in it are whole numbers"),
    "slice written": (lambda x: list(x.shape).__setitem__(slice(1, -1), [2]), "write to this slice of a list"),
    "two settings": (lambda x: torch.roll(x, *x.shape), "how many arguments"),
    "several sizes": (lambda x: torch.nn.functional.pad(x, (0, x.shape)), "how many sizes it gets is open"),
}


@pytest.mark.parametrize(("fn", "why"), REFUSED.values(), ids=REFUSED)
def test_what_needs_the_length_is_refused(fn, why):
    with pytest.raises(CaptureError, match=re.escape(why)):
        gfx.symbolic_trace(fn, backend="torch")


def test_a_list_is_not_changed_under_a_test():
    def appended(x):
        sizes = list(x.shape)
        if x.shape[0] > 2:
            sizes.append(1)
        return x.reshape(sizes)

    with pytest.raises(CaptureError, match="cannot change a list of open length"):
        gfx.symbolic_trace(appended, backend="torch")


def test_a_place_that_is_not_there_raises_what_python_raises():
    def third(x):
        sizes = list(x.shape)
        sizes[2] = 1
        return x.sum() * len(sizes)

    for fn in (gfx.symbolic_trace(third, backend="torch"), gfx.transpile(third, to="torch", backend="torch")):
        assert fn(Y) == third(Y)
        with pytest.raises(IndexError, match="list assignment index out of range"):
            fn(X)


def forget_mult(f, x, hidden=None):
    result, forgets = [], f.split(1, dim=0)
    for i, h in enumerate((f * x).split(1, dim=0)):
        if hidden is not None:
            h = h + (1 - forgets[i]) * hidden
        result.append(h.view(h.size()[1:]))
        hidden = h
    return torch.stack(result)


def parts_of_one(f, x):
    for part in x.split(1, -1):
        part += 1
    return torch.cat([q * 2 for q in f.split(1, 2)], 2), torch.cat(f.split(1, 1), 0), len(x.split(1)), x


@pytest.mark.parametrize("f", [forget_mult, parts_of_one])
@pytest.mark.parametrize("dynamic", [True, None])
def test_parts_of_one_element_are_gone_over(f, dynamic):
    given = (torch.rand(3, 2, 4), torch.rand(3, 2, 4)) if dynamic else ()
    program = gfx.symbolic_trace(f, *given, backend="torch", dynamic=bool(dynamic))
    x = torch.rand(5, 3, 4), torch.rand(5, 3, 4)
    torch.testing.assert_close(program(*(t.clone() for t in x)), f(*(t.clone() for t in x)))


def carried_over_parts(x):
    hidden, found = torch.zeros(x.shape[0], 4), []
    for at, part in enumerate(x.split(2, 1)):
        hidden = torch.tanh(hidden + part.mean(1) * at)
        found.append(hidden)
    return torch.stack(found, 1), hidden


def written_parts(x):
    parts = x.split(2, dim=-2)
    for part in parts:
        part.mul_(2)
    parts[0].zero_()
    return torch.stack(parts), parts[-1], len(parts), x


def joined_parts(x):
    pairs = zip(torch.split(x, split_size_or_sections=2, dim=1), x.chunk(x.shape[1], 1))
    return torch.cat([p.softmax(1).sum(1) for p in x.split(2, 1)[::-1]], -1), sum(a.sum() + b.sum() for a, b in pairs)


@pytest.mark.parametrize("to", ["torch", "jax"])
@pytest.mark.parametrize("fn", [carried_over_parts, written_parts, joined_parts])
def test_equal_parts_of_an_open_size_are_gone_over(fn, to):
    program = gfx.transpile(fn, torch.rand(2, 6, 4), to=to, dynamic=True)
    assert program.program.notes[1:] == ["the size of 'x', axis 1, is a multiple of 2"]
    for shape in ((3, 8, 4), (1, 2, 4)):
        x = torch.rand(shape)
        found = program(x.clone() if to == "torch" else jnp.asarray(x.numpy()))
        for a, b in zip(found, fn(x)):
            np.testing.assert_allclose(a, b, rtol=1e-5)


def test_parts_of_which_the_last_is_smaller_are_unpacked():
    def fn(x):
        a, b = x.split(4, 1)
        return a.sum(1) - b.sum(1)

    program, x = gfx.transpile(fn, torch.rand(2, 6), to="torch", dynamic=True), torch.rand(3, 7)
    torch.testing.assert_close(program(x), fn(x))


def chunked(x):
    total, found = 0, []
    for part in x.chunk(3, dim=1):
        total = total + part.sum(1, keepdim=True)
        found.append(part * total)
    return torch.cat(found, 1), len(x.chunk(3, 1))


@pytest.mark.parametrize("to", ["torch", "jax"])
@pytest.mark.parametrize(
    ("seen", "note", "others"),
    [(6, "a multiple of 3", (3, 9)), (8, "at least 5", (5, 7)), (4, None, (4,))],
)
def test_how_many_chunks_an_open_size_has_is_a_guard(to, seen, note, others):
    program = gfx.transpile(chunked, torch.rand(2, seen), to=to, dynamic=True)
    said = f"the size of 'x', axis 1, is {note}" if note else f"size {seen} of 'x', axis 1, is fixed"
    assert said in program.program.notes
    for size in others:
        x = torch.rand(3, size)
        found, count = program(x if to == "torch" else jnp.asarray(x.numpy()))
        np.testing.assert_allclose(found, chunked(x)[0], rtol=1e-5)
        assert count == chunked(x)[1]
    with pytest.raises(GuardError):
        program(torch.rand(2, 2) if to == "torch" else jnp.ones((2, 2)))


@pytest.mark.parametrize("to", ["torch", "jax"])
def test_chunks_that_are_unpacked_are_those_of_any_size(to):
    def fn(x):
        a, b = x.chunk(2, -1)
        return a.sum(-1) - b.sum(-1)

    program = gfx.transpile(fn, torch.rand(2, 6), to=to, dynamic=True)
    for size in (6, 7):
        x = torch.rand(3, size)
        found = program(x if to == "torch" else jnp.asarray(x.numpy()))
        np.testing.assert_allclose(found, fn(x), rtol=1e-5, atol=1e-6)


def test_the_shape_of_a_list_of_arrays():
    def fn(x: np.ndarray):
        return np.shape([x, x + 1]), np.shape((x, x)), np.shape(x), np.shape([1, 2])

    program, x = gfx.symbolic_trace(fn), np.ones((2, 3))
    assert program(x) == fn(x) == program.to("torch")(torch.from_numpy(x))


@pytest.mark.parametrize(
    "test",
    [
        lambda x, y: x.shape in [(3, 4), (4, 4)],
        lambda x, y: x.shape not in ((2, 3), tuple(y.shape)),
        lambda x, y: (x.shape[0], "a") in [(2, "a"), (3, "b"), (4, "a")],
        lambda x, y: [x.shape[0], [tuple(y.shape)]] in [[2, [(2, 3)]], [4, [(4, 4)]]],
        lambda x, y: [tuple(x.shape)] * 2 != [tuple(a.shape) for a in (x, y)],
        lambda x, y: [{"n": x.shape[0]}] == [{"n": 3}],
        lambda x, y: ((x.shape[0], 1), (2,)) < ((3, 0), (1,)),
        lambda x, y: [[x.shape[0]], (1,)] == [(x.shape[0],), (1,)],
    ],
)
@pytest.mark.parametrize("target", ["torch", "jax"])
def test_shapes_within_containers_are_compared(test, target):
    f = lambda x, y: x.sum() * (2 if test(x, y) else 3) + y.sum()
    made = gfx.transpile(f, torch.ones(4, 4), torch.ones(4, 4), to=target, dynamic=True)
    for a, b in ((4, 4), (2, 3), (3, 4), (5, 4)):
        x, y = torch.ones(a, b), torch.ones(4, b)
        found = made(x, y) if target == "torch" else made(x.numpy(), y.numpy())
        assert float(found) == float(f(x, y))
