"""Views made of several ops, as `x.T[0]` is: what they show of their base, and what a write through them does to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir.control import is_given, is_placeholder
from gfx_ir.graph import Value
from gfx_ir.infer.gradients import marks
from gfx_ir.infer.number_conditions import SURE
from gfx_ir.op import Trait, active
from gfx_ir.trees import leaves, tree_map

from ..values.gradient_marks import forked
from ..values.proxy import Proxy


def may_view(value: Value, numbers: bool | None) -> bool | None:
    """Whether a value shares memory with the first argument of the op that made it; None where nothing tells. `numbers`:
    whether the framework has numbers apart from arrays, as NumPy; None where it is not known either."""
    return value.node.op.put is not None and _basic(value.node, numbers)


def view_chain(value: Value, origin: Value, numbers: bool | None) -> list[Value] | None:
    """The views, or what may be, outermost last, by which `value` is the origin, or stands for it in a region; empty where it is that
    itself, None where it is no view."""
    chain: list[Value] = []
    root = active.builder.facts.root
    while root(value) is not root(origin):
        node = value.node
        if node.op.put is None:
            if not node.regions or (fork := forked(value)) is None:
                return None
            under = fork.of
        elif may_view(value, numbers) is False or type(node.args[0]) is not Value:
            return None
        else:
            under = node.args[0]
        chain.append(value)
        value = under
    return chain[::-1]


class Path:
    """How a view lies in its base: what is taken of that, step by step; `backend`: whose tensor the view is. `last`: what the base
    held before the last write through the view, and behind it."""

    __slots__ = ("steps", "backend", "last")

    def __init__(self, chain: list[Value], backend: Any) -> None:
        self.steps, self.backend = [_step(value) for value in chain], backend
        self.last: tuple[Any, Any] = (None, None)

    def through(self, current: Any) -> list[Any]:
        """The base and the views of it, the last one left out."""
        found = [current]
        for op, rest, index in self.steps[:-1]:
            found.append(_output(op(found[-1], *_here(rest)), index))
        return found

    def derive(self, current: Any) -> Any:
        """The view of what the base holds."""
        for op, rest, index in self.steps:
            current = _output(op(current, *_here(rest)), index)
        return current

    def put(self, current: Any, new: Any) -> Any:
        """What the base holds once the view holds `new`. What the view wrote before, and nothing else since, is written over: of a
        chain of views each write would else hang on all before it."""
        before, behind = self.last
        before = before if behind is current else current
        made = self._put(before, new)
        self.last = (before, made)
        return made

    def _put(self, current: Any, new: Any) -> Any:
        if self.backend is not None and any(op.name in self.backend.read_only for op, *_ in self.steps):
            raise ValueError("assignment destination is read-only")
        for (op, rest, index), under in zip(reversed(self.steps), reversed(self.through(current))):
            assert op.put is not None
            new = op.put(op.named((under, *_here(rest))), new, index)
        return new

    @property
    def stays(self) -> bool:
        """Whether nothing that says where it lies was computed in a region that was left."""
        root, visible = active.builder.facts.root, active.builder.gates.visible
        return all(type(x) is not Value or visible(root(x)) for _, rest, _ in self.steps for x in leaves(rest))

    def same(self, other: Path) -> bool:
        """Whether both surely lie in one place of their bases."""
        pairs = list(zip(self.steps, other.steps))
        alike = len(pairs) == len(self.steps) == len(other.steps)
        return alike and all(a[0] is b[0] and a[2] == b[2] and same_place(a[1], b[1]) for a, b in pairs)


def make_view(base: Proxy, proxy: Proxy, chain: list[Value]) -> None:
    """Let `proxy` be the view of `base` that these values make step by step."""
    path = Path(chain, proxy.backend)
    proxy.base, proxy.derive, proxy.put, proxy.seen = base, path.derive, path.put, base.version
    apart = [step for step in path.steps if marks(step[0])]
    proxy.own = Own(apart) if apart else None


def path_of(proxy: Proxy) -> Path | None:
    """How a tensor lies in the one that it is a view of, if it is one without a gradient of its own."""
    path = getattr(proxy.derive, "__self__", None)
    return path if type(path) is Path and type(proxy.base) is Proxy and proxy.own is None else None


def read_again(x: Any) -> Any:
    """What a tensor holds; of a view through which the last write went, as a view of what that left in its base."""
    value = x.read()
    path = path_of(x) if type(x) is Proxy and type(value) is Value else None
    if (
        path is None
        or not path.steps
        or (value.node.op is path.steps[-1][0] and value.node.args[0] is path.through(x.base.read())[-1])
    ):
        return value
    return path.derive(x.base.read())


def same_view(a: Proxy, b: Proxy) -> bool:
    """Whether two tensors are one, or surely views of one place."""
    if a is b:
        return True
    path, other = path_of(a), path_of(b)
    return path is not None and other is not None and path.same(other) and same_view(a.base, b.base)


def view_again(proxy: Proxy, stays: Callable[[Proxy], bool]) -> Proxy | None:
    """A tensor that `stays`, or the view of such a one that a region made, for use outside of that; None: it is neither."""
    if stays(proxy):
        return proxy
    path = path_of(proxy)
    base = view_again(proxy.base, stays) if path is not None and path.stays else None
    if base is None:
        return None
    made = Proxy(proxy.value, proxy.backend)
    made.base, made.derive, made.put, made.seen = base, proxy.derive, proxy.put, -1
    return made


def _step(value: Value) -> tuple[Any, tuple, int]:
    """The op of a view, what it takes besides, and which output the view is."""
    node = value.node
    return (node.op, node.args[1:], value.index) if node.op.put is not None else (forked(value), (), 1)


class Own:
    """The gradient of its own that a view may have, as `.detach()` gives one; `written`: whether it was written. `steps`: those of
    the view by which no gradient of the base, or only where a mode records it, comes to it."""

    __slots__ = ("steps", "written")

    def __init__(self, steps: list[tuple[Any, tuple, int]]) -> None:
        self.steps, self.written = steps, False

    def kept(self, value: Any, found: Any) -> Any:
        """What it is after a write to its base that leaves `found` there, where it was `value`."""
        for op, rest, index in self.steps if self.written else ():
            found = op.put(op.named((value, *rest)), found, index)
        return found


def _here(rest: tuple) -> tuple:
    """Where a view lies, as it is read here: a number of a region that was left is computed again."""
    return tree_map(lambda leaf: active.builder.gates.here(leaf) if type(leaf) is Value else leaf, rest)


def same_place(a: Any, b: Any) -> bool:
    """Whether two indices are one."""
    if any(not isinstance(leaf, (Value, int, type(None), type(...))) for leaf in leaves((a, b))):
        return False
    root = active.builder.facts.root
    a, b = tree_map(lambda leaf: root(leaf) if type(leaf) is Value else leaf, (a, b))
    return repr(a) == repr(b) and a == b


def _output(out: Any, index: int) -> Any:
    return out[index - 1] if isinstance(out, tuple) else out


def _basic(node: Any, numbers: bool | None) -> bool | None:
    """Whether an index selects by position alone, so that the result shares memory; None where nothing tells."""
    if not node.op.traits & Trait.READS_AT:
        return True
    index = node.args[1]
    found = [_selects(item, numbers) for item in (index if type(index) is tuple else (index,))]
    return False if False in found else None if None in found else True


def _selects(item: Any, numbers: bool | None) -> bool | None:
    """Whether an item of an index is a number, a slice or the like. Tensors without axes count as numbers in PyTorch, and in
    NumPy where they are none of its arrays."""
    if not isinstance(item, Value) or not item.is_tensor:
        return type(item) is not list and not isinstance(item, bool)
    record = active.builder.record
    axes = record.rank_of(item)
    if axes or record.is_boolean(item):
        return False
    if numbers is None:
        return None
    sure = record.number_when(item) if numbers else SURE
    if sure and all(rank is None and value is not None for value, rank in sure) and active.builder.assumed.ranks(sure):
        return True  # an argument that was given as a number
    if axes is None:
        return None
    return True if sure == SURE else False if sure is None else None


def is_new(wrapped: Any, base: Any = None) -> bool:
    """Whether a result is one tensor that an op computed which makes no views: nearly every result is."""
    if type(wrapped) is not Proxy or type(wrapped.value) is not Value or wrapped.value is base:
        return False
    op = wrapped.value.node.op
    return op.put is None and op.eval is not None


def is_alone(x: Proxy, beside: Any) -> bool:
    """Whether a tensor was computed here, is as it was made, and has no views beside that of one node."""
    value = x.value
    if x.base is not None or x.kin is not None or x.version or type(value) is not Value or is_given(value.node):
        return False
    users = [user for user in value.users() if user is not beside]
    return not is_placeholder(value.node) and all(user.op.put is None and not user.regions for user in users)


def has_slice(index: Any) -> bool:
    """Whether an index has other items than numbers and arrays."""
    items = index if type(index) is tuple else (index,)
    return any(isinstance(item, slice) or item is None or item is ... for item in items)
