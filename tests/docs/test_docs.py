"""The generated pages are what GFX writes now, and what they show computes what the functions compute."""

from itertools import zip_longest

import jax.numpy as jnp
import pytest
import torch

import gfx_trace as gfx
from docs.build import FOLDER, PAGES, captured
from docs.constructs import CHAPTERS
from docs.measured import kept, same
from docs.numbers import SHOWN, numbers_page
from gfx_ir.trees import leaves


@pytest.mark.parametrize("name", PAGES)
def test_page_is_up_to_date(name):
    generated = PAGES[name]()
    if generated is None:
        pytest.skip("what the page is made from is not there")
    stored, now = ((text.splitlines()) for text in ((FOLDER / name).read_text(), generated))
    assert not [pair for pair in zip_longest(stored, now, fillvalue="") if not same(*pair)], (
        "`make docs` writes it anew"
    )


@pytest.mark.parametrize(
    "row", [row for _, rows in CHAPTERS for row in rows if not row.refused], ids=lambda row: row.fn.__name__
)
def test_emitted_function_gives_the_same(row, capsys):
    wanted = row.fn(*(x.clone() if isinstance(x, torch.Tensor) else x for x in row.args))
    found = captured(row)(*(x.clone() if isinstance(x, torch.Tensor) else x for x in row.args))
    for want, got in zip(leaves(wanted), leaves(found), strict=True):
        assert (
            got == pytest.approx(want)
            if not isinstance(want, torch.Tensor)
            else torch.allclose(want.double(), torch.as_tensor(got).double())
        )


@pytest.mark.parametrize("fn", [fn for _, fn in SHOWN], ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("g", [0.0, 2.0])
def test_numbers_are_as_the_page_says(fn, g):
    x, g = torch.tensor([1.5, -2.0]), torch.tensor(g)
    want, program = fn(x, g), gfx.symbolic_trace(fn, backend="torch")
    shown = next(line for line in numbers_page().splitlines() if line.startswith(f"| {_title(fn)} |"))
    for found in (program(x, g), program.to("torch")(x, g)):
        assert torch.allclose(found, want)
    if "refused" not in shown:
        assert program.to("jax")(jnp.asarray(x), jnp.asarray(g)) == pytest.approx(want.numpy())


def _title(fn):
    return next(title for title, shown in SHOWN if shown is fn)


def test_pages_keep_what_differs_in_the_last_digits_alone():
    old = "a\n| `[2.996, 5.]` float32 | 3 |\nb 0.5\nc\n"
    new = "a\n| `[2.9959, 5.]` float32 | 3 |\nb 0.25\nd\ne\n"
    assert kept(old, new) == "a\n| `[2.996, 5.]` float32 | 3 |\nb 0.25\nd\ne\n"
    assert not same("x[3] = 1.5", "x[4] = 1.5") and not same("f32 1.5", "f32 1.6") and not same("1.5 2.5", "1.5")
