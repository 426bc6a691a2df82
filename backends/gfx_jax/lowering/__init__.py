"""Lowering for JAX alone: the passes that bring a program to what XLA traces, beside those that other targets list, too."""

from __future__ import annotations

from gfx_ir.codegen.prepare import LOWERINGS

from .added import Added
from .bounded import Bounded
from .hashed import Hashed
from .hosted import Hosted
from .joined import Joined
from .masked import Masked
from .runs import Runs
from .sizes import Sizes
from .wide import Wide

for _pass in (Added, Bounded, Hashed, Hosted, Joined, Masked, Runs, Sizes, Wide):
    LOWERINGS.register(_pass)

__all__ = ["Added", "Bounded", "Hashed", "Hosted", "Joined", "Masked", "Runs", "Sizes", "Wide"]
