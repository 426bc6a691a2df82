"""From a function's code object to the AST of its own definition, and the proof that the file has not changed since."""

from __future__ import annotations
import __future__

import ast
import dis
import functools
import inspect
import linecache
import types
from dataclasses import dataclass

from gfx_ir.errors import CaptureError
from gfx_ir.source import Span

from .templates import arguments, at, fill_places, function

FUTURE = 0
for _feature in __future__.all_feature_names:
    FUTURE |= getattr(__future__, _feature).compiler_flag
DEFS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class _Mark:
    """A constant that a code object of ours carries, so that it is known again."""

    def __repr__(self) -> str:
        return "<converted>"


MARK = _Mark()


def is_converted(code: types.CodeType) -> bool:
    """Is this the code of a rewritten function, or of one defined in it?"""
    return bool(code.co_consts) and code.co_consts[-1] is MARK


class NoSource(CaptureError):
    """The function has no source text (typed in, exec'd, or built in)."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition as parsed: `private` is the class whose name mangles `__x`, or None. Never change `node`."""

    node: ast.AST
    private: str | None


def definition(fn: types.FunctionType) -> Definition:
    """The AST of `fn`, found by its code object (`__wrapped__` is not followed); of one that is converted, the author's."""
    code = fn.__code__
    lines = linecache.getlines(code.co_filename, fn.__globals__)
    if lines:
        linecache.checkcache(code.co_filename)
        lines = linecache.getlines(code.co_filename, fn.__globals__)
    if not lines:
        raise NoSource(
            f"GFX cannot convert this function: {code.co_name!r} has no source ({code.co_filename})",
            hint="Define it in a file or a notebook cell.",
        )
    if code.co_name != "<lambda>" and not is_converted(code):
        found = _from_segment(fn, lines)
        if found is not None:
            return found
    return _from_file(fn, lines)


def _from_segment(fn: types.FunctionType, lines: list[str]) -> Definition | None:
    """Parse only the lines that the code object covers: cheap in long files. None where that is not conclusive."""
    code = fn.__code__
    first, last = code.co_firstlineno, _last_line(code)
    if last > len(lines):
        return None
    text = "".join(lines[first - 1 : last])
    indented = text[:1] in " \t"
    if indented and first < 2:
        return None
    padding = "\n" * (first - 2) + "if 1:\n" if indented else "\n" * (first - 1)
    try:
        body = ast.parse(padding + text).body
    except SyntaxError:
        return None
    body = body[0].body if indented else body
    node = body[0] if len(body) == 1 else None
    if not isinstance(node, DEFS) or node.name != code.co_name:
        return None
    private = _class_of(code.co_qualname)
    made = Definition(node, private)
    return made if _same(code, _compiled(made, fn)) else None


def _last_line(code: types.CodeType) -> int:
    last = max((end for _, end, _, _ in code.co_positions() if end), default=code.co_firstlineno)
    return max([last, *(_last_line(c) for c in code.co_consts if isinstance(c, types.CodeType))])


def _class_of(qualname: str) -> str | None:
    """The innermost class around a function, from its qualified name: `A.m.<locals>.g` gives A."""
    parts = qualname.split(".")[:-1]
    classes = [p for p, after in zip(parts, [*parts[1:], ""]) if p != "<locals>" and after != "<locals>"]
    return classes[-1] if classes else None


def _from_file(fn: types.FunctionType, lines: list[str]) -> Definition:
    """Parse the whole file; among the definitions at the line, the one that compiles to this code."""
    code = fn.__code__
    span = Span(code.co_filename, code.co_firstlineno, code.co_name)
    try:
        tree = _parsed("".join(lines))
    except SyntaxError as error:
        raise _stale(code, span) from error
    found = _definitions(tree, code.co_firstlineno, code.co_name)
    if code.co_name == "<lambda>":
        found = _innermost(found, _extent(code))
    equal = [d for d in found if _same(code, _compiled(d, fn))]
    asserts = any(n.startswith("@py_") for n in code.co_varnames + code.co_names)
    if not equal and len(found) == 1 and (asserts or is_converted(code)):
        equal = found  # pytest compiles another `assert` than the file has
    if not equal:
        raise _stale(code, span)
    if len(equal) > 1 and len({ast.dump(d.node) for d in equal}) > 1:
        raise CaptureError("GFX cannot tell these lambdas on one line apart", span, "Give each its own line.")
    return equal[0]


@functools.lru_cache(maxsize=4)
def _parsed(text: str) -> ast.Module:
    """A whole file: several lambdas of it may be asked for."""
    return ast.parse(text)


def _stale(code: types.CodeType, span: Span) -> CaptureError:
    what = f"GFX cannot convert this function: {code.co_name!r}: the source changed since it was imported"
    return CaptureError(what, span, "Import the file again (restart, or importlib.reload).")


