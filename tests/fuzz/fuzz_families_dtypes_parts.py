"""Parts of the families of dtypes: dtypes, operands, operations and places."""

from __future__ import annotations

from typing import NamedTuple


class Flavour(NamedTuple):
    """How a framework writes them: `cast` x to a DTYPE; operands that have none, and arrays of one; operations of u and v."""

    name: str
    helpers: str
    dtypes: tuple[str, ...]
    cast: str
    scalars: dict[str, str]
    arrays: dict[str, str]
    ops: dict[str, str]


_SCALARS = {
    "int": "2", "float": "0.5", "bool": "True", "large": "300", "negative": "-1", "float whole": "2.0", "number": "n",
    "float32": "np.float32(1.5)", "float64": "np.float64(1.5)", "int64": "np.int64(3)", "int8": "np.int8(3)", "bool_": "np.bool_(True)",
}  # fmt: skip
_DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int8", "uint8", "bool")
_OPS = {
    "plus": "u + v", "plus from": "v + u", "minus": "u - v", "minus from": "v - u", "times": "u * v", "divided": "u / v", "over": "v / u",
    "floored": "u // v", "floored from": "v // u", "modulo": "u % v", "modulo from": "v % u", "power": "u ** v", "power of": "v ** u",
    "and": "u & v", "or": "v | u", "xor": "u ^ v", "shift": "u << v", "shift right": "u >> v", "less": "u < v", "equal": "u == v", "greater": "v > u",
    "minus twice": "-u - v", "abs": "abs(u) + v", "sum plus": "u.sum() + v", "mask plus": "(u > 1) + v", "mask times": "v * (u == 1)",
    "divided floored": "(u / v) // 1", "divmod": "divmod(u, v)[1]", "item": "u[0] + v", "item number": "u[0].item() + v", "max": "u.max() * v",
    "sum of two": "sum([u, v])", "nested": "(u + v) * u - v", "number first": "2 * v + u", "fraction first": "0.5 * v + u", "of sums": "(u.sum() > 2) * v",
}  # fmt: skip
"""Operations that all frameworks write alike."""

