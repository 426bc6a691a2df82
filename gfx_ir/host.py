"""Open host expressions: dims and what is computed from them, as integer polynomials in a normal form.

An Expr is a sum of products of atoms; an atom is a Dim or an irreducible call (floordiv, mod, max, min). Two Exprs that
are equal as polynomials are equal as objects, so most questions about shapes are answered by `==`.
"""

from __future__ import annotations

import ast
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import Union

from .bound import Bound
from .errors import FormatError, ShapeError


@dataclass(frozen=True)
class Dim:
    """A named size that is open: `min` (0 unless told) to `max` (None: no bound). Taken as an integer in arithmetic."""

    name: str
    min: int = 0
    max: int | None = None

    def __str__(self) -> str:
        return self.name

    def __add__(self, other: DimLike) -> DimLike:
        return add(self, other)

    def __mul__(self, other: DimLike) -> DimLike:
        return mul(self, other)

    def __sub__(self, other: DimLike) -> DimLike:
        return sub(self, other)

    def __floordiv__(self, other: DimLike) -> DimLike:
        return floordiv(self, other)

    __radd__, __rmul__ = __add__, __mul__

    def told(self) -> str:
        """Its bounds, as far as they say more than that there is something: "T from 2 to 8"; "" where they do not."""
        if self.max is None:
            return f"{self.name} of {self.min} or more" if self.min > 1 else ""
        return f"{self.name} from {self.min} to {self.max}"


@dataclass(frozen=True)
class HostCall:
    """An irreducible atom: floordiv, mod, max or min of two expressions."""

    fn: str
    args: tuple[DimLike, ...]

    def __str__(self) -> str:
        if self.fn in _SIGNS:
            return f"{_wrap(self.args[0])} {_SIGNS[self.fn]} {_wrap(self.args[1])}"
        return f"{self.fn}({', '.join(map(str, self.args))})"


Atom = Union[Dim, HostCall]
Monomial = tuple[tuple[Atom, int], ...]
_SIGNS = {"floordiv": "//", "mod": "%"}


@dataclass(frozen=True)
class Expr:
    """A polynomial over atoms: (monomial, coefficient) pairs in a fixed order."""

    terms: tuple[tuple[Monomial, int], ...]

    def __str__(self) -> str:
        alone = self.terms[0][0][0][0] if len(self.terms) == 1 and self.terms[0][0] else None
        if isinstance(alone, HostCall) and self.terms == ((((alone, 1),), 1),):
            return str(alone)
        text = ""
        for monomial, factor in self.terms:
            parts = [_wrap(a) if isinstance(a, HostCall) else str(a) for a, power in monomial for _ in range(power)]
            if abs(factor) != 1 or not parts:
                parts.insert(0, str(abs(factor)))
            text += (" - " if factor < 0 else " + ") + "*".join(parts)
        return text[3:] if text.startswith(" + ") else "-" + text[3:]

    __add__ = __radd__ = lambda self, other: add(self, other)
    __mul__ = __rmul__ = lambda self, other: mul(self, other)
    __sub__ = lambda self, other: sub(self, other)
    __floordiv__ = lambda self, other: floordiv(self, other)


DimLike = Union[int, Dim, Expr]


def _wrap(e: object) -> str:
    call = e.fn not in _SIGNS if isinstance(e, HostCall) else False
    return f"({e})" if isinstance(e, (HostCall, Expr)) and not call else str(e)


def _terms(e: DimLike | HostCall) -> dict[Monomial, int]:
    if isinstance(e, Expr):
        return dict(e.terms)
    if isinstance(e, (Dim, HostCall)):
        return {((e, 1),): 1}
    return {(): e} if e else {}


