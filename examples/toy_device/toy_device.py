"""A device of one's own, which `pip install examples/toy_device` makes known to GFX by an entry point: `gfx.device("toy")`.

It holds float32 numbers of at most two axes in plain Python arrays, and knows four ops and one fused pattern. Whatever else a program
needs goes to the next device of a plan, in the end to the reference.
"""

from array import array

import numpy as np

from gfx_ir import ops
from gfx_ir.dtypes import float32
from gfx_ir.patterns import pattern
from gfx_ir.runtime.device import Claim, Device
from gfx_ir.runtime.support import no, when
from gfx_ir.types import LogicalTensor


class Buffer:
    """The toy's memory: rows of float32, one after the other."""

    def __init__(self, shape, items):
        self.shape, self.items = tuple(shape), items


def each(kernel, *operands, out):
    """One number after the other; the operands are of one shape by then."""
    for at, numbers in enumerate(zip(*(x.items for x in operands))):
        out.items[at] = kernel(*numbers)


def matmul(a, b, out):
    (rows, inner), columns = a.shape, b.shape[1]
    for i in range(rows):
        for j in range(columns):
            out.items[i * columns + j] = sum(a.items[i * inner + k] * b.items[k * columns + j] for k in range(inner))


@pattern
def scaled_sum(x1, x2, x3):
    return ops.add(ops.multiply(x1, x2), x3)


def multiply_add(x1, x2, x3):
    """What the pattern above gives, in one go."""
    out = Buffer(x1.shape, array("f", bytes(4 * len(x1.items))))
    each(lambda a, b, c: a * b + c, x1, x2, x3, out=out)
    return out


KERNELS = {
    "add": lambda x1, x2, out: each(lambda a, b: a + b, x1, x2, out=out),
    "multiply": lambda x1, x2, out: each(lambda a, b: a * b, x1, x2, out=out),
    "relu": lambda x, out: each(lambda a: max(a, 0.0), x, out=out),
    "matmul": lambda x1, x2, out: matmul(x1, x2, out),
}


def small(args):
    """float32 of at most two axes, with numbers between."""
    tensors = [x for x in vars(args).values() if isinstance(x, LogicalTensor)]
    return all(x.dtype == float32 and len(x.dims) <= 2 for x in tensors)


def alike(args):
    return small(args) and args.x1.dims == args.x2.dims == args.x3.dims


def matrices(args):
    return small(args) and len(args.x1.dims) == len(args.x2.dims) == 2


class Toy(Device):
    name = "toy"
    kind = "toy"
    simple = True  # kernels take operands of one shape, and write where they are told

    def holds(self, x):
        return isinstance(x, Buffer)

    def type_of(self, x):
        return LogicalTensor(float32, x.shape)

    def to_host(self, x):
        return np.array(x.items, np.float32).reshape(x.shape)

    def from_host(self, x):
        if x.dtype != np.float32:
            raise TypeError(f"the toy holds float32, not {x.dtype}")
        return Buffer(x.shape, array("f", np.ascontiguousarray(x).tobytes()))

    def supports(self, node):
        if node.op.name not in KERNELS:
            return no(f"the toy has no kernel for {node.op.name}")
        if node.op.name == "matmul":
            return when("two matrices of float32", matrices)
        return when("float32 of at most two axes", small)

    def eval(self, node, args, out=None):
        KERNELS[node.op.name](*args, out=out[0])


class FusingToy(Toy):
    """The same, which claims a pattern as well."""

    name = "fusing_toy"
    claims = (Claim(scaled_sum, multiply_add, priority=1, condition=alike),)
