"""Exponential smoothing with a gate: a jump in the signal is followed at once, noise is smoothed away."""

import numpy as np


def smooth(signal, threshold, alpha: float = 0.25):
    """Smooth the rows of `signal` (time, channels): every level (time, channels), and the last one (channels,)."""
    level = np.zeros(signal.shape[1], signal.dtype)
    levels = []
    for row in signal:
        if np.abs(row - level).max() > threshold:
            level = row
        else:
            level = alpha * row + (1 - alpha) * level
        levels.append(level)
    return np.stack(levels), level
