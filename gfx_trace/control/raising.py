"""Raise and assert under capture: what is raised, and which except clauses around would take it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from gfx_ir import ops
from gfx_ir.control import is_call, is_test, is_while
from gfx_ir.graph import Node, Value
from gfx_ir.op import OpDef, Trait
from gfx_ir.trees import leaves

from ..interfaces import Capturing
from ..python.faults import fault_of_classes
from ..python.told import told
from ..values.raised import Raised
from .waiting import Waiting


class _Inside(NamedTuple):
    """What may happen in a function: whether it acts on the world, so that it is another world the second time; an error of Python's
    that may be raised; whether a framework may raise, and for what."""

    acts: bool
    lasts: bool
    error: str | None
    fails: bool
    reasons: set[str]


class Raising(Waiting):
    """What a `raise` or an `assert` does where it stands. `handlers`: the open try statements, outermost first."""

    def __init__(self, tracer: Capturing) -> None:
        super().__init__(tracer)
        self.may_raise: dict[
            Node, str
        ] = {}  # what Python computes with numbers that are open, and the error that it may raise
        self.errors: dict[str, type] = {}  # exception classes of the user's own that the code raises, by name
        self.absent = set[Node]()  # what is computed of a value that may be None
        self.sound = set[Node]()  # nodes whose shapes the framework's own tracer has checked
        self._known: dict[str, _Inside] = {}  # of functions that were captured, by their names

    def check(self, test: Any, message: Any, error: type[Exception] = AssertionError) -> None:
        """assert test, message(); `error`: what is raised instead of an AssertionError."""
        found = self._tracer.truths.truth(test)
        if found is True:
            return
        if found is False:
            raise self.error(error(message()) if message is not None else error(), None)
        self.let_out("assert", error())
        if message is None:
            ops.check(found, "", error.__name__)
            self._tracer.facts.assume(found, True)
            return

        def fails() -> None:  # its message is made on that side alone
            raise self.error(error(message()), None)

        self._tracer.regions.branch(found, None, fails, name="")

    def error(self, error: Any, cause: Any) -> BaseException:
        """What `raise error from cause` raises at capture."""
        made = self._tracer.calls.call(error, (), {}) if isinstance(error, type) else error
        if not isinstance(made, BaseException):
            made = TypeError("exceptions must derive from BaseException")
        if cause is not None:
            made.__cause__ = cause
        depth = len(self._tracer.stack)
        if not depth or self.catches(made, depth):  # Python finds the clause itself
            return made
        taking = next((at for at in reversed(range(len(self.handlers))) if self._takes(at, made)), None)
        clause = None if taking is None else self.handlers[taking].clause(made)
        raised = Raised(made, self._tracer.span(), told(self._tracer, getattr(made, "args", ())), len(self.handlers))
        return raised if clause is None or taking is None else self._behind(raised, clause, taking)

    def _behind(self, raised: Raised, clause: Callable[[Any], None], at: int) -> Raised:
        """What an except clause raises, which a region reaches from within the try statement `at`: it is run there."""
        inside = self.handlers[at:]
        del self.handlers[at:]
        try:
            try:
                raise raised.error
            except BaseException as error:  # which a bare `raise` in the clause finds
                clause(error)
        except Raised as found:
            return found
        except UnboundLocalError:  # of a variable that only the function around the clause has by then
            return raised
        finally:
            self.handlers += inside
        return raised

    def _takes(self, at: int, error: BaseException) -> bool:
        return isinstance(error, self.handlers[at].kinds())

    def of_numbers(self, what: str, made: Any, *errors: type[Exception]) -> None:
        """Note what Python may raise where it computes a number: refused where an except clause waits for it."""
        for error in errors if self.handlers else ():
            self.let_out(what, error())
        if type(made) is Value and errors:
            self.may_raise[made.node] = errors[0].__name__

    def of_classes(self, operator: str, args: tuple) -> type[Exception] | None:
        """The error that Python may raise of an operator by the classes of what it is given, where these are open, as of a value that
        may be None. Raises it where they are known."""
        formats = operator == "format"
        taken = [part[0] for part in args if type(part) is tuple and part[2]] if formats else list(leaves(args))
        if any(map(self.is_open_class, taken)):
            return TypeError
        if operator != "getitem" and not any(type(x) is Value and x.kind not in ("int", "bool") for x in taken):
            return None
        error = fault_of_classes(operator, args)
        if error is None:
            return None
        record, root = self._tracer.record, self._tracer.facts.root
        known = all(len(record.host_kinds.ask(root(x))) == 1 for x in taken if type(x) is Value)
        if known and (formats or len(taken) == len(args)):
            raise error
        return type(error)

    def of_absent(self, op: OpDef, args: tuple, made: Any) -> None:
        """Note what is computed of a value that may be None here: the code raises then, or goes on with what is there. NumPy's own
        functions compute something of None."""
        owner, facts = self._tracer.backend, self._tracer.facts
        takes = {name for name in op.params if op.defaults.get(name, 0) is not None and name != op.index}
        given = [x for name, x in zip(op.params, args) if type(x) is Value and name in takes]
        absent = [x for x in given if self.is_open_class(x) or (x.kind == "optional" and not facts.there(x))]
        if type(made) is not Value or not made.is_tensor or not absent:
            return
        for error in (AttributeError(), TypeError()):
            self.let_out(f"{op.name}() of what may be None", error)
        self.absent.add(made.node)
        for x in absent if owner is not None and not owner.numbers else ():
            facts.found(x)

    def repeated(self, node: Node, again: Node) -> None:
        """Note that a node does what another one does."""
        if node in self.may_raise:
            self.may_raise[again] = self.may_raise[node]
        for found in (self.absent, self.sound):
            if node in found:
                found.add(again)

    def matters(self, node: Node) -> bool:
        """Whether it makes a difference that a node runs whose values nobody takes."""
        return self.acts(node) or self.raised_by(node) is not None or self.may_fail(node)

    def acts(self, node: Node) -> bool:
        """Whether a node acts on the world, by itself or in the function that it calls."""
        return node.op.effect or (is_call(node) and self._inside(node.args[0]).acts)

    def lasts(self, node: Node) -> bool:
        """Whether a node has an effect that is another one the second time: exceptions are not."""
        if is_call(node):
            return self._inside(node.args[0]).lasts
        return node.op.effect and not node.op.traits & Trait.RAISES

    def raised_by(self, node: Node) -> str | None:
        """The error that a node may raise though nobody takes what it gives: see `passes.dce`."""
        if is_call(node):
            return self._inside(node.args[0]).error
        if node in self.absent:
            return ""
        found = self.may_raise.get(node)
        taken = bool(node.op.traits & Trait.OF_ONE)
        if found is not None:
            return "" if taken or node.value.kind != "tensor" else found
        return "" if taken and not self.of_one(node.args[0]) else None

    def may_fail(self, node: Node) -> bool:
        """Whether a framework may raise where it computes a node: for a shape that its op does not take, or for what a tensor holds."""
        if is_call(node):
            return self._inside(node.args[0]).fails
        if (
            node in self.sound
            or node.op.effect
            or node.regions
            or len(node.values) != 1
            or node.op.traits & Trait.OF_ONE  # which is asked apart
        ):
            return False
        return node.values[0].is_tensor and bool(self._kinds(self._faults(node.op, node.args, waited=False)))

    def reasons(self, name: str) -> set[str] | None:
        """For what a framework may raise in a function that was captured; None: the author's code or Python may raise there, too."""
        inside = self._inside(name)
        return None if inside.acts or inside.error is not None else inside.reasons

    def _inside(self, name: str) -> _Inside:
        """The same of a function that was captured: of its nodes, and of those that it calls."""
        found = self._known.get(name)
        if found is None:
            nodes = list(self._tracer.functions.graphs[name].walk())
            errors = [error for error in map(self.raised_by, nodes) if error is not None]
            acts, lasts, fails = (any(map(ask, nodes)) for ask in (self.acts, self.lasts, self.may_fail))
            reasons = set[str]().union(*map(self._reasons, nodes))
            found = _Inside(acts, lasts, max(errors, default=None), fails, reasons)
            self._known[name] = found
        return found

    def _reasons(self, node: Node) -> set[str]:
        if is_call(node):
            return self._inside(node.args[0]).reasons
        open_axis = node.op.traits & Trait.ASKS and "axis" in node.op.params
        asked = node.args[0] if is_test(node) else next(leaves(node.regions[0].result)) if is_while(node) else None
        if not self.of_one(asked):
            return {"one"}
        told = {"position"} if open_axis and self._tracer.record.rank_of(node.args[0]) is None else set[str]()
        return told.union(() if node.op.effect or node.op.control is not None else self._faults(node.op, node.args))
