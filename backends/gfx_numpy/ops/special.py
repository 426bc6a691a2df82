"""Special functions, of which NumPy itself has two; SciPy has the others."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.lifting.numbers import Numbers
from gfx_ir.op import OpDef, lookup
from gfx_ir.ops._row import keeping
from gfx_ir.ops.special import spelled

from ._lift import NP, as_array, refuse, unary


def _of_whole_numbers(op: OpDef) -> Any:
    def lift(x1: Any, x2: Any, **options: Any) -> Any:
        refuse(f"np.{op.name}", **options)
        return op(as_array(x1), as_array(x2))

    return lift


ROWS = (
    Row("sinc", keeping("np.sinc(x)", "x", numbers=False), {"np.sinc": unary(ops.sinc)}),
    *(Row(name, None, {f"np.{name}": _of_whole_numbers(lookup(name))}) for name in ("gcd", "lcm")),
    Row("frexp", None, {"np.frexp": lambda x: ops.frexp(as_array(x)), **Numbers(NP).table()}),
    Row("cbrt", None, {"np.cbrt": unary(ops.cbrt)}),
    Row("i0", "np.i0(x)", {"np.i0": unary(ops.i0)}),
    Row("xlogy", spelled("special.xlogy(x1, x2)", "x1", "x2")),
    Row("xlog1py", spelled("special.xlog1py(x1, x2)", "x1", "x2")),
    Row("betaln", spelled("special.betaln(x1, x2)", "x1", "x2")),
)
