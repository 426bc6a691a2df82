"""Digits: whether a result hangs on the rounding of what is computed on the way, as a quotient does that is rounded down."""

from __future__ import annotations

import random
from typing import Any

from fuzz_programs import Settings
from gfx_ir.loading import backend
from gfx_ir.runtime.executor import Executor
from gfx_ir.trees import tree_map
from ways import NAMES, is_open, own

_NOISE = 1e-14
_TRIES = 6


class _Noisy:
    """A backend whose results are each off by a few units of the last digit of a float64."""

    def __init__(self, name: str, noise: random.Random) -> None:
        self.backend, self.noise = backend(name), noise

    def __getattr__(self, name: str) -> Any:
        return getattr(self.backend, name)

    def run(self, op: Any, args: Any) -> Any:
        """What an op gives, a little off."""
        return tree_map(self._off, self.backend.run(op, args))

    def _off(self, x: Any) -> Any:
        floating = self.backend.is_tensor(x) and self.backend.dtype_of(x).kind == "f"
        return x * (1 + self.noise.uniform(-_NOISE, _NOISE)) if floating or isinstance(x, float) else x


def runs(program: Any, how: Settings, args: tuple) -> list[Any]:
    """What a program gives on its author's framework: as it is, and with rounding errors of other kinds."""
    given = dict(zip(NAMES, args))
    taken = [own(given.get(p.name, p.default), how) for p in program.signature if is_open(p)]
    tries = [backend(how.flavour), *(_Noisy(how.flavour, random.Random(seed)) for seed in range(_TRIES))]
    return [lambda on=on: _result(program, Executor(on)(program, taken)) for on in tries]


def _result(program: Any, out: Any) -> Any:
    return out[0] if program.writes else out
