"""How emitted code spells what could be spelled in a slower way."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax import lax

import gfx_trace as gfx
from gfx_ir.errors import GfxError


def settled(x, y):
    while not torch.equal(x, y):
        x, y = torch.floor(x / 2), x
    return x


def doubled(x, n):
    shift = 1
    while shift < n:
        x = x + torch.roll(x, int(shift))
        shift *= 2
    return x


def clipped(x, limit):
    for i in range(4):
        if x.sum() > limit:
            x = x * 0.5
        x = x + i
    return x


def test_a_test_takes_the_boolean_that_a_call_gives():
    assert "while not torch.equal(x, y):" in gfx.symbolic_trace(settled).source("torch")
    same = gfx.symbolic_trace(lambda x, y: torch.equal(x, y) & True)
    assert "return torch.equal(x, y) & True" in same.source("torch")
    array = gfx.symbolic_trace(lambda x, y: jnp.array_equal(x, y) & True)
    assert "torch.tensor(torch.equal(x, y))" in array.source("torch")


def test_a_carried_number_stays_a_number():
    program = gfx.symbolic_trace(doubled)
    assert "torch.roll(x, int(shift))" in program.source("torch")
    x = torch.tensor([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_allclose(program(x, torch.tensor(3)), doubled(x, torch.tensor(3)))


def test_a_short_loop_that_tests_data_is_one_loop():
    program = gfx.symbolic_trace(clipped)
    for options, spelled in (({}, "lax.fori_loop(0, 4"), ({"unroll": True}, "for i in range(4):")):
        assert spelled in program.source("jax", **options)
        for start in (1.0, 20.0):
            x, limit = np.full(3, start, np.float32), np.float32(6)
            want = clipped(torch.tensor(x), torch.tensor(limit))
            np.testing.assert_allclose(program.to("jax", **options)(x, limit), want, 1e-6)


def any_between(xs, low, high):
    found = False
    for x in xs:
        found = found or (x > low and x < high)
    return found


def unless_both(x, y):
    a = x.sum() > 0
    b = y.sum() > 0
    if not (a and b):
        return x
    return x + y


def until_large(x, done: bool = False):
    while not done:
        x = x * 2
        done = not (x.sum() < 10)
    return x


def not_small(x):
    small = not (x.sum() > 3)
    if not small:
        return x * 2
    return x


def counted(x, limit):
    steps = 0
    while x.sum() < limit:
        x = x * 2
        steps = steps + 1
    return x, steps


def relaxed(x, w, tol):
    while (r := torch.tanh(w @ x) - x).abs().max() > tol:
        x = x + 0.5 * r
    return x


def kept(boxes):
    keep = torch.ones(boxes.shape[0], dtype=torch.bool)
    for i in range(boxes.shape[0]):
        if keep[i]:
            keep = keep & (torch.arange(boxes.shape[0]) != i + 1)
    return keep


def shifted(p, limit):
    remove = p.cumsum(0) > limit
    remove[1:] = remove[:-1].clone()
    remove[0] = False
    return p.masked_fill(remove, 0.0)


def distances(points, centers):
    d = torch.sum((points[:, None, :] - centers[None, :, :]) ** 2, dim=-1)
    return d.argmin(dim=1)


def conjugate(a, b, x, tol=1e-6):
    def going(state):
        _, _, rs = state
        return rs > tol

    def step(state):
        x, r, _ = state
        x = x + 0.1 * r
        r = b - a @ x
        return x, r, r @ r

    r = b - a @ x
    x, _, rs = lax.while_loop(going, step, (x, r, r @ r))
    return x, rs


def doubling(x):
    return lax.while_loop(lambda v: v.sum() < 100, lambda v: v * 2, x)


def by_key(x):
    def step(state):
        return {"x": state["x"] * 2, "n": state["n"] + 1}

    state = lax.while_loop(lambda state: state["x"].sum() < 100, step, {"x": x, "n": 0})
    return state["x"], state["n"]


def at_once(x):
    low, high = x[0] - 1, x[1] + 1
    parts = torch.zeros_like(x)
    parts[0], parts[1] = low * 2, high
    low, high = high * 2, low  # neither may be read behind the other
    return parts, low, high


def mapped(x):
    large = torch.stack([row * 2 if row.sum() > 3 else row for row in x])
    sums = torch.stack([row.sum() for row in large])
    if torch.stack([row.max() for row in x]).sum() > 0:
        sums = sums + large.sum()
    return sums


def run_lengths(x):
    values, counts = torch.zeros_like(x), torch.zeros_like(x)
    values[0], counts[0], k = x[0], 1, 0
    for i in range(1, x.shape[0]):
        if x[i] == values[k]:
            counts[k] += 1
        else:
            k += 1
            values[k], counts[k] = x[i], 1
    return values, counts, k


def written_as_given(x, n):
    out = torch.zeros(2, dtype=torch.float64)
    for i in range(n):
        out[i] = x[i]
    return out


def paired(h, x):
    outs = [h, h + 1]
    for row in x:
        h = 0.5 * h + row
        outs.append(h)
        outs.append(h * 2)
    return torch.stack(outs), h


def written_behind(x):
    h = torch.zeros(2)
    outs = [h]
    for row in x:
        h = h.clone()
        h[0] = h[0] + row.sum()
        outs.append(h)
    return torch.stack(outs)


def listed(x):
    return [row * 2 for row in x]


def places_change(a, b, n):
    while n > 0:
        a, b, n = b, a + b, n - 1
    return a, b


def counted_from_one(x):
    where = 0
    for i, v in enumerate(x, start=1):
        if v > 1:
            where = i
    missing = where == 0
    if missing and x.sum() > 0:
        where = -1
    return where


def found(x, limit):
    k = -1
    for i, v in enumerate(x):
        if v > limit:
            k = i
            break
    else:
        k = 100
    return k


def tallied(x):
    counts = torch.zeros(3, dtype=torch.int32)
    for v in x:
        if 0 < v < 3 and v != 2:
            counts[1] += 1
            counts[1:] += 2
    return counts


def masked(x):
    y = torch.zeros_like(x)
    if x.sum() > 0:
        y = x * 2
        y[y < 3] = 0
    return y


A, B = np.float32([[2, 0], [0, 3]]), np.float32([1, 2])
CASES = {
    any_between: ([B, np.float32(1.5), np.float32(3)], [B, np.float32(2), np.float32(3)]),
    unless_both: ([B, -B], [B, B]),
    until_large: ([B],),
    not_small: ([B], [B + 1]),
    counted: ([B, np.float32(20)],),
    relaxed: ([B, A / 4, np.float32(1e-2)],),
    kept: ([A],),
    shifted: ([np.float32([0.5, 0.3, 0.2]), np.float32(0.6)],),
    distances: ([A, A[::-1].copy()],),
    conjugate: ([A, B, np.zeros(2, np.float32)],),
    doubling: ([B],),
    by_key: ([B],),
    at_once: ([B],),
    mapped: ([A], [-A]),
    paired: ([B, A], [B, A[:1]]),
    places_change: ([B, B * 2, np.int64(3)], [B, B, np.int64(0)]),
    counted_from_one: ([B], [-B], [np.float32([2, 0])]),
    found: ([B, np.float32(1)], [B, np.float32(5)]),
    tallied: ([np.float32([1, 2, 2.5, 0])],),
    masked: ([B], [-B]),
    written_behind: ([A],),
    listed: ([A],),
    run_lengths: ([np.float32([1, 1, 2, 2, 2, 3])], [np.float32([5, 5])]),
    written_as_given: ([B, np.int64(2)], [B, np.int64(0)]),
}
SPELLED = [
    (any_between, "torch", "", "found = found or x > low and x < high"),
    (unless_both, "torch", "hop", "torch.cond(~(a & b), "),
    (unless_both, "jax", "", "lax.cond(~(a & b), "),
    (until_large, "torch", "hop", "return ~done"),
    (until_large, "jax", "", "return jnp.logical_not(done)"),  # `~` of True, which jax.disable_jit leaves, holds
    (not_small, "jax", "", "return lax.cond(jnp.sum(x) > 3, lambda: x * 2, lambda: x)"),
    (counted, "torch", "", "steps += 1"),
    (relaxed, "torch", "", "torch.abs(r := torch.tanh(w @ x) - x)"),
    (kept, "torch", "", "if keep[i]:"),
    (kept, "jax", "", "lax.cond(keep[i], "),
    (shifted, "torch", "", "remove[1:] = remove[:-1].clone()"),
    (shifted, "torch", "hop", "remove[0] = False"),
    (distances, "torch", "", "d = torch.sum((points[:, None, :] - centers[None, :, :]) ** 2, dim=-1)"),
    (conjugate, "torch", "", "while rs > tol:"),
    (conjugate, "torch", "hop", "x, _, rs = torch.while_loop("),
    (conjugate, "jax", "", "x, r, _ = carry"),
    (doubling, "jax", "", "def body(v):"),
    (by_key, "jax", "", "x, n = carry"),
    (at_once, "torch", "", "low, high = x[0] - 1, x[1] + 1"),
    (at_once, "torch", "", "parts[0], parts[1] = low * 2, high"),
    (at_once, "jax", "", "low, high = x[0] - 1, x[1] + 1"),
    (places_change, "torch", "", "a, b = b, a + b"),
    (counted_from_one, "torch", "", "for i, v in enumerate(x, 1):"),
    (found, "torch", "", "if not done:"),
    (tallied, "jax", "", "counts.at[1].add(1)"),
    (tallied, "jax", "", ".at[1:].add(2)"),
    (tallied, "jax", "", "lax.cond((v > 0) & (v < 3) & (v != 2), "),
    (masked, "jax", "", "jnp.where(y < 3, "),
    (paired, "torch", "", "outs = [h, h + 1]"),
    (paired, "torch", "", "return torch.stack(outs), h"),
    (written_behind, "torch", "", "outs = [h]"),
    (listed, "torch", "", "return [row * 2 for row in x]"),
    (run_lengths, "torch", "hop", "values.index_put((k_1,), x[i[None]][0])"),
    (run_lengths, "torch", "hop", "== values[k[None]][0], then, otherwise)"),
    (written_as_given, "torch", "hop", "put_at(out, i, x[i[None]][0])"),  # a cast
    (mapped, "torch", "", "large = torch.stack([row * 2 if torch.sum(row) > 3 else row for row in x])"),
    (mapped, "torch", "", "if torch.sum(torch.stack([torch.max(row) for row in x])) > 0"),
]


@pytest.mark.parametrize("fn, target, mode, text", SPELLED, ids=[f"{f.__name__}-{t}{m}" for f, t, m, _ in SPELLED])
def test_what_its_author_would_have_written(fn, target, mode, text):
    flavour = "jax" if fn in (conjugate, doubling, by_key) else "torch"
    options = {"mode": mode} if mode else {}
    program = gfx.symbolic_trace(fn, backend=flavour)
    source = program.source(target, **options)
    assert text in source
    run = program.to(target, **options)
    for args in CASES[fn]:
        want = fn(*(jnp.asarray(x) if flavour == "jax" else torch.tensor(x) for x in args))
        got = run(*(torch.tensor(x) if target == "torch" else jnp.asarray(x) for x in args))
        for a, b in zip(jax.tree.leaves(want), jax.tree.leaves(got), strict=True):
            np.testing.assert_allclose(a, b, 1e-5)


def trailing(n, x, y):
    for _ in range(n):
        x, y = x * 2, y + x
    return x, y


def test_what_the_test_of_a_loop_does_not_read_has_no_names():
    source = gfx.symbolic_trace(trailing, backend="torch").source("torch", mode="hop")
    assert "def cond(i, *_):" in source


def far_from_its_test(x):
    m = x > 0
    for _ in range(10):
        m = m.reshape(-1)
    return torch.logical_not(m)


def straight_from_its_test(x):
    m = x.sum(0) > 0
    return torch.logical_not(m.T.T.T.T.T.T.T.T.T.T)


@pytest.mark.parametrize("function", [far_from_its_test, straight_from_its_test])
@pytest.mark.parametrize("target", ["torch", "jax"])
def test_a_mask_is_one_however_long_the_way_to_it(function, target):
    assert "return ~" in gfx.symbolic_trace(function, backend="torch").source(target)


def test_a_truth_is_one_however_long_the_way_to_it():
    def chosen(x):
        t = (
            (x.sum() > 0)
            .reshape(())
            .reshape(())
            .reshape(())
            .reshape(())
            .reshape(())
            .reshape(())
            .reshape(())
            .reshape(())
        )
        return x if t.reshape(()).reshape(()) else x + 1

    assert "return x if t.reshape(()).reshape(()) else x + 1" in gfx.symbolic_trace(chosen, backend="torch").source(
        "torch"
    )


def later_index(x, n):
    s = 0
    for i in range(n):
        if x.sum() > i:
            s = i // 2
        else:
            s = 2
    return s


@pytest.mark.parametrize("dtype", ["int16", "int32", "int64"])
def test_an_index_has_the_dtype_of_its_bound_on_a_side_of_a_test(dtype, wide):
    run = gfx.symbolic_trace(later_index, backend="torch").to("jax")
    for start in (9.0, 0.0):
        want = later_index(torch.tensor([start]), torch.tensor(4))
        assert int(run(np.array([start]), np.array(4, dtype))) == int(want)


@pytest.mark.parametrize("to", ["jax", "numpy"])
def test_an_argument_hides_no_helper(to):
    def accuracy(output, topk=(1, 2)):
        _, pred = output.topk(max(topk), 1)
        return [pred[:, :k].sum() for k in topk]

    x = torch.tensor([[1.0, 3.0, 2.0], [0.5, -1.0, 4.0]])
    result = gfx.transpile(accuracy, x, to=to)
    assert [int(found) for found in result(jnp.asarray(x) if to == "jax" else x.numpy())] == [3, 5]


def test_numbers_that_python_computes_stand_in_lists_as_tensors():
    def rotated(v):
        t = np.pi / 4
        return v @ np.array([[np.cos(t), -np.sin(t), 0], [np.sin(t), np.cos(t), 0], [0, 0, 1]]).T

    x = np.arange(6.0).reshape(2, 3)
    for to, array in (("torch", torch.from_numpy), ("numpy", np.asarray)):
        np.testing.assert_allclose(gfx.transpile(rotated, x, to=to)(array(x)), rotated(x))


def test_a_root_of_what_may_be_negative_is_refused_also_where_its_kind_is_open():
    for fn in (lambda g: g.item() ** 0.5, lambda g: float(g) ** 0.5):
        with pytest.raises(GfxError, match="complex for a negative number"):
            gfx.symbolic_trace(fn, backend="torch").source("jax")
    for fn in (lambda g: g.item() ** 2, lambda g: abs(g.item()) ** 0.5, lambda g: g.shape[0] ** 0.5):
        assert "**" in gfx.symbolic_trace(fn, backend="torch").source("jax")
