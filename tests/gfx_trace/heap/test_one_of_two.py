"""Writes to one of two tensors, or to a tensor or a number, as a test says, and to buffers that change places in a loop."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.trees import leaves


def through_one_of_two(x, n):
    y = x[0:2] if x.sum() > 0 else x[1:3]
    y.zero_()
    return x


def through_a_tensor_or_a_copy(x, n):
    y = x if x.sum() > 0 else x * 2
    y.add_(1)
    return x, y


def read_after_a_write_to_what_it_may_be(x, n):
    y = x if x.sum() > 0 else x * 2
    x.add_(1)
    return y


def joined_under_two_names_on_one_side(x, n):
    if x.sum() > 0:
        y = x * 2
        z = y
    else:
        y = x * 3
        z = x * 4
    y.add_(1)
    return z


def a_tensor_and_its_view(x, n):
    if x.sum() > 0:
        y = x * 2
        z = y[1:]
    else:
        y = x * 3
        z = x[1:]
    z[0] = 5.0
    y += 1
    return x, y, z


def one_of_three(x, n):
    v, w = x * 0.5, torch.tanh(x)
    if n > 1:
        u = v
    elif x[0] > 0:
        u = w[:]
    else:
        u = v * 2
    c = u[0:1]
    u += 1
    c.mul_(3)
    v.add_(100)
    u[1] = 7.0
    return v, w, u, c


def in_a_kept_loop(x, n):
    v, w = x * 0.5, x + 1
    for i in range(n):
        u = v if x[0] * i < 1 else w
        u[1] = i + v[0]
        w[0] += u[1]
    return v, w


def written_in_a_branch(x, n):
    v, w = x * 0.5, x + 1
    u = v if x[0] > 0 else w
    if n > 1:
        u[0] = 9.0
        v[1] = u[0]
    else:
        w += 1
    return u, v, w


def in_attributes_and_lists(x, n):
    v, w = x * 0.5, x + 1
    held = [v, {"k": w}]
    if x[0] > 0:
        held[0] = held[1]["k"]
    held[0] *= 2
    return held, v, w


def returned_by_a_helper(x, n):
    def larger(a, b):
        if a.sum() > b.sum():
            return a
        return b

    v, w = x * 2, -x
    larger(v, w)[1:] = 0.5
    return v, w


def replaced_where_the_other_side_writes(x, n):
    v = x * 0.5
    held = [v]
    if x[0] > 0:
        held[0] = v[:]
    else:
        v[:] = 3.0
    return held


def numpy_one_of_two(x: np.ndarray, n: np.ndarray):
    v, w = x * 0.5, np.tanh(x)
    u = v if x[0] > 0 else w
    u += 1
    u[1:] = v[0]
    np.copyto(w, u * 2)
    return u, v, w


def ping_pong(x, n):
    a, b = torch.zeros(3), x.clone()
    while b.sum() < 50:
        a[0] = b[0] + 1
        a[1:] = b[1:] * 2 + 1
        a, b = b, a
    return a, b


def ping_pong_in_a_loop(x, n):
    a, b = torch.zeros(3), x.clone()
    for _ in range(n):
        for k in range(3):
            a += b * 0.5 + k
            a, b = b, a
        b[0] = a[1]
    return a, b


def rotated_list(x, n):
    buffers = [x * 0, x * 1, x * 2]
    for i in range(n):
        buffers[0][1] = buffers[2].sum() + i
        buffers = buffers[1:] + [buffers[0]]
    return buffers


def list_turned_beside_a_write(x, n):
    v = x * 0.5
    held = [v, x * 1]
    for _ in range(3):
        v[0] = v[0] + 1
        held = [held[1], held[0]]
    return held, v


def after_a_loop_that_runs(x, n):
    x = x * 1
    a, b = x, x
    for e in x:
        a, b = b * 0.5 + e, a * e
    a += n
    x -= 1
    return a, b, x


def after_a_loop_that_may_not_run(x, n):
    x = x * 1
    s, r = x, x
    for i in range(n):
        s = s * 0.5 + i
        r = s * 2
    s += 1
    r[0] = n
    return x, s, r, s is x


def after_a_loop_that_data_ends(x, n):
    x, y = x * 1, x + 1
    u, v = x, x
    while u.sum() < n:
        u = u + 1
        v = y
    v -= 1
    u[1:] *= 2
    return x, y, u, v


class Held:
    def __init__(self, t):
        self.t = t


def what_a_loop_writes_under_another_name(x, n):
    v, w = x * 0.5, x + 0.25
    u = v * 2
    held = Held(v)
    for _ in range(3):
        held.t = u
        v -= w * 0.25
    for _ in range(1):
        u, v = v, u
        k = 0
        while k < 3 and w.sum() < n:
            k = k + 1
            held.t *= 0.5
            held.t = held.t
    return v


def a_number_on_one_side(x, n):
    x = x * 1
    r = x[0]
    s = r if x.sum() > 0 else 0.5
    s += 1
    s *= 2
    return x, r, s


def a_number_made_on_one_side(x, n):
    x = x * 1
    s = x[0] if x.sum() > 0 else x.sum().item() * 2
    if n > 1:
        s -= 1
    s += n
    return x, s


def one_of_two_and_a_number(x, n):
    x = x * 1
    a, b = x[0], x[1]
    s = a if x.sum() > 0 else 1.5
    t = s
    if n > 1:
        t = b
    t += 1
    return x, s, t


def a_number_before_a_loop(x, n):
    y = x.sum()
    s = 0.5
    for i in range(n):
        s = y
    s += 5
    return y, s


def a_number_behind_a_loop(x, n):
    x = x * 1
    s = x[0]
    while x.sum() < n:
        x = x + 1
        s = 1.5
    s += 5
    return x, s


def one_of_two_before_a_loop(x, n):
    s = x.sum()
    if n > 1:
        s = abs(x.mean())
    for i in range(n):
        s += i
        s = x.max() * s
    s += 1
    return s


def another_one_behind_the_first_trip(x, n):
    y = x
    while y.sum() < n:
        x.add_(1)
        y = y * 2
    return x, y


def an_accumulator_that_is_replaced(x, n):
    total = torch.zeros(3)
    keep = total
    for i in range(n):
        total += x[0] + i
        total = total * 2
    return total, keep


def a_part_in_the_first_trip(x, n):
    x = x * 1
    s = x[0]
    r = x.sum()
    for i in range(n):
        s += i + 1
        if x[1] > 0:
            s = x.max() + r
    s += 1
    return x, s, r


def changing_places_with_a_number(x, n):
    r = x.sum()
    i, j = r, 2.0
    for t in x:
        if t > 0:
            i, j = j, i
    for k in range(n):
        i += k
    return r, i, j


def two_names_of_one_in_the_first_trip(x, n):
    r = x.sum()
    i, j = r, r
    for _ in range(n):
        i += 1
        j -= 3
        if x[0] > 0:
            i = i * 2
        else:
            j = j + 1
    return r, i, j


def taken_over_in_a_trip(x, n):
    r = x.sum()
    i, j = r, r * 2
    for k in range(n):
        for _ in range(2):
            i += k
            i = i * 0.5
        j += 1
        j = r
    return r, i, j


def one_tensor_in_every_trip(x, n):
    r = x.sum()
    s = r
    for _ in range(n):
        s = r
    s += 1
    return r, s


def a_number_through_a_loop(x, n):
    r = x.sum()
    s = r if x[0] > 0 else 0.5
    t = s
    for k in range(n):
        s += k
        t *= 2
    return r, s, t


def a_view_that_one_side_reads(x, n):
    x = x * 1
    v = x[0:2]
    x += n
    if x.sum() > 0:
        a = v * 2
    else:
        a = v
    return x, a


def an_argument_in_a_ping_pong(x, n):
    a, b = x, x * 2
    for _ in range(n):
        a += b
        a, b = b, a
    return a, b


def three_in_turn_and_a_name_for_one(x, n):
    a, b, c = x * 1, x * 2, x * 3
    first = a
    for t in range(n):
        a, b, c = b, c, a
        first += t
        a *= 2
    b += 10
    return a, b, c, first


def parts_that_a_trip_takes(x, n):
    x = x * 1
    s = 0.5
    for t in range(n):
        s += t + 1
        s = x[1] if x.sum() > 0.3 else x[1:][1]
    s *= 2
    return x, s


def one_of_three_without_a_name(x, n):
    x = x * 1
    o, s = x[2], 0.5
    for t in range(n):
        s += t + 1
        s = min(x.max() * 0.5, abs(o) * 0.5)
        for _ in range(3):
            s = o
    return x, s


def a_number_that_a_trip_makes_a_tensor(x, n):
    s, r, q = 1, 0.5, 0.25
    for t in range(n):
        s = r
        r += x.sum() * t
        for u in range(2):
            q = r
            r += x[u]
    return s, r, q


def what_the_last_trip_left_twice(x, n):
    s, r = 1.5, 1
    for t in range(n):
        r = x[0] * t
        s = r
    for t in range(n):
        s += t
        r *= 2
    return s, r


def parts_that_change_places(x, n):
    x = x * 1
    s, p, q = x[0], x[1], x[2]
    for t in range(n):
        p += t
        p, q = q, p
    s += 2
    return x, s, p, q


def items_that_change_places(x, n):
    s = x.sum()
    o = [s, x.max()]
    for t in range(n):
        o[0] += t
        o = [o[1], o[0]]
    s += 2
    return s, o


def numpy_turned_under_two_tests(x, n):
    w = x
    if n > 2:
        pass
    elif x.sum() > 0:
        w = np.flip(0.5 * w)
        return w
    return w


def read_under_its_own_test(x, n):
    r, s, chosen = x.mean(), 2.0, x[0] > 0
    if chosen:
        s = r
    r += 0.5
    if chosen:
        abs(s)
    return r, s


def written_under_its_own_test(x, n):
    r, other, chosen = x * 1.5, x * 2, x[0] > 0
    s = r if chosen else other
    if chosen:
        s += 1
        r.mul_(2)
    else:
        other.sub_(1)
        s += 3
    r += 0.25
    return r, s, other


def a_view_read_under_its_own_test(x, n):
    r, other, chosen = x * 1.5, x * 2, x[0] > 0
    s = (r if chosen else other)[:2]
    r += 0.5
    if chosen:
        y = s * 2
    else:
        y = s * 3
    other += 1
    return r, s, y, other


def read_in_a_loop_under_its_own_test(x, n):
    r, other, chosen = x * 1.5, x * 2, x[0] > 0
    s = r if chosen else other
    total = x * 0
    for _ in range(3):
        r += 0.5
        if chosen:
            total = total + s
        other += 1
    return total, s, r


CONVERT = [
    a_number_that_a_trip_makes_a_tensor, what_the_last_trip_left_twice, parts_that_change_places, items_that_change_places,
    an_argument_in_a_ping_pong, three_in_turn_and_a_name_for_one, parts_that_a_trip_takes, one_of_three_without_a_name, numpy_turned_under_two_tests,
    through_one_of_two, through_a_tensor_or_a_copy, read_after_a_write_to_what_it_may_be,
    joined_under_two_names_on_one_side, a_tensor_and_its_view, one_of_three, in_a_kept_loop, written_in_a_branch,
    in_attributes_and_lists, returned_by_a_helper, replaced_where_the_other_side_writes, numpy_one_of_two, ping_pong,
    ping_pong_in_a_loop, rotated_list, list_turned_beside_a_write,
    after_a_loop_that_runs, after_a_loop_that_may_not_run, after_a_loop_that_data_ends,
    what_a_loop_writes_under_another_name, a_number_on_one_side, a_number_made_on_one_side, one_of_two_and_a_number,
    a_number_before_a_loop, a_number_behind_a_loop, one_of_two_before_a_loop, another_one_behind_the_first_trip,
    an_accumulator_that_is_replaced, a_part_in_the_first_trip, changing_places_with_a_number,
    two_names_of_one_in_the_first_trip, taken_over_in_a_trip, one_tensor_in_every_trip, a_number_through_a_loop, a_view_that_one_side_reads,
    read_under_its_own_test, written_under_its_own_test, a_view_read_under_its_own_test, read_in_a_loop_under_its_own_test,
]  # fmt: skip


def given(fn, x, n):
    """Arguments of a function, in its framework."""
    make = np.array if "numpy" in fn.__name__ else torch.tensor
    return make(x), make(n)


def close(got, want):
    """Compare leaf by leaf."""
    pairs = list(zip(leaves(got), leaves(want), strict=True))
    for a, b in pairs:
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5)


@pytest.mark.parametrize("fn", CONVERT, ids=lambda fn: fn.__name__)
def test_results_are_pythons(fn):
    inputs = [([s * 0.5, -0.25, s * 1.5], n) for s in (1, -1) for n in (2, 0, 3)]
    program = gfx.symbolic_trace(fn, *given(fn, *inputs[0]))
    torch_fn, jax_fn = program.module("torch").load(), jax.jit(program.to("jax"))
    for x, n in inputs:
        plain, mine = given(fn, x, n), given(fn, x, n)
        want = fn(*plain)
        close(program(*mine), want)
        close(mine, plain)
        used, fresh = [p.name for p in program.signature], [np.array(held) for held in given(fn, x, n)]
        arguments = dict(zip(("x", "n"), zip(map(torch.tensor, fresh), map(jnp.array, fresh))))
        for at, call in enumerate((torch_fn, jax_fn)):
            found = call(**{name: arguments[name][at] for name in used})
            close(found[0] if program.writes else found, want)
