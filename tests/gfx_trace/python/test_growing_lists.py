"""Lists to which loops on tensor data append: what they hold behind the loop, and what may be read of them inside."""

import jax
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, UnsupportedConstruct

X = [-0.5, 0.5, 1.5]
OTHER = [2.0, -1.0, 0.25, 4.0]


def several_items_a_trip(x):
    outs = []
    for v in x:
        outs.append(v)
        outs.extend([v * 2, -v])
    return torch.stack(outs), len(outs)


def items_before(x):
    h = x[0] * 0
    outs = [h]
    for v in x:
        h = h * 0.5 + v
        outs.append(h)
    outs.append(x.max())
    return torch.stack(outs), outs[0], outs[-1]


def two_loops(x):
    outs = []
    for v in x:
        outs.append(v)
    for v in x:
        outs.append(-v)
    return torch.stack(outs), sum(outs)


def a_loop_in_a_loop(x):
    outs = []
    for a in x:
        outs.append(a)
        for b in x:
            outs.append(a * b)
        outs += [-a]
    return torch.stack(outs)


def two_names(x):
    outs, same = [], []
    same = outs
    for v in x:
        outs.append(v)
        same.append(v * 2)
    return torch.stack(outs), len(same)


def on_both_sides_of_a_test(x):
    outs = [x[0]]
    if x.sum() > 0:
        for v in x:
            outs.append(v)
    else:
        for v in x:
            outs.append(-v)
    return torch.stack(outs)


def truth_behind_the_loop(x):
    outs = []
    for v in x:
        outs.append(v * 2)
    return outs[-1] if outs else x.sum()


def last_of_the_trip(x):
    outs, total = [], x[0] * 0
    for v in x:
        outs.append(v * 2)
        total = total + outs[-1]
    return torch.stack(outs), total


CONVERT = [several_items_a_trip, items_before, two_loops, a_loop_in_a_loop, two_names, on_both_sides_of_a_test,
           truth_behind_the_loop, last_of_the_trip]  # fmt: skip


def plain(found):
    return [np.asarray(leaf).tolist() for leaf in jax.tree.leaves(found)]


@pytest.mark.parametrize("function", CONVERT)
@pytest.mark.parametrize("given", [False, True])
def test_behind_the_loop(function, given):
    program = gfx.symbolic_trace(function, *([torch.tensor(X)] if given else []), backend="torch", dynamic=given)
    for xs in (X, OTHER):
        want = plain(function(torch.tensor(xs)))
        assert plain(program(torch.tensor(xs))) == want
        assert plain(program.to("torch")(torch.tensor(xs))) == want
        assert plain(jax.jit(program.to("jax"))(np.float32(xs))) == want


def reads_its_length(x):
    outs = []
    for v in x:
        outs.append(v * len(outs))
    return torch.stack(outs)


def asks_whether_it_is_empty(x):
    outs = []
    for v in x:
        outs.append(v * 2 if outs else v)
    return torch.stack(outs)


def reads_the_item_before(x):
    outs = [x[0]]
    for v in x:
        outs.append(v + outs[-1])
    return torch.stack(outs)


def reads_by_place(x):
    outs = [x[0]]
    for v in x:
        outs.append(v + 1)
        outs.append(outs[1] * 2)
    return torch.stack(outs)


def adds_them_up(x):
    outs, total = [], x[0] * 0
    for v in x:
        outs.append(v)
        total = total + sum(outs)
    return total


def goes_over_it(x):
    outs, count = [], 0
    for v in x:
        outs.append(v)
        for _ in outs:
            count = count + 1
    return torch.stack(outs), count


def puts_it_first(x):
    outs = []
    for v in x:
        outs.insert(0, v)
    return torch.stack(outs)


def overwrites_it(x):
    outs = []
    for v in x:
        outs.append(v)
        outs[-1] = v * 2
    return torch.stack(outs)


def of_open_lengths(x):
    outs = []
    for i in range(x.shape[0]):
        for j in range(i):
            outs.append(x[i] * x[j])
    return torch.stack(outs)


