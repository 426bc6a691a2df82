"""Creation: dtypes given and not, ranges of each form, limits."""

import numpy as np

from gfx_ir import dtypes
from samples import Sample, integers, normal

S = Sample
X, I = normal(2, 3), integers(2, 3)
F32, I32 = dtypes.float32, dtypes.int32

SAMPLES = [
    S("constant", ((1.0, 2.0, 3.0),)),
    S("constant", (((1, 2), (3, 4)),)),
    S("constant", ((1, 2.5), F32)),
    S("constant", (2.0,)),
    S("constant", ((True, False),)),
    S("full", ((2, 3), 1.5)),
    S("full", ((2, 3), 7, F32)),
    S("full", (4, 7)),
    S("full", ((), True)),
    S("zeros", ((2, 3),)),
    S("zeros", (4, I32)),
    S("ones", ((2, 3), F32)),
    S("ones", ((),)),
    S("empty", ((2, 3), F32)),
    S("full_like", (X, 2.5)),
    S("full_like", (I, 2, F32)),
    S("zeros_like", (X,)),
    S("zeros_like", (X, I32)),
    S("ones_like", (I,)),
    S("arange", (5,)),
    S("arange", (2, 9)),
    S("arange", (2, 9, 3)),
    S("arange", (9, 2, -3)),
    S("arange", (0, 1, 0.25)),
    S("arange", (4.0,)),
    S("arange", (5, None, 1, F32)),
    S("arange", (5, 2)),
    S("linspace", (0.0, 1.0, 5)),
    S("linspace", (0, 10, 4), {"dtype": F32}),
    S("linspace", (0.0, 1.0, 4), {"endpoint": False}),
    S("eye", (3,)),
    S("eye", (2, 3)),
    S("eye", (3, 4, 1, F32)),
    S("eye", (3, None, -1)),
    S("as_tensor", (1.5, F32)),
    S("as_tensor", (((1, 2), (3, 4)),)),
    S("as_tensor", (X,)),
    S("zeros", ((2, 3),), {"dtype": F32, "device": "cpu"}),
    S("arange", (5,), {"device": "cpu"}),
    S("constant", ((1, 2),), {"device": "cpu"}),
    S("to_device", (X, "cpu")),
    S("meshgrid", ((normal(2), normal(3)),)),
    S("meshgrid", ((normal(2),),)),
    S("meshgrid", ([normal(2), normal(3), normal(4)], "ij")),
    S("meshgrid", ((normal(2), np.arange(3), normal(4) > 0),)),
    S("finfo", (F32, "max")),
    S("finfo", (F32, "eps")),
    S("finfo", (dtypes.dtype("float16"), "min")),
    S("finfo", (dtypes.dtype("bfloat16"), "tiny")),
    S("iinfo", (I32, "max")),
    S("iinfo", (dtypes.int64, "min")),
    S("arange", (0, 4), {"dtype": dtypes.dtype("complex64")}),
]
