"""Tables of sizes that a model keeps for its next call are computed in each call; what later calls find otherwise is refused."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, GuardError, UnsupportedConstruct


def lower(n):
    return torch.tril(torch.ones(n, n))


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = self.other = None
        self.tables = {}
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        if self.mask is None or self.mask.size(0) != len(x):
            self.mask = lower(len(x))
        return self.mask @ self.linear(x)


class ByShape(Masked):
    def forward(self, x):
        n = x.shape[0]
        if self.mask is None or self.mask.shape != (n, n):
            self.mask = lower(n)
        return self.mask @ x


class Absent(nn.Module):
    def forward(self, x):
        if not hasattr(self, "mask") or self.mask.size(0) != x.size(0):
            self.mask = lower(len(x))
        return self.mask @ x


class OnTheDevice(Masked):
    def forward(self, x):
        if self.mask is not None and self.mask.size(0) == x.size(0) and self.mask.device == x.device:
            mask = self.mask
        else:
            mask = self.mask = lower(len(x))
        return mask @ x


class InADictionary(Masked):
    def forward(self, x):
        if "scale" not in self.tables:
            self.tables["scale"] = torch.arange(3.0)
        return x * self.tables["scale"]


class OfTwoSizes(Masked):
    def forward(self, x):
        height, width = x.shape
        if self.mask is None or self.mask.shape[0] != height or self.mask.shape[1] != width:
            self.mask = torch.arange(height)[:, None] + 2.0 * torch.arange(width)
        return x * self.mask


class OfTheOther(Masked):
    def forward(self, x):
        n = len(x)
        if self.mask is None or self.mask.size(0) != n:
            self.mask = lower(n)
        if self.other is None or self.other.size(0) != n:
            self.other = self.mask.T * 2
        return self.mask @ x + self.other @ x


class Growing(Masked):
    """Two tables, of which one is asked for its length, and both are read as far as a call needs."""

    def forward(self, x):
        n = len(x)
        if self.mask is None or self.mask.shape[1] < n:
            angles = torch.outer(torch.arange(n).float(), torch.ones(3) / 3)
            self.mask = torch.cat((angles.sin(), torch.stack((angles, -angles), -1).flatten(1)), -1)[None]
            self.other = torch.ones(n, n, dtype=torch.bool).triu(1)
        return (x * self.mask[0, :n, 1:4]).masked_fill(self.other[:n, :n].sum(-1, keepdim=True) > 2, 0)


class Pair(nn.Module):
    """Two tables in one tuple, made of a buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("inverse", torch.arange(3.0) / 7)
        self.tables = None

    def forward(self, x):
        n = len(x)
        if self.tables is None or self.tables[0].shape[0] < n:
            angles = torch.outer(torch.arange(n).float(), self.inverse)
            self.tables = angles.cos(), angles.sin()
        cos, sin = self.tables
        return x * cos[:n] + x.flip(-1) * sin[:n]


class OfWeights(Masked):
    """As LeViT keeps a bias for each device, which its weights give."""

    def forward(self, x):
        key = str(x.device)
        if key not in self.tables:
            self.tables[key] = self.linear.weight[:, torch.tensor([2, 0, 1])]
        return x @ self.tables[key]


class Halves(nn.Module):
    """One table of each size, and one model twice."""

    def __init__(self):
        super().__init__()
        self.whole, self.rows = Masked(), Masked()

    def forward(self, x):
        return self.whole(self.whole(x))[::2] + self.rows(x[::2])


@pytest.mark.parametrize(
    "model",
    [Masked, ByShape, Absent, OnTheDevice, InADictionary, OfTwoSizes, OfTheOther, Growing, Pair, Halves, OfWeights],
    ids=lambda m: m.__name__,
)
def test_a_table_that_is_kept_is_no_state(model):
    torch.manual_seed(0)
    ours = model().eval()
    width = gfx.Dim("W") if model is OfTwoSizes else 3
    program = gfx.symbolic_trace(ours, gfx.TensorSpec((gfx.Dim("N", min=1), width), "float32"))
    torch.manual_seed(0)
    authors = model().eval()
    assert program.writes == [] and all(
        held is None for held in (getattr(ours, "mask", None), ours.__dict__.get("other"))
    )
    written = {to: gfx.transpile(program, to=to) for to in ("torch", "jax")}
    for n in (4, 6, 6, 2, 1):
        x = torch.randn(n, 3)
        wanted = authors(x).detach()
        torch.testing.assert_close(written["torch"](x), wanted)
        np.testing.assert_allclose(written["jax"](jnp.asarray(x.numpy())), wanted.numpy(), rtol=1e-5, atol=1e-5)


