"""What may be of several classes under an except clause: Python raises for some of them, and the clause waits for that."""

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GfxError

X = torch.tensor([1.0, 2.0, 3.0])


def added(v, x):
    return v + 1


def beside_a_tensor(v, x):
    return x + v


def compared(v, x):
    return v < 3


def compared_as_items(v, x):
    return (v, 1) < (3, 1)


def formatted(v, x):
    return f"{v:d}"


def joined(v, x):
    return "-".join([v, "b"])


def cast(v, x):
    return int(v)


USES = (added, beside_a_tensor, compared, compared_as_items, formatted, joined, cast)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("first", [None, "a"])
def test_a_use_that_raises_for_one_class(use, first):
    def caught(x, n: int):
        v = first if n > 1 else 2
        try:
            return use(v, x)
        except (TypeError, ValueError):
            return x

    def left(x, n: int):
        v = first if n > 1 else 2
        return use(v, x)

    with pytest.raises(GfxError):
        gfx.symbolic_trace(caught, backend="torch")
    program = gfx.symbolic_trace(left, backend="torch")
    for n in (0, 2):
        try:
            want = left(X, n)
        except (TypeError, ValueError) as error:
            with pytest.raises(type(error)):
                program(X, n)
        else:
            assert str(program(X, n)) == str(want)


def test_a_test_for_none_settles_the_class():
    def fn(x, n: int):
        v = None if n > 1 else 2
        try:
            return x * (v + 1) if v is not None else x
        except TypeError:
            return x - 1

    program = gfx.symbolic_trace(fn, backend="torch")
    for n in (0, 2):
        assert torch.equal(program(X, n), fn(X, n))


def never_added(v):
    return v // 2


def never_looked_into(v):
    return v[0] if isinstance(v, int) else v << 1


@pytest.mark.parametrize("use", [never_added, never_looked_into])
@pytest.mark.parametrize("values", [("a", "b"), (2, 3)])
def test_what_a_class_never_does_is_caught_as_python_does(use, values):
    def fn(x, n: int):
        v = values[0] if n > 1 else values[1]
        try:
            return use(v), x
        except TypeError:
            return -1, x

    program = gfx.symbolic_trace(fn, backend="torch")
    for n in (0, 2):
        assert program(X, n)[0] == fn(X, n)[0]


class Own(Exception):
    pass


def of_two_classes(n):
    return Own if n > 1 else KeyError


def an_error_or_none(n):
    return ValueError("two") if n > 1 else None


@pytest.mark.parametrize("chosen", [of_two_classes, an_error_or_none])
def test_an_error_that_a_test_chooses_is_raised(chosen):
    def fn(x, n: int):
        error = chosen(n)
        if n > -1 and error is not None:
            raise error
        return x + 1

    program = gfx.symbolic_trace(fn, backend="torch")
    for n in (-1, 0, 2):
        error = chosen(n)
        if n < 0 or error is None:
            assert torch.equal(program(X, n), X + 1)
            continue
        with pytest.raises(error if isinstance(error, type) else type(error)):
            program(X, n)


def test_a_step_of_zero():
    def stepped(x, n: int):
        return [x * i for i in range(0, 6, n)]

    def caught(x, n: int):
        try:
            return x * sum(range(0, 6, n))
        except ValueError:
            return x

    def sliced(x, n: int):
        try:
            return x[::n]
        except ValueError:
            return x

    program = gfx.symbolic_trace(stepped, backend="torch")
    with pytest.raises(ValueError, match="must not be zero"):
        program(X, 0)
    for fn in (caught, sliced):
        with pytest.raises(GfxError):
            gfx.symbolic_trace(fn, backend="torch")
