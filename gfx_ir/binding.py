"""Binding: a call's arguments by the author's signature, and the call of the emitted function with them."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .described import Described, described
from .errors import ArgumentError
from .fields import contents, record_fields
from .graph import UNBOUND
from .loading import loaded
from .program import Parameter
from .python_numbers import NUMBER_CLASSES
from .records import public
from .trees import tree_map

_KINDS = {
    "": inspect.Parameter.POSITIONAL_OR_KEYWORD,
    "positional": inspect.Parameter.POSITIONAL_ONLY,
    "keyword": inspect.Parameter.KEYWORD_ONLY,
    "args": inspect.Parameter.VAR_POSITIONAL,
    "kwargs": inspect.Parameter.VAR_KEYWORD,
}
_STARRED: dict[str, Any] = {"args": (), "kwargs": {}}


class Binding:
    """How the arguments of a function called `name` are passed; the names in `random` take the source of random numbers.

    A call that leaves out a fixed argument means the value that it is fixed to, as the emitted source has it; of the
    `authors` function, the author's own default, which may be another one.
    """

    def __init__(
        self, name: str, parameters: Sequence[Parameter], random: Sequence[str] = (), authors: bool = False
    ) -> None:
        self.name, self.parameters, self.random = name, parameters, random
        self.left = {parameter.name: _left_out(parameter, authors) for parameter in parameters}
        self.signature = _signature(parameters, self.left, random)
        named = [parameter.name for parameter in parameters if parameter.kind in ("", "positional")]
        self.positional = named if len(named) == len(parameters) else None

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
        """(arguments by name, one that is left out at its default or fixed value; the source of random numbers).

        Dataclasses become dictionaries of their fields. Raises ArgumentError where an argument is missing or too many."""
        if self.positional is not None and not kwargs and len(args) <= len(self.positional):
            bound: Mapping[str, Any] = dict(zip(self.positional, args))  # what `bind` gives, in a fifth of the time
        else:
            bound = self._bound(args, kwargs)
        found = {}
        leaves = (*NUMBER_CLASSES, str, *itertools.chain.from_iterable(owner.tensor_types for owner in loaded()))
        for parameter in self.parameters:
            if parameter.name in bound:
                given = bound[parameter.name]
                found[parameter.name] = given if _is_plain(given, leaves) else plain(given, parameter.tree)
                continue
            found[parameter.name] = left = self.left[parameter.name]
            if left is UNBOUND:
                raise self._unfit(f"missing a required argument: {parameter.name!r}")
        return found, next((bound[name] for name in self.random if bound.get(name) is not None), None)

    def _bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            return self.signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise self._unfit(error) from None

    def call(self, fn: Callable[..., Any], given: Mapping[str, Any], random: Any = None) -> Any:
        """Call an emitted function that has this signature."""
        if self.positional is not None and random is None:
            return fn(*(given[name] for name in self.positional))
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for parameter in self.parameters:
            value = given[parameter.name]
            if parameter.kind in ("", "positional"):
                args.append(value)
            elif parameter.kind == "args":
                args += value
            elif parameter.kind == "keyword":
                kwargs[parameter.name] = value
            else:
                kwargs.update(value)
        if random is not None:
            kwargs[self.random[0]] = random
        return fn(*args, **kwargs)

    def _unfit(self, why: object) -> ArgumentError:
        stars = {"args": "*", "kwargs": "**"}
        shown = []
        for parameter in self.parameters:
            left = self.left[parameter.name]
            none = left is UNBOUND or parameter.kind in stars
            shown.append(f"{stars.get(parameter.kind, '')}{parameter.name}{'' if none else f'={described(left)}'}")
        return unfit(self.name, why, shown)


def _signature(parameters: Sequence[Parameter], left: Mapping[str, Any], random: Sequence[str]) -> inspect.Signature:
    """What Python itself can bind: it takes an argument as optional that stands behind one which may be left out."""
    made, optional = [], False
    for parameter in parameters:
        kind = _KINDS[parameter.kind]
        by_position, defaulted = parameter.kind in ("", "positional"), left[parameter.name] is not UNBOUND
        optional = optional or (by_position and defaulted)
        none = parameter.kind in _STARRED or not (optional if by_position else defaulted)
        made.append(inspect.Parameter(parameter.name, kind, default=inspect.Parameter.empty if none else None))
    if random:
        starred = made and made[-1].kind is inspect.Parameter.VAR_KEYWORD
        last = [made.pop()] if starred else []
        keyword = last or any(parameter.kind in ("keyword", "args") for parameter in parameters)
        more = [inspect.Parameter(name, _KINDS["keyword" if keyword else ""], default=None) for name in random]
        made += [*more, *last]
    return inspect.Signature(made)


def _left_out(parameter: Parameter, authors: bool) -> Any:
    """What an argument is that a call leaves out; UNBOUND where it has to be given."""
    if parameter.kind in _STARRED:
        return _STARRED[parameter.kind]
    fixed = parameter.fixed and not (authors and parameter.default is not UNBOUND)
    return tree_map(_object, parameter.tree if fixed else parameter.default)


def _object(leaf: Any) -> Any:
    return leaf.object if type(leaf) is Described else leaf


def bound_arguments(
    bind_: Callable[..., inspect.BoundArguments], args: Sequence[Any], kwargs: Mapping[str, Any], name: str
) -> Mapping[str, Any]:
    """`signature.bind` (or `bind_partial`) of arguments. Raises ArgumentError with what Python says where they do not fit."""
    try:
        return bind_(*args, **kwargs).arguments
    except TypeError as error:
        signature: inspect.Signature = bind_.__self__  # type: ignore[attr-defined]  # a bound method
        raise unfit(name, error, list(map(str, signature.parameters.values()))) from None


def unfit(name: str, why: object, shown: Sequence[str]) -> ArgumentError:
    """The error for arguments that a function does not take; `shown`: those that it takes, as its signature has them."""
    hint = f"it takes {', '.join(shown)}" if shown else "it takes no arguments"
    return ArgumentError(f"{name!r} cannot be called with these arguments: {why}", hint=hint)


def _is_plain(tree: Any, leaves: tuple[type, ...]) -> bool:
    """Whether a tree is of dictionaries, lists and tuples of Python's, and its leaves are of these classes."""
    if isinstance(tree, leaves):
        return True
    open_, seen, known = [tree], set(), set(leaves)  # type: ignore[var-annotated]
    while open_:
        held = open_.pop()
        kind = type(held)
        if kind in known:
            continue
        if kind is dict or kind is list or kind is tuple:
            if id(held) not in seen:
                seen.add(id(held))
                open_.extend(held.values() if kind is dict else held)
        elif issubclass(kind, leaves):
            known.add(kind)
        else:
            return False
    return True


