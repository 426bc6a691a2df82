"""The effect table: mutable types of Python and of its C code, how their content is read and put back, and which methods only read.

A row reads by the methods of its base class: those of a class derived from it may be the user's own. What a method writes is
told by what it is not: a method that the immutable counterpart of the type has too (a tuple's, of a list) writes nothing.
"""

from __future__ import annotations

import array
import collections
import io
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from gfx_ir.errors import CaptureError
from gfx_ir.probing import HEAP_TYPE, is_module

_WRITING = frozenset(
    "__init__ __post_init__ __setattr__ __delattr__ __setitem__ __delitem__ __setstate__ __set__ __delete__ __next__ __enter__ __exit__".split()
)
FIXED = frozenset((bool, int, float, complex, str, bytes, tuple, type(None)))
"""Types whose values are constants of Python's; a tuple is one where its items are."""
WITHOUT_PARTS = FIXED - {tuple}
"""Those that hold nothing."""
MODULE_TABLES = ("_parameters", "_buffers", "_modules")
"""Where a module of PyTorch's keeps what it registers."""
IN_PLACE_FUNCTIONS = tuple(
    f"i{name}" for name in "add sub mul matmul truediv floordiv mod pow lshift rshift and or xor concat".split()
)
"""What the module `operator` calls `x += y` and its like."""
_IN_PLACE = frozenset(f"__{name}__" for name in IN_PLACE_FUNCTIONS)