def grows_a_tuple(x):
    outs = (x[0],)
    for v in x:
        outs = (*outs, outs[-1] * 0.5 + v)
    return outs


def keeps_the_last_three(x):
    held, outs = [], []
    for v in x:
        held.append(v)
        if len(held) > 3:
            held.pop(0)
        outs.append(torch.stack(held).sum())
    return torch.stack(outs)


def writes_an_item_and_appends(x):
    outs = [x[0], x[1]]
    for v in x:
        outs[0] = outs[0] + v
        outs.append(outs[0])
    return torch.stack(outs)


READ = [reads_its_length, asks_whether_it_is_empty, reads_the_item_before, reads_by_place, adds_them_up, goes_over_it,
        puts_it_first, overwrites_it, of_open_lengths, grows_a_tuple, keeps_the_last_three, writes_an_item_and_appends]  # fmt: skip


def alike(got, want):
    return len(got) == len(want) and all(np.allclose(a, b, rtol=1e-6) for a, b in zip(got, want))


@pytest.mark.parametrize("function", READ)
def test_what_was_there_before_the_trip_is_read(function):
    """Of JAX's arrays the loop is one of Python's; where the trips are fixed Python runs it."""
    program = gfx.symbolic_trace(function, backend="torch")
    for xs in (X, OTHER):
        want = plain(function(torch.tensor(xs)))
        assert plain(program(torch.tensor(xs))) == want
        assert plain(program.to("torch")(torch.tensor(xs))) == want
        for got in (jax.jit(program.to("jax"))(np.float32(xs)), program.to("numpy")(np.float32(xs))):
            assert alike(plain(got), want)
    given = gfx.symbolic_trace(function, torch.tensor(X))
    assert plain(given(torch.tensor(X))) == plain(function(torch.tensor(X)))


def until_it_is_small(x):
    outs = []
    while x.sum() > 0.1:
        x = x * 0.5
        outs.append(x.sum())
    return torch.stack(outs), len(outs)


def those_above(x):
    kept, at = [], []
    for i, v in enumerate(x):
        if v > 0:
            kept.append(v * 2)
            at.append(i)
    return kept, at


def on_one_side(x):
    outs = [x]
    if x.sum() > 1:
        outs.append(x * 2)
    return sum(outs), len(outs)


def up_to_a_break(x):
    outs = []
    for v in x:
        outs = [*outs, v * 3]
        if v > 1:
            break
    return torch.stack(outs)


def a_stack_of_work(x):
    work, total = [x], x.sum() * 0
    while work:
        y = work.pop()
        total = total + y.sum()
        if y.abs().max() > 0.5:
            work.append(y * 0.5)
            work.append(y * 0.25)
    return total


def descending(x):
    held = []
    for v in x:
        while held and held[-1] < v:
            held.pop()
        held.append(v)
    return torch.stack(held)


def numbers_until(x):
    found, total = [], x.sum()
    while total.item() > 0.1:
        total = total * 0.5
        found.append(total.item())
    return found, sum(found)


BY_DATA = [until_it_is_small, those_above, on_one_side, up_to_a_break, a_stack_of_work, descending, numbers_until]


@pytest.mark.parametrize("function", BY_DATA)
@pytest.mark.parametrize("given", [False, True])
def test_data_decide_how_many_there_are(function, given):
    """JAX's source runs where data are at hand: it compiles no list whose length they decide."""
    program = gfx.symbolic_trace(function, *([torch.tensor(X)] if given else []), backend="torch", dynamic=given)
    for xs in (X, OTHER):
        want = plain(function(torch.tensor(xs)))
        assert plain(program(torch.tensor(xs))) == want
        assert plain(program.to("torch")(torch.tensor(xs))) == want
        for target in ("jax", "numpy"):
            assert alike(plain(program.to(target)(np.float32(xs))), want)
    with pytest.raises(jax.errors.ConcretizationTypeError):
        jax.jit(program.to("jax"))(np.float32(X))