class OfBuffers(nn.Module):
    """Prepares a table of its buffer, on the device that a computed tensor is on."""

    def __init__(self):
        super().__init__()
        self.register_buffer("rates", torch.tensor([1.0, 0.5, 0.25]))
        self.register_buffer("table", None, persistent=False)

    def forward(self, x):
        x = x * 2
        if self.table is None:
            self.table = torch.arange(len(x), device=x.device).unsqueeze(1) * self.rates
        return x + self.table


def test_the_device_that_a_table_is_made_on_is_none_of_it():
    x = torch.rand(4, 3)
    program = gfx.symbolic_trace(OfBuffers(), x)
    assert program.writes == [] and list(program.params) == ["table"]
    for _ in range(2):
        torch.testing.assert_close(program(x), OfBuffers()(x))


class OfAnotherSize(nn.Module):
    """Begins with a table that no call can use."""

    def __init__(self):
        super().__init__()
        self.table = torch.zeros(1, 1)

    def forward(self, x):
        n = x.shape[0]
        if self.table.shape[1] != n:
            self.table = lower(n)
        return self.table @ x


def test_a_table_of_another_size_is_computed_in_each_call():
    model, x = OfAnotherSize(), torch.rand(4, 3)
    program = gfx.symbolic_trace(model, x)
    assert program.writes == [] and "table" not in program.params
    for to in ("torch", "jax"):
        np.testing.assert_allclose(
            gfx.transpile(program, to=to)(x.numpy() if to == "jax" else x), lower(4) @ x, rtol=1e-5
        )

    class Total(OfAnotherSize):
        def forward(self, x):
            self.table = self.table.sum() + x
            return self.table

    with pytest.raises(CaptureError, match="'table' is of other sizes in the first call"):
        gfx.symbolic_trace(Total(), x)


def test_what_is_written_beside_a_table_is_state():
    class Last(Masked):
        def forward(self, x):
            self.last = x.sum()
            return super().forward(x)

    program = gfx.symbolic_trace(Last(), gfx.TensorSpec((gfx.Dim("N"), 3), "float32"))
    assert program.writes == ["last"]


class OfAnySize(Masked):
    def forward(self, x):
        if self.mask is None:
            self.mask = lower(len(x))
        return x * self.mask.sum()


class OfData(Masked):
    def forward(self, x):
        if self.mask is None:
            self.mask = x.mean()
        return x - self.mask


class Drawn(Masked):
    def forward(self, x):
        if self.mask is None or self.mask.size(0) != len(x):
            self.mask = torch.rand(len(x), 3)
        return x * self.mask


class OfTrained(Masked):
    def forward(self, x):
        if self.mask is None:
            with torch.no_grad():
                self.mask = self.linear.weight.T * 2
        return x @ self.mask


class Counting(Masked):
    def forward(self, x):
        if self.mask is None or self.mask.size(0) != len(x):
            self.mask = torch.zeros(len(x), 3)
        self.mask += 1
        return x * self.mask


class OtherWhenReplaced(Masked):
    def forward(self, x):
        if self.mask is None:
            self.mask = lower(len(x))
        elif self.mask.size(0) != len(x):
            self.mask = lower(len(x)).T
        return self.mask @ x


class LastRows(Masked):
    def forward(self, x):
        n = len(x)
        if self.mask is None or self.mask.size(0) < n:
            self.mask = torch.arange(n)[:, None] * torch.ones(3)
        return x + self.mask[-n:]


class ScaledByItsLength(Masked):
    def forward(self, x):
        n = len(x)
        if self.mask is None or self.mask.size(0) < n:
            self.mask = (torch.arange(n) / n)[:, None]
        return x + self.mask[:n]


class OneInOtherRows(Masked):
    def forward(self, x):
        n = len(x)
        if self.mask is None or self.mask[0].size(0) < n:
            rows = torch.arange(n)[:, None]
            self.mask = rows, rows.flip(0)
        return x * self.mask[0][:n] + self.mask[1][:n]


class OneOfTheTwo(Masked):
    def forward(self, x):
        n = len(x)
        if self.mask is None or self.other is None or self.mask.size(0) < n:
            self.mask = torch.arange(n)[:, None]
            self.other = torch.arange(n)[:, None] if self.other is None else self.other
        return x * self.mask[:n] + self.other[:n]


