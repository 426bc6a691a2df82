"""Python's numbers out of tensors of one element, and functions of them."""

import numpy as np

from samples import Sample

S = Sample
F, I, B = np.asarray(2.75, np.float32), np.asarray(3), np.asarray(True)

SAMPLES = [
    *(S(op, (x,)) for op in ("item", "to_int", "to_float", "to_bool") for x in (F, I, B)),
    S("to_int", (-2.5,)),
    S("python", ("math.exp", (1.5,))),
    S("python", ("math.log", (9, 3))),
    S("python", ("pow", (7, 3, 5))),
    S("python", ("round.int", (2.5,))),
    S("python", ("is_integer", (2.0,))),
    S("python", ("bit_length", (37,))),
]
