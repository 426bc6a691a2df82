"""Primitives that hold jaxprs: calls, control flow, functions with derivatives of their own."""

from __future__ import annotations

from collections.abc import Callable
from dis import get_instructions
from types import FunctionType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Literal
from jax.interpreters import ad

from gfx_ir.op import lookup

from .derivatives import own_derivative, ruled_primitive
from .folds import linear_solve, reduce
from .gradients import value_and_grad
from .replaying import Replaying
from .scans import associative_scan


def _called(replay: Replaying, eqn: Any) -> list[Any]:
    """A compiled call, or one whose steps are computed again in reverse mode: it computes what it holds."""
    held = eqn.params["jaxpr"] if "jaxpr" in eqn.params else eqn.params["call_jaxpr"]
    jaxpr, consts = (held.jaxpr, held.consts) if hasattr(held, "consts") else (held, ())
    return replay.inside(jaxpr, consts, eqn.invars, eqn.outvars)


def as_implemented(replay: Replaying, eqn: Any) -> list[Any] | None:
    """A primitive that a library adds: what its implementation computes, with the derivatives by its own rule. None where there is
    none in Python."""
    primitive, params = eqn.primitive, eqn.params
    if not isinstance(primitive.impl, FunctionType):
        return None

    def inside() -> list[Any]:
        closed = jax.make_jaxpr(lambda *args: primitive.impl(*args, **params))(*(var.aval for var in eqn.invars))
        return replay.inside(closed.jaxpr, closed.consts, eqn.invars, eqn.outvars)

    return ruled_primitive(replay, eqn, inside) if primitive in ad.primitive_jvps else inside()


def _while(replay: Replaying, eqn: Any) -> Any:
    """lax.while_loop; that of a batch goes on where its own test holds, until none does."""
    params, args = eqn.params, list(map(replay.value, eqn.invars))
    tested, stepped = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]

    def test(state: tuple) -> Any:
        return replay.run(params["cond_jaxpr"], [*args[:tested], *state])[0]

    def body(state: tuple) -> tuple:
        return tuple(replay.run(params["body_jaxpr"], [*args[tested:stepped], *state]))

    tested_shape = params["cond_jaxpr"].out_avals[0].shape
    if not tested_shape:
        return replay.call(lax.while_loop, test, body, tuple(args[stepped:]))

    def any_left(state: tuple) -> Any:
        return replay.call(jnp.any, test(state))

    def where_left(state: tuple) -> tuple:
        going, after = test(state), body(state)
        return tuple(
            _where(replay, going, len(tested_shape), new, old, var) for new, old, var in zip(after, state, eqn.outvars)
        )

    return replay.call(lax.while_loop, any_left, where_left, tuple(args[stepped:]))


def _where(replay: Replaying, going: Any, rank: int, new: Any, old: Any, var: Any) -> Any:
    more = var.aval.ndim - rank
    if more:
        going = replay.call(jnp.expand_dims, going, tuple(range(-more, 0)))
    return replay.call(jnp.where, going, new, old)


def _scan(replay: Replaying, eqn: Any) -> Any:
    params, args = eqn.params, list(map(replay.value, eqn.invars))
    consts, carried = params["num_consts"], params["num_carry"]
    rows = tuple(args[consts + carried :])

    def body(carry: tuple, row: tuple) -> tuple[tuple, tuple]:
        out = replay.run(params["jaxpr"], [*args[:consts], *carry, *(row or ())])
        return tuple(out[:carried]), tuple(out[carried:])

    init = tuple(args[consts : consts + carried])
    last, found = replay.call(lax.scan, body, init, rows or None, params["length"], params["reverse"])
    return (*last, *(found or ()))


def _cond(replay: Replaying, eqn: Any) -> Any:
    branches, operands = eqn.params["branches"], list(map(replay.value, eqn.invars[1:]))
    known = replay.number(eqn.invars[0])
    if known is not None:
        return replay.run(branches[min(max(known.value, 0), len(branches) - 1)], operands)
    told = [_raised(branch.jaxpr) for branch in branches]
    if len(branches) == 2 and any(told) and not all(told):
        return _checked(replay, eqn, told, operands)
    sides = [_side(replay, branch, operands) for branch in branches]
    if len(sides) != 2:
        return replay.call(lax.switch, replay.value(eqn.invars[0]), sides)
    return replay.call(lax.cond, _test(replay, eqn), sides[1], sides[0])


def _test(replay: Replaying, eqn: Any) -> Any:
    """Whether a choice of two is the second one."""
    made = replay.origin(eqn.invars[0], "convert_element_type")
    tested = made is not None and made.invars[0].aval.dtype == bool
    return replay.value(made.invars[0]) if tested else replay.call(lax.ne, replay.value(eqn.invars[0]), 0)


def _checked(replay: Replaying, eqn: Any, told: list[str | None], operands: list[Any]) -> list[Any]:
    """A choice of which one side raises."""
    test, at = _test(replay, eqn), 0 if told[1] else 1
    replay.call(lookup("check"), test if at else replay.call(jnp.logical_not, test), told[1 - at], "RuntimeError")
    return replay.run(eqn.params["branches"][at], operands)


def _raised(jaxpr: Any) -> str | None:
    """What a jaxpr says that raises: one that calls a function of Python's from which there is no way back."""
    asked = next((eqn for eqn in jaxpr.eqns if eqn.primitive.name == "pure_callback"), None)
    if asked is None:
        return None
    f = getattr(asked.params["callback"], "callback_func", None)
    if not isinstance(f, FunctionType) or any(step.opname.startswith("RETURN_") for step in get_instructions(f)):
        return None
    if all(isinstance(var, Literal) for var in asked.invars):
        try:
            f(*(np.asarray(var.val, var.aval.dtype) for var in asked.invars))
        except Exception as error:  # of whatever kind
            return str(error).partition("\n\n")[0]
    return f"{f.__qualname__} raises"


def _side(replay: Replaying, branch: Any, operands: list[Any]) -> Callable[[], tuple]:
    return lambda: tuple(replay.run(branch, operands))


INNER: dict[str, Callable[..., Any]] = {
    "associative_scan": associative_scan,
    **dict.fromkeys(
        ("jit", "pjit", "closed_call", "core_call", "checkpoint", "remat", "remat2", "custom_lin"), _called
    ),
    "cond": _cond,
    "custom_linear_solve": linear_solve,
    "reduce": reduce,
    "custom_jvp_call": own_derivative,
    "custom_vjp_call": own_derivative,
    "scan": _scan,
    "value_and_grad": value_and_grad,
    "while": _while,
}
