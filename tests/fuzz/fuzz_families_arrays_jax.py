"""Parts of the families of arrays: JAX's, with what makes another of them and what is asked."""

from __future__ import annotations

from fuzz_families_arrays_places import held_states

HELPERS = """
import jax
import jax.numpy as jnp
from jax import lax


class Module:
    def __init__(self):
        self.n = jnp.zeros(3)
        self.count = 0

    def __call__(self, x):
        self.n = self.n + x
        self.count += 1
        return self.n * self.count


M = Module()
G = {"a": jnp.zeros(3)}


def default(x, kept=[jnp.zeros(3)]):
    kept[0] += x
    return kept[0]

"""
"""What every program of this framework may name besides."""

_NEXT = {
    "set": "s = s.at[0].set(5.0)", "set open": "s = s.at[n].set(9.0)", "set outside": "s = s.at[7].set(9.0)",
    "add twice": "s = s.at[jnp.array([0, 0])].add(1)", "multiply": "s = s.at[1:].multiply(2)", "mask set": "s = s.at[s > 1.5].set(0.5)",
    "min": "s = s.at[0].min(0.5)", "apply": "s = s.at[1:].apply(jnp.sqrt)", "get": "s = s.at[jnp.array([0, 1, 9])].get(mode='fill', fill_value=7.0)",
    "read outside": "s = s + s[n + 2]", "negative open": "s = s + s[-n - 1]", "power": "s = s ** 2", "plus": "s += 1", "divided": "s /= 2",
    "floored": "s //= 2", "modulo": "s %= 2", "where": "s = jnp.where(s > 1, s, 0)", "astype": "s = s.astype(int) + 1",
    "half": "s = s.astype(jnp.float16) * 2000", "bfloat": "s = s.astype(jnp.bfloat16) * 1.01",
    "dynamic_slice": "s = lax.dynamic_update_slice(s, jnp.array([7.0]), (n,))", "dynamic read": "s = lax.dynamic_slice(s, (n,), (3,)) + 1",
    "cumsum": "s = jnp.cumsum(s)", "roll": "s = jnp.roll(s, n)", "sort": "s = jnp.sort(-s)", "concatenate": "s = jnp.concatenate([s[1:], s[:1]])",
    "select": "s = lax.select(s > 1, s, s * 2)", "cond": "s = lax.cond(s.sum() > 5, lambda v: v + 1, lambda v: v - 1, s)",
    "switch": "s = lax.switch(n, [lambda v: v, lambda v: v + 1, lambda v: v * 2], s)", "fori": "s = lax.fori_loop(0, n, lambda i, v: v + i, s)",
    "while": "s = lax.while_loop(lambda v: v.sum() < 20, lambda v: v * 2, s)", "scan": "s = lax.scan(lambda c, v: (c + v, c), 0.0, s)[1]",
    "vmap": "s = jax.vmap(lambda v: v + 1)(s)", "grad": "s = jax.grad(lambda v: (v ** 2).sum())(s)",
    "value": "b, s = jax.value_and_grad(lambda v: (v ** 3).sum())(s)", "jit": "s = jax.jit(lambda v: v * 2)(s)",
    "grad of where": "s = jax.grad(lambda v: jnp.where(v > 1, v, (v - 9) ** 0.5).sum())(s)",
    "stop": "s = jax.grad(lambda v: (lax.stop_gradient(v) * v).sum())(s)", "jvp": "s = jax.jvp(jnp.sin, (s,), (s,))[1]",
    "einsum": "s = jnp.einsum('i,j->i', s, s)", "segment": "s = jax.ops.segment_sum(s, jnp.array([0, 0, 2]), 3)",
    "argmax": "s = s.at[s.argmax()].set(0.0)", "clip": "s = jnp.clip(s, 0, 2)", "one_hot": "s = s + jax.nn.one_hot(n, 3)",
    "reshape": "s = s.reshape(1, 3)[0] + 1", "asarray": "s = jnp.asarray(np.array([1.0, 2.0, 3.0])) + s",
    "numpy": "s = np.asarray([1.0, 2.0, 3.0]) * s", "append": "s = jnp.append(s, 1.0)", "take": "s = jnp.take(s, jnp.array([0, 5, 1]))",
    "take clip": "s = jnp.take(s, jnp.array([0, 5, 1]), mode='clip')", "searchsorted": "s = s + jnp.searchsorted(s, 1.5)",
    "nan": "s = jnp.nan_to_num(s / 0)", "put": "s = jnp.put(s, jnp.array([0]), 9.0, inplace=False)",
    "fill_diagonal": "s = jnp.fill_diagonal(jnp.outer(s, s), 0.0, inplace=False)[0]",
    "piecewise": "s = jnp.piecewise(s, [s > 1], [lambda v: v * 2, 0.0])", "select many": "s = jnp.select([s > 2, s > 1], [s, s * 2], 0.0)",
    "associative": "s = lax.associative_scan(jnp.add, s)", "map": "s = lax.map(lambda v: v + 1, s)",
    "optimization": "s = lax.optimization_barrier(s) + 1", "error item": "s[0] = 1", "custom": "s = jax.nn.relu(s - 2)",
    "softmax": "s = jax.nn.softmax(s)", "int": "s = s.astype(jnp.int8) * 60", "uint8": "s = s.astype(jnp.uint8) - 2",
    "tree": "s = jax.tree.map(lambda v: v + 1, {'a': s})['a']", "flatten": "s = jax.flatten_util.ravel_pytree((s, s[0]))[0][:3]",
    "linearize": "s = jax.linearize(jnp.sin, s)[1](s)", "vjp": "s = jax.vjp(jnp.sin, s)[1](s)[0]",
    "hessian": "s = jax.hessian(lambda v: (v ** 3).sum())(s)[0]", "checkpoint": "s = jax.checkpoint(jnp.sin)(s)",
}  # fmt: skip
"""What s becomes."""

