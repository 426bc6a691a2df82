"""The page docs/numbers.md: what becomes of Python's numbers that are read from tensors."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import gfx_trace as gfx
from gfx_ir.errors import GfxError

HEAD = """# Python's numbers out of tensors

What `x.item()`, `int(x)`, `float(x)` and `bool(x)` give is a number of Python's. PyTorch and NumPy source keep these calls and what Python
does with the number, as does a Program that is called: whole numbers without end, doubles, booleans that add up, exceptions, hashing, text.
JAX source, which `jax.jit` compiles, has an array without axes of a *weak* type: it gives way to the dtype of an array beside it, as a
number does. It has 32 bits, or 64 where JAX is told so, and raises nothing: `1 / n` of 0 is infinite there. What such an array
cannot do is refused when the source is written, with the line. No gradient flows through a number, in any of them.

A key that is read from a tensor is looked up among fixed ones, one after the other. One that may be new, `hash(n)`, a set or Counter of such numbers
are refused at capture, and so is what may raise where an `except` clause waits for it: no exception of Python's is left when compiled code runs.

Captured without arguments, `.item()` may give a number of any kind: what hangs on its class is refused then; take `float(x)` or `int(x)` instead.

Here `x` is a vector and `g` a tensor of one number. `make docs` writes this page, and the tests run each line.
"""


def of_values(x: Any, g: Any) -> Any:
    return x * {0: 2.0}.get(int(g), 1.0)


def in_a_set(x: Any, g: Any) -> Any:
    return x * (int(g) in {0, 2})


def in_a_list(x: Any, g: Any) -> Any:
    return x * [4.0, 5.0][int(g) % 2]


def votes(x: Any, g: Any) -> Any:
    return x * (bool(x[0] > 0) + bool(g > 1))


def inverted(x: Any, g: Any) -> Any:
    return x * ~bool(g > 1)


def beside(x: Any, g: Any) -> Any:
    return x * int(g) + float(x[0])


def rounded(x: Any, g: Any) -> Any:
    return x * (round(float(g) * 1.5) + math.floor(g.item()))


def computed(x: Any, g: Any) -> Any:
    return x * math.sqrt(float(g) + 2.0)


def told(x: Any, g: Any) -> Any:
    return x * (2 if isinstance(int(g) / 2, float) else 3)


def a_modulus(x: Any, g: Any) -> Any:
    return x * pow(int(g), 3, 5)


def without_end(x: Any, g: Any) -> Any:
    return x * ((int(g) + 5) ** 40 % 97)


def a_double(x: Any, g: Any) -> Any:
    return x * (float(g) + 1e-9 > float(g))


def a_root(x: Any, g: Any) -> Any:
    return x * abs((float(g) - 2.0) ** 0.5)


def a_text(x: Any, g: Any) -> Any:
    return x * len(f"{int(g)}")


def bits(x: Any, g: Any) -> Any:
    return x * int(g).bit_length()


def in_turn(x: Any, g: Any) -> Any:
    a, b = int(g), 1
    for _ in range(5):
        a, b = b, a + b
    return x * a


def a_list(x: Any, g: Any) -> Any:
    found = [float(v) for v in x]
    return x * max(found)


SHOWN: tuple[tuple[str, Callable[..., Any]], ...] = (
    ("a key of a fixed dictionary", of_values),
    ("a member of a set", in_a_set),
    ("a place in a list", in_a_list),
    ("booleans that add up", votes),
    ("`~` of a boolean", inverted),
    ("beside tensors", beside),
    ("rounding", rounded),
    ("functions of `math`", computed),
    ("its class", told),
    ("a power with a modulus", a_modulus),
    ("whole numbers without end", without_end),
    ("the digits of a double", a_double),
    ("complex roots", a_root),
    ("text that the code goes on with", a_text),
    ("bits", bits),
    ("what a loop adds up in turn", in_turn),
    ("a list of numbers", a_list),
)
"""What is shown, and an example."""


def numbers_page() -> str:
    """docs/numbers.md."""
    lines = [HEAD, "| | PyTorch source | JAX source |", "|---|---|---|"]
    lines += [f"| {title} | {_cell(_written(fn, 'torch'))} | {_cell(_written(fn, 'jax'))} |" for title, fn in SHOWN]
    return "\n".join(lines) + "\n"


def _written(fn: Callable[..., Any], target: str) -> str:
    """The body of the emitted function; why it is refused."""
    try:
        source = gfx.symbolic_trace(fn, backend="torch").source(target)
    except GfxError as error:
        found = re.search(r"GFX cannot write (.*?) as jax source", str(error))
        return f"refused: {found.group(1).rstrip(',')}" if found else str(error)
    body = re.split(r"^def [^\n]*:\n", source, flags=re.MULTILINE)[-1]
    return (
        re.sub(r"\s*\n\s*", "; ", body.strip()).removeprefix("return ").replace("; return ", "; ").replace(":; ", ": ")
    )


def _cell(text: str) -> str:
    return text if text.startswith("refused") else f"`{text}`".replace("|", "\\|")
