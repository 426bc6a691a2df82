"""PyTorch's own test inputs of its operators, as cases."""

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorMode,
)
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

from attempt import Case, copied, states
from compare import difference, no_less_exact
from factored import factor_difference, products
from ties import axis_of, tied_difference
from written import as_written

# Samples taken of each dtype; the first is every operator's main dtype where the operator has it.
SAMPLES = {"float32": 20, "int64": 5, "bool": 5, "complex64": 5, "bfloat16": 2, "float16": 2}

# Memory that nothing has written: only shape and dtype of a result mean something.
UNINITIALISED = {
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "new_empty",
    "new_empty_strided",
    "resize_",
    "resize_as_",
}

RANDOM = (
    "bernoulli", "cauchy", "exponential", "geometric", "log_normal", "multinomial", "normal", "rand_like", "randint",
    "randint_like", "randn", "randn_like", "uniform",
)  # fmt: skip


class Slot:
    """The place of an array in the arguments."""

    def __init__(self, at: int) -> None:
        self.at = at


def slotted(args: tuple, kwargs: dict[str, Any]) -> tuple[list[torch.Tensor], tuple, dict[str, Any]]:
    """The tensors of a call, and its arguments with slots in their places."""
    flat, spec = pytree.tree_flatten((args, kwargs))
    places = [at for at, leaf in enumerate(flat) if isinstance(leaf, torch.Tensor)]
    arrays = [flat[at].detach() for at in places]
    for slot, at in enumerate(places):
        flat[at] = Slot(slot)
    args, kwargs = pytree.tree_unflatten(flat, spec)
    return arrays, args, kwargs


def filled(tree: Any, xs: tuple) -> Any:
    """The tree with arrays in its slots."""
    if isinstance(tree, Slot):
        return xs[tree.at]
    if type(tree) is list:
        return [filled(item, xs) for item in tree]
    if type(tree) is tuple:
        return tuple([filled(item, xs) for item in tree])
    if type(tree) is dict:
        return {key: filled(item, xs) for key, item in tree.items()}
    return tree


