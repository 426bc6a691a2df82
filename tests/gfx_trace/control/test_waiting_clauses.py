"""Except clauses that wait for what a framework raises when the code runs: emitted code has no clause to take it, so they are refused."""

import contextlib

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GuardError, UnsupportedConstruct

X = torch.tensor([1.0, 2.0, 3.0])


def an_index_of_a_loop(x: torch.Tensor):
    total = 0.0
    for i in range(5):
        try:
            total = total + x[i]
        except IndexError:
            total = total - 1
    return total


def an_index_of_data(x: torch.Tensor, n: torch.Tensor):
    try:
        return x[n]
    except IndexError:
        return x.sum()


def a_written_item(x: torch.Tensor, n: torch.Tensor):
    x = x.clone()
    with contextlib.suppress(IndexError):
        x[int(n)] = 0.0
    return x


def elements(x: torch.Tensor):
    m = x[:, None] * x + x.mean()
    try:
        return torch.linalg.cholesky(m)
    except RuntimeError:
        return m


def numbers_of_classes(n: torch.Tensor):
    try:
        return torch.nn.functional.one_hot(n, 2)
    except Exception:
        return n


def shapes_of_a_loop(x: torch.Tensor):
    total = 0.0
    for i in range(3):
        try:
            total = total + (x + torch.ones(i + 2)).sum()
        except RuntimeError:
            total = total - 1
    return total


def of_numpy(x: np.ndarray):
    try:
        return np.linalg.inv(x[:, None] * x)
    except np.linalg.LinAlgError:
        return x


def shapes(x: torch.Tensor):
    try:
        return x + torch.ones(3)
    except RuntimeError:
        return x


def an_axis(x: torch.Tensor):
    try:
        return x.sum(1)
    except IndexError:
        return x


def a_size(x: torch.Tensor):
    try:
        return x + x.shape[1]
    except IndexError:
        return x


def the_sizes(x: torch.Tensor):
    try:
        rows, columns = x.shape
    except ValueError:
        return x
    return x + rows * columns


def its_length(x: torch.Tensor):
    try:
        return x + len(x[0])
    except TypeError:
        return x


def its_items(x: torch.Tensor):
    try:
        a, b, c = x
    except ValueError:
        return x
    return a + b * c


def one_number(x: torch.Tensor):
    try:
        return x * float(x)
    except (RuntimeError, ValueError):
        return x


def a_test(x: torch.Tensor):
    try:
        return x * (2 if x else 3)
    except RuntimeError:
        return x


OF_DATA = [an_index_of_data, a_written_item, elements, numbers_of_classes, of_numpy]
OF_SHAPES = [
    an_index_of_a_loop, shapes_of_a_loop, shapes, an_axis, a_size, the_sizes, its_length, its_items, one_number,
]  # fmt: skip


def several_tests(x: torch.Tensor, n: torch.Tensor):
    s = x.sum()
    try:
        while s > 1 and n < 3:
            s = s * 0.5
            if x[1] > 0:
                n = n + 1
    except (ValueError, RuntimeError):
        s = s * 0 - 1
    return s


def test_tests_are_of_numbers_where_a_clause_waits_for_their_error():
    program = gfx.symbolic_trace(several_tests)
    for n in (0, 2, 5):
        given = torch.tensor([1.0, 2.0, 3.0]), torch.tensor(n)
        want = several_tests(*given)
        assert program(*given) == program.to("torch")(*given) == want
        assert float(program.to("jax")(*(jnp.asarray(x.numpy()) for x in given))) == want
    for fn, given in ((a_test, [torch.ones(3)]), (several_tests, [torch.ones(3), torch.ones(2)])):
        with pytest.raises((GuardError, AssertionError), match=r"ndim == 0 as given|captured for 0 axes"):
            gfx.symbolic_trace(fn)(*given)


GIVEN = {"x": X, "n": torch.tensor(1)}


@pytest.mark.parametrize("fn", [*OF_DATA, *OF_SHAPES])
def test_what_may_be_raised_when_the_code_runs(fn):
    with pytest.raises(UnsupportedConstruct, match=r"clause waits for it|except clause around it may catch") as found:
        gfx.symbolic_trace(fn)
    assert found.value.span is not None


@pytest.mark.parametrize("fn", OF_DATA)
def test_what_hangs_on_data_where_shapes_are_known(fn):
    given = [np.asarray(X) if fn is of_numpy else GIVEN[name] for name in fn.__annotations__]
    with pytest.raises(UnsupportedConstruct):
        gfx.symbolic_trace(fn, *given)


@pytest.mark.parametrize("fn", [fn for fn in OF_SHAPES if fn not in (one_number, a_test)])
def test_known_shapes_tell_what_is_raised(fn):
    given = X[:2].clone() if fn is not shapes else X.clone()
    program = gfx.symbolic_trace(fn, given)
    torch.testing.assert_close(program(given), fn(given))


# ---------------------------------------------------------------------- what stays
def another_class(x: torch.Tensor, y: torch.Tensor):
    try:
        return x[0] + y.sum(0)
    except (KeyError, ZeroDivisionError):
        return x


def said_anew(x: torch.Tensor, y: torch.Tensor):
    try:
        return x + y
    except RuntimeError as error:
        raise ValueError("x and y have other shapes") from error


