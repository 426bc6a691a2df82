"""Methods of np.random.Generator: each takes a function that gives fresh keys, then the arguments of the method.

What they draw has the distribution of NumPy's numbers, not their values. Most are made of uniform numbers by the inverse
of the distribution function: https://numpy.org/doc/stable/reference/random/generator.html.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

from gfx_ir import ops
from gfx_ir.dtypes import float64, int64
from gfx_ir.graph import Value
from gfx_ir.op import lookup
from gfx_ir.ops import _seen

from ._lift import as_array, ask_rank, element, refuse

Draw = Callable[..., Any]


def _shape(size: Any, *parameters: Any) -> Any:
    """The shape of a draw: the one given, else that of its parameters together."""
    if size is not None:
        return size if isinstance(size, (tuple, Value)) else tuple(size) if isinstance(size, list) else (size,)
    tensors = [p for p in parameters if isinstance(p, Value) and p.is_tensor]
    return lookup("shape")(functools.reduce(ops.add, tensors)) if tensors else ()


def _unit(key: Draw, size: Any, *parameters: Any, dtype: Any = float64) -> Any:
    return ops.uniform(key(), _shape(size, *parameters), dtype=dtype)


def _exponential(key: Draw, size: Any, *parameters: Any, dtype: Any = float64) -> Any:
    """Of mean 1."""
    return ops.negative(ops.log1p(ops.negative(_unit(key, size, *parameters, dtype=dtype))))


def _scaled(x: Any, scale: Any, loc: Any = 0.0) -> Any:
    x = x if isinstance(scale, (int, float)) and scale == 1 else ops.multiply(scale, x)
    return x if isinstance(loc, (int, float)) and loc == 0 else ops.add(loc, x)


def _random(key: Draw, size: Any = None, dtype: Any = float64, out: Any = None) -> Any:
    refuse("Generator.random", out=out)
    return _unit(key, size, dtype=element(dtype))


def _uniform(key: Draw, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    low, high = as_array(low), as_array(high)
    if isinstance(low, (int, float)) and isinstance(high, (int, float)):
        return ops.uniform(key(), _shape(size), float(low), float(high), dtype=float64)
    return _scaled(_unit(key, size, low, high), ops.subtract(high, low), low)


def _standard_normal(key: Draw, size: Any = None, dtype: Any = float64, out: Any = None) -> Any:
    refuse("Generator.standard_normal", out=out)
    return ops.normal(key(), _shape(size), dtype=element(dtype))


def _normal(key: Draw, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    loc, scale = as_array(loc), as_array(scale)
    if isinstance(loc, (int, float)) and isinstance(scale, (int, float)):
        return ops.normal(key(), _shape(size), loc, scale, dtype=float64)
    return _scaled(ops.normal(key(), _shape(size, loc, scale), dtype=float64), scale, loc)


def _integers(
    key: Draw, low: Any, high: Any = None, size: Any = None, dtype: Any = int64, endpoint: bool = False
) -> Any:
    low, high = (0, low) if high is None else (low, high)
    last = high if not endpoint else high + 1 if isinstance(high, int) else ops.add(high, 1)
    return ops.randint(key(), _shape(size, low, high), low, last, dtype=element(dtype))


def _standard_exponential(
    key: Draw, size: Any = None, dtype: Any = float64, method: str = "zig", out: Any = None
) -> Any:
    refuse("Generator.standard_exponential", out=out)
    return _exponential(key, size, dtype=element(dtype))


def _laplace(key: Draw, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    off = ops.subtract(_unit(key, size, loc, scale), 0.5)
    drawn = ops.multiply(ops.sign(off), ops.log1p(ops.multiply(-2.0, ops.abs(off))))
    return _scaled(ops.negative(drawn), scale, loc)


def _logistic(key: Draw, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    u = _unit(key, size, loc, scale)
    return _scaled(ops.subtract(ops.log(u), ops.log1p(ops.negative(u))), scale, loc)


def _gumbel(key: Draw, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    return _scaled(ops.negative(ops.log(_exponential(key, size, loc, scale))), scale, loc)


def _triangular(key: Draw, left: Any, mode: Any, right: Any, size: Any = None) -> Any:
    u, base = _unit(key, size, left, mode, right), ops.subtract(right, left)
    low, high = ops.subtract(mode, left), ops.subtract(right, mode)
    below = ops.add(left, ops.sqrt(ops.multiply(u, ops.multiply(base, low))))
    above = ops.subtract(right, ops.sqrt(ops.multiply(ops.subtract(1.0, u), ops.multiply(base, high))))
    return ops.where(ops.less(ops.multiply(u, base), low), below, above)


def _geometric(key: Draw, p: Any, size: Any = None) -> Any:
    failing = math.log1p(-p) if isinstance(p, float) else ops.log1p(ops.negative(p))
    drawn = ops.divide(ops.negative(_exponential(key, size, p)), failing)
    return ops.astype(ops.maximum(ops.ceil(drawn), 1.0), int64)


def _order(key: Draw, count: Any) -> Any:
    """The numbers below `count` in an order of chance."""
    return ops.permutation(key(), count)


def _permutation(key: Draw, x: Any, axis: int = 0) -> Any:
    if not isinstance(x, (list, tuple)) and not (isinstance(x, Value) and x.is_tensor):
        return _order(key, x)
    x = as_array(x)
    return ops.take(x, _order(key, ops.size(x, axis)), axis=axis)


def _permuted(key: Draw, x: Any, *, axis: Any = None, out: Any = None) -> Any:
    refuse("Generator.permuted", out=out)
    x = as_array(x)
    if axis is None:
        return ops.reshape(_permutation(key, ops.flatten(x)), lookup("shape")(x))
    order = ops.argsort(ops.uniform(key(), lookup("shape")(x), dtype=float64), axis=axis)
    return ops.take_along_axis(x, order, axis=axis)


def _choice(
    key: Draw, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
) -> Any:
    data = as_array(a) if isinstance(a, (list, tuple)) or (isinstance(a, Value) and a.is_tensor) else None
    count, shape = (a if data is None else ops.size(data, axis)), _shape(size)
    p = None if p is None else as_array(p)
    if replace and p is None:
        at = ops.randint(key(), shape, 0, count)
    elif replace:
        at = ops.searchsorted(ops.cumulative_sum(p, 0), _unit(key, size), side="right")
    else:
        at = _without_replacement(key, count, p, shape)
    return at if data is None else ops.take(data, at, axis=axis)


def _without_replacement(key: Draw, count: Any, p: Any, shape: Any) -> Any:
    """The first positions of an order of chance, in which the more likely ones come earlier."""
    waiting = _exponential(key, (count,))
    order = ops.argsort(waiting if p is None else ops.divide(waiting, p))
    return ops.reshape(ops.getitem(order, slice(None, math.prod(shape))), shape)


def _multivariate_normal(
    key: Draw, mean: Any, cov: Any, size: Any = None, check_valid: str = "warn", tol: float = 1e-8, *,
    method: str = "svd",
) -> Any:  # fmt: skip
    mean, cov = as_array(mean), as_array(cov)
    ask_rank(mean, "Generator.multivariate_normal", 1)
    around = () if size is None else _shape(size)
    drawn = ops.normal(key(), (*around, ops.size(mean, 0)), dtype=float64)
    values, vectors = ops.eigh(cov)
    scaled = ops.multiply(drawn, ops.sqrt(ops.maximum(values, 0.0)))
    return ops.add(mean, ops.matmul(scaled, ops.matrix_transpose(vectors)))


# ---------------------------------------------------------------- made of gamma numbers
def _gamma(key: Draw, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
    shape, scale = as_array(shape), as_array(scale)
    return _scaled(ops.gamma(key(), shape, _shape(size, shape, scale), dtype=float64), scale)


def _chisquare(key: Draw, df: Any, size: Any = None) -> Any:
    return _gamma(key, ops.divide(as_array(df), 2.0), 2.0, size)


def _standard_t(key: Draw, df: Any, size: Any = None) -> Any:
    df = as_array(df)
    drawn = ops.normal(key(), _shape(size, df), dtype=float64)
    return ops.divide(drawn, ops.sqrt(ops.divide(_chisquare(key, df, _shape(size, df)), df)))


def _beta(key: Draw, a: Any, b: Any, size: Any = None) -> Any:
    around = _shape(size, as_array(a), as_array(b))
    first, second = (_gamma(key, shape, size=around) for shape in (a, b))
    return ops.divide(first, ops.add(first, second))


def _dirichlet(key: Draw, alpha: Any, size: Any = None) -> Any:
    alpha = as_array(alpha)
    parts = _gamma(key, alpha, size=(*_shape(size), ops.size(alpha, 0)))
    return ops.divide(parts, ops.sum(parts, axis=-1, keepdims=True))


def _binomial(key: Draw, n: Any, p: Any, size: Any = None) -> Any:
    n, p = as_array(n), as_array(p)
    return ops.binomial(key(), n, p, _shape(size, n, p), dtype=int64)


def _multinomial(key: Draw, n: Any, pvals: Any, size: Any = None) -> Any:
    """How often each outcome comes: one after the other, each so often of the times that are left."""
    p, n = as_array(pvals), as_array(n)
    outcomes = _seen.length(p, 0, "Generator.multinomial needs the number of outcomes")
    shape = _shape(size, n)
    left, rest, counts = ops.add(ops.zeros(shape, dtype=int64), n), ops.sum(p), []
    for at in range(outcomes - 1):
        part = ops.getitem(p, at)
        share = ops.where(ops.greater(rest, part), ops.divide(part, rest), 1.0)
        counts.append(ops.binomial(key(), left, share, shape, dtype=int64))
        left, rest = ops.subtract(left, counts[-1]), ops.subtract(rest, part)
    return ops.stack((*counts, left), axis=-1)


def _poisson(key: Draw, lam: Any = 1.0, size: Any = None) -> Any:
    lam = as_array(lam)
    return ops.poisson(key(), lam, _shape(size, lam), dtype=int64)


def told(draw: Draw, number: Callable[[Any], Any] = ops.to_float) -> Draw:
    """A draw that gives a number of Python's where neither a size nor arrays are given, as most do: not the whole numbers of a dtype,
    nor what is taken from an array."""
    signature = inspect.signature(draw)

    @functools.wraps(draw)
    def drawn(key: Draw, *args: Any, **kwargs: Any) -> Any:
        found, given = draw(key, *args, **kwargs), signature.bind(key, *args, **kwargs).arguments
        values = [value for name, value in given.items() if name not in ("key", "size", "dtype")]
        alone = given.get("size") is None and all(isinstance(value, (int, float)) for value in values)
        return number(found) if alone else found

    return drawn


_WHOLE = frozenset(("geometric", "binomial", "poisson"))
_ARRAYS = frozenset("integers permutation permuted choice multivariate_normal dirichlet multinomial".split())
_DRAWS: dict[str, Draw] = {
    "random": _random,
    "uniform": _uniform,
    "standard_normal": _standard_normal,
    "normal": _normal,
    "integers": _integers,
    "standard_exponential": _standard_exponential,
    "exponential": lambda key, scale=1.0, size=None: _scaled(_exponential(key, size, scale), scale),
    "laplace": _laplace,
    "logistic": _logistic,
    "gumbel": _gumbel,
    "lognormal": lambda key, mean=0.0, sigma=1.0, size=None: ops.exp(_normal(key, mean, sigma, size)),
    "rayleigh": lambda key, scale=1.0, size=None: _scaled(
        ops.sqrt(ops.multiply(2.0, _exponential(key, size, scale))), scale
    ),
    "weibull": lambda key, a, size=None: ops.pow(_exponential(key, size, a), ops.divide(1.0, a)),
    "pareto": lambda key, a, size=None: ops.expm1(ops.divide(_exponential(key, size, a), a)),
    "standard_cauchy": lambda key, size=None: ops.tan(ops.multiply(math.pi, ops.subtract(_unit(key, size), 0.5))),
    "triangular": _triangular,
    "geometric": _geometric,
    "permutation": _permutation,
    "permuted": _permuted,
    "choice": _choice,
    "multivariate_normal": _multivariate_normal,
    "gamma": _gamma,
    "standard_gamma": lambda key, shape, size=None: _gamma(key, shape, size=size),
    "chisquare": _chisquare,
    "standard_t": _standard_t,
    "beta": _beta,
    "dirichlet": _dirichlet,
    "binomial": _binomial,
    "multinomial": _multinomial,
    "poisson": _poisson,
}
DRAWS = {
    name: draw if name in _ARRAYS else told(draw, ops.to_int if name in _WHOLE else ops.to_float)
    for name, draw in _DRAWS.items()
}
SHUFFLES: dict[str, Draw] = {"shuffle": _permutation}
