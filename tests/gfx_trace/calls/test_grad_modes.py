"""Gradient modes are state: what is recorded, and what a write leaves, is as PyTorch has it, in every target."""

import contextlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError
from recapture import load_source

XS = np.array([[1.5, -2.0, 3.0], [0.5, 1.0, -0.25]], np.float32)
CASES = []


def case(fn):
    CASES.append(fn)
    return fn


# ---------------------------------------------------------------------- modes
@case
def enabled_inside(x):
    with torch.no_grad(), torch.enable_grad():
        y = x * 2
    return y + x


@case
def set_by_a_call(x):
    torch.set_grad_enabled(False)
    y = x * 2
    torch.set_grad_enabled(True)
    return y + x


@case
def set_back_to_what_it_was(x):
    before = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    y = x * x
    torch.set_grad_enabled(before)
    return x * y


@case
def set_by_a_manager(x):
    with torch.set_grad_enabled(False):
        y = x * 2
        with torch.set_grad_enabled(mode=True):
            z = x * 3
    return y * x + z


@case
def set_to_what_is_asked(x):
    with torch.set_grad_enabled(False):
        y = x * 2 if torch.is_grad_enabled() else x * 3
    return y + (x if torch.is_grad_enabled() else 0)


@case
def inference(x):
    with torch.inference_mode():
        with torch.enable_grad():
            y = x * 2 if torch.is_grad_enabled() and torch.is_inference_mode_enabled() else x
    return y + x


@case
def inference_switched_off(x):
    with torch.no_grad():
        with torch.inference_mode(False):
            y = x * 2 if torch.is_grad_enabled() else x
        z = x * 3
    return y + z + x


@torch.no_grad()
def doubled(x):
    return x * 2


@torch.no_grad
def doubled_bare(x):
    return x * 2


@torch.enable_grad()
def recorded(x):
    return x * 2


@torch.set_grad_enabled(False)
def unrecorded(x):
    return x * 2


@torch.inference_mode(False)
def inferred(x):
    return x * 2


@torch.no_grad()
def multiples(x):
    for i in range(3):
        yield x * i


class Methods:
    @torch.no_grad()
    def usual(self, x):
        return x * 2

    @staticmethod
    @torch.no_grad()
    def static(x):
        return x * 3

    @classmethod
    @torch.no_grad()
    def of_class(cls, x):
        return x * 4


@case
def decorated(x):
    return doubled(x) * x + doubled_bare(x) * x * 3 + unrecorded(x) * x * 5


@case
def decorated_to_be_recorded(x):
    with torch.no_grad():
        y, z = recorded(x), inferred(x)
    return y * x + z * x * 2


@case
def decorated_inside(x):
    @torch.no_grad()
    def h(a):
        return a * 2

    return h(x) * x + h(x + 1) + torch.no_grad()(lambda a: a * 3)(x) * x


@case
def decorated_generator(x):
    total = torch.zeros_like(x)
    for part in multiples(x):
        total = total + part * x
    return total


@case
def decorated_methods(x):
    methods = Methods()
    return methods.usual(x) * x + methods.static(x) * x + Methods.of_class(x) * x


MADE = torch.no_grad()


@contextlib.contextmanager
def frozen():
    with torch.no_grad():
        yield


@frozen()
def frozen_double(x):
    return x * 2


class Frozen(contextlib.ContextDecorator):
    def _recreate_cm(self):
        return Frozen()

    def __enter__(self):
        self.before = torch.is_grad_enabled()
        torch.set_grad_enabled(False)

    def __exit__(self, *error):
        torch.set_grad_enabled(self.before)


@Frozen()
def frozen_triple(x):
    return x * 3


@case
def managers_of_others(x):
    with MADE:
        y = x * 2
    with frozen():
        z = x * 3
    return y * x + z * x + frozen_double(x) * x + frozen_triple(x) * x


@case
def managers_without_with(x):
    manager = torch.no_grad()
    manager.__enter__()
    y = x * 2
    manager.__exit__(None, None, None)
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        z = x * 3
        stack.enter_context(MADE)
    MADE.__enter__()
    w = x * 5
    MADE.__exit__(None, None, None)
    return y * x + z * x + w * x


@case
def left_by_an_error(x):
    try:
        with torch.no_grad():
            y = x * 2
            raise ValueError
    except ValueError:
        return y * x


