"""Families of small programs of special methods that write: each way by which Python comes to one, in each place of control flow, against
Python."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from family_checks import Program, filled, run_families
from fuzz_families_parts import HELPERS, PLACES

COUNTING = """

class Asked:
    def __init__(self, v=2): self.v = v; self.n = 0
    def count(self, by=1): self.n += by; return self.n


class Length(Asked):
    def __len__(self): self.count(); return self.v


class Truth(Asked):
    def __bool__(self): self.count(); return self.v > 1


class Row(Asked):
    def __getitem__(self, at):
        self.count()
        if at >= 3: raise IndexError(at)
        return at * 2.0


class Sized(Row):
    def __len__(self): return 3


class Loop(Asked):
    def __iter__(self):
        self.count()
        return iter([1.0, 2.0, 3.0])


class Steps(Asked):
    def __iter__(self): return self
    def __next__(self):
        if self.n > 5: raise StopIteration
        return float(self.count())


class Yields(Asked):
    def __iter__(self):
        for at in (1.0, 2.0):
            self.count()
            yield at


class Backwards(Asked):
    def __reversed__(self): self.count(); return iter([3.0, 2.0])


class Inside(Asked):
    def __contains__(self, x): self.count(); return x == 2


class Keys(Asked):
    def keys(self): self.count(); return ["a", "b"]
    def __getitem__(self, key): self.count(10); return 3.0


class Number(Asked):
    def __int__(self): self.count(); return 3
    def __float__(self): self.count(); return 3.5
    def __index__(self): self.count(); return 1
    def __complex__(self): self.count(); return 1j
    def __round__(self, digits=0): self.count(); return 4
    def __trunc__(self): self.count(); return 5
    def __floor__(self): self.count(); return 6
    def __ceil__(self): self.count(); return 7
    def __abs__(self): self.count(); return 8
    def __neg__(self): self.count(); return -9
    def __invert__(self): self.count(); return 10
    def __pos__(self): self.count(); return 11


class Index(Asked):
    def __index__(self): self.count(); return 1


class Sum(Asked):
    def __add__(self, other): self.count(); return 2.0
    def __radd__(self, other): self.count(); return 3.0
    def __iadd__(self, other): self.count(5); return self
    def __mul__(self, other): self.count(); return 4.0
    __rmul__ = __mul__
    def __sub__(self, other): self.count(); return NotImplemented
    def __rsub__(self, other): self.count(); return 1.0
    def __divmod__(self, other): self.count(); return 1.0, 2.0
    def __rdivmod__(self, other): self.count(); return 3.0, 4.0
    def __pow__(self, other, mod=None): self.count(); return 5.0
    def __rpow__(self, other): self.count(); return 6.0
    def __matmul__(self, other): self.count(); return 7.0
    def __and__(self, other): self.count(); return 8.0
    def __lshift__(self, other): self.count(); return 9.0


class Equal(Asked):
    def __eq__(self, other): self.count(); return True
    def __ne__(self, other): self.count(10); return True
    def __hash__(self): self.count(); return 7


class Ordered(Asked):
    def __lt__(self, other): self.count(); return True
    def __gt__(self, other): self.count(); return False
    def __le__(self, other): self.count(); return True


class Text(Asked):
    def __str__(self): self.count(); return "ab"
    def __repr__(self): self.count(); return "abc"
    def __format__(self, spec): self.count(); return "abcd"
    def __bytes__(self): self.count(); return b"abcde"


class Called(Asked):
    def __call__(self, *args): self.count(); return 2.0


class Held(Asked):
    def __enter__(self): self.count(); return 2.0
    def __exit__(self, *error): self.count(10)


class Items(Asked):
    def __setitem__(self, key, x): self.count()
    def __delitem__(self, key): self.count(10)
    def __getitem__(self, key): self.count(100); return 1.0


class Names(Asked):
    def __getattr__(self, name):
        if name.startswith("_"): raise AttributeError(name)
        self.count()
        return 2.0
    def __delattr__(self, name): self.count(10)
    def __dir__(self): self.count(); return ["a", "b"]


class Property(Asked):
    @property
    def p(self): return float(self.count())
    @p.setter
    def p(self, x): self.count(10)
    @p.deleter
    def p(self): self.count(100)


