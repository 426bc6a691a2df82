"""Draws and generators that torch has no public call for. Emitted source contains the ones it needs."""

import torch


def derived(generator, *words):
    """A generator of its own, seeded by the seed of this one and whole numbers; this one stays as it is."""
    seed = generator.initial_seed()
    for word in words:
        seed = ((seed ^ int(word)) * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        seed ^= seed >> 32
    return torch.Generator(generator.device).manual_seed(seed)


def draw_gamma(a, shape, generator, dtype=None, log=False, device=None):
    """Of the gamma distribution of shape a, or the logarithms, by rejection: Marsaglia and Tsang, A simple method for
    generating gamma variables (2000)."""
    dtype = torch.get_default_dtype() if dtype is None else dtype
    wide = torch.promote_types(dtype, torch.float32)
    a = torch.broadcast_to(torch.as_tensor(a, dtype=wide, device=device), shape)
    d = a + 2 / 3
    found, waiting = torch.full_like(d, torch.nan), a > 0
    while waiting.any():
        x = torch.randn(shape, generator=generator, dtype=wide, device=device)
        u = torch.rand(shape, generator=generator, dtype=wide, device=device)
        v = (1 + x / torch.sqrt(9 * d)) ** 3
        taken = waiting & (torch.log(u) < x * x / 2 + d - d * v + d * torch.log(v))
        found, waiting = torch.where(taken, torch.log(d * v), found), waiting & ~taken
    u = torch.rand(shape, generator=generator, dtype=wide, device=device)
    found = found + torch.log1p(-u) / a
    return (found if log else torch.exp(found)).to(dtype)
