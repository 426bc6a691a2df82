"""Control row of an op: what it means where an interpreter, and no backend's row, runs it.

Ops that hold regions, call graphs, act on the world or ask what only the run knows have one, as `OpDef.control`. It says
the same thing in three domains (data, types, costs), how regions are fed, and what a well-formed node is. A row stands
below the graph: `node` is the Node, a region its Graph, `program` a Program.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any

Fail = Callable[..., Any]
"""fail(what, hint="") raises VerifyError, which names the node."""


class Form(enum.Enum):
    """What a control op is to rules that follow values through regions; its arguments are named alike in each form."""

    PLAIN = enum.auto()
    """No test and no loop."""
    TEST = enum.auto()
    """One of two regions runs, on the same `operands`."""
    WHILE = enum.auto()
    """A test and a body run trip by trip, on what is carried, which begins with `init`, and the `operands`; `exit` ends it."""
    FOR = enum.auto()
    """The same of a body alone, which also takes a value of each of `items`, and may leave one for each stacked result."""
    CALL = enum.auto()
    """A function of the program, named by the first argument, whose parameters stand under the second one."""
    REPEAT = enum.auto()
    """The same once for each item of a list of parameters, which is the second argument."""
    FUNCTION = enum.auto()
    """A function of Python's, which the first argument names, on numbers, which are the second one."""
    HOST = enum.auto()
    """Python's operator, which the first argument names, on host values, which are the second one."""
    NONE_TEST = enum.auto()
    """Whether the argument is None."""
    TO_PYTHON = enum.auto()
    """The first argument as a value of Python's."""
    CHECK = enum.auto()
    """An error, where the first argument does not hold: an exception of the third one's class, with what the second one tells."""
    EVALUATE = enum.auto()
    """The argument is computed, for the error that it may raise, which the second one names where nothing else than Python raises it."""
    HOLDER = enum.auto()
    """A function of a framework, which the first argument is, that no op stands for, by its dotted name, which is the second one."""
    OWN_GRADIENT = enum.auto()
    """A function that brings its own gradient, with two regions."""
    TRANSFORM = enum.auto()
    """What a function transformation, which the first argument names, makes of the function that its region is."""
    PLACEHOLDER = enum.auto()
    """What a graph is given."""
    PARAMETER = enum.auto()
    """What stands in the parameter tree, at the path that the argument is."""
    OUTPUT = enum.auto()
    """What a graph gives."""


