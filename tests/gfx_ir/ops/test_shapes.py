"""Shape rules where sizes are symbols or unknown, and what they refuse."""

import numpy as np
import pytest

from gfx_ir import dtypes, host, ops
from gfx_ir.errors import ShapeError, UnsupportedConstruct
from gfx_ir.host import Dim
from gfx_ir.op import lookup
from gfx_ir.rules import OPEN, Costing, building, compute, infer
from gfx_ir.types import LogicalTensor, parse_logical

B, T = Dim("B"), Dim("T", min=1)


def t(text):
    """The type written so, its T the one that is at least 1."""
    kind = parse_logical(text)
    if kind.dims is None:
        return kind
    return kind.with_(dims=tuple(None if d is None else host.parse(str(d), {"T": T}) for d in kind.dims))


def applied(call, rules="torch"):
    """The text of the types that `call` gives on types."""
    with building(Costing(rules)):
        found = call()
    return "; ".join(map(str, found)) if isinstance(found, tuple) else str(found)


SYMBOLIC = (
    (lambda: ops.add(t("f32[B, T, 8]"), t("f32[8]")), "f32[B, T, 8]"),
    (lambda: ops.add(t("f32[B, 1]"), t("f32[1, T]")), "f32[B, T]"),
    (lambda: ops.add(t("f32[B]"), t("f32[4]")), "f32[4]"),
    (lambda: ops.add(t("f32[?]"), t("f32[4]")), "f32[4]"),
    (lambda: ops.add(t("f32[?]"), t("f32[B]")), "f32[?]"),
    (lambda: ops.add(t("f32[...]"), t("f32[4]")), "f32[...]"),
    (lambda: ops.add(t("?[4]"), t("f32[4]")), "?[4]"),
    (lambda: ops.equal(t("?[4]"), 2), "bool[4]"),
    (lambda: ops.multiply(t("f32[4]"), OPEN), "f32[4]"),
    (lambda: ops.multiply(t("i64[4]"), OPEN), "?[4]"),
    (lambda: ops.multiply(t("i64[4]"), T), "i64[4]"),
    (lambda: ops.concat((t("f32[B, T]"), t("f32[B, 3]")), axis=1), "f32[B, T + 3]"),
    (lambda: ops.concat((t("f32[B, T]"), t("f32[2, ?]")), axis=-1), "f32[2, ?]"),
    (lambda: ops.stack((t("f32[B]"), t("f32[?]")), axis=1), "f32[B, 2]"),
    (lambda: ops.reshape(t("f32[B, T, 12]"), (B, T, 4, -1)), "f32[B, T, 4, 3]"),
    (lambda: ops.reshape(t("f32[B, T, 12]"), (-1, 12)), "f32[B*T, 12]"),
    (lambda: ops.reshape(t("f32[B, T, 12]"), (-1, 4)), "f32[3*B*T, 4]"),
    (lambda: ops.reshape(t("f32[B, T, 12]"), (B, OPEN, 12)), "f32[B, T, 12]"),
    (lambda: ops.reshape(t("f32[B, T]"), (-1, 4)), "f32[(B*T) // 4, 4]"),
    (lambda: ops.reshape(t("f32[...]"), (2, -1)), "f32[2, ?]"),
    (lambda: ops.flatten(t("f32[B, T, 2]"), 1), "f32[B, 2*T]"),
    (lambda: ops.split(t("f32[B, 6]"), 3, axis=-1), "f32[B, 2]; f32[B, 2]; f32[B, 2]"),
    (lambda: ops.split(t("f32[T, 6]"), 2), "f32[T // 2, 6]; f32[T // 2, 6]"),
    (lambda: ops.chunk(t("f32[7]"), 4), "f32[2]; f32[2]; f32[2]; f32[1]"),
    (lambda: ops.getitem(t("f32[B, T, 8]"), (slice(None), -1)), "f32[B, 8]"),
    (lambda: ops.getitem(t("f32[B, T]"), (slice(None), slice(1, None))), "f32[B, T - 1]"),
    (lambda: ops.getitem(t("f32[B, T]"), (slice(None), slice(None, -1))), "f32[B, T - 1]"),
    (lambda: ops.getitem(t("f32[16, 8]"), slice(None, T)), "f32[min(T, 16), 8]"),
    (lambda: ops.getitem(t("f32[B]"), OPEN), "f32[]"),
    (lambda: ops.getitem(t("f32[B, 4]"), slice(OPEN, None)), "f32[?, 4]"),
    (lambda: ops.getitem(t("f32[9, 8]"), t("i64[B, T]")), "f32[B, T, 8]"),
    (lambda: ops.getitem(t("f32[9, 8]"), t("?[B]")), "f32[...]"),
    (lambda: ops.getitem(t("f32[9, 8]"), t("bool[9]")), "f32[?, 8]"),
    (lambda: ops.getitem(t("f32[T]"), slice(None, None, 2)), "f32[(T + 1) // 2]"),
    (lambda: ops.arange(T), "i64[T]"),
    (lambda: ops.arange(B, host.add(B, T)), "i64[T]"),
    (lambda: ops.arange(OPEN, dtype=dtypes.float32), "f32[?]"),
    (lambda: ops.full((B, 2), 1.0), "f32[B, 2]"),
    (lambda: ops.zeros(OPEN), "f32[...]"),
    (lambda: ops.expand(t("f32[B, 1]"), (-1, T)), "f32[B, T]"),
    (lambda: ops.broadcast_to(t("f32[1, 3]"), (B, 3)), "f32[B, 3]"),
    (lambda: ops.squeeze(t("f32[B, 1]"), 1), "f32[B]"),
    (lambda: ops.squeeze(t("f32[B, 1]")), "f32[...]"),
    (lambda: ops.sum(t("f32[B, T]"), axis=OPEN), "?[...]"),
    (lambda: ops.sum(t("f32[...]")), "f32[]"),
    (lambda: ops.sum(t("i32[B, T]"), axis=-1, keepdims=True), "i64[B, 1]"),
    (lambda: ops.pad(t("f32[B, T]"), ((0, B),)), "f32[B, B + T]"),
    (lambda: ops.tile(t("f32[B, T]"), (2, 1)), "f32[2*B, T]"),
    (lambda: ops.repeat(t("f32[B, T]"), B, 1), "f32[B, B*T]"),
    (lambda: ops.diagonal(t("f32[T, T]")), "f32[T]"),
    (lambda: ops.topk(t("f32[B, 9]"), 2), "f32[B, 2]; i64[B, 2]"),
    (lambda: ops.sizes(t("f32[B, 9]"), 2), "B; 9"),
    (lambda: ops.size(t("f32[B, 9]"), -2), "B"),
    (lambda: ops.numel(t("f32[B, 9]")), "9*B"),
    (lambda: ops.dtype_of(t("f32[B]")), "float32"),
    (lambda: ops.finfo(dtypes.float32, "eps"), str(float(np.finfo("float32").eps))),
    (lambda: ops.logsumexp(t("f32[B, T]"), axis=1), "f32[B]"),
    (lambda: ops.one_hot(t("i64[B]"), 5), "i64[B, 5]"),
)


