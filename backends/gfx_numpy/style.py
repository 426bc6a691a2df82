"""How NumPy source is spelled."""

from __future__ import annotations

from gfx_ir.batches import vmap
from gfx_ir.codegen.control.python import PythonControl
from gfx_ir.codegen.style import Style
from gfx_ir.lifting.axis_patterns import IMPORTS
from gfx_ir.scans import associative_scan

STYLE = Style(
    name="numpy",
    module="np",
    source="np.random.default_rng(0)",
    imports={
        "math": "import math",
        "ml_dtypes": "import ml_dtypes",
        "np": "import numpy as np",
        **IMPORTS,
        "sys": "import sys",
        "linalg": "from scipy import linalg",
        "special": "from scipy import special",
    },
    control=PythonControl,
    dtypes={
        "bool": "bool",
        "bfloat16": "ml_dtypes.bfloat16",
        "float8_e4m3fn": "ml_dtypes.float8_e4m3fn",
        "float8_e5m2": "ml_dtypes.float8_e5m2",
    },
    inf="np.inf",
    nan="np.nan",
    scalar="{dtype}({value})",
    wrap="np.asarray",
    transforms={"associative_scan": "associative_scan", "vmap": "vmap"},
    helpers={"associative_scan": associative_scan, "vmap": vmap},
)
