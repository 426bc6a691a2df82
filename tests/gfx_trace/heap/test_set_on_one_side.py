"""A key or attribute that only one side of a test sets: what need not know whether it is there is converted, all else refused."""

import collections
import copy

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError


class Held:
    """An object of attributes."""

    c = 2.0


def keyed(x, flag):
    held = {"a": x}
    if flag:
        held["b"] = x + 1
    return held


def attributed(x, flag):
    held = Held()
    held.a = x
    if flag:
        held.b = x + 1
    return held


def hiding(x, flag):
    held = Held()
    if flag:
        held.c = 5.0
    return held


def both_orders(x, flag):
    held = {}
    if flag:
        held["b"] = x
    else:
        held["a"] = x
    held["a"], held["b"] = x, x + 1
    return held


def asked(x, held):
    if "b" in held:
        return held["b"] * 2
    return x


def asked_attribute(x, held):
    return held.b * 3 if hasattr(held, "b") else held.a


def overwritten(x, held):
    held["b"] = x * 5
    return list(held), sum(held.values())


KNOWN = {
    "another key": (keyed, lambda x, held: held["a"] * 2),
    "get": (keyed, lambda x, held: held.get("b", x * 3)),
    "in": (keyed, asked),
    "not in": (keyed, lambda x, held: x if "b" not in held else -x),
    "overwritten": (keyed, overwritten),
    "another attribute": (attributed, lambda x, held: held.a * 2),
    "getattr": (attributed, lambda x, held: getattr(held, "b", x * 4)),
    "hasattr": (attributed, asked_attribute),
    "its class has it": (hiding, lambda x, held: x * held.c if hasattr(held, "c") else x),
}
X = [torch.tensor([1.0, 2.0, -0.5]), torch.tensor([-1.0, -2.0, 0.5])]


def plain(found):
    return [plain(item) for item in found] if isinstance(found, (tuple, list)) else np.asarray(found).tolist()


def on_host(make, use):
    def fn(x, flag: bool):
        return use(x, make(x, flag))

    return fn, [(x, flag) for x in X for flag in (True, False)]


def on_data(make, use):
    def fn(x):
        return use(x, make(x, x.sum() > 0))

    return fn, [(x,) for x in X]


@pytest.mark.parametrize("test", [on_host, on_data])
@pytest.mark.parametrize("use", KNOWN)
@pytest.mark.parametrize("to", ["torch", "jax"])
def test_what_need_not_know_is_converted(use, test, to):
    fn, calls = test(*KNOWN[use])
    program = gfx.symbolic_trace(fn, backend="torch")
    emitted = program.to(to)
    for x, *flag in calls:
        want = plain(fn(x, *flag))
        assert plain(program(x, *flag)) == want
        assert plain(emitted(x if to == "torch" else jnp.asarray(x.numpy()), *flag)) == want


def added_behind(x, held):
    held["c"] = x
    held["b"] = x
    return list(held)


def deleted(x, held):
    del held["b"]
    return x


def called(x, held):
    return (lambda a, b=0: a + b)(**held)


def unpacked(x, held):
    a, b = held
    return a, b


def added(x, held):
    more = {"z": x}
    more |= held
    return more


def attribute_deleted(x, held):
    del held.b
    return x


def read_behind(x, held):
    if held[1]:
        y = x * 2
    return y + 1


HIDDEN = {
    "read": (keyed, lambda x, held: held["b"]),
    "length": (keyed, lambda x, held: len(held)),
    "keys": (keyed, lambda x, held: sum(held[key] for key in held)),
    "values": (keyed, lambda x, held: sum(held.values())),
    "result": (keyed, lambda x, held: held),
    "arguments": (keyed, called),
    "display": (keyed, lambda x, held: len({**held, "c": x})),
    "copy": (keyed, lambda x, held: len(held.copy())),
    "copied": (keyed, lambda x, held: len(copy.copy(held))),
    "dict": (keyed, lambda x, held: len(dict(held))),
    "union": (keyed, lambda x, held: len(held | {"z": x})),
    "equal": (keyed, lambda x, held: held == {"a": 1}),
    "pop": (keyed, lambda x, held: held.pop("b", x)),
    "setdefault": (keyed, lambda x, held: held.setdefault("b", x)),
    "delete": (keyed, deleted),
    "order": (keyed, added_behind),
    "attribute": (attributed, lambda x, held: held.b),
    "vars": (attributed, lambda x, held: len(vars(held))),
    "__dict__": (attributed, lambda x, held: len(held.__dict__)),
    "object copied": (attributed, lambda x, held: hasattr(copy.copy(held), "b")),
    "attribute deleted": (attributed, attribute_deleted),
    "truth": (keyed, lambda x, held: bool(held)),
    "first": (both_orders, lambda x, held: next(iter(held))),
    "first item": (both_orders, lambda x, held: held[next(iter(held))] * 2),
    "last": (both_orders, lambda x, held: list(reversed(held))),
    "numbered": (both_orders, lambda x, held: list(enumerate(held))),
    "mapped": (both_orders, lambda x, held: list(map(str.upper, held))),
    "text": (both_orders, lambda x, held: str(held)),
    "formatted": (both_orders, lambda x, held: f"{[held]}"),
    "by a template": (both_orders, lambda x, held: f"{[held]}"),
    "copied with others": (both_orders, lambda x, held: list(copy.deepcopy([held])[0])),
    "unpacked": (both_orders, unpacked),
    "added": (both_orders, added),
    "spread": (both_orders, lambda x, held: {**held}),
    "hidden attribute": (hiding, lambda x, held: "c" in vars(held)),
    "hidden attributes": (hiding, lambda x, held: held.__dict__.get("c", 9.0)),
    "hidden attribute deleted": (hiding, lambda x, held: delattr(held, "c")),
}


