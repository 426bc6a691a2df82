"""Public names of JAX that have no row: how they are converted all the same, or why they are not."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy import special

# What GFX computes when it captures: its arguments are no arrays, or only their shapes and dtypes count.
AT_CAPTURE = {
    "jax.numpy": "bartlett blackman einsum_path fromfunction geomspace hamming hanning isdtype kaiser mask_indices",
    "jax.lax": "conv_dimension_numbers conv_general_permutations conv_general_shape_tuple conv_shape_tuple "
    "conv_transpose_shape_tuple padtype_to_pads reduce_window_shape_tuple shape_as_value",
}

_IMAGE, _KERNEL, _WHOLE = jnp.ones((1, 2, 6, 6)), jnp.ones((3, 2, 3, 3)), jnp.array([[5, 3, 7], [1, 2, 3]])

# What JAX's own tracer takes apart where shapes are known: a call on an array of shape (2, 3).
BY_JAXPR: dict[str, dict[str, Callable[[Any], Any]]] = {
    "jax.numpy": {
        "array_equiv": lambda x: jnp.array_equiv(x, x[0]),
        "packbits": lambda x: jnp.packbits(x > 1),
        "poly": lambda x: jnp.poly(x[0]),
        "polydiv": lambda x: jnp.polydiv(x[0], x[1]),
        "polymul": lambda x: jnp.polymul(x[0], x[1]),
        "roots": lambda x: jnp.sort(jnp.abs(jnp.roots(x[0], strip_zeros=False))),
        "sort_complex": lambda x: jnp.sort_complex(x),
        "spacing": lambda x: jnp.spacing(x),
        "unpackbits": lambda x: jnp.unpackbits(_WHOLE.astype(jnp.uint8)),
    },
    "jax.numpy.linalg": {"lstsq": lambda x: jnp.linalg.lstsq(x.T, x[0])[0]},
    "jax.nn": {
        "logmeanexp": lambda x: jax.nn.logmeanexp(x, axis=1),
        "scaled_dot_general": lambda x: jax.nn.scaled_dot_general(x, x, (((1,), (1,)), ((), ()))),
    },
    "jax.scipy.special": {
        "bernoulli": lambda x: special.bernoulli(5) + x[0, 0],
        "bessel_jn": lambda x: special.bessel_jn(x[0], v=2, n_iter=10),
        "comb": lambda x: special.comb(x + 3, x),
        "loggamma": lambda x: special.loggamma(x),
        "spence": lambda x: special.spence(x),
        "sph_harm_y": lambda x: special.sph_harm_y(_WHOLE[1], jnp.array([0, 1, 2]), x[0], x[1], n_max=3).real,
    },
    "jax.lax": {
        "broadcast_like": lambda x: lax.broadcast_like(x[:1], x),
        "broadcast_to_rank": lambda x: lax.broadcast_to_rank(x, 3),
        "conv_general_dilated_local": lambda x: lax.conv_general_dilated_local(
            _IMAGE * x[0, 0], jnp.ones((3, 18, 4, 4)), (1, 1), "VALID", (3, 3)
        ),
        "conv_general_dilated_patches": lambda x: lax.conv_general_dilated_patches(
            _IMAGE * x[0, 0], (3, 3), (1, 1), "SAME"
        ),
        "conv_with_general_padding": lambda x: lax.conv_with_general_padding(
            _IMAGE * x[0, 0], _KERNEL, (1, 1), "SAME", (1, 1), (1, 1)
        ),
        "index_take": lambda x: lax.index_take(x, (jnp.array([0, 1]),), (0,)),
        "platform_dependent": lambda x: lax.platform_dependent(x, cpu=jnp.sin, default=jnp.cos),
        "pmax": lambda x: jax.vmap(lambda row: lax.pmax(row, "rows"), axis_name="rows")(x),
        "pmean": lambda x: jax.vmap(lambda row: row - lax.pmean(row, "rows"), axis_name="rows")(x),
        "pmin": lambda x: jax.vmap(lambda row: lax.pmin(row, "rows"), axis_name="rows")(x),
        "psum": lambda x: jax.vmap(lambda row: row / lax.psum(row, "rows"), axis_name="rows")(x),
        "all_gather": lambda x: jax.vmap(lambda row: lax.all_gather(row, "rows"), axis_name="rows")(x),
        "random_gamma_grad": lambda x: lax.random_gamma_grad(x, x),
        "stage": lambda x: lax.stage(x),
        "reduce_and": lambda x: lax.reduce_and((x * 10).astype(int), (0,)),
        "reduce_or": lambda x: lax.reduce_or((x * 10).astype(int), (0,)),
        "reduce_xor": lambda x: lax.reduce_xor((x * 10).astype(int), (0,)),
    },
}

_FILES = "reads or writes files or other memory"
_TEXT = "is text, or how text is printed"
_DEVICES = "is about several devices, or the axis of a map over them"
_TYPE = "is a type or an option, no function of arrays"
_EFFECT = "orders effects or marks code for XLA, and computes nothing"
_WORDS = "is about the words that a key is made of, which are each framework's own"
_FEW = "has no counterpart in NumPy and PyTorch; a graph keeps the call for JAX"

# name: why it is not converted
NOT_CONVERTED: dict[str, dict[str, str]] = {
    "jax.numpy": {
        **dict.fromkeys("from_dlpack frombuffer fromfile fromiter fromstring load save savez".split(), _FILES),
        **dict.fromkeys("array_repr array_str get_printoptions printoptions set_printoptions".split(), _TEXT),
        "frompyfunc": "makes a function of Python objects: write it for arrays, or use jnp.vectorize",
        "iterable": "is a question about Python objects",
        "trim_zeros": "gives as many elements as data say",
    },
    "jax.nn": {
        "get_scaled_dot_general_config": _TYPE,
        "scaled_matmul": "takes numbers of 8 bits, which only JAX multiplies",
    },
    "jax.scipy.special": {"wofz": _FEW},
    "jax.lax": {
        **dict.fromkeys("ConvGeneralDilatedDimensionNumbers DotDimensionNumbers PrecisionLike".split(), _TYPE),
        **dict.fromkeys("after_all composite create_token dce_sink".split(), _EFFECT),
        **dict.fromkeys(
            "all_to_all axis_index axis_size pbroadcast pcast ppermute precv psend pshuffle psum_scatter pswapaxes "
            "ragged_all_to_all with_sharding_constraint".split(),
            _DEVICES,
        ),
        **dict.fromkeys("igamma_grad_a mulhi ragged_dot_general scaled_dot scatter_apply".split(), _FEW),
        **dict.fromkeys(
            "rng_bit_generator rng_uniform".split(), "draws the numbers of XLA's own generator: use jax.random"
        ),
    },
    "jax.random": {
        **dict.fromkeys("bits key_data key_dtype key_impl wrap_key_data".split(), _WORDS),
        "multinomial": "draws one count after the other: use jax.random.categorical and jnp.bincount",
    },
}
