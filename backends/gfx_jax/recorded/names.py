"""Private names of JAX that a recording reads: checked once, in this file alone. Where one is missing nothing is recorded."""

from __future__ import annotations

import dis
import functools
import importlib
import math
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import CellType, CodeType, FrameType, FunctionType
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Literal, take_current_trace

PACKAGES = frozenset(("jax", "jaxlib"))
"""JAX's own packages."""
_INDEXING = "jax._src.numpy.indexing"
_POLYMORPHIC = "jax._src.export.shape_poly"
DERIVING = "jax._src.interpreters.ad"
"""The module whose functions run what is differentiated: what is called there is written twice over, by rules of JAX's own."""
MOVING = frozenset(("matchaxis", "moveaxis"))
BATCHING = "jax._src.interpreters.batching"
"""The module whose functions of these names put the axis of a batch where it is asked for: no call of the author's."""
_COMPARING = PACKAGES | {__name__.partition(".")[0], "gfx_trace", "gfx_ir"}
"""The packages that know what JAX says of sizes that may be equal."""
_RULES = "shape_rule", "broadcast_shapes", "shapes_uncached", "broadcast_to", "typematch", "_einsum"
"""Ends of the names of functions of JAX that find the shape of a result, or whether two types are one."""
_HELPING = __name__, "jax._src.core"
"""The modules of the functions by which they compare sizes and shapes."""
_PATCHED = threading.RLock()
_SORTED_BY = 2**32 - 1
"""How many random numbers there are by which JAX sorts: so many that three times the bits of a size are drawn."""
_TESTED = (0, 10)
"""The versions of JAX whose names these are: of others each is looked at first."""


def equations() -> Any:
    """The list of equations that JAX writes at this point; None where it writes none, or writes them twice over, to differentiate."""
    with take_current_trace() as trace:
        while trace is not None:
            frame = getattr(trace, "frame", None)
            if frame is not None:
                return frame.tracing_eqns
            trace = trace.parent_trace if type(trace).__name__ == "BatchTrace" else None
    return None


def as_equations() -> AbstractContextManager[Any]:
    """While what no argument goes into is written as equations, too, also where jax.ensure_compile_time_eval computes it at once: what
    is made of open sizes alone cannot be computed."""
    state = getattr(importlib.import_module("jax._src.config"), "eager_constant_folding", None)
    return nullcontext() if state is None else state(False)


def lengths_of_arrays() -> AbstractContextManager[None]:
    """While jax.lax.scan finds how long it is at the arrays that it goes over, also where a library tells it that and it is open: of a
    length that it is told JAX asks for a number."""
    module = importlib.import_module("jax._src.lax.control_flow.loops")
    own: Any = getattr(module, "_infer_scan_length", None)

    def infer(xs: Any, avals: Any, length: Any) -> Any:
        if not jax.export.is_symbolic_dim(length) or any(x.shape[0] != length for x in xs):
            return own(xs, avals, length)
        return own(xs, avals, None) if xs else length

    return nullcontext() if own is None else _replaced(module, _infer_scan_length=infer)


def ranges_of_floats() -> AbstractContextManager[None]:
    """While jnp.arange takes whole floats beside open sizes, as in `jnp.arange(1.0, n + 1)`; JAX's own takes whole numbers alone there."""
    module = importlib.import_module("jax._src.numpy.lax_numpy")
    own: Any = getattr(module, "_arange", None)

    def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None, **options: Any) -> Any:
        ends = start, stop, step
        if any(map(jax.export.is_symbolic_dim, ends)) and any(isinstance(end, float) for end in ends):
            dtype = jax.numpy.result_type(float) if dtype is None else dtype
            start, stop, step = (int(end) if isinstance(end, float) and end.is_integer() else end for end in ends)
        return own(start, stop, step, dtype, **options)

    return nullcontext() if own is None else _replaced(module, _arange=arange)


