"""Containers that a loop writes in place and then replaces, as code that makes batches does; and those that one side of a test replaces."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError


def chunks(x, size: int):
    out, part = [], []
    for v in x:
        part.append(v * 2)
        if len(part) == size:
            out.append(np.stack(part).mean())
            part = []
    return out, part


def totals(x, size: int):
    part, total, parts = [], 0.0, 0
    for v in x:
        part.append(v)
        if len(part) == size:
            total = total + sum(part) ** 2
            parts += 1
            part = []
    if part:
        total = total + sum(part)
    return total, parts


def of_a_fixed_size(x, size: int):
    lengths, part = [], []
    for i in range(len(x)):
        part.append(i)
        if len(part) > 2:
            lengths.append(len(part))
            part = []
    return lengths, part


def while_it_is_small(x, size: int):
    i, part, sums = 0, [], []
    while i < len(x):
        part.append(x[i])
        if sum(part) > 1:
            sums.append(sum(part))
            part = []
        i += 1
    return sums, part


def window(x, size: int):
    held, means = [], []
    for v in x:
        held.append(v)
        if len(held) > size:
            held = held[1:]
        means.append(sum(held) / len(held))
    return means


def taken_from_both_ends(x, size: int):
    held, taken = [], 0
    for v in x:
        held.append(v)
        if len(held) > size:
            held.pop()
            held = held[1:]
            taken += 1
    return held, taken


def by_a_function(x, size: int):
    out, part = [], []

    def flushed(items):
        out.append(sum(items))
        return []

    for v in x:
        part.append(v)
        if len(part) == size:
            part = flushed(part)
    return out, len(part)


def by_a_loop_within(x, size: int):
    part, total = [], 0.0
    for i in range(len(x)):
        for j in range(i):
            part.append(x[j])
        if len(part) > size:
            total = total + max(part)
            part = []
    return total, len(part)


def a_copy_is_kept(x, size: int):
    best, part = [], [x[0]]
    for v in x:
        if v > 0:
            part.append(v)
        else:
            if len(part) > len(best):
                best = list(part)
            part = [v]
    return best


def appended_on_one_side(x, size: int):
    part = [v for v in x if v > 0]
    if x.sum() > 0:
        part.append(x[1])
    else:
        part = [x[2]]
    return part


def taken_on_one_side(x, size: int):
    part = [v for v in x if v > -9]
    if x.sum() > 0:
        part.pop()
    else:
        part = [x[0]]
    return part


def items_by_place(x, size: int):
    held = [x[0], 1.0]
    for v in x:
        held[0] = held[0] + v
        if held[0] > 1:
            held = [held[1], held[0] * 0.5]
            held[1] = held[1] + 2
    return held


def items_by_key(x, size: int):
    held = {"low": x[0], "high": 0.5}
    for v in x:
        held["low"] = held["low"] - v
        lower = held
        held = {"low": held["high"], "high": held["low"]}
        lower["high"] = lower["high"] + 1
        held["low"] = held["low"] + lower["high"]
    return held["low"], held["high"]


@pytest.mark.parametrize(
    "fn",
    (
        items_by_place, items_by_key, chunks, totals, of_a_fixed_size, while_it_is_small, window, taken_from_both_ends, by_a_function, by_a_loop_within,
        a_copy_is_kept, appended_on_one_side, taken_on_one_side,
    ),
    ids=lambda fn: fn.__name__,
)  # fmt: skip
def test_lists_that_begin_anew(fn):
    program = gfx.symbolic_trace(fn, backend="numpy")
    to_torch, to_jax = program.to("torch"), program.to("jax")
    for x, size in (([0.5, 1.0, -0.25, 2.0, 0.75, -4.0, 3.0], 3), ([1.0, -2.0, 0.5], 2), ([-1.0, 3.0, 2.5, 1.5], 4)):
        x = np.array(x, np.float32)
        want = flat(fn(x, size))
        for run, to in ((program, np.copy), (to_torch, torch.tensor), (to_jax, np.copy)):
            np.testing.assert_allclose(flat(run(to(x), size)), want, rtol=1e-6)


def flat(x):
    """The numbers of a result, with how many there are in each of its lists."""
    return [len(x), *(n for item in x for n in flat(item))] if isinstance(x, (list, tuple)) else [float(x)]


def read_by_another_name(x, size: int):
    part = first = []
    for v in x:
        part.append(v)
        if len(part) == size:
            part = []
    return first


def read_inside_by_another_name(x, size: int):
    part = first = []
    total = 0
    for v in x:
        part.append(v)
        total += len(first)
        if len(part) == size:
            part = []
    return total


def kept_while_it_grows(x, size: int):
    best, part = [], []
    for v in x:
        part.append(v)
        if v > 0:
            best = part
        if len(part) == size:
            part = []
    return best


def handed_on(x, size: int):
    before, part = [], []
    for v in x:
        before = part
        part.append(v)
        if len(part) == size:
            part = []
    return before


def written_by_another_name(x, size: int):
    part = first = [x[0]]
    total = 0
    for v in x:
        first.append(v)
        total += len(part)
        part = [v, v, v]
    return total


def replaced_by_the_other_name(x, size: int):
    part = first = [x[0]]
    total = 0
    for v in x:
        part.append(v)
        total += len(first)
        first = [v, v, v]
    return total


def item_read_by_another_name(x, size: int):
    held = first = [x[0], 1.0]
    for v in x:
        held[0] = held[0] + v
        held = [held[1], held[0]]
    return first[0]


def both_replaced(x, size: int):
    held = other = [x[0], 1.0]
    for v in x:
        held[0] = held[0] + v
        held, other = [held[1], other[0]], [other[1], v]
    return held


@pytest.mark.parametrize(
    "fn",
    (
        written_by_another_name, replaced_by_the_other_name, item_read_by_another_name, both_replaced, read_by_another_name,  read_inside_by_another_name,
        kept_while_it_grows, handed_on,
    ),
    ids=lambda fn: fn.__name__,
)  # fmt: skip
def test_a_list_with_two_names_is_refused(fn):
    with pytest.raises(CaptureError, match=r"another name|a later one writes it|is at times|may be one list before"):
        gfx.symbolic_trace(fn, backend="numpy")
