"""State dicts: files of torch.save, read without running what they hold."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import Any

import torch

from gfx_ir.errors import FormatError

_WRAPPED = ("state_dict", "model_state_dict", "model", "module")


def read_state(path: Any) -> dict[str, torch.Tensor]:
    """The tensors by dotted names; a state dict that stands under one of the usual keys is that of the file.

    Raises FormatError where the file cannot be read as plain data, or holds no tensors."""
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, EOFError, ValueError, pickle.UnpicklingError) as error:
        why = str(error).strip().partition("\n")[0]
        hint = "save the state_dict: torch.save(model.state_dict(), path)"
        raise FormatError(f"{path} cannot be read as a state dict: {why}", hint=hint) from error
    while isinstance(found, Mapping) and (
        inner := next((key for key in _WRAPPED if isinstance(found.get(key), Mapping)), "")
    ):
        found = found[inner]
    flat = dict(_tensors(found, ""))
    if not flat:
        raise FormatError(f"{path} holds no tensors", hint="save the state_dict: torch.save(model.state_dict(), path)")
    return flat


def _tensors(tree: Any, prefix: str) -> Any:
    if isinstance(tree, torch.Tensor):
        yield prefix, tree
    elif isinstance(tree, (Mapping, list, tuple)):
        items = tree.items() if isinstance(tree, Mapping) else enumerate(tree)
        for key, item in items:
            yield from _tensors(item, f"{prefix}.{key}" if prefix else str(key))
