"""Promotion that the target would decide otherwise when the code runs: where a dtype is open, one of several, or weak.

Source is exact for arguments that are open if all of them are of one floating dtype: so each such dtype is tried, under the
rules of the program and under those of the target. PyTorch lets a value of no axes decide the kind alone, NumPy widens a float
beside whole numbers, JAX has arrays that are weak as numbers of Python's are.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..backend import Backend
from ..dtypes import DType, bool_, complex128, default, float32, float64, framework_of, int64
from ..edited import put_before, set_arg
from ..graph import Graph, Node, Value
from ..infer.abstract import ARRAY
from ..infer.elements import declared, tensors
from ..infer.facts import Facts
from ..infer.handed import FLOATS
from ..infer.origins import POSITIONS
from ..op import Trait, lookup
from ..promotion import promote
from ..rules import OPEN, RAISED, UNKNOWN, infer
from ..trees import leaves, tree_map
from ..types import LogicalTensor
from .agree import is_weak

_APART = ("control", "create", "random", "effect", "number")
_OTHERS = (bool_, float32, float64, complex128)
_WIDEST = (float64, complex128)
_MOST = 32
"""How many choices of dtypes an op is asked for."""
Assumed = Callable[[DType | None], Facts]
Insert = tuple[str, tuple]


class Case(NamedTuple):
    """One choice of the types that the tensors of an op may have, in the program and in the target, and what these make of it."""

    types: dict[Value, LogicalTensor]
    there: dict[Value, LogicalTensor]
    ours: LogicalTensor
    theirs: LogicalTensor

    def agrees(self, theirs: LogicalTensor | None) -> bool:
        """Whether the target has the same dtype; an array that is weak there is not the program's."""
        return theirs is not None and self.ours.dtype == theirs.dtype and self.ours.weak >= theirs.weak


def promote_at_run(graph: Graph, backend: Backend, rules: str, facts: Assumed) -> None:
    """Put casts into the graph and its regions. `facts`: of the values, where open arguments have this dtype."""
    if backend.promotion == framework_of(rules):
        return
    nodes = [node for node in graph.walk() if _promotes(node)]
    first = facts(None)
    if any(_is_open(node, first, rules, backend.promotion) for node in graph.walk() if len(node.values) == 1):
        open_ = any(dtype is None for node in nodes for leaf in tensors(node) for dtype, _ in first.elements(leaf))
        views = [facts(dtype) for dtype in FLOATS] if open_ else [first]
        found = Promotion(graph, views, facts(int64) if open_ else None, rules, backend.promotion)
        made = [
            (node, dtype)
            for node in graph.walk()
            if (dtype := _default(node, first, rules, backend.promotion)) is not None
        ]
        for node, edits in [(node, found.edits(node)) for node in nodes]:
            for leaf, insert in edits:
                _put(node, leaf, *insert)
        for node, dtype in made:
            set_arg(node, "dtype", dtype)


def tell_filled(graph: Graph, backend: Backend, rules: str, facts: Assumed) -> None:
    """Tell ops that make arrays of open numbers, or fill one with an element of another array, the dtype that they have in PyTorch's
    code, which has defaults of its own, or for PyTorch, which takes that of numbers."""
    ours, theirs = framework_of(rules), backend.promotion
    if ours == theirs or "torch" not in (ours, theirs):
        return
    found = [node for node in graph.walk() if (_is_of_numbers(node) if ours == "torch" else _is_filled(node))]
    known = facts(None) if found else None
    for node in found:
        assert known is not None
        if theirs == "torch" and not known.may_be_number(node.arg("fill_value")):
            set_arg(node, "dtype", _dtype_of(node, node.arg("fill_value")))
        elif ours == "torch" and all(map(known.is_number, tensors(node))) and not known.is_boolean(node.value):
            set_arg(node, "dtype", known.dtype(node.value))


def _promotes(node: Node) -> bool:
    """Whether an op has one result, an array whose dtype follows from what it takes."""
    made = len(node.values) == 1 and node.values[0].is_tensor and not node.regions and not node.in_place
    return made and node.op.family not in _APART and not node.op.traits & (Trait.CASTS | Trait.ASKS)


