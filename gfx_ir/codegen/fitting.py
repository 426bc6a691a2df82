"""What was written in place keeps its shape: where that is open, the source checks it as the author's own line did."""

from __future__ import annotations

from collections.abc import Callable, Container

from ..graph import Graph, Node, Value
from ..infer.shaped import growing
from ..op import lookup


def keep_shapes(graph: Graph, in_place: Container[str], is_spare: Callable[[Value], bool], rules: str) -> None:
    """Broadcast what may be larger to the shape of what it was written over, which raises; where the target's own line writes
    `in_place`, by these ops, it raises itself."""
    for node in growing(graph, rules):
        over, made = node.args[0], node.value
        if node.op.name in in_place and sum(over.uses.values()) == 1 and is_spare(over):
            continue
        if all(user.op.name == "index_put" and user.arg("value") is made for user in made.users()):
            continue  # which takes no more axes than it has
        block, behind = node.graph, node.next
        assert block is not None
        shape = block.insert(Node(lookup("shape"), (over,), None, node.span), behind)
        fits = block.insert(Node(lookup("broadcast_to"), (made, shape.value), None, node.span), behind)
        made.replace_by(fits.value)
        fits.set_args((made, shape.value))
        fits.value.name, fits.value.type, made.name = made.name, made.type, None
        node.in_place = False
