"""Functions that spellings name where JAX has none of its own. Emitted source contains the ones it needs."""

import jax
import jax.numpy as jnp
import numpy as np


def max_pool(x, kernel, stride, padding, dilation, ceil_mode):
    """The largest element of each window over the last axes, its elements `dilation` apart; padding never wins."""
    lead = x.ndim - len(kernel)
    low = -jnp.inf if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo(x.dtype).min
    edges, counts = [(0, 0)] * lead, []
    for size, k, s, p, d in zip(x.shape[lead:], kernel, stride, padding, dilation):
        reach = d * (k - 1) + 1
        windows = (size + 2 * p - reach + (s - 1 if ceil_mode else 0)) // s + 1
        windows = min(windows, (size + p - 1) // s + 1) if ceil_mode else windows
        edges.append((p, max(p, (windows - 1) * s + reach - size - p)))
        counts.append(windows)
    x = jnp.pad(x, edges, constant_values=low)
    places = zip(stride, dilation, counts)
    taken = [[slice(at * d, at * d + (n - 1) * s + 1, s) for at in range(k)] for k, (s, d, n) in zip(kernel, places)]
    found = x[(..., *(column[0] for column in taken))]
    for index in np.ndindex(*kernel):
        found = jnp.maximum(found, x[(..., *(column[at] for column, at in zip(taken, index)))])
    return found


def avg_pool(x, kernel, stride, padding, ceil_mode=False, count_include_pad=True, divisor=None):
    """The mean of each window over the last axes, or its sum over `divisor`; padding counts as 0, or not at all without
    count_include_pad."""
    lead = x.ndim - len(kernel)
    inner, outer = [(0, 0)] * lead, [(0, 0)] * lead
    for size, k, s, p in zip(x.shape[lead:], kernel, stride, padding):
        windows = (size + 2 * p - k + (s - 1 if ceil_mode else 0)) // s + 1
        if ceil_mode:
            windows = min(windows, (size + p - 1) // s + 1)
        inner.append((p, p))
        outer.append((0, max(0, (windows - 1) * s + k - size - 2 * p)))
    window, steps = (1,) * lead + kernel, (1,) * lead + stride

    def totals(y):
        return jax.lax.reduce_window(jnp.pad(y, outer), y.dtype.type(0), jax.lax.add, window, steps, "VALID")

    sums = totals(jnp.pad(x, inner))
    if divisor is not None:
        return sums / divisor
    ones = jnp.ones((1,) * lead + x.shape[lead:], x.dtype)
    return sums / totals(jnp.pad(ones, inner, constant_values=int(count_include_pad)))


def adaptive_avg_pool(x, output_size):
    """The means of output_size windows over the last axes, which cover each axis evenly; None keeps an axis."""
    for axis, count in zip(range(-len(output_size), 0), output_size):
        if count is not None:
            length = x.shape[axis]
            ends = [(i * length // count, -(-(i + 1) * length // count)) for i in range(count)]
            parts = [jax.lax.slice_in_dim(x, *each, axis=axis).mean(axis=axis, keepdims=True) for each in ends]
            x = jnp.concatenate(parts, axis=axis)
    return x


def adaptive_max_pool(x, output_size):
    """The maxima of output_size windows over the last axes, which cover each axis evenly; None keeps an axis."""
    for axis, count in zip(range(-len(output_size), 0), output_size):
        if count is not None:
            length = x.shape[axis]
            ends = [(i * length // count, -(-(i + 1) * length // count)) for i in range(count)]
            parts = [jax.lax.slice_in_dim(x, *each, axis=axis).max(axis=axis, keepdims=True) for each in ends]
            x = jnp.concatenate(parts, axis=axis)
    return x


def softplus(x, beta=1.0, threshold=20.0):
    """log(1 + exp(beta * x)) / beta, x itself where beta * x exceeds the threshold."""
    scaled = x * beta
    return jnp.where(scaled > threshold, x, jnp.logaddexp(scaled, 0.0) / beta)


def topk(x, k, axis=-1, largest=True):
    """The k largest (or smallest) elements along an axis, in order, and their positions; every NaN is the largest."""
    if largest:
        has_nan = jnp.issubdtype(x.dtype, jnp.floating)
        return jax.lax.top_k(jnp.where(jnp.isnan(x), jnp.nan, x) if has_nan else x, k, axis=axis)
    indices = jax.lax.slice_in_dim(jnp.argsort(x, axis=axis), 0, k, axis=axis)
    return jnp.take_along_axis(x, indices, axis=axis), indices


def expand(x, shape):
    """x broadcast to a shape in which -1 keeps the size of x."""
    lead = len(shape) - x.ndim
    return jnp.broadcast_to(x, tuple(x.shape[at - lead] if size == -1 else size for at, size in enumerate(shape)))


def chunk(x, chunks, axis=0):
    """At most `chunks` parts along an axis, all of the same size but the last; as many empty ones, if there is nothing."""
    size = -(-x.shape[axis] // chunks)
    return jnp.split(x, list(range(size, x.shape[axis], size)) if size else chunks, axis=axis)


def pad(x, widths, mode="constant", value=0):
    """x padded by (before, after) along each of its last axes; negative widths cut."""
    widths = ((0, 0),) * (x.ndim - len(widths)) + tuple(widths)
    if mode != "constant":
        return jnp.pad(x, widths, mode=mode)
    return jax.lax.pad(x, jnp.asarray(value, x.dtype), [(before, after, 0) for before, after in widths])


def index_put(x, index, value, accumulate=False):
    """x with `value` written (or added) where a mask is true: one for all, or one for each true element in order."""
    value = jnp.asarray(value, x.dtype)
    mask = index[0] if isinstance(index, tuple) else index
    inner = x.ndim - mask.ndim
    if value.ndim > inner:
        if value.shape[0] == 0:  # no element is chosen
            return x
        at = (jnp.cumsum(mask.ravel()) - 1).reshape(mask.shape)
        value = value[0] if value.shape[0] == 1 else value[at]
    mask = mask.reshape(mask.shape + (1,) * inner)
    return jnp.where(mask, x + value if accumulate else value, x)


def put_slices(x, index, value):
    """x with a number written where slices and whole numbers point; the bounds of slices may be data."""

    def bound(given, otherwise, low, size):
        return otherwise if given is None else jnp.clip(jnp.where(given < 0, given + size, given), low, low + size)

    inside = True
    for axis, item in enumerate(index if isinstance(index, tuple) else (index,)):
        size = x.shape[axis]
        at = jnp.arange(size).reshape(-1, *[1] * (x.ndim - axis - 1))
        if isinstance(item, slice):
            step = 1 if item.step is None else item.step
            low = jnp.where(step < 0, -1, 0)
            start = bound(item.start, jnp.where(step < 0, size - 1, 0), low, size)
            stop = bound(item.stop, jnp.where(step < 0, -1, size), low, size)
            inside &= ((at - start) * step >= 0) & ((stop - at) * step > 0) & ((at - start) % step == 0)
        else:
            inside &= at == (item + size if item < 0 else item)
    return jnp.where(inside, jnp.asarray(value, x.dtype), x)


def gather(x, indices, axis):
    """x[i][indices[i][j]][k] along an axis, for every position (i, j, k) of `indices`."""
    index = list(jnp.ix_(*map(jnp.arange, indices.shape)))
    index[axis] = indices
    return x[tuple(index)]


def scatter(x, indices, updates, axis, reduce="none"):
    """x with updates[i][j][k] written to (or added at) x[i][indices[i][j][k]][k], for every position of `indices`."""
    index = list(jnp.ix_(*map(jnp.arange, indices.shape)))
    index[axis] = indices
    updates = jnp.asarray(updates, x.dtype)
    if updates.ndim:
        updates = updates[tuple(map(slice, indices.shape))]
    at = x.at[tuple(index)]
    if x.dtype == bool and reduce == "add":
        return at.max(updates)
    return at.add(updates) if reduce == "add" else at.set(updates)


def check(pred, message="", error=ValueError):
    """Raise error(message) where pred is false, under jax.jit too, where it raises when the compiled function runs.

    A message may be a format and what stands in it: ["n = {}", n]; a tuple holds the arguments of the error."""
    leaves, tree = jax.tree.flatten(message if isinstance(message, (list, tuple)) else (message,))
    arrays = {at: leaf for at, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)}

    def fail(holds, arrays):
        if not holds:
            arrays = {at: x.item() if isinstance(message, tuple) and x.ndim == 0 else x for at, x in arrays.items()}
            told = jax.tree.unflatten(tree, [arrays.get(at, leaf) for at, leaf in enumerate(leaves)])
            raise error(told[0].format(*told[1:])) if isinstance(message, list) else error(*told)

    jax.debug.callback(fail, pred, arrays)


def print_to(text, *values, end="\n", file=None):
    """Print a format, under jax.jit too, where it is printed when the compiled function runs."""
    jax.debug.callback(lambda *values: print(text.format(*values), end=end, file=file), *values, ordered=True)


def sgn(x):
    """The sign of x: of a complex number the one of size 1 in its direction, of what is no real number 0."""
    return jnp.sign(x) if jnp.iscomplexobj(x) else jnp.nan_to_num(jnp.sign(x))


def angle_or_zero(x):
    """The angle of x in the complex plane, that of a real -0 being 0."""
    return jnp.angle(x if jnp.iscomplexobj(x) else jnp.where(x == 0, 0, x))


def promote_with(x, dtype):
    """x in the dtype that its own and this one promote to."""
    return x.astype(jnp.promote_types(x.dtype, dtype))


def promote_as_numpy(x, dtype):
    """x in the dtype that NumPy promotes its own and this one to: beside a float, a whole number counts as the float that holds it."""
    return x.astype(jax.dtypes.canonicalize_dtype(np.promote_types(x.dtype, dtype)))


def as_number_beside(x, like):
    """x in the dtype that a number of its kind has beside `like`."""
    return x.astype(jnp.result_type(like, x.dtype.type(0).item()))


def as_floats(x, dtype):
    """x, in this dtype where it is of whole numbers or booleans."""
    return x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(dtype)


def straight_through(x, value):
    """The data of value with the gradient of x."""
    keep = jax.custom_jvp(lambda x, value: value)
    keep.defjvp(lambda primals, tangents: (primals[1], tangents[0]))
    return keep(x, jnp.broadcast_to(value, x.shape).astype(x.dtype))


def embedding(x, weight, padding_idx):
    """The rows of weight that x numbers; row `padding_idx` gets no gradient."""
    rows = weight[x]
    return jnp.where(jnp.expand_dims(x == padding_idx, -1), jax.lax.stop_gradient(rows), rows)


def embedding_by_frequency(x, weight, padding_idx=None):
    """The rows of weight that x numbers; row `padding_idx` gets no gradient, a row that x numbers n times 1/n of its own."""
    rows, often = weight[x], jnp.zeros(len(weight), weight.dtype).at[x].add(1)[x]
    still = jax.lax.stop_gradient(rows)
    rows = still + (rows - still) / jnp.expand_dims(often, -1)
    return rows if padding_idx is None else jnp.where(jnp.expand_dims(x == padding_idx, -1), still, rows)
