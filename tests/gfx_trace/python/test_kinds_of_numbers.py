"""A number that is whole on one way to a place and a fraction on another is one of several: its class is refused, all else is Python's."""

import itertools
import operator

import jax
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

X = [torch.tensor([1.0, 3.0]), torch.tensor([-1.0, -3.0])]


def counted(x):
    n = 0
    for v in x:
        if v > 0:
            n = n + 0.5
    return n


def branched(x):
    n = 0
    if x[0] > 0:
        n = n + 0.5
    return n


def repeated(x):
    n = 0
    while x.sum() > 0:
        n, x = n + 0.5, x - 1
    return n


def truth_or_number(x):
    return True if x[0] > 0 else 2


def computed(x):
    return -branched(x) // 1


def carried(x):
    n = 1 if x[0] > 0 else 2.5
    for _ in range(2):
        n += 1
    return n


@pytest.mark.parametrize("given", [(), X[:1]], ids=["open", "given"])
@pytest.mark.parametrize("fn", [counted, branched, repeated, truth_or_number, computed, carried])
def test_of_what_class_it_is_is_refused(fn, given):
    def asked(x):
        n = fn(x)
        return x * (2 if type(n) is int else 3)

    with pytest.raises(CaptureError, match="cannot tell the class"):
        gfx.symbolic_trace(asked, *given, backend="torch")


@pytest.mark.parametrize("way", ["program", "torch"])
@pytest.mark.parametrize("given", [(), X[:1]], ids=["open", "given"])
@pytest.mark.parametrize("fn", [counted, branched, repeated, truth_or_number, computed, carried])
def test_what_all_of_its_classes_agree_on_is_answered(fn, given, way):
    def used(x):
        n = fn(x)
        wide = n + 0.5
        return x * (2 if isinstance(wide, float) else 3), x.to(torch.int64) * n, wide, n

    program = gfx.symbolic_trace(used, *given, backend="torch")
    run = program if way == "program" else program.to("torch")
    for x in X:
        for one, other in zip(run(x), used(x), strict=True):
            assert type(one) is type(other)
            torch.testing.assert_close(one, other, rtol=0, atol=0)


# ---------------------------------------------------------------------- open numbers of Python's
def becomes_a_fraction(x, k: int):
    c = 0
    for _ in range(k):
        x = x * (1 if isinstance(c, float) else 2)
        c = 0.5
    return x


def one_of_two_kinds(x, k: int):
    c = 1 if k > 2 else 0.5
    return x * (2 if type(c) is float else 3)


def a_truth_or_a_number(x, k: int):
    c = True if k > 2 else 3
    return x * (2 if isinstance(c, bool) else 3)


def halved(x, k: int):
    c = 1
    while c < k:
        c = c * 1.5
    return x * (2 if hasattr(c, "bit_length") else 3)


def sum_of_two_kinds(x, k: int):
    c = (1 if k > 2 else 0.5) + 1
    return x * (2 if isinstance(c, int) else 3)


def total_of_items(x, k: int):
    c = sum((1 - x.sum().item(), 2))
    return x * (2 if isinstance(c, float) else 3)


@pytest.mark.parametrize(
    "fn",
    [becomes_a_fraction, one_of_two_kinds, a_truth_or_a_number, halved, sum_of_two_kinds, total_of_items],
    ids=lambda f: f.__name__,
)
def test_the_class_of_an_open_number_of_several_kinds_is_refused(fn):
    with pytest.raises(CaptureError, match="the class of this number"):
        gfx.symbolic_trace(fn, backend="torch")


def a_fraction_in_any_case(x, k: int):
    c = (1 if k > 2 else 0.5) / 2
    return x * (2 if isinstance(c, float) else 3)


def a_number_in_any_case(x, k: int):
    c = 1 if k > 2 else 0.5
    return x * (2 if isinstance(c, (int, float)) else 3)


def whole_in_any_case(x, k: int):
    c = 1
    for i in range(k):
        c = c * 2 + i
    return x * (2 if type(c) is int else 3)


@pytest.mark.parametrize(
    "fn", [a_fraction_in_any_case, a_number_in_any_case, whole_in_any_case], ids=lambda f: f.__name__
)
def test_a_class_that_all_its_kinds_have_is_told(fn):
    program = gfx.symbolic_trace(fn, backend="torch")
    for k in (0, 1, 5):
        assert torch.equal(program(torch.ones(2), k), fn(torch.ones(2), k))


