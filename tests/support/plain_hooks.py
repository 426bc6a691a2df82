"""Hooks that mean plain Python: a function rewritten with them must do what the function does."""

from __future__ import annotations

import contextlib
import operator

BINARY = {
    "+": operator.iadd, "-": operator.isub, "*": operator.imul, "@": operator.imatmul, "/": operator.itruediv,
    "//": operator.ifloordiv, "%": operator.imod, "**": operator.ipow, "<<": operator.ilshift,
    ">>": operator.irshift, "|": operator.ior, "^": operator.ixor, "&": operator.iand,
}  # fmt: skip


class Undefined:
    """What a variable holds before it is assigned; any use but gfx_read is a mistake of the rewriter."""

    def __init__(self, name):
        self.name = name

    def _refuse(self, *args, **kwargs):
        raise AssertionError(f"the undefined variable {self.name!r} was used")

    __bool__ = __iter__ = __add__ = __radd__ = __call__ = __getitem__ = __len__ = __eq__ = __lt__ = __gt__ = _refuse
    __hash__ = object.__hash__


def gfx_call(fn, /, *args, **kwargs):
    assert not isinstance(fn, Undefined)
    assert not any(isinstance(a, Undefined) for a in (*args, *kwargs.values())), args
    return fn(*args, **kwargs)


def gfx_delattr(obj, name):
    delattr(obj, name)


def gfx_setitem(obj, key, value):
    obj[key] = value


def gfx_delitem(obj, key):
    del obj[key]


def gfx_read(name, value):
    if isinstance(value, Undefined):
        raise UnboundLocalError(name)
    return value


def gfx_name(name, value):
    assert isinstance(name, str) and not isinstance(value, Undefined), name
    return value


def gfx_and(first, *others, access=None):
    for later in others:
        if not first:
            return first
        first = later()
    return first


def gfx_or(first, *others, access=None):
    for later in others:
        if first:
            return first
        first = later()
    return first


def gfx_made(x):
    return x


def gfx_variables(shared):
    assert shared.__closure__


def gfx_percent(template, given):
    return template % given


def gfx_fstr(*parts):
    out = []
    for part in parts:
        if not isinstance(part, str):
            value, conversion, spec = part
            value = {None: lambda v: v, "r": repr, "s": str, "a": ascii}[conversion](value)
            part = format(value, spec)
        out.append(part)
    return "".join(out)


def gfx_unpack(value, names):
    """A tuple; where `names` has a tuple, the part is one too."""
    assert isinstance(names, tuple)
    items = list(value)
    star = next((i for i, n in enumerate(names) if isinstance(n, str) and n.startswith("*")), None)
    if len(items) < len(names) - 1 or (star is None and len(items) != len(names)):
        return items  # the assignment itself raises Python's error
    for i, name in enumerate(names):
        if isinstance(name, tuple):
            k = i if star is None or i < star else i - len(names)
            items[k] = gfx_unpack(items[k], name)
    return tuple(items)


def gfx_if(test, then, orelse, get, set_, names):
    """Leaves a side's changes in place; checks that get and set agree with the names."""
    before = get()
    assert len(before) == len(names)
    set_(before)
    result = then() if test else orelse() if orelse is not None else None
    set_(get())
    return result


def gfx_if_ret(test, then, orelse, get, set_, names):
    """Runs a side only after the other side has run and was undone, where that has no other effects."""
    return gfx_if(test, then, orelse, get, set_, names)


def gfx_while(test, body, get, set_, names, stop, inner=()):
    assert len(get()) == len(names)
    while not (stop is not None and stop[0]()) and test():
        set_(get())
        body()


def gfx_for(iterable, body, get, set_, names, stop, target_names):
    assert len(get()) == len(names)
    for item in iterable:
        set_(get())
        body(item)
        if stop is not None and stop[0]():
            break


def gfx_assert(test, message):
    if not test:
        raise AssertionError(*([] if message is None else [message()]))


def gfx_raise(error, *cause):
    error = error() if isinstance(error, type) else error
    if cause:
        error.__cause__ = cause[0]() if isinstance(cause[0], type) else cause[0]
    return error


def gfx_raise_again():
    pass


def gfx_backwards(f, items):
    return f(items)


def gfx_enter(made):
    return made


@contextlib.contextmanager
def gfx_handlers(kinds, clauses):
    yield


def gfx_map(fn, iterable, kind, names, access=None):
    made = (fn(item) for item in iterable)
    return {"list": list, "set": set, "generator": iter}[kind](made)


def gfx_kept(fn, keeps, iterable, names, access=None):
    return [fn(item) for item in iterable if keeps(item)]


def gfx_flat(fn, keeps, iterable, names, access=None):
    return [x for item in iterable if keeps is None or keeps(item) for x in fn(item)]


def gfx_fold(f, iterable, each, keeps, names, *start, access=None):
    return f((each(item) for item in iterable if keeps is None or keeps(item)), *start)


HOOKS = {name: value for name, value in globals().items() if name.startswith("gfx_")} | {
    "gfx_star": lambda v: v,
    "gfx_items": lambda v: v,
    "gfx_starstar": lambda v: v,
    "gfx_getattr": getattr,
    "gfx_setattr": setattr,
    "gfx_getitem": operator.getitem,
    "gfx_undefined": Undefined,
    "gfx_returned": lambda value: value,
    "gfx_inplace": lambda symbol, a, b: BINARY[symbol](a, b),
    "gfx_is": operator.is_,
    "gfx_in": lambda a, b: a in b,
    "gfx_not": operator.not_,
    "gfx_truth": lambda x: x,
    "gfx_ifexp": lambda test, a, b, access=None, name="": a() if test else b(),
    "gfx_static": lambda test, construct: test,
    "gfx_load": lambda name, value: value,
    "gfx_global_write": lambda name, value: value,
    "gfx_nonlocal": lambda name, variable, value: value,
    "gfx_operand": lambda v, keys=False: v,
    "gfx_compared": lambda v: v,
    "gfx_spread": lambda f, *args, **kwargs: f(*args, **kwargs),
    "gfx_display": lambda v: v,
    "gfx_set": set,
    "gfx_dict": dict,
    "gfx_iter": lambda v: v,
    "gfx_generator": lambda v: v,
    "gfx_yield_from": lambda v: v,
    "gfx_closing": lambda caught=None: None,
    "gfx_filter": lambda v: v,
}
