"""Imports and helper functions of a module: only what is used, helpers with their own source."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from ..backend import Backend
from ..errors import GfxError
from ..graph import Node
from .layout import text_of
from .style import Style
from .wrap import fitted


class Helpers:
    """Collects what the functions of a module refer to."""

    def __init__(self, backend: Backend, style: Style) -> None:
        self.backend, self.style = backend, style
        known = {**backend.namespace, **style.helpers}
        self._functions = {text: found for text, found in known.items() if isinstance(found, FunctionType)}
        self.names = frozenset(self._functions)
        self._modules: set[str] = set()
        self._renamed: dict[str, str] = {}
        self._hidden: frozenset[str] = frozenset()
        self._second: dict[str, str] = {}
        self._lines: set[str] = set()
        self._sources: dict[str, str] = {}
        self._classes: dict[str, tuple[str, str]] = {}
        self._records: list[str] = []

    def rename(self, arguments: set[str]) -> frozenset[str]:
        """Import modules, and call helpers, under other names than these arguments of the entry; the names that no module has then."""
        self._renamed = {text: f"{text}_" for text in arguments & set(self.style.imports)}
        self._hidden = frozenset(arguments)
        return frozenset(self._renamed)

    def define(self, name: str, called: str, base: str) -> None:
        """An exception class of the author's own, derived from a builtin one, and what to call it."""
        self._classes[name] = called, base

    def define_records(self, sources: list[str]) -> None:
        """Classes of named fields, which the entry takes or gives objects of."""
        self._records = sources
        if sources:
            self._lines.add("from typing import NamedTuple")
            self._modules.add(self.style.array.partition(".")[0])

    def use(self, text: str, node: Node | None) -> str:
        """Note that a name is used: a module of the style, a helper, or a builtin. Raises GfxError for others.

        Returns what to call it.
        """
        if text in self._renamed:
            line, alias = self.style.imports[text], self._renamed[text]
            self._lines.add(f"{line.removesuffix(f' as {text}')} as {alias}")
            return alias
        if text in self.style.imports:
            self._modules.add(text)
        elif text in self._classes:
            return self._classes[text][0]
        elif text in self.names:
            self._helper(text, self._functions[text])
            return self._seen(text)
        elif node is not None and isinstance(node.op.namespace.get(text), FunctionType):
            self._helper(text, node.op.namespace[text])
            return self._seen(text)
        elif not hasattr(builtins, text):
            raise GfxError(f"a row of backend {self.backend.name!r} uses {text!r}, which its style does not import")
        return text

    def _seen(self, text: str) -> str:
        """What the author's functions call a helper, which an argument of the entry may hide."""
        return self._second.setdefault(text, f"{text}_") if text in self._hidden else text

    def call_builtins(self, function: ast.FunctionDef) -> None:
        """Calls of builtins that an argument hides go through their module."""
        arguments = {arg.arg for arg in (*function.args.args, *function.args.kwonlyargs)}
        hidden = {text for text in arguments if hasattr(builtins, text)}
        for inner in ast.walk(function) if hidden else ():
            if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id in hidden:
                inner.func = ast.Attribute(ast.Name("builtins", ast.Load()), inner.func.id, ast.Load())
                self._lines.add("import builtins")

    def _helper(self, text: str, function: Any) -> None:
        if text in self._sources:
            return
        self._sources[text] = ""
        plain, source, loaded = _written(function)
        if plain != text:
            raise GfxError(f"helper {text!r} of backend {self.backend.name!r} is no plain function of that name")
        for name in loaded:
            self._global(name, function)
        del self._sources[text]
        self._sources[text] = source

    def _global(self, name: str, function: Any) -> None:
        """A global that a helper refers to."""
        if name in self.style.imports:
            self._modules.add(name)
            return
        found = function.__globals__.get(name)
        if isinstance(found, FunctionType):
            self._helper(name, found)
        elif not hasattr(builtins, name):
            raise GfxError(f"helper {function.__name__!r} refers to {name!r}, which cannot be written into a module")

    def imports(self) -> list[str]:
        """The import statements, those of the standard library first."""
        return import_block({self.style.imports[text] for text in self._modules} | self._lines)

    def sources(self) -> list[str]:
        """The classes, and the helpers, each after those that it calls."""
        classes = [f"class {called}({base}):\n    pass\n" for called, base in self._classes.values()]
        second = [f"{name} = {text}\n" for text, name in self._second.items()]
        return [*classes, *self._records, *self._sources.values(), *second]


def import_block(lines: Iterable[str]) -> list[str]:
    """Import statements in order, those of the standard library first."""
    found = sorted(lines, key=_import_key)
    plain = [line for line in found if _is_standard(line)]
    others = [line for line in found if not _is_standard(line)]
    return [*plain, *([""] if plain and others else []), *others]


def _import_key(line: str) -> tuple[str, bool, str]:
    """By module; `import jax` before `import jax.numpy` before `from jax import lax`."""
    return line.split()[1].split(".")[0], line.startswith("from"), line


def _is_standard(line: str) -> bool:
    return line.split()[1].split(".")[0] in sys.stdlib_module_names


def _plain(definition: ast.FunctionDef) -> None:
    """Drop annotations: what they name need not exist in the module."""
    for node in ast.walk(definition):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None


@functools.lru_cache(maxsize=512)
def _written(function: FunctionType) -> tuple[str, str, tuple[str, ...]]:
    """A helper's name, "" where it is no plain function; its text as it is printed; the names that it takes from outside."""
    source, tree = _parsed(function)
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef) or definition.decorator_list:
        return "", "", ()
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    stored |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    stored |= {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    _plain(definition)
    loaded = [n.id for n in ast.walk(definition) if isinstance(n, ast.Name) and n.id not in stored]
    text = fitted(_without_annotations(source, definition))
    return definition.name, text, tuple(dict.fromkeys(loaded))


def bare_source(function: Callable[..., Any]) -> str:
    """The text of a plain function, its signature without annotations."""
    source, tree = _parsed(function)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    _plain(definition)
    return _without_annotations(source, definition)


def _parsed(function: Callable[..., Any]) -> tuple[str, ast.Module]:
    source = textwrap.dedent(inspect.getsource(function))
    return source, ast.parse(source)


def _without_annotations(source: str, definition: ast.FunctionDef) -> str:
    """The helper's own text; only its signature is written anew, without annotations."""
    body = definition.body[0]
    if body.lineno == definition.lineno:
        return text_of(definition).strip() + "\n"
    first = min(body.lineno, *(getattr(d, "lineno", body.lineno) for d in definition.body))
    bare = ast.FunctionDef(definition.name, definition.args, [ast.Pass()], [], None)
    head = text_of(bare).strip().split("\n")[0]
    return "\n".join([head, *source.split("\n")[first - 1 :]]).rstrip() + "\n"
