"""Docstrings of what the author wrote, in the functions that are emitted for it."""

import pytest
import torch

import gfx_trace as gfx


class Gate(torch.nn.Module):
    """Lets through what its weights say.

    Parameters:
        width: how many features there are.
    """

    def __init__(self, width):
        super().__init__()
        self.inner = torch.nn.Linear(width, width)

    def forward(self, x):
        return x * torch.sigmoid(self.inner(x))


def test_of_a_class_the_first_paragraph_is_the_docstring():
    """What stands behind it tells how objects are made, which the emitted function does not."""
    source = gfx.transpile(torch.nn.Sequential(Gate(3), Gate(3)), torch.ones(2, 3), to="jax").source
    assert "Lets through what its weights say." in source and "how many features" not in source


@pytest.mark.parametrize("text", (" Twice as much. ", " Twice as much.\n    "))
def test_a_docstring_has_no_blanks_around_it(text):
    def twice(x):
        return x + x

    twice.__doc__ = text
    assert '"""Twice as much.\n' in gfx.transpile(twice, torch.ones(2), to="jax").source
