"""Texts that hold captured values: what is printed, and what errors say."""

import io
import re
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

pytestmark = pytest.mark.usefixtures("wide")


def says_why(x, n):
    k = 0
    while n > 0:
        n = n - 1
        k += 1
        if x[0] < 0:
            raise ValueError("entry %d of %s is %5.1f%%" % (k, "x", x[0]))  # noqa: UP031 - what is tested
        if x[1] < 0:
            raise ValueError("at {}: {0:.2f} {last}".replace("{}", "{1}").format(x[1], k, last=x[2]))
        if x[2] < 0:
            raise ValueError("k=" + str(k) + ", " + "; ".join(str(v) for v in (x[2], n)) + f" {x[0]:>6.2f}|{k!r}")
    return x


SAID = [[-1.0, 1, 1], [1.0, -2, 1], [1.0, 1, -3], [1.0, 1, 1]]


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("numbers", SAID)
def test_errors_say_what_python_says(numbers, typed):
    x, n = np.array(numbers), np.int64(2)
    program = gfx.symbolic_trace(says_why, *([np.ones(3), n] if typed else []), backend="numpy")
    try:
        wanted = says_why(x, n)
    except Exception as error:
        wanted = error
    for name, given in (("numpy", (x, n)), ("torch", (torch.tensor(x), torch.tensor(2)))):
        for call in (program, program.module(name).load()):
            if not isinstance(wanted, Exception):
                np.testing.assert_array_equal(call(*given), wanted)
                continue
            with pytest.raises(type(wanted)) as found:
                call(*given)
            assert str(found.value) == str(wanted)
    compiled = jax.jit(program.module("jax").load())
    if not isinstance(wanted, Exception):
        np.testing.assert_array_equal(compiled(x, n), wanted)
    else:
        with pytest.raises(Exception, match=re.escape(str(wanted))):
            jax.block_until_ready(compiled(x, n))
            jax.effects_barrier()


def prints(x):
    print("sum", x.sum(), f"{x.max():.1f} {{}}")
    print(x[0], 3, x[1], sep="-", flush=True)
    print("no end yet:", x[1], end=" {} ")
    if x[0] > 0:
        print("first", x[0], file=sys.stderr)
        print("first: %g" % x[0])  # noqa: UP031 - what is tested
    return x


@pytest.mark.parametrize("x", [np.array([1.5, 2.0]), np.array([-1.0, 0.25])])
def test_what_is_printed_is_what_python_prints(x, capsys):
    program = gfx.symbolic_trace(prints, x, backend="numpy")
    prints(x)
    wanted = capsys.readouterr()
    source = gfx.symbolic_trace(program.module("jax").load(), jnp.asarray(x))
    calls = (program, program.module("numpy").load(), jax.jit(program.module("jax").load()), source)
    for call in calls:
        jax.block_until_ready(call(jnp.asarray(x) if call in calls[2:] else x))
        jax.effects_barrier()
        assert capsys.readouterr() == wanted


def tells(x):
    top, k = x.max().item(), 0
    while x.sum() > 30:
        x, k = x / 2, k + 1
        print(x, top, k)
    print("top", top, top + 1, int(x.max()), float(x.max()), x.max() > 1, not x.max() > 1, k > 1)
    print("%s %r %d" % (top, top, k), str(top), repr(k), f"{top!r} {k=}", ", ".join([str(top), str(k)]))  # noqa: UP031
    print([top, (k,)], {"k": k, "x": x[:1]}, f"{[top]} {tuple(x.shape)} {x.shape}", x.shape, str((k,)), x.dtype)
    if x[0] > 1:
        print("first", format(top, ".2f"))
        raise ValueError("bad", top, [k, x.shape[0]], tuple(x.shape))
    if x[1] < 0:
        raise AssertionError((top, k))
    return x


TOLD = [[1.0, 2.0, 99.0], [-1.0, -3.5, -0.5], [3.0, 1.0, 1.0]]


def outcome(call, *args):
    """What a call gives: the result, or class and arguments of the exception."""
    try:
        return np.asarray(call(*args)).tolist()
    except Exception as error:
        return type(error), error.args


@pytest.mark.parametrize("typed", [True, False])
def test_numbers_shapes_and_containers_are_told_as_python_tells_them(typed, capsys):
    program = gfx.symbolic_trace(tells, *([torch.ones(3)] if typed else []), backend="torch")
    for numbers in TOLD:
        wanted = outcome(tells, torch.tensor(numbers)), capsys.readouterr().out
        for call in (program, program.module("torch").load()):
            assert (outcome(call, torch.tensor(numbers)), capsys.readouterr().out) == wanted


def shows(x):
    text = f"max {x.max():.1f}"
    k = 0
    while x.sum() > 3:
        x, k = x / 2, k + 1
        print(k, x)
    if k > 1:
        print(text, x.shape, [k, int(x.max())], not k)
    if k > 1:
        raise ValueError("bad", k, [int(x.max()), x.shape])
    print(text)
    return x


