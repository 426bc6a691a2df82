"""Parts of the families of arrays: two values, of which a test chooses one, and what is asked of it."""

from __future__ import annotations

CHOSEN = {
    "plain": """
        def f(x, n: int):
            s = FIRST
            r = s
            return USE
        """,
    "by a number": """
        def f(x, n: int):
            s = FIRST
            r = s
            if n > 1:
                r = SECOND
            return USE
        """,
    "by data": """
        def f(x, n: int):
            s = FIRST
            r = SECOND if x.sum() * n > 9 else s
            return USE
        """,
    "in a loop": """
        def f(x, n: int):
            s = FIRST
            r = s
            for i in range(n):
                r = SECOND
            return USE
        """,
    "in a loop on data": """
        def f(x, n: int):
            s = FIRST
            r = s
            c = x.sum() * 0
            while c < n:
                r = SECOND
                c = c + 1
            return USE
        """,
    "early": """
        def g(x, n):
            if n > 1: return SECOND
            return FIRST

        def f(x, n: int):
            s = r = g(x, n)
            return USE
        """,
}
"""How r comes to be one of two."""

TORCH = {
    "vectors": ("x", "x * 2"), "sums": ("x.sum()", "x.max()"), "masks": ("x > 1", "x < 2"), "wholes": ("x.long()", "x.long() * 2"),
    "whole sums": ("x.long().sum()", "x.long()[0]"), "halves": ("x.half()", "x.half() * 3"), "bfloats": ("x.bfloat16()", "x.bfloat16() * 1.1"),
    "bytes": ("x.to(torch.uint8)", "x.to(torch.uint8) * 100"), "int8": ("x.to(torch.int8)", "-x.to(torch.int8) * 50"),
    "truths": ("(x > 1).any()", "(x > 5).any()"), "sum and number": ("x.sum()", "2.0"), "number and sum": ("2", "x.sum()"),
    "whole and number": ("x.long().sum()", "3"), "vector and None": ("x", "None"), "shapes": ("x.shape", "x.repeat(2).shape"),
    "shape and tuple": ("x.shape", "(3,)"), "Size": ("torch.Size([2])", "torch.Size([3, 1])"), "sizes": ("x.shape[0]", "2"),
    "dtypes": ("x.dtype", "torch.int64"), "float32": ("np.float32(1.5)", "np.float32(2.5)"), "float64 and float": ("np.float64(1.5)", "2.5"),
    "float64": ("np.float64(1.5)", "np.float64(2.0)"), "int64": ("np.int64(3)", "np.int64(-4)"), "int8 scalars": ("np.int8(100)", "np.int8(7)"),
    "uint8 scalars": ("np.uint8(200)", "np.uint8(7)"), "bool scalars": ("np.bool_(True)", "np.bool_(False)"), "int64 and int": ("np.int64(3)", "4"),
    "0-d": ("np.array(1.5)", "np.array(2.0)"), "0-d and scalar": ("np.array(1.5)", "np.float64(2)"), "arrays": ("np.arange(3.0)", "np.ones(3)"),
    "array and tensor": ("np.arange(3.0)", "x"), "items": ("x[0].item()", "x[1].item()"), "item and number": ("x[0].item()", "2"),
    "ints": ("int(x[0])", "int(x[2])"), "bools": ("bool(x[0] > 1)", "bool(x[2] > 1)"), "lists": ("x.tolist()", "[2.0, 1.0, 0.5]"),
    "empty": ("x[:0]", "x[:0] * 2"), "empty or not": ("x[:0]", "x"), "double or single": ("x.double()", "x"), "whole or float": ("x.long()", "x"),
    "complex": ("x + 0j", "x + 1j"), "matrices": ("torch.outer(x, x)", "torch.eye(3)"), "vector or matrix": ("x", "torch.outer(x, x)"),
    "vector or sum": ("x", "x.sum()"), "lists of tensors": ("[x, x * 2]", "[x + 1, x]"), "tuples": ("(x, 1)", "(x * 2, 2)"),
    "max": ("x.max(0)", "x.min(0)"), "infinite": ("x / 0", "-x / 0"), "nan": ("x * float('nan')", "x"), "number or mask": ("True", "x > 1"),
    "bool and int": ("True", "3"), "zero": ("x[0] * 0", "x[1] * 0"), "fraction": ("0.5", "-2"),
}  # fmt: skip
"""Two values of PyTorch's code."""