_TORCH = {
    "where": "torch.where(u > 1, u, v)", "where from": "torch.where(u > 1, v, u)", "clamp": "u.clamp(max=v)", "clamp min": "torch.clamp(u, min=v)",
    "maximum": "torch.maximum(u, torch.as_tensor(v))", "cat": "torch.cat([u, torch.as_tensor(v).reshape(-1)])",
    "stack": "torch.stack([u, torch.as_tensor(v).expand(3)])", "prod": "u.prod() * v", "mean": "u.float().mean() * v", "cumsum": "u.cumsum(0) + v",
    "matmul": "u @ (u * 0 + v)", "put": "w = u.clone()\nw[0] = v", "put mask": "w = u.clone()\nw[w > 1] = v", "in place": "w = u.clone()\nw += v",
    "in place times": "w = u.clone()\nw *= v", "in place divided": "w = u.clone()\nw /= v", "mul_": "w = u.clone().mul_(v)", "fill_": "w = u.clone().fill_(v)",
    "full_like": "torch.full_like(u, v)", "full": "torch.full((2,), v) + u[:2]", "zeros": "torch.zeros(3) + u * v", "ones_like": "torch.ones_like(u) * v",
    "arange": "torch.arange(3) * u + v", "linspace": "torch.linspace(0, 1, 3) * u + v", "tensor": "torch.tensor([1, 2, 3]) * u + v",
    "tensor of": "torch.tensor(v) + u", "new_full": "u.new_full((3,), v)", "result_type": "torch.zeros(2, dtype=torch.result_type(u, v))",
    "can_cast": "float(torch.can_cast(u.dtype, torch.result_type(u, v)))", "sub": "torch.sub(u, v)", "rsub": "torch.rsub(u, v)", "pow": "torch.pow(u, v)",
    "pow of": "torch.pow(v, u)", "true_divide": "torch.true_divide(u, v)", "div floor": "torch.div(u, v, rounding_mode='floor')",
    "div trunc": "torch.div(u, v, rounding_mode='trunc')", "remainder": "torch.remainder(u, v)", "fmod": "torch.fmod(u, v)", "sqrt": "torch.sqrt(u) + v",
    "exp": "u.exp() * v", "sigmoid": "torch.sigmoid(u) * v", "add alpha": "torch.add(u, u, alpha=2) + v", "copy_": "w = u.clone()\nw.copy_(torch.as_tensor(v))",
    "masked_fill": "u.masked_fill(u > 1, v)", "index_put": "u.index_put((torch.tensor([0, 0]),), torch.as_tensor(v, dtype=u.dtype), accumulate=True)",
    "type_as": "torch.as_tensor(v).type_as(u) + u", "sum dtype": "u.sum(dtype=torch.float64) + v", "float": "u.float() * v", "long": "u.long() + v",
    "to": "u.to(torch.float16) * v", "lerp": "torch.lerp(u, u * 2, v)", "logical": "torch.logical_and(u, torch.as_tensor(v))", "eq": "u.eq(v)",
    "isclose": "torch.isclose(u, u * 1) & (u < v)", "bucket": "torch.sum(u > v)", "dot": "torch.dot(u, u) + v", "outer": "torch.outer(u, u) * v",
    "floor": "torch.floor(u) + v", "round": "torch.round(u) * v", "sign": "torch.sign(u) * v", "std": "u.float().std() * v", "max 0": "u.max(0).values * v",
    "argmax": "u.argmax() + v", "sort": "u.sort().values * v", "diff": "u.diff() * v", "neg": "torch.neg(u) * v", "bitwise": "torch.bitwise_and(u, v)",
    "square": "torch.square(u) + v", "atan2": "torch.atan2(u, u * v)", "hypot": "torch.hypot(u, u * v)", "reciprocal": "torch.reciprocal(u) * v",
    "count": "torch.count_nonzero(u) * v", "all": "u.all() | (u.sum() > v)", "any": "u.any() + v", "cumprod": "u.cumprod(0) * v", "addcmul": "torch.addcmul(u, u, u, value=v)",
    "nan_to_num": "torch.nan_to_num(u) * v", "heaviside": "torch.heaviside(u, torch.as_tensor(v, dtype=u.dtype))", "logaddexp": "torch.logaddexp(u, u * v)",
    "softmax": "torch.softmax(u, 0) * v", "norm": "u.norm() * v", "eye": "torch.eye(3) * u + v", "scalar_tensor": "torch.scalar_tensor(2) * u + v",
    "empty": "torch.empty(3, dtype=u.dtype).fill_(1) + v", "bool index": "u[u > 1] * v", "einsum": "torch.einsum('i,i->', u, u) * v", "gather": "u.gather(0, torch.tensor([0, 1])) * v",
    "scatter": "u.scatter(0, torch.tensor([0]), v)", "pad": "torch.nn.functional.pad(u, (1, 0), value=v)", "iinfo": "u * 0 + (torch.finfo(u.dtype).max if u.is_floating_point() else 1)",
}  # fmt: skip
_NUMPY = {
    "where": "np.where(u > 1, u, v)", "where from": "np.where(u > 1, v, u)", "clip": "u.clip(max=v)", "maximum": "np.maximum(u, v)", "minimum": "np.minimum(v, u)",
    "concatenate": "np.concatenate([u, np.ravel(v)])", "stack": "np.stack([u, u * 0 + v])", "prod": "u.prod() * v", "mean": "u.mean() * v", "cumsum": "u.cumsum() + v",
    "matmul": "u @ (u * 0 + v)", "put": "w = u.copy()\nw[0] = v", "put mask": "w = u.copy()\nw[w > 1] = v", "in place": "w = u.copy()\nw += v",
    "in place times": "w = u.copy()\nw *= v", "in place divided": "w = u.copy()\nw /= v", "full_like": "np.full_like(u, v)", "full": "np.full(2, v) + u[:2]",
    "zeros": "np.zeros(3) + u * v", "ones_like": "np.ones_like(u) * v", "arange": "np.arange(3) * u + v", "linspace": "np.linspace(0, 1, 3) * u + v",
    "array": "np.array([1, 2, 3]) * u + v", "array of": "np.array(v) + u", "result_type": "np.zeros(2, np.result_type(u, v))", "power": "np.power(u, v)",
    "float_power": "np.float_power(u, v)", "true_divide": "np.true_divide(u, v)", "floor_divide": "np.floor_divide(u, v)", "remainder": "np.remainder(u, v)",
    "fmod": "np.fmod(u, v)", "sqrt": "np.sqrt(u) + v", "exp": "np.exp(u) * v", "sum dtype": "u.sum(dtype=np.float64) + v", "astype": "u.astype(np.float32) * v",
    "logical": "np.logical_and(u, v)", "isclose": "np.isclose(u, v)", "dot": "np.dot(u, u) + v", "outer": "np.outer(u, v)", "floor": "np.floor(u) + v",
    "round": "np.round(u) * v", "sign": "np.sign(u) * v", "std": "u.std() * v", "max 0": "u.max(0) * v", "argmax": "u.argmax() + v", "sort": "np.sort(u) * v",
    "diff": "np.diff(u) * v", "negative": "np.negative(u) * v", "bitwise": "np.bitwise_and(u, v)", "square": "np.square(u) + v", "arctan2": "np.arctan2(u, v)",
    "hypot": "np.hypot(u, v)", "reciprocal": "np.reciprocal(u) * v", "count": "np.count_nonzero(u) * v", "all": "u.all() | (u.sum() > v)", "any": "u.any() + v",
    "cumprod": "u.cumprod() * v", "nan_to_num": "np.nan_to_num(u) * v", "average": "np.average(u) * v", "median": "np.median(u) * v", "eye": "np.eye(3) * u + v",
    "heaviside": "np.heaviside(u, v)", "logaddexp": "np.logaddexp(u, v)", "bool index": "u[u > 1] * v", "einsum": "np.einsum('i,i->', u, u) * v", "take": "u.take([0, 1]) * v",
    "append": "np.append(u, v)", "select": "np.select([u > 1, u < 0], [u, u * 2], v)", "divmod of": "np.divmod(u, v)[0]", "copysign": "np.copysign(u, v)",
    "interp": "np.interp(u, [0, 2], [1, 5]) * v", "convolve": "np.convolve(u, u) * v", "cross sum": "np.add.reduce(u) * v", "accumulate": "np.add.accumulate(u) * v",
    "outer sum": "np.add.outer(u, u) * v", "dtype of": "np.zeros(2, u.dtype) + v", "promote": "np.zeros(1, np.promote_types(u.dtype, np.int16)) + v", "pad": "np.pad(u, 1) * v",
    "scalar": "u[1] * v", "scalar power": "u[0] ** v", "scalar floored": "u[1] // v", "scalar divided": "v / u[0]", "asarray": "np.asarray(v) * u[0]", "float of": "float(u[0]) * v",
}  # fmt: skip
_JAX = {
    "where": "jnp.where(u > 1, u, v)", "where from": "jnp.where(u > 1, v, u)", "clip": "jnp.clip(u, max=v)", "maximum": "jnp.maximum(u, v)", "minimum": "jnp.minimum(v, u)",
    "concatenate": "jnp.concatenate([u, jnp.ravel(v)])", "stack": "jnp.stack([u, u * 0 + v])", "prod": "u.prod() * v", "mean": "u.mean() * v", "cumsum": "u.cumsum() + v",
    "matmul": "u @ (u * 0 + v)", "set": "u.at[0].set(v)", "add at": "u.at[jnp.array([0, 0])].add(v)", "multiply at": "u.at[0].multiply(v)", "max at": "u.at[0].max(v)",
    "full_like": "jnp.full_like(u, v)", "full": "jnp.full(2, v) + u[:2]", "zeros": "jnp.zeros(3) + u * v", "ones_like": "jnp.ones_like(u) * v", "arange": "jnp.arange(3) * u + v",
    "linspace": "jnp.linspace(0, 1, 3) * u + v", "array": "jnp.array([1, 2, 3]) * u + v", "array of": "jnp.array(v) + u", "result_type": "jnp.zeros(2, jnp.result_type(u, v))",
    "power": "jnp.power(u, v)", "true_divide": "jnp.true_divide(u, v)", "floor_divide": "jnp.floor_divide(u, v)", "remainder": "jnp.remainder(u, v)", "fmod": "jnp.fmod(u, v)",
    "sqrt": "jnp.sqrt(u) + v", "exp": "jnp.exp(u) * v", "sum dtype": "u.sum(dtype=jnp.float32) + v", "astype": "u.astype(jnp.float16) * v", "logical": "jnp.logical_and(u, v)",
    "isclose": "jnp.isclose(u, v)", "dot": "jnp.dot(u, u) + v", "outer": "jnp.outer(u, v)", "floor": "jnp.floor(u) + v", "round": "jnp.round(u) * v", "sign": "jnp.sign(u) * v",
    "std": "u.std() * v", "max 0": "u.max(0) * v", "argmax": "u.argmax() + v", "sort": "jnp.sort(u) * v", "diff": "jnp.diff(u) * v", "bitwise": "jnp.bitwise_and(u, v)",
    "square": "jnp.square(u) + v", "arctan2": "jnp.arctan2(u, v)", "hypot": "jnp.hypot(u, v)", "reciprocal": "jnp.reciprocal(u) * v", "count": "jnp.count_nonzero(u) * v",
    "all": "u.all() | (u.sum() > v)", "any": "u.any() + v", "cumprod": "u.cumprod() * v", "nan_to_num": "jnp.nan_to_num(u) * v", "average": "jnp.average(u) * v",
    "median": "jnp.median(u) * v", "eye": "jnp.eye(3) * u + v", "heaviside": "jnp.heaviside(u, v)", "logaddexp": "jnp.logaddexp(u, v)", "einsum": "jnp.einsum('i,i->', u, u) * v",
    "take": "u.take(jnp.array([0, 1])) * v", "append": "jnp.append(u, v)", "select": "jnp.select([u > 1, u < 0], [u, u * 2], v)", "pad": "jnp.pad(u, 1) * v",
    "lax add": "lax.add(u, jnp.asarray(v, u.dtype))", "lax select": "lax.select(u > 1, u, jnp.full_like(u, v))", "lax convert": "lax.convert_element_type(u, jnp.float32) * v",
    "lax cond": "lax.cond(u[0] > 0, lambda: u * v, lambda: u * v * 2)", "fori": "lax.fori_loop(0, 3, lambda i, c: (c + i * (u * v).sum()).astype(c.dtype), u[0])",
    "scan": "lax.scan(lambda c, e: ((c + e * v).astype(c.dtype), e * v), u[0], u)[1]", "softmax": "jax.nn.softmax(u) * v", "relu": "jax.nn.relu(u) * v", "weak": "jnp.asarray(2) * u + v",
    "float0": "u * 0.0 + v", "one_hot": "jax.nn.one_hot(jnp.array([0, 1]), 3) * v + u", "vmap": "jax.vmap(lambda e: e + v)(u)", "jit": "jax.jit(lambda a: a * v)(u)",
}  # fmt: skip

