"""What one side of an open test made, read behind it under the same test: it is one object, by whatever name it is read."""

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError


def rebound(x, flag: bool):
    if flag:
        y = x * 2
    for _ in range(2):
        if flag:
            y += 1
    return y if flag else x


def looped_over(x, flag: bool):
    ys = [x * 2, x * 3] if flag else [x * 4]
    for y in ys:
        y += 1
    return sum(ys)


class Box:
    def __init__(self, held):
        self.held = held


def attribute(x, flag: bool):
    a, b = Box(x), Box(x + 1)
    chosen = a if flag else b
    chosen.held = x * 5
    return a.held, b.held


def in_place(x, flag: bool):
    a, b = Box(x * 1), Box(x + 1)
    chosen = a if flag else b
    chosen.held += 5
    return a.held, b.held


def two_names(x, flag: bool):
    if flag:
        y = x * 2
    if flag:
        a, b = y, y
        a += 1
        return b
    return x


def another_name(x, flag: bool):
    if flag:
        y = x * 2
    if flag:
        a = y
        a += 1
    return y if flag else x


def chosen_item(x, flag: bool):
    ys = (x * 2, x * 3) if flag else (x * 4,)
    y = ys[0]
    y += 1
    return ys[0]


def two_lists(x, flag: bool):
    if flag:
        y = [x * 2]
        z = y
    if flag:
        z.append(x)
    return torch.stack(y) if flag else x[None]


def of_some_trips(x, flag: bool):
    if flag:
        while x.sum() > 1:
            if x[0] > 0:
                y = 2
            x = x - 1
    return x * y if flag else x


def one_of_rows(x, flag: bool):
    x = x * 1
    s, _, r = x
    if flag:
        for _ in x[:2] * 2:
            s = s * 0.5
    s += r
    return s[None], x


def under_data(x, flag: bool):
    if flag:
        y = (x * 2, x.sum())
    if flag:
        return y if x.sum() > 1 else (x, x.sum() * 0)
    return x + 1, x.mean()


def on_one_side_of_data(x, flag: bool):
    if flag:
        y = x * 2
    if x.sum() > 1:
        if flag:
            x = y
    return x[None]


def in_trips(x, flag: bool):
    if flag:
        y = x * 2
    w = x
    if flag:
        for i in range(3):
            w = y if w.sum() > 3 * i else w + 1
    return w[None]


@pytest.mark.parametrize(
    "fn",
    [
        rebound, looped_over, attribute, in_place, two_lists, of_some_trips, one_of_rows, under_data,
        on_one_side_of_data, in_trips,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_it_is_read_as_it_stands(fn):
    program = gfx.symbolic_trace(fn, backend="torch")
    for flag in (True, False):
        for call in (program, program.to("torch")):
            want, found = fn(torch.ones(3), flag), call(torch.ones(3), flag)
            assert torch.equal(torch.as_tensor([*map(torch.sum, want)]), torch.as_tensor([*map(torch.sum, found)]))


@pytest.mark.parametrize("fn", [two_names, another_name, chosen_item], ids=lambda f: f.__name__)
def test_a_write_by_one_of_several_names_is_refused(fn):
    with pytest.raises(CaptureError, match=r"cannot decide whether a write|append to"):
        gfx.symbolic_trace(fn, backend="torch")


def left_by_one_side_alone(x, flag: bool):
    if flag:
        y = x * 2
    return y if x.sum() > 1 else x * 3


def test_what_the_other_way_has_not_is_no_side_of_a_test_on_data():
    with pytest.raises(CaptureError, match="a tensor or None on one side and a tensor on the other side"):
        gfx.symbolic_trace(left_by_one_side_alone, backend="torch")


def checked(good, message):
    if not good:
        raise ValueError(message)


def of_a_message(x):
    good = bool((x > 0).all())
    checked(good, "positive" if good else f"not positive: {x.min():.1f}")
    return x * 2


@pytest.mark.parametrize("given", [(), (torch.ones(2),)], ids=["open", "typed"])
def test_a_text_that_its_own_test_decides_is_raised(given):
    program = gfx.symbolic_trace(of_a_message, *given, backend="torch")
    assert program(torch.ones(2)).tolist() == [2.0, 2.0]
    with pytest.raises(ValueError, match=r"^not positive: -1.0$"):
        program(torch.tensor([1.0, -1.0]))
