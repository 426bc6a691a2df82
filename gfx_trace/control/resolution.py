"""Resolution of gated values: what is read of a variable that an undecided test left one of several things in."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from gfx_ir.codegen.sides import outer
from gfx_ir.control import hangs_on_data, is_call, is_given
from gfx_ir.copies import copy_graph
from gfx_ir.edited import put
from gfx_ir.graph import Graph, Node, Value, values_in
from gfx_ir.infer.demand import Question, Rule
from gfx_ir.passes.dce import has_effect
from gfx_ir.python_numbers import COMPARING_METHODS, METHODS
from gfx_ir.trees import tree_map

from ..heap.aliases import doubt, mutable
from ..interfaces import Capturing
from ..python.rows import FILLED
from ..values.access import A_VALUE, NOTHING, Access
from ..values.gated import Gated, GatedItems, defined_by, gate_of, is_total, undecided, usable
from ..values.here import here
from ..values.proxy import Proxy, Undefined, Unusable, is_open

_OPERATORS, _COMPARISONS = (
    [getattr(operator, f"__{name}__") for name in names] for names in (METHODS, COMPARING_METHODS)
)
_UNUSED = (
    "bool", "call", "iter", "len", "index", "int", "float", "format", "getitem", "setitem", "delitem", "contains",
    "hash", "str", "repr",
)  # fmt: skip


class Resolution:
    """The part of the Tracer that knows what hangs on a test."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer

    def asked_none(self, x: Gated, found: Any) -> Any:
        """The answer to `x is None`: where it is no, x is known to hold something."""
        if is_open(found) and isinstance(found.value, Value):
            x.none.append(found.value)
        return found

    def resolve(
        self,
        x: Any,
        use: Callable[[Any], Any],
        access: Access = NOTHING,
        value: bool = True,
        asked: bool = False,
    ) -> Any:
        """What `use` makes of what x holds: of a gated value on the way that its test goes, decided where that is known, else captured
        on both. Where nothing is there on one, that way raises what Python does if the test is on an open number; on data it is refused.
        `access`: to what the use assigns; `value`: whether it gives one; `asked`: whether only truth is asked for."""
        if isinstance(x, Undefined):
            raise self.unset(x)
        gate = gate_of(x)
        if gate is None:
            return use(x)
        x = gate
        if x.total:
            self._there(self.tracer.truths.truth(x.test), True, x.otherwise)
            return use(x.then)
        if x.error is not None and not asked and self._not_none(x):
            return use(self._but_none(x))
        known = self.tracer.facts.decide(x.test)
        sides = x.sides if known is None else (x.side(known),)
        absent = [side for side in sides if isinstance(side, Undefined)]
        undecided = known is None and ((absent and x.test.is_tensor) or (x.error is not None and not asked))
        if undecided or any(isinstance(side, Unusable) for side in sides) or any(side.error is None for side in absent):
            raise self._refusal(x)
        if absent:
            there = absent[0] is not x.then
            self._there(self.tracer.local(x.test) if known is None else known, there, absent[0])
            return self.resolve(self.imported(x.test, x.side(there)), use, access, value, asked)
        return self.on_sides(x, lambda side: self.resolve(side, use, access, value, asked), access, value)

    def on_sides(self, x: Gated, use: Callable[[Any], Any], access: Access = NOTHING, value: bool = True) -> Any:
        """What `use` makes of either side of a gated value, of the one that its test says where that is known."""
        known = self.tracer.facts.decide(x.test)
        if known is not None:
            return use(self.imported(x.test, x.side(known)))
        then, otherwise = (partial(self._used, x, truth, use) for truth in (True, False))
        return self.tracer.regions.branch(self.tracer.local(x.test), then, otherwise, access, A_VALUE if value else "")

    def _not_none(self, x: Gated) -> bool:
        """Whether the code is where it found that a gated value is not None."""
        return any(self.tracer.facts.decide(answer) is False for answer in x.none)

    def _but_none(self, x: Any) -> Any:
        """What x holds, where it is known not to be None."""
        if type(x) is not Gated or x.total:
            return x
        return self._other_way(x, lambda side: side is None, self._but_none)

    def present(self, x: Any) -> Any:
        """What x holds, where it is known to hold something: the ways that left no value in it do not come here."""
        if type(x) is not Gated or x.whole:
            return x
        if x.total:
            return x.then
        return self._other_way(x, lambda side: isinstance(side, Undefined), self.present)

    def _other_way(self, x: Gated, absent: Callable[[Any], bool], use: Callable[[Any], Any]) -> Any:
        """What `use` makes of what x holds, which is nothing that is `absent`: the way that left that does not come here."""
        for truth in (True, False):
            if absent(x.side(truth)):
                return use(self.imported(x.test, x.side(not truth)))
        return self.on_sides(x, use)

    def known(self, x: Any) -> Any:
        """What x holds as far as it is known here which way the tests went on which it hangs."""
        if type(x) is not Gated or x.total:
            return x
        if x.error is not None and self._not_none(x):
            return self._but_none(x)
        way = self.tracer.facts.decide(x.test)
        return x if way is None else self.known(self.imported(x.test, x.side(way)))

    def _used(self, x: Gated, truth: bool, use: Callable[[Any], Any]) -> Any:
        return use(self.imported(x.test, x.side(truth)))

    def unset(self, x: Undefined) -> BaseException:
        """Python's error of reading what nothing was assigned to."""
        error = x.error
        return self._refusal(Gated(None, x, x, x.name)) if error is None else self.tracer.raising.error(error, None)

    def _refusal(self, x: Gated) -> Exception:
        """The error of a gated value that is no value here."""
        error = x.refusal
        error.span = error.span or self.tracer.span()
        return error

    def if_there(self, x: Any, there: Callable[[Any], Any], absent: Callable[[], Any]) -> Any:
        """there(x), or absent() where a test decides that nothing stands in its place."""
        if is_total(x):
            return self.tracer.truths.ifexp(x.test, lambda: there(x.then), absent)
        if type(x) is Gated:
            return self.on_sides(x, lambda side: self.if_there(side, there, absent))
        if isinstance(x, Undefined):
            return absent()
        usable(x)
        return there(x)

    def resolve_all(self, args: tuple, use: Callable[[tuple], Any]) -> Any:
        """What `use` makes of arguments, with what each gated value among them holds in its place."""
        at = next((at for at, arg in enumerate(args) if gate_of(arg) is not None), None)
        if at is None:
            return use(args)
        return self.resolve(args[at], lambda side: self.resolve_all((*args[:at], side, *args[at + 1 :]), use))

    def at(self, key: Any, use: Callable[[Any], Any]) -> Any:
        """What `use` makes of a key or an index, with what each gated part of it holds in its place."""
        return self.resolve_all(key, use) if type(key) is tuple else self.resolve_all((key,), lambda only: use(*only))

    def imported(self, test: Value, tree: Any) -> Any:
        """A side's object outside of its region: its inner values become outputs of the node on demand."""
        if type(tree) is tuple:
            return tuple(self.imported(test, item) for item in tree)
        if type(tree) is slice:
            return slice(*self.imported(test, (tree.start, tree.stop, tree.step)))
        if type(tree) is list or type(tree) is dict:
            return self._brought(test, tree)
        if is_total(tree):
            return defined_by(self.imported(test, tree.test), self.imported(test, tree.then), tree.name)
        if type(tree) is Gated and not self.visible(tree.test):
            asked = self._copied(tree.test) if test.is_tensor else self._export(tree.test, False)
            return Gated(asked, tree.then, tree.otherwise, tree.name, error=tree.error)
        if type(tree) is GatedItems:
            gated = self.imported(test, tree.gated)
            return tree if gated is tree.gated else GatedItems(gated)
        if type(tree) in FILLED:
            rows = self.imported(test, tree.rows)
            return tree if rows is tree.rows else type(tree)(rows, tree.kind)
        if is_open(tree):
            value = tree.read()
            if isinstance(value, Value) and not self.visible(value):
                made = self._copied(value) if test.is_tensor else self._export(value)
                if value.kind == "tensor":  # this side gives it
                    self.tracer.facts.found(made)
                found = self.tracer.wrap(made, tree.backend)
                if isinstance(tree, Proxy) and mutable(found):
                    doubt(found, [tree], "it was made under a test, and is read again behind it")
                return found
        return tree

    def _brought(self, test: Value, tree: Any) -> Any:
        """A side's list or dictionary outside of its region: the same one each time, as code may write to it."""
        if id(tree) in self.tracer.brought:
            return self.tracer.brought[id(tree)][1]
        items = list(tree.items() if type(tree) is dict else enumerate(tree))
        found = {key: self.imported(test, item) for key, item in items}
        if all(found[key] is item for key, item in items):
            return tree
        made = found if type(tree) is dict else list(found.values())
        self.tracer.journal.made.note(made, tree)
        self.tracer.brought[id(tree)] = tree, made
        return made

    def visible(self, value: Value) -> bool:
        """Whether a value can be read here: it is of a graph under construction, or of a region that is being joined."""
        return self.stays(value) or any(value.node.graph is g for g in self.tracer.open_graphs)

    def stays(self, value: Value) -> bool:
        """Whether a value is of a graph under construction: it can be read also behind the regions that are being joined."""
        return self._is_built(value.node.graph)

    def _is_built(self, graph: Graph | None) -> bool:
        return graph is self.tracer.graph or any(graph is g for g, _ in self.tracer.stack)

    def here(self, value: Value) -> Value:
        """A value, also where it was made in a region that was left."""
        return value if self.visible(value) or value.node.graph is None else self._copied(value)

    def asked(self, test: Value) -> Value:
        """A test, also where it was made in a region that was left: the node around that gives it, False where its side is not run,
        on which what it follows from may raise."""
        return self.tracer.local(self._export(test, False)) if self._is_handed_on(test) else self.here(test)

    def _is_handed_on(self, value: Value) -> bool:
        """Whether a value can be an output of the nodes around it: these are of a graph under construction."""
        graph = value.node.graph
        while graph is not None and graph.owner is not None and not self._is_built(graph):
            graph = graph.owner.graph
        return graph is not None and graph is not value.node.graph and self._is_built(graph)

    def _copied(self, value: Value) -> Any:
        """A value of a region that was left, computed again here: what it follows from has no effect."""
        again = Question(lambda inner: self._copy(again, inner))
        found = again.ask(value)
        self.tracer.copies.update(again.known)
        return found

    def _copy(self, again: Question, value: Value) -> Rule:
        """The same for one value: `again` has what it follows from."""
        origin = self.tracer.facts.origin.get(value)
        if origin is not None:
            return (yield again, origin)
        if self.visible(value):
            return self.tracer.local(value)
        made = self.tracer.copies.get(value)
        if type(made) is Value and made.node.graph is not None and self.stays(made):
            return self.tracer.local(made)
        node, found = value.node, outer(value)
        if found is not value:
            return (yield again, found) if type(found) is Value else found
        own = is_given(node) or node.draws  # of a loop's trip, for one
        if own or has_effect(node, self.tracer.raising.acts) or any(region.parameters for region in node.regions):
            raise self.tracer.error(
                f"GFX cannot use {value.name or node.op.name!r} here: it was made under another test",
                "give it a value before that test too, or use it on that side of the test",
            )
        held = dict[Value, Any]()
        for leaf in values_in(node.args):
            held[leaf] = yield again, leaf
        args = tree_map(lambda leaf: held[leaf] if type(leaf) is Value else leaf, node.args)
        made = self.repeated(node, args)
        for old, new in zip(node.values, made):
            again.known[old] = new
            if type(new) is Value:
                new.name, new.type = old.name, new.type or old.type
                self.tracer.record.copied(old, new)
        return again.known[value]

    def repeated(self, node: Node, args: tuple) -> tuple:
        """What a node gives of these arguments."""
        if node.regions or is_call(node):
            regions = tuple(copy_graph(region, fresh=True) for region in node.regions)
            again = Node(node.op, args, tuple(old.kind for old in node.values), node.span, regions)
            self.tracer.graph.insert(again, None)
            for old, new in zip(node.values, again.values):
                self.tracer.record.copied(old, new)
            return again.values
        made = node.op(*args)
        return made if isinstance(made, tuple) else (made,)

    def _export(self, value: Value, instead: Any = None) -> Value:
        """A value of a region that was left, as an output of the nodes around it, for which the other side gives what stands `instead`,
        which nothing reads: False for a test, as JAX traces also a side that data never takes. Where data tests one of the nodes, in
        which both sides give the same kinds, the value is computed again."""
        graph = value.node.graph
        if self._is_built(graph):
            return value
        assert graph is not None and graph.owner is not None
        node = graph.owner
        for at, leaf in enumerate(graph.result):
            if leaf is value:
                return self._export(node.values[at], instead)
        if hangs_on_data(node) and not (value.is_tensor and instead is False):
            return self._copied(value)
        graph.result = (*graph.result, value)
        other = node.regions[1 - node.regions.index(graph)]
        if value.kind == "list":  # whoever takes it for one gets one
            instead = put(other, None, "seq_of", ())
        other.result = (*other.result, instead)
        kind = value.kind if instead is not None else "optional" if value.kind in ("tensor", "optional") else "any"
        made = Value(node, len(node.values) + 1, kind, value.name, value.type if value.is_tensor else None)
        node.values = (*node.values, made)
        self.tracer.record.copied(value, made)
        return self._export(made, instead)

    def read(self, x: Any) -> Any:
        """A read of a variable that may be undefined."""
        if isinstance(x, Undefined):
            raise self.unset(x)
        if type(x) is Gated and not x.whole:
            return self.resolve(x, lambda side: side)
        if isinstance(x, Unusable):
            raise x.error
        return x

    def _there(self, test: Value | bool, truth: bool, absent: Undefined) -> None:
        """From here on a test is known to hold, or not to: what Python raises on the way on which nothing is there is raised where the
        emitted code goes that way, once."""

        def fails() -> None:
            raise self.unset(absent)

        if isinstance(test, Value):
            self.tracer.regions.branch(test, *((None, fails) if truth else (fails, None)), name="")
        elif test is not truth:
            fails()


