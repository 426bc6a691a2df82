"""Results that are what a call writes in place, or views of it: the author's code returns these very tensors, and so does a call."""

import collections
import copy
from functools import partial

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GuardError, UnsupportedConstruct
from gfx_ir.trees import leaves
from program_text import define

Pair = collections.namedtuple("Pair", "first second")


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.arange(4.0))
        self.register_buffer("last", torch.zeros(4))
        self.scale = torch.nn.Parameter(torch.ones(4))


class Itself(Counting):
    def forward(self, x):
        self.total.add_(x)
        return self.total


class Views(Counting):
    def forward(self, x):
        self.total += x
        return {"rest": self.total[1:], "two": Pair(self.total.view(2, 2), x * self.scale)}


class OldAndNew(Counting):
    def forward(self, x):
        before = self.total.clone()
        self.total.add_(x)
        return before, self.total


class Copied(Counting):
    def forward(self, x):
        y = x * 2
        self.total.copy_(y)
        return y


class WithoutGradient(Counting):
    def forward(self, x):
        with torch.no_grad():
            self.total.mul_(2)
        return self.total * self.scale, self.total


class Trained(Counting):
    def forward(self, x):
        self.total.add_(x * self.scale)
        return self.total, self.total[1:]


class ThroughTheView(Counting):
    def forward(self, x):
        row = self.total[1:3]
        for _ in range(3):
            row += x[0]
        return [row, (x,)]


def loaded(model, x, path):
    gfx.symbolic_trace(model, x).save(path / "program.json")
    return gfx.load(path / "program.json")


WAYS = {
    "program": lambda model, x, path: gfx.symbolic_trace(model, x),
    "open": lambda model, x, path: gfx.symbolic_trace(model),
    "transpiled": lambda model, x, path: gfx.transpile(model, x, to="torch"),
    "module": lambda model, x, path: gfx.transpile(model, x, to="torch").module(),
    "copied": lambda model, x, path: copy.deepcopy(gfx.transpile(model, x, to="torch").module()),
    "placed": lambda model, x, path: gfx.symbolic_trace(model, x).on("torch"),
    "loaded": loaded,
}


def tensors(result):
    if isinstance(result, torch.Tensor):
        return [result]
    return [x for item in (result.values() if isinstance(result, dict) else result) for x in tensors(item)]


def seen(call):
    """What results hold when they are made, behind all calls, and what the next call gives once they were written."""
    xs = [torch.full((4,), float(n)) for n in (1, 2, 3)]
    made = [tensors(call(x)) for x in xs[:2]]
    found = [x.detach().clone() for x in tensors(made)]
    last = tensors(call(xs[2]))
    found += [x.detach().clone() for x in tensors(made)]
    with torch.no_grad():
        for x in last:
            x.fill_(5.0)
    return [*found, *(x.detach().clone() for x in (*tensors(call(xs[0])), *xs))]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "model", [Itself, Views, OldAndNew, Copied, WithoutGradient, Trained, ThroughTheView], ids=lambda kind: kind.__name__
)  # fmt: skip
def test_a_result_is_the_buffer_that_is_written(model, way, tmp_path):
    for found, wanted in zip(seen(WAYS[way](model(), torch.ones(4), tmp_path)), seen(model()), strict=True):
        assert torch.equal(found, wanted)


class Replaced(Counting):
    def forward(self, x):
        before, self.last = self.last, self.last + x
        return before, self.last


@pytest.mark.parametrize("way", WAYS)
def test_what_replaces_a_buffer_is_another_one_in_each_call(way, tmp_path):
    calls = WAYS[way](Replaced(), torch.ones(4), tmp_path), Replaced()
    found, wanted = ([tensors(call(torch.ones(4))) for _ in range(3)] for call in calls)
    assert all(map(torch.equal, tensors(found), tensors(wanted)))


def scaled(x, c):
    x.mul_(2)
    return x


def row(x, c):
    x[0] = 1.0
    return x[0], x.T[1]


def through(x, c):
    y = x[1]
    y.mul_(2)
    return y


def chosen(x, c):
    x.add_(1)
    return x[0] if c > 0 else x[1]


def flat(x, c):
    x.zero_()
    return x.view(-1)[2:5], x.reshape(-1)


def rows(x, c):
    x.add_(1)
    return x.unbind(0), list(x)


