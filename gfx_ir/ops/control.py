"""Structural ops: the ends of a graph, control flow over regions, calls, host computation.

Regions are closed. Of `cond` and `host_if` both take the operands; `while`, `host_while`: test and body take the
carried values, then the operands; `for`, `host_for`: the body takes one value an iterable, the carried values, the
operands, and returns the carried values, then one value for each stacked result. An iterable is a tensor (its rows) or
a ("range", start, stop, step) tuple. `exit` is the position of a carried boolean that ends the loop once it is true (a
`break`): before each trip a loop asks `not carried[exit] and test(...)`.

The result of a region is a tuple with an entry for each value of the node (a whole tree for a value of kind "any"); of
a test it is one leaf. `call` names a function of the program, whose parameters stand under `prefix`; `args` is a tuple
with an entry for each placeholder; the callee's result is a leaf, a tuple of entries, or a tree with a leaf a value.
`custom_gradient` is a function that brings its own gradient: `forward` takes the inputs and returns `count` results, then what it
keeps. In mode "vjp" the rule takes what was kept and the gradients of the results, and returns one for each input (or None);
in mode "jvp" it takes the inputs and their tangents, and returns the results and their tangents.
`transform` is what a function transformation makes of its region, a function of the inputs, then of the operands, which are
held fixed. "grad": the gradient of its first result, a number, for each input, then its results; by complex numbers it is
PyTorch's, the conjugate of JAX's. "jvp": the tangents of its results, `given` those of the inputs. "vmap": its results for each
item of the inputs along their first axes, stacked. "jacrev" and "jacfwd": the derivative of its one result for each input, whose
axes stand behind those of the result. "associative_scan": what the function, of two slices of each input, the earlier ones first,
makes of the elements of the inputs in turn along the axis that is `given`, up to each; it is associative.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from ..build import HOST_OPERATORS, TEXT_METHODS
from ..control import Fail, Form
from ..cost import Counter, Estimate
from ..graph import Node
from ..infer.joins import initial
from ..infer.walk import Site, Walk
from ..interpreter import Interpreter
from ..op import OpDef, Trait, register
from ..python_numbers import FUNCTIONS
from ._asked import Plain
from ._control import Branch, Call, CustomGradient, Output, ParameterEnd, Placeholder
from ._host import evaluate
from ._loops import For, While
from ._shapes import free, takes_open
from ._transform import Transform

_COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!=", "is", "in", "not", "bool", "all", "any"))
_OF_ITEMS = frozenset(("sum", "tuple.index", "tuple.count"))
_ORDER = ("bool", "int", "float")
_PYTHON = {"int": int, "float": float, "bool": bool, "str": str}


def _none(args: SimpleNamespace) -> tuple[str, ...]:
    return ()


def host_kind(operator: str, args: tuple) -> str:
    """Kind of what Python's operator gives on host values of these kinds."""
    if operator in _COMPARISONS:
        return "bool"
    if operator in _OF_ITEMS or (
        len(args) == 1 and _kinds(args) == {"shape"} and operator in ("min", "max", "math.prod")
    ):
        return "int"
    if operator in ("+", "*") and _kinds(args) & {"shape", "tuple"}:
        return "shape"
    if operator == "*" and "str" in _kinds(args):
        return "str"
    if operator.startswith("str."):
        return TEXT_METHODS[operator[4:]]
    if operator in FUNCTIONS and FUNCTIONS[operator].gives:
        return FUNCTIONS[operator].gives
    if operator in ("/", "float") or operator.startswith("math.") or _is_fraction(operator, args):
        return "float"
    if operator in ("splice", "tuple"):
        return "shape"
    if operator in ("int", "len") or (operator == "round" and len(args) == 1):
        return "int"
    if operator in ("//", "round") and "float" not in _kinds(args):
        return "int"
    if operator in ("str", "format"):
        return "str"
    if operator in ("list", "sorted", "item"):
        return "any"
    if operator == "getitem":
        if _kinds(args[:1]) != {"shape"}:
            return "str" if _kinds(args[:1]) <= {"str", "texts"} else "any"
        return "shape" if "slice" in _kinds(args[1:]) else "int"
    kinds = _kinds(args)
    if not kinds <= set(_ORDER):
        return kinds.pop() if len(kinds) == 1 else "any"
    top = max(kinds, key=_ORDER.index)
    return top if operator in ("and", "or") else max(top, "int", key=_ORDER.index)


