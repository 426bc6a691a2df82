"""The catalogue of Python constructs: what each becomes in a capture. One row a construct; `explain` reads it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from ..rewrite.flow import LOOPS, TRY
from ..rewrite.scopes import COMPREHENSIONS
from . import findings as found
from .findings import Place

CONVERTS, RESOLVES, DEPENDS, REFUSED = "converts", "resolves", "depends", "refused"

_TEST = "converts to {node} if the test is a tensor or open, resolves if it is fixed"
_LAZY = "converts if the first operand is a tensor or open (the others run under it), resolves if it is fixed"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: the construct, the syntax it is found by, the verdict, what happens, and the error where it is refused.

    `when` narrows the syntax: it answers False, True, or the name that stands for `{name}` in the texts. Of the rows with
    `extra` every one that holds is told, of the others the first.
    """

    construct: str
    nodes: tuple[type[ast.AST], ...]
    verdict: str
    says: str
    error: str = ""
    hint: str = ""
    when: Callable[[Place], bool | str] | None = None
    extra: bool = False


def _rule(construct: str, nodes: type | tuple, verdict: str, says: str, *rest: str, **more: object) -> Rule:
    return Rule(construct, nodes if isinstance(nodes, tuple) else (nodes,), verdict, says, *rest, **more)  # type: ignore[arg-type]


_ASYNC = "GFX cannot convert this async"
_YIELD = "GFX cannot convert this yield in a generator: it hangs on a traced test"
_RECURSION = "GFX cannot convert this recursion: '{name}' calls itself to a depth that is only known when the code runs"
_RAISE = "GFX cannot convert this raise: it hangs on a traced test and an except clause around it may catch it"
_FINALLY = "GFX cannot convert this finally: '{name}' jumps out of it, which would drop an exception"
_GLOBAL = "GFX cannot convert this write of captured data to the global '{name}'"
_NATIVE = "GFX cannot convert this test: native code asks for the truth of"

