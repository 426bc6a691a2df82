"""Whether a cost grows linearly: measured without the garbage collector, the best of a few runs."""

import gc
import time
from collections.abc import Callable


def seconds(run: Callable[[], object], repeat: int = 3) -> float:
    """Processor time of the fastest of some runs."""
    found = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(repeat):
            start = time.process_time()
            run()
            found.append(time.process_time() - start)
    finally:
        gc.enable()
    return min(found)


def assert_linear(prepare: Callable[[int], Callable[[], object]], small: int, factor: int = 5) -> None:
    """`prepare(n)` gives what is measured on n nodes; `factor` times the nodes may cost 2.5 times that factor."""
    prepare(small)()
    few, many = seconds(prepare(small)), seconds(prepare(small * factor))
    assert many < 2.5 * factor * few, f"{small} nodes take {few:.4f} s, {small * factor} nodes {many:.4f} s"