def _is_open(node: Node, facts: Facts, rules: str, target: str) -> bool:
    """Whether rules may differ on an op although no dtype that is known tells so."""
    found = [facts.elements(leaf) for leaf in tensors(node)]
    dtypes = {dtype for elements in found for dtype, _ in elements}
    if any(len(elements) > 1 for elements in found) or (None in dtypes and len(dtypes - {bool_}) > 1):
        return True
    if target == "jax" and found and all(map(facts.is_number, tensors(node))):
        return False  # a function of Python's, which gives a number again
    narrower = default("f", rules) != default("f", target)
    if narrower and any(map(facts.is_number, tensors(node))):
        return target != "jax"
    made = (*tensors(node), node.value)
    arrays = [leaf for leaf in made if facts.may_be_weak(leaf) and not facts.may_be_number(leaf)]
    of_whole = (narrower or target == "jax") and not _has_floats(dtypes)
    return bool(arrays) or (of_whole and _has_floats({facts.dtype(node.value)}))


def _has_floats(dtypes: Iterable[DType | None]) -> bool:
    return any(dtype is None or dtype.kind in "fc" for dtype in dtypes)


def _is_of_numbers(node: Node) -> bool:
    return bool(node.op.traits & Trait.OF_NUMBERS and node.arg("dtype") is None and tensors(node))


def _is_filled(node: Node) -> bool:
    value = node.arg("fill_value") if "fill_value" in node.op.params and "shape" in node.op.params else None
    return type(value) is Value and value.is_tensor and node.arg("dtype") is None


def _dtype_of(node: Node, value: Value) -> DType | Value:
    """The dtype of a tensor, asked when the code runs where it is not known."""
    known = declared(value)
    assert node.graph is not None
    return known or node.graph.insert(Node(lookup("dtype_of"), (value,), ("dtype",), node.span), node).value


def _default(node: Node, facts: Facts, rules: str, target: str) -> DType | None:
    """The dtype of a weak array that an op makes of a number, where the target has a narrower one for it; else None."""
    asks = node.op.family == "create" and "dtype" in node.op.params and node.arg("dtype") is None
    if not asks or not (is_weak(node, rules) or facts.may_be_weak(node.value)):
        return None
    open_ = any(type(arg) is Value and arg.kind == "float" for arg in node.args)
    dtype = default("f", rules) if open_ else facts.dtype(node.value)
    wider = dtype is not None and dtype.kind in "fc" and dtype.bits > default(dtype.kind, target).bits
    return dtype if wider else None


