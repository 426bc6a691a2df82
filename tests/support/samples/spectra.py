"""Short-time transforms: one signal and several, windows shorter than a frame, with and without padding."""

import numpy as np

from samples import Sample, normal, uniform

S = Sample
SIGNAL, TWO, WINDOW = normal(40), normal(2, 41, seed=1), uniform(12, low=0.5, high=1.0)
SPECTRA = (normal(2, 9, 8, seed=2) + 1j * normal(2, 9, 8, seed=3)).astype(np.complex64)

SAMPLES = [
    S("stft", (SIGNAL, 16, 4)),
    S("stft", (TWO, 16, 5, 12, WINDOW)),
    S("stft", (TWO, 16, 5, 12), {"center": False, "normalized": True, "onesided": False}),
    S("stft", (SIGNAL, 12, 4, None, WINDOW), {"pad_mode": "constant"}),
    S("istft", (SPECTRA, 16, 4, 12, WINDOW), tol=1e-4),
    S("istft", (SPECTRA[0], 16, 4), {"normalized": True}, tol=1e-4),
    S("istft", (SPECTRA, 16, 4), {"length": 25}, tol=1e-4),
    S("istft", (SPECTRA, 16, 4), {"center": False}, tol=1e-4),
    S("istft", (SPECTRA[:, :8], 8, 4), {"onesided": False}, tol=1e-4),
    S("istft", (SPECTRA.swapaxes(1, 2)[:, :8], 8, 4), {"onesided": False, "complex_result": True}, tol=1e-4),
]
