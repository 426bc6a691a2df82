"""Functions of the frameworks' test inputs as if a user had written them.

GFX never converts code of the frameworks' own packages, and the test inputs stand in these; here they get another module's name.
"""

import types
from collections.abc import Callable
from typing import Any


def as_written(fn: Any, package: str, replaced: Callable[[Any], Any] = lambda value: value, **names: Any) -> Any:
    """A function of the modules under `package` with the same code, in a module of a user; others as they are.

    Functions of these modules that it calls or closes over are made so too. `names` are put in place of the module's own;
    `replaced` says what stands in place of a value that it closes over or that the module defines.
    """
    if not _of(fn, package):
        return replaced(fn)
    module: dict[str, Any] = {}
    for name, value in {**fn.__globals__, "__name__": "test_inputs", **names}.items():
        module[name] = _again(value, package, module, replaced) if _of(value, package) else replaced(value)
    return _again(fn, package, module, replaced)


def _of(fn: Any, package: str) -> bool:
    return isinstance(fn, types.FunctionType) and (fn.__module__ or "").startswith(package)


def _again(fn: types.FunctionType, package: str, module: dict[str, Any], replaced: Callable[[Any], Any]) -> Any:
    cells = []
    for cell in fn.__closure__ or ():
        try:
            value = cell.cell_contents
        except ValueError:  # not bound yet: a function that names itself
            cells.append(cell)
            continue
        cells.append(
            types.CellType(_again(value, package, module, replaced) if _of(value, package) else replaced(value))
        )
    made = types.FunctionType(fn.__code__, module, fn.__name__, fn.__defaults__, tuple(cells))
    made.__kwdefaults__ = fn.__kwdefaults__
    return made