STATEMENTS = (
    _rule("async", ast.AsyncFunctionDef, REFUSED,
          "a graph has no coroutines", _ASYNC, "Write a plain def.", when=found.entered_async),
    _rule("async function inside", ast.AsyncFunctionDef, RESOLVES,
          "is defined as it is; a call of it is refused", _ASYNC, "Write a plain def."),
    _rule("if around a yield", ast.If, DEPENDS, "resolves if the test is fixed, refused if it is a tensor or open",
          _YIELD, "return a list", when=found.around_yield),
    _rule("if", ast.If, DEPENDS, _TEST.format(node="cond (host_if where it is open)")),
    _rule("match", ast.Match, DEPENDS,
          "every case is a test: " + _TEST.format(node="cond (host_if where it is open)")),
    _rule("loop around a yield", LOOPS, DEPENDS,
          "resolves if the test or what it runs over is fixed, refused if it is a tensor or open",
          _YIELD, "return a list", when=found.around_yield),
    _rule("while", ast.While, DEPENDS,
          _TEST.format(node="while (host_while where it is open)") + "; a test that turns into a tensor is kept from that trip on"),
    _rule("for over a fixed container", ast.For, RESOLVES, "one trip after the other is recorded",
          when=found.over_fixed_container),
    _rule("for over a range", ast.For, DEPENDS,
          "converts to for; resolves (unrolled, with a note; refused under strict=True) if the body needs the number itself",
          when=found.over_range),
    _rule("for", ast.For, DEPENDS,
          "converts to for over the rows of a tensor or a range, resolves (unrolled) over any other container"),
    _rule("return before the end", ast.Return, DEPENDS,
          "converts if the test or loop around it is a tensor or open, resolves if it is fixed", when=found.early),
    _rule("break", ast.Break, DEPENDS,
          "converts (a flag that the loop's test asks for) if the test around it is a tensor or open, resolves if it is fixed"),
    _rule("continue", ast.Continue, DEPENDS,
          "converts (the rest of the trip under the test) if the test around it is a tensor or open, resolves if it is fixed"),
    _rule("jump out of finally", TRY, REFUSED, "it would drop an exception", _FINALLY, "Return after the try statement.",
          when=found.jumps_from_finally),
    _rule("try with except", TRY, RESOLVES, "the handlers see what is raised during capture", when=found.has_handlers),
    _rule("try with finally", TRY, CONVERTS, "both blocks are recorded"),
    _rule("with", ast.With, CONVERTS, "entered and left during capture; its body is recorded"),
    _rule("raise inside try", ast.Raise, DEPENDS, "resolves if the test around it is fixed, refused if it is a tensor or open",
          _RAISE, "raise it outside of the try statement", when=found.raise_in_try),
    _rule("raise under a test", ast.Raise, DEPENDS,
          "converts to a check if the test around it is a tensor or open, resolves if it is fixed", when=found.under_test),
    _rule("raise", ast.Raise, RESOLVES, "raised during capture"),
    _rule("assert", ast.Assert, DEPENDS, "converts to a check if the test is a tensor or open, resolves if it is fixed"),
    _rule("write to a global", (ast.Assign, ast.AugAssign), DEPENDS,
          "resolves if the value is fixed, refused if it is captured data", _GLOBAL, "return it instead", when=found.writes_global),
    _rule("write to an item", (ast.Assign, ast.AugAssign), CONVERTS,
          "of a tensor: a new value of it and of what it is a view of; of a list or dict: recorded", when=found.stores(ast.Subscript)),
    _rule("write to an attribute", (ast.Assign, ast.AugAssign), CONVERTS,
          "recorded; what outlives the call is part of the program's state", when=found.stores(ast.Attribute)),
    _rule("starred assignment", ast.Assign, DEPENDS, "resolves for a known length, converts to a list for a tensor whose length is open",
          when=found.starred_target),
    _rule("in-place operator", ast.AugAssign, CONVERTS, "a new value of the variable, and of what it is a view of"),
    _rule("del", ast.Delete, CONVERTS, "the variable has no value from here on"),
    _rule("nonlocal", ast.Nonlocal, CONVERTS, "the variable of the function around it is carried"),
    _rule("function inside", ast.FunctionDef, CONVERTS, "rewritten with the function around it"),
    _rule("class inside", ast.ClassDef, RESOLVES, "made during capture; its methods are converted when they are called"),
    _rule("variable of one branch", ast.If, DEPENDS,
          "'{name}' converts if it is read under the same test only; read elsewhere it is refused if the test is a tensor",
          "GFX cannot convert this read: '{name}' is defined in only one branch", "give it a value before the if",
          when=found.one_branch, extra=True),
    _rule("None or a text from one branch", ast.If, DEPENDS,
          "'{name}' resolves if the test is fixed, converts if it is open; of a tensor's test, refused where it may be None",
          "GFX cannot convert this if: '{name}'", "ask whether it is None, or give it a tensor in both branches",
          when=found.kinds_differ, extra=True),
    _rule("None before a loop", LOOPS, DEPENDS,
          "'{name}' resolves in a loop that is unrolled, refused in one that is kept",
          "GFX cannot convert this loop: '{name}' is None before the loop", "give it a tensor before the loop",
          when=found.none_before, extra=True),
    _rule("variable of a loop, read after it", LOOPS, CONVERTS,
          "'{name}' is checked: the loop must have run once where it is read", when=found.of_loop, extra=True),
    _rule("else of a loop", LOOPS, CONVERTS, "runs unless the loop was left by break",
          when=lambda p: bool(getattr(p.node, "orelse", None)), extra=True),
)  # fmt: skip

