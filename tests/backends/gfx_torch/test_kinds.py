"""Which kinds of numbers torch's functions take: the rows of `kinds`, against PyTorch and at capture."""

import itertools
import warnings

import numpy as np
import pytest
import torch
from torch.utils import _pytree as pytree

import gfx_trace as gfx
from gfx_ir.errors import GfxError, UnsupportedConstruct
from gfx_ir.loading import backend
from gfx_torch import kinds
from gfx_torch.lifts.refused import OUTLIVING
from sweeps import one_in

TORCH = backend("torch")
DTYPES = {"b": torch.bool, "u": torch.uint8, "i": torch.int64, "f": torch.float32, "c": torch.complex64}
SHAPES = ((3, 3), (2, 3, 4, 4), (4,))
OTHERS = (
    "hardtanh",
    "dropout",
    "bernoulli",
    "rand_like",
    "randn_like",
    "normal",
    "repeat_interleave",
    "Parameter",
    "FloatTensor",
)
"""What takes other kinds with other arguments."""
APART = ("torch.masked", "torch.ops", "torch.sparse", "torch.hash_tensor")


def takes(call, *given):
    try:
        call(*given)
    except Exception:  # whatever PyTorch raises
        return False
    return True


def of_one_tensor():
    """(name, function, a shape that it takes) of the lifted functions that can be called with one tensor."""
    for target, lift in TORCH.functions.items():
        short = lift.name.rpartition(".")[2]
        if (
            lift.name.startswith(APART)
            or lift.name in OUTLIVING
            or short.endswith("_")
            or any(name in short for name in OTHERS)
        ):
            continue
        for shape in SHAPES:
            if takes(target, torch.ones(shape)) or takes(target, torch.ones(shape, dtype=torch.complex64)):
                yield lift.name, target, shape
                break


def test_rows_of_functions_of_one_tensor():
    found, want = {}, {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, target, shape in of_one_tensor():
            row = kinds.taken(name)
            found[name] = row[0][1] if row else "".join(DTYPES)
            want[name] = "".join(k for k, d in DTYPES.items() if takes(target, torch.ones(shape).to(d)))
    assert len(found) > 300
    assert {n: set(k) for n, k in found.items()} == {n: set(k) for n, k in want.items()}


WAYS = (
    "nn.functional.hardtanh",
    "nn.functional.l1_loss",
    "nn.functional.hinge_embedding_loss",
    "nn.functional.max_pool1d",
    "_softmax_backward_data",
)
"""What takes more kinds, or fewer, with some of its options, or takes a dtype that is not that of a cast."""


def infos():
    """What PyTorch knows of the functions that it tests."""
    from torch.testing._internal.common_methods_invocations import op_db  # imports all of its compiler

    taken = (
        info
        for info in op_db
        if info.op in TORCH.functions
        and kinds.taken(TORCH.functions[info.op].name)
        and info.name not in WAYS
        and "sparse" not in info.name
        and info.dtypes
    )
    return one_in(8, taken)


def cast(x, dtype):
    if dtype is torch.bool:
        return x != 0
    return (x.real if x.dtype.is_complex and not dtype.is_complex else x).to(dtype)


class Place:
    """The place of a tensor among the arguments."""

    def __init__(self, at):
        self.at = at


def refused(info, args, kwargs):
    """Whether a capture of the call says of which kinds the function takes tensors."""
    tensors = [leaf for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
    places = {id(leaf): at for at, leaf in reversed(list(enumerate(tensors)))}

    def put(tree, xs):
        if type(tree) is Place:
            return xs[tree.at]
        return type(tree)([put(item, xs) for item in tree]) if type(tree) in (list, tuple) else tree

    def call(*xs):
        return info.op(*[put(arg, xs) for arg in args], **{key: put(arg, xs) for key, arg in kwargs.items()})

    args, kwargs = pytree.tree_map(lambda x: Place(places[id(x)]) if id(x) in places else x, (args, kwargs))
    try:
        gfx.symbolic_trace(call, *[x.clone() for x in tensors])
    except UnsupportedConstruct as error:
        return " takes " in error.what and ", and gets " in error.what
    except Exception:  # what has no counterpart
        return False
    return False


def test_captures_refuse_what_pytorch_refuses():
    for info in infos():
        check_kinds(info)


def check_kinds(info):
    main = next(d for d in (torch.float32, torch.int64, torch.complex64) if d in info.dtypes)
    torch.manual_seed(0)
    for sample in itertools.islice(info.sample_inputs("cpu", main), 1):
        args = (sample.input, *sample.args)
        tensors = [leaf for leaf in pytree.tree_leaves(args) if isinstance(leaf, torch.Tensor)]
        if sample.kwargs.get("dtype") is not None or not takes(lambda a=args, k=sample.kwargs: info.op(*a, **k)):
            continue
        if not isinstance(sample.input, torch.Tensor) or not all(x.numel() for x in tensors):
            continue
        for dtype in DTYPES.values():
            given = pytree.tree_map(
                lambda x, d=dtype: cast(x, d) if isinstance(x, torch.Tensor) and x.dtype == main else x, args
            )
            if takes(lambda g=given, k=sample.kwargs: info.op(*g, **k)):
                assert not refused(info, given, sample.kwargs), (info.name, dtype)
            elif dtype is not torch.uint8:
                assert refused(info, given, sample.kwargs), (info.name, dtype)


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x < x, lambda x: 1 >= x, lambda x: x // x, lambda x: x % 2, lambda x: x & x, lambda x: ~x, lambda x: x << 1,
        lambda x: -x, lambda x: abs(x), lambda x: x ** x, lambda x: x.mean(), lambda x: torch.nn.functional.gelu(input=x),
        lambda x: torch.nn.Softmax(0)(x), lambda x: x.floor_(), lambda x: torch.softmax(x, 0),
        lambda x: torch.softmax(x, 0, dtype=torch.float32) if not x.is_complex() else x, lambda x: torch.maximum(x, x),
        lambda x: torch.addcdiv(torch.ones(2), x, x), lambda x: torch.lerp(x, x, 0.5), lambda x: torch.logaddexp(x, torch.ones(2)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", [torch.bool, torch.int64, torch.float32, torch.complex64])
def test_operators_and_functions(fn, dtype):
    x = torch.tensor([2, 1]).to(dtype)
    if not takes(fn, x.clone()):
        with pytest.raises((GfxError, TypeError)):
            gfx.symbolic_trace(fn, x.clone())
        return
    np.testing.assert_allclose(gfx.symbolic_trace(fn, x.clone())(x.clone()).numpy(), fn(x.clone()).numpy())


def test_numbers_of_python_s_are_no_tensors():
    def fn(x):
        flag = bool(x.sum() > 1)
        return x * (-flag + abs(flag) + flag % 2 + flag // 1 + flag**2)

    x = torch.ones(2)
    assert torch.equal(gfx.symbolic_trace(fn, x)(x), fn(x))
