"""Dtypes that a target has in name alone: which of its functions take them is asked, one call each."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ...backend import Backend
from ...dtypes import int64
from ...edited import cast_behind
from ...errors import UnsupportedConstruct
from ...graph import Graph, Node, Value
from ...infer.elements import declared
from ...passes.numbers_beside import as_dtype
from ...program import Program
from ...trees import leaves, tree_map
from ...types import LogicalTensor
from .base import Emission, Lowering


class LackingDtypes(Lowering):
    """Dtypes that the target has in name alone: what is computed element by element is in wider ones, and all else is refused."""

    name = "lacking_dtypes"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Raise UnsupportedConstruct where the target computes nothing of the dtype of an argument."""
        backend = emission.backend
        if not backend.lacks or program.flavour == backend.name:
            return
        for node in list(graph.walk()):
            lacking = next((name for leaf in leaves(node.args) if (name := _dtype(leaf)) in backend.lacks), None)
            if lacking is not None and not node.regions and not _computes(node, backend):
                if _widened(node, backend):
                    continue
                what = f"GFX cannot write this {node.op.name} of {lacking} as {backend.name} source, which has none"
                raise UnsupportedConstruct(what, node.span, "compute with int64, or run it as NumPy or JAX source")


def _dtype(leaf: Any) -> str | None:
    known = leaf.type if type(leaf) is Value else None
    return known.dtype.name if isinstance(known, LogicalTensor) and known.dtype is not None else None


def _widened(node: Node, backend: Backend) -> bool:
    """Compute an op with whole numbers of 64 bits, which hold those of fewer, and make its result as narrow again: these are
    unsigned, so that no op of bits sees another bit. Whether that is done: not where the result's dtype is open, and not of an
    op with a body, which may ask how wide they are."""
    result = declared(node.values[0])
    given = dict.fromkeys(leaf for leaf in leaves(node.args) if type(leaf) is Value and _dtype(leaf) in backend.lacks)
    narrow = all((dtype := declared(value)) is not None and dtype.bits < int64.bits for value in given)
    if result is None or not narrow or node.op.composite or len(node.values) != 1:
        return False
    for value in given:
        node.replace_input(value, as_dtype(node, value, int64))
    if result.kind in "iu":
        cast_behind(node, result)
        node.value.type = dataclasses.replace(node.value.type, dtype=int64)  # type: ignore[type-var]
    return True


def _computes(node: Node, backend: Backend) -> bool:
    """Whether the target's function runs on small arrays like those of a node; where these tell nothing, it does."""
    try:
        _run_small(node, backend, wide=False)
    except NotImplementedError:
        return False
    except Exception:
        try:
            _run_small(node, backend, wide=True)
        except Exception:  # of sizes and positions, which are not those of the call
            return True
        return False
    return True


def _run_small(node: Node, backend: Backend, wide: bool) -> None:
    """Run the target's function on small arrays; `wide`: of 64 bits where it lacks a dtype."""

    def small(leaf: Any) -> Any:
        if type(leaf) is not Value:
            return leaf
        known = leaf.type
        if not isinstance(known, LogicalTensor) or known.dtype is None:
            return 1
        dtype = int64 if wide and known.dtype.name in backend.lacks else known.dtype
        return backend.from_host(np.ones((2,) * (known.rank or 0), dtype.numpy))

    backend.run(node.op, tree_map(small, node.args))
