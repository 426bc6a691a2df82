"""What an einsum equation says of shapes: https://numpy.org/doc/stable/reference/generated/numpy.einsum.html."""

from __future__ import annotations

from collections.abc import Sequence

from .. import host
from ..errors import ShapeError
from ..host import DimLike
from ._shapes import Dims, better, broadcast, dims_text, total

DOTS = "..."


def parse_einsum(equation: str) -> tuple[list[str], str]:
    """Subscripts of the operands and of the result; an ellipsis is one '.'. Raises ShapeError where they are none."""
    text = equation.replace(" ", "").replace(DOTS, ".")
    left, arrow, right = text.partition("->")
    inputs = left.split(",")
    strange = any(not (c.isalpha() or c == ".") for c in left.replace(",", "") + right)
    if strange or any(s.count(".") > 1 for s in inputs):
        raise ShapeError(f"{equation!r} is no einsum equation")
    if not arrow:
        letters = [c for c in left if c.isalpha()]
        right = ("." if "." in left else "") + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    if any(c != "." and c not in left for c in right) or len(set(right)) != len(right):
        raise ShapeError(f"the result of {equation!r} names an axis that no operand has, or one twice")
    return inputs, right


def sums_nothing(equation: str) -> bool:
    """Whether every axis is one of the result: of one tensor all elements, or those of diagonals, are there, of several their products."""
    inputs, result = parse_einsum(equation)
    return set("".join(inputs)) == set(result)


def multiplies_alone(equation: str) -> bool:
    """Whether PyTorch multiplies arrays that have axes and sums nothing, so that their dtypes promote as those of `*` do."""
    return sums_nothing(equation) and all(subscripts.strip(".") for subscripts in parse_einsum(equation)[0])


def sums_alone(equation: str) -> bool:
    """Whether it sums over an axis that one operand alone has, which PyTorch does before it multiplies, in the dtype of sums."""
    inputs, result = parse_einsum(equation)
    return any(c not in result and sum(c in subscripts for subscripts in inputs) == 1 for c in set("".join(inputs)))


def sizes(equation: str, shapes: Sequence[Dims]) -> tuple[dict[str, DimLike | None], Dims, str]:
    """The size of each letter, the shape that the ellipses broadcast to, and the subscripts of the result.

    Raises ShapeError where the operands do not fit the equation.
    """
    inputs, result = parse_einsum(equation)
    if len(inputs) != len(shapes):
        raise ShapeError(f"{equation!r} is about {len(inputs)} tensors, not {len(shapes)}")
    found: dict[str, DimLike | None] = {}
    around: list[Dims] = []
    for subscripts, dims in zip(inputs, shapes):
        before, dots, after = subscripts.partition(".")
        if dims is None:
            found.update({c: found.get(c) for c in before + after})
            around += [None] if dots else []
            continue
        extra = len(dims) - len(before) - len(after)
        if extra < 0 or (extra and not dots):
            raise ShapeError(f"{subscripts.replace('.', DOTS)!r} does not fit {dims_text((dims,))}")
        if dots:
            around.append(dims[len(before) : len(before) + extra])
        for letter, size in zip(before + after, (*dims[: len(before)], *dims[len(before) + extra :])):
            found[letter] = _fit(letter, found.get(letter, size), size)
    return found, broadcast(*around), result


def _fit(letter: str, a: DimLike | None, b: DimLike | None) -> DimLike | None:
    if a == 1 or b == 1:
        return b if a == 1 else a
    if host.same(a, b) is False:
        raise ShapeError(f"the axis {letter!r} is {a} and {b}")
    return better(a, b)


def einsum_dims(equation: str, shapes: Sequence[Dims]) -> Dims:
    """The shape of the result."""
    found, around, result = sizes(equation, shapes)
    if "." in result and around is None:
        return None
    return tuple(d for c in result for d in ((around or ()) if c == "." else (found[c],)))


def contracted(equation: str, shapes: Sequence[Dims]) -> DimLike | None:
    """How many products are summed: the sizes of all letters and of what the ellipses stand for."""
    found, around, _ = sizes(equation, shapes)
    return None if around is None else total((*found.values(), *around))
