"""What a trip leaves with other axes than it found: tests of its size are asked in each trip, not answered before the first."""

import pytest
import torch

import gfx_trace as gfx

X = torch.tensor([3.0, 1.0, 2.0, 5.0])
SCORES = torch.tensor([0.3, 0.9, 0.5, 0.7, 0.2, 0.6])
BOXES = torch.tensor(
    [[0, 0, 2, 2], [0, 0, 2.1, 2], [5, 5, 7, 7], [5, 5, 7, 7.1], [9, 9, 10, 10], [0, 0, 2, 2.2]], dtype=torch.float32
)


def squeezed_behind_a_break(x):
    y, total = x, x.sum() * 0
    while y.numel() > 1:
        total = total + y.max()
        found = (y > y.min()).nonzero().squeeze()
        if found.numel() == 0:
            break
        y = y[found]
    return total


def kept_on_one_side(x):
    y, total = x, x.sum() * 0
    for _ in range(5):
        if y.numel() == 1:
            total = total + 50
        total = total + y.max()
        found = (y > y.min()).nonzero().squeeze()
        if found.numel() > 0:
            y = y[found]
    return total


def an_element_in_the_end(x):
    y, total = x, x.sum() * 0
    for _ in range(5):
        if y.numel() == 1:
            total = total + 50
        total = total + y.max()
        y = y[:-1] if y.numel() > 2 else y[0]
        if y.dim() == 0:
            break
    return total


def of_two_lengths(x):
    y, total = x, x.sum() * 0
    while y.numel() > 1:
        total = total + y.max()
        y = torch.stack([y[0], y[1]]) if y.numel() > 2 else y[:1]
    return total


def suppressed(boxes, scores, threshold: float = 0.5):
    x1, y1, x2, y2 = boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]
    areas = (x2 - x1) * (y2 - y1)
    order = scores.sort(0, descending=True)[1]
    keep = []
    while order.numel() > 0:
        if order.numel() == 1:
            keep.append(order.item())
            break
        i = order[0].item()
        keep.append(i)
        rest = order[1:]
        w = x2[rest].clamp(max=x2[i].item()) - x1[rest].clamp(min=x1[i].item())
        h = y2[rest].clamp(max=y2[i].item()) - y1[rest].clamp(min=y1[i].item())
        inter = w.clamp(min=0) * h.clamp(min=0)
        found = (inter / (areas[i] + areas[rest] - inter) <= threshold).nonzero().squeeze()
        if found.numel() == 0:
            break
        order = order[found + 1]
        if order.dim() == 0:
            order = order.reshape(1)
    return torch.LongTensor(keep)


CASES = (
    (squeezed_behind_a_break, (X,)),
    (kept_on_one_side, (X,)),
    (an_element_in_the_end, (X,)),
    (of_two_lengths, (X,)),
    (suppressed, (BOXES, SCORES)),
)


@pytest.mark.parametrize("f, given", CASES, ids=lambda case: getattr(case, "__name__", ""))
@pytest.mark.parametrize("options", ({}, {"dynamic": True}), ids=("fixed", "dynamic"))
def test_sizes_are_asked_in_each_trip(f, given, options):
    captured, want = gfx.symbolic_trace(f, *given, **options), f(*given)
    torch.testing.assert_close(captured(*given), want)
    torch.testing.assert_close(captured.to("torch")(*given), want)
