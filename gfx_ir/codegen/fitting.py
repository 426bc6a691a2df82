"""What was written in place keeps its shape and dtype: where the target's own line does not see to it, the source does."""

from __future__ import annotations

from collections.abc import Callable

from ..edited import take_place
from ..graph import Graph, Node, Value
from ..infer.elements import declared, named
from ..infer.shaped import growing
from ..op import OpDef, Trait, lookup


def keep_shapes(
    graph: Graph, writes: Callable[[OpDef], bool] | None, is_spare: Callable[[Value], bool], rules: str
) -> None:
    """Broadcast what may be larger to the shape of what it was written over, which raises; where the target's own line writes
    in place (`writes`), it raises itself, and needs no cast to the array's dtype."""
    if writes is not None:
        for cast in [node for node in graph.walk() if node.op.traits & Trait.CASTS]:
            _leave_out(cast, writes, is_spare)
    for node in growing(graph, rules):
        over, made = node.args[0], node.value
        if writes is not None and writes(node.op) and sum(over.uses.values()) == 1 and is_spare(over):
            continue
        if all(user.op.traits & Trait.WRITES_AT and user.arg("value") is made for user in made.users()):
            continue  # which takes no more axes than it has
        block, behind = node.graph, node.next
        assert block is not None
        shape = block.insert(Node(lookup("shape"), (over,), None, node.span), behind)
        fits = block.insert(Node(lookup("broadcast_to"), (made, shape.value), None, node.span), behind)
        made.replace_by(fits.value)
        fits.set_args((made, shape.value))
        fits.value.name, fits.value.type, made.name = made.name, made.type, None
        node.in_place = False


def _leave_out(cast: Node, writes: Callable[[OpDef], bool], is_spare: Callable[[Value], bool]) -> None:
    """Take out a cast to the dtype of an array that the line before writes in place."""
    node, told = cast.args[0].node if type(cast.args[0]) is Value else None, cast.arg("dtype")
    if node is None or not node.in_place or not writes(node.op) or sum(cast.args[0].uses.values()) != 1:
        return
    over, asked = node.args[0], told.node if type(told) is Value else None
    if over.node.graph is not node.graph or not is_spare(over):
        return
    if asked is not None and asked.args[:1] == (over,) and told.uses == {cast: 1}:
        uses = 2
    elif asked is None and told in (declared(over), named(over.node)):
        uses = 1
    else:
        return
    if sum(over.uses.values()) == uses:
        made = node.value
        take_place([made], [cast.value])
        for done in (cast, asked):
            if done is not None and done.graph is not None:
                done.graph.erase(done)
