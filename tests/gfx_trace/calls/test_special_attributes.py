"""What Python asks of the user's own classes, by attributes, keys and order, is entered, recorded, or refused where it meets captured data."""

import functools
import heapq
import inspect
import operator
import string
import types
import typing
from collections import defaultdict

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

XS = torch.tensor([1.0, 3.0]), torch.tensor([-1.0, -3.0])


def agrees(function):
    program = gfx.symbolic_trace(function)
    for x in XS:
        for call in (program, program.to("torch")):
            torch.testing.assert_close(call(x), function(x))


class Asked:
    """Gives attributes that it has not got."""

    def __init__(self):
        self.asked = 0

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        self.asked += 1
        return 2.0


class Doubling:
    """Doubles what is written to it."""

    def __init__(self):
        self.v = 1.0

    def __setattr__(self, name, value):
        super().__setattr__(name, value * 2)


class Counted:
    """A descriptor that counts and scales."""

    def __get__(self, held, kind=None):
        held.asked += 1
        return 3.0

    def __set__(self, held, value):
        held.stored = value * 10


class Holds:
    """Holds a descriptor."""

    d = Counted()

    def __init__(self):
        self.asked, self.stored = 0, 1.0


class Half:
    """A cached property of captured data."""

    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def half(self):
        return self.x / 2 if isinstance(self.x, torch.Tensor) else 0.0


class Made(list):
    """A list with a constructor of its own."""

    def __init__(self, x):
        super().__init__([x])
        self.n = 1 if isinstance(x, torch.Tensor) else 2


class New:
    """Made by `__new__`."""

    def __new__(cls, x):
        made = object.__new__(cls)
        made.n = 1 if isinstance(x, torch.Tensor) else 2
        return made


class Place:
    """A place that counts how often it was asked for its number, its truth and its text."""

    def __init__(self):
        self.asked = 0

    def __index__(self):
        self.asked += 1
        return 1

    def __bool__(self):
        self.asked += 1
        return True

    def __str__(self):
        self.asked += 1
        return "here"


class Key:
    """Compares and counts."""

    def __init__(self, v):
        self.v, self.asked = v, 0

    def __eq__(self, other):
        self.asked += 1
        return self.v == other.v

    def __lt__(self, other):
        self.asked += 1
        return self.v < other.v

    def __hash__(self):
        self.asked += 1
        return hash(self.v)


class OfTensor(Key):
    """Compares captured data."""

    def __eq__(self, other):
        return isinstance(self.v, torch.Tensor)

    def __lt__(self, other):
        return isinstance(self.v, torch.Tensor)

    def __hash__(self):
        return 1 if isinstance(self.v, torch.Tensor) else 2


STEPS = {
    "an attribute that is not there": (Asked, lambda o: o.more, lambda o: o.asked + 1),
    "getattr": (Asked, lambda o: getattr(o, "more", 1.0), lambda o: o.asked + 1),
    "hasattr": (Asked, lambda o: hasattr(o, "more"), lambda o: o.asked + 1),
    "an attribute that is written": (Doubling, lambda o: setattr(o, "v", 3.0), lambda o: o.v),
    "a descriptor": (Holds, lambda o: o.d, lambda o: o.asked + 1),
    "a descriptor that is written": (Holds, lambda o: setattr(o, "d", 2.0), lambda o: o.stored),
    "an index": (Place, lambda o: [1.0, 2.0][o], lambda o: o.asked + 1),
    "a range": (Place, lambda o: len(range(o)), lambda o: o.asked + 1),
    "its truth": (Place, bool, lambda o: o.asked + 1),
    "its text": (Place, str, lambda o: o.asked + 1),
    "in": (lambda: Key(1.0), lambda o: Key(1.0) in [o], lambda o: o.asked + 1),
    "index": (lambda: Key(1.0), lambda o: [o].index(Key(1.0)), lambda o: o.asked + 1),
    "a key": (lambda: Key(1.0), lambda o: {Key(3.0): 2}.get(o), lambda o: o.asked + 1),
    "a set": (lambda: Key(1.0), lambda o: set([o]), lambda o: o.asked + 1),
    "sorted": (lambda: Key(1.0), lambda o: sorted([Key(2.0), o]), lambda o: o.asked + 1),
    "max": (lambda: Key(1.0), lambda o: max(o, Key(2.0), o), lambda o: o.asked + 1),
}  # fmt: skip


