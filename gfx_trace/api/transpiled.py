"""Transpiled: a program in another framework, as source, as a function, as a module, as files."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.codegen import Module
from gfx_ir.codegen.loader import with_loader
from gfx_ir.errors import FormatError, UnsupportedConstruct
from gfx_ir.loading import backend, to_host
from gfx_ir.param_tree import flatten
from gfx_ir.probing import is_module
from gfx_ir.program import Guard
from gfx_ir.save import write_whole
from gfx_ir.sharing import Write, as_written, handed_back
from gfx_ir.trees import tree_map

from ..frameworks.params import moved
from ..interfaces import Capturing
from ..rewrite.tracebacks import users_frames
from .kept import stays
from .program import Program


class Transpiled:
    """What `gfx.transpile` gives. `fn([params,] *args, key=None)` is pure, and runs op by op; calling the object uses its own params,
    compiled whole where JAX is the target and `jit` is True."""

    def __init__(self, program: Program, target: str, options: dict[str, Any], jit: bool = True) -> None:
        self.program, self.target = program, target
        self.flavour, self.promotion = target, program.promotion  # what code that calls it is written in
        self.options, self.jit = options, jit
        own = tree_map(lambda leaf: leaf, program.params_for(target)) if program.params else None
        self.params: Any = own  # a tree of its own, in which calls replace what the program writes
        self._ran: tuple[Any, Any] = None, None
        self._written: dict[str, Any] = {}
        program.function(target, **options)  # or what cannot be written is refused here

    @property
    def emitted(self) -> Module:
        """The module of the program as it is now: an edit of it makes another one."""
        return self.program.module(self.target, **self.options)

    @property
    def source(self) -> str:
        """The text of that module."""
        return self.emitted.source

    @property
    def fn(self) -> Callable[..., Any]:
        """The function that it defines."""
        return self.program.function(self.target, **self.options)

    @property
    def jitted(self) -> Callable[..., Any]:
        """What a call runs: `fn`, which JAX compiles whole; its `reason` tells why it runs op by op, "" where it does not."""
        fn, (made_of, made) = self.fn, self._ran
        if self.jit and made_of is not fn:
            made = backend(self.target).jitted(fn, self.program, self.params is not None)
            self._ran = fn, made
        return made if self.jit else fn

    @property
    def guards(self) -> list[Guard]:
        """What the capture took as given."""
        return self.program.guards

    @property
    def source_map(self) -> list[tuple[int, Any]]:
        """(line of `source`, the user's place) pairs."""
        return self.emitted.source_map

    @property
    def static_argnames(self) -> tuple[str, ...]:
        """Arguments that jax.jit has to take as static, because Python decides by them."""
        return self.emitted.static_argnames

    def called_in_capture(self, tracer: Capturing, args: tuple, kwargs: dict[str, Any]) -> Any:
        """What a call gives in code that is being captured: the emitted function is entered."""
        if self.program.writes:
            what = f"GFX cannot capture a call of the transpiled {self.program.entry.name!r}, which writes {self.program.writes[0]}"
            raise UnsupportedConstruct(what, hint="call its `fn`, and take the state that it returns")
        own = () if self.params is None else (self.params,)
        return tracer.calls.call(self.fn, (*own, *args), kwargs)

    @users_frames
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run on the target's arrays with the own params; what the program writes is applied to these, and to arguments where
        the target's arrays can be written. Raises UnsupportedConstruct
        where code of arrays that nothing writes changes an object that it is given: this call would leave it as it was."""
        changed = [path for path in self.program.writes if path not in self.program.params]
        if changed and not backend(self.program.flavour).views:
            what = f"the call of the transpiled {self.program.entry.name!r} cannot change {changed[0]}, which its argument holds"
            raise UnsupportedConstruct(what, hint="call its `fn`, and take the state that it returns")
        if self.params is not None:
            args = (self.params, *args)
        out = self.jitted(*args, **kwargs)
        if not self.program.writes:
            return out
        result, state = out
        owner = backend(self.target)
        own = self.emitted.terms.written(args, kwargs) if owner.views and self.emitted.terms is not None else {}
        slots = self.program.captured.slots if self.program.captured is not None else {}
        writes: list[tuple[Any, Any, Write]] = []
        for path, value in state.items():
            if path in self.program.params:
                stays(path, moved(self.program.params[path], owner), value, owner)
                if not owner.views or path in slots:
                    _set_path(self.params, path, value)
                    continue
                own[path] = self._own(path, owner)
            if path in own:
                stays(path, own[path], value, owner)
                writes.append((own[path], value, owner.assign if path in self.program.params else owner.hand_back))
        result = handed_back(result, writes, owner)
        return as_written(result, self.program.shared, state, own, owner)

    def _own(self, path: str, owner: Backend) -> Any:
        """The array that calls write under a path of the params: none that anything else holds."""
        held = flatten(self.params)[path]
        if self._written.get(path) is not held:
            self._written[path] = held = copy.deepcopy(held)
            _set_path(self.params, path, held)
        return held

    def module(self) -> Any:
        """A torch `nn.Module` whose Parameters and buffers are copies of the params; of a captured `nn.Module` it has the
        whole state_dict. What functools.partial bound to a captured function are its Parameters, but for what the function writes,
        and arrays that it closes over beside them are buffers. Raises BackendError for other targets."""
        captured = self.program.captured
        model = captured.target if captured is not None and is_module(captured.target) else None
        modes = {mode.path: mode.training for mode in captured.modes} if captured is not None else {}
        target = backend(self.target)
        held = captured.bound.items() if captured is not None else ()
        bound = {path: moved(x, target) for path, x in held if path not in self.program.writes}
        slots = captured.slots if captured is not None and model is not None else {}
        replaced = {path: write.slot.old for path, write in slots.items() if write.slot is not None and not write.param}
        return target.as_module(self.fn, self.params, bool(self.program.writes), model, modes, bound, replaced)

    @users_frames
    def save(self, path: str | Path) -> None:
        """Write the source, and the params as safetensors beside it; both files appear whole, or none. Behind source that takes params
        stands `load(path)`, which gives their tree of such a file, or of the shards that a .safetensors.index.json names.

        Raises OSError where they cannot be written, FormatError for params of a dtype that safetensors lacks."""
        path = Path(path)
        if path.suffix == ".safetensors":
            raise FormatError(f"{str(path)!r} is the name of a file of params", hint="name the source, as in model.py")
        files: dict[Path, Any] = {path: self.source.encode()}
        if self.params is not None:
            files[path] = with_loader(self.source, backend(self.target).style.weights).encode()
            files[path.with_suffix(".safetensors")] = {
                k: to_host(v) for k, v in flatten(self.params).items() if v is not None
            }
        write_whole(files)


def _set_path(tree: Any, path: str, value: Any) -> None:
    *outer, last = path.split(".")
    for key in outer:
        tree = tree[int(key)] if isinstance(tree, list) else tree[key]
    tree[int(last) if isinstance(tree, list) else last] = value
