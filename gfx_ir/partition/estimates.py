"""What nodes cost, at any level: sizes that are not known count as a nominal one."""

from __future__ import annotations

from typing import Any

from .. import host
from ..errors import GfxError
from ..graph import Node, Value
from ..host import Dim, Expr, atoms
from ..program import Program
from ..runtime.device import Device
from ..types import LogicalTensor

NOMINAL = 64
"""What an open size counts as."""


def number(size: Any) -> int:
    """A size expression with the nominal size for what is open in it."""
    if isinstance(size, (Dim, Expr)):
        return int(host.evaluate(size, {dim.name: NOMINAL for dim in atoms(size) if isinstance(dim, Dim)}))
    return int(size) if size is not None else NOMINAL * NOMINAL


def operations(node: Node, program: Program) -> int:
    """Floating-point operations of a node, and of what it holds or calls."""
    try:
        return number(node.compute_estimate(program.promotion, program))
    except (GfxError, TypeError, ValueError):  # its types are open
        return NOMINAL * NOMINAL


def bytes_of(value: Value) -> int:
    """Bytes of what a value holds."""
    if not value.is_tensor:
        return 8
    type_ = value.type if isinstance(value.type, LogicalTensor) else LogicalTensor()
    width = type_.dtype.itemsize if type_.dtype is not None else 4
    if type_.dims is None:
        return width * NOMINAL * NOMINAL
    size = 1
    for dim in type_.dims:
        size *= NOMINAL if dim is None else number(dim)
    return width * size


def seconds(node: Node, program: Program, device: Device) -> float:
    """What a device takes for a node."""
    return device.rates.call + operations(node, program) / device.rates.operations


def transfer(value: Value, source: Device, target: Device) -> float:
    """What it takes to bring a value from one device to another."""
    if source is target:
        return 0.0
    slower = min(source.rates.bandwidth, target.rates.bandwidth)
    return source.rates.transfer + target.rates.transfer + bytes_of(value) / slower
