"""Masks of attention whose content is told: none where nothing is hidden, causal where what comes later is."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import gfx_trace as gfx

OPEN = gfx.TensorSpec(("B", "H", "N", 4), "float32")
GIVEN = torch.ones(2, 3, 5, 4)


def places(q):
    return torch.arange(q.shape[-2])


def nowhere_negative(q):
    seen = (places(q) + 0)[None, None, :, None] >= 0
    return F.scaled_dot_product_attention(q, q, q, seen.expand(q.shape[0], -1, q.shape[-2], q.shape[-2]))


def from_both_sides(q):
    return F.scaled_dot_product_attention(q, q, q, (places(q) >= 0)[:, None] & (places(q) > -1))


def up_to_itself(q):
    at = places(q)
    seen = at[None, None, None, :] <= at[None, None, :, None]
    return F.scaled_dot_product_attention(q, q, q, seen.expand(q.shape[0], -1, -1, q.shape[-2]))


def not_later(q):
    return F.scaled_dot_product_attention(q, q, q, ~(places(q).unsqueeze(-1) < places(q)))


def lower(q):
    return F.scaled_dot_product_attention(q, q, q, torch.ones(q.shape[-2], q.shape[-2], dtype=torch.bool).tril())


def not_upper(q):
    return F.scaled_dot_product_attention(q, q, q, ~torch.ones(q.shape[-2], q.shape[-2], dtype=torch.bool).triu(1))


def with_axes_before_it(q):
    seen = (places(q)[:, None] >= places(q))[None, None]
    return F.scaled_dot_product_attention(q, q, q, seen.expand(q.shape[0], q.shape[1], -1, -1))


def with_an_axis_before_it(q):
    return F.scaled_dot_product_attention(q, q, q, (places(q)[:, None] >= places(q)).unsqueeze(0)[:, ...])


def a_part_of_it(q):
    return F.scaled_dot_product_attention(q, q, q, (places(q)[:, None] >= places(q))[:, :1])


def one_row_spread(q):
    """Of one place, the mask of which is spread over two queries."""
    queries = torch.cat([q, q + 1], -2) if q.shape[-2] == 1 else q
    return F.scaled_dot_product_attention(queries, q, q, places(q)[:, None] >= places(q))


def one_place_spread(q):
    """Of one place, the mask of which is spread over two keys: it hides none of them."""
    keys = torch.cat([q, q + 1], -2) if q.shape[-2] == 1 else q
    return F.scaled_dot_product_attention(keys, keys, keys, places(q)[:, None] >= places(q))


def one_later(q):
    return F.scaled_dot_product_attention(q, q, q, places(q)[:, None] > places(q) - 2)


def upper(q):
    return F.scaled_dot_product_attention(q, q, q, places(q)[:, None] <= places(q))


def others(q):
    return F.scaled_dot_product_attention(q, q, q, (places(q)[:, None] != places(q)) | (places(q) == 0))


def of_fractions(q):
    """NaN is not 0 or more."""
    return F.scaled_dot_product_attention(q, q, q, q[..., :1].sqrt() >= 0)


def of_squares(q):
    """Whole numbers wrap around."""
    at = (places(q) + 50_000).to(torch.int32)
    return F.scaled_dot_product_attention(q, q, q, ((at * at) >= 0)[:, None])


CASES = [
    (nowhere_negative, "none"), (from_both_sides, "none"), (up_to_itself, "causal"), (not_later, "causal"),
    (with_axes_before_it, "causal"), (with_an_axis_before_it, "causal"), (a_part_of_it, "masked"),
    (lower, "causal"), (not_upper, "causal"), (one_row_spread, "masked"), (one_place_spread, "masked"),
    (one_later, "masked"), (upper, "masked"), (others, "masked"), (of_fractions, "masked"), (of_squares, "masked"),
]  # fmt: skip


@pytest.mark.parametrize("f,what", CASES, ids=lambda x: getattr(x, "__name__", x))
def test_masks(f, what):
    """The mask is what it says, whatever the sizes are."""
    spread, fixed = gfx.symbolic_trace(f, OPEN), gfx.symbolic_trace(f, GIVEN)
    (node,) = (node for node in spread.entry.walk() if node.op.name == "scaled_dot_product_attention")
    mask, causal = node.arg("mask"), node.arg("is_causal")
    assert what == ("causal" if causal else "none" if mask is None else "masked")
    for program, size in ((spread, 1), (spread, 5), (fixed, 5)):
        x = torch.randn(2, 3, size, 4)
        for to, given in (("torch", x), ("jax", x.numpy())):
            np.testing.assert_allclose(np.asarray(program.to(to)(given)), f(x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("given", [(GIVEN,), ()], ids=["typed", "open"])
@pytest.mark.parametrize("shape", [(7, 5), (4, 1, 5, 5), (1, 1, 1, 5, 5), (5,)], ids=str)
def test_masks_that_do_not_fit_are_refused_as_the_author_has_it(shape, given):
    """Though they hide nothing."""

    def f(q):
        return F.scaled_dot_product_attention(q, q, q, torch.ones(shape, dtype=torch.bool))

    with pytest.raises((RuntimeError, IndexError)):
        f(GIVEN)
    with pytest.raises((RuntimeError, IndexError, gfx.GfxError)):
        gfx.symbolic_trace(f, *given, backend="torch")(GIVEN)
