"""Shapes of a framework's own class, where a call goes by the class: torch.Size itself, and what makes tensors of sizes or numbers."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from gfx_ir.trees import leaves

from ..frameworks.pytrees import owner_of
from ..interfaces import Capturing
from ..python.joined_items import numbers_in
from ..python.sequences import is_shape, is_whole, open_tuple
from ..values.proxy import HostProxy, Proxy, is_open


def size(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.Size(sizes): a tuple of sizes."""
    sizes = (*args[0],) if args else ()
    if sizes:
        tracer.record.tell_shape(sizes)
    return sizes


def shape(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """np.shape(x)."""
    x = open_tuple(args[0])
    if type(x) is HostProxy or (type(x) is Proxy and x.weak):
        return (tracer.host_values.length(x),) if is_shape(x) else ()
    given = args[0]
    if type(given) in (list, tuple) and any(map(is_open, leaves(given))):
        given = tracer.calls.call(np.asarray, (given,), {})
    return tracer.objects.getattr(given, "shape") if isinstance(given, Proxy) else f(*args, **kwargs)


def of_sizes(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.FloatTensor(x), y.new(x): a shape gives the sizes, as numbers one by one do, and a tuple or list what the tensor holds."""
    owner, own = owner_of(tracer, f), 1 if inspect.ismethoddescriptor(f) else 0
    given = args[own] if len(args) == own + 1 and not kwargs else None
    if type(given) is list and (held := numbers_in(tracer, given)) is not None:
        args, kwargs = args[:own], {"numbers": held}
    elif isinstance(given, tuple) or is_shape(open_tuple(given)):
        of_class = tracer.calls.call(type, (given,), {}) is owner.shape_type
        if not of_class and not isinstance(given, tuple):
            what = f"this call of torch.{f.__name__}: how many numbers the tensor holds is open"
            raise tracer.error(f"GFX cannot convert {what}", "give the argument's shape at capture")
        if not of_class and given and all(map(is_whole, given)):  # a test or loop on data may have made it of a shape
            what = f"torch.{f.__name__} of a tuple of whole numbers may be of sizes, or hold these numbers"
            raise tracer.error(what, "give torch.zeros(sizes), or a list of numbers")
        if of_class and isinstance(given, tuple):
            args = (*args[:own], *given)
    return tracer.apply(owner.functions[f], args, kwargs, owner, f)
