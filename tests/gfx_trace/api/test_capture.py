"""What users type to capture something: targets, arguments, options, and calls of what comes out."""

import copy
import dataclasses
import functools
import inspect
import logging
import pickle
import threading
import time
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, GuardError, ShapeError
from gfx_ir.text import to_text
from gfx_ir.trees import leaves
from recapture import load_source


def affine(x, y):
    return x @ y + 1


def equal(got, want, tolerance=1e-6):
    got, want = list(leaves(got)), list(leaves(want))
    assert len(got) == len(want)
    for a, b in zip(got, want):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tolerance, atol=tolerance)


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


# ---------------------------------------------------------------------- open and fixed arguments
def scaled(x, mask: torch.Tensor | None = None, flip: bool = False, factor: float = 2.0, mode: str = "scale"):
    if mask is not None:
        x = x * mask
    if flip:
        x = -x
    return x * factor if mode == "scale" else x


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


# ---------------------------------------------------------------------- trees
@dataclasses.dataclass
class Config:
    weight: object
    times: int = 2


class Pair(NamedTuple):
    first: object
    second: object


def nested(x, config, options):
    return x * config.weight * config.times + options["b"][0] - options["b"][1]


def nested_arguments(times=3):
    return torch.ones(3), Config(torch.arange(3.0), times), {"b": [torch.ones(3), torch.zeros(3)]}


def test_containers_as_arguments():
    program = gfx.symbolic_trace(nested, *nested_arguments())
    equal(program(*nested_arguments()), nested(*nested_arguments()))
    with pytest.raises(GuardError, match=r"config.times == 3 as given, and the call has config.times = 4"):
        program(*nested_arguments(times=4))
    source = program.source("jax")
    assert 'config["weight"]' in source and 'options["b"][0]' in source


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


# ---------------------------------------------------------------------- reserved names
def reserved(x, to, dynamic=1):
    return x.sum() * to * dynamic


def test_arguments_with_reserved_names_go_through_kwargs():
    program = gfx.symbolic_trace(reserved, kwargs={"to": 2, "dynamic": 3})
    equal(program(torch.ones(2), 2, 3), 12.0)
    result = gfx.transpile(reserved, to="jax", kwargs={"to": 2})
    assert str(inspect.signature(result.fn)) == "(x, to=2, dynamic=1)"
    equal(result.fn(jnp.ones(2)), 4.0)


# ---------------------------------------------------------------------- targets
class Scaler:
    def __init__(self, factor):
        self.factor = factor

    def scale(self, x):
        return x * self.factor

    def __call__(self, x):
        return x + self.factor

    @staticmethod
    def double(x):
        return x * 2

    @classmethod
    def quadruple(cls, x):
        return cls.double(cls.double(x))

    @property
    def twice(self):
        return self.factor * 2

    def by_property(self, x):
        return x * self.twice


two = (lambda x: x * 2, lambda x: x * 3)  # two on one line


@pytest.mark.parametrize(
    "target, want",
    [
        (Scaler(3).scale, 3), (Scaler(3), 4), (Scaler.double, 2), (Scaler.quadruple, 4), (Scaler(3).by_property, 6), (two[0], 2),
        (two[1], 3), (functools.partial(lambda x, k: x * k, k=5), 5), (functools.lru_cache(lambda x: x * 6), 6), (jax.jit(lambda x: x * 7), 7),
    ],
    ids=["bound method", "callable", "static method", "class method", "property", "lambda", "second lambda on a line", "partial",
         "lru_cache", "jitted"],
)  # fmt: skip
def test_targets(target, want):
    equal(gfx.symbolic_trace(target)(np.ones(2, np.float32)), np.full(2, want))


@pytest.mark.parametrize(
    "target", [np.negative, torch.neg, jnp.negative, print, 3, torch.ones(2)], ids=lambda x: type(x).__name__
)
def test_what_has_no_code_is_refused(target):
    with pytest.raises(CaptureError) as caught:
        gfx.symbolic_trace(target)
    assert caught.value.hint


