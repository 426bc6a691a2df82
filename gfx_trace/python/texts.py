"""Texts that hold captured values: f-strings, `%`, str.format, str.join, str and repr."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gfx_ir.control import is_host
from gfx_ir.graph import Value
from gfx_ir.probing import own_attribute

from ..heap.reached import IMMUTABLE, held_by_objects
from ..interfaces import Capturing
from ..values.gated import Gated, usable
from ..values.proxy import HostProxy, Proxy, is_open, weak_kind
from .devices import settled
from .faults import class_name
from .told import contents, holds_open, number_of, value_of

_FIELD = re.compile(r"%(?:\((\w*)\))?([#0\- +]*)(\*|\d+)?(?:\.(\*|\d+))?[hlL]?(.)")
_WHOLE, _REAL, _TEXT = "diouxX", "eEfFgG", "rsa"


def _tells(kind: type) -> bool:
    """Whether the text of an object may show what it holds."""
    own = kind.__repr__ is not object.__repr__ or kind.__str__ is not object.__str__
    return own and (kind is tuple or not issubclass(kind, IMMUTABLE))


class Texts:
    """The part of the Tracer that makes texts."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer

    def text(self, parts: tuple) -> Any:
        """A text of pieces: texts, and (value, conversion, format) of what stands in it."""
        parts = tuple([p if type(p) is str else self._worded(*p) for p in parts])
        if not any(type(p) is tuple and (holds_open(p[0]) or self.tracer.record.is_shape(p[0])) for p in parts):
            return "".join(p if isinstance(p, str) else self._format(*p) for p in parts)
        flat = [piece for p in parts for piece in ((p,) if isinstance(p, str) else self._opened(*p))]
        pieces = [p if isinstance(p, str) else self._piece(*p) for p in flat]
        inner = [part for piece in pieces for part in self._inner(piece)]
        if all(isinstance(part, str) for part in inner):
            return "".join(inner)
        return self.tracer.wrap(self.add_text(tuple(inner)))

    def _worded(self, value: Any, conversion: Any, spec: Any) -> tuple:
        """A piece of a text; of an object of the user's own that holds captured data, what its own `__str__` or `__repr__` gives; of
        an exception what it was made with."""
        self.tracer.effects.sure_within(value)
        if (
            isinstance(value, BaseException)
            and type(value).__str__ is BaseException.__str__
            and conversion in (None, "", "s")
        ):
            if holds_open(value.args):
                return (
                    self._worded(value.args[0], "s", spec) if len(value.args) == 1 else (value.args, conversion, spec)
                )
        if type(value) is Gated:
            return self.tracer.gates.resolve(value, lambda side: self.text(((side, conversion, spec),))), None, ""
        give = self.tracer.native_methods.text_of(value, conversion)
        return (value, conversion, spec) if give is None else (self.tracer.calls.call(give, (value,), {}), None, spec)

    def _inner(self, piece: Any) -> tuple:
        """The pieces of a piece that is such a text itself."""
        if type(piece) is not Value or not is_host(piece.node) or piece.node.graph is not self.tracer.graph:
            return (piece,)
        return piece.node.args[1] if piece.node.args[0] == "format" else (piece,)

    def added(self, a: Any, b: Any) -> Any:
        """a + b of texts; NotImplemented where one is none."""
        if any((type(x) is not str and type(x) is not HostProxy) or weak_kind(x) for x in (a, b)):
            return NotImplemented
        kinds = {x.kind if type(x) is HostProxy else "str" for x in (a, b)}
        return (
            self.text(tuple([x if type(x) is str else (x, None, "") for x in (a, b)]))
            if kinds == {"str"}
            else NotImplemented
        )

    def add_text(self, pieces: tuple) -> Value:
        """The node of an open text."""
        return self.tracer.host("format", *pieces)

    def _opened(self, value: Any, conversion: Any, spec: Any) -> Iterable[Any]:
        """The pieces of what stands in a text: a container that holds what is open is taken apart."""
        value = settled(self.tracer, value)
        if is_open(value) or not (holds_open(value) or self.tracer.record.is_shape(value)):
            return ((value, conversion, spec),)
        if spec:
            raise self.tracer.error(
                "GFX cannot convert a format of a container that holds captured data", "format its items"
            )
        return contents(self.tracer, value)

    def _format(self, value: Any, conversion: Any, spec: Any) -> str:
        conversions: dict[str, Any] = {"r": repr, "s": str, "a": ascii}
        return self.shown(lambda: format(conversions[conversion](value) if conversion else value, spec or ""), value)

    def shown(self, make: Callable[[], str], value: Any) -> str:
        """The text that is made of a value which is not open itself; refused where something open stands in it."""
        self.tracer.effects.sure_within(value)
        before = self.tracer.python.shown_values
        items = value.values() if type(value) is dict else value if isinstance(value, (tuple, list)) else ()
        text = self.tracer.native_methods.run((value, *items), make, told=True)
        within = held_by_objects((value,)) if _tells(type(value)) else ()
        if self.tracer.python.shown_values != before or any(map(self.tracer.arrays.is_numbers, within)):
            what = f"GFX cannot convert the text of this {type(value).__name__}, which holds captured data"
            raise self.tracer.error(what, "put its parts into the text one by one")
        return text

    def _piece(self, value: Any, conversion: Any, spec: Any) -> Any:
        value = settled(self.tracer, value)
        if not is_open(value):
            return self._format(value, conversion, spec)
        if is_open(spec):
            raise self.tracer.error(
                "GFX cannot convert a format that hangs on data", "write its width and digits as numbers"
            )
        text = not conversion
        number = weak_kind(value) or number_of(self.tracer, value, text)
        if not spec and ((conversion == "s" and not self._torch_tensor(value)) or number):
            conversion = (
                None  # str of a number or array of NumPy's and JAX's is what an f-string gives; a spec formats a text
            )
        found = value.read() if weak_kind(value) else value_of(self.tracer, value, text)
        return (found, conversion or "", spec) if conversion or spec else found

    def _torch_tensor(self, x: Any) -> bool:
        """Whether str(x) differs from f"{x}": that of PyTorch's tensors does."""
        return type(x) is Proxy and not x.weak and (x.backend is None or x.backend.name == "torch")

    def joined_text(self, between: str, items: Sequence[Any]) -> Any:
        """Items as texts, with a text between them."""
        return self.text(tuple([piece for item in items for piece in (between, (item, "s", ""))][1:]))

    def percent(self, template: str, given: Any) -> Any:
        """template % given."""
        values = list(given) if isinstance(given, tuple) else [given]
        if not any(
            holds_open(x) or self.tracer.record.is_shape(x)
            for x in (given.values() if isinstance(given, dict) else values)
        ):
            return self.shown(lambda: template % given, given)
        parts: list[Any] = []
        at = 0
        for found in _FIELD.finditer(template):
            parts.append(template[at : found.start()])
            at = found.end()
            key, flags, width, digits, letter = found.groups()
            if letter == "%":
                parts.append("%")
                continue
            if "*" in (width, digits) or letter not in _WHOLE + _REAL + _TEXT:
                raise self.tracer.error(
                    f"GFX cannot convert the format {found.group()!r} of captured data", "use an f-string"
                )
            if key is None and not values:
                raise TypeError("not enough arguments for format string")
            value = given[key] if key is not None else values.pop(0)
            parts.append(self._field(value, found.group(), flags, width or "", digits, letter))
        if values and not isinstance(given, dict):
            raise TypeError("not all arguments converted during string formatting")
        return self.text((*parts, template[at:]))

    def _field(self, value: Any, field: str, flags: str, width: str, digits: Any, letter: str) -> Any:
        """One field of a template as a piece of an f-string."""
        if not (holds_open(value) or self.tracer.record.is_shape(value)):
            return self.shown(lambda: re.sub(r"\(\w*\)", "", field) % (value,), value)
        align = "<" if "-" in flags else "0" if "0" in flags and letter not in _TEXT else ">" if width else ""
        sign = next((s for s in "+ " if s in flags and letter not in _TEXT), "")
        fill = ("", "0") if align == "0" else (align if width else "", "")
        spec = f"{fill[0]}{sign}{'#' if '#' in flags else ''}{fill[1]}{width}" + (f".{digits}" if digits else "")
        if letter in _TEXT:
            return value, letter, spec if align or digits else ""
        if letter in _WHOLE and not self._whole(value):
            value = self.tracer.calls.call(int, (value,), {})
        return value, None, spec + ("d" if letter in "iu" else letter)

    def _whole(self, x: Any) -> bool:
        """Whether x is known to be a whole number."""
        if weak_kind(x):
            return weak_kind(x) in ("int", "bool")
        element = getattr(getattr(x.read(), "type", None), "dtype", None)
        return element is not None and element.kind in "iub"

    def format_text(self, template: str, args: tuple, kwargs: Mapping[str, Any]) -> Any:
        """template.format(*args, **kwargs)."""
        formatter, count = string.Formatter(), 0
        parts: list[Any] = []
        for literal, field, spec, conversion in formatter.parse(template):
            parts.append(literal)
            if field is None:
                continue
            if field.partition(".")[0].partition("[")[0] == "":
                field, count = f"{count}{field}", count + 1
            if "{" in (spec or ""):
                raise self.tracer.error("GFX cannot convert a format within a format", "use an f-string")
            parts.append((formatter.get_field(field, args, kwargs)[0], conversion, spec))
        return self.text(tuple(parts))