NUMPY = {
    "vectors": ("x", "x * 2"), "sums": ("x.sum()", "x.max()"), "masks": ("x > 1", "x < 2"), "wholes": ("x.astype(int)", "x.astype(int) * 2"),
    "whole sums": ("x.astype(int).sum()", "x.astype(int)[0]"), "halves": ("x.astype(np.float16)", "x.astype(np.float16) * 3"),
    "singles": ("x.astype(np.float32)", "x.astype(np.float32) / 3"), "bytes": ("x.astype(np.uint8)", "x.astype(np.uint8) * 100"),
    "int8": ("x.astype(np.int8)", "-x.astype(np.int8) * 50"), "truths": ("(x > 1).any()", "(x > 5).any()"), "sum and number": ("x.sum()", "2.0"),
    "number and sum": ("2", "x.sum()"), "whole and number": ("x.astype(int).sum()", "3"), "vector and None": ("x", "None"),
    "shapes": ("x.shape", "np.tile(x, 2).shape"), "sizes": ("x.shape[0]", "2"), "dtypes": ("x.dtype", "np.dtype(int)"),
    "float32": ("np.float32(1.5)", "np.float32(2.5)"), "float64 and float": ("np.float64(1.5)", "2.5"),
    "float64": ("np.float64(1.5)", "np.float64(2.0)"), "int64": ("np.int64(3)", "np.int64(-4)"), "int8 scalars": ("np.int8(100)", "np.int8(7)"),
    "uint8 scalars": ("np.uint8(200)", "np.uint8(7)"), "bool scalars": ("np.bool_(True)", "np.bool_(False)"), "int64 and int": ("np.int64(3)", "4"),
    "0-d": ("np.array(1.5)", "np.array(2.0)"), "0-d and scalar": ("np.array(1.5)", "np.float64(2)"), "scalar and 0-d": ("x.sum()", "np.array(2.0)"),
    "elements": ("x[0]", "x[1]"), "element and 0-d": ("x[0]", "x[1, ...]"), "items": ("x[0].item()", "x[1].item()"),
    "item and number": ("x[0].item()", "2"), "ints": ("int(x[0])", "int(x[2])"), "bools": ("bool(x[0] > 1)", "bool(x[2] > 1)"),
    "lists": ("x.tolist()", "[2.0, 1.0, 0.5]"), "empty": ("x[:0]", "x[:0] * 2"), "empty or not": ("x[:0]", "x"),
    "double or single": ("x", "x.astype(np.float32)"), "whole or float": ("x.astype(int)", "x"), "complex": ("x + 0j", "x + 1j"),
    "matrices": ("np.outer(x, x)", "np.eye(3)"), "vector or matrix": ("x", "np.outer(x, x)"), "vector or sum": ("x", "x.sum()"),
    "lists of arrays": ("[x, x * 2]", "[x + 1, x]"), "tuples": ("(x, 1)", "(x * 2, 2)"), "infinite": ("x / 0", "-x / 0"),
    "nan": ("x * float('nan')", "x"), "bool and int": ("True", "3"), "zero": ("x[0] * 0", "x[1] * 0"), "fraction": ("0.5", "-2"),
    "means": ("x.mean()", "np.median(x)"), "functions": ("np.sqrt(x[1])", "np.float64(2)"), "negatives": ("-x.astype(int)", "x.astype(int) - 2"),
    "text": ("np.str_('ab')", "'c'"), "types": ("np.float32", "np.int64"),
}  # fmt: skip
"""Two values of NumPy's code."""

