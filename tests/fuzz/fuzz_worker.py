"""A process that checks random programs: seeds come in, what was found goes out."""

from __future__ import annotations

import warnings
from multiprocessing.connection import Connection

import jax
import torch

from differential import TARGETS, TRACED, check
from fuzz_programs import program_of
from minimise import minimised

BAD = ("differ", "crash", "hang")


def serve(link: Connection, every: int, seconds: float, smaller: float) -> None:
    """Check the (grammar, seed) pairs that come in until None does; answers (pair, Found, text, Settings).

    A failure is answered twice: as it is, and minimised within `smaller` seconds. One program in `every` is compiled by XLA too.
    """
    warnings.simplefilter("ignore")
    jax.config.update("jax_enable_x64", True)
    torch.set_num_threads(1)
    for job in iter(link.recv, None):
        grammar, seed = job
        text, how = program_of(seed, grammar)
        targets = TARGETS if seed % every == 0 else TRACED
        found = check(text, seed, how, targets, seconds)
        link.send((job, found, text, how))
        if found.kind in BAD:
            limit = seconds / 4 if found.kind == "hang" else seconds
            where = (found.target,) if found.target else targets

            def fails(smaller_text: str, limit: float = limit, where: tuple = where) -> bool:
                try:
                    return check(smaller_text, seed, how, where, limit).key == found.key
                except Exception:  # what it defines before the function is wrong by itself
                    return False

            link.send((job, found, minimised(text, fails, smaller), how))
