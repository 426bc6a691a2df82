"""How a target spells what is not an op: control flow, dtypes, constants, imports, the key of random numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..naming import snake
from .writer import ControlWriter

PLAIN = (
    "repeated_keys", "keep_order", "own_gradients", "foreign_texts", "handed", "booleans", "untold", "powers", "promoted",
    "lacking_dtypes", "composites", "alike_lists", "truths", "merged_tests", "simplify", "drop_carried", "unpacked", "filled_lists",
    "kept_lists", "stacked_lists", "returned", "unread",
    "inline_calls", "gathered", "reroll", "nested_loops",
)  # fmt: skip
"""What a target needs whose tests and loops are Python's."""


@dataclass(frozen=True)
class Style:
    """The spelling of one target.

    `imports` maps an alias to the statement that makes it; `control` writes tests and loops, `prefix` is the module of
    the functions that it calls for these; `dtypes` names a dtype by its DType
    name where it is not `{module}.{name}`; `scalar` makes a typed 0-d array of a number, with {dtype} and {value} in
    it; `wrap` makes an array of what may be a number, for methods and, unless `numbers` is None, for functions: it says from which
    argument on a function takes Python's numbers; `wide` names the helper that does so with all digits of a double, where `wrap` does not;
    `key` names the argument that takes the source of random numbers, and `source` is what a call may give for it ("" where it
    may be left out); `of_bool` makes one of the Python boolean that a function of the target gives;
    `helpers` are functions that control flow may call; `generator`: whether random numbers are drawn from one that each
    draw moves on; `places`: whether tensors are put on devices by name; `tensor`: the class whose functions are written as
    methods; `gradients`: how a function that brings its own gradient is made of the {forward} that computes it and its {rule}
    ("vjp" or "jvp", see the op `custom_gradient`; {several}: "*" where
    it gives several results), and `applied`: how it is called;
    `transforms`: what makes a function of another one, by its kind (see the op `transform`); `conjugates`: whether its gradients by
    complex numbers are the conjugates of those that the op gives, which are PyTorch's;
    `of_numbers`: whether ops of a number that Python has a function for are written by that, where it gives fractions; `lowering`: the passes, by
    their names in `prepare.LOWERINGS` and in their order, that bring a program to what the target has before it is written; `weights`: the
    module whose `load_file` gives the arrays of a safetensors file.
    """

    name: str
    module: str
    imports: Mapping[str, str]
    control: type[ControlWriter]
    prefix: str = ""
    dtypes: Mapping[str, str] = field(default_factory=dict)
    inf: str = 'float("inf")'
    nan: str = 'float("nan")'
    key: str = "key"
    source: str = ""
    scalar: str = "{dtype}({value})"
    wrap: str = "asarray"
    wide: str = ""
    numbers: Mapping[str, int] | None = None
    of_bool: str = ""
    generator: bool = False
    places: bool = False
    helpers: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    tensor: str = ""
    gradients: Mapping[str, str] = field(default_factory=dict)
    applied: str = "{name}"
    transforms: Mapping[str, str] = field(default_factory=dict)
    conjugates: bool = False
    of_numbers: bool = False
    lowering: tuple[str, ...] = PLAIN
    weights: str = "safetensors.numpy"

    @property
    def array(self) -> str:
        """The class of the target's arrays."""
        return self.tensor or f"{self.module}.ndarray"

    def dtype(self, name: str) -> str:
        """The expression for a dtype."""
        return self.dtypes.get(name, f"{self.module}.{name}")

    def named(self, text: str) -> str:
        """The name of a function with a gradient of its own: that of a class where the target makes it one."""
        if self.applied == "{name}" or text[:1].isupper():
            return snake(text) if self.applied == "{name}" else text
        return "".join(part.capitalize() for part in text.split("_")) or text

    def called(self, path: str) -> str:
        """How a dotted name of the target is written with these imports: `jnp.sinc` for `jax.numpy.sinc`."""
        found = path
        for alias, line in self.imports.items():
            words = line.split()
            module = f"{words[1]}.{words[3]}" if words[0] == "from" else words[1]
            if path.startswith(f"{module}.") and path != module:
                short = f"{alias}.{path[len(module) + 1 :]}"
                found = min(found, short, key=len)
        return found
