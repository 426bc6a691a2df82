"""gfx.check: the original against what was made of it, output by output."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import GfxError, GuardError
from registered import taken_back

X = torch.tensor([[1.0, -2.0], [0.5, 4.0]])


def several(x, scale=2.0):
    return {"a": x * scale, "b": (x.sum(), x > 0)}, x.to(torch.int64)


@pytest.mark.filterwarnings("ignore:Explicitly requested dtype")
@pytest.mark.parametrize("to", ["torch", "jax", "numpy"])
def test_equal_outputs(to):
    program = gfx.symbolic_trace(several)
    for subject in (program, gfx.transpile(program, to=to), gfx.trace(several)):
        report = gfx.check(subject, X, to=to)
        assert report.ok and report.target == to and report.state == ()
        assert [d.path for d in report.outputs] == ["0.a", "0.b.0", "0.b.1", "1"]
        assert [d.shapes for d in report.outputs] == [((2, 2),) * 2, ((),) * 2, ((2, 2),) * 2, ((2, 2),) * 2]
        assert all(d.max_abs < 1e-6 and d.equal for d in report.outputs)
    assert gfx.check(program, X, scale=3.0, to=to).ok
    assert str(report).startswith(f"equal on {to} (tolerance of each dtype)\n  0.a: shape (2, 2), float32, max abs 0")


@pytest.mark.parametrize("make", [lambda: nn.Linear(2, 3), lambda: nn.Sequential(nn.Linear(2, 2), nn.GELU())])
def test_models(make):
    assert gfx.check(gfx.symbolic_trace(make()), X).ok


def other(program, fn):
    """The program, transpiled, with another function in its place."""
    result = gfx.transpile(program, to="numpy")
    result.program.function = lambda target: fn  # in the place of what is emitted
    return result


def identity(x):
    return x


def report_of(made, x=np.array([1.0, -4.0], np.float32), fn=identity, **options):
    return gfx.check(other(gfx.symbolic_trace(fn, backend="numpy"), made), x, **options)


def test_values_that_differ():
    report = report_of(lambda x: x + np.float32(0.5))
    (found,) = report.outputs
    assert not report.ok and found.reason == "values differ"
    assert found.max_abs == 0.5 and found.max_rel == 0.125  # of the largest magnitude, 4
    assert "DIFFERENT on numpy" in str(report) and "max abs 0.5, max rel 0.125   <-- values differ" in str(report)


def test_tolerance_is_relative_to_the_largest_magnitude():
    for tolerance, ok in ((0.1251, True), (0.1249, False)):
        report = report_of(lambda x: x + np.float32(0.5), tolerance=tolerance)
        assert report.ok is ok and report.tolerance == tolerance
    small = np.array([1e-8], np.float32)
    assert report_of(lambda x: x * 2, small).ok  # magnitudes below 1 count as 1


@pytest.mark.parametrize(
    ("dtype", "near", "far"),
    [("float64", 1e-7, 1e-5), ("float32", 1e-5, 1e-3), ("float16", 5e-3, 5e-2), ("complex64", 1e-5, 1e-3)],
)
def test_every_dtype_has_its_tolerance(dtype, near, far):
    x = np.ones(2, dtype)
    assert report_of(lambda x: (x + near).astype(dtype), x).ok
    assert not report_of(lambda x: (x + far).astype(dtype), x).ok


def test_integers_are_exact():
    x = np.array([2**62, 5])
    assert report_of(lambda x: x.copy(), x).ok
    assert not report_of(lambda x: x + np.array([0, 1]), x).ok
    assert not report_of(lambda x: ~x, np.array([True])).ok


@pytest.mark.parametrize(
    ("have", "ok"),
    [
        ([np.nan, np.inf, 1.0], True),
        ([np.nan, np.inf, np.nan], False),
        ([0.0, np.inf, 1.0], False),
        ([np.nan, -np.inf, 1.0], False),
        ([np.nan, 3e38, 1.0], False),
    ],
)
def test_nan_and_infinity_stand_where_they_stood(have, ok):
    x = np.array([np.nan, np.inf, 1.0], np.float32)
    report = report_of(lambda x: np.array(have, np.float32), x)
    assert report.ok is ok and (report.outputs[0].max_abs == 0) is ok


def test_shapes_that_differ():
    (found,) = report_of(lambda x: x[:, None]).outputs
    assert found.reason == "shapes differ" and found.shapes == ((2,), (2, 1)) and not found.equal
    assert str(found) == "result: shape (2,) / (2, 1), float32   <-- shapes differ"


def test_dtypes_that_differ():
    (found,) = report_of(lambda x: x.astype(np.float64)).outputs
    assert found.reason == "dtypes differ" and found.dtypes == ("float32", "float64") and found.max_abs == 0


@pytest.mark.filterwarnings("ignore:Explicitly requested dtype")
def test_dtypes_that_the_framework_is_set_not_to_have():
    report = gfx.check(gfx.symbolic_trace(lambda x: (x.double(), x.long()), backend="torch"), X)
    assert report.ok and [d.dtypes for d in report.outputs] == [("float64", "float32"), ("int64", "int32")]


def test_outputs_that_are_missing_or_too_many():
    def two(x):
        return {"a": x, "b": None}

    report = report_of(lambda x: {"a": None, "b": x}, fn=two)
    assert [(d.path, d.reason) for d in report.outputs] == [
        ("a", "the transpiled function has no such output"),
        ("b", "the original has no such output"),
    ]
    assert "b: shape None / (2,)" in str(report)


@dataclasses.dataclass
class Pair:
    left: torch.Tensor
    right: str


def test_outputs_in_containers_and_plain_ones():
    report = gfx.check(gfx.symbolic_trace(lambda x: Pair(x * 2, "word"), backend="torch"), X)
    assert report.ok and [d.path for d in report.outputs] == ["left", "right"]
    assert not report_of(lambda x: (x, "other"), fn=lambda x: (x, "word")).ok


# ---------------------------------------------------------------------- state
class Counting(nn.Module):
    """Its state is in a buffer, one that is replaced, and an attribute."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("mean", torch.zeros(2))
        self.last = torch.zeros(20)

    def forward(self, x):
        self.count += 1
        self.mean = self.mean + x.mean(0)
        self.last = x.sum() + self.last
        return x * self.count


