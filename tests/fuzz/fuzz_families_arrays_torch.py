"""Parts of the families of arrays: PyTorch's tensors, with what writes to them and what is asked."""

from __future__ import annotations

from fuzz_families_arrays_places import states

HELPERS = """
import torch
import torch.nn as nn
import torch.nn.functional as F


class Module(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(3))
        self.register_buffer("count", torch.tensor(0))
        self.w = nn.Parameter(torch.ones(3))
        self.norm = nn.BatchNorm1d(3)
        self.plain = torch.zeros(3)
        self.number = 0

    def forward(self, x):
        self.n += x
        return self.n * self.w


M = Module()
G = torch.zeros(3)
GS = {"a": torch.zeros(3)}


def default(x, kept=[torch.zeros(3)]):
    kept[0] += x
    return kept[0]

"""
"""What every program of this framework may name besides."""

_IN_PLACE = {
    "item": "s[0] = 5.0", "negative item": "s[-1] = s[0]", "slice": "s[1:] = s[:-1]", "ellipsis": "s[...] = s * 2", "none": "s[None] = s + 1",
    "item plus": "s[0] += 1", "slice times": "s[1:] *= 2", "list plus": "s[[0, 2]] += 1", "twice plus": "s[[0, 0]] += 1",
    "tensor index": "s[torch.tensor([0, 1])] = torch.tensor([7.0, 8.0])", "mask": "s[s > 1.5] = 0.5", "mask plus": "s[s > 1.5] += 1",
    "mask tensor": "s[s > 1.5] = s[s > 1.5] * 2", "plus": "s += 1", "plus tensor": "s += x", "minus": "s -= 0.5", "times": "s *= 2",
    "divided": "s /= 2", "floored": "s //= 2", "modulo": "s %= 2", "power": "s **= 2", "again": "s = s + 1", "add_": "s.add_(1)",
    "add_ alpha": "s.add_(x, alpha=2)", "mul_": "s.mul_(2)", "chain": "s.sub_(1).mul_(3)", "copy_": "s.copy_(x * 3)",
    "copy_ number": "s.copy_(torch.tensor(2.0))", "fill_": "s.fill_(4)", "zero_": "s.zero_()", "clamp_": "s.clamp_(max=2.5)",
    "masked_fill_": "s.masked_fill_(s > 1, 0.5)", "index_put_": "s.index_put_((torch.tensor([0, 0]),), torch.tensor(7.0), accumulate=True)",
    "index_add_": "s.index_add_(0, torch.tensor([0, 0]), torch.tensor([1.0, 2.0]))", "index_fill_": "s.index_fill_(0, torch.tensor([1]), 9)",
    "index_copy_": "s.index_copy_(0, torch.tensor([1]), torch.tensor([9.0]))", "scatter_": "s.scatter_(0, torch.tensor([2]), 6.0)",
    "scatter_add_": "s.scatter_add_(0, torch.tensor([2, 2]), torch.tensor([1.0, 2.0]))", "masked_scatter_": "s.masked_scatter_(s > 1.5, x * 4)",
    "out": "torch.add(s, 1, out=s)", "cumsum out": "torch.cumsum(s, 0, out=s)", "data plus": "s.data += 1", "data item": "s.data[0] = 8.0",
    "detach write": "s.detach().add_(1)", "no_grad": "with torch.no_grad(): s.add_(1)", "relu inplace": "F.relu(s.sub_(2), inplace=True)",
    "init": "nn.init.constant_(s, 3.0)", "setitem call": "operator.setitem(s, 0, 6.0)", "iadd call": "operator.iadd(s, 1)", "sqrt_": "s.sqrt_()",
    "neg_": "s.neg_()", "lerp_": "s.lerp_(x, 0.5)", "addcmul_": "s.addcmul_(x, x)", "swap": "s[0], s[1] = s[1], s[0]",
    "swap cloned": "s[0], s[1] = s[1].clone(), s[0].clone()", "rows": "for r in s: r.add_(1)", "unbound": "for r in s.unbind(): r.mul_(2)",
    "open item": "s[n % 3] = 9.0", "open slice": "s[:n] += 1", "data item index": "s[s.argmax()] = 0.0", "pop like": "s[1:].fill_(0)",
    "select": "s.select(0, 1).add_(3)", "view_": "s.view(-1)[0] = 3.0", "reshape write": "s.reshape(3, 1)[0, 0] = 3.0",
    "flip write": "s.flip(0)[0] = 9.0", "triple": "s += s", "self slice": "s[1:] += s[:-1]", "self copy": "s[:2].copy_(s[1:])",
    "unsqueeze_": "s.unsqueeze_(0).add_(1)\ns.squeeze_(0)", "tuple item": "s[(0,)] = 2.5", "bool item": "s[True] = s + 2",
    "where": "s[:] = torch.where(s > 1, s, 0.0)", "set data": "s.data = s + 1", "type_": "s = s.double() + 1", "half": "s = s.half() + 1",
    "exp_": "s.exp_()", "xor": "s.copy_((s > 1) ^ (s < 3))", "round_": "s.div_(2).round_()", "fmod_": "s.fmod_(2)", "trunc": "s.floor_divide_(2)",
    "clip min": "s.clamp_min_(1.5)", "hstack": "s[:] = torch.hstack([s[1:], s[:1]])", "roll": "s[:] = s.roll(1)",
    "sort": "s[:] = s.sort(descending=True).values", "set_": "s.set_(x + 5)", "t of": "s.unsqueeze(0).T[0] = 4.0",
    "index of index": "s[[0, 1]][0] = 9.0", "slice of slice": "s[1:][1:] = 9.0", "mask of slice": "s[1:][s[1:] > 2] = 0.0",
    "numpy": "s.numpy()[0] = 5.0", "tolist": "s.tolist()[0] = 5.0", "accumulated": "s[1] = s[:2].sum()",
    "chunks": "p, q = s.chunk(2)\np.add_(1)\nq.sub_(1)", "split": "p, q = s.split([1, 2])\np += 1\nq *= 2",
}  # fmt: skip
"""What is written to s."""