JAX = {
    "vectors": ("x", "x * 2"), "sums": ("x.sum()", "x.max()"), "masks": ("x > 1", "x < 2"), "wholes": ("x.astype(int)", "x.astype(int) * 2"),
    "halves": ("x.astype(jnp.float16)", "x.astype(jnp.float16) * 3"), "bfloats": ("x.astype(jnp.bfloat16)", "x.astype(jnp.bfloat16) * 1.1"),
    "bytes": ("x.astype(jnp.uint8)", "x.astype(jnp.uint8) * 100"), "int8": ("x.astype(jnp.int8)", "-x.astype(jnp.int8) * 50"),
    "truths": ("(x > 1).any()", "(x > 5).any()"), "sum and number": ("x.sum()", "2.0"), "number and sum": ("2", "x.sum()"),
    "vector and None": ("x", "None"), "shapes": ("x.shape", "jnp.tile(x, 2).shape"), "sizes": ("x.shape[0]", "2"), "dtypes": ("x.dtype", "jnp.int32"),
    "float32": ("np.float32(1.5)", "np.float32(2.5)"), "float64 and float": ("np.float64(1.5)", "2.5"), "int64": ("np.int64(3)", "np.int64(-4)"),
    "0-d": ("jnp.array(1.5)", "jnp.array(2.0)"), "0-d of NumPy": ("np.array(1.5)", "jnp.array(2.0)"),
    "arrays of NumPy": ("np.arange(3.0)", "np.ones(3)"), "array of NumPy": ("np.arange(3.0)", "x"), "items": ("x[0].item()", "x[1].item()"),
    "ints": ("int(x[0])", "int(x[2])"), "lists": ("x.tolist()", "[2.0, 1.0, 0.5]"), "empty": ("x[:0]", "x[:0] * 2"),
    "whole or float": ("x.astype(int)", "x"), "complex": ("x + 0j", "x + 1j"), "matrices": ("jnp.outer(x, x)", "jnp.eye(3)"),
    "vector or matrix": ("x", "jnp.outer(x, x)"), "tuples": ("(x, 1)", "(x * 2, 2)"), "infinite": ("x / 0", "-x / 0"),
    "nan": ("x * float('nan')", "x"), "bool and int": ("True", "3"), "zero": ("x[0] * 0", "x[1] * 0"), "fraction": ("0.5", "-2"),
    "negatives": ("-x.astype(int)", "x.astype(int) - 2"), "weak": ("jnp.array(2)", "3"),
    "weak vector": ("jnp.asarray([1, 2])", "jnp.asarray([1, 3])"),
}  # fmt: skip
"""Two values of JAX's code."""

