"""Special functions that torch.special has not. Emitted source contains the ones it needs."""

import torch


def betainc(a, b, x):
    """The regularised incomplete beta function, by its continued fraction (https://dlmf.nist.gov/8.17.E22)."""
    a, b, x = torch.broadcast_tensors(*map(torch.as_tensor, (a, b, x)))
    dtype = torch.result_type(a + b, x)
    dtype = dtype if dtype.is_floating_point else torch.get_default_dtype()
    wide = torch.promote_types(dtype, torch.float32)
    a, b, x = a.to(wide), b.to(wide), x.to(wide)
    valid = (a > 0) & (b > 0) & (x >= 0) & (x <= 1)
    turned = x > (a + 1) / (a + b + 2)
    a, b, x = torch.where(turned, b, a), torch.where(turned, a, b), torch.where(turned, 1 - x, x)
    info = torch.finfo(wide)

    def nonzero(part):
        return torch.where(part.abs() < info.tiny, info.tiny, part)

    above, below = torch.ones_like(x), 1 / nonzero(1 - (a + b) * x / (a + 1))
    found = below
    for k in range(1, 500):
        even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k))
        odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1))
        for part in (even, odd):
            above, below = nonzero(1 + part / above), 1 / nonzero(1 + part * below)
            found = found * above * below
        if not ((above * below - 1).abs() > info.eps).any():
            break
    scale = torch.lgamma(a + b) - torch.lgamma(a) - torch.lgamma(b)
    found = found * torch.exp(torch.xlogy(a, x) + torch.special.xlog1py(b, -x) + scale) / a
    return torch.where(valid, torch.where(turned, 1 - found, found), torch.nan).to(dtype)


def heaviside(x1, x2):
    """0 below 0, 1 above, x2 at 0."""
    element = torch.result_type(x1, x2)
    element = element if element.is_floating_point else torch.get_default_dtype()
    x, there = (torch.as_tensor(part, dtype=element) for part in (x1, x2))
    return torch.where(torch.isnan(x), x, torch.heaviside(x, there))


def modf(x):
    """What is behind the point of x, nothing of what is infinite, and what is before it, both with its sign."""
    x = x if x.is_floating_point() else x.to(torch.get_default_dtype())
    whole = torch.trunc(x)
    return torch.copysign(torch.where(torch.isinf(x), 0.0, x - whole), x), whole


def phase(x):
    """The angle of x in the complex plane."""
    return torch.angle(x) if x.is_complex() else torch.atan2(torch.zeros_like(x), x)


def imaginary(x):
    """The imaginary part of x, 0 of what is no complex number."""
    return torch.imag(x) if x.is_complex() else torch.zeros_like(x)


def expn(n, x):
    """The exponential integral of order n, by its series up to 1 (https://dlmf.nist.gov/8.19.E8) and by its continued
    fraction above (https://dlmf.nist.gov/8.19.E17)."""
    n, x = torch.broadcast_tensors(torch.as_tensor(n), torch.as_tensor(x))
    dtype = x.dtype if x.dtype.is_floating_point else torch.get_default_dtype()
    wide = torch.promote_types(dtype, torch.float32)
    n, x = n.to(wide), x.to(wide)
    near, far = x.clamp(0, 1), x.clamp(min=1)
    powers, power = (-near).pow(n - 1), torch.ones_like(x)
    series = powers / torch.exp(torch.lgamma(n)) * (torch.digamma(n) - torch.log(near))
    for k in range(30):
        series = series - torch.where(n == k + 1, 0.0, power / torch.where(n == k + 1, 1.0, k + 1 - n))
        power = power * -near / (k + 1)
    series = torch.where((near == 0) & (n > 1), 1 / (n - 1), series)
    above, below = torch.inf, 1 / (far + n)
    fraction = below
    for k in range(1, 100):
        part, whole = -k * (n - 1 + k), far + n + 2 * k
        above, below = whole + part / above, 1 / (whole + part * below)
        fraction = fraction * above * below
    fraction = torch.where(torch.isinf(x), 0.0, fraction * torch.exp(-far))
    found = torch.where(n == 0, torch.exp(-x) / x, torch.where(x <= 1, series, fraction))
    return torch.where((x < 0) | (n < 0), torch.nan, found).to(dtype)


def expi(x):
    """The exponential integral Ei, by its series up to 40 (https://dlmf.nist.gov/6.6.E1) and by its asymptotic expansion
    above (https://dlmf.nist.gov/6.12.E2)."""
    x = torch.as_tensor(x)
    dtype = x.dtype if x.dtype.is_floating_point else torch.get_default_dtype()
    x = x.to(torch.promote_types(dtype, torch.float32))
    near, far = x.clamp(0, 40), x.clamp(min=40)
    series, power = torch.log(near) + 0.5772156649015329, torch.ones_like(x)
    for k in range(1, 140):
        power = power * near / k
        series = series + power / k
    whole, term = torch.ones_like(x), torch.ones_like(x)
    for k in range(1, 40):
        term = term * k / far
        whole = whole + term
    found = torch.where(x <= 40, series, torch.exp(far) / far * whole)
    found = torch.where(torch.isposinf(x), torch.inf, found)
    return torch.where(x < 0, -expn(1, -x), found).to(dtype)


def dawsn(x):
    """Dawson's integral by a sum of Gauss's curves (Rybicki, Dawson's integral and the sampling theorem, 1989)."""
    x = torch.as_tensor(x)
    dtype = x.dtype if x.dtype.is_floating_point else torch.get_default_dtype()
    x = x.to(torch.promote_types(dtype, torch.float32))
    step = 0.2
    near = 2 * torch.round(x / (2 * step))
    off, found = x - near * step, torch.zeros_like(x)
    for k in range(-31, 33, 2):
        found = found + torch.exp(-((off - k * step) ** 2)) / (near + k)
    return torch.where(torch.isinf(x), 0.0, found / torch.pi**0.5).to(dtype)
