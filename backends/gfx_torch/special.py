"""Callables of PyTorch that capture itself answers: functions of functions, contexts, questions about the mode."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import torch
import torch.utils.checkpoint

_NAMES = {
    "cond": "cond",
    "while_loop": "while_loop",
    "no_grad": "no_grad",
    "enable_grad": "enable_grad",
    "set_grad_enabled": "set_grad_enabled _C._set_grad_enabled",
    "inference_mode": "inference_mode",
    "is_grad_enabled": "is_grad_enabled",
    "is_inference_mode_enabled": "is_inference_mode_enabled",
    "transparent": "compile jit.script jit.ignore jit.unused jit.export compiler.disable compiler.allow_in_graph",
    "true": "compiler.is_exporting",
    "false": "compiler.is_compiling compiler.is_dynamo_compiling jit.is_scripting jit.is_tracing "
    "_C._are_functorch_transforms_active "
    "is_autocast_enabled overrides.has_torch_function overrides.has_torch_function_unary "
    "backends.mha.get_fastpath_enabled "
    "overrides.has_torch_function_variadic",
    "raise AssertionError": "_assert",
    "raise RuntimeError": "_check",
    "raise IndexError": "_check_index",
    "raise ValueError": "_check_value",
    "raise TypeError": "_check_type",
    "raise NotImplementedError": "_check_not_implemented",
    "raise given": "_check_with",
    "raise each": "_check_tensor_all _check_tensor_all_with",
    "is_tensor": "is_tensor overrides.is_tensor_like",
    "is_refined": "jit.isinstance",
    "size": "Size",
    "of_sizes": "Tensor Tensor.new FloatTensor DoubleTensor HalfTensor BFloat16Tensor LongTensor IntTensor ShortTensor CharTensor "
    "ByteTensor BoolTensor",
    "tape": "Tensor.backward autograd.backward",
    "tape_gradient": "autograd.grad",
    "function_transform": "func.grad func.grad_and_value func.vjp func.jvp func.jacrev func.jacfwd func.hessian func.vmap vmap",
    "derivation": "func.linearize autograd.functional.jacobian autograd.functional.hessian autograd.functional.vjp autograd.functional.jvp "
    "autograd.functional.vhp autograd.functional.hvp",
    "register": "nn.Module.register_buffer",
    "register_parameter": "nn.Module.register_parameter",
    "moved": "nn.Module.to",
    "state_dict": "nn.Module.state_dict",
    "as_numpy": "Tensor.numpy",
    "functional_call": "func.functional_call",
    "checkpoint": "utils.checkpoint.checkpoint",
    "checkpoint_sequential": "utils.checkpoint.checkpoint_sequential",
    "tree": "utils._pytree.tree_flatten utils._pytree.tree_unflatten utils._pytree.tree_map utils._pytree.tree_leaves "
    "utils._pytree.tree_structure",
    "autocast": "autocast amp.autocast amp.autocast_mode.autocast cuda.amp.autocast cpu.amp.autocast",
}


def table() -> dict[Any, str]:
    """Callable → the name by which capture knows it; what this version of PyTorch lacks is passed over."""
    found: dict[Any, str] = {}
    for special, names in _NAMES.items():
        for name in names.split():
            target: Any = torch
            for part in name.split("."):
                target = getattr(target, part, None)
            if target is not None:
                found[target] = special
    found[vars(torch.autograd.Function)["apply"].__func__] = "autograd_function"
    return found


_AUTOCAST = torch.autocast("cpu", enabled=False)(lambda: None).__code__
_CUSTOM = {wraps(lambda: None, device_type="cpu").__code__ for wraps in (torch.amp.custom_fwd, torch.amp.custom_bwd)}
"""Functions that change nothing where no autocast is on."""


_UNLOADED = {
    **dict.fromkeys("mark_dynamic maybe_mark_dynamic mark_static mark_static_address mark_unbacked".split(), "mark"),
    "is_in_onnx_export": "false",
}
"""Functions of modules that PyTorch does not load before they are used: what the compiler is told of a tensor, what the exporter is asked."""


def made_by(fn: Any) -> str | None:
    """What capture calls a function that one of PyTorch's decorators made, or one of a module that may not be loaded; None for any
    other."""
    if isinstance(fn, torch.jit.ScriptFunction) and hasattr(fn, "_torchdynamo_inline"):
        return "scripted"
    if not isinstance(fn, FunctionType):
        return None
    if fn.__name__ in _UNLOADED and fn.__module__.startswith("torch."):
        return _UNLOADED[fn.__name__]
    return "autocast" if fn.__code__ is _AUTOCAST else "wrapped" if fn.__code__ in _CUSTOM else None
