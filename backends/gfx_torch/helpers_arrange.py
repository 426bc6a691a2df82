"""More functions that rows name: sets with what torch.unique does not give, sizes that are given, quantiles over axes."""

import torch


def vander(x, n=None, increasing=False):
    """Powers of the elements of vectors along a new axis: n of them, as many as there are elements for None."""
    powers = torch.arange(x.shape[-1] if n is None else n, device=x.device)
    return x[..., None] ** (powers if increasing else powers.flip(0))


def unique(x, axis=None, index=False, inverse=False, counts=False, equal_nan=True, size=None, fill_value=None):
    """The different elements of x (or slices along an axis), sorted; where each stands first, what became of each, how
    many there were; cut or filled up (with the least one, or `fill_value`) to `size`."""
    values, group, many = torch.unique(x, return_inverse=True, return_counts=True, dim=axis)
    if equal_nan and axis is None and x.is_floating_point() and values.isnan().any():
        last = int((~values.isnan()).sum())
        values, many = values[: last + 1], torch.cat((many[:last], many[last:].sum()[None]))
        group = group.clamp(max=last)
    along = 0 if axis is None else axis
    length = values.shape[along]
    flat = group.flatten()
    steps = torch.arange(flat.numel(), device=x.device)
    first = torch.full((length,), flat.numel(), device=x.device).scatter_reduce(0, flat, steps, "amin")
    if size is not None:
        kept = torch.arange(size, device=x.device)
        lacking = kept >= length
        kept = torch.where(lacking, 0, kept)
        values, first, many = values.index_select(along, kept), first[kept], torch.where(lacking, 0, many[kept])
        if fill_value is not None:
            shape = [1] * values.ndim
            shape[along] = size
            values = torch.where(lacking.reshape(shape), torch.as_tensor(fill_value, dtype=values.dtype), values)
    found = [values, *([first] if index else []), *([group] if inverse else []), *([many] if counts else [])]
    return tuple(found) if len(found) > 1 else values


def bincount(x, weights=None, minlength=0, length=None):
    """torch.bincount, cut or filled up with 0 to `length` counts."""
    return torch.bincount(x, weights, max(minlength, length))[:length]


def quantile_over(x, q, axis, keepdims=False, interpolation="linear", ignore_nan=False):
    """torch.quantile over several axes."""
    axes = sorted(a % x.ndim for a in axis)
    rest = [a for a in range(x.ndim) if a not in axes]
    rows = x.permute(*rest, *axes).reshape(*(x.shape[a] for a in rest), -1)
    function = torch.nanquantile if ignore_nan else torch.quantile
    q = torch.as_tensor(q, dtype=x.dtype)
    found = function(rows, q, dim=-1, interpolation=interpolation)
    if keepdims:
        found = found.reshape(*q.shape, *(1 if a in axes else x.shape[a] for a in range(x.ndim)))
    return found


def convolve(x1, x2, mode="full"):
    """The discrete convolution of two vectors, as np.convolve has it."""
    x1, x2 = (x2, x1) if len(x2) > len(x1) else (x1, x2)
    dtype, size = torch.promote_types(x1.dtype, x2.dtype), len(x2)
    ends = x1.new_zeros(size - 1)
    found = torch.cat((ends, x1, ends)).unfold(0, size, 1).to(dtype) @ x2.flip(0).to(dtype)
    if mode == "full":
        return found
    first, count = ((size - 1) // 2, len(x1)) if mode == "same" else (size - 1, len(x1) - size + 1)
    return found[first : first + count]
