"""Exceptions that captured code raises under open tests: the author's own classes, and all that they were told."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx


class Unstable(ArithmeticError):
    pass


class Grew(Unstable):
    pass


class Placed(LookupError):
    def __init__(self, what, where):
        super().__init__(f"{what} at {where}")


def stepping(x, n: int = 3):
    for i in range(n):
        x = x * 2
        if x.sum() > 20:
            raise Grew(f"grew at {i}")
        if x.sum() < -20:
            raise Unstable
    if x[0] == 0:
        raise ValueError("zero", 0, ("at", "the start"))
    if torch.isnan(x).any():
        raise Placed("nan", "the end")
    return x


ARGUMENTS = [torch.tensor(values) for values in ([5.0, 1.0], [-5.0, 1.0], [0.0, 1.0], [float("nan"), 0.0])]


@pytest.fixture(scope="module")
def program():
    return gfx.symbolic_trace(stepping)


@pytest.mark.parametrize("x", ARGUMENTS[:3], ids=["grew", "class", "several"])
def test_a_captured_function_raises_what_plain_python_raises(program, x):
    with pytest.raises(Exception) as plain:
        stepping(x)
    for call in (program, gfx.trace(stepping), program.to("torch"), program.to("numpy")):
        with pytest.raises(type(plain.value)) as found:
            call(x.numpy() if call is program.to("numpy") else x)
        assert found.value.args == plain.value.args


def test_a_class_that_takes_its_arguments_in_its_own_way_is_raised_with_what_it_made_of_them(program):
    for call in (program, program.to("torch")):
        with pytest.raises(Placed, match="nan at the end") as found:
            call(ARGUMENTS[3])
        assert type(found.value).__name__ == "Placed" and found.value.args == ("nan at the end",)


def test_source_defines_the_classes_that_it_raises(program):
    for target, wrap in (("torch", torch.as_tensor), ("numpy", np.asarray)):
        namespace = {}
        exec(program.source(target), namespace)
        assert issubclass(namespace["Grew"], ArithmeticError)
        with pytest.raises(namespace["Grew"], match="grew at 1"):
            namespace["stepping"](wrap(ARGUMENTS[0].numpy()))
    assert "class Unstable(ArithmeticError):" in program.source("jax")


def test_a_loaded_graph_raises_classes_of_these_names(program, tmp_path):
    program.save(tmp_path / "stepping.json")
    with pytest.raises(ArithmeticError, match="grew at 1") as found:
        gfx.load(tmp_path / "stepping.json")(ARGUMENTS[0])
    assert type(found.value).__name__ == "Grew"


def test_two_classes_of_one_name_are_not_taken_for_each_other():
    def local(base):
        return type("Unstable", (base,), {})

    other = local(KeyError)

    def either(x):
        if x.sum() > 1:
            raise Unstable("one")
        if x.sum() < -1:
            raise other("other")
        return x

    captured = gfx.symbolic_trace(either)
    with pytest.raises(Unstable, match="one"):
        captured(torch.ones(2))
    with pytest.raises(KeyError, match="other"):
        captured(-torch.ones(2))


def looked_up(x, table):
    try:
        return x * table["scale"]
    except KeyError:
        if x.sum() > 0:
            raise
    return -x


def test_a_bare_raise_under_an_open_test_raises_when_the_code_runs():
    for given in ((torch.ones(2), {}), ()):
        program = gfx.symbolic_trace(lambda x: looked_up(x, {}), *given[:1], backend="torch")
        for call in (program, program.to("torch")):
            with pytest.raises(KeyError, match="scale"):
                call(torch.ones(2))
            np.testing.assert_array_equal(call(-torch.ones(2)), torch.ones(2))
