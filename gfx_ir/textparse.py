"""Reads the text form of graphs and programs (see `text`) back. Only Python's parser sees it: nothing of it is run."""

from __future__ import annotations

import ast
from typing import Any

from .control import Form
from .errors import FormatError, MissingOp
from .graph import UNBOUND, Graph, Node, Value
from .naming import identifier, original
from .op import OpDef, lookup
from .program import GUARD_KINDS, PARAMETER_KINDS, Guard, Parameter, Program, of_a_function
from .records import Record
from .source import Span
from .text import default_kinds
from .textconst import Constants, called, fail
from .textmarks import MARKS, Marks

_OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is", ast.In: "in",
    ast.And: "and", ast.Or: "or", ast.Not: "not", ast.USub: "neg",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip
_OUTSIDE = ("placeholder", "output", "parameter")
_HOST = ("int", "float", "bool", "str")


def parse_text(text: str) -> Program | Graph:
    """The Program, or the single Graph, that `to_text` wrote. Raises FormatError, with the line, on anything else."""
    try:
        return _Module(Constants()).read(ast.parse(text).body)
    except SyntaxError as error:
        raise FormatError(f"this is no text of a graph: {error.msg}", Span("<text>", error.lineno)) from None
    except (ValueError, MemoryError, RecursionError) as error:
        raise FormatError(f"this is no text of a graph: {error}") from None


class _Module:
    """The statements at the top: dims, the head of the program, guards, functions, signature."""

    def __init__(self, constants: Constants) -> None:
        self.constants = constants
        self.head: ast.Call | None = None
        self.guards: list[Guard] = []
        self.records: dict[str, Record] = {}
        self.shared: dict[tuple[int, ...], tuple[str, ...]] = {}
        self.arguments: ast.Call | None = None
        self.functions: dict[str, tuple[ast.FunctionDef, Graph]] = {}

    def read(self, body: list[ast.stmt]) -> Program | Graph:
        for statement in body:
            self._statement(statement)
        callees = {name: graph for name, (_, graph) in self.functions.items()}
        readers = {}
        for name, (definition, graph) in self.functions.items():
            readers[name] = _Function(self.constants, callees, graph)
            readers[name].read(definition)
        if self.head is not None:
            return self._program(self.head, readers)
        if len(callees) != 1 or self.guards or self.arguments:
            raise FormatError("a text without a program(...) line holds one graph, and nothing but it")
        return next(iter(callees.values()))

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                self.constants.dims[name] = self.constants.dim(call)
            case ast.FunctionDef(name=name):
                if name in self.functions:
                    fail(statement, f"function {name!r} is defined twice")
                self.functions[name] = (statement, Graph(_given(statement, "named")))
            case ast.Expr(value=ast.Call(func=ast.Name(id="program")) as call) if self.head is None:
                self.head = call
            case ast.Expr(value=ast.Call(func=ast.Name(id="guard"), args=args, keywords=[]) as call) if len(args) == 3:
                kind, subject, value = (self.constants.tree(arg, {}) for arg in args)
                if kind not in GUARD_KINDS or type(subject) is not str:
                    fail(call, f"there is no guard of kind {kind!r}", f"there are: {', '.join(GUARD_KINDS)}")
                self.guards.append(Guard(kind, subject, value))
            case ast.Expr(value=ast.Call(func=ast.Name(id="record"), args=args, keywords=[])) if len(args) == 3:
                path, *named = (self.constants.tree(arg, {}) for arg in args)
                self.records[path] = Record(*named)
            case ast.Expr(value=ast.Call(func=ast.Name(id="shared"), args=args, keywords=[])) if len(args) == 2:
                place, paths = (self.constants.tree(arg, {}) for arg in args)
                self.shared[place] = paths
            case ast.Expr(value=ast.Call(func=ast.Name(id="signature")) as call) if self.arguments is None:
                self.arguments = call
            case _:
                fail(statement, f"this is no statement of a program: {ast.unparse(statement)[:60]}")

    # ------------------------------------------------------------------ program
    def _program(self, head: ast.Call, readers: dict[str, _Function]) -> Program:
        functions: dict[str, Graph] = {}
        entries = []
        for name, (definition, graph) in self.functions.items():
            marks = {d.id if isinstance(d, ast.Name) else called(d) for d in definition.decorator_list}
            if "entry" in marks:
                entries.append(name)
            if "entry" not in marks or "function" in marks:
                functions[_given(definition, "function")] = graph
        if len(entries) != 1:
            fail(head, f"a program has one @entry, not {len(entries)}")
        named = {k.arg: self.constants.tree(k.value, {}) for k in head.keywords}
        places = [self.constants.tree(a, {}) for a in head.args]
        level, writes = named.pop("level", 0), named.pop("writes", [])
        if len(places) != 2 or named or type(level) is not int or type(writes) is not list:
            fail(head, "the head of a program is program(promotion, flavour, level=0, writes=[...])")
        reader = readers[entries[0]]
        signature = self._signature(reader) if self.arguments is not None else reader.plain_signature()
        promotion, flavour = places
        return Program(
            reader.graph, functions, signature, {}, self.guards, promotion, flavour, writes, level, self.records,
            self.shared,
        )  # fmt: skip

    def _signature(self, reader: _Function) -> list[Parameter]:
        assert self.arguments is not None
        found = []
        for item in self.arguments.args:
            if not isinstance(item, ast.Call) or called(item) != "argument" or len(item.args) != 2:
                fail(item, "a signature holds argument(name, tree, ...)")
            extra = {str(k.arg): self.constants.tree(k.value, {}) for k in item.keywords}
            if not set(extra) <= {"default", "kind", "annotation"} or extra.get("kind", "") not in PARAMETER_KINDS:
                fail(
                    item, f"an argument has a default, annotation, and kind: {', '.join(filter(None, PARAMETER_KINDS))}"
                )
            name = self.constants.tree(item.args[0], {})
            found.append(Parameter(name, self.constants.tree(item.args[1], reader.names), **extra))
        if not of_a_function(found):
            fail(self.arguments, "no function has these arguments")
        return found


