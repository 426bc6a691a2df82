"""Parts of the families of constructs: what each does with a test and a value, and leaves in `a`."""

from __future__ import annotations

HELPERS = """
import collections, contextlib, copy, dataclasses, functools, itertools, math, operator, types
from typing import NamedTuple
import numpy as np
import torch
from torch import nn


class Own(Exception):
    def __init__(self, held): super().__init__("own"); self.held = held


class Manager:
    def __init__(self, log): self.log = log
    def __enter__(self): self.log.append(1.0); return self
    def __exit__(self, kind, error, trace): self.log.append(2.0 if kind is None else 3.0); return kind is Own


@contextlib.contextmanager
def managed(log):
    log.append(1.0)
    try: yield log
    finally: log.append(2.0)


class Base:
    scale = 2.0
    def __init__(self, v): self.v = v
    def use(self, e): return e * self.scale
    @property
    def doubled(self): return self.v * 2
    @doubled.setter
    def doubled(self, e): self.v = e / 2
    @classmethod
    def made(cls, e): return cls(e + 1)
    @staticmethod
    def of(e): return e + 3


class Derived(Base):
    scale = 3.0
    def use(self, e): return super().use(e) + self.v
    def __getattr__(self, name):
        if name == "absent": return self.v + 7
        raise AttributeError(name)


class Point(NamedTuple):
    v: object
    w: object = 1.0
    @property
    def total(self): return self.v + self.w


@dataclasses.dataclass
class Record:
    v: object
    w: object = 0.5
    items: list = dataclasses.field(default_factory=list)
    def __post_init__(self): self.t = self.v + self.w
    def __add__(self, o): return Record(self.v + (o.v if isinstance(o, Record) else o))
    def __radd__(self, o): return Record(self.v + o)
    def __iter__(self): return iter((self.v, self.w))


class Lazy:
    def __init__(self, e): self.e = e; self.asked = 0
    @functools.cached_property
    def value(self): self.asked += 1; return self.e * 3
    def __bool__(self): self.asked += 1; return self.asked > 1
    def __call__(self, *args, by=1.0, **more): return sum(args) * by + sum(more.values())
    def __getitem__(self, at): return self.e * at if isinstance(at, int) else self.e
    def __len__(self): return 2
    def __contains__(self, at): return at == 2
    def __eq__(self, o): return isinstance(o, Lazy)
    def __hash__(self): return 3
    def __lt__(self, o): return self.asked < o.asked


class Field:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, obj, owner=None): return self if obj is None else getattr(obj, self.name, 1.0) * 2
    def __set__(self, obj, v): setattr(obj, self.name, v + 1)


class Holder:
    field = Field()
    __slots__ = ("_field", "other")


def decorated(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs): return fn(*args, **kwargs) + 1
    return inner


def numbers(upto):
    for at in range(upto): yield at
    return 10.0


def spread(first, *rest, by=1.0, **more): return first * by + len(rest) + sum(more.values())


@functools.singledispatch
def told(e): return 1.0
@told.register
def _(e: int): return 2.0
@told.register
def _(e: torch.Tensor): return 3.0
"""
"""What every program may name."""

