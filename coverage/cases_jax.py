"""JAX's own test inputs of its primitives, as cases."""

import collections
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.internal_test_util.test_harnesses import StaticArg, all_harnesses

from attempt import Case
from compare import difference, flat
from factored import factor_difference, products
from public_jax import public
from ties import tied_difference
from written import as_written

PACKAGE = "jax._src.internal_test_util"

# Dtypes that the other frameworks have for arithmetic.
DTYPES = ("float32", "int32", "bool", "complex64", "bfloat16", "float16", "int8", "int16", "uint8")

# Results that are right in more than one way, by the rule that compares them.
_FACTORS = {"cholesky": "lax.cholesky", "svd": "lax.svd", "qr": "linalg.qr", "eigh": "lax.eigh", "eig": "lax.eig"}

# Random numbers: the streams of two frameworks differ.
RANDOM = ("random_", "rng_bit_generator")


# What no public function of JAX does, or what is no question of arrays.
APART = {
    "rng_bit_generator": "the bits of XLA's own generator",
    "select_and_gather_add": "a private function: the derivative of max pooling's derivative",
    "select_and_scatter_add": "a private function: the derivative of max pooling",
}

_JITTED = type(jax.jit(lambda x: x))


@functools.cache
def by_group() -> dict[str, list[Any]]:
    """The inputs of each group, which is a primitive or a function, in the dtypes that are taken."""
    found = collections.defaultdict(list)
    for harness in all_harnesses:
        if np.dtype(harness.dtype).name in DTYPES:
            found[harness.group_name].append(harness)
    return dict(found)


def case_of(harness: Any) -> Case | None:
    """One case, or None where JAX itself has no such function on this device, or leaves open what it gives."""
    promised = harness.params.get("mode") == lax.GatherScatterMode.PROMISE_IN_BOUNDS
    if not harness.filter("cpu") or (promised and harness.name.startswith("modes_out_of_bounds")):
        return None
    values = harness.args_maker(np.random.RandomState(0))
    fixed = [isinstance(given, StaticArg) for given in harness.arg_descriptors]
    fn = _written(harness.fun)

    def call(*xs: Any) -> Any:
        rest = list(xs)
        return fn(*[value if is_fixed else rest.pop(0) for value, is_fixed in zip(values, fixed)])

    arrays = [jnp.asarray(value) for value, is_fixed in zip(values, fixed) if not is_fixed]
    want = call(*arrays)
    return Case(
        harness.fullname,
        "jax",
        call,
        arrays,
        want,
        {},
        lambda: False,
        functools.partial(_differs, harness, arrays),
    )


def _written(fn: Any) -> Callable[..., Any]:
    if isinstance(fn, functools.partial):
        return functools.partial(_written(fn.func), *fn.args, **fn.keywords)
    if isinstance(fn, _JITTED):
        inner = as_written(fn.__wrapped__, PACKAGE, public)
        return fn if inner is fn.__wrapped__ else jax.jit(inner)
    return as_written(fn, PACKAGE, public)


def _differs(harness: Any, arrays: list[Any], want: Any, got: Any) -> str | None:
    group = harness.group_name
    if group.startswith(RANDOM):
        return difference(want, got, loose=True)
    if group == "sort" and not harness.params["is_stable"]:
        return difference(_in_order(harness, want), _in_order(harness, got))
    if group == "approx_top_k":
        return tied_difference(arrays[0], -1, want, got)
    rule = _FACTORS.get(group, group)
    return difference(want, got) if products(rule, want) is None else factor_difference(rule, want, got)


def _in_order(harness: Any, found: Any) -> list[np.ndarray]:
    """Arrays that were sorted together by some of them: among elements of equal keys in the order of the others."""
    arrays = [leaf.data for leaf in flat(found)]
    keys, axis = harness.params["num_keys"], harness.params["dimension"]
    order = np.lexsort([*arrays[keys:][::-1], *arrays[:keys][::-1]], axis=axis)
    return [*arrays[:keys], *(np.take_along_axis(x, order, axis) for x in arrays[keys:])]
