"""register: ops and lifts that users add."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any, overload

from gfx_ir.additions import spelled
from gfx_ir.backend import Lift
from gfx_ir.errors import ArgumentError
from gfx_ir.loading import add_op, available, backend
from gfx_ir.op import REGISTRY, OpDef, active
from gfx_ir.public import named
from gfx_ir.rules import UNKNOWN
from gfx_ir.trees import leaves
from gfx_ir.types import LogicalTensor, TensorSpec

from ..values.flavour import loaded_frameworks

Spellings = str | Callable[..., Any]


@overload
def register(
    what: str, /, *, shape: Callable[..., Any] | None = None, outputs: int = 1, doc: str = "", **spellings: Spellings
) -> OpDef: ...
@overload
def register(what: Callable[..., Any], /) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...
def register(
    what: str | Callable[..., Any], /, *, shape: Callable[..., Any] | None = None, outputs: int = 1, doc: str = "",
    **spellings: Spellings,
) -> Any:  # fmt: skip
    """Teach GFX a function that it has no op for.

    `register("name(x, n=2)", torch=…, jax=…, numpy=…)` adds an op. For each backend it says how the op is written: a function, its
    dotted name ("package.module.function", called with the op's arguments in their order), or an expression over them
    ("package.function(x) * n"). Calls of these functions are captured as the op. NumPy's is the definition that the others
    are checked against. `shape` gives the result's type: a function of the arguments, tensors as LogicalTensor, that returns a
    LogicalTensor or TensorSpec (a tuple of them for several `outputs`); without it the type is not known.

    `@register(function)` over a Python function of the same arguments: calls of `function` are captured as that one.

    Raises ArgumentError where the name is taken, and for a function without a name that source could call it by.
    """
    if not isinstance(what, str):
        return _lifted(what)
    tree = _head(what)
    if tree.name in REGISTRY:
        raise ArgumentError(f"there is an op {tree.name!r} already", hint="`gfx ops` lists the catalogue")
    if not spellings:
        raise ArgumentError(f"{tree.name!r} is written for no backend", hint='give torch="package.function"')
    params = [arg.arg for arg in tree.args.args]
    for name in sorted(set(spellings) - set(available())):
        raise ArgumentError(f"there is no backend {name!r}", hint=f"installed: {', '.join(available())}")
    text, names = _reference(spellings.get("numpy"), params)
    op = OpDef(
        what, text, infer=_infer(shape, params, outputs), kinds=("tensor",) * outputs, family="user", doc=doc,
        namespace=names,
    )  # fmt: skip
    op.added = dict(spellings)
    return add_op(op)


def _reference(given: Spellings | None, params: list[str]) -> tuple[str | None, Mapping[str, Any]]:
    """The definition of an op in NumPy, and what its names mean."""
    if given is None:
        return None, {}
    owner = backend("numpy")
    made = spelled(given, params, owner.namespace, {}, partial(named, owner))
    return made.text, {**owner.namespace, **made.names}


def _head(signature: str) -> ast.FunctionDef:
    try:
        tree = ast.parse(f"def {signature}: pass").body[0]
    except SyntaxError:
        tree = None
    if not isinstance(tree, ast.FunctionDef) or tree.args.vararg or tree.args.kwarg or tree.args.kwonlyargs:
        raise ArgumentError(f"{signature!r} is no signature of an op", hint='write "name(x, n=2)"')
    return tree


def _infer(shape: Callable[..., Any] | None, params: list[str], outputs: int) -> Any:
    if shape is None:
        return None

    def infer(args: SimpleNamespace, rules: str) -> tuple:
        given = [getattr(args, name) for name in params]
        if any(isinstance(leaf, LogicalTensor) and leaf.dims is None for leaf in leaves(given)):
            return (UNKNOWN,) * outputs
        found = shape(*given)
        parts = found if isinstance(found, tuple) else (found,)
        return tuple(part.logical() if isinstance(part, TensorSpec) else part for part in parts)

    return infer


def _lifted(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Capture calls of a framework's function as those of a Python function."""
    package = str(getattr(function, "__module__", None) or type(function).__module__).partition(".")[0]
    owner = next((known for known in loaded_frameworks() if package in known.packages), None)
    if owner is None:
        raise ArgumentError(f"{function!r} is of no framework", hint="a function of your own is captured by its source")

    def decorate(instead: Callable[..., Any]) -> Callable[..., Any]:
        def lift(*args: Any, **kwargs: Any) -> Any:
            tracer: Any = active.builder
            return tracer.unwrap(tracer.calls.call(instead, tracer.wrap(args, owner), tracer.wrap(kwargs, owner)))

        owner.functions[function] = Lift(getattr(instead, "__name__", "f"), lift)
        return instead

    return decorate
