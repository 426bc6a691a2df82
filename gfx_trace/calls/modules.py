"""Models: modules are entered, or lifted as their functional form; their tensors are parameters named by their path."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from types import FrameType, MethodType
from typing import Any, NamedTuple

from gfx_ir.backend import Backend, Lift
from gfx_ir.errors import GuardError
from gfx_ir.probing import is_module
from gfx_ir.source import Scope, docstring

from ..heap.contents import FIXED, attributes_of
from ..interfaces import Capturing
from ..objects.attributes import NOT_OWN
from ..python.devices import settled
from ..python.scopes import values_of
from ..rewrite.packages import enterable, framework
from ..values.proxy import Proxy, is_open
from .axis_patterns import pattern_layer
from .native import run_as_it_is, run_native

FORWARDING = ("_call_impl", "_wrapped_call_impl")
"""What runs the hooks and the `forward` of a module, where its class does not say otherwise."""


def authors_own(frameworks: Iterable[Backend], x: Any) -> Any:
    """The module that its author wrote, where x is one that torch compiled; anything else as it is."""
    if hasattr(type(x), "named_modules"):
        for backend in frameworks:
            if backend.name == "torch":
                return backend.authors_own(x)
    return x


class Mode(NamedTuple):
    """A module whose `training` flag the captured code asked for, and what it was."""

    module: Any
    path: str
    training: bool


def check_modes(modes: Iterable[Mode]) -> None:
    """Raise GuardError where a module has another mode than it had at capture."""
    for mode in modes:
        if bool(mode.module.training) is not mode.training:
            words = ("training", "evaluation") if mode.training else ("evaluation", "training")
            where = f" at {mode.path!r}" if mode.path else ""
            raise GuardError(
                f"{type(mode.module).__name__}{where} was captured in {words[0]} mode, and now it is in {words[1]} mode",
                hint=f"capture the model again after .{'eval' if mode.training else 'train'}()",
            )


def register_root(tracer: Capturing, root: Any) -> None:
    """Learn the paths of a model's modules and tensors; the first path of a tied tensor is its own."""
    tracer.root = root
    tracer.repeated.registers(root)
    known = tracer.tensor_paths
    for path, module in root.named_modules():
        tracer.module_paths.setdefault(id(module), path)
        prefix = f"{path}." if path else ""
        for table in (module._parameters, module._buffers):
            if table:
                for name, tensor in table.items():
                    if tensor is not None and id(tensor) not in known:
                        known[id(tensor)] = prefix + name


def module_attribute(tracer: Capturing, module: Any, name: str) -> Any:
    """`module.name`: its tensors as Proxies, what code of a class gives (a property) captured, everything else as it is."""
    key, givers = (type(module), name), tracer.attributes.givers
    give = givers[key] if key in givers else tracer.attributes.giver(*key)
    if give is not None and (given := give(module)) is not NOT_OWN:
        return given
    place = id(module), name
    tracer.consulted.add(place)
    found = getattr(module, name)
    if name == "training":
        tracer.assumed.modes[id(module)] = Mode(module, tracer.module_paths.get(id(module), ""), bool(found))
    return found if tracer.arrays.array_owner(found) is None else tracer.arrays.array_proxy(found, name, place)


def registered(module: Any, name: str, table: dict[str, Any]) -> None:
    """Raises what PyTorch raises where a computed tensor is assigned to what a module has registered, a buffer apart."""
    own = vars(module)
    if table is not own["_buffers"]:
        kind = "parameter" if table is own["_parameters"] else "child module"
        takes = "torch.nn.Parameter" if table is own["_parameters"] else "torch.nn.Module"
        raise TypeError(f"cannot assign 'torch.Tensor' as {kind} {name!r} ({takes} or None expected)")


