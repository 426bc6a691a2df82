"""PyTorch's own test inputs of its modules, as cases: each in training and in evaluation."""

import copy
import functools
from collections.abc import Iterator
from typing import Any

import torch
from torch.testing._internal.common_modules import module_db

from attempt import Case, copied, states
from cases_torch import filled, slotted
from compare import difference

# Inputs taken of a class in each mode; of more, as many, evenly spread.
SAMPLES = 20


@functools.cache
def modules() -> dict[str, Any]:
    """Every module class of the test inputs by name."""
    return {info.name: info for info in module_db}


def family(name: str) -> str:
    """The file of torch.nn that the class stands in."""
    return modules()[name].module_cls.__module__.rpartition(".")[2]


def cases(name: str, dtype: torch.dtype, most: int | None) -> Iterator[Case]:
    """The cases of one class. PyTorch's kernel for encoders in evaluation gives 0 where their source, which is what is captured,
    computes something of the padding; it is left out."""
    info = modules()[name]
    torch.backends.mha.set_fastpath_enabled(False)
    for training in (True, False):
        torch.manual_seed(0)
        found = info.module_inputs_func(info, device="cpu", dtype=dtype, requires_grad=False, training=training)
        for at, sample in spread(list(enumerate(found)), most or SAMPLES):
            made = sample.constructor_input
            module = info.module_cls(*made.args, **made.kwargs).to(dtype).train(training)
            given = sample.forward_input
            yield _case(f"{'train' if training else 'eval'} {at}", module, given.args, given.kwargs, info.is_lazy)


def spread(items: list[Any], most: int) -> list[Any]:
    """At most so many of the items, evenly spread."""
    return items if len(items) <= most else [items[at * len(items) // most] for at in range(most)]


def _case(label: str, module: torch.nn.Module, args: tuple, kwargs: dict[str, Any], is_lazy: bool) -> Case:
    if is_lazy:  # its first call makes its parameters
        module(*args, **kwargs)
    module.requires_grad_(False)
    arrays, args, kwargs = slotted(args, kwargs)
    changed, again = copy.deepcopy(module), copy.deepcopy(module)
    call = _caller(module, args, kwargs)
    after = [copied(x) for x in arrays]
    torch.manual_seed(0)
    want = _caller(changed, args, kwargs)(*after)
    torch.manual_seed(1)
    random = difference(want, _caller(again, args, kwargs)(*[copied(x) for x in arrays])) is not None
    before, written = dict(module.named_buffers()), dict(changed.named_buffers())
    state = {f"*.{path}": (before[path], written[path]) for path in before}
    differs = functools.partial(difference, loose=random)
    return Case(label, "torch", call, arrays, want, {**states(arrays, after), **state}, lambda: False, differs)


def _caller(module: torch.nn.Module, args: tuple, kwargs: dict[str, Any]) -> Any:
    def call(*xs: Any) -> Any:
        return module(*[filled(item, xs) for item in args], **{key: filled(item, xs) for key, item in kwargs.items()})

    return call
