"""An emitted function with its parameters as an `nn.Module`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn


class TreeModule(nn.Module):
    """A branch of the parameter tree: tensors are Parameters where they are floating, buffers else; branches are children."""

    def __init__(self, tree: Any) -> None:
        super().__init__()
        self._listed = isinstance(tree, list)
        self._names: list[str] = []
        for name, item in enumerate(tree) if self._listed else tree.items():
            self._put(str(name), item)

    def _put(self, name: str, item: Any) -> None:
        self._names.append(name)
        if not isinstance(item, torch.Tensor):
            self.add_module(name, TreeModule(item))
        elif isinstance(item, nn.Parameter) or (item.is_floating_point() and not _is_statistic(name)):
            self.register_parameter(name, nn.Parameter(item.detach().clone()))
        else:
            self.register_buffer(name, item.detach().clone())

    def tree(self) -> Any:
        """The parameters as the emitted function takes them."""
        items = {name: self._get(name) for name in self._names}
        return list(items.values()) if self._listed else items

    def _get(self, name: str) -> Any:
        found = getattr(self, name)
        return found.tree() if isinstance(found, TreeModule) else found


class Transpiled(TreeModule):
    """A module that computes what an emitted function computes, with the function's params as its own Parameters."""

    def __init__(self, fn: Callable[..., Any], params: Any) -> None:
        super().__init__(params if params is not None else {})
        self._fn, self._takes_params = fn, params is not None

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        return self._fn(self.tree(), *args, **kwargs) if self._takes_params else self._fn(*args, **kwargs)


def _is_statistic(name: str) -> bool:
    return name in ("running_mean", "running_var", "num_batches_tracked")
