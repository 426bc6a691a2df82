"""TorchBackend: dtypes, tensors, and the tables of lifts that follow from the rows."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, cast

import ml_dtypes
import numpy as np
import torch
from torch.nn import functional as F

from gfx_ir.backend import Backend, Lift
from gfx_ir.dtypes import DTYPES, DType
from gfx_ir.errors import BackendError
from gfx_ir.lifting import axis_patterns
from gfx_ir.making import Replayed, Stagings
from gfx_ir.memory import Layout, within
from gfx_ir.parameters import parameter_names
from gfx_ir.source import defined_at
from gfx_ir.types import LogicalTensor

from . import (
    aten,
    attention,
    helpers,
    helpers_arrange,
    helpers_complex,
    helpers_random,
    helpers_special,
    holding,
    kinds,
    layouts,
    lifts,
    one_dtype,
    positions,
    scalars,
    special,
    staging,
    torchscript,
    watching,
)
from .device import TorchDevice
from .lifting import cast_back, element, promoted_with, refuse, rules
from .lifts.casts import COPIES
from .module import Transpiled
from .modules import MODULES
from .ops import ROWS
from .state import read_state

_TO_TORCH: dict[DType, Any] = {d: getattr(torch, name) for name, d in DTYPES.items() if hasattr(torch, name)}
_PYTHON = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}
_FROM_TORCH = {native: d for d, native in _TO_TORCH.items()}
_BY_BITS = {
    "bfloat16": (torch.int16, np.int16),
    "float8_e4m3fn": (torch.uint8, np.uint8),
    "float8_e5m2": (torch.uint8, np.uint8),
}
_ALIASES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
"""NumPy's names, which torch's own argument parser takes too."""
_IGNORED = ("device", "pin_memory", "memory_format", "layout", "non_blocking", "names")
_RESHAPING = frozenset("squeeze unsqueeze transpose t swapaxes swapdims".split())
"""Methods whose in-place form changes how a tensor looks at its memory, not the memory."""
_NO_INPLACE = frozenset("resize as_strided".split())
_METHODS_MAYBE = frozenset((
    "reshape", "reshape_as", "flatten", "ravel", "contiguous", "type", "type_as", "to", "float", "double", "half", "bfloat16",
    "int", "long", "short", "char", "byte", "bool", "cfloat", "cdouble", "cpu", "cuda", "resolve_conj", "resolve_neg",
    "meshgrid", "as_strided",
))  # fmt: skip


class TorchBackend(Backend):
    """PyTorch."""

    name = "torch"
    packages = ("torch",)
    views = True
    ordered_writes = True
    hashes = True
    promotion = "torch"
    tensor_types = (torch.Tensor,)
    shape_type = torch.Size
    public = holding.PUBLIC
    trained_attribute, gradient_attribute = "requires_grad", "grad"
    device_kinds = ("cpu", "cuda", "xpu", "mps", "meta", "mtia", "hpu", "ipu", "xla", "maia", "vulkan")
    asks_layout = layouts.ASKS
    lays_in_order = True
    operators = kinds.OPERATORS
    raises: Mapping[str, tuple[type[Exception], ...]] = {
        "shape": (RuntimeError,),
        "axis": (IndexError,),
        "position": (IndexError,),
        "element": (RuntimeError, IndexError, ValueError, torch.linalg.LinAlgError),
        "one": (RuntimeError, ValueError),
    }
    lacks = ("uint16", "uint32", "uint64")

    def __init__(self) -> None:
        self._adapted: dict[tuple[Any, ...], Callable[..., Any]] = {}
        self.helpers: dict[str, Callable[..., Any]] = {
            name: fn
            for module in (helpers, helpers_arrange, helpers_complex, helpers_random, helpers_special)
            for name, fn in vars(module).items()
            if inspect.isfunction(fn) and fn.__module__ == module.__name__
        }
        roots = {"torch": torch, "F": F}
        namespace = {"torch": torch, "F": F, "math": math, **axis_patterns.NAMES, **self.helpers}
        super().__init__(ROWS, namespace, roots)
        for names, fn in lifts.LIFTS.items():
            for name in names.split():
                self.add_lift(name, fn, roots)
        self.add_lift("F.multi_head_attention_forward", attention.attention_forward, roots)
        for target in (torch.as_tensor, torch.asarray):  # which give tensors as they are, and make them of numbers
            self.functions[target].array = True
        self._add_inplace()
        self._add_unbound()
        self.modules.update(MODULES)
        self.special = special.table()

    def rules(self) -> str:
        """PyTorch's with its default dtype."""
        return rules()

    def class_of(self, x: Any) -> str:
        """As of nn.Parameter and nn.Buffer."""
        found = next((cls for cls in (torch.nn.Parameter, torch.nn.Buffer) if isinstance(x, cls)), type(x))
        return f"{found.__module__}.{found.__qualname__}"

    def beside(self, x: Any) -> Any:
        """One of Python's."""
        return x.item()

    def higher_order(self, fn: Any) -> str | None:
        """A function that torch.jit.script compiled, or that torch.autocast and its like decorate, or that GFX printed."""
        return special.made_by(fn) or super().higher_order(fn)

    # ------------------------------------------------------------------ lifts
    def add_lift(self, name: str, fn: Callable[..., Any], roots: Any, **flags: Any) -> None:
        short, accepted = name.rpartition(".")[2], parameter_names(fn)
        if "requires_grad" in accepted and short.endswith("_"):
            flags["writes"] = lambda input, requires_grad=True: not requires_grad  # what is recorded stays as it is
            flags["records"] = True
        elif (short.endswith("_") and not short.endswith("__")) or (
            short.startswith("__i") and short not in _NOT_INPLACE
        ):
            flags["writes"] = True
        elif "inplace" in accepted:
            flags["writes"] = _asks_inplace(fn)
        if short in _METHODS_MAYBE and not flags.get("copies"):
            flags["copies"] = COPIES.get(name, "maybe")
        flags.setdefault("rows", layouts.ROWS.get(short, False))
        flags.setdefault("at", defined_at(fn))
        super().add_lift(name, self._adapt(fn, short in scalars.NAMES, name), roots, **flags)

    def _adapt(self, fn: Callable[..., Any], of_axis: bool, name: str) -> Callable[..., Any]:
        """`fn` with what every torch function accepts: NumPy's argument names, `out=None`, places, for those
        `of_axis` tensors of no axes."""
        key = fn, of_axis, kinds.taken(name), one_dtype.asked(name), positions.asked(name)
        found = self._adapted.get(key)
        if found is not None:
            return found
        accepted = frozenset(parameter_names(fn))
        fn = kinds.refusing(scalars.on_scalars(fn) if of_axis else fn, name)

        @functools.wraps(fn)
        def adapted(*args: Any, **kwargs: Any) -> Any:
            return fn(*args, **_clean(kwargs, accepted)) if kwargs else fn(*args)

        self._adapted[key] = adapted
        return adapted

    def _add_inplace(self) -> None:
        """Every `name_` of a name that has a lift."""
        for name, lift in list(self.methods.items()):
            inplace = name + "_"
            if name.endswith("_") or name in _NO_INPLACE or not hasattr(torch.Tensor, inplace):
                continue
            reshapes = name in _RESHAPING
            fn = lift.fn if reshapes else _inplace(lift.fn)
            self.methods.setdefault(inplace, Lift(f"Tensor.{inplace}", fn, writes=True, reshapes=reshapes))
            for root, module in (("torch", torch), ("F", F)):
                target = getattr(module, inplace, None)
                if target is not None:
                    self.functions.setdefault(target, Lift(f"{root}.{inplace}", fn, writes=True, reshapes=reshapes))

    def _add_unbound(self) -> None:
        """`torch.Tensor.add(x, y)`, what `__torch_function__` hands over for attributes, and kernels as functions of torch."""
        for name, lift in self.methods.items():
            target = getattr(torch.Tensor, name, None)
            if target is not None:
                self.functions.setdefault(target, lift)
        for name, lift in self.attributes.items():
            descriptor = getattr(torch.Tensor, name, None)
            if descriptor is not None and hasattr(descriptor, "__get__"):
                self.functions.setdefault(descriptor.__get__, lift)
        for lift in list(self.functions.values()):
            kernel = lift.name.removeprefix("torch.ops.aten.")
            same = getattr(torch, kernel, None) if kernel != lift.name else None
            if same is not None:
                self.functions.setdefault(same, lift)

    def recognised(self, fn: Any) -> Lift | None:
        """What an overload of ATen becomes, or a function that GFX printed."""
        return aten.lift_of(fn, self.functions) if aten.is_aten(fn) else super().recognised(fn)

    # ------------------------------------------------------------------ tensors
    def draws_from(self, x: Any) -> bool:
        """A generator of PyTorch's."""
        return isinstance(x, torch.Generator)

    def dtype_of(self, x: Any) -> DType:
        native = x if isinstance(x, torch.dtype) else x.dtype
        if native not in _FROM_TORCH:
            raise BackendError(f"GFX has no dtype {native}, which NumPy and JAX have not", hint="use another dtype")
        return _FROM_TORCH[native]

    def as_dtype(self, x: Any) -> DType | None:
        native = _PYTHON.get(x) if isinstance(x, type) else x
        return _FROM_TORCH.get(native) if isinstance(native, torch.dtype) else None

    def layout_of(self, x: Any) -> Layout | None:
        """Its strides and its offset; sparse and nested tensors have none."""
        if x.layout is not torch.strided or x.is_nested:
            return None
        return Layout(tuple(x.shape), x.stride(), x.storage_offset())

    def authors_own(self, module: Any) -> Any:
        """What torch.compile was given, or what torch.jit's was made of."""
        if isinstance(module, torch.jit.ScriptModule):
            return torchscript.authors_own(module)
        library = type(module).__module__.startswith("torch.")
        return vars(module)["_modules"].get("_orig_mod", module) if library else module

    def device_of(self, x: Any) -> Any:
        """The device of a tensor, or of that name; of None the default one."""
        if isinstance(x, torch.Tensor):
            return x.device
        return torch.get_default_device() if x is None else torch.device(x)

    def share(self, x: Any, y: Any) -> bool:
        """Whether two tensors have an element in common; those of two storages have none."""
        storages = x.untyped_storage(), y.untyped_storage()
        return x is y or (storages[0]._cdata == storages[1]._cdata and super().share(x, y))

    def placed(self, x: Any) -> np.ndarray:
        """By its strides alone: the memory may be a device's."""
        return np.asarray(_Place(x))

    def memory(self, x: Any) -> int | None:
        """Its storage. A compiler knows none, and makes no copy that it needs not; nor do torch.func's transforms."""
        try:
            return None if torch.compiler.is_compiling() else int(x.untyped_storage()._cdata)
        except NotImplementedError:
            return None

    def copied(self, x: Any) -> torch.Tensor:
        """A copy, with the gradient of x."""
        return x.clone()

    def within(self, part: Any, whole: Any, held: Any) -> torch.Tensor | None:
        """A view, with the gradient that the part has; None for what has no storage, as where torch.func transforms."""
        try:
            storages = [x.untyped_storage()._cdata for x in (part, whole, held)]
        except NotImplementedError:
            return None
        if part is whole and not part.requires_grad:
            return held
        if storages[0] != storages[1] or part.dtype is not held.dtype or part.is_conj() or part.is_neg():
            return None
        place = within(self.layout_of(part), self.layout_of(whole), self.layout_of(held))
        if place is None:
            return None
        first = sum(at * step for at, step in zip(place[0], held.stride()))
        there = held.detach().as_strided(part.shape, place[1], held.storage_offset() + first)
        if not part.requires_grad:
            return there
        made = part.view_as(part)
        made.data = there
        return made

    def native_dtype(self, dtype: DType) -> Any:
        return _TO_TORCH[dtype]

    def extent(self, x: Any) -> tuple[int, int]:
        """Where the storage begins and ends; a tensor without data, or whose data no one storage holds, has none."""
        held = x.untyped_storage() if x.layout is torch.strided else None
        if held is None or held.device.type == "meta":
            return 0, 0
        return held.data_ptr(), held.data_ptr() + held.nbytes()

    def device(self, which: Any = "") -> TorchDevice:
        """The host, or the device of a name or torch.device."""
        return TorchDevice(self, which)

    read_state = staticmethod(read_state)

    def to_host(self, x: Any) -> np.ndarray:
        x = x.detach().cpu()
        x = x.resolve_conj().resolve_neg() if x.layout is torch.strided else x.to_dense()
        name = self.dtype_of(x).name
        if name in _BY_BITS:
            return x.contiguous().view(_BY_BITS[name][0]).numpy().view(getattr(ml_dtypes, name))
        return x.numpy()

    def from_host(self, x: Any) -> torch.Tensor:
        x = np.asarray(x)
        x = np.array(x, order="C", ndmin=x.ndim)  # torch takes no negative strides and no read-only memory
        if x.dtype.name in _BY_BITS:
            return torch.from_numpy(x.view(_BY_BITS[x.dtype.name][1])).view(getattr(torch, x.dtype.name))
        return torch.from_numpy(x)

    def assign(self, x: Any, value: Any) -> None:
        """Write `value` into the tensor x."""
        with torch.no_grad():
            x.copy_(value)

    def hand_back(self, x: Any, value: Any) -> None:
        """Write into an argument what a call made of it: derivatives of the caller go on through it. Not so what has none, as what is
        written under `no_grad`, and leaves, which nothing else writes."""
        base = x if x._base is None else x._base
        with torch.set_grad_enabled(
            torch.is_grad_enabled() and value.requires_grad and not (base.is_leaf and base.requires_grad)
        ):
            x.copy_(value)

    def unwritten(self) -> watching.ReadOnly:
        """A mode in which PyTorch's kernels write what they make."""
        return watching.ReadOnly()

    def trained(self, x: Any) -> bool | None:
        """What the tensor says itself."""
        return bool(getattr(x, "requires_grad", False))

    def condition_of(self, x: Any) -> watching.Condition | None:
        """Whether gradients are recorded, what came back, and which memory it has."""
        return watching.condition_of(x)

    holds, registered, find = staticmethod(holding.holds), staticmethod(holding.registered), staticmethod(holding.find)
    written_by, functional = staticmethod(holding.written_by), staticmethod(holding.functional)
    gives_nothing = staticmethod(holding.gives_nothing)

    def probe(self, call: Callable[[Any], Any], types: Any, data: int) -> Any:
        """What `call` gives on the meta device, or for that number."""
        return holding.probe(call, types, self.native_dtype, data)

    def stage(self, fn: Callable[..., Any], types: Sequence[LogicalTensor], kept: Stagings) -> Replayed:
        """The ATen calls that make_fx records."""
        given = [(cast(tuple[int, ...], type_.dims), self.native_dtype(cast(DType, type_.dtype))) for type_ in types]
        return staging.stage(fn, given, lambda op: self.functions.get(op) or self.recognised(op))

    def as_module(
        self, fn: Callable[..., Any], params: Any, writes: bool = False, like: Any = None,
        modes: Mapping[str, bool] | None = None, bound: Mapping[str, Any] | None = None,
        replaced: Mapping[str, Any] | None = None,
    ) -> torch.nn.Module:  # fmt: skip
        """An nn.Module with these parameters as its own."""
        return Transpiled(fn, params, writes, like, modes, bound, replaced)


