"""Functions that rows name: what PyTorch has no call for. Their source is copied into emitted modules word for word."""

import torch
from torch.nn import functional as F


def index_put(x, index, value):
    """A copy of x with value written to x[index]; index may be a tuple."""
    out = x.clone()
    out[index] = value.to(x.dtype) if isinstance(value, torch.Tensor) else value
    return out


def promote_with(x, dtype):
    """x in the dtype that NumPy promotes its own and this one to: beside a float, a whole number counts as the float that holds it."""
    both = [x.dtype, dtype]
    if any(one.is_floating_point or one.is_complex for one in both):
        floats = {1: torch.float16, 2: torch.float32}
        held = [floats.get(one.itemsize, torch.float64) for one in both]
        both = [one if one.is_floating_point or one.is_complex else kind for one, kind in zip(both, held)]
    return x.to(torch.promote_types(*both))


def as_number_beside(x, like):
    """x in the dtype that a number of its kind has beside `like`."""
    return x.to(torch.result_type(like, 1j if x.is_complex() else 1.0 if x.is_floating_point() else 1))


def alike(items, dtype):
    """Items as tensors: numbers have the dtype that they have beside the others, fractions this one where those are whole numbers."""
    like = torch.zeros(1, dtype=torch.bool)
    for x in items:
        like = like.to(torch.promote_types(like.dtype, x.dtype)) if isinstance(x, torch.Tensor) else like
    if not (like.is_floating_point() or like.is_complex()):
        alone = {float: dtype, complex: dtype.to_complex()}
        items = [torch.as_tensor(x, dtype=alone.get(type(x))) for x in items]
    return [x if isinstance(x, torch.Tensor) else torch.as_tensor(x, dtype=torch.result_type(like, x)) for x in items]


def as_double(x):
    """x as a tensor, a float of Python's with all its digits."""
    return torch.as_tensor(x, dtype=torch.float64) if isinstance(x, float) else torch.as_tensor(x)


def as_floats(x, dtype):
    """x, in this dtype where it is of whole numbers or booleans."""
    return x if x.is_floating_point() or x.is_complex() else x.to(dtype)


def whole_linspace(start, stop, num, dtype, endpoint=True, device=None):
    """Whole numbers at equal distances as NumPy has them: fractions are rounded down."""
    ends = [torch.as_tensor(x, dtype=torch.float64, device=device) for x in (start, stop)]
    steps = torch.arange(num, dtype=torch.float64, device=device).reshape(-1, *(1,) * max(x.dim() for x in ends))
    found = steps * ((ends[1] - ends[0]) / max(num - endpoint, 1)) + ends[0]
    last = endpoint and num > 1
    return (torch.where(steps == num - 1, ends[1], found) if last else found).floor().to(dtype)


def grid_of(vectors, indexing):
    """Vectors, of whatever dtypes they are, as the axes of a grid."""
    places = torch.meshgrid(*(torch.arange(len(x), device=x.device) for x in vectors), indexing=indexing)
    return tuple(x[at] for x, at in zip(vectors, places))


def straight_through(x, value):
    """The data of value with the gradient of x."""
    out = x.clone()
    out.detach().copy_(value)
    return out


def updated(operator, written, **given):
    """What an operator gives, and what it leaves in the arguments that it writes, which are copies here."""
    copies = {name: given[name].clone() for name in written if given.get(name) is not None}
    out = operator(**{**given, **copies})
    return (*(out if isinstance(out, (tuple, list)) else () if out is None else (out,)), *copies.values())


def put_at(x, index, value):
    """A copy of x with value written at a position; index, or each item of it, is one number, which a tensor may tell."""
    parts = index if isinstance(index, tuple) else (index,)
    return x.index_put(tuple(torch.as_tensor(part) for part in parts), torch.as_tensor(value, dtype=x.dtype))


def index_add(x, index, value):
    """A copy of x with value added at x[index], as often as the index names a place; index may be a tuple."""
    positions = torch.arange(x.numel(), device=x.device).reshape(x.shape)[index]
    added = torch.as_tensor(value, dtype=x.dtype, device=x.device).expand(positions.shape)
    return x.flatten().index_add(0, positions.flatten(), added.flatten()).reshape(x.shape)


def index_combine(x, index, value, reduce):
    """A copy of x with x[index] and value combined, each time that the index names a position: their prod, amin or amax."""
    positions = torch.arange(x.numel(), device=x.device).reshape(x.shape)[index]
    values = torch.as_tensor(value, device=x.device).to(x.dtype).expand(positions.shape)
    kept = torch.uint8 if x.dtype is torch.bool else x.dtype
    found = x.flatten().to(kept).scatter_reduce(0, positions.flatten(), values.flatten().to(kept), reduce)
    return found.reshape(x.shape).to(x.dtype)


