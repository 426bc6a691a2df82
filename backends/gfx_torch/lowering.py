"""Type promotion where PyTorch has none: what takes tensors of one dtype gets them in that of its result."""

from __future__ import annotations

from gfx_ir.codegen.prepare import LOWERINGS
from gfx_ir.codegen.prepare.base import Emission, Lowering
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.infer.elements import declared
from gfx_ir.passes.numbers_beside import as_dtype
from gfx_ir.program import Program
from gfx_ir.trees import leaves


class OneDtype(Lowering):
    """Products and their like of several dtypes, which NumPy and JAX promote, and equations of whole numbers, which they solve as floats."""

    name = "one_dtype"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Cast what differs from the result, where dtypes are known."""
        if program.flavour == emission.backend.name:  # whose author's code is right as it is
            return
        for node in list(graph.walk()):
            row = emission.backend.rows.get(node.op.name)
            if row is not None and row.alike:
                _cast(node, [node.arg(name) for name in row.alike])


def _cast(node: Node, asked_of: list) -> None:
    """Cast tensors among the arguments of a node to the dtype of its result, but where that is truth: masks beside them stay as they are."""
    result = declared(node.values[0])
    given = dict.fromkeys(leaf for leaf in leaves(asked_of) if type(leaf) is Value and leaf.is_tensor)
    known = {value: declared(value) for value in given}
    if result is None or result.kind == "b" or None in known.values():
        return
    for value, dtype in known.items():
        if dtype != result:
            node.replace_input(value, as_dtype(node, value, result))


LOWERINGS.register(OneDtype)