_NOT_INPLACE = frozenset(("__invert__", "__index__", "__int__", "__iter__", "__init__"))


class _Place:
    """Where a tensor's elements lie in its storage, as NumPy asks for it; nothing is read there."""

    def __init__(self, x: torch.Tensor) -> None:
        size = x.element_size()
        self.__array_interface__ = {
            "data": (1 + x.storage_offset() * size, True), "shape": tuple(x.shape), "typestr": f"|V{size}",
            "strides": tuple(step * size for step in x.stride()), "version": 3,
        }  # fmt: skip


def _clean(kwargs: dict[str, Any], accepted: Collection[str]) -> dict[str, Any]:
    """Keyword arguments as the lift takes them."""
    out: dict[str, Any] = {}
    for name, value in kwargs.items():
        if name not in accepted:
            if name in _IGNORED:
                layouts.ordered(name, value)
                continue
            if name in ("out", "requires_grad") and not value and not hasattr(value, "node"):
                continue
            if name == "requires_grad" and value is True:  # of a tensor that a call makes: capture records it
                continue
            if name in ("out", "requires_grad"):
                refuse(f"{name}={value!r} has no counterpart", "assign the result instead" if name == "out" else "")
            name = _ALIASES.get(name, name)
        out[name] = element(value) if name == "dtype" else value
    return out


def _asks_inplace(fn: Callable[..., Any]) -> Callable[..., bool]:
    """Whether a call of `fn` has `inplace=True`."""
    signature = inspect.signature(fn)
    return lambda *args, **kwargs: bool(signature.bind(*args, **kwargs).arguments.get("inplace", False))


def _inplace(fn: Callable[..., Any]) -> Callable[..., Any]:
    """What an in-place form of `fn` leaves in its first argument."""

    @functools.wraps(fn)
    def inplace(input: Any, *args: Any, **kwargs: Any) -> Any:
        new = fn(input, *args, **kwargs)
        return cast_back(new, input, promoted_with(new, (*args, *kwargs.values())))

    return inplace


def make_backend() -> TorchBackend:
    """The backend with all of its rows."""
    return TorchBackend()
