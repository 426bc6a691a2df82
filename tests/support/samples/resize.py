"""Resizing: every mode, larger and smaller, by sizes and by factors."""

import numpy as np

from samples import Sample, normal

S = Sample
SIGNAL, IMAGE, VOLUME = normal(2, 3, 7), normal(2, 2, 5, 6, seed=1), normal(1, 2, 3, 4, 3, seed=2)

SAMPLES = [
    S("interpolate", (SIGNAL, (11,))),
    S("interpolate", (SIGNAL, (3,)), {"mode": "nearest-exact"}),
    S("interpolate", (IMAGE, (10, 12), (2.0, 2.0))),
    *(
        S("interpolate", (x, size), {"mode": "linear", "align_corners": corners})
        for x, size in ((SIGNAL, (10,)), (IMAGE, (3, 9)), (IMAGE, (1, 1)), (VOLUME, (5, 2, 6)))
        for corners in (False, True)
    ),
    *(S("interpolate", (IMAGE, (8, 3)), {"mode": "cubic", "align_corners": corners}) for corners in (False, True)),
    S("interpolate", (IMAGE, (7, 9), (1.5, 1.5)), {"mode": "linear"}),
    *(
        S("interpolate", (IMAGE, size), {"mode": mode, "align_corners": corners, "antialias": True})
        for size in ((3, 2), (7, 4), (10, 12))
        for mode in ("linear", "cubic")
        for corners in (False, True)
    ),
    S("interpolate", (IMAGE, (2, 3), (0.5, 0.5)), {"mode": "linear", "antialias": True}),
    S("interpolate", (IMAGE, (10, 12)), {"mode": "cubic"}),
    S("interpolate_channels_last", (np.moveaxis(IMAGE, 1, -1), (10, 12), (2.0, 2.0))),
    *(
        S("interpolate_channels_last", (np.moveaxis(IMAGE, 1, -1), (7, 4)), {"mode": mode, "antialias": smooth})
        for mode, smooth in (("linear", False), ("linear", True), ("cubic", False))
    ),
    S("interpolate", (VOLUME, (6, 8, 6), (2.0, 2.0, 2.0))),
    S("interpolate", (IMAGE.astype(np.float64), (3, 9)), {"mode": "linear", "align_corners": True}, tol=1e-12),
]
