"""Framework calls without a row: kept in the graph as they are, to be run by the framework that they came from;
those that cannot be kept are named all at once, at the end of the capture."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from gfx_ir.backend import Backend
from gfx_ir.control import is_holder
from gfx_ir.dtypes import DType
from gfx_ir.errors import GfxError, MissingOp, listed
from gfx_ir.graph import Value
from gfx_ir.held import Results, results
from gfx_ir.op import lookup
from gfx_ir.public import Unheld, function_of, name_of
from gfx_ir.trees import leaves

from ..heap.aliases import array_is_written, called, doubt, memory, share
from ..interfaces import Capturing
from ..python.attempts import Mark, attempt
from ..values.called import called_name
from ..values.proxy import Captured, Proxy, is_open
from .staging import recorded

_PLAIN = (bool, int, float, complex, str, type(None), type(...), DType)
_HOST = frozenset(("int", "float", "bool"))


def hold(
    tracer: Capturing, f: Any, args: tuple, kwargs: dict, owner: Backend | None = None, refusal: GfxError | None = None
) -> Any:
    """Keep a call of a framework's function f that has no row, or whose row refuses it (`refusal`), as a `holder`, if the
    framework's own tracer does not make it other calls. Where it cannot be kept, raise the refusal, or note it as missing: that tracer
    may take it as part of the whole target."""
    name = lacks = ""
    try:
        owner = owner or _owner(tracer, f)
        made, lacks = _decomposed(tracer, owner, f, args, kwargs)
        if made is not None:
            return made[0]
        name = name_of(owner, f)
        writes = owner.written_by(owner.find(name))
        if writes:
            args, kwargs = (), {**dict(zip(writes, args)), **kwargs}
        given, named = tracer.unwrap(tuple(args)), tracer.unwrap(dict(kwargs))
        _check(f, given, named)
        found = results(owner, function_of(owner, name), given, named, tracer.arrays.type_of)
    except Unheld as error:
        if owner is not None and not owner.views:
            tracer.libraries.leaves()
        if refusal is not None:
            raise refusal from None
        return stand_in(tracer, name or called_name(f), (args, kwargs), lacks or str(error))
    made = tracer.wrap(
        lookup("holder")(owner.name, name, given, named, found.count, lacks if refusal is None else refusal.what), owner
    )
    if writes:
        return _written(tracer, [key for key in writes if writes[key]], made, kwargs, name)
    _doubt(made, args, kwargs, owner, name)
    return _named(made, found)


def _written(tracer: Capturing, names: list[str], made: Any, given: dict[str, Any], target: str) -> Any:
    """What a call gives that writes tensors among its arguments, which hold what it leaves there from here on. The results are new."""
    for name in names:
        if type(given.get(name)) is not Proxy and tracer.arrays.array_owner(given.get(name)) is not None:
            given[name] = tracer.arrays.array_proxy(given[name])
    written = [given[name] for name in names if given.get(name) is not None]
    taken = [leaf for leaf in leaves(given) if type(leaf) is Proxy]
    for x in written:
        if sum(share(memory(x), memory(other)) for other in taken) > 1:
            what = f"GFX cannot convert this call: {target} writes {called(x)!r}, and may see it through another argument, too"
            raise tracer.error(what, "take a copy of one of them first: x.clone()")
    parts = list(made) if isinstance(made, (tuple, list)) else [made]
    results = parts[: len(parts) - len(written)]
    for x, new in zip(written, parts[len(results) :]):
        array_is_written(x, "")
        tracer.views.is_array(x)
        x.write(new.read())
    return tuple(results) if len(results) > 1 else results[0] if results else None


def _decomposed(tracer: Capturing, owner: Backend, f: Any, args: tuple, kwargs: dict) -> tuple[Any, str]:
    """(in a tuple what the framework's own tracer makes of a call, or None; what that lacks): it takes a call apart where all
    types are known, and does not help where it comes to calls without a row, too."""
    if tracer.decomposing:
        return None, ""
    site, tracer.decomposing = tracer.site, True
    try:
        return attempt(tracer, lambda mark: (_covered(mark, _arrays(recorded(tracer, owner, f, args, kwargs))),)), ""
    except MissingOp as error:
        return None, "; ".join(filter(None, (error.what, error.hint)))
    except Exception:  # whatever the framework says, the call is tried once more as a whole
        return None, ""
    finally:
        tracer.decomposing, tracer.site = False, site


def _arrays(made: Any) -> Any:
    """What was recorded. Raises Unheld where it is Python data: what the framework's tracer says of its own arrays (where they
    lie, whether they are views, who waits for them) need not be so of those that the code gets."""
    if not all(isinstance(leaf, (Captured, type(None))) for leaf in leaves(made)):
        raise Unheld("it gives Python data")
    return made


def _covered(mark: Mark, made: Any) -> Any:
    """What was made since the mark. Raises MissingOp where a call without a row is among it."""
    inner = (found for node in mark.nodes() for region in node.regions for found in region.walk())
    kept = next((node.arg("target") for node in (*mark.nodes(), *inner) if is_holder(node)), None)
    lacking = kept or next(iter(list(mark.tracer.missing)[mark.missing :]), None)
    if lacking is not None:
        raise MissingOp(f"GFX has no row for {lacking}, which the function comes to")
    return made


def _owner(tracer: Capturing, f: Any) -> Backend:
    module = getattr(f, "__module__", None) or getattr(type(f), "__module__", None) or ""
    package = str(module).partition(".")[0]
    return next(backend for backend in tracer.arrays.frameworks() if package in backend.packages)


def _check(f: Any, given: tuple, named: dict) -> None:
    """Raise Unheld for a call that writes to its arguments, or takes what a graph does not hold."""
    if isinstance(f, np.ufunc) and named.get("where", True) is not True:
        raise Unheld("it leaves undefined what `where` leaves out: give it an `out`")
    if named.get("out") is not None or named.get("inplace"):
        raise Unheld("it writes to its arguments")
    for leaf in leaves((given, named)):
        if isinstance(leaf, Value) and not leaf.is_tensor and leaf.kind not in _HOST:
            raise Unheld(f"it takes an open {leaf.kind}")
        if not isinstance(leaf, (Value, *_PLAIN)):
            raise Unheld(f"it takes a {type(leaf).__name__}, and a graph holds plain data")


def _doubt(made: Any, args: tuple, kwargs: dict, owner: Backend, target: str) -> None:
    """What it gives may share memory with what it takes."""
    if owner.views:
        taken = [leaf for leaf in leaves((args, kwargs)) if type(leaf) is Proxy]
        for proxy in leaves(made):
            doubt(proxy, taken, f"GFX does not know whether {target} copies")


def _named(made: Any, found: Results) -> Any:
    """Several results, with their names where they have some."""
    if found.count is None:
        return made
    if not found.count:
        return None
    parts = made if isinstance(made, (tuple, list)) else (made,)
    return namedtuple("Results", found.fields)(*parts) if found.fields else tuple(parts)


_HINT = "`gfx ops` lists what is covered; gfx.register adds an op"


def stand_in(tracer: Capturing, name: str, args: Any, reason: str = "") -> Any:
    """Note a call that has no row and cannot be kept as it is; what stands for its result until the capture fails: one of
    its arguments."""
    tracer.missing.setdefault(f"{name} ({reason})" if reason else name, tracer.span())
    found = next(leaf for leaf in leaves(args) if is_open(leaf))
    return Proxy(found.read(), found.backend) if isinstance(found, Proxy) else found


def refuse_missing(tracer: Capturing) -> None:
    """Raise MissingOp where the code made calls without a row. What else went wrong behind the first may follow from it."""
    if len(tracer.missing) == 1:
        ((name, span),) = tracer.missing.items()
        raise MissingOp(f"GFX has no row for {name}", span, _HINT) from None
    if tracer.missing:
        named = [f"{name} [{span.place()}]" if span is not None else name for name, span in tracer.missing.items()]
        raise MissingOp(f"GFX has no row for{listed(named)}", hint=_HINT) from None