_VIEWS = {
    "slice": "b[1:]", "step": "b[::2]", "whole": "b[:]", "none": "b[None]", "item": "b[0]", "ellipsis": "b[..., 0]", "view": "b.view(3, 1)",
    "reshape": "b.reshape(3, 1)", "same reshape": "b.reshape(3)", "flatten": "b.flatten()", "ravel": "b.ravel()", "detach": "b.detach()",
    "data": "b.data", "clone": "b.clone()", "contiguous": "b.contiguous()", "contiguous of T": "torch.outer(b, b).T.contiguous()",
    "to same": "b.to(torch.float32)", "to other": "b.to(torch.float64)", "float": "b.float()", "cpu": "b.cpu()", "type_as": "b.type_as(b)",
    "as_tensor": "torch.as_tensor(b)", "tensor": "torch.tensor(b)", "chunk": "b.chunk(2)[1]", "split": "b.split(1)[2]", "unbind": "b.unbind()[1]",
    "narrow": "b.narrow(0, 1, 2)", "select": "b.select(0, 2)", "unsqueeze": "b.unsqueeze(0)", "squeeze": "b.squeeze()", "expand": "b.expand(2, 3)",
    "broadcast": "torch.broadcast_to(b, (2, 3))", "diagonal": "b.expand(1, 3).diagonal()", "unfold": "b.unfold(0, 2, 1)",
    "bits": "b.view(torch.int32)", "atleast": "torch.atleast_2d(b)", "list index": "b[[0, 1]]", "mask": "b[b > 1]", "flip": "b.flip(0)",
    "roll": "b.roll(1)", "tile": "b.tile(1)", "positive": "b.positive()", "plus sign": "+b", "conj": "b.conj()", "real": "b.real",
    "identity": "nn.Identity()(b)", "dropout": "F.dropout(b, training=False)", "requires_grad_": "b.requires_grad_(False)", "alias": "b",
    "rows": "[r for r in b][1]", "next": "next(iter(b))", "star": "(lambda *r: r[1])(*b)", "movedim": "b.view(3, 1).movedim(0, 1)",
    "permute": "b.view(1, 3).permute(1, 0)", "view of view": "b[1:].view(1, 2)", "slice of T": "b.view(1, 3).T[1:]",
    "reshape of T": "b.view(3, 1).T.reshape(-1)", "hsplit": "torch.hsplit(b, 3)[0]", "tensor_split": "b.tensor_split(2)[0]",
    "meshgrid": "torch.meshgrid(b, b, indexing='ij')[0]", "swapaxes": "b.view(1, 3).swapaxes(0, 1)", "mT": "b.view(1, 3).mT",
    "as_strided": "b.as_strided((2,), (1,))", "view_as": "b.view_as(b)", "expand_as": "b.expand_as(b)", "take": "b.take(torch.tensor([0]))",
    "unflatten": "b.unflatten(0, (1, 3))", "long": "b.long()", "where": "torch.where(b > 1, b, b)", "max": "b.max(0).values",
    "stack": "torch.stack([b, b])", "cat": "torch.cat([b])", "copy": "copy.copy(b)", "deepcopy": "copy.deepcopy(b)",
    "from_numpy": "torch.from_numpy(b.numpy())", "moveaxis": "torch.moveaxis(b.view(3, 1), 0, 1)", "sum none": "b.sum(())", "open slice": "b[n:]",
    "open item": "b[n % 3]", "pad": "F.pad(b, (0, 0))", "abs": "b.abs()", "relu": "b.relu()", "clamp": "b.clamp(0)",
    "zip": "[r for r, _ in zip(b, range(3))][2]", "reversed": "list(reversed(b))[0]", "dstack": "torch.broadcast_tensors(b, b)[0]",
    "parameter": "nn.Parameter(b)", "tuple": "tuple(b)[0]", "outer view": "torch.outer(b, b).T", "outer diagonal": "torch.outer(b, b).diagonal()",
    "squeeze dim": "b.view(1, 3).squeeze(0)", "repeat": "b.repeat(1)", "index_select": "b.index_select(0, torch.tensor([0, 1]))",
    "to copy": "b.to(torch.float32, copy=True)", "masked_select": "b.masked_select(b > 0)", "nan_to_num": "b.nan_to_num()",
    "new_tensor": "b.new_tensor(b)",
}  # fmt: skip
"""What s is made of b, which may be its memory."""

