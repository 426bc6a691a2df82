"""Casts: those that change no value go."""

import numpy as np

from gfx_ir.types import TensorSpec
from optimized import applied, f32, ops_of, read


def test_a_cast_to_the_dtype_that_is_there():
    program = read("def f(x):\n    a = astype(x, float32)\n    b = sin(a)\n    return b\n", x=f32(2))
    assert ops_of(applied(["casts"], program, (np.ones(2, np.float32),))) == ["sin"]


def test_a_cast_through_a_wider_dtype():
    text = "def f(x):\n    a = astype(x, {0})\n    b = astype(a, {1})\n    return b\n"
    kept = {
        ("float64", "int32"): ["astype"],
        ("float16", "float32"): ["astype", "astype"],
        ("int64", "float32"): ["astype", "astype"],
    }
    for dtypes, left in kept.items():
        program = read(text.format(*dtypes), x=f32(3))
        x = np.array([1.7, -2.2, 1e-3], np.float32)
        assert ops_of(applied(["casts", "dead_code"], program, (x,))) == left
    program = read(text.format("int64", "float32"), x=TensorSpec((3,), "uint8"))
    assert ops_of(applied(["casts", "dead_code"], program, (np.array([1, 2, 255], np.uint8),))) == ["astype"]
