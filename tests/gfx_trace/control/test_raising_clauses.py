"""A raise under a test on data whose except clause ends with a raise of its own: the clause is run on that side."""

import functools

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

EVEN, ODD = torch.tensor([3.0, 1.0, 2.0, 4.0]), torch.tensor([-3.0, 1.0, -2.0])


class SizeError(RuntimeError):
    pass


@functools.lru_cache(8)
def parts(size, k):
    if size % k != 0:
        raise SizeError(f"cannot divide {size} by {k}")
    return size // k


def in_a_callee(x, k: int = 2):
    try:
        count = parts(x.shape[0], k)
    except SizeError as e:
        message = f"while splitting {list(x.shape)}"
        message += f' into "{k}".\n '
        raise ValueError(message + f"{e}") from None
    return x.reshape(count, k)


def again(x):
    try:
        if x.sum() < 0:
            raise ValueError("negative", 1)
        y = x * 2
    except (KeyError, ValueError):
        raise
    return y


def twice(x):
    try:
        try:
            if x.sum() < 0:
                raise KeyError("inner")
        except KeyError as e:
            raise ValueError("middle") from e
    except ValueError as e:
        raise RuntimeError("outer") from e
    return x


def asked(x):
    try:
        if x.sum() < 0:
            raise KeyError("inner")
        n = 3
    except KeyError:
        if x[0] > 1:
            m = 5
        else:
            m = 6
        raise ValueError(f"{m}") from None
    finally:
        x = x + 1
    return x * n


@pytest.mark.parametrize("fn", [in_a_callee, again, twice, asked], ids=lambda fn: fn.__name__)
def test_what_the_clause_raises_is_raised(fn):
    with pytest.raises(Exception) as wanted:
        fn(ODD)
    program = gfx.symbolic_trace(fn, backend="torch")
    for call in (program, program.to("torch")):
        assert torch.equal(call(EVEN), fn(EVEN))
        with pytest.raises(type(wanted.value)) as got:
            call(ODD)
        assert str(got.value) == str(wanted.value)


def taken_outside(x):
    try:
        try:
            if x.sum() < 0:
                raise KeyError("inner")
        except KeyError as e:
            raise ValueError("middle") from e
    except ValueError:
        return x * 2
    return x


def counted(x):
    n = 0
    try:
        if x.sum() < 0:
            raise KeyError("inner")
    except KeyError:
        n += 1
        raise ValueError(n) from None
    return x * n


def sometimes(x):
    try:
        if x.sum() < 0:
            raise KeyError("inner")
    except KeyError as e:
        if x[0] < 0:
            raise ValueError("negative") from e
    return x


@pytest.mark.parametrize("fn", [taken_outside, counted, sometimes], ids=lambda fn: fn.__name__)
def test_a_clause_that_may_go_on_is_refused(fn):
    with pytest.raises(UnsupportedConstruct, match="except clause around it may catch it") as refused:
        gfx.symbolic_trace(fn, backend="torch")
    assert f"in {fn.__name__}]" in str(refused.value)


def test_strings_in_three_quotes_stay_as_they_are():
    def long(x):
        if x.shape[0] > 2:
            raise ValueError(
                f"the pattern \"(a b) c (d e)\", which is a long one,\n has '{x.shape[0]}' items (and no more) for (these)"
            )
        return x

    source = gfx.symbolic_trace(long, backend="torch").source("torch")
    assert '"(a b) c (d e)"' in source and "(and no more) for (these)" in source
