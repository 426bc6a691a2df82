"""What a caller gets shares no more memory after a pass than before: with arguments, and with other results."""

import pytest
import torch

import gfx_trace as gfx

PASSES = ("algebra", "casts", "shapes", "common_subexpressions", "dead_code")


def scaled(x):
    return x * 1.0


def twice_negative(x):
    y = -(-x)
    return y, y + 0.5


def seen_through_a_view(x):
    return (x * 1.0).t()[0], x.sum()


def two_views(x):
    return (x * 2.0).t(), (x * 2.0)[0]


def one_of_two(x):
    y = x * 1.0
    if x.sum() > 100.0:
        y = y.t()
    return y


def perhaps_no_trip(x):
    y = x * 1.0
    while y.sum() < 0.0:
        y = y + 1.0
    return y


def last_trip(x):
    for i in range(3):
        y = x - 0
        x = x + i
    return y, x


def by_a_helper(x):
    def helper(v):
        w = torch.tanh(v)
        return w * 1.0, v * 1.0

    return helper(x)


def there_and_back(x):
    return x.double().float(), x.double().float() + 1.0


def written_afterwards(x):
    y = x * 1.0
    if x.sum() > 3.0:
        x[0] = 9.0
    return y


@pytest.mark.parametrize(
    "function",
    [
        scaled, twice_negative, seen_through_a_view, two_views, one_of_two, perhaps_no_trip, last_trip, by_a_helper,
        there_and_back, written_afterwards,
    ],
)  # fmt: skip
def test_results_share_memory_as_before(function):
    x = torch.arange(4.0).reshape(2, 2)
    program = gfx.symbolic_trace(function, x).infer().optimized(*PASSES)
    given, original = x.clone(), x.clone()
    found, wanted = program(given), function(original)
    assert _shared(given, found) == _shared(original, wanted) and torch.equal(given, original)
    for a, b in zip(_tensors(found), _tensors(wanted)):
        assert torch.equal(a, b)


def _tensors(result):
    return result if isinstance(result, tuple) else (result,)


def _shared(x, result):
    """For the argument and each result, the first of them of the same memory."""
    places = [tensor.untyped_storage().data_ptr() for tensor in (x, *_tensors(result))]
    return [places.index(place) for place in places]


def test_what_nobody_else_has_is_still_simplified():
    x = torch.ones(3)
    program = gfx.symbolic_trace(lambda x: torch.sin(x * 1.0) * 1.0, x).infer().optimized("algebra")
    assert [node.op.name for node in program.entry] == ["sin"]
