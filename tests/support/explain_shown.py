"""Which rows of the catalogue of constructs a function shows."""


def shows(construct, refused=False):
    """`refused`: a capture with open tensors raises the error that the row names."""

    def mark(fn):
        fn.shown = [*getattr(fn, "shown", ()), (construct, refused)]
        return fn

    return mark


def shown_in(module):
    """Functions of a module, each with a row and whether it is refused."""
    return [(fn, *row) for fn in vars(module).values() for row in getattr(fn, "shown", ())]
