"""Function transformations (torch.func, torch.vmap, lax.associative_scan): the function becomes a region of a node."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Backend
from gfx_ir.control import data_op
from gfx_ir.graph import Node, Value
from gfx_ir.host import Dim
from gfx_ir.infer.elements import declared
from gfx_ir.op import lookup
from gfx_ir.passes.chosen import choose
from gfx_ir.probing import stated_name
from gfx_ir.types import item_type, slice_type

from ..interfaces import Capturing
from ..values.proxy import Proxy, is_open
from .pytrees import flatten, owner_of
from .structured import scan

Function = Callable[..., Any]


def function_transform(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """A function that makes functions of functions, or calls what it makes at once."""
    bound = inspect.signature(f).bind(*args, **kwargs)
    bound.apply_defaults()
    backend = next(b for b in tracer.arrays.frameworks() if f in b.special)
    return _MAKERS[f.__name__](_Transforming(tracer, backend, bound.arguments))


def transformed(tracer: Capturing, backend: Backend, name: str, options: dict[str, Any]) -> Any:
    """What a function of torch.func, by its name, makes with these arguments."""
    return _MAKERS[name](_Transforming(tracer, backend, options))


def associative_scan(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """lax.associative_scan(fn, elems, reverse=False, axis=0), and the helper that stands for it in other source."""
    bound = inspect.signature(f).bind(*args, **kwargs)
    bound.apply_defaults()
    backend = owner_of(tracer, f)
    return _Transforming(tracer, backend, {**bound.arguments, "func": bound.arguments["fn"]}).scan()


def printed_vmap(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """vmap(fn), the helper that stands for it in other source."""
    (fn,) = inspect.signature(f).bind(*args, **kwargs).args
    return transformed(tracer, owner_of(tracer, f), "vmap", {"func": fn, "in_dims": 0, "out_dims": 0})


class _Transforming:
    """One call of a transformation: `options` are its arguments, the function among them."""

    def __init__(self, tracer: Capturing, backend: Backend, options: dict[str, Any]) -> None:
        self.tracer, self.backend, self.options = tracer, backend, options
        self.function: Function = options["func"]
        self.aux = bool(options.get("has_aux"))
        self.name: str = stated_name(self.function, type(self.function).__name__)
        self.taken = _parameters(self.function)
        self.rebuild_result: Callable[[Sequence[Any]], Any] = lambda found: found

    # ------------------------------------------------------------------ what is made
    def grad(self, give: Callable[[Any, Any], Any] | None = None) -> Function:
        """torch.func.grad, and its like with the function's result; `give`: what they make of the derivative and that."""

        def derived(*args: Any, **kwargs: Any) -> Any:
            found, result = self._gradients(lambda *own: self._call(own, kwargs), args, self._by(args), self.aux)
            found = self._as_named(found)
            if give is not None:
                return give(found, result)
            return (found, result[1]) if self.aux else found

        return self._named(derived, "grad")

    def jacobian(self, kind: str) -> Function:
        """torch.func.jacrev, jacfwd."""

        def derived(*args: Any, **kwargs: Any) -> Any:
            main = lambda *own: self._main(self._call(own, kwargs))
            found = self._as_named(self._jacobian(kind, main, args, self._by(args)))
            return (found, self._call(args, kwargs)[1]) if self.aux else found

        return self._named(derived, kind)

    def vjp(self) -> Any:
        """torch.func.vjp: what the function gives, and what takes gradients of that back."""
        primals = self.options["primals"]
        out = self._call(primals, {})

        def pulled(cotangents: Any) -> Any:
            weights = self.backend.flatten(cotangents)[0]

            def weighted(*own: Any) -> Any:
                found = self._call(own, {})
                parts = self.backend.flatten(found[0] if self.aux else found)[0]
                total = None
                for part, weight in zip(parts, weights):
                    term = ops.sum(ops.multiply(self._value(part), self._value(weight)))
                    total = term if total is None else ops.add(total, term)
                return Proxy(total, self.backend)

            return self._gradients(weighted, primals, range(len(primals)))[0]

        return (out[0], pulled, out[1]) if self.aux else (out, pulled)

    def jvp(self) -> Any:
        """torch.func.jvp: what the function gives, and the tangents of that."""
        primals = tuple(self.options["primals"])
        out, moved = self._call(primals, {}), self._pushed(primals, self.options["tangents"])
        return (out[0], moved, out[1]) if self.aux else (out, moved)

    def linearize(self) -> Any:
        """jax.linearize: what the function gives, and what makes tangents of that of tangents of the arguments."""
        primals = tuple(self.options["primals"])
        out, pushed = self._call(primals, {}), lambda *tangents: self._pushed(primals, tangents)
        return (out[0], pushed, out[1]) if self.aux else (out, pushed)

    def map(self) -> Any:
        """jax.lax.map: the function of each item along the first axis, in turn."""
        each = lambda carry, x: (carry, self._call((x,), {}))
        _, found = scan(self.tracer, self.backend, each, None, self.options["xs"], None)
        return found

    def vmap(self) -> Function:
        """torch.vmap: the function of each item along an axis of its arguments."""

        def mapped(*args: Any, **kwargs: Any) -> Any:
            in_dims = self.options["in_dims"]
            in_dims = (in_dims,) * len(args) if isinstance(in_dims, int) else tuple(in_dims)
            flat, rebuild = self.backend.flatten((args, kwargs))
            axes = [*(axis for x, dim in zip(args, in_dims) for axis in self._axes(x, dim))]
            axes += [0] * (len(flat) - len(axes))
            batched = [at for at, axis in enumerate(axes) if axis is not None]
            rows = [self._moved(flat[at], axes[at], 0) for at in batched]

            def each(own: Sequence[Any]) -> Any:
                filled = list(flat)
                for at, x in zip(batched, own):
                    filled[at] = x
                inner, named = rebuild(filled)
                return self._call(inner, named)

            side, count = self._region(each, rows, item_type, batched if len(flat) == len(args) else ())
            if (decided := choose(side.graph, self.tracer.functions.graphs)) is not None:
                what = f"GFX cannot batch {self.name!r} by vmap: data of one item decide what {data_op(decided)!r} runs in it"
                hint = "choose by torch.where or jnp.where; in JAX code, give the capture example arguments"
                raise self.tracer.error(what, hint)
            found = transform_node(self.tracer, side, "vmap", [self._value(x) for x in rows], count=count)
            return self._out([Proxy(value, self.backend) for value in found])

        return self._named(mapped, "vmap")

    def scan(self) -> Any:
        """lax.associative_scan: elements combined in turn, which `reverse` takes from the end."""
        given, rebuild = flatten(self.backend, self.options["elems"])
        axis = self._axis(self._value(given[0]), self.options["axis"])
        own = [self._turned(self._value(x), axis) for x in given]
        part = Dim(f"part_{len(self.tracer.stack)}")

        def each(slices: Sequence[Any]) -> Any:
            return self._call((rebuild(slices[: len(own)]), rebuild(slices[len(own) :])), {})

        side, count = self._region(each, own * 2, lambda type_: slice_type(type_, axis, part))
        if count != len(own):
            raise self._refused(f"{count} results for {len(own)} arrays of elements")
        values = [x.value for x in own]
        found = transform_node(self.tracer, side, "associative_scan", values, (axis,), count=count)
        return rebuild([self._turned(value, axis) for value in found])

    def _turned(self, x: Value, axis: int) -> Proxy:
        """A tensor, where the scan goes from the end with its elements in the other order."""
        return Proxy(ops.flip(x, axis) if self.options.get("reverse") else x, self.backend)

    # ------------------------------------------------------------------ parts
    def _pushed(self, primals: tuple, tangents: Any) -> Any:
        """The tangents of what the function gives."""
        flat, rebuild = self.backend.flatten(primals)
        given = [self._value(x) for x in self.backend.flatten(tangents)[0]]
        side, count = self._region(
            lambda own: self._main(self._call(rebuild(own), {})), flat, lambda type_: type_, range(len(primals))
        )
        found = transform_node(self.tracer, side, "jvp", [self._value(x) for x in flat], given, count=count)
        return self.rebuild_result([Proxy(value, self.backend) for value in found])

    def _axis(self, x: Value, axis: int) -> int:
        """An axis of a tensor, counted from the first one."""
        rank = x.type.rank if x.type is not None else None
        if rank is None and axis < 0:
            raise self._refused("an axis counted from the last one of a tensor whose rank is not known")
        return axis if rank is None else range(rank)[axis]

    def _named(self, made: Function, kind: str) -> Function:
        made.__name__ = f"{self.name}_{kind}" if self.name.isidentifier() else kind
        return made

    def _call(self, args: Sequence[Any], kwargs: dict) -> Any:
        return self.tracer.calls.call(self.function, tuple(args), kwargs)

    def _main(self, result: Any) -> Any:
        return result[0] if self.aux else result

    def _by(self, args: tuple) -> list[int]:
        """The places of the arguments that `argnums` names."""
        argnums = self.options["argnums"]
        return [at % len(args) for at in (argnums if isinstance(argnums, tuple) else (argnums,))]

    def _as_named(self, found: tuple) -> Any:
        """The derivatives as `argnums` names the arguments: one, or a tuple."""
        return found if isinstance(self.options["argnums"], tuple) else found[0]

    def _gradients(
        self, function: Function, args: Sequence[Any], places: Sequence[int], aux: bool = False
    ) -> tuple[tuple[Any, ...], Any]:
        """The gradient of a function for each of these arguments, and what it gives; `aux`: whether that is a pair, of what is
        derived and what stands beside it."""
        flat, rebuild, of_leaves = self._of_leaves(function, args, places)
        given: Callable[[Sequence[Any]], Any] = tuple

        def tensors(own: Sequence[Any]) -> list[Any]:
            nonlocal given
            result = of_leaves(own)
            if len(self.backend.flatten(result[0] if aux else result)[0]) != 1:
                raise self._refused("a function of several results, or of none")
            leaves, whole = self.backend.flatten(result)
            known = self._not_made(leaves, own, flat)
            made = [i for i in range(len(leaves)) if i == 0 or i not in known]
            given = lambda new: whole([x for _, x in sorted({**known, **dict(zip(made, new))}.items())])
            return [leaves[i] for i in made]

        values = [self._value(x) for x in flat]
        side, _ = self._region(tensors, flat, lambda type_: type_, places)
        found = transform_node(self.tracer, side, "grad", values)
        own = [Proxy(self._conjugated(value), self.backend) for value in found[: len(flat)]]
        return tuple(rebuild(own)), given([Proxy(value, self.backend) for value in found[len(flat) :]])

    def _conjugated(self, gradient: Value) -> Value:
        """A gradient as the framework has it, by complex numbers."""
        dtype, style = declared(gradient), self.backend.style
        is_complex = dtype is not None and dtype.kind == "c"
        return ops.conj(gradient) if is_complex and style is not None and style.conjugates else gradient

    def _not_made(self, leaves: Sequence[Any], own: Sequence[Any], given: Sequence[Any]) -> dict[int, Any]:
        """Of what a function gives beside its result what it does not compute, by its place: its own arguments, which stand for
        what is `given`, values from outside, and what is no tensor."""
        graph, outside, found = own[0].value.graph, {x.value: outer for x, outer in zip(own, given)}, dict[int, Any]()
        for i, x in enumerate(leaves):
            value = x.read() if type(x) is Proxy else None
            if type(value) is Value and (value in outside or value.graph is not graph):
                found[i] = outside.get(value, x)
            elif not is_open(x) and not self.backend.is_tensor(x):
                found[i] = x
        return found

    def _jacobian(self, kind: str, function: Function, args: Sequence[Any], places: Sequence[int]) -> tuple[Any, ...]:
        """The derivative of a function by each of these arguments, which may be trees."""
        flat, rebuild, of_leaves = self._of_leaves(function, args, places)
        side, count = self._region(of_leaves, flat, lambda type_: type_, places)
        if count != 1:
            raise self._refused("a function of several results, or of none")
        found = transform_node(self.tracer, side, kind, [self._value(x) for x in flat])
        return tuple(rebuild([Proxy(value, self.backend) for value in found]))

    def _of_leaves(
        self, function: Function, args: Sequence[Any], places: Sequence[int]
    ) -> tuple[list[Any], Callable[[Sequence[Any]], Any], Callable[[Sequence[Any]], Any]]:
        """The leaves of some arguments of a function, what makes these arguments of them, and the function of the leaves."""
        flat, rebuild = self.backend.flatten([args[at] for at in places])

        def of_leaves(own: Sequence[Any]) -> Any:
            inner = list(args)
            for at, x in zip(places, rebuild(own)):
                inner[at] = x
            return function(*inner)

        return flat, rebuild, of_leaves

    def _region(
        self,
        run: Callable[[Sequence[Any]], Any],
        given: Sequence[Any],
        inner: Callable[[Any], Any],
        places: Sequence[int] = (),
    ) -> tuple[Any, int]:
        """A region that is the function of what is given, each of the type that `inner` makes of its own; how many results it has.
        `places`: at which of the function's arguments they stand, where each is one of these."""
        names = [self.taken[at] for at in places if at < len(self.taken)]
        with self.tracer.regions.opened(self.name if self.name.isidentifier() else "transformed") as side:
            own = []
            for at, x in enumerate(map(self._value, given)):
                type_ = inner(x.type) if x.type is not None else None
                name = names[at] if len(names) == len(given) else x.name or "x"
                own.append(Proxy(side.graph.add_placeholder(name, "tensor", type_), self.backend))
            places = [x.value for x in own]
            leaves, self.rebuild_result = self.backend.flatten(run(own))
            arrays = self.tracer.arrays
            found = [x if arrays.array_owner(x) is None else arrays.array_proxy(x) for x in leaves]
            if not found or not all(isinstance(x, Proxy) for x in found):
                raise self._refused("a function that gives what is no tensor")
            side.graph.result = tuple([self.tracer.local(x.read()) for x in found])
            if any(x.value is not place for x, place in zip(own, places)):
                raise self._refused("a function that writes to its argument in place")
        return side, len(found)

    def _value(self, x: Any) -> Value:
        proxy = x if is_open(x) else self.tracer.arrays.array_proxy(x)
        found = proxy.read() if type(proxy) is Proxy else None
        if type(found) is not Value:
            raise self._refused("an argument that is no tensor")
        return found

    def _refused(self, what: str) -> Exception:
        return self.tracer.error(
            f"GFX cannot convert this transformation of {self.name!r}: it has {what}", "pass tensors, and give tensors"
        )

    # ------------------------------------------------------------------ axes of a batch
    def _axes(self, x: Any, dim: Any) -> list[int | None]:
        """The axis of the batch for each leaf of an argument; None: it has none."""
        if dim is None or isinstance(dim, int):
            return [dim] * len(self.backend.flatten(x)[0])
        if isinstance(x, dict):
            return [axis for key in x for axis in self._axes(x[key], dim[key])]
        return [axis for item, inner in zip(x, dim) for axis in self._axes(item, inner)]

    def _moved(self, x: Any, source: Any, target: int) -> Any:
        return x if source == target else Proxy(ops.moveaxis(self._value(x), source, target), self.backend)

    def _out(self, found: Sequence[Any]) -> Any:
        """The results, the axis of the batch where `out_dims` has it."""
        dims = self.options["out_dims"]
        tree = self.rebuild_result(found)
        if isinstance(dims, tuple) and isinstance(tree, tuple) and all(isinstance(dim, int) for dim in dims):
            return tuple(self._moved(x, 0, dim) for x, dim in zip(tree, dims))
        if not isinstance(dims, int):
            raise self._refused("out_dims that are no axes")
        return self.rebuild_result([self._moved(x, 0, dims) for x in found])


