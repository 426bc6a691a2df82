"""Questions about an argument: how it lies in memory, and whether it requires gradients, is answered as it was given, with a guard."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Backend
from gfx_ir.control import is_loop, is_parameter, is_placeholder
from gfx_ir.errors import GfxError
from gfx_ir.graph import Value
from gfx_ir.memory import QUESTIONS, Layout, dense
from gfx_ir.program import Guard
from gfx_ir.reach import reached
from gfx_ir.regions import outputs_of
from gfx_ir.trees import leaves
from gfx_ir.types import LogicalTensor

from ..interfaces import Capturing
from ..values.bound import own_attribute
from ..values.proxy import Proxy


def layout_attribute(tracer: Capturing, x: Proxy, name: str) -> Any:
    """`x.name` where that tells how x lies in memory: the answer, or the method that gives it; else NotImplemented."""
    backend = x.backend
    answer = None if backend is None else backend.asks_layout.get(name)
    if answer is None:
        return NotImplemented
    ask = partial(_asked, tracer, x, name)
    type_ = tracer.arrays.type_of(x.read()) or LogicalTensor()
    return partial(answer, ask, type_) if callable(own_attribute(backend, name)) else answer(ask, type_)


def _asked(tracer: Capturing, x: Proxy, name: str, question: str) -> Any:
    """The answer to a question of `QUESTIONS`. Raises UnsupportedConstruct where nothing tells."""
    value = tracer.facts.root(x.read())
    layout = _layout(tracer, x, value)
    if layout is None:
        return _computed(tracer, x, value, name, question)
    answer = QUESTIONS[question](layout)
    if not tracer.assumed.is_argument(value):
        return answer
    type_: Any = value.type
    if type_ is None or type_.dims is None or (question == "strides" and not all(type(d) is int for d in type_.dims)):
        raise tracer.error(
            f"GFX cannot tell how {value.name!r} lies in memory, which {name!r} asks: its shape is open",
            "give the capture an example argument: the answer holds for arguments that lie in memory as it does",
        )
    tracer.assumed.guard(Guard(question, value.node.args[0], answer, tracer.span()))
    return answer


def _computed(tracer: Capturing, x: Proxy, value: Any, name: str, question: str) -> Any:
    """The answer to a question about a tensor that is computed."""
    laid, answer = tracer.assumed.laid, None
    found = laid.asked(value) if x.backend is not None and x.backend.lays_in_order else None
    if found is not None:
        numbers = {"strides": 0, "offset": 1}.get(question)
        told = None if numbers is None else laid.numbers(value, found)
        answer = QUESTIONS[question](found[1]) if numbers is None else told and told[numbers]
    if answer is None:
        raise tracer.error(
            f"GFX cannot tell how this tensor lies in memory, which {name!r} asks: nothing says how what computes it lays it out",
            "ask an argument, or what a linear layer, an embedding or arithmetic of such gives, and its views",
        )
    return answer


def _layout(tracer: Capturing, x: Proxy, value: Any) -> Layout | None:
    """The layout of an argument, a parameter or an array from outside; None of anything else. An argument that was given by its
    type alone is taken to be dense."""
    if x.base is not None or not isinstance(value, Value):
        return None
    if tracer.assumed.is_argument(value):
        given = tracer.assumed.layouts.get(value)
        dims: Any = value.type.dims if value.type is not None else None
        return given or dense([dim if type(dim) is int else 2 for dim in dims or ()])
    if is_parameter(value.node):
        data = tracer.params[value.node.args[0]]
        owner = tracer.arrays.array_owner(data)
        return None if owner is None else owner.layout_of(data)
    return None


def _left(value: Value) -> list[Value]:
    """What the regions of a test or loop leave in a value."""
    node = value.node
    regions = node.regions[-1:] if is_loop(node) else node.regions
    sides = [outputs_of(region.result, len(node.values))[value.index - 1 :][:1] for region in regions]
    return [side for found in sides for side in found if type(side) is Value and side.is_tensor]


def _undecided(tracer: Capturing) -> GfxError:
    return tracer.error(
        "GFX cannot tell whether this tensor requires gradients: a test or loop decides that",
        "ask before the test or loop",
    )


class _Sources:
    """The arguments, and the parameters that are trained or frozen, of which a tensor is computed; `joined`: what a test or loop leaves
    of which one way has no gradient."""

    def __init__(self, tracer: Capturing, backend: Backend) -> None:
        self._tracer, self._backend = tracer, backend
        self.arguments: dict[Value, bool] = {}
        self.trained: list[Value] = []
        self.frozen: list[Value] = []
        self.joined: list[Value] = []

    def parts(self, value: Value) -> list[Value]:
        """What else a value is computed of, behind what is noted of it."""
        tracer, moves = self._tracer, self._tracer.gradients.moves
        said, sides = value in tracer.record.recorded, reached(_left(value), _left)
        if any(not moves(tracer, side) for side in sides):
            self.joined.append(value)
        if said:
            self.trained.append(value)
            return []
        if not moves(tracer, value):
            self.frozen.extend([value] if is_parameter(value.node) else [])
            return []
        if tracer.assumed.is_argument(value):
            self.arguments[value] = bool(self._backend.trained(tracer.assumed.given.get(value)))
            return []
        if is_parameter(value.node):
            self.trained.append(value)
            return []
        if is_placeholder(value.node):
            raise tracer.error(
                "GFX cannot tell whether this tensor requires gradients: a loop or a function hands it on",
                "ask an argument for it, or say which is meant",
            )
        return [
            tracer.facts.root(leaf) for leaf in leaves(value.node.args) if isinstance(leaf, Value) and leaf.is_tensor
        ]


def _has_gradient(tracer: Capturing, value: Value, name: str) -> bool:
    """Whether a tensor may have a gradient without being trained: its owner may have set one."""
    if is_parameter(value.node):
        return getattr(tracer.params.get(value.node.args[0]), name, None) is not None
    return tracer.assumed.is_argument(value)


def gradient_question(tracer: Capturing, x: Proxy, name: str) -> Any:
    """`x.requires_grad`, and `x.grad`, which is None where that is False; NotImplemented where the attribute is no such question. What
    is computed from a trained parameter requires gradients wherever the caller records them."""
    backend = x.backend
    if backend is None or not name or name not in (backend.trained_attribute, backend.gradient_attribute):
        return NotImplemented
    if name == backend.gradient_attribute:
        set_by_hand = _has_gradient(tracer, tracer.facts.root(x.read()), name)
        none = not set_by_hand and gradient_question(tracer, x, backend.trained_attribute) is False
        return None if none else NotImplemented
    tracer.repeated.spoils()  # what it is computed from says that
    asked, said = tracer.facts.root(x.read()), tracer.record.recorded
    if any(said.values()):
        raise _undecided(tracer)
    if tracer.gradients.in_rule and tracer.gradients.made_in_rule(tracer, x.read()):
        return False
    found = _Sources(tracer, backend)
    deque(reached([asked], found.parts), 0)
    trained, arguments = found.trained, found.arguments
    if found.joined and (trained or any(arguments.values())):
        raise _undecided(tracer)
    own = [value for value in trained if value not in said]
    given = {value: bool(trained) for value in own[:1] or found.frozen}  # one that is trained settles it
    for argument, told in (arguments | given).items():
        tracer.assumed.guard(Guard("requires_grad", argument.node.args[0], str(told), tracer.span()))
    tracer.assumed.held.update({value.node.args[0]: tracer.params[value.node.args[0]] for value in given})
    if not trained and not any(arguments.values()):
        return False
    if asked in trained or asked in arguments:
        return True
    if not tracer.gradients.in_rule:
        return tracer.wrap(ops.gradients_enabled())
    raise tracer.error(
        "GFX cannot tell here whether this tensor requires gradients: a function with a gradient of its own gets it",
        "ask before the call, and give the function the answer",
    )
