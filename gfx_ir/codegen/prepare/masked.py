"""Computations on `x[mask]` for a target whose shapes are fixed: on all of x, where the mask chooses what is used.

`y[m] = y[m] * 2` becomes `y = where(m, y * 2, y)`, and `x[m].sum()` becomes `sum(where(m, x, 0))`. What follows from a
selection element by element, from numbers and from other selections by the same mask is followed until it is written
back or summed up; a selection that goes anywhere else is left as it is.
"""

from __future__ import annotations

from typing import Any

from ...graph import Graph, Node, Value
from ...op import Trait, lookup
from ...trees import leaves
from ...types import LogicalTensor
from ..control import is_boolean, outer
from ..copying import substitute

_AT_ONE = frozenset(("exp", "log", "sqrt", "rsqrt", "reciprocal", "log1p", "expm1", "log2", "log10"))
"""Ops that are defined at 1, which stands in the place of what a mask leaves out."""
_NEUTRAL = {"sum": 0, "mean": 0, "prod": 1, "any": False, "all": True}


def choose_by_masks(graph: Graph) -> None:
    """Rewrite the graph and its regions."""
    for node in list(graph.walk()):
        mask = _mask(node)
        if node.graph is not None and node.op.name == "getitem" and mask is not None:
            found = _Selection(node.graph, mask)
            if found.whole:
                found.rewrite()


def _mask(node: Node) -> Value | None:
    """The mask that a node selects by, or writes where it holds."""
    if node.op.name not in ("getitem", "index_put"):
        return None
    index = node.args[1]
    mask = index[0] if type(index) is tuple and len(index) == 1 else index
    base = node.args[0]
    if type(mask) is not Value or not mask.is_tensor or type(base) is not Value or not is_boolean(mask):
        return None
    return mask if _same_rank(mask, base) else None


def _same_rank(mask: Value, base: Value) -> bool:
    """Whether a mask has all the axes of what it selects from."""
    known = [x.type.dims if isinstance(x.type, LogicalTensor) else None for x in (mask, base)]
    if all(dims is not None for dims in known):
        return len(known[0]) == len(known[1])  # type: ignore[arg-type]
    return bool(_roots(mask) & _roots(base))


def _alike(a: Any, b: Any, depth: int = 4) -> bool:
    """Whether two masks are the same, or computed in the same way."""
    if a is b or type(a) is not Value or type(b) is not Value:
        return a is b or (type(a) is type(b) and bool(a == b))
    one, other = a.node, b.node
    same = depth and one.op is other.op and one.op.family == "elementwise" and len(one.args) == len(other.args)
    return bool(same) and all(_alike(x, y, depth - 1) for x, y in zip(one.args, other.args))


def _roots(value: Value) -> set[Value]:
    """Values from which this one follows element by element, so that they have its shape."""
    found: set[Value] = set()
    todo: list[Any] = [value]
    while todo:
        leaf = todo.pop()
        if type(leaf) is not Value or not leaf.is_tensor or leaf in found:
            continue
        found.add(leaf)
        node = leaf.node
        if node.op.family == "elementwise":
            todo.extend(node.args)
        elif node.op.name in ("index_put", "zeros_like", "ones_like", "full_like"):
            todo.append(node.args[0])
        todo.append(outer(leaf))
    return found


def _is_number(value: Value) -> bool:
    return isinstance(value.type, LogicalTensor) and value.type.dims == ()


def _is_total(node: Node) -> bool:
    if node.op.name in ("divide", "pow"):
        other = node.args[1]
        return type(other) in (int, float) and (
            other != 0 if node.op.name == "divide" else type(other) is int and other > 0
        )
    return bool(node.op.traits & Trait.TOTAL)


