"""`__getattr__` is asked where a property, a descriptor or a slot says that there is no such attribute."""

import pytest
import torch

import gfx_trace as gfx

X = torch.tensor([1.0, 2.0])


class Missing:
    def __get__(self, owner, kind=None):
        raise AttributeError("missing")


class Lazy:
    __slots__ = ("empty", "x")
    asked = Missing()

    def __init__(self, x):
        self.x = x

    @property
    def refused(self):
        raise AttributeError("refused")

    @property
    def inner(self):
        return self.x.is_no_attribute_of_tensors

    @property
    def positive(self):
        if self.x.sum() > 0:
            raise AttributeError("positive")
        return self.x

    def __getattr__(self, name):
        return self.x * len(name)


@pytest.mark.parametrize(
    "f",
    [
        *(lambda x: Lazy(x).refused, lambda x: Lazy(x).inner, lambda x: Lazy(x).asked, lambda x: Lazy(x).empty),
        *(lambda x: Lazy(x).x, lambda x: getattr(Lazy(x), "refused", 0), lambda x: x + hasattr(Lazy(x), "empty")),
    ],
)
def test_it_gives_the_attribute(f):
    torch.testing.assert_close(gfx.symbolic_trace(f, X).to("torch")(X), f(X))


def test_a_property_that_data_lets_fail_is_refused():
    with pytest.raises(gfx.GfxError, match="it hangs on a traced test"):
        gfx.symbolic_trace(lambda x: Lazy(x).positive, backend="torch")
