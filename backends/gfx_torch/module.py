"""An emitted function with its parameters as an `nn.Module`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from gfx_ir.codegen import Module, origin
from gfx_ir.errors import GuardError
from gfx_ir.loading import backend
from gfx_ir.param_tree import as_dictionaries
from gfx_ir.sharing import as_written, handed_back

_STATISTICS = frozenset(("running_mean", "running_var", "num_batches_tracked"))


class Branch(nn.Module):
    """A branch of the parameter tree: tensors are Parameters or buffers, branches children, under their own names."""


class Transpiled(Branch):
    """A module that computes what an emitted function computes, with copies of the function's params as its own.

    What is an `nn.Parameter` in `params` becomes one; where none is, every floating tensor but running statistics does,
    of those that are `bound` where any are. The rest are buffers. `writes`: the function returns its result and what it
    writes, which `forward` then writes to the module's own tensors, and to the caller's. `like`: the model that the function was captured from;
    the module then has what its state_dict has, its shared tensors and its modes, and what the function takes besides
    (plain attributes) is no part of the state_dict. `replaced`: tensors of that model that the function writes and does not read, by what
    its state calls them. `modes`: `training` of the model's modules by path, as far as the
    function was captured for it; calling the module raises GuardError where its own differ.

    The module can be copied, and pickled where the function is one that GFX emitted.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        params: Any = None,
        writes: bool = False,
        like: nn.Module | None = None,
        modes: Mapping[str, bool] | None = None,
        bound: Mapping[str, Any] | None = None,
        replaced: Mapping[str, torch.Tensor] | None = None,
    ) -> None:
        super().__init__()
        bound = {} if like is not None else bound or {}
        told = like is not None or any(
            isinstance(leaf, nn.Parameter) for leaf in (*dict(_leaves(params)).values(), *bound.values())
        )
        made: dict[int, Any] = {}
        branches = {} if like is None else mirror(self, like, dict(_leaves(params)), made)
        register = _Register(made, told, bound, persistent=like is None)
        layout = None if params is None else _fill(self, params, register)
        taken = dict(_leaves(params))
        _fill(self, as_dictionaries({path: item for path, item in bound.items() if path not in taken}), register)
        self._gfx_fn, self._gfx_layout, self._gfx_writes = fn, layout, writes
        places = {id(held): place for place, held in (*self.named_parameters(), *self.named_buffers())}
        owned = {path: made[id(held)] for path, held in (replaced or {}).items() if id(held) in made}
        self._gfx_replaced = {path: places[id(held)] for path, held in owned.items()}
        self._gfx_modes = [(branches[path], mode, path) for path, mode in (modes or {}).items() if path in branches]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        for branch, training, path in self._gfx_modes:
            if branch.training is not training:
                raise _mode_error(path, training)
        fn, layout = self._gfx_fn, self._gfx_layout
        if layout is not None:
            args = (_tree(self, layout), *args)
        out = fn(*args, **kwargs)
        if not self._gfx_writes:
            return out
        result, state = out
        made = origin(fn)
        own = made.terms.written(args, kwargs) if made is not None and made.terms is not None else {}
        writes = []
        for path, value in state.items():
            held = own[path] if path in own else self._held(path)
            if held is not None:
                writes.append((path, held, value))
        shared = made.terms.shared if made is not None and made.terms is not None else {}
        return _put(writes, result, shared)

    def _held(self, path: str) -> Any:
        """The tensor that the state's path stands for; None where the module has none."""
        if path in self._gfx_replaced:
            branch, _, name = self._gfx_replaced[path].rpartition(".")
            return getattr(self.get_submodule(branch), name)
        return _find(self, self._gfx_layout, path.split("."))

    def __getstate__(self) -> dict[str, Any]:
        of = origin(self._gfx_fn)
        emitted = self._gfx_fn if of is None else Module(of.source, of.entry, terms=of.terms)
        return {**self.__dict__, "_gfx_fn": emitted}

    def __setstate__(self, state: dict[str, Any]) -> None:
        emitted = state["_gfx_fn"]
        super().__setstate__({**state, "_gfx_fn": emitted.load() if isinstance(emitted, Module) else emitted})


def _put(
    writes: list[tuple[str, torch.Tensor, torch.Tensor]], result: Any, shared: Mapping[tuple[int, ...], Any]
) -> Any:
    """Make tensors of the module hold what a call left there, each what it was when the call ended; the result, of which no write
    changes what the author's code has not written. Raises GuardError where one has another shape."""
    for path, held, value in writes:
        if held.shape != value.shape:
            raise GuardError(f"{path!r} of shape {tuple(held.shape)} is replaced by shape {tuple(value.shape)}")
    owner = backend("torch")
    result = handed_back(result, [(held, value, owner.assign) for _, held, value in writes], owner)
    if torch.compiler.is_compiling() or not shared:
        return result
    state, written = {path: value for path, _, value in writes}, {path: held for path, held, _ in writes}
    return as_written(result, shared, state, written, owner)


