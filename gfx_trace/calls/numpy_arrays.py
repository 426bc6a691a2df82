"""NumPy's arrays of another framework's tensors: what code makes of one with `tensor.numpy()` shares its memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..interfaces import Capturing


def as_numpy(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """tensor.numpy(force=False), which is np.asarray of the tensor; forced, of one without gradients."""
    tensor, *given = args
    force = given[0] if given else kwargs.get("force", False)
    if tracer.truths.truth(force) is not False:
        tensor = tracer.calls.call(tracer.objects.getattr(tensor, "detach"), (), {})
    return tracer.calls.call(np.asarray, (tensor,), {})