def _given(definition: ast.FunctionDef, mark: str) -> str:
    """The text in the decorator `@mark("text")`, else what follows from the function's name."""
    for decorator in definition.decorator_list:
        match decorator:
            case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str() as text)]) if name == mark:
                return text
    return original(definition.name) or ""


class _Function:
    """Reads one function: a graph or region."""

    def __init__(self, constants: Constants, callees: dict[str, Graph], graph: Graph) -> None:
        self.constants, self.callees, self.graph = constants, callees, graph
        self.names: dict[str, Value] = {}
        self.regions: dict[str, Graph] = {}
        self.notes: dict[str, tuple[str, Any]] = {}
        self.marks = Marks()
        self.head: ast.arguments | None = None

    def read(self, definition: ast.FunctionDef) -> Graph:
        self.head = definition.args
        if self.head.posonlyargs or self.head.vararg or self.head.kwarg or definition.returns:
            fail(definition, "a graph takes plain arguments")
        for arg in (*self.head.args, *self.head.kwonlyargs):
            kind, type_ = self.constants.annotation(arg.annotation) if arg.annotation else ("tensor", None)
            self._bind(arg, arg.arg, self.graph.add_placeholder(original(arg.arg) or "", kind, type_))
        body = definition.body
        match body[0]:
            case ast.Expr(value=ast.Constant(value=str() as doc)):
                self.graph.doc, body = doc, body[1:]
        if not body or not isinstance(body[-1], ast.Return):
            fail(definition, f"function {definition.name!r} does not end with a return")
        for statement in body[:-1]:
            self._statement(statement)
        if self.regions:
            fail(definition, f"region {next(iter(self.regions))!r} is used by no statement")
        self.graph.result = self.constants.tree(body[-1].value, self.names)
        return self.graph

    def _bind(self, at: ast.AST, text: str, value: Value) -> None:
        if self.names.setdefault(text, value) is not value:
            fail(at, f"{text!r} is assigned twice")
        value.name = original(text)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=note, value=None):
                self.notes[name] = self.constants.annotation(note)
            case ast.AnnAssign(target=ast.Name() as target, annotation=note, value=ast.expr() as right):
                self.notes[target.id] = self.constants.annotation(note)
                self._assign([target], right)
            case ast.Assign(targets=[ast.Name() as target], value=right):
                self._assign([target], right)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=right):
                self._assign(targets, right)
            case ast.Expr(value=ast.Call() as right):
                self._assign([], right)
            case ast.FunctionDef(name=name):
                region = Graph(_given(statement, "named"))
                self.regions[name] = _Function(self.constants, self.callees, region).read(statement)
            case _:
                fail(statement, f"this is no statement of a graph: {ast.unparse(statement)[:60]}")

    def _assign(self, targets: list[ast.expr], right: ast.expr) -> None:
        texts = []
        for target in targets:
            if not isinstance(target, ast.Name):
                fail(target, "a statement assigns to plain names")
            texts.append(target.id)
        if called(right) == "parameter":
            self._parameter(right, texts)
            return
        op, args, regions, marks = self._right(right)
        notes = [self.notes.pop(text, None) for text in texts]
        kinds = [note[0] if note else kind for note, kind in zip(notes, default_kinds(op, args, len(texts)))]
        node = Node(op, args, tuple(kinds), None, regions)
        for value, text, note in zip(node.values, texts, notes):
            value.type = note[1] if note else None
            self._bind(right, text, value)
        self.graph.append(node)
        self.marks.give(right, node, marks)

    def _parameter(self, right: ast.expr, texts: list[str]) -> None:
        match right:
            case ast.Call(args=[ast.Constant(value=str() as path)], keywords=[]) if len(texts) == 1:
                if path in self.graph.parameters:
                    fail(right, f"parameter {path!r} stands here twice")
                kind, type_ = self.notes.pop(texts[0], ("tensor", None))
                value = self.graph.add_parameter(path, type_)
                given, value.kind = value.name, kind
                self._bind(right, texts[0], value)
                if identifier(given or "") == value.name:
                    value.name = given  # a name that is no identifier follows from the path
            case _:
                fail(right, "a parameter is written name = parameter('path')")

    # ------------------------------------------------------------------ right sides
    def _right(self, right: ast.expr) -> tuple[OpDef, tuple, tuple[Graph, ...], dict[str, Any]]:
        """(op, arguments, regions, marks) of what is assigned."""
        tree = lambda node: self.constants.tree(node, self.names)
        match right:
            case ast.Call(func=ast.Name()):
                return self._call(right)
            case ast.BinOp(left=left, op=sign, right=other) if type(sign) in _OPERATORS:
                operands = [left, other]
            case ast.Compare(left=left, ops=[sign], comparators=[other]) if type(sign) in _OPERATORS:
                operands = [left, other]
            case ast.BoolOp(op=sign, values=[left, other]):
                operands = [left, other]
            case ast.UnaryOp(op=(ast.Not() | ast.USub()) as sign, operand=operand):
                operands = [operand]
            case ast.Subscript(value=ast.Name() as base, slice=index):
                return lookup("getitem"), (tree(base), tree(index)), (), {}
            case _:
                fail(right, f"this applies no op: {ast.unparse(right)[:60]}")
        return lookup("host"), (_OPERATORS[type(sign)], tuple(map(tree, operands))), (), {}

    def _call(self, call: ast.Call) -> tuple[OpDef, tuple, tuple[Graph, ...], dict[str, Any]]:
        name = original(called(call)) or ""
        try:
            op = lookup(name)
        except MissingOp as error:
            fail(call, error.what, error.hint)
        if name in _OUTSIDE:
            fail(call, f"op {name!r} is never a statement")
        count = len(op.regions)
        regions = [self._region(arg) for arg in call.args[:count]]
        if len(regions) < count:
            fail(call, f"{name} takes {count} regions: {', '.join(op.regions)}")
        given = dict(zip(op.params, call.args[count:]))
        marks: dict[str, Any] = {}
        for keyword in call.keywords:
            if keyword.arg in MARKS:
                marks[keyword.arg] = self.constants.tree(keyword.value, self.names)
            elif keyword.arg not in op.params or keyword.arg in given:
                hint = f"it takes {', '.join(op.params)}"
                fail(call, f"{name} takes no argument {keyword.arg!r}, or takes it twice", hint)
            else:
                given[keyword.arg] = keyword.value
        missing = [p for p in op.params if p not in given and p not in op.defaults]
        if missing or len(call.args) - count > len(op.params):
            hint = f"missing: {', '.join(missing)}" if missing else "there are more arguments"
            fail(call, f"{name} takes {', '.join(op.params) or 'nothing'}", hint)
        args = [self._argument(op, p, given[p]) if p in given else op.defaults[p] for p in op.params]
        return op, tuple(args), tuple(regions), marks

    def _argument(self, op: OpDef, param: str, node: ast.expr) -> Any:
        if op.form is Form.CALL and param == op.params[0] and isinstance(node, ast.Name):
            if node.id not in self.callees:
                fail(node, f"function {node.id!r} is not defined in this text")
            return self.callees[node.id]
        return self.constants.tree(node, self.names)

    def _region(self, node: ast.expr) -> Graph:
        name = node.id if isinstance(node, ast.Name) else ""
        if name not in self.regions:
            fail(node, f"region {name!r} is not defined right above, or used twice")
        return self.regions.pop(name)

    def plain_signature(self) -> list[Parameter]:
        """The arguments of an entry whose head says all about them."""
        assert self.head is not None
        positional = self.head.args
        defaults = [None] * (len(positional) - len(self.head.defaults)) + self.head.defaults
        found = []
        for at, value in enumerate(self.graph.placeholders):
            keyword = at >= len(positional)
            default = self.head.kw_defaults[at - len(positional)] if keyword else defaults[at]
            given = UNBOUND if default is None else self.constants.tree(default, {})
            annotation = value.kind if value.kind in _HOST and value.type is None else ""
            found.append(Parameter(value.name or "", value, given, "keyword" if keyword else "", annotation))
        return found
