"""Shape rules, memoised: what they give for an op and the types of its arguments is computed once."""

from __future__ import annotations

from typing import Any

from ..op import OpDef
from ..rules import infer


class ShapeRules:
    """The shape rules of one promotion. A model asks the same of each of its layers, at each rank that they might have."""

    def __init__(self, promotion: str) -> None:
        self.promotion = promotion
        self._found: dict[Any, Any] = {}

    def infer(self, op: OpDef, args: tuple) -> tuple:
        """Types of the outputs 1… of `op` on arguments of these types. Raises what the rule raises."""
        try:
            key = op.name, _key(args)
            found = self._found.get(key)
        except TypeError:  # an argument that is no key, as an array's content
            return infer(op, args, self.promotion)
        if found is None:
            try:
                found = infer(op, args, self.promotion)
            except Exception as error:  # it is the answer, and raised to whoever asks
                found = error
            self._found[key] = found
        if isinstance(found, Exception):
            raise found
        return found


def _key(tree: Any) -> Any:
    """A tree of arguments as a key: 1, 1.0 and True are three."""
    kind = type(tree)
    if kind is tuple or kind is list:
        return kind, *map(_key, tree)
    if kind is dict:
        return kind, *[(name, _key(item)) for name, item in tree.items()]
    if kind is slice:
        return kind, _key(tree.start), _key(tree.stop), _key(tree.step)
    return kind, tree