def _definitions(tree: ast.AST, line: int, name: str) -> list[Definition]:
    """Every definition of that name which starts at that line (at that of a decorator, or behind these)."""
    found = []
    stack: list[tuple[ast.AST, str | None]] = [(tree, None)]
    while stack:
        node, private = stack.pop()
        if isinstance(node, DEFS):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            if first <= line <= node.lineno and getattr(node, "name", "<lambda>") == name:
                found.append(Definition(node, private))
        inner = node.name if isinstance(node, ast.ClassDef) else private
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr_context) or getattr(child, "end_lineno", line) < line:
                continue
            if getattr(child, "lineno", line) <= line or isinstance(child, (*DEFS, ast.ClassDef)):
                stack.append((child, inner))
    return found


def _extent(code: types.CodeType) -> tuple | None:
    """((line, column), (line, column)) of all instructions of a lambda's body."""
    spots = [p for p in list(code.co_positions()) if None not in p and p[2:] != (0, 0)]
    if not spots:
        return None
    return min((s[0], s[2]) for s in spots), max((s[1], s[3]) for s in spots)


def _innermost(found: list[Definition], extent: tuple | None) -> list[Definition]:
    """The lambdas whose body is the smallest that holds the extent."""
    if extent is None:
        return found
    holds = []
    for d in found:
        body = d.node.body
        start, end = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
        if start <= extent[0] and extent[1] <= end:
            holds.append((start, d))
    deepest = max((start for start, _ in holds), default=None)
    return [d for start, d in holds if start == deepest]


def _imported(fn: types.FunctionType) -> list[str]:
    """Global names that the file seems to import: the compiler calls their attributes in another way."""
    home, found = fn.__globals__.get("__name__"), []
    for name in _global_names(fn.__code__):
        value = fn.__globals__.get(name)
        if isinstance(value, types.ModuleType):
            found.append(name)
        elif isinstance(value, (type, types.FunctionType)) and value.__module__ != home:
            found.append(name)
    return found


def _global_names(code: types.CodeType) -> set[str]:
    return set(code.co_names).union(*(_global_names(c) for c in code.co_consts if isinstance(c, types.CodeType)))


def _compiled(d: Definition, fn: types.FunctionType) -> types.CodeType | None:
    """The code object of the definition, compiled with the closure, imports and class that `fn` had."""
    node, private, code = d.node, d.private, fn.__code__
    body: list = [node]
    if isinstance(node, ast.Lambda):
        body = [at(ast.Return(node) if private is None else ast.Expr(node), node)]
    if private is not None:
        body = [at(ast.ClassDef(private, [], [], body, []), node)]
    names = [n for n in code.co_freevars if n != "__class__" or private is None]
    bound = private or (code.co_name if isinstance(node, ast.stmt) else None)
    if bound is not None and bound not in names:
        body.insert(0, at(ast.Global([bound]), node))  # or a function that names itself would find it here
    wrapper = function("_", arguments(names), [], node)
    imports = [ast.Import([ast.alias(name)]) for name in _imported(fn)]
    tree = ast.Module([*imports, wrapper], [])
    fill_places(tree)
    wrapper.body = body
    try:
        made = compile(tree, code.co_filename, "exec", flags=code.co_flags & FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    stack = [made]
    while stack:
        for const in stack.pop().co_consts:
            if isinstance(const, types.CodeType):
                named = const.co_name == code.co_name and const.co_firstlineno == code.co_firstlineno
                if named and const.co_flags & inspect.CO_OPTIMIZED:
                    return const
                stack.append(const)
    return None


def _same(a: types.CodeType, b: types.CodeType | None) -> bool:
    """Do two code objects do the same? (Places may differ.)"""
    if b is None or (a.co_flags ^ b.co_flags) & ~inspect.CO_NESTED:
        return False
    for attr in ("co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount"):
        if getattr(a, attr) != getattr(b, attr):
            return False
    first = 0 if a.co_flags & inspect.CO_OPTIMIZED else 1  # the body of a class starts with its qualified name
    consts = a.co_consts[first:], b.co_consts[first:]
    if len(consts[0]) != len(consts[1]) or not all(map(_same_const, *consts)):
        return False
    return a.co_code == b.co_code or _steps(a) == _steps(b)


def _steps(code: types.CodeType) -> list[tuple]:
    """The instructions in a form that does not depend on how attributes of imported names are called."""
    steps = []
    for i in dis.get_instructions(code):
        name = "LOAD_ATTR" if i.opname == "LOAD_METHOD" else i.opname
        if name not in ("PUSH_NULL", "EXTENDED_ARG"):
            jumps = i.opcode in dis.hasjrel or i.opcode in dis.hasjabs
            steps.append((name, None if jumps else i.argval if i.opcode in dis.hasname else i.arg))
    return steps


def _same_const(a: object, b: object) -> bool:
    if isinstance(a, types.CodeType):
        return isinstance(b, types.CodeType) and _same(a, b)
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(_same_const, a, b))
    return type(a) is type(b) and (a == b or a != a)
