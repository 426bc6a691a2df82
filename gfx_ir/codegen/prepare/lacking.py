"""Dtypes that a target has in name alone: which of its functions take them is asked, one call each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backend import Backend
from ...errors import UnsupportedConstruct
from ...graph import Graph, Node, Value
from ...program import Program
from ...trees import leaves, tree_map
from ...types import LogicalTensor
from .base import Emission, Lowering


class LackingDtypes(Lowering):
    """Dtypes are refused that the target has in name alone."""

    name = "lacking_dtypes"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Raise UnsupportedConstruct where the target computes nothing of the dtype of an argument."""
        backend = emission.backend
        if not backend.lacks or program.flavour == backend.name:
            return
        for node in graph.walk():
            lacking = next((name for leaf in leaves(node.args) if (name := _dtype(leaf)) in backend.lacks), None)
            if lacking is not None and not node.regions and not _computes(node, backend):
                what = f"GFX cannot write this {node.op.name} of {lacking} as {backend.name} source, which has none"
                raise UnsupportedConstruct(what, node.span, "compute with int64, or run it as NumPy or JAX source")


def _dtype(leaf: Any) -> str | None:
    known = leaf.type if type(leaf) is Value else None
    return known.dtype.name if isinstance(known, LogicalTensor) and known.dtype is not None else None


def _computes(node: Node, backend: Backend) -> bool:
    """Whether the target's function runs on small arrays like those of a node; where these tell nothing, it does."""

    def small(leaf: Any) -> Any:
        if type(leaf) is not Value:
            return leaf
        known = leaf.type
        if not isinstance(known, LogicalTensor) or known.dtype is None:
            return 1
        return backend.from_host(np.ones((1,) * (known.rank or 0), known.dtype.numpy))

    try:
        backend.run(node.op, tree_map(small, node.args))
    except NotImplementedError:
        return False
    except Exception:  # of sizes and positions, which are not those of the call
        return True
    return True