def test_the_source_of_a_list_that_grows():
    assert gfx.transpile(descending, to="torch").source.endswith("""
def descending(x):
    held = []
    for v in x:
        while held[-1] < v if len(held) else False:
            held[-1]
            held = held[:-1]
        held = [*held, v]
    return torch.stack(held)
""")


def written_by_later_trips(x):
    outs, h = [], x[0] * 0
    while h.sum() < 3:
        outs.append(h)
        h += 1
    return torch.stack(outs)


def written_behind_the_test(x):
    outs = []
    for v in x:
        y = v * 2
        if v > 0:
            outs.append(y)
        y += 1
    return outs


def written_behind_the_loop(x):
    outs, y = [], x * 1
    for v in x:
        if v > 0:
            outs.append(y)
    y += 1
    return outs


def begun_with(x):
    y = x * 1
    outs = [y]
    for v in x:
        if v > 0:
            outs.append(v)
    y += 1
    return outs


def taken_out(x):
    outs = [x * 1]
    for v in x:
        if v > 0:
            outs.append(x * v)
    outs[0] += 1
    return outs


def a_buffer(x):
    outs, held = [], np.zeros(3)
    for i in range(len(x)):
        held[i % 3] = x[i]
        if x[i] > 0:
            outs.append(held)
    return outs


def views_of_an_argument(x):
    outs = [x[: i + 1] for i in range(len(x))]
    x[0] = 5
    return outs


WRITTEN = [written_by_later_trips, written_behind_the_test, written_behind_the_loop, begun_with, taken_out]
WRITTEN_IN_NUMPY = [a_buffer, views_of_an_argument]


@pytest.mark.parametrize("function", [*WRITTEN, *WRITTEN_IN_NUMPY])
def test_a_write_in_place_to_what_it_holds_is_refused(function):
    with pytest.raises(CaptureError, match=r"in place, which '\w+' holds|cannot decide whether a write changes"):
        gfx.symbolic_trace(function, backend="numpy" if function in WRITTEN_IN_NUMPY else "torch")


def test_a_write_to_what_the_list_holds_is_refused():
    def writes(x):
        h = x[0] * 0
        outs = [h]
        for v in x:
            outs.append(v)
        h += 5
        return torch.stack(outs)

    with pytest.raises(UnsupportedConstruct, match="a list that a loop filled holds it"):
        gfx.symbolic_trace(writes, backend="torch")


JOINS = [
    lambda x: torch.stack(x.unbind(0)),
    lambda x: torch.stack(x.unbind(1), 1),
    lambda x: torch.stack(x.unbind(0)[::-1], dim=-1),
    lambda x: torch.cat(x.unbind(0)),
    lambda x: torch.cat(x.unbind(1), dim=-1),
    lambda x: torch.cat([row * 2 for row in x], dim=1),
]


@pytest.mark.parametrize("to", ["torch", "jax", "numpy"])
@pytest.mark.parametrize("fn", JOINS)
def test_rows_of_a_tensor_of_open_length_are_joined(fn, to):
    result, x = gfx.transpile(fn, backend="torch", to=to), np.arange(12.0, dtype=np.float32).reshape(2, 3, 2)
    array = {"torch": torch.from_numpy, "jax": jax.numpy.asarray, "numpy": np.asarray}[to]
    np.testing.assert_array_equal(np.asarray(result(array(x))), fn(torch.from_numpy(x)).numpy())


ROWS = {
    "kind": lambda x: (
        torch.is_tensor(x.unbind(0)),
        torch.jit.isinstance(x, torch.Tensor),
        isinstance(x.unbind(0), tuple),
        isinstance(list(x), list),
    ),
    "length": lambda x: len(x.unbind(1)),
    "item": lambda x: x.unbind(1)[-1],
    "slice": lambda x: torch.stack(x.unbind(0)[1:]),
    "result": lambda x: x.unbind(1),
    "loop": lambda x: sum(row * 2 for row in x.unbind(1)),
    "tuple": lambda x: torch.stack(tuple(x), 1),
    "truth": lambda x: x * 2 if x.unbind(0) else x,
    "twice": lambda x: torch.stack(x.unbind(0) * 2),
    "and more": lambda x: torch.stack(x.unbind(0) + (x[0],)),
}