@pytest.mark.parametrize("made, step, read", STEPS.values(), ids=STEPS)
def test_what_a_class_does_when_it_is_asked_is_recorded(made, step, read):
    def function(x):
        held = made()
        if torch.sum(x) > 0:
            step(held)
        return x * read(held)

    agrees(function)


@pytest.mark.parametrize(
    "ask",
    [
        lambda a, b: a in [b],
        lambda a, b: [b, a].index(a),
        lambda a, b: {1: 2.0}.get(a),
        lambda a, b: sorted([a, b]),
        lambda a, b: heapq.heapify([a, b]),
    ],
)
def test_where_c_asks_an_object_that_holds_captured_data_it_is_refused(ask):
    with pytest.raises(CaptureError, match=r"Python itself calls OfTensor.__\w+__, and the object holds captured data"):
        gfx.symbolic_trace(lambda x: x * (1.0 if ask(OfTensor(x), OfTensor(x + 1)) else 2.0))


def test_an_object_that_holds_captured_data_is_bound_without_being_asked():
    def function(x):
        by_partial = functools.partial(lambda held, y: held.v * y, OfTensor(x))
        by_method = types.MethodType(lambda held, y: held.v + y, OfTensor(x))
        return by_partial(x) + by_method(x)

    agrees(function)


class Reads:
    """Reads its attributes by `object`, and gives those that it has not got."""

    scale = 3.0

    def __init__(self, x):
        self.w, self.n = x, 2

    def __getattribute__(self, name):
        return super().__getattribute__("w" if name == "weight" else name)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return len(name)

    @property
    def signed(self):
        return self.weight * self.n if self.w.sum() > 0 else -self.w

    @staticmethod
    def plus(x):
        return x + 1

    @classmethod
    def scaled(cls, x):
        return x * cls.scale


def reads(x):
    o = Reads(x)
    o.n = 5
    missing = hasattr(o, "_none")
    return o.signed + o.plus(x) + o.scaled(x) + o.seven + len(o.__dict__) + isinstance(o, Reads) + missing


def test_what_object_itself_finds_is_entered_too():
    agrees(reads)


def test_objects_are_made_by_their_own_constructors():
    agrees(lambda x: x * Made(x).n * len(Made(x)) + New(x).n)


def test_a_cached_property_is_computed_once_and_kept_by_no_object():
    outside = Half(2.0)

    def function(x):
        held = Half(x)
        y = held.half if torch.sum(x) > 0 else x
        return y + held.half + held.half * outside.half

    agrees(function)
    assert gfx.symbolic_trace(lambda x: x + outside.half)(XS[0]).tolist() == [1.0, 3.0]


@functools.singledispatch
def told(x):
    return 1.0


@told.register
def _(x: torch.Tensor):
    return 5.0


class Tells:
    scale = 2.0

    @functools.singledispatchmethod
    def told(self, x):
        return self.scale

    @told.register
    def _(self, x: torch.Tensor):
        return x.sum() if x[0] > 0 else x * self.scale


def test_a_function_that_is_chosen_by_a_class_is_that_of_tensors():
    agrees(lambda x: x * told(x))
    agrees(lambda x: x * Tells().told(x).sum() + Tells().told(1))


