"""Casts where two frameworks disagree on the float that arithmetic gives.

`exp` of an int64 tensor is float32 in torch, float64 in NumPy, and either in JAX, by its mode; an int64 tensor times a
float32 tensor is float32 in torch and JAX, float64 in NumPy; torch lets a tensor of no axes decide the kind alone.
Where types are known, such an input gets the dtype that the result has in the program's own framework
(torch.promote_types, NEP 50, JAX's promotion lattice).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from ..backend import Backend
from ..dtypes import DType, bool_, complex128, default, float32, float64, framework_of, int64, kind_of, uint64
from ..edited import cast_behind, set_arg
from ..errors import ShapeError, UnsupportedConstruct
from ..graph import Graph, Node, Value
from ..infer.elements import declared
from ..infer.facts import Facts
from ..op import Trait, lookup
from ..promotion import promote, real_of
from ..python_numbers import NUMBER_CLASSES, computes_floats
from ..rules import infer
from ..trees import leaves, tree_map
from ..types import LogicalTensor
from .numbers_beside import WORD, as_dtype, fit_numbers, wrap_numbers

_APART = ("control", "create", "random", "effect")
_MADE = ("create", "random")
_OF = ("x", "data", "fill_value")
"""Parameters of ops that make arrays: of what."""
_FRACTIONS = {"float": 0.5, "complex": 0.5j}
"""A number for each kind of those whose value is open: one dtype follows from all of them."""
_WIDEST = (float64, complex128)


def cast_whole_numbers(graph: Graph, backend: Backend, rules: str, facts: Facts) -> bool:
    """Put the casts into the graph and its regions. Whether a dtype may be left to decide where the code runs: some are told
    among others that are open, or give way."""
    if backend.promotion == framework_of(rules):
        return False
    before = {value: value.type for value in _values(graph)}
    told = {value: either for value in before if (either := _tell(value, facts)) is not None}
    for node in list(graph.walk()):
        target = backend.promotion
        fit_numbers(node, rules, facts)
        wrap_numbers(node, rules, target)
        _cast_joined(node, target)
        if (common := _compared(node, rules, target)) is not None and not any(map(told.get, node.args[:2])):
            for value in (leaf for leaf in node.args[:2] if leaf.type.dtype != common):
                node.replace_input(value, as_dtype(node, value, common))
        asks = "dtype" in node.op.params and node.arg("dtype") is None
        result = _float_result(node) or _refused_result(node, target, facts)
        if result is None and not asks:
            result = _wrapping_result(node, rules, target)
        if result is not None and not node.op.traits & Trait.CASTS:
            _cast_inputs(node, result, target, told)
            _cast_result(node, result, rules, target)
        elif asks and node.op.family in _MADE:
            _tell_default(node, rules, target)
        elif asks and node.op.family not in _APART:
            _tell_total(node, rules, target)
    for value in told:  # what the printer finds itself, where a dtype is not enough
        value.type = before[value]
    strong = {declared(value) is not None for value in before if value.is_tensor and declared(value) is not bool_}
    gives_way = (
        rules == "numpy" and backend.promotion == "jax" and True in strong
    )  # what NumPy makes a float of whole numbers
    chosen = any(map(_is_chosen, graph.walk()))
    return (
        bool(told)
        or len(strong) > 1
        or gives_way
        or chosen
        or any(map(_gives_way, (*before, *graph.placeholders, *graph.parameters.values())))
    )


def _is_chosen(node: Node) -> bool:
    """Whether an op makes an array of numbers alone, which have a default of each framework's there."""
    return bool(node.op.traits & Trait.CHOOSES) and all(type(arg) in NUMBER_CLASSES for arg in node.args[1:])


def _gives_way(value: Value) -> bool:
    return isinstance(value.type, LogicalTensor) and value.type.weak


def _values(graph: Graph) -> Iterator[Value]:
    """Those of its nodes, and what regions take from outside."""
    for node in graph.walk():
        yield from node.values
        for region in node.regions:
            yield from region.placeholders


