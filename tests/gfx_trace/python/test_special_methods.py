"""Special methods called by their names mean the operator: of tensors, numbers, lists, dictionaries and objects."""

import linecache
import operator
from collections import OrderedDict

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, GfxError
from gfx_ir.trees import leaves

XS = [np.array([1.5, -2.0, 3.0], np.float32), np.array([0.5, 1.0, -0.25], np.float32)]
CASES = []


def case(fn):
    CASES.append(fn)
    return fn


@case
def set_item(x):
    y, z, w = x * 2, x * 3, x * 4
    y.__setitem__(0, 7.0)
    torch.Tensor.__setitem__(z, 1, x[0])
    list(map(w.__setitem__, [0, 1], [5.0, 6.0]))
    return y, z, w


@case
def set_item_under_a_test(x):
    y = x * 2
    if x.sum() > 2:
        y.__setitem__(slice(0, 2), 7.0)
    return y


@case
def in_place(x):
    y = z = x * 2
    y.__iadd__(x)
    y = y.__imul__(2)
    torch.Tensor.__isub__(y, 1)
    operator.iadd(y, x)
    return y, z


@case
def get_item(x):
    y = x * 2
    y.__getitem__(slice(0, 2)).mul_(3)
    return y, x.__getitem__(0) + torch.Tensor.__getitem__(x, 1), getattr(x, "__getitem__")(2)


@case
def arithmetic(x):
    y = x.__add__(1).__mul__(x).__sub__(2).__rsub__(x).__truediv__(4).__pow__(2).__neg__().__abs__()
    return y, x.__radd__(1) + x.__rmul__(2) + x.__rtruediv__(3), torch.Tensor.__add__(x, x), type(x).__mul__(x, 3)


@case
def arithmetic_of_whole_parts(x):
    return x.__floordiv__(2) + x.__mod__(2) + x.__rmod__(5) + x.__rfloordiv__(7), x[:, None].__matmul__(x[None])


@case
def comparisons(x):
    return (
        x.__gt__(0), x.__le__(x), x.__eq__(x), x.__ne__(0), x.__lt__(1).__invert__(), x.__ge__(0).__and__(x < 2),
        (x > 0).__or__(x < -1), (x > 0).__xor__(x < 1),
    )  # fmt: skip


@case
def bound_before(x):
    add = x.__add__
    x = x * 2
    return add(x), sum(map(x.__mul__, [1, 2, 3]))


@case
def questions(x):
    y = x * x.__len__()
    if x.__contains__(3.0) or operator.contains(x, 0.5):
        y = y + 1
    if (x.sum() > 2).__bool__():
        y = y * 2
    return y if operator.not_(x.sum() > 1) or operator.truth(x[0] > 1) else y - 1


@case
def numbers(x):
    n = int(x.sum())
    return x * n.__add__(1).__mul__(2) + (7).__sub__(n) + n.__neg__() + x[1].__float__() * x[0].__int__()


@case
def numbers_that_are_too_wide(x):
    n = float(x.sum())
    return x * 2 if (3).__mul__(n) is NotImplemented else x * 3


@case
def sizes(x):
    n = x.shape[0]
    return x * n.__mul__(2) + (3).__mul__(n) + n.__rsub__(10)


@case
def lists(x):
    items = [x, x * 2]
    items.__setitem__(0, x * 3)
    items.__iadd__([x * 5])
    items.__delitem__(1)
    if x.sum() > 2:
        items.__setitem__(1, x * 7)
        list.__setitem__(items, 0, x * 9)
    return items.__getitem__(0) + items[1] * items.__len__()


@case
def lists_in_a_loop(x):
    items = [x]
    for i in range(3):
        if x.sum() > i:
            items.__setitem__(0, items.__getitem__(0) * 2)
    return items[0]


@case
def what_is_in_a_list(x):
    n = int(x.sum())
    return x * 2 if [1, 2, 3].__contains__(n) else x


@case
def items_at_open_places(x):
    n = int(x.sum()) % 3
    return x * [1.0, 2.0, 3.0].__getitem__(n) + operator.getitem([4.0, 5.0, 6.0], n)


@case
def dictionaries(x):
    table = {"a": x, "b": x}
    if x.sum() > 2:
        table.__setitem__("a", x * 3)
        table.__ior__({"b": x * 5})
    return table.__getitem__("a") + (table["b"] if table.__contains__("b") else x)


class Plain:
    pass


class Doubling(list):
    def __setitem__(self, at, value):
        super().__setitem__(at, value * 2)


@case
def objects(x):
    o = Plain()
    o.__setattr__("a", x)
    items = Doubling([x, x])
    if x.sum() > 2:
        o.__setattr__("a", x * 2)
        items[0] = x * 3
        items.__setitem__(1, x * 5)
    return o.__getattribute__("a") + items[0] + items[1]


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("fn", CASES, ids=lambda fn: fn.__name__)
def test_it_is_the_operator(fn, level):
    program = gfx.symbolic_trace(fn, *[torch.tensor(XS[0])] * level, backend="torch")
    for x in XS:
        wants = list(leaves(fn(torch.tensor(x))))
        for found in (
            program(torch.tensor(x)),
            program.to("torch")(torch.tensor(x)),
            jax.jit(program.to("jax"))(jnp.asarray(x)),
        ):
            for want, got in zip(wants, leaves(found), strict=True):
                np.testing.assert_allclose(np.asarray(got, np.float64), np.asarray(want, np.float64), rtol=1e-6)


