"""How PyTorch source is spelled."""

from __future__ import annotations

from dataclasses import replace

from gfx_ir.codegen.style import Style

# The operators of control flow that PyTorch gives a public name are torch.cond and torch.while_loop; scan has only this one.
_SCAN = "from torch._higher_order_ops import scan"

STYLE = Style(
    name="torch",
    module="torch",
    imports={
        "math": "import math",
        "np": "import numpy as np",
        "torch": "import torch",
        "nn": "from torch import nn",
        "F": "from torch.nn import functional as F",
        "Tensor": "from torch import Tensor",
    },
    key="generator",
    generator=True,
    scalar="torch.tensor({value}, dtype={dtype})",
    wrap="torch.as_tensor",
    numbers=False,
    of_bool="torch.tensor",
    places=True,
    tensor="torch.Tensor",
)

HOP = replace(STYLE, control="hop", prefix="torch", imports={**STYLE.imports, "scan": _SCAN})
