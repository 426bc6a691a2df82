"""The class of what Python has: `type(x)`, `x.__class__` and isinstance of arrays, NumPy's numbers and PyTorch's shapes."""

import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, GuardError, UnsupportedConstruct


def names(x: np.ndarray):
    v, s = x[0], x.sum()
    same = type(v) is np.ndarray, type(x) is np.ndarray, isinstance(s, np.generic), v.__class__ is type(s)
    return type(v).__name__, s.__class__.__name__, type(x).__name__, type(np.array(2.0)).__name__, *same


@pytest.mark.parametrize("dtype", ["float32", "int16", "bool"])
def test_numbers_of_numpy_are_of_their_own_classes(dtype):
    x = np.ones(3, dtype)
    assert gfx.symbolic_trace(names, x)(x) == names(x)


def one_of_two(x: np.ndarray):
    v = x[0] if x[1] > 0 else x[2]
    return x * (2 if isinstance(v, np.ndarray) else 3)


def test_an_element_is_no_array_whatever_its_dtype():
    program = gfx.symbolic_trace(one_of_two, backend="numpy")
    for x in (np.ones(3), -np.ones(3), np.ones(3, "int32")):
        np.testing.assert_array_equal(program(x), one_of_two(x))


def named(x: np.ndarray):
    return type(x[0]).__name__


def test_a_class_that_hangs_on_a_dtype_which_is_not_known_is_refused():
    with pytest.raises(CaptureError, match="cannot tell the class"):
        gfx.symbolic_trace(named, backend="numpy")


@pytest.mark.parametrize("ask", [lambda v: isinstance(v, np.ndarray), lambda v: type(v) is np.ndarray])
def test_an_array_that_a_function_makes_is_taken_as_given(ask):
    program = gfx.symbolic_trace(lambda x: (np.sin(x), ask(np.sin(x))), backend="numpy")
    assert program(np.ones(2))[1] is True
    with pytest.raises(GuardError, match=r"x\.ndim >= 1"):
        program(np.array(2.0))  # of which sin makes a number


def shapes(x):
    size, part, items = x.shape, x.shape[:1], tuple(x.shape)
    kinds = [type(s).__name__ for s in (size, part, items, x.size())] + [size.__class__.__name__]
    return (
        *kinds,
        isinstance(size, torch.Size),
        isinstance(items, torch.Size),
        hasattr(part, "numel"),
        hasattr(items, "numel"),
    )


@pytest.mark.parametrize("given", [(), (torch.ones(2, 3),)], ids=["open", "given"])
def test_shapes_are_of_the_framework_s_class(given):
    x = torch.ones(2, 3)
    assert gfx.symbolic_trace(shapes, *given, backend="torch")(x) == shapes(x)


def test_a_class_is_no_result():
    with pytest.raises(CaptureError, match="cannot return a type"):
        gfx.symbolic_trace(lambda x: (x, type(float(x[0]))), backend="torch")


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.full((2,), 3.0))
        self.register_buffer("b", torch.full((2,), 5.0))

    def forward(self, x):
        for at, held in enumerate((self.w, self.b, self.w.data, self.w * 1, x)):
            if isinstance(held, nn.Parameter):
                x = x * held + at
        return x * 7 if type(self.w) is nn.Parameter else x


def test_a_weight_of_a_module_is_a_parameter():
    model = nn.Sequential(Weighted(), Weighted())
    x = torch.ones(2)
    for given in ((), (x,)):
        torch.testing.assert_close(gfx.symbolic_trace(model, *given)(x), model(x))


def of_whole_numbers(x):
    return x * 2 if isinstance(x, (torch.LongTensor, list)) else x * 3


def test_a_class_that_stands_for_a_dtype():
    for x in (torch.tensor([1, 2]), torch.tensor([1.0, 2.0])):
        torch.testing.assert_close(gfx.symbolic_trace(of_whole_numbers, x)(x), of_whole_numbers(x))
    with pytest.raises(
        UnsupportedConstruct, match="cannot tell whether this is a LongTensor, as its dtype is not known"
    ):
        gfx.symbolic_trace(of_whole_numbers, backend="torch")


@pytest.mark.parametrize(
    "asks",
    [
        lambda w: isinstance(w, torch.nn.Parameter),
        lambda w: isinstance(w, (int, torch.nn.Parameter)),
        lambda w: type(w) is torch.nn.Parameter,
        lambda w: type(w).__name__ == "Parameter",
    ],
)
@pytest.mark.parametrize("computes", [False, True], ids=["asks", "asks and computes"])
def test_the_class_of_an_argument_is_that_of_the_one_that_was_given(asks, computes):
    def scaled(w):
        return w * 2.0 if asks(w) else w * 3.0

    def fn(w):
        return scaled(w) if computes else w * (2.0 if asks(w) else 3.0)

    plain, weight = torch.ones(2), torch.nn.Parameter(torch.ones(2))
    for given, other in ((plain, weight), (weight, plain)):
        program = gfx.symbolic_trace(fn, given)
        torch.testing.assert_close(program(given), fn(given))
        with pytest.raises(GuardError, match="whose class the code asks for"):
            program(other)
    opened = gfx.symbolic_trace(fn, backend="torch")
    assert opened(plain).tolist() == [3.0, 3.0]
    assert opened.to("jax")(np.ones(2)).tolist() == [3.0, 3.0]
    with pytest.raises(GuardError, match="whose class the code asks for"):
        opened(weight)


def scaled(w, x):
    return w * (2.0 if isinstance(w, nn.Parameter) else 3.0) + x


def test_helpers_ask_the_class_of_what_they_are_given():
    fn = lambda w, x: scaled(w, x) + scaled(w * 2, x)
    w, x = nn.Parameter(torch.ones(2)), torch.ones(2)
    torch.testing.assert_close(gfx.symbolic_trace(fn, w, x)(w, x), fn(w, x))


def test_the_class_of_what_may_be_an_argument_is_not_guessed():
    with pytest.raises(UnsupportedConstruct, match="whether this is a Parameter"):
        gfx.symbolic_trace(lambda w, x: scaled(w if x.sum() > 0 else w + 1, x), torch.ones(2), torch.ones(2))


def told_apart(a, b):
    return a * (2.0 if a is b else 3.0) + b


@pytest.mark.parametrize(
    "fn", [told_apart, lambda a, b: told_apart(a, b) + 1, lambda a, b: b * float(any(x is b for x in [a]))]
)
def test_arguments_are_one_object_where_those_of_the_capture_were(fn):
    x, y = torch.ones(2), torch.ones(2)
    for args, other in (((x, y), (x, x)), ((x, x), (x, y))):
        program = gfx.symbolic_trace(fn, *args)
        torch.testing.assert_close(program(*args), fn(*args))
        with pytest.raises(GuardError, match=r"is (not )?b, which the code asks for"):
            program(*other)
    with pytest.raises(GuardError, match="a is not b"):
        gfx.symbolic_trace(told_apart, backend="torch").to("torch")(x, x)


def test_none_is_of_its_class_beside_tensors():
    def fn(x, n: int):
        v = None if n > 1 else x
        return isinstance(v, (int, type(None))), isinstance(v, torch.Tensor | None), isinstance(v, int | str), v is None

    program = gfx.symbolic_trace(fn, backend="torch")
    assert all(program(torch.ones(2), n) == fn(torch.ones(2), n) for n in (0, 2))
