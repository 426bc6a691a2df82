"""Functions that bring their own gradient: torch.autograd.Function, jax.custom_vjp, jax.custom_jvp.

Each becomes a `custom_gradient` node: a region that computes, and one that is the rule.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Backend
from gfx_ir.codegen.copying import copy_nodes, substitute
from gfx_ir.errors import CaptureError
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.naming import identifier
from gfx_ir.op import lookup
from gfx_ir.trees import leaves, tree_map

from ..interfaces import Capturing
from ..python.attempts import attempt
from ..python.questions import gradient_question
from ..rewrite.packages import enterable, ours
from ..values.proxy import HostProxy, Proxy, is_open
from ..values.raised import Raised
from .gradient_rules import Rule
from .natural import natural
from .staging import staged

_APART = ("needs_input_grad", "_refuse", "_still")  # what a ctx has that the backward does not take from the forward


class Context:
    """What `forward` and `backward` of a torch.autograd.Function get as ctx."""

    def __init__(self, needs_input_grad: tuple[bool, ...], refuse: Callable[[str], Any]) -> None:
        self.needs_input_grad, self._refuse = needs_input_grad, refuse
        self.saved_tensors: tuple = ()
        self._still: tuple = ()

    @property
    def saved_variables(self) -> tuple:
        """The older name of what is saved."""
        return self.saved_tensors

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for the backward."""
        self.saved_tensors = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for a derivative forward: no rule that a graph holds asks for them."""

    def mark_dirty(self, *tensors: Any) -> None:
        """Refused: what is written in place has no place in a graph's function."""
        raise self._refuse("mark_dirty")

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Results without a gradient: the backward finds zeros for them."""
        self._still = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Refused where it is false: gradients are never None here."""
        if not value:
            raise self._refuse("set_materialize_grads(False)")


def _finish(
    tracer: Capturing, forward: Rule, rule: Rule, inputs: list[Any], kept: int, count: int, mode: str
) -> list[Any]:
    """The node: what the rule takes from outside goes through the forward's results. `kept`: how many values it keeps."""
    closed = list(dict.fromkeys((*forward.captured, *rule.captured)))
    if any(not value.is_tensor for value in closed):
        raise forward.refuse("an open number from outside of it")
    held = forward.arrange(closed, len(forward.own))
    if mode == "vjp":
        rule.arrange(closed, kept)
        forward.graph.result = (*forward.graph.result, *held)
        rule.graph.result = (*rule.graph.result, *(None for _ in closed))
    else:  # what it closes over does not move
        rule.arrange(closed, len(inputs))
        for value in closed:
            rule.graph.add_placeholder(f"{value.name or 'x'}_dot", "tensor", value.type)
    recorded = tracer.gradients.current(tracer).records
    found = (tracer.local(value) for value in (*inputs, *closed))
    values = tuple(value if recorded else tracer.gradients.taken(tracer, value) for value in found)
    own = natural(tracer, forward.graph, rule.graph, count) if mode == "vjp" else None
    if own is not None:
        return [Proxy(value, forward.backend) for value in _without_rule(*own, values, tracer)]
    args = (values, identifier(forward.name), mode, count)
    node = Node(lookup("custom_gradient"), args, None, tracer.span(), (forward.graph, rule.graph))
    tracer.append(node)
    for value, result in zip(node.values, forward.graph.result):
        value.type = result.type if isinstance(result, Value) else None
    return [Proxy(value, forward.backend) for value in node.values]


def _without_rule(function: Graph, moved: Sequence[bool], given: Sequence[Value], tracer: Capturing) -> list[Value]:
    """What a function computes of arguments, some of which have no gradient by it."""
    taken = (value if moves else ops.stop_gradient(value) for value, moves in zip(given, moved))
    values = dict(zip(function.placeholders, taken))
    copy_nodes(function, tracer.graph, None, values)
    return list(substitute(function.result, values))


def _refusal(tracer: Capturing, name: str) -> Callable[[str], Any]:
    return lambda what: tracer.error(
        f"GFX cannot keep the gradient of {name!r}: it has {what}", "write it without, or without a gradient of its own"
    )