def permutations_of_sizes() -> AbstractContextManager[None]:
    """While jax.random.permutation takes an open size, or an array with one. It sorts by random numbers, for arrays of more than 1625
    elements twice: which holds for a size is asked as code asks that compares it."""
    module = importlib.import_module("jax._src.random.core")
    own, core = getattr(module, "_shuffle", None), getattr(module, "core", None)
    if own is None or core is None:
        return nullcontext()

    def shuffle(key: Any, x: Any, axis: int) -> Any:
        if not jax.export.is_symbolic_dim(x.size):
            return own(key, x, axis)
        rounds = 1
        while x.size > int(_SORTED_BY ** (rounds / 3)):
            rounds += 1
        for _ in range(rounds):
            key, drawn = jax.random.split(key)
            _, x = jax.lax.sort_key_val(jax.random.bits(drawn, x.shape), x, axis)
        return x

    return _replaced(module, _shuffle=shuffle, core=_SizesAsTheyAre(core))


class _SizesAsTheyAre:
    """JAX's own names, of which what makes a number of an argument leaves an open size as it is."""

    def __init__(self, core: Any) -> None:
        self._core = core

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)

    def concrete_or_error(self, force: Any, value: Any, context: str = "") -> Any:
        """The number that a value is; an open size."""
        return value if jax.export.is_symbolic_dim(value) else self._core.concrete_or_error(force, value, context)


def sizes_of_axes() -> AbstractContextManager[None]:
    """While jax.lax.psum of a number over an axis of open size, which jax.lax.pmean divides by, is that many times the number; JAX's own
    makes a number of Python's of the size."""
    module = importlib.import_module("jax._src.lax.lax")
    own: Any = getattr(module, "_const", None)

    def constant(example: Any, value: Any) -> Any:
        if not jax.export.is_symbolic_dim(value):
            return own(example, value)
        return value if type(example) is int else jnp.asarray(value).astype(jnp.result_type(example))

    return nullcontext() if own is None else _replaced(module, _const=constant)


def equality_asked(
    answer: Callable[[Any, bool, bool], bool | None] = lambda apart, by_author, must: None,
) -> AbstractContextManager[None]:
    """While code beside JAX's own and ours that asks whether open sizes are equal, or 0 as `if n:` does, gets an error where that hangs on
    them, as for `<`: JAX says that they differ. So does JAX's own where it asks for the rest of a division, as `jnp.packbits` does.
    `answer` says it before, where it is not None, of what lies between two sizes, whether code beside JAX's own asks, and whether it must
    know, as that code does and JAX's rules of shapes do."""
    dims: Any = getattr(importlib.import_module(_POLYMORPHIC), "_DimExpr", None)
    if dims is None:
        return nullcontext()
    own = dims.__eq__

    def equal(a: Any, b: Any, frame: FrameType) -> bool:
        module = frame.f_globals.get("__name__", "")
        rest = (
            isinstance(b, int) and module != dims.__module__ and str(a).startswith("mod(") and not _calls(frame)
        )  # what JAX's caches in C compare, nobody asks
        knows = module.partition(".")[0] in _COMPARING and not rest
        if own(a, b) or not isinstance(b, (int, dims)) or module == dims.__module__ or frame.f_code.co_name == "__eq__":
            return bool(own(a, b))
        apart = a - b if isinstance(b, int) or a.scope is b.scope else 1
        if isinstance(apart, int):  # T and T - 1 differ, whatever T is
            return False
        found = answer(apart, not knows, not knows or _by_rule(frame))
        if found is not None or knows:
            return bool(found)
        return not (a < b or a > b)

    return _replaced(
        dims,
        __eq__=lambda a, b: equal(a, b, sys._getframe(1)),
        __ne__=lambda a, b: not equal(a, b, sys._getframe(1)),
        __bool__=lambda a: not equal(a, 0, sys._getframe(1)),
    )


def _calls(frame: FrameType) -> bool:
    """Whether code is at a call just now: what is compared meanwhile is compared in C."""
    return "CALL" in dis.opname[frame.f_code.co_code[frame.f_lasti]]


def _by_rule(frame: FrameType | None) -> bool:
    """Whether JAX asks by a rule for which some sizes have to be equal; what the rule calls besides may ask without such a need, as
    `shape == other` does of first sizes where there are fewer of the one."""
    while frame is not None and not (name := frame.f_code.co_name).endswith(_RULES):
        if not name.startswith("<") and frame.f_globals.get("__name__") not in _HELPING:
            return False
        frame = frame.f_back
    return frame is not None