def _forwarded(f: Callable[[Any, Any], Any], swapped: bool = False) -> Callable[[Gated, Any], Any]:
    """An operator of Python's on either side of a gated value."""

    def method(x: Gated, other: Any) -> Any:
        builder = here()
        operand = lambda y: builder.overloading.as_operand(y, f in _OPERATORS)
        return builder.gates.resolve(
            x, lambda side: f(operand(other), operand(side)) if swapped else f(operand(side), operand(other))
        )

    return method


def _unary(f: Callable[[Any], Any]) -> Callable[[Gated], Any]:
    def method(x: Gated) -> Any:
        builder = here()
        as_operand, call = builder.overloading.as_operand, builder.calls.call
        asked = f is operator.abs  # a builtin, which asks for the method itself
        return builder.gates.resolve(x, lambda side: call(abs, (side,), {}) if asked else f(as_operand(side)))

    return method


def _refused(x: Gated, *_: Any) -> Any:
    raise undecided(x)


def _install() -> None:
    for f in (*_OPERATORS, *_COMPARISONS):
        name = f.__name__.strip("_")
        setattr(Gated, f"__{name}__", _forwarded(f))
        if f in _OPERATORS:
            setattr(Gated, f"__r{name}__", _forwarded(f, True))
            setattr(Gated, f"__i{name}__", _refused)  # a list would change for all that hold it
    for f in (operator.neg, operator.pos, operator.invert, operator.abs):
        setattr(Gated, f"__{f.__name__.strip('_')}__", _unary(f))
    for name in _UNUSED:
        setattr(Gated, f"__{name}__", _refused)


_install()
