"""Functions that bring their own gradient keep it in every target: torch.autograd.Function, jax.custom_vjp, jax.custom_jvp."""

import functools
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax.experimental.ode import odeint

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.text import to_text
from gfx_ir.textparse import parse_text
from recapture import load_source

A, B = np.linspace(-1, 1, 4, dtype=np.float32), np.linspace(1, 2, 4, dtype=np.float32)


# ---------------------------------------------------------------------- torch
class Limited(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float16)
    def forward(ctx, x, limit):
        ctx.limit = limit
        y = torch.exp(x)
        ctx.save_for_backward(x, y)
        return y * 2

    @staticmethod
    @torch.amp.custom_bwd(device_type="cuda")
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return torch.clamp(grad * y, -ctx.limit, ctx.limit) + x, None


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -grad


class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(x, scale):
        return torch.round(x / scale) * scale, torch.abs(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.x, ctx.scale = inputs

    @staticmethod
    def backward(ctx, grad, other):
        return grad + other * torch.sign(ctx.x) * 5, torch.sum(grad) * ctx.scale


class Unrecorded(torch.autograd.Function):
    """Runs a function with gradients switched off, as checkpoints do."""

    @staticmethod
    def forward(ctx, run, x):
        ctx.run = run
        ctx.save_for_backward(x)
        with torch.no_grad():
            return ctx.run(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            return None, grad * ctx.run(x) * 2


def unrecorded(x, y):
    return torch.sum(Unrecorded.apply(torch.exp, x) * y)


def limited(x, y):
    return torch.sum(Limited.apply(x * y, 0.5) ** 2)


def twice(x, y):
    return torch.sum(Reversed.apply(x) * y + Reversed.apply(y * 3))


def rounded(x, y):
    whole, size = Rounded.apply(x * 3, y)
    return torch.sum(whole * y + size)


def in_a_loop(x, y):
    total = torch.zeros(())
    for i in range(4):
        total = total + Limited.apply(x[i], 0.5) * y[i]
    return total


# ---------------------------------------------------------------------- JAX
@jax.custom_vjp
def clipped(x, y):
    return jnp.sin(x) * y


def clipped_fwd(x, y):
    return clipped(x, y), {"cos": jnp.cos(x), "y": y}


def clipped_bwd(kept, grad):
    return 3 * grad * kept["cos"] * kept["y"], jnp.clip(grad, -1, 1)


clipped.defvjp(clipped_fwd, clipped_bwd)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def scaled(factor, pair):
    return pair["a"] * factor, pair["b"]


scaled.defvjp(
    lambda factor, pair: (scaled(factor, pair), None),
    lambda factor, kept, grads: ({"a": grads[0] * factor * 10, "b": grads[1] - 1},),
)


@jax.custom_jvp
def softplus(x, y):
    return jnp.log(1 + jnp.exp(x)) * y


@softplus.defjvp
def softplus_jvp(primals, tangents):
    x, y = primals
    x_dot, y_dot = tangents
    return softplus(x, y), x_dot * y * (1 - 1 / (1 + jnp.exp(x))) + 7 * y_dot


TABLE = jnp.linspace(1.0, 3.0, 20)


@jax.custom_vjp
def tabled(x):
    return jnp.sin(x) * TABLE[:4]


def tabled_bwd(x, grad):
    total, steps = jax.lax.scan(lambda c, g: (c + g, c * 2), 0.0, grad)
    return (steps * TABLE[:4] + total * x,)


tabled.defvjp(lambda x: (tabled(x), x), tabled_bwd)


def in_a_batch(x, y):
    """The table is an argument of the batched call, and has no derivative; a list of a scan's rows is the rule's own."""
    return jnp.sum(jax.vmap(tabled)(jnp.stack((x, y))) ** 2)


def solved(x, y):
    def pendulum(state, t, damping):
        return jnp.stack((state[1], -damping * state[1] - jnp.sin(state[0]) * t))

    return jnp.sum(odeint(pendulum, x[:2], jnp.linspace(0.0, 1.0, 3), y[0], rtol=1e-4, atol=1e-4)[1:] * y[:2])


def calls_clipped(x, y):
    return jnp.sum(clipped(x, y) ** 2)


def calls_scaled(x, y):
    a, b = scaled(2.0, {"a": x, "b": y})
    return jnp.sum(a * b)


def calls_softplus(x, y):
    return jnp.sum(softplus(x * 2, y))


FUNCTIONS = pytest.mark.parametrize(
    "fn", [limited, unrecorded, twice, rounded, in_a_loop, calls_clipped, calls_scaled, calls_softplus]
)


def torch_grads(fn):
    inputs = [torch.tensor(x, requires_grad=True) for x in (A, B)]
    fn(*inputs).backward()
    return [x.grad.numpy() for x in inputs]


def jax_grads(fn):
    return jax.jit(jax.grad(fn, argnums=(0, 1)))(jnp.asarray(A), jnp.asarray(B))


def same(got, want):
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@FUNCTIONS
@pytest.mark.parametrize("typed", [False, True], ids=["open", "typed"])
def test_gradients_are_the_functions_own_in_every_target(fn, typed):
    of_torch = fn.__name__ in ("limited", "unrecorded", "twice", "rounded", "in_a_loop")
    want = torch_grads(fn) if of_torch else jax_grads(fn)
    given = [torch.tensor(x) if of_torch else jnp.asarray(x) for x in (A, B)]
    program = gfx.symbolic_trace(fn, *given).infer() if typed else gfx.symbolic_trace(fn)
    for target, grads in (("torch", torch_grads), ("jax", jax_grads)):
        same(grads(program.to(target)), want)
        if (fn, target) == (calls_softplus, "torch"):
            continue  # a rule for tangents is written there with torch.func.vjp, which no capture takes
        emitted = getattr(load_source(program.source(target)), fn.__name__)
        again = gfx.symbolic_trace(emitted)
        same(torch_grads(again.to("torch")), want)
        same(jax_grads(again.to("jax")), want)
    np.testing.assert_allclose(program.to("numpy")(A, B), np.asarray(fn(*given)), rtol=1e-5)


@FUNCTIONS
def test_graphs_are_kept_with_their_rules(fn, tmp_path):
    program = gfx.symbolic_trace(fn)
    text = to_text(program, spans=False)
    assert "custom_gradient(" in text and to_text(parse_text(text)) == text
    program.save(tmp_path / "own.json")
    assert gfx.load(tmp_path / "own.json").source("jax") == program.source("jax")


@pytest.mark.parametrize("fn", [in_a_batch, solved])
def test_what_jax_records_keeps_its_own_gradient(fn):
    program = gfx.symbolic_trace(fn, jnp.asarray(A), jnp.asarray(B))
    for got in (torch_grads(program.to("torch")), jax_grads(program.to("jax"))):
        for a, b in zip(got, jax_grads(fn), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_a_function_that_is_called_twice_is_written_once():
    source = gfx.symbolic_trace(twice).source("torch")
    assert source.count("class Reversed(torch.autograd.Function)") == 1 and source.count("Reversed.apply(") == 2


def test_what_it_closes_over_gets_no_gradient():
    def fn(x, y):
        class Weighted(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * y.detach()

            @staticmethod
            def backward(ctx, grad):
                return grad * y.detach() * 2

        return torch.sum(Weighted.apply(x) + y)

    want = torch_grads(fn)
    program = gfx.symbolic_trace(fn)
    same(torch_grads(program.to("torch")), want)
    same(jax_grads(program.to("jax")), want)


def test_a_rule_for_tangents_closes_over_captured_values():
    def fn(x, y):
        @jax.custom_jvp
        def weighted(x):
            return x * y

        @weighted.defjvp
        def weighted_jvp(primals, tangents):
            return weighted(*primals), 3 * jnp.sin(y) * tangents[0]

        return jnp.sum(weighted(x * 2))

    want = np.asarray(jax.grad(fn)(jnp.asarray(A), jnp.asarray(B)))
    for program in (gfx.symbolic_trace(fn), gfx.symbolic_trace(fn, jnp.asarray(A), jnp.asarray(B)).infer()):
        np.testing.assert_allclose(
            jax.jit(jax.grad(program.to("jax")))(jnp.asarray(A), jnp.asarray(B)), want, rtol=1e-6
        )
        x = torch.tensor(A, requires_grad=True)
        program.to("torch")(x, torch.tensor(B)).backward()
        np.testing.assert_allclose(x.grad, want, rtol=1e-6)


class Nearest(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, codes):
        at = torch.argmin((x[:, None] - codes) ** 2, dim=-1)
        total = torch.sum(x)
        ctx.save_for_backward(at, codes)
        ctx.mark_non_differentiable(at, total)
        return codes[at], at, total

    @staticmethod
    def backward(ctx, grad, _, grad_total):
        at, codes = ctx.saved_variables
        return grad * 2 + grad_total, torch.zeros_like(codes).index_add(0, at, grad)


def test_results_marked_as_not_differentiable_have_no_gradient():
    def f(x, codes):
        found, at, total = Nearest.apply(x, codes)
        return torch.sum(found**2) + total * 3 + torch.sum(at)

    x, codes = torch.tensor(A, requires_grad=True), torch.tensor(B, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # saved_variables is an older name of saved_tensors
        f(x, codes).backward()
    program = gfx.symbolic_trace(f, torch.tensor(A), torch.tensor(B))
    found = jax.grad(program.to("jax"), argnums=(0, 1))(jnp.asarray(A), jnp.asarray(B))
    again = [torch.tensor(A, requires_grad=True), torch.tensor(B, requires_grad=True)]
    program.to("torch")(*again).backward()
    for want, in_jax, in_torch in zip((x, codes), found, again):
        np.testing.assert_allclose(in_jax, want.grad)
        np.testing.assert_allclose(in_torch.grad, want.grad)


class Marked(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad


def test_what_a_graph_cannot_keep_is_refused():
    with pytest.raises(UnsupportedConstruct, match=r"cannot keep the gradient of 'Marked': it has mark_dirty"):
        gfx.symbolic_trace(lambda x: Marked.apply(x), backend="torch")


class OfWeights(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        if ctx.needs_input_grad[0] and not torch.equal(x, w):
            raise ValueError("no gradient of x")
        return x * w

    @staticmethod
    def backward(ctx, grad):
        raise NotImplementedError


def test_what_a_function_with_a_rule_of_its_own_raises_the_call_raises():
    def caught(x, w):
        try:
            return OfWeights.apply(x, w)
        except ValueError:
            return w

    x, w = torch.ones(2, 3, requires_grad=True), torch.ones(3)
    assert torch.equal(gfx.symbolic_trace(caught, x, w)(x, w), w)
    with pytest.raises(ValueError, match="no gradient of x"):
        gfx.symbolic_trace(lambda x, w: OfWeights.apply(x, w), x, w)
    with pytest.raises(UnsupportedConstruct, match="'OfWeights': it has a backward that raises an error"):
        gfx.symbolic_trace(lambda x: OfWeights.apply(1.0, x), x)