READ = {
    "read": (keyed, lambda x, held: held["b"]),
    "attribute": (attributed, lambda x, held: held.b),
    "variable": (lambda x, flag: (x, flag), read_behind),
}


@pytest.mark.parametrize("to", ["torch", "jax"])
@pytest.mark.parametrize("use", READ)
def test_a_read_under_an_open_number_raises_what_python_does(use, to):
    fn, calls = on_host(*READ[use])
    emitted = gfx.symbolic_trace(fn, backend="torch").to(to)
    for x, flag in calls:
        given = x if to == "torch" else jnp.asarray(x.numpy())
        if flag:
            assert plain(emitted(given, flag)) == plain(fn(x, flag))
            continue
        with pytest.raises((KeyError, AttributeError, UnboundLocalError)) as wanted:
            fn(x, flag)
        with pytest.raises(wanted.type) as raised:
            emitted(given, flag)
        assert str(raised.value) == str(wanted.value)


@pytest.mark.parametrize(
    ("use", "test"),
    [(use, test) for use in HIDDEN for test in (on_host, on_data) if test is on_data or use not in READ],
)
def test_what_has_to_know_is_refused(use, test):
    fn, _ = test(*HIDDEN[use])
    with pytest.raises(CaptureError, match=r"only a test or loop sets it|defined in only one branch"):
        gfx.symbolic_trace(fn, backend="torch")


def test_what_outlives_the_call_is_refused():
    class Net(torch.nn.Module):
        def forward(self, x):
            if x.sum() > 0:
                self.last = x
            return x

    with pytest.raises(CaptureError, match="'last'"):
        gfx.symbolic_trace(Net(), backend="torch")


def in_two_orders(x, flag):
    held = {}
    if flag:
        held["a"] = x
        held["b"] = x * 2
    else:
        held["b"] = x * 3
        held["a"] = x
    return held


@pytest.mark.parametrize("test", [on_host, on_data])
@pytest.mark.parametrize(
    "use",
    [
        lambda x, held: next(iter(held.values())),
        lambda x, held: [held[key] for key in held],
        lambda x, held: list({**held}),
        lambda x, held: list(held | {}),
        lambda x, held: list(dict(held)),
        lambda x, held: list(held.copy()),
        lambda x, held: x * (str(list(held)) == "['a', 'b']"),
        lambda x, held: held,
    ],
)
def test_an_order_of_keys_that_a_test_decides_is_refused(use, test):
    fn, _ = test(in_two_orders, use)
    with pytest.raises(CaptureError, match="a test decides in which order its keys stand"):
        gfx.symbolic_trace(fn, backend="torch")


@pytest.mark.parametrize("test", [on_host, on_data])
def test_keys_that_stand_in_two_orders_are_read_and_written(test):
    def use(x, held):
        held["a"] = held["a"] + 1
        known = len(held) + ("a" in held) + (held != {"b": 1}) + 2 * bool(held) + 4 * ("c" in held)
        return (held["a"] - held["b"]) * known

    fn, calls = test(in_two_orders, use)
    program = gfx.symbolic_trace(fn, backend="torch")
    for call in calls:
        assert plain(program(*call)) == plain(program.to("torch")(*call)) == plain(fn(*call))


def test_an_order_that_a_comparison_asks_for_is_refused():
    def in_order(x, around):
        held = collections.OrderedDict()
        if x.sum() > 0:
            held["a"], held["b"] = 1, 2
        else:
            held["b"], held["a"] = 2, 1
        return x * (around(held) == around(collections.OrderedDict(a=1, b=2)))

    for fn in (lambda x: in_order(x, lambda held: held), lambda x: in_order(x, lambda held: [held])):
        with pytest.raises(CaptureError, match="a test decides in which order its keys stand"):
            gfx.symbolic_trace(fn, backend="torch")


VIEWED = [
    len, list, sorted, str, lambda k: "c" in k, lambda k: [*k], lambda k: k == {"a"}, lambda k: k & {"c"}, lambda k: {"a"} >= k,
    lambda k: k.isdisjoint({"c"}), lambda k: {"z"}.union(k), ",".join,
]  # fmt: skip


@pytest.mark.parametrize("use", VIEWED)
def test_a_view_from_before_the_test_is_the_dictionary(use):
    def read(x):
        d = {"a": x}
        keys = d.keys()
        if x[0] > 0:
            d["c"] = x
        return x * len(str(use(keys)))

    with pytest.raises(CaptureError, match="whether it has the key 'c' hangs on data"):
        gfx.symbolic_trace(read, backend="torch")


def test_views_are_combined_as_sets():
    def combined(x):
        d, e = {"a": x, "b": x * 2}, {"b": x, "c": x}
        return sum(d[k] * e[k] for k in d.keys() & e.keys()), len(d.keys() | ["q"]), sorted(d.keys() ^ {"a", "z"})

    x = torch.ones(2)
    assert str(gfx.symbolic_trace(combined, backend="torch")(x)) == str(combined(x))