def other(x, c):
    y = x + 1
    x.copy_(y)
    return y, x.clone(), x[[0, 1]], x + 0, x.double().float()


@pytest.mark.parametrize("function", [scaled, row, through, chosen, flat, rows, other])
@pytest.mark.parametrize("typed", [True, False])
def test_a_result_is_the_argument_that_is_written(function, typed):
    given = (torch.ones(3, 3), torch.tensor(1.0)) if typed else ()
    ways = gfx.symbolic_trace, partial(gfx.transpile, to="torch")
    for program in (way(function, *given, backend="torch") for way in ways):
        for c in (torch.tensor(1.0), torch.tensor(-1.0)):
            held = [(x, tensors(call(x, c))) for call in (program, function) for x in [torch.arange(9.0).reshape(3, 3)]]
            for x, found in held:
                for at, part in enumerate(found):
                    part += at + 1
            assert torch.equal(held[0][0], held[1][0])
            assert all(map(torch.equal, held[0][1], held[1][1]))
    x = torch.ones(3, 3)
    assert gfx.transpile(scaled, x, torch.tensor(1.0), to="torch")(x, torch.tensor(1.0)) is x


def test_a_view_of_an_argument_lies_in_it_as_in_the_authors_code():
    def parts(x):
        x += 1
        return x[1:, ::2], x.T[0], x

    program = gfx.symbolic_trace(parts, torch.ones(4, 6))
    for given in (lambda: torch.arange(24.0).view(6, 4).T, lambda: torch.arange(48.0).view(4, 12)[:, ::2]):
        found, wanted = ([x, *call(x)] for call in (program, parts) for x in [given()])
        for a, b in zip(found, wanted):
            assert (a.shape, a.stride(), a.storage_offset()) == (b.shape, b.stride(), b.storage_offset())
            assert a.data_ptr() - found[0].data_ptr() == b.data_ptr() - wanted[0].data_ptr()


def test_the_gradient_of_a_result_is_that_of_the_code():
    def scaled(x):
        x.mul_(3)
        return x[0], x.detach()

    for call in (gfx.symbolic_trace(scaled, torch.ones(2, 2)), scaled):
        weight = torch.ones(2, 2, requires_grad=True)
        x = weight * 1
        first, second = call(x)
        (gradient,) = torch.autograd.grad(first.sum(), weight)
        assert torch.equal(gradient, torch.tensor([[3.0, 3.0], [0.0, 0.0]])) and not second.requires_grad
        assert first.data_ptr() == second.data_ptr() == x.data_ptr()


def test_what_torch_func_transforms_has_no_memory_to_share():
    model = Trained()
    module = gfx.transpile(model, torch.ones(4), to="torch").module()
    found = []
    for called in (module, model):
        held = {name: x.clone() for name, x in called.named_buffers()}

        def loss(weights, held, called=called):
            return torch.func.functional_call(called, (weights, held), (torch.ones(4),))[1].square().sum()

        found.append(torch.func.grad(loss)({name: x.detach() for name, x in called.named_parameters()}, held)["scale"])
    assert torch.equal(*found) and found[0].any()


def test_arguments_share_memory_on_any_device():
    def moved(x, y):
        x += y
        return x

    program = gfx.transpile(moved, torch.ones(2, 3), torch.ones(2, 3), to="torch")
    for device in ("cpu", "meta"):
        x = torch.ones(3, 6, device=device)
        with pytest.raises(GuardError, match="share memory"):
            program(x[:2, :3], x[1:, :3])
        assert program(x[:2, ::2], x[:2, 1::2]).device.type == device


def test_arrays_of_numpy_that_are_written_are_results():
    def moved(x, table):
        x += 1
        table["mean"][...] = x.mean()
        return x, x[::-1], {"mean": table["mean"], "row": x[1]}, x[0, 0]

    def given():
        return np.arange(6.0).reshape(3, 2), {"mean": np.zeros(2)}

    for program in (gfx.symbolic_trace(moved, *given()), gfx.transpile(moved, *given(), to="numpy")):
        args = given()
        x, turned, held, number = program(*args)
        assert x is args[0] and held["mean"] is args[1]["mean"]
        assert all(np.shares_memory(part, x) for part in (turned, held["row"]))
        x[...] = 7
        assert (turned == 7).all() and (held["row"] == 7).all() and number == 1.0


