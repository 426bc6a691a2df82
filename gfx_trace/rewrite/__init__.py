"""Rewriting of Python functions, so that calls, tests, loops and accesses go through hooks (`HOOKS` names them).

`convert(fn, hooks)` gives a function with the same globals, cells and defaults whose code calls the hooks as free
variables. What is not obvious from a hook's name:

- blocks become local functions without arguments (a `for` body takes the item). `names` are the variables that a
  block may assign and that are read later or by a nested function; `get()` gives their values in that order and
  `set(values)` assigns them. All other variables of a block are its own: running it twice, or running the other side
  as well, leaves nothing behind but `names` and the effects of calls.
- a variable without a value yet holds `gfx_undefined(name)`; a read that may find it is `gfx_read(name, value)`.
- what a return out of a loop left, where its flag says that there was one, is `gfx_returned(value)`.
- `gfx_while(test, body, get, set, names, stop, inner)` and `gfx_for(iterable, body, get, set, names, stop, target)` mean
  "until the test of `stop`" (None: there is no jump): that test, the flags that `break` and `return` set, and the variables of what
  is returned. Names that begin with a dot are those of variables which the user has not.
- `gfx_if_ret` returns what its side returns; a missing side is None and returns None. A `returned` flag and its value
  stand for a return inside a loop, `with` or `try`.
- `gfx_unpack(value, names)` gives the items of `value`, one a target (all of them where a target is starred: the
  assignment itself collects); where `names` has a tuple, the item is to be unpacked likewise.
- a function whose `yield` hangs on a test, or a walrus in a comprehension, stays native: `gfx_static(test, construct)`. A block with a
  `yield` begins with `gfx_closing(caught)` where closing the generator runs code of that block.

Nested functions and lambdas are rewritten in place (`is_converted` knows them); classes and async functions defined
inside stay as they are, and are converted when they are called.
"""

from .load import convert, converted_source, is_converted
from .parse import NoSource, definition
from .templates import HOOKS

__all__ = ["HOOKS", "NoSource", "convert", "converted_source", "definition", "is_converted"]
