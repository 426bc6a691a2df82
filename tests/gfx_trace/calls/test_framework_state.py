"""What PyTorch's own methods write to modules, optimizers and schedules is no part of a graph: refused, and left as it was."""

import copy

import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import GfxError

X = torch.ones(2, 2)


class Setting:
    """A model in training, with what trains it."""

    def __init__(self):
        self.model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.5)
        self.schedule = torch.optim.lr_scheduler.ExponentialLR(torch.optim.SGD(self.model.parameters()), 0.5)
        self.average = torch.optim.swa_utils.AveragedModel(self.model)
        for parameter in self.model.parameters():
            parameter.grad = torch.ones_like(parameter)

    def state(self):
        """All that the methods may write."""
        kept = [
            self.model.state_dict(),
            self.optimizer.state_dict(),
            self.schedule.state_dict(),
            self.average.state_dict(),
        ]
        marks = [
            (str(p.dtype) == "torch.float32", p.requires_grad, None if p.grad is None else p.grad.clone())
            for p in self.model.parameters()
        ]
        return copy.deepcopy(kept), [module.training for module in self.model.modules()], marks


WRITES = {
    "optimizer": lambda s: s.optimizer.step(),
    "schedule": lambda s: s.schedule.step(),
    "average": lambda s: s.average.update_parameters(s.model),
    "optimizer.zero_grad": lambda s: s.optimizer.zero_grad(),
    "model.zero_grad": lambda s: s.model.zero_grad(),
    "clipped gradients": lambda s: nn.utils.clip_grad_norm_(s.model.parameters(), 1e-3),
    "loaded": lambda s: s.model.load_state_dict({name: x * 0 for name, x in s.model.state_dict().items()}),
    "cast": lambda s: s.model.half(),
    "mode": lambda s: s.model.eval(),
    "frozen": lambda s: s.model.requires_grad_(False),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_what_frameworks_write_outside_is_refused_and_put_back(write):
    setting = Setting()
    before = setting.state()

    def step(x):
        write(setting)
        return setting.model(x)

    for given in ((), (X,)):
        with pytest.raises(GfxError):
            gfx.symbolic_trace(step, *given, backend="torch")
    torch.testing.assert_close(setting.state(), before)


def reads(x):
    size = sum(parameter.numel() for parameter in FIXED.parameters()) + len(FIXED.state_dict())
    return x * size * len(list(FIXED.children())) * torch.finfo(torch.float32).bits + FIXED.eval()(x)


FIXED = nn.Sequential(nn.Linear(2, 2)).eval()


def test_what_only_reads_is_captured():
    program = gfx.symbolic_trace(reads, X)
    torch.testing.assert_close(program(X), reads(X))


class Experts(nn.Module):
    """Those that are not asked stay on the host, as libraries keep them."""

    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(2, 2) for _ in range(2))
        self.register_buffer("place", torch.zeros(()))

    def forward(self, x):
        for at, expert in enumerate(self.experts):
            expert.to(self.place.device if at == 0 else "cpu")
        return self.experts[0](x)


def test_a_module_that_is_moved_to_where_it_is_stays_as_it_is():
    model = Experts()
    torch.testing.assert_close(gfx.symbolic_trace(model, X)(X), model(X))