def _make(terms: Mapping[Monomial, int]) -> DimLike:
    kept = sorted(((m, c) for m, c in terms.items() if c), key=lambda t: (-len(t[0]), str(t[0])))
    if not kept:
        return 0
    if len(kept) == 1:
        monomial, factor = kept[0]
        if not monomial:
            return factor
        if factor == 1 and len(monomial) == 1 and monomial[0][1] == 1 and isinstance(monomial[0][0], Dim):
            return monomial[0][0]
    return Expr(tuple(kept))


def add(a: DimLike, b: DimLike) -> DimLike:
    """a + b."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    out = _terms(a)
    for monomial, factor in _terms(b).items():
        out[monomial] = out.get(monomial, 0) + factor
    return _make(out)


def mul(a: DimLike, b: DimLike) -> DimLike:
    """a * b."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    out: dict[Monomial, int] = {}
    for m, c in _terms(a).items():
        for n, d in _terms(b).items():
            powers: dict[Atom, int] = {}
            for atom, power in m + n:
                powers[atom] = powers.get(atom, 0) + power
            key = tuple(sorted(powers.items(), key=lambda p: str(p[0])))
            out[key] = out.get(key, 0) + c * d
    return _make(out)


def sub(a: DimLike, b: DimLike) -> DimLike:
    """a - b."""
    return add(a, mul(-1, b))


def floordiv(a: DimLike, b: DimLike) -> DimLike:
    """a // b, reduced by what divides b and every term of a; rounded parts of a size have one form, whichever way they are rounded: (H - 1) // 2 + 1
    and -(-H // 2) are (H + 1) // 2."""
    exact = divide(a, b)
    if exact is not None:
        return exact
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    shared = 1 if b == 0 else _shared(a, b)
    over, under = divide(a, shared), divide(b, shared)
    assert over is not None and under is not None
    if isinstance(under, int) and under > 1:
        return _rounded(over, under)
    return over if under == 1 else _make(_terms(HostCall("floordiv", (over, under))))


