"""Tensors that nobody takes: captured without arguments, the code still fails where its author's fails."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.interpreter import Interpreter
from gfx_ir.reference import ReferenceBackend


def indexed(x):
    x[3]
    return x


def viewed(x):
    _y = x.view(7)
    return x


def joined(x):
    y = x.reshape(2, 1)
    torch.cat([x, y])
    return x


def made(x):
    torch.zeros(-1)
    return x


def reduced(x):
    _m = x.mean(3)
    return x


def multiplied(x):
    x @ torch.ones(3, 3)
    return x


def under_a_test(x, flag: bool = True):
    if flag:
        x.view(7)
    return x


def under_a_tensor_test(x):
    if x.sum() > 0:
        x[3]
    return x


def in_a_loop(x):
    for i in range(4):
        x[i]
    return x


def one_of_two(x):
    a = x[0]
    _b = x[5]
    return a


FUNCTIONS = [
    indexed, viewed, joined, made, reduced, multiplied, under_a_test, under_a_tensor_test, in_a_loop, one_of_two,
]  # fmt: skip


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_the_error_is_raised(fn):
    program, x = gfx.symbolic_trace(fn, backend="torch"), torch.ones(2)
    with pytest.raises((RuntimeError, IndexError)) as want:
        fn(x)
    for run in (program, program.to("torch")):
        with pytest.raises(type(want.value)):
            run(x)
    with pytest.raises((TypeError, ValueError, IndexError)):
        program.to("jax")(x.numpy())


def test_items_go_with_the_test_that_asks_them_and_raise():
    def fn(x):
        if all(e for e in [row.item() for row in x[None]]):
            x
        return x * 2

    program = gfx.symbolic_trace(fn, torch.ones(3))
    for run in (fn, program, program.to("torch")):
        with pytest.raises(RuntimeError, match="cannot be converted to Scalar"):
            run(torch.ones(3))


def rows_of_none(x, m=None):
    for _ in None if m is not None else x:
        x = x + 1
    return x


def rows_of_a_number(x, m=None):
    for _ in x.sum() if m is not None else x:
        x = x + 1
    return x


def twice_none(x, m=None):
    (None if m is not None else x) * 2
    return x


@pytest.mark.parametrize("fn", [rows_of_none, rows_of_a_number, twice_none])
def test_what_has_no_rows_and_none_raise(fn):
    program, x = gfx.symbolic_trace(fn, backend="torch"), torch.ones(2)
    with pytest.raises(TypeError, match=r"iter|NoneType"):
        program.to("torch")(x, x)
    with pytest.raises(TypeError, match=r"iter|NoneType"):
        Interpreter(ReferenceBackend(), program, {}).graph(program.entry, (x.numpy(), x.numpy()), "")


def total(x):
    _y = x.exp() * 2 + 1
    _z = x.float().sum()
    return x


def sorted_values(x):
    values, _indices = torch.sort(x, 0)
    return values


def while_(x):
    while x[0] > 5:
        x = x - x[0]
    return x


@pytest.mark.parametrize(
    "fn, lines", [(total, 1), (sorted_values, 2), (while_, 3)], ids=["total", "sorted_values", "while_"]
)
def test_what_cannot_fail_alone_goes(fn, lines):
    source = gfx.symbolic_trace(fn, backend="torch").source("torch")
    assert len(source[source.index("def ") :].strip().splitlines()) == lines + 1, source


def to_its_batch(x, like):
    n = like.shape[0]
    if n != 1:
        _x = x.expand(n, -1)
    return like


def shaped_by_its_batch(x, like):
    n = like.shape[0]
    _x = x.reshape(n, 2)
    return like


def shaped_by_its_half(x, like):
    _x = x.reshape(like.shape[0] // 2, -1)
    return like


FIT = [
    (to_its_batch, (1, "N"), True), (to_its_batch, ("B", "N"), True), (to_its_batch, ("M", "N"), False),
    (shaped_by_its_batch, ("B", 2), True), (shaped_by_its_batch, ("M", 2), False), (shaped_by_its_batch, (2, "B"), True),
    (shaped_by_its_half, ("B", 2), False), (shaped_by_its_half, ("M", "M"), False),
]  # fmt: skip


@pytest.mark.parametrize("fn, size, fits", FIT, ids=[f"{f.__name__}{size}" for f, size, _ in FIT])
def test_open_sizes_that_surely_fit_go(fn, size, fits):
    few = gfx.Dim("B", max=4), gfx.Dim("M", max=4)  # none of which tells that others do not fit
    for batch, other in ((gfx.Dim("B", min=1), gfx.Dim("M", min=1)), few):
        named = {"B": batch, "M": other, "N": gfx.Dim("N", min=1)}
        specs = [gfx.TensorSpec(tuple(named.get(x, x) for x in sizes), "float32") for sizes in (size, ("B", 3))]
        source = gfx.symbolic_trace(fn, *specs, backend="torch").source("torch")
        assert (len(source[source.index("def ") :].strip().splitlines()) == 3) is (fits and batch.max is None), source


HELD = {
    "index": lambda x, i: x[i],
    "index_select": lambda x, i: x.index_select(0, i),
    "take": lambda x, i: torch.take(x, i + 9),
    "gather": lambda x, i: x.gather(0, i[None]),
    "scatter": lambda x, i: x.scatter(0, i[None], 1.0),
    "embedding": lambda x, i: torch.nn.functional.embedding(i, x),
    "number": lambda x, i: x[int(i[0])],
    "narrow": lambda x, i: x.narrow(0, int(i[0]), 1),
    "size": lambda x, i: torch.zeros(int(i[0]) - 9),
    "reshape": lambda x, i: x.reshape(int(i[0]), -1),
    "inverse": lambda x, i: torch.linalg.inv(torch.zeros_like(x @ x.T)),
    "cholesky": lambda x, i: torch.linalg.cholesky(-(x @ x.T)),
}
"""Calls that raise by what their arguments hold."""


@pytest.mark.parametrize("types", ["open", "known"])
@pytest.mark.parametrize("call", HELD)
def test_the_error_of_what_arguments_hold_is_raised(call, types):
    def fn(x, i):
        HELD[call](x, i)
        return x + 1

    x, i = torch.arange(6.0).reshape(2, 3), torch.tensor([5])
    program = gfx.symbolic_trace(fn, *((x, i) if types == "known" else ()), backend="torch")
    with pytest.raises((RuntimeError, IndexError)) as want:
        fn(x, i)
    for run in (program, program.to("torch")):
        with pytest.raises(type(want.value)):
            run(x, i)


@pytest.mark.parametrize("start, length", [(0, 5), (3, 2), (-5, 1), (-1, 2), (0, -1), (4, 0), (-2, 2), (1, 2)])
@pytest.mark.parametrize("to", ["torch", "jax", "numpy"])
def test_a_run_of_positions_fits_its_axis(start, length, to):
    def fn(x):
        return x.narrow(0, start, length)

    x = torch.arange(4.0)
    try:
        want = fn(x)
    except (RuntimeError, IndexError):
        with pytest.raises((RuntimeError, IndexError, gfx.GfxError)):
            gfx.symbolic_trace(fn, backend="torch").to(to)(x if to == "torch" else x.numpy())
        with pytest.raises(gfx.GfxError):
            gfx.symbolic_trace(fn, x)
        return
    for given in ((), (x,)):
        found = gfx.symbolic_trace(fn, *given, backend="torch").to(to)(x if to == "torch" else x.numpy())
        assert torch.equal(torch.tensor(np.asarray(found)), want)


@pytest.mark.parametrize("pad", [(-2, -3), (0, 0, -3, 0)])
def test_padding_cuts_no_more_than_there_is(pad):
    with pytest.raises(gfx.GfxError, match="cuts more than an axis"):
        gfx.symbolic_trace(lambda x: torch.nn.functional.pad(x, pad), torch.ones(2, 4))


def read_for_nothing(x):
    for i in range(4):
        row = x[i]
        for j in range(3):
            row + x[j]
    return x


def test_what_only_dead_parts_of_a_loop_take_raises_all_the_same():
    x = torch.ones(3)
    program = gfx.symbolic_trace(read_for_nothing, x)
    for run in (read_for_nothing, program, program.to("torch")):
        with pytest.raises(IndexError):
            run(x)
