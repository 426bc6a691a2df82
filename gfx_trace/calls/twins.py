"""Twins: the nodes of a call once more, for another module and what that is given."""

from __future__ import annotations

from typing import Any

from gfx_ir.control import is_parameter
from gfx_ir.copies import twin
from gfx_ir.graph import Node, Value, map_values
from gfx_ir.source import Scope, Span

from ..heap.correspondence import Correspondence
from ..interfaces import Capturing
from ..python.draws import own_key
from ..values.proxy import HostProxy, Proxy
from .modules import module_attribute
from .signatures import Given, Open


class Twins:
    """What becomes of the nodes of a call (see `repeated.Called`), where a module is in the place of another (`like`), and what it is
    `given` in the place of what that was."""

    def __init__(self, tracer: Capturing, called: Any, given: Given, like: Correspondence) -> None:
        self._tracer, self._called, self._given, self._like = tracer, called, given, like
        self._held = [*given.held, *([own_key(tracer).read()] if called.drawn else ())]
        self._made: dict[Value, Value] = {}
        self._scopes: dict[Scope, Scope] = {called.outer: tracer.scopes.scope}
        paths = tracer.module_paths
        self._paths = {paths.get(id(a), ""): paths.get(id(b), "") for a, b in like.modules}

    def result(self) -> Any:
        """What the call gives, its nodes added."""
        called, given = self._called, self._given
        self._ask()
        for node in called.nodes:
            self._add(node)
        for like, scope in self._scopes.items():
            if like is not called.outer:
                scope.left(tuple([self._made.get(value, value) for value in like.gives]))
        if called.drawn:
            own_key(self._tracer).write(self._made[called.drawn[1]])
        opens: list[Open] = []
        for value, one in zip(called.outputs.values, called.outputs.like):
            made = self._made[value]
            opens.append(Proxy(made, one.backend) if type(one) is Proxy else HostProxy(made, one.backend, one.taken))
        return called.outputs.given(called.result, opens, given.values, given.containers)

    def _ask(self) -> None:
        """Note what the code asks for: the attributes of this module that it asked of the other one, in their order."""
        tracer, pairs = self._tracer, {id(a): b for a, b in self._like.modules}
        for owner, name in self._called.reached.reads.asked:
            other = pairs.get(owner)
            if other is None:
                continue
            if name is None:
                tracer.consulted.add_all(other)
            elif name == "training" or name in other._parameters or name in other._buffers:
                module_attribute(tracer, other, name)
            else:
                tracer.consulted.add((id(other), name))

    # ------------------------------------------------------------------ nodes
    def _add(self, node: Node) -> None:
        tracer = self._tracer
        again = twin(node, map_values(self._of, node.args))
        again.span = self._span(node.span)
        for value, other in zip(node.values, again.values):
            other.name, other.type = value.name, value.type
            self._made[value] = other
            tracer.functions.profiles.follow(other, value)
        tracer.raising.repeated(node, again)
        tracer.link(again)

    def _of(self, value: Value) -> Value:
        """What stands for a value that the nodes take."""
        found = self._made.get(value)
        if found is None:
            found = self._made[value] = self._tracer.local(self._from_outside(value))
        return found

    def _from_outside(self, value: Value) -> Value:
        tracer, root = self._tracer, self._tracer.facts.root(value)
        at = self._called.places.get(root)
        if at is not None:
            return self._held[at]
        if not is_parameter(root.node):
            return value
        mine = tracer.params[root.node.args[0]]
        other = self._like.there.get(id(mine), mine)
        return value if other is mine else tracer.arrays.array_proxy(other).read()

    # ------------------------------------------------------------------ places in the source
    def _span(self, span: Span | None) -> Span | None:
        if span is None or span.scope is None:
            return span
        scope = self._scope(span.scope)
        return span if scope is span.scope else span.within(scope)

    def _scope(self, scope: Scope) -> Scope:
        """The scope that stands for one of those under the call; any other as it is."""
        found = self._scopes.get(scope)
        if found is not None or scope.parent is None:
            return found or scope
        parent = self._scope(scope.parent)
        if parent is scope.parent and scope.parent is not self._called.outer:
            return scope
        site = self._tracer.span() if scope.parent is self._called.outer else self._span(scope.site)
        args = tuple([(name, self._argument(value)) for name, value in scope.args])
        path = self._paths.get(scope.path, scope.path)
        made = self._scopes[scope] = Scope(scope.name, scope.kind, path, scope.key, parent, site, args, scope.doc)
        return made

    def _argument(self, value: Any) -> Any:
        if type(value) is not Value:
            return value
        return self._made.get(value) or self._from_outside(value)
