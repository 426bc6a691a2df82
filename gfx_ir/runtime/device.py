"""Device: an entity that has storage and computes. Data moves to it and from it by explicit calls alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..applied import Applied
from ..errors import CancelledError, DeadlineError, DeviceError
from ..memory import dense
from ..op import OpDef
from ..patterns.finding import Pattern
from ..program import Program
from ..strides import Extent
from ..types import Layout, LogicalTensor, Opaque
from .support import Support


@dataclass(frozen=True)
class Executable:
    """What a device made of a graph. `run(arguments, parameters by path, buffers)` gives the results, in order; `buffers` has for
    each of them None or memory of the device that it may write to (it need not). `in_place`: positions of arguments and of results
    that share memory. `handle`: the device's own form; `how`: what that is.
    """

    run: Callable[[Sequence[Any], Mapping[str, Any], Sequence[Any] | None], Sequence[Any]]
    in_place: tuple[tuple[int, int], ...] = ()
    handle: Any = None
    how: str = "node by node"


@dataclass(frozen=True)
class Claim:
    """A pattern of ops that a device runs as one: `eval` takes the pattern's arguments by name and gives its outputs.

    `condition` takes the types of the pattern's arguments by name: where it does not hold, its ops are run one by one. Of claims
    that overlap the one of the highest `priority` counts, then the one of most nodes.
    """

    pattern: Pattern
    eval: Callable[..., Any]
    priority: int = 0
    condition: Callable[[SimpleNamespace], bool] | None = None


@dataclass(frozen=True)
class Rates:
    """What cost-based placement takes a device to do: operations and bytes (to or from the host) a second, seconds for each
    call and for each transfer."""

    operations: float = 5e9
    bandwidth: float = 5e9
    call: float = 5e-6
    transfer: float = 2e-5


class Device:
    """Subclass it. `name` is what graphs and users call it: "torch", "jax:1".

    `runtime`: devices of one runtime hand data to each other without the host. `simple`: its kernels take operands of one shape,
    dense and without numbers among them, and write into what is allocated for them; the operands are broadcast before, in
    memory. `traced`: what it compiles never sees data, so that nothing in it may ask for any. `checked`: what it gives is held against
    the shapes and dtypes that are inferred. `claims`: patterns that it runs as one.
    """

    name = ""
    kind = "cpu"
    index = 0
    runtime = ""
    promotion = "array_api"
    simple = False
    traced = False
    checked = True
    claims: tuple[Claim, ...] = ()
    rates = Rates()
    handle: Any = None
    """What its framework calls it."""

    # ------------------------------------------------------------------ storage
    def holds(self, x: Any) -> bool:
        """Whether x is data that lies here."""
        raise NotImplementedError

    def draws_from(self, x: Any) -> bool:
        """Whether x is what random numbers are drawn from here: a key, or a generator of its framework."""
        return False

    def type_of(self, x: Any) -> LogicalTensor:
        """dtype and dims of data that lies here."""
        raise NotImplementedError

    def signature(self, x: Any) -> Any:
        """What compiled code hangs on of data that lies here: equal for equal dtypes and dims. Quick."""
        return self.type_of(x)

    def to_host(self, x: Any) -> np.ndarray:
        """Data as NumPy."""
        raise NotImplementedError

    def from_host(self, x: np.ndarray) -> Any:
        """NumPy data, here."""
        raise NotImplementedError

    def allocate(self, type_: LogicalTensor) -> Any:
        """Memory for a tensor of known dtype and dims, by its strides where they are given."""
        return self.from_host(np.empty(tuple(map(int, type_.dims or ())), type_.dtype.numpy if type_.dtype else None))  # type: ignore[arg-type]

    def adopt(self, x: Any, source: Device) -> Any:
        """Data of a device of the same runtime, here. Raises DeviceError where that has to go by way of the host."""
        raise DeviceError(f"{self.name} takes nothing from {source.name} but by way of the host")

    def share(self, x: Any) -> Any:
        """Data of the host's memory that speaks DLPack, here without a copy. Raises DeviceError where that cannot be."""
        raise DeviceError(f"{self.name} does not take DLPack")

    def write(self, buffer: Any, x: Any) -> None:
        """Copy data that lies here into memory that lies here. Raises DeviceError where data cannot be written."""
        raise DeviceError(
            f"data of {self.name} cannot be written", hint="leave the buffer out: the result brings its own"
        )

    def in_strides(self, x: Any, strides: Sequence[int]) -> Any:
        """Data that lies here with these strides, in elements: itself where it has them. Raises DeviceError where data has none."""
        if tuple(strides) == dense(self.type_of(x).dims or ()).strides:  # type: ignore[arg-type]
            return x
        raise DeviceError(
            f"data of {self.name} has no strides", hint="leave the strides out, or give those of a dense tensor"
        )

    def copied(self, x: Any) -> Any:
        """The same data in memory of its own."""
        return self.from_host(np.array(self.to_host(x)))

    def memory(self, x: Any) -> Extent | None:
        """Where data lies that can be written; None where it cannot be, or that is not known."""
        return None

    def version(self, x: Any) -> Any:
        """Another one each time that data is written; None: nobody counts that."""
        return None

    def layout_of(self, x: Any) -> Layout:
        """The layout of data that lies here: "strided", or one of its own."""
        return "strided"

    def in_layout(self, x: Any, layout: Opaque | None) -> Any:
        """Data that lies here in one of its own layouts (None: a plain one). Raises DeviceError where it has no such layout."""
        if layout is None:
            return x
        raise DeviceError(f"{self.name} has no layout {layout}")

    # ------------------------------------------------------------------ compute
    def supports(self, node: Applied) -> Support:
        """Whether it runs a node: yes, no(reason) or when(condition on the types of its arguments)."""
        raise NotImplementedError

    def eval(self, node: Applied, args: Sequence[Any], out: Sequence[Any] | None = None) -> Any:
        """What a node gives for data of its arguments: a value, or a tuple of several. `out`: allocated memory for each, of a
        device whose kernels are simple."""
        raise NotImplementedError

    def prepare(self, op: OpDef, args: Sequence[Any]) -> Callable[..., Any] | None:
        """A function of arguments, for all of these types and constants; None: `eval` is asked each time."""
        return None

    def compile(self, program: Program, donated: Sequence[int]) -> Executable | None:
        """The entry of a typed program as one function; the memory of arguments at `donated` is nobody's afterwards. None: it is
        run node by node. Raises GfxError where it cannot be compiled."""
        return None

    def keep_compiled(self, folder: Path) -> None:
        """Keep what is compiled in a folder, for other processes. Raises DeviceError where that cannot be."""
        raise DeviceError(f"{self.name} keeps nothing on disk", hint="JAX does")

    # ------------------------------------------------------------------ settings
    def synchronize(self) -> None:
        """Wait for what it was given to do."""

    def settings(self, threads: int | None, deterministic: bool) -> AbstractContextManager[Any]:
        """Inside, it computes on so many threads, and what it computes is the same each time."""
        return nullcontext()

    def may_fail(self, error: Exception) -> bool:
        """Whether an error may be the device's own fault, so that another device may do better."""
        return not isinstance(error, (CancelledError, DeadlineError))

    def close(self) -> None:
        """Give back what it holds."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"
