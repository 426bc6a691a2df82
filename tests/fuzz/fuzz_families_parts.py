"""Parts of the families of programs: states that code writes to, places where it does so, objects that a test chooses, and their uses."""

from __future__ import annotations

HELPERS = """
import array, bisect, collections, copy, dataclasses, enum, fractions, functools, heapq, io, itertools, json, math, operator, random, types
import numpy as np
import torch


class Counted:
    def __init__(self): self.n = 0
    def __call__(self): self.n += 1; return self.n
    def __getitem__(self, key): self.n += key; return self.n
    def __len__(self): self.n += 1; return self.n
    def __iter__(self): self.n += 1; return iter([float(self.n)])
    def __contains__(self, key): self.n += 1; return False
    def __enter__(self): self.n += 1; return self
    def __exit__(self, *error): self.n += 10
    @property
    def asked(self): self.n += 1; return self.n


class Plain:
    def __init__(self, v): self.v = v


class Equal(Plain):
    def __eq__(self, other): return isinstance(other, Equal) and self.v == other.v
    def __hash__(self): return 7
    def __str__(self): return "x" * self.v


class Pair(collections.namedtuple("Pair", "v w")): pass
class Items(list): pass
class Table(dict): pass
class Kind(enum.Enum): FIRST = 1; SECOND = "bb"
class Flag(enum.IntFlag): FIRST = 1; SECOND = 2


@dataclasses.dataclass
class Data:
    v: float


@dataclasses.dataclass(frozen=True)
class Frozen:
    v: float


class Way(enum.IntEnum): FIRST = 1; SECOND = 2
class Mode(enum.StrEnum): FIRST = "a"; SECOND = "bb"


def counting():
    at = 0
    while True:
        at += 1
        yield at
"""
"""What every program may name."""

STATES = {
    "list": ("[]", "s.append(1.0) or len(s)", "len(s)"),
    "deque": ("collections.deque()", "s.append(1.0) or len(s)", "len(s)"),
    "rotated": ("collections.deque([1.0, 2.0, 3.0])", "s.rotate(1) or s[0]", "s[0]"),
    "set": ("set()", "s.add(len(s)) or len(s)", "len(s)"),
    "dictionary": ("{}", "s.__setitem__(len(s), 1.0) or len(s)", "len(s)"),
    "nested": ("{'a': [0.0]}", "operator.setitem(s['a'], 0, s['a'][0] + 1.0) or s['a'][0]", "s['a'][0]"),
    "setdefault": ("{}", "s.setdefault('a', [0.0]).append(1.0) or len(s['a'])", "len(s.get('a', []))"),
    "counter": ("collections.Counter()", "s.update(['a']) or s['a']", "s['a']"),
    "default list": ("collections.defaultdict(list)", "s['a'].append(1) or len(s['a'])", "len(s['a'])"),
    "default number": ("collections.defaultdict(int)", "operator.setitem(s, 'a', s['a'] + 2) or s['a']", "s['a']"),
    "default tree": ("collections.defaultdict(lambda: collections.defaultdict(lambda: [0.5]))", "s['a']['b'].append(1.0) or len(s['a']['b'])", "len(s['a']['b'])"),
    "ordered": ("collections.OrderedDict(a=1, b=2)", "s.move_to_end('a') or list(s.values())[0]", "list(s.values())[0]"),
    "iterator": ("iter([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])", "next(s)", "next(s)"),
    "count": ("itertools.count(1)", "next(s)", "next(s)"),
    "generator": ("counting()", "next(s)", "next(s)"),
    "text": ("io.StringIO()", "s.write('ab')", "len(s.getvalue())"),
    "array": ("array.array('d')", "s.append(1.0) or len(s)", "len(s)"),
    "bytes": ("bytearray()", "s.extend(b'a') or len(s)", "len(s)"),
    "heap": ("[]", "heapq.heappush(s, -float(len(s))) or s[0]", "len(s)"),
    "replaced": ("[1.0, 2.0]", "heapq.heapreplace(s, 4.0)", "len(s) + s[0]"),
    "sorted": ("[]", "bisect.insort(s, 1.0) or len(s)", "len(s)"),
    "popped": ("[3.0, 1.0, 2.0, 5.0, 6.0, 7.0]", "s.pop()", "len(s)"),
    "object": ("types.SimpleNamespace(v=0.0)", "setattr(s, 'v', s.v + 1.0) or s.v", "s.v"),
    "called": ("Counted()", "s()", "s.n"),
    "item": ("Counted()", "s[2]", "s.n"),
    "property": ("Counted()", "s.asked", "s.n"),
    "length": ("Counted()", "len(s)", "s.n"),
    "ndarray": ("np.zeros(3)", "s.__setitem__(0, s[0] + 1) or float(s[0])", "float(s[0])"),
    "tensor": ("torch.zeros(3)", "s.add_(1)[0]", "s[0]"),
}  # fmt: skip
"""How each is made, what changes it and gives a number, and what it is asked in the end."""

