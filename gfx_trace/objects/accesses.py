"""What rewritten code calls for calls, attributes, items and operators: each asks the tracer, and tells it the place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir.op import active

from ..values.here import here
from ..values.proxy import Proxy


def gfx_call(f: Any, /, *args: Any, **kwargs: Any) -> Any:
    """f(*args, **kwargs)."""
    return here().calls.call(f, args, kwargs)


def gfx_spread(f: Any, /, *args: Any, **kwargs: Any) -> Any:
    """f(*args, **kwargs), some of the arguments spread by `*`."""
    return here().calls.call_spread(f, args, kwargs)


def gfx_getattr(o: Any, name: str) -> Any:
    """o.name."""
    return here().objects.getattr(o, name)


def gfx_setattr(o: Any, name: str, value: Any) -> None:
    """o.name = value."""
    here().objects.setattr(o, name, value)


def gfx_delattr(o: Any, name: str) -> None:
    """del o.name."""
    here().objects.delete_attribute(o, name)


def gfx_getitem(o: Any, key: Any) -> Any:
    """o[key]."""
    kind = type(o)
    tracer = here()
    if kind is Proxy:
        return tracer.gates.at(key, lambda side: tracer.views.getitem(o, side))
    return tracer.objects.item(o, key)


def gfx_setitem(o: Any, key: Any, value: Any) -> None:
    """o[key] = value."""
    here().objects.set_item(o, key, value)


def gfx_delitem(o: Any, key: Any) -> None:
    """del o[key]."""
    here().objects.delete_item(o, key)


def gfx_inplace(sign: str, x: Any, y: Any) -> Any:
    """x += y and its like."""
    tracer = here()
    if type(x) is Proxy:
        return tracer.views.inplace(sign, x, y)
    return tracer.overloading.inplace_other(sign, x, y)


def gfx_made(x: Any) -> Any:
    """A list, dictionary or set that the code made here."""
    return active.builder.journal.made.note(x)


def gfx_variables(shared: Callable[[], Any]) -> None:
    """A function begins, whose variables functions in it write; `shared`: what reads them."""
    for cell in shared.__closure__ or ():
        active.builder.journal.made.note(cell)


def gfx_operand(x: Any, joins: bool = False) -> Any:
    """An operand of an operator: one whose class has operators of its own has them entered. `joins`: the operator may make a container
    of others, for which it finds out which keys a dictionary has."""
    if joins:
        active.builder.effects.sure_of_keys(x)
    return active.builder.overloading.as_operand(x, joins)