def _mode_error(path: str, training: bool) -> GuardError:
    words = ("training", "evaluation") if training else ("evaluation", "training")
    what = f"{path!r} of the model" if path else "the model"
    return GuardError(
        f"{what} was captured in {words[0]} mode, and this module is in {words[1]} mode",
        hint=f"capture the model after .{'eval' if training else 'train'}(), and load this module's state_dict into what that gives",
    )


def mirror(root: nn.Module, like: nn.Module, given: Mapping[str, Any], made: dict[int, Any]) -> dict[str, nn.Module]:
    """Give `root` the children, tensors and modes of `like`; returns its modules by path.

    Values are those `given` by path, else those of `like`. `made` learns the module's own tensor for each of them.
    """
    tensors = [*like.named_parameters(remove_duplicate=False), *like.named_buffers(remove_duplicate=False)]
    values = {id(held): given[path] for path, held in reversed(tensors) if path in given}
    saved = set(like.state_dict())
    branches: dict[str, nn.Module] = {}
    known: dict[int, nn.Module] = {}
    for path, module in like.named_modules(remove_duplicate=False):
        outer, _, name = path.rpartition(".")
        branch = known.get(id(module)) or (Branch() if path else root)
        branches[path] = branch
        if path and branches[outer] is not branch and not hasattr(branches[outer], name):
            branches[outer].add_module(name, branch)
        if id(module) in known:
            continue
        known[id(module)] = branch
        branch.training = module.training
        for name, held in module.named_parameters(recurse=False, remove_duplicate=False):
            branch.register_parameter(name, _own(held, values, made))
        for name, held in module.named_buffers(recurse=False, remove_duplicate=False):
            full = f"{path}.{name}" if path else name
            branch.register_buffer(name, _own(held, values, made), persistent=full in saved)
    return branches


def _own(held: torch.Tensor, values: Mapping[int, Any], made: dict[int, Any]) -> Any:
    """The module's own tensor for one of the model's; one that stands in two places is one."""
    if id(held) not in made:
        value = values.get(id(held), held)
        copy = value.detach().clone()
        trained = isinstance(held, nn.Parameter)
        made[id(held)] = made[id(value)] = nn.Parameter(copy, requires_grad=held.requires_grad) if trained else copy
    return made[id(held)]


def _fill(branch: nn.Module, tree: Any, register: _Register, prefix: str = "") -> Any:
    """Register what the tree holds; returns its layout: the name that each key got, and the layout of its branch."""
    layout: dict[Any, tuple[str | None, Any]] = {}
    for key, item in _items(tree):
        name, path = str(key), f"{prefix}{key}"
        there = getattr(branch, name, None)
        if isinstance(item, torch.Tensor):
            own = register.is_own(there, item)
            layout[key] = (name if own else register(branch, _free(branch, name), path, item), None)
        elif isinstance(item, (dict, list, tuple)):
            child = there
            if not isinstance(child, Branch):
                name, child = _free(branch, name), Branch()
                branch.add_module(name, child)
            layout[key] = (name, _fill(child, item, register, f"{path}."))
        else:
            layout[key] = (None, item)
    return (type(tree), layout)


@dataclass
class _Register:
    """How tensors become a module's own: which are `made` already, whether an `nn.Parameter` is `told` to be one, which are
    those that the author `bound`, and whether what is registered is part of the state_dict, as a Parameter always is."""

    made: dict[int, Any]
    told: bool
    bound: Mapping[str, Any]
    persistent: bool

    def is_own(self, there: Any, item: torch.Tensor) -> bool:
        """Whether what stands there is the module's own tensor for the item."""
        return there is not None and there is self.made.get(id(item))

    def _may_be_trained(self, name: str, path: str, item: torch.Tensor) -> bool:
        floating = item.is_floating_point() or item.is_complex()
        return floating and name not in _STATISTICS and (not self.bound or path in self.bound)

    def __call__(self, branch: nn.Module, name: str, path: str, item: torch.Tensor) -> str:
        """Register an item under the name. A tensor that stands in two places is one."""
        if id(item) not in self.made:
            trained = isinstance(item, nn.Parameter) if self.told else self._may_be_trained(name, path, item)
            copy = item.detach().clone()
            if trained:
                grad = item.requires_grad or not self.told
                copy = nn.Parameter(copy, requires_grad=grad) if self.persistent else copy.requires_grad_(grad)
            self.made[id(item)] = copy
        own = self.made[id(item)]
        if isinstance(own, nn.Parameter):
            branch.register_parameter(name, own)
        else:
            branch.register_buffer(name, own, persistent=self.persistent)
        return name


def _free(branch: nn.Module, name: str) -> str:
    """The name, with what makes it free where nn.Module has one like it or cannot register it."""
    name = name.replace(".", "_") or "_"
    while hasattr(branch, name):
        name += "_"
    return name


def _items(tree: Any) -> Iterator[tuple[Any, Any]]:
    return iter(tree.items() if isinstance(tree, dict) else enumerate(tree))


def _leaves(tree: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """(dotted path, leaf) of a tree."""
    if isinstance(tree, (dict, list, tuple)):
        for key, item in _items(tree):
            yield from _leaves(item, f"{prefix}.{key}" if prefix else str(key))
    else:
        yield prefix, tree


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
