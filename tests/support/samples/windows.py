"""Window functions: of spectra and symmetric, and of a single sample."""

from samples import Sample

S = Sample

SAMPLES = [
    S("cosine_window", (8, (0.5, 0.5))),
    S("cosine_window", (7, (0.54, 0.46), False)),
    S("cosine_window", (9, (0.42, 0.5, 0.08))),
    S("cosine_window", (1, (0.5, 0.5))),
    S("bartlett_window", (7, False)),
    S("bartlett_window", (8,)),
    S("kaiser_window", (9, True, 8.0)),
    S("kaiser_window", (6, False)),
]
