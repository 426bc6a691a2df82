"""What a capture knows: levels, open and fixed arguments; emitted source is captured again."""

import logging
import math
import time
import warnings

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from captured import affine, equal, log_mean_exp, root, scaled
from gfx_ir.errors import CaptureError, GuardError, ShapeError
from gfx_ir.text import to_text
from recapture import load_source


# ---------------------------------------------------------------------- levels
def test_without_arguments_nothing_is_fixed():
    program = gfx.symbolic_trace(affine)
    assert (program.level, program.guards) == (0, [])
    for make in (np.ones, torch.ones, jnp.ones):
        for shapes in (((2, 3), (3, 4)), ((5, 2, 3), (3, 1))):
            equal(program(*map(make, shapes)), affine(*map(np.ones, shapes)))


def test_arrays_given_are_types():
    program = gfx.symbolic_trace(affine, torch.ones(2, 3), gfx.TensorSpec((3, 4), "float32"))
    assert program.level == 1
    equal(program(torch.ones(2, 3), torch.ones(3, 4)), np.full((2, 4), 4))
    with pytest.raises(GuardError, match=r"the capture is for x: f32\[2, 3\], and the call has f32\[5, 3\]"):
        program(torch.ones(5, 3), torch.ones(3, 4))
    with pytest.raises(GuardError, match=r"f64\[2, 3\]"):
        program(torch.ones(2, 3).double(), torch.ones(3, 4).double())


def test_dims_stay_open():
    batch = gfx.Dim("B", min=1)
    program = gfx.symbolic_trace(affine, gfx.TensorSpec((batch, 3), "float32"), gfx.TensorSpec((3, 4), "float32"))
    assert "f32[B, 4]" in to_text(program.infer().entry)
    for size in (1, 5):
        assert program(torch.ones(size, 3), torch.ones(3, 4)).shape == (size, 4)
    with pytest.raises(GuardError):
        program(torch.ones(5, 2), torch.ones(3, 4))


def test_dims_of_one_name_are_one_size():
    spec = gfx.TensorSpec(("B",), "float32")
    program = gfx.symbolic_trace(lambda x, y, *z: x.sum() + y.sum(), spec, spec, gfx.TensorSpec(("2*B",), "float32"))
    one = torch.ones
    assert program(one(3), one(3), one(6)) == 6
    with pytest.raises(
        GuardError, match=r"dim 'B' as one size, and the call has x.shape\[0\] == 3 and y.shape\[0\] == 5"
    ):
        program(one(3), one(5), one(6))
    with pytest.raises(
        GuardError, match=r"a size of 2\*B as given, and the call has x.shape\[0\] == 3 and z\[0\].shape\[0\] == 3"
    ):
        program(one(3), one(3), one(3))
    nested = gfx.symbolic_trace(lambda pair: pair["a"] + pair["b"][0], {"a": spec, "b": [spec]})
    with pytest.raises(GuardError, match=r"pair.a.shape\[0\] == 1 and pair.b\[0\].shape\[0\] == 2"):
        nested({"a": one(1), "b": [one(2)]})


def test_bounds_of_dims():
    program = gfx.symbolic_trace(lambda x: x + 1, gfx.TensorSpec((gfx.Dim("B", min=2, max=4),), "float32"))
    assert program(torch.ones(4)).shape == (4,)
    for size in (1, 5):
        with pytest.raises(GuardError, match=rf"the dim 'B' as 2 to 4, and the call has x.shape\[0\] == {size}"):
            program(torch.ones(size))


def test_dynamic_keeps_all_dims_of_arrays_open():
    program = gfx.symbolic_trace(affine, torch.ones(2, 3), torch.ones(3, 4), dynamic=True)
    equal(program(torch.ones(5, 3), torch.ones(3, 1)), np.full((5, 1), 4))


