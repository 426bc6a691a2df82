"""Which stage of a translation is at fault, where one way to run a captured program gives something else than Python."""

from collections.abc import Callable

CAPTURE = "capture"
STAGES = {
    "interpreter": "interpreter",
    "torch": "torch printer",
    "torch gradient": "torch printer",
    "numpy": "NumPy printer",
    "shapes": "JAX printer",
    "eager": "JAX printer",
    "jax": "JAX printer",
    "jax gradient": "JAX printer",
}


def stage(way: str, others: tuple[str, ...], right: Callable[[str], bool]) -> str:
    """The way's own stage where one of the others gives what Python does (`right`): the graph was right. Else the capture."""
    own = STAGES.get(way, CAPTURE)
    return own if any(STAGES[other] != own and right(other) for other in others) else CAPTURE
