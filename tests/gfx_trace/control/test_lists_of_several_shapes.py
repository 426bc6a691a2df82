"""Lists that loops fill with tensors of several shapes: joined, counted, indexed, gone over and returned, as Python has them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.textparse import parse_text
from gfx_ir.verify import verify

X = torch.tensor([[1.0, 2.0, 3.0], [-3.0, 1.0, 0.0], [4.0, 5.0, 6.0], [0.0, 1.0, 2.0], [-1.0, -1.0, 1.0]])


def chunks(x):
    parts = []
    for i in range(0, x.shape[0], 2):
        parts.append(x[i : i + 2] * 2)
    return torch.cat(parts), len(parts)


def prefixes(x):
    parts = [x]
    for i in range(x.shape[1]):
        parts.append(x[:, : i + 1])
    return torch.cat(parts, dim=1), parts


def means(x):
    return torch.stack([x[i:].mean(0) for i in range(x.shape[0])])


def chosen(x):
    parts = []
    for row in x:
        parts.append(row[row > 0])
    return torch.cat(parts)


def triangle(x):
    return torch.cat([row[:i] for i, row in enumerate(x)])


def counted(x):
    parts, n = [], 0
    for i in range(x.shape[0]):
        n += i
        parts.append(x[0].repeat(n))
    return torch.cat(parts)


def beside_rows(x):
    parts, rows = [], []
    for i in range(x.shape[0]):
        part = x[: i + 1] if i % 2 == 0 else x[i:]
        parts.append(part + 1)
        rows.append(x[i])
    return torch.cat(dim=0, tensors=parts), torch.stack(tensors=rows)


def gone_over(x):
    parts, total = [], torch.zeros(())
    for i in range(x.shape[0]):
        parts.append(x[i:] * 1)
    for part in parts:
        total = total + part.sum()
    return total, parts[0], parts[-1]


def asked(x):
    parts = [x[i:] for i in range(x.shape[0])]
    if parts:
        return torch.cat(parts)
    return x


def helper(x, n):
    parts = []
    for i in range(0, x.shape[0], n):
        parts.append(x[i : i + n])
    return parts


def of_a_function(x):
    return torch.cat(helper(x, 2)), torch.cat(helper(x * 2, 3))


def several_loops(x):
    parts = [x * 3, x * 4]
    for i in range(x.shape[0]):
        parts.append(x[i:] * 1)
    parts.append(x[:1] * 7)
    for i in range(x.shape[0]):
        parts.append(x[:i] * 2)
    return torch.cat(parts), len(parts)


def changed_behind(x):
    parts, more = [x * 3], []
    for i in range(x.shape[0]):
        parts.append(x[i:] * 1)
        more.append(x[: i + 1] * 2)
    parts.append(x[:1])
    parts.insert(0, x[:1] * 5)
    parts.extend(more)
    first, last = parts.pop(0), parts.pop()
    parts[-1] = x[:1] * 7
    del parts[1]
    parts.reverse()
    return first, last, torch.cat(parts), len(parts), parts[1:], torch.cat(more + [x])


def changed_rows(x):
    rows = []
    for i in range(x.shape[0]):
        rows.append(x[i] * 2)
    last = rows.pop()
    rows.insert(0, x[0])
    for i in range(x.shape[0]):
        rows.append(x[i] * 3)
    return last, torch.stack(rows), len(rows)


def beside_others(x):
    parts, found, total = [], [], 0.0
    for i in range(x.shape[0]):
        parts.append(x[i:] * 2)
    for i, part in enumerate(parts):
        found.append(part * i)
    for part, row in zip(reversed(parts), x):
        total = total + (part * row).sum()
    return torch.cat(found), total


def begun_with_what_is_written(x):
    y = x * 1
    parts = [y]
    for i in range(x.shape[0]):
        parts.append(x[i:] * 1)
    y += 1
    return torch.cat(parts)


def unpacked(x):
    first, *rest = helper(x, 2)
    return first, rest


def written_under_a_test(x):
    parts = helper(x, 2)
    if x.sum() > 0:
        parts[0] = x * 2
    return torch.cat(parts)


def ends(x):
    return (x[:, 0].abs() % 3).long()


def cut_by_elements(x):
    parts = []
    for a, b in zip(ends(x)[:-1], ends(x)[1:]):
        parts += [x[a : a + b + 1]]
    return torch.cat(parts), parts[0] * 2, parts[-1]


def cut_by_numbers(x):
    parts = [x[0].repeat(n.item()) for n in ends(x)]
    return torch.cat(parts), [torch.zeros(int(n) + 1) for n in ends(x)]


def cut_on_a_side(x):
    return torch.cat([x[:n] if n > 1 else x[n : n + 2] for n in ends(x)])


FUNCTIONS = [
    cut_by_elements,
    cut_by_numbers,
    cut_on_a_side,
    unpacked,
    written_under_a_test,
    changed_behind,
    changed_rows,
    beside_others,
    begun_with_what_is_written,
    several_loops,
    chunks,
    prefixes,
    means,
    chosen,
    triangle,
    counted,
    beside_rows,
    gone_over,
    asked,
    of_a_function,
]


def flat(tree):
    return [np.asarray(leaf) for leaf in torch.utils._pytree.tree_leaves(tree)]


@pytest.mark.parametrize("example", [False, True])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_lists_are_those_of_python(f, example):
    program = gfx.symbolic_trace(f, X, dynamic={"x": {0: "n"}}) if example else gfx.symbolic_trace(f)
    verify(program)
    again = parse_text(str(program))
    verify(again)
    assert str(parse_text(str(again))) == str(again)
    for target in ("torch", "jax", "numpy"):
        made = program.to(target)
        for x in (X, X[:2]):
            wanted, found = flat(f(x)), flat(made(x if target == "torch" else x.numpy()))
            assert [a.shape for a in found] == [a.shape for a in wanted], (target, made.source)
            assert all(np.allclose(a, b) for a, b in zip(found, wanted)), (target, made.source)


def halved(x):
    parts = [x]
    for _ in range(2):
        x = x[:-1] + x[1:]
        parts.append(x)
    return torch.cat(parts), parts[2].sum() + parts[0].mean(), len(parts)


def widened(x):
    parts = []
    for _ in range(3):
        parts.append(x)
        x = torch.cat([x, x.mean(1, keepdim=True)], dim=1)
    while parts:
        x = x[:, : parts[-1].shape[1]] + parts.pop()
    return x


@pytest.mark.parametrize("f", [halved, widened])
def test_a_tensor_that_a_loop_carries_may_change_its_shape_in_each_trip(f):
    program = gfx.symbolic_trace(f, X, dynamic={"x": {0: "n"}})
    for target in ("torch", "jax"):
        made = program.to(target)
        for x in (X, X[:4]):
            wanted, found = flat(f(x)), flat(made(x if target == "torch" else x.numpy()))
            assert [a.shape for a in found] == [a.shape for a in wanted], (target, made.source)
            assert all(np.allclose(a, b) for a, b in zip(found, wanted)), (target, made.source)


def test_source_has_the_list_of_the_author():
    assert gfx.transpile(chunks, to="torch").source.endswith("""
