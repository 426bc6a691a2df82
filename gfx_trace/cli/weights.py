"""Checkpoints: the arrays that a model of an original was saved with, as the params of a program that was captured from it."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gfx_ir.dtypes import dtype, promote_types
from gfx_ir.errors import FormatError
from gfx_ir.loading import backend, to_host
from gfx_ir.program import Program

_FRAMEWORKS = {".pt": "torch", ".pth": "torch", ".bin": "torch"}
KINDS = ".safetensors, .npz, .pt, .pth, .bin, an .index.json of shards, or a folder that holds one of these"
_SHOWN = 5


def checkpoint(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a checkpoint by dotted names: of one file, of the shards that an index names, or of a folder with either.

    Names as in `params/dense/kernel` are dotted, too. Raises FormatError where there is none, or a shard lacks or is damaged."""
    if path.is_dir():
        path = _only(path)
    if path.suffix == ".json":
        return _shards(path)
    if not path.is_file():
        raise FormatError(f"there is no checkpoint {str(path)!r}", hint=f"a checkpoint is {KINDS}")
    return {name.replace("/", "."): x for name, x in _file(path).items()}


def _only(folder: Path) -> Path:
    for pattern in ("*.index.json", "*.safetensors", "*.bin", "*.pt", "*.pth", "*.npz"):
        found = sorted(folder.glob(pattern))
        if len(found) == 1:
            return found[0]
        if found:
            hint = f"name one of them, as {str(found[0])!r}"
            raise FormatError(f"{str(folder)!r} has several checkpoints: {', '.join(p.name for p in found)}", hint=hint)
    raise FormatError(f"{str(folder)!r} has no checkpoint", hint=f"a checkpoint is {KINDS}")


def _shards(path: Path) -> dict[str, np.ndarray]:
    try:
        names = json.loads(path.read_text())["weight_map"]
        files = {name: path.parent / Path(file).name for name, file in names.items()}
    except (OSError, ValueError, LookupError, AttributeError, TypeError) as error:
        raise FormatError(f"{path} is no index of shards: {error}", hint='it needs a "weight_map" of names') from error
    held = {file: checkpoint(file) for file in dict.fromkeys(files.values())}
    lost = [name for name, file in files.items() if name.replace("/", ".") not in held[file]]
    if lost:
        raise FormatError(f"{files[lost[0]]} lacks {lost[0]!r}, which {path.name} says that it holds")
    return {name: x for arrays in held.values() for name, x in arrays.items()}


def _file(path: Path) -> Mapping[str, np.ndarray]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        if path.suffix == ".safetensors":
            return load_file(path)
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as arrays:
                return {name: arrays[name] for name in arrays.files}
    except (OSError, ValueError, EOFError, SafetensorError) as error:
        raise FormatError(f"{path} cannot be read: {error}", hint="write it again") from error
    if path.suffix not in _FRAMEWORKS:
        raise FormatError(f"{path} is no checkpoint", hint=f"a checkpoint is {KINDS}")
    owner = backend(_FRAMEWORKS[path.suffix])
    return {name: owner.to_host(x) for name, x in owner.read_state(path).items()}


@dataclass(frozen=True)
class Fitted:
    """Params by path, and what went otherwise than by name: those that the graph kept, and names of the checkpoint that it has not."""

    params: dict[str, np.ndarray]
    kept: list[str]
    left: list[str]


def fitted(program: Program, arrays: Mapping[str, np.ndarray], keep: Sequence[str] = (), cast: bool = False) -> Fitted:
    """The arrays as the program's params, in its dtypes: a narrower one is widened, `cast` narrows a wider one.

    Params whose paths match a pattern of `keep` stay as the graph has them where the checkpoint lacks them. Raises FormatError, by name,
    for params that it lacks, for other shapes, and for dtypes that would lose digits."""
    held = program.params
    missing = [path for path in held if path not in arrays]
    kept = [path for path in missing if any(fnmatch.fnmatchcase(path, pattern) for pattern in keep)]
    left = [name for name in arrays if name not in held]
    lost = [path for path in missing if path not in kept]
    if lost:
        raise FormatError(f"the checkpoint lacks {_listed(lost)}", hint=_advice(lost, left))
    shapes = {path: (tuple(x.shape), arrays[path].shape) for path, x in held.items() if path not in kept}
    wrong = [f"{path} is {have} and not {want}" for path, (want, have) in shapes.items() if want != have]
    if wrong:
        raise FormatError(
            f"shapes differ from those of the graph: {_listed(wrong)}",
            hint="capture the model that the checkpoint is of",
        )
    params = {
        path: np.asarray(to_host(x)) if path in kept else _as(path, arrays[path], x, cast) for path, x in held.items()
    }
    return Fitted(params, kept, left)


def _as(path: str, x: np.ndarray, like: Any, cast: bool) -> np.ndarray:
    """In the dtype of what the graph has there."""
    have, want = dtype(x.dtype), dtype(like.dtype)
    if have == want:
        return x
    widened = have.kind == want.kind and promote_types(have, want, "torch") == want
    if not widened and not cast:
        what = f"{path!r} is {have} in the checkpoint and {want} in the graph, which would lose digits"
        raise FormatError(what, hint="capture the model in the dtype of the checkpoint, or cast it with --cast")
    return x.astype(want.numpy)


def _listed(found: Sequence[str]) -> str:
    shown = ", ".join(found[:_SHOWN])
    return shown if len(found) <= _SHOWN else f"{shown} and {len(found) - _SHOWN} more"


def _advice(lost: Sequence[str], left: Sequence[str]) -> str:
    """How the names of the checkpoint may become those that are missing."""
    path = lost[0]
    for name in left:
        if name.endswith(f".{path}"):
            return f"its {name!r} looks like it: --strip {name.removesuffix(path)}"
        if path.endswith(f".{name}"):
            return f"its {name!r} looks like it: --under {path.removesuffix(name)}"
    has = f"it has {_listed(left)}, which the graph lacks; " if left else ""
    return f"{has}--rename OLD=NEW names one otherwise (what is tied is saved once), --keep NAME takes what the graph holds"


def renamed(
    arrays: Mapping[str, np.ndarray], strip: str = "", under: str = "", names: Sequence[str] = ()
) -> dict[str, np.ndarray]:
    """The arrays under other names: without the beginning `strip`, behind `under`, and by OLD=NEW of `names`, which keep OLD too.

    Raises FormatError for a name that is no OLD=NEW, or is not there, and for two arrays under one name."""
    found: dict[str, np.ndarray] = {}
    for name, x in arrays.items():
        other = under + name.removeprefix(strip)
        if other in found:
            raise FormatError(f"two arrays of the checkpoint are called {other!r} without {strip!r}")
        found[other] = x
    for text in names:
        old, sign, new = text.partition("=")
        if not sign or old not in found or new in found:
            why = (
                "is no OLD=NEW"
                if not sign
                else f"names {old!r}, which is not there"
                if old not in found
                else f"names {new!r}, which is there"
            )
            raise FormatError(f"--rename {text} {why}")
        found[new] = found[old]
    return found
