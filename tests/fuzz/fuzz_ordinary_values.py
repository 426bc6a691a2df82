"""What ordinary programs compute: templates of expressions by kind, in the words of each framework.

Kinds: v vector of three, s number of an array, w matrix of two rows, q of three, c mask, z whole numbers; f float, i int, b test,
h index, t text, n anything that is a number, N one that is data, K one that is not; l list of vectors, L list of floats, d dictionary of vectors by 'a' and 'b', p vector
and float, o vector or None, g function of a vector. `lib` is the framework.
"""

from __future__ import annotations

LEAVES = {
    "n": ("0.5", "2", "-1.5", "1", "0.25"),
    "f": ("0.5", "1.5", "-0.25", "2.0"),
    "i": ("0", "1", "2"),
    "h": ("0", "1", "2"),
    "b": ("True", "False"),
    "t": ("'up'", "'down'", "'flat'"),
    "o": ("None",),
    }  # fmt: skip
VALUES: dict[str, tuple[str, ...]] = {
    "n": ("<s>", "<f>", "<i>", "<s>", "<f>"),
    "v": (
        "<v> + <v>", "<v> - <v> * 0.5", "<v> * <n>", "<n> - <v>", "<v> / (1.0 + abs(<n>))", "-<v>", "abs(<v>)", "<v> ** 2",
        "lib.sin(<v>)", "lib.tanh(<v>)", "lib.exp(-abs(<v>))", "lib.sqrt(lib.abs(<v>))", "lib.where(<c>, <v>, <v>)", "lib.where(<v> > <n>, <v>, 0.0)",
        "lib.where(<c>, <v>, -<v>)", "lib.maximum(<v>, <v>)", "lib.minimum(<v>, <v> + 1)", "lib.clip(<v>, -1.0, 1.0)", "<v>.clip(-1, 1)",
        "lib.stack([<s>, <s>, <s>])", "lib.zeros_like(<v>)", "lib.ones_like(<v>)", "lib.cumsum(<v>, axis=0)", "lib.roll(<v>, 1)", "<w>[0]",
        "<w>[-1]", "<w>.sum(axis=0)", "<w>.mean(axis=0)", "<q> @ <v>", "<v> @ <q>", "<q>[<h>]", "<q>[:, <h>]", "<q>.T[<h>]", "lib.diag(<q>)",
        "<z> * <v>", "<z> + <v>", "<c> * <v>", "<v> if <b> else <v>", "<l>[0]", "<l>[-1]", "sum(<l>)", "lib.stack(<l>).mean(axis=0)",
        "lib.stack(<l>).sum(axis=0)", "<d>['a']", "<d>.get('b', <v>)", "<d>.get('c', <v>)", "<p>[0]", "<g>(<v>)", "sum(<d>.values())",
        "functools.reduce(lambda a, b: a + b, <l>)", "functools.reduce(operator.mul, <l>, <v>)", "lib.concatenate([<v>[:1], <v>[1:]])",
        "lib.arange(3) * <v>", "<v> + <s>", "<v>.reshape(3)", "<v>[<z> % 3]", "<q>.sum(axis=1)", "<q>.reshape(-1)[:3]",
        "<fallback>",
    ),
    "fallback": ("<o> if <o> is not None else <v>", "<v>"),
    "s": (
        "<v>.sum()", "<v>.mean()", "<v>.max()", "<v>.min()", "lib.sum(<v>)", "<v>[<h>]", "<v>[-1]", "<s> + <n>", "<s> * <n>", "<n> - <s>",
        "lib.dot(<v>, <v>)", "<v> @ <v>", "<v>.std()", "lib.linalg.norm(<v>)", "<w>[1, <h>]", "<w>.sum()", "lib.trace(<q>)", "lib.max(<v>)",
        "max(<s>, <s>)", "min(<s>, <s>)", "<s> if <b> else <s>", "<v>.prod()", "abs(<s>)", "<l>[0].sum()", "<p>[0][<h>]", "max(<v>)", "sum(<v>)",
        "sum(e * e for e in <v>)", "sum(t.sum() for t in <l>)", "lib.exp(-<s> ** 2)", "lib.log1p(abs(<s>))", "lib.tanh(<s>)", "lib.where(<c>, <v>, 0.0).sum()",
        "max(t.max() for t in <l>)", "(<v> * <v>).sum()", "(<v> - <v>).mean()",
    ),
    "c": (
        "<v> > <n>", "<v> >= <v>", "<c> & <c>", "<c> | <c>", "~<c>", "<v> != 0", "<v> < <s>", "lib.isfinite(<v>)", "lib.logical_not(<c>)",
        "lib.logical_and(<c>, <c>)", "abs(<v>) < 1", "<z> == <i>", "lib.zeros_like(<c>)",
    ),
    "z": ("lib.arange(3)", "<z> + 1", "<z> * 2", "<z> % 3", "<z> // 2", "lib.where(<c>, <z>, <z> + 1)", "lib.where(<c>, 1, 0)", "lib.cumsum(lib.arange(3), axis=0)"),
    "w": (
        "lib.stack([<v>, <v>])", "<w> * <n>", "<w> + <v>", "lib.tanh(<w>)", "<w> @ <q>", "<q>[:2]", "<q>[1:]", "<w>.reshape(2, 3)", "lib.where(<w> > 0, <w>, <n>)",
        "(<w>.T * 0.5).T", "<w> - <w>.mean(axis=0)", "<w>.reshape(3, 2).T", "lib.stack([<v>, <v>, <v>, <v>])[1:3]", "lib.stack([<v>, <v>], axis=1).T",
    ),
    "q": (
        "lib.outer(<v>, <v>)", "lib.eye(3, dtype=<v!>.dtype)", "<q> + <v>", "<q>.T", "<v>[:, None] * <v>[None, :]", "<v>[:, None] - <v>", "<q> @ <q>", "lib.diag(<v>)",
        "<w>.T @ <w>", "lib.tril(<q>)", "lib.stack([<v>, <v>, <v>])", "lib.where(<q> > <n>, <q>, 0.0)", "lib.einsum('i,j->ij', <v>, <v>)", "<q> * <n>",
    ),
    "f": (
        "float(<s>)", "<s>.item()", "float(<s>)", "<f> * 0.5", "<f> + <f>", "<f> - 1", "max(<f>, <f>)", "min(<f>, 1.0)", "math.sqrt(abs(<f>))", "math.tanh(<f>)", "math.sin(<f>)",
        "math.exp(-abs(<f>))", "math.pi", "abs(<f>)", "<i> / 2", "float(<i>)", "<f> if <b> else <f>", "sum(<L>)", "<L>[0]", "<L>[-1]", "max(<L>)", "min(<L>)", "<p>[1]",
        "math.hypot(<f>, <f>)", "<f> / (1 + abs(<f>))", "0.1 * <i>", "round(<f>, 2)", "sum(<L>) / len(<L>)", "sum(e * e for e in <L>)", "max(min(<f>, 1.0), -1.0)", "math.log(1 + abs(<f>))",
    ),
    "i": (
        "int(<N>)", "<N>.item()", "<K>", "<K>", "len(<l>)", "<v>.shape[0]", "int(<s>)", "int(<c>.sum())", "<c>.sum().item()", "<i> + 1", "<i> // 2", "<i> % 3", "<i> - <i>", "min(<i>, 3)",
        "max(<i>, 0)", "abs(<i>)", "<i> if <b> else <i>", "int(<b>)", "len(<t>)", "round(<f>)", "math.floor(<f>)", "int(<f> * 4)", "sum(1 for e in <v> if e > 0)",
        "sum(e > 0 for e in <L>)", "<v>.ndim", "len(<v>)", "len(<d>)", "<i> * 2 % 7", "divmod(<i>, 2)[1]", "max(<i>, <i>)", "len(<L>)",
    ),
    "b": (
        "<s> > <n>", "<s> < <s>", "<f> > <f>", "<i> > 1", "<i> == 2", "<K> > 1", "<K> > 1", "<N> > 1", "<N> == 2", "<K> % 2 == 0", "<c>.any()", "<c>.all()", "lib.any(<c>)", "<b> and <b>",
        "<b> or <b>", "not <b>", "-1 < <f> < 1", "0 <= <s> < 2", "bool(<s> > 0)", "any(e > 0.5 for e in <v>)", "all(abs(e) < 9 for e in <L>)", "lib.allclose(<v>, <v>)",
        "<t> == 'up'", "<i> in (1, 2)", "'a' in <d>", "len(<l>) > 1", "<o> is None", "<o> is not None", "isinstance(<v>, LIBCLASS)", "math.isclose(<f>, <f>)", "<i> != <i>",
        "lib.isnan(<s>)", "math.isfinite(<f>)", "bool(<i>)", "<i> < <i> <= 3", "<s> >= 0", "abs(<s>) < 1", "<v>.sum() > 0", "<v>[0] > <v>[1]", "<t> in ('up', 'flat')",
        "any(t.sum() > 0 for t in <l>)", "all(<c>)", "<v>.shape == <v>.shape", "<v>.ndim == 1", "True if <K> else False", "True if <i> else False", "False if <f> else True", "not <K>", "not <l>", "bool(<t>)",
    ),
    "t": ("'up' if <b> else 'down'", "f\"mode{<K>}\"", "'-'.join([<t>, <t>])", "<t>.upper()", "<t> + '!'", "str(<K>)", "('up', 'down', 'flat')[<K> % 3]", "<t>[:2]"),
    "l": (
        "[<v>, <v>]", "[<v>, <v>, <v>]", "[<v>] * 2", "<l> + [<v>]", "<l>[::-1]", "list(reversed(<l>))", "[t * <n> for t in <l>]", "[<v|e:v> for e in <l>]", "[<v|j:h> for j in range(3)]",
        "list(<d>.values())", "[<d>[key] for key in ('a', 'b')]", "list(map(<g>, <l>))", "[a + b for a, b in zip(<l>, <l>)]", "[t * j for j, t in enumerate(<l>)]",
        "list(itertools.chain(<l>, [<v>]))", "list(itertools.accumulate(<l>))", "[*<l>, <v>]", "<l>[:1]", "list(<w>)", "[t if <b|t:v> else -t for t in <l>]", "[<v> for _ in range(2)]",
        "[a * b for a, b in itertools.product(<l>[:2], [<v>])]",
    ),
    "L": (
        "[<f>, <f>]", "<v>.tolist()", "[float(e) for e in <v>]", "[e * 0.5 for e in <L>]", "sorted(<L>)", "[<f>] * 3", "<L> + [<f>]", "[e.item() for e in <v>]", "[round(e, 2) for e in <L>]",
        "[math.sin(e) for e in <L>]", "[float(t.sum()) for t in <l>]", "[<f|j:h> for j in range(2)]", "[float(j) for j in range(3)]", "[a - b for a, b in zip(<L>, <L>)]", "list(itertools.accumulate(<L>))",
    ),
    "d": (
        "{'a': <v>, 'b': <v>}", "dict(a=<v>, b=<v>)", "{key: <v> for key in ('a', 'b')}", "{**<d>, 'a': <v>}", "{key: t * 0.5 for key, t in <d>.items()}", "dict(zip(('a', 'b'), (<v>, <v>)))",
        "dict(<d>)", "<d> | {'b': <v>}", "{name: t for name, t in sorted(<d>.items())}", "collections.OrderedDict(a=<v>, b=<v>)", "<d>.copy()",
    ),
    "p": ("(<v>, <f>)", "(<v>, <f>)", "(<v> * 2, <i>)"),
    "o": ("<v>", "<v> if <b> else None", "<d>.get('c')", "None if <K> > 1 else <v>", "next((t for t in <l> if t.sum() > 0), None)"),
    "g": (
        "lib.tanh", "lib.sin", "lambda t: <v|t:v>", "functools.partial(lib.maximum, <v>)", "functools.partial(lambda by, t: t * by, <n>)", "{'up': lib.sin, 'down': lib.cos}['up']",
        "operator.neg", "lib.sin if <K> > 1 else lib.cos", "lambda t, by=<n>: t * by",
    ),
}  # fmt: skip
OWN: dict[str, dict[str, tuple[str, ...]]] = {
    "torch": {
        "v": (
            "<v>.clone()", "torch.relu(<v>)", "F.softmax(<v>, dim=0)", "F.gelu(<v>)", "<v>.clamp(min=0)", "<v>.flip(0)", "<q>.sum(-1)", "<v>.unsqueeze(0).squeeze(0)", "<v>.detach()", "torch.sigmoid(<v>)",
            "torch.lerp(<v>, <v>, 0.5)", "<v>.masked_fill(<c>, 0.0)", "torch.full_like(<v>, <f>)", "<v>.view(3)", "<z>.to(<v!>.dtype)", "<c>.to(<v>.dtype)", "<v>.double().to(<v!>.dtype)", "<q>.diagonal()",
            "<v>.expand(2, 3)[1]", "<q>.max(dim=0).values", "torch.sort(<v>).values", "torch.cat([<v>[1:], <v>[:1]])", "<v>.new_zeros(3)", "torch.zeros(3, dtype=<v!>.dtype)", "torch.addcmul(<v>, <v>, <v>)",
            "F.normalize(<v>, dim=0)", "<v>.square()", "<v>.float().to(<v>.dtype)", "torch.tensor([1.0, 2.0, 3.0], dtype=<v!>.dtype)",
        ),
        "s": ("<v>.norm()", "F.mse_loss(<v>, <v>)", "<v>.abs().max()", "torch.tensor(<f>, dtype=<v!>.dtype)", "<v>.sum(dim=0)", "torch.logsumexp(<v>, 0)", "<v>.var()", "<v>.pow(2).sum().sqrt()", "<v>.median()"),
        "z": ("<v>.round().long()", "(<c>).long()", "<z>.flip(0)", "torch.tensor([2, 0, 1])", "torch.zeros(3, dtype=torch.int64)"),
        "i": ("<v>.size(0)", "<v>.numel()", "<v>.dim()", "int(<v>.argmax())"),
        "b": ("torch.is_tensor(<v>)", "<v>.dtype == torch.float64", "torch.equal(<v>, <v>)", "<v>.is_floating_point()"),
        "w": ("<v>.expand(2, 3)", "<v>.repeat(2, 1)", "torch.vstack([<v>, <v>])", "<w>.softmax(-1)"),
    },
    "jax": {
        "v": (
            "jax.nn.relu(<v>)", "jax.nn.softmax(<v>)", "<v>.at[<h>].set(<n>)", "<v>.at[<h>].add(<n>)", "<v>.at[1:].multiply(2.0)", "jnp.flip(<v>)", "jax.lax.stop_gradient(<v>)", "jax.nn.sigmoid(<v>)",
            "jnp.full(3, <f>)", "<z>.astype(<v!>.dtype)", "jnp.sort(<v>)", "jnp.square(<v>)", "jnp.array([1.0, 2.0, 3.0], dtype=<v!>.dtype)", "jnp.zeros(3, dtype=<v!>.dtype)", "jnp.where(<v> > 0, <v>, <v> * 0.1)",
            "jax.vmap(lambda e: e * 2)(<v>)", "jax.lax.fori_loop(0, 3, lambda j, c: c * 0.5 + j, <v>)",
        ),
        "s": ("jnp.asarray(<f>)", "jax.nn.logsumexp(<v>)", "<v>.var()", "jnp.median(<v>)", "jnp.square(<v>).sum()", "jax.grad(lambda e: (e ** 2).sum())(<v>)[<h>]"),
        "z": ("jnp.round(<v>).astype(int)", "<c>.astype(jnp.int64)", "jnp.flip(<z>)", "jnp.array([2, 0, 1])"),
        "i": ("<v>.size", "int(jnp.argmax(<v>))"),
        "b": ("jnp.array_equal(<v>, <v>)", "<v>.dtype == jnp.float64"),
        "w": ("jnp.vstack([<v>, <v>])", "jnp.broadcast_to(<v>, (2, 3))", "jnp.tile(<v>, (2, 1))", "<w>.at[0].set(<v>)"),
    },
    "numpy": {
        "v": (
            "<v>.copy()", "np.maximum(<v>, 0)", "<v>[::-1]", "np.flip(<v>)", "np.full(3, <f>)", "<z>.astype(<v!>.dtype)", "np.sort(<v>)", "np.square(<v>)", "np.array([1.0, 2.0, 3.0], dtype=<v!>.dtype)",
            "np.zeros(3, dtype=<v!>.dtype)", "np.array([<f>, <f>, <f>])", "np.asarray(<v>)", "np.multiply(<v>, <v>)", "<v>[[2, 0, 1]]", "np.ones(3) * <n>", "np.zeros_like(<v>) * 0", "np.interp(<v>, [0.0, 1.0], [0.0, 2.0])",
            "np.nan_to_num(<v>)",
        ),
        "s": ("np.float64(<f>)", "<v>.var()", "np.median(<v>)", "np.square(<v>).sum()", "np.hypot(<s>, <s>)", "np.ptp(<v>)", "np.mean(<v>)"),
        "z": ("np.round(<v>).astype(int)", "<c>.astype(np.int64)", "<z>[::-1]", "np.array([2, 0, 1])"),
        "i": ("<v>.size", "int(np.argmax(<v>))", "np.count_nonzero(<c>)"),
        "b": ("np.array_equal(<v>, <v>)", "<v>.dtype == np.float64"),
        "w": ("np.vstack([<v>, <v>])", "np.broadcast_to(<v>, (2, 3))", "np.tile(<v>, (2, 1))", "<w>[::-1]"),
    },
}  # fmt: skip
TEXT_OF_DATA = ('f"{<f!>:.2f}"', 'f"{<i!>}"', "str(<i!>)", "'%d' % <i!>", "'{}'.format(<i!>)", 'f"{<b!>}"')
"""Text with numbers in it: JAX's code cannot have it where they are data."""