USES = {
    "returned": "r", "class": "type(r).__name__", "repr": "repr(r)", "str": "str(r)", "format": "f'{r}'", "percent": "'%s' % (r,)",
    "rounded text": "f'{r:.2f}'", "is number": "isinstance(r, (int, float))", "is float": "isinstance(r, float)", "is int": "isinstance(r, int)",
    "is tuple": "isinstance(r, tuple)", "is generic": "isinstance(r, np.generic)", "is array": "isinstance(r, np.ndarray)",
    "same class": "type(r) is type(s)", "truth": "bool(r)", "plus": "r + 1", "plus half": "r + 0.5", "plus x": "r + x", "x plus": "x + r",
    "whole plus": "WHOLE + r", "times": "r * 2", "times x": "x * r", "divided": "r / 2", "over": "2 / r", "floored": "r // 2",
    "floored negative": "-r // 2", "modulo": "r % 2", "modulo negative": "-r % 3", "floored zero": "r // 0", "divided zero": "r / 0",
    "power": "r ** 2", "power negative": "r ** -1", "root": "r ** 0.5", "of power": "2 ** r", "negative power": "(-r) ** 3", "minus": "-r",
    "invert": "~r", "shift": "r << 1", "shift right": "r >> 1", "and bits": "r & 1", "xor": "r ^ r", "abs": "abs(r)", "divmod": "divmod(r, 2)",
    "plus True": "r + True", "plus complex": "r + 1j", "equal": "r == 2", "equal self": "r == s", "unequal": "r != 1.5", "greater": "r > 1",
    "chain": "0 < r < 2", "is": "r is s", "is None": "r is None", "not": "not r", "or": "(r or 7) + 0", "and": "(r and 7) + 0", "in": "r in [1, 2]",
    "in shape": "3 in r", "number in": "2.0 in r", "len": "len(r)", "list": "list(r)", "tuple": "tuple(r)", "first": "r[0]", "last": "r[-1]",
    "slice": "r[1:]", "star": "[*r]", "next": "next(iter(r))", "unpacked": "(lambda a, *b: a)(*r)", "sorted": "sorted(r)", "max": "max(r)",
    "max of two": "max(r, 2)", "min of two": "min(1.75, r)", "sum": "sum(r)", "sum from": "sum([r, r])", "any": "any(r)", "all": "all(r)",
    "zip": "[a + b for a, b in zip(r, r)]", "enumerate": "[i * v for i, v in enumerate(r)]", "reversed": "list(reversed(r))", "float": "float(r)",
    "int": "int(r)", "complex": "complex(r)", "round": "round(r)", "round digits": "round(r, 1)", "index": "operator.index(r)",
    "hash": "hash(r) == hash(s)", "key": "{r: 1}[r]", "looked up": "{1.5: 2, 3: 4}.get(r, 9)", "sqrt": "math.sqrt(r)", "floor": "math.floor(r)",
    "ceil": "math.ceil(r)", "isnan": "math.isnan(r)", "prod": "math.prod(r)", "item": "r.item()", "tolist": "r.tolist()", "shape": "r.shape",
    "ndim": "r.ndim", "dtype": "r.dtype", "size": "r.size", "sum method": "r.sum()", "mean": "r.mean()", "max method": "r.max()", "real": "r.real",
    "T": "r.T", "range": "sum(range(r))", "place": "[5, 6, 7, 8, 9][r]", "x at": "x[r]", "repeated": "[1] * r", "copy": "copy.copy(r)",
    "deepcopy": "copy.deepcopy(r)", "json": "repr([r])", "bound": "r.__class__.__name__", "has shape": "hasattr(r, 'shape')",
    "has item": "hasattr(r, 'item')", "callable": "callable(r)", "reshape": "x.reshape(r)", "isinf": "math.isinf(r)", "fsum": "math.fsum(r)",
    "starred": "max(*r)", "positive": "+r", "dict": "{'a': r}", "pair": "(r, s)", "is integer": "r.is_integer()", "bit length": "r.bit_length()",
    "conjugate": "r.conjugate()",
}  # fmt: skip
"""What is asked of r (s: the first of the two, whatever was chosen)."""

TORCH_USES = {
    "is tensor": "torch.is_tensor(r)", "is Tensor": "isinstance(r, torch.Tensor)", "is Size": "isinstance(r, torch.Size)", "numel": "r.numel()",
    "tensor": "torch.tensor(r)", "as_tensor": "torch.as_tensor(r)", "tensor of list": "torch.tensor([r, r])", "zeros": "torch.zeros(r)",
    "full": "torch.full((2,), r)", "where": "torch.where(x > 1, r, x)", "add": "torch.add(x, r)", "pow": "torch.pow(x, r)",
    "pow of": "torch.pow(2, r)", "floor_divide": "torch.floor_divide(r, 2)", "remainder": "torch.remainder(-x, r)", "fmod": "torch.fmod(-x, r)",
    "floating": "r.is_floating_point()", "result_type": "torch.result_type(x, r)", "clamp": "x.clamp(max=r)", "fill": "torch.zeros(3).fill_(r)",
    "sqrt": "torch.sqrt(r)", "sum": "torch.sum(r)", "mean": "torch.mean(r)", "cumsum": "torch.cumsum(r, 0)", "prod": "torch.prod(r)",
    "sigmoid": "torch.sigmoid(r)", "max": "torch.max(r)", "argmax": "torch.argmax(r)", "stack": "torch.stack([r, r])", "cat": "torch.cat([r, x])",
    "double": "r.double()", "long": "r.long()", "int8": "r.to(torch.int8)", "bool": "r.bool()", "type": "r.type()",
    "bitwise": "torch.bitwise_and(r, 1)", "true_divide": "torch.true_divide(r, 2)", "trunc": "torch.div(r, 2, rounding_mode='trunc')",
    "floor": "torch.div(-r, 2, rounding_mode='floor')", "equal": "torch.equal(x, r)", "expand": "r.expand(2, 3)", "flatten": "r.flatten()",
    "any": "torch.any(r)", "all": "torch.all(r)", "std": "torch.std(r)", "var": "r.var()", "norm": "torch.norm(r)", "round": "torch.round(r)",
    "sign": "torch.sign(r)", "exp": "torch.exp(r)", "relu": "F.relu(r)", "softmax": "F.softmax(r, 0)", "lerp": "torch.lerp(x, x * 2, r)",
    "arange": "torch.arange(r)", "linspace": "torch.linspace(0, r, 3)", "new_zeros": "x.new_zeros(r)", "view": "x.view(r)", "repeat": "x.repeat(r)",
    "roll": "x.roll(r)", "dim": "r.dim()", "element_size": "r.element_size()", "logical_not": "torch.logical_not(r)", "isnan": "torch.isnan(r)",
    "numpy": "r.numpy()", "median": "torch.median(r)", "unique": "torch.unique(r)", "sort": "torch.sort(r)[0]", "topk": "torch.topk(r, 1)[0]",
    "index_select": "x.index_select(0, r)", "gather": "x.gather(0, r)", "one_hot": "F.one_hot(r)", "bincount": "torch.bincount(r)", "x at": "x[r]",
    "masked_select": "x.masked_select(r)",
}  # fmt: skip
"""What PyTorch's code asks besides."""