def _tensors(tree: Any, refuse: Callable[[str], Any]) -> list[Proxy]:
    """The tensors of a tree; arrays from outside are tensors too."""
    found = []
    for leaf in leaves(tree):
        if isinstance(leaf, HostProxy):
            raise refuse("an open number for an argument")
        if isinstance(leaf, Proxy):
            found.append(leaf)
    return found


# ---------------------------------------------------------------- torch.autograd.Function
def autograd_function(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """`Function.apply(*args)` of a class with forward and backward: for gradients of all arguments or, where it refuses these, of those
    that require them."""
    cls, *given = args
    given = [tracer.arrays.array_proxy(x) if tracer.arrays.array_owner(x) is not None else x for x in given]
    every = tuple(isinstance(x, Proxy) for x in given)
    try:
        return attempt(tracer, lambda mark: _applied(tracer, cls, given, every))
    except Exception as error:
        if isinstance(error, CaptureError):
            raise
        asked = tuple([every[at] and _requires_grad(tracer, x) for at, x in enumerate(given)])
        if asked == every:
            raise
        return _applied(tracer, cls, given, asked)


def _requires_grad(tracer: Capturing, x: Proxy) -> bool:
    """Whether it may require gradients here."""
    return gradient_question(tracer, x, "requires_grad") is not False


def _applied(tracer: Capturing, cls: Any, given: list[Any], needs: tuple[bool, ...]) -> Any:
    """The node of such a call. `needs`: whose gradients are asked for."""
    backend = next(b for b in tracer.arrays.frameworks() if b.name == "torch")
    name, refuse = cls.__name__, _refusal(tracer, cls.__name__)
    inputs = _tensors(tuple(x for x in given if is_open(x)), refuse)
    ctx, back = Context(needs, refuse), Context(needs, refuse)
    forward, backward = Rule(tracer, name, backend, refuse), Rule(tracer, f"{name}_backward", backend, refuse)
    outer = [tracer.local(x.read()) for x in inputs]
    outs: list[Value] = []
    kept: list[Value] = []
    whole: list[Any] = []
    still: set[Value] = set()

    def compute() -> list[Any]:
        values = iter(outer)
        own = lambda value: forward.argument(value, value.name or "x", value)
        places = tuple([own(next(values)) if isinstance(x, Proxy) else x for x in given])
        result = tracer.gradients.unrecorded(tracer, lambda: _forward(tracer, cls, ctx, places))
        whole.append(result)
        outs.extend(tracer.local(x.read()) for x in _results(result, refuse))
        still.update(tracer.local(x.read()) for x in ctx._still)
        saved = {key: item for key, item in vars(ctx).items() if key not in _APART}
        kept.extend(dict.fromkeys(tracer.local(x.read()) for x in _tensors(saved, refuse)))
        back.__dict__.update(_with(saved, lambda x: _At(kept.index(tracer.local(x.read())))))
        return [*outs, *kept]

    def rule() -> list[Any]:
        inner = dict(zip(reversed(forward.own), reversed(outer)))
        places = [backward.argument(value, value.name or "saved", inner.get(value)) for value in kept]
        back.__dict__.update(
            tree_map(lambda leaf: places[leaf.at] if isinstance(leaf, _At) else leaf, dict(vars(back)))
        )
        grads = [backward.argument(value, "grad") for value in outs]
        try:
            found = tracer.calls.call(cls.backward, (back, *grads), {})
        except Raised:
            raise refuse("a backward that raises an error") from None
        found = list(found) if isinstance(found, (tuple, list)) else [found]
        return [_summed(tracer.unwrap(grad), x.read()) for grad, x in zip(found, given) if isinstance(x, Proxy)]

    forward.run(compute, [ctx])
    backward.run(rule, [back])
    made = _finish(tracer, forward, backward, [x.read() for x in inputs], len(kept), len(outs), "vjp")
    made = [Proxy(ops.stop_gradient(x.read()), backend) if out in still else x for x, out in zip(made, outs)]
    return type(whole[0])(made) if isinstance(whole[0], (tuple, list)) else made[0]


def _summed(grad: Any, like: Value) -> Any:
    """A gradient; where it has the shape to which the argument broadcasts, added up to the argument's own, as PyTorch does."""
    dims, own = (x.type.dims if isinstance(x, Value) and x.type is not None else None for x in (grad, like))
    if dims is None or own is None or len(dims) < len(own):
        return grad
    more = range(len(dims) - len(own))
    axes = [
        at for at, (size, had) in enumerate(zip((None,) * len(more) + own, dims)) if size != had and size in (1, None)
    ]
    summed = ops.sum(grad, axis=tuple(axes), keepdims=True) if axes else grad
    return ops.squeeze(summed, axis=tuple(more)) if more else summed


def _forward(tracer: Capturing, cls: Any, ctx: Any, given: tuple) -> Any:
    """What the author's `forward` gives, in either of its forms."""
    if "setup_context" not in vars(cls):
        return tracer.calls.call(cls.forward, (ctx, *given), {})
    result = tracer.calls.call(cls.forward, given, {})
    tracer.calls.call(cls.setup_context, (ctx, given, result), {})
    return result


class _At:
    """The place of a saved tensor."""

    def __init__(self, at: int) -> None:
        self.at = at


def _with(tree: Any, fn: Callable[[Proxy], Any]) -> Any:
    return tree_map(lambda leaf: fn(leaf) if isinstance(leaf, Proxy) else leaf, tree)


def _results(result: Any, refuse: Callable[[str], Any]) -> list[Proxy]:
    found = list(result) if isinstance(result, (tuple, list)) else [result]
    if not found or not all(isinstance(x, Proxy) for x in found):
        raise refuse("a result that is no tensor")
    return found


# ---------------------------------------------------------------- jax.custom_vjp, jax.custom_jvp
def custom_rule(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """A call of a function that jax.custom_vjp or jax.custom_jvp made; JAX's own are taken apart by its tracer."""
    reverse = hasattr(f, "defvjp")
    rule = (f.fwd and f.bwd) if reverse else getattr(f, "jvp", None)
    if not ours(f.fun) and not (enterable(inspect.unwrap(f.fun)) and enterable(rule)):
        return staged(tracer, f, args, kwargs)
    if f in tracer.own_rules:  # a rule that calls its function
        tracer.notes.append(f"a second derivative through the rule of {f.__name__!r} is that of its code")
        return tracer.calls.call(f.fun, args, kwargs)
    backend = next(b for b in tracer.arrays.frameworks() if b.name == "jax")
    bound = inspect.signature(f.fun).bind(*args, **kwargs)
    bound.apply_defaults()
    given, refuse = list(bound.args), _refusal(tracer, f.__name__)
    if bound.kwargs:
        raise refuse("arguments by name only")
    fixed = [given[at] for at in sorted(f.nondiff_argnums)]
    free = [x for at, x in enumerate(given) if at not in f.nondiff_argnums]
    flat, rebuild = backend.flatten(free)
    flat = [tracer.arrays.array_proxy(x) if tracer.arrays.array_owner(x) is not None else x for x in flat]
    _tensors((flat, fixed), refuse)
    call = _Call(tracer, f, backend, given, fixed, flat, rebuild, refuse)
    tracer.own_rules.append(f)
    try:
        return call.reverse() if reverse else call.forward()
    finally:
        tracer.own_rules.pop()


class _Call:
    """A call of a function with a rule: `flat` are the leaves of its differentiable arguments."""

    def __init__(
        self, tracer: Capturing, f: Any, backend: Backend, given: list[Any], fixed: list[Any], flat: list[Any],
        rebuild: Callable[[Sequence[Any]], Any], refuse: Callable[[str], Any],
    ) -> None:  # fmt: skip
        self.tracer, self.f, self.backend, self.given, self.fixed = tracer, f, backend, given, fixed
        self.flat, self.rebuild, self.refuse = flat, rebuild, refuse
        self.inputs = [x.read() for x in flat if isinstance(x, Proxy)]
        self.primal = Rule(tracer, f.__name__, backend, refuse)
        self.outs: list[Value] = []
        self.restore: Callable[[Sequence[Any]], Any] = lambda found: found

    def _arguments(self, rule: Rule, suffix: str = "") -> tuple[list[Any], list[Any]]:
        """(the differentiable arguments, all arguments) with new placeholders in them."""
        filled = [
            rule.argument(x.read(), f"{x.read().name or 'x'}{suffix}") if isinstance(x, Proxy) else 0.0 if suffix else x
            for x in self.flat
        ]
        free = list(self.rebuild(filled))
        rest = iter(free)
        return free, [x if at in self.f.nondiff_argnums else next(rest) for at, x in enumerate(self.given)]

    def _flat(self, tree: Any) -> list[Any]:
        found, rebuild = self.backend.flatten(tree)
        self.restore = rebuild
        return [self.tracer.unwrap(x) for x in found]

    def reverse(self) -> Any:
        """With a rule that takes what the forward keeps and the gradients of the results."""
        tracer = self.tracer
        kept: list[Value] = []
        saved: list[Any] = []
        at: list[int | None] = []
        restore_saved: list[Callable[[Sequence[Any]], Any]] = []
        backward = Rule(tracer, f"{self.f.__name__}_bwd", self.backend, self.refuse)

        def compute() -> list[Any]:
            out, residuals = tracer.calls.call(self.f.fwd, tuple(self._arguments(self.primal)[1]), {})
            found, rebuild = self.backend.flatten(residuals)
            restore_saved.append(rebuild)
            saved.extend(found)
            kept.extend(dict.fromkeys(tracer.local(x.read()) for x in _tensors(found, self.refuse)))
            self.outs = [tracer._local(leaf) for leaf in self._flat(out)]
            at.extend(kept.index(tracer.local(x.read())) if isinstance(x, Proxy) else None for x in saved)
            return [*self.outs, *kept]

        def rule() -> list[Any]:
            places = [backward.argument(value, value.name or "saved") for value in kept]
            residuals = restore_saved[0]([x if k is None else places[k] for x, k in zip(saved, at)])
            grads = self.restore([backward.argument(value, "grad") for value in self.outs])
            found = tracer.calls.call(self.f.bwd, (*self.fixed, residuals, grads), {})
            flat = _matched(list(self.rebuild(self.flat)), list(found))
            return [tracer.unwrap(grad) for grad, x in zip(flat, self.flat) if isinstance(x, Proxy)]

        self.primal.run(compute)
        backward.run(rule)
        made = _finish(tracer, self.primal, backward, self.inputs, len(kept), len(self.outs), "vjp")
        return self.restore(made)

    def forward(self) -> Any:
        """With a rule that takes the arguments and their tangents."""
        tracer = self.tracer
        tangent = Rule(tracer, f"{self.f.__name__}_jvp", self.backend, self.refuse)

        def compute() -> list[Any]:
            self.outs = self._flat(tracer.calls.call(self.f.fun, tuple(self._arguments(self.primal)[1]), {}))
            return self.outs

        def rule() -> list[Any]:
            primals, tangents = self._arguments(tangent)[0], self._arguments(tangent, "_dot")[0]
            out, moved = tracer.calls.call(self.f.jvp, (*self.fixed, tuple(primals), tuple(tangents)), {})
            flat = [x for tree in (out, moved) for x in self.backend.flatten(tree)[0]]
            return [tracer.unwrap(x) for x in flat]

        self.primal.run(compute)
        tangent.run(rule)
        made = _finish(tracer, self.primal, tangent, self.inputs, 0, len(self.outs), "jvp")
        return self.restore(made)


def _matched(tree: Any, grads: Any) -> list[Any]:
    """The gradients for the leaves of a tree; None for all of a tree is None for each."""
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in _matched(tree[key], None if grads is None else grads[key])]
    if isinstance(tree, (tuple, list)):
        items = [None] * len(tree) if grads is None else list(grads)
        return [leaf for item, grad in zip(tree, items) for leaf in _matched(item, grad)]
    return [] if tree is None else [grads]