@pytest.mark.parametrize("call, expected", SYMBOLIC)
def test_symbolic_sizes(call, expected):
    assert applied(call) == expected


PROMOTED = (
    ("torch", lambda: ops.add(t("i32[3]"), t("i64[]")), "i32[3]"),
    ("torch", lambda: ops.add(t("i32[3]"), t("f64[]")), "f64[3]"),
    ("torch", lambda: ops.add(t("f32[3]"), t("f64[]")), "f32[3]"),
    ("torch", lambda: ops.add(t("f32[...]"), t("f64[]")), "?[...]"),
    ("torch", lambda: ops.add(t("i32[3]"), 1.5), "f32[3]"),
    ("torch", lambda: ops.divide(t("i32[3]"), t("i32[3]")), "f32[3]"),
    ("torch", lambda: ops.sin(t("i8[3]")), "f32[3]"),
    ("torch", lambda: ops.where(t("bool[3]"), 1.0, 0.0), "f32[3]"),
    ("torch", lambda: ops.argmax(t("f32[3]")), "i64[]"),
    ("numpy", lambda: ops.add(t("i32[3]"), 1.5), "f64[3]"),
    ("numpy", lambda: ops.add(t("f32[3]"), 1.5), "f32[3]"),
    ("numpy", lambda: ops.add(t("f32[3]"), t("f64[]")), "f64[3]"),
    ("numpy", lambda: ops.sin(t("i8[3]")), "f16[3]"),
    ("numpy", lambda: ops.sin(1), "f64[]"),
    ("numpy", lambda: ops.add(1, 2.0), "weak f64[]"),
    ("numpy", lambda: ops.zeros((2,)), "f64[2]"),
    ("jax", lambda: ops.add(t("i32[3]"), t("f16[3]")), "f16[3]"),
    ("jax", lambda: ops.sin(1.0), "weak f32[]"),
    ("jax", lambda: ops.full((2,), 1.0), "weak f32[2]"),
    ("jax", lambda: ops.add(ops.full((2,), 1.0), t("bf16[2]")), "bf16[2]"),
    ("jax", lambda: ops.sum(t("bool[3]")), "i32[]"),
    ("jax", lambda: ops.argmax(t("f32[3]")), "i32[]"),
    ("array_api", lambda: ops.add(t("i8[3]"), t("u8[3]")), "i16[3]"),
)