class Content:
    """What an object held that no graph can hold: compared as a whole, never joined."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is Content and bool(self.value == other.value)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Row:
    """A mutable type: `read` gives a list, a dictionary or a Content; `write` puts it back; `reads` are methods that write nothing."""

    read: Callable[[Any], Any]
    write: Callable[[Any, Any], None]
    reads: frozenset[str]


def writes(name: str) -> bool:
    """Whether a special method is there to write to its object."""
    return name in _WRITING


def only_reads(name: str) -> bool:
    """Whether a special method writes nothing, of whatever type it is."""
    return name.startswith("__") and name.endswith("__") and not writes(name) and name not in _IN_PLACE


def _like(*counterparts: type, more: str = "") -> frozenset[str]:
    """The methods of immutable types that have the same ones, and more."""
    return frozenset((*(name for kind in counterparts for name in dir(kind)), *more.split())) - _WRITING - _IN_PLACE


def _filled(clear: Callable[[Any], Any], fill: Callable[[Any, Any], Any]) -> Callable[[Any, Any], None]:
    """How a container is emptied and filled anew."""

    def write(held: Any, content: Any) -> None:
        clear(held)
        fill(held, content.value if type(content) is Content else content)

    return write


def _put_items(base: Any) -> Callable[[Any, Any], None]:
    def fill(held: Any, content: dict) -> None:
        for key, value in content.items():
            base.__setitem__(held, key, value)

    return fill


def _put_list(held: list, content: Any) -> None:
    list.__setitem__(held, slice(None), content)


def _resized(put: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """`put`, which gives memory back its size. Raises CaptureError where a memoryview still lends it."""

    def write(held: Any, content: Any) -> None:
        try:
            put(held, content)
        except BufferError as error:
            what = f"GFX cannot give a {type(held).__name__} back what it held before the capture: a memoryview lends its memory"
            raise CaptureError(what, hint="release the memoryview: with memoryview(…) as view") from error

    return write


@_resized
def _put_bytes(held: bytearray, content: Any) -> None:
    if bytes(held) != content.value:
        bytearray.__setitem__(held, slice(None), content.value)


@_resized
def _put_array(held: array.array, content: Any) -> None:
    now = array.array.tobytes(held)
    if now == content.value:
        return
    if len(now) == len(content.value):  # it may lend its memory, and keep its size
        memoryview(held).cast("B")[:] = content.value
    else:
        array.array.__delitem__(held, slice(None))
        array.array.frombytes(held, content.value)


def _put_view(held: memoryview, content: Any) -> None:
    if held.c_contiguous:
        held.cast("B")[:] = content.value
    else:
        held[:] = memoryview(content.value).cast(held.format)  # type: ignore[call-overload]


def _read_stream(base: Any) -> Callable[[Any], Any]:
    """Of a stream in memory: what it is pickled as, less its attributes; None: it is closed."""
    return lambda held: Content(None if base.closed.__get__(held) else base.__getstate__(held)[:-1])


def _put_stream(base: Any) -> Callable[[Any, Any], None]:
    def write(held: Any, content: Any) -> None:
        if content.value is None:
            base.close(held)
            return
        if content == _read_stream(base)(held):
            return
        if base.closed.__get__(held):
            base.__init__(held, content.value[0])
        base.__setstate__(held, (*content.value, None))

    return write


_VIEW, _STREAM = types.MappingProxyType, "getvalue getbuffer tell readable writable seekable isatty fileno closed"
_ROWS: dict[type, Row] = {
    list: Row(list.copy, _put_list, _like(tuple, more="copy")),
    collections.OrderedDict: Row(
        lambda held: dict(collections.OrderedDict.items(held)),
        _filled(collections.OrderedDict.clear, _put_items(collections.OrderedDict)),
        _like(_VIEW),
    ),
    dict: Row(lambda held: dict(dict.items(held)), _filled(dict.clear, _put_items(dict)), _like(_VIEW)),
    set: Row(lambda held: Content(frozenset(held)), _filled(set.clear, set.update), _like(frozenset)),
    collections.deque: Row(
        lambda held: list(collections.deque.__iter__(held)),
        _filled(collections.deque.clear, collections.deque.extend),
        _like(tuple, more="copy maxlen"),
    ),
    bytearray: Row(lambda held: Content(bytes(held)), _put_bytes, _like(bytes, more="copy")),
    memoryview: Row(lambda held: Content(held.tobytes()), _put_view, _like(tuple, more="tobytes tolist hex toreadonly cast")),
    array.array: Row(
        lambda held: Content(array.array.tobytes(held)),
        _put_array,
        _like(tuple, more="tobytes tolist tounicode buffer_info tofile"),
    ),
    io.StringIO: Row(_read_stream(io.StringIO), _put_stream(io.StringIO), _like(more=_STREAM)),
    io.BytesIO: Row(_read_stream(io.BytesIO), _put_stream(io.BytesIO), _like(more=_STREAM)),
}  # fmt: skip


MUTABLE = tuple(_ROWS)


def row_of(kind: type) -> Row | None:
    """The row of a type: that of the first of its bases that has one; None: its content cannot be read."""
    for base in kind.__mro__:
        if base in _ROWS:
            return _ROWS[base]
    return None


def contents_of(held: Any) -> Any:
    """What a container holds now: a list, a dictionary or a Content."""
    row = row_of(type(held))
    assert row is not None
    return row.read(held)


def fill(held: Any, content: Any) -> None:
    """Make a container hold this."""
    row = row_of(type(held))
    assert row is not None
    row.write(held, content)


def children(held: Any) -> list[Any]:
    """The objects that a container or an object with attributes refers to."""
    row, found = row_of(type(held)), list(attributes_of(held).values())
    if isinstance(held, dict):  # a copy of it would ask its keys for their hashes
        return found + list(dict.values(held))
    if isinstance(held, tuple):
        return found + list(tuple.__iter__(held))
    content = held if isinstance(held, (frozenset, Content)) else () if row is None else row.read(held)
    if isinstance(content, Content):
        content = content.value if isinstance(content.value, frozenset) else ()
    return found + list(content)


def has_attributes(held: Any) -> bool:
    """Whether an object has a dictionary of attributes of its own."""
    return type(held).__dictoffset__ != 0


def attributes_of(held: Any) -> dict[str, Any]:
    """The attributes that an object itself holds, whatever its class says of them."""
    try:
        return object.__getattribute__(held, "__dict__")
    except AttributeError:
        return {}


def only_attributes(kind: type) -> bool:
    """Whether all that an object of a class holds are its attributes, in a dictionary of its own."""
    bases = kind.__mro__[:-1]
    slots = (held for base in bases for held in vars(base).values() if isinstance(held, types.MemberDescriptorType))
    in_python = all(base.__flags__ & HEAP_TYPE for base in bases)
    return kind.__dictoffset__ != 0 and in_python and not any(slots)


def table_of(held: Any, key: str) -> dict[str, Any] | None:
    """The dictionary in which a module holds an attribute apart from others: its tensors and submodules."""
    if not is_module(held):
        return None
    own = attributes_of(held)
    return next((own[table] for table in MODULE_TABLES if key in own.get(table, ())), None)


def unchanged(before: Any, after: Any) -> bool:
    """Whether a container holds what it held: the same objects, in the same places."""
    if type(before) is not type(after):
        return False
    if isinstance(before, Content):
        return before == after
    if len(before) != len(after):
        return False
    if isinstance(before, dict):
        pairs: Iterable[tuple] = zip(before.items(), after.items())
        return all(k is m and v is w for (k, v), (m, w) in pairs)
    return all(a is b for a, b in zip(before, after))
