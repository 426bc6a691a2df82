"""Parts of the families of modules: what a module may hold, with what writes to it and what is asked, and places of its own."""

from __future__ import annotations

HELPERS = """
import torch
torch.manual_seed(0)
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call
from torch.nn.utils import parametrizations, parametrize
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, k=1.0):
        super().__init__()
        self.weight = nn.Parameter(torch.full((3,), k))
        self.register_buffer("seen", torch.zeros(3))
        self.register_buffer("count", torch.tensor(0))

    def forward(self, x):
        self.seen += x * self.weight
        self.count += 1
        return self.seen * self.weight + self.count


class Double(nn.Module):
    def forward(self, w): return w * 2


class Apply(nn.Module):
    def forward(self, f, *args): return f(*args)


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("acc", torch.zeros(3))
        self.register_buffer("count", torch.tensor(0))
        self.register_buffer("gone", torch.zeros(3), persistent=False)
        self.register_buffer("empty", None)
        self.w = nn.Parameter(torch.ones(3))
        self.block = Block()
        self.apply_ = Apply()

    @property
    def total(self): return self.acc.sum() + self.count

    @classmethod
    def scaled(cls, x): return x * 2

    @staticmethod
    def shifted(x): return x + 1
"""
"""What every program may name besides."""

_BLOCKS = "self.blocks = nn.ModuleList([Block(1.0), Block(2.0), Block(0.5)])"
_DICT = "self.parts = nn.ModuleDict({'a': Block(1.0), 'b': Block(2.0)})"
_SEQ = "self.seq = nn.Sequential(Block(1.0), nn.Tanh(), Block(2.0))"
_NORM = "self.norm = nn.BatchNorm1d(3)"
_NORM2 = "self.norms = nn.ModuleList([nn.BatchNorm1d(3, momentum=None), nn.BatchNorm1d(3, affine=False)])"

