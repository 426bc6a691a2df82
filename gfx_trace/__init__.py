"""GFX: capture functions and models as framework-neutral graphs, run them anywhere, write them back as source."""

from gfx_ir.array_api import array_api
from gfx_ir.errors import GfxError
from gfx_ir.host import Dim
from gfx_ir.partition import Frozen, partition
from gfx_ir.runtime.devices import device
from gfx_ir.runtime.engine import Engine
from gfx_ir.runtime.values import Values
from gfx_ir.types import LogicalTensor, TensorSpec

from .api import Traced, load, symbolic_trace, trace, transpile
from .api.check import Report, check
from .api.program import Program
from .api.register import register
from .api.tracing import Tracer
from .api.transpiled import Transpiled
from .explain import Construct, Explanation, explain
from .trace.arguments import Open

__all__ = [
    "Construct",
    "Dim",
    "GfxError",
    "Engine",
    "Explanation",
    "Frozen",
    "LogicalTensor",
    "Open",
    "Program",
    "Report",
    "TensorSpec",
    "Traced",
    "Tracer",
    "Transpiled",
    "Values",
    "array_api",
    "check",
    "device",
    "explain",
    "load",
    "partition",
    "register",
    "symbolic_trace",
    "trace",
    "transpile",
]
