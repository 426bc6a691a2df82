"""Ordinary programs: typed functions as people write them, over arrays and Python's values, with helpers, classes and modules."""

from __future__ import annotations

import random

from fuzz_ordinary_parts import PARTS, Part
from fuzz_ordinary_statements import ASSIGN, CONTAINERS, CONTROL, FAILING, FUNCTIONS, LOOPS, WRITES
from fuzz_ordinary_values import LEAVES, OWN, TEXT_OF_DATA, VALUES
from templates import Filler, Scope

CLASSES = {"torch": "torch.Tensor", "jax": "jax.Array", "numpy": "np.ndarray"}
MODULES = {"torch": "torch", "jax": "jnp", "numpy": "np"}
IMPORTS = {
    "torch": "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n",
    "jax": "import jax\nimport jax.numpy as jnp\n",
    "numpy": "import numpy as np\n",
}
RESULTS = ("v", "v", "v s", "v f", "s", "d", "v i", "l", "v v", "v s i", "f", "v b", "p", "L", "v o")
PAIRS = (
    ("x: A, n: A, k: int = 2", False),
    ("x: A, n: A, k: int, m: A", True),
    ("x: A, n: A, k: int = 2, m: A | None = None", True),
)


class Ordinary:
    """Writes the text of one function `f(x, n, k, m)`, x and m three numbers, n a whole one that is data, k Python's."""

    def __init__(self, seed: object, flavour: str) -> None:
        self.rng = rng = random.Random(seed)
        self.flavour = flavour
        own = OWN[flavour]
        values = {kind: (*found, *own.get(kind, ()), *own.get(kind, ())) for kind, found in VALUES.items()}
        if rng.random() < 0.1:
            values["t"] = (*values["t"], *TEXT_OF_DATA)
        self.parts = [part for part in rng.sample(PARTS, rng.choice((0, 1, 1, 2, 3))) if self.fits(part)]
        self.outside = any(part.outside for part in self.parts)
        self.filler = filler = Filler(rng, values, LEAVES)
        filler.budget = rng.choice((2, 4, 6, 9))
        groups = (CONTROL, LOOPS, CONTAINERS, FUNCTIONS, WRITES[flavour])
        shares = [rng.choice((0.2, 1.0, 1.0, 2.0, 4.0)) for _ in groups]
        filler.statements = [(6.0, ASSIGN), (rng.choice((0.0, 0.2, 1.0)), FAILING), *zip(shares, groups)]
        self.signature, self.given = rng.choice(PAIRS)

    def fits(self, part: Part) -> bool:
        """Whether a part is for this framework, and wanted: what outlives the call can be compared in one way only."""
        return part.flavour in ("", self.flavour) and (not part.outside or self.rng.random() < 0.3)

    def text(self) -> str:
        """The program."""
        filler = self.filler
        filler.used = {
            "x",
            "n",
            "k",
            "m",
            "e",
            "j",
            "t",
            "a",
            "b",
            "by",
            "t",
            "value",
            "item",
            "items",
            "depth",
            "parts",
            "lib",
        }
        head = [line for part in self.parts for line in self.defined(part)]
        names = {
            "x": "v",
            "n": "N",
            "k": "K",
            **({"m": "o" if "None" in self.signature else "v"} if self.given else {}),
        }
        mine = frozenset(["x"]) if self.rng.random() < 0.15 else frozenset()
        filler.scope = Scope(names, mine, result=tuple(self.rng.choice(RESULTS).split()))
        lines = filler.written("$y = <v+>\n-> $y:v", 1) if self.rng.random() < 0.7 else []
        for _ in range(self.rng.randint(2, 7)):
            lines += filler.statement(1)
        lines.append(f"    return {self.returned()}")
        text = "\n".join([*head, f"def f({self.signature}):", *lines]) + "\n"
        return IMPORTS[self.flavour] + "\n\n" + self.worded(text)

    def defined(self, part: Part) -> list[str]:
        """The text of a part; what it adds can be used from here on."""
        filler = self.filler
        budget, filler.budget = filler.budget, 2
        filler.scope = Scope()
        lines, _ = filler.lines_of(part.text.split("\n"), 0)
        filler.budget = budget
        for kind, found in part.values.items():
            filler.values[kind] += list(found) * 5
        if part.statements:
            filler.statements.append((2.0, part.statements))
        return [*lines, ""]

    def returned(self) -> str:
        """The result at the end, at times more than elsewhere, where there is no other."""
        return self.filler.result()

    def worded(self, text: str) -> str:
        """In the words of the framework."""
        text = text.replace("lib.", MODULES[self.flavour] + ".").replace("LIBCLASS", CLASSES[self.flavour])
        text = text.replace(": A", ": " + CLASSES[self.flavour])
        return text.replace("axis=", "dim=") if self.flavour == "torch" else text


def ordinary(seed: int) -> tuple[Ordinary, str, random.Random]:
    """The writer of a seed, its text, and choices for its settings."""
    rng = random.Random(f"ordinary {seed}")
    writer = Ordinary(f"ordinary {seed}", rng.choice(("torch", "torch", "jax", "numpy")))
    return writer, writer.text(), rng
