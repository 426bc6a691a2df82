"""Admission: what a call gives, held against what the capture took as given. Every callable that is handed out asks it."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .backend import Backend
from .described import Described, described
from .dtypes import DType, highest, holds, numbers
from .errors import ArgumentError, GuardError
from .graph import Value
from .guards import CHECKS
from .host import Dim, Expr, atoms, evaluate, solved
from .loading import loaded, owner_of
from .program import HELD, Guard, Parameter, Slot, beside
from .python_numbers import NUMBER_CLASSES
from .trees import paths, tree_map
from .types import LogicalTensor

_PLAIN = (int, float, str, bool, type(None))


def slotted(tree: Any) -> Any:
    """An argument's tree without its graph: Slots for Values."""
    return tree_map(lambda leaf: Slot(leaf.kind, leaf.type) if type(leaf) is Value else leaf, tree)


class Admission:
    """The arguments and guards of a program; `writes` names what it writes, `params` its own parameters."""

    def __init__(
        self, parameters: Sequence[Parameter], guards: Sequence[Guard], writes: Collection[str], params: Collection[str]
    ) -> None:
        self.trees = {parameter.name: slotted(parameter.tree) for parameter in parameters}
        random = {guard.subject for guard in guards if guard.kind == "random"}
        self.checked = {name: tree for name, tree in self.trees.items() if name not in random}
        self.guards = [guard for guard in guards if guard.kind in CHECKS]
        self.several = [guard for guard in guards if guard.kind in _OF_SEVERAL]
        self.places: dict[str, list[tuple]] = {}
        for name, tree in self.trees.items():
            for keys, leaf in paths(tree):
                if type(leaf) is Slot:
                    self.places.setdefault(".".join(map(str, (name, *keys))), []).append((name, *keys))
        called = ((path, key) for path in self.places for key in (path, beside(path)))
        self.writes = {path: key for path, key in called if key in writes and key not in params}
        self.sized = list(self._sized())

    def _sized(self) -> Iterator[tuple[str, tuple, tuple]]:
        """(path as code has it, place, dims) of every tensor of which the capture has an open size."""
        for name, *keys in itertools.chain.from_iterable(self.places.values()):
            type_ = _at(self.trees, (name, *keys)).type
            if isinstance(type_, LogicalTensor) and any(isinstance(dim, (Dim, Expr)) for dim in type_.dims or ()):
                path = name + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
                yield path, (name, *keys), type_.dims or ()

    def check(self, given: Mapping[str, Any], owner: Backend) -> None:
        """Raise GuardError for the first thing that is not as the capture took it."""
        for name, tree in self.checked.items():
            _check_leaf(tree, given[name], name, owner)
        for guard in self.guards:
            for place in self.places.get(guard.subject, ()):
                CHECKS[guard.kind](guard, _at(given, place), owner)
        for guard in self.several:
            _OF_SEVERAL[guard.kind](self, guard, given, owner)
        if self.sized:
            self._check_dims(given, owner)
        if self.writes:
            self._check_aliases(given, owner)

    def check_held(self, held: Mapping[str, Any], owner: Backend) -> None:
        """Raise GuardError for the first of a model's own arrays that is not as the capture took it."""
        for guard in self.guards if held else ():
            if guard.subject in held and guard.subject not in self.places:
                CHECKS[guard.kind](guard, held[guard.subject], owner)

    def _check_held(self, guard: Guard, given: Mapping[str, Any], owner: Backend) -> None:
        """An argument that is written in place can hold what is written to it."""
        named = self._dtypes(guard.subject, given, owner)
        other = [guard.value] if isinstance(guard.value, DType) else self._dtypes(guard.value, given, owner)
        held, written = (other, named) if guard.kind == "held" else (named, other)
        for of in written:
            if held and not any(holds(to, of, guard.kind == "holds_signed") for to in held):
                what = f"the capture writes in place what it makes of {guard.subject}, and an array of {held[0]} cannot hold {of}"
                raise GuardError(what, guard.span, "pass an array that can, or make a new one: x = x + y")

    def _check_pair(self, guard: Guard, given: Mapping[str, Any], owner: Backend) -> None:
        """Two arguments are one object, or two, as they were at the capture."""
        places = itertools.product(self.places.get(guard.subject, ()), self.places.get(guard.value, ()))
        if any((_at(given, a) is _at(given, b)) != (guard.kind == "same") for a, b in places):
            what = f"the capture takes it as given that {guard}, which the code asks for, and the call has it otherwise"
            raise GuardError(
                what, guard.span, "capture with arguments that are one object, or two, as those of the call"
            )

    def _check_kinds(self, guard: Guard, given: Mapping[str, Any], owner: Backend) -> None:
        """What arguments promote to is of a kind that the code takes."""
        found = [dtype.kind for dtype in self._dtypes(guard.subject, given, owner)]
        if found and highest(found) not in guard.value:
            what = f"the capture takes {guard} as given, and the call has {numbers(highest(found))}"
            raise GuardError(what, guard.span, "cast them before the call, or in the code: x = x.to(dtype)")

    def _dtypes(self, subject: str, given: Mapping[str, Any], owner: Backend) -> list[DType]:
        """The dtypes of the arrays that the call has for arguments."""
        arrays = (_at(given, place) for path in subject.split(", ") for place in self.places.get(path, ()))
        return [found for x in arrays if owner.is_tensor(x) and (found := owner.dtype_of(x)) is not None]

    def slots(self, given: Mapping[str, Any]) -> Iterator[tuple[str, Slot, Any]]:
        """(path, what may stand there, the caller's own object) for every open leaf of the arguments."""
        for path, places in self.places.items():
            for place in places:
                yield path, _at(self.trees, place), _at(given, place)

    def arrays(self, given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """(path, the caller's own object) for every open leaf of the arguments."""
        return ((path, held) for path, _, held in self.slots(given))

    def written(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The caller's own objects that the program writes, by what the state calls them."""
        return {self.writes[path]: held for path, held in self.arrays(given) if path in self.writes}

    def _check_dims(self, given: Mapping[str, Any], owner: Backend) -> None:
        """One open dim has one size, within its bounds; a size that is computed from others is that."""
        sizes: dict[str, int] = {}
        places: dict[str, str] = {}
        computed: list[tuple[str, Expr, int]] = []
        for path, at, dims in self.sized:
            held = _at(given, at)
            for axis, (dim, size) in enumerate(zip(dims, owner.shape_of(held) if owner.is_tensor(held) else ())):
                place = f"{path}.shape[{axis}] == {size}"
                if isinstance(dim, Expr):
                    computed.append((place, dim, size))
                elif isinstance(dim, Dim):
                    _check_bounds(dim, size, place)
                    if sizes.setdefault(dim.name, size) != size:
                        raise _unequal(f"the dim {dim.name!r} as one size", f"{places[dim.name]} and {place}")
                    places.setdefault(dim.name, place)
        for place, expression, size in computed:
            if (told := solved(expression, size, sizes)) is not None:
                dim, alone = told
                if alone is None:
                    raise _unequal(f"a size of {expression} as given", place)
                _check_bounds(dim, alone, f"{place}, where {dim} is {alone}")
                sizes[dim.name], places[dim.name] = alone, place
            if all(atom.name in sizes for atom in atoms(expression)) and evaluate(expression, sizes) != size:
                known = ", ".join(places[name] for name in dict.fromkeys(atom.name for atom in atoms(expression)))
                raise _unequal(f"a size of {expression} as given", f"{known} and {place}")

    def _check_aliases(self, given: Mapping[str, Any], owner: Backend) -> None:
        """What the program writes shares no memory with another argument."""
        tensors = [(name, x) for name, x in self.arrays(given) if owner.is_tensor(x)]
        for (a, x), (b, y) in itertools.combinations(tensors, 2):
            if (a in self.writes or b in self.writes) and owner.share(x, y):
                raise GuardError(
                    f"the arguments {a!r} and {b!r} share memory, and the program writes to one of them",
                    hint="the capture took them for different arrays: pass a copy of one",
                )


def element(value: Any) -> DType | None:
    """The DType that a framework's own object stands for; None for anything else, and for texts and classes of Python."""
    if isinstance(value, str) or any(value is kind for kind in NUMBER_CLASSES):
        return None
    return next((found for owner in loaded() if (found := owner.as_dtype(value)) is not None), None)


def _at(tree: Mapping[str, Any], place: Sequence[Any]) -> Any:
    found: Any = tree
    for key in place:
        found = found[key]
    return found


# ---------------------------------------------------------------------- leaves
def _check_leaf(tree: Any, held: Any, path: str, owner: Backend) -> None:
    """The containers of an argument are part of the capture: the same keys, the same lengths; and so are its leaves."""
    kind = type(tree)
    if kind is dict:
        _check_keys(tree, held, path)
        for key, item in tree.items():
            _check_leaf(item, held[key], f"{path}.{key}", owner)
    elif kind in (list, tuple):
        if not isinstance(held, (list, tuple)) or len(held) != len(tree):
            got = f"{len(held)} items" if isinstance(held, (list, tuple)) else type(held).__name__
            raise GuardError(
                f"the capture takes {path!r} as a {kind.__name__} of {len(tree)} items, and the call has {got}",
                hint="capture again with this structure",
            )
        for at, item in enumerate(tree):
            _check_leaf(item, held[at], f"{path}.{at}", owner)
    elif kind is Slot:
        _check_open(tree, held, path, owner)
    elif not same(held, tree):
        raise _other(path, tree, held, owner)


def _check_keys(tree: dict, held: Any, path: str) -> None:
    if isinstance(held, Mapping) and set(held) == set(tree):
        return
    got = f"the keys {', '.join(map(str, held))}" if isinstance(held, Mapping) else type(held).__name__
    want = ", ".join(map(str, tree)) or "no keys"
    raise GuardError(
        f"the capture takes {path!r} as a dictionary of {want}, and the call has {got}",
        hint="capture again with these keys",
    )


def same(held: Any, fixed: Any) -> bool:
    """Whether what a call gives is what the capture took as given."""
    if held is fixed:
        return True
    if type(fixed) is Described:
        if held is None:  # what stands for it in results
            return any(backend.is_structure(fixed.object) for backend in loaded())
        return fixed.stands_for(held) or (type(held) is type(fixed.object) and _alike(held, fixed.object))
    if type(fixed) is DType:
        return element(held) == fixed
    if type(held) is not type(fixed):
        return False
    if type(fixed) is slice:
        return all(same(getattr(held, end), getattr(fixed, end)) for end in ("start", "stop", "step"))
    return bool(held == fixed) or (held != held and fixed != fixed)


def _alike(a: Any, b: Any) -> bool:
    """Whether a framework takes two objects apart as one tree without leaves: all that they are is part of the tree."""
    trees = ((backend, backend.flatten(a)[0], backend.flatten(b)[0]) for backend in loaded())
    return any(not (x or y) and backend.shape_of_tree(a) == backend.shape_of_tree(b) for backend, x, y in trees)


def _other(path: str, fixed: Any, held: Any, owner: Backend) -> GuardError:
    """The error for an argument that is fixed to something else."""
    taken = Guard("value", path, fixed)
    if type(fixed) is Described and not fixed.known:
        hint = "leave the argument out: of an object no file keeps more than this text"
        return GuardError(
            f"the capture took {taken} as given, and whether this is that object cannot be told", hint=hint
        )
    hint = "capture again with this value, or leave the argument open (gfx.Open)"
    if owner.is_tensor(held) and owner.style is not None and owner.style.control.compiled:
        hint += "; under jax.jit name it in static_argnames"
    return GuardError(f"the capture took {taken} as given, and the call has {path} = {_shown(held)}", hint=hint)


def _check_open(slot: Slot, held: Any, path: str, owner: Backend) -> None:
    if slot.kind == "list":
        _check_list(held, path, owner)
        return
    own = owner.is_tensor(held)
    if not (_fits(slot.kind, held) or (own and _counts(slot.kind, held, owner))):
        raise GuardError(
            f"the capture takes {path!r} as a value of kind {slot.kind!r}, and the call has {_shown(held)}",
            hint=f"annotate {path!r} in the signature with what it is, or give it at capture",
        )
    of = owner if own else owner_of(held)
    if of is not None and of is not owner:
        _check_foreign(held, path, owner, of)
    if isinstance(slot.type, LogicalTensor):
        if of is not None:
            _check_type(slot.type, held, path, owner, of)
        elif isinstance(held, NUMBER_CLASSES) and slot.type.dims:
            got = f"the number {held!r}"
            raise GuardError(f"the capture is for {path}: {slot.type}, and the call has {got}", hint="pass an array")
    elif slot.type is not None and not same(held, slot.type):
        raise _other(path, slot.type, held, owner)


def _check_list(held: Any, path: str, owner: Backend) -> None:
    """An open list of tensors is any list or tuple of these."""
    listed = isinstance(held, (list, tuple))
    for at, item in enumerate(held if listed else (held,)):
        of = owner_of(item) if listed else None
        if of is None:
            got = _shown(item) + (f" at {at}" if listed else "")
            what = f"the capture takes {path!r} as a list of tensors, and the call has {got}"
            raise GuardError(what, hint="give it at capture")
        if of is not owner:
            _check_foreign(item, f"{path}.{at}", owner, of)


def _check_foreign(held: Any, path: str, owner: Backend, of: Backend) -> None:
    """An array of another framework is one of those that the owner's functions take."""
    if of.name in owner.takes:
        return
    if of.is_key(held):
        raise ArgumentError(
            f"{path!r} is a key of {of.name}, and this function draws random numbers from what {owner.name} has for them",
            hint="give a torch.Generator, a key of jax.random, or a generator of NumPy's",
        )
    if not isinstance(held, np.generic):
        raise ArgumentError(
            f"{path!r} is an array of {of.name}, and this function takes those of {owner.name}",
            hint=f"give it an array of {owner.name}; the Program itself runs on the framework of its arguments",
        )


def _fits(kind: str, held: Any) -> bool:
    """Whether an argument may stand where the capture has an open value of this kind."""
    if kind == "tensor":
        return not isinstance(held, (str, list, tuple, dict, set, type(None)))
    if kind == "int":
        return isinstance(held, (int, np.integer)) and not isinstance(held, bool)
    if kind == "float":
        return isinstance(held, (float, int, np.floating, np.integer)) and not isinstance(held, bool)
    return not isinstance(held, _PLAIN) or kind not in ("bool", "str") or type(held).__name__ == kind


def _counts(kind: str, held: Any, owner: Backend) -> bool:
    """Whether an array of the owner's stands for a number of Python's: one without axes whose dtype yields to others, as tracers
    make of them."""
    if kind not in ("int", "float"):
        return False
    type_ = owner.type_of(held)
    return (
        type_.weak
        and type_.dims == ()
        and type_.dtype is not None
        and type_.dtype.kind in ("iu" if kind == "int" else "iuf")
    )


def _shown(held: Any) -> str:
    return repr(held) if isinstance(held, _PLAIN) else described(held).text


def _check_type(type_: LogicalTensor, held: Any, path: str, owner: Backend, of: Backend) -> None:
    """An array `of` a framework has the sizes and the dtype that the capture has fixed."""
    shape, dtype = of.shape_of(held), None if of.is_key(held) else of.dtype_of(held)
    fits = type_.dims is None or (
        len(shape) == len(type_.dims) and all(not isinstance(d, int) or d == s for d, s in zip(type_.dims, shape))
    )
    if fits and (type_.dtype is None or dtype is type_.dtype or dtype in (type_.dtype, owner.held_as(type_.dtype))):
        return
    some = any(isinstance(dim, Dim) for dim in type_.dims or ())  # dynamic=True may have been said
    told = "leave it open with a TensorSpec of Dims; the program's notes tell of sizes that code keeps"
    raise GuardError(
        f"the capture is for {path}: {type_}, and the call has {LogicalTensor(dtype, tuple(shape)) if dtype else 'a key'}",
        hint=told if some else "capture with dynamic=True, or with a TensorSpec of Dims",
    )


def _check_bounds(dim: Dim, size: int, place: str) -> None:
    if size < dim.min or (dim.max is not None and size > dim.max):
        most = f" to {dim.max}" if dim.max is not None else " or more"
        raise GuardError(
            f"the capture took the dim {dim.name!r} as {dim.min}{most}, and the call has {place}",
            hint="capture with a Dim of other bounds",
        )


def _unequal(what: str, found: str) -> GuardError:
    hint = "pass arrays that agree, or capture with Dims of different names"
    return GuardError(f"the capture took {what}, and the call has {found}", hint=hint)


_OF_SEVERAL = {
    **dict.fromkeys(HELD, Admission._check_held), "kinds": Admission._check_kinds,
    **dict.fromkeys(("same", "distinct"), Admission._check_pair),
}  # fmt: skip
