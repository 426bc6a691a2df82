"""Random numbers: the functions of np.random have a hidden state, which a captured function cannot hold."""

from __future__ import annotations

from typing import Any

from gfx_ir.backend import Row
from gfx_ir.errors import MissingOp

_NAMES = (
    "rand randn random random_sample randint normal standard_normal uniform choice permutation shuffle binomial "
    "poisson exponential beta gamma seed"
)


def _refused(name: str) -> Any:
    def lift(*args: Any, **kwargs: Any) -> Any:
        raise MissingOp(
            f"GFX cannot capture np.random.{name}: its numbers come from a hidden state",
            hint="draw from a generator: np.random.default_rng(seed), or an argument `rng` that is one",
        )

    return lift


ROWS = (Row("normal", None, {f"np.random.{name}": _refused(name) for name in _NAMES.split()}),)