def _tell(value: Value, facts: Facts) -> bool | None:
    """Give a tensor that has no dtype the one that it has for all that its program tells: that of booleans and of what is made
    of them, of whole numbers that are counted. Whether it may be a number instead, of the same dtype; None: nothing is told."""
    known = value.type if isinstance(value.type, LogicalTensor) else LogicalTensor()
    found = facts.elements(value) if value.is_tensor and known.dtype is None else ()
    dtypes, strengths = {dtype for dtype, _ in found}, {weak for _, weak in found}
    if len(dtypes) != 1 or None in dtypes:
        return None
    value.type = dataclasses.replace(known, dtype=dtypes.pop(), weak=False not in strengths)
    return len(strengths) > 1


def _float_result(node: Node) -> DType | None:
    """The dtype of a node's first result where that is a float or complex tensor; None for others."""
    if node.op.family in _APART or node.regions or not node.values or not node.values[0].is_tensor:
        return None
    found = node.values[0].type
    known = isinstance(found, LogicalTensor) and found.dtype is not None and not found.weak
    return found.dtype if known and found.dtype.kind in "fc" else None  # type: ignore[union-attr]


def _refused_result(node: Node, target: str, facts: Facts) -> DType | None:
    """The dtype of a node's result, whole numbers made of booleans which the target does not take there; None for others."""
    made = node.values[0].type if len(node.values) == 1 else None
    if not isinstance(made, LogicalTensor) or made.dtype is None or made.dtype.kind not in "iu" or node.regions:
        return None
    tensors = [leaf for leaf in leaves(node.args) if type(leaf) is Value and leaf.is_tensor]
    booleans = any(declared(leaf) is bool_ and not facts.is_number(leaf) for leaf in tensors)
    return made.dtype if booleans and node.op.family not in _APART and _inferred(node, target) is None else None


def _wrapping_result(node: Node, rules: str, target: str) -> DType | None:
    """The dtype of whole numbers that the target would compute in other bits, in which they wrap elsewhere, or counts as floats; None for
    others. Raises UnsupportedConstruct where it computes floats of whole numbers."""
    made = node.values[0].type if len(node.values) == 1 else None
    known = made.dtype if isinstance(made, LogicalTensor) and not made.weak else None
    if known is None or known.kind not in "biu" or node.regions or node.op.family in _APART:
        return None
    usual = _inferred(node, target)
    if usual is not None and usual.kind == "f":
        if not _of_whole_numbers(node):
            return known
        what = f"GFX cannot write this {node.op.name} of {known} as {target} source, which computes floats there"
        raise UnsupportedConstruct(
            what, node.span, "give it floats, or run it as the framework that it was written for"
        )
    most = _most(rules, target)
    other = usual is not None and usual.kind in "iu" and min(usual.bits, most) != min(known.bits, most)
    other = (
        other or (usual is not None and usual.kind == "u" and known.kind == "i") or _is_narrower(node, known, target)
    )
    other = other or (usual is None and framework_of(target) == "torch" and _hangs_on_axes(node))
    return (int64 if known.name == "uint64" else known) if other else None


def _hangs_on_axes(node: Node) -> bool:
    """Whether PyTorch's dtype of what is made of whole numbers hangs on which of them have axes, which is not known."""
    found = [leaf.type for leaf in leaves(node.args) if type(leaf) is Value and isinstance(leaf.type, LogicalTensor)]
    strong = {type_.dtype for type_ in found if not type_.weak}
    some = None not in strong and len(strong) > 1 and all(dtype.kind in "iu" for dtype in strong)  # type: ignore[union-attr]
    return some and bool(node.op.traits & Trait.ELEMENTWISE) and None in [type_.dims for type_ in found]


def _of_whole_numbers(node: Node) -> bool:
    """Whether a node is given whole numbers. Of floats it makes some only as it counts them, and what a framework counts in floats is exact."""
    dtypes = [declared(leaf) for leaf in leaves(node.args) if type(leaf) is Value and leaf.is_tensor]
    return any(dtype is None or dtype.kind not in "fc" for dtype in dtypes)


def _is_narrower(node: Node, known: DType, target: str) -> bool:
    """Whether JAX has fewer bits there also where it has those of 64."""
    wide = _inferred(node, "jax_x64") if target == "jax" else None
    return wide is not None and wide.kind in "iu" and wide.bits < known.bits