def number_asked(answer: Callable[[Any], int | None]) -> AbstractContextManager[None]:
    """While code beside JAX's own and ours that takes an open size for a number, as `range(n)` and `np.sqrt(n)` do, gets that of
    `answer(size)`; None: the error that it gets else."""
    dims: Any = getattr(importlib.import_module(_POLYMORPHIC), "_DimExpr", None)
    if dims is None:
        return nullcontext()
    own = dims.__int__

    def number(size: Any) -> int:
        module = sys._getframe(2).f_globals.get("__name__", "")
        found = None if module.partition(".")[0] in _COMPARING else answer(size)
        if found is None:
            raise TypeError(f"{type(size).__name__!r} object cannot be interpreted as an integer")
        return found

    def of(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda size: function(number(size))

    def whole(size: Any) -> int:
        module = sys._getframe(1).f_globals.get("__name__", "")
        found = None if module.partition(".")[0] in _COMPARING else answer(size)
        return own(size) if found is None else found

    functions = {name: of(getattr(math, name)) for name in ("sqrt", "log", "log2", "exp", "floor", "ceil")}
    return _replaced(dims, __int__=whole, __index__=of(int), __float__=of(float), **functions)


@contextmanager
def paths_of_sizes(answer: Callable[[Any], int | None]) -> Iterator[None]:
    """While jnp.einsum finds the order of its products for the sizes `answer(size)`; JAX's own takes each open size for 8, and says that
    it is no other number."""
    dims: Any = getattr(importlib.import_module(_POLYMORPHIC), "_DimExpr", None)
    paths: Any = getattr(importlib.import_module("jax._src.numpy.einsum"), "_poly_einsum_handlers", {})
    own = paths.get(dims)

    def path(*operands: Any, **options: Any) -> Any:
        sized = [_with_sizes(x, answer) for x in operands]
        found, contractions = own(*sized, **options)
        return [operands[next(at for at, x in enumerate(sized) if x is one)] for one in found], contractions

    with _PATCHED:
        if own is not None:
            paths[dims] = path
        try:
            yield
        finally:
            if own is not None:
                paths[dims] = own


def _with_sizes(x: Any, answer: Callable[[Any], int | None]) -> Any:
    """What stands for an array, of the sizes that `answer` tells; what is no array as it is."""
    if not hasattr(x, "dtype"):
        return x
    known = (None if isinstance(size, int) else answer(size) for size in x.shape)
    return jax.ShapeDtypeStruct([size if at is None else at for size, at in zip(x.shape, known)], x.dtype)


def arrays_made(note: Callable[[Any], None]) -> AbstractContextManager[None]:
    """While `note` gets each open size that becomes an array, as beside a float."""
    dims: Any = getattr(importlib.import_module(_POLYMORPHIC), "_DimExpr", None)
    own = getattr(dims, "__jax_array__", None)
    if own is None:
        return nullcontext()

    def array(size: Any) -> Any:
        note(size)
        return own(size)

    return _replaced(dims, __jax_array__=array)


def order_asked(answer: Callable[[Any], bool | None]) -> AbstractContextManager[None]:
    """While `answer(what lies between two open sizes)` says whether that is 0 or more, where JAX does not know; None: nor does it."""
    module = importlib.import_module(_POLYMORPHIC)
    own: Any = getattr(module, "_geq_decision", None)

    def decided(a: Any, b: Any, text: Any) -> bool:
        try:
            return bool(own(a, b, text))
        except jax.errors.InconclusiveDimensionOperation:
            found = answer(a - b)
            if found is None:
                raise
            return found

    return nullcontext() if own is None else _replaced(module, _geq_decision=decided)


def bounds_asked(answer: Callable[[Any], tuple[int | None, int | None] | None]) -> AbstractContextManager[None]:
    """While the bounds of an open size are those of `answer(size)`, where it is not None."""
    module = importlib.import_module(_POLYMORPHIC)
    own: Any = getattr(module, "_bounds_decision", None)

    def decided(size: Any, precision: Any) -> tuple[float, float]:
        found = answer(size) if jax.export.is_symbolic_dim(size) else None
        if found is None:
            low, high = own(size, precision)
            return low, high
        return -math.inf if found[0] is None else found[0], math.inf if found[1] is None else found[1]

    return nullcontext() if own is None else _replaced(module, _bounds_decision=decided)


@contextmanager
def _replaced(owner: Any, **new: Any) -> Iterator[None]:
    """While attributes of a module or class of JAX's are these; one thread at a time has them so."""
    with _PATCHED:
        own = {name: vars(owner).get(name) for name in new}
        try:
            for name, value in new.items():
                setattr(owner, name, value)
            yield
        finally:
            for name, value in own.items():
                if value is None:  # it had none
                    delattr(owner, name)
                else:
                    setattr(owner, name, value)


@contextmanager
def calling(wrapper: Any, new: Callable[..., Any]) -> Iterator[None]:
    """While a public function of JAX, from wherever it is called, calls `new` in the place of its own code."""
    held = dict(zip(wrapper.__code__.co_freevars, wrapper.__closure__ or ()))
    cell = held.get("fun", CellType())
    with _PATCHED:
        own, cell.cell_contents = getattr(cell, "cell_contents", None), new
        try:
            yield
        finally:
            cell.cell_contents = own


def gradient_of() -> Any:
    """The function that jax.value_and_grad derives, where that calls what asks; else None."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") == "jax._src.traceback_util":
        frame = frame.f_back
    return frame.f_locals.get("fun") if frame is not None and frame.f_code.co_name == "value_and_grad_f" else None


def compared(scope: jax.export.SymbolicScope) -> list[Any]:
    """Expressions of open sizes of which JAX has asked on which side of 0 they are: those by which code compares sizes."""
    return list(getattr(scope, "_bounds_cache", ()))


def defined(written: Iterable[Any]) -> list[Any]:
    """The variables that equations define, those left out that JAX has dropped by now."""
    alive = (eqn() if isinstance(eqn, weakref.ReferenceType) else eqn for eqn in written)
    return [var for eqn in alive if eqn is not None for var in eqn.outvars]


def variable(tracer: Any) -> Any:
    """The variable of a jaxpr that an array stands for while JAX traces, be it for all items of a batch; None: a number, or data."""
    while type(tracer).__name__ == "BatchTracer":
        tracer = tracer.val
    found = tracer.val if type(tracer).__name__ == "DynamicJaxprTracer" else None
    return None if isinstance(found, Literal) else found


def batched(tracer: Any) -> bool:
    """Whether an array stands for one item of a batch."""
    return type(tracer).__name__ == "BatchTracer"


def plainly_traced(x: Any) -> bool:
    """Whether an array is data, or stands for one while JAX traces, without a batch or a derivative."""
    return not isinstance(x, jax.core.Tracer) or type(x).__name__ == "DynamicJaxprTracer"


def in_front(x: Any) -> bool:
    """Whether the axes of the batches that x stands for one item of, if any, are the first ones, the outermost in front."""
    while type(x).__name__ == "BatchTracer":
        if x.batch_dim != 0:
            return False
        x = x.val
    return True


def code_of(f: Any) -> CodeType | None:
    """The code that the call of a function begins with: of one that jax.jit compiled, that of the author's function."""
    while not isinstance(f, FunctionType):
        if not hasattr(f, "__wrapped__"):
            return None
        f = f.__wrapped__
    return f.__code__


@functools.cache
def hooks() -> dict[CodeType, str]:
    """The code by which JAX calls what is no plain function, by what it says of the call; nothing where JAX has other names for these."""
    try:
        compiled: Any = jax.jit(lambda x: x)
        found = {
            _inner(compiled._cache_miss).__code__: "compiled",
            type(jnp.add).__call__.__code__: "object",
            _inner(jax.custom_jvp.__call__).__code__: "object",
            importlib.import_module(_INDEXING).rewriting_take.__code__: "item",
        }
        jax.make_jaxpr(_probe)(jnp.zeros(2))
    except (AttributeError, ImportError, AssertionError):
        if jax.__version_info__[:2] == _TESTED:
            raise
        return {}
    return found


def _probe(x: Any) -> Any:
    before = len(equations())
    y = jnp.sin(x)
    assert variable(y) in defined(equations()[before:])
    return y


def _inner(f: Any) -> Any:
    while hasattr(f, "__wrapped__"):
        f = f.__wrapped__
    return f
