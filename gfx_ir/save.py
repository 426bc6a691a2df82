"""Programs as files: the graphs as JSON, the data of the parameters as safetensors beside it. Loading runs no code."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Union

import numpy as np
import safetensors
import safetensors.numpy

from .decoding import TAMPERED, bad, decode, head, need
from .dtypes import DTYPES
from .encoding import encode
from .errors import FormatError, VerifyError
from .pause import collection_paused
from .program import Program
from .verify import verify

Content = Union[bytes, Mapping[str, Any]]
_STORED = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2", "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8", "U64": "uint64",
    "U32": "uint32", "U16": "uint16", "U8": "uint8", "BOOL": "bool", "C64": "complex64",
}  # fmt: skip
_OF_ANOTHER_FORM = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)
"""What Python raises where data of a file are of another kind than an op's row, which reads its arguments, takes them for."""
_KNOWN = frozenset(_STORED.values())


@collection_paused()
def save(program: Program, path: str | Path, to_host: Callable[[Any], Any] = np.asarray) -> None:
    """Write the program to `path`, and where it has params, these to the same name with the suffix .safetensors.

    Both files appear whole, or neither does. `to_host` gives the NumPy data of a parameter. Raises VerifyError for a
    graph that is broken, FormatError, with the node's line, for one that holds what a file cannot.
    """
    path = Path(path)
    verify(program)
    data = encode(program)
    arrays = {name: _host(name, to_host(x)) for name, x in program.params.items()}
    beside = path.with_suffix(".safetensors")
    if arrays and beside == path:
        raise FormatError(f"the graph and its params cannot both be {path.name!r}", hint="save to a name as model.json")
    data["params"] = {name: [x.dtype.name, list(x.shape)] for name, x in arrays.items()}
    data["file"] = beside.name if arrays else None
    files: dict[Path, Content | Callable[[list[Path]], bytes]] = {}
    if arrays:
        files[beside] = arrays

    def graph(written: list[Path]) -> bytes:
        data["digest"] = _digest(written[0]) if arrays else None
        return json.dumps(data, allow_nan=False, separators=(",", ":"), ensure_ascii=True).encode()

    files[path] = graph
    write_whole(files)


