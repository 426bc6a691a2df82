"""What aimed programs write and read: containers, iterators and objects of Python and its library, each with effects and readings."""

from __future__ import annotations

from typing import NamedTuple


class Thing(NamedTuple):
    """`setup` makes `q`; `effects` change it, expressions or statements; `reads` are numbers that tell what it holds."""

    setup: str
    effects: tuple[str, ...]
    reads: tuple[str, ...]


SEQUENCE = (
    "len(q)",
    "sum(q)",
    "q[0] if q else 9.0",
    "max(q, default=7.0)",
    "2.0 in q",
    "len([e for e in q if e > 1.5])",
)
MUTABLE = (
    "q.append(3.0)", "q.extend((4.0, 5.0))", "q.pop()", "q.clear()", "q.reverse()", "q[0] = 3.0", "q[-1] *= 2", "del q[0]", "q += [5.0]",
    "q.insert(1, 6.0)", "q.remove(2.0)", "q.__setitem__(0, 7.0)", "operator.setitem(q, 0, 9.0)", "operator.iadd(q, [8.0])",
    "functools.partial(q.append, 3.0)()", "list(map(q.append, (3.0,)))", "sorted((1.0, 2.0), key=lambda e: q.append(e) or e)",
    "any(q.append(e) for e in (1.0, 2.0))", "setattr(types.SimpleNamespace(), 'a', q.append(1.0))", "getattr(q, 'append')(2.5)",
    "[q.append(e) for e in (1.0, 2.0)]", "q.extend(e * 2 for e in tuple(q))", "q.append(q[0] + 1)", "add = q.append; add(2.0)",
)  # fmt: skip
ITERATED = (
    "next(q)", "next(q, 0.0)", "sum(q)", "list(q)", "1.0 in q", "tuple(zip(q, (1, 2)))", "max(q, default=0)", "q.__next__()", "dict(enumerate(q))",
    "_, *_ = q", "list(itertools.islice(q, 1))", "for e in q: break", "any(e > 1.5 for e in q)", "collections.deque(q, maxlen=0)", "sorted(q)[:1]",
    "all(map(lambda e: e < 2.0, q))", "functools.reduce(operator.add, q, 0.0)", "''.join(map(str, q))", "[*q]", "set(q)", "list(filter(None, q))",
)  # fmt: skip
POSITION = ("next(q, 9.0)", "sum(q)", "len(list(q))", "max(q, default=7.0)")
RECORD = ("q.a", "getattr(q, 'b', 4.0)", "hasattr(q, 'b')", "len(vars(q))")