def _most(rules: str, target: str) -> int:
    """The bits up to which two frameworks are to agree: JAX's mode tells whether it has more."""
    return WORD if "jax" in (rules, target) else 64


def _compared(node: Node, rules: str, target: str) -> DType | None:
    """The dtype in which two tensors are compared, where the target would compare them in another one; None for others."""
    made = node.values[0].type if len(node.values) == 1 else None
    if not isinstance(made, LogicalTensor) or made.dtype is not bool_ or not node.op.traits & Trait.ELEMENTWISE:
        return None
    pair = [leaf.type for leaf in node.args[:2] if type(leaf) is Value and leaf.is_tensor]
    if (
        len(node.args) != 2
        or not all(isinstance(t, LogicalTensor) and t.dtype and not t.weak for t in pair)
        or len(pair) < 2
    ):
        return None
    ours, theirs = (promote(pair, by)[0] for by in (rules, target))
    return ours if ours != theirs else None


def _tell_default(node: Node, rules: str, target: str) -> None:
    """Tell an op that makes fractions their dtype: of arrays where the target has another one, of Python's numbers where it has
    a narrower one; JAX's is by its mode."""
    made, usual = _inferred(node, rules), _inferred(node, target)
    if target == "jax" and rules == "numpy" and is_weak(node, "jax") and made is not None:
        set_arg(node, "dtype", made)
    if target == "jax" or is_weak(node, rules) or made is None or usual is None or made.kind not in "fc":
        return
    given = [leaf for leaf in leaves(node.args) if type(leaf) is Value and not _is_number(leaf)]
    of_arrays = any(_takes_part(node, leaf, target) for leaf in given)
    if made.bits > usual.bits or (of_arrays and made != usual):
        set_arg(node, "dtype", made)


def is_weak(node: Node, rules: str) -> bool:
    """Whether an op makes an array of a number that gives way to other dtypes as the number does: JAX has such."""
    number = next((arg for name, arg in zip(node.op.params, node.args) if name in _OF), None)
    plain = type(number) in (int, float, complex) or (type(number) is Value and _is_number(number))
    return framework_of(rules) == "jax" and plain


def _is_number(value: Value) -> bool:
    return not value.is_tensor or (isinstance(value.type, LogicalTensor) and value.type.weak)


def _tell_total(node: Node, rules: str, target: str) -> None:
    """Tell an op that adds up whole numbers its dtype, where the target would keep them in a narrow one, in which they wrap."""
    made = node.values[0].type if len(node.values) == 1 else None
    result = made.dtype if isinstance(made, LogicalTensor) else None
    usual = _inferred(node, "jax_x64" if target == "jax" else target)
    if result is None or usual is None or result.kind not in "iu":
        return
    most = 64 if target == "jax" else _most(rules, target)
    signed = result.kind == "i" != usual.kind
    if signed or min(usual.bits, most) != min(result.bits, most):
        set_arg(node, "dtype", result)


def return_unsigned(graph: Graph, target: str) -> None:
    """Give totals of whole numbers that are never negative back as such: PyTorch adds them up as others, and computes little else."""
    found: dict[Value, Value] = {}
    for value in {leaf: None for leaf in leaves(graph.result) if target == "torch" and declared(leaf) is uint64}:
        if value.node.op.control is not None or _inferred(value.node, target) is int64:
            made = graph.append(Node(lookup("astype"), (value, uint64), ("tensor",), value.node.span)).value
            made.type, found[value] = value.type, made
    if found:
        graph.result = tree_map(lambda leaf: found.get(leaf, leaf) if type(leaf) is Value else leaf, graph.result)


