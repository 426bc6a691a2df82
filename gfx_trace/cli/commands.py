"""What the commands share: the console, progress, errors, the program that is named and the files that are written."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from gfx_ir.errors import GfxError
from gfx_ir.save import write_whole
from gfx_ir.source import Span
from gfx_ir.types import LogicalTensor

from ..api import LAYOUTS, symbolic_trace
from ..api import load as load_program
from .specs import Sample, load_target, parse_args

out, err = Console(), Console(stderr=True)
Target = Annotated[
    str,
    typer.Argument(
        metavar="FILE:NAME",
        help="a function, or a model or class without arguments, in a file; or a saved program, FILE.json",
    ),
]
Layout = Annotated[str, typer.Option(help=f"order of the axes of images inside: {' or '.join(LAYOUTS)}")]
Args = Annotated[
    list[str] | None,
    typer.Option("--arg", metavar="NAME=SPEC", help="f32[2,3], i64[B,T], a literal, a .npy or .safetensors file"),
]
Debug = Annotated[bool, typer.Option("--debug", help="show the traceback of an error")]


@contextmanager
def working(what: str) -> Iterator[None]:
    """Progress on long work, on a terminal."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        progress.add_task(what)
        yield


def guarded(debug: bool, work: Callable[[], Any]) -> None:
    """Run a command; an error is one message on stderr and exit code 1."""
    try:
        work()
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:  # whatever the user's code raises, too
        if debug:
            raise
        text = str(error) if isinstance(error, GfxError) else foreign(error)
        err.print(f"[bold red]error:[/] {escape(text)}", highlight=False, soft_wrap=True)
        raise typer.Exit(1) from error


def capture(target: str, arg: list[str] | None, typed: bool = True) -> tuple[Any, dict[str, Any]]:
    """The program of FILE:NAME or of a saved .json, and the arguments. `typed`: tensor arguments say their types."""
    given = parse_args(arg or [])
    specs = {name: _spec(value) for name, value in given.items() if typed or not isinstance(value, (Sample, dict))}
    if target.endswith(".json"):
        program = load_program(target)
        return program.bind(**{k: v for k, v in specs.items() if isinstance(v, LogicalTensor)}), given
    return symbolic_trace(load_target(target), kwargs=specs), given


def _spec(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _spec(item) for name, item in value.items()}
    return value.spec if isinstance(value, Sample) else value


def save(result: Any, path: Path) -> None:
    """Write the source and its weights, and say so."""
    with _written(path):
        result.save(path)
    weights = f" and {path.with_suffix('.safetensors')}" if result.params else ""
    err.print(f"wrote {path}{weights}", highlight=False, soft_wrap=True)


def write(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays as safetensors, and say so."""
    with _written(path):
        write_whole({path: arrays})
    err.print(f"wrote {path}", highlight=False, soft_wrap=True)


@contextmanager
def _written(path: Path) -> Iterator[None]:
    """Inside a file is written; what hinders that is one message."""
    if not path.parent.is_dir():
        raise GfxError(f"there is no directory {str(path.parent)!r}", hint="make it first")
    try:
        yield
    except OSError as error:
        hint = "no file was changed; name another one with -o"
        raise GfxError(f"cannot write {error.filename or path}: {error.strerror or error}", hint=hint) from error


_HERE = Path(__file__).parents[1]
_LIBRARIES = {"site-packages", "dist-packages", f"python{sys.version_info[0]}.{sys.version_info[1]}"}


def foreign(error: Exception) -> str:
    """An error of the user's code or of a library, with the last line of it that is neither ours nor a library's."""
    place: Span | None = None
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        place = Span(error.filename, error.lineno)
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = Path(frame.f_code.co_filename)
        if file.is_file() and not file.is_relative_to(_HERE) and not _LIBRARIES & set(file.parts):
            place = Span(str(file), line, frame.f_code.co_name)
    what = error.msg if isinstance(error, SyntaxError) else str(error)
    return str(GfxError(f"{type(error).__name__}: {what}", place, "--debug shows the traceback"))