PLACES = {
    "in a test": """
        def f(x, n: int):
            s = MADE; a = 0.0
            if n > 1: a = USE
            return x * a + x * 100 * (TOLD)
        """,
    "on both sides": """
        def f(x, n: int):
            s = MADE
            if n > 1: a = USE
            else: a = (USE) + (USE)
            return x * a + x * 100 * (TOLD)
        """,
    "in a test on data": """
        def f(x, n: int):
            s = MADE; a = 0.0
            if x.sum() * n > 1: a = USE
            return x * a + x * 100 * (TOLD)
        """,
    "in a loop": """
        def f(x, n: int):
            s = MADE; a = 0.0
            for i in range(n): a = a + (USE)
            return x * a + x * 100 * (TOLD)
        """,
    "in a loop on data": """
        def f(x, n: int):
            s = MADE; a = x * 0; c = x * 0
            while c < n: a = a + (USE); c = c + 1
            return x * a + x * 100 * (TOLD)
        """,
    "in a test in a loop": """
        def f(x, n: int):
            s = MADE; a = 0.0
            for i in range(n):
                if i % 2: a = a + (USE)
            return x * a + x * 100 * (TOLD)
        """,
    "before a break": """
        def f(x, n: int):
            s = MADE; a = 0.0
            for i in range(4):
                if i == n: break
                a = a + (USE)
            return x * a + x * 100 * (TOLD)
        """,
    "before a return": """
        def f(x, n: int):
            s = MADE
            if n > 2: return x * (USE)
            a = USE
            return x * a + x * 100 * (TOLD)
        """,
    "in one of two": """
        def f(x, n: int):
            t = s = MADE
            if n > 1: s = MADE
            a = USE
            s = t
            return x * a + x * 100 * (TOLD)
        """,
    "in functions": """
        def f(x, n: int):
            s = MADE
            def g(e): return (USE) * e
            a = g(x) + 10 * g(x)
            return a + x * 100 * (TOLD)
        """,
    "in a function in a loop": """
        def f(x, n: int):
            s = MADE; a = x * 0
            def g(e): return (USE) * e
            for i in range(n): a = a + g(x)
            return a + x * 100 * (TOLD)
        """,
    "in a map": """
        def f(x, n: int):
            s = MADE
            a, b = map(lambda e: (USE) * e, (x, x * 2))
            return a + 10 * b + x * 100 * (TOLD)
        """,
    "in an expression": """
        def f(x, n: int):
            s = MADE
            a = (USE) if n > 1 else 3.0
            return x * a + x * (n > 2 and (USE)) + x * 100 * (TOLD)
        """,
    "in a handler": """
        def f(x, n: int):
            s = MADE
            try: a = (USE) * x
            except ValueError: a = x
            return a + x * 100 * (TOLD)
        """,
}
"""Where it is changed."""

CHOICES = {
    "lists": ("[1.0, 2.0]", "[5.0, 6.0, 7.0]"), "dictionaries": ("{'a': 1.0, 'b': 2.0}", "{'a': 5.0}"), "sets": ("{1.0, 2.0}", "{5.0, 6.0, 7.0}"),
    "tuples": ("(1.0, 2.0)", "(5.0, 6.0, 7.0)"), "deques": ("collections.deque([1.0])", "collections.deque([5.0, 6.0])"), "texts": ("'ab'", "'cde'"),
    "objects": ("Plain(2)", "Plain(3)"), "equal objects": ("Equal(2)", "Equal(2)"), "own equality": ("Equal(2)", "Equal(3)"), "ways": ("Way.FIRST", "Way.SECOND"),
    "modes": ("Mode.FIRST", "Mode.SECOND"), "numbers": ("2", "30"), "fractions": ("2.5", "30.25"), "None": ("None", "'abc'"), "mixed": ("1", "Way.SECOND"),
    "functions": ("len", "abs"), "classes": ("int", "float"), "counted": ("Counted()", "Counted()"), "ranges": ("range(1, 3)", "range(5, 8)"),
    "named tuples": ("Pair(1.0, 2.0)", "Pair(3.0, 4.0)"), "data": ("Data(1.0)", "Data(2.0)"), "frozen data": ("Frozen(1.0)", "Frozen(2.0)"), "bytes": ("b'ab'", "b'cde'"),
    "counters": ("collections.Counter('aab')", "collections.Counter('abb')"), "defaultdicts": ("collections.defaultdict(int, a=1)", "collections.defaultdict(int, b=2)"),
    "orders": ("collections.OrderedDict(a=1.0, b=2.0)", "collections.OrderedDict(b=2.0, a=1.0)"), "partials": ("functools.partial(max, 1)", "functools.partial(min, 1)"),
    "members": ("Kind.FIRST", "Kind.SECOND"), "flags": ("Flag.FIRST", "Flag.FIRST | Flag.SECOND"), "slices": ("slice(0, 1)", "slice(0, 2)"), "own lists": ("Items([1.0, 2.0])", "Items([5.0])"),
    "own dictionaries": ("Table(a=1.0)", "Table(a=2.0, b=3.0)"), "namespaces": ("types.SimpleNamespace(v=1.0)", "types.SimpleNamespace(v=2.0, w=1.0)"), "text or number": ("'2'", "2"),
    "list or tuple": ("[1.0, 2.0]", "(1.0, 2.0)"), "nested lists": ("[[1.0], [2.0]]", "[[3.0, 4.0]]"), "dictionaries of lists": ("{'a': [1.0]}", "{'a': [1.0, 2.0]}"), "iterators": ("iter([1.0, 2.0])", "iter([5.0])"),
    "fractions of classes": ("fractions.Fraction(1, 2)", "fractions.Fraction(3, 2)"), "files": ("io.StringIO('ab')", "io.StringIO('cde')"), "frozen sets": ("frozenset([1.0])", "frozenset([1.0, 2.0])"),
}  # fmt: skip
"""Two objects, of which an open test chooses one."""