def _rounded(a: DimLike, b: int) -> DimLike:
    """a // b of an open size and a number above 1: what b divides stands apart, beside a rounded part whose first term is above 0 and whose
    number is from 0 to b - 1."""
    terms = _terms(a)
    whole = _make({m: c // b for m, c in terms.items() if m == () or c % b == 0})
    parts = _make({m: c % b if m == () else c for m, c in terms.items() if m == () or c % b})
    if isinstance(parts, int):
        return whole
    if next(iter(_terms(parts).values())) < 0:
        return sub(whole, _rounded(sub(b - 1, parts), b))
    return add(whole, _make(_terms(HostCall("floordiv", (parts, b)))))


def _shared(a: DimLike, b: DimLike) -> DimLike:
    """The largest product, of a number above 0 and powers of dims, that divides every term of two sizes."""
    terms = [*_terms(a).items(), *_terms(b).items()]
    powers = [Counter(dict(monomial)) for monomial, _ in terms]
    least = reduce(operator.and_, powers)
    monomial = tuple((atom, least[atom]) for atom in powers[0] if least[atom])
    return _make({monomial: math.gcd(*(factor for _, factor in terms))})


def mod(a: DimLike, b: DimLike) -> DimLike:
    """a % b, 0 where b divides every term of a."""
    if divide(a, b) is not None:
        return 0
    if isinstance(a, int) and isinstance(b, int):
        return a % b
    return _make(_terms(HostCall("mod", (a, b))))


def divide(a: DimLike, b: DimLike) -> DimLike | None:
    """a / b where it comes out even for every value of the dims, else None."""
    if b == 0:
        return None
    if a == b:
        return 1
    divisor = list(_terms(b).items())
    if len(divisor) != 1:
        return None
    monomial, factor = divisor[0]
    out: dict[Monomial, int] = {}
    for m, c in _terms(a).items():
        powers = dict(m)
        for atom, power in monomial:
            powers[atom] = powers.get(atom, 0) - power
        if c % factor or any(p < 0 for p in powers.values()):
            return None
        out[tuple((atom, p) for atom, p in powers.items() if p)] = c // factor
    return _make(out)


def extremum(fn: str, a: DimLike, b: DimLike) -> DimLike:
    """max or min of two sizes."""
    low, high = bounds(sub(a, b))
    if low is not None and low >= 0:
        return a if fn == "max" else b
    if high is not None and high <= 0:
        return b if fn == "max" else a
    return _make(_terms(HostCall(fn, (a, b))))


def product(dims: tuple[DimLike, ...] | list[DimLike]) -> DimLike:
    """Product of sizes: the number of elements."""
    out: DimLike = 1
    for d in dims:
        out = mul(out, d)
    return out


def atoms(e: DimLike) -> Iterator[Dim]:
    """Every Dim that occurs in e."""
    for monomial in _terms(e):
        for atom, _ in monomial:
            if isinstance(atom, Dim):
                yield atom
            else:
                for arg in atom.args:
                    yield from atoms(arg)


def bounds(e: DimLike, empty: bool = False) -> tuple[int | None, int | None]:
    """Smallest and largest value that e can take (None: no bound known). `empty`: where sizes of 1 or more may be 0, too."""
    low: int | None = 0
    high: int | None = 0
    for monomial, factor in _terms(e).items():
        lo: int | None = 1
        hi: int | None = 1
        for atom, power in monomial:
            a_lo, a_hi = (atom.min, atom.max) if isinstance(atom, Dim) else _call_bounds(atom, empty)
            a_lo = 0 if empty and a_lo == 1 and isinstance(atom, Dim) else a_lo
            lo = None if lo is None or a_lo is None or a_lo < 0 else lo * a_lo**power
            hi = None if hi is None or a_hi is None or a_lo is None or a_lo < 0 else hi * a_hi**power
        if factor < 0:
            lo, hi = hi, lo
        low = None if low is None or lo is None else low + factor * lo
        high = None if high is None or hi is None else high + factor * hi
    return low, high


def _call_bounds(call: HostCall, empty: bool) -> tuple[int | None, int | None]:
    (a_lo, a_hi), (b_lo, b_hi) = (bounds(arg, empty) for arg in call.args)
    if call.fn == "floordiv" and b_lo is not None and b_lo > 0:
        high = a_hi // b_lo if a_hi is not None and a_hi >= 0 else None
        low = None if a_lo is None or a_lo < 0 else 0 if b_hi is None else a_lo // b_hi
        return low, high
    if call.fn == "mod" and b_lo is not None and b_lo > 0:
        return 0, (b_hi - 1 if b_hi is not None else None)
    if call.fn == "max":
        lows = [v for v in (a_lo, b_lo) if v is not None]
        return (max(lows) if lows else None), (None if a_hi is None or b_hi is None else max(a_hi, b_hi))
    if call.fn == "min":
        highs = [v for v in (a_hi, b_hi) if v is not None]
        return (None if a_lo is None or b_lo is None else min(a_lo, b_lo)), (min(highs) if highs else None)
    return None, None


def same(a: DimLike | None, b: DimLike | None) -> bool | None:
    """Whether two sizes are equal: True or False where it is so for every value of the dims, else None."""
    if a is None or b is None:
        return None
    if a == b:
        return True
    low, high = bounds(sub(a, b))
    if (low is not None and low > 0) or (high is not None and high < 0):
        return False
    return False if isinstance(a, int) and isinstance(b, int) else None


def compared(sign: str, a: DimLike, b: DimLike) -> bool | None:
    """Whether a comparison of two sizes (`<`, `<=`, `>`, `>=`, `==`, `!=`) holds for every value of the dims (True), or for none (False), with
    empty arrays among them; else None."""
    if sign in (">", ">="):
        return compared({">": "<", ">=": "<="}[sign], b, a)
    low, high = bounds(sub(a, b), empty=True)
    if sign in ("==", "!="):
        apart = (low is not None and low > 0) or (high is not None and high < 0)
        equal = False if apart else True if low == high == 0 else None
        return equal if equal is None or sign == "==" else not equal
    least = 0 if sign == "<" else 1
    if high is not None and high < least:
        return True
    return False if low is not None and low >= least else None


def evaluate(e: DimLike | None, sizes: Mapping[str, int]) -> int:
    """The value of e with `sizes` for its Dims. Raises ShapeError where one is missing."""
    e = 0 if e is None else e
    found = e if isinstance(e, int) else substituted(e, {dim: sizes[dim.name] for dim in atoms(e) if dim.name in sizes})
    if not isinstance(found, int):
        raise ShapeError(f"the size {next(atoms(found)).name!r} is not known here")
    return found


def substituted(e: DimLike, sizes: Mapping[Dim, DimLike]) -> DimLike:
    """e with other sizes for its Dims, where `sizes` has one."""
    total: DimLike = 0
    for monomial, factor in _terms(e).items():
        value: DimLike = factor
        for atom, power in monomial:
            if isinstance(atom, Dim):
                part = sizes.get(atom, atom)
            else:
                part = _CALLS[atom.fn](*(substituted(arg, sizes) for arg in atom.args))
            value = product([value, *[part] * power])
        total = add(total, value)
    return total


def solved(e: DimLike, value: int, sizes: Mapping[str, int]) -> tuple[Dim, int | None] | None:
    """The one Dim of e that `sizes` lacks, and the size that it has where e has this value (None: there is none); None where that cannot be
    told, as of a product of two or of what is divided."""
    left = {dim for dim in atoms(e) if dim.name not in sizes}
    found = linear(e, left.pop()) if len(left) == 1 else None
    if found is None:
        return None
    dim, factor, rest = found
    size, over = divmod(value - evaluate(rest, sizes), factor)
    return dim, None if over else size


def linear(e: DimLike, dim: Dim) -> tuple[Dim, int, DimLike] | None:
    """The Dim, a factor and a rest without it, where e is their product and sum; None: it is no such sum."""
    monomial = ((dim, 1),)
    factor = _terms(e).get(monomial, 0)
    rest = _make({m: c for m, c in _terms(e).items() if m != monomial})
    return None if not factor or dim in atoms(rest) else (dim, factor, rest)


def reaching(size: DimLike, least: int) -> dict[str, list[Bound]]:
    """How far the one open size that a size is made of may be open, by its name, so that this is `least` or more."""
    (atom, *more) = set(atoms(size))
    parts = None if more else linear(size, atom)
    if parts is None or type(parts[2]) is not int or parts[1] <= 0:
        return {}
    return {atom.name: [Bound(-(-(least - parts[2]) // parts[1]))]}


_CALLS: dict[str, Callable[..., DimLike]] = {
    "floordiv": floordiv, "mod": mod, "max": partial(extremum, "max"), "min": partial(extremum, "min"),
}  # fmt: skip
_BUILD: dict[type, Callable[[DimLike, DimLike], DimLike]] = {
    ast.Add: add,
    ast.Sub: sub,
    ast.Mult: mul,
    ast.FloorDiv: floordiv,
    ast.Mod: mod,
}


def parse(text: str, dims: Mapping[str, Dim] | None = None) -> DimLike:
    """Read back what `str` of an expression prints. Runs no code; raises FormatError on anything else."""

    def walk(node: ast.expr) -> DimLike:
        match node:
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                return value
            case ast.Name(id=name):
                return (dims or {}).get(name) or Dim(name)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BUILD:
                return _BUILD[type(op)](walk(left), walk(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return mul(-1, walk(operand))
            case ast.Call(func=ast.Name(id="max" | "min" as fn), args=[a, b]):
                return extremum(fn, walk(a), walk(b))
        raise FormatError(f"{text!r} is no size expression")

    try:
        return walk(ast.parse(text, mode="eval").body)
    except SyntaxError:
        raise FormatError(f"{text!r} is no size expression") from None