@pytest.mark.parametrize("rules, call, expected", PROMOTED)
def test_promotion(rules, call, expected):
    assert applied(call, rules) == expected


REFUSED = (
    (lambda: ops.add(t("f32[3]"), t("f32[4]")), "do not broadcast: 3 against 4"),
    (lambda: ops.add(t("f32[T + 1]"), t("f32[T]")), "do not broadcast"),
    (lambda: ops.reshape(t("f32[2, 3]"), (4, 2)), "6 elements"),
    (lambda: ops.reshape(t("f32[2, 3]"), (4, -1)), "6 elements"),
    (lambda: ops.reshape(t("f32[2, 3]"), (-1, -1)), "only one size"),
    (lambda: ops.index_combine(t("f32[3]"), 0, 1.0, "mean"), "no way to combine called .mean."),
    (lambda: ops.sum(t("f32[2, 3]"), axis=2), "axis 2 is out of range for 2 axes"),
    (lambda: ops.sum(t("f32[2, 3]"), axis=(0, -2)), "twice"),
    (lambda: ops.max(t("f32[0]")), "no elements"),
    (lambda: ops.concat((t("f32[2, 3]"), t("f32[3, 3]")), axis=1), "sizes differ besides axis 1"),
    (lambda: ops.concat((t("f32[2]"), t("f32[2, 3]"))), "cannot be joined"),
    (lambda: ops.concat(()), "at least one"),
    (lambda: ops.stack((t("f32[2]"), t("f32[3]"))), "unequal shapes"),
    (lambda: ops.squeeze(t("f32[2, 3]"), 0), "only one of size 1"),
    (lambda: ops.permute_dims(t("f32[2, 3]"), (0,)), "do not name each"),
    (lambda: ops.split(t("f32[7]"), 2), "cannot be split"),
    (lambda: ops.split(t("f32[7]"), (3, 3)), "do not make up 7"),
    (lambda: ops.unstack(t("f32[B]"), length=None), "needs its size"),
    (lambda: ops.getitem(t("f32[2]"), (0, 0)), "too many indices"),
    (lambda: ops.getitem(t("f32[2]"), 2), "out of range"),
    (lambda: ops.getitem(t("f32[2]"), (1.5,)), "no index"),
    (lambda: ops.index_put(t("f32[2, 3]"), 0, t("f32[4]")), "do not broadcast"),
    (lambda: ops.index_put(t("f32[2, 1]"), 0, t("f32[4]")), "larger than"),
    (lambda: ops.expand(t("f32[2]"), (3,)), "2 against 3"),
    (lambda: ops.broadcast_to(t("f32[2]"), ()), "do not fit"),
    (lambda: ops.gather(t("f32[2, 3]"), t("i64[2]"), 0), "indices of 1 axes"),
    (lambda: ops.topk(t("f32[2]"), 3), "3 largest of 2"),
    (lambda: ops.pad(t("f32[2]"), ((1, 1), (1, 1))), "widths for 2"),
    (lambda: ops.pad(t("f32[2]"), ((1, 1),), mode="odd"), "padding mode"),
    (lambda: ops.bitwise_and(t("f32[2]"), 1), "integers or booleans"),
    (lambda: ops.floor(t("c64[2]")), "real numbers"),
    (lambda: ops.constant(((1, 2), (3,))), "unequal length"),
    (lambda: ops.arange(1, 5, 0), "step 0"),
    (lambda: ops.diagonal(t("f32[2, 3]"), axis2=0), "same"),
)


@pytest.mark.parametrize("call, message", REFUSED)
def test_refused(call, message):
    with pytest.raises(ShapeError, match=message):
        applied(call)


def test_costs():
    x = t("f32[B, 8]")
    assert (
        str(
            compute(lookup("sum"), lookup("sum").bind(x), infer(lookup("sum"), lookup("sum").bind(x), "torch"), "torch")
        )
        == "8*B"
    )
    reshape = lookup("reshape").bind(x, (-1,))
    assert compute(lookup("reshape"), reshape, infer(lookup("reshape"), reshape, "torch"), "torch") == 0
    assert isinstance(infer(lookup("sin"), (x,), "torch")[0], LogicalTensor)


def test_a_write_through_an_expanded_view_is_refused():
    named = lookup("expand").named((np.ones(1), (3,)))
    with pytest.raises(UnsupportedConstruct):
        lookup("expand").put(named, np.zeros(3), 1)
