"""Shape rules, memoised: what they give for an op and the types of its arguments, or for all that one of them may be."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..dtypes import bool_, complex64, default, float32, float64, int64
from ..graph import Value
from ..host import Dim
from ..op import OpDef, Trait
from ..python_numbers import NUMBER_CLASSES
from ..rules import OPEN, RAISED, UNKNOWN, infer
from ..trees import BRANCHES, is_constant, leaves, tree_map
from ..types import LogicalTensor
from .abstract import PYTHON, ranks_of

OTHER = type("Other", (), {"__repr__": lambda self: "OTHER"})()
"""Stands for the type of a tensor of which nothing is said yet."""
VARIES = type("Varies", (), {"__repr__": lambda self: "VARIES"})()
"""The answer where it hangs on what is not said."""
_BY_RANK = [LogicalTensor(None, (None,) * rank) for rank in range(5)]
"""The ranks that a rule is asked for. A rule is uniform in the rank, but for the least ones."""
_BY_DTYPE = [LogicalTensor(dtype) for dtype in (bool_, int64, float32, float64, complex64)]
_MOST = 4096  # answers that are remembered
_SIZE = Dim("n")
_INTS = frozenset((int,))


def _itself(value: Value) -> Value:
    return value


class Call:
    """One output of an op, applied to arguments; `tensors`: those among them, each once.

    `root` gives what a tensor stands for, if that is not itself."""

    __slots__ = ("op", "args", "at", "root", "_tensors", "_key")

    def __init__(self, op: OpDef, args: tuple, at: int, root: Callable[[Value], Value] = _itself) -> None:
        self.op, self.args, self.at, self.root = op, args, at, root
        self._key: tuple | None = None
        self._tensors: tuple[Value, ...] | None = None

    @property
    def tensors(self) -> tuple[Value, ...]:
        """The tensors among the arguments, each once."""
        if self._tensors is None:
            root, found = self.root, list[Value]()
            for arg in self.args:
                kind = type(arg)
                if kind is Value and arg.is_tensor:
                    found.append(root(arg))
                elif kind in BRANCHES and not is_constant(arg):
                    found += [root(leaf) for leaf in leaves(arg) if type(leaf) is Value and leaf.is_tensor]
            self._tensors = tuple(dict.fromkeys(found))
        return self._tensors

    @property
    def key(self) -> tuple:
        """What its rule sees but for the types of the tensors."""
        if self._key is None:
            places = {tensor: at for at, tensor in enumerate(self.tensors)}
            self._key = self.op, self.at, *[_key(arg, self.root, places) for arg in self.args]
        return self._key

    def typed(self, types: Iterable[Any], promotion: str) -> Any:
        """The arguments with a type in the place of each tensor, a number for a host value that is one, else OPEN."""
        found = dict(zip(self.tensors, types))
        operands = bool(self.op.traits & Trait.ELEMENTWISE)

        def seen(leaf: Any) -> Any:
            if type(leaf) is not Value:
                return leaf
            if leaf.is_tensor:
                return found[self.root(leaf)]
            if operands and leaf.kind in PYTHON:
                return LogicalTensor(default(leaf.kind[0], promotion), (), weak=True)
            return _SIZE if leaf.kind == "int" else OPEN

        return tree_map(seen, self.args)


def _key(tree: Any, root: Callable[[Value], Value], places: dict[Value, int]) -> Any:
    """A tree of arguments as a key, in which each tensor is a place: 1, 1.0 and True are three."""
    kind = type(tree)
    if kind is Value:
        return (Value, places[root(tree)]) if tree.is_tensor else (Value, tree.kind)
    if kind in NUMBER_CLASSES:
        return kind, tree
    if kind is tuple and _INTS.issuperset(map(type, tree)):
        return tree
    if kind is tuple or kind is list:
        return kind, *[_key(item, root, places) for item in tree]
    if kind is dict:
        return kind, *[(name, _key(item, root, places)) for name, item in tree.items()]
    if kind is slice:
        return kind, *[_key(item, root, places) for item in (tree.start, tree.stop, tree.step)]
    return tree


def _tree_key(tree: Any) -> Any:
    """A tree of types as a key."""
    return _key(tree, _itself, {})


def _signature(types: tuple) -> tuple:
    """Types as a key."""
    return tuple([t if t is OTHER else (t.dtype and t.dtype.name, t.dims, t.weak) for t in types])


def of_rank(rank: int | None) -> LogicalTensor:
    """The type of which no more is known than the rank, if that."""
    if rank is None:
        return UNKNOWN
    return _BY_RANK[rank] if rank < len(_BY_RANK) else LogicalTensor(None, (None,) * rank)


@functools.cache
def _answers(promotion: str) -> dict[Any, Any]:
    """What rules told of calls: it hangs on nothing else, so that one capture knows it from another."""
    return {}


class ShapeRules:
    """The shape rules of one promotion. A model asks the same of each of its layers, at each rank that they might have."""

    def __init__(self, promotion: str) -> None:
        self.promotion = promotion
        self._found: dict[Any, Any] = {}
        self._told, self._own = _answers(promotion), dict[Any, Any]()

    def infer(self, op: OpDef, args: tuple) -> tuple:
        """Types of the outputs 1… of `op` on arguments of these types. Raises what the rule raises."""
        try:
            key = op.name, _tree_key(args)
            found = self._found.get(key)
        except TypeError:  # an argument that is no key, as an array's content
            return infer(op, args, self.promotion)
        if found is None:
            try:
                found = infer(op, args, self.promotion)
            except Exception as error:  # it is the answer, and raised to whoever asks
                found = error
            self._found[key] = found
        if isinstance(found, Exception):
            raise found
        return found

    def type(self, call: Call, types: tuple) -> LogicalTensor:
        """The type of an output for the types of the tensors; UNKNOWN where the rule refuses them, or there is none."""
        found: LogicalTensor = self.once(("type", call.key, _signature(types)), self._type, call, types)
        return found

    def element(self, call: Call, types: tuple) -> Any:
        """The dtype of an output, whatever the OTHER tensors are: a type, or VARIES."""
        return self.once(("element", call.key, _signature(types)), self._element, call, types)

    def rank(self, call: Call, types: tuple) -> Any:
        """The ranks of an output in terms of that of the OTHER tensor, or VARIES."""
        return self.once(("rank", call.key, _signature(types)), self._rank, call, types)

    def once(self, key: Any, rule: Callable[[Call, tuple], Any], call: Call, types: tuple) -> Any:
        """What a rule gives for a call, remembered by a key that has all that it sees."""
        # what users write between operators is theirs: it is no more met in the next function
        told = self._own if call.op.traits & Trait.ELEMENTWISE else self._told
        try:
            found = told.get(key)
        except TypeError:  # an argument that is no key, as an array's content
            return rule(call, types)
        if found is None:
            if len(told) >= _MOST:
                told.clear()
            found = told[key] = rule(call, types)
        return found

    def _type(self, call: Call, types: tuple) -> LogicalTensor:
        return self._made(call, types) or UNKNOWN

    def _made(self, call: Call, types: tuple) -> LogicalTensor | None:
        """What the rule gives; None where it refuses: that is said where the op is captured, if it is wrong."""
        if call.op.infer is None and call.op.body is None:
            return UNKNOWN
        try:
            made = infer(call.op, call.typed(types, self.promotion), self.promotion)[call.at]
        except RAISED:
            return None
        return made if isinstance(made, LogicalTensor) else UNKNOWN

    def _element(self, call: Call, types: tuple) -> Any:
        made = [found for _, found in self._tried(call, types, _BY_DTYPE)]
        return made[0] if len({(found.dtype, found.weak) for found in made}) == 1 else VARIES

    def _rank(self, call: Call, types: tuple) -> Any:
        answers = dict[int, int]()
        for probe, found in self._tried(call, types, _BY_RANK):
            if found.dims is None:
                return VARIES
            answers[len(probe.dims or ())] = len(found.dims)
        made = set(answers.values())
        if len(answers) > 1 and len(made) == 1:
            return ranks_of(made.pop())
        less = {rank - found for rank, found in answers.items()}
        if len(less) == 1:
            return frozenset((frozenset(((OTHER, less.pop()),)),))
        *_, above, most = range(len(_BY_RANK))
        if not {above, most} & answers.keys():  # it takes no more axes than these
            return frozenset().union(*map(ranks_of, made)) if made else VARIES
        less, least = {rank - answers.get(rank, rank) for rank in (above, most)}, min(made)
        if len(less) == 1 and all(found == max(rank - min(less), least) for rank, found in answers.items()):
            return frozenset((frozenset(((OTHER, less.pop()), (None, -least))),))
        return VARIES

    def _tried(self, call: Call, types: tuple, probes: list) -> Iterator[tuple[LogicalTensor, LogicalTensor]]:
        """Each of several types that is not refused in the place of what is OTHER, and what the rule gives then."""
        for probe in probes:
            found = self._made(call, tuple([probe if type_ is OTHER else type_ for type_ in types]))
            if found is not None:
                yield probe, found
