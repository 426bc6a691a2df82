"""einops: patterns of named axes are captured as reshapes, permutations and reductions, with open sizes and ranks too."""

import linecache
import sys
import types

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

FUNCTIONS = {"einops.einops": ("rearrange", "repeat", "reduce", "einsum"), "einops.packing": ("pack", "unpack")}


@pytest.fixture
def einops(monkeypatch):
    """The functions by name: of the library's modules, which stand in for it where it is not installed."""
    found = {}
    for module, names in FUNCTIONS.items():
        made = types.ModuleType(module)
        monkeypatch.setitem(sys.modules, module, made)
        for name in names:
            text, file = f"def {name}(*args, **kwargs): raise AssertionError", f"<{module}.{name}>"
            monkeypatch.setitem(linecache.cache, file, (len(text), None, [text], file))
            exec(compile(text, file, "exec"), vars(made))
            found[name] = getattr(made, name)
    return types.SimpleNamespace(**found)


CASES = {
    "heads": (lambda e, x: e.rearrange(x, "b n (h d) -> b h n d", h=2), lambda x: x.unflatten(2, (2, -1)).transpose(1, 2)),
    "merged": (lambda e, x: e.rearrange(x, "b n d -> n (b d)"), lambda x: x.transpose(0, 1).flatten(1)),
    "both": (lambda e, x: e.rearrange(x, "(a b) n d -> b (n d a)", a=2), lambda x: x.unflatten(0, (2, -1)).permute(1, 2, 3, 0).flatten(1)),
    "rest": (lambda e, x: e.rearrange(x, "b ... d -> d ... b"), lambda x: x.transpose(0, -1)),
    "rest in one": (lambda e, x: e.rearrange(x, "b ... -> b (...)"), lambda x: x.flatten(1)),
    "rest before": (lambda e, x: e.rearrange(x, "... (h d) -> ... h d", d=2), lambda x: x.unflatten(-1, (-1, 2))),
    "unit axes": (lambda e, x: e.rearrange(x, "b n d -> b 1 n () d"), lambda x: x[:, None, :, None]),
    "stacked": (lambda e, x: e.rearrange([x, x], "k b n d -> b n (d k)"), lambda x: torch.stack((x, x), -1).flatten(2)),
    "repeated": (lambda e, x: e.repeat(x, "b n d -> (b r) n d 3", r=2), lambda x: x.repeat_interleave(2, 0)[..., None].repeat(1, 1, 1, 3)),
    "repeated rest": (lambda e, x: e.repeat(x, "b ... -> b k ...", k=2), lambda x: torch.stack((x, x), 1)),
    "mean": (lambda e, x: e.reduce(x, "b n d -> d b", "mean"), lambda x: x.mean(1).T),
    "pooled": (lambda e, x: e.reduce(x, "b n (d 2) -> b n d", "max"), lambda x: x.unflatten(2, (-1, 2)).amax(-1)),
    "its own reduction": (
        lambda e, x: e.reduce(x, "b n (x d) -> d b", lambda t, axes: t.flatten(-2).std(axes[0]), x=2),
        lambda x: x.unflatten(2, (2, -1)).permute(3, 0, 1, 2).flatten(2).std(2),
    ),
    "reduced rest": (lambda e, x: e.reduce(x, "b ... -> b 1", "sum"), lambda x: x.flatten(1).sum(1, keepdim=True)),
    "product": (lambda e, x: e.einsum(x, x, "b row d, b col d -> b row col"), lambda x: x @ x.mT),
    "packed": (lambda e, x: e.unpack(e.pack([x, x[:, 0]], "b * d")[0] * 2, [(x.shape[1],), ()], "b * d")[1], lambda x: x[:, 0] * 2),
    "packed as it was": (lambda e, x: e.unpack(*e.pack([x], "* d"), "* d")[0], lambda x: x),
}  # fmt: skip


@pytest.mark.parametrize("given", [(), (torch.zeros(4, 3, 4),)], ids=["open", "dynamic"])
@pytest.mark.parametrize("name", CASES)
def test_patterns_hold_at_sizes_that_capture_never_saw(einops, name, given):
    call, meaning = CASES[name]
    x = torch.rand(2, 5, 6, generator=torch.manual_seed(0))
    for to in ("torch", "jax"):
        found = gfx.transpile(lambda x: call(einops, x), *given, dynamic=bool(given), to=to, backend="torch")
        assert "einops" not in found.source.replace('"einops.', "")
        np.testing.assert_allclose(np.asarray(found(x if to == "torch" else x.numpy())), meaning(x), rtol=1e-5)


