"""JAX's arrays and dtypes, and the backend that is made of the rows."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gfx_ir.backend import Backend, Lift
from gfx_ir.dtypes import DType, default
from gfx_ir.errors import BackendError
from gfx_ir.lifting import axis_patterns
from gfx_ir.lifting.words import as_dtype
from gfx_ir.making import Replayed, Stagings
from gfx_ir.printed import same_code
from gfx_ir.program import Program
from gfx_ir.types import LogicalTensor

from . import (
    bessel,
    decompositions,
    helpers,
    helpers_alignment,
    helpers_arrange,
    helpers_control,
    helpers_number,
    helpers_pooling,
    helpers_recurrent,
    holding,
    special,
    taken,
)
from .device import JaxDevice
from .jaxpr import staging, symbolic
from .jitted import Jitted
from .lax import LAX, selected
from .lifts import LIFTS
from .mode import rules
from .ops import ROWS
from .ops.effect import print_to
from .raveled import WRITTEN
from .recorded import Functions, is_variable, leaves_of, made_by_library, statistics_of
from .refused import NOT_ENTERED, REFUSED
from .transforms import CURRIED, DIRECT, OWN_RULE, TREES, transformation, transformed, transparent

_PRINTED = {
    "promoting_cond": ("cond", helpers_control.promoting_cond),
    "settled": ("settled", helpers_control.settled),
    "as_carried": ("settled", helpers_control.as_carried),
}
_SCALAR_CLASS = type(jnp.float32)
_COMPILED = type(jax.jit(lambda: None)).__module__.partition(".")[0]  # the package of JAX's compiled part
_PYTHON = {bool: "b", int: "i", float: "f", complex: "c"}
_X64 = 'call jax.config.update("jax_enable_x64", True) to keep them'
# What capture itself answers, by the name that it knows it by.
_SPECIAL = {
    "transform": CURRIED,
    "staged": DIRECT,
    "transparent": "jax.jit jax.checkpoint jax.remat",
    "cond": "jax.lax.cond",
    "while_loop": "jax.lax.while_loop",
    "fori_loop": "jax.lax.fori_loop",
    "scan": "jax.lax.scan",
    "switch": "jax.lax.switch",
    "associative_scan": "jax.lax.associative_scan",
    "all_leaves": "jax.tree.all jax.tree_util.tree_all",
    "tree": TREES,
    "each_leaf": "jax.lax.stop_gradient jax.device_put",
    "null_context": "jax.named_scope",
    "shape": "jax.numpy.shape",
    "issubdtype": "jax.numpy.issubdtype jax.dtypes.issubdtype",
}


class JaxBackend(Backend):
    """JAX: functions of immutable arrays."""

    name = "jax"
    packages = ("jax", _COMPILED)
    views = False
    promotion = "jax"
    tensor_types = (jax.Array,)
    public = holding.PUBLIC
    takes = ("numpy",)
    raises: Mapping[str, tuple[type[Exception], ...]] = {
        "shape": (TypeError, ValueError),
        "axis": (ValueError,),
        "position": (),
        "element": (),
        "one": (TypeError, ValueError),
    }
    untraced = staticmethod(jax.ensure_compile_time_eval)
    not_entered = NOT_ENTERED

    def __init__(self) -> None:
        functions = {
            name: fn
            for module in (
                helpers,
                special,
                bessel,
                decompositions,
                helpers_arrange,
                helpers_number,
                helpers_pooling,
                helpers_recurrent,
                helpers_alignment,
            )
            for name, fn in vars(module).items()
            if inspect.isfunction(fn)
        }
        names = {"jax": jax, "jnp": jnp, "lax": jax.lax, "np": np}
        super().__init__(ROWS, {**names, **functions, **axis_patterns.NAMES}, names)
        for meaning, paths in _SPECIAL.items():
            for path in paths.split():
                self._add_special(path, meaning)
        self.written = WRITTEN
        self.special |= dict.fromkeys(WRITTEN, "written")
        for several, fn in (*LIFTS.items(), *LAX.items()):
            for path in several.split():
                self.add_lift(path, fn, names)
        self.functions[selected] = Lift("the derivative of pooling", selected)
        self.printed["print_to"] = functions["print_to"], Lift("print_to", print_to)
        for target, lift in self.functions.items():
            lift.fn = taken.refusing(lift.fn, lift.name, target)
        for path, fn in REFUSED.items():
            self.add_lift(path, fn, names)
        self.known = Functions(self.functions)

    def rules(self) -> str:
        """JAX's in its mode: default dtypes are others with 64-bit types."""
        return rules()

    def higher_order(self, fn: Any) -> str | None:
        """A test or loop that GFX printed for dtypes and shapes that were open; what jax.grad and its like made."""
        if isinstance(fn, OWN_RULE):
            return "custom_rule"
        if transformed(fn):
            return "staged"
        if not isinstance(fn, FunctionType):
            return None
        if transparent(fn):
            return "wrapped"
        meaning, printed = _PRINTED.get(fn.__name__, (None, None))
        return meaning if printed is not None and same_code(printed.__code__, fn.__code__) else None

    def transformation(self, fn: Any, args: tuple, kwargs: dict) -> tuple[str, dict[str, Any], bool] | None:
        """What jax.grad, jax.vmap and their like made, and jax.jvp and its like, as torch.func has them."""
        return transformation(fn, args, kwargs)

    def _add_special(self, path: str, meaning: str) -> None:
        target: Any = jax
        for part in path.split(".")[1:]:
            target = getattr(target, part, None)
        if target is not None:
            self.special[target] = meaning

    def array_class(self) -> type:
        """The concrete class behind jax.Array."""
        return type(jnp.zeros(()))

    # ------------------------------------------------------------------ tensors
    def dtype_of(self, x: Any) -> DType:
        """Element type of an array, or of a dtype object. Raises BackendError for keys of random numbers."""
        found = self.as_dtype(getattr(x, "dtype", x))
        if found is None:
            raise BackendError(
                f"GFX has no dtype for a JAX array of {getattr(x, 'dtype', x)}",
                hint="give the capture a key as plain numbers, jax.random.PRNGKey(0)",
            )
        return found

    def is_key(self, x: Any) -> bool:
        """Whether it is what `jax.random.key` gives."""
        return jnp.issubdtype(x.dtype, jax.dtypes.prng_key) and not x.shape

    def words_of(self, x: Any) -> tuple:
        """The two words of a key. Raises BackendError where keys are made of others."""
        if x.dtype != jax.random.key(0).dtype:
            raise BackendError(
                f"GFX has no keys of random numbers of {x.dtype}", hint="use those of jax.random.key(seed)"
            )
        return tuple(np.asarray(jax.random.key_data(x)).tolist())

    def shows_traced(self, text: str) -> bool:
        """The text of a traced array names the class of its tracer."""
        return "Tracer(" in text

    def draws_from(self, x: Any) -> bool:
        """A key, as `jax.random.key` or `jax.random.PRNGKey` gives it."""
        return isinstance(x, jax.Array) and (self.is_key(x) or (x.shape == (2,) and x.dtype == jnp.uint32))

    def as_dtype(self, x: Any) -> DType | None:
        """The DType of `jnp.float32`, `np.dtype("float32")`, `np.float32`, "float32" or a Python type; else None."""
        return as_dtype(x.dtype if isinstance(x, _SCALAR_CLASS) else x, _of_python)

    def native_dtype(self, dtype: DType) -> Any:
        """`jnp.float32` and its like. Nothing is made narrower: JAX itself says what it does with 64-bit types."""
        return jnp.dtype(dtype.numpy)

    def share(self, x: Any, y: Any) -> bool:
        """Whether two are one array: nothing writes to a part of one."""
        return x is y

    def beside(self, x: Any) -> Any:
        """A fraction of 32 bits, unless JAX is set to have 64."""
        return x.astype(jax.dtypes.canonicalize_dtype(x.dtype)) if x.dtype.kind in "fc" else x

    def held_as(self, dtype: DType) -> DType:
        """The dtype that JAX makes of this one: it may be set to have no 64 bits."""
        found = self.as_dtype(jax.dtypes.canonicalize_dtype(dtype.numpy))
        return dtype if found is None else found

    def jitted(self, fn: Callable[..., Any], program: Program, takes_params: bool) -> Jitted:
        """The function under jax.jit."""
        return Jitted(fn, program, takes_params)

    def device(self, which: Any = "") -> JaxDevice:
        """The first device, or that of a number or jax.Device."""
        return JaxDevice(self, which)

    def to_host(self, x: Any) -> np.ndarray:
        """The array's data as NumPy."""
        return np.asarray(x)

    def from_host(self, x: Any) -> Any:
        """NumPy data as a JAX array. Where JAX is not set to 64-bit types, 64-bit data become narrower: whole numbers that do not
        fit raise BackendError, and of floats that lose digits a warning tells."""
        made = jnp.asarray(x)
        if made.dtype.itemsize < getattr(x, "dtype", made.dtype).itemsize:
            _narrowed(x, made)
        return made

    # ------------------------------------------------------------------ JAX's own tracer
    def trained(self, x: Any) -> bool | None:
        """Unknown: an array is trained where somebody asks for its gradient."""
        return None

    def flatten(self, tree: Any) -> tuple[list[Any], Callable[[Sequence[Any]], Any]]:
        """The leaves of a tree of containers that JAX knows, and how it is made of new leaves."""
        found, structure = jax.tree.flatten(tree)
        return found, lambda new: jax.tree.unflatten(structure, new)

    def gives_copies(self, fn: Any) -> bool:
        """What jax.jit makes, itself, and jax.checkpoint: they take arguments apart, and put together others of what they trace."""
        return isinstance(fn, jax.stages.Wrapped) or any(fn is made for made in (jax.jit, jax.checkpoint, jax.remat))

    def apart(self, tree: Any) -> Any:
        """The tree with each array at one place alone: JAX derives by each leaf, also where one array stands at two of them.
        A variable of a library that stands at two places is one."""
        try:
            found, structure = jax.tree.flatten(tree, is_leaf=is_variable)
        except (TypeError, ValueError):  # keys that cannot be sorted
            return tree
        met, new = set[int](), dict[int, Any]()
        apart = [new[id(x)] if id(x) in new and not self.is_tensor(x) else self._anew(x, met, new) for x in found]
        return tree if all(x is y for x, y in zip(apart, found)) else jax.tree.unflatten(structure, apart)

    def _anew(self, x: Any, met: set[int], new: dict[int, Any]) -> Any:
        """A leaf or variable, of a copy where an array that it holds was met before."""
        held = [id(y) for y in jax.tree.leaves(x) if self.is_tensor(y) and not self.is_key(y)]
        new[id(x)] = x if met.isdisjoint(held) else jax.tree.map(jnp.copy, x)
        met.update(held)
        return new[id(x)]

    def is_structure(self, x: Any) -> bool:
        """What jax.tree.structure gives."""
        return isinstance(x, jax.tree_util.PyTreeDef)

    def shape_of_tree(self, tree: Any) -> Any:
        """Its structure, which knows what an object holds beside arrays."""
        return jax.tree.structure(tree)

    def parts_of(self, x: Any) -> dict[str, Any] | None:
        """The attributes of an object of a registered class, where the leaves that JAX knows are among them."""
        try:
            known, held = jax.tree.leaves(x), dict(vars(x))
            inner = set(map(id, jax.tree.leaves(held)))
        except (TypeError, ValueError, AttributeError):
            return None
        return held if id(x) not in map(id, known) and inner.issuperset(map(id, known)) else None

    def contents_of(self, x: Any) -> list[tuple[tuple, Any]] | None:
        """What a library's own class of mappings holds, or a variable: what else such an object has is the library's."""
        if not is_variable(x) and not (isinstance(x, Mapping) and made_by_library(type(x))):
            return None
        try:
            found = leaves_of(x)
        except (TypeError, ValueError):
            return None
        return None if any(leaf is x for _, leaf in found) else found or None

    def statistics_of(self, tree: Any) -> list[Any]:
        """The arrays of a library's variables that are of no class of those that are trained."""
        try:
            return statistics_of(tree)
        except (TypeError, ValueError):  # keys that cannot be sorted
            return []

    def paths(self, tree: Any) -> list[tuple[tuple, Any]]:
        """(path, leaf) pairs of a tree of containers that JAX knows, classes that are registered with it among them."""
        try:
            return leaves_of(tree)
        except (TypeError, ValueError):  # keys that cannot be sorted
            return super().paths(tree)

    def type_of(self, x: Any) -> LogicalTensor:
        """The type of an array, or of what stands for one while JAX traces; a key has no dtype."""
        if self.is_key(x):
            return LogicalTensor(None, ())
        dims = tuple(map(symbolic.dim_of, x.shape))
        return LogicalTensor(self.dtype_of(x), dims, weak=bool(getattr(x, "weak_type", False)))

    def stage(self, fn: Callable[..., Any], types: Sequence[LogicalTensor], kept: Stagings) -> Replayed:
        """The jaxpr of fn, as what makes its calls again."""
        return staging.stage(fn, types, self.known, kept)

    def asks_for_data(self, error: Exception) -> bool:
        """Whether code asked a tracer of JAX's for a number."""
        return isinstance(error, staging.NEEDS_VALUES)

    def holds(self, fn: Any) -> bool:
        """Whether it neither reads nor writes files."""
        return holding.holds(fn)

    def probe(self, call: Callable[[Any], Any], types: Any, data: int) -> Any:
        """What `call` gives by jax.eval_shape, or for that number."""
        return holding.probe(call, types, self.native_dtype, data)


def _narrowed(x: Any, made: Any) -> None:
    """Report what 64-bit data lose as narrower ones."""
    if np.array_equal(np.asarray(made), x, equal_nan=x.dtype.kind in "fc"):
        return
    what = f"JAX is not set to 64-bit types, so {x.dtype} data become {made.dtype}"
    if x.dtype.kind in "iu":
        raise BackendError(f"{what}, which does not hold all of them", hint=_X64)
    warnings.warn(f"{what} and lose digits; {_X64}", stacklevel=3)


def _of_python(cls: type) -> DType | None:
    return default(_PYTHON[cls], rules())