def test_bind_and_infer():
    program = gfx.symbolic_trace(affine)
    typed = program.bind(x=gfx.TensorSpec((2, 3), "float32"), y=gfx.TensorSpec((3, 4), "float32"))
    assert (program.level, typed.level, typed.infer().level) == (0, 1, 2)
    with pytest.raises(ShapeError, match="no argument 'q'"):
        program.bind(q=gfx.TensorSpec((2, 3), "float32"))
    with pytest.raises(ShapeError, match=r"matmul.*\n.*x @ y"):
        program.bind(x=gfx.TensorSpec((2, 3), "float32"), y=gfx.TensorSpec((2, 3), "float32")).infer()


def test_a_level_is_given_up_again():
    program = gfx.symbolic_trace(lambda x, y: x @ y, backend="torch")
    typed = program.bind(x=gfx.TensorSpec((2, 3)), y=gfx.TensorSpec((3, 4))).infer()
    assert [typed.at_level(n).level for n in (0, 1, 2)] == [0, 1, 2] and str(typed.at_level(0)) == str(program)
    again = typed.at_level(1).at_level(0).bind(x=gfx.TensorSpec((5, 2)), y=gfx.TensorSpec((2, 5))).at_level(2)
    assert "f32[5, 5]" in str(again) and again(torch.ones(5, 2), torch.ones(2, 5)).shape == (5, 5)
    with pytest.raises(gfx.GfxError, match="level 0"):
        gfx.symbolic_trace(lambda x: x + 1, torch.ones(3)).at_level(0)
    with pytest.raises(gfx.GfxError, match="level 1"):
        program.at_level(1)
    typed.entry.edited()
    with pytest.raises(gfx.GfxError, match="edited"):
        typed.at_level(0)


# ---------------------------------------------------------------------- open and fixed arguments
@pytest.mark.parametrize("target", ["torch", "jax", "numpy"])
def test_open_arguments(target):
    program = gfx.symbolic_trace(scaled)
    source = program.source(target)
    assert source.count("if mask is not None:") == 1
    assert 'mask=None, flip: bool = False, factor: float = 2.0, mode: str = "scale"' in source
    fn = load_source(source).scaled
    for args, kwargs in (
        ((), {}), ((np.full(2, 3.0),), {}), ((), {"flip": True}), ((None, True, 5.0, "none"), {}), ((), {"factor": 3.0}),
    ):  # fmt: skip
        x = torch.tensor([1.0, 2.0])
        plain = [torch.tensor(a) if isinstance(a, np.ndarray) else a for a in args]
        mine = [_on(target, a) for a in (x.numpy(), *args)]
        equal(fn(*mine, **kwargs), scaled(x, *plain, **kwargs))


def _on(target, x):
    if not isinstance(x, np.ndarray):
        return x
    return {"torch": torch.tensor, "jax": jnp.asarray, "numpy": np.asarray}[target](x)


def power(x, n: int = 2):
    return x**n if n > 1 else x


def test_a_plain_value_given_is_fixed():
    program = gfx.symbolic_trace(power, n=3)
    assert [str(guard) for guard in program.guards] == ["n == 3"]
    assert "if" not in program.source("jax").partition('"""')[2].partition('"""')[2]
    equal(program(torch.tensor(2.0), 3), 8.0)
    for wrong in (4, 3.0, True):
        with pytest.raises(GuardError, match="the capture took n == 3 as given"):
            program(torch.tensor(2.0), wrong)


def test_a_fixed_value_is_not_hidden_by_a_default():
    program = gfx.symbolic_trace(power, n=3)
    with pytest.raises(GuardError, match="n = 2"):
        program(torch.tensor(2.0))  # the function itself would square
    equal(gfx.symbolic_trace(power, n=2)(torch.tensor(3.0)), 9.0)


def test_a_loop_over_a_fixed_number():
    def doubled(x, n):
        for _ in range(n):
            x = x + x
        return x

    equal(gfx.symbolic_trace(doubled, n=3)(torch.ones(2), 3), np.full(2, 8))
    opened = gfx.symbolic_trace(doubled, kwargs={})
    assert opened.level == 0


