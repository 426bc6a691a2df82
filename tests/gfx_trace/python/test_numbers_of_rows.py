"""Lists of the numbers in a tensor of open length and dtype: items keep the kind that they have, and are searched as Python does."""

import operator

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, GfxError
from three_ways import assert_as_python

DATA = [torch.tensor(values) for values in ([1.0, -2.5, 3.0], [0.5, 2.0, -1.0], [-1.0, -2.0, -3.0])]


def listed(x):
    return x.tolist(), [abs(v) for v in x.tolist()], sorted(e.item() for e in x if e > 0), (x > 0).tolist()


def computed(x):
    numbers, total = [e.item() for e in x], 0
    for v in numbers:
        total += abs(v) if v < 0 else -v
    return x * total + max(numbers) + max((v for v in numbers if v > 1), default=7.0)


def in_tuples(x):
    pairs, total = [(e.item(), e) for e in x], 0
    for number, e in pairs:
        total = total + abs(number) * torch.abs(e)
    return total


def made_arrays(x):
    places = [i for i in range(len(x)) if x[i] > 0]
    numbers = [float(e) for e in x]
    whole = torch.tensor(places, dtype=torch.int64)
    holds = any(e > 2 for e in x), all(e < 9 for e in x)
    return whole, torch.tensor(numbers), x[places], max(numbers, default=7.0), *holds


def unpacked(x):
    a, b, c = x.tolist()
    return x * a + b - c


def searched(x):
    numbers = x.tolist()
    return 2.0 in numbers, numbers.count(-1.0), numbers.index(x[1].item()), [3, 4, 5].count(len(numbers)), x in [x]


@pytest.mark.parametrize("fn", [listed, computed, in_tuples, unpacked, searched])
def test_as_python(fn):
    assert_as_python(fn, (), [(x,) for x in DATA])


def test_arrays_of_lists_that_may_stay_empty():
    assert_as_python(made_arrays, (), [(x,) for x in (*DATA, torch.zeros(0))])


def test_whole_numbers_stay_such():
    program = gfx.symbolic_trace(listed, backend="torch")
    x = torch.tensor([1, -2, 3])
    for run in (program, program.to("torch")):
        assert repr(run(x)) == repr(listed(x))


def test_a_place_of_data_in_a_fixed_list():
    def fn(x, n: int):
        return x * [2, 3, 5].index(n)

    program = gfx.symbolic_trace(fn, backend="torch")
    assert torch.equal(program(DATA[0], 5), fn(DATA[0], 5))
    with pytest.raises(ValueError):
        program(DATA[0], 4)


def test_whole_numbers_where_python_asks_for_an_index():
    def fn(x, n):
        return x * operator.index(n) + sum(range(1, int(n) * 3, 2)), len(range(5, int(n), -2)), len(range(int(n), 2))

    program = gfx.symbolic_trace(fn, backend="torch")
    for n in map(torch.tensor, (-1, 0, 2, 5)):
        assert repr(program(DATA[0], n)) == repr(program.to("torch")(DATA[0], n)) == repr(fn(DATA[0], n))
    with pytest.raises(GfxError, match="whole numbers as given"):
        program(DATA[0], torch.tensor(1.0))


@pytest.mark.parametrize("number", [lambda x: x[0].item(), lambda x: x.tolist()[0]])
def test_no_tensor_is_made_of_numbers_as_if_they_were_tensors(number):
    with pytest.raises(CaptureError, match="items that are no tensors"):
        gfx.symbolic_trace(lambda x: torch.stack([number(e[None]) for e in x]), backend="torch")


def test_how_many_numbers_are_in_nested_lists_is_refused():
    with pytest.raises(GfxError, match="lists within a list"):
        gfx.symbolic_trace(
            lambda x: x.tolist(), gfx.TensorSpec((gfx.Dim("n"), gfx.Dim("m")), "float32"), backend="torch"
        )
