"""Sides of an open host test that return different structures, and tests that are asked twice."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError
from gfx_ir.trees import paths


def pair_or_none(x, bias=None):
    if bias is not None:
        return x + bias, True
    return None


def pair_or_one(x, bias=None):
    if bias is not None:
        return x + bias, True
    return x


def nested_or_one(x, pair: bool = False):
    if pair:
        return {"a": x, "b": [x, x + 1]}
    return x * 2


def three_ways(x, k: int = 0):
    if k == 0:
        return x
    elif k == 1:
        return x, x + 1
    return [x, x, x]


ONE = np.ones(2, np.float32)
CASES = [
    (pair_or_none, (ONE,)), (pair_or_none, (ONE, ONE)), (pair_or_one, (ONE,)), (pair_or_one, (ONE, ONE)),
    (nested_or_one, (ONE, True)), (nested_or_one, (ONE,)), *((three_ways, (ONE, k)) for k in range(3)),
]  # fmt: skip


def told(tree):
    """Places and values of a result."""
    return [(path, np.asarray(leaf).tolist()) for path, leaf in paths(tree)]


@pytest.mark.parametrize("fn, args", CASES)
def test_sides_may_differ_in_structure(fn, args, tmp_path):
    program = gfx.symbolic_trace(fn, backend="torch")
    program.save(tmp_path / "program.json")
    given = [torch.tensor(a) if isinstance(a, np.ndarray) else a for a in args]
    wanted = fn(*given)
    for run in (program, program.to("torch"), gfx.load(tmp_path / "program.json")):
        found = run(*given)
        assert type(found) is type(wanted) and told(found) == told(wanted)
    arrays = [jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
    assert told(program.to("jax")(*arrays)) == told(wanted)


def test_source_says_each_test_once():
    source = gfx.symbolic_trace(three_ways, backend="torch").source("torch")
    assert source.count("if ") == 2 and source.count("return") == 3


def test_data_cannot_choose_a_structure():
    def chosen(x):
        if x.sum() > 0:
            return x, x
        return x

    with pytest.raises(CaptureError, match=r"structure|tuple"):
        gfx.symbolic_trace(chosen, backend="torch")


def test_a_flag_that_repeats_a_test_is_that_test():
    def logged(x):
        log = []
        try:
            if x.sum() > 0:
                return x * 2, log
            x = x + 1
        finally:
            log.append("done")
        return x, log

    program = gfx.symbolic_trace(logged, backend="torch")
    assert program.source("jax").count("lax.cond") == 1
    for start in (1.0, -1.0):
        x = torch.full((2,), start)
        assert told(program(x)) == told(logged(x))
        assert told(program.to("jax")(jnp.asarray(x.numpy()))) == told(logged(x))


def test_a_write_through_a_view_is_written_once():
    def raised(x):
        y = x.clone()
        y[1:] += 1
        y[0] = y[0] * 2
        return y

    program = gfx.symbolic_trace(raised, backend="torch")
    assert sum(node.op.name == "index_put" for node in program.entry) == 2
    x = torch.tensor([1.0, 2.0, 3.0])
    assert program(x).tolist() == raised(x).tolist()


def once_or_twice(x: torch.Tensor):
    return x if x.shape[0] == 1 else torch.cat([x, x])


def test_what_has_another_size_on_each_side_has_the_others():
    """The sides of Python's own test agree in all dims but one, and what follows is told of those."""
    program = gfx.symbolic_trace(once_or_twice, gfx.TensorSpec(("B", 3), "float32"))
    found = program.entry.result
    assert found.type.dtype.name == "float32" and found.type.dims == (None, 3)
    for x in (torch.ones(1, 3), torch.ones(2, 3)):
        torch.testing.assert_close(program(x), once_or_twice(x))
