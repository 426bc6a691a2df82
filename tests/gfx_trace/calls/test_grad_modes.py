"""Gradient modes are state: what is recorded, and what a write leaves, is as PyTorch has it, in every target."""

import contextlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from aliasing import Programs
from gfx_ir.errors import CaptureError
from gradient_modes import XS, assert_gradients, gradient, gradient_in_jax
from recapture import load_source

case = Programs()


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
def set_to_whether_inference_is_on(x):
    with torch.set_grad_enabled(torch.is_inference_mode_enabled()):
        y = x * 2
    return y * x


@case
def inference_where_gradients_are_enabled(x):
    with torch.inference_mode(torch.is_grad_enabled()):
        y = x * 2
    return y + x


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


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("fn", case, ids=lambda fn: fn.__name__)
def test_gradients_are_those_of_pytorch(fn, level):
    assert_gradients(fn, level)


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


def hangs_on_an_argument(x, train: bool = True):
    torch.set_grad_enabled(train)
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
    [(stays_off, "set_grad_enabled"), (hangs_on_data, "y = x * 2"), (hangs_on_an_argument, "return x * 2"),
     (changes_from_trip_to_trip, "while")],
)  # fmt: skip
def test_a_mode_that_no_graph_can_hold_is_refused(fn, line):
    with pytest.raises(CaptureError, match="gradient") as error:
        gfx.symbolic_trace(fn, backend="torch")
    assert line in str(error.value)
    assert torch.is_grad_enabled()


flagged = Programs()


@flagged
def set_by_a_flag(x, train: bool):
    with torch.set_grad_enabled(train):
        y = (x * 2).sin() + x
    return y * x


@flagged
def set_inside(x, train: bool):
    with torch.set_grad_enabled(not train):
        y = x * 2
        with torch.enable_grad():
            z = x * 3
        with torch.no_grad():
            w = y * 5
        y = y + x if torch.is_grad_enabled() else y - x
    return y * x + z + w


@flagged
def chosen_manager(x, train: bool):
    with contextlib.nullcontext() if train else torch.no_grad():
        for _ in range(2):
            x = x * x
    return x * 2


@flagged
def chosen_class(x, train: bool):
    context = torch.enable_grad if train else torch.inference_mode
    with torch.no_grad(), context():
        y = x * 2 if x.sum() > 0 else x * 3
    return y.clone() * 3 + x


@flagged
def written(x, train: bool):
    y = x * 1
    with torch.set_grad_enabled(train):
        y.mul_(3)
    return y


@flagged
def a_view_written(x, train: bool):
    y = x * 2
    z = y.view(-1)
    with torch.set_grad_enabled(train):
        v = y[:2]
        v *= 2
        y[2:] += x[1]
        z.unsqueeze(0)[0, 1:].mul_(x[1:])
    return y * x + z


@flagged
def a_view_written_in_a_loop(x, train: bool):
    y = x * 2
    for _ in range(3):
        with torch.set_grad_enabled(train):
            v = y[1:]
            v.add_(x[1:])
        y = y * x
    return y


@flagged
def one_of_two_written(x, train: bool):
    y, z = x * 2, x * 3
    u = y if x.sum() > 2 else z
    with torch.set_grad_enabled(train):
        u.mul_(x)
        with torch.set_grad_enabled(not train):
            u[0] = 4.0
    return y * x + z + u * x


@flagged
def wrapped(x, train: bool):
    @torch.set_grad_enabled(train)
    def inner(y):
        return y * 2

    return inner(x) * x


@pytest.mark.parametrize("train", [True, False])
@pytest.mark.parametrize("fn", flagged, ids=lambda fn: fn.__name__)
def test_a_mode_that_an_open_flag_sets(fn, train):
    program = gfx.symbolic_trace(fn, backend="torch")
    emitted, emitted_in_jax = load_source(program.source("torch")), program.to("jax")
    in_jax = gradient_in_jax(lambda x: emitted_in_jax(x, train), False)
    for x in XS:
        wants = gradient(lambda x: fn(x, train), x)
        found = [gradient(lambda x, f=f: f(x, train), x) for f in (program, getattr(emitted, fn.__name__))]
        found.append(in_jax(x))
        for got in found:
            np.testing.assert_allclose(got[0], wants[0], rtol=1e-5)
            np.testing.assert_allclose(got[1], wants[1], rtol=1e-5)


def other_managers(x, train: bool):
    with contextlib.suppress(ValueError) if train else contextlib.nullcontext():
        return x * 2


def test_a_choice_of_other_managers_is_refused():
    with pytest.raises(CaptureError, match="which context manager it enters"):
        gfx.symbolic_trace(other_managers, backend="torch")
