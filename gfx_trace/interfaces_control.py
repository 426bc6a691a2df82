"""Interfaces of control flow: tests, gated values, loops, iterators, what is raised."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from gfx_ir.backend import Lift
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Node, Value
from gfx_ir.op import OpDef

from .access import NOTHING, Access
from .proxy import Proxy, Undefined


class Testing(Protocol):
    """What is true."""

    def truth(self, test: Any) -> Any:
        """True or False where that is fixed or known, else the Value that decides."""

    def bool_(self, x: Any) -> Any:
        """bool(x), as a captured value where x is open."""

    def not_(self, x: Any) -> Any:
        """not x."""

    def is_(self, a: Any, b: Any) -> Any:
        """a is b: open for `is None` of an optional value, and for booleans."""

    def contains(self, container: Any, item: Any) -> Any:
        """item in container, where one of them is open."""

    def either(self, value: Value, use: Callable[[Any], Any]) -> Any:
        """What `use` makes of an optional value, or of None: for lifts, which see Values."""

    def forked(self, lift: Lift, args: tuple, kwargs: dict, call: Callable[[tuple, dict], Any], own: int = 0) -> Any:
        """A call on both sides of a test, where it hangs on whether an argument is None, or on what a test decided."""

    def and_(self, first: Any, rest: Sequence[Callable[[], Any]], access: Access = NOTHING) -> Any:
        """first and rest…, lazily: an operand is traced as a region under what was found before it."""

    def or_(self, first: Any, rest: Sequence[Callable[[], Any]], access: Access = NOTHING) -> Any:
        """first or rest…, lazily."""

    def placed(self, f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What a function of ours that computes with Proxies gives: their operators take the place to be ours."""

    def ifexp(
        self,
        test: Any,
        then: Callable[[], Any],
        otherwise: Callable[[], Any],
        access: Access = NOTHING,
        name: str = "result",
    ) -> Any:
        """then() if test else otherwise()."""


class Resolving(Protocol):
    """Gated values, and values of regions that were left."""

    def known(self, x: Any) -> Any:
        """What x holds as far as it is known here which way the tests went on which it hangs."""

    def present(self, x: Any) -> Any:
        """What x holds, where it is known to hold something."""

    def resolve(
        self, x: Any, use: Callable[[Any], Any], access: Access = NOTHING, value: bool = True, asked: bool = False
    ) -> Any:
        """What `use` makes of what x holds."""

    def if_there(self, x: Any, there: Callable[[Any], Any], absent: Callable[[], Any]) -> Any:
        """there(x), or absent() where a test decides that nothing stands in its place."""

    def resolve_all(self, args: tuple, use: Callable[[tuple], Any]) -> Any:
        """What `use` makes of arguments, with what each gated value among them holds in its place."""

    def imported(self, test: Value, tree: Any) -> Any:
        """A side's object outside of its region: its inner values become outputs of the node on demand."""

    def visible(self, value: Value) -> bool:
        """Whether a value can be read here."""

    def stays(self, value: Value) -> bool:
        """Whether a value is of a graph under construction."""

    def repeated(self, node: Node, args: tuple) -> tuple:
        """What a node gives of these arguments."""

    def here(self, value: Value) -> Value:
        """A value, also where it was made in a region that was left."""

    def read(self, name: str, x: Any) -> Any:
        """A read of a variable that may be undefined."""

    def unset(self, x: Undefined) -> BaseException:
        """Python's error of reading what nothing was assigned to."""


class Branching(Protocol):
    """Tests."""

    escaped: Exception | None

    @contextmanager
    def opened(self, name: str) -> Any:
        """Build a region whose writes are undone when it is left; yields its Side."""

    def branch(self, test: Value, then: Any, otherwise: Any, access: Access = NOTHING, name: str = "result") -> Any:
        """Trace both sides of an open test, join what they leave, and return the joined result."""

    def checked(self, passes: Any, raised: Any) -> None:
        """A check that stands where the user raises."""

    def caught(self, raised: Any) -> UnsupportedConstruct:
        """The error for a raise that hangs on data, under an `except`."""

    def at_end(self, side: Any, x: Proxy) -> Any:
        """What a tensor from outside held at the end of a side that was left."""

    @contextmanager
    def _within(self, side: Any) -> Any:
        """Go back into a region that was left, to capture more."""


