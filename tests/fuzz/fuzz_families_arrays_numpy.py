"""Parts of the families of arrays: NumPy's arrays and scalars, with what writes to them and what is asked."""

from __future__ import annotations

from fuzz_families_arrays_places import states

HELPERS = """


class Module:
    def __init__(self):
        self.n = np.zeros(3)
        self.count = 0

    def __call__(self, x):
        self.n += x
        self.count += 1
        return self.n * self.count


M = Module()
G = np.zeros(3)
GS = {"a": np.zeros(3)}


def default(x, kept=[np.zeros(3)]):
    kept[0] += x
    return kept[0]

"""
"""What every program of this framework may name besides."""

_IN_PLACE = {
    "item": "s[0] = 5.0", "negative item": "s[-1] = s[0]", "slice": "s[1:] = s[:-1]", "ellipsis": "s[...] = s * 2", "none": "s[None] = s + 1",
    "item plus": "s[0] += 1", "slice times": "s[1:] *= 2", "list plus": "s[[0, 2]] += 1", "twice plus": "s[[0, 0]] += 1",
    "array index": "s[np.array([0, 1])] = np.array([7.0, 8.0])", "mask": "s[s > 1.5] = 0.5", "mask plus": "s[s > 1.5] += 1",
    "mask array": "s[s > 1.5] = s[s > 1.5] * 2", "plus": "s += 1", "plus array": "s += x", "minus": "s -= 0.5", "times": "s *= 2",
    "divided": "s /= 2", "floored": "s //= 2", "modulo": "s %= 2", "power": "s **= 2", "again": "s = s + 1", "fill": "s.fill(4)",
    "copyto": "np.copyto(s, x * 3)", "copyto where": "np.copyto(s, 0, where=s > 1)", "put": "np.put(s, [0], 9.0)",
    "put method": "s.put([1, 2], [8.0, 9.0])", "place": "np.place(s, s > 1, [5.0])", "putmask": "np.putmask(s, s > 1, x * 5)",
    "add at": "np.add.at(s, [0, 0], 1)", "multiply at": "np.multiply.at(s, [1, 1], 2)", "out": "np.add(s, 1, out=s)",
    "out positional": "np.add(s, 1, s)", "out where": "np.multiply(s, 2, out=s, where=s > 1)", "cumsum out": "np.cumsum(s, out=s)",
    "clip out": "np.clip(s, 0, 2, out=s)", "clip method": "s.clip(0, 2, out=s)", "sort": "s[:] = -s\ns.sort()", "itemset": "s.flat[0] = 6.0",
    "flat": "s.flat = 2.0", "setitem call": "operator.setitem(s, 0, 6.0)", "iadd call": "operator.iadd(s, 1)", "swap": "s[0], s[1] = s[1], s[0]",
    "open item": "s[n % 3] = 9.0", "open slice": "s[:n] += 1", "argmax": "s[s.argmax()] = 0.0", "reshape write": "s.reshape(3, 1)[0, 0] = 3.0",
    "flip write": "s[::-1][0] = 9.0", "np flip": "np.flip(s)[0] = 9.0", "triple": "s += s", "self slice": "s[1:] += s[:-1]",
    "self copy": "s[:2] = s[1:]", "reversed self": "s[:] = s[::-1]", "tuple item": "s[(0,)] = 2.5", "where": "s[:] = np.where(s > 1, s, 0.0)",
    "astype": "s = s.astype(np.float32) + 1", "half": "s = s.astype(np.float16) + 1", "resize": "s = np.resize(s, 3) + 1",
    "shape set": "s.shape = (3, 1)\ns.shape = (3,)\ns += 1", "setflags": "s.setflags(write=True)\ns += 1",
    "put along": "np.put_along_axis(s, np.array([0]), 7.0, axis=0)", "partition": "s.partition(1)", "byteswap": "s = s.copy() * 2",
    "einsum out": "np.einsum('i,i->i', s, x, out=s)", "sqrt out tuple": "np.sqrt(s, out=(s,))", "slice of slice": "s[1:][1:] = 9.0",
    "mask of slice": "s[1:][s[1:] > 2] = 0.0", "index of index": "s[[0, 1]][0] = 9.0", "ix": "s[np.ix_([0, 2])] = 4.0",
    "nonzero": "s[np.nonzero(s > 1)] = 1.0", "r": "s[np.r_[0:2]] = 1.5", "tolist": "s.tolist()[0] = 5.0", "take out": "np.take(x, [2, 1, 0], out=s)",
    "nditer": "for r in np.nditer(s, op_flags=['readwrite']): r[...] = r * 2", "view": "s.view()[0] = 3.0", "maximum": "np.maximum(s, 2, out=s)",
    "delete": "s = np.delete(s, 0)", "append": "s = np.append(s, 1.0)", "bool item": "s[True] = s + 2", "matmul": "s[:] = np.outer(s, x) @ x",
    "nan_to_num": "np.nan_to_num(s - 1, copy=False)", "nan_to_num self": "np.nan_to_num(s, copy=False, nan=1)",
    "fill_diagonal": "np.fill_diagonal(s[None], 9.0)", "rows": "for i, r in enumerate(s): s[i] = r * 2", "insert": "s = np.insert(s, 0, 5.0)",
}  # fmt: skip
"""What is written to s."""

