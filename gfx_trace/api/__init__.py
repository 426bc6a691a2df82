"""The five-line story: symbolic_trace, trace, transpile, check, load."""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any, overload

from gfx_ir import save as saving
from gfx_ir.errors import ArgumentError
from gfx_ir.loading import backend
from gfx_ir.op import active

from ..rewrite.tracebacks import users_frames
from ..trace.tracer import Tracer
from .program import Program
from .tracing import captured
from .transpiled import Transpiled

_OPTIONS = ("backend", "dynamic", "unroll", "strict", "promotion", "einops", "derive", "tracer")
LAYOUTS = {"nchw": (), "nhwc": ("channels_last", "shapes", "dead_code")}
"""Orders of the axes of images, and the passes that give a program this one."""
_EMIT_OPTIONS = ("unroll", "max_trips", "mode", "comments")


@users_frames
def symbolic_trace(target: Any, *args: Any, kwargs: Mapping[str, Any] | None = None, **target_kwargs: Any) -> Program:
    """Capture a function, method, callable or model as a Program, without running it on data.

    Arguments given fix or type what the capture stands for: an array or TensorSpec is a tensor of that type (`Dim`s and
    `dynamic=True` keep dims open), a plain value is fixed. Arguments not given stay open. Options: `backend` (whose semantics the
    function has: "torch", "jax", "numpy"), `dynamic`, `unroll`, `strict`, `promotion`, `einops` (its calls stay such, in source too), `derive`
    (what `jax.grad` computes comes in, not the call of it), `tracer` (a Tracer, or a subclass); an argument of such a name goes
    through `kwargs`.

    Raises CaptureError (what, file:line, the line, what to do) where the target cannot be captured, MissingOp for a call without a row.
    """
    options = {name: target_kwargs.pop(name) for name in _OPTIONS if name in target_kwargs}
    return captured(target, args, {**target_kwargs, **(kwargs or {})}, options)


