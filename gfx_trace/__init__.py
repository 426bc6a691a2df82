"""GFX: capture functions and models as framework-neutral graphs, run them anywhere, write them back as source."""

from gfx_ir.host import Dim
from gfx_ir.types import TensorSpec

__all__ = ["Dim", "TensorSpec"]