EXPRESSIONS = (
    _rule("and, or", ast.BoolOp, DEPENDS, _LAZY),
    _rule("not", ast.UnaryOp, DEPENDS, "converts if its operand is a tensor or open, resolves if it is fixed",
          when=lambda p: isinstance(p.node.op, ast.Not)),
    _rule("conditional expression", ast.IfExp, DEPENDS, _TEST.format(node="cond (host_if where it is open)")),
    _rule("chain of comparisons", ast.Compare, CONVERTS, "the middle is evaluated once", when=lambda p: len(p.node.ops) > 1),
    _rule("in", ast.Compare, DEPENDS, "converts to any(==) if the container is a tensor, resolves for other containers",
          when=found.compares(ast.In, ast.NotIn)),
    _rule("is", ast.Compare, DEPENDS, "resolves; whether an optional argument is None stays open",
          when=found.compares(ast.Is, ast.IsNot)),
    _rule("async", ast.GeneratorExp, REFUSED, "a graph has no coroutines", _ASYNC, "Write a plain def.",
          when=lambda p: any(g.is_async for g in p.node.generators)),
    _rule("sum, any, all, next of a generator", ast.GeneratorExp, DEPENDS,
          "converts to a loop if data filters it or its length is open, resolves over a container", when=found.folded),
    _rule("list comprehension with if", (ast.ListComp, ast.GeneratorExp), DEPENDS,
          "resolves if its test is fixed, else converts to a list of open length", when=found.listed),
    _rule("comprehension with if", COMPREHENSIONS, DEPENDS, "resolves if its test is fixed, refused if it is a tensor or open",
          "GFX cannot convert this comprehension: its `if` hangs on traced data", "use where, or a mask",
          when=lambda p: any(g.ifs for g in p.node.generators)),
    _rule("comprehension", COMPREHENSIONS, DEPENDS,
          "converts to for over the rows of a tensor whose length is open, resolves over any other container"),
    _rule("walrus", ast.NamedExpr, CONVERTS, "the variable is carried like any other"),
    _rule("yield", (ast.Yield, ast.YieldFrom), RESOLVES, "the generator runs during capture"),
    _rule("starred argument", ast.Starred, DEPENDS, "resolves; the shape of a tensor stays open",
          when=lambda p: isinstance(p.node.ctx, ast.Load)),
    _rule("f-string", ast.JoinedStr, DEPENDS, "converts (an open text) if a part of it is an open host value, resolves if all is fixed"),
    _rule("lambda", ast.Lambda, CONVERTS, "rewritten with the function around it"),
)  # fmt: skip

CALLS = (
    _rule("print", ast.Call, REFUSED, "it prints to a file of its own", "GFX cannot convert print with {name}",
          "print to sys.stdout or sys.stderr", when=found.print_options),
    _rule("print", ast.Call, CONVERTS, "an effect of the graph, in order", when=found.calls("print")),
    _rule("eval, exec", ast.Call, REFUSED, "their code is not there to be rewritten",
          "GFX cannot convert {name}(): a rewritten function has no frame of its own", "write the code out",
          when=found.calls("eval", "exec")),
    _rule("number of a tensor", ast.Call, CONVERTS, "a tensor without axes; the number itself only where Python needs it",
          when=found.asks_for_number),
    _rule("sorted", ast.Call, DEPENDS, "resolves if the keys are fixed, else converts to a list that is sorted where data are at hand",
          when=found.calls("sorted")),
    _rule("builtin on captured values", ast.Call, CONVERTS, "answered by the capture, in the graph where a value is a tensor or open",
          when=found.calls("len", "min", "max", "sum", "any", "all", "abs", "round", "isinstance", "map")),
    _rule("append in a loop", ast.Call, DEPENDS,
          "resolves in a loop that is unrolled; in one that is kept it converts to the rows of a tensor, or to a list of open length",
          when=found.append_in_loop),
    _rule("next", ast.Call, DEPENDS,
          "resolves; in a test or loop on captured data refused if the iterator was made outside of it",
          "an item is taken from an iterator that was made outside of this test or loop",
          "count in a variable and index a list, or zip it with what the loop goes over", when=found.calls("next")),
    _rule("recursion", ast.Call, DEPENDS, "resolves if its depth hangs on fixed values, refused if it hangs on captured data",
          _RECURSION, "write it as a loop", when=found.calls_itself),
    _rule("call without a row", ast.Call, DEPENDS, "kept as it is if it gets captured data, or refused if that cannot be",
          "GFX has no row for {name}", "`gfx ops` lists what is covered; gfx.register adds an op", when=found.without_row),
    _rule("call of async code", ast.Call, REFUSED, "{name} is async", _ASYNC, "Write a plain def.", when=found.calls_async),
    _rule("call of a function without source", ast.Call, DEPENDS,
          "{name} is traced as it is where it only computes; refused if it writes, or tests captured data", _NATIVE,
          "define it in a file or a notebook cell", when=found.without_source),
    _rule("call of a Python function", ast.Call, CONVERTS, "{name} is entered; explain it for its own constructs",
          when=found.enters),
)  # fmt: skip

TABLE: tuple[Rule, ...] = (*STATEMENTS, *EXPRESSIONS, *CALLS)