def in_numpy(x):
    y = x * 2
    y.__setitem__(0, 7.0)
    np.ndarray.__iadd__(y, x)
    y[1:].__imul__(2)
    return y


@pytest.mark.parametrize("given", [[], [XS[0]]])
def test_arrays_of_numpy_are_written_too(given):
    program = gfx.symbolic_trace(in_numpy, *given, backend="numpy")
    for x in XS:
        np.testing.assert_allclose(program(x), in_numpy(x))
        np.testing.assert_allclose(jax.jit(program.to("jax"))(jnp.asarray(x)), in_numpy(x), rtol=1e-6)


def of_a_number(x):
    return x * (2.0).__mul__(x.sum().item())


def test_a_number_of_an_open_kind_is_refused():
    with pytest.raises(CaptureError, match="use the operator"):
        gfx.symbolic_trace(of_a_number, backend="torch")


# ---------------------------------------------------------------------- what is bound to keys, and how much a builtin takes
class Memo(dict):
    def __missing__(self, key):
        self[key] = 2.0
        return 2.0


def remembered(x):
    memo = Memo()
    if x.sum() > 0:
        operator.itemgetter("c")(memo)
    return x * sum(memo.values())


def bound(x):
    parts = operator.itemgetter(0, -1)(x), operator.attrgetter("T.shape")(x)
    return *parts[0], parts[1][0], operator.methodcaller("sum", 0)(x), operator.methodcaller("sum", dim=0)(x)


def test_what_is_bound_to_keys_asks_as_the_code_does():
    x = torch.arange(6.0).reshape(2, 3)
    got, want = gfx.symbolic_trace(bound, x)(x), bound(x)
    assert [torch.as_tensor(a).tolist() for a in got] == [torch.as_tensor(a).tolist() for a in want]
    with pytest.raises(GfxError, match=r"memo|'c'"):
        gfx.symbolic_trace(remembered, backend="torch")


CALLS = [
    "isinstance(x)",
    "isinstance(x, int, 3)",
    "getattr(x)",
    "map(abs)",
    "len(x, x)",
    "sum()",
    "hasattr(x)",
    "range()",
]


@pytest.mark.parametrize("call", [*CALLS, "max()", "operator.itemgetter(0)()", "getattr(x, 'a', default=1)"])
def test_a_builtin_with_other_arguments_than_it_takes_says_so(call):
    file, text = f"<call {call}>", f"lambda x: {call}"
    linecache.cache[file] = (len(text), None, [text], file)
    f = eval(compile(text, file, "eval"), {"operator": operator})
    with pytest.raises(TypeError) as wanted:
        f(torch.ones(2))
    with pytest.raises(TypeError) as found:
        gfx.symbolic_trace(f, backend="torch")
    assert str(found.value) == str(wanted.value)


# ---------------------------------------------------------------------- descriptors, taken by their names
class Slots:
    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a


class Halved:
    def __init__(self, value):
        self._value = value

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        self._value = new * 0.5


def by_descriptors(x):
    slots, halved = Slots(1.0), Halved(x * 1)
    if x.sum() > 0:
        Slots.a.__set__(slots, 4.0)
        Halved.value.__set__(halved, x * 6)
    return x * slots.a, Halved.value.__get__(halved)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_write_by_a_descriptor_is_one(sign):
    x = sign * torch.ones(2)
    for program in (gfx.symbolic_trace(by_descriptors, x), gfx.symbolic_trace(by_descriptors, backend="torch")):
        assert all(map(torch.equal, program(x), by_descriptors(x)))


def can_be_written(x):
    return hasattr(x[0], "__setitem__"), hasattr(x, "__setitem__"), hasattr(x[0], "sum")


def test_numbers_of_numpys_have_what_they_have():
    vector, matrix = np.ones(3), np.ones((2, 3))
    for x in (vector, matrix):
        assert gfx.symbolic_trace(can_be_written, x)(x) == can_be_written(x)
    shapeless = gfx.symbolic_trace(can_be_written, backend="numpy")
    assert shapeless(vector) == can_be_written(vector)
    with pytest.raises(GfxError, match=r"x.ndim == 1"):
        shapeless(matrix)


class Shown:
    """An object whose text is made of captured data."""

    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return f"Shown({self.x})"


class Outputs(OrderedDict):
    """A dictionary that stores by its base's method."""

    def __setitem__(self, key, value):
        super().__setitem__(key, value)


def test_what_is_stored_under_a_key_is_not_looked_at():
    def f(x):
        outputs = Outputs()
        outputs["cache"] = Shown(x * 2)
        dict.setdefault(outputs, "more", Shown(x + 1))
        return outputs["cache"].x + outputs["more"].x

    x = torch.ones(2)
    assert gfx.symbolic_trace(f, x)(x).equal(f(x))