class Control:
    """The row. Subclasses give `run`, `infer` and `cost`; those with regions `form`, `feeds`, `gives` and `carried`, too."""

    form = Form.PLAIN
    open_host = False
    reads_data = False
    """Whether it takes the number that is in an array, so that code which is traced without data cannot run it."""
    on_data = ""
    """Of an op of host values: the one that does the same with data."""
    free_text: tuple[str, ...] = ()
    """Parameters whose texts are printed as texts, and are any; all others are within an expression."""
    worded = False
    """Whether source has words for it whatever the target is, so that no row spells it."""

    def raises_by(self, node: Any) -> Any:
        """What decides, by its data, whether a node whose effect is an exception raises it: a tree of arguments."""
        return node.args

    # ------------------------------------------------------------------ how regions are fed
    def feeds(self, node: Any) -> tuple[tuple[Any, ...] | None, ...]:
        """For each region the leaves that its placeholders stand for at first (None: it is fed by what is not an argument)."""
        return ()

    def gives(self, node: Any) -> tuple[int | None, ...]:
        """For each region the number of its results; None: one truth value."""
        return ()

    def carried(self, node: Any) -> range:
        """The placeholders of every region that a trip's first results feed in the next trip."""
        return range(0)

    def taken(self, node: Any) -> Any:
        """The region that runs, once, instead of the node, where its arguments decide that."""
        return None

    def dtype_like(self, node: Any, at: int) -> Any:
        """What has the dtype of its value at a place, where one value of its region or among its arguments has; else None."""
        return None

    # ------------------------------------------------------------------ three domains
    def run(self, machine: Any, node: Any, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        """Data of its values. `machine` is an Interpreter, `args` the data of the arguments, `prefix` that of parameters."""
        raise NotImplementedError

    def infer(self, walk: Any, node: Any, args: tuple, site: Any) -> tuple:
        """Types of its values. `walk` is a Walk, `args` the types of the arguments, `site` what is known around the node."""
        raise NotImplementedError

    def cost(self, counter: Any, node: Any, site: Any) -> Any:
        """The Estimate of one run. `site` has the types of the values around it."""
        raise NotImplementedError

    # ------------------------------------------------------------------ form
    def verify(self, node: Any, fail: Fail, program: Any) -> None:
        """Call `fail` where the node is not well formed; `program` (None: unknown) has the functions."""

    # ------------------------------------------------------------------ one node alone
    def eval(self, node: Any, args: tuple, program: Any, prefix: str) -> Any:
        """What the node gives on the reference: a value, or the tuple of several."""
        raise NotImplementedError

    def types(self, node: Any, promotion: str, program: Any, prefix: str) -> tuple:
        """Types of its values, from those of its inputs."""
        raise NotImplementedError

    def estimate(self, node: Any, promotion: str, program: Any, prefix: str) -> Any:
        """Its Estimate, from the types of its inputs."""
        raise NotImplementedError


# ---------------------------------------------------------------------- which nodes these are
def is_test(node: Any) -> bool:
    """Whether a node runs one of two regions."""
    return node.op.form is Form.TEST


def is_loop(node: Any) -> bool:
    """Whether a node runs its regions trip by trip."""
    return node.op.form is Form.FOR or node.op.form is Form.WHILE


def is_for(node: Any) -> bool:
    """Whether a node is a loop over something."""
    return node.op.form is Form.FOR


def is_while(node: Any) -> bool:
    """Whether a node is a loop that a test ends."""
    return node.op.form is Form.WHILE


def has_lists(node: Any) -> bool:
    """Whether a loop fills or takes lists, whose items may have several shapes."""
    held = (*node.values, *node.arg("init"), *node.arg("operands"))
    return any(getattr(value, "kind", None) == "list" for value in held)


def hangs_on_data(node: Any) -> bool:
    """Whether a node is a test or a loop that elements of tensors decide."""
    return (is_test(node) or is_loop(node)) and not node.op.control.open_host


def is_data_test(node: Any) -> bool:
    """Whether a node is a test that an element of a tensor decides."""
    return node.op.form is Form.TEST and not node.op.control.open_host


def is_data_while(node: Any) -> bool:
    """Whether a node is a loop that an element of a tensor ends."""
    return node.op.form is Form.WHILE and not node.op.control.open_host


def is_data_for(node: Any) -> bool:
    """Whether a node is a loop over something, of data."""
    return node.op.form is Form.FOR and not node.op.control.open_host


def data_op(node: Any) -> str:
    """The op that does with data what a test or loop of host values does."""
    on_data: str = node.op.control.on_data
    return on_data


def is_call(node: Any) -> bool:
    """Whether a node calls a function of the program, once."""
    return node.op.form is Form.CALL


def is_repeat(node: Any) -> bool:
    """Whether a node calls a function of the program for each item of a list of parameters."""
    return node.op.form is Form.REPEAT


def calls_function(node: Any) -> bool:
    """Whether a node calls a function of the program, however often."""
    return node.op.form is Form.CALL or node.op.form is Form.REPEAT


def is_host(node: Any) -> bool:
    """Whether a node is an operator of Python's on host values."""
    return node.op.form is Form.HOST


def host_operator(node: Any) -> str | None:
    """The operator of Python's that a node is, if any."""
    return node.args[0] if node.op.form is Form.HOST else None


def calls_python(node: Any) -> bool:
    """Whether a node is a function of Python's on numbers."""
    return node.op.form is Form.FUNCTION


def is_none_test(node: Any) -> bool:
    """Whether a node asks whether something is None."""
    return node.op.form is Form.NONE_TEST


def is_check(node: Any) -> bool:
    """Whether a node raises an error where something does not hold."""
    return node.op.form is Form.CHECK


def is_evaluation(node: Any) -> bool:
    """Whether a node computes something for the error that it may raise."""
    return node.op.form is Form.EVALUATE


def is_holder(node: Any) -> bool:
    """Whether a node calls a function that no op stands for."""
    return node.op.form is Form.HOLDER


def makes_python(node: Any) -> bool:
    """Whether a node makes a value of Python's of a tensor."""
    return node.op.form is Form.TO_PYTHON


def operator_of(node: Any) -> str:
    """Python's operator that a node is, of host values or of numbers and tensors; "" where it is none."""
    sign: str = node.args[0] if node.op.form is Form.HOST else node.op.sign
    return sign


def operands_of(node: Any) -> tuple[Any, ...]:
    """What an operator of Python's takes."""
    operands: tuple[Any, ...] = node.args[1] if node.op.form is Form.HOST else node.args
    return operands


def negated(node: Any) -> Any:
    """What a node is the negation of; None where it is none."""
    return operands_of(node)[0] if operator_of(node) == "not" else None


def is_truth(node: Any) -> bool:
    """Whether a node asks a number or a tensor for its truth: whether that is not 0."""
    return node.op.sign == "!=" and type(node.args[1]) is int and node.args[1] == 0


def is_placeholder(node: Any) -> bool:
    """Whether a node is an argument of a graph."""
    return node.op.form is Form.PLACEHOLDER


def is_parameter(node: Any) -> bool:
    """Whether a node is a parameter of a graph."""
    return node.op.form is Form.PARAMETER


def is_given(node: Any) -> bool:
    """Whether a node computes nothing: a graph is given its value, as an argument or a parameter."""
    return node.op.form is Form.PLACEHOLDER or node.op.form is Form.PARAMETER


def is_output(node: Any) -> bool:
    """Whether a node is the end of a graph, which takes its result."""
    return node.op.form is Form.OUTPUT


def is_open_host(node: Any) -> bool:
    """Whether a node is a test or a loop of host values, which Python runs."""
    return node.op.control is not None and node.op.control.open_host
