"""How PyTorch source is spelled."""

from __future__ import annotations

from dataclasses import replace

from gfx_ir.codegen.control.python import PythonControl
from gfx_ir.codegen.style import Style
from gfx_ir.lifting.axis_patterns import IMPORTS

from .control import HopControl
from .helpers_scan import associative_scan
from .lowering import OneDtype

# The operators of control flow that PyTorch gives a public name are torch.cond and torch.while_loop; scan has only this one.
_SCAN = "from torch._higher_order_ops import scan"

_REVERSE = """class {name}(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *args):
        out, kept = {forward}(*args)
        ctx.save_for_backward(*kept)
        return out

    @staticmethod
    def backward(ctx, *grads):
        return {rule}(*ctx.saved_tensors, *grads)"""
# The gradient of a function that has a rule for tangents: that rule is linear in the tangents, so its own gradient is it.
_TANGENT = """class {name}(torch.autograd.Function):
    @staticmethod
    def forward(*args):
        return {forward}(*(x.view_as(x) for x in args))

    @staticmethod
    def setup_context(ctx, args, out):
        ctx.save_for_backward(*args)

    @staticmethod
    def backward(ctx, *grads):
        args = ctx.saved_tensors
        still = [torch.zeros_like(1.0 * x) for x in args]
        _, pullback = torch.func.vjp(lambda *tangents: {rule}(*args, *tangents)[1], *still)
        return pullback(grads if len(grads) > 1 else grads[0])"""

_FIRST_NUMBER = {
    "torch.as_tensor": 0, "torch.where": 1, "torch.full": 0, "torch.full_like": 1, "torch.linspace": 0, "torch.logspace": 0,
}  # fmt: skip

_FIRST = ("repeated_keys", "keep_order", "own_gradients", "foreign_texts", "literals")
_DTYPES = (
    "booleans", "untold", "powers", "promoted", "lacking_dtypes", "composites", OneDtype.name, "alike_lists", "tensor_lists",
)  # fmt: skip
_LAST = ("kept_lists", "stacked_lists", "returned", "unread", "inline_calls", "gathered", "reroll", "one_generator")
LOWERING = (
    *_FIRST, "handed", *_DTYPES,
    "truths", "merged_tests", "simplify", "drop_carried", "unpacked", "filled_lists", *_LAST, "nested_loops",
)  # fmt: skip
"""Casts where dtypes differ, then the forms of tests and loops, then which functions there are."""
HOP_LOWERING = (
    *_FIRST, "open_dtypes", "shallow", "python_numbers", "handed", "shared_calls", *_DTYPES,
    "traced", "truths", "asked_first", "merged_tests", "simplify", "drop_carried", "unpacked",
    "staged_ranges", "shortest", "ranges", *_LAST,
)  # fmt: skip
"""What goes into operators of higher order, and comes out of them, is tensors of one dtype."""

STYLE = Style(
    name="torch",
    module="torch",
    imports={
        "math": "import math",
        "np": "import numpy as np",
        **IMPORTS,
        "sys": "import sys",
        "torch": "import torch",
        "nn": "from torch import nn",
        "F": "from torch.nn import functional as F",
        "Tensor": "from torch import Tensor",
    },
    control=PythonControl,
    key="generator",
    generator=True,
    scalar="torch.tensor({value}, dtype={dtype})",
    wrap="torch.as_tensor",
    wide="as_double",
    numbers=_FIRST_NUMBER,
    of_bool="torch.tensor",
    places=True,
    tensor="torch.Tensor",
    weights="safetensors.torch",
    gradients={"vjp": _REVERSE, "jvp": _TANGENT, "root": "torch"},
    applied="{name}.apply",
    transforms={
        **{kind: f"torch.func.{kind}" for kind in ("grad", "grad_and_value", "jvp", "vmap", "jacrev", "jacfwd")},
        "associative_scan": "associative_scan",
    },
    helpers={"associative_scan": associative_scan},
    of_numbers=True,
    lowering=LOWERING,
)

HOP = replace(
    STYLE, lowering=HOP_LOWERING, control=HopControl, prefix="torch", imports={**STYLE.imports, "scan": _SCAN}
)
