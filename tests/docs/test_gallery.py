"""Emitted models of the gallery are what GFX writes now, and compute what the models compute."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

from docs.exhibits import EXHIBITS, imported, lines

TWO = [exhibit for exhibit in EXHIBITS if exhibit.name in ("gpt", "mamba")]


@pytest.mark.parametrize("exhibit", TWO, ids=lambda exhibit: exhibit.name)
def test_a_model_is_what_is_written_of_it(exhibit):
    model, made = exhibit.made()
    assert made.source.rstrip() == exhibit.written.read_text().rstrip(), "`make gallery` writes it anew"
    tokens = np.arange(14).reshape(2, 7)
    emitted = getattr(imported(exhibit.written), exhibit.name)
    found, want = emitted(made.params, jnp.asarray(tokens)), model(torch.from_numpy(tokens))
    first = lambda result: result[0] if isinstance(result, tuple) else result
    np.testing.assert_allclose(first(found), first(want).detach(), rtol=1e-4, atol=1e-5)


def test_lines_are_those_of_functions_that_run():
    text = 'import x\n\n\ndef f(a):\n    """Told."""\n    # why\n    return g(\n        a\n    )\n\n\ndef __init__(s):\n    pass\n'
    assert lines(text) == 4
