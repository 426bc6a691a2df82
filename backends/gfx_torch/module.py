"""An emitted function with its parameters as an `nn.Module`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn

_STATISTICS = frozenset(("running_mean", "running_var", "num_batches_tracked"))


class Branch(nn.Module):
    """A branch of the parameter tree: tensors are Parameters or buffers, branches children, under their own names."""


class Transpiled(Branch):
    """A module that computes what an emitted function computes, with copies of the function's params as its own.

    What is an `nn.Parameter` in `params` becomes one; where none is, every floating tensor but running statistics does.
    The rest are buffers. `writes`: the function returns its result and what it writes, which `forward` then writes to
    the module's own tensors.
    """

    def __init__(self, fn: Callable[..., Any], params: Any = None, writes: bool = False) -> None:
        super().__init__()
        told = any(isinstance(leaf, nn.Parameter) for leaf in _leaves(params))
        layout = None if params is None else _fill(self, params, told, {})
        self._gfx_fn, self._gfx_layout, self._gfx_writes = fn, layout, writes

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        fn, layout = self._gfx_fn, self._gfx_layout
        out = fn(*args, **kwargs) if layout is None else fn(_tree(self, layout), *args, **kwargs)
        if not self._gfx_writes:
            return out
        result, state = out
        for path, value in state.items():
            held = _find(self, layout, path.split("."))
            if held is not None:
                with torch.no_grad():
                    held.copy_(value)
        return result


def _fill(branch: nn.Module, tree: Any, told: bool, made: dict[int, Any]) -> Any:
    """Register what the tree holds; returns its layout: the name that each key got, and the layout of its branch."""
    layout: dict[Any, tuple[str | None, Any]] = {}
    for key, item in _items(tree):
        name = _free(branch, str(key))
        if isinstance(item, torch.Tensor):
            _register(branch, name, item, told, made)
            layout[key] = (name, None)
        elif isinstance(item, (dict, list, tuple)):
            child = Branch()
            branch.add_module(name, child)
            layout[key] = (name, _fill(child, item, told, made))
        else:
            layout[key] = (None, item)
    return (type(tree), layout)


def _register(branch: nn.Module, name: str, item: torch.Tensor, told: bool, made: dict[int, Any]) -> None:
    """A tensor that stands in two places is one."""
    if id(item) not in made:
        floating = item.is_floating_point() or item.is_complex()
        trained = isinstance(item, nn.Parameter) if told else floating and name not in _STATISTICS
        copy = item.detach().clone()
        made[id(item)] = nn.Parameter(copy, requires_grad=item.requires_grad or not told) if trained else copy
    own = made[id(item)]
    if isinstance(own, nn.Parameter):
        branch.register_parameter(name, own)
    else:
        branch.register_buffer(name, own)


def _free(branch: nn.Module, name: str) -> str:
    """The name, with what makes it free where nn.Module has one like it or cannot register it."""
    name = name.replace(".", "_") or "_"
    while hasattr(branch, name):
        name += "_"
    return name


def _items(tree: Any) -> Iterator[tuple[Any, Any]]:
    return iter(tree.items() if isinstance(tree, dict) else enumerate(tree))


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, (dict, list, tuple)):
        for _, item in _items(tree):
            yield from _leaves(item)
    else:
        yield tree


def _tree(branch: nn.Module, layout: Any) -> Any:
    """The parameters as the emitted function takes them."""
    kind, names = layout
    items = {}
    for key, (name, inner) in names.items():
        held: Any = None if name is None else getattr(branch, name)
        items[key] = inner if name is None else held if inner is None else _tree(held, inner)
    return items if kind is dict else kind(items.values())


def _find(branch: nn.Module, layout: Any, path: list[str]) -> Any:
    """The tensor at a path of the tree; None where there is none."""
    for part in path:
        if layout is None:
            return None
        kind, names = layout
        name, inner = names.get(part if kind is dict else int(part) if part.isdigit() else part, (None, None))
        if name is None:
            return None
        branch, layout = getattr(branch, name), inner
    return branch if isinstance(branch, torch.Tensor) else None