def plain(value: Any, tree: Any = None) -> Any:
    """An argument with its objects of named fields as dictionaries, which is how emitted code takes them: a named tuple too, where
    `tree`, the captured argument's, has such an object, and any object with attributes; what is missing is what it was at the
    capture."""
    kind, keyed = type(value), type(tree) is dict
    named = isinstance(value, tuple) and hasattr(value, "_fields")
    if keyed and named:
        attributes = {public(name): name for name in tree if type(name) is str}
        fields: Any = {attributes.get(name, name): held for name, held in value._asdict().items()}
    else:
        fields = record_fields(value)
    if fields is None and keyed and not isinstance(value, Mapping):
        fields = getattr(value, "__dict__", None) or None
    if fields is not None:
        missing = {name: tree_map(_object, held) for name, held in tree.items() if name not in fields} if keyed else {}
        return {name: plain(held, tree.get(name) if keyed else None) for name, held in fields.items()} | missing
    if kind is dict:
        return {key: plain(item, tree.get(key) if keyed else None) for key, item in value.items()}
    if kind in (list, tuple) or named:
        inner = tree if type(tree) in (list, tuple) and len(tree) == len(value) else [None] * len(value)
        made = map(plain, value, inner)
        return kind._make(made) if named else kind(made)
    apart = contents(value)
    return value if apart is None else plain(apart[0], tree)