def _cast_inputs(node: Node, result: DType, target: str, told: Mapping[Value, bool]) -> None:
    tensors = {leaf: leaf.type for leaf in leaves(node.args) if type(leaf) is Value and leaf.is_tensor}
    if not all(isinstance(t, LogicalTensor) and t.dtype is not None for t in tensors.values()):
        return
    part = real_of(result) or result
    whole = [v for v, t in tensors.items() if t.dtype.kind not in "fc" and t.dtype != part and not t.weak]
    others = []
    if part.kind in "iu":
        whole = [v for v in whole if tensors[v].dtype is bool_ or tensors[v].dtype.bits != part.bits]
    else:
        others = [v for v, t in tensors.items() if t.dtype.kind == "f" and t.dtype != part and not t.weak]
        others += [v for v, t in tensors.items() if t.dtype.kind == "c" and t.dtype != result and not t.weak]
    taking = [value for value in (*whole, *others) if _takes_part(node, value, target)]
    if not taking or _agrees(node, tensors, whole, result, target):
        return
    for value in taking:
        dtype = result if tensors[value].dtype.kind == "c" else part
        node.replace_input(value, as_dtype(node, value, dtype, "as_tensor" if told.get(value) else "astype"))


def _cast_result(node: Node, result: DType, rules: str, target: str) -> None:
    """Make a result of whole numbers or booleans what it is in the program, where the target adds them up in wider ones."""
    usual = _inferred(node, target)
    if result.kind in "fc" or usual is None or usual == result or usual.kind == "c":
        return
    most = _most(rules, target)
    if usual.kind != "f" and min(usual.bits, most) <= min(result.bits, most) and result is not bool_:
        return
    cast_behind(node, result)


def _cast_joined(node: Node, target: str) -> None:
    """Make a joined list what it is in the program, where NumPy takes a number in it for an array of its own default dtype."""
    if target == "numpy" and node.op.traits & (Trait.JOINS | Trait.STACKS):
        numbers = [leaf for leaf in leaves(node.args[0]) if type(leaf) in NUMBER_CLASSES]
        result = declared(node.values[0]) if numbers else None
        if result is not None and any(default(kind_of(number), target).bits > result.bits for number in numbers):
            cast_behind(node, result)


def _agrees(node: Node, tensors: dict[Value, Any], whole: list[Value], result: DType, target: str) -> bool:
    """Whether the target gives the result its dtype on its own."""
    strong = sum(not t.weak for t in tensors.values())
    if target == "jax" and len(whole) == strong:  # of 64 bits its mode makes a float64, if it has it
        return result in _WIDEST and all(tensors[value].dtype.bits == 64 for value in whole)
    return _inferred(node, target) == result


def _takes_part(node: Node, value: Value, target: str) -> bool:
    """Whether the dtype of the result follows from the dtype of this input: it is no position, condition or length."""
    usual = _inferred(node, target)
    others = (_inferred(node, target, value, other) for other in (complex128, bool_, float32, float64))
    return any(found not in (None, usual) for found in others)


def _inferred(node: Node, rules: str, instead: Value | None = None, dtype: DType | None = None) -> DType | None:
    """The dtype of the result under these rules, with another dtype for one input; None where it cannot be told."""

    def typed(leaf: Any) -> Any:
        if type(leaf) is not Value:
            return leaf
        if leaf.kind in _FRACTIONS:
            return _FRACTIONS[leaf.kind]
        if framework_of(rules) == "torch" and _of_numbers(leaf):
            return _FRACTIONS["float"]
        known = leaf.type
        if isinstance(known, LogicalTensor) and known.weak and known.dtype is not None and leaf is not instead:
            return dataclasses.replace(known, dtype=default(known.dtype.kind, rules))
        return dataclasses.replace(leaf.type, dtype=dtype) if leaf is instead else leaf.type  # type: ignore[type-var]

    if any(
        type(leaf) is Value and leaf.is_tensor and not isinstance(leaf.type, LogicalTensor)
        for leaf in leaves(node.args)
    ):
        return None
    try:
        found = infer(node.op, tree_map(typed, node.args), rules)[0]
    except (ShapeError, TypeError):
        return None
    return found.dtype if isinstance(found, LogicalTensor) else None


def _of_numbers(value: Value) -> bool:
    """Whether a value is a function of Python's numbers alone, which PyTorch source leaves to Python: NumPy's is of a dtype."""
    tensors = [leaf for leaf in leaves(value.node.args) if type(leaf) is Value and leaf.is_tensor]
    return computes_floats(value.node.op) and not tensors