STATES = {
    "buffer": ("pass", "s = b = self", "s.acc += x", "s.acc"),
    "buffer of an argument's name": ("self.register_buffer('n', torch.zeros(3))", "s = b = self", "s.n += x", "s.n"),
    "attribute of an argument's name": ("self.x = torch.zeros(3)", "s = b = self", "s.x = s.x + x", "s.x"),
    "argument written beside it": ("self.register_buffer('x', torch.zeros(3))", "s = b = self", "s.x += x; x += 1", "s.x"),
    "buffer replaced": ("pass", "s = b = self", "s.acc = s.acc + x", "s.acc"),
    "buffer copy_": ("pass", "s = b = self", "s.acc.copy_(x * 2)", "s.acc"),
    "buffer item": ("pass", "s = b = self", "s.acc[0] += 1", "s.acc"),
    "buffer open item": ("pass", "s = b = self", "s.acc[n % 3] = x[0]", "s.acc"),
    "buffer view": ("pass", "s = self; b = self.acc[1:]", "b += 1", "s.acc"),
    "buffer alias": ("pass", "s = self; b = self.acc", "s.acc += x", "b"),
    "buffer old": ("pass", "s = self; b = self.acc", "s.acc = s.acc + x", "b + s.acc"),
    "buffer data": ("pass", "s = b = self", "s.acc.data = s.acc + x", "s.acc"),
    "buffer setattr": ("pass", "s = b = self", "setattr(s, 'acc', s.acc * 2 + 1)", "getattr(s, 'acc')"),
    "buffer by dictionary": ("pass", "s = b = self", "s._buffers['acc'] = s.acc + 1", "s.acc"),
    "buffer of vars": ("pass", "s = self; b = vars(self)['_buffers']", "b['acc'] = b['acc'] + 1", "s.acc"),
    "buffer get_buffer": ("pass", "s = b = self", "s.get_buffer('block.seen').add_(x)", "s.block.seen"),
    "buffers loop": ("pass", "s = b = self", "for v in s.block.buffers(): v += 1", "s.block.seen + s.block.count"),
    "named buffers": ("pass", "s = b = self", "for k, v in s.named_buffers():\n    if k.endswith('seen'): v += 1", "s.block.seen"),
    "not persistent": ("pass", "s = b = self", "s.gone += x", "s.gone"),
    "count": ("pass", "s = b = self", "s.count += 1", "s.count"),
    "count by n": ("pass", "s = b = self", "s.count += n", "s.count"),
    "count tested": ("pass", "s = b = self", "s.count += 1\nif s.count > 2: s.acc += x", "s.acc"),
    "count as index": ("pass", "s = b = self", "s.count += 1; s.acc[s.count % 3] += x[0]", "s.acc"),
    "count of item": ("pass", "s = b = self", "s.count.add_(1); s.acc += s.count.item()", "s.acc"),
    "count wrap": ("pass", "s = b = self", "s.count = (s.count + 1) % 3", "s.count"),
    "ring": ("self.register_buffer('ring', torch.zeros(4, 3))", "s = b = self", "s.ring[s.count % 4] = x; s.count += 1", "s.ring.sum(0) + s.count"),
    "rolled": ("self.register_buffer('ring', torch.zeros(4, 3))", "s = b = self", "s.ring = torch.roll(s.ring, 1, 0); s.ring[0] = x", "s.ring[0] + s.ring[1] * 2"),
    "shifted": ("self.register_buffer('ring', torch.zeros(4, 3))", "s = b = self", "s.ring = torch.cat([s.ring[1:], x[None]])", "s.ring[3] + s.ring[2] * 2"),
    "average": ("pass", "s = b = self", "s.acc.lerp_(x, 0.1)", "s.acc"),
    "average mul": ("pass", "s = b = self", "s.acc.mul_(0.9).add_(x, alpha=0.1)", "s.acc"),
    "average first": ("pass", "s = b = self", "s.acc = torch.where(s.count == 0, x, s.acc * 0.9 + x * 0.1); s.count += 1", "s.acc"),
    "initialised by data": ("self.register_buffer('ready', torch.tensor(False))", "s = b = self", "if not s.ready:\n    s.acc.copy_(x)\n    s.ready.fill_(True)\ns.acc += 1", "s.acc"),
    "best": ("self.register_buffer('best', torch.tensor(-9.0))", "s = b = self", "s.best = torch.maximum(s.best, x.max())", "s.best"),
    "plain tensor": ("self.plain = torch.zeros(3)", "s = b = self", "s.plain += x", "s.plain"),
    "plain replaced": ("self.plain = torch.zeros(3)", "s = b = self", "s.plain = s.plain * 2 + x", "s.plain"),
    "plain number": ("self.number = 2", "s = b = self", "s.acc += s.number", "s.acc * s.number"),
    "number set back": ("self.number = 2", "s = b = self", "s.number = s.number + 1; s.acc += s.number; s.number = s.number - 1", "s.acc * s.number"),
    "flag": ("self.flag = True", "s = b = self", "if s.flag: s.acc += x\nelse: s.acc -= x", "s.acc"),
    "flag set": ("self.flag = True", "s = b = self", "s.flag = True; s.acc += float(s.flag)", "s.acc"),
    "list of tensors": ("self.items = [torch.zeros(3), torch.ones(3)]", "s = b = self", "s.items[0] += x", "s.items[0] + s.items[1]"),
    "list replaced": ("self.items = [torch.zeros(3), torch.ones(3)]", "s = b = self", "s.items[1] = s.items[1] * 2", "s.items[1]"),
    "list swapped": ("self.items = [torch.zeros(3), torch.ones(3)]", "s = b = self", "s.items[0], s.items[1] = s.items[1] + x, s.items[0]", "s.items[1]"),
    "list set": ("self.items = [torch.zeros(3), torch.ones(3)]", "s = b = self", "s.items = [s.items[1] * 2, s.items[0] + x]", "s.items[1]"),
    "list filled": ("self.items = []", "s = b = self", "s.items = [x]; s.items.append(x * 2)", "s.items[-1] if s.items else x"),
    "list cleared": ("self.items = []", "s = b = self", "s.items.append(x); s.items.clear()", "x * len(s.items)"),
    "list appended": ("self.items = []", "s = b = self", "s.items.append(x)", "x * len(s.items)"),
    "dict of tensors": ("self.table = {'a': torch.zeros(3)}", "s = b = self", "s.table['a'] = s.table['a'] + x", "s.table['a']"),
    "dict in place": ("self.table = {'a': torch.zeros(3)}", "s = b = self", "s.table['a'] += x", "s.table['a']"),
    "dict update": ("self.table = {'a': torch.zeros(3)}", "s = b = self", "s.table.update(a=s.table['a'] * 2 + 1)", "s.table['a']"),
    "dict grown": ("self.table = {}", "s = b = self", "s.table['a'] = x", "s.table['a'] if 'a' in s.table else x * 0"),
    "object": ("self.held = types.SimpleNamespace(v=torch.zeros(3))", "s = b = self", "s.held.v = s.held.v + x", "s.held.v"),
    "object in place": ("self.held = types.SimpleNamespace(v=torch.zeros(3))", "s = b = self", "s.held.v += x", "s.held.v"),
    "data class": ("self.held = Data(torch.zeros(3))", "s = b = self", "s.held = Data(s.held.v + x)", "s.held.v"),
    "config": ("self.config = Data(2)", "s = b = self", "s.acc += s.config.v", "s.acc * s.config.v"),
    "tuple": ("self.pair = (torch.zeros(3), torch.ones(3))", "s = b = self", "s.pair = (s.pair[1], s.pair[0] + x)", "s.pair[0]"),
    "kept result": ("self.last = None", "s = b = self", "s.last = x * 2", "x if s.last is None else s.last"),
    "kept and read": ("self.last = torch.zeros(3)", "s = b = self", "s.last, s.acc = x, s.last", "s.acc"),
    "parameter no_grad": ("pass", "s = b = self", "with torch.no_grad(): s.w += x", "s.w"),
    "parameter data": ("pass", "s = b = self", "s.w.data += x", "s.w"),
    "parameter data set": ("pass", "s = b = self", "s.w.data = s.w.data * 2", "s.w"),
    "parameter copy_": ("pass", "s = b = self", "with torch.no_grad(): s.w.copy_(x)", "s.w"),
    "parameter detach": ("pass", "s = b = self", "s.w.detach().mul_(2)", "s.w"),
    "parameter item": ("pass", "s = b = self", "with torch.no_grad(): s.w[0] = 5.0", "s.w"),
    "parameter view": ("pass", "s = self; b = self.w.view(3, 1)", "with torch.no_grad(): b[0, 0] += 1", "s.w"),
    "parameter clamp": ("pass", "s = b = self", "with torch.no_grad(): s.w.add_(x).clamp_(-2, 2)", "s.w"),
    "parameter replaced": ("pass", "s = b = self", "s.w = nn.Parameter(s.w + x)", "s.w"),
    "parameters loop": ("pass", "s = b = self", "with torch.no_grad():\n    for p in s.parameters(): p.add_(1)", "s.w + s.block.weight"),
    "parameter list": ("self.ps = nn.ParameterList([torch.ones(3), torch.zeros(3)])", "s = b = self", "with torch.no_grad(): s.ps[1] += s.ps[0] * x", "s.ps[1]"),
    "parameter list loop": ("self.ps = nn.ParameterList([torch.ones(3), torch.zeros(3)])", "s = b = self", "for p in s.ps: s.acc = s.acc + p", "s.acc"),
    "parameter dict": ("self.ps = nn.ParameterDict({'a': torch.ones(3), 'b': torch.zeros(3)})", "s = b = self", "for k, p in s.ps.items(): s.acc = s.acc + p * len(k)", "s.acc + s.ps['a']"),
    "target network": ("self.copied = copy.deepcopy(self.block)", "s = b = self", "with torch.no_grad():\n    for p, q in zip(s.block.parameters(), s.copied.parameters()): q.lerp_(p * 3, 0.5)", "s.copied.weight"),
    "shared weight": ("self.other = Block(); self.other.weight = self.w", "s = b = self", "with torch.no_grad(): s.other.weight.add_(x)", "s.w"),
    "shared module": ("self.other = self.block", "s = b = self", "s.other(x)", "s.block.seen"),
    "shared buffer": ("self.other = Block(); self.other.seen = self.acc", "s = b = self", "s.other(x)", "s.acc"),
    "shared buffer replaced": ("self.other = Block(); self.other.seen = self.acc", "s = b = self", "s.other.seen = s.other.seen + x", "s.acc + s.other.seen"),
    "view of parameter": ("self.register_buffer('part', self.w.detach()[1:])", "s = b = self", "s.part += 1", "s.w"),
    "two views": ("self.register_buffer('part', self.acc[1:])", "s = b = self", "s.part += 1", "s.acc"),
    "view written by base": ("self.register_buffer('part', self.acc[1:])", "s = b = self", "s.acc += x", "s.part.sum() + s.acc"),
    "block": ("pass", "s = b = self", "x = s.block(x)", "x + s.block.seen"),
    "blocks": (_BLOCKS, "s = b = self", "for m in s.blocks: x = m(x)", "x + s.blocks[1].seen"),
    "blocks cut": (_BLOCKS, "s = b = self", "for m in s.blocks[1:]: x = m(x)", "x + s.blocks[1].seen"),
    "blocks reversed": (_BLOCKS, "s = b = self", "for m in reversed(s.blocks): x = m(x)", "x + s.blocks[2].seen"),
    "blocks numbered": (_BLOCKS, "s = b = self", "for i, m in enumerate(s.blocks):\n    if i < n: x = m(x)", "x + s.blocks[1].seen"),
    "blocks to a bound": (_BLOCKS, "s = b = self", "for m in s.blocks[:n]: x = m(x)", "x + s.blocks[1].seen"),
    "blocks to n": (_BLOCKS, "s = b = self", "for i in range(min(n, 3)): x = s.blocks[i](x)", "x + s.blocks[1].seen"),
    "blocks by n": (_BLOCKS, "s = b = self", "x = s.blocks[n % 3](x)", "x + s.blocks[2].seen"),
    "blocks by data": (_BLOCKS, "s = b = self", "if x.sum() > 3: x = s.blocks[0](x)\nelse: x = s.blocks[1](x)", "x + s.blocks[1].seen"),
    "blocks chosen": (_BLOCKS, "s = b = self; m = self.blocks[0] if n > 1 else self.blocks[1]", "x = m(x)", "x + s.blocks[0].seen"),
    "blocks break": (_BLOCKS, "s = b = self", "for m in s.blocks:\n    x = m(x)\n    if x.sum() > 20: break", "x + s.blocks[1].seen"),
    "blocks by count": (_BLOCKS, "s = b = self", "for m in s.blocks:\n    if m.count < 2: x = m(x)", "x + s.blocks[1].seen"),
    "parts": (_DICT, "s = b = self", "for k, m in s.parts.items(): x = m(x) * len(k)", "x + s.parts['b'].seen"),
    "parts chosen": (_DICT, "s = b = self", "x = s.parts['a' if n > 1 else 'b'](x)", "x + s.parts['b'].seen"),
    "parts by test": (_DICT, "s = b = self", "k = 'b'\nif n > 2: k = 'a'\nx = s.parts[k](x)", "x + s.parts['b'].seen"),
    "sequential": (_SEQ, "s = b = self", "x = s.seq(x)", "x + s.seq[2].seen"),
    "sequential cut": (_SEQ, "s = b = self", "x = s.seq[:2](x)", "x + s.seq[0].seen"),
    "sequential loop": (_SEQ, "s = b = self", "for i, m in enumerate(s.seq):\n    x = m(x)\n    if i == n: break", "x + s.seq[0].seen"),
    "children": ("pass", "s = b = self", "for k, m in s.named_children():\n    if k == 'block': x = m(x)", "x + s.block.seen"),
    "modules": (_BLOCKS, "s = b = self", "for m in s.modules():\n    if isinstance(m, Block): m.seen += x", "s.blocks[1].seen"),
    "get_submodule": (_BLOCKS, "s = b = self", "x = s.get_submodule('blocks.1')(x)", "x + s.blocks[1].seen"),
    "getattr block": ("for i in range(2): setattr(self, f'layer{i}', Block(i + 1.0))", "s = b = self", "for i in range(2): x = getattr(s, f'layer{i}')(x)", "x + s.layer1.seen"),
    "list of modules": ("self.hidden = [Block(1.0), Block(2.0)]", "s = b = self", "for m in s.hidden: x = m(x)", "x"),
    "dict of modules": ("self.hidden = {'a': Block(1.0)}", "s = b = self", "x = s.hidden['a'](x)", "x"),
    "functional": ("pass", "s = b = self", "x = functional_call(s.block, {'weight': x, 'seen': s.acc}, (x,))", "x + s.block.seen + s.acc"),
    "functional weights": ("pass", "s = b = self", "x = functional_call(s.block, {'weight': s.w * 2}, (x,))", "x + s.block.seen"),
    "checkpoint": ("pass", "s = b = self", "x = checkpoint(s.block, x, use_reentrant=False)", "x + s.block.seen"),
    "hook": ("self.block.register_forward_hook(lambda m, a, out: out * 2)", "s = b = self", "x = s.block(x)", "x + s.block.seen"),
    "hook writes": ("self.block.register_forward_hook(lambda m, a, out: self.acc.add_(out))", "s = b = self", "s.block(x)", "s.acc"),
    "hook of count": ("self.block.register_forward_hook(lambda m, a, out: m.count.add_(1) * 0 + out)", "s = b = self", "x = s.block(x)", "x + s.block.count"),
    "pre hook": ("self.block.register_forward_pre_hook(lambda m, a: (a[0] + m.count,))", "s = b = self", "x = s.block(x)", "x + s.block.seen"),
    "pre hook writes": ("self.block.register_forward_pre_hook(lambda m, a: setattr(m, 'seen', m.seen * 2))", "s = b = self", "x = s.block(x)", "x + s.block.seen"),
    "hook keeps": ("self.kept = {}; self.block.register_forward_hook(lambda m, a, out: self.kept.update(o=out))", "s = b = self", "s.block(x); s.acc = s.acc + s.kept['o']", "s.acc"),
    "hook once": ("pass", "s = b = self", "h = s.block.register_forward_hook(lambda m, a, out: out + 1); x = s.block(x); h.remove()", "x"),
    "parametrization": ("parametrize.register_parametrization(self, 'w', Double())", "s = b = self", "s.acc = s.acc + s.w", "s.acc + s.w"),
    "parametrization written": ("parametrize.register_parametrization(self, 'w', Double())", "s = b = self", "with torch.no_grad(): s.parametrizations.w.original.add_(1)", "s.w"),
    "weight norm": ("self.lin = parametrizations.weight_norm(nn.Linear(3, 3)); nn.init.ones_(self.lin.parametrizations.weight.original1); nn.init.zeros_(self.lin.bias)", "s = b = self", "x = s.lin(x)", "x"),
    "batch norm": (_NORM, "s = b = self", "x = s.norm(torch.stack([x, x * 2]))[1]", "x + s.norm.running_mean + s.norm.num_batches_tracked"),
    "batch norm eval": (_NORM + ".eval()", "s = b = self", "x = s.norm(torch.stack([x, x * 2]))[1]", "x + s.norm.running_mean"),
    "batch norm frozen": (_NORM, "s = b = self", "s.norm.eval(); x = s.norm(torch.stack([x, x * 2]))[1]; s.norm.train()", "x + s.norm.running_mean"),
    "batch norm momentum": (_NORM2, "s = b = self", "for m in s.norms: x = m(torch.stack([x, x * 2]))[0]", "x + s.norms[0].running_mean"),
    "batch norm chosen": (_NORM2, "s = b = self", "x = (s.norms[0] if n > 1 else s.norms[1])(torch.stack([x, x * 2]))[0]", "x + s.norms[1].running_var"),
    "batch norm by n": (_NORM2, "s = b = self", "x = s.norms[n % 2](torch.stack([x, x * 2]))[0]", "x + s.norms[1].running_var"),
    "batch norm reset": (_NORM, "s = b = self", "s.norm.reset_running_stats(); x = s.norm(torch.stack([x, x * 2]))[1]", "x + s.norm.running_mean"),
    "batch norm call": (_NORM, "s = b = self", "x = F.batch_norm(torch.stack([x, x * 2]), s.norm.running_mean, s.norm.running_var, training=True)[0]", "x + s.norm.running_mean"),
    "instance norm": ("self.norm = nn.InstanceNorm1d(3, track_running_stats=True)", "s = b = self", "x = s.norm(torch.stack([x, x * 2], 1)[None])[0, :, 0]", "x + s.norm.running_mean"),
    "training": ("pass", "s = b = self", "if s.training: s.acc += x", "s.acc + s.training"),
    "dropout none": ("self.drop = nn.Dropout(0.0)", "s = b = self", "x = s.drop(x) + 1", "x"),
    "dropout all": ("self.drop = nn.Dropout(1.0)", "s = b = self", "x = s.drop(x) + 1", "x"),
    "dropout eval": ("self.drop = nn.Dropout(0.5).eval()", "s = b = self", "x = s.drop(x) + 1", "x"),
    "dropout inplace": ("self.drop = nn.Dropout(1.0, inplace=True)", "s = self; b = x * 1", "s.drop(b)", "b"),
    "relu inplace": ("self.act = nn.ReLU(inplace=True)", "s = self; b = x - 2", "s.act(b); b -= 1", "b"),
    "embedding max_norm": ("self.emb = nn.Embedding(4, 3, max_norm=1.0); nn.init.ones_(self.emb.weight)", "s = b = self", "x = s.emb(torch.tensor([n % 4]))[0]", "x + s.emb.weight[0]"),
    "cache grown": ("self.cache = torch.zeros(0, 3)", "s = b = self", "s.cache = torch.cat([s.cache, x[None]])", "s.cache.sum(0) + len(s.cache)"),
    "cache buffer grown": ("self.register_buffer('cache', torch.zeros(0, 3))", "s = b = self", "s.cache = torch.cat([s.cache, x[None]])", "s.cache.sum(0) + len(s.cache)"),
    "cache none": ("self.cache = None", "s = b = self", "s.cache = x if s.cache is None else torch.cat([s.cache, x])", "x if s.cache is None else s.cache.sum() + x"),
    "empty buffer": ("pass", "s = b = self", "s.empty = x if s.empty is None else s.empty + x", "x if s.empty is None else s.empty"),
    "empty buffer set": ("pass", "s = b = self", "s.empty = x", "x if s.empty is None else s.empty"),
    "registered": ("pass", "s = b = self", "s.register_buffer('acc', s.acc + x)", "s.acc"),
    "new attribute": ("pass", "s = b = self", "s.fresh = x * 2", "getattr(s, 'fresh', x)"),
    "deleted attribute": ("pass", "s = b = self", "s.fresh = x * 2; s.acc += s.fresh; del s.fresh", "s.acc + hasattr(s, 'fresh')"),
    "property": ("pass", "s = b = self", "s.count += 1", "s.total"),
    "class method": ("pass", "s = b = self", "s.acc = s.scaled(s.acc) + s.shifted(x)", "s.acc"),
    "copied": ("pass", "s = b = self; m = copy.deepcopy(self.block)", "m(x)", "m.seen + s.block.seen"),
    "copied shallow": ("pass", "s = b = self; m = copy.copy(self.block)", "m(x)", "m.seen + s.block.seen"),
    "made": ("pass", "s = b = self; m = Block(2.0)", "m(x)", "m.seen"),
    "lstm state": ("self.cell = nn.GRUCell(3, 3); [nn.init.constant_(p, 0.1) for p in self.cell.parameters()]", "s = b = self", "s.acc = s.cell(x, s.acc)", "s.acc"),
    "detached state": ("pass", "s = b = self", "s.acc = (s.acc * s.w + x).detach()", "s.acc"),
    "state tensor dtype": ("self.register_buffer('short', torch.zeros(3, dtype=torch.float16))", "s = b = self", "s.short += x", "s.short"),
    "int state": ("self.register_buffer('whole', torch.zeros(3, dtype=torch.int32))", "s = b = self", "s.whole += x.int()", "s.whole"),
    "bool state": ("self.register_buffer('mask', torch.zeros(3, dtype=torch.bool))", "s = b = self", "s.mask |= x > 1", "s.mask.sum()"),
    "state dict": ("pass", "s = b = self", "s.acc += s.state_dict()['block.seen'] + 1", "s.acc"),
    "state dict written": ("pass", "s = b = self", "s.state_dict()['acc'].add_(x)", "s.acc"),
    "apply": ("pass", "s = b = self", "s.block.apply(lambda m: m.seen.add_(1))", "s.block.seen"),
    "zero_": ("pass", "s = b = self", "s.acc += x; s.acc.zero_()", "s.acc"),
    "to itself": ("pass", "s = b = self", "s.acc = s.acc.to(x) + x", "s.acc"),
    "requires grad": ("pass", "s = b = self", "x = x + float(s.w.requires_grad) + float(s.acc.requires_grad)", "x"),
}  # fmt: skip
"""What a module holds: lines of its __init__, what is named in its forward, what writes, what is asked."""

