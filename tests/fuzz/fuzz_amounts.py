"""Expressions over Python's numbers, NumPy's scalars, arrays of every dtype, and gradient modes."""

from __future__ import annotations

import random

AMOUNTS = {
    "torch": ("dtypes", "dtypes", "modes", "modes"),
    "jax": ("dtypes",),
    "numpy": ("dtypes", "scalars", "scalars", "scalars"),
}
SUMS = (
    "np.sum(x)", "x.sum()", "np.max(x, axis=0)", "x @ x", "np.inner(x, x)", "np.dot(x, x)", "np.vdot(x, x)", "np.trace(np.outer(x, x))", "np.median(x)",
    "np.linalg.norm(x)", "np.linalg.norm(x, axis=0)", "np.quantile(x, 0.5)", "np.trapezoid(x)", "np.einsum('i,i->', x, x)", "np.take(x, 1)", "x[1]", "x[-1]",
    "np.interp(0.5, x, x)", "np.polyval([1.0, 2.0], x[0])", "np.add.reduce(x)", "np.multiply(x[0], 2.0)", "np.array(2.0)", "np.asarray(x[0])", "x[0] * 1",
    "np.float64(2.0)", "np.where(n > 1, 2.0, 3.0)", "np.squeeze(x[:1])", "x[:1].reshape(())", "np.mean(x, keepdims=False)", "x.item(0)", "np.clip(x[0], 0, 1)",
    "np.add(x[0], x[1])", "np.abs(np.array(-2.0))", "np.linalg.det(np.outer(x, x) + np.eye(3))", "x.std()", "np.ptp(x)", "np.prod(x)", "np.average(x)",
    "np.count_nonzero(x > 0)", "x.argmax()", "np.searchsorted(np.sort(x), 0.5)", "np.round(x[0])", "np.sqrt(np.float64(4.0))", "x.dtype.type(3)", "x.sum(axis=0)[()]",
    "np.array(2.0)[()]", "np.array([3.0]).sum()", "np.array(5.0).copy()", "np.cumsum(x)[-1]", "np.negative(n)", "n * 1.5", "n + 0",
)  # fmt: skip
WRITES = (
    "s += 1",
    "s *= 2",
    "s -= x[1]",
    "s = s + 1",
    "s /= 2",
    "s **= 2",
    "r += s",
    "s[...] = 4.0",
    "np.add(s, 1, out=s)",
    "s.fill(3.0)",
    "s += x.sum()",
)
ASKED = (
    "isinstance(s, np.ndarray)", "isinstance(s, np.generic)", "isinstance(s, float)", "isinstance(s, np.floating)", "s is r", "s.ndim", "np.ndim(s)",
    "len(s.shape)", "s.size", "np.isscalar(s)", "type(s) is np.float64", "hasattr(s, '__setitem__')", "s.dtype == np.float64", "s.dtype.itemsize",
    "isinstance(s > 0, np.bool_)", "isinstance(s, (int, np.integer))", "s.dtype.kind == 'f'", "bool(s == r)", "isinstance(s + 0, np.ndarray)",
)  # fmt: skip
CHANGES = {
    "torch": (
        "y = x.clone(); y += 1.5", "y = x.clone(); y /= 2", "y = x.clone(); y *= 2", "y = x.clone(); y //= 2", "y = x.clone(); y[0] = 1.7", "y = x.clone(); y[1:] += 1",
        "y = x.cumsum(0)", "y = x.prod()", "y = x.sum()", "y = x / 2", "y = x // 2", "y = x % 3", "y = x ** 2", "y = -x", "y = ~x", "y = x & 1", "y = x + 1.5", "y = x + True",
        "y = torch.where(x > 0, x, 0.5)", "y = torch.where(x > 0, x, 1)", "y = torch.stack([x, x * 1.0])", "y = x + n", "y = x * n", "y = x + torch.tensor(1.5)", "y = x * k", "y = x / n",
        "y = x.abs()", "y = x.max()", "y = x.clone(); y.add_(n)", "y = x.clone(); y.mul_(2)", "y = x.to(torch.int8)", "y = x.float().sum() + x", "y = x.bool()", "y = x + x.bool()",
        "y = x.clamp(0, 2)", "y = x.clamp(0, 1.5)", "y = torch.full_like(x, 2)", "y = torch.zeros(3) + x", "y = x > 1", "y = x << 1", "y = x.sign()", "y = x.square()", "y = torch.exp(x)",
        "y = torch.cat([x, torch.ones(1)])", "y = x.cumprod(0)", "y = x.any() + x.sum()", "y = x.sort().values", "y = x.argmax() + x", "y = x * 0.5 if k > 1 else x", "y = 1 - x", "y = 2 ** x",
    ),
    "jax": (
        "y = x + 1.5", "y = x / 2", "y = x // 2", "y = x % 3", "y = x ** 2", "y = -x", "y = ~x", "y = x & 1", "y = jnp.cumsum(x)", "y = jnp.prod(x)", "y = x.sum()", "y = x * n", "y = x + n",
        "y = jnp.where(x > 0, x, 0.5)", "y = jnp.where(x > 0, x, 1)", "y = x.at[0].set(1.7)", "y = x.at[1:].add(1)", "y = x.at[0].multiply(2)", "y = x.astype(jnp.int8)", "y = x + True",
        "y = jnp.concatenate([x, jnp.ones(1)])", "y = x * k", "y = jnp.clip(x, 0, 2)", "y = x.mean()", "y = jnp.exp(x)", "y = x.max()", "y = 1 - x", "y = jnp.stack([x, x * 1.0])", "y = jnp.abs(x)",
    ),
    "numpy": (
        "y = x.copy(); y += 1.5", "y = x.copy(); y /= 2", "y = x.copy(); y *= 2", "y = x.copy(); y[0] = 1.7", "y = x.copy(); y[1:] += 1", "y = np.cumsum(x)", "y = x.prod()", "y = x.sum()",
        "y = x / 2", "y = x // 2", "y = x % 3", "y = x ** 2", "y = -x", "y = ~x", "y = x & 1", "y = x + 1.5", "y = x + True", "y = np.where(x > 0, x, 0.5)", "y = np.where(x > 0, x, 1)",
        "y = np.stack([x, x * 1.0])", "y = x + n", "y = x * n", "y = x + np.float32(1.5)", "y = x * k", "y = x.mean()", "y = x.astype(np.int8)", "y = x.clip(0, 2)", "y = np.full_like(x, 2)",
        "y = np.zeros(3) + x", "y = np.concatenate([x, np.ones(1)])", "y = np.cumprod(x)", "y = np.exp(x)", "y = np.sign(x)", "y = np.add(x, 1, dtype=np.float32)", "y = 1 - x", "y = np.abs(x)",
        "y = np.sort(x)[::-1]", "y = x.max()", "y = x.copy(); np.add(y, 1, out=y)", "y = x.copy(); np.multiply(y, 0.5, out=y)", "y = x.copy(); y //= 2", "y = np.square(x).sum() + x",
    ),
}  # fmt: skip
MODES = (
    "torch.no_grad()",
    "torch.enable_grad()",
    "torch.set_grad_enabled(False)",
    "torch.set_grad_enabled(k > 1)",
    "nullcontext()",
)
STEPS = (
    "y = y * 3", "y += 1", "y.add_(1)", "y.mul_(2)", "y = y.sin()", "y = y + x", "y[0] = x[1] * 2", "y = y.detach() * x", "y.detach().add_(1)", "y.data.mul_(2)", "y = y * 2 if torch.is_grad_enabled() else y * 5",
    "y = y.clone()", "z = y * 2; y = z", "y = y * float(x[0])", "y = y * x[0].item()", "y = torch.where(y > 0, y, y.detach())", "y[1:] += y[0].item()", "y = y.exp() * 0.1", "y.copy_(x)", "y[0] = 5.0", "y = y.data * 2",
    "y = y.detach()", "y.data[0] = 3.0", "z = y.detach(); z += 1; y = y * z", "z = y[:2]; z *= 2", "y = y + (y.max() > 0)", "y = y * y.round()", "y = y - y.mean().detach()", "y = y.relu()", "y.data = y.data * 2",
)  # fmt: skip


