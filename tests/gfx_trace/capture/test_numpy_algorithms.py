"""Algorithms in NumPy as people write them: one capture, with and without arguments, gives what Python gives in each framework."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, GuardError, ShapeError
from numpy_code import equals

pytestmark = pytest.mark.usefixtures("wide")


# ---------------------------------------------------------------------- rows by a list of places
def swaps_rows(a):
    a = a.copy()
    p = np.argmax(np.abs(a[:, 0]))
    a[[0, p]] = a[[p, 0]]
    a[[p, 0], 1] *= 2
    return a, a[[[0, 1], [1, 0]]].sum(axis=0)


@pytest.mark.parametrize("typed", [True, False])
def test_an_index_that_is_a_list_is_no_tuple(typed):
    given = np.array([[0.0, 2.0], [-3.0, 5.0], [1.0, 1.0]])
    program = gfx.symbolic_trace(swaps_rows, *([given] if typed else []), backend="numpy")
    equals(swaps_rows, program, (given,), (given[::-1].copy(),))


# ---------------------------------------------------------------------- what a list, a shape and `in` mean
def fills_by_the_row(x):
    out = np.full(len(x), -1.0)
    table = np.zeros((3, 2), dtype=int)
    for i in range(3):
        table[i] = (i, x[i] * 2)
        table[i, 1] += x.sum() in (2, 6.0) or x[i] in [x.max(), 1]
    out[0] = x[0] in {1.0, 3.0} or x[1] not in {2: 0, 5: 1}
    return out, table


@pytest.mark.parametrize("typed", [True, False])
def test_lists_are_arrays_and_are_asked_item_by_item(typed):
    given = [np.array(x) for x in ([1.0, 2.0, 3.0], [0.5, 4.0, 1.0], [4.0, 5.0, 0.0])]
    program = gfx.symbolic_trace(fills_by_the_row, *(given[:1] if typed else []), backend="numpy")
    equals(fills_by_the_row, program, *((x,) for x in given))


# ---------------------------------------------------------------------- items at places that data tells
def counts_on(a):
    p = np.argmax(a)
    s = a[p]
    before = s
    s += 1
    return before, s


def writes_the_largest_row(m):
    m = m.copy()
    row = m[np.argmax(m[:, 0])]
    row[0], row[1] = row[1], row[0]
    row += 1
    return m, row


def permutes(x):
    n = len(x)
    order, last = np.arange(n), 0.0
    steps = np.zeros(n)
    for i in range(n - 1):
        best = i + np.argmin(x[i:])
        order[i], order[best] = order[best], order[i]
        last = steps[i]
        steps[i] = x[best] - last
        steps[i + 1] += last
    return order, steps, last


def follows_rows(x):
    out, best, total = np.zeros_like(x), x[0], 0.0
    for i, v in enumerate(x[1:]):
        if v > best:
            best = v
        out[i] = best
        best += 0.5
        v += 1
        total += v
    return out, total


def sums_runs(a):
    best = cur = a[0]
    for i in range(1, len(a)):
        if cur < 0:
            cur = a[i]
        else:
            cur += a[i]
        if cur > best:
            best = cur
    return best, np.mean(a > best)


def counts_down(m):
    left = m.sum(axis=1)
    for row in m:
        at = np.argmax(row)
        left[at] -= 1
        while left[at] > 2:
            left[at] -= row[0] + 1
    return left


def finds_roots(pairs):
    parent = np.arange(5)
    for a, b in pairs:
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        parent[b] = a
    return parent


def turns(a):
    a = a.copy()
    total = 0.0
    for p in range(2):
        for q in range(p + 1, 2):
            total += a[p, q] ** 2
            if abs(a[p, q]) < 2.5:
                continue
            g = np.eye(2)
            g[p, q], g[q, p] = a[q, p], -a[q, p]
            a = g.T @ a
    return a, total


VECTORS = [np.array(x) for x in ([1.0, 5.0, 2.0], [7.0, 5.0, 2.5], [-1.0, 3.0, 8.0])]
PAIRS = [np.array([[0, 1], [1, 2], [3, 4]]), np.array([[4, 3], [3, 2], [2, 0]])]
MATRICES = [np.array([[1.0, 2.0], [3.0, 4.0], [0.0, 9.0]]), np.array([[5.0, 2.0], [3.0, 4.0], [0.0, 9.0]])]


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize(
    "fn, given",
    [(counts_on, VECTORS), (writes_the_largest_row, MATRICES), (permutes, VECTORS), (follows_rows, VECTORS),
     (sums_runs, VECTORS), (counts_down, MATRICES), (finds_roots, PAIRS), (turns, [m[:2] for m in MATRICES])],
)  # fmt: skip
def test_items_are_numbers_and_rows_are_views(fn, given, typed):
    program = gfx.symbolic_trace(fn, *(given[:1] if typed else []), backend="numpy")
    equals(fn, program, *((x,) for x in given))


def writes_a_row(m):
    m = m.clone()
    row = m[m[:, 0].argmax()]
    row += 1
    return m


def writes_what_was_asked_for(m, at):
    m = m.clone()
    m[at] += 1
    row = m[at]
    row -= 5
    return row


def test_a_tensor_without_axes_selects_a_view_in_pytorch():
    given = torch.tensor(MATRICES[0])
    for args in ((), (given,)):
        program = gfx.symbolic_trace(writes_a_row, *args, backend="torch")
        np.testing.assert_array_equal(program(given), writes_a_row(given))
    program = gfx.symbolic_trace(writes_what_was_asked_for, backend="torch")
    for at in (torch.tensor(1), torch.tensor([0, 2])):
        np.testing.assert_array_equal(program(given, at), writes_what_was_asked_for(given, at))
    with pytest.raises(CaptureError, match="an index that is an array copies"):
        gfx.symbolic_trace(lambda m, at: (m, m[at].add_(1))[0].sum(), backend="torch")


def moves_a_row(m):
    m = m.copy()
    row = m[0]
    row += 1
    m[1] = row
    return m


def test_an_item_that_was_changed_and_put_elsewhere_is_no_row():
    program = gfx.symbolic_trace(moves_a_row, backend="numpy")
    equals(moves_a_row, program, (VECTORS[0],))
    with pytest.raises(GuardError, match="ndim == 1"):
        program(MATRICES[0])


def test_what_was_taken_for_an_item_and_is_indexed_is_refused():
    def turns_a_row(m):
        m = m.copy()
        row = m[0]
        row += 1
        row[0] = -row[0]
        return m

    with pytest.raises(CaptureError, match="GFX cannot decide whether a write changes 'm'"):
        gfx.symbolic_trace(turns_a_row, backend="numpy")
    equals(turns_a_row, gfx.symbolic_trace(turns_a_row, MATRICES[0]), (MATRICES[0],))

    def turns_rows(m, n):
        m = m.copy()
        for i in range(n):
            row = m[i]
            row += 1
            row[0] = -row[0]
        return m

    with pytest.raises(CaptureError, match=r"'row' was taken for a number|whether a write changes 'm'"):
        gfx.symbolic_trace(turns_rows, backend="numpy")


def reads_an_item_behind_a_write(x, k):
    a = x.copy()
    item = a[k]
    a[k] += 5
    if item > 2:
        a[1:] *= 2
    return a, item


def swaps_views(m, k):
    m = m.copy()
    a, b = m[k], m[1 - k]
    if a[0] > b[0]:
        m[k], m[1 - k] = b, a
    return m, a


def test_an_index_that_is_given_as_a_number_selects_a_view_of_a_matrix_alone():
    program = gfx.symbolic_trace(reads_an_item_behind_a_write, backend="numpy")
    equals(reads_an_item_behind_a_write, program, *((x, 1) for x in VECTORS))
    for k in (np.int64(0), np.int64(1)):
        program = gfx.symbolic_trace(swaps_views, MATRICES[1], np.int64(0))
        for a, b in zip(program(MATRICES[1], k), swaps_views(MATRICES[1], k)):
            np.testing.assert_array_equal(a, b)


def keeps_the_largest_row(m):
    m = m.copy()
    best = m[0]
    for i in range(len(m)):
        row = m[i]
        if row.sum() > best.sum():
            best = row
        row[0] += 1
    return m, best.sum()


def test_what_the_code_indexes_again_is_not_taken_for_a_number():
    with pytest.raises(CaptureError, match="cannot decide whether a write changes"):
        gfx.symbolic_trace(keeps_the_largest_row, backend="numpy")


def adds_one(n):
    n += 1
    return n


def test_a_number_is_not_written_in_place():
    with pytest.raises(GuardError, match="writes 'n' in place"):
        gfx.symbolic_trace(adds_one, backend="numpy")(np.float64(2.0))
    assert gfx.symbolic_trace(adds_one, np.float64(2.0))(np.float64(2.0)) == 3.0


# ---------------------------------------------------------------------- arrays beside lists, tuples and None
def beside_lists(x):
    y = x * 2
    y[[0, 2]] += [x.max(), -x.min()]
    y[:2] *= (2, 3)
    y **= [2, 1, 1]
    rows = []
    for v in x:
        rows.append(v * 2)
    return y + rows, [1, 2, 3] - y, y @ [1.0, 0.0, 1.0], y > (0, x.sum(), 1), y.argmax() + [1, 2], y == [4, 4, 4]


def beside_none(x, goal=None):
    y = x * 2
    last = y.argmax()
    if last == goal or goal == last:
        return y * 3
    return y * ((y == None).sum() + (y.sum() != goal))  # noqa: E711


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("fn", [beside_lists, beside_none])
def test_an_array_takes_lists_for_arrays_and_asks_each_element_for_none(fn, typed):
    given = [np.array(x) for x in ([1.0, 2.0, 3.0], [0.5, 4.0, 1.0])]
    program = gfx.symbolic_trace(fn, *(given[:1] if typed else []), **({} if typed else {"backend": "numpy"}))
    equals(fn, program, *((x,) for x in given))


def repeats_or_multiplies(x):
    return x.sum() * [1, 2]


def test_a_number_of_numpy_may_be_how_often_a_list_is_repeated():
    with pytest.raises(CaptureError, match="`\\*` of ndarray and list"):
        gfx.symbolic_trace(repeats_or_multiplies, backend="numpy")


# ---------------------------------------------------------------------- what the way an array was made tells
def smoothing_weights(half: int, deg=2):
    places = np.arange(-half, half + 1)
    return np.vander(places, deg + 1, increasing=True), np.float_power(places, 2), np.round(places / 3, 1)


def votes(points, bins: int = 3):
    counts = np.zeros((bins, 4))
    for p in points:
        counts[int(p) % bins, int(p) % 4] += p
    return np.unravel_index(counts.argmax(), counts.shape)


def test_dtypes_and_ranks_of_arrays_that_the_code_makes_are_known_without_types():
    for fn, calls in (
        (smoothing_weights, ((2,), (1,))),
        (votes, ((np.array([1.0, 5.0]),), (np.array([6.0, 2.0, 3.0]),))),
    ):
        program = gfx.symbolic_trace(fn, backend="numpy")
        for args in calls:
            found = program(*args), program.to("numpy")(*args)
            assert [repr(fn(*args))] * 2 == list(map(repr, found))


def test_an_index_among_axes_of_open_number_is_refused():
    with pytest.raises(ShapeError, match="unravel_index needs the rank"):
        gfx.symbolic_trace(lambda x: np.unravel_index(x.argmax(), x.shape), backend="numpy")


# ---------------------------------------------------------------------- functions of lists that a loop filled with numbers
def of_filled_lists(xs):
    sizes = []
    for x in xs:
        sizes.append(int(x) * 2)
    halves = [float(x) / 2 for x in xs]
    return (
        np.argmin(sizes), np.mean(sizes), np.cumsum(sizes), np.sort(sizes), np.exp(sizes), np.percentile(sizes, 50),
        np.median(halves), np.diff(halves), np.maximum(halves, 1.0), np.prod(halves), np.atleast_2d(sizes),
    )  # fmt: skip


def test_functions_of_numpy_make_arrays_of_lists_of_numbers():
    program = gfx.symbolic_trace(of_filled_lists, backend="numpy")
    equals(of_filled_lists, program, *((np.array(x),) for x in ([1.0, 2.0, 1.0], [3.0])))
    assert repr(program(np.array([1.0, 4.0]))) == repr(of_filled_lists(np.array([1.0, 4.0])))