def test_functions_that_are_defined_under_way_have_their_annotations():
    def cast(f):
        return lambda v: f(f.__annotations__["v"](v))

    def function(x):
        class Own:
            pass

        @cast
        def scaled(v: float, *rest: Own, by: "str" = "", **more: bool) -> torch.Tensor:
            return x * v

        def typed(v: Own, w: Own | None = None) -> int:
            return 1

        hints = typing.get_type_hints(typed)
        made = []
        for kind in (int, float):

            def convert(v: kind) -> kind:
                return v

            made.append(inspect.signature(convert).return_annotation is kind)
        return scaled("2.5") + (hints["v"] is Own) + len(hints) * 10 + sum(made) * 100

    agrees(function)


def test_what_code_that_is_not_entered_makes_anew_in_each_call_is_no_state():
    def function(x):
        @functools.singledispatch
        def told_here(v):
            return 1.0

        told_here.register(torch.Tensor, lambda v: v * 2)
        return told_here(x)

    with pytest.raises(CaptureError, match="changes from call to call"):
        gfx.symbolic_trace(function)


def test_a_default_that_a_loop_makes_is_there_for_who_asks_for_its_key():
    def function(x):
        totals = defaultdict(float)
        for v in x:
            totals["all"] += v
            if v > 0:
                totals["positive"] += v
        return totals["all"] - totals["positive"]

    agrees(function)

    def counted(x):
        totals = defaultdict(float)
        for v in x:
            totals["all"] += v
        return x * len(totals)

    with pytest.raises(CaptureError, match="whether it has the key 'all' hangs on data"):
        gfx.symbolic_trace(counted)


# ---------------------------------------------------------------------- what Python itself runs
class Counts:
    """Counts what Python asks of it."""

    def __init__(self, key=1):
        self.key, self.asked = key, 0.0

    def ask(self, answer):
        self.asked += 1
        return answer

    def __hash__(self):
        return self.ask(hash(self.key))

    def __str__(self):
        return self.ask("text")

    def __getitem__(self, key):
        return self.ask(2.0)

    def keys(self):
        return self.ask(["a"])


COUNTED = [
    lambda c: {c},
    lambda c: {c, 2},
    lambda c: {c: 1},
    lambda c: {part for part in (c,)},
    lambda c: {part for part in (c,) if part is c},
    lambda c: {part: 1 for part in (c,)},
    lambda c: dict([(c, 1)]),
    lambda c: {**{c: 1}},
    lambda c: {**c},
    lambda c: dict(**c),
    lambda c: "{0[a]}".format(c),  # noqa: UP030, UP032
    lambda c: "{} {}".format(1, c),  # noqa: UP032
    lambda c: "{c}".format(c=c),  # noqa: UP032
    lambda c: "%s and %s" % (c, 1),  # noqa: UP031
]


@pytest.mark.parametrize("use", COUNTED, ids=range(len(COUNTED)))
def test_what_python_runs_of_an_object_is_recorded(use):
    def under_a_test(x: torch.Tensor):
        c = Counts()
        if x.sum() > 0:
            use(c)
        return x * (c.asked + 1)

    agrees(under_a_test)


MADE = [
    lambda d: "{0[z]}".format(d),  # noqa: UP030, UP032
    lambda d: "%(z)s" % d,  # noqa: UP031
    lambda d: "{z}".format_map(d),
    lambda d: string.Template("$z").substitute(d),
    lambda d: operator.itemgetter("z")(d),
    lambda d: list(map(d.__getitem__, "z")),
    lambda d: operator.getitem(d, "z"),
]


@pytest.mark.parametrize("use", MADE, ids=range(len(MADE)))
def test_a_default_that_a_test_makes_is_refused_where_it_is_asked_for(use):
    def under_a_test(x: torch.Tensor):
        d = defaultdict(int)
        if x.sum() > 0:
            use(d)
        return x * len(d)

    with pytest.raises(CaptureError, match=r"GFX cannot convert this (write to|use of) 'd'"):
        gfx.symbolic_trace(under_a_test)