CONSTRUCTS = {
    "if": "if TEST: a = VALUE",
    "if else": "if TEST: a = VALUE\nelse: a = x + 1",
    "elif": "if n > 2: a = x\nelif TEST: a = VALUE\nelse: a = x - 1",
    "expression": "a = VALUE if TEST else x",
    "and": "a = (TEST) and VALUE",
    "or": "a = (TEST) or VALUE",
    "and or": "a = (TEST) and VALUE or x",
    "not": "a = VALUE * (not (TEST))",
    "chained": "a = VALUE * (0 < n <= 2)",
    "walrus": "a = (b := VALUE) + b if TEST else x",
    "walrus in test": "if (b := VALUE) is not None and (TEST): a = b",
    "swap": "b, a = a, VALUE\nif TEST: a, b = b, a",
    "star": "a, *rest = [VALUE, x, n]\nif TEST: a = rest[-1]",
    "augmented": "a = VALUE\nif TEST: a += 1\nelse: a *= 2",
    "augmented item": "d = [VALUE, x]\nif TEST: d[0] += 1\nd[n % 2] *= 2\na = d[0] + d[1]",
    "item of two": "d = [VALUE, x]\na = d[TEST]",
    "dictionary": "d = {'a': VALUE}\nif TEST: d['a'] = x\na = d['a']",
    "dictionary of tests": "a = {True: VALUE, False: x}[bool(TEST)]",
    "get": "d = {1: VALUE, 2: x}\na = d.get(n, x + 5)\nif TEST: a = a + 1",
    "deleted": "d = {'a': VALUE, 'b': x}\nif n > 5: del d['b']\na = sum(d.values()) if TEST else x",
    "popped": "d = [VALUE, x]\nif TEST: a = d.pop()\na = a + len(d)",
    "slice": "d = [VALUE, x, x + 1]\nd[1:] = [x]\na = sum(d) if TEST else d[-1]",
    "for": "for e in (VALUE, x): a = a + e\nif TEST: a = e",
    "for else": "for e in range(3):\n    if e == n: break\nelse: a = VALUE\nif TEST: a = a + e",
    "for break": "for e in range(4):\n    if TEST: break\n    a = a + VALUE",
    "for continue": "for e in range(3):\n    if e == n and TEST: continue\n    a = a + VALUE",
    "for rows": "for e in x:\n    if TEST: a = a + e * VALUE",
    "enumerate": "for i, e in enumerate(x):\n    if e > 1 and TEST: a = a + i * VALUE",
    "zip": "for e, g in zip(x, [1, 2]): a = a + e * g\nif TEST: a = a + VALUE",
    "while": "i = 0\nwhile i < n:\n    if TEST: a = a + VALUE\n    i += 1",
    "while else": "i = 0\nwhile i < 3:\n    i += 1\n    if i > n: break\nelse: a = VALUE\nif TEST: a = a + i",
    "while true": "i = 0\nwhile True:\n    i += 1\n    if i > n or i > 3: break\n    a = a + VALUE\nif TEST: a = a + i",
    "list": "d = [VALUE * e for e in range(3) if e != n]\nif TEST: a = d[-1]",
    "nested comprehension": "a = sum([e * g for e in (1, 2) for g in (VALUE, x) if TEST]) + x",
    "dictionary comprehension": "d = {k: VALUE * k for k in range(3)}\na = d[2] if TEST else d[1]",
    "set comprehension": "a = len({e % 2 for e in range(n)}) * x\nif TEST: a = a + VALUE",
    "generator": "a = sum(VALUE * e for e in range(3))\nif TEST: a = next(e * x for e in (1, 2))",
    "any": "a = x if any(e * n > 3 for e in (1, 2)) else VALUE\nif TEST: a = a + 1",
    "all": "a = x if all(e < n for e in (0, 1)) and TEST else VALUE",
    "max": "a = max(1, n) * x + min(VALUE if TEST else x, VALUE, key=lambda e: 0)",
    "sorted": "d = sorted([3, n, 1])\na = d[0] * x + VALUE * d[-1] if TEST else x",
    "lambda": "g = (lambda e: e + VALUE) if TEST else (lambda e: e * 2)\na = g(x)",
    "late closure": "b = VALUE\ng = lambda: b\nif TEST: b = x + 9\na = g()",
    "closures in a loop": "d = [lambda e=e: e * VALUE for e in (1, 2)]\na = d[1]() if TEST else d[0]()",
    "nonlocal": "b = x\ndef g():\n    nonlocal b\n    b = VALUE\nif TEST: g()\na = b",
    "defaults": "def g(e=VALUE, *, by=2.0): return e * by\na = g(by=3.0) if TEST else g(x)",
    "mutable default": "def g(e, d=[]):\n    d.append(e)\n    return len(d)\ng(1)\nif TEST: g(2)\na = g(3) * VALUE",
    "star arguments": "d = (VALUE, x)\na = spread(*d, by=2.0, c=1) if TEST else spread(x, *d)",
    "keywords": "d = {'by': 2.0}\nif TEST: d['c'] = 4.0\na = spread(VALUE, **d)",
    "early return": "def g(e):\n    if TEST: return e\n    return e * 2\na = g(VALUE)",
    "return in a loop": "def g(e):\n    for i in range(3):\n        if i == n: return e + i\n        if TEST: return e * 5\n    return e\na = g(VALUE)",
    "recursion": "def g(e, d): return e if d == 0 else g(e + x, d - 1)\na = g(VALUE, 3) if TEST else x",
    "decorated": "g = decorated(lambda e: e * 2)\na = g(VALUE) if TEST else x",
    "partial": "g = functools.partial(spread, VALUE, by=3.0)\na = g() if TEST else g(1)",
    "reduce": "a = functools.reduce(lambda p, q: p * 0.5 + q, [VALUE, x, n], x if TEST else x + 1)",
    "dispatch": "a = told(VALUE) * x + told(n) if TEST else told('') * x",
    "map": "a = sum(map(lambda e: e * VALUE, (1, 2)))\nif TEST: a = a + list(map(operator.neg, [x]))[0]",
    "filter": "a = len(list(filter(lambda e: e > n, [0, 1, 2]))) * VALUE\nif TEST: a = a + x",
    "accumulate": "d = list(itertools.accumulate([VALUE, x, x]))\na = d[-1] if TEST else d[0]",
    "chain": "a = sum(itertools.chain([VALUE], (x, n)))\nif TEST: a = a * 2",
    "islice": "a = sum(itertools.islice((VALUE, x, x), 2))\nif TEST: a = a * 2",
    "takewhile": "a = sum(itertools.takewhile(lambda e: e < n, [0, 1, 2])) * x\nif TEST: a = a + VALUE",
    "product": "a = sum(p * q for p, q in itertools.product((1, 2), (VALUE, x)))\nif TEST: a = a + 1",
    "try": "try:\n    if TEST: raise Own(VALUE)\n    a = x\nexcept Own as error: a = error.held",
    "try else": "try:\n    if n > 7: raise ValueError\nexcept ValueError: a = x\nelse: a = VALUE if TEST else x + 1",
    "finally": "d = []\ntry:\n    if TEST: a = VALUE\nfinally: d.append(1)\na = a + len(d)",
    "finally return": "def g(d):\n    try:\n        if TEST: return VALUE\n        return x\n    finally: d.append(1)\nd = []\na = g(d) + len(d)",
    "raised in a loop": "for e in range(3):\n    try:\n        if e == n: raise Own(VALUE)\n        a = a + 1\n    except Own as error:\n        a = a + error.held\n        if TEST: break",
    "nested try": "try:\n    try:\n        if TEST: raise KeyError\n        a = VALUE\n    except ValueError: a = x\nexcept LookupError: a = x * 4",
    "raise again": "try:\n    try:\n        if TEST: raise Own(VALUE)\n    except Own as error: raise Own(error.held + 1) from error\nexcept Own as error: a = error.held",
    "caught": "try: a = [VALUE, x][n]\nexcept IndexError: a = x * 6\nif TEST: a = a + 1",
    "key caught": "try: a = {1: VALUE}[n]\nexcept KeyError: a = x * 6\nif TEST: a = a + 1",
    "division caught": "try: a = x * (6 // n)\nexcept ZeroDivisionError: a = VALUE\nif TEST: a = a + 1",
    "stop caught": "it = iter([VALUE])\na = next(it)\ntry:\n    if TEST: a = next(it)\nexcept StopIteration: a = x * 8",
    "suppress": "with contextlib.suppress(Own):\n    a = x\n    if TEST: raise Own(1)\n    a = VALUE",
    "with": "d = []\nwith Manager(d):\n    a = x\n    if TEST: raise Own(1)\n    a = VALUE\na = a + sum(d)",
    "managed": "d = []\nwith managed(d) as held:\n    if TEST: a = VALUE + len(held)\na = a + sum(d)",
    "stack": "d = []\nwith contextlib.ExitStack() as stack:\n    if TEST: stack.enter_context(Manager(d))\n    a = VALUE\na = a + sum(d)",
    "two managers": "d = []\nwith Manager(d), managed(d):\n    if TEST: a = VALUE\na = a + d[0] * 2 + d[-1]",
    "match number": "match n:\n    case 0: a = x\n    case 1 | 2 if TEST: a = VALUE\n    case _: a = x * 3",
    "match sequence": "match [VALUE, x][:n]:\n    case []: a = x\n    case [e]: a = e + 1\n    case [e, *rest]: a = e + len(rest)\nif TEST: a = a + 1",
    "match class": "match Point(VALUE, 2.0):\n    case Point(v=e, w=2.0) if TEST: a = e\n    case Point(e, w): a = e + w",
    "match mapping": "match {'a': VALUE, 'b': n}:\n    case {'a': e, 'b': 1}: a = e\n    case {'b': e, **rest}: a = e * x + len(rest)\nif TEST: a = a + 1",
    "yielded": "def g():\n    yield x\n    if TEST: yield VALUE\n    yield x + 1\na = sum(g())",
    "yield from": "def g():\n    end = yield from numbers(2)\n    yield end * VALUE\na = sum(g()) if TEST else sum(numbers(3)) * x",
    "sent": "def g():\n    got = yield 1.0\n    yield got * 2 if TEST else got\nit = g()\nb = next(it)\na = it.send(VALUE) + b",
    "callable iterator": "d = [3, 2, 1, 0]\na = sum(iter(d.pop, 3)) * VALUE\nif TEST: a = a + len(d)",
    "assert": "assert n >= 0, 'no'\na = VALUE if TEST else x",
    "global": "a = VALUE * math.pi if TEST else x * operator.add(1, n)",
    "is": "b = VALUE if TEST else None\na = x if b is None else b",
    "none": "b = None\nif TEST: b = VALUE\nif b is not None: a = b",
    "flag": "found = False\nfor e in range(3):\n    if e == n: found = True\nif found and TEST: a = VALUE",
    "best": "best, at = -1.0, -1\nfor i, e in enumerate([1, n, 2]):\n    if e > best: best, at = e, i\na = VALUE * at + best if TEST else x * best",
    "count": "count = 0\nfor e in x:\n    if e > 1 and TEST: count += 1\na = count * VALUE",
    "text": "mode = 'a' if TEST else 'b'\na = VALUE if mode == 'a' else x",
    "tuple": "b = (VALUE, 1) if TEST else (x, 2)\na = b[0] * b[1]",
    "tuple compare": "a = VALUE if (n, 1) > (1, 0) else x\nif TEST: a = a + ((n, 2) == (1, 2))",
    "in": "a = VALUE if n in (1, 2) and TEST else x\na = a * (n not in {1, 5})",
    "range": "a = len(range(0, n, 2)) * x + sum(range(n))\nif TEST: a = a + VALUE",
    "reversed": "for e in reversed([VALUE, x]): a = a * 2 + e\nif TEST: a = a - 1",
    "divmod": "q, r = divmod(n, 2)\na = q * x + r\nif TEST: a = a + VALUE // 1",
    "round": "a = round(n / 3, 1) * x + int(n * 1.5) + abs(-n)\nif TEST: a = a + VALUE",
    "bits": "a = ((n << 1) | 1 & n ^ 2) * x\nif TEST: a = a + (~n) * VALUE",
    "power": "a = n ** 2 * x + 2 ** n\nif TEST: a = a + VALUE ** 2",
    "where": "a = torch.where(x > 1, VALUE, x)\nif TEST: a = a + 1",
    "written": "b = x.clone()\nif TEST: b[0] = torch.as_tensor(VALUE).sum()\na = b",
    "masked": "b = x.clone()\nb[b > 1] = 5.0\nif TEST: b[1:] += VALUE if not isinstance(VALUE, torch.Tensor) else 1\na = b",
    "stacked": "d = []\nfor e in x: d.append(e * VALUE)\na = torch.stack(d)\nif TEST: a = a.sum()",
    "concatenated": "d = [x]\nif n > 5: d = []\na = torch.cat([*d, x + 1]).sum() + VALUE\nif TEST: a = a + 1",
}  # fmt: skip
"""What a construct does."""