def chunks(x):
    parts = [x[i:i + 2] * 2 for i in range(0, x.shape[0], 2)]
    return torch.cat(parts), len(parts)
""")


def test_what_a_list_may_hold_is_not_written_behind_it():
    def f(x):
        parts = [x[i:] for i in range(x.shape[0])]
        x += 1
        return torch.cat(parts)

    with pytest.raises(gfx.GfxError, match="a list that a loop filled may hold it"):
        gfx.symbolic_trace(f)

    def taken(x):
        parts = [x[i:] * 1 for i in range(x.shape[0])]
        last = parts.pop()
        last += 1
        return last, parts

    with pytest.raises(gfx.GfxError, match="a list that a loop filled holds it"):
        gfx.symbolic_trace(taken)


def spread_out(x):
    return torch.hypot(*helper(x, 2))


def stood_up(x):
    return torch.vstack(helper(x, 2))


@pytest.mark.parametrize(
    "f, told",
    [
        (spread_out, r"spread with `\*` a list"),
        (stood_up, r"apply torch.vstack in this way to a list"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_such_a_list_cannot_take_is_told_with_what_to_do(f, told):
    with pytest.raises(gfx.GfxError, match=told):
        gfx.symbolic_trace(f)


# ---------------------------------------------------------------- behind an item of another shape
def _told(x):
    """As code that writes a text goes on behind a prompt."""
    parts, last = [x], x[:, -1:]
    for _ in range(3):
        last = last * 2 - 1
        parts.append(last)
    return parts


def _joined(x):
    return torch.cat(_told(x), 1)


def _taken(x):
    parts = _told(x)
    return parts.pop(), parts[0], parts[-1], len(parts), torch.cat(parts[::-1], 1)


def _gone_over(x):
    return [part.sum() * i for i, part in enumerate(_told(x))], sum(part.sum() for part in _told(x))


@pytest.mark.parametrize("fn", [_joined, _taken, _gone_over])
@pytest.mark.parametrize("dynamic", [False, True])
def test_a_list_begins_with_an_item_of_another_shape_than_those_of_its_loop(fn, dynamic):
    for to in ("torch", "jax"):
        result = gfx.transpile(fn, X, to=to, dynamic=dynamic)
        for x in (X, X[:2, :2]) if dynamic else (X,):
            got, want = result(x if to == "torch" else jnp.asarray(x.numpy())), fn(x)
            for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5)


class Pyramid(torch.nn.Module):
    """Scales of a picture, each with a layer, a key and statistics of its own."""

    def __init__(self):
        super().__init__()
        self.scales = torch.nn.ModuleList([torch.nn.LazyLinear(2) for _ in range(3)])

    def forward(self, x):
        scales = [x]
        for _ in range(2):
            scales.append(scales[-1][:, ::2])
        found = {}
        for i, (scale, layer) in enumerate(zip(scales, self.scales)):
            self.last = scale.mean(dim=tuple(range(1, scale.ndim)))
            found[f"scale_{i}"] = layer(scale) + self.last[:, None]
        return found, [low.sum() * high.sum() for low, high in zip(scales[1:], scales[:-1])], self.last


@pytest.mark.parametrize("dynamic", [False, True])
def test_python_runs_over_a_list_that_a_loop_of_fixed_length_has_filled(dynamic):
    model, x = Pyramid(), torch.randn(3, 8)
    model(x)
    for to in ("torch", "jax"):
        result = gfx.transpile(model, x, to=to, dynamic=dynamic)
        for x in (torch.randn(3, 8), torch.randn(2, 8)) if dynamic else (x,):
            got, want = result(x if to == "torch" else jnp.asarray(x.numpy())), model(x)
            for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
                np.testing.assert_allclose(np.asarray(a) if to == "jax" else a.detach(), b.detach(), rtol=1e-5)
