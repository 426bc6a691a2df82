"""GFX: capture functions and models as framework-neutral graphs, run them anywhere, write them back as source."""

from gfx_ir.array_api import array_api
from gfx_ir.errors import GfxError
from gfx_ir.host import Dim
from gfx_ir.types import LogicalTensor, TensorSpec

from .api import Traced, load, symbolic_trace, trace, transpile
from .arguments import Open
from .check import Report, check
from .explain import Construct, Explanation, explain
from .program import Program
from .register import register
from .tracing import Tracer
from .transpiled import Transpiled

__all__ = [
    "Construct",
    "Dim",
    "GfxError",
    "Explanation",
    "LogicalTensor",
    "Open",
    "Program",
    "Report",
    "TensorSpec",
    "Traced",
    "Tracer",
    "Transpiled",
    "array_api",
    "check",
    "explain",
    "load",
    "register",
    "symbolic_trace",
    "trace",
    "transpile",
]