def outcome(run, x):
    try:
        return run(x).tolist()
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize("fn", [counted, branched, repeated, carried])
def test_a_range_to_what_may_be_a_fraction_fails_where_pythons_does(fn):
    def stepped_to(x):
        for _ in range(fn(x)):
            x = x + 1
        return x

    try:
        program = gfx.symbolic_trace(stepped_to, backend="torch")
    except CaptureError:
        return
    for x in X:
        assert outcome(program, x) == outcome(stepped_to, x)


def stepped(x, k: int = 2):
    for t in range(int(k * 1.5)):
        x = x * (t + 1)
    return x


def sized(x, k: int = 2):
    return x.sum() * torch.ones(int(k / 2), int(2.5 * k))


def repeated_text(x, k: int = 2):
    return x * 2 if "ab" * int(k / 2) == "abab" else x


@pytest.mark.parametrize("way", ["program", "torch"])
@pytest.mark.parametrize("fn", [stepped, sized, repeated_text])
def test_what_int_makes_of_a_fraction_is_whole(fn, way):
    program = gfx.symbolic_trace(fn, backend="torch")
    run = program if way == "program" else program.to("torch")
    for k in (1, 4, 5):
        torch.testing.assert_close(run(X[0], k), fn(X[0], k))


USES = {
    "truth": lambda r: 2 if r else 3, "an item": lambda r: r[0], "a place": lambda r: r.index(0),
    "equal": lambda r: r == range(2),
}  # fmt: skip


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_range_of_open_ends_is_no_value(use):
    def used(x, k: int = 2):
        return x * use(range(k))

    with pytest.raises(CaptureError, match="this use of a range"):
        gfx.symbolic_trace(used, backend="torch")


def as_long_as(x, k: int = 2):
    return x * len(range(k)) + len(range(1, k, 2))


def test_the_length_of_a_range_of_open_ends():
    program = gfx.symbolic_trace(as_long_as, backend="torch")
    for k in (-1, 0, 1, 4):
        torch.testing.assert_close(program(X[0], k), as_long_as(X[0], k))


def halved_root(x):
    g = abs(x.sum().item()) ** 0.5
    for _ in range(2):
        g = g // 2
    return g


def root_of_a_square(x):
    n = x.sum().item()
    g = (n * n + 1) ** 0.5
    k = 0
    while x.sum() > k:
        g, k = g % 2, k + 1
    return g


def root_of_one_of_two(x):
    n = abs(x[0].item()) if x.sum() > 0 else 2.0
    g = n**0.5
    for _ in range(int(x.sum() + 5)):
        g = g // 1.5
    return g


@pytest.mark.parametrize("fn", [halved_root, root_of_a_square, root_of_one_of_two])
@pytest.mark.parametrize("way", ["torch", "jax"])
def test_a_root_of_what_is_nowhere_negative_is_no_complex_number(fn, way):
    done = gfx.symbolic_trace(fn, X[0])
    made = done.to(way)
    for x in X:
        assert float(made(jax.numpy.asarray(x.numpy()) if way == "jax" else x)) == pytest.approx(fn(x))


ARITHMETIC = [
    lambda g: g + g, lambda g: g * g, lambda g: g - g, lambda g: -g, lambda g: abs(g), lambda g: g * True, lambda g: g // 1,
]  # fmt: skip


@pytest.mark.parametrize("use", ARITHMETIC)
@pytest.mark.parametrize("number", [0.5, 3, -1.5])
@pytest.mark.parametrize("to", ["torch", "jax", "numpy"])
def test_a_boolean_that_a_fixed_test_may_replace_counts_as_a_number(use, number, to):
    def fn(x, k: int = 2):
        g = bool(x[0] > 0)
        if k > 1:
            g = number
        return use(g), use(g) + bool(x[1] > 0)

    emitted = gfx.symbolic_trace(fn, backend="torch").to(to)
    for x in X:
        given = x if to == "torch" else x.numpy()
        for k in (1, 2):
            assert [float(found) for found in emitted(given, k)] == [float(want) for want in fn(x, k)]


@pytest.mark.parametrize("made", [lambda n: 10**30, lambda n: -(2**70) + n])
def test_a_number_that_no_array_holds_is_refused_for_jax(made):
    def fn(x):
        n = 0.5
        if x.sum() > 0:
            n = made(1)
        return n * 2

    program = gfx.symbolic_trace(fn, backend="torch")
    assert [program.to("torch")(x) for x in X] == [fn(x) for x in X]
    with pytest.raises(CaptureError, match="more than 64 bits"):
        program.source("jax")


def told(x, k: int):
    return True if k else False