@pytest.mark.parametrize("use", ROWS)
def test_the_rows_of_a_tensor_of_open_length_are_a_tuple(use):
    fn, x = ROWS[use], torch.arange(12.0).reshape(2, 3, 2)
    want, found = fn(x), gfx.symbolic_trace(fn, backend="torch").to("torch")(x)
    assert type(found) is type(want)
    torch.testing.assert_close(found, want, rtol=0, atol=0)


def test_rows_of_a_tensor_are_no_tensor():
    with pytest.raises((UnsupportedConstruct, AttributeError), match=r"rows of one tensor|'tuple' object has no"):
        gfx.symbolic_trace(lambda x: torch.stack(x.unbind(0).sum()), backend="torch")


def test_joined_rows_are_a_tensor_of_their_own():
    def fn(x):
        y = torch.stack(x.unbind(0))
        y += 1
        return y, x

    x = torch.ones(2, 2)
    for got, wanted in zip(gfx.transpile(fn, backend="torch", to="torch")(x.clone()), fn(x)):
        assert torch.equal(got, wanted)
    with pytest.raises(gfx.GfxError, match="how many there are is open"):
        gfx.symbolic_trace(lambda x: torch.vstack(x.unbind(0)), backend="torch")


def sorts_by_exchange(x):
    a = [float(v) for v in x]
    for i in range(len(a)):
        for j in range(len(a) - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a


def at_an_open_place(x, k: int):
    a = [v for v in x if v > -5]
    y = a.pop(k)
    a.insert(k, y * 2)
    a[k] = a[k] + 1
    return a, y


def picked(x):
    at = [i for i in range(len(x)) if x[i] > 0]
    return x[at], torch.tensor(at), at


def added_to_on_one_side(x):
    waiting, total = [x], x[0] * 0
    while waiting:
        part = waiting.pop()
        total = total * 0.5 + part.sum()
        if len(part) > 1:
            waiting += [part[: len(part) // 2], part[len(part) // 2 :]]
    return total


def of_two_names_on_one_side(x):
    outs = [v * 2 for v in x]
    same = outs
    if len(x) > 3:
        outs += [x[0]]
    same.append(x[1])
    return outs, len(same)


@pytest.mark.parametrize(
    "function, rest",
    [(sorts_by_exchange, ()), (at_an_open_place, (1,)), (at_an_open_place, (-2,)), (picked, ()), (added_to_on_one_side, ()),
     (of_two_names_on_one_side, ())],
)  # fmt: skip
def test_items_at_places_that_are_open(function, rest):
    program = gfx.symbolic_trace(function, backend="torch")
    for xs in (X, OTHER):
        want = plain(function(torch.tensor(xs), *rest))
        assert plain(program(torch.tensor(xs), *rest)) == want
        for target in ("jax", "numpy"):
            assert alike(plain(program.to(target)(np.float32(xs), *rest)), want)


def test_a_place_beyond_the_end_is_an_error():
    program = gfx.symbolic_trace(at_an_open_place, backend="torch")
    with pytest.raises(IndexError):
        program(torch.tensor(X), 7)


def sizes_of_levels(x):
    shapes = torch.as_tensor([(2, 3), (1, 4)])
    by_tensors, by_numbers = x.split([h * w for h, w in shapes]), x.split([int(h + w * 0) * 2 + 2 for h, w in shapes])
    return [part.sum() for part in by_tensors], by_numbers, torch.cartesian_prod(*[row * 2 for row in x.view(5, 2)[:2]])


@pytest.mark.parametrize("to", ["torch", "jax"])
def test_lists_of_known_length_are_given_item_by_item(to):
    x = torch.arange(10.0)
    found = gfx.transpile(sizes_of_levels, x, to=to)(x if to == "torch" else x.numpy())
    expected = sizes_of_levels(x)
    for a, b in zip([*found[0], *found[1], found[2]], [*expected[0], *expected[1], expected[2]], strict=True):
        assert np.array_equal(np.asarray(a), b)
