"""Lowering passes behind those that their target lists before them: what each makes of a small program, or what it refuses."""

import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.codegen.prepare.base import HANDED
from gfx_ir.control import is_data_test
from gfx_ir.errors import GfxError
from gfx_ir.text import to_text
from lowerings import lowered, style_of
from program_text import define

F32 = gfx.TensorSpec((3,), "float32")
ROWS = np.array([[1.0, -2.0, 3.0], [0.5, 2.0, -1.0]], np.float32)
X = ROWS[0]


def bounded(x):
    i = 0
    while i < 10 and x.sum() < 100:
        x = x * 2 + 1
        i = i + 1
    return x


def newton(x):
    y = x
    while True:
        z = 0.5 * (y + x / y)
        apart = abs(z - y).sum()
        y = z
        if apart < 1e-3:
            break
    return y


def several(x, n: int = 2):
    out = []
    for i in range(n):
        out.append(x * i)
        out.append(x + i)
    return torch.stack(out)


def helper(x):
    return torch.tanh(x) * 2


def calls(x):
    return helper(x) + helper(x * 2)


def behind(x):
    back = x.sum() > 0
    if back:
        x = x + 1
    return x * 2 if back else x - 1


def drawn(x):
    return x + torch.rand(3) + torch.rand(3)


def item(x):
    n = x.sum().item()
    return x * n if n > 0 else x


def later(x):
    total = x[0] * 0
    for i, row in enumerate(x):
        if i > 1:
            total = total + row
    return total


def stepped(x, a, b, c):
    for i in range(a, b, c):
        x = x * 3 + i
    return x


def products(x, y):
    s = 0
    for a, b in zip(x, y):
        s = s + a * b
    return s


def rises(x):
    count = 0
    for i in range(1, len(x)):
        if x[i] > x[i - 1]:
            count = count + 1
    return x * count


def columns(x):
    rows, size = x.shape[-2:]
    return x.reshape(size, rows)


def masked(x, m=None):
    if m is not None and x.sum() > 0:
        x = x * m
    return x


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.eye(3))

    def forward(self, x):
        return torch.tanh(x @ self.w) + torch.sigmoid(x) * torch.cos(x) - torch.sin(x)


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Layer() for _ in range(3))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def shape_text(x):
    return str(x.shape) == "torch.Size([3])"


def narrow(x):
    return x.astype(np.uint64).max()


def either(x, n: int):
    y = 2.0
    if n:
        y = x[0]
    return y * x.astype(np.float16)


def head(x):
    return x[: int(x[0])] if x[1] > 0 else x


CASES = [
    ("bounded", bounded, "while_(test", 'for_(body, items=(("range", 0, 10, 1),)', ("jax",), (X,)),
    ("drop_carried", newton, "init=(x, False, False)", "init=(x, False)", ("jax",), (X * X,)),
    ("filled_lists", several, "flatten(", "filled_list(None, (", ("torch",), None),
    ("inline_calls", calls, 'call("helper"', "tanh(x)", ("jax",), (X,)),
    ("merged_tests", behind, "def then__1(", "", ("jax",), (X,)),
    ("one_generator", drawn, "split_key(", "uniform(key, ", ("torch",), None),
    ("python_numbers", item, "n = item(", "n = stop_gradient(", ("torch", "hop"), None),
    ("ranges", stepped, '("range", a, b, c)', '("range", 0, ', ("jax",), None),
    ("sizes", head, "cond(", "host_if(", ("jax",), None),
    ("shortest", products, "items=(x, y)", 'host("min"', ("jax",), (ROWS, ROWS[:1])),
    ("simplify", bounded, "return (_1,)", "return (False,)", ("jax",), (X,)),
    ("staged_ranges", rises, "host_for(", " for_(", ("jax",), None),
    ("traced", later, "host_if(", "cond(", ("jax",), None),
    ("unpacked", columns, 'host("getitem", (_2, 0))', "host(", ("torch",), None),
    ("asked_first", masked, "test=_2, operands=(x,)", "test=_1, operands=(", ("jax",), None),
    ("reroll", Layers().eval(), '"layers.2"', "repeat_calls(", ("jax",), None),
]
REFUSED = [
    ("foreign_texts", shape_text, "torch", (), "jax", "a shape or dtype has another text there"),
    ("lacking_dtypes", narrow, "numpy", (F32,), "torch", "which has none"),
    ("open_dtypes", either, "numpy", (F32,), "jax", "dtype"),
]


def before(name, target, mode=""):
    """The passes that the target lists before one."""
    listed = style_of(target, mode).lowering
    return listed[: listed.index(name)]


@pytest.mark.parametrize(("name", "made", "old", "new", "target", "given"), CASES, ids=lambda x: str(x)[:16])
def test_each_behind_those_before_it(name, made, old, new, target, given):
    program = gfx.symbolic_trace(made, backend=None if isinstance(made, nn.Module) else "torch")
    earlier = before(name, *target)
    first = to_text(lowered(program, earlier, *target))
    then = to_text(lowered(program, [*earlier, name], *target, given=given))
    assert old in first
    assert old not in then
    assert new in then


@pytest.mark.parametrize(("name", "made", "flavour", "specs", "target", "what"), REFUSED, ids=lambda x: str(x)[:16])
def test_what_a_target_has_not_is_refused(name, made, flavour, specs, target, what):
    program = gfx.symbolic_trace(made, *specs, backend=flavour)
    earlier = before(name, target)
    lowered(program, earlier, target)
    with pytest.raises(GfxError, match=what):
        lowered(program, [*earlier, name], target)


def test_what_functions_hand_each_other_is_left_on_the_entry():
    program = lowered(gfx.symbolic_trace(calls, backend="torch"), ["handed"])
    assert program.entry.has(HANDED) and to_text(program) == to_text(gfx.symbolic_trace(calls, backend="torch"))


def test_rows_of_tests_stand_one_behind_another():
    lines = "".join(f"    if x[{at % 3}] > {at}:\n        return x + {at}\n" for at in range(34))
    program = gfx.symbolic_trace(define(f"def f(x):\n{lines}    return x\n", "<returns>"), F32, backend="torch")
    earlier = before("shallow", "jax")
    deep, found = (lowered(program, names, "jax", given=(X,)) for names in (earlier, [*earlier, "shallow"]))
    count = lambda program: sum(is_data_test(node) for node in program.entry)
    assert (count(deep), count(found)) == (1, 2)


def test_unsigned_numbers_that_a_target_does_not_compute_are_computed_in_64_bits():
    x, y = (np.array(data, np.uint16) for data in ([1, 65535], [3, 2]))
    for fn in (lambda x, y: x - y, lambda x, y: x * y + 1, lambda x, y: np.maximum(x, y) < 3):
        found = gfx.transpile(fn, x, y, to="torch")(torch.tensor(x), torch.tensor(y))
        want = fn(x, y)
        assert found.numpy().dtype == want.dtype
        np.testing.assert_array_equal(found.numpy(), want)
    found = gfx.transpile(lambda x, at: x + at, x, np.arange(2, dtype=np.int64), to="torch")
    np.testing.assert_array_equal(found(torch.tensor(x), torch.arange(2)).numpy(), [1, 65536])
