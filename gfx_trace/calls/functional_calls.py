"""Models with other tensors: a call of a module with some in the place of its own, which has its own again behind it."""

from __future__ import annotations

import inspect
from typing import Any

from ..interfaces import Capturing
from ..values.proxy import Proxy


def functional_call(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.func.functional_call(module, tensors, args, kwargs): a call of the module with other tensors in the place of its own."""
    bound = inspect.signature(f).bind(*args, **kwargs).arguments
    module, given, held = bound["module"], bound["parameter_and_buffer_dicts"], bound.get("args")
    if bound.get("strict"):
        raise tracer.error("GFX cannot convert torch.func.functional_call with strict=True", "leave strict= out")
    places, before = [], dict[int, Any]()
    several = isinstance(given, (tuple, list))  # of which the call makes a dictionary of its own
    for tensors in given if several else (given,):
        for path, value in tensors.items():
            owner, _, name = path.rpartition(".")
            branch = module.get_submodule(owner)
            own = getattr(branch, name)
            places.append((branch, name, own, tensors, path))
            before.setdefault(id(own), tracer.known.get(id(own)))
            tracer.known[id(own)] = value if type(value) is Proxy else tracer.arrays.array_proxy(value)
    try:
        positional = () if held is None else held if isinstance(held, tuple) else (held,)
        with tracer.repeated.alone(any(tracer.known[at] is not own for at, own in before.items())):
            result = tracer.calls.call(module, positional, bound.get("kwargs") or {})
        for branch, name, own, tensors, path in places:  # what the call has put in their place is the caller's
            if (found := getattr(branch, name)) is not own:
                if not several:
                    tracer.objects.set_item(tensors, path, found)
                tracer.objects.setattr(branch, name, own)
        return result
    finally:
        tracer.known.update(before)
        for at in [at for at, found in before.items() if found is None]:
            del tracer.known[at]
