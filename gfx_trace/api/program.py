"""Program as users meet it: called like the target, written as source, moved to another framework, saved."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import gfx_ir.program
import gfx_ir.types
from gfx_ir import infer as inference
from gfx_ir import save as saving
from gfx_ir.admission import Admission
from gfx_ir.backend import Backend
from gfx_ir.binding import Binding
from gfx_ir.codegen import Module, emit
from gfx_ir.copies import copy_program
from gfx_ir.errors import ArgumentError, GuardError, UnsupportedConstruct
from gfx_ir.graph import Graph
from gfx_ir.loading import backend, loaded, to_host
from gfx_ir.param_tree import nest
from gfx_ir.partition import FUSION, Policy, partition
from gfx_ir.passes import DEFAULT, Optimize, Pass
from gfx_ir.pause import collection_paused
from gfx_ir.records import RESULT, made, plain
from gfx_ir.runtime.device import Device
from gfx_ir.sharing import as_written, handed_back
from gfx_ir.types import LogicalTensor, TensorSpec

from ..calls.modules import check_modes
from ..capture.capture import Captured
from ..control.writes import Write
from ..frameworks.params import moved
from ..interfaces import Capturing
from ..python.draws import key_from
from ..rewrite.tracebacks import tidy, users_frames
from ..values.flavour import loaded_frameworks
from .interpreted import interpret, of_others
from .kept import Kept, stays
from .placed import Placed


@dataclasses.dataclass
class Program(gfx_ir.program.Program):
    """A captured function or model.

    Called like the target, it runs on the framework of its arguments. `entry` and `functions` are its Graphs, `params` its
    arrays by path, `guards` what the capture took as given, `level` 0 (no shapes), 1 (inputs typed) or 2 (all typed).
    """

    captured: Captured | None = dataclasses.field(default=None, compare=False, repr=False)
    modules: dict[tuple, Module] = dataclasses.field(default_factory=dict, compare=False, repr=False)
    trees: dict[str, tuple[dict[str, Any], Any]] = dataclasses.field(default_factory=dict, compare=False, repr=False)
    made_of: tuple | None = dataclasses.field(default=None, compare=False, repr=False)
    callables: dict[Callable[..., Any], Callable[..., Any]] = dataclasses.field(
        default_factory=dict, compare=False, repr=False
    )
    before: tuple[Program, tuple] | None = dataclasses.field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, program: gfx_ir.program.Program, captured: Captured | None = None) -> Program:
        """The user's form of a program."""
        fields = {f.name: getattr(program, f.name) for f in dataclasses.fields(gfx_ir.program.Program)}
        return cls(**fields, captured=captured)

    def entry_replaced(self, old: Graph) -> bool:
        same = super().entry_replaced(old)
        if not same:  # it is no longer what was captured
            self.captured = None
        return same

    # ------------------------------------------------------------------ looking
    @property
    def graph(self) -> Any:
        """The entry Graph."""
        return self.entry

    @property
    def notes(self) -> list[str]:
        """What the capture wants known: loops that were unrolled, functions without source."""
        return list(self.captured.notes) if self.captured is not None else []

    def module(self, target: str, **options: Any) -> Module:
        """The emitted module for a target: its source, entry, source map, and `load()`."""
        self._forget_the_stale()
        key = (target, *sorted(options.items()))
        found = self.modules.get(key)
        if found is None:
            with collection_paused():
                found = self.modules[key] = emit(self, backend(target), **options)
                found.classes = self.captured.errors if self.captured is not None else {}
        return found

    def _forget_the_stale(self) -> None:
        """Nothing that was made of the graphs outlives an edit of them."""
        version = self.version
        if version != self.made_of:
            self.made_of = version
            self.modules.clear()
            self.callables.clear()
            for name in ("binding", "admission"):
                vars(self).pop(name, None)

    def function(self, target: str, **options: Any) -> Callable[..., Any]:
        """The function of that module, the same one each time: compilers know it again."""
        fn = self.module(target, **options).load()
        if fn not in self.callables:
            self.callables[fn] = users_frames(fn)
        return self.callables[fn]

    @users_frames
    def source(self, target: str, **options: Any) -> str:
        """Standalone source for "torch", "jax" or "numpy".

        Options: `unroll` (how many fixed trips a functional target writes as a Python loop), `max_trips` (how many trips a loop
        that data ends takes at most, so that JAX has a reverse mode for it; the source checks it), `comments` (cite the user's
        lines), `mode` ("hop": PyTorch's higher-order operators, for torch.export). Raises MissingOp naming every op that the target lacks."""
        return self.module(target, **options).source

    @users_frames
    def to(self, target: str, **options: Any) -> Callable[..., Any]:
        """The program as a callable on the target's arrays. It takes what the target takes, and raises GuardError for what the
        capture does not stand for; its own params are bound to it."""
        fn = self.function(target, **options)
        if not self.params:
            return fn
        params = self.params_for(target)

        @users_frames
        def bound(*args: Any, **kwargs: Any) -> Any:
            return fn(params, *args, **kwargs)

        bound.__name__, bound.__doc__, bound.__wrapped__ = fn.__name__, fn.__doc__, fn  # type: ignore[attr-defined]
        signature = inspect.signature(fn)
        own = list(signature.parameters.values())[1:]
        bound.__signature__ = signature.replace(parameters=own)  # type: ignore[attr-defined]
        return bound

    def params_for(self, target: str) -> Any:
        """The parameter tree on a target's arrays (the program's own arrays where they are that already)."""
        source, found = self.trees.get(target, ({}, None))
        if source.keys() != self.params.keys() or any(source[path] is not x for path, x in self.params.items()):
            owner = backend(target)
            found = nest({path: moved(x, owner) for path, x in self.params.items()})
            self.trees[target] = dict(self.params), found
        return found

    # ------------------------------------------------------------------ levels
    @users_frames
    def bind(self, **specs: TensorSpec | LogicalTensor) -> Program:
        """Level 1: the same program for arguments of these types. Raises ShapeError where there is no such argument."""
        logical = {k: v.logical() if isinstance(v, TensorSpec) else v for k, v in specs.items()}
        return self._typed(inference.bind(self, **logical))

    @users_frames
    def infer(self) -> Program:
        """Level 2: the types of all values. Raises ShapeError with node, op, shapes and the user's line."""
        return self._typed(inference.infer(self))

    def _typed(self, program: gfx_ir.program.Program) -> Program:
        """A program of which more is known than of this one."""
        out = Program.of(program, self.captured)
        out.before = self, out.version
        return out

    @users_frames
    def at_level(self, level: int) -> Program:
        """The program with what is known at a level: 2 infers, below the one that it has it is what it was before `infer` and `bind`.
        Raises ArgumentError where it never was at that level, or was edited since."""
        found = self.infer() if level == 2 and self.level == 1 else self
        while found.level > level and found.before is not None and found.before[1] == found.version:
            found = found.before[0]
        if found.level != level:
            edited = found.before is not None and found.level > level
            why = "was edited since" if edited else f"was captured at level {found.level}"
            hint = "program.bind(x=TensorSpec(...))" if found.level < level else "capture again, without types"
            raise ArgumentError(f"{self.entry.name!r} has no level {level}: it {why}", hint=hint)
        out = Program.of(copy_program(found), found.captured)
        out.before = (
            None if found.before is None or found.before[1] != found.version else (found.before[0], out.version)
        )
        return out

    @users_frames
    def optimized(self, *passes: str | Pass, **options: Any) -> Program:
        """A new program after these passes (names or Passes; none: the default ones). Options are those of `Optimize`."""
        return Program.of(Optimize(passes or DEFAULT, **options)(self), self.captured)

    # ------------------------------------------------------------------ keeping
    @users_frames
    def save(self, path: str | Path) -> None:
        """Write the graph as JSON and its params as safetensors beside it; both files appear whole, or none. `gfx.load` reads it."""
        saving.save(self, path, to_host=to_host)

    # ------------------------------------------------------------------ running
    @users_frames
    def on(
        self, *devices: str | Device, policy: Policy | str = FUSION, passes: Sequence[Pass] = (), **options: Any
    ) -> Placed:
        """The program cut for these devices, the preferred first ("torch", "jax:1", a Device), as a callable like the target: see
        `gfx_ir.partition`. Options are those of Frozen: `on_fault`, `deterministic`, `engines`, `cache`."""
        return Placed(self, partition(self, devices, policy, passes=passes), **options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run on the framework of the arguments, like the target. Raises GuardError where the capture does not stand for them."""
        emitted = None
        try:
            owner, given, random = self.admit(args, kwargs)
            if of_others(self, owner):
                out = interpret(self, owner, given, random)
            else:
                emitted = self.module(owner.name)
                out = self._call(emitted, emitted.bare(), given, random)
            result = self.finish(out, owner, given)
            if self.captured is not None and self.captured.returned:
                self._hand_back(self.binding.signature.bind(*args, **kwargs).arguments, result)
            return result
        except Exception as error:
            tidy(error, emitted)
            raise

    def _call(self, emitted: Module, function: Callable[..., Any], given: Mapping[str, Any], random: Any) -> Any:
        """What the function of an emitted module gives for arguments that were admitted."""
        terms = emitted.terms
        assert terms is not None
        if terms.leading:
            given = {**given, terms.leading: self.params_for(terms.owner)}
        found = terms.call(function, given, random)
        return plain(self.entry.result, found) if self.records else found

    def called_in_capture(self, tracer: Capturing, args: tuple, kwargs: dict[str, Any]) -> Any:
        """What a call gives in code that is being captured: what is emitted for the own framework is entered."""
        if self.writes:
            what = f"GFX cannot capture a call of the program {self.entry.name!r}, which writes {self.writes[0]}"
            raise UnsupportedConstruct(
                what, hint="transpile it, call the `fn` of that, and take the state that it returns"
            )
        given, random = self.binding.bind(args, kwargs)
        call = partial(tracer.calls.call, self.module(self.flavour).load())
        enter = lambda *args, **kwargs: call(args, kwargs)
        return self.finish(self._call(self.module(self.flavour), enter, given, random), backend(self.flavour), given)

    def finish(self, out: Any, owner: Backend, given: dict[str, Any]) -> Any:
        """Write what the program writes; the result as the target's own containers."""
        if self.writes:
            out, state = out
            out = self._apply(out, state, given, owner)
        if self.captured is not None:
            self.captured.left.set_up()
        rebuild = self.captured.rebuild if self.captured is not None else None
        return rebuild(out) if rebuild is not None else made(self.records, out) if self.records else out

    def _hand_back(self, arguments: Mapping[str, Any], result: Any) -> None:
        """Objects that the call was given, and that the result holds with new attributes, have these."""
        assert self.captured is not None
        places = self.captured.returned.items()
        pairs = [(part_at(arguments, path), part_at({RESULT: result}, place)) for path, place in places]
        for held, new in pairs:
            if type(held) is type(new):
                vars(held).update(vars(new))

    def _framework(self, given: Mapping[str, Any]) -> Backend:
        """The framework of the first array among the arguments; without any the one that the program was captured in."""
        waiting = [given]
        while waiting:
            item: Any = waiting.pop()
            if isinstance(item, Mapping):
                waiting += reversed(list(item.values()))
            elif isinstance(item, (tuple, list)):
                waiting += reversed(item)
            else:
                for owner in (*loaded(), *loaded_frameworks()):
                    if owner.is_tensor(item):
                        return owner
        return backend(self.flavour)

    def admit(self, args: tuple, kwargs: Mapping[str, Any]) -> tuple[Backend, dict[str, Any], Any]:
        """(the framework, arguments by name, the source of random numbers) of a call. Raises where the capture does not
        stand for them."""
        self._forget_the_stale()
        given, random = self.binding.bind(args, kwargs)
        owner = self._framework(given)
        self.admission.check(given, owner)
        if self.captured is not None:
            self.admission.check_held(self.captured.held, backend(self.flavour))
            check_modes(self.captured.modes)
            for path, held in self.kept.anew(self.params):
                self.params[path], self.trees = held, {}
        rng = next((given.get(guard.subject) for guard in self.guards if guard.kind == "random"), None)
        if random is None and isinstance(rng, np.random.Generator) and self._draws:
            random = key_from(owner, rng)
        return owner, given, random

    @property
    def _draws(self) -> bool:
        return any(placeholder.kind == "key" for placeholder in self.entry.placeholders)

    @functools.cached_property
    def binding(self) -> Binding:
        """How its arguments are passed."""
        own = self.arguments()
        names = {parameter.name for parameter in own}
        random = [name for name in ("key", "generator") if name not in names] if self._draws else []
        return Binding(self.entry.name, own, random, authors=True)

    @functools.cached_property
    def kept(self) -> Kept:
        """The author's objects in which its state stands."""
        return Kept(self.captured.slots if self.captured is not None else {})

    @functools.cached_property
    def admission(self) -> Admission:
        """What its arguments are held against."""
        return Admission(self.arguments(), self.guards, self.writes, self.params.keys())

    def _apply(self, out: Any, state: Mapping[str, Any], given: Mapping[str, Any], owner: Backend) -> Any:
        """The result, behind the writes of what the capture writes, to the model's own tensors and to the arguments."""
        slots = self.captured.slots if self.captured is not None else {}
        arguments = self.admission.written(given)
        for path in state:
            if isinstance(arguments.get(path), np.generic):
                what = f"the capture writes {path!r} in place, as arrays are, and the call gives a number of NumPy's"
                raise GuardError(what, hint=f"capture with a number for {path!r}, or give an array")
        held, writes = {}, []
        for path, value in state.items():
            if path in slots:
                self._replace(path, slots[path], value, owner)
                continue
            if self.captured is None and path in self.params and owner.views:  # nobody else has the arrays of a file
                held_there = moved(self.params[path], owner)
                given_on = any(path in paths for paths in self.shared.values())
                self.params[path] = held_there if given_on else copy.deepcopy(held_there)
            original = self.params.get(path, arguments.get(path))
            if original is None:
                continue
            source = stays(path, original, value, owner)
            write = source.assign if path in self.params else source.hand_back
            writes.append((original, value if source is owner else source.from_host(owner.to_host(value)), write))
            if source is owner:
                held[path] = original
            if path in self.params:
                self.trees = {k: v for k, v in self.trees.items() if k == source.name}
        out = handed_back(out, writes, owner)
        return as_written(out, self.shared, state, held, owner)

    def _replace(self, path: str, write: Write, value: Any, owner: Backend) -> None:
        """Put what a call made in the place of what stood there, as an array of the same framework."""
        if write.param in self.params:  # what the next call begins with, if it reads it
            source = stays(write.param, self.params[write.param], value, owner)
            value = value if source is owner else source.from_host(owner.to_host(value))
            self.params[write.param] = value
            self.trees = {}
        self.kept.leave(path, value)


def part_at(tree: Any, path: str) -> Any:
    """What containers and objects hold at a path of keys, positions and attributes."""
    for part in path.split("."):
        if isinstance(tree, Mapping):
            tree = next(item for key, item in tree.items() if str(key) == part)
        else:
            tree = tree[int(part)] if isinstance(tree, (tuple, list)) and part.isdigit() else getattr(tree, part)
    return tree
