"""The generators that NumPy and Python keep for all code: what is drawn from them comes from the program's own.

Their methods: https://numpy.org/doc/stable/reference/random/legacy.html, https://docs.python.org/3/library/random.html.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.build import next_key
from gfx_ir.dtypes import int64
from gfx_ir.errors import MissingOp

from ._lift import refuse
from .generator import DRAWS, Draw, told


def _refused(name: str) -> Any:
    def lift(*args: Any, **kwargs: Any) -> Any:
        raise MissingOp(
            f"GFX cannot capture np.random.{name}: what is drawn behind it comes from the program's own generator",
            hint="draw from a generator: np.random.default_rng(seed), or an argument `rng` that is one",
        )

    return lift


def _randint(key: Draw, low: Any, high: Any = None, size: Any = None, dtype: Any = int64) -> Any:
    return DRAWS["integers"](key, low, high, size, dtype)


def _randrange(key: Draw, start: Any, stop: Any = None, step: Any = 1) -> Any:
    if isinstance(step, int) and step == 1:
        return DRAWS["integers"](key, start, stop)
    start, stop = (0, start) if stop is None else (start, stop)
    count = len(range(start, stop, step)) if all(isinstance(x, int) for x in (start, stop, step)) else None
    refuse("random.randrange of open numbers", step=step if count is None else None)
    return ops.add(start, ops.multiply(step, DRAWS["integers"](key, count)))


_OF_NUMPY: dict[str, Draw] = {
    **{name: draw for name, draw in DRAWS.items() if hasattr(np.random.RandomState, name)},
    "random_sample": DRAWS["random"],
    "rand": lambda key, *shape: DRAWS["random"](key, shape or None),
    "randn": lambda key, *shape: DRAWS["standard_normal"](key, shape or None),
    "randint": told(_randint, ops.to_int),
    "choice": told(DRAWS["choice"], ops.to_int),
}
_OF_PYTHON: dict[str, Draw] = {
    "random": DRAWS["random"],
    "uniform": DRAWS["uniform"],
    "gauss": DRAWS["normal"],
    "normalvariate": DRAWS["normal"],
    "betavariate": DRAWS["beta"],
    "expovariate": lambda key, lambd=1.0: DRAWS["exponential"](key, 1.0 / lambd),
    "randint": lambda key, a, b: ops.to_int(DRAWS["integers"](key, a, b, endpoint=True)),
    "randrange": told(_randrange, ops.to_int),
}
SHARED = {
    f"{module}.{name}": functools.partial(draw, next_key)
    for module, draws in (("np.random", _OF_NUMPY), ("random", _OF_PYTHON))
    for name, draw in draws.items()
}
ROWS = (Row("normal", None, {"np.random.seed": _refused("seed"), "np.random.shuffle": _refused("shuffle"), **SHARED}),)