THINGS: dict[str, Thing] = {
    "list": Thing("q = [1.0, 2.0]", (*MUTABLE, "list.append(q, 3.0)", "q[:] = [4.0]", "q.sort(reverse=True)", "heapq.heappush(q, 0.5)",
        "bisect.insort(q, 1.5)", "heapq.heapify(q)", "list.__iadd__(q, [1.0])", "q[1:1] = (6.0, 7.0)", "q *= 2", "random.Random(0).shuffle(q)",
        "del q[:1]", "heapq.heapreplace(q, 4.0)"), SEQUENCE),
    "deque": Thing("q = collections.deque([1.0, 2.0])", (*MUTABLE, "q.appendleft(3.0)", "q.rotate(1)", "q.popleft()", "collections.deque.append(q, 1.0)",
        "q.extendleft((3.0,))"), SEQUENCE),
    "bounded deque": Thing("q = collections.deque([1.0, 2.0], maxlen=2)", ("q.append(3.0)", "q += [5.0]", "q.extend((6.0, 7.0))", "q.rotate()"), SEQUENCE),
    "array": Thing("q = array.array('d', [1.0, 2.0])", ("q.append(3.0)", "q[0] = 4.0", "q.extend((1.0,))", "q.pop()", "del q[0]", "q.reverse()",
        "q.byteswap()", "q.insert(0, 3.0)", "q *= 2", "memoryview(q)[0:1] = array.array('d', [6.0])"), SEQUENCE),
    "bytearray": Thing("q = bytearray(b'\\x01\\x02')", ("q[0] = 3", "q.append(7)", "q += b'a'", "q.extend(b'ab')", "del q[0]", "q.clear()", "q.reverse()",
        "memoryview(q)[0] = 5", "struct.pack_into('B', q, 0, 9)", "io.BytesIO(b'zz').readinto(q)", "bytearray.append(q, 1)"), SEQUENCE),
    "dict": Thing("q = {'a': 1.0}", ("q['b'] = 2.0", "q['a'] = 3.0", "q['a'] += 1", "q.update(c=2.0)", "q.pop('a')", "q.setdefault('b', 5.0)",
        "dict.setdefault(q, 'b', 2.0)", "q.clear()", "del q['a']", "q |= {'b': 2.0}", "q.popitem()", "operator.setitem(q, 'b', 4.0)", "dict.update(q, b=1.0)",
        "list(map(q.setdefault, 'bc', (1.0, 2.0)))", "q.__delitem__('a')", "q.update(zip('de', (1.0, 2.0)))"),
        ("len(q)", "q.get('a', 9.0)", "sum(q.values())", "'b' in q", "list(q) == ['a']", "next(iter(q.values()), 5.0)")),
    "defaultdict": Thing("q = collections.defaultdict(list)", ("q['b']", "q['a'].append(1.0)", "q['c'] = [2.0]", "operator.getitem(q, 'd')",
        "q.pop('a', 0)", "[q[e] for e in 'xy']", "'{0[z]}'.format(q)"), ("len(q)", "sum(map(len, q.values()))", "'a' in q")),
    "missing": Thing("q = Memo()", ("q['a']", "q['b'] = 3.0", "q.get('a')", "operator.itemgetter('c')(q)"), ("len(q)", "sum(q.values())")),
    "counter": Thing("q = collections.Counter('aab')", ("q['a'] += 1", "q.update('bc')", "q.subtract('a')", "q += collections.Counter('b')", "q['z']",
        "del q['a']", "q.clear()"), ("len(q)", "q['a']", "sum(q.values())", "q.total()", "q.most_common(1)[0][1] if q else 0")),
    "ordered": Thing("q = collections.OrderedDict(a=1.0, b=2.0)", ("q.move_to_end('a')", "q.popitem(last=False)", "q['c'] = 3.0", "q |= {'a': 5.0}"),
        ("len(q)", "next(iter(q.values()), 5.0)", "sum(q.values())")),
    "chainmap": Thing("q = collections.ChainMap({}, {'a': 1.0})", ("q['a'] = 2.0", "q.maps[1]['a'] = 3.0", "q.update(b=1.0)", "q.maps.append({'c': 1.0})"),
        ("len(q)", "q['a']", "sum(q.values())")),
    "set": Thing("q = {1.0, 2.0}", ("q.add(3.0)", "q.discard(2.0)", "q -= {1.0}", "q ^= {2.0, 4.0}", "q.symmetric_difference_update({2.0, 3.0})",
        "q.difference_update({2.0})", "q.intersection_update({1.0})", "set.add(q, 5.0)", "q.pop()", "q.clear()", "q |= {7.0}", "q.update((8.0,), (9.0,))"),
        ("len(q)", "sum(sorted(q))", "2.0 in q", "q == {1.0, 2.0}")),
    "text": Thing("q = io.StringIO('ab')", ("q.write('abc')", "q.read(1)", "q.seek(0, 2)", "q.truncate(1)", "print('z', file=q)", "q.writelines('xy')",
        "q.close()"), ("len(q.getvalue())", "q.tell()", "len(q.read())")),
    "iterator": Thing("q = iter([1.0, 2.0, 3.0])", ITERATED, POSITION),
    "generator": Thing("q = counted(3)", (*ITERATED, "q.send(None)", "q.close()", "next(q); q.send(2.0)"), POSITION),
    "count": Thing("q = itertools.count(1)", ("next(q)", "list(itertools.islice(q, 2))", "dict(zip('ab', q))", "4 in itertools.islice(q, 3)", "for e in q: break",
        "list(zip(q, (1, 2)))"), ("next(q)",)),
    "zip": Thing("p = iter([1.0, 2.0, 3.0]); q = zip(p, (4.0, 5.0))", ("next(q)", "list(q)", "next(p)", "dict(q)", "for a, b in q: break"),
        ("len(list(q))", "next(p, 9.0)", "sum(a * b for a, b in q)")),
    "lazy map": Thing("p = [1.0]; q = map(p.append, [2.0, 3.0])", ("next(q)", "list(q)", "any(q)", "p.append(7.0)", "tuple(q)", "None in q"),
        ("len(p)", "len(list(q)) + len(p)", "sum(p)")),
    "lazy source": Thing("p = [1.0, 2.0]; w = [3.0]; q = (w[0] * e for e in p)", ("p.append(5.0)", "w[0] = 10.0", "p[1] = 4.0", "next(q)", "w.insert(0, 2.0)"),
        ("sum(q)", "len(list(q))", "next(q, 6.0)", "bool(q)")),
    "lazy filter": Thing("p = [1.0, 2.0, 3.0]; w = [1.5]; q = filter(lambda e: e > w[0], p)", ("p.append(5.0)", "w[0] = 0.5", "next(q)", "p.clear()"),
        ("sum(q)", "len(list(q))", "next(q, 6.0)")),
    "late name": Thing("p = 2.0; q = (p * e for e in (1.0, 2.0))", ("p = 5.0", "next(q)", "p += 1.0"), ("sum(q)", "next(q, 6.0)")),
    "reversed": Thing("p = [1.0, 2.0]; q = reversed(p)", ("next(q)", "p.append(3.0)", "p.pop()", "list(q)", "p[0] = 5.0"), ("len(list(q))", "sum(q)")),
    "two of one": Thing("p = iter((1.0, 2.0, 3.0, 4.0)); q = itertools.chain(p, (9.0,))", ("next(p)", "next(q)", "list(p)", "sum(q)"), POSITION),
    "tee": Thing("p, q = itertools.tee(iter((1.0, 2.0, 3.0)))", ("next(p)", "next(q)", "list(p)", "sum(q)"), POSITION),
    "alias": Thing("p = [1.0, 2.0]; q = p", (*MUTABLE[:12], "p = p + [3.0]", "p += [3.0]"), (*SEQUENCE, "sum(p)", "p is q")),
    "nested": Thing("p = [[1.0], [2.0]]; q = p[0]", (*MUTABLE[:6], "p[0] = [5.0, 6.0]", "p[0].append(4.0)", "p.pop(0)"), (*SEQUENCE, "len(p[0])")),
    "list class": Thing("q = Stack([1.0, 2.0])", ("q.push(3.0)", "q.append(4.0)", "q += [5.0]", "Stack.push(q, 6.0)", "q.size = 4"),
        (*SEQUENCE, "q.size")),
    "object": Thing("q = types.SimpleNamespace(a=1.0)", ("q.a = 2.0", "q.b = 3.0", "setattr(q, 'b', 5.0)", "q.__dict__['b'] = 6.0", "vars(q).update(a=7.0)",
        "object.__setattr__(q, 'a', 8.0)", "del q.a; q.a = 4.0", "q.a += 1"), RECORD),
    "slots": Thing("q = Slots(1.0)", ("q.a = 2.0", "setattr(q, 'a', 3.0)", "Slots.a.__set__(q, 4.0)", "q.set(5.0)", "q.a *= 3", "type(q).set(q, 2.5)"), ("q.a",)),
    "property": Thing("q = Guarded(1.0)", ("q.value = 2.0", "q.value += 1.5", "Guarded.value.fset(q, 4.0)", "q.read", "with q: q.value = 3.0"),
        ("q.value", "q.reads", "q._value", "q.inside")),
    "callable": Thing("q = Adds(1.0)", ("q(2.0)", "list(map(q, (1.0, 2.0)))", "q.total = 5.0", "functools.reduce(lambda a, b: q(b), (1.0, 2.0), 0.0)",
        "max((1.0, 2.0), key=q)"), ("q.total", "q(0.5)")),
    "function": Thing("q = fresh()", ("q()", "q.calls = 7.0", "[q() for _ in 'ab']", "q.__dict__['calls'] = 3.0"), ("q.calls", "q()")),
    "cell": Thing("get, q = cell()", ("q(2.0)", "q(get() + 1)", "list(map(q, (3.0, 4.0)))"), ("get()",)),
    "cache": Thing("p = []; q = functools.cache(lambda e: p.append(e) or e * 2)", ("q(1.0)", "q(2.0)", "q(1.0); q(1.0)", "q.cache_clear()"),
        ("len(p)", "q(1.0) + len(p)", "q.cache_info().hits")),
    "random": Thing("q = random.Random(3)", ("q.random()", "q.shuffle([1, 2])", "q.seed(1)", "q.choice((1, 2))"), ("q.random()",)),
    "host array": Thing("q = np.array([1.0, 2.0])", ("q[0] = 3.0", "q += 1.0", "q.sort()", "np.copyto(q, 4.0)", "np.add(q, 1.0, out=q)", "q.fill(5.0)",
        "q[1:] *= 2", "np.put(q, [0], 7.0)", "p = q[:1]; p[0] = 6.0", "q.itemset if False else q.__setitem__(0, 8.0)", "np.add.at(q, [0], 2.0)"),
        ("float(q.sum())", "float(q[0])")),
}  # fmt: skip
PREAMBLE = """class Memo(dict):
    def __missing__(self, key):
        self[key] = 2.0
        return 2.0


class Stack(list):
    size = 0.0

    def push(self, v):
        super().append(v)
        self.size += 1


class Slots:
    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a

    def set(self, a):
        self.a = a


class Guarded:
    def __init__(self, value):
        self._value, self.reads, self.inside = value, 0, 0

    def __enter__(self):
        self.inside += 1

    def __exit__(self, *what):
        self.inside += 10

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        self._value = new * 0.5

    @property
    def read(self):
        self.reads += 1
        return self.reads


class Adds:
    def __init__(self, total):
        self.total = total

    def __call__(self, v):
        self.total = self.total * 0.5 + v
        return self.total


def counted(n):
    v = 1.0
    for _ in range(n):
        sent = yield v
        v = v + (sent or 1.0)


def fresh():
    def q():
        q.calls += 1.0
        return q.calls
    q.calls = 0.0
    return q


def cell():
    held = 1.0

    def put(v):
        nonlocal held
        held = v
        return v
    return (lambda: held), put


"""