class Traced:
    """A function captured at first use: called like the function, it runs the graph on the framework of its arguments."""

    def __init__(self, fn: Callable[..., Any], specialize: bool = False, **options: Any) -> None:
        functools.update_wrapper(self, fn)
        self.__wrapped__ = fn
        self._options, self._specialize = options, specialize
        self._lock = threading.RLock()
        self._program: Program | None = None
        self._special: dict[Any, Program] = {}

    @property
    @users_frames
    def program(self) -> Program:
        """The shape-free capture."""
        with self._lock:
            if self._program is None:
                self._program = captured(self.__wrapped__, (), {}, dict(self._options))
            return self._program

    @property
    def graph(self) -> Any:
        """The program's entry Graph."""
        return self.program.entry

    def source(self, target: str, **options: Any) -> str:
        """Standalone source for a target."""
        return self.program.source(target, **options)

    def to(self, target: str, **options: Any) -> Callable[..., Any]:
        """The function on the target's arrays."""
        return self.program.to(target, **options)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """The method of one object: captured for this object, and kept with it."""
        if instance is None or not hasattr(self.__wrapped__, "__get__"):
            return self
        kept, name = getattr(instance, "__dict__", {}), f"_traced_{self.__wrapped__.__name__}"
        found = kept.get(name)
        if (
            not isinstance(found, Traced) or getattr(found.__wrapped__, "__self__", None) is not instance
        ):  # a copy of the object has its own
            found = kept[name] = Traced(self.__wrapped__.__get__(instance, owner), self._specialize, **self._options)
        return found

    def __deepcopy__(self, memo: dict) -> Traced:
        return self

    def __reduce__(self) -> Any:
        owner = getattr(self.__wrapped__, "__self__", None)
        return self.__wrapped__.__qualname__ if owner is None else (getattr, (owner, self.__wrapped__.__name__))

    @users_frames
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the graph; inside of a function that is being captured, be captured with it."""
        if isinstance(active.builder, Tracer):
            return active.builder.calls.call(self.__wrapped__, args, kwargs)
        if not self._specialize:
            return self.program(*args, **kwargs)
        key = _signature_key((args, kwargs))
        with self._lock:
            if key not in self._special:
                self._special[key] = captured(self.__wrapped__, args, kwargs, dict(self._options))
        return self._special[key](*args, **kwargs)


def _signature_key(tree: Any) -> Any:
    if isinstance(tree, dict):
        return tuple((k, _signature_key(v)) for k, v in tree.items())
    if isinstance(tree, (tuple, list)):
        return (type(tree).__name__, *map(_signature_key, tree))
    shape = getattr(tree, "shape", None)
    if shape is not None:
        return type(tree).__name__, tuple(shape), str(tree.dtype)
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        return type(tree), *(_signature_key(getattr(tree, f.name)) for f in dataclasses.fields(tree))
    return type(tree).__name__, tree if isinstance(tree, Hashable) else repr(tree)


@overload
def trace(fn: Callable[..., Any], /) -> Traced: ...
@overload
def trace(
    *, backend: str | None = None, specialize: bool = False, **options: Any
) -> Callable[[Callable[..., Any]], Traced]: ...
def trace(
    fn: Callable[..., Any] | None = None, /, *, backend: str | None = None, specialize: bool = False, **options: Any
) -> Any:
    """Decorate a function: captured at first use, shape-free. `specialize=True` captures once per signature of the arguments."""
    if backend is not None:
        options["backend"] = backend
    if fn is None:
        return lambda function: Traced(function, specialize, **options)
    return Traced(fn, specialize, **options)


@users_frames
def transpile(
    target: Any,
    *args: Any,
    to: str,
    kwargs: Mapping[str, Any] | None = None,
    layout: str = "nchw",
    jit: bool = True,
    **target_kwargs: Any,
) -> Transpiled:
    """Capture a target and write it in another framework ("torch", "jax", "numpy"). Arguments and errors as for symbolic_trace.

    Calls are compiled whole where the target is JAX; `jit=False` runs them op by op. `layout`: "nchw", or "nhwc" for convolutions and
    pooling over (N, ..., C). Arguments and results keep their order of axes; kernels in `.params` are turned once. Raises ArgumentError
    for another layout, and where the shapes that it takes are not known.
    """
    emit_options = {name: target_kwargs.pop(name) for name in _EMIT_OPTIONS if name in target_kwargs}
    program = target if isinstance(target, Program) else target.program if isinstance(target, Traced) else None
    if program is None:
        if "unroll" in emit_options:
            target_kwargs["unroll"] = emit_options["unroll"]
        target_kwargs.setdefault("derive", backend(to).transforming("grad") is None)
        program = symbolic_trace(target, *args, kwargs=kwargs, **target_kwargs)
    elif args or kwargs or target_kwargs:
        hint = "give them to symbolic_trace, or use bind(...) and infer()"
        raise ArgumentError(f"{program.entry.name!r} is captured already, and takes no more arguments", hint=hint)
    return Transpiled(in_layout(program, layout), to, emit_options, jit)


def in_layout(program: Program, layout: str) -> Program:
    """The program with its convolutions and pooling over axes in this order: "nchw" or "nhwc"."""
    passes = layout_passes(program, layout)
    return program.infer().optimized(*passes) if passes else program


def layout_passes(program: Program, layout: str) -> tuple[str, ...]:
    """The passes that turn a program, once it is inferred, to a layout. Raises ArgumentError where its arguments have no shapes."""
    if layout not in LAYOUTS:
        raise ArgumentError(f"{layout!r} is no layout", hint=f"layout= is one of {', '.join(LAYOUTS)}")
    open_ = any(value.is_tensor and value.type is None for value in program.entry.placeholders)
    if LAYOUTS[layout] and open_:
        raise ArgumentError(f"the layout {layout!r} needs the shapes of the arguments", hint="give them at capture")
    return LAYOUTS[layout]


@users_frames
def load(path: str | Path) -> Program:
    """Read back what `Program.save` wrote. Runs no code. Raises FormatError where the file is unreadable or was tampered with."""
    return Program.of(saving.load(path))