_HALVES = "from ml_dtypes import bfloat16\n"
FLAVOURS = {
    "torch": Flavour(
        "torch", "import torch\n", _DTYPES, "x.to(torch.DTYPE)",
        {**_SCALARS, "item": "x[0].item()", "sum": "x.sum()", "same": "x.to(u.dtype)", "element": "u[0]"},
        {"0-d": "torch.tensor(2).to(torch.DTYPE)", "array": "x.to(torch.DTYPE)"}, {**_OPS, **_TORCH},
    ),
    "numpy": Flavour(
        "numpy", "", tuple(name for name in _DTYPES if name != "bfloat16"), "x.astype(np.DTYPE)",
        {**_SCALARS, "item": "x[0].item()", "sum": "x.sum()", "same": "x.astype(u.dtype)", "element": "u[0]"},
        {"0-d": "np.array(2, np.DTYPE)", "array": "x.astype(np.DTYPE)", "scalar": "np.DTYPE(2)"}, {**_OPS, **_NUMPY},
    ),
    "jax": Flavour(
        "jax", "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n", tuple(name for name in _DTYPES if "64" not in name), "x.astype(jnp.DTYPE)",
        {**{name: text for name, text in _SCALARS.items() if "64" not in name}, "sum": "x.sum()", "same": "x.astype(u.dtype)", "element": "u[0]"},
        {"0-d": "jnp.array(2, jnp.DTYPE)", "array": "x.astype(jnp.DTYPE)"}, {**_OPS, **_JAX},
    ),
}  # fmt: skip

