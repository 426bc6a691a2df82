"""Lists of open length whose items are tuples or dictionaries of tensors and numbers: made, read, gone over and returned as in Python."""

import jax
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

X = [-0.5, 0.5, 1.5]
OTHER = [2.0, -1.0, 0.25, 4.0]


def pairs(x):
    found = []
    for v in x:
        found.append((v, v * v))
    return found


def gone_over(x):
    found, total = [], x.sum() * 0
    for i, v in enumerate(x):
        if v > 0:
            found.append((i, v))
    for i, v in found:
        total = total + i * v
    return total, found[0], found[-1][1], [i for i, _ in found]


def of_dictionaries(x):
    log, h = [], x[0] * 0
    for v in x:
        h = torch.tanh(h + v)
        log.append({"h": h, "norm": (h * h, 1.5)})
    return torch.stack([entry["h"] for entry in log]), log[-1]["norm"][1], log


def looks_back(x):
    found = [(0, x[0])]
    for v in x:
        n, before = found[-1]
        found.append((n + 1, before * 0.5 + v))
    return found


def in_columns(x):
    found = []
    for v in x:
        found.append((v, v * 2))
    a, b = zip(*found)
    return torch.stack(a), torch.stack(list(b)), len(a)


def in_a_dictionary_of_lists(x):
    log = {"above": [], "below": []}
    for v in x:
        if v > 0:
            log["above"].append((v, 1))
        else:
            log["below"].append((v, 2.5))
    return log


def a_stack_of_work(x):
    work, found = [(x, 0)], []
    while work:
        y, depth = work.pop()
        if depth < 3 and y.abs().sum() > 0.5:
            work.append((y * 0.5, depth + 1))
            work.append((y * 0.25, depth + 1))
        else:
            found.append(y.sum())
    return torch.stack(found)


def intervals(x):
    work, total = [(0, len(x))], x[0] * 0
    while work:
        a, b = work.pop()
        if b - a <= 1:
            total = total + x[a] * (a + 1)
        else:
            middle = (a + b) // 2
            work.append((a, middle))
            work.append((middle, b))
    return total


def candidates(x):
    beams = [(x.sum() * 0, 0)]
    for v in x:
        found = []
        for score, n in beams:
            found.append((score + v, n + 1))
            if v > 0:
                found.append((score - v, n))
        beams = found[:3]
    return beams


def grown_tuple(x):
    points = ()
    for v in x:
        points = points + ((v, v + 1),)
    return points, points[0][1]


CASES = [pairs, gone_over, of_dictionaries, looks_back, in_columns, in_a_dictionary_of_lists, a_stack_of_work, intervals, candidates,
         grown_tuple]  # fmt: skip


def same(want, got):
    """Whether two results have the same containers, and the same numbers."""
    if isinstance(want, (list, tuple)):
        return type(want) is type(got) and len(want) == len(got) and all(map(same, want, got))
    if isinstance(want, dict):
        return list(want) == list(got) and all(map(same, want.values(), got.values()))
    return np.allclose(np.asarray(want), np.asarray(got), rtol=1e-5)


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("function", CASES)
def test_results_are_pythons(function, given):
    program = gfx.symbolic_trace(function, *([torch.tensor(X)] if given else []), backend="torch", dynamic=given)
    for xs in (X, OTHER):
        want = function(torch.tensor(xs))
        assert same(want, program(torch.tensor(xs))) and same(want, program.to("torch")(torch.tensor(xs)))
        assert same(want, program.to("jax")(np.float32(xs))) and same(want, program.to("numpy")(np.float32(xs)))


@pytest.mark.parametrize("function", [pairs, looks_back, in_columns, grown_tuple])
def test_jax_compiles_them_where_no_data_decide_the_length(function):
    program = gfx.symbolic_trace(function, backend="torch")
    got = jax.jit(program.to("jax"))(np.float32(X))
    assert same(jax.tree.leaves(jax.tree.map(np.asarray, function(torch.tensor(X)))), jax.tree.leaves(got))


def test_the_source_of_a_list_of_tuples():
    assert (
        gfx.transpile(looks_back, to="torch").source
        == """\
def looks_back(x):
    before = x[0]
    found = [(0, before)]
    for v in x:
        n = int(found[-1][0])
        before = found[-1][1]
        found = [*found, (n + 1, before * 0.5 + v)]
    return found
"""
    )


def one_for_all(x):
    entry, found = {"sum": x[0]}, []
    for v in x:
        entry["sum"] = entry["sum"] + v
        found.append(entry)
    return found


def written_behind(x):
    entry, found = {"sum": x[0]}, []
    for v in x:
        entry = {"sum": entry["sum"] + v}
        found.append(entry)
    entry["sum"] = x[1]
    return found


def written_in_it(x):
    found = []
    for v in x:
        found.append({"v": v})
    for entry in found:
        entry["v"] = entry["v"] * 2
    return found


def a_tensor_written(x):
    found, y = [], x * 1
    for v in x:
        found.append((v, y))
    y += 1
    return found


def of_several_kinds(x):
    found = []
    for v in x:
        found.append((v, "name"))
    return found


def of_several_lengths(x):
    found = [(x[0],)]
    for v in x:
        found.append((v, v))
    return found


@pytest.mark.parametrize(
    "function", [one_for_all, written_behind, written_in_it, a_tensor_written, of_several_kinds, of_several_lengths]
)
def test_what_would_be_seen_in_it_is_refused(function):
    with pytest.raises(CaptureError, match="GFX cannot"):
        gfx.symbolic_trace(function, backend="torch")