NUMPY_USES = {
    "np sum": "np.sum(r)", "np sqrt": "np.sqrt(r)", "np add": "np.add(r, 1)", "np mean": "np.mean(r)", "np shape": "np.shape(r)",
    "np ndim": "np.ndim(r)", "zeros": "np.zeros(r)", "full": "np.full((2,), r)", "full open": "np.full(2, r)", "where": "np.where(x > 1, r, x)",
    "add": "np.add(x, r)", "power": "np.power(x, r)", "power of": "np.power(2, r)", "floor_divide": "np.floor_divide(r, 2)",
    "remainder": "np.remainder(-x, r)", "fmod": "np.fmod(-x, r)", "result_type": "np.result_type(r)", "clip": "np.clip(x, None, r)",
    "sqrt": "np.sqrt(r)", "array": "np.array(r)", "array of list": "np.array([r, r])", "mean": "np.mean(r)", "cumsum": "np.cumsum(r)",
    "prod": "np.prod(r)", "max": "np.max(r)", "argmax": "np.argmax(r)", "stack": "np.stack([r, r])", "concatenate": "np.concatenate([r, x])",
    "astype": "r.astype(int)", "int8": "r.astype(np.int8)", "float32 plus": "np.float32(1) + r", "int8 plus": "np.int8(1) + r",
    "uint8 minus": "np.uint8(1) - r", "float32 array plus": "np.ones(2, np.float32) + r", "int32 array plus": "np.ones(2, np.int32) + r",
    "bool array plus": "np.ones(2, bool) + r", "bitwise": "np.bitwise_and(r, 1)", "divmod": "np.divmod(r, 2)", "array_equal": "np.array_equal(x, r)",
    "flatten": "r.flatten()", "any": "np.any(r)", "all": "r.all()", "std": "np.std(r)", "var": "r.var()", "norm": "np.linalg.norm(r)",
    "round": "np.round(r, 1)", "round method": "r.round()", "sign": "np.sign(r)", "exp": "np.exp(r)", "isnan": "np.isnan(r)",
    "median": "np.median(r)", "unique": "np.unique(r)", "sort": "np.sort(r)", "take": "np.take(x, r)", "bincount": "np.bincount(r)",
    "arange": "np.arange(r)", "linspace": "np.linspace(0, r, 3)", "repeat": "np.repeat(x, r)", "roll": "np.roll(x, r)", "isscalar": "np.isscalar(r)",
    "squeeze": "np.squeeze(r)", "atleast": "np.atleast_1d(r)", "maximum": "np.maximum(r, 2)", "dot": "np.dot(x, r)", "matmul": "x @ r",
    "outer": "np.outer(r, r)", "item assign": "operator.setitem(r, 0, 9) or r", "index tuple": "r[()]", "newaxis": "r[None]", "ellipsis": "r[...]",
    "cast": "np.float64(r)", "cast int": "np.int64(r)", "float32 of": "np.float32(r)", "ptp": "np.ptp(r)", "diff": "np.diff(r)", "nbytes": "r.nbytes",
    "itemsize": "r.itemsize", "logical_not": "np.logical_not(r)", "invert": "np.invert(r)", "real": "np.real(r)", "abs": "np.abs(r)",
    "trunc": "np.trunc(r)", "rint": "np.rint(r)", "copysign": "np.copysign(1.0, r)", "fix": "np.fix(r)", "ravel": "np.ravel(r)",
    "size of": "np.size(r)", "kind": "r.dtype.kind", "min method": "r.min(0)", "sum axis": "np.sum(r, axis=0)",
    "sum keep": "np.sum(r, keepdims=True)", "nonzero": "np.nonzero(r)[0]", "percentile": "np.percentile(r, 50)", "average": "np.average(r)",
    "isclose": "np.isclose(r, 2)", "allclose": "np.allclose(r, 2)", "count": "np.count_nonzero(r)", "interp": "np.interp(r, [0.0, 4.0], [0.0, 8.0])",
}  # fmt: skip
"""What NumPy's code asks besides."""