def flagged(x, k: int):
    found = False
    if k:
        found = True
    return found, x * found


def stopped(x, k: int):
    n = 0
    for row in x:
        n = n + 1
        if k:
            break
    return n


@pytest.mark.parametrize("fn", [told, flagged, stopped])
@pytest.mark.parametrize("to", ["torch", "jax", "numpy"])
def test_what_a_number_tells_is_a_boolean(fn, to):
    emitted = gfx.symbolic_trace(fn, backend="torch").to(to)
    for k in (0, 1, 3):
        found, want = emitted(X[0] if to == "torch" else X[0].numpy(), k), fn(X[0], k)
        pairs = zip(found, want) if isinstance(want, tuple) else [(found, want)]
        for a, b in pairs:
            assert (type(a) is type(b) or not isinstance(b, bool)) and np.array_equal(np.asarray(a), np.asarray(b))


@pytest.mark.parametrize("to", ["torch", "numpy"])
def test_whole_numbers_beyond_64_bits_stay_whole_beside_numbers(to):
    def hashed(x):
        value = 1469598103934665603
        for at in range(3):
            value = ((value ^ int(x[at])) * 1099511628211) % 2**64
        return value, int(x[0]) + 2**70, int(x[1]) % 2**65

    x = torch.tensor([3.0, -1.0, 7.0])
    given = x if to == "torch" else x.numpy()
    assert gfx.transpile(hashed, x, to=to)(given) == hashed(x)


def test_one_element_with_an_axis_is_a_number_in_numpy_source():
    def pointer(p):
        return int(p), float(p), bool(p), p.item()

    p = torch.tensor([3.0])
    assert gfx.transpile(pointer, p, to="numpy")(p.numpy()) == pointer(p)
    with pytest.raises(TypeError, match="0-dimensional"):  # which NumPy's own code has none of
        gfx.symbolic_trace(pointer, p.numpy())


def test_a_truth_counts_as_a_whole_number():
    def counts(x, n: int):
        v = n > 1
        return [0] * v, "ab" * v, (1,) * v, list(itertools.islice(itertools.count(v), 2)), operator.is_(v, None)

    program = gfx.symbolic_trace(counts, backend="torch")
    assert all(repr(program(X[0], n)) == repr(counts(X[0], n)) for n in (0, 2))


@pytest.mark.parametrize("use", [lambda v: v[0], lambda v: operator.setitem(v, 0, 1)])
@pytest.mark.parametrize("made", [lambda x: x[0].item(), lambda x: len(x), lambda x: 2 if x[0] > 0 else 3])
def test_numbers_have_no_items(use, made):
    def caught(x):
        try:
            return use(made(x))
        except TypeError:
            return x * 2

    assert torch.equal(gfx.symbolic_trace(caught, backend="torch")(X[0]), X[0] * 2)


def test_a_number_of_numpy_beside_one_of_python_is_each_on_its_way():
    def fixed(x, n: int):
        return np.int64(2) if n > 1 else 3

    def computed(x, n: int):
        return x.sum() if n > 1 else 3

    def nested(x, n: int):
        if n > 1:
            s = x.max() if x[0] > 0 else 0.25
        else:
            s = np.float32(0.5) if n > 0 else 1
        return s, s * 2, {"a": s}

    def looped(x, n: int):
        s = 1.5
        if n > 1:
            for e in x:
                s = s * 0.5 + e
        return s, x * s

    def helped(x, n: int):
        def mean(y):
            if y.sum() > 1:
                return y.mean()
            return 0.5

        return mean(x), mean(x * 2)

    for f in (fixed, computed, nested, looped, helped):
        program = gfx.symbolic_trace(f, backend="numpy")
        for x in (np.ones(2), -np.ones(2)):
            assert all(repr(program(x, n)) == repr(f(x, n)) for n in range(3))


# ---------------------------------------------------------------------- complex numbers
def escapes(x):
    z, n = complex(0.5, 1.0), 0
    for v in x.tolist():
        if abs(z) > 2:
            break
        z, n = z * z + v, n + 1
    return n


def turned(x):
    z = 1j
    for v in x:
        if v > 0:
            z = z * 1j
    return x * z.real


@pytest.mark.parametrize("fn, given", [(turned, ()), (turned, (X[0],)), (escapes, (X[0],))])
def test_a_complex_number_that_a_loop_carries(fn, given):
    program = gfx.symbolic_trace(fn, *given, backend="torch")
    for x in X:
        torch.testing.assert_close(program(x), fn(x))