class Amounts:
    """Writes expressions over x (three numbers), n (a whole number that is data) and k (Python's)."""

    def __init__(self, rng: random.Random, flavour: str) -> None:
        self.rng, self.flavour = rng, flavour

    def one(self, *options: str) -> str:
        """One of these."""
        return self.rng.choice(options)

    # ------------------------------------------------------------------ Python's numbers
    def whole(self, depth: int = 0) -> str:
        """An int."""
        pick = self.rng.randrange(14 if depth < 2 else 4)
        inner = depth + 1
        if pick < 4:
            return self.one(
                "int(n)",
                "n.item()",
                "int(x.sum())",
                "k",
                "len(x)",
                "round(float(x[0]))",
                "(x > 0).sum().item()",
                "int(x[0] > 0)",
                "3",
                "-1",
                "int(x[1])",
                "n.__int__()",
                "operator.index(n)",
            )
        if pick < 7:
            return f"({self.whole(inner)} {self.one('+', '-', '*', '//', '%', '&', '|', '^', '<< 1 |')} {self.whole(inner)})"
        return self.one(
            f"pow({self.whole(inner)}, 3, 5)", f"abs({self.whole(inner)})", f"-{self.whole(inner)}", f"~{self.whole(inner)}", f"({self.truth(inner)} + {self.truth(inner)})", f"min({self.whole(inner)}, 2)",
            f"divmod({self.whole(inner)}, 3)[1]", f"int({self.real(inner)})", f"round({self.real(inner)})", f"math.floor({self.real(inner)})", f"({self.whole(inner)}).bit_length()", f"~{self.truth(inner)}", f"-{self.truth(inner)}",
            f"math.gcd({self.whole(inner)}, 6)", f"sum([{self.truth(inner)}, {self.truth(inner)}])", f"({self.whole(inner)} if {self.truth(inner)} else {self.whole(inner)})", f"max({self.whole(inner)}, {self.whole(inner)}, 0)",
            f"math.trunc({self.real(inner)})", f"({self.truth(inner)} * 3)", f"math.factorial(abs({self.whole(inner)}) % 25)", f"({self.whole(inner)} ** 2)", f"int({self.truth(inner)})",
        )  # fmt: skip

    def real(self, depth: int = 0) -> str:
        """A float."""
        pick = self.rng.randrange(12 if depth < 2 else 4)
        inner = depth + 1
        if pick < 4:
            return self.one(
                "float(x[0])",
                "x.sum().item()",
                "x[1].item()",
                "float(n)",
                "0.5",
                "k * 0.5",
                "float(x.max())",
                "x.mean().item()",
                "1e-9",
                "x[0].__float__()",
                "x.tolist()[1]",
            )
        if pick < 7:
            return f"({self.real(inner)} {self.one('+', '-', '*', '/', '%', '//')} {self.real(inner)})"
        return self.one(
            f"math.sqrt(abs({self.real(inner)}))", f"math.sqrt({self.real(inner)})", f"math.exp({self.real(inner)})", f"math.exp({self.real(inner)} * 1000)", f"math.log({self.real(inner)})", f"({self.whole(inner)} / {self.whole(inner)})",
            f"float({self.whole(inner)})", f"round({self.real(inner)}, 2)", f"abs({self.real(inner)}) ** 0.5", f"math.hypot({self.real(inner)}, 1.0)", f"math.copysign(2.0, {self.real(inner)})", f"min({self.real(inner)}, 0.7)",
            f"math.fmod({self.real(inner)}, 0.7)", f"sum(({self.real(inner)}, 0.5))", f"({self.real(inner)} if {self.truth(inner)} else {self.real(inner)})", f"({self.whole(inner)} ** -1)", f"math.log({self.real(inner)}, 3)",
            f"max(({self.real(inner)}, {self.real(inner)}), key=abs)", f"math.fsum([{self.real(inner)}, 1e-9, -1.0])",
        )  # fmt: skip

    def truth(self, depth: int = 0) -> str:
        """A bool."""
        pick = self.rng.randrange(9 if depth < 2 else 3)
        inner = depth + 1
        if pick < 3:
            return self.one(
                "bool(x[0] > 0)",
                "(x[0] > 0).item()",
                "(x[1] > 0).item()",
                "bool(n > 1)",
                "(k > 1)",
                "bool(n)",
                "bool(x.sum() > 0)",
                "True",
            )
        return self.one(
            f"({self.real(inner)} > {self.real(inner)})", f"({self.whole(inner)} == 1)", f"({self.truth(inner)} and {self.truth(inner)})", f"(not {self.truth(inner)})", f"({self.truth(inner)} == {self.truth(inner)})",
            f"({self.truth(inner)} ^ {self.truth(inner)})", f"({self.truth(inner)} & {self.truth(inner)})", f"math.isclose({self.real(inner)}, 0.5)", f"({self.real(inner)}).is_integer()", f"bool({self.whole(inner)})",
            f"({self.whole(inner)} in (0, 1, 2))", f"({self.truth(inner)} is True)", f"isinstance({self.whole(inner)}, int)", f"any([{self.truth(inner)}, {self.truth(inner)}])",
        )  # fmt: skip

    def use(self, g: str) -> str:
        """What only Python's numbers can, of a name."""
        return self.one(
            f"{{0: 10.0, 1: 20.0, True: 30.0}}.get({g}, -1.0)", f"({g} in {{0, 1}})", f"len({{{g}, 1, 2}})", f"[10.0, 20.0, 30.0][int({g}) % 3]", f"(str({g}) == '2')", f"len(f'{{{g}}}')", f"len(f'{{{g}:.2f}}')",
            f"{{'k1': 5.0, 'k2': 6.0}}.get(f'k{{{g}}}', 9.0)", f"isinstance({g}, int)", f"isinstance({g}, bool)", f"isinstance({g}, float)", f"(type({g}) is int)", f"hasattr({g}, 'shape')", f"getattr({g}, 'ndim', 9)",
            f"({g} is True)", f"({g} == 2)", f"(hash({g}) == hash(1))", f"sorted([{g}, 1, 0])[1]", f"max({g}, 1)", f"1.0 / {g}", f"({g} + {g})", f"pow(int({g}), 3, 5)", f"sum(range(int({g}) % 7))", f"len('ab' * (int({g}) % 5))", f"collections.Counter([{g}, 1])[1]",
            f"{{True: 2.0, False: 3.0}}[bool({g})]", f"dict.fromkeys([{g}], 4.0).get(1, 5.0)", f"next((e for e in (1, 2) if e == {g}), 7)", f"({g} or 3)", f"({g} and 3)", f"(1 if {g} else 2)", f"[{g}].index({g})", f"[1, 2, 3].count({g})",
            f"(lambda v: v * 2)({g})", f"{g} * {g}", f"round({g})", f"({g} % 2 == 1)", f"-{g}", f"isinstance({g}, torch.Tensor)" if self.flavour == "torch" else f"isinstance({g}, np.ndarray)", f"math.sqrt({g})", f"int({g}) << 70 >> 69", f"math.exp({g})",
            f"[0.5] * (int({g}) % 3) == [0.5]", f"type({g} < 3) is bool", f"isinstance({g} ** 2, float)", f"({g}).real", f"functools.reduce(operator.add, [{g}, {g}])", f"sum([{g} > 0, {g} > 1])", f"bool({g}) + bool({g})", f"'abc'[int({g}) % 3] == 'b'",
        )  # fmt: skip

    # ------------------------------------------------------------------ NumPy's scalars
    def scalars(self) -> list[str]:
        """A number of NumPy's or an array without axes, by another name, and written."""
        lines = [f"s = {self.one(*SUMS)}"]
        if self.rng.random() < 0.4:
            lines += [f"if {self.one('x[0] > 0', 'n > 1', 'k > 1')}:", f"    s = {self.one(*SUMS)}"]
        lines.append(
            self.one("r = s", "r = s", "r = s; t = s", "r = [s][0]", "r = s if k > 1 else s", "r = (lambda v: v)(s)")
        )
        wrote = self.one(*WRITES)
        if self.rng.random() < 0.4:
            lines += [
                f"{self.one('for t in range(2)', 'for t in range(n)', 'if n > 1', 'if x[1] > 0', 'for t in x')}:",
                f"    {wrote}",
            ]
        else:
            lines.append(wrote)
        return [*lines, f"return s, r, {self.one('x * 1', *(f'x * ({ask})' for ask in ASKED))}"]

    # ------------------------------------------------------------------ dtypes
    def dtypes(self) -> list[str]:
        """One or two calls whose results have a dtype of their own, at times of one side only."""
        changes = CHANGES[self.flavour]
        lines = ["y = x"]
        for _ in range(self.rng.randint(1, 2)):
            change = self.one(*changes)
            if self.rng.random() < 0.3:
                lines += [f"if {self.one('n > 1', 'k > 1', 'x.sum() > 1')}:", f"    {change}"]
            elif self.rng.random() < 0.2:
                lines += [f"for t in range({self.one('2', 'n', 'k')}):", f"    {change}"]
            else:
                lines.append(change)
            lines.append(self.one("x = y", "x = y", "y = y")) if self.rng.random() < 0.3 else None
        return [*lines, f"return y, {self.one('x', 'y + x' if len(lines) < 4 else 'y', 'y.sum()', 'n', 'y * 2')}"]

    # ------------------------------------------------------------------ gradients
    def modes(self) -> list[str]:
        """Steps inside and outside of gradient modes."""
        lines = [self.one("y = x * 2", "y = x.clone()", "y = x.sin()")]
        for _ in range(self.rng.randint(1, 3)):
            step, mode, pick = self.one(*STEPS), self.one(*MODES), self.rng.randrange(9)
            if pick < 3:
                lines += [f"with {mode}:", f"    {step}"]
            elif pick == 3:
                lines += [
                    f"with {mode}:",
                    f"    with {self.one(*MODES)}:",
                    f"        {step}",
                    f"    {self.one(*STEPS)}",
                ]
            elif pick == 4:
                lines += ["torch.set_grad_enabled(False)", step, "torch.set_grad_enabled(True)"]
            elif pick == 5:
                lines += [f"@{mode}", "def h(y):", f"    {step}", "    return y", "y = h(y)"]
            elif pick == 6:
                lines += [f"if {self.one('x[0] > 0', 'n > 1', 'k > 1')}:", f"    with {mode}:", f"        {step}"]
            elif pick == 7:
                lines += [f"with {mode}:", f"    for t in range({self.one('2', 'n', 'k')}):", f"        {step}"]
            else:
                lines.append(step)
        return [*lines, f"return y{self.one('', ' * x', '.sum() * x', ' + x * 2')}"]