USES = {
    "len": "len(r)", "sum": "sum(r)", "max": "max(r)", "sorted": "sorted(r)[0]", "list": "len(list(r))", "tuple": "tuple(r)[0]", "set": "len(set(r))", "first": "next(iter(r))",
    "last": "r[-1]", "slice": "len(r[1:])", "in": "float(2.0 in r)", "star": "len([*r, 1])", "map": "sum(map(float, r))", "enumerate": "[i for i, _ in enumerate(r)][-1]",
    "zip": "len(list(zip(r, r)))", "reversed": "next(reversed(r))", "hint": "operator.length_hint(r)", "largest": "heapq.nlargest(1, r)[0]", "fsum": "math.fsum(r)", "any": "float(any(r))",
    "copy": "len(copy.copy(r))", "deepcopy": "len(copy.deepcopy(r))", "json": "len(json.dumps(r))", "array": "len(array.array('d', r))", "repeat": "len(r * 2)", "join": "len(''.join(map(str, r)))",
    "get": "r.get('b', -1.0)", "values": "sum(r.values())", "popped": "r.pop('a') + len(s)", "merge": "(r | {'a': 3.0})['a'] + len(r)", "spread": "len({**r})", "item": "r['a']",
    "pair": "len({r, s})", "key": "len({r: 1.0, s: 2.0})", "looked up": "{s: 3.0}.get(r, 5.0)", "within": "float(s in {r})", "within a list": "float(s in [r])", "position": "[s, None].index(r) if r in [s] else 9",
    "times": "[s, s].count(r)", "equal": "float(r == s)", "different": "float(r != s)", "tuples": "float((r, 1) == (s, 1))", "counter": "len(collections.Counter([r, s]))",
    "identical": "float(r is s) if isinstance(r, (Plain, list, dict)) else 4.0", "text": "len(str(r)) if not isinstance(r, Plain) or isinstance(r, Equal) else 4.0", "percent": "len('%s' % r) if isinstance(r, (Equal, str)) else 4.0",
    "format": "len('{}'.format(r)) if isinstance(r, (Equal, str)) else 4.0", "in a text": "len(str([r])) if isinstance(r, (str, int, float)) else 4.0", "class": "float(isinstance(r, Way))", "type": "3.0 if type(r) is type(s) else 4.0",
    "name": "len(r.name)", "value": "r.v", "written": "(setattr(r, 'v', 8.0), s.v)[1]", "copied": "(lambda made: (setattr(made, 'v', 8.0), r.v)[1])(copy.copy(r))", "attributes": "len(vars(r))", "called": "r() + s.n",
    "length": "len(r) + 10 * s.n", "added": "r + 1", "negative": "-r", "number": "float(r)", "whole": "int(r)", "truth": "1.0 if r else 2.0", "absolute": "abs(r) + 10 * getattr(s, 'n', 0)", "power": "2.0 ** r", "index": "[4.0, 5.0, 6.0][r]",
    "range": "len(range(r))", "compared": "float(r < 2)", "none": "3.0 if r is None else 4.0", "appended": "(r.append(3.0), len(s) + 10 * len(r))[1]", "extended": "(r.update({'q': 1.0}), len(s) + 10 * len(r))[1]",
    "field": "r.v + getattr(r, 'w', 9.0)", "has": "float(hasattr(r, 'w'))", "replaced": "dataclasses.replace(r, v=5.0).v + s.v", "as tree": "len(dataclasses.asdict(r))", "count": "r.count(1.0)", "hash": "float(hash(r) == hash(s))",
    "applied": "r(3)", "cut": "len([7.0, 8.0, 9.0][r])", "scaled": "x.sum() * r", "remainder": "r % 2", "ordered": "float(s <= r)", "inner": "sum(sum(v) for v in r)", "inner write": "(r['a'].append(1.0), len(s['a']))[1]",
    "item write": "(r.update(a=9.0), s.get('a', 0.0))[1]", "both": "next(r) + next(s)", "read": "len(r.read())", "member": "len(str(r.value))", "joined": "int(r | Flag.SECOND)", "a list": "float(isinstance(r, (list, dict)))",
}  # fmt: skip
"""What code does with it: `r` is what was chosen, `s` the first of the two."""
