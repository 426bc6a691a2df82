"""What the command line reads: FILE:NAME and NAME=SPEC."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gfx_ir import host
from gfx_ir.backend import Backend
from gfx_ir.errors import FormatError, GfxError
from gfx_ir.types import LogicalTensor, parse_logical

_OPEN_SIZE = 4


@dataclass(frozen=True)
class Sample:
    """A tensor argument: its type, and data where a file gave it."""

    spec: LogicalTensor
    data: Any = None


def load_target(text: str) -> Any:
    """The object that FILE:NAME names; a class is made without arguments. Raises GfxError where there is none."""
    file, colon, name = text.rpartition(":")
    if not colon or not file or not name:
        raise GfxError(f"{text!r} does not name a target", hint="write FILE:NAME, as in model.py:forward")
    path = Path(file)
    if not path.is_file():
        raise GfxError(f"there is no file {file!r}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise GfxError(f"{file!r} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent.resolve()))
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            names = [n for n in vars(module) if not n.startswith("_")]
            raise GfxError(f"{file!r} has no {name!r}", hint=f"it has {', '.join(names[:12])}")
        found = getattr(found, part)
    return _made(found, name) if isinstance(found, type) else found


def _made(cls: type, name: str) -> Any:
    """An object of the class, which must take no arguments."""
    try:
        signature = inspect.signature(cls)
        signature.bind()
    except TypeError as error:
        hint = f"make it in the file, and name that: model = {name}(...)"
        raise GfxError(f"{name!r} is a class, and cannot be made without arguments: {error}", hint=hint) from None
    except ValueError:  # it has no signature that Python could tell
        pass
    return cls()


def parse_args(items: list[str]) -> dict[str, Any]:
    """NAME=SPEC pairs: Samples and plain values."""
    found: dict[str, Any] = {}
    for item in items:
        name, sign, text = item.partition("=")
        if not sign or not name.isidentifier():
            raise GfxError(f"{item!r} is no argument", hint="write NAME=SPEC, as in x=f32[2,3]")
        found[name] = _parse(text, item)
    return found


def _parse(text: str, item: str) -> Any:
    if text.endswith((".npy", ".safetensors")):
        return _from_file(Path(text))
    if "[" in text and text[0] != "[":
        return Sample(parse_logical(text))
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        hint = "a SPEC is f32[2,3], i64[B,T], a Python literal, or a .npy or .safetensors file"
        raise FormatError(f"cannot read {item!r}", hint=hint) from None


def _from_file(path: Path) -> Any:
    if not path.is_file():
        raise GfxError(f"there is no file {str(path)!r}")
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        if path.suffix == ".npy":
            return _sample(np.load(path, allow_pickle=False))
        return {name: _sample(x) for name, x in load_file(path).items()}
    except (OSError, ValueError, EOFError, SafetensorError) as error:
        why = "it is no file of plain numbers" if path.suffix == ".npy" else str(error)
        raise FormatError(f"{path} cannot be read: {why}", hint=f"write it again as {path.suffix}") from None


def _sample(data: np.ndarray) -> Sample:
    return Sample(LogicalTensor(_dtype(data), data.shape), data)


def _dtype(x: Any) -> Any:
    return parse_logical(f"{x.dtype.name}[]").dtype


def data_for(value: Any, owner: Backend) -> Any:
    """Data of an argument on a backend: what the file gave, else random data of the type (open dims are 4)."""
    if isinstance(value, dict):
        return {name: data_for(item, owner) for name, item in value.items()}
    if not isinstance(value, Sample):
        return value
    if value.data is not None:
        return owner.from_host(value.data)
    dims = [host.evaluate(d, {a.name: _OPEN_SIZE for a in host.atoms(d or 0)}) for d in value.spec.dims or ()]
    rng = np.random.default_rng(0)
    kind = value.spec.dtype.kind if value.spec.dtype else "f"
    made = rng.standard_normal(dims) if kind in "fc" else rng.integers(0, 2 if kind == "b" else 8, dims)
    return owner.from_host(np.asarray(made).astype(value.spec.dtype.numpy if value.spec.dtype else np.float32))