class InOtherRows(Masked):
    def forward(self, x):
        n = len(x)
        if self.mask is None or self.mask.size(1) < n:
            self.mask = torch.arange(2 * n).view(2, n)
        return x + self.mask[:, :n].sum(0)[:, None]


class OtherWhenFound(Masked):
    def forward(self, x):
        if self.mask is None or self.mask.size(0) != len(x):
            self.mask = lower(len(x))
            return self.mask @ x
        return self.mask @ x + 1


class WhereBothAreOthers(Masked):
    def forward(self, x):
        n = len(x)
        self.mask = lower(n) if self.mask is None else self.mask
        self.other = lower(n) if self.other is None else self.other
        if self.mask.size(0) != n and self.other.size(0) != n:
            return x
        self.mask = lower(n) if self.mask.size(0) != n else self.mask
        self.other = lower(n) if self.other.size(0) != n else self.other
        return self.mask @ x + self.other @ x


@pytest.mark.parametrize("model", [OfData, OfTrained], ids=lambda m: m.__name__)
def test_what_only_the_first_call_computes_is_state(model):
    torch.manual_seed(0)
    mine, plain = model(), model()
    plain.load_state_dict(mine.state_dict())
    program = gfx.symbolic_trace(mine, gfx.TensorSpec((gfx.Dim("N"), 3), "float32"))
    for count in (2, 5, 3):
        x = torch.randn(count, 3)
        torch.testing.assert_close(program(x), plain(x))
        for held in (mine, plain):
            held.linear.weight.data.mul_(2)


@pytest.mark.parametrize(
    "model",
    [
        OfAnySize,
        Drawn,
        Counting,
        OtherWhenReplaced,
        LastRows,
        ScaledByItsLength,
        InOtherRows,
        OtherWhenFound,
        WhereBothAreOthers,
    ],
    ids=lambda m: m.__name__,
)
def test_what_a_later_call_computes_otherwise_is_refused(model):
    with pytest.raises(UnsupportedConstruct, match="in the first call and no longer in the next"):
        gfx.symbolic_trace(model(), gfx.TensorSpec((gfx.Dim("N"), 3), "float32"))


class OfTheLength(Pair):
    """A number tells whether the table fits, and a later call alone asks where it lies."""

    length = None

    def forward(self, x):
        if len(x) != self.length or self.tables.device != x.device:
            self.length, self.tables = len(x), torch.outer(torch.arange(len(x)).float(), self.inverse).cos()
        return x * self.tables


def test_what_a_later_call_alone_takes_as_given_is_checked():
    program, x = gfx.symbolic_trace(OfTheLength(), torch.ones(4, 3)), torch.randn(4, 3)
    torch.testing.assert_close(gfx.transpile(program, to="torch")(x), OfTheLength()(x))
    assert [str(guard) for guard in program.guards if guard.kind == "device"] == ["x.device == cpu"]


def test_a_table_of_one_size_needs_no_question():
    program = gfx.symbolic_trace(OfAnySize(), gfx.TensorSpec((4, 3), "float32"))
    x = torch.randn(4, 3)
    torch.testing.assert_close(gfx.transpile(program, to="torch")(x), x * 10)


class FromNothing(torch.nn.Module):
    """Begins with a table of no rows."""

    def __init__(self):
        super().__init__()
        self.table = torch.empty(0, 8)

    def forward(self, x):
        if len(self.table) < x.shape[1]:
            self.table = torch.arange(x.shape[1]).float()[:, None] * torch.ones(8)
        return x + self.table[: x.shape[1]]


def test_a_table_of_no_rows_is_state_of_its_shape():
    program = gfx.symbolic_trace(FromNothing(), torch.ones(2, 5, 8), dynamic=True)
    with pytest.raises(GuardError, match=r"let it have the shape before the capture that it has after a call"):
        program(torch.ones(2, 5, 8))


class LastOfATable(Masked):
    def __init__(self, scale):
        super().__init__()
        self.register_buffer("scale", scale)

    def forward(self, x):
        if self.mask is not None and self.mask.shape[-1] >= len(x):
            return x + self.mask[-len(x) :]
        self.mask = torch.arange(len(x)) * (1.0 if self.scale is None else self.scale)
        return x + self.mask


@pytest.mark.parametrize("scale", [None, torch.tensor(0.5)])
def test_the_last_of_a_table_of_one_size_is_all_of_it(scale):
    captured, own = gfx.symbolic_trace(LastOfATable(scale), torch.ones(3)), LastOfATable(scale)
    for x in (torch.ones(3), torch.zeros(3)):
        assert torch.equal(captured(x), own(x))
