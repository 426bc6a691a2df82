"""Tracebacks as plain Python would show them: the user's own frames, without those of GFX (GFX_DEBUG=1 keeps all)."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, TracebackType
from typing import ParamSpec, TypeVar

from gfx_ir.codegen import Module
from gfx_ir.source import Span

from . import is_converted
from .packages import OURS

P = ParamSpec("P")
T = TypeVar("T")
_BLOCKS = frozenset(
    "gfx_if gfx_if_ret gfx_while gfx_for gfx_and gfx_or gfx_ifexp gfx_map gfx_kept gfx_flat gfx_fold gfx_assert gfx_fstr gfx_percent".split()
)
_GENERATOR = 0x20  # inspect.CO_GENERATOR
_EMITTED = "emitted code"
Entry = tuple[FrameType, int, int]  # frame, last instruction (-1: only the line is known), line


def users_frames(function: Callable[P, T]) -> Callable[P, T]:
    """Decorates what users call: an exception leaves it without the frames of GFX."""

    @functools.wraps(function)
    def entered(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            tidy(error)
            raise  # a bare raise adds no frame of its own

    return entered


def tidy(error: BaseException, emitted: Module | None = None) -> None:
    """Drop the frames of GFX from an exception and those it came from; lines of `emitted` become the user's that they stand for."""
    if os.environ.get("GFX_DEBUG", "0") not in ("", "0"):
        return
    seen: set[int] = set()
    chain: list[BaseException | None] = [error]
    while chain:
        found = chain.pop()
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        chain += [found.__cause__, found.__context__]
        found.__traceback__ = _joined(_kept(walk(found.__traceback__), emitted))


def walk(tb: TracebackType | None) -> Iterator[Entry]:
    """The entries of a traceback, the outermost first."""
    while tb is not None:
        yield tb.tb_frame, tb.tb_lasti, tb.tb_lineno
        tb = tb.tb_next


def _joined(entries: list[Entry]) -> TracebackType | None:
    made = None
    for frame, lasti, line in reversed(entries):
        made = TracebackType(made, frame, lasti, line)
    return made


def _kept(entries: Iterator[Entry], emitted: Module | None) -> list[Entry]:
    """The entries to show: one for each call of a function of the user's, as in plain Python."""
    out: list[Entry] = []
    hook = ""  # what the last frame that is kept called of GFX
    for entry in entries:
        code = entry[0].f_code
        if emitted is not None and code.co_filename == emitted.filename:
            places = emitted.places(entry[2])
            if not places:  # a helper: how a construct is spelled, not what the user wrote
                break
            known = sum(_stands_in(e[0]) for e in out)  # calls of blocks that several calls of the user's share
            out += map(_standing_in, places[known:])
        elif _own(entry[0].f_globals.get("__name__") or "", bool(hook)):
            hook = hook or code.co_name
            continue
        elif out and _same_call(out[-1][0].f_code, code, hook):
            before = out.pop()[0]
            out.append((before, -1, entry[2]) if code.co_name == "<lambda>" else entry)
        else:
            out.append(entry)
        hook = ""
    return out


def _own(module: str, called_by_us: bool) -> bool:
    """GFX, and what it uses to bind arguments."""
    return module.partition(".")[0] in OURS or (called_by_us and module == "inspect")


def _same_call(outer: CodeType, inner: CodeType, hook: str) -> bool:
    """Whether `inner` is a block or operand of `outer` that the rewriting made a function of."""
    if not (is_converted(outer) and is_converted(inner)) or inner.co_flags & _GENERATOR:
        return False
    if hook:
        made = inner.co_name == "<lambda>" or inner.co_qualname == outer.co_qualname
        return hook in _BLOCKS and made and _holds(outer, inner)
    return inner.co_qualname == outer.co_qualname or (inner.co_name == "<lambda>" and _holds(outer, inner))


def _holds(outer: CodeType, inner: CodeType) -> bool:
    return any(c is inner or _holds(c, inner) for c in outer.co_consts if isinstance(c, CodeType))


def _stands_in(frame: FrameType) -> bool:
    return frame.f_globals.get("__name__") == _EMITTED


def _standing_in(span: Span) -> Entry:
    """An entry for a place whose own frame does not exist: the code that ran there was emitted from it."""
    code = compile("raise LookupError", span.file, "exec")
    code = code.replace(co_name=span.name, co_qualname=span.name, co_firstlineno=max(span.line, 1))
    try:
        exec(code, {"__name__": _EMITTED})
    except LookupError as error:
        assert error.__traceback__ is not None and error.__traceback__.tb_next is not None
        return error.__traceback__.tb_next.tb_frame, -1, span.line
    raise AssertionError("the frame was not made")