def test_an_unbound_method_takes_its_object():
    scaler = Scaler(3)
    program = gfx.symbolic_trace(Scaler.scale, scaler)
    equal(program(scaler, torch.ones(2)), np.full(2, 3))
    with pytest.raises(GuardError):
        program(Scaler(4), torch.ones(2))


def test_arrays_that_a_function_closes_over_are_params():
    weight, bias = torch.randn(3, 20), torch.ones(2)

    def layer(x):
        return x @ weight + bias[0]

    program = gfx.symbolic_trace(layer)
    assert list(program.params) == ["weight"]
    result = gfx.transpile(layer, to="jax")
    x = torch.randn(4, 3)
    equal(result.fn(result.params, jnp.asarray(x.numpy())), layer(x), 1e-5)


def test_a_function_of_a_function():
    def apply(f, x):
        return f(x) + f(x * 2)

    equal(
        gfx.symbolic_trace(lambda x: apply(torch.sin, x) + apply(lambda y: y**2, x))(torch.ones(2)),
        np.sin(1) + np.sin(2) + 5,
    )


# ---------------------------------------------------------------------- code of no framework
def log_mean_exp(x):
    xp = x.__array_namespace__()
    top = xp.max(x, axis=-1, keepdims=True)
    return xp.log(xp.mean(xp.exp(x - top), axis=-1)) + xp.squeeze(top, axis=-1)


def test_functions_of_the_array_api_standard_run_everywhere():
    program = gfx.symbolic_trace(log_mean_exp)
    x = np.random.default_rng(0).normal(size=(2, 5)).astype(np.float32)
    for given in (x, torch.tensor(x), jnp.asarray(x)):
        got = program(given)
        assert isinstance(got, type(given))
        equal(got, log_mean_exp(x), 1e-5)
    assert "torch.logsumexp" not in program.source("torch")


def test_a_method_that_frameworks_differ_in_needs_a_backend():
    def spread(x):
        return x.std()

    with pytest.raises(CaptureError, match=r"'std'(.|\n)*backend='torch'"):
        gfx.symbolic_trace(spread)
    x = np.arange(4.0)
    equal(gfx.symbolic_trace(spread, backend="numpy")(x), x.std())
    equal(gfx.symbolic_trace(spread, backend="torch")(torch.tensor(x)), torch.tensor(x).std())
    equal(gfx.symbolic_trace(spread, torch.tensor(x))(torch.tensor(x)), torch.tensor(x).std())  # the argument tells


def test_the_first_call_does_not_decide_whose_function_it_is():
    traced = gfx.trace(lambda x: x.std())
    with pytest.raises(CaptureError, match="backend"):
        traced(torch.ones(3))


# ---------------------------------------------------------------------- @gfx.trace
@gfx.trace
def root(x, tolerance: float = 1e-6):
    """Newton's iteration."""
    while torch.max(torch.abs(x * x - 2.0)) > tolerance:
        x = x - (x * x - 2.0) / (2.0 * x)
    return x


def test_traced_functions():
    assert root.__name__ == "root" and root.__doc__ == "Newton's iteration." and callable(root.__wrapped__)
    assert root.graph is root.program.entry and root.program is root.program
    for make in (torch.ones, jnp.ones, np.ones):
        got = root(make(3))
        assert isinstance(got, type(make(3)))
        equal(got, np.full(3, 2**0.5))
    assert "lax.while_loop" in root.source("jax")
    equal(jax.jit(root.to("jax"))(jnp.ones(2), 0.5), root.__wrapped__(torch.ones(2), 0.5))


class Model:
    def __init__(self, factor):
        self.factor = factor

    @gfx.trace
    def scale(self, x):
        """Scale."""
        return x * self.factor

    @gfx.trace(specialize=True)
    def repeat(self, x, n):
        for _ in range(n):
            x = x * self.factor
        return x


