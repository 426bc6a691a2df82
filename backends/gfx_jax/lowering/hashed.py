"""Numbers that JAX hashes: where it takes Python's alone, those that it holds as arrays are read, which needs data at hand."""

from __future__ import annotations

from functools import partial
from typing import Any

from gfx_ir.codegen.prepare.base import Emission, Lowering
from gfx_ir.control import is_host
from gfx_ir.edited import put_before, set_arg
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.program import Program
from gfx_ir.trees import leaves, tree_map


class Hashed(Lowering):
    """An array without axes among the numbers that a function of the target hashes is read as Python's number."""

    name = "hashed"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Read such numbers in the graph and its regions."""
        for node in list(graph.walk()):
            row = emission.backend.rows.get(node.op.name)
            for name in row.hashed if row is not None else ():
                given = node.arg(name)
                if any(map(_is_data, leaves(given))):
                    set_arg(node, name, tree_map(partial(_read, node), given))


def _is_data(leaf: Any) -> bool:
    """Whether a number is an array, or is computed of one."""
    if type(leaf) is not Value:
        return False
    return leaf.is_tensor or (is_host(leaf.node) and any(map(_is_data, leaves(leaf.node.args[1]))))


def _read(node: Node, leaf: Any) -> Any:
    return put_before(node, "to_python", leaf, "int") if _is_data(leaf) else leaf