_VIEWS = {
    "slice": "b[1:]", "step": "b[::2]", "reverse": "b[::-1]", "whole": "b[:]", "none": "b[None]", "ellipsis": "b[..., 0]",
    "reshape": "b.reshape(3, 1)", "same reshape": "b.reshape(3)", "flatten": "b.flatten()", "ravel": "b.ravel()", "np ravel": "np.ravel(b)",
    "copy": "b.copy()", "np copy": "np.copy(b)", "ascontiguous": "np.ascontiguousarray(b)",
    "ascontiguous of T": "np.ascontiguousarray(np.outer(b, b).T)", "asarray": "np.asarray(b)", "array": "np.array(b)",
    "array no copy": "np.array(b, copy=None)", "asarray same": "np.asarray(b, dtype=float)", "asarray other": "np.asarray(b, dtype=np.float32)",
    "astype": "b.astype(float)", "astype no copy": "b.astype(float, copy=False)", "astype other": "b.astype(np.float32, copy=False)",
    "array_split": "np.array_split(b, 2)[1]", "split": "np.split(b, 3)[2]", "hsplit": "np.hsplit(b, [1])[1]", "expand_dims": "np.expand_dims(b, 0)",
    "squeeze": "b.squeeze()", "broadcast": "np.broadcast_to(b, (2, 3))", "diagonal": "np.outer(b, b).diagonal()", "diag": "np.diag(b)",
    "bits": "b.view(np.int64)", "atleast": "np.atleast_2d(b)", "atleast 1": "np.atleast_1d(b)", "list index": "b[[0, 1]]", "mask": "b[b > 1]",
    "flip": "np.flip(b)", "flipud": "np.flipud(b)", "rot90": "np.rot90(b[None])", "roll": "np.roll(b, 1)", "tile": "np.tile(b, 1)", "positive": "+b",
    "real": "b.real", "np real": "np.real(b)", "conj": "b.conj()", "conjugate": "np.conjugate(b)", "alias": "b", "row": "[r for r in b[None]][0]",
    "next": "next(iter(b[None]))", "T": "b.T", "T of two": "b[None].T", "transpose": "b[None].transpose(1, 0)", "swapaxes": "b[None].swapaxes(0, 1)",
    "moveaxis": "np.moveaxis(b[None], 0, 1)", "reshape of T": "b[:, None].T.reshape(-1)", "outer T reshape": "np.outer(b, x).T.reshape(-1)",
    "require": "np.require(b)", "asanyarray": "np.asanyarray(b)", "take": "b.take([0])", "compress": "b.compress([True, False, True])",
    "where": "np.where(b > 1, b, b)", "stack": "np.stack([b, b])", "concatenate": "np.concatenate([b])", "copy copy": "copy.copy(b)",
    "deepcopy": "copy.deepcopy(b)", "meshgrid": "np.meshgrid(b, b)[0]", "meshgrid views": "np.meshgrid(b, b, copy=False)[0]",
    "broadcast_arrays": "np.broadcast_arrays(b, b)[0].copy()", "open slice": "b[n:]", "nan_to_num": "np.nan_to_num(b)",
    "sliding": "np.lib.stride_tricks.sliding_window_view(b, 2)", "rollaxis": "np.rollaxis(b[None], 1)", "zero item": "b[0, ...]", "item": "b[0]",
    "item tuple": "b[0,]", "scalar": "b[0][()]", "unstack": "np.unstack(b[None])[0]", "asfortran": "np.asfortranarray(b)", "trim": "np.trim_zeros(b)",
    "ix": "b[np.ix_([0, 1])]", "matrix_transpose": "np.matrix_transpose(b[None])", "mT": "b[None].mT", "dstack": "np.dstack([b])", "abs": "abs(b)",
    "clip": "b.clip(0)", "round": "b.round(3)", "repeat": "b.repeat(1)", "real_if_close": "np.real_if_close(b)", "nested": "b[None][0][1:]",
    "lib broadcast": "np.broadcast_to(b, (3,))", "resize": "np.resize(b, (3,))", "fromiter": "np.fromiter(b, float)", "sort": "np.sort(b)",
}  # fmt: skip
"""What s is made of b, which may be its memory."""

