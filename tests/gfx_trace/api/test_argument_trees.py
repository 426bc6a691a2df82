"""Arguments and results are trees, bound as Python binds them."""

import inspect
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from captured import Config, equal, nested, nested_arguments
from gfx_ir.errors import GuardError


class Pair(NamedTuple):
    first: object
    second: object


def test_containers_as_arguments():
    program = gfx.symbolic_trace(nested, *nested_arguments())
    equal(program(*nested_arguments()), nested(*nested_arguments()))
    with pytest.raises(GuardError, match=r"config.times == 3 as given, and the call has config.times = 4"):
        program(*nested_arguments(times=4))
    source = program.source("jax")
    assert "config.weight" in source and 'options["b"][0]' in source


def test_the_structure_of_arguments_is_part_of_the_capture():
    program = gfx.symbolic_trace(lambda items: sum(items), [torch.ones(2)] * 2)
    equal(program([torch.ones(2), torch.ones(2)]), np.full(2, 2))
    for wrong in ([torch.ones(2)] * 3, torch.ones(2), {"a": torch.ones(2)}):
        with pytest.raises(GuardError, match="'items' as a list of 2 items"):
            program(wrong)
    table = gfx.symbolic_trace(lambda table: table["a"], {"a": torch.ones(2), "b": torch.ones(2)})
    with pytest.raises(GuardError, match="dictionary of a, b"):
        table({"a": torch.ones(2)})


def test_results_keep_their_containers():
    def parts(x):
        return Pair(x + 1, [x, {"c": Config(x * 2)}])

    got = gfx.symbolic_trace(parts)(torch.ones(2))
    assert isinstance(got, Pair) and isinstance(got.second, list)
    assert isinstance(got.second[1]["c"], Config) and got.second[1]["c"].times == 2
    equal(got.second[1]["c"].weight, np.full(2, 2))


def test_variable_arguments():
    def total(*items, **named):
        return sum(items) * named["scale"]

    args = (torch.ones(2), torch.ones(2))
    program = gfx.symbolic_trace(total, *args, scale=torch.tensor(3.0))
    equal(program(*args, scale=torch.tensor(4.0)), np.full(2, 8))
    for wrong, named in ((args[:1], {}), ((*args, args[0]), {}), (args, {"other": args[0]})):
        with pytest.raises((GuardError, TypeError)):
            program(*wrong, scale=torch.tensor(4.0), **named)


def positional(x, /, y, *, z):
    return x - y * z


def test_calls_bind_as_python_does():
    program = gfx.symbolic_trace(positional)
    one = torch.ones(2)
    equal(program(one, one, z=one * 3), np.full(2, -2))
    equal(program(one, z=one, y=one * 2), np.full(2, -1))
    for args, kwargs in (
        ((one, one), {}),
        ((one, one, one), {}),
        ((one, one), {"z": one, "w": one}),
        ((), {"x": one, "y": one, "z": one}),
    ):
        with pytest.raises(TypeError):
            program(*args, **kwargs)


def test_an_argument_that_the_capture_left_out():
    def attend(x, cache: dict | None = None):
        return x if cache is None else x + cache["k"]

    program = gfx.symbolic_trace(attend)
    equal(program(torch.ones(2)), np.ones(2))
    with pytest.raises(GuardError, match="cache"):
        program(torch.ones(2), {"k": torch.ones(2)})


def reserved(x, to, dynamic=1):
    return x.sum() * to * dynamic


def test_arguments_with_reserved_names_go_through_kwargs():
    program = gfx.symbolic_trace(reserved, kwargs={"to": 2, "dynamic": 3})
    equal(program(torch.ones(2), 2, 3), 12.0)
    result = gfx.transpile(reserved, to="jax", kwargs={"to": 2})
    assert str(inspect.signature(result.fn)) == "(x, to=2, dynamic=1)"
    equal(result.fn(jnp.ones(2)), 4.0)