def on_text(tracer: Capturing, f: Any, template: str, args: tuple, kwargs: dict) -> Any:
    """What a method of a text gives with open values; NotImplemented where it is Python's to run."""
    name = own_attribute(f, "__name__", "")
    if name == "format":
        if any(holds_open(x) or tracer.record.is_shape(x) for x in (*args, *kwargs.values())):
            return tracer.texts.format_text(template, args, kwargs)
        return tracer.texts.shown(lambda: f(*args, **kwargs), args[0] if len(args) == 1 else (*args, *kwargs.values()))
    if name == "join" and len(args) == 1 and not kwargs:
        return _joined(tracer, f, template, args[0])
    return NotImplemented


def _joined(tracer: Capturing, f: Any, between: str, source: Any) -> Any:
    """between.join(source), whose items are taken once."""
    items = list(tracer.iteration.steps(source))
    usable(*items)
    if not any(map(is_open, items)):
        return tracer.texts.shown(lambda: f(items), items)
    for at, item in enumerate(items):  # of texts, or Python says so
        if class_name(tracer, item) not in ("str", None):
            raise TypeError(f"sequence item {at}: expected str instance, {class_name(tracer, item)} found")
        if type(item) is HostProxy and item.value.kind == "any":
            items[at] = tracer.wrap(tracer.host("+", "", item.value))  # Python says so when the code runs
    return tracer.texts.joined_text(between, items)


def str_or_repr(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """str(x), repr(x), ascii(x)."""
    args = tuple([settled(tracer, x) for x in args])
    give = tracer.native_methods.text_of(args[0], f.__name__[0]) if len(args) == 1 and f is not ascii else None
    if give is not None:
        return tracer.calls.call(give, args, {})
    if len(args) != 1 or not (holds_open(args[0]) or tracer.record.is_shape(args[0])):
        return tracer.texts.shown(lambda: f(*args, **kwargs), args[0]) if args else f()
    if type(args[0]) is HostProxy and f is str:
        return tracer.wrap(tracer.host("str", value_of(tracer, args[0])))
    return tracer.texts.text(((args[0], f.__name__[0], ""),))


def formatted(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """format(x, spec)."""
    if len(args) > 1 and class_name(tracer, args[1]) not in ("str", None):
        raise TypeError(f"format() argument 2 must be str, not {class_name(tracer, args[1])}")
    return tracer.texts.text(((args[0], None, args[1] if len(args) > 1 else ""),))