_HELD = {
    "list": ("s = [x.clone()]", "s[0] += 1", "s[0]"), "list replaced": ("s = [x.clone()]", "s[0] = s[0] + 1", "s[0]"),
    "two of list": ("s = [x.clone()] * 2", "s[0] += 1", "s[1]"), "list tail": ("s = [x]", "s.append(s[-1] * 2)", "s[-1] * len(s)"),
    "dict": ("s = {'a': x.clone()}", "s['a'] += 1", "s['a']"), "dict shared": ("t = x.clone(); s = {'a': t, 'b': t}", "s['a'].mul_(2)", "s['b']"),
    "tuple": ("s = (x.clone(), 1)", "s[0].add_(1)", "s[0]"), "attribute": ("s = types.SimpleNamespace(v=x.clone())", "s.v += 1", "s.v"),
    "attribute item": ("s = types.SimpleNamespace(v=x.clone())", "s.v[0] += 1", "s.v"), "data": ("s = Data(x.clone())", "s.v *= 2", "s.v"),
    "data replaced": ("s = Data(x)", "s = dataclasses.replace(s, v=s.v * 2)", "s.v"),
    "extended": ("s = []", "s.extend(x)", "len(s) + (s[-1] if s else 0)"),
    "dict of views": ("t = x.clone(); s = {'a': t[0], 'b': t[1:]}", "s['a'] += 1; s['b'] *= 2", "t"),
    "nested": ("s = {'a': [x.clone(), {}]}", "s['a'][0][1] += 1", "s['a'][0]"), "module buffer": ("s = M", "s.n += 1", "s.n"),
    "module buffer replaced": ("s = M", "s.n = s.n + x", "s.n"), "module count": ("s = M", "s.count += 1", "s.count"),
    "module forward": ("s = M", "M(x)", "M.n"), "module copied": ("s = copy.deepcopy(M)", "s(x)", "s.n"),
    "dictionary copied": ("s = copy.deepcopy(GS)", "s['a'] += x", "s['a'] + GS['a']"),
    "batch norm": ("s = M.norm", "s(torch.stack([x, x * 2]))", "s.running_mean"),
    "tracked": ("s = M.norm", "s(torch.stack([x, x * 2]))", "s.num_batches_tracked"), "eval": ("s = M.norm", "s.eval()(x[None])", "s.running_var"),
    "module plain": ("s = M", "s.plain += 1", "s.plain"), "module number": ("s = M", "s.number += 1", "s.number"),
    "parameter data": ("s = M", "s.w.data += 1", "s.w"), "parameter no_grad": ("s = M", "with torch.no_grad(): s.w.mul_(2)", "s.w"),
    "global": ("s = G", "s += 1", "G"), "global dict": ("s = GS", "s['a'] += 1", "GS['a']"),
    "global dict replaced": ("s = GS", "s['a'] = s['a'] + 1", "GS['a']"), "default": ("s = x", "default(x)", "default(x * 0)"),
    "made module": ("s = nn.Linear(3, 1); nn.init.ones_(s.weight); nn.init.zeros_(s.bias)", "s.bias.data.add_(1)", "s(x)"),
    "bound": ("b = x.clone(); s = b.add_", "s(1)", "b"), "partial": ("b = x.clone(); s = functools.partial(torch.add, b, out=b)", "s(1)", "b"),
    "map": ("b = x.clone(); s = b", "list(map(lambda r: r.add_(1), b))", "b"),
    "deque": ("s = collections.deque([x, x * 2, x * 3], maxlen=3)", "s.append(s[0] + 1)", "s[0]"),
    "set attribute": ("s = types.SimpleNamespace()", "setattr(s, 'v', getattr(s, 'v', x) * 2)", "getattr(s, 'v', x)"),
    "shape": ("s = x", "s = torch.cat([s, x])", "s.shape[0]"), "shape tuple": ("s = x", "s = torch.stack([s, s])", "s.shape.numel() + len(s.shape)"),
    "numel": ("s = x", "s = s.repeat(2)", "s.numel() + s.dim()"), "dtype number": ("s = torch.tensor(1)", "s = s * 1.5", "s"),
    "dtype int": ("s = torch.tensor([1, 2, 3])", "s = s / 2", "s"), "dtype bool": ("s = x > 1", "s = s + s", "s"),
    "dtype bool in place": ("s = x > 1", "s |= x < 2", "s"), "dtype half": ("s = x.half()", "s = s * 2000", "s"),
    "half max": ("s = x.half()", "s *= 60000", "s"), "bfloat": ("s = x.bfloat16()", "s = s * 1.01", "s"),
    "int8": ("s = x.to(torch.int8) * 60", "s = s + s", "s"), "uint8": ("s = x.to(torch.uint8)", "s = s - 2", "s"),
    "uint8 in place": ("s = x.to(torch.uint8)", "s -= 2", "s"), "shift": ("s = x.int()", "s = s << 3", "s"),
    "shift in place": ("s = x.long()", "s <<= 2", "s"), "shift negative": ("s = -x.int() * 5", "s = s >> 1", "s"),
    "floor of negative": ("s = -x", "s = s // 2", "s"), "modulo of negative": ("s = -x.long() * 3", "s = s % 2 - 5", "s"),
    "int power": ("s = x.long()", "s = s ** 2", "s"), "int divided": ("s = x.long() * 7", "s = s // 2", "s"),
    "number grows": ("s = 1", "s = s * x.sum()", "s"), "float number": ("s = 1", "s = s / 2", "s"), "item": ("s = 0", "s = s + x[1].item()", "s"),
    "int of": ("s = 0", "s += int(x[1])", "s"), "tensor of number": ("s = 0", "s = torch.tensor(s) + 1", "s"),
    "zeros": ("s = torch.zeros(3, dtype=torch.int32)", "s += 1", "s"),
    "zeros plus float": ("s = torch.zeros(3, dtype=torch.int32)", "s = s + 0.5", "s"), "arange": ("s = torch.arange(3)", "s = s + n", "s"),
    "complex": ("s = x + 0j", "s = s * 1j", "s"), "complex real": ("s = x + 1j", "s.real.add_(1)", "s"),
    "complex imag": ("s = x + 1j", "s.imag[0] = 7.0", "s"), "view_as_real": ("s = x + 1j", "torch.view_as_real(s).mul_(2)", "s"),
    "int wrap": ("s = x.int() * 2 ** 29", "s = s + s", "s"), "bool sum": ("s = x > 1", "s = ~s", "s.sum()"),
    "bool times": ("s = x > 1", "s = s * x", "s"), "not": ("s = x.long()", "s = ~s", "s"),
    "seeded alike": ("torch.manual_seed(3); s = torch.rand(3); b = s", "torch.manual_seed(3)\nb = torch.rand(3)", "float((s == b).all())"),
    "drawn on": ("torch.manual_seed(3); s = torch.rand(3); b = s", "b = torch.rand(3)", "float((s == b).all())"),
    "generator seeded": ("g = torch.Generator().manual_seed(5); s = torch.rand(2, generator=g); b = s", "g.manual_seed(5)\nb = torch.rand(2, generator=g)", "float((s == b).all())"),
    "generator drawn on": ("g = torch.Generator().manual_seed(5); s = torch.rand(2, generator=g); b = s", "b = torch.rand(2, generator=g)", "float((s == b).all())"),
    "uniform_ drawn": ("torch.manual_seed(3); s = x.clone(); b = x.clone()", "s.uniform_()\nb.uniform_()", "float((s == b).any())"),
    "dropout drawn": ("torch.manual_seed(3); s = x.repeat(20); b = s", "s = F.dropout(b, 0.5)", "float((s == b).any())"),
    "kept dropout": ("s = x", "s = F.dropout(s, 0.5, False)", "s"), "permutation": ("s = x", "s = s[torch.randperm(3)]", "s.sum()"),
    "requires": ("s = x.clone()", "s.requires_grad_()", "float(s.requires_grad)"),
    "requires made": ("s = x.clone().requires_grad_()", "s = s * 2", "float(s.requires_grad)"),
    "detached": ("s = x.clone().requires_grad_() * 2", "s = s.detach()", "float(s.requires_grad) + float(s.is_leaf)"),
    "grad": ("s = x.clone().requires_grad_()", "s = torch.autograd.grad((s * s).sum(), s)[0].requires_grad_()", "s"),
    "grad of write": ("s = x.clone().requires_grad_(); b = s * 1", "b[0] = b[1] * b[2]", "torch.autograd.grad(b.sum(), s, retain_graph=True)[0]"),
    "grad of mask": ("s = x.clone().requires_grad_(); b = s * 1", "b[b > 1] *= 3", "torch.autograd.grad(b.sum(), s, retain_graph=True)[0]"),
    "grad no_grad": ("s = x.clone().requires_grad_(); b = s * 1", "with torch.no_grad(): b = b * 2", "float(b.requires_grad)"),
    "grad of view": ("s = x.clone().requires_grad_(); b = s * 1", "b[1:].mul_(2)", "torch.autograd.grad((b ** 2).sum(), s, retain_graph=True)[0]"),
    "where nan": ("s = x.clone().requires_grad_(); b = s * 1", "b = torch.where(b > 1, b, (b - 9).sqrt())", "torch.autograd.grad(b.sum(), s, retain_graph=True)[0]"),
    "grad of alias": ("s = x.clone().requires_grad_(); b = s * 1; t = b", "b += s ** 2", "torch.autograd.grad(t.sum(), s, retain_graph=True)[0]"),
    "counter of tensor": ("s = collections.Counter()", "s['a'] += x[0].item()", "s['a']"),
    "default dict": ("s = collections.defaultdict(lambda: torch.zeros(3))", "s['a'] += x", "s['a']"),
    "set of ids": ("b = x.clone(); s = b", "s = s.add_(1)", "float(s is b) + b"), "is": ("b = x.clone(); s = b", "s = s + 1", "float(s is b) + b"),
    "is view": ("b = x.clone(); s = b", "s = s[:]", "float(s is b) + b"),
    "namespace two": ("t = x.clone(); s = types.SimpleNamespace(a=t, b=t)", "s.a += 1", "s.b"),
    "sum out": ("s = torch.zeros(())", "torch.sum(x, out=s)", "s"), "stack out": ("s = torch.zeros(2, 3)", "torch.stack([x, x], out=s)", "s"),
    "max out": ("s = torch.zeros(()); b = torch.zeros((), dtype=torch.long)", "torch.max(x, 0, out=(s, b))", "s + b"),
    "cached": ("s = functools.lru_cache(lambda k: x.clone())", "s(1).add_(1)", "s(1)"),
    "iterator": ("b = x.clone(); s = iter(b)", "next(s).add_(1)", "b"),
    "enumerate": ("b = x.clone(); s = b", "for i, r in enumerate(b): r.add_(i)", "b"),
    "matrix rows": ("b = torch.outer(x, x); s = b", "for i in range(3): b[i] += i", "b"),
    "matrix columns": ("b = torch.outer(x, x); s = b", "for c in b.T: c.mul_(2)", "b"),
    "matrix diagonal": ("b = torch.outer(x, x); s = b", "b.diagonal().fill_(0)", "b"),
    "fill_diagonal": ("b = torch.outer(x, x); s = b", "b.fill_diagonal_(9)", "b"),
    "matrix mask": ("b = torch.outer(x, x); s = b", "b[x > 1] = 0.0", "b"),
    "matrix both": ("b = torch.outer(x, x); s = b", "b[[0, 1], [1, 2]] = 7.0", "b"),
    "matrix column": ("b = torch.outer(x, x); s = b", "b[:, 1] = b[1]", "b"), "matrix t_": ("b = torch.outer(x, x) + x; s = b", "b.t_()", "b"),
    "transposed item": ("b = torch.outer(x, x) + x; s = b", "s.T[0] = 1.0", "b"), "triu_": ("b = torch.outer(x, x); s = b", "b.triu_()", "b"),
    "swap rows": ("b = torch.outer(x, x); s = b", "b[[0, 1]] = b[[1, 0]]", "b"),
    "swap row views": ("b = torch.outer(x, x); s = b", "b[0], b[1] = b[1], b[0]", "b"),
    "matrix reshape": ("b = torch.outer(x, x) + x; s = b", "b.T.reshape(-1)[0] = 9.0", "b"),
    "matrix view": ("b = torch.outer(x, x) + x; s = b", "b.view(-1)[4] = 9.0", "b"),
    "matrix flatten": ("b = torch.outer(x, x) + x; s = b", "b.flatten(0)[1] = 9.0", "b"),
    "matrix unfold": ("b = torch.outer(x, x) + x; s = b", "b.unfold(1, 2, 1)[0, 0, 1] = 9.0", "b"),
    "matrix expand": ("b = x.clone(); s = b.expand(3, 3)", "b += 1", "s"), "matrix stack": ("b = x.clone(); s = torch.stack([b, b])", "b += 1", "s"),
}  # fmt: skip
"""Tensors that something holds: how it is made, what changes it, what it is asked."""

STATES = states(_IN_PLACE, _VIEWS, _HELD, "x.clone()", "s.mul_(2)")