class Promotion:
    """The answers for one graph."""

    def __init__(self, graph: Graph, views: list[Facts], whole: Facts | None, rules: str, target: str) -> None:
        """`views`: facts for which source is exact; `whole`: those of whole numbers, which are not made floats for that."""
        self.views, self.whole, self.rules = views, whole, rules
        self.target = "jax_x64" if target == "jax" and rules != "torch" else target  # whose defaults PyTorch has
        self.weak = target == "jax"
        self.ranks = _ranks(graph, rules)

    def edits(self, node: Node) -> list[tuple[Any, Insert]]:
        """What is put in the place of which arguments of an op."""
        cases = [self._cases(node, view) for view in self.views]
        every = [case for several in cases for case in several]
        if not all(cases) or not all(map(_matters, every)) or all(case.agrees(case.theirs) for case in every):
            return []
        parts = [leaf for leaf in tensors(node) if self._takes_part(node, leaf, every[0])]
        made = {case.ours.dtype for case in every}
        others = self._cases(node, self.whole) if self.whole is not None else []
        if len(made) == 1 and made.issuperset(case.ours.dtype for case in others):
            return self._to_one(node, parts, cases, made.pop())  # type: ignore[arg-type]
        if any(len(several) > 1 for several in cases):
            return self._to_floats(parts, every) if len(parts) == 1 else self._with_one(parts, cases)
        return self._together(parts, every)

    # ------------------------------------------------------------------ what the rules give
    def _cases(self, node: Node, facts: Facts) -> list[Case]:
        """All choices; none where a dtype is not told, or it may be a number of Python's."""
        given = tensors(node)
        if self.weak and given and all(map(facts.is_number, given)):
            return []
        if facts.may_be_number(node.value) or any(ARRAY in facts.kinds(x) and facts.may_be_number(x) for x in given):
            return []
        found = [facts.elements(leaf) for leaf in given]
        sizes = [len(elements) for elements in found]
        if not all(sizes) or max(sizes, default=1) ** len(sizes) > _MOST or any((None, w) in e for e in found for w in (False, True)):  # fmt: skip
            return []
        cases = []
        for choice in itertools.product(*found):
            types = {leaf: LogicalTensor(d, self.ranks.get(leaf), weak=weak) for leaf, (d, weak) in zip(given, choice)}
            case = self._case(node, types, facts)
            if case is None:
                return []
            cases.append(case)
        return cases

    def _case(self, node: Node, types: dict[Value, LogicalTensor], facts: Facts) -> Case | None:
        ours = self._made(node, types, self.rules)
        there = {leaf: self._there(leaf, known, facts) for leaf, known in types.items()}
        theirs = self._made(node, there, self.target)
        known = ours is not None and theirs is not None and ours.dtype is not None
        return Case(types, there, ours, theirs) if known else None  # type: ignore[arg-type]

    def _there(self, leaf: Value, known: LogicalTensor, facts: Facts) -> LogicalTensor:
        """The type in the target of what has this one: it has a default of its own for numbers, and only JAX has weak arrays."""
        if facts.is_number(leaf) and known.dtype is not None:
            return known.with_(dtype=default(known.dtype.kind, self.target))
        return known if self.weak else known.with_(weak=False)

    def _made(self, node: Node, types: dict[Value, LogicalTensor], rules: str) -> LogicalTensor | None:
        """The type of the result; of what is compared that in which it is."""
        args = tree_map(lambda leaf: _typed(leaf, types, rules), node.args)
        try:
            made = infer(node.op, args, rules)[0]
            if isinstance(made, LogicalTensor) and made.dtype is bool_ and node.op.traits & Trait.ELEMENTWISE:
                pair = [leaf for leaf in leaves(args) if isinstance(leaf, LogicalTensor)]
                floats = len(pair) > 1 and all(leaf.dtype is not None and leaf.dtype.kind in "fc" for leaf in pair)
                return LogicalTensor(promote(pair, rules)[0]) if floats else None
        except RAISED:
            return None
        if not isinstance(made, LogicalTensor):
            return None
        meets = made.weak and self.weak and any(len(tensors(user)) > 1 for user in node.value.users())
        return made if meets or rules != self.target else made.with_(weak=False)

    def _takes_part(self, node: Node, leaf: Value, case: Case) -> bool:
        """Whether the dtype of the result follows from that of this one: it is no position, condition or length."""
        others = (self._made(node, case.types | {leaf: case.types[leaf].with_(dtype=d)}, self.rules) for d in _OTHERS)
        return any(made is not None and made.dtype != case.ours.dtype for made in others)

    # ------------------------------------------------------------------ what is cast
    def _to_one(self, node: Node, parts: list[Value], cases: list[list[Case]], dtype: DType) -> list[tuple[Any, Insert]]:  # fmt: skip
        """The result has one dtype, whatever the arguments have."""
        if not parts:
            number = next((arg for name, arg in zip(node.op.params, node.args) if _is_number(name, arg)), None)
            by = "as_tensor" if type(number) is Value else "constant"
            return [] if number is None or not node.op.traits & Trait.ELEMENTWISE else [(number, (by, (number, dtype)))]
        fixed, varying = dict[Value, Insert](), dict[Value, Insert]()
        for part in parts:
            several = [{case.types[part].dtype for case in view} for view in cases]
            if any(several[0] != other for other in several):
                varying[part] = ("promote_with", (part, dtype, self._is_wide(dtype)))
            elif several[0] != {dtype} or any(case.types[part].weak for case in cases[0]):
                fixed[part] = ("as_tensor" if self.views[0].is_number(part) else "astype", (part, dtype))
        done = LogicalTensor(dtype)
        for some in (fixed, varying):
            there = {part: done.with_(dims=self.ranks.get(part)) for part in some}
            every = [case for view in cases for case in view]
            if all(case.agrees(self._made(node, case.there | there, self.target)) for case in every):
                return list(some.items())
        return [*fixed.items(), *varying.items()]

    def _to_floats(self, parts: list[Value], every: list[Case]) -> list[tuple[Any, Insert]]:
        """Where whole numbers are made floats and floats are kept, one of several is made a float before."""
        wrong = [case for case in every if not case.agrees(case.theirs)]
        made = {case.ours.dtype for case in wrong}
        whole = [part for part in parts if all(_is_whole(case.types[part]) for case in wrong)]
        if len(made) != 1 or len(whole) != 1:
            return []
        return [(whole[0], ("as_floats", (whole[0], made.pop())))]

    def _with_one(self, parts: list[Value], cases: list[list[Case]]) -> list[tuple[Any, Insert]]:
        """One of several dtypes, which is asked when the code runs, and others."""
        several = [part for part in parts if any(len({case.types[part].dtype for case in view}) > 1 for view in cases)]
        if len(several) != 1 or self.rules != "numpy":
            return []
        return [(part, ("promote_with", (part, several[0], True))) for part in parts if part is not several[0]]

    def _together(self, parts: list[Value], every: list[Case]) -> list[tuple[Any, Insert]]:
        """The result has the dtype of an argument that is open, or what that promotes to with those that are known."""
        open_ = [part for part in parts if len({case.types[part].dtype for case in every}) > 1]
        known = [every[0].types[part] for part in parts if part not in open_]
        if not open_ or not known:
            return []
        if all(case.ours.dtype == case.types[open_[0]].dtype for case in every):
            return [(part, ("as_number_beside", (part, open_[0]))) for part in parts if part not in open_]
        dtype = promote(known, self.rules)[0]
        if dtype is None:
            return []
        return [(part, ("promote_with", (part, dtype, self._is_wide(dtype)))) for part in open_]

    def _is_wide(self, dtype: DType) -> bool:
        return self.rules == "numpy" and dtype not in _WIDEST


