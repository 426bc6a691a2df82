"""What the tests of ops share: a sample's arguments and outputs, and the backends that are installed."""

import pytest

from gfx_ir.errors import BackendError
from gfx_ir.loading import backend
from gfx_ir.op import lookup
from samples import Sample


def bound(sample: Sample) -> tuple:
    """The arguments along the op's parameters."""
    return lookup(sample.op).bind(*sample.args, **sample.kwargs)


def outputs(op, args, out) -> tuple:
    """The outputs as a tuple."""
    return tuple(out) if len(op.output_kinds(args)) != 1 else (out,)


def loaded(name):
    """The backend, or the test is skipped where its framework is not installed."""
    try:
        return backend(name)
    except BackendError as error:
        pytest.skip(str(error))
