"""Dataclasses: what the `__init__` does that Python generates for one, whose source is in no file."""

from __future__ import annotations

import dataclasses
import inspect
import types
from typing import Any

from ..interfaces import Capturing
from ..rewrite.packages import enterable


def generated(init: Any) -> bool:
    """Whether a function is the `__init__` that Python has generated for a dataclass, one of the user's or a library's."""
    return enterable(init) and init.__name__ == "__init__" and init.__code__.co_filename == "<string>"


def initialised(f: types.FunctionType, args: tuple) -> Any:
    """The dataclass whose generated `__init__` f is: one of the classes of its first argument; None: none."""
    if not args or not generated(f):
        return None
    of = (kind for kind in type(args[0]).__mro__ if "__dataclass_fields__" in vars(kind))
    return next((kind for kind in of if f.__qualname__ == f"{kind.__qualname__}.__init__"), None)


def initialise(
    tracer: Capturing, record: Any, init: types.FunctionType, args: tuple, kwargs: dict, new: bool = False
) -> None:
    """What `init` of a dataclass does, each write and call recorded: the fields are set, then `__post_init__` is called.

    `new`: nobody has the object yet, so that there is nothing to take back at the end of a region."""
    bound = inspect.signature(init).bind(*args, **kwargs)
    bound.apply_defaults()
    made, given, call = args[0], bound.arguments, tracer.calls.call
    plain: Any = object.__setattr__ if record.__dataclass_params__.frozen else setattr
    own = plain is setattr and type(made).__setattr__ is not object.__setattr__
    store = plain if new and not own else lambda *given: call(plain, given, {})
    stored = {field.name for field in dataclasses.fields(record)}
    for name, field in record.__dataclass_fields__.items():
        factory: Any = field.default_factory
        anew = factory is not dataclasses.MISSING
        if anew and (name not in given or type(given[name]).__name__ == "_HAS_DEFAULT_FACTORY_CLASS"):
            store(made, name, call(factory, (), {}))
        elif name in given and name in stored:
            store(made, name, given[name])
        elif field.default is not dataclasses.MISSING and type(vars(record).get(name)) is types.MemberDescriptorType:
            store(made, name, field.default)
    if hasattr(record, "__post_init__"):
        only_for_it = tuple(
            [given[name] for name in record.__dataclass_fields__ if name in given and name not in stored]
        )
        call(made.__post_init__, only_for_it, {})