def first(x):
    number, part = x[0], x[:1]
    x[0] = 42.0
    return number, part


def each(x):
    a, b, c, d = x
    x *= 0
    return a, {"b": b}, [c, d]


def greatest(x):
    best = x[0]
    for v in x:
        if v > best:
            best = v
    x[:] = 0
    return best


def either(x):
    number = x[0] if x[1] > 2 else x[2]
    x += 1
    return number, x[-1]


def cast(x):
    copied = x.astype(float), np.array(x), x.copy()[1:]
    x -= 5
    return copied


class Kept:
    def __init__(self):
        self.held = np.arange(4.0)

    def __call__(self, x):
        number = self.held[1]
        self.held += x
        return number, self.held


@pytest.mark.parametrize("given", [(), (np.ones(4),)], ids=["open", "given"])
@pytest.mark.parametrize("make", [lambda f=f: f for f in (first, each, greatest, either, cast)] + [Kept])
def test_numbers_of_numpy_that_are_views_in_pytorch_stay_what_they_were(make, given):
    plain, moved = make(), gfx.transpile(make(), *given, to="torch", backend="numpy")
    program = gfx.symbolic_trace(make(), *given, backend="numpy")
    for _ in range(3):
        args = [np.array([1.0, 3.0, -2.0, 0.5]) for _ in range(2)]
        x = torch.tensor(args[0])
        want, found, own = leaves(plain(args[0])), leaves(moved(x)), leaves(program(args[1]))
        for a, b, c in zip([*want, args[0]], [*found, x], [*own, args[1]], strict=True):
            np.testing.assert_array_equal(b, a)
            np.testing.assert_array_equal(c, a)


def test_jax_gives_arrays_of_their_own():
    program = gfx.transpile(Itself(), torch.ones(4), to="jax")
    first, second = program(np.ones(4, "float32")), program(np.ones(4, "float32"))
    assert np.allclose(first, np.arange(4) + 1) and np.allclose(second, np.arange(4) + 2)


class OpenParts(Counting):
    """Which parts the result has hangs on a number of Python's."""

    def forward(self, x, n: int):
        self.total.add_(x)
        if n > 2:
            return {"last": self.last}
        return self.total[:2], n, [self.total]


def test_parts_that_a_result_has_on_one_side_of_a_test_are_the_very_tensors_there():
    model = OpenParts()
    program = gfx.symbolic_trace(model, backend="torch")
    x = torch.ones(4)
    first, _, (whole,) = program(x, 1)
    assert whole is model.total
    program(x, 3)
    torch.testing.assert_close(first, torch.arange(2.0) + 2)


class Holder:
    def __init__(self):
        self.v, self.w = torch.arange(3.0), torch.zeros(3)
        self.rows = [self.v, self.w + 1]


@pytest.mark.parametrize(
    "write",
    ["m.w.add_(x); m.w = m.v", "m.rows[1].mul_(2); m.rows[1] = m.rows[0][:]", "r = m.w * 1; m.v += x; m.w = m.v"],
)
def test_a_tensor_that_is_put_at_a_second_place_and_written_in_place_is_refused(write):
    with pytest.raises(UnsupportedConstruct, match="gets a tensor that stands elsewhere, too"):
        gfx.symbolic_trace(writing(write, "m.w * 1"), torch.ones(3))


@pytest.mark.parametrize(
    "write", ["m.v.add_(x); m.v, m.w = m.w, m.v", "m.v.add_(x); m.w = m.v", "m.w.add_(x); m.w = m.v.clone()"]
)
def test_tensors_that_change_places_are_told_apart(write):
    results = [
        [f(torch.ones(3) * n).clone() for n in range(1, 4)]
        for f in (writing(write, "m.w * 1"), gfx.symbolic_trace(writing(write, "m.w * 1"), torch.ones(3)))
    ]
    torch.testing.assert_close(*results)


@pytest.mark.parametrize("given", ["m.rows", "vars(m)", "dict(vars(m))"])
def test_what_a_result_holds_of_an_object_is_met_there(given):
    with pytest.raises(UnsupportedConstruct, match="'v' held before is met elsewhere, too"):
        gfx.symbolic_trace(writing("m.v = m.v + x", given), torch.ones(3))


def writing(statements, result):
    """A function of one holder."""
    return define(f"def f(x):\n    {statements}\n    return {result}\n", "<writing>", m=Holder())