def unseeded(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """In place of the helper of the test inputs that seeds the generator around a call."""
    return op(*args, **kwargs)


def named(info: Any) -> str:
    """The operator's name, with the variant's."""
    return info.name + (f".{info.variant_test_name}" if info.variant_test_name else "")


@functools.cache
def operators() -> dict[str, Any]:
    """Every operator of the test inputs by name."""
    return {named(info): info for info in op_db}


def cases(name: str, limits: dict[str, int]) -> tuple[list[tuple[str, Case]], bool]:
    """((dtype, case) of an operator's samples, whether its results are random or uninitialised)."""
    info = operators()[name]
    op = as_written(info.op, "torch.testing", wrapper_set_seed=unseeded)
    found = []
    for dtype_name, limit in limits.items():
        dtype = getattr(torch, dtype_name)
        if dtype in info.dtypes:
            torch.manual_seed(0)
            for at, sample in enumerate(itertools.islice(_samples(info, dtype), limit)):
                args = (sample.input, *sample.args)
                case = None if _undefined(name, args) else _case(op, f"{dtype_name} {at}", args, dict(sample.kwargs))
                if case is not None:
                    axis = axis_of(name, args, sample.kwargs)
                    case.differs = functools.partial(_exactly, name, case, axis)
                    found.append((dtype_name, case))
    random = (
        name in UNINITIALISED or name.partition(".")[0] in RANDOM or any(_is_random(name, case) for _, case in found)
    )
    for _, case in found:
        if random:
            case.differs = functools.partial(_loosely, name, case, _determined(name, case))
            case.after_differs = case.differs
    return found, random


def _samples(info: Any, dtype: torch.dtype) -> Iterator[Any]:
    try:
        yield from info.sample_inputs("cpu", dtype)
    except (RuntimeError, NotImplementedError):  # inputs that cannot be made in this dtype
        return


def _undefined(name: str, args: tuple) -> bool:
    """Whether PyTorch's documentation excludes the arguments although it takes them: edges of bins must increase."""
    if name not in ("histogram", "histogramdd") or len(args) < 2:
        return False
    edges = [x for x in pytree.tree_leaves(args[1]) if isinstance(x, torch.Tensor)]
    return any(bool((x.diff() <= 0).any()) for x in edges)


def _case(op: Any, label: str, args: tuple, kwargs: dict[str, Any]) -> Case | None:
    arrays, args, kwargs = slotted(args, kwargs)
    arrays = [copied(x) for x in arrays]  # PyTorch's generators write NaN into samples that they gave before

    def call(*xs: Any) -> Any:
        return op(*[filled(item, xs) for item in args], **{key: filled(item, xs) for key, item in kwargs.items()})

    after = [copied(x) for x in arrays]
    try:
        want = call(*after)
    except (RuntimeError, NotImplementedError, ValueError, TypeError, IndexError, AssertionError):
        return None  # not a call that PyTorch itself takes
    return Case(
        label, "torch", call, arrays, want, states(arrays, after), functools.partial(_hangs_on_values, call, arrays)
    )


def _hangs_on_values(call: Callable[..., Any], arrays: list[torch.Tensor]) -> bool:
    """Whether PyTorch itself cannot tell the shape of the result without the values."""
    with FakeTensorMode() as mode:
        try:
            call(*[mode.from_tensor(x) for x in arrays])
        except (DynamicOutputShapeException, DataDependentOutputException):
            return True
        except RuntimeError as error:
            return any(words in str(error).lower() for words in ("data-dependent", "data is not allocated"))
    return False


def _is_random(name: str, case: Case) -> bool:
    """Whether the call draws from PyTorch's generator."""
    if products(name, case.want) is not None and "lowrank" not in name:
        return False
    before = torch.manual_seed(1).get_state()
    case.call(*case.copies())
    return not torch.equal(before, torch.get_rng_state())


def _exactly(name: str, case: Case, axis: int | None, want: Any, got: Any) -> str | None:
    if axis is not None:
        return tied_difference(case.arrays[0], axis, want, got)
    if products(name, want) is not None:
        return factor_difference(name, want, got)
    found = difference(want, got)
    if found is None or not any(x.dtype in _HALF for x in case.arrays):
        return found
    return None if _as_exact(case, want, got) else found


_HALF = (torch.bfloat16, torch.float16)


def _as_exact(case: Case, want: Any, got: Any) -> bool:
    """Whether a result of half precision is as near to the true one as PyTorch's is."""
    try:
        truth = case.call(*[x.double() if x.dtype in _HALF else x for x in case.copies()])
    except (RuntimeError, NotImplementedError, ValueError, TypeError):  # no such call in double precision
        return False
    return no_less_exact(truth, want, got)


def _determined(name: str, case: Case) -> bool:
    """Whether the product of random factors is the same each time: not where they are too few for the matrix."""
    if products(name, case.want) is None:
        return False
    return all(factor_difference(name, case.want, case.call(*case.copies())) is None for _ in range(8))


def _loosely(name: str, case: Case, determined: bool, want: Any, got: Any) -> str | None:
    if name in UNINITIALISED:
        want, got = (pytree.tree_map(lambda x: x * 0 if hasattr(x, "shape") else x, t) for t in (want, got))
    if determined:
        return factor_difference(name, want, got)
    found = difference(want, got, loose=True)
    return found and (None if any(difference(x, got, loose=True) is None for x in _draws(case)) else found)


def _draws(case: Case) -> Iterator[Any]:
    """PyTorch's results, and what it writes, with other seeds: where few numbers are drawn for many elements (one for a
    channel), two results of PyTorch differ as much as one of another framework."""
    for seed in range(16):
        torch.manual_seed(seed)
        arrays = case.copies()
        yield case.call(*arrays)
        yield from arrays