def register(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> None:
    """module.register_buffer(name, tensor, persistent=True): an attribute that is set, where the module has that buffer, is made by
    this very code, or has none of that name, for which the code has asked, and does not save it."""
    given = inspect.signature(f).bind(*args, **kwargs)
    given.apply_defaults()
    owner, name, value, persistent = given.args
    if tracer.journal.is_own(owner):  # nothing saves it
        owner._buffers.setdefault(name, None)
    elif not _stays(tracer, owner, name, persistent):
        what = f"GFX cannot convert this registration: {name!r} is no buffer of {type(owner).__name__} before the call, or a saved one in place of"
        raise tracer.error(
            f"{what} one that is not", "register it in __init__, or call the model once before the capture"
        )
    tracer.objects.setattr(owner, name, value)


def _stays(tracer: Capturing, owner: Any, name: str, persistent: bool) -> bool:
    """Whether what a model saves is the same once a buffer is registered; one that it has not yet, the code has asked for."""
    if name in owner._buffers:
        return persistent is not (name in owner._non_persistent_buffers_set)
    return not persistent and not hasattr(owner, name) and (id(owner), name) in tracer.consulted


def register_parameter(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> None:
    """module.register_parameter(name, param): of a module that has it, or is made by this very code, an attribute that is set."""
    given = inspect.signature(f).bind(*args, **kwargs)
    owner, name, value = given.args
    if value is None and tracer.journal.is_own(owner):
        owner._parameters[name] = None
    elif not tracer.journal.is_own(owner) and name not in owner._parameters:
        raise tracer.error(
            f"GFX cannot convert this registration: {name!r} is no parameter of {type(owner).__name__} before the call",
            "register it in __init__, or call the model once before the capture",
        )
    tracer.objects.setattr(owner, name, value)


def state_dict(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """module.state_dict(...): its tensors by name, which share memory with those of the module, and have no gradients unless asked."""
    given = inspect.signature(f).bind(*args, **kwargs)
    given.apply_defaults()
    own = given.arguments["keep_vars"]
    given.arguments["keep_vars"] = True
    found = run_as_it_is(tracer, f, given.args, given.kwargs)
    for name, tensor in found.items():
        if tracer.arrays.array_owner(tensor) is not None:
            held = tracer.arrays.array_proxy(tensor, name)
            found[name] = held if own else tracer.calls.call(tracer.objects.getattr(held, "detach"), (), {})
    return tracer.journal.made.note(found)


def moved(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """module.to(...): each float of a module that this very code makes is what tensor.to(...) gives of it; any other stays where it is,
    as on the device of a tensor that the capture takes as given."""
    owner, *given = args
    modules = list(owner.modules())
    if not all(map(tracer.journal.is_own, modules)):
        given = [settled(tracer, x) for x in given]
        kwargs = {name: settled(tracer, x) for name, x in kwargs.items()}
        if any(map(is_open, (*given, *kwargs.values()))):
            raise tracer.error(
                f"GFX cannot convert this call of to: it changes a {type(owner).__name__} that lives outside of the captured code",
                "call it before the capture, and capture what comes behind it",
            )
        return run_as_it_is(tracer, f, (owner, *given), kwargs)
    for module in modules:
        for name in (name for table in (module._parameters, module._buffers) for name in table):
            value = module_attribute(tracer, module, name)
            if value is None:
                continue
            if tracer.calls.call(tracer.objects.getattr(value, "is_floating_point"), (), {}) is not True:
                raise tracer.error(
                    f"GFX cannot convert this call of to: {name!r} of {type(module).__name__} may be no float"
                )
            tracer.objects.setattr(
                module, name, tracer.calls.call(tracer.objects.getattr(value, "to"), tuple(given), kwargs)
            )
    return owner


def is_derived(site: FrameType | None, module: Any, name: str) -> bool:
    """Whether the attribute that code at `site` writes is one that a hook of torch's own makes anew in each call (the weight under
    torch.nn.utils.weight_norm): it is neither of the module's tensors nor state."""
    ours = site is None or not framework(site.f_globals.get("__name__", ""))
    return not ours and name not in module._parameters and name not in module._buffers


class ModuleView:
    """A module as a row's function sees it: tensors are Values, the rest plain; `write` changes a buffer."""

    __slots__ = ("_module", "_tracer")

    def __init__(self, module: Any, tracer: Capturing) -> None:
        self._module, self._tracer = module, tracer

    def __getattr__(self, name: str) -> Any:
        found = module_attribute(self._tracer, self._module, name)
        kind = type(found)
        if kind in FIXED:
            return found
        if kind is Proxy:
            return found.read()
        return ModuleView(found, self._tracer) if is_module(found) else found

    def write(self, name: str, value: Any) -> None:
        """Change a buffer: it becomes part of the state that the capture returns."""
        proxy = module_attribute(self._tracer, self._module, name)
        proxy.write(value)


def own_call(module: Any) -> Any:
    """The `__call__` that a class of modules has in place of what runs `forward` between hooks."""
    method = type(module).__call__
    return method if enterable(method) and method.__name__ not in FORWARDING else None


def call_root(tracer: Capturing, module: Any, args: tuple, kwargs: dict) -> Any:
    """Call the captured model: its own `__call__`, or its forward or its row between its hooks."""
    own = own_call(module)
    if own is not None:
        return tracer.calls.run_method(MethodType(own, module), args, kwargs)
    return with_hooks(tracer, module, args, kwargs, _enter_root)


def _enter_root(tracer: Capturing, module: Any, args: tuple, kwargs: dict) -> Any:
    lift, backend, *_ = module_class(tracer, type(module))
    if lift is not None:
        return tracer.objects.apply_module(lift, ModuleView(module, tracer), args, kwargs, backend)
    return tracer.calls.call_entry(module.forward, args, kwargs)


def call_module(tracer: Capturing, module: Any, args: tuple, kwargs: dict, own: bool = True) -> Any:
    """Call a module: its own `__call__`, if that is asked for (`own`); or its hooks, and its row or its forward between them."""
    tracer.functions.runs_module()
    if type(module) not in tracer.module_classes:  # those of a class that was met their author wrote
        module = _own(tracer, module)
    if tracer.is_leaf(module) and module_class(tracer, type(module)).lift is None:
        return run_native(tracer, module, args, kwargs)
    if id(module) not in tracer.module_paths:
        register_loose(tracer, module)
    call = own_call(module) if own else None
    if call is not None:
        return tracer.calls.run_method(MethodType(call, module), args, kwargs)
    if module_class(tracer, type(module)).lift is not None:
        return _between_hooks(tracer, module, args, kwargs)
    return tracer.repeated.call(module, args, kwargs, functools.partial(_between_hooks, tracer))


def _between_hooks(tracer: Capturing, module: Any, args: tuple, kwargs: dict) -> Any:
    return with_hooks(tracer, module, args, kwargs, _forward)


def _own(tracer: Capturing, module: Any) -> Any:
    """The module that the author wrote, once for each that stands for it, and under its path."""
    if id(module) not in tracer.authors_modules:
        own = tracer.authors_modules[id(module)] = authors_own(tracer.arrays.frameworks(), module)
        around = tracer.module_paths.get(id(module))
        for path, child in own.named_modules() if own is not module and around is not None else ():
            tracer.module_paths.setdefault(id(child), ".".join(filter(None, (around, path))))
    return tracer.authors_modules[id(module)]


def with_hooks(tracer: Capturing, module: Any, args: tuple, kwargs: dict, forward: Callable[..., Any]) -> Any:
    """forward(tracer, module, args, kwargs) between the module's hooks."""
    own = attributes_of(module)
    named = own.get("_forward_pre_hooks_with_kwargs") or ()  # those that take keywords, too
    for key, hook in (own.get("_forward_pre_hooks") or {}).items():
        if getattr(hook, "__module__", "").startswith("torch.export."):
            continue  # it compares the inputs with those that were exported; the capture has guards of its own
        changed = tracer.calls.call(hook, (module, args, kwargs) if key in named else (module, args), {})
        if changed is not None and key in named:
            args, kwargs = changed
        elif changed is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    result = forward(tracer, module, args, kwargs)
    named = own.get("_forward_hooks_with_kwargs") or ()
    for key, hook in (own.get("_forward_hooks") or {}).items():
        given = (module, args, kwargs, result) if key in named else (module, args, result)
        changed = tracer.calls.call(hook, given, {})
        result = result if changed is None else changed
    return result


def register_loose(tracer: Capturing, module: Any) -> None:
    """A module that the captured code reaches although it is no child of the captured model: named by its class."""
    name = type(module).__name__.lower()
    count = sum(path == name or path.startswith(f"{name}_") for path in tracer.module_paths.values())
    prefix = f"{name}_{count}" if count else name
    tracer.repeated.registers(module)
    for path, child in module.named_modules():
        full = f"{prefix}.{path}" if path else prefix
        tracer.module_paths.setdefault(id(child), full)
        tracer.kept.append(child)
        for table in (child._parameters, child._buffers):
            for key, tensor in table.items():
                if tensor is not None:
                    tracer.tensor_paths.setdefault(id(tensor), f"{full}.{key}")


class ModuleClass(NamedTuple):
    """What is known of a class of modules: its row and the backend that has it, or Nones; its docstring, if its author is the
    user; whether it is PyTorch's own."""

    lift: Lift | None
    backend: Backend | None
    doc: str
    library: bool


def module_class(tracer: Capturing, kind: type) -> ModuleClass:
    """What is known of a class of modules."""
    found = tracer.module_classes.get(kind)
    if found is None:
        rows = ((known.modules.get(kind), known) for known in tracer.arrays.frameworks())
        own = pattern_layer(kind)
        none = own, None if own is None else tracer.backend
        lift, backend = next((pair for pair in rows if pair[0] is not None), none)
        library = kind.__module__.startswith("torch.")
        found = ModuleClass(lift, backend, "" if library else docstring(kind.__doc__, of_class=True), library)
        tracer.module_classes[kind] = found
    return found


def _forward(tracer: Capturing, module: Any, args: tuple, kwargs: dict) -> Any:
    cls = type(module)
    lift, backend, doc, library = module_class(tracer, cls)
    path = tracer.module_paths.get(id(module), "")
    site, outer = tracer.site, tracer.scopes.scope
    scope = Scope(cls.__name__, "module", path, cls, outer, tracer.span(), (), doc)
    function = getattr(module.forward, "__func__", None) if lift is None else None
    if function is not None:
        scope.args = tracer.scopes.scope_args(function, (module, *args), kwargs)
    elif args and type(args[0]) is Proxy:
        scope.args = (("x", args[0].value),)
    tracer.within = scope
    result: Any = None
    quiet = tracer.quiet  # a user's block inside a container of the framework has names of its own
    tracer.quiet = library
    try:
        if lift is not None:
            result = tracer.objects.apply_module(lift, ModuleView(module, tracer), args, kwargs, backend)
        else:
            result = tracer.calls.run_method(module.forward, args, kwargs)
        return result
    finally:
        scope.left(values_of(result))
        tracer.within, tracer.site = outer, site
        tracer.quiet = quiet
