"""Graph → Graph transformations, one file each, and the registry of them."""

from .algebra import Algebra
from .base import ALL, Context, Pass, PassError
from .batch_norm import FoldBatchNorm
from .canonical import Canonical
from .carries import DeadCarries
from .casts import Casts
from .channels_last import ChannelsLast
from .common import CommonSubexpressions
from .compose import Compose
from .constants import Constants
from .dead_code import DeadCode
from .decompose import Decompose
from .fusion import FuseLoops
from .gradient_stops import GradientStops
from .inline import Inline
from .invariant import Invariant
from .memory_plan import MemoryPlan
from .mixed_precision import MixedPrecision
from .optimize import Applied, Optimize
from .quantize import Quantize
from .registry import PASSES, PassRegistry
from .repeats import Outline
from .roll import Roll
from .shapes import Shapes

_TAKEN: dict[type[Pass], tuple[str, ...]] = {
    Compose: ("ops", "near"), Decompose: ("ops",), Inline: ("limit",), MixedPrecision: ("dtype", "wide"), Outline: ("least",),
    Quantize: ("inputs",), Roll: ("least",),
}  # fmt: skip
for _pass in (
    Algebra, Canonical, Casts, ChannelsLast, CommonSubexpressions, Compose, Constants, DeadCarries, DeadCode, Decompose,
    FoldBatchNorm, FuseLoops, GradientStops, Inline, Invariant, MemoryPlan, MixedPrecision, Outline, Quantize, Roll, Shapes,
):  # fmt: skip
    PASSES.register(_pass).takes_only(*_TAKEN.get(_pass, ()))

DEFAULT = ("constants", "algebra", "casts", "shapes", "canonical", "common_subexpressions", "dead_carries", "dead_code")
"""What `gfx optimize` runs where no pass is named: passes that change no bit of a result and leave functions as they are."""

__all__ = ["ALL", "DEFAULT", "PASSES", "Applied", "Context", "Optimize", "Pass", "PassError", "PassRegistry"]
