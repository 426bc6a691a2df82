"""Lowering passes run on a copy of a program, checked before and after each."""

from gfx_ir.codegen.prepare import LOWERINGS
from gfx_ir.codegen.prepare.pipeline import emission_of
from gfx_ir.codegen.unrolling import Unrolling
from gfx_ir.copies import copy_program
from gfx_ir.loading import backend
from gfx_ir.passes import Optimize

STYLES = [(name, mode) for name in ("numpy", "torch", "jax") for mode in ("", *backend(name).modes)]


def style_of(name, mode=""):
    return backend(name).modes[mode] if mode else backend(name).style


def lowered(program, names, target="jax", mode="", given=None):
    """A copy of the program after these passes, verified before and after each; with data, run before and after each, too."""
    out, to = copy_program(program), backend(target)
    emission = emission_of(out, to, style_of(target, mode), Unrolling(None), None, True)
    return Optimize([LOWERINGS.get(name) for name in names], validate=given).run(out, emission)