JAX_USES = {
    "zeros": "jnp.zeros(r)", "full": "jnp.full((2,), r)", "where": "jnp.where(x > 1, r, x)", "add": "jnp.add(x, r)", "power": "jnp.power(x, r)",
    "power of": "jnp.power(2, r)", "floor_divide": "jnp.floor_divide(r, 2)", "remainder": "jnp.remainder(-x, r)", "fmod": "jnp.fmod(-x, r)",
    "result_type": "jnp.result_type(r).name", "clip": "jnp.clip(x, None, r)", "sqrt": "jnp.sqrt(r)", "array": "jnp.array(r)",
    "asarray": "jnp.asarray(r)", "array of list": "jnp.array([r, r])", "sum": "jnp.sum(r)", "mean": "jnp.mean(r)", "cumsum": "jnp.cumsum(r)",
    "prod": "jnp.prod(r)", "max": "jnp.max(r)", "argmax": "jnp.argmax(r)", "stack": "jnp.stack([r, r])", "concatenate": "jnp.concatenate([r, x])",
    "astype": "r.astype(int)", "int8": "r.astype(jnp.int8)", "weak": "jnp.asarray(r).weak_type", "half plus": "jnp.ones(2, jnp.float16) + r",
    "int8 plus": "jnp.ones(2, jnp.int8) + r", "bool plus": "jnp.ones(2, bool) + r", "std": "jnp.std(r)", "round": "jnp.round(r)",
    "sign": "jnp.sign(r)", "exp": "jnp.exp(r)", "isnan": "jnp.isnan(r)", "median": "jnp.median(r)", "sort": "jnp.sort(r)", "take": "jnp.take(x, r)",
    "maximum": "jnp.maximum(r, 2)", "matmul": "x @ r", "at": "r.at[0].set(9)", "lax add": "lax.add(r, r)", "lax div": "lax.div(r, r)",
    "integer_pow": "lax.integer_pow(x, 2) + r", "relu": "jax.nn.relu(r)", "is Array": "isinstance(r, jax.Array)", "stop": "lax.stop_gradient(r)",
    "issubdtype": "jnp.issubdtype(jnp.result_type(r), jnp.floating)", "softmax": "jax.nn.softmax(r)", "one_hot": "jax.nn.one_hot(r, 3)",
    "arange": "jnp.arange(r)", "linspace": "jnp.linspace(0, r, 3)", "tree": "jax.tree.map(lambda v: v * 2, r)", "leaves": "len(jax.tree.leaves(r))",
}  # fmt: skip
"""What JAX's code asks besides."""
