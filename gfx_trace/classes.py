"""What code asks of the class of a captured value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gfx_ir.graph import Node, Value
from gfx_ir.trees import leaves

from .proxy import HostProxy, Proxy, Unusable, is_open
from .scalars import number_types

if TYPE_CHECKING:
    from .tracer import Tracer

_DEEP = 100
_KINDS = {"int": int, "float": float, "bool": bool, "str": str}


def is_instance(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    x, classes = args
    if isinstance(x, Unusable):
        raise x.error
    check_class(tracer, x)
    return _is_instance(tracer, x, _flatten(classes)) if is_open(x) else isinstance(x, classes)


def _flatten(classes: Any) -> list[Any]:
    if isinstance(classes, tuple):
        return [inner for item in classes for inner in _flatten(item)]
    union = getattr(classes, "__args__", None)
    return _flatten(union) if union and not isinstance(classes, type) else [classes]


def _is_instance(tracer: Tracer, x: Any, classes: list[Any]) -> Any:
    if isinstance(x, Proxy):
        if x.weak:
            return any(issubclass(_KINDS.get(x.weak, complex), c) for c in classes if isinstance(c, type))
        owners = [x.backend] if x.backend is not None else tracer.frameworks()
        types_ = [cls for backend in owners for cls in backend.tensor_types]
        if x.backend is not None and x.backend.numbers:
            types_ = number_types(tracer, x, classes)
        member = any(issubclass(t, c) for t in types_ for c in classes if isinstance(c, type))
        if member and isinstance(x.value, Value) and x.read().kind == "optional":
            if type(None) in classes:
                return True
            return tracer.not_(tracer.is_(x, None))
        return member
    python = _KINDS.get(x.kind)
    if python is not None:
        return any(issubclass(python, c) for c in classes if isinstance(c, type))
    if x.kind == "shape":
        return any(issubclass(tuple, c) or c.__name__ == "Size" for c in classes if isinstance(c, type))
    if x.kind == "any":
        raise tracer.error(
            "GFX cannot tell the class of a value that differs in kind between the sides of an open test"
        )
    return any(getattr(c, "__name__", "") in (x.kind, f"{x.kind}_") for c in classes)


def type_of(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    check_class(tracer, args[0])
    if len(args) == 1 and isinstance(args[0], Proxy):
        if args[0].weak:
            return _KINDS.get(args[0].weak, complex)
        owners = args[0].backend or tracer.frameworks()[0]
        return owners.tensor_types[0]
    if len(args) == 1 and isinstance(args[0], HostProxy):
        return _KINDS.get(args[0].kind, HostProxy)
    return f(*args, **kwargs)


def has_attribute(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    x, name = args
    check_class(tracer, x)
    if isinstance(x, Proxy) and x.weak:
        return hasattr(_KINDS.get(x.weak, complex), name)
    if isinstance(x, Proxy) and x.backend is not None:
        return any(hasattr(cls, name) for cls in x.backend.tensor_types)
    if isinstance(x, HostProxy):
        return hasattr(_KINDS.get(x.kind, tuple), name)
    if not hasattr(x, name):
        tracer.unset_read.add((id(x), name))
    return hasattr(x, name)


def check_class(tracer: Tracer, x: Any) -> None:
    """Raises where the class of x is asked for and it may be a number that `.item()` gave: it goes on as a tensor, but is none."""
    if type(x) is not Proxy or (x.backend is not None and x.backend.numbers):
        return  # a number of NumPy's is asked for its own class
    if tracer.items and not x.weak and may_be_item(tracer, x.read()):
        raise tracer.error(
            "GFX cannot tell the class of what `.item()` gave: it goes on as a tensor of no axes",
            "take float(x) or int(x) instead of x.item(), or do not ask for its class",
        )


def may_be_item(tracer: Tracer, root: Any, surely: bool = False) -> bool:
    """Whether a value is such a number, is computed from them alone, or may be one that a test or loop hands on; `surely`: it is one."""
    return isinstance(root, Value) and _may_be(tracer, root, surely, {})


def _may_be(tracer: Tracer, root: Value, surely: bool, found: dict[Value, bool], depth: int = 0) -> bool:
    value = tracer.facts.root(root)
    if value not in found:
        found[value] = False
        node = value.node
        tensors = [leaf for leaf in leaves(node.args) if type(leaf) is Value and leaf.is_tensor]
        asked = (_may_be(tracer, leaf, surely, found, depth + 1) for leaf in tensors)
        if value in tracer.items or depth > _DEEP:
            found[value] = value in tracer.items or not surely
        elif node.op.name == "placeholder":
            closed = node.graph is not None and node.graph.owner is not None
            begun = tracer.begun.get(value)
            begun = begun.value if type(begun) is Proxy and not begun.weak else begun
            if closed and surely and value in tracer.begun:
                found[value] = True  # as far as what it begins with and each trip are, which is asked where the loop is
            elif type(begun) is Value:
                found[value] = not surely and _may_be(tracer, begun, surely, found, depth + 1)
            else:
                found[value] = not (surely or value in tracer.rows_of or tracer.is_argument(value))
        elif node.regions:
            handed = _handed(node, value)
            answers = [type(x) is Value and _may_be(tracer, x, surely, found, depth + 1) for x in handed]
            found[value] = any(answers) and (not surely or all(answers))
        else:
            found[value] = node.op.family == "elementwise" and bool(tensors) and all(asked)
    return found[value]


def _handed(node: Node, value: Value) -> list[Any]:
    """What a test or loop may hand on as one of its values."""
    at = value.index - 1
    if node.op.name in ("cond", "host_if"):
        return [region.result[at] for region in node.regions]
    begun = node.arg("init") if "init" in node.op.params else ()
    return [begun[at], node.regions[-1].result[at]] if at < len(begun) else []