def test_traced_methods_belong_to_their_object():
    two, three = Model(2), Model(3)
    equal(two.scale(torch.ones(2)), np.full(2, 2))
    equal(three.scale(torch.ones(2)), np.full(2, 3))
    assert two.scale is two.scale and two.scale is not three.scale
    equal(three.repeat(torch.ones(2), 2), np.full(2, 9))
    assert "x * 3" in three.scale.source("jax")
    assert isinstance(Model.scale, gfx.api.Traced)


def test_copies_of_an_object_have_their_own_methods():
    model = Model(2)
    model.scale(torch.ones(2))
    for other in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        other.factor = 5
        equal(other.scale(torch.ones(2)), np.full(2, 5))
    equal(model.scale(torch.ones(2)), np.full(2, 2))


def test_specialised_functions_are_captured_once_per_signature():
    captured = []

    @gfx.trace(specialize=True)
    def repeat(x, n):
        captured.append(n)
        for _ in range(n):
            x = x * 2
        return x

    captured.clear()
    for n in (1, 2, 1, 2):
        try:
            equal(repeat(torch.ones(2), n), np.full(2, 2**n))
        except CaptureError:
            captured.clear()
            break
    assert captured == []  # a list that outlives the call may not be written by captured code


def test_signatures_of_many_kinds():
    count = gfx.trace(lambda x, c: x * len(c), specialize=True)
    for options in ({1, 2}, [3], (4, 5, 6), {"a": 1}, {"a": 1}):
        equal(count(torch.ones(2), options), np.full(2, len(options)))
    equal(gfx.trace(nested, specialize=True)(*nested_arguments()), nested(*nested_arguments()))


def test_a_traced_function_inside_of_another():
    @gfx.trace
    def outer(x):
        return root(x) * 2

    equal(outer(torch.ones(2)), np.full(2, 2 * 2**0.5))


def test_a_traced_function_is_captured_once_by_many_threads():
    @gfx.trace
    def slow(x):
        return torch.sin(x) + 1

    programs = []
    threads = [threading.Thread(target=lambda: programs.append(slow.program)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(program) for program in programs}) == 1


# ---------------------------------------------------------------------- a Tracer of one's own
def helper(x):
    return 5


class Careful(gfx.Tracer):
    """Enters no helper, and takes every number as open."""

    def is_leaf(self, target):
        return getattr(target, "__name__", "") == "helper"


def test_a_leaf_is_run_as_it_is():
    program = gfx.symbolic_trace(lambda x: x * helper(3), tracer=Careful)
    equal(program(torch.ones(2)), np.full(2, 5))
    with pytest.raises(CaptureError, match="helper"):
        gfx.symbolic_trace(lambda x: x * int(helper_of_data(x)), tracer=CarefulOfData)


def helper_of_data(x):
    return len(range(x))


class CarefulOfData(gfx.Tracer):
    def is_leaf(self, target):
        return getattr(target, "__name__", "") == "helper_of_data"


class WithoutShapes(gfx.Tracer):
    """Makes tensors of any shape of arrays that are given."""

    def make_argument(self, name, value):
        if isinstance(value, torch.Tensor):
            return self.wrap(self.graph.add_placeholder(name, "tensor"))
        return None


def test_arguments_of_ones_own():
    program = gfx.symbolic_trace(affine, torch.ones(2, 3), torch.ones(3, 4), tracer=WithoutShapes)
    assert program.level == 0
    equal(program(torch.ones(5, 3), torch.ones(3, 1)), np.full((5, 1), 4))


# ---------------------------------------------------------------------- emitted source is captured again
@pytest.mark.parametrize("fn", [affine, root.__wrapped__, log_mean_exp, scaled], ids=lambda fn: fn.__name__)
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
        return x * time.time()

    notes = gfx.symbolic_trace(warned, backend="torch").notes
    assert [note.partition(" ran once, at capture: ")[0] for note in notes] == ["logging.Logger.info", "time.time"]
    assert all(f"{__file__}:" in note for note in notes)


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
