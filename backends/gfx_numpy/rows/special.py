"""Special functions, of which NumPy itself has two; SciPy has the others."""

from __future__ import annotations

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.lifting.numbers import Numbers
from gfx_ir.op import lookup
from gfx_ir.ops.special import spelled

from ._lift import NP, as_array, binary, unary

ROWS = (
    Row("sinc", "np.sinc(x)", {"np.sinc": unary(ops.sinc)}),
    *(Row(name, None, {f"np.{name}": binary(lookup(name))}) for name in ("gcd", "lcm")),
    Row("frexp", None, {"np.frexp": lambda x: ops.frexp(as_array(x)), **Numbers(NP).table()}),
    Row("i0", None, {"np.i0": unary(ops.i0)}),
    Row("xlogy", spelled("special.xlogy(x1, x2)", "x1", "x2")),
    Row("xlog1py", spelled("special.xlog1py(x1, x2)", "x1", "x2")),
    Row("betaln", spelled("special.betaln(x1, x2)", "x1", "x2")),
)
