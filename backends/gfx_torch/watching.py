"""What PyTorch's own functions write that capture runs as they stand: tensors, and what a tensor is besides its data."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter

from gfx_ir.errors import BackendError


class ReadOnly(TorchDispatchMode):
    """Inside, only tensors that were made inside are written, and no random numbers are drawn: it runs once, where the author's code
    draws in each call. Raises BackendError before anything else is done."""

    def __init__(self) -> None:
        super().__init__()
        self.own: dict[int, Any] = {}  # storages made inside, by their address, kept alive
        self.refused: BackendError | None = None

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        if self.refused is not None:  # whatever was made of it
            raise self.refused

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None) -> Any:
        if torch.Tag.nondeterministic_seeded in func.tags:
            self._refuse("it draws random numbers, here once, and in the author's code at each call")
        schema = func._schema
        if schema.is_mutable:
            named = dict(zip((argument.name for argument in schema.arguments), args)) | (kwargs or {})
            for argument in schema.arguments:
                if argument.alias_info is not None and argument.alias_info.is_write:
                    self._check(named.get(argument.name))
        given = {_storage(x) for x in tree_iter((args, kwargs)) if isinstance(x, torch.Tensor)}
        made = func(*args, **(kwargs or {}))
        for x in tree_iter(made):
            if isinstance(x, torch.Tensor) and _storage(x) not in given:
                self.own[_storage(x)] = x
        return made

    def _check(self, written: Any) -> None:
        for x in tree_iter(written):
            if isinstance(x, torch.Tensor) and _storage(x) not in self.own:
                self._refuse("it writes a tensor that lives outside of the captured code")

    def _refuse(self, why: str) -> NoReturn:
        self.refused = BackendError(why)
        raise self.refused


def _storage(x: torch.Tensor) -> int:
    return x.untyped_storage()._cdata


class Condition(NamedTuple):
    """What a tensor is besides its data: whether gradients are recorded, what came back, and which memory it has."""

    requires_grad: bool
    grad: Any
    data: torch.Tensor
    grad_data: torch.Tensor | None

    def holds(self, x: torch.Tensor) -> bool:
        """Whether a tensor is still so."""
        same = x.requires_grad is self.requires_grad and x.grad is self.grad
        return (
            same and x.dtype == self.data.dtype and x.data_ptr() == self.data.data_ptr() and x.shape == self.data.shape
        )

    def restore(self, x: torch.Tensor) -> None:
        """Make a tensor so again."""
        x.grad = None
        x.data = self.data
        if self.grad is not None:
            self.grad.data = self.grad_data
        x.grad = self.grad
        x.requires_grad_(self.requires_grad)


def condition_of(x: torch.Tensor) -> Condition | None:
    """The condition of a tensor that no graph of PyTorch's made; None of any other."""
    if not x.is_leaf or x.layout is not torch.strided:
        return None
    return Condition(x.requires_grad, x.grad, x.data, None if x.grad is None else x.grad.data)
