"""Tests: fixed ones run, open ones become `host_if`, tests on tensors become `cond`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import contextmanager
from functools import partial
from typing import Any

from gfx_ir import ops
from gfx_ir.errors import GfxError, UnsupportedConstruct
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.op import lookup
from gfx_ir.stack import longer
from gfx_ir.trees import leaves

from ..heap.journal import held_values
from ..heap.made import WRITABLE
from ..interfaces import Capturing
from ..python.rows import FILLED
from ..values.access import A_VALUE, NOTHING, Access
from ..values.gated import Gated
from ..values.joined_types import equal_size, joined_type
from ..values.nest import branches, rebuilt
from ..values.proxy import Proxy
from ..values.raised import INSTEAD_OF_CATCHING, Raised, error_text
from .joined_aliases import Joined
from .joined_slots import joined_slots
from .joins import Join
from .sides import Side, failing, refuse_failing

_CALLS = 8
"""How many calls within each other a test within a test takes."""


class Regions:
    """The part of the Tracer that knows tests."""

    around: Any = None  # the call of which a side is traced

    escaped: Exception | None = None  # what left a region last: it is only raised if the region is reached

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer

    @contextmanager
    def opened(self, name: str) -> Any:
        """Build a region whose writes are undone when it is left; yields its Side."""
        with self.tracer.region(name) as (graph, captures), self.tracer.facts.alone():  # it may never run
            side = Side(graph, captures, len(self.tracer.journal.made))
            self.tracer.journal.open()
            try:
                with self.tracer.iteration.closing():
                    yield side
            except Exception as error:
                self.escaped = error
                raise
            finally:
                side.written = self.tracer.journal.close(graph, side.links)

    @contextmanager
    def looking_into(self, graphs: Iterable[Graph]) -> Any:
        """Inside, what was made in these regions is read as it is: a view is not derived again outside of its region."""
        before, self.tracer.open_graphs = self.tracer.open_graphs, (*self.tracer.open_graphs, *graphs)
        try:
            yield
        finally:
            self.tracer.open_graphs = before

    def trace_side(self, name: str, run: Callable[[], Any], access: Access, test: Value, truth: bool) -> Side:
        """Trace one side of a test; the variables are left as they were before."""
        before, site = access.get(), self.tracer.site
        with self.opened(name) as side, self.tracer.facts.given(test, truth):
            try:
                side.result = self._run(run)
                if type(side.result) is Gated:
                    known = self.tracer.gates.known(side.result)
                    side.result = self.tracer.gates.read(known)
            except Raised as raised:
                side.raised = raised
            except Exception as error:
                side.raised = failing(self.tracer, test, error)
                if side.raised is None and not (isinstance(error, GfxError) or self.tracer.raising.handlers):
                    refuse_failing(self.tracer, test, truth, error)
                if side.raised is None:
                    raise
            self._told(before, access)
            side.after = access.get()
            if self.tracer.journal.frames[-1]:
                side.contents = {
                    id(s.object): branches(s.object)
                    for s in self.tracer.journal.frames[-1].values()
                    if s.kind in WRITABLE
                }
                side.values = self._held(side)
            self.tracer.site = site
            access.set(before)
            self.tracer.journal.pass_on(access.get)
        return side

    def _told(self, before: tuple, access: Access) -> None:
        """Variables that a side sets to what a test left in others hold what that is here, where it is known."""
        held = access.get()
        if any(type(x) is Gated and x is not old for x, old in zip(held, before)):
            access.set(tuple([x if x is old else self.tracer.gates.known(x) for x, old in zip(held, before)]))

    def _run(self, run: Callable[[], Any]) -> Any:
        """Run a side: one within another of the same call has a stack as long as they nest, a call without end has not."""
        around, self.around = self.around, self.tracer.within
        try:
            with longer(_CALLS if around is self.around else 0):
                return run()
        finally:
            self.around = around

    def _held(self, side: Side) -> dict[int, Any]:
        """What the tensors that a side leaves hold at its end, where it wrote to any that was there before, or may have."""
        slots = self.tracer.journal.frames[-1].values()
        if not any(slot.kind in ("proxy", "base") for slot in slots):
            return {}
        return held_values(
            side.result, side.after, [slot.get() for slot in slots if slot.kind not in ("proxy", "base")]
        )

    def branch(self, test: Value, then: Any, otherwise: Any, access: Access = NOTHING, name: str = A_VALUE) -> Any:
        """Trace both sides of an open test, join what they leave, and return the joined result. `access`: to what the sides assign;
        `name`: that of the result, "" for none."""
        site, before = self.tracer.site, access.get()
        sides = []
        for side_name, run, truth in (("then", then, True), ("else", otherwise, False)):
            access.set(before)
            self.tracer.site = site
            sides.append(self.trace_side(side_name, run or _nothing, access, test, truth))
        self.tracer.site = site
        access.set(before)
        for at, side in enumerate(sides):
            if side.raised is not None:
                return self._raise_or(test, at, side, (then, otherwise)[1 - at] or _nothing)
        join = Join(self.tracer, test, not test.is_tensor, sides)
        with self.looking_into(side.graph for side in sides):
            result = join.join(sides[0].result, sides[1].result, name) if name else None
            after = [join.join(*held) for held in zip(sides[0].after, sides[1].after, access.names)]
            slots = joined_slots(self.tracer, join, sides)
        outputs = self._finish(test, sides, join)
        made: dict[int, Any] = {}
        fill = partial(filled, made=made)
        for joined in join.joined.values():
            joined.proxy = filled(joined, outputs)
        access.set(tuple(fill(value, outputs) for value in after))
        self.tracer.journal.commit([(slot, fill(value, outputs, raw=slot.kind == "proxy")) for slot, value in slots])
        join.doubts()
        result = fill(result, outputs)
        for _, _, container in join.containers.values():
            if id(container) in made:
                self.tracer.journal.made.note(made[id(container)])
        join.link(made)
        return result

    def _raise_or(self, test: Value, at: int, side: Side, other: Callable[[], Any]) -> Any:
        """One side raises: a check, and the other side goes on without a test."""
        raised = side.raised
        assert raised is not None
        if self.tracer.raising.catches(raised.error, around=raised.around):
            raise self.caught(raised)
        passes = self.tracer.truths.not_(self.tracer.wrap(test)).read() if at == 0 else test
        if any(map(self.tracer.raising.acts, side.graph.walk())):
            self._raise_behind(test, at, side)  # what happens before the raise happens on this side only
        else:
            if any(type(leaf) is Value and leaf.node.graph is side.graph for leaf in leaves(raised.told)):
                self.inline(side)
            self.checked(passes, raised)
        self.tracer.facts.assume(test, at == 1)
        return other()

    def _raise_behind(self, test: Value, at: int, side: Side) -> None:
        """A side with effects that ends with a raise: it keeps its place, with a check at its end that always fails."""
        with self._within(side):
            self.checked(False, side.raised)
        with self.opened("else" if at == 0 else "then") as nothing:
            pass
        sides = [nothing, nothing]
        sides[at] = side
        self._finish(test, sides, Join(self.tracer, test, not test.is_tensor, sides))

    def checked(self, passes: Any, raised: Any) -> None:
        """A check that stands where the user raises."""
        ops.check(passes, raised.told, error_text(type(raised.error), self.tracer.raising.errors))
        if self.tracer.graph.last is not None:
            self.tracer.graph.last.span = raised.span

    def caught(self, raised: Raised) -> UnsupportedConstruct:
        """The error for a raise that hangs on data, under an `except`."""
        what = "GFX cannot convert this raise: it hangs on a traced test and an except clause around it may catch it"
        return UnsupportedConstruct(what, raised.span, INSTEAD_OF_CATCHING)

    def inline(self, side: Side) -> None:
        """Move the nodes of a region to the graph around it."""
        for outer, placeholder in list(side.captures.items()):
            placeholder.replace_by(self.tracer.local(outer))
        for node in list(side.graph):
            side.graph.detach(node)
            self.tracer.graph.append(node)

    def _finish(self, test: Value, sides: list[Side], join: Join) -> list[Any]:
        """Make the node; its outputs as proxies, in order."""
        if (
            not join.pairs
            and not join.deferred
            and not any(self.tracer.raising.matters(node) for side in sides for node in side.graph.walk())
        ):
            return []
        if (
            len(join.pairs) == 1
            and join.pairs[0][0] is True
            and join.pairs[0][1] is False
            and not any(len(side.graph) for side in sides)
        ):
            if test.kind == "bool":  # it only says which way the test went
                return [self.tracer.wrap(test)]
            return [self.tracer.wrap(ops.to_bool(test) if test.is_tensor else self.tracer.host("bool", test))]
        for at, side in enumerate(sides):
            with self._within(side):
                side.graph.result = tuple([self.tracer._local(pair[at]) for pair in join.pairs])
        operands = self.tracer.outer_operands([(s.graph, s.captures) for s in sides])
        op = lookup("cond" if test.is_tensor else "host_if")
        node = Node(
            op,
            (self.tracer.local(test), operands),
            tuple(join.kinds),
            self.tracer.span(),
            tuple(s.graph for s in sides),
        )
        self.tracer.append(node)
        if self.tracer.static_types:
            equal = equal_size(self.tracer.facts.root(test))
            for value, pair in zip(node.values, join.pairs):
                if value.is_tensor:
                    value.type = joined_type(*pair, self.tracer.promotion, equal)
        return [self.tracer.wrap(value) for value in node.values]

    def at_end(self, side: Side, x: Proxy) -> Any:
        """What a tensor from outside held at the end of a side that was left."""
        written = [(slot, value) for slot, value in side.written if slot.kind in ("proxy", "base")]
        before = [(slot, slot.get()) for slot, _ in written]
        for slot, value in written:
            slot.set(value)
        looked, self.tracer.open_graphs = self.tracer.open_graphs, ()  # not into the other side
        try:
            with self._within(side):
                return x.read()
        finally:
            self.tracer.open_graphs = looked
            for slot, value in before:
                slot.set(value)

    @contextmanager
    def _within(self, side: Side) -> Any:
        """Go back into a region that was left, to capture more."""
        self.tracer.stack.append((self.tracer.graph, self.tracer.captures))
        self.tracer.graph, self.tracer.captures = side.graph, side.captures
        try:
            yield
        finally:
            self.tracer.graph, self.tracer.captures = self.tracer.stack.pop()


def filled(
    tree: Any,
    outputs: list[Any],
    raw: bool = False,
    made: dict[int, Any] | None = None,
) -> Any:
    """The joined tree with the node's outputs in their places (`raw`: as Values, for a Proxy's slot).

    `made`: what stands for each container, by id.
    """
    if isinstance(tree, Joined) and tree.proxy is not None and not raw:
        return tree.proxy
    if isinstance(tree, Joined):
        proxy = outputs[tree.position]
        if proxy.value.name is None and tree.name.isidentifier():
            proxy.value.name = tree.name
        if raw:
            return proxy.value
        return Proxy(proxy.value, tree.backend, tree.weak) if isinstance(proxy, Proxy) else proxy
    if isinstance(tree, Proxy) and raw:
        return tree.value
    if type(tree) in FILLED:
        rows = filled(tree.rows, outputs)
        return tree if rows is tree.rows else type(tree)(rows, tree.kind)
    parts = branches(tree)
    if parts is None:
        return tree
    if made is not None and id(tree) in made:
        return made[id(tree)]
    items = [filled(item, outputs, False, made) for _, item in parts]
    same = all(new is old for new, (_, old) in zip(items, parts))
    found = tree if same else rebuilt(tree, items)  # an object that both sides hold stays that object
    if made is not None:
        made[id(tree)] = found
    return found


def _nothing() -> None:
    return None
