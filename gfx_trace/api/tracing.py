"""Tracer as its users have it: made without arguments, told what is a leaf, and asked to trace, also a model that is a pair of functions."""

from __future__ import annotations

import copy
import functools
import inspect
import types
from collections.abc import Mapping
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.errors import ArgumentError
from gfx_ir.graph import Graph
from gfx_ir.naming import snake
from gfx_ir.passes.outline import outline
from gfx_ir.pause import collection_paused
from gfx_ir.probing import is_module, own_attribute
from gfx_ir.trees import tree_map
from gfx_ir.types import TensorSpec

from ..capture.capture import Captured, capture
from ..trace import tracer
from ..values.flavour import loaded_frameworks
from .program import Program
from .transpiled import Transpiled


class Tracer(tracer.Tracer):
    """Captures functions. Subclass it to say what is a leaf (`is_leaf`), what a function is captured for (`create_args_for_root`),
    and what it gets for an argument (`make_argument`).

    `Tracer().trace(root)` captures; so does `symbolic_trace(root, tracer=…)` of a class or an instance. What an instance holds, each
    capture has a shallow copy of.
    """

    def __init__(
        self,
        graph: Graph | None = None,
        backend: Backend | None = None,
        promotion: str = "",
        options: dict[str, Any] | None = None,
    ) -> None:
        if graph is not None:
            super().__init__(graph, backend, promotion, options)

    def create_args_for_root(self, root: Any, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        """What `root` is captured for, of what `trace` was given: specs, values, or nothing where an argument is to stay open."""
        return args, kwargs

    def trace(self, root: Any, *args: Any, kwargs: Mapping[str, Any] | None = None, **options: Any) -> Program:
        """A Program of a function or model; see `symbolic_trace` for arguments, options and errors."""
        args, named = self.create_args_for_root(root, args, dict(kwargs or {}))
        return captured(root, args, named, {**options, "tracer": self})

    def _begin(self, graph: Graph, backend: Backend | None, promotion: str, options: dict[str, Any]) -> tracer.Tracer:
        """Another of its kind, at work on a graph."""
        begun = copy.copy(self)
        tracer.Tracer.__init__(begun, graph, backend, promotion, options)
        return begun


def captured(target: Any, args: tuple, kwargs: dict[str, Any], options: dict[str, Any]) -> Program:
    """Capture with these options; see `symbolic_trace`. What was captured already is that, for arguments of these types."""
    program = target.program if isinstance(target, Transpiled) else target
    if isinstance(program, Program):
        return _again(program, args, kwargs)
    target, kwargs = applied(target, kwargs)
    asked, made = options.pop("backend", None), options.pop("tracer", tracer.Tracer)
    make = made._begin if isinstance(made, Tracer) else made
    with collection_paused():
        found: Captured = capture(target, args, kwargs, asked=asked, tracer_class=make, **options)
        return Program.of(outline(found.program), found)


def _again(program: Program, args: tuple, kwargs: dict[str, Any]) -> Program:
    """A program of its own, bound to what is given; promotion, flavour and guards are kept."""
    try:
        given = program.binding.signature.bind_partial(*args, **kwargs).arguments
    except TypeError as error:
        raise ArgumentError(f"{program.entry.name!r} is not captured for these arguments: {error}") from None
    return program.bind(**{name: tree_map(_spec, value) for name, value in given.items()})


def _spec(leaf: Any) -> Any:
    """The type of an array; what is none, as it is."""
    for owner in loaded_frameworks():
        if owner.is_tensor(leaf):
            return owner.type_of(leaf)
    return leaf.logical() if isinstance(leaf, TensorSpec) else leaf


_RANDOM = "rng"
"""What an `apply` calls the argument for its source of random numbers; None where it draws none."""


def applied(target: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """(`target.apply` with its leading arguments bound, the other keywords) where the keywords name the first of these: `variables`,
    or `params` and `state`. Any other target as it is."""
    apply = own_attribute(target, "apply")
    if (
        isinstance(target, type)
        or is_module(target)
        or not (callable(apply) and callable(own_attribute(target, "init")))
    ):
        return target, kwargs
    left, bound = dict(kwargs), list[Any]()
    for name in inspect.signature(apply).parameters:
        if name not in left and not (bound and name == _RANDOM):
            break
        bound.append(left.pop(name, None))
    return (_as_called(target, functools.partial(apply, *bound), left), left) if bound else (target, kwargs)


def _as_called(target: Any, made: functools.partial, kwargs: dict[str, Any]) -> functools.partial:
    """`apply`, with the name of the model and the signature that its author gave its call, where that is all that it is asked for."""
    call = own_attribute(type(target), "__call__")
    if not isinstance(call, types.FunctionType):
        return made
    signature = inspect.signature(call)
    own = list(signature.parameters.values())[1:]
    if kwargs.keys() <= {parameter.name for parameter in own}:
        vars(made)["__signature__"] = signature.replace(parameters=own)
        vars(made)["__name__"] = snake(type(target).__name__, type(target).__module__)
    return made