# ---------------------------------------------------------------------- around and inside of tests and loops
@case
def around_a_test(x):
    y = x * 2
    with torch.no_grad():
        if x.sum() > 2:
            y += x
        else:
            y = y * 3
    return y * x


@case
def inside_a_test(x):
    y = x * 2
    if x.sum() > 2:
        with torch.no_grad():
            y += x
    return y * x


@case
def left_as_it_was_by_both_sides(x):
    if x.sum() > 2:
        torch.set_grad_enabled(False)
        y = x * 2
        torch.set_grad_enabled(True)
    else:
        y = x * 3
    return y + x


@case
def returned_early(x):
    with torch.no_grad():
        if x.sum() > 2:
            return x * 2
        y = x * 3
    return y * x


@case
def passed_through(x):
    with torch.no_grad():
        y = x if x.sum() > 2 else x * 2
    return y * y


@case
def inside_a_loop(x):
    y = x * 2
    for _ in range(3):
        with torch.no_grad():
            y += x
        y = y * x
    return y


@case
def inside_a_while(x):
    y = x * 2
    while y.abs().sum() < 50:
        with torch.no_grad():
            y *= 2
        y = y + x
    return y + x


@case
def around_a_while(x):
    y = x * 2
    with torch.no_grad():
        while y.abs().sum() < 50:
            y = y * 2 + x
    return y + x


@case
def set_in_each_trip(x):
    y = x
    for i in range(3):
        y = y * x
        torch.set_grad_enabled(i % 2 == 1)
    torch.set_grad_enabled(True)
    return y * x


@case
def around_a_comprehension(x):
    with torch.no_grad():
        parts = [x * i for i in range(3)]
    return sum(part * x for part in parts)


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


@case
def around_a_function_with_its_own_gradient(x):
    with torch.no_grad():
        y = Twice.apply(x)
    return y * x + Twice.apply(x)


# ---------------------------------------------------------------------- writes
@case
def written_with_a_number(x):
    y = x * 2
    with torch.no_grad():
        y += 1
    return y


@case
def written_with_data(x):
    y = x * 2
    with torch.no_grad():
        y *= x
    return y * y


@case
def overwritten(x):
    y, z, w = x * 2, x * 3, x * 5
    with torch.no_grad():
        y.copy_(x * x)
        z.fill_(2.0)
        torch.nn.functional.relu_(w)
    return y * x + z * x + w * x


@case
def items_written(x):
    y, z, w = x * 2, x * 3, x * 5
    with torch.no_grad():
        y[0] = x[1]
        z[0] += x[1]
        w[w > 1] = 0
    return y * x + z * x + w * x


@case
def a_view_written(x):
    y = x * 2
    v = y[1:]
    with torch.no_grad():
        v.mul_(2)
    return y[:1] * 3 + y.sum() * x.sum() + v.sum() * x[1]


@case
def bound_anew(x):
    y = x * 2
    with torch.no_grad():
        y = y + 1
    return y * x


@case
def whole_numbers_written(x):
    n = (x * 2).long()
    with torch.no_grad():
        n += 1
    return x * n


@case
def detached_and_written(x):
    y, z, w = x * 2, x * 3, x * 5
    y.detach().add_(1)
    z.data.mul_(3)
    w.data[0] = 5.0
    return y * x + z * x + w * x


@case
def a_row_detached_and_written(x):
    y, z = x * 2, x * 3
    y[1:].detach().mul_(x[1:])
    z.data.clamp_(-1, 1)
    return y * x + z * x


@case
def data_set(x):
    y = x * 2
    y.data = x * 3
    return y * x


@case
def what_is_detached_has_a_gradient_of_its_own(x):
    y = x * 2
    d = y.detach()
    d += x
    y += 1
    return d * 2 + y


@case
def it_has_it_behind_a_test(x):
    y = x * 2
    d = y.detach()
    if x.sum() > 2:
        d += x
    return d * 2 + y * x


@case
def it_has_it_behind_a_loop(x):
    y = x * 2
    d = y.detach()
    for _ in range(4):
        d += x
        y *= 2
    return d * 2 + y * x


@case
def parameters(x):
    p = torch.nn.Parameter(torch.ones(3))
    p.data.copy_(x * x)
    return p * x + torch.nn.Parameter(x) * 3 * x


@case
def numbers(x):
    return x * float(x[0]) + x[1].item() * x


