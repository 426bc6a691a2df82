"""Slicing back from what later calls find to the open sizes of arguments that it hangs on."""

from __future__ import annotations

from gfx_ir.graph import Value, values_in
from gfx_ir.host import Dim, Expr, atoms
from gfx_ir.types import LogicalTensor

from ..interfaces import Capturing
from ..values.open_keys import KeyWanted


def keep(tracer: Capturing, found: Value) -> None:
    """Raises KeyWanted where what a later call finds hangs on sizes of one array that was given."""
    asked = wanted(tracer, found)
    if asked is not None:
        raise asked


def wanted(tracer: Capturing, found: Value) -> KeyWanted | None:
    """What asks for the sizes of one array that was given, which `dynamic` alone has opened, where what a later call finds hangs on
    them: it is the same for every call that has the size of the example."""
    dims = _dims(found)
    for argument in tracer.assumed.given:
        type_ = argument.type
        axes = [axis for axis, dim in enumerate(type_.dims or ()) if type(dim) is Dim and dim in dims]
        if axes:
            return KeyWanted(argument.node.args[0], *axes)
    return None


def _dims(host: Value) -> set[Dim]:
    """The dims that a host value is computed of. Of a tensor's sizes those that are unknown hang on other dims than the known ones."""
    waiting, seen, found, apart = [host], set[Value](), set[Dim](), set[Dim]()
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        sizes = value.type.dims if isinstance(value.type, LogicalTensor) else (value.type,)
        known = {dim for size in sizes or () if isinstance(size, (Dim, Expr)) for dim in atoms(size)}
        if sizes is None or None in sizes:
            apart |= known
            inner = bool(value.node.regions)  # what its regions make of tensors is another of its values
            waiting += [given for given in values_in(value.node.args) if not (inner and given.is_tensor)]
        else:
            found |= known
    return found - apart
