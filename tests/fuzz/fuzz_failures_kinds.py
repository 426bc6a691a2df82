"""Programs that were captured or printed wrongly once because a number was taken for a boolean, an array, or another kind of number."""

from __future__ import annotations

from fuzz_failures import Failure
from fuzz_programs import Settings

KINDS: dict[str, Failure] = {
    "a boolean of a test added to one, in place": Failure(
        "def f(x: np.ndarray, n: np.ndarray, k: int = 2):\n    g = not n\n    for t in range(k):\n        g = g // 2\n    return x, g\n",
        seed=70134,
        how=Settings(flavour="numpy", level=1, k=2, dtype="float64"),
    ),
    "the truth of two booleans added": Failure(
        "def f(x: torch.Tensor, n: torch.Tensor, k: int = 2):\n    g = 0.5 > x.mean().item()\n    g = g + g\n    return x * (g or 3), g\n",
        seed=203865,
        how=Settings(flavour="torch", level=1, k=2, dtype="float64"),
    ),
    "booleans that native code adds": Failure(
        "def f(x: jax.Array, n: jax.Array, k: int = 2):\n    h = not n\n    return x * functools.reduce(operator.add, [h, h])\n",
        seed=208143,
        how=Settings(flavour="jax", level=1, k=2, dtype="float64"),
    ),
    "a boolean of one of several, made negative": Failure(
        "def f(x: torch.Tensor, n: torch.Tensor, k: int = 2):\n    g = -(n in (1, 2))\n    return x, g\n",
        seed=201810,
        how=Settings(flavour="torch", level=1, k=3, dtype="float64"),
    ),
    "a boolean turned round, divided by zero": Failure(
        "def f(x: np.ndarray, n: np.ndarray, k: int = 2):\n    return x * (~bool(n) / math.floor(0.5))\n",
        seed=203264,
        how=Settings(flavour="numpy", level=1, k=1, dtype="float64"),
    ),
    "a fraction that a loop puts in the place of a boolean": Failure(
        "def f(x: np.ndarray, n: np.ndarray, k: int = 2):\n    g = 1 == x[1].item()\n    for t in range(2):\n        g = 0.5\n    return x, g\n",
        seed=208352,
        how=Settings(flavour="numpy", level=1, k=2, dtype="float64"),
    ),
    "whether a number that a loop makes is True": Failure(
        "def f(x: jax.Array, n: jax.Array, k: int = 2):\n    g = True\n    for t in range(n):\n        g = 1\n    return x * (g is True)\n",
        seed=201940,
        how=Settings(flavour="jax", level=1, k=1, dtype="float64"),
        right="equal|refused",
    ),
    "an attribute of a dtype that is named as one of ours": Failure(
        "def f(x: np.ndarray, n: np.ndarray, k: int = 2):\n    return x * (x.dtype.kind == 'f')\n",
        seed=70295,
        how=Settings(flavour="numpy", level=0, k=2, dtype="float64"),
        right="equal|refused",
    ),
    "an attribute that a number of Python's has not": Failure(
        "def f(x: jax.Array, n: jax.Array, k: int = 2):\n    h = 0.5 > float(x[0])\n    return x * getattr(h, 'ndim', 9)\n",
        seed=200748,
        how=Settings(flavour="jax", level=1, k=0, dtype="float64"),
    ),
    "an attribute of what is an array on one side, and a number on the other": Failure(
        "def f(x: np.ndarray, n: np.ndarray, k: int = 2):\n    s = 0\n    if x[0] > 0:\n        s = np.array(2.0)\n    return x, s.shape\n",
        seed=211218,
        how=Settings(flavour="numpy", level=1, k=0, dtype="float64"),
        right="equal|refused",
    ),
    "whether an array that a loop goes on with as a number is one": Failure(
        "def f(x: np.ndarray, n: np.ndarray, k: int = 2):\n    s = np.where(n, 2.0, 3.0)\n    for t in range(2):\n        s = s + 1\n"
        "    return x * isinstance(s, np.floating)\n",
        seed=210165,
        how=Settings(flavour="numpy", level=0, k=1, dtype="float64"),
        right="equal|refused",
    ),
    "the whole number in an open fraction": Failure(
        "def f(x: np.ndarray, n: np.ndarray, k: int = 2):\n    return x * len('ab' * int(k * 0.5))\n",
        seed=71016,
        how=Settings(flavour="numpy", level=0, k=2, dtype="float64"),
        right="equal|refused",
    ),
    "a negative power of what may be a whole number": Failure(
        "def f(x: torch.Tensor, n: torch.Tensor, k: int = 2):\n    return x * n.item() ** (-1)\n",
        seed=202583,
        how=Settings(flavour="torch", level=0, k=1, dtype="float64"),
    ),
    "a running sum of narrow whole numbers": Failure(
        "def f(x: jax.Array, n: jax.Array, k: int = 2):\n    return jnp.cumsum(x)\n",
        seed=201496,
        how=Settings(flavour="jax", level=1, k=2, dtype="uint8"),
    ),
    "a sum of narrow whole numbers, added to them": Failure(
        "def f(x: np.ndarray, n: np.ndarray, k: int = 2):\n    return x.sum() + x\n",
        seed=214305,
        how=Settings(flavour="numpy", level=1, k=0, dtype="uint8"),
    ),
    "a total of small numbers that a loop gives": Failure(
        """
def f(x: np.ndarray, n: np.ndarray, k: int = 2):
    for t in range(k):
        y = x.prod()
    return y
""",
        how=Settings("numpy", 1, k=3, given=False, dtype="uint8"),
    ),
    "the less of two that may be numbers or tensors": Failure(
        """
def outer(a, c):
    if a:
        return 0.5
    for e in c:
        a = e
    return a

def f(x, n, k):
    for t in range(n):
        r = t
    s = r
    r += outer(s, x)
    r += min(r, s)
    return r
""",
        how=Settings("torch", 1, k=0, given=False, dtype="float64"),
        right="refused",  # as JAX source, behind PyTorch's
    ),
    "an array of one of two that is written twice": Failure(
        """
def f(x: np.ndarray, n: np.ndarray, k: int = 2):
    s = np.squeeze(x[:1])
    if n:
        s = np.array(5.0).copy()
    for t in x:
        s -= 1
    return s
""",
        how=Settings("numpy", 1, k=3, given=False, dtype="float64"),
    ),
    "numbers of rows of an open dtype, which a loop takes from a list": Failure(
        "def f(x: torch.Tensor, n: torch.Tensor, k: int = 2):\n    for t in x:\n        if all((abs(e) for e in [e.item() for e in x])):\n            break\n    return x\n",
        seed=161000094,
        how=Settings(flavour="torch", level=0, k=0, dtype="float64"),
    ),
    "a set that a loop changes": Failure(
        "def f(x: torch.Tensor, n: torch.Tensor, k: int = 2):\n    q = {2.0}\n    for t in x:\n        q.symmetric_difference_update({3.0})\n    return x\n",
        seed=162000041,
        how=Settings(flavour="torch", level=0, k=0, dtype="float64"),
        right="refused",
    ),
    "a variable that a loop leaves one of two numbers, one of which a key holds": Failure(
        """
def f(x, n, k):
    s, d = 0, {"a": 0.5}
    for _ in [s, 1]:
        for t in x:
            s = d["a"]
        for t in x:
            s = s + t
            d["a"] = 1
    return s, d["a"]
""",
    ),
    "the same of a while loop, and written on": Failure(
        """
def f(x, n, k):
    s, d, i = 1.5, {"a": 0.5}, 0
    while i < k and x.sum() > -0.4:
        i = i + 1
        for t in x:
            s = d["a"]
        s += x[0]
        for j in range(n):
            s += 1
            d["a"] = j
    return s, d["a"]
""",
    ),
}
