"""Functions without source text (typed in, made by `exec` or `eval`), which cannot be rewritten: entered where that makes no difference.

Rewriting is what records writes, calls and reads of the objects that a program holds. Code that does none of these, and only computes
with what it is given, is the same without; all other code is refused.
"""

from __future__ import annotations

import builtins
import dis
import math
import types
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import Any

from gfx_ir.errors import BackendError
from gfx_ir.probing import own_attribute

from ..heap.contents import FIXED
from ..heap.reads import content_of
from ..interfaces import Capturing
from ..values.proxy import HostProxy, Proxy

_WRITES = ("STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE", "STORE_GLOBAL", "STORE_NAME", "STORE_DEREF")
_MORE = frozenset(
    "MAKE_FUNCTION IMPORT_NAME YIELD_VALUE RETURN_GENERATOR LOAD_BUILD_CLASS BEFORE_WITH SETUP_WITH".split()
)
_NONE_TESTS = ("_IF_NONE", "_IF_NOT_NONE")
_READS = ("LOAD_ATTR", "LOAD_METHOD")
_LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF")
_BUILTINS = frozenset(
    vars(builtins)[name]
    for name in "abs divmod len max min pow round sum int float bool tuple list dict range zip enumerate".split()
)
"""What is the same for captured values in code that is not rewritten, or asks them for what they refuse."""


def run_without_source(tracer: Capturing, f: types.FunctionType, *args: Any, **kwargs: Any) -> Any:
    """f(*args, **kwargs) of a function without source. Raises where it does what only rewritten code can record."""
    given = (*args, *kwargs.values(), *(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values())
    why = next(_other_than_computing(tracer, f, given), None)
    if why is not None:
        raise tracer.error(_refused(f, why), _hint(f))
    try:
        with ExitStack() as modes:
            for backend in tracer.arrays.frameworks():
                modes.enter_context(backend.unwritten())
            return f(*args, **kwargs)
    except BackendError as error:
        raise tracer.error(_refused(f, error.what), _hint(f)) from None


def _refused(f: types.FunctionType, why: str) -> str:
    return f"GFX cannot convert this function: {f.__name__!r} has no source ({f.__code__.co_filename}), and {why}"


def _hint(f: types.FunctionType) -> str:
    if hasattr(f, "__wrapped__"):
        return "call what it stands around, its __wrapped__, or leave out the decorator that made it"
    return "Define it in a file or a notebook cell."


def _other_than_computing(tracer: Capturing, f: types.FunctionType, given: Iterable[Any]) -> Iterator[str]:
    """What a function does besides computing with captured values and constants."""
    for x in _parts(given):
        if type(x) not in (Proxy, HostProxy) and not _constant(tracer, x):
            yield f"it gets a {type(x).__name__}, which it may read and write"
    closed_over = dict(zip(f.__code__.co_freevars, map(content_of, f.__closure__ or ())))
    names = {**vars(builtins), **f.__globals__, **closed_over}
    asks_none = _NONE_TESTS if any(map(_may_be_none, _parts(given))) else ()
    held: Any = None  # what the instruction before loaded, of which attributes may be read
    for step in dis.get_instructions(f.__code__):
        if step.opname in _WRITES or (step.opname.startswith("DELETE_") and step.opname != "DELETE_FAST"):
            yield f"it writes ({step.argval})" if isinstance(step.argval, str) else "it writes to an object"
        elif step.opname.startswith("INPLACE_") or (step.opname == "BINARY_OP" and step.argrepr.endswith("=")):
            yield "it writes in place"
        elif step.opname in _MORE:
            yield "it does more than compute"
        elif step.opname == "IS_OP" or step.opname.endswith(asks_none):
            yield "it asks by `is` what something is, which Python answers for what stands there at capture"
        elif step.opname in _LOADS:
            held = names.get(step.argval)
        elif step.opname in _READS and type(held) is types.ModuleType:
            held = own_attribute(held, step.argval)
        else:
            held = None
        if held is not None and not _computes(tracer, held):
            yield f"it uses {step.argval!r}, which is none of the captured framework's functions"


def _may_be_none(x: Any) -> bool:
    return type(x) in (Proxy, HostProxy) and getattr(x.value, "kind", None) in ("optional", "any")


def _parts(given: Iterable[Any]) -> Iterator[Any]:
    """Arguments, and what tuples among them hold: whoever has any other container may write it."""
    for x in given:
        yield from _parts(x) if type(x) is tuple else (x,)


def _computes(tracer: Capturing, x: Any) -> bool:
    """Whether what code without source refers to is a constant, or a function or module that computes and does nothing else."""
    if type(x) is types.ModuleType:
        package, last = x.__name__.partition(".")[0], x.__name__.rpartition(".")[2]
        return x is math or (
            last != "random" and any(package in backend.packages for backend in tracer.arrays.frameworks())
        )
    if _constant(tracer, x):
        return True
    if type(x) in (type, types.BuiltinFunctionType) and (x in _BUILTINS or x.__module__ == math.__name__):
        return True
    return type(tracer.calls.lifted(x)) is tuple  # which its row records, whoever calls it


def _constant(tracer: Capturing, x: Any) -> bool:
    """Whether it is a constant of Python's or of a framework's, as a dtype is."""
    return (
        type(x) in FIXED
        or isinstance(x, slice | types.EllipsisType)
        or any(backend.as_dtype(x) is not None for backend in tracer.arrays.frameworks())
    )