_HELD = {
    "list": ("s = [x]", "s[0] += 1", "s[0]"), "list tail": ("s = [x]", "s.append(s[-1] * 2)", "s[-1] * len(s)"),
    "dict": ("s = {'a': x}", "s['a'] += 1", "s['a']"), "dict shared": ("s = {'a': x, 'b': x}", "s['a'] *= 2", "s['b']"),
    "attribute": ("s = types.SimpleNamespace(v=x)", "s.v += 1", "s.v"), "data": ("s = Data(x)", "s.v *= 2", "s.v"),
    "module": ("s = M", "s.n += 1", "s.n"), "module count": ("s = M", "s.count += 1", "s.count"), "module call": ("s = M", "M(x)", "M.n"),
    "global dict": ("s = G", "s['a'] += 1", "G['a']"), "default": ("s = x", "default(x)", "default(x * 0)"),
    "key split": ("s = jax.random.key(3)", "s, b = jax.random.split(s)", "jax.random.uniform(s, (3,))"),
    "key drawn": ("s = jax.random.PRNGKey(0)", "s, k = jax.random.split(s); b = jax.random.normal(k, (3,))", "b"),
    "key folded": ("s = jax.random.key(3)", "s = jax.random.fold_in(s, n)", "jax.random.uniform(s)"),
    "key of seed": ("s = jax.random.PRNGKey(n)", "s = jax.random.split(s, 3)[1]", "jax.random.uniform(s)"),
    "key reused": ("s = jax.random.key(1)", "b = b + jax.random.uniform(s, (3,))", "b"),
    "key integers": ("s = jax.random.key(1)", "b = jax.random.randint(s, (3,), 0, 10); s = jax.random.fold_in(s, 1)", "b"),
    "key permutation": ("s = jax.random.key(1)", "b = jax.random.permutation(s, b)", "b"), "weak": ("s = jnp.array(1)", "s = s * 1.5", "s"),
    "weak int": ("s = 1", "s = s * x.sum()", "s"), "number": ("s = 1", "s = s / 2", "s"), "int array": ("s = jnp.array([1, 2, 3])", "s = s / 2", "s"),
    "int plus float": ("s = jnp.array([1, 2, 3])", "s = s + 0.5", "s"), "int floored": ("s = jnp.array([-5, 7, 3])", "s = s // 2", "s"),
    "int modulo": ("s = jnp.array([-5, 7, 3])", "s = s % 3 - 4", "s"), "int power": ("s = jnp.array([-5, 7, 3])", "s = s ** 2", "s"),
    "int8": ("s = jnp.array([100, 2, 3], jnp.int8)", "s = s + s", "s"), "uint8": ("s = jnp.array([1, 2, 3], jnp.uint8)", "s = s - 2", "s"),
    "shift": ("s = jnp.array([1, 2, 3])", "s = s << 3", "s"), "bool": ("s = x > 1", "s = s + s", "s"), "bool plus": ("s = x > 1", "s = s + 1", "s"),
    "not": ("s = x > 1", "s = ~s", "s.sum()"), "float16 and float32": ("s = x.astype(jnp.float16)", "s = s + x", "s"),
    "float16 and int": ("s = x.astype(jnp.float16)", "s = s + jnp.arange(3)", "s"),
    "bfloat16 and float16": ("s = x.astype(jnp.float16)", "s = s + x.astype(jnp.bfloat16)", "s"),
    "np scalar": ("s = x", "s = s * np.float32(2)", "s"), "np double": ("s = x", "s = s * np.float64(2)", "s"),
    "np array": ("s = x", "s = s + np.arange(3)", "s"), "np only": ("s = np.arange(3)", "s = s + 1", "s"),
    "np in place": ("s = np.zeros(3)", "s += 1", "s + x"), "np item": ("s = np.zeros(3)", "s[0] += 1", "s + x"),
    "complex": ("s = x + 0j", "s = s * 1j", "s"), "sum": ("s = x", "s = s.sum()", "s"), "item": ("s = 0", "s = s + x[1].item()", "s"),
    "int of": ("s = 0", "s += int(x[1])", "s"), "float of": ("s = 0.0", "s += float(x[1])", "s"),
    "shape": ("s = x", "s = jnp.concatenate([s, x])", "s.shape[0] + s.size"), "max": ("s = 0.0", "s = max(s, x[2])", "s"),
    "sum of": ("s = 0", "s = sum(x, s)", "s"), "is": ("s = x", "s = s + 0", "float(s is x)"),
    "deque": ("s = collections.deque([x, x * 2, x * 3], maxlen=3)", "s.append(s[0] + 1)", "s[0]"),
    "default dict": ("s = collections.defaultdict(lambda: jnp.zeros(3))", "s['a'] += x", "s['a']"),
    "iterator": ("s = iter(x)", "b = b + next(s)", "b"), "cache": ("s = jnp.zeros((4, 3))", "s = s.at[n].set(x)", "s"),
    "ones": ("s = jnp.ones(3)", "s = s * 2", "s"), "zeros int": ("s = jnp.zeros(3, int)", "s = s + 1", "s"),
    "arange": ("s = jnp.arange(3)", "s = s + n", "s"), "linspace": ("s = jnp.linspace(0, 1, 3)", "s = s * n", "s"),
    "eye": ("s = jnp.eye(3)", "s = s @ s + 1", "s"), "full": ("s = jnp.full((3,), 2)", "s = s * 2", "s"),
    "full like": ("s = jnp.full_like(x, 2)", "s = s * 2", "s"),
    "namedtuple": ("s = collections.namedtuple('P', 'a b')(x, 1.0)", "s = s._replace(a=s.a * 2)", "s.a"),
    "partial": ("s = functools.partial(jnp.add, x)", "b = s(b)", "b"),
    "carry": ("s = (x, 0.0)", "s = lax.fori_loop(0, 2, lambda i, c: (c[0] + 1, c[1] + c[0].sum()), s)", "s[1]"),
    "empty": ("s = x[:0]", "s = jnp.concatenate([s, x[:1]])", "s.sum() + s.shape[0]"),
    "matrix": ("s = jnp.outer(x, x)", "s = s.at[0].set(s[1])", "s"),
    "matrix diagonal": ("s = jnp.outer(x, x)", "s = s.at[jnp.diag_indices(3)].set(0.0)", "s"),
    "matrix column": ("s = jnp.outer(x, x)", "s = s.at[:, n % 3].add(1)", "s"), "rows": ("s = jnp.outer(x, x)", "for r in s: b = b + r", "b"),
    "apply along": ("s = jnp.outer(x, x)", "s = jnp.apply_along_axis(lambda v: v - v[0], 0, s)", "s"),
    "vectorize": ("s = x", "s = jnp.vectorize(lambda v: v + 1)(s)", "s"),
}  # fmt: skip
"""Arrays that something holds: how it is made, what changes it, what it is asked."""

STATES = {name: ("s = b = x", change, "s") for name, change in _NEXT.items()} | held_states(_HELD)
