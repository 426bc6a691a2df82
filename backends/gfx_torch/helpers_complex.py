"""More functions that rows name: complex numbers in order, by their real parts and of equal ones by their imaginary parts, as
NumPy and JAX have them and PyTorch has not."""

import torch


def lexical(compare, x1, x2):
    """compare(x1, x2) of complex numbers."""
    x1, x2 = x1 + 0j, x2 + 0j
    return torch.where(x1.real == x2.real, compare(x1.imag, x2.imag), compare(x1.real, x2.real))


def complex_maximum(x1, x2):
    """The larger of two complex numbers; NaN where one is."""
    first = torch.isnan(torch.as_tensor(x1)) | lexical(torch.gt, x1, x2)
    return torch.where(first, x1, x2)


def complex_minimum(x1, x2):
    """The smaller of two complex numbers; NaN where one is."""
    first = torch.isnan(torch.as_tensor(x1)) | lexical(torch.lt, x1, x2)
    return torch.where(first, x1, x2)


def complex_extremum(x, largest, axis=None, keepdims=False):
    """The largest (or smallest) complex number over axes; NaN where there is one."""
    axes = tuple(range(x.ndim)) if axis is None else axis
    extremum, least = (torch.amax, -torch.inf) if largest else (torch.amin, torch.inf)
    real = extremum(x.real, dim=axes, keepdim=True)
    imag = extremum(torch.where(x.real == real, x.imag, least), dim=axes, keepdim=True)
    found = torch.where(torch.isnan(x).any(dim=axes, keepdim=True), torch.nan, torch.complex(real, imag))
    return found if keepdims else found.squeeze(axes)


def complex_running(x, largest, axis):
    """The largest (or smallest) complex number so far along an axis."""
    found = []
    for row in x.unbind(axis):
        further = complex_maximum if largest else complex_minimum
        found.append(further(found[-1], row) if found else row)
    return torch.stack(found, dim=axis) if found else x


def complex_argsort(x, axis=-1, descending=False):
    """Positions that sort complex numbers along an axis, equal ones in their order."""
    order = torch.argsort(x.imag, dim=axis, descending=descending, stable=True)
    by_real = torch.argsort(x.real.gather(axis, order), dim=axis, descending=descending, stable=True)
    return order.gather(axis, by_real)


def complex_sort(x, axis=-1, descending=False):
    """Complex numbers sorted along an axis."""
    return x.gather(axis, complex_argsort(x, axis, descending))