_HELD = {
    "list": ("s = [x.copy()]", "s[0] += 1", "s[0]"), "two of list": ("s = [x.copy()] * 2", "s[0] += 1", "s[1]"),
    "list tail": ("s = [x]", "s.append(s[-1] * 2)", "s[-1] * len(s)"), "dict": ("s = {'a': x.copy()}", "s['a'] += 1", "s['a']"),
    "dict shared": ("t = x.copy(); s = {'a': t, 'b': t}", "s['a'] *= 2", "s['b']"), "tuple": ("s = (x.copy(), 1)", "s[0][0] = 1", "s[0]"),
    "attribute": ("s = types.SimpleNamespace(v=x.copy())", "s.v += 1", "s.v"), "data": ("s = Data(x.copy())", "s.v *= 2", "s.v"),
    "module": ("s = M", "s.n += 1", "s.n"), "module replaced": ("s = M", "s.n = s.n + x", "s.n"),
    "module count": ("s = M", "s.count += 1", "s.count"), "module call": ("s = M", "M(x)", "M.n"), "global": ("s = G", "s += 1", "G"),
    "global dict": ("s = GS", "s['a'] += 1", "GS['a']"), "default": ("s = x", "default(x)", "default(x * 0)"), "sum": ("s = x", "s = s.sum()", "s"),
    "scalar plus": ("s = x.sum()", "s += 1", "s"), "scalar": ("s = x[0]", "s = s + 1", "s"), "scalar two names": ("s = b = x.sum()", "s += 1", "b"),
    "zero array two names": ("s = b = np.array(2.0)", "s += 1", "b"), "zero array result": ("s = np.array(2.0)", "s = s + 1", "s"),
    "zero array item": ("s = np.array(2.0)", "s[()] = 5", "s"), "float32 scalar": ("s = np.float32(2)", "s = s * 1.1", "s"),
    "float32 and double": ("s = np.float32(2)", "s = s * np.float64(1.1)", "s"), "int8 scalar": ("s = np.int8(100)", "s = s + np.int8(20)", "s"),
    "int8 number": ("s = np.int8(10)", "s = s * 3", "s"), "uint8": ("s = x.astype(np.uint8)", "s = s - np.uint8(2)", "s"),
    "uint8 in place": ("s = x.astype(np.uint8)", "s -= 2", "s"), "uint8 times": ("s = x.astype(np.uint8)", "s = s * 100", "s"),
    "int8": ("s = x.astype(np.int8)", "s = s * 60", "s"), "int plus float": ("s = np.array([1, 2, 3])", "s = s + 0.5", "s"),
    "int in place": ("s = np.array([1, 2, 3])", "s[0] = 2.7", "s"), "int divided": ("s = np.array([1, 2, 3])", "s = s / 2", "s"),
    "int floored": ("s = np.array([-5, 7, 3])", "s = s // 2", "s"), "int modulo": ("s = np.array([-5, 7, 3])", "s = s % 3 - 4", "s"),
    "int power": ("s = np.array([-5, 7, 3])", "s = s ** 2", "s"), "bool": ("s = x > 1", "s = s + s", "s"),
    "bool plus number": ("s = x > 1", "s = s + 1", "s"), "bool in place": ("s = x > 1", "s |= x < 2", "s"),
    "bool sum": ("s = x > 1", "s = ~s", "s.sum()"), "shift": ("s = x.astype(int)", "s = s << 3", "s"),
    "half": ("s = x.astype(np.float16)", "s = s * 2000", "s"), "half and double": ("s = x.astype(np.float16)", "s = s + np.float64(1)", "s"),
    "int32 and int": ("s = x.astype(np.int32)", "s = s + 2", "s"), "int32 and float": ("s = x.astype(np.int32)", "s = s + 2.5", "s"),
    "int32 and float32": ("s = x.astype(np.int32)", "s = s + np.float32(2.5)", "s"), "complex": ("s = x + 0j", "s = s * 1j", "s"),
    "complex real": ("s = x + 1j", "s.real += 1", "s"), "complex imag": ("s = x + 1j", "s.imag[0] = 7.0", "s"),
    "complex real set": ("s = x + 1j", "s.real = 2.0", "s"),
    "seeded alike": ("s = np.random.default_rng(3).random(3); b = s", "b = np.random.default_rng(3).random(3)", "float((s == b).all())"),
    "drawn on": ("r = np.random.default_rng(3); s = r.random(3); b = s", "b = r.random(3)", "float((s == b).all())"),
    "two generators": ("r = np.random.default_rng(3); q = np.random.default_rng(3); s = r.random(3); b = q.random(3)", "s = r.random(3)", "float((s == b).all())"),
    "integers": ("r = np.random.default_rng(3); s = r.integers(10)", "s = r.integers(10)", "float(type(s) is np.int64)"),
    "drawn number": ("r = np.random.default_rng(3); s = r.random()", "s = r.normal()", "float(type(s) is float)"),
    "state": ("r = np.random.RandomState(3); s = r.rand(3); b = s", "b = r.rand(3)", "float((s == b).all())"),
    "seed": ("np.random.seed(3); s = np.random.rand(3); b = s", "np.random.seed(3)\nb = np.random.rand(3)", "float((s == b).all())"),
    "permuted": ("r = np.random.default_rng(3); s = x", "s = r.permutation(s)", "s.sum()"),
    "shuffled": ("r = np.random.default_rng(3); s = x.copy()", "r.shuffle(s)", "s.sum()"),
    "matrix rows": ("b = np.outer(x, x); s = b", "for i in range(3): b[i] += i", "b"),
    "matrix row loop": ("b = np.outer(x, x); s = b", "for r in b: r *= 2", "b"),
    "matrix columns": ("b = np.outer(x, x); s = b", "for c in b.T: c *= 2", "b"),
    "matrix fill_diagonal": ("b = np.outer(x, x); s = b", "np.fill_diagonal(b, 9)", "b"),
    "matrix mask": ("b = np.outer(x, x); s = b", "b[x > 1] = 0.0", "b"), "matrix both": ("b = np.outer(x, x); s = b", "b[[0, 1], [1, 2]] = 7.0", "b"),
    "matrix column": ("b = np.outer(x, x); s = b", "b[:, 1] = b[1]", "b"), "transposed item": ("b = np.outer(x, x) + x; s = b", "b.T[0] = 1.0", "b"),
    "swap rows": ("b = np.outer(x, x); s = b", "b[[0, 1]] = b[[1, 0]]", "b"),
    "swap row views": ("b = np.outer(x, x); s = b", "b[0], b[1] = b[1], b[0]", "b"),
    "swap row copies": ("b = np.outer(x, x); s = b", "b[0], b[1] = b[1].copy(), b[0].copy()", "b"),
    "matrix reshape": ("b = np.outer(x, x) + x; s = b", "b.T.reshape(-1)[0] = 9.0", "b"),
    "matrix ravel": ("b = np.outer(x, x) + x; s = b", "b.ravel()[4] = 9.0", "b"),
    "matrix ravel F": ("b = np.outer(x, x) + x; s = b", "b.ravel(order='F')[1] = 9.0", "b"),
    "matrix T ravel": ("b = np.outer(x, x) + x; s = b.T", "s.ravel()[1] = 9.0", "b"),
    "matrix add at": ("b = np.outer(x, x); s = b", "np.add.at(b, ([0, 0], [1, 1]), 1)", "b"),
    "matrix sort": ("b = -np.outer(x, x); s = b", "b.sort(axis=0)", "b"),
    "matrix triu": ("b = np.outer(x, x); s = b", "b[np.triu_indices(3)] = 0", "b"),
    "matrix minus mean": ("b = np.outer(x, x); s = b", "b -= b.mean(axis=0)", "b"),
    "matrix minus row": ("b = np.outer(x, x); s = b", "b -= b[0]", "b"), "out": ("s = np.zeros(3)", "np.multiply(x, 3, out=s)", "s"),
    "out of int": ("s = np.zeros(3, dtype=np.float32)", "np.multiply(x, 3, out=s, casting='same_kind')", "s"),
    "sum out": ("s = np.zeros(())", "np.sum(x, out=s)", "s"), "dot out": ("s = np.zeros((3, 3)); b = np.outer(x, x)", "np.dot(b, b, out=s)", "s"),
    "empty_like": ("s = np.empty_like(x); s[:] = 0", "s += 1", "s"), "zeros_like int": ("s = np.zeros_like(x, dtype=int)", "s += 2", "s"),
    "flat iterator": ("s = x.copy().flat", "next(s)", "s.index"), "iterator": ("b = np.outer(x, x); s = iter(b)", "row = next(s); row += 1", "b"),
    "nditer": ("b = x.copy(); s = b", "for r in np.nditer(b, op_flags=['readwrite']): r += 1", "b"),
    "is": ("b = x.copy(); s = b", "s = s + 1", "float(s is b) + b"), "is in place": ("b = x.copy(); s = b", "s += 1", "float(s is b) + b"),
    "deque": ("s = collections.deque([x, x * 2, x * 3], maxlen=3)", "s.append(s[0] + 1)", "s[0]"),
    "default dict": ("s = collections.defaultdict(lambda: np.zeros(3))", "s['a'] += x", "s['a']"),
    "shape": ("s = x", "s = np.concatenate([s, x])", "s.shape[0] + s.size"),
    "structured": ("s = np.zeros(3, dtype=[('a', float), ('b', int)])", "s['a'] += x", "s['a']"),
    "masked": ("s = np.ma.array(x.copy())", "s[0] = 7.0", "s.sum()"), "vectorized": ("s = x", "s = np.vectorize(lambda v: v + 1)(s)", "s"),
    "apply": ("s = np.outer(x, x)", "s = np.apply_along_axis(lambda v: v - v[0], 0, s)", "s"), "poly": ("s = x", "s = np.polyval([1, 2], s)", "s"),
    "number grows": ("s = 1", "s = s * x.sum()", "s"), "item": ("s = 0", "s = s + x[1].item()", "s"), "int of": ("s = 0", "s += int(x[1])", "s"),
    "python float": ("s = 0.5", "s = s + float(x[0])", "s"), "np int": ("s = np.int64(3)", "s = s / 2", "s"),
    "round": ("s = x[1] * 1.26", "s = round(s, 1) + 1", "s"), "max": ("s = 0.0", "s = max(s, x[2])", "s"), "sum of": ("s = 0", "s = sum(x, s)", "s"),
    "median": ("s = x", "s = s - np.median(s)", "s"), "bool scalar": ("s = x[0] > 0", "s = not s", "s"),
    "bool minus": ("s = np.bool_(True)", "s = s + True", "s"), "float of": ("s = x.sum()", "s = float(s)", "s"),
    "len": ("s = x", "s = s[1:]", "len(s)"),
}  # fmt: skip
"""Arrays that something holds: how it is made, what changes it, what it is asked."""

STATES = states(_IN_PLACE, _VIEWS, _HELD, "x.copy()", "s *= 2")
