"""What tests register is taken back after them."""

import contextlib

import gfx_ir.ops  # noqa: F401 - the catalogue is whole before anything is taken back
from gfx_ir.loading import loaded
from gfx_ir.op import REGISTRY

TABLES = ("rows", "templates", "functions", "printed", "namespace")


@contextlib.contextmanager
def taken_back():
    """Inside, ops and lifts may be registered with the backends that are loaded."""
    tables = [REGISTRY, *(getattr(owner, name) for owner in loaded() for name in TABLES)]
    before, styles = [dict(table) for table in tables], [(owner, owner.style) for owner in loaded()]
    try:
        yield
    finally:
        for table, content in zip(tables, before):
            table.clear()
            table.update(content)
        for owner, style in styles:
            owner.style = style
