"""Functions that take functions, and other calls that only capture can answer. Backends name them in `Backend.special`."""

from __future__ import annotations

import contextlib
import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Backend
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.probing import is_module, own_attribute
from gfx_ir.several_keys import Keys
from gfx_ir.source import Span
from gfx_ir.trees import leaves

from ..frameworks import alarms, grad_managers
from ..frameworks.function_transforms import associative_scan, function_transform, printed_vmap
from ..frameworks.gradients import autograd_function, custom_rule
from ..frameworks.pytrees import flatten, owner_of
from ..frameworks.staging import staged, transform
from ..frameworks.structured import as_array, choice, fori_loop, scan, truths_as_arrays, while_loop
from ..frameworks.tape import tape_gradient
from ..interfaces import Capturing
from ..python.classes import is_instance
from ..python.draws import generator_of_seed
from ..python.faults import not_given
from ..python.rows import in_places
from ..values.called import called_name
from ..values.proxy import HostProxy, Proxy, is_open, number_kinds
from . import shapes
from .conversion import convert
from .copying import Copying, taking_apart
from .functional_calls import functional_call
from .modules import moved, register, register_parameter, state_dict
from .native import innermost, run_as_it_is
from .numpy_arrays import as_numpy

Handler = Callable[[Capturing, Any, tuple, dict], Any]
_FUNCTIONS = frozenset(("f", "func", "function", "operation", "is_leaf"))
"""What frameworks call the arguments of functions of trees that are no trees."""