def nothing_to_raise(x: torch.Tensor, y: torch.Tensor):
    try:
        return (x * 2 - y.sum()).exp() + torch.tensor(1.0)
    except Exception:
        return x


@pytest.mark.parametrize("fn", [another_class, said_anew, nothing_to_raise])
def test_clauses_that_no_operation_meets(fn):
    torch.testing.assert_close(gfx.symbolic_trace(fn)(X, X + 1), fn(X, X + 1))


def test_a_clause_that_an_error_about_axes_passes_by():
    def fn(x: np.ndarray):
        try:
            return np.expand_dims(x, 1).sum(axis=1)
        except AssertionError:
            return x * 2

    x = np.arange(3.0)
    for program in (gfx.symbolic_trace(fn), gfx.symbolic_trace(fn, x)):
        np.testing.assert_array_equal(program(x), fn(x))


def a_fixed_position(x: torch.Tensor):
    try:
        return x[3]
    except IndexError:
        return x[0]


def test_a_position_that_the_smallest_size_lacks():
    with pytest.raises(UnsupportedConstruct, match="an except clause waits for it"):
        gfx.symbolic_trace(a_fixed_position, gfx.TensorSpec((gfx.Dim("n", min=3),)))
    gfx.symbolic_trace(a_fixed_position, gfx.TensorSpec((gfx.Dim("n", min=4),)))


@pytest.mark.parametrize(
    "use", [lambda x, y: x + y, lambda x, y: x * torch.ones(3), lambda x, y: x @ y, lambda x, y: torch.cat([x, y]).reshape(2, -1)]
)  # fmt: skip
def test_open_sizes_that_do_not_fit_are_no_calls(use):
    def fn(x, y):
        try:
            return use(x, y)
        except RuntimeError:
            return x

    one, two = torch.ones(3), torch.ones(6)
    program = gfx.transpile(fn, one, one, to="torch", dynamic=True)
    torch.testing.assert_close(program(one, one), fn(one, one))
    for given in ((two, one), (two[:4], one)):  # what the clause takes, the guards refuse
        try:
            torch.testing.assert_close(program(*given), fn(*given))
        except GuardError:
            continue


# ---------------------------------------------------------------------- how many elements data choose
@pytest.mark.parametrize(
    "use", [
        lambda x: x[x > 2].max(), lambda x: x[x > 2].amin(), lambda x: torch.argmin(x[x > 2]), lambda x: torch.aminmax(x[x > 2]).max,
        lambda x: x[x > 2].topk(1).values, lambda x: x[x > 2].kthvalue(1).values, lambda x: x[x > 2].median(0).values,
        lambda x: x[x > 2][0], lambda x: x[x > 2] + x[x < 2], lambda x: x[x > 2].item(), lambda x: x if x[x > 2] else -x,
        lambda x: torch.stack([x[x > 2], x[x < 2]]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("given", [(), (X,)])
def test_what_needs_elements_of_those_that_data_choose(use, given):
    def fn(x):
        try:
            return use(x)
        except Exception:
            return x * 0

    with pytest.raises(UnsupportedConstruct, match=r"clause waits for it|except clause around it may catch"):
        gfx.symbolic_trace(fn, *given, backend="torch")


@pytest.mark.parametrize(
    "use", [
        lambda x: x[x > 2].max(), lambda x: np.argmin(x[x > 2]), lambda x: np.ptp(x[x > 2]), lambda x: np.min(x[x > 2], axis=0),
        lambda x: x if x[x > 2] else -x, lambda x: x[x > 2] @ x[x < 2],
    ],
)  # fmt: skip
def test_what_needs_elements_in_numpy(use):
    def fn(x):
        try:
            return use(x)
        except ValueError:
            return x * 0

    with pytest.raises(UnsupportedConstruct, match="clause waits for it"):
        gfx.symbolic_trace(fn, X.numpy(), backend="numpy")


def lowered(x):
    while x[x > 0]:
        x = x - 1
    return x


def chosen(x):
    return x if x[x > 0] else -x


@pytest.mark.parametrize("use", [lowered, chosen, lambda x: x[x > 2].max(), lambda x: chosen(x) + 1])
def test_what_is_raised_in_a_function_that_is_called(use):
    def called(x):
        return use(x)

    def fn(x):
        try:
            return called(x)
        except RuntimeError:
            return x * 0

    with pytest.raises(UnsupportedConstruct, match="clause waits for it"):
        gfx.symbolic_trace(fn, X, backend="torch")


def several_in_a_mask(x: np.ndarray):
    x = x.copy()
    try:
        x[x > 2] = [1.0, 2.0]
    except ValueError:
        x[:] = 0
    return x


def test_several_elements_are_written_where_a_mask_holds():
    with pytest.raises(UnsupportedConstruct, match="clause waits for it"):
        gfx.symbolic_trace(several_in_a_mask, X.numpy())


@pytest.mark.parametrize(
    "use", [lambda x: x[x > 2].sum(), lambda x: x[x > 2].mean(0), lambda x: x.amax(0), lambda x: x.topk(2).values]
)
def test_what_takes_none_or_has_some(use):
    def fn(x):
        try:
            return use(x)
        except RuntimeError:
            return x * 0

    program = gfx.symbolic_trace(fn, X, backend="torch")
    for x in (X, -X):
        torch.testing.assert_close(program(x), fn(x), equal_nan=True)
