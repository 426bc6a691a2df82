"""Signatures of emitted functions: each argument in the author's place, one that is fixed with its value as the default."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from ..described import Described
from ..graph import UNBOUND
from ..program import Parameter


class Signature:
    """The arguments of a definition, as they are put together."""

    def __init__(self, parameters: Sequence[Parameter], write: Callable[[Any], ast.expr]) -> None:
        self.parameters, self.write = parameters, write
        self.out = ast.arguments([], [], None, [], [], None, [])
        by_position = [p for p in parameters if p.kind in ("", "positional")]
        self.last_required = max((at for at, p in enumerate(by_position) if default_of(p) is UNBOUND), default=-1)

    def names(self) -> list[str]:
        """What the arguments are called so far."""
        starred = [arg for arg in (self.out.vararg, self.out.kwarg) if arg is not None]
        return [arg.arg for arg in (*self.out.posonlyargs, *self.out.args, *self.out.kwonlyargs, *starred)]

    def lead(self, text: str) -> None:
        """An argument before the author's own."""
        only = any(parameter.kind == "positional" for parameter in self.parameters)
        (self.out.posonlyargs if only else self.out.args).insert(0, ast.arg(text))

    def take(self, parameter: Parameter, annotation: ast.expr | None) -> None:
        """The next argument of the author's. Python has no default before an argument without one: there it is left out."""
        out, argument = self.out, ast.arg(parameter.name, annotation)
        default = default_of(parameter)
        if parameter.kind == "kwargs":
            out.kwarg = argument
        elif parameter.kind == "args":
            out.vararg = argument
        elif parameter.kind == "keyword":
            out.kwonlyargs.append(argument)
            out.kw_defaults.append(None if default is UNBOUND else self.write(default))  # type: ignore[arg-type]
        else:
            places = out.posonlyargs if parameter.kind == "positional" else out.args
            places.append(argument)
            given = [p for p in self.parameters if p.kind in ("", "positional")]
            if next(at for at, p in enumerate(given) if p is parameter) > self.last_required:
                out.defaults.append(self.write(default))

    def follow(self, text: str) -> None:
        """An argument behind the author's own that may be left out."""
        out = self.out
        if out.kwonlyargs or out.vararg is not None or out.kwarg is not None:
            out.kwonlyargs.append(ast.arg(text))
            out.kw_defaults.append(ast.Constant(None))
        else:
            out.args.append(ast.arg(text))
            out.defaults.append(ast.Constant(None))


def default_of(parameter: Parameter) -> Any:
    """What stands for an argument that a call leaves out: UNBOUND where it has to be given, None for what no literal stands for."""
    if not parameter.fixed:
        return UNBOUND if type(parameter.default) is Described else parameter.default
    return parameter.tree if literal(parameter.tree) else None


def literal(tree: Any) -> bool:
    """Whether a tree of constants can be written as source."""
    if type(tree) in (tuple, list):
        return all(map(literal, tree))
    if type(tree) is dict:
        return all(literal(part) for pair in tree.items() for part in pair)
    return type(tree) is not Described