class _Selection:
    """What is computed from selections by one mask; `whole`: it ends in writes by that mask and in reductions alone."""

    def __init__(self, graph: Graph, mask: Value) -> None:
        self.graph, self.mask = graph, mask
        self.members: dict[Value, None] = {}
        self.ends: list[Node] = []
        self.filled: set[Value] = set()
        picks = [n for n in graph if n.op.name == "getitem" and _alike(_mask(n), mask)]
        todo = [node.value for node in picks]
        self.members.update(dict.fromkeys(todo))
        self.whole = self._follow_all(todo) and all(map(self._meets, self.members))

    def _follow_all(self, todo: list[Value]) -> bool:
        while todo:
            if not self._follow(todo.pop(), todo):
                return False
        return True

    def _follow(self, value: Value, todo: list[Value]) -> bool:
        for user in value.uses:
            if user.graph is not self.graph or user.op.name == "output" or user.regions:
                return False
            if self._ends(user, value):
                self.ends.append(user)
            elif _is_total(user) or (user.op.name in _AT_ONE and value.node.op.name == "getitem"):
                if user.op.name in _AT_ONE:
                    self.filled.add(user.value)
                if user.value not in self.members:
                    self.members[user.value] = None
                    todo.append(user.value)
            else:
                return False
        return True

    def _meets(self, value: Value) -> bool:
        """Whether all that a value is computed from are selections and numbers."""
        others = [leaf for leaf in leaves(value.node.args) if type(leaf) is Value and leaf.is_tensor]
        return value.node.op.name == "getitem" or all(leaf in self.members or _is_number(leaf) for leaf in others)

    def _ends(self, user: Node, value: Value) -> bool:
        if user.op.name == "index_put":
            alone = not user.arg("accumulate") and user.args[0] not in self.members
            return alone and user.args[2] is value and _alike(_mask(user), self.mask)
        if user.op.name not in _NEUTRAL or user.args[0] is not value:
            return False
        return all(arg in (None, False) for arg in user.args[1:])

    # ------------------------------------------------------------------ the same on all elements
    def rewrite(self) -> None:
        """Put the computations on all elements in the place of those on the selected ones."""
        dense: dict[Value, Any] = {}
        ordered = [v for node in self.graph for v in node.values if v in self.members]
        for value in ordered:
            node = value.node
            if node.op.name == "getitem":
                dense[value] = node.args[0]
                continue
            mapped = dict(dense)
            if value in self.filled:
                mapped.update({x: self._add("where", (self.mask, dense[x], 1), node, x) for x in leaves(node.args)
                               if x in dense})  # fmt: skip
            args = substitute(node.args, mapped)
            dense[value] = self._add(node.op.name, args, node, value)
        for node in dict.fromkeys(self.ends):
            self._finish(node, dense)
        for value in reversed(ordered):
            self.graph.erase(value.node)

    def _finish(self, node: Node, dense: dict[Value, Any]) -> None:
        if node.op.name == "index_put":
            base, new = node.args[0], dense[node.args[2]]
            made = self._add("where", (self.mask, self._cast(new, base, node), base), node, node.value)
        else:
            chosen = self._add("where", (self.mask, dense[node.args[0]], _NEUTRAL[node.op.name]), node, node.args[0])
            op = "sum" if node.op.name == "mean" else node.op.name
            rest = node.args[1:] if op == node.op.name else lookup("sum").bind(chosen)[1:]
            made = self._add(op, (chosen, *rest), node, node.value if op == node.op.name else None)
            if node.op.name == "mean":
                count = self._add("sum", lookup("sum").bind(self.mask), node, None)
                made = self._add("divide", (made, count), node, node.value)
        made.name = node.value.name
        node.value.replace_by(made)
        self.graph.erase(node)

    def _cast(self, new: Any, base: Value, node: Node) -> Any:
        """What is written has the dtype of what it is written to."""
        ours, theirs = (x.type if type(x) is Value else None for x in (new, base))
        if not isinstance(ours, LogicalTensor) or not isinstance(theirs, LogicalTensor) or theirs.dtype is None:
            return new
        return new if ours.dtype == theirs.dtype else self._add("astype", (new, theirs.dtype), node, base)

    def _add(self, op: str, args: tuple, before: Node, like: Value | None) -> Value:
        """A node with the dtype of one value and the shape of the mask, where it gives no single number."""
        found = lookup(op)
        made = Node(found, found.bind(*args), ("tensor",), before.span)
        self.graph.insert(made, before)
        known = like.type if like is not None else None
        if isinstance(known, LogicalTensor) and isinstance(self.mask.type, LogicalTensor):
            dims = known.dims if op in _NEUTRAL or (op == "divide" and known.dims == ()) else self.mask.type.dims
            made.value.type = LogicalTensor(known.dtype, dims, weak=known.weak)
        return made.value
