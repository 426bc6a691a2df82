"""Random expressions over vectors of three, numbers that may be data, integers and tests, in the words of a framework."""

from __future__ import annotations

from program_text import Text

WORDS = {
    "torch": {
        "tanh": "torch.tanh({})", "where": "torch.where({}, {}, {})", "flip": "{}.flip(0)", "copy": "{}.clone()",
        "stack": "torch.stack({}).reshape(3, -1).mean(1)", "zeros": "torch.zeros_like({})", "class": "torch.Tensor",
    },
    "jax": {
        "tanh": "jnp.tanh({})", "where": "jnp.where({}, {}, {})", "flip": "jnp.flip({}, 0)", "copy": "{} * 1.0",
        "stack": "jnp.stack({}).reshape(3, -1).mean(1)", "zeros": "jnp.zeros_like({})", "class": "jax.Array",
    },
    "numpy": {
        "tanh": "np.tanh({})", "where": "np.where({}, {}, {})", "flip": "np.flip({}, 0)", "copy": "{}.copy()",
        "stack": "np.stack({}).reshape(3, -1).mean(1)", "zeros": "np.zeros_like({})", "class": "np.ndarray",
    },
}  # fmt: skip


class Expressions(Text):
    """Writes expressions. Variables: vectors v, w and x; numbers s and r, d['a'], o[0]; integers i, j, n, k; a flag b."""

    flavour = "torch"

    def word(self, name: str, *args: str) -> str:
        """A call in the words of the framework."""
        return WORDS[self.flavour][name].format(*args)

    def vector(self, depth: int = 0) -> str:
        """A vector."""
        pick = self.rng.randrange(9 if depth < 2 else 3)
        if pick < 3:
            return self.one("v", "w", "x", "v", "w")
        inner = depth + 1
        if pick == 3:
            return self.word("tanh", f"{self.vector(inner)} + {self.number(inner)}")
        if pick == 4:
            return self.word("where", f"{self.vector(inner)} > 0.1", self.vector(inner), self.vector(inner))
        if pick == 5:
            return f"({self.vector(inner)} if {self.test(inner)} else {self.vector(inner)})"
        if pick == 6:
            return self.word("flip", self.vector(inner))
        return f"(0.5 * {self.vector(inner)} {self.one('+', '-')} 0.5 * {self.vector(inner)})"

    def number(self, depth: int = 0) -> str:
        """A number: of Python, or data."""
        pick = self.rng.randrange(13 if depth < 2 else 4)
        inner = depth + 1
        if pick < 3:
            return self.one("s", "r", "d['a']", "o[0]", "o[1]")
        if pick == 3:
            return self.one("0.5", "1.25", "-0.75", "v[0]", "w[-1]")
        if pick == 4:
            return f"{self.vector(inner)}.{self.one('sum()', 'mean()', 'max()')} * 0.5"
        if pick == 5:
            return f"({self.number(inner)} if {self.test(inner)} else {self.number(inner)})"
        if pick == 6:
            return f"float({self.integer(inner)} % 5) * 0.3"
        if pick == 7:
            return f"(lambda u: u * 0.5 + {self.number(inner)} * 0.1)({self.number(inner)})"
        if pick == 8:
            return f"{self.one('max', 'min')}({self.number(inner)}, {self.number(inner)})"
        if pick == 9:
            return f"abs({self.number(inner)}) * 0.5"
        if pick == 10:
            return f"outer({self.number(inner)}, {self.vector(inner)})"
        return f"(0.5 * {self.number(inner)} {self.one('+', '-')} 0.25 * {self.number(inner)})"

    def integer(self, depth: int = 0) -> str:
        """A small integer: of Python, or data."""
        pick = self.rng.randrange(8 if depth < 2 else 4)
        inner = depth + 1
        if pick < 3:
            return self.one("i", "j", "n", "k")
        if pick == 3:
            return str(self.rng.randint(0, 3))
        if pick == 4:
            return f"({self.integer(inner)} if {self.test(inner)} else {self.integer(inner)})"
        return f"({self.integer(inner)} {self.one('+', '-')} {self.integer(inner)}) % 7"

    def test(self, depth: int = 0) -> str:
        """A test: fixed, on an open number, or on data."""
        pick = self.rng.randrange(13 if depth < 2 else 7)
        inner = depth + 1
        if pick < 2:
            return f"{self.number(inner)} {self.one('<', '>')} {self.one('0.3', '-0.2', '0.7')}"
        if pick == 2:
            return f"{self.integer(inner)} {self.one('<', '==', '!=', '>=')} {self.rng.randint(0, 3)}"
        if pick == 3:
            return self.one("k > 1", "k == 2", "x.shape[0] > 2", "k", *self.asks())
        if pick == 4:
            return f"{self.vector(inner)}.sum() > {self.one('0.1', '-0.4')}"
        if pick == 5:
            return self.one("n > 1", "n % 2 == 0", "s > r", "i < j")
        if pick == 6:
            return self.one("b", "not b")
        if pick == 7:
            return f"not ({self.test(inner)})"
        if pick == 8:
            return f"-0.5 < {self.number(inner)} <= {self.number(inner)}"
        return f"({self.test(inner)} {self.one('and', 'or')} {self.test(inner)})"

    def asks(self) -> tuple[str, ...]:
        """Tests of what is optional."""
        return ()
