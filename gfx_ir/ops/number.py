"""Python's numbers, made of tensors of one element, and Python's functions of them.

A number goes on as a tensor without axes of a weak dtype; where Python runs the code it is Python's own (see `infer.facts`).
Source: https://docs.python.org/3/library/stdtypes.html#numeric-types-int-float-complex
"""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

from .. import dtypes
from ..control import Form
from ..dtypes import DType
from ..op import Infer, Trait
from ..python_numbers import KINDS, OF_LETTERS, function, function_kind
from ..rules import OPEN
from ..types import LogicalTensor
from ._row import op
from ._seen import is_plain, rank
from ._shapes import as_type, free, takes_open

FAMILY = "number"


def _weak(kind: str, rules: str) -> LogicalTensor:
    element: DType | None = dtypes.default(kind[0], rules) if kind in KINDS else None
    return LogicalTensor(element, (), weak=True)


@takes_open
def _item(args: SimpleNamespace, rules: str) -> LogicalTensor:
    return _weak(_kind(args.x, rules), rules)


def _made(kind: str) -> Infer:
    """A rule of numbers of one kind, which `OpDef.number` is."""

    @takes_open
    def rule(args: SimpleNamespace, rules: str) -> LogicalTensor:
        return _weak(kind, rules)

    rule.number = kind  # type: ignore[attr-defined]
    return rule


def _kind(x: object, rules: str) -> str:
    element = None if x is OPEN else as_type(x, rules).dtype
    return "" if element is None else OF_LETTERS[element.kind]


@takes_open
def _python(args: SimpleNamespace, rules: str) -> LogicalTensor:
    return _weak(function_kind(args.function, [_kind(arg, rules) for arg in args.args]), rules)


def _spelled(kind: str, args: SimpleNamespace) -> str:
    """NumPy's arrays with axes are no numbers to Python, also of one element."""
    return f"{kind}(x.item())" if rank(args.x) else f"{kind}(x)"


op(
    FAMILY,
    "item(x)",
    lambda a: "x" if is_plain(a.x) else "x.item()",
    infer=_item,
    compute=free,
    traits=Trait.OF_ONE | Trait.KEEPS_SIGN,
    doc="The number of Python's in a tensor of one element, of the kind of its dtype. No gradient flows through.",
)
for _name in ("int", "float", "bool"):
    op(
        FAMILY,
        f"to_{_name}(x)",
        partial(_spelled, _name),
        infer=_made(_name),
        compute=free,
        traits=Trait.KEEPS_SIGN | (Trait.TRUTH if _name == "bool" else Trait.OF_ONE),
        doc=f"{_name}(x) of a tensor of one element, or of a number. No gradient flows through.",
    )
op(
    FAMILY,
    "python(function, args)",
    lambda a: function(a.function).spelling,
    infer=_python,
    compute=free,
    form=Form.FUNCTION,
    doc="A function of Python's on numbers, by its name in `python_numbers.FUNCTIONS`.",
)
