"""Families of draws: each way in which code holds the state of random numbers, in each place of control flow, against the same seed.

What source spells otherwise than the author (dropout, `exponential_`) draws other numbers, and is none of them: docs/limits.md."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial

import torch

import gfx_trace as gfx
from family_checks import ARRAYS, NUMBERS, REFUSED, Program, filled, outcome, run_families, same, within
from fuzz_families_arrays_places import PLACES, PRELUDE
from program_text import define

VECTOR = [1.0, 2.0, 3.0]
SECONDS = 60.0
HELPERS = {
    "torch": PRELUDE + "import torch\nimport torch.nn as nn\n",
    "jax": PRELUDE
    + "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n\ndef draw(key):\n    key, k = jax.random.split(key)\n    return key, jax.random.normal(k, (3,))\n",
}
_KEY = "key = jax.random.key(3)"
_OLD = "key = jax.random.PRNGKey(3)"
STATES: dict[str, dict[str, tuple[str, str, str]]] = {
    "torch": {
        "rand": ("s = b = x * 0", "s = s + torch.rand(3)", "s"),
        "in place": ("s = b = x.clone()", "s.uniform_()", "s + b"),
        "normal_": ("s = b = x.clone()", "s.normal_(1, 2)", "s"),
        "randn_like": ("s = b = x", "s = s * torch.randn_like(x)", "s"),
        "two kinds": ("s = b = x", "s = s + torch.rand(()) * torch.randn(3)", "s"),
        "randint": ("s = b = torch.zeros(3, dtype=torch.long)", "s = s + torch.randint(0, 9, (3,))", "s"),
        "randperm": ("s = b = x", "s = s[torch.randperm(3)]", "s"),
        "bernoulli": ("s = b = x * 0", "s = s + torch.bernoulli(x / 4)", "s"),
        "multinomial": ("s = b = x * 0", "s = s + torch.multinomial(x, 3, replacement=True)", "s"),
        "list of draws": ("s = [x]; b = s", "s.append(torch.rand(3))", "s[-1] * len(s)"),
        "dict of draws": ("s = {'a': x}; b = s", "s['a'] = torch.rand(3) + s['a']", "s['a']"),
        "object": ("s = types.SimpleNamespace(v=x); b = s", "s.v = s.v + torch.rand(3)", "s.v"),
        "function": ("s = x; b = lambda v: v + torch.rand(3)", "s = b(b(s))", "s"),
        "unused": ("s = b = x", "torch.rand(5)\ns = s + torch.rand(3)", "s"),
        "seeded": ("torch.manual_seed(5); s = b = x", "s = s + torch.rand(3)", "s"),
        "seeded again": ("s = b = x", "torch.manual_seed(7)\ns = s + torch.rand(3)", "s"),
        "generator": ("g = torch.Generator().manual_seed(5); s = b = x", "s = s + torch.rand(3, generator=g)", "s"),
        "generator beside": (
            "g = torch.Generator().manual_seed(5); s = b = x",
            "s = s + torch.rand(3, generator=g) * torch.rand(3)",
            "s",
        ),
        "open size": ("s = b = x", "s = s + torch.rand(n + 1).sum()", "s"),
        "row by row": ("s = b = x", "s = torch.stack([v * torch.rand(()) for v in s])", "s"),
        "init": ("s = b = x.clone()", "nn.init.uniform_(s, -1, 1)", "s"),
    },
    "jax": {
        "split": (f"{_KEY}; s = b = x", "key, k = jax.random.split(key)\ns = s + jax.random.normal(k, (3,))", "s"),
        "split old": (f"{_OLD}; s = b = x", "key, k = jax.random.split(key)\ns = s + jax.random.normal(k, (3,))", "s"),
        "fold in": (
            f"{_KEY}; s = b = x",
            "key = jax.random.fold_in(key, 2)\ns = s + jax.random.uniform(key, (3,))",
            "s",
        ),
        "fold in n": (f"{_KEY}; s = b = x", "key = jax.random.fold_in(key, n)\ns = s + jax.random.uniform(key)", "s"),
        "used twice": (
            f"{_KEY}; s = b = x",
            "s = s + jax.random.normal(key, (3,)) * jax.random.uniform(key, (3,))",
            "s",
        ),
        "split three": (
            f"{_KEY}; s = b = x",
            "key, k, m = jax.random.split(key, 3)\ns = s * jax.random.normal(k) + jax.random.uniform(m, (3,))",
            "s",
        ),
        "keys indexed": (
            f"{_KEY}; keys = jax.random.split(key, 4); s = b = x",
            "s = s + jax.random.normal(keys[n % 4], (3,))",
            "s",
        ),
        "keys looped": (
            f"{_KEY}; keys = jax.random.split(key, 3); s = b = x",
            "for k in keys: s = s + jax.random.normal(k, (3,))",
            "s",
        ),
        "kept in a dict": (
            f"{_KEY}; s = {{'k': key, 'v': x}}; b = s",
            "s['k'], k = jax.random.split(s['k'])\ns['v'] = s['v'] + jax.random.normal(k, (3,))",
            "s['v']",
        ),
        "kept in a list": (
            f"{_KEY}; s = [key, x]; b = s",
            "s[0], k = jax.random.split(s[0])\ns[1] = s[1] + jax.random.normal(k, (3,))",
            "s[1]",
        ),
        "kept in an object": (
            f"{_KEY}; s = types.SimpleNamespace(k=key, v=x); b = s",
            "s.k, k = jax.random.split(s.k)\ns.v = s.v + jax.random.normal(k, (3,))",
            "s.v",
        ),
        "kept in data": (
            "s = Data(jax.random.key(3)); b = x",
            "s.v, k = jax.random.split(s.v)\nb = b + jax.random.normal(k, (3,))",
            "b",
        ),
        "tuple": (
            "s = (jax.random.key(3), x); b = s",
            "s = (jax.random.split(s[0])[0], s[1] + jax.random.normal(s[0], (3,)))",
            "s[1]",
        ),
        "function": (f"{_KEY}; s = b = x", "key, d = draw(key)\ns = s + d", "s"),
        "chosen": (
            f"{_KEY}; s = b = x",
            "key = jax.random.split(key)[1] if n > 1 else jax.random.fold_in(key, 1)\ns = s + jax.random.normal(key, (3,))",
            "s",
        ),
        "chosen by data": (
            f"{_KEY}; s = b = x",
            "a_, b_ = jax.random.split(key)\nkey = jax.lax.cond(s.sum() > 6, lambda: a_, lambda: b_)\ns = s + jax.random.normal(key, (3,))",
            "s",
        ),
        "data of a key": (f"{_OLD}; s = b = x", "key = jax.random.split(key)[0]\ns = s + key[1] % 7", "s"),
        "key_data": (
            f"{_KEY}; s = b = x",
            "key = jax.random.split(key)[0]\ns = s + jax.random.key_data(key)[0] % 7",
            "s",
        ),
        "permutation": (f"{_KEY}; s = b = x", "key, k = jax.random.split(key)\ns = jax.random.permutation(k, s)", "s"),
        "choice": (f"{_KEY}; s = b = x", "key, k = jax.random.split(key)\ns = jax.random.choice(k, s, (3,))", "s"),
        "categorical": (
            f"{_KEY}; s = b = x",
            "key, k = jax.random.split(key)\ns = s + jax.random.categorical(k, s)",
            "s",
        ),
        "bernoulli": (
            f"{_KEY}; s = b = x",
            "key, k = jax.random.split(key)\ns = s + jax.random.bernoulli(k, 0.5, (3,))",
            "s",
        ),
        "randint": (
            f"{_KEY}; s = b = x",
            "key, k = jax.random.split(key)\ns = s + jax.random.randint(k, (3,), 0, 9)",
            "s",
        ),
        "scanned": (
            f"{_KEY}; s = b = x",
            "key, ks = lax.scan(lambda c, _: tuple(jax.random.split(c)), key, None, length=3)\ns = s + jax.vmap(lambda k: jax.random.normal(k))(ks)",
            "s",
        ),
        "vmapped": (
            f"{_KEY}; s = b = x",
            "key, k = jax.random.split(key)\ns = s + jax.vmap(jax.random.normal)(jax.random.split(k, 3))",
            "s",
        ),
        "fori": (
            f"{_KEY}; s = b = x",
            "s = lax.fori_loop(0, 3, lambda i, c: c + jax.random.normal(jax.random.fold_in(key, i), (3,)), s)",
            "s",
        ),
        "seed of n": ("s = b = x", "key = jax.random.key(n)\ns = s + jax.random.normal(key, (3,))", "s"),
        "shape of n": (
            f"{_KEY}; s = b = x",
            "key, k = jax.random.split(key)\ns = s + jax.random.normal(k, (n + 1,)).sum()",
            "s",
        ),
    },
}


def draws(flavour: str) -> Iterator[Program]:
    """What holds the state, a draw in a place, and what is told."""
    for (state, (made, write, told)), (place, body) in itertools.product(STATES[flavour].items(), PLACES.items()):
        text = HELPERS[flavour] + filled(body, MADE=made.replace("; ", "\n"), WRITE=write, TOLD=told)
        yield Program(f"{state}, {place}", text, VECTOR, flavour, ("program", flavour))


@within(SECONDS)
def judged_draws(program: Program) -> str:
    """What came of it, as `family_checks.judged` says it: each call begins with one seed."""
    f = define(program.text, f"<{program.name}>")
    called = lambda run, n: outcome(lambda: _seeded(run, ARRAYS[program.flavour](program.x, program.flavour), n))
    wants = [called(f, n) for n in NUMBERS]
    if all(isinstance(want, str) for want in wants):
        return "skipped"
    try:
        captured = gfx.symbolic_trace(f, backend=program.flavour)
        emitted = captured.to(program.flavour)
        runs = {"program": captured, "source": lambda x, n: emitted(x, n)[0] if captured.writes else emitted(x, n)}
    except gfx.GfxError:
        return "refused"
    except Exception as error:
        raises = any(isinstance(want, str) for want in wants)
        return "skipped" if raises else f"crash: {type(error).__name__}: {error}"
    for way, run in runs.items():
        for n, want in zip(NUMBERS, wants):
            got = called(run, n)
            if got != REFUSED and not isinstance(want, str) and not same(want, got, program.flavour == "torch"):
                return f"wrong: {way} at {n}: {want}, got {got}"
    return "equal"


def _seeded(run: Callable, x: object, n: int) -> object:
    torch.manual_seed(11)
    return run(x, n)


FAMILIES = {f"{flavour} draws": partial(draws, flavour) for flavour in STATES}

if __name__ == "__main__":
    raise SystemExit(run_families(FAMILIES, tuple(HELPERS.values()), __doc__, judged_draws))