def _is_fraction(operator: str, args: tuple) -> bool:
    """Whether it is a whole number to a negative power."""
    return operator == "**" and isinstance(args[1], int) and args[1] < 0


def _kinds(args: tuple) -> set[str]:
    return {getattr(arg, "kind", None) or type(arg).__name__ for arg in args}


class Host(Plain):
    """Python's operator on host values."""

    worded = True
    form = Form.HOST
    free_text = ("operator", "args")

    def run(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        return (HOST_OPERATORS[args[0]](*args[1]),)

    def verify(self, node: Node, fail: Fail, program: Any) -> None:
        if type(node.args[0]) is not str or node.args[0] not in HOST_OPERATORS:
            fail(f"there is no operator {node.args[0]!r} of host values", f"there are: {' '.join(HOST_OPERATORS)}")
        if type(node.args[1]) is not tuple:
            fail("an operator takes a tuple of operands")


class ToPython(Plain):
    """The number in a tensor, as Python's."""

    worded = True
    form = Form.TO_PYTHON
    reads_data = True

    def run(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        x, kind = args
        data = machine.backend.to_host(x) if machine.backend.is_tensor(x) else x
        return (_PYTHON[kind](data) if kind in _PYTHON else getattr(data, "tolist", lambda: data)(),)

    def infer(self, walk: Walk, node: Node, args: tuple, site: Site) -> tuple:
        return tuple([initial(value) for value in node.values])

    def cost(self, counter: Counter, node: Node, site: Site) -> Estimate:
        return Estimate()


for _signature, _regions, _control in (
    ("placeholder(name)", (), Placeholder()),
    ("parameter(path)", (), ParameterEnd()),
    ("output(tree)", (), Output()),
    ("cond(pred, operands)", ("then", "else"), Branch()),
    ("while_(init, operands, exit=None)", ("test", "body"), While()),
    ("for_(items, init, operands, exit=None)", ("body",), For()),
    ("host_if(test, operands)", ("then", "else"), Branch(on_data="cond")),
    ("host_while(init, operands, exit=None)", ("test", "body"), While(on_data="while")),
    ("host_for(items, init, operands, exit=None)", ("body",), For(on_data="for")),
    ("call(callee, prefix, args)", (), Call()),
):
    register(
        OpDef(
            _signature, kinds=_none if _regions else ("tensor",), regions=_regions, family="control", control=_control
        )
    )

register(
    OpDef(
        "custom_gradient(inputs, name, mode, count)",
        kinds=lambda a: ("tensor",) * a.count,
        regions=("forward", "rule"),
        family="control",
        control=CustomGradient(),
    )
)
register(
    OpDef(
        "transform(kind, inputs, operands, given=())",
        kinds=_none,
        regions=("body",),
        family="control",
        control=Transform(),
    )
)


@takes_open
def host_value(args: SimpleNamespace, rules: str) -> tuple[Any]:
    """What Python's operator gives on host values as far as they are known: sizes may be symbolic."""
    return (evaluate(args.operator, args.args),)


register(
    OpDef(
        "host(operator, args)",
        kinds=lambda a: (host_kind(a.operator, a.args),),
        infer=host_value,
        compute=free,
        family="control",
        control=Host(),
    )
)
register(
    OpDef(
        "to_python(x, kind)",
        kinds=lambda a: (a.kind,),
        family="control",
        control=ToPython(),
        traits=Trait.APART | Trait.UNSAVED,
    )
)