@collection_paused()
def load(path: str | Path) -> Program:
    """Read back what `save` wrote; the params as NumPy arrays. Raises FormatError where it is not what was written."""
    path = Path(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        hint = "name the file that save() wrote; its params lie beside it"
        raise FormatError(f"{path} cannot be read: {error.strerror}", hint=hint) from None
    try:
        data = json.loads(raw)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise FormatError(f"{path} is no program of GFX: {error}", hint=TAMPERED) from None
    try:
        head(data)
        program = decode(data)
        program.params = _params(path, data)
        _verified(program)
    except FormatError as error:
        raise FormatError(f"{path}: {error.what}", error.span, error.hint) from None
    except RecursionError:
        raise FormatError(f"{path}: a tree in it is too deep", hint=TAMPERED) from None
    except _OF_ANOTHER_FORM as error:
        raise FormatError(
            f"{path} is no program of GFX: a part of it has another form ({error})", hint=TAMPERED
        ) from error
    return program


# ---------------------------------------------------------------------- params
def _host(name: str, x: Any) -> np.ndarray:
    """Data as safetensors takes it: dense, in order, little-endian."""
    x = np.asarray(x)
    if x.dtype.name not in _KNOWN:
        hint = f"it holds {', '.join(sorted(_KNOWN))}"
        raise FormatError(f"parameter {name!r} has dtype {x.dtype}, which safetensors cannot hold", hint=hint)
    if x.dtype.byteorder == ">":
        x = x.astype(x.dtype.newbyteorder("<"))
    return np.asarray(x, order="C")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _params(path: Path, data: dict[str, Any]) -> dict[str, Any]:
    """The arrays of the file beside, checked against what the graph's file says of them."""
    said = need(data.get("params"), dict, "params")
    name = data.get("file")
    if name is None:
        if said:
            raise bad("it has params, and names no file with them")
        return {}
    if need(name, str, "the file of params") != Path(name).name:
        raise bad("the params stand elsewhere than beside it")
    beside = path.with_name(name)
    if not beside.is_file() and path.with_suffix(".safetensors").is_file():
        beside = path.with_suffix(".safetensors")  # both were renamed
    try:
        raw = beside.read_bytes()
    except OSError as error:
        hint = "copy the .safetensors file along with it"
        raise FormatError(f"its params cannot be read: {beside.name}: {error.strerror}", hint=hint) from None
    if hashlib.sha256(raw).hexdigest() != data.get("digest"):
        what = f"{beside.name} is not the file of params that was written with it: it was changed or cut off, or is another's"
        raise FormatError(what, hint="copy both files of one save(), or save the program again")
    return {key: _array(key, said[key], entry) for key, entry in _entries(raw, said)}


def _entries(raw: bytes, said: Mapping[str, Any]) -> list[tuple[str, Any]]:
    try:
        found = dict(safetensors.deserialize(raw))
    except safetensors.SafetensorError as error:
        raise bad(f"the params are unreadable ({error})") from None
    if set(found) != set(said):
        raise bad(f"params differ: {', '.join(sorted(set(found) ^ set(said))[:5])}")
    return [(key, found[key]) for key in said]


def _array(key: str, said: Any, entry: Mapping[str, Any]) -> np.ndarray:
    name, shape = _STORED.get(entry["dtype"]), list(entry["shape"])
    if name is None or [name, shape] != said:
        raise bad(f"parameter {key!r} is {name}{shape}, and not {said}")
    return np.frombuffer(bytearray(entry["data"]), DTYPES[name].numpy).reshape(shape)


def _verified(program: Program) -> None:
    try:
        verify(program)
    except VerifyError as error:
        raise bad(error.what) from None


# ---------------------------------------------------------------------- files
def write_whole(files: Mapping[Path, Any]) -> None:
    """Write files so that all of them appear whole, or none: bytes, or a dictionary of arrays (as safetensors).

    A content may also be a function of the temporary files already written, in order, that gives bytes.
    """
    written: list[tuple[Path, Path]] = []
    with contextlib.ExitStack() as stack:
        for path, content in files.items():
            path = Path(path)
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
            temporary = stack.enter_context(_temporary(path))
            if callable(content):
                content = content([t for t, _ in written])
            if not isinstance(content, bytes):
                content = safetensors.numpy.save({name: _host(name, x) for name, x in content.items()})
            try:
                _fill(temporary, content)
            except OSError as error:  # of the file that was asked for, not of the temporary one
                raise OSError(error.errno, error.strerror or str(error), str(path)) from error
            written.append((temporary, path))
        _move(written, stack)


@contextlib.contextmanager
def _temporary(path: Path) -> Iterator[Path]:
    """A name for a new file in the folder of `path`; the file is gone at the end if it was not moved."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _fill(path: Path, content: bytes) -> None:
    """Write a new file and have its data on the disk."""
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _keep(path: Path, kept: Path) -> None:
    """The file under a second name, too."""
    try:
        os.link(path, kept)
    except OSError:  # a file system without hard links
        shutil.copy2(path, kept)


def _move(written: list[tuple[Path, Path]], stack: contextlib.ExitStack) -> None:
    """Put the temporary files in their places; where one cannot be, put back what was there."""
    done: list[tuple[Path, Path | None]] = []
    try:
        for temporary, path in written:
            kept = None
            if path.exists():
                kept = stack.enter_context(_temporary(path))
                _keep(path, kept)
            done.append((path, kept))
            os.replace(temporary, path)
    except BaseException:  # an interrupt, too
        for path, kept in reversed(done):
            if kept is None:
                path.unlink(missing_ok=True)
            elif kept.exists():
                os.replace(kept, path)
        raise