@pytest.mark.parametrize("typed", [True, False])
def test_compiled_code_tells_the_same_in_the_same_order(typed, capsys):
    program = gfx.symbolic_trace(shows, *([jnp.ones(2)] if typed else []), backend="jax")
    emitted = program.module("jax").load()
    for numbers in ([1.0, 0.5], [2.0, 2.5], [8.0, 4.0]):
        x = jnp.asarray(numbers)
        wanted = outcome(shows, x)
        out = capsys.readouterr().out
        assert outcome(program, x) == wanted and capsys.readouterr().out == out
        got = outcome(jax.jit(emitted), x)
        if type(wanted) is not tuple:
            assert got == wanted
        else:
            with pytest.raises(Exception, match=re.escape(str(wanted[1]))):
                jax.block_until_ready(jax.jit(emitted)(x))
                jax.effects_barrier()
            capsys.readouterr()
            continue
        jax.effects_barrier()
        assert capsys.readouterr().out == out


class Held:
    def __init__(self, x):
        self.x = [x]

    def __repr__(self):
        return "Held(" + ", ".join(map(repr, self.x)) + ")"


class Summed(Held):
    def __init__(self, x):
        super().__init__(x)

    def __str__(self):
        return f"<{self.x[0].sum()}>"


SHOWN = [str, repr, lambda held: f"{held}", lambda held: f"{held!r:>40}", lambda held: "-".join([str(held)])]


@pytest.mark.parametrize("kind", [Held, Summed])
@pytest.mark.parametrize("show", SHOWN)
def test_a_text_of_an_object_is_what_its_own_methods_give(show, kind):
    x = np.array([1.0, 2.0])
    wanted = show(kind(x))
    for given in ((x,), ()):
        program = gfx.symbolic_trace(lambda x: (x, show(kind(x))), *given, backend="numpy")
        assert program(x)[1] == program.to("numpy")(x)[1] == wanted


def test_a_text_that_python_itself_makes_of_an_object_that_holds_captured_data_is_refused():
    for show in ("{}".format, lambda held: "%s" % held, lambda held: f"{[held]}"):  # noqa: UP031
        with pytest.raises(UnsupportedConstruct, match=r"text of this (Held|list), which holds captured data"):
            gfx.symbolic_trace(lambda x, show=show: show(Held(x)) and x, np.ones(2))


def test_text_that_would_hold_what_is_not_known_is_refused():
    with pytest.raises(UnsupportedConstruct, match="GFX cannot convert print with file"):
        gfx.symbolic_trace(lambda x: print(x, file=io.StringIO()), np.ones(2))


class Far(Exception):
    def __init__(self, at, by):
        super().__init__(f"at {at}: {by:.1f}")


def goes_far(x):
    if x.sum() > 3:
        raise Far(x[0], by=x.sum())
    return x


def test_an_exception_of_the_authors_own_puts_captured_data_into_its_text():
    program = gfx.symbolic_trace(goes_far, np.ones(2), backend="numpy")
    with pytest.raises(Exception, match=r"at 4\.0: 5\.0"):
        program(np.array([4.0, 1.0]))


# ---------------------------------------------------------------------- texts that the code goes on with
def text_of_a_shape(x):
    return x * len(f"{x.shape}")


def text_of_a_part(x):
    return x * (2 if str(x.size()[:1]) == "torch.Size([3])" else 3)


def text_of_a_dtype(x):
    return x * (2 if str(x.dtype) == "torch.float32" else 3)


def text_of_a_tuple(x):
    return x * len(str(tuple(x.shape)))


@pytest.mark.parametrize("fn", [text_of_a_shape, text_of_a_part, text_of_a_dtype, text_of_a_tuple])
def test_texts_of_shapes_and_dtypes_are_the_framework_s_own(fn):
    x = torch.ones(3)
    program = gfx.symbolic_trace(fn, backend="torch")
    torch.testing.assert_close(program(x), fn(x))
    torch.testing.assert_close(program.to("torch")(x), fn(x))
    if fn is text_of_a_tuple:
        np.testing.assert_array_equal(program.to("jax")(jnp.ones(3)), fn(x))
    else:
        with pytest.raises(UnsupportedConstruct, match=rf"has another text there.*in {fn.__name__}"):
            program.source("jax")


def joined(x):
    words = ",".join(map(str, x.shape)) + "-".join(str(k) for k in range(3)) + "".join(iter("ab"))
    return x * len(words)


def test_what_is_joined_is_taken_once():
    x = torch.ones(3)
    torch.testing.assert_close(gfx.symbolic_trace(joined, x)(x), joined(x))


def formatted(x, k: int):
    n, t = float(x[0]), bool(x[1] > 0)
    return (
        f"{n!r:>8}|{n!s:8}|{n:8}|{t!s:6}|{t!r:>6}|{t:6}|{k!r:4}|{k!s:>4}|{k:4}|{x.shape[0]!s:4}|",
        "{!r:>9}{!s:9}".format(n, t),  # noqa: UP032 - what is tested,
    )


@pytest.mark.parametrize("given", [(), (torch.ones(2), 7)], ids=["open", "given"])
def test_a_format_is_one_of_the_text_that_a_conversion_makes(given):
    program = gfx.symbolic_trace(formatted, *given, backend="torch")
    for x in (torch.tensor([1.5, 2.0]), torch.tensor([-0.25, -1.0])):
        for call in (program, program.module("torch").load()):
            assert call(x, 7) == formatted(x, 7)
