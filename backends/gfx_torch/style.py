"""How PyTorch source is spelled."""

from __future__ import annotations

from gfx_ir.codegen.style import Style

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
    places=True,
)
