"""Sequences of several lengths through torch.nn.utils.rnn: packed, through recurrent layers, padded again."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch.nn.utils import rnn

import gfx_trace as gfx
from gfx_ir.errors import MissingOp, ShapeError

X = torch.randn(3, 5, 4, generator=torch.Generator().manual_seed(0))
LENGTHS, SORTED = torch.tensor([2, 5, 3]), torch.tensor([5, 3, 2])
TARGETS = ("torch", "jax", "numpy")


class Tagger(torch.nn.Module):
    def __init__(self, kind, sorted_, batch_first, whole, **options):
        super().__init__()
        torch.manual_seed(0)
        self.rnn = getattr(torch.nn, kind)(4, 3, batch_first=batch_first, **options)
        self.sorted, self.batch_first, self.whole = sorted_, batch_first, whole

    def forward(self, x, lengths):
        packed = rnn.pack_padded_sequence(x, lengths, self.batch_first, self.sorted)
        out, state = self.rnn(packed)
        total = x.size(1 if self.batch_first else 0) if self.whole else None
        out, lengths = rnn.pad_packed_sequence(out, self.batch_first, total_length=total)
        return out, state, lengths


def agree(fn, *args, typed=True):
    program = gfx.symbolic_trace(fn, *args) if typed else gfx.symbolic_trace(fn)
    for target in TARGETS:
        report = gfx.check(program, *args, to=target)
        assert report.ok, report
    return program


@pytest.mark.parametrize("typed", [True, False], ids=["typed", "open"])
@pytest.mark.parametrize(
    "settings",
    [
        ("LSTM", False, True, True, {"bidirectional": True, "num_layers": 2}),
        ("GRU", True, True, False, {}),
        ("RNN", False, False, False, {"nonlinearity": "relu", "bidirectional": True}),
        ("LSTM", True, False, True, {"proj_size": 2}),
    ],
    ids=lambda settings: settings[0],
)
def test_layers_over_packed_sequences(settings, typed):
    *given, options = settings
    model = Tagger(*given, **options).eval()
    x = X if given[2] else X.transpose(0, 1).contiguous()
    program = agree(model, x, SORTED if given[1] else LENGTHS, typed=typed)
    assert "pack_padded" not in str(program.graph)  # the padded form goes through the layers as it is


@pytest.mark.parametrize("sorted_", [True, False])
def test_a_packed_sequence_is_an_argument_and_a_result(sorted_):
    packed = rnn.pack_padded_sequence(X, SORTED if sorted_ else LENGTHS, True, sorted_)
    layer = torch.nn.LSTM(4, 3, num_layers=2, bidirectional=True)
    out, _ = agree(layer, packed)(packed)
    assert type(out) is rnn.PackedSequence
    agree(torch.nn.GRU(4, 3), packed, torch.ones(1, 3, 3))


def rescaled(x, lengths):
    packed = rnn.pack_padded_sequence(x, lengths, True, enforce_sorted=False)
    assert isinstance(packed, rnn.PackedSequence)
    again = rnn.PackedSequence(torch.tanh(packed.data), packed.batch_sizes, packed.sorted_indices)
    return packed.data, packed.batch_sizes, rnn.pad_packed_sequence(again, True, -1.0, 6)


def lists(a, b):
    packed = rnn.pack_sequence([a, b], enforce_sorted=False)
    return rnn.pad_sequence([a, b], True, 2.0, "left"), rnn.unpack_sequence(packed)


def known(x):
    return rnn.pad_packed_sequence(rnn.pack_padded_sequence(x, [4, 3, 2], True), True, -1.0)


@pytest.mark.parametrize(
    "fn, args", [(rescaled, (X, LENGTHS)), (lists, (X[0, :3], X[1])), (known, (X,))], ids=lambda x: getattr(x, "__name__", "")
)  # fmt: skip
def test_what_is_packed_is_seen(fn, args):
    agree(fn, *args)


def test_the_sources_are_natural():
    program = gfx.symbolic_trace(Tagger("GRU", False, True, True))
    source = program.source("jax")
    assert "lengths=lengths" in source and "Reads values" not in source  # which jax.jit would refuse
    got = program.to("jax")(jnp.asarray(X.numpy()), jnp.asarray(LENGTHS.numpy()))
    np.testing.assert_allclose(got[0], program(X, LENGTHS)[0].detach().numpy(), rtol=1e-5, atol=1e-6)
    packs = gfx.symbolic_trace(lambda x, n: rnn.pack_padded_sequence(x, n, True, False).data)
    assert "torch.nn.utils.rnn.pack_padded_sequence(x, n, batch_first=True, enforce_sorted=False)" in packs.source(
        "torch"
    )


def test_a_call_that_changes_its_argument_is_refused():
    with pytest.raises(MissingOp, match="transposes its argument in place"):
        gfx.symbolic_trace(lambda x, n: rnn.unpad_sequence(x, n), X, LENGTHS)


@pytest.mark.parametrize("lengths", [[2, 5, 3], [3, 2, 0]])
def test_lengths_that_do_not_fall_are_an_error_everywhere(lengths):
    def pack(x, lengths):
        return rnn.pack_padded_sequence(x, lengths, True).data

    program, wrong = gfx.symbolic_trace(pack, X, SORTED), torch.tensor(lengths)
    for target in TARGETS:
        convert = {"torch": lambda x: x, "jax": lambda x: jnp.asarray(x.numpy()), "numpy": lambda x: x.numpy()}[target]
        with pytest.raises(Exception, match=r"must (fall|be sorted)|greater than 0"):
            program.to(target)(convert(X), convert(wrong))
    with pytest.raises(ShapeError, match="must fall"):
        gfx.symbolic_trace(lambda x: pack(x, lengths), X)