def _of_arrays(handler: Handler) -> Handler:
    """A function of functions, for which numbers of Python's are arrays: those functions may ask them what an array is asked. What it
    gives are arrays, where operators tell: whole numbers are Python's, of any width, and so places and sizes."""

    def handled(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
        backend = tracer.objects.makes_arrays = owner_of(tracer, f)
        result = handler(tracer, f, args, kwargs)
        found, rebuild = flatten(backend, result)
        made = [leaf if "int" in number_kinds(leaf) else as_array(tracer, leaf) for leaf in found]
        return result if all(map(operator.is_, found, made)) else rebuild(made)

    return handled


def _cond(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """lax.cond(pred, true_fun, false_fun, *operands), torch.cond(pred, true_fn, false_fn, operands); lax.cond takes an operand for each
    function, too: lax.cond(pred, true_operand, true_fun, false_operand, false_fun)."""
    if len(args) == 5 and callable(args[2]) and callable(args[4]):
        pred, first, then, second, otherwise = args
        given = tuple(truths_as_arrays(tracer, owner_of(tracer, f), (one,)) for one in (first, second))
    else:
        named = inspect.signature(f).bind(*args, **kwargs).arguments
        pred, then, otherwise = list(named.values())[:3]
        given = (_operands(tracer, f, named),) * 2
    taken = lambda side, operands: lambda: tracer.calls.call(side, operands, {})
    return choice(tracer, owner_of(tracer, f), pred, taken(then, given[0]), taken(otherwise, given[1]))


def _operands(tracer: Capturing, f: Any, named: dict[str, Any]) -> tuple:
    """What the functions of a choice are called with; JAX takes a single one, None among them, by its name."""
    operands = (named["operand"],) if "operand" in named else tuple(named.get("operands", ()))
    return tuple(truths_as_arrays(tracer, owner_of(tracer, f), operands))


def _while(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """lax.while_loop(cond_fun, body_fun, init_val)."""
    named = dict(zip(("cond_fun", "body_fun", "init_val"), args)) | kwargs
    return while_loop(tracer, owner_of(tracer, f), named["cond_fun"], named["body_fun"], named["init_val"])


def _fori(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """lax.fori_loop(lower, upper, body_fun, init_val)."""
    kwargs.pop("unroll", None)
    named = dict(zip(("lower", "upper", "body_fun", "init_val"), args)) | kwargs
    return fori_loop(tracer, owner_of(tracer, f), named["lower"], named["upper"], named["body_fun"], named["init_val"])


def _scan(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """lax.scan(f, init, xs=None, length=None, reverse=False)."""
    named = dict(zip(("f", "init", "xs", "length", "reverse"), args)) | kwargs
    backend, back = owner_of(tracer, f), named.get("reverse", False)

    def flipped(rows: Any) -> Any:
        return rows[::-1] if type(rows) is Keys else tracer.wrap(ops.flip(tracer.unwrap(rows), 0), tracer.backend)

    def turned(tree: Any) -> Any:
        found, rebuild = flatten(backend, tree)
        return rebuild([flipped(rows) for rows in found]) if back else tree

    carry, ys = scan(tracer, backend, named["f"], named["init"], turned(named.get("xs")), named.get("length"))
    return carry, turned(ys)


def _switch(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """lax.switch(index, branches, *operands): an index beyond an end takes the branch at that end."""
    named = inspect.signature(f).bind(*args, **kwargs).arguments
    index, (*others, last), operands = named["index"], named["branches"], _operands(tracer, f, named)

    def choose(at: int) -> Any:
        if at == len(others):
            return tracer.calls.call(last, operands, {})
        chosen = tracer.calls.call(operator.le, (index, at), {})
        return choice(
            tracer,
            owner_of(tracer, f),
            chosen,
            lambda: tracer.calls.call(others[at], operands, {}),
            lambda: choose(at + 1),
        )

    return choose(0)


def _transparent(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """A decorator that changes nothing of what the function computes (jit, checkpoint)."""
    backend = taking_apart(tracer, f)
    made = lambda function: function if backend is None else Copying(function, backend)
    return made(args[0]) if args else made


def _through(attribute: str) -> Handler:
    """A function that computes what the one does that it holds under a name."""
    return lambda tracer, f, args, kwargs: tracer.calls.call(getattr(f, attribute), args, kwargs)


def _written(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """A function in whose place one is entered that a backend has written in Python."""
    instead = owner_of(tracer, f).written[f]
    return tracer.calls.enter(convert(instead, tracer), instead, args, kwargs)


def _always(answer: Any) -> Handler:
    """A function that computes nothing."""
    return lambda tracer, f, args, kwargs: answer


def _checkpoint(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.utils.checkpoint.checkpoint(function, *args): what the function computes, which is computed again for the gradients."""
    given = inspect.signature(f).bind(*args, **kwargs).arguments
    if "context_fn" in given:
        raise tracer.error("GFX cannot convert a checkpoint with managers of its own", "leave context_fn out")
    named = {name: x for name, x in given.get("kwargs", {}).items() if name != "preserve_rng_state"}
    return tracer.calls.call(given["function"], given.get("args", ()), named)


def _checkpoint_sequential(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.utils.checkpoint.checkpoint_sequential(functions, segments, input): one function behind the other."""
    given = inspect.signature(f).bind(*args, **kwargs).arguments
    functions, x = given["functions"], given["input"]
    for function in functions.children() if is_module(functions) else functions:
        x = tracer.calls.call(function, (x,), {})
    return x


def _autocast(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.autocast(device_type, enabled=…), or a function that it decorates: switched off it changes nothing."""
    made = f if isinstance(f, type) else None
    setting = made(*args, **kwargs) if made is not None else f.__closure__[0].cell_contents
    if not setting._enabled:
        return contextlib.nullcontext() if made is not None else tracer.calls.call(f.__wrapped__, args, kwargs)
    code = None if made is not None else own_attribute(f.__wrapped__, "__code__")
    decorator = None if code is None else Span(code.co_filename, code.co_firstlineno, code.co_name)
    raise UnsupportedConstruct(
        "GFX cannot convert torch.autocast: it changes the dtypes of what is computed in it",
        decorator or tracer.place(),
        "cast with .to(dtype) where that is wanted, or switch it off with enabled=False",
    )


def _tape(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """loss.backward(): gradients of what was computed before, which it adds to attributes of the tensors."""
    raise tracer.error(
        f"GFX cannot convert {called_name(f)}: it adds to the .grad of tensors that its graph does not name",
        "call torch.autograd.grad(loss, tensors), which gives the gradients, or capture the loss alone",
    )


def _derivation(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.autograd.functional.jacobian(function, inputs) and its kin."""
    raise tracer.error(
        f"GFX cannot convert {called_name(f)}", "use torch.func.jacrev, jacfwd, hessian, vjp or jvp, which do the same"
    )


def _settled(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """settled(body, init, *rows), what a loop starts from, and as_carried(before, new), what a trip leaves: the capture of the loop settles both."""
    return args[1]


def _raise_unless(error: type[Exception], tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> None:
    """f(test, message=None), or f(error, test, message), which raises where the test is false; `message` may be a function that makes it."""
    given = inspect.signature(f).bind(*args, **kwargs).arguments
    test, message = given.get("condition", given.get("cond")), given.get("message")
    made = (
        (lambda: tracer.calls.call(message, (), {})) if callable(message) and not is_open(message) else lambda: message
    )
    tracer.raising.check(test, None if message is None else made, given.get("error_type", error))


def _raise_unless_all(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> None:
    """f([error,] tests, message=None), which raises where an element is false."""
    given = inspect.signature(f).bind(*args, **kwargs).arguments
    tests = given["cond"]
    if isinstance(tests, Proxy):
        given["cond"] = tracer.wrap(ops.all(tests.value), tests.backend)
    _raise_unless(RuntimeError, tracer, f, (), dict(given))


def _is_tensor(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    owner = next(known for known in tracer.arrays.frameworks() if f in known.special)
    return is_instance(tracer, isinstance, (args[0], owner.array_class()), {})


def _is_refined(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.jit.isinstance: of a class as isinstance is, and of a List[...] and its like where nothing captured is within."""
    if isinstance(args[1], type):
        return is_instance(tracer, isinstance, args, kwargs)
    if any(map(is_open, leaves(args[0]))):
        what = f"this call of {called_name(f)}: what stands in a container is not known yet"
        raise tracer.error(f"GFX cannot convert {what}", "ask isinstance of the container, or of its items")
    return f(*args)


def _tree(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """A function that takes trees apart or puts them together (jax.tree.map): it runs, and what it calls is entered."""
    bound = inspect.signature(f).bind(*args, **kwargs)
    for name, given in bound.arguments.items():
        if name in _FUNCTIONS and callable(given):
            bound.arguments[name] = functools.partial(_entered, tracer, given)
        else:
            bound.arguments[name] = _with_parameters(tracer, owner_of(tracer, f), in_places(given))
    return run_as_it_is(tracer, _apart(tracer, f), bound.args, bound.kwargs)


def _with_parameters(tracer: Capturing, backend: Backend, tree: Any) -> Any:
    """The tree with parameters that it holds as those of the graph."""
    if not tracer.tensor_paths or is_open(tree):
        return tree
    found, rebuild = backend.flatten(tree)
    if not any(id(leaf) in tracer.tensor_paths for leaf in found):
        return tree
    return rebuild(list(map(tracer.arrays.in_graph, found)))


def _apart(tracer: Capturing, f: Callable[..., Any]) -> Callable[..., Any]:
    """f, which takes trees apart. Where two do not fit together, arguments that were not given may be why: one stands for one leaf."""

    @functools.wraps(f)
    def apart(*args: Any, **kwargs: Any) -> Any:
        try:
            return f(*args, **kwargs)
        except (TypeError, ValueError) as error:
            if innermost(error.__traceback__).partition(".")[0] not in owner_of(tracer, f).packages:
                raise
            left_out = [place.name for place in tracer.outermost.placeholders if not_given(place)]
            hint = f"give the capture the trees ({', '.join(f'{name}=...' for name in left_out)})" if left_out else ""
            why = ", and an argument that was not given stands for one tensor" if left_out else ""
            what = f"trees do not fit together ({str(error).partition(chr(10))[0]}){why}"
            raise tracer.error(f"GFX cannot convert this call of {called_name(f)}: {what}", hint) from None

    return apart


def _entered(tracer: Capturing, f: Callable[..., Any], *args: Any) -> Any:
    return tracer.calls.call(f, args, {})


def _all_leaves(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """jax.tree.all(tree)."""
    given = inspect.signature(f).bind(*args, **kwargs).arguments
    if given.get("is_leaf") is not None:
        raise tracer.error(
            "GFX cannot convert jax.tree.all with is_leaf=", "call all(jax.tree.leaves(tree, is_leaf=...))"
        )
    return tracer.calls.call(all, (flatten(owner_of(tracer, f), given["tree"])[0],), {})


def _each_leaf(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """A function of the leaves of its first argument, a tree (jax.lax.stop_gradient)."""
    backend = owner_of(tracer, f)
    (name, *_), given = inspect.signature(f).parameters, dict(kwargs)
    tree, rest = (args[0], args[1:]) if args else (given.pop(name), ())
    found, rebuild = flatten(backend, tree)
    return rebuild([tracer.apply(backend.functions[f], (leaf, *rest), given, backend, f) for leaf in found])


def _issubdtype(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """np.issubdtype(x.dtype, np.floating): open where the dtype is."""
    element, kind = args
    if not isinstance(element, HostProxy):
        return f(element, kind)
    if getattr(kind, "__name__", "") not in ("floating", "inexact"):
        raise tracer.error("GFX asks an open dtype only whether it is floating", "give the argument's dtype at capture")
    return tracer.wrap(ops.is_floating(element.value.node.args[0]))


_RAISED: tuple[type[Exception], ...] = (
    AssertionError, RuntimeError, IndexError, ValueError, TypeError, NotImplementedError,
)  # fmt: skip
SPECIAL: dict[str, Handler] = {
    "cond": _of_arrays(_cond), "while_loop": _of_arrays(_while), "fori_loop": _of_arrays(_fori), "scan": _of_arrays(_scan),
    "switch": _of_arrays(_switch), "associative_scan": _of_arrays(associative_scan),
    "transparent": _transparent, "wrapped": _through("__wrapped__"), "scripted": _through("_torchdynamo_inline"),
    "checkpoint": _checkpoint, "checkpoint_sequential": _checkpoint_sequential, "autocast": _autocast,
    "tape": _tape, "tape_gradient": tape_gradient, "function_transform": function_transform, "derivation": _derivation,
    "functional_call": functional_call, "register": register, "moved": moved, "state_dict": state_dict, "as_numpy": as_numpy,
    "register_parameter": register_parameter, "vmap": printed_vmap,
    "null_context": _always(contextlib.nullcontext()), "true": _always(True),
    "false": _always(False), "is_tensor": _is_tensor, "is_refined": _is_refined,
    "size": shapes.size, "of_sizes": shapes.of_sizes, "tree": _tree, "all_leaves": _all_leaves, "each_leaf": _each_leaf,
    "mark": _always(None),  # what a compiler is told of a tensor's sizes or address
    "shape": shapes.shape, "issubdtype": _issubdtype, "settled": _settled, "default_rng": generator_of_seed,
    "setting": alarms.setting, "written": _written,
    **{f"raise {error.__name__}": functools.partial(_raise_unless, error) for error in _RAISED},
    "raise given": functools.partial(_raise_unless, RuntimeError), "raise each": _raise_unless_all,
    "autograd_function": autograd_function, "custom_rule": custom_rule, "staged": staged, "transform": transform,
    **grad_managers.HANDLERS,
}  # fmt: skip