# ---------------------------------------------------------------------- emitted source is captured again
@pytest.mark.parametrize("fn", [affine, root, log_mean_exp, scaled], ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("target, back", [("jax", "torch"), ("torch", "jax"), ("torch", "numpy"), ("numpy", "torch")])
def test_emitted_source_is_captured_again(fn, target, back):
    first = load_source(gfx.symbolic_trace(fn).source(target))
    again = gfx.symbolic_trace(getattr(first, fn.__name__))
    args = {"affine": [(2, 3), (3, 4)]}.get(fn.__name__, [(2, 3)])
    arrays = [np.random.default_rng(0).uniform(1, 2, shape).astype(np.float32) for shape in args]
    plain = [a if fn is log_mean_exp else torch.tensor(a) for a in arrays]
    equal(again.to(back)(*(_on(back, a) for a in arrays)), fn(*plain), 1e-5)


def test_what_acts_on_the_world_at_capture_only_is_noted():
    def warned(x):
        if x.sum() > 0:
            logging.getLogger("warned").info("positive")
        return x * math.prod([time.time() for _ in range(3)])

    notes = gfx.symbolic_trace(warned, backend="torch").notes
    assert [note.partition(" ran once, at capture: ")[0] for note in notes] == ["logging.Logger.info", "time.time"]
    assert all(f"{__file__}:" in note for note in notes)


def test_warnings_say_what_is_not_known_at_the_capture():
    """Nothing hangs on what they say, and no size is fixed for it."""

    def smoothed(x):
        for axis, size in enumerate(x.shape):
            if size > 3:
                x = x * 2
            else:
                warnings.warn(f"{axis} of {x.shape} is skipped")
        return x

    with pytest.warns(UserWarning, match="known when the code runs"):
        program = gfx.symbolic_trace(smoothed, torch.ones(4, 2), dynamic=True)
    (note,) = program.notes
    assert note.startswith("_warnings.warn ran once, at capture: ")
    with pytest.warns(UserWarning, match="is skipped"):
        want = smoothed(torch.ones(2, 5))
    torch.testing.assert_close(program.to("torch")(torch.ones(2, 5)), want)


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def test_what_stands_for_a_framework_object_at_capture_is_not_noted():
    assert gfx.symbolic_trace(lambda x: Twice.apply(x) if x.sum() > 0 else x, torch.ones(3)).notes == []


def test_what_is_written_to_containers_of_the_code_is_not_told():
    def rows(x):
        kept, named, seen = [], {}, set()
        for i in range(3):
            kept.append(x * i)
        named.update(a=x)
        seen.add(1)
        kept.reverse()
        return torch.stack(kept) * len(named) * len(seen)

    def f(x):
        y = rows(x).sum()
        if y > 0:
            kept = []
            kept.extend([y, y])
            y = kept[0] * 2
        return y + rows(x).sum()

    assert not gfx.symbolic_trace(f).notes


@pytest.mark.parametrize(
    "asked, told",
    [
        (lambda v: isinstance(v, float), False),
        (lambda v: type(v) is float, False),
        (lambda v: isinstance(v * 2, torch.Tensor), True),
        (lambda v: hasattr(v, "shape"), True),
        (torch.is_tensor, True),
    ],
    ids=["isinstance", "type", "computed", "hasattr", "is_tensor"],
)
def test_the_class_of_an_item_is_told_where_its_dtype_is_known_or_all_dtypes_agree(asked, told):
    def scaled(x):
        return x * 2 if asked(x.max().item()) else x * 3

    def plain(x):
        v = x * x.max().item()
        return v if isinstance(v, torch.Tensor) and isinstance(float(x.max()), float) else x

    x = torch.tensor([1.0, 3.0])
    if told:
        assert torch.equal(gfx.symbolic_trace(scaled, backend="torch")(x), scaled(x))
    else:
        with pytest.raises(CaptureError, match="class of this number"):
            gfx.symbolic_trace(scaled, backend="torch")
    assert torch.equal(gfx.symbolic_trace(scaled, x)(x), scaled(x))
    assert torch.equal(gfx.symbolic_trace(plain, backend="torch")(x), x * 3)
