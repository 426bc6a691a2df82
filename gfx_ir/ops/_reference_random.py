"""Random numbers of the NumPy reference: a key is an array of two 64-bit words, and each draw depends on its key alone.

Numbers come from Philox under that key; splitting goes through SeedSequence, whose states are independent for different
entropy (https://numpy.org/doc/stable/reference/random/parallel.html). Emitted NumPy source contains these functions
word for word.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def make_key(seed):
    """The key of a whole number; a negative one counts as its 64-bit two's complement."""
    return np.random.SeedSequence(int(seed) & (2**64 - 1)).generate_state(2, np.uint64)


def split_key(key, count=2):
    """New keys; a generator goes on by itself."""
    if isinstance(key, np.random.Generator):
        return (key,) * count
    state = np.random.SeedSequence([int(word) for word in key_words(key)]).generate_state(2 * count, np.uint64)
    return tuple(state.reshape(count, 2))


def fold_in(key, data):
    """The key that a key and a whole number make together; a generator goes on by itself."""
    if isinstance(key, np.random.Generator):
        return key
    words = [int(word) for word in key_words(key)]
    return np.random.SeedSequence([*words, int(data) & (2**64 - 1)]).generate_state(2, np.uint64)


def key_words(key):
    """The words of a key. Raises TypeError where it is none."""
    key = np.asarray(key)
    if key.shape != (2,) or key.dtype != np.uint64:
        raise TypeError("a draw of random numbers needs a key: two 64-bit words")
    return key


def key_generator(key):
    """The generator of one draw."""
    if isinstance(key, np.random.Generator):
        return key
    return np.random.Generator(np.random.Philox(key=key_words(key)))


def unit_uniform(key, shape, dtype=np.float64):
    """Uniform on [0, 1), in steps that the dtype can hold, so that rounding never gives 1."""
    dtype = np.dtype(dtype)
    bits = 8 if dtype.name == "bfloat16" else {2: 11, 4: 24}.get(dtype.itemsize, 53)
    return (key_generator(key).integers(0, 1 << bits, size=shape) / (1 << bits)).astype(dtype)


def uniform(key, shape, low=0.0, high=1.0, dtype=None):
    """Uniform on [low, high)."""
    drawn = unit_uniform(key, shape, np.float64 if dtype is None else dtype)
    return (drawn * (high - low) + low).astype(drawn.dtype)


def normal(key, shape, mean=0.0, std=1.0, dtype=None):
    """Normal with this mean and standard deviation."""
    drawn = np.asarray(key_generator(key).standard_normal(size=shape)) * std + mean
    return drawn.astype(np.float64 if dtype is None else dtype)


def bernoulli(key, p, shape):
    """True with probability p."""
    return unit_uniform(key, shape) < p


def randint(key, shape, low, high, dtype=None):
    """Whole numbers from low to high - 1, each as likely."""
    return np.asarray(key_generator(key).integers(low, high, size=shape)).astype(np.int64 if dtype is None else dtype)


def permutation(key, count):
    """The whole numbers below `count` in an order of chance."""
    return key_generator(key).permutation(count)


def gamma(key, a, shape, dtype=None, log=False):
    """Of the gamma distribution of shape a: of shape a + 1, and a power of a uniform number (Marsaglia and Tsang, 2000)."""
    generator, a = key_generator(key), np.broadcast_to(np.asarray(a, np.float64), shape)
    drawn = np.log(generator.standard_gamma(a + 1)) + np.log1p(-generator.random(size=a.shape)) / a
    return np.asarray(drawn if log else np.exp(drawn)).astype(np.float64 if dtype is None else dtype)


def poisson(key, rate, shape, dtype=None):
    """How many events of this rate happen."""
    return np.asarray(key_generator(key).poisson(rate, size=shape)).astype(np.int64 if dtype is None else dtype)


def binomial(key, n, p, shape, dtype=None):
    """How many of n trials succeed."""
    drawn = key_generator(key).binomial(np.asarray(n).astype(np.int64), p, size=shape)
    return np.asarray(drawn).astype(np.float64 if dtype is None else dtype)


_FUNCTIONS = (
    make_key, split_key, fold_in, key_words, key_generator, unit_uniform, uniform, normal, bernoulli, randint, permutation,
    gamma, poisson, binomial,
)  # fmt: skip
RANDOM: dict[str, Any] = {f.__name__: f for f in _FUNCTIONS}