def _typed(leaf: Any, types: dict[Value, LogicalTensor], rules: str) -> Any:
    if type(leaf) is not Value:
        return leaf
    if leaf in types:
        return types[leaf]
    letter = {"bool": "b", "int": "i", "float": "f"}.get(leaf.kind)
    return OPEN if letter is None else LogicalTensor(default(letter, rules), (), weak=True)


def _is_number(name: str, arg: Any) -> bool:
    open_ = type(arg) is Value and arg.kind in ("int", "float")
    return name not in POSITIONS and (open_ or type(arg) in (int, float, complex))


def _matters(case: Case) -> bool:
    """Whether its dtype is one of floats, or of whole numbers beside an array that gave way: others are as wide as they need to be."""
    assert case.ours.dtype is not None
    weak = any(type_.weak for type_ in case.types.values()) and not case.ours.weak
    return case.ours.dtype.kind in "fc" or (case.ours.dtype.kind in "iu" and weak)


def _is_whole(known: LogicalTensor) -> bool:
    return known.dtype is not None and known.dtype.kind in "iub"


def _ranks(graph: Graph, rules: str) -> dict[Value, tuple]:
    """Dims of which no more is known than how many they are, of the values of which that is known."""
    found: dict[Value, tuple] = {}
    for node in graph.walk():
        known = [value.type for value in node.values]
        if not any(isinstance(type_, LogicalTensor) and type_.dims is not None for type_ in known):
            if node.regions or node.op.control is not None or node.op.family in ("control", "effect"):
                continue
            given = tree_map(lambda leaf: _of_rank(leaf, found), node.args)
            try:
                known = list(infer(node.op, given, rules))
            except RAISED:
                continue
        for value, type_ in zip(node.values, known):
            if isinstance(type_, LogicalTensor) and type_.dims is not None:
                found[value] = (None,) * len(type_.dims)
    return found


def _of_rank(leaf: Any, found: dict[Value, tuple]) -> Any:
    if type(leaf) is not Value:
        return leaf
    return LogicalTensor(None, found[leaf]) if leaf in found else UNKNOWN if leaf.is_tensor else OPEN


def _put(node: Node, leaf: Any, name: str, args: tuple) -> None:
    """Put what an op makes of an argument in its place."""
    if lookup(name).params[1] == "dtype" and type(args[1]) is Value:
        args = (args[0], _dtype_of(node, args[1]), args[2])
    made = put_before(node, name, *args)
    if made.node.op.traits & (Trait.CASTS | Trait.OF_NUMBERS):
        known = leaf.type if type(leaf) is Value and isinstance(leaf.type, LogicalTensor) else LogicalTensor()
        dims = known.dims if type(leaf) is Value else ()
        made.type = dataclasses.replace(known, dtype=args[1], dims=dims, weak=False)
    if type(leaf) is Value:
        node.replace_input(leaf, made)
    else:
        node.set_args(tuple([made if arg is leaf else arg for arg in node.args]))
