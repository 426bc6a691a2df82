"""Reading between elements: every mode and padding, two and three axes, places outside."""

from samples import Sample, normal

S = Sample
IMAGE, PLACES = normal(2, 3, 5, 4), normal(2, 3, 6, 2, seed=1)
BLOCK, PLACES3 = normal(1, 2, 3, 4, 3, seed=2), normal(1, 2, 3, 2, 3, seed=3)

SAMPLES = [
    S("grid_sample", (IMAGE, PLACES), {"mode": mode, "padding": padding, "align_corners": corners}, tol=1e-4)
    for mode in ("nearest", "bilinear", "bicubic")
    for padding in ("zeros", "border", "reflection")
    for corners in (False, True)
]
SAMPLES += [S("grid_sample", (BLOCK, PLACES3), {"mode": mode, "dims": 3}) for mode in ("nearest", "bilinear")]
SAMPLES += [S("affine_grid", (normal(2, 2, 3), (2, 1, 4, 5)), {"align_corners": corners}) for corners in (False, True)]
SAMPLES += [S("affine_grid", (normal(2, 3, 4), (2, 1, 3, 2, 4)))]