PLACES = {
    "straight": """
        def f(x, n: int):
            u = FIRST
            v = SECOND
            EXPR
            return w, u
        """,
    "in a test": """
        def f(x, n: int):
            u = FIRST
            v = SECOND
            w = u
            if n > 1:
                EXPR
            return w, w + 1
        """,
    "carried": """
        def f(x, n: int):
            u = FIRST
            v = SECOND
            for i in range(n):
                EXPR
                u = w
            return u, u * 2
        """,
    "carried by data": """
        def f(x, n: int):
            u = FIRST
            v = SECOND
            EXPR
            c = x.sum() * 0
            while c < n:
                u = u + u
                EXPR
                c = c + 1
            return w, u
        """,
    "chosen": """
        def f(x, n: int):
            u = FIRST
            v = SECOND
            s = v if n > 1 else v + v
            v = s
            EXPR
            return w, v
        """,
    "chosen by data": """
        def f(x, n: int):
            u = FIRST
            v = SECOND
            EXPR
            if x.sum() * n > 3:
                u = u + u
                EXPR
            return w, u
        """,
    "in a function": """
        def g(u, v):
            EXPR
            return w

        def f(x, n: int):
            u = FIRST
            v = SECOND
            w = g(u, v)
            if n > 1: return w, g(x, v)
            return w, g(u, 2)
        """,
    "in a list": """
        def f(x, n: int):
            u = FIRST
            v = SECOND
            held = []
            for i in range(n + 1):
                EXPR
                held.append(w)
            return held[-1], len(held)
        """,
}
"""Where it stands: `u` and `v` are the operands, `w` the result."""
