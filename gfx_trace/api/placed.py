"""Placed: a program on chosen devices, called like its target."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gfx_ir.dtypes import dtype
from gfx_ir.loading import backend
from gfx_ir.partition import Frozen, Plan
from gfx_ir.runtime.profile import Profile
from gfx_ir.runtime.transfer import holder, moved

from ..rewrite.tracebacks import users_frames
from .interpreted import arguments


class Placed:
    """`plan` says what runs where, `frozen` runs it. Results lie where they were made; what the program writes is written."""

    def __init__(self, program: Any, plan: Plan, **options: Any) -> None:
        self.program, self.plan = program, plan
        self.frozen = Frozen(plan, **options)

    @users_frames
    def __call__(self, *args: Any, limits: Any = None, profile: Any = None, **kwargs: Any) -> Any:
        """Run for the target's arguments. Raises as the Program does, and DeadlineError or MemoryLimitError beyond the limits."""
        owner, given, random = self.program.admit(args, kwargs)
        self._hold()
        found = self.frozen(*arguments(self.program, given, random), limits=limits, profile=profile)
        if self.program.writes:
            out, state = found
            found = out, {path: self._to(x, owner.name, self.program.params.get(path)) for path, x in state.items()}
        result = self.program.finish(found, owner, given)
        if self.program.writes:
            for engine in self.frozen.engines.values():
                engine.written()
            self._hold()
        return result

    def _hold(self) -> None:
        """Let the devices have what replaces parameters."""
        now, held = self.program.params, self.plan.program.params
        replaced = [path for path in self.program.writes if path in held and now.get(path) is not held[path]]
        if replaced:
            self.frozen.hold({path: now[path] for path in replaced})

    def _to(self, x: Any, name: str, held: Any) -> Any:
        """State on the target's framework; of whole numbers or floats that a device holds in fewer bits in those of what stood there."""
        source, target = holder(x, self.frozen.devices), backend(name).device()
        if source is None or target.holds(x):
            return x
        if held is None or (wanted := dtype(held.dtype)).kind != source.type_of(x).dtype.kind:  # type: ignore[union-attr]
            return moved(x, source, target)
        return target.from_host(source.to_host(x).astype(wanted.numpy))

    def warm_up(self, *args: Any, **kwargs: Any) -> None:
        """Compile for the shapes of these arguments."""
        _, given, random = self.program.admit(args, kwargs)
        self.frozen.warm_up(*arguments(self.program, given, random))

    def arguments(self, args: Sequence[Any], kwargs: Any = None) -> list[Any]:
        """Data of the placeholders of the entry, which `frozen` takes, for the target's arguments."""
        _, given, random = self.program.admit(args, kwargs or {})
        return arguments(self.program, given, random)

    def close(self) -> None:
        """End its engines."""
        self.frozen.close()

    def __str__(self) -> str:
        return str(self.plan)


def run_placed(
    run: Placed, data: Mapping[str, Any], plan: bool, profile: bool, trace: Path | None, show: Callable[[Any], None]
) -> Any:  # fmt: skip
    """The result for arguments by name; the plan and the profile of a second run are shown, and written to a file, as asked."""
    if plan:
        show(run.plan)
    if not profile and trace is None:
        return run(**data)
    run.warm_up(**data)
    found = Profile(nodes=True)
    result = run(**data, profile=found)
    if profile:
        show(found)
    if trace is not None:
        found.save(trace)
        show(f"wrote {trace}")
    return result