class Copied(Asked):
    def __copy__(self): self.count(); return 3.0
    def __deepcopy__(self, memo): self.count(); return 4.0


class Cached(Asked):
    @functools.cached_property
    def p(self): return float(self.count())


def first(a, *more, **named): return a if not more else more[0]
"""
"""Classes whose special methods count how often they are asked."""

USES = {
    "Length()": "len(s); bool(s); (not s) + 1.0; 1.0 if s else 2.0; float(s and 3.0); float(bool(s or 3.0)); any([s]) + 1.0; all([s]) + 1.0; len(list(filter(None, [s]))); operator.truth(s) + 1.0; operator.not_(s) + 1.0; next((1.0 for _ in (1,) if s), 2.0); len([1 for _ in (1, 2) if s]); s.__len__(); operator.length_hint(s); sum(1.0 for e in [s] if e); (0.5 if s and s else 1.5); {True: 1.0, False: 2.0}[bool(s)]",
    "Truth()": "float(bool(s)); (not s) + 1.0; 1.0 if s else 2.0; (3.0 if s and s else 4.0); any([s]) + 1.0; all([s, 1]) + 1.0; len(list(filter(None, [s]))); operator.truth(s) + 1.0; float(bool(s and 3.0)); float(s.__bool__()); max(1.0, 2.0 if s else 0.0); float((s or s) is s)",
    "Row()": "s[1]; sum(s); list(s)[1]; tuple(s)[2]; [e for e in s][0]; max(s); min(s); sorted(s)[0]; len(set(s)); (4.0 in s) + 1.0; (5.0 in s) + 1.0; first(*s); next(iter(s)); sum(map(float, s)); len(list(zip(s, s))); list(enumerate(s))[1][1]; [*s][1]; dict(enumerate(s))[1]; any(s) + 1.0; len(list(itertools.islice(s, 2))); functools.reduce(operator.add, s); math.fsum(s); (lambda a, b, c: b)(*s); operator.getitem(s, 1); operator.itemgetter(1)(s); len(collections.deque(s)); next(e for e in s if e > 1); s.__getitem__(2); operator.contains(s, 2.0) + 1.0; operator.countOf(s, 2.0); operator.indexOf(s, 2.0); ''.join(map(str, s)) and 2.0; sum([1.0 for e in s if e]); ([0.0] + list(s))[1]; next(itertools.chain(s)); heapq.nlargest(1, s)[0]; float(np.asarray(list(s))[1]); dict(zip(s, s))[2.0]",
    "Sized()": "len(s); list(reversed(s))[0]; next(reversed(s)); 1.0 if s else 2.0; list(s)[1]; len(list(s)); random.Random(0).choice(s); bisect.bisect(s, 2.0); operator.length_hint(s); [e for e in reversed(s)][1]",
    "Loop()": "sum(s); list(s)[1]; max(s); (2.0 in s) + 1.0; first(*s); next(iter(s)); [e for e in s][0]; len(list(zip(s, s))); [*s][1]; len({*s}); (lambda a, b, c: b)(*s); sum(e for e in s); len(collections.Counter(s)); list(map(abs, s))[0]; any(s) + 1.0; functools.reduce(operator.add, s); dict.fromkeys(s)and 2.0; len(list(itertools.chain(s, s))); sum(itertools.accumulate(s)); tuple(s)[0]; sorted(s)[0]; len(s.__iter__().__reduce__()); next(itertools.cycle(s)); list(itertools.chain.from_iterable([s]))[0]; next(a for a, in [[e] for e in s])",
    "Steps()": "sum(s); next(s); list(s) and 1.0; next(iter(s)); (2.0 in s) + 1.0; max(s, default=0.0); sum(e for e in s); next(s, 5.0); len(list(zip(s, range(2)))); s.__next__(); next(itertools.islice(s, 1, None), 0.0); [*s] and 1.0; sum(itertools.takewhile(lambda e: e < 3, s)); any(e > 1 for e in s) + 1.0",
    "Yields()": "sum(s); list(s)[1]; next(iter(s)); (2.0 in s) + 1.0; first(*s); max(s); [e for e in s][0]; any(e > 0 for e in s) + 1.0; len(list(zip(range(1), s))); sum(e for e in s if e > 1); next(e for e in s)",
    "Backwards()": "next(reversed(s)); list(reversed(s))[1]; sum(reversed(s)); [e for e in reversed(s)][0]; s.__reversed__() and 1.0",
    "Inside()": "(2 in s) + 1.0; (3 not in s) + 1.0; operator.contains(s, 2) + 1.0; s.__contains__(2) + 1.0; 1.0 if 2 in s and 3 in s else 2.0; [e for e in (1, 2, 3) if e in s][0]; any(e in s for e in (1, 2)) + 1.0",
    "Keys()": "dict(s)['a']; {**s}['b']; first(1.0, **s); {'c': 1, **s}['a']; dict(s, c=1)['b']; collections.ChainMap({}, dict(s))['a']; ({} | dict(s))['a']; types.SimpleNamespace(**s).a; '{a}'.format(**s) and 2.0",
    "Number()": "int(s); float(s); complex(s).imag; round(s); round(s, 1); math.trunc(s); math.floor(s); math.ceil(s); abs(s); -s; ~s; +s; [5.0, 6.0][s]; range(3)[s]; 'ab'[s] and 2.0; x[s].item(); operator.index(s); math.sqrt(s); '%d' % s and 2.0; '%.1f' % s and 2.0; len(range(s)); [1.0, 2.0, 3.0][s:][0]; bin(s) and 1.0; math.fsum([s]); bytes([s])[0]; math.isnan(s) + 1.0; math.gcd(s, 3); chr(s) and 1.0; torch.zeros(s).sum().item() + 1.0; operator.neg(s); operator.inv(s); operator.abs(s); max([s], key=float).v; sorted([s], key=int)[0].v; list(map(int, [s]))[0]; sum(map(float, [s, s]))",
    "Index()": "[5.0, 6.0][s]; (5.0, 6.0)[s]; range(4)[s]; x[s].item(); [1.0, 2.0, 3.0][:s][0]; len(range(s, 3)); operator.index(s); int(s); float(s); hex(s) and 2.0; [1.0, 2.0].pop(s); [1.0, 2.0].insert(s, 3.0) or 2.0; round(2.55, s); list(itertools.islice([1.0, 2.0], s))[0]; 'ab'.center(s) and 2.0; torch.arange(4.0)[s:].sum().item(); divmod(5, s.__index__())[1] + 1.0",
    "Sum()": "s + 1; 1 + s; s * 2; 2 * s; s @ 1; s & 1; s << 1; s ** 2; 2 ** s; pow(s, 2); pow(s, 2, 3); divmod(s, 2)[0]; divmod(2, s)[1]; sum([s, 1.0]); sum([1.0, s]); functools.reduce(operator.add, [s, 1.0]); operator.add(s, 1); operator.iadd(s, 1).n; 1 - s; s - s; x.sum().item() + s; (x * 0 + s if False else 2.0); [a + b for a, b in [(s, 1)]][0]; list(map(operator.add, [s], [1]))[0]; s.__add__(1); math.prod([s, 1.0]); s.__radd__(1)",
    "Equal()": "(s == 1) + 1.0; (s != 1) + 1.0; (1 == s) + 1.0; (s in [1, 2]) + 1.0; [1, s].index(s) + 1.0; [1, s].count(1) + 1.0; ([s] == [1]) + 1.0; ((s, 1) == (1, 1)) + 1.0; hash(s); len({s}); {s: 2.0}[s]; (s in {1: 2}) + 1.0; operator.eq(s, 1) + 1.0; ([s, 2] != [1, 2]) + 1.0; ({'a': s} == {'a': 1}) + 1.0; dict([(s, 3.0)])[s]; len(set([s])); [1, s].remove(1) or 2.0; len(collections.Counter([s])); operator.countOf([s], 1) + 1.0; (s is s) + 1.0; s.__eq__(1) + 1.0; len([e for e in [s] if e == 1]) + 1.0; (s not in (1,)) + 1.0; collections.deque([s]).count(1) + 1.0; len(list(itertools.groupby([s, s])))",
    "Ordered()": "(s < 1) + 1.0; (s > 1) + 1.0; (1 > s) + 1.0; (0 < s < 3) + 1.0; max([s, s]).n; min(s, s).n; sorted([s, s])[0].n; ((s, 1) < (s, 2)) + 1.0; operator.lt(s, 1) + 1.0; (s <= 1) + 1.0; heapq.nsmallest(1, [s])[0].n; [s, s].sort() or 2.0; bisect.bisect([s], s) + 1.0; heapq.heappush([s], s) or 2.0; ([s] < [1]) + 1.0",
    "Text()": "len(str(s)); len(repr(s)); len(f'{s}'); len(f'{s!r}'); len(f'{s!s:>9}'); len('%s' % s); len('%r' % (s,)); len('{}'.format(s)); len('{0!r}'.format(s)); len(format(s)); len(bytes(s)); len(str([s])); len(ascii(s)); len(''.join([str(s)])); len(''.join(map(str, [s]))); len('%s %s' % (s, s)); len(s.__str__()); sorted([s], key=str)[0].v; len(repr({'a': s})); len(f'{[s]}')",
    "Called()": "s(); s(1); list(map(s, [1, 2]))[0]; sorted([2, 1], key=s)[0]; max([1, 2], key=s); functools.partial(s, 1)(); functools.reduce(s, [1, 2, 3]); len(list(filter(s, [1, 2]))); next(iter(s, 3.0)); callable(s) + 1.0; s.__call__(1); operator.call(s, 1); operator.methodcaller('__call__')(s); collections.defaultdict(s)['a']; {}.get('a', s()); list(itertools.starmap(s, [(1, 2)]))[0]; list(itertools.takewhile(s, [1])).__len__(); min([3.0, 4.0], key=s); functools.cache(s)(1)",
    "Held()": "contextlib.ExitStack().enter_context(s); s.__enter__(); s.__exit__(None, None, None) or 2.0",
    "Items()": "s['a']; operator.setitem(s, 'a', 1) or 2.0; operator.delitem(s, 'a') or 2.0; s.__setitem__('a', 1) or 2.0; s.__delitem__(1) or 2.0; operator.itemgetter('a', 'b')(s)[0]; '{0[a]}'.format(s) and 2.0; '%(a)s' % s and 2.0; s[1:2]; s[..., 1]; (lambda: s['a'])()",
    "Names()": "s.a; getattr(s, 'a'); getattr(s, 'a', 1.0); hasattr(s, 'b') + 1.0; operator.attrgetter('a')(s); delattr(s, 'a') or 2.0; len(dir(s)); '{0.a}'.format(s) and 2.0; operator.attrgetter('a', 'b')(s)[1]; s.__getattr__('a'); f'{s.a}' and 2.0; functools.reduce(getattr, ['a'], s); list(map(operator.attrgetter('a'), [s]))[0]",
    "Property()": "s.p; getattr(s, 'p'); setattr(s, 'p', 1) or 2.0; delattr(s, 'p') or 2.0; hasattr(s, 'p') + 1.0; operator.attrgetter('p')(s); type(s).p.fget(s); Property.p.__get__(s); [e.p for e in [s]][0]; sorted([s], key=operator.attrgetter('p'))[0].v; max([s, s], key=lambda e: e.p).v; vars(s).get('p', 3.0); object.__getattribute__(s, 'p')",
    "Copied()": "copy.copy(s); copy.deepcopy(s); copy.deepcopy([s])[0]; copy.copy([s])[0].v; copy.deepcopy({'a': s})['a']; copy.deepcopy((s, 1))[0]",
    "Cached()": "s.p; s.p + s.p; getattr(s, 'p'); hasattr(s, 'p') + 1.0; operator.attrgetter('p')(s); ('p' in vars(s)) + 1.0; [e.p for e in [s, s]][1]",
}  # fmt: skip
"""The ways by which Python comes to them, which give a number."""


def special() -> Iterator[Program]:
    """Each way, in places by turns."""
    prelude = HELPERS.replace("import array,", "import array, contextlib,") + COUNTING
    ways = [(made, use) for made, uses in USES.items() for use in uses.split("; ")]
    for (made, use), (place, body) in itertools.product(ways, PLACES.items()):
        yield Program(f"{made} {use}, {place}", prelude + filled(body, MADE=made, USE=use, TOLD="s.n"))


if __name__ == "__main__":
    raise SystemExit(run_families({"special": special}, (), __doc__))