# ----------------------------------------------------------------------
def gradient(fn, x):
    x = torch.tensor(x, requires_grad=True)
    y = fn(x)
    (found,) = torch.autograd.grad(y.sum(), [x]) if y.requires_grad else [torch.zeros(3)]
    return y.detach().numpy(), found.numpy()


def gradient_in_jax(fn, x, forward):
    """`forward`: a loop that data ends has no reverse mode in JAX."""
    derive = jax.jacfwd if forward else jax.grad
    found = jax.jit(derive(lambda x: (fn(x).sum(), fn(x)), has_aux=True))
    found, y = found(jnp.asarray(x))
    return np.asarray(y), np.asarray(found)


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("fn", CASES, ids=lambda fn: fn.__name__)
def test_gradients_are_those_of_pytorch(fn, level):
    program = gfx.symbolic_trace(fn, *[torch.tensor(XS[0])] * level, backend="torch")
    emitted = load_source(program.source("torch"))
    functions = [program, getattr(emitted, fn.__name__)]
    if level == 0:
        functions.append(gfx.symbolic_trace(functions[1], backend="torch"))
    for x in XS:
        wants = gradient(fn, x)
        for found in (
            *(gradient(f, x) for f in functions),
            gradient_in_jax(program.to("jax"), x, "while" in fn.__name__),
        ):
            np.testing.assert_allclose(found[0], wants[0], rtol=1e-5)
            np.testing.assert_allclose(found[1], wants[1], rtol=1e-5)


class Averaged(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.arange(1.0, 4.0))
        self.register_buffer("mean", torch.ones(3))

    def forward(self, x):
        with torch.no_grad():
            self.mean.mul_(0.9).add_(x, alpha=0.1)
        self.w.data.copy_(x * x)
        return self.w * x + self.mean


@pytest.mark.parametrize("level", [0, 1])
def test_what_is_written_to_a_parameter_has_no_gradient(level):
    x = torch.tensor(XS[0], requires_grad=True)
    model, captured = Averaged(), Averaged()
    program = gfx.symbolic_trace(captured, *[torch.ones(3)] * level)
    params = program.params_for("jax")
    moved = jax.grad(lambda p, x: program.module("jax").load()(p, x)[0].sum(), argnums=(0, 1))
    by_jax = moved(params, jnp.asarray(XS[0]))
    wants = torch.autograd.grad(model(x).sum(), [model.w, x])
    found = torch.autograd.grad(program(x).sum(), [captured.w, x])
    for want, torchs, jaxs in zip(wants, found, (by_jax[0]["w"], by_jax[1])):
        np.testing.assert_allclose(torchs, want)
        np.testing.assert_allclose(jaxs, want)
    for name in ("w", "mean"):
        torch.testing.assert_close(getattr(captured, name), getattr(model, name))


def asks(x):
    if torch.is_grad_enabled():
        return x * 2
    return x * 3 if torch.is_inference_mode_enabled() else x * 5


def test_what_the_caller_has_is_asked_when_the_code_runs():
    program = gfx.symbolic_trace(asks, backend="torch")
    x = torch.ones(2)
    for mode in (contextlib.nullcontext, torch.no_grad, torch.inference_mode):
        with mode():
            for fn in (program, program.to("torch")):
                torch.testing.assert_close(fn(x), asks(x))
    assert jax.jit(program.to("jax"))(jnp.ones(2)).tolist() == [2, 2]


def stays_off(x):
    torch.set_grad_enabled(False)
    return x * 2


def hangs_on_data(x):
    if x.sum() > 2:
        torch.set_grad_enabled(False)
    y = x * 2
    torch.set_grad_enabled(True)
    return y


def hangs_on_an_argument(x, train=True):
    with torch.set_grad_enabled(train):
        return x * 2


def changes_from_trip_to_trip(x):
    y = x * 1
    while y.sum() < 50:
        y = y * 2 + x
        torch.set_grad_enabled(False)
    torch.set_grad_enabled(True)
    return y


@pytest.mark.parametrize(
    ("fn", "line"),
    [(stays_off, "set_grad_enabled"), (hangs_on_data, "y = x * 2"), (hangs_on_an_argument, "with torch"),
     (changes_from_trip_to_trip, "while")],
)  # fmt: skip
def test_a_mode_that_no_graph_can_hold_is_refused(fn, line):
    with pytest.raises(CaptureError, match="gradient") as error:
        gfx.symbolic_trace(fn, backend="torch")
    assert line in str(error.value)
    assert torch.is_grad_enabled()