def getitem_backwards(x, index):
    """x[index] where slices in the index run backwards."""
    items = list(index) if isinstance(index, tuple) else [index]
    if Ellipsis in [item if item is Ellipsis else 0 for item in items]:
        at = [item is Ellipsis for item in items].index(True)
        used = sum(item is not None for item in items) - 1
        items[at : at + 1] = [slice(None)] * (x.ndim - used)
    axis = 0
    for place, item in enumerate(items):
        if isinstance(item, slice) and item.step is not None and item.step < 0:
            start, stop, step = item.indices(x.shape[axis])
            rows = torch.arange(start, stop, step, device=x.device)
            x, items[place] = x.index_select(axis, rows), slice(None)
        axis += item is not None
    return x[tuple(items)]


def index_put_backwards(x, index, value, accumulate=False):
    """index_put where slices in the index run backwards."""
    positions = getitem_backwards(torch.arange(x.numel(), device=x.device).reshape(x.shape), index)
    values = torch.as_tensor(value, dtype=x.dtype, device=x.device).expand(positions.shape)
    return torch.index_put(x.flatten(), (positions,), values, accumulate).reshape(x.shape)


def numpy_index(index):
    """An index whose integers count as index tensors, as NumPy has it; torch takes integers out first."""
    return tuple(torch.tensor([i]) if isinstance(i, int) and not isinstance(i, bool) else i for i in index)


def batch_norm_train(x, weight=None, bias=None, eps=1e-5):
    """Batch norm by the batch's own statistics: the result, the mean and the biased variance, in float32 at least."""
    wide = x.float() if x.itemsize < 4 else x
    var, mean = torch.var_mean(wide, dim=[axis for axis in range(x.ndim) if axis != 1], correction=0)
    return F.batch_norm(x, None, None, weight, bias, training=True, eps=eps), mean, var


def dropout(x, p, generator):
    """x with a share p of its elements set to 0 and the others divided by 1 - p."""
    keep = torch.rand(x.shape, generator=generator, device=x.device) < 1 - p
    return torch.where(keep, x / (1 - p), 0.0)


def attention_with_dropout(q, k, v, mask, dropout, generator, is_causal=False, scale=None):
    """Scaled dot-product attention whose weights are dropped with a share `dropout`."""
    bias = torch.zeros(q.shape[-2], k.shape[-2], dtype=q.dtype, device=q.device)
    if is_causal:
        bias = bias.masked_fill(~torch.ones_like(bias, dtype=torch.bool).tril(), float("-inf"))
    if mask is not None:
        bias = bias.masked_fill(~mask, float("-inf")) if mask.dtype == torch.bool else bias + mask
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale) + bias
    unseen = torch.all(scores == float("-inf"), dim=-1, keepdim=True)
    weights = torch.softmax(scores.masked_fill(unseen, 0.0), dim=-1).masked_fill(unseen, 0.0)
    keep = torch.rand(weights.shape, generator=generator, device=q.device) < 1 - dropout
    return torch.where(keep, weights / (1 - dropout), 0.0) @ v


def check(pred, message, error=AssertionError):
    """Raise where the condition does not hold."""
    if not pred:
        raise error(message)


def over_lengths(layers, x, lengths, state, weights, options, batch_first):
    """torch.lstm, torch.gru and the like over sequences of several lengths: what lies behind them counts nothing."""
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths.cpu(), batch_first, enforce_sorted=False)
    order, back = packed.sorted_indices, packed.unsorted_indices
    state = tuple(s[:, order] for s in state) if isinstance(state, tuple) else state[:, order]
    output, *ends = layers(packed.data, packed.batch_sizes, state, weights, *options)
    packed = packed._replace(data=output)
    length = x.shape[1 if batch_first else 0]
    output, _ = torch.nn.utils.rnn.pad_packed_sequence(packed, batch_first, total_length=length)
    return (output, *(end[:, back] for end in ends))


def topk_total(x, k, axis=-1):
    """The k largest elements along an axis and their positions, in the total order of IEEE 754."""
    keys = x
    if x.is_floating_point():
        keys = x.view({2: torch.int16, 4: torch.int32, 8: torch.int64}[x.element_size()])
        keys = torch.where(keys < 0, keys ^ torch.iinfo(keys.dtype).max, keys)
    order = torch.sort(keys, dim=axis, descending=True, stable=True).indices.narrow(axis, 0, k)
    return torch.gather(x, axis, order), order