@pytest.mark.parametrize("to", ["torch", "jax"])
def test_what_is_written_is_compared_and_the_model_keeps_its_state(to):
    model = Counting()
    result = gfx.transpile(model, to=to)
    for _ in range(2):
        report = gfx.check(result, X)
        assert report.ok and {d.path for d in report.state} == {"count", "mean", "last"}
        assert "writes count: shape ()" in str(report)
    assert model.count == 0 and not model.mean.any() and not model.last.any()
    result, fn = gfx.transpile(model, to=to), result.fn
    counted = lambda params, x: (fn(params, x)[0], {**fn(params, x)[1], "count": fn(params, x)[1]["count"] + 1})
    result.program.function = lambda target: counted
    report = gfx.check(result, X)
    assert [d.path for d in (*report.outputs, *report.state) if not d.equal] == ["count"] and not report.ok


def test_arguments_that_are_written():
    def add_into(x, y):
        x += y
        return x.sum()

    x = np.ones(3)
    report = gfx.check(gfx.symbolic_trace(add_into, backend="numpy"), x, np.ones(3), to="numpy")
    assert report.ok and [d.path for d in report.state] == ["x"] and (x == 1).all()


# ---------------------------------------------------------------------- block by block
def half_cut(x, low):
    return torch.clamp(x, min=low) / 2


class Cut(nn.Module):
    def __init__(self, low):
        super().__init__()
        self.linear, self.low = nn.Linear(2, 2), low

    def forward(self, x):
        y = self.linear(x)
        for _ in range(3):
            y = half_cut(y, self.low) + 1
        return y


def test_the_first_block_that_differs_is_named():
    with taken_back():
        gfx.register(
            "half_cut(x, low)",
            torch=half_cut,
            jax="jnp.where(low > -5, x, jnp.maximum(x, low)) / 2",
            shape=lambda x, low: x,
        )
        torch.manual_seed(0)
        model = nn.Sequential(Cut(-9.0), nn.Sequential(Cut(-8.0), Cut(0.0)), Cut(0.0))
        report = gfx.check(gfx.transpile(model, X, to="jax"), X)
        first = report.first
        assert not report.ok and (first.path, first.op) == ("1.1", "half_cut") and first.name.startswith("cut")
        assert first.text == "y = half_cut(y, self.low) + 1" and first.place.startswith("test_check.py:")
        assert first.statistics["torch"].low == 0.0 > first.statistics["jax"].low
        assert f"first block that differs: 1.1 ({first.name}), op half_cut" in str(report)
        reasons = {block.path: block.reason for block in report.blocks}
        assert not reasons["0"] and not reasons["1.0"] and not reasons["1.1.linear"] and reasons["1.1"] and reasons["1"]


def test_params_that_differ_are_named_by_the_line_of_their_layer():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.Linear(2, 2), nn.Linear(2, 2)

        def forward(self, x):
            x = self.first(x)
            return self.last(x)

    made = gfx.transpile(Two(), X, to="jax")
    made.params["last"]["bias"] = made.params["last"]["bias"] + 1
    first = gfx.check(made, X).first
    assert (first.path, first.text) == ("last", "return self.last(x)")
    assert abs(first.statistics["jax"].mean - first.statistics["torch"].mean - 1) < 1e-5


@pytest.mark.filterwarnings("ignore:Explicitly requested dtype")
def test_blocks_of_what_is_equal():
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    mean = model[1].running_mean.clone()
    report = gfx.check(gfx.symbolic_trace(model), X, blocks=True)
    assert report.ok and report.first is None and not report.note
    assert [block.path for block in report.blocks] == ["0", "1"] and torch.equal(model[1].running_mean, mean)
    assert gfx.check(gfx.symbolic_trace(several), X, blocks=True).blocks == ()


def test_where_no_block_differs_another_step_does():
    made = gfx.transpile(nn.Linear(2, 2), X, to="jax")
    fn = made.fn
    made.program.function = lambda target: lambda params, x: fn(params, x) + 1
    assert "no block differs" in gfx.check(made, X).note


# ---------------------------------------------------------------------- refused
def test_what_cannot_be_checked_says_why(tmp_path):
    program = gfx.symbolic_trace(several)
    program.save(tmp_path / "p.json")
    with pytest.raises(GfxError, match=r"read from a file(.|\n)*symbolic_trace"):
        gfx.check(gfx.load(tmp_path / "p.json"), X)
    with pytest.raises(GfxError, match=r"not a function(.|\n)*gfx.transpile"):
        gfx.check(several, X)
    with pytest.raises(GfxError, match=r"draws random numbers(.|\n)*eval"):
        gfx.check(gfx.symbolic_trace(nn.Dropout(0.5)), X)
    with pytest.raises(GuardError, match="capture is for"):
        gfx.check(gfx.symbolic_trace(several, X), torch.ones(3))


def test_a_jax_function_is_checked_on_its_own_arrays():
    assert gfx.check(gfx.symbolic_trace(lambda x: jnp.tanh(x)), jnp.ones(3), to="torch").ok
