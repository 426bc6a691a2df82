"""Levels of a program: `bind` types its arguments (Level 1), `infer` all values that do not hang on data (Level 2)."""

from __future__ import annotations

from typing import Any

from .. import host
from ..copies import copy_program
from ..errors import ShapeError
from ..graph import Value
from ..pause import collection_paused
from ..program import Guard, Parameter, Program
from ..trees import leaves, paths
from ..types import LogicalTensor, TensorSpec
from .walk import Site, Walk, record

_PLAIN: dict[str, Any] = {"int": int, "float": (int, float), "bool": bool, "str": str}


@collection_paused()
def bind(program: Program, **specs: Any) -> Program:
    """A new program at Level 1, for arguments of these types, with a guard for each.

    A spec is a LogicalTensor or TensorSpec, for an argument that is a tree a tree of them, for an open host argument
    its value. Raises ShapeError where there is no such argument, or where the capture admits no such type.
    """
    out = copy_program(program)
    arguments = {p.name: p for p in out.signature}
    for value in out.entry.placeholders:
        if not out.signature and value.name:
            arguments[value.name] = Parameter(value.name, value)
    for name, spec in specs.items():
        if name not in arguments:
            hint = f"there are: {', '.join(arguments) or 'none'}"
            raise ShapeError(f"{out.entry.name!r} has no argument {name!r}", hint=hint)
        _bind(out, arguments[name], spec)
    out.level = max(out.level, 1)
    return out


def _bind(program: Program, parameter: Parameter, spec: Any) -> None:
    targets, given = list(paths(parameter.tree)), list(leaves(spec))
    if len(targets) != len(given):
        raise ShapeError(f"argument {parameter.name!r} holds {len(targets)} values, and {len(given)} specs are given")
    for (path, value), one in zip(targets, given):
        subject = ".".join(map(str, (parameter.name, *path)))
        if type(value) is not Value:
            raise ShapeError(f"argument {subject!r} is fixed to {value!r}", hint="capture again without a value for it")
        guard = _typed(value, one.logical() if isinstance(one, TensorSpec) else one, subject)
        program.guards = [g for g in program.guards if (g.kind, g.subject) != (guard.kind, subject)] + [guard]
        # A default of None does not count for an argument that is now known to be a tensor.
        if value.kind == "optional":
            value.kind = "tensor"


def _typed(value: Value, spec: Any, subject: str) -> Guard:
    if not value.is_tensor:
        plain = _PLAIN.get(value.kind)
        if plain is None or not isinstance(spec, plain) or (isinstance(spec, bool) and value.kind != "bool"):
            raise ShapeError(f"argument {subject!r} is a host value of kind {value.kind}, not {spec}")
        value.type = spec
        return Guard("value", subject, spec)
    if not isinstance(spec, LogicalTensor):
        hint = "give gfx.TensorSpec(shape, dtype); for a fixed value capture again with it"
        raise ShapeError(f"argument {subject!r} is a tensor, not {spec!r}", hint=hint)
    value.type = _refined(value.type or LogicalTensor(), spec, subject)
    return Guard("type", subject, str(value.type))


def _refined(known: LogicalTensor, spec: LogicalTensor, subject: str) -> LogicalTensor:
    """The spec, completed by what the capture knows already. Raises ShapeError where the two contradict each other."""
    both = known.dims is not None and spec.dims is not None
    pairs = list(zip(known.dims or (), spec.dims or ())) if both else []
    ranks = both and len(known.dims or ()) != len(spec.dims or ())
    dtypes = known.dtype is not None and spec.dtype is not None and known.dtype != spec.dtype
    if ranks or dtypes or any(host.same(a, b) is False for a, b in pairs):
        raise ShapeError(f"argument {subject!r} was captured as {known}, so it cannot be {spec}")
    dims = spec.dims if spec.dims is not None else known.dims
    if both:
        dims = tuple([a if b is None else b for a, b in pairs])
    return spec.with_(dtype=spec.dtype or known.dtype, dims=dims)


@collection_paused()
def infer(program: Program) -> Program:
    """A new program at Level 2: with the type of every value that does not hang on data.

    Raises ShapeError, which names node, op, shapes and the user's line, where types do not fit. What stands in a side
    of an open host test that is not taken for these types keeps no types.
    """
    out = copy_program(program)
    retype(out)
    return out


def retype(program: Program) -> None:
    """The same in place: the types of all values anew, from those of the arguments and the parameters. Raises ShapeError as `infer` does."""
    site = Walk(program, program.promotion).run(program.entry)
    for graph in (program.entry, *program.functions.values()):
        for node in graph.walk():
            for value in node.values:
                if node.op.infer is not None or node.op.body is not None or node.op.control is not None:
                    value.type = None
            for region in node.regions:
                for value in region.placeholders:
                    value.type = None
    record(site, program.promotion)
    program.level = 2


@collection_paused()
def sites(program: Program) -> Site:
    """The entry as it is called, with the types of all its values; `site.children` has what its nodes hold or call.

    One Graph that is called at several shapes has a site for each: `[site.type(value) for site in sites(program).walk()
    if site.graph is graph]`, where `value.type` keeps what they agree on. Raises ShapeError as `infer` does.
    """
    return Walk(program, program.promotion).run(program.entry)


__all__ = ["bind", "infer", "retype", "sites"]
