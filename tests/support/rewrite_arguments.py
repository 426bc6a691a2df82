"""The tuples that a function is called with, beside the function."""


def with_arguments(*tuples):
    def given(fn):
        fn.arguments = [t if isinstance(t, tuple) else (t,) for t in tuples]
        return fn

    return given


def functions_of(module):
    """Those of a module that have arguments."""
    return [fn for fn in vars(module).values() if hasattr(fn, "arguments")]