MODULE_PLACES = {
    "in a submodule": """
        def f(self, x, n: int):
            MADE
            def g(s, b, x):
                WRITE
                return (TOLD) + 0
            a = self.apply_(g, s, b, x)
            if n > 1: a = a + self.apply_(g, s, b, x)
            return TOLD, a
        """,
    "without gradients": """
        def f(self, x, n: int):
            MADE
            with torch.no_grad():
                WRITE
                a = (TOLD) + 0
            return TOLD, a
        """,
    "in a decorated method": """
        class Holder:
            @torch.no_grad()
            def step(h, self, x, n):
                MADE
                WRITE
                return (TOLD) + 0

        def f(self, x, n: int):
            MADE
            a = Holder().step(self, x, n)
            if n > 1: a = a + Holder().step(self, x, n)
            return TOLD, a
        """,
    "in a checkpoint": """
        def f(self, x, n: int):
            MADE
            def g(x):
                MADE
                WRITE
                return (TOLD) + 0
            a = checkpoint(g, x, use_reentrant=False)
            return TOLD, a
        """,
    "in training": """
        def f(self, x, n: int):
            MADE
            a = (TOLD) + 0
            if self.training and n > 0:
                WRITE
            return TOLD, a
        """,
    "in a loop over modules": """
        def f(self, x, n: int):
            MADE
            a = (TOLD) + 0
            for m in self.children():
                if isinstance(m, Block) or n > 2:
                    WRITE
                    a = a + (TOLD)
            return TOLD, a
        """,
}
"""Places that only modules have."""