def test_a_pattern_is_a_reshape_and_a_permutation_in_source(einops):
    made = gfx.transpile(lambda x: einops.rearrange(x, "b n (h d) -> b h n d", h=2), torch.zeros(2, 3, 4), to="jax")
    assert "return x.reshape(2, 3, 2, 2).transpose(0, 2, 1, 3)" in made.source


@pytest.mark.parametrize(
    "pattern, given, shapes",
    [
        ("b (h d) -> b h d", {"h": 2, "d": 3}, [(2, 8), (2, 5)]),
        ("b n -> n b", {"n": 4}, [(2, 3)]),
        ("b 1 -> b", {}, [(2, 3)]),
        ("(a b) 1 -> a b", {"a": 2}, [(3, 4), (2, 2)]),
        ("(a b) (c d) -> a b (c d)", {"a": 2, "b": 2, "c": 2}, [(3, 4), (6, 2), (4, 3)]),
    ],
)
def test_sizes_that_do_not_fit_raise_at_capture_and_when_the_code_runs(einops, pattern, given, shapes):
    for shape in shapes:
        target = lambda x: einops.rearrange(x, pattern, **given)
        with pytest.raises(gfx.GfxError):
            gfx.transpile(target, torch.zeros(shape), to="torch")
        with pytest.raises((ValueError, RuntimeError)):
            gfx.transpile(target, gfx.TensorSpec(("n", "m")), to="torch", backend="torch")(torch.zeros(shape))


def test_a_call_that_is_no_pattern_runs_the_librarys_own_code(einops):
    for pattern, reduction in (
        ("a b -> a c", "sum"),
        ("a (b -> a b", "sum"),
    ):
        with pytest.raises(AssertionError):
            gfx.transpile(lambda x: einops.reduce(x, pattern, reduction), torch.zeros(2, 3), to="torch")


def test_a_write_reaches_through_views_and_is_refused_where_nothing_tells_which_are(einops):
    def write(x, pattern, **sizes):
        y = einops.rearrange(x, pattern, **sizes)
        y += 1
        return x

    views = ("b (n m) -> n b m", {"m": 2}), ("b n -> n b", {}), ("b ... -> (b ...)", {})
    for pattern, sizes in (*views, ("b n -> (n b)", {})):
        made = gfx.transpile(lambda x: write(x, pattern, **sizes), torch.zeros(2, 4), to="torch")
        assert torch.equal(made(torch.zeros(2, 4)), torch.full((2, 4), float((pattern, sizes) in views)))
    with pytest.raises(gfx.GfxError, match="shares memory at times"):
        gfx.transpile(lambda x: write(x, "b n -> (n b)"), torch.zeros(4, 2).T, to="torch")


KEPT = {
    'einops.rearrange(x, "b n (h d) -> b h n d", h=2)': lambda e, x: e.rearrange(x, "b n (h d) -> b h n d", h=2),
    'einops.repeat(x, "b n d -> (b r) n d 3", r=2)': lambda e, x: e.repeat(x, "b n d -> (b r) n d 3", r=2),
    'einops.reduce(x, "b ... -> b", "sum")': lambda e, x: e.reduce(x, "b ... -> b", "sum"),
}


@pytest.mark.parametrize("call", KEPT)
def test_calls_stay_calls_of_einops_where_that_is_asked_for(call):
    library, fn = pytest.importorskip("einops"), KEPT[call]
    for given in ((), (torch.zeros(4, 3, 4),)):
        program = gfx.symbolic_trace(
            lambda x: fn(library, x), *given, dynamic=bool(given), backend="torch", einops=True
        )
        for to in ("torch", "jax", "numpy"):
            made, x = gfx.transpile(program, to=to), torch.rand(2, 5, 6, generator=torch.manual_seed(0))
            assert call in made.source
            found = made(x if to == "torch" else x.numpy())
            np.testing.assert_allclose(np.asarray(found), fn(library, x), rtol=1e-5)


def test_parts_of_an_open_array_are_unpacked_by_jnp_unstack():
    def f(x):
        q, k = jnp.unstack(x, axis=1)
        return q - k

    x = np.arange(12.0, dtype="float32").reshape(3, 2, 2)
    np.testing.assert_allclose(gfx.transpile(f, to="torch")(torch.from_numpy(x)), x[:, 0] - x[:, 1])
