"""Small models, each with one way of holding parameters or state."""

import torch
from torch import nn

MODELS = []


def model(cls):
    MODELS.append(cls)
    return cls


# ---------------------------------------------------------------------- containers and parameters
@model
class Lists(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(4)])
        self.table = nn.ModuleDict({"first": nn.Linear(3, 3), "second": nn.Tanh()})
        self.scales = nn.ParameterList([nn.Parameter(torch.randn(3)) for _ in range(2)])
        self.named = nn.ParameterDict({"shift": nn.Parameter(torch.randn(3))})

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x) + i
        for key in self.table:
            x = self.table[key](x)
        for scale in self.scales:
            x = x * scale
        return x + self.named["shift"] + self.layers[-1].bias + self.layers[1:3][0].weight.sum() + len(self.layers)


@model
class Direct(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 3))
        self.gate = nn.Parameter(torch.tensor(0.5))

    def forward(self, x):
        return x @ self.weight.t() * torch.sigmoid(self.gate)


@model
class Attributes(nn.Module):
    def __init__(self):
        super().__init__()
        self.times = 3
        self.offset = torch.arange(3.0)
        self.mix = torch.randn(3, 20)
        self.config = {"eps": 1e-5, "scales": [1.0, 2.0]}

    def forward(self, x):
        return (x * self.times + self.offset) @ self.mix + self.config["scales"][1]


@model
class Twice(nn.Module):
    """One submodule called twice, under two names."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)
        self.b = self.a

    def forward(self, x):
        return self.a(x) + self.b(x * 2) + self.a(self.a(x))


@model
class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Sequential(nn.Linear(3, 3), nn.ReLU()), nn.Identity(), nn.Dropout(0.0))

    def forward(self, x):
        for _, child in self.named_children():
            x = child(x)
        return x + self.f[0][0](x) + sum(p.sum() for p in self.parameters())


@model
class InPlace(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        y = x * 1
        z = self.relu(y)
        return y + z


@model
class Results(nn.Module):
    def forward(self, x):
        return {"a": x, "b": (x + 1, None, 3)}


@model
class Keywords(nn.Module):
    def forward(self, x, *, scale=2.0, mask=None):
        return x * scale if mask is None else x * mask


# ---------------------------------------------------------------------- state
@model
class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        self.count += 1
        self.mean.copy_(x.mean(0))
        return x * self.count


@model
class Replaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        self.mean = self.mean * 0.9 + x.mean(0) * 0.1
        return x - self.mean


@model
class BatchNorms(nn.Module):
    """In training: statistics are written, twice by one layer, and on one side of a test."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.other = nn.BatchNorm1d(3, momentum=None)

    def forward(self, x):
        x = self.norm(self.norm(x) + 1)
        if x.sum() > 0:
            x = self.other(x)
        return x


@model
class WritesParameters(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, x):
        with torch.no_grad():
            self.weight.mul_(0.5)
        return x * self.weight


@model
class Recurrent(nn.Module):
    """State in a plain attribute."""

    def __init__(self):
        super().__init__()
        self.hidden = torch.zeros(4, 3)

    def forward(self, x):
        self.hidden = torch.tanh(self.hidden + x)
        return self.hidden * 1


@model
class Remembers(nn.Module):
    """An attribute that is written and never read."""

    def __init__(self):
        super().__init__()
        self.last = None

    def forward(self, x):
        self.last = x * 2
        return x


@model
class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)
        self.inner.register_forward_hook(lambda module, args, out: out * 2)
        self.inner.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
        self.register_forward_pre_hook(lambda module, args: (args[0] * 3,))
        self.register_forward_hook(lambda module, args, out: out - 1)
        self.inner.register_forward_hook(lambda module, args, kwargs, out: out + args[0], with_kwargs=True)

    def forward(self, x):
        return self.inner(x)
