"""Calls of the array API standard's functions, and special values as its pages list them."""

import numpy as np

RNG = np.random.default_rng(0)
WIDTHS = {
    "b": ["bool"], "i": ["int8", "int16", "int32", "int64"], "u": ["uint8", "uint16", "uint32", "uint64"],
    "f": ["float32", "float64"], "c": ["complex64", "complex128"],
}  # fmt: skip
inf, nan = np.inf, np.nan


def numbers(dtype, *shape, low=1):
    """Numbers of a dtype that no function overflows on; integers from `low` up."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return RNG.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return RNG.integers(low, 5, shape).astype(dtype)
    real = RNG.uniform(0.1, 0.9, shape)
    return (real + 1j * RNG.uniform(0.1, 0.9, shape) if dtype.kind == "c" else real).astype(dtype)


F, G, T, I, B, V, Z = (
    numbers("float64", 3, 4), numbers("float64", 3, 4), numbers("float32", 2, 3, 4), numbers("int64", 3, 4),
    numbers("bool", 3, 4), numbers("float64", 5), numbers("complex128", 3, 4),
)  # fmt: skip
S = F[:, :3] @ F[:, :3].T + 3 * np.eye(3)
H = Z[:, :3] @ Z[:, :3].conj().T + 3 * np.eye(3)
K = np.array([2, 0, 1])

# (function, arguments, keywords); the result is what NumPy's function of the same name gives.
CALLS = [
    ("arange", (5,), {}), ("arange", (2, 9, 3), {}), ("arange", (5, 0, -2), {}), ("arange", (0.0, 1.0, 0.25), {"dtype": "float64"}),
    ("arange", (3, 3), {}), ("arange", (4,), {"dtype": "float32"}), ("asarray", (F,), {}), ("asarray", ([[1, 2], [3, 4]],), {}),
    ("asarray", (F,), {"dtype": "float32"}), ("asarray", (True,), {}), ("asarray", ([1.0, 2.0],), {"dtype": "complex64"}),
    ("eye", (3,), {"dtype": "float64"}), ("eye", (2, 4), {"k": 1, "dtype": "int32"}), ("full", ((2, 3), 7), {}), ("full", (2, True), {}),
    ("full", ((2,), 1.5), {"dtype": "float32"}), ("full_like", (F, 2), {}), ("full_like", (I, 2.0), {"dtype": "float32"}),
    ("linspace", (0.0, 1.0, 5), {"dtype": "float64"}), ("linspace", (1, 3, 4), {"endpoint": False, "dtype": "float64"}),
    ("linspace", (2.0, 2.0, 1), {"dtype": "float32"}), ("meshgrid", (V, V[:2]), {}), ("meshgrid", (V, V[:2], V[:3]), {"indexing": "ij"}),
    ("ones", ((2, 3),), {"dtype": "int16"}), ("zeros", (4,), {"dtype": "bool"}), ("zeros_like", (Z,), {}), ("ones_like", (B,), {}),
    ("ones_like", (I,), {"dtype": "float32"}), ("tril", (F,), {"k": -1}), ("triu", (T,), {"k": 1}), ("tril", (I,), {}),
    ("astype", (F, "int32"), {}), ("astype", (B, "float32"), {}), ("astype", (F, "complex64"), {}), ("astype", (I, "bool"), {}),
    ("clip", (F, 0.3, 0.6), {}), ("clip", (I, 2), {}), ("clip", (F,), {"max": F[0]}), ("clip", (I, None, 3), {}), ("clip", (F,), {}),
    # arranging
    ("broadcast_arrays", (F, F[0], V[:1]), {}), ("broadcast_to", (F[0], (2, 3, 4)), {}), ("concat", ((F, G),), {}),
    ("concat", ([F, T[0]],), {"axis": -1}), ("concat", ((F, V),), {"axis": None}), ("expand_dims", (F,), {}), ("expand_dims", (F,), {"axis": -1}),
    ("flip", (T,), {}), ("flip", (T,), {"axis": (0, -1)}), ("flip", (F,), {"axis": 1}), ("moveaxis", (T, 0, -1), {}),
    ("moveaxis", (T, (0, 1), (2, 0)), {}), ("permute_dims", (T, (2, 0, 1)), {}), ("repeat", (F, 2), {}), ("repeat", (F, K), {"axis": 0}),
    ("repeat", (F, np.array([2])), {"axis": 1}), ("reshape", (F, (2, -1)), {}), ("reshape", (F, (12,)), {"copy": True}),
    ("roll", (F, 1), {}), ("roll", (F, (1, -2)), {"axis": (0, 1)}), ("roll", (F, 2), {"axis": (0, 1)}), ("squeeze", (F[None], 0), {}),
    ("squeeze", (F[None, :, None], (0, 2)), {}), ("stack", ((F, G),), {}), ("stack", ([F, T[0]],), {"axis": -1}), ("tile", (F, (2, 1, 3)), {}),
    ("tile", (T, (2,)), {}), ("unstack", (T,), {"axis": 1}), ("unstack", (V,), {}),
    # searching, sorting, sets
    ("argmax", (F,), {}), ("argmax", (F,), {"axis": 1, "keepdims": True}), ("argmin", (I,), {"axis": -1}), ("argsort", (F,), {}),
    ("argsort", (I,), {"axis": 0, "descending": True}), ("argsort", (I,), {"stable": True}), ("count_nonzero", (I,), {"axis": 0}), ("count_nonzero", (B,), {}),
    ("count_nonzero", (B,), {"axis": (0, 1), "keepdims": True}), ("nonzero", (B,), {}), ("nonzero", (I,), {}), ("searchsorted", (np.sort(V), F), {}),
    ("searchsorted", (np.sort(V), F), {"side": "right"}), ("searchsorted", (V, F), {"sorter": np.argsort(V)}), ("sort", (F,), {"axis": 0}),
    ("sort", (I,), {"descending": True}), ("take", (F, K), {"axis": 0}), ("take", (F, K), {"axis": -1}), ("take", (V, K), {}),
    ("take_along_axis", (F, I % 3), {"axis": 0}), ("take_along_axis", (F, I % 4), {}), ("where", (B, F, G), {}), ("where", (B, F, 0.0), {}),
    ("where", (B, T[0], F), {}), ("unique_values", (I,), {}), ("unique_counts", (I,), {}), ("unique_inverse", (I,), {}), ("unique_all", (I,), {}),
    ("unique_counts", (np.array([nan, 1.0, nan]),), {}),
    # over axes
    *((name, (x,), keywords) for name in ("all", "any") for x in (B, I, F) for keywords in ({}, {"axis": 1}, {"axis": (0, 1), "keepdims": True})),
    *((name, (x,), keywords) for name in ("max", "min") for x in (I, F) for keywords in ({}, {"axis": 1}, {"axis": (0, 1), "keepdims": True})),
    *((name, (x,), keywords) for name in ("sum", "prod") for x in (I.astype("int8"), I.astype("uint8"), I, F, T, Z)
      for keywords in ({}, {"axis": 1}, {"axis": (0, -1), "keepdims": True})),
    ("sum", (F,), {"dtype": "float32"}), ("prod", (I,), {"dtype": "int32"}), ("sum", (np.zeros((0, 3)),), {"axis": 0}), ("prod", (np.zeros((0,)),), {}),
    ("mean", (F,), {}), ("mean", (T,), {"axis": (0, 2)}), ("mean", (F,), {"axis": 0, "keepdims": True}), ("mean", (Z,), {"axis": 0}),
    *((name, (x,), keywords) for name in ("std", "var") for x in (F, T) for keywords in ({}, {"axis": 1, "correction": 1.0}, {"axis": 0, "keepdims": True})),
    *((name, (x,), {"axis": 0, "include_initial": initial}) for name in ("cumulative_sum", "cumulative_prod")
      for x in (F, I, I.astype("int16"), Z) for initial in (False, True)),
    ("cumulative_sum", (V,), {}), ("cumulative_sum", (F,), {"axis": -1, "dtype": "float32"}), ("diff", (F,), {}), ("diff", (F,), {"axis": 0, "n": 2}),
    ("diff", (F,), {"prepend": F[:, :1], "append": F[:, :2]}), ("diff", (I,), {}),
    # products
    ("matmul", (F, F.T), {}), ("matmul", (T, T.swapaxes(1, 2)), {}), ("matmul", (F, F[0]), {}), ("matmul", (V, V), {}), ("matmul", (I, I.T), {}),
    ("matmul", (T[0], F.T), {}), ("matrix_transpose", (T,), {}), ("tensordot", (F, G), {}), ("tensordot", (T, F.T), {"axes": 1}), ("tensordot", (F, G), {"axes": 0}),
    ("tensordot", (F, T), {"axes": ((0, 1), (1, 2))}), ("vecdot", (F, G), {}), ("vecdot", (Z, Z * 1j), {"axis": 0}), ("vecdot", (F, F[0]), {}),
    ("linalg.cholesky", (S,), {}), ("linalg.cholesky", (H,), {"upper": True}), ("linalg.cross", (F[:, :3], G[:, :3]), {}),
    ("linalg.cross", (F[:3], G[:3]), {"axis": 0}), ("linalg.cross", (F[:, :3], F[0, :3]), {}), ("linalg.det", (np.stack([S, S + 1]),), {}), ("linalg.diagonal", (T,), {"offset": 1}),
    ("linalg.eigvalsh", (S,), {}), ("linalg.eigvalsh", (H,), {}), ("linalg.inv", (S,), {}), ("linalg.matmul", (F, F.T), {}),
    *(("linalg.matrix_norm", (x,), {"ord": ord}) for x in (F, T) for ord in ("fro", "nuc", 1, -1, 2, -2, inf, -inf)),
    ("linalg.matrix_norm", (Z,), {"keepdims": True}), ("linalg.matrix_power", (S, 3), {}), ("linalg.matrix_power", (S, 0), {}), ("linalg.matrix_power", (S, -2), {}),
    ("linalg.matrix_rank", (F,), {}), ("linalg.matrix_rank", (np.ones((3, 3)),), {"rtol": 1e-3}), ("linalg.matrix_transpose", (F,), {}),
    ("linalg.outer", (V, V), {}), ("linalg.pinv", (F,), {}), ("linalg.pinv", (np.stack([F, G]),), {"rtol": 1e-3}), ("linalg.slogdet", (S,), {}), ("linalg.slogdet", (H,), {}),
    ("linalg.solve", (S, V[:3]), {}), ("linalg.solve", (S, F), {}), ("linalg.solve", (np.stack([S, S + 1]), F), {}), ("linalg.solve", (np.stack([S, S + 1]), V[:3]), {}),
    ("linalg.svdvals", (F,), {}), ("linalg.tensordot", (F, G), {}), ("linalg.trace", (T,), {}), ("linalg.trace", (I[:, :3],), {"offset": 1}),
    ("linalg.trace", (F,), {"dtype": "float32"}), ("linalg.vecdot", (F, G), {}),
    *(("linalg.vector_norm", (F,), {"ord": ord, "axis": axis}) for ord in (0, 1, 2, 3, -1, inf, -inf) for axis in (None, 0, (0, 1))),
    ("linalg.vector_norm", (Z,), {"keepdims": True}),
    # transforms
    *((f"fft.{name}", (x,), keywords) for name in ("fft", "ifft", "hfft", "irfft") for x in (Z, Z.astype("complex64"))
      for keywords in ({}, {"n": 6}, {"axis": 0, "norm": "ortho"}, {"n": 3, "norm": "forward"})),
    *((f"fft.{name}", (x,), keywords) for name in ("rfft", "ihfft") for x in (F, T) for keywords in ({}, {"n": 6}, {"axis": 0, "norm": "ortho"})),
    *((f"fft.{name}", (Z,), keywords) for name in ("fftn", "ifftn", "irfftn") for keywords in ({}, {"axes": (0,)}, {"s": (4, 6), "axes": (0, 1)}, {"norm": "ortho"})),
    *(("fft.rfftn", (x,), keywords) for x in (F, T) for keywords in ({}, {"axes": (0,)}, {"norm": "forward"})),
    ("fft.fftfreq", (7,), {"dtype": "float64"}), ("fft.rfftfreq", (8,), {"d": 0.5, "dtype": "float32"}), ("fft.fftshift", (F,), {}),
    ("fft.ifftshift", (F,), {"axes": 1}),
]  # fmt: skip

# name: (argument, result) pairs; None for a result that the standard leaves open is not listed.
UNARY = {
    "abs": [(nan, nan), (-0.0, 0.0), (-inf, inf)],
    "acos": [(nan, nan), (1.5, nan), (-1.5, nan), (1.0, 0.0)],
    "acosh": [(nan, nan), (0.5, nan), (1.0, 0.0), (inf, inf)],
    "asin": [(nan, nan), (1.5, nan), (-1.5, nan), (0.0, 0.0), (-0.0, -0.0)],
    "asinh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "atan": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, np.pi / 2), (-inf, -np.pi / 2)],
    "atanh": [(nan, nan), (-1.5, nan), (1.5, nan), (-1.0, -inf), (1.0, inf), (0.0, 0.0), (-0.0, -0.0)],
    "ceil": [(inf, inf), (-inf, -inf), (0.0, 0.0), (-0.0, -0.0), (nan, nan), (-0.5, -0.0)],
    "cos": [(nan, nan), (0.0, 1.0), (-0.0, 1.0), (inf, nan), (-inf, nan)],
    "cosh": [(nan, nan), (0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, inf)],
    "exp": [(nan, nan), (0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, 0.0)],
    "expm1": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -1.0)],
    "floor": [(inf, inf), (-inf, -inf), (0.0, 0.0), (-0.0, -0.0), (nan, nan)],
    "isfinite": [(inf, False), (-inf, False), (nan, False), (1.0, True)],
    "isinf": [(inf, True), (-inf, True), (nan, False), (1.0, False)],
    "isnan": [(inf, False), (nan, True), (1.0, False)],
    "log": [(nan, nan), (-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "log10": [(nan, nan), (-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "log1p": [(nan, nan), (-2.0, nan), (-1.0, -inf), (-0.0, -0.0), (0.0, 0.0), (inf, inf)],
    "log2": [(nan, nan), (-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "reciprocal": [(nan, nan), (inf, 0.0), (-inf, -0.0), (0.0, inf), (-0.0, -inf)],
    "round": [(inf, inf), (-inf, -inf), (0.0, 0.0), (-0.0, -0.0), (nan, nan), (0.5, 0.0), (1.5, 2.0), (-0.5, -0.0), (2.5, 2.0)],
    "sign": [(-3.0, -1.0), (0.0, 0.0), (5.0, 1.0), (nan, nan), (inf, 1.0), (-inf, -1.0)],
    "signbit": [(0.0, False), (-0.0, True), (inf, False), (-inf, True), (2.0, False), (-2.0, True)],
    "sin": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
    "sinh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "sqrt": [(nan, nan), (-1.0, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf)],
    "square": [(-0.0, 0.0), (inf, inf), (-inf, inf), (nan, nan)],
    "tan": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
    "tanh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, 1.0), (-inf, -1.0)],
    "trunc": [(inf, inf), (-inf, -inf), (0.0, 0.0), (-0.0, -0.0), (nan, nan), (-0.5, -0.0)],
}  # fmt: skip
_PI = np.pi
BINARY = {
    "add": [(nan, 1.0, nan), (inf, -inf, nan), (inf, inf, inf), (-inf, 1.0, -inf), (-0.0, -0.0, -0.0), (-0.0, 0.0, 0.0), (0.0, 2.0, 2.0), (2.0, -2.0, 0.0)],
    "atan2": [
        (nan, 1.0, nan), (1.0, nan, nan), (1.0, 0.0, _PI / 2), (1.0, -0.0, _PI / 2), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0), (0.0, -0.0, _PI), (0.0, -1.0, _PI),
        (-0.0, 1.0, -0.0), (-0.0, 0.0, -0.0), (-0.0, -0.0, -_PI), (-0.0, -1.0, -_PI), (-1.0, 0.0, -_PI / 2), (1.0, inf, 0.0), (1.0, -inf, _PI),
        (-1.0, inf, -0.0), (-1.0, -inf, -_PI), (inf, 1.0, _PI / 2), (-inf, 1.0, -_PI / 2), (inf, inf, _PI / 4), (inf, -inf, 3 * _PI / 4),
        (-inf, inf, -_PI / 4), (-inf, -inf, -3 * _PI / 4),
    ],
    "copysign": [(1.0, -0.0, -1.0), (-1.0, 0.0, 1.0), (nan, -1.0, nan), (inf, -2.0, -inf), (0.0, -inf, -0.0)],
    "divide": [
        (nan, 1.0, nan), (inf, inf, nan), (0.0, 0.0, nan), (0.0, 1.0, 0.0), (-0.0, 1.0, -0.0), (0.0, -1.0, -0.0), (1.0, 0.0, inf), (1.0, -0.0, -inf), (-1.0, 0.0, -inf),
        (inf, 2.0, inf), (inf, -2.0, -inf), (1.0, inf, 0.0), (1.0, -inf, -0.0), (-1.0, inf, -0.0),
    ],
    "equal": [(nan, nan, False), (nan, 1.0, False), (inf, inf, True), (-0.0, 0.0, True)],
    "floor_divide": [(nan, 1.0, nan), (inf, inf, nan), (0.0, 0.0, nan), (0.0, 1.0, 0.0), (-0.0, 1.0, -0.0), (1.0, inf, 0.0), (-1.0, inf, -1.0), (1.0, -inf, -1.0), (-1.0, -inf, 0.0)],
    "greater": [(nan, 1.0, False), (inf, 1.0, True), (0.0, -0.0, False)],
    "hypot": [(inf, nan, inf), (nan, -inf, inf), (nan, 1.0, nan), (-0.0, 0.0, 0.0)],
    "less_equal": [(nan, 1.0, False), (-inf, 1.0, True), (0.0, -0.0, True)],
    "logaddexp": [(nan, 1.0, nan), (inf, 1.0, inf), (1.0, nan, nan)],
    "maximum": [(nan, 1.0, nan), (1.0, nan, nan), (inf, 1.0, inf)],
    "minimum": [(nan, 1.0, nan), (1.0, nan, nan), (-inf, 1.0, -inf)],
    "multiply": [(nan, 1.0, nan), (inf, 0.0, nan), (-inf, -0.0, nan), (inf, -inf, -inf), (inf, 2.0, inf), (0.0, -1.0, -0.0)],
    "nextafter": [(nan, 1.0, nan), (1.0, nan, nan), (0.0, -0.0, -0.0), (-0.0, 0.0, 0.0)],
    "not_equal": [(nan, nan, True), (inf, inf, False)],
    "pow": [
        (1.5, inf, inf), (1.5, -inf, 0.0), (1.0, inf, 1.0), (1.0, -inf, 1.0), (1.0, nan, 1.0), (nan, 0.0, 1.0), (nan, -0.0, 1.0), (nan, 2.0, nan), (0.5, inf, 0.0), (0.5, -inf, inf),
        (inf, 2.0, inf), (inf, -2.0, 0.0), (-inf, 3.0, -inf), (-inf, 2.0, inf), (-inf, -3.0, -0.0), (-inf, -2.0, 0.0), (0.0, 2.0, 0.0), (0.0, -2.0, inf), (-0.0, 3.0, -0.0),
        (-0.0, 2.0, 0.0), (-0.0, -3.0, -inf), (-0.0, -2.0, inf), (-2.0, 0.5, nan),
    ],
    "remainder": [
        (nan, 1.0, nan), (inf, inf, nan), (0.0, 0.0, nan), (inf, 1.0, nan), (0.0, 1.0, 0.0), (-0.0, 1.0, 0.0), (0.0, -1.0, -0.0), (-0.0, -1.0, -0.0), (1.0, 0.0, nan), (-1.0, 0.0, nan),
        (1.0, inf, 1.0), (1.0, -inf, -inf), (-1.0, inf, inf), (-1.0, -inf, -1.0),
    ],
    "subtract": [(inf, inf, nan), (0.0, -0.0, 0.0), (-0.0, 0.0, -0.0), (0.0, 0.0, 0.0)],
}  # fmt: skip