class OfSources(Protocol):
    """What a loop goes over."""

    def loop_source(self, iterable: Any) -> Any:
        """The iterables of a loop that can be staged, and how an item is made from one value of each; None: run it."""

    def _loop_item(self, value: Value, source: Any, at: int) -> Any:
        """An item as the body sees it."""

    def _check_rows(self, source: Any, side: Any, carries: Any = None) -> None:
        """A loop may not write the tensor over whose rows it runs: those to come would change."""


class Looping(Protocol):
    """Loops."""

    fixed_loops: int

    def while_(self, test: Any, body: Any, access: Access, stop: Any, inner: Sequence[str] = ...) -> None:
        """while not stop() and test()."""

    def for_(self, iterable: Any, body: Any, access: Access, stop: Any, target: Any, peels: bool = True) -> None:
        """for item in iterable: body(item), until stop()."""

    def map_(
        self, function: Callable[[Any], Any], iterable: Any, target: Any = "item", access: Access = NOTHING
    ) -> Any:
        """[function(item) for item in iterable]."""

    def fold(
        self,
        iterable: Any,
        step: Callable[[Any, Any], Any],
        found: Any,
        name: str,
        target: Any = "item",
        access: Access = NOTHING,
    ) -> Any:
        """What `found` becomes when each item takes its turn: found = step(found, item); `access` as in `map_`."""


class Iterating(Protocol):
    """What iterators hand on."""

    def made(self, iterator: Any) -> Any:
        """Note that the region that is open made an iterator."""

    def of_call(self, found: Any, f: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
        """What a call gave that was not entered."""

    def check(self, iterator: Any) -> None:
        """Before an item is taken."""

    def next(self, iterator: Any) -> Any:
        """The next item."""

    def steps(self, source: Any, loop: bool = False) -> Iterator[Any]:
        """The items of a source one by one."""

    def drained(self, source: Any) -> Any:
        """What is taken as a whole."""

    def some(self, source: Any, count: int) -> Any:
        """What is unpacked to `count` targets."""

    endless: dict[int, tuple[Any, Any]]

    def rest(self, iterator: Any, first: Any) -> Any:
        """What is left of an iterator without an end, from its next item on."""

    def doubt(self, source: Any) -> None:
        """A test on captured data decides how far a source is read."""

    def given(self, f: Any, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        """The arguments of a call that is not entered."""


class LettingOut(Protocol):
    """What is raised, and who waits for it."""

    def waits(self, *reasons: str) -> bool:
        """Whether an except clause takes what the framework may raise, for reasons that stand in `Backend.raises`."""

    errors: dict[str, type]

    handlers: list[Any]
    sound: set[Node]

    def check(self, test: Any, message: Any, error: type[Exception] = ...) -> None:
        """assert test, message(); `error`: what is raised instead of an AssertionError."""

    def error(self, error: Any, cause: Any) -> BaseException:
        """What `raise error from cause` raises at capture."""

    def of_numbers(self, what: str, made: Any, *errors: type[Exception]) -> None:
        """Note what Python may raise where it computes a number: refused where an except clause waits for it."""

    def matters(self, node: Node) -> bool:
        """Whether it makes a difference that a node runs whose values nobody takes."""

    def acts(self, node: Node) -> bool:
        """Whether a node acts on the world, by itself or in the function that it calls."""

    def lasts(self, node: Node) -> bool:
        """Whether a node has an effect that is another one the second time: exceptions are not."""

    def reasons(self, name: str) -> set[str] | None:
        """For what a framework may raise in a function that was captured; None: the author's code or Python may raise there, too."""

    def raised_by(self, node: Node) -> str | None:
        """The error that a node may raise though nobody takes what it gives: see `passes.dce`."""

    def may_fail(self, node: Node) -> bool:
        """Whether a framework may raise where it computes a node."""

    def catches(self, error: BaseException, depth: int | None = None, around: int | None = None) -> bool:
        """Whether an except clause around here takes an error."""

    def let_out(self, what: str, error: BaseException) -> None:
        """Raises where an except clause would take an error that may be raised when the code runs."""

    @contextmanager
    def under_clauses(self, op: OpDef, args: tuple) -> Iterator[None]:
        """Around the adding of a node."""

    def of_framework(self, what: str, *reasons: str) -> None:
        """Note that the framework may raise, for reasons that stand in `Backend.raises`."""

    def of_one(self, x: Any) -> bool:
        """Whether x is surely a number, or a tensor of one element."""


class Deciding(Protocol):
    """Tests whose truth follows from constants and shapes."""

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Inside, nothing is told: a loop whose first test is would be run trip by trip at capture."""

    def truth(self, value: Value) -> bool | None:
        """Whether a test holds for all inputs, or for none; None where that is not told."""