CLASSES = {
    "inherited": "a = (Derived if TEST else Base)(x).use(VALUE)",
    "property": "b = Base(VALUE)\nif TEST: b.doubled = x\na = b.doubled",
    "class method": "b = Derived.made(VALUE)\na = b.v + Base.of(x) if TEST else b.use(x)",
    "absent": "b = Derived(VALUE)\na = b.absent if TEST else getattr(b, 'nothing', x)",
    "class attribute": "class Here(Base): scale = 4.0\nb = Here(VALUE)\nif TEST: b.scale = 5.0\na = b.use(x) + Here.scale",
    "named tuple": "b = Point(VALUE)\nif TEST: b = b._replace(w=3.0)\na = b.total",
    "record": "b = Record(VALUE)\nif TEST: b.w = 2.0\na = b.t + b.w",
    "records": "b = sum([Record(VALUE), Record(x)], Record(0.0))\na = b.v if TEST else b.t",
    "replaced": "b = dataclasses.replace(Record(VALUE), w=2.0)\na = b.t if TEST else b.v",
    "unpacked": "v, w = Record(VALUE)\na = v * w if TEST else x",
    "fields": "b = Record(VALUE, 1.5)\nb.items.append(x)\na = sum(getattr(b, e.name) for e in dataclasses.fields(b)[:2]) + len(Record(1.0).items)\nif TEST: a = a + b.items[0]",
    "cached": "b = Lazy(VALUE)\na = b.value + b.value + b.asked if TEST else b.value",
    "truth": "b = Lazy(VALUE)\na = x * b.asked if b else b.value\nif TEST and b: a = a + b.asked",
    "called": "b = Lazy(VALUE)\na = b(x, 1, by=2.0, c=3) if TEST else b(n) + x",
    "items": "b = Lazy(VALUE)\na = b[2] + b[1:] if TEST else b[-1] * len(b)",
    "contains": "b = Lazy(VALUE)\na = (n in b) * x + (b == Lazy(x)) * VALUE if TEST else (b != 1) * x",
    "descriptor": "b = Holder()\na = b.field * x\nif TEST: b.field = VALUE\na = a + b.field",
    "slots": "b = Holder()\nb.other = VALUE\nif TEST: b.other = x\na = b.other + hasattr(b, '_field')",
    "namespace": "b = types.SimpleNamespace(v=VALUE)\nif TEST: b.w = x\na = b.v + (b.w if hasattr(b, 'w') else 1)",
    "setattr": "b = Base(x)\nsetattr(b, 'v' if n > 0 else 'w', VALUE)\na = b.v if TEST else x",
    "vars": "b = Base(VALUE)\nvars(b)['w'] = x\na = b.w + len(b.__dict__) if TEST else b.v",
    "method held": "b = Base(VALUE)\ng = b.use\nb.scale = 7.0\na = g(x) if TEST else b.v",
    "type": "a = x * (type(Derived(1)) is Derived) + isinstance(Derived(1), Base)\nif TEST: a = a + VALUE",
    "getter": "g = operator.attrgetter('v')\nh = operator.itemgetter(1)\na = g(Base(VALUE)) + h([1, x]) if TEST else x",
    "ordered": "b, c = Lazy(1.0), Lazy(VALUE)\nb.asked = n\na = (b if b < c else c).e * x\nif TEST: a = a + sorted([b, c])[0].e",
    "copied": "b = Base([VALUE, x])\nc = copy.copy(b) if TEST else copy.deepcopy(b)\nc.v[0] = x + 5\na = b.v[0]",
    "counter": "d = collections.Counter()\nfor e in range(3): d['a' if e < n else 'b'] += 1\na = d['a'] * VALUE + d['b'] if TEST else x",
    "deque": "d = collections.deque([VALUE], maxlen=2)\nd.append(x)\nif TEST: d.append(x + 1)\na = d[0] + len(d)",
    "default": "d = collections.defaultdict(list)\nd['a'].append(VALUE)\nif TEST: d['b'].append(x)\na = len(d) * x + d['a'][0]",
    "modules": "m = nn.ModuleList([nn.Identity(), nn.ReLU()])\na = m[1](x - 2) + (m[0](VALUE) if TEST else x)",
    "grad off": "with torch.no_grad():\n    b = x * 2\n    if TEST: b = b + VALUE\na = b",
}  # fmt: skip
"""What classes of the code's own, and Python's, do."""