def _parameters(function: Function) -> list[str]:
    """What a function calls its arguments by position, as far as it says."""
    try:
        found = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return []
    return [name for name, p in found.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _hessian(made: _Transforming) -> Function:
    """torch.func.hessian: jacfwd of jacrev."""
    made.function = _Transforming(made.tracer, made.backend, dict(made.options)).jacobian("jacrev")
    return made.jacobian("jacfwd")


_MAKERS: dict[str, Callable[[_Transforming], Any]] = {
    "grad": _Transforming.grad,
    "grad_and_value": lambda made: made.grad(lambda found, result: (found, result)),
    "value_and_grad": lambda made: made.grad(lambda found, result: (result, found)),  # JAX's order
    "jacrev": lambda made: made.jacobian("jacrev"),
    "jacfwd": lambda made: made.jacobian("jacfwd"),
    "hessian": _hessian,
    "vjp": _Transforming.vjp,
    "jvp": _Transforming.jvp,
    "linearize": _Transforming.linearize,
    "vmap": _Transforming.vmap,
    "map": _Transforming.map,
}
"""What each public function of torch.func makes, by its name; JAX has some of its own beside them."""


def transform_node(
    tracer: Capturing,
    side: Any,
    kind: str,
    inputs: Sequence[Value],
    given: Sequence[Value | int] = (),
    recorded: bool = True,
    count: int | None = None,
) -> list[Value]:
    """The values of a transformation (see the op `transform`) of a region that was left; where nothing is `recorded`, no gradient
    flows through them. `count`: how many there are; None: one for each input (of "grad" those, and the results of the region). Raises
    where the region writes what lives outside."""
    if side.written:
        raise tracer.error(
            f"GFX cannot convert this function transformation: the function changes {side.written[0][0].name!r}, "
            "which lives outside of it, or draws random numbers",
            "return what it computes, and pass what it draws as an argument",
        )
    operands = tracer.outer_operands([(side.graph, side.captures)])
    taken = tuple(tracer.local(value) for value in inputs)
    alike = (*inputs, *(side.graph.result if kind == "grad" else ()))
    kinds = tuple([getattr(x, "kind", "tensor") for x in alike]) if count is None else ("tensor",) * count
    args = (kind, taken, operands, tuple(tracer.local(x) if type(x) is Value else x for x in given))
    node = tracer.append(Node(lookup("transform"), args, kinds, tracer.span(), (side.graph,)))
    if kind in ("grad", "associative_scan"):
        for value, like in zip(node.values, alike):
            value.type = like.type if type(like) is Value else None
    if recorded and tracer.gradients.current(tracer).records:
        return list(node.values)
    return [ops.stop_gradient(value) for value in node.values]
