"""Frontend: what a framework's calls, methods and attributes become in a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import FunctionType
from typing import Any

from .arrays import Arrays
from .errors import BackendError
from .making import Replayed, Stagings
from .printed import same_code
from .row import Lift, Row
from .source import defined_at
from .trees import leaves, paths, unflatten
from .types import LogicalTensor


class Frontend(Arrays):
    """Tables of lifts, and what capture asks of the framework beside them."""

    packages: tuple[str, ...] = ()
    """Top-level packages of the framework: code in them is never entered, only lifted."""
    public: tuple[str, ...] = ()
    """Modules and classes, by their dotted names, whose functions a graph may hold as they are."""
    device_kinds: tuple[str, ...] = ()
    """Names of the kinds of device that code asks arrays for, as in `x.is_cuda`."""
    trained_attribute: str = ""
    """The attribute of an array that says whether it is trained; "" for none."""
    gradient_attribute: str = ""
    """The attribute in which a trained array gets its gradient, and that is None in any other; "" for none."""
    not_entered: Mapping[str, str] = {}
    """Functions of libraries, by their full names, that its own tracer takes apart at once, and why entering them would end in an error."""
    asks_layout: Mapping[str, Callable[..., Any]] = {}
    """Methods and attributes that tell how an array lies in memory, by name: fn(ask, type, ...), where `ask` answers a question
    of `memory.QUESTIONS`."""
    lays_in_order = False
    """Whether what it computes element by element, or picks by positions, lies row by row where all of its tensors do."""
    warns = False
    """Whether its functions warn of what numbers give, as Python's own warnings."""
    fills: tuple[tuple[int, ...], ...] = ((0,), (1, 2))
    """The data that calls without a row are tried on, in rounds: none (0), or arrays of one number."""
    takes: tuple[str, ...] = ()
    """Other frameworks whose arrays its functions take as they are."""
    operators: Mapping[str, Callable[[Sequence[Any]], None]] = {}
    """Checks of what Python's operators on its arrays are given, by op: of kinds of numbers that they do not take, these raise."""
    untraced: Callable[[], AbstractContextManager[Any]] = staticmethod(nullcontext)
    """Inside, functions of the framework compute, also where its own tracer is at work around."""
    raises: Mapping[str, tuple[type[Exception], ...]] = {
        **dict.fromkeys(("shape", "axis", "element", "one"), (RuntimeError, ValueError, TypeError)),
        "position": (IndexError,),
    }
    """What its functions raise for shapes that they do not take, axes and positions out of range, elements that they do not take (see
    `Trait.CHECKS`), and where the one number of several is asked for."""

    def __init__(self, roots: Mapping[str, Any]) -> None:
        """`roots`: what the first part of a lift's name means."""
        self.roots = dict(roots)
        self.functions: dict[Any, Lift] = {}
        self.methods: dict[str, Lift] = {}
        self.attributes: dict[str, Lift] = {}
        self.modules: dict[type, Lift] = {}
        self.draws: dict[str, Lift] = {}  # methods of the framework's generators: fn(a function that gives keys, ...)
        self.special: dict[Any, str] = {}  # higher-order functions and the like, by what capture calls them ("jit")
        self.written: dict[Any, Any] = {}  # functions in whose place capture enters a Python function
        self.printed: dict[str, tuple[Any, Lift]] = {}  # helpers that GFX itself prints, and what they stand for

    def is_structure(self, x: Any) -> bool:
        """Whether it tells how a tree is built, without the leaves."""
        return False

    def beside(self, x: Any) -> Any:
        """What a number of NumPy's is that its functions and operators are given beside its arrays."""
        return x

    def lift_row(self, row: Row) -> None:
        """Add the lifts of a row."""
        for names, fn in row.lift.items():
            for name in names.split():
                self.add_lift(name, fn, self.roots, copies=name in row.copies, at=f"{row.at} (row {row.op})")

    def recognised(self, fn: Any) -> Lift | None:
        """What a function becomes that no row names, but that tells itself what it is: of those that GFX itself printed the op
        that it stands for (the same name and the same code as a helper of ours), of those that the framework has put in the
        place of one that a row names that one."""
        inner = fn.__dict__.get("__wrapped__") if type(fn) is FunctionType else None
        replaced = self.functions.get(inner) if isinstance(inner, FunctionType) else None
        if replaced is not None and _at(replaced.name, self.roots) is fn:
            return replaced
        found = self.printed.get(fn.__name__) if type(fn) is FunctionType else None
        return found[1] if found is not None and same_code(found[0].__code__, fn.__code__) else None

    def higher_order(self, fn: Any) -> str | None:
        """What capture calls a function of control flow that GFX itself printed, or what a function of functions made;
        None for any other."""
        return None

    def add_lift(self, name: str, fn: Callable[..., Any], roots: Mapping[str, Any], **flags: Any) -> None:
        """Let the framework's `name` become what `fn` builds. Names that this version of it lacks are passed over. Raises
        ValueError where it has a lift."""
        root, _, rest = name.partition(".")
        lift = Lift(name, fn, **{"at": defined_at(fn), **flags})
        if root in ("Tensor", "Array", "ndarray"):
            table = self.attributes if rest.endswith("@") else self.methods
            key = rest.removesuffix("@")
            if (known := table.setdefault(key, lift)) is not lift:
                raise ValueError(f"{self.name}: {name} is lifted twice: at {known.at}, and at {lift.at}")
            return
        target = _at(name, roots)
        if target is None:
            return
        if (known := self.functions.setdefault(target, lift)).fn is not fn:
            raise ValueError(f"{self.name}: {name} is lifted twice: as {known.name} at {known.at}, and at {lift.at}")

    def unwritten(self) -> AbstractContextManager[Any]:
        """Inside, functions of the framework write no array that was there before. Raises BackendError where one would."""
        return nullcontext()

    def alarm(self) -> str:
        """What computing does now besides, by a setting of the framework or of Python's warnings: "divide='raise'"; mostly nothing."""
        return ""

    def settings(self) -> AbstractContextManager[Any]:
        """Inside, such settings may be changed: behind it they are what they were."""
        return nullcontext()

    def condition_of(self, x: Any) -> Any:
        """What an array is besides its data, for those whose methods change it: `holds(x)` tells whether it is still so, and
        `restore(x)` makes it so. None where nothing can change."""
        return None

    def authors_own(self, module: Any) -> Any:
        """The module that its author wrote, of one that the framework compiled. Raises UnsupportedConstruct where it keeps none."""
        return module

    def trained(self, x: Any) -> bool | None:
        """Whether an array that code closes over is trained; None: the framework does not say, so that any may be."""
        return False

    def flatten(self, tree: Any) -> tuple[list[Any], Callable[[Sequence[Any]], Any]]:
        """The leaves of a tree as the framework's functions of functions see them, and how it is made of new leaves."""
        return list(leaves(tree)), lambda new: unflatten(tree, iter(new))

    def gives_copies(self, fn: Any) -> bool:
        """Whether the function that fn wraps, or makes a wrapper of, gets copies of the containers and objects in its arguments, whose
        writes nobody else sees."""
        return False

    def apart(self, tree: Any) -> Any:
        """The tree with each array at one place alone, where the framework tells arrays apart by their places."""
        return tree

    def shape_of_tree(self, tree: Any) -> Any:
        """What a tree is but for its leaves, to be compared with another's; None where that is not told."""
        return None

    def parts_of(self, x: Any) -> dict[str, Any] | None:
        """The attributes of an object that this framework takes apart as a tree of them; None for any other."""
        return None

    def contents_of(self, x: Any) -> list[tuple[tuple, Any]] | None:
        """The same pairs as of `paths` for an object of a library's that holds nothing else than them: its containers of variables,
        and a variable; None for any other."""
        return None

    def statistics_of(self, tree: Any) -> list[Any]:
        """The arrays of a tree that stand beside those that are trained, where it tells them apart."""
        return []

    def paths(self, tree: Any) -> list[tuple[tuple, Any]]:
        """(path, leaf) pairs of a tree as the framework sees it; a path is a tuple of keys, positions and names."""
        return list(paths(tree))

    def stage(self, fn: Callable[..., Any], types: Sequence[LogicalTensor], kept: Stagings) -> Replayed:
        """What the framework's own tracer records of fn on arrays of these types, as what makes the same calls of its public
        functions again. `kept`: of the same capture. Raises BackendError where there is no such tracer."""
        raise BackendError(f"{self.name} has no tracer of its own for this")

    def asks_for_data(self, error: Exception) -> bool:
        """Whether its own tracer raised this, as code asked an array for what is in it."""
        return False

    def holds(self, fn: Any) -> bool:
        """Whether a graph may hold calls of this function: one of arrays that neither writes to them nor reads or writes files."""
        return False

    def registered(self, fn: Any) -> str:
        """The dotted name under which the framework finds a function that others registered with it; "" for any other."""
        return ""

    def find(self, target: str) -> Any:
        """What others registered under a dotted name; None where nothing is."""
        return None

    def written_by(self, fn: Any) -> dict[str, bool]:
        """The parameters of an operator of others' that writes to arguments, each with whether it is written; {} for any other."""
        return {}

    def functional(self, fn: Any) -> Callable[..., Any]:
        """The same as a function that writes nothing: what it gives and, of arguments by name, what it leaves in those that it
        writes. Source calls such a one by the helper `updated`."""
        return fn  # type: ignore[no-any-return]

    def gives_nothing(self, fn: Any) -> bool:
        """Whether a registered function is called for its effect alone."""
        return False

    def probe(self, call: Callable[[Sequence[Any]], Any], types: Sequence[Any], data: int) -> Any:
        """What `call` gives for arrays of these types, which hold the number `data`, or no data where it is 0. Raises what the call raises."""
        raise NotImplementedError


def _at(name: str, roots: Mapping[str, Any]) -> Any:
    """What stands under a dotted name now; None where nothing does."""
    root, *rest = name.split(".")
    target = roots.get(root)
    for part in rest:
        target = getattr(target, part, None)
    return target
