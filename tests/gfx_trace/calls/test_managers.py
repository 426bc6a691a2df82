"""Context managers of the user's own: their methods are captured, and what they may take of a raise counts as caught."""

import contextlib
import warnings

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

UP, DOWN = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([-1.0, -2.0, -3.0])


class Gate:
    def __init__(self, on):
        self.on = on

    def __enter__(self):
        self.on = self.on + 1
        return self

    def __exit__(self, *raised):
        if self.on > 3:
            self.on = self.on * 10
        return False


class Taking:
    def __enter__(self):
        return 2.0

    def __exit__(self, kind, error, traceback):
        return kind is KeyError


class Silent(warnings.catch_warnings):
    """A manager of the standard library with methods of its own, which can be entered once."""

    def __enter__(self):
        super().__enter__()
        warnings.simplefilter("ignore")
        return self


@contextlib.contextmanager
def scaled(box, x):
    if x.sum() > 0:
        box["s"] = box["s"] * 2
    try:
        yield box
    finally:
        if x.max() > 2:
            box["t"] = box["s"] + 1


@contextlib.contextmanager
def taking():
    try:
        yield
    except ValueError:
        pass


def silent(x):
    with Silent():
        return x * 2


def asks_in_its_methods(x):
    with Gate(x.sum()) as gate:
        if x[0] > 0:
            gate.on = gate.on + 2
    return gate.on


def asks_around_its_yield(x):
    box = {"s": 1.0, "t": 0.0}
    with scaled(box, x) as held:
        if x[0] > 2:
            return x, box
        y = x * held["s"]
    return y, box


def taken_before_the_return(x):
    with contextlib.suppress(KeyError):
        return x * {}["w"]
    return x * 3


def taken_in_a_side(x):
    y = x
    if x.sum() < 0:
        with Taking() as k:
            y = x * k
            raise KeyError("w")
    return y


def not_taken_in_a_side(x):
    if x.sum() < 0:
        with Taking() as k:
            raise ValueError(f"{k}")
    return x


def made_within(x):
    @contextlib.contextmanager
    def watched(log):
        log.append(x.sum())
        yield log
        log.append(x.max())

    log = []
    with watched(log) as seen:
        x = x * seen[0]
    return x, log[1]


@pytest.mark.parametrize(
    "fn",
    [
        silent,
        asks_in_its_methods,
        asks_around_its_yield,
        taken_before_the_return,
        taken_in_a_side,
        not_taken_in_a_side,
        made_within,
    ],
)
def test_a_manager_does_what_it_does(fn):
    for program in (gfx.symbolic_trace(fn, UP), gfx.symbolic_trace(fn, backend="torch")):
        for call in (program, program.to("torch")):
            for x in (UP, DOWN):
                try:
                    wanted = fn(x)
                except ValueError as error:
                    with pytest.raises(ValueError, match=str(error)):
                        call(x)
                else:
                    torch.testing.assert_close(call(x), wanted)


def raising_in(manager):
    def fn(x):
        with manager():
            if x.sum() > 0:
                raise ValueError("up")
            x = x * 2
        return x

    return fn


def taken_by_a_generator(x):
    with taking():
        assert x.sum() > 0
        if x.sum() > 5:
            raise ValueError("up")
        x = x * 2
    return x


@pytest.mark.parametrize(
    "fn",
    [raising_in(lambda: contextlib.suppress(ValueError)), raising_in(Taking), taken_by_a_generator],
    ids=["suppressed", "taken_by_a_class", "taken_by_a_generator"],
)
def test_a_raise_that_a_manager_may_take_is_refused(fn):
    with pytest.raises(CaptureError, match=r"(?s)raise.*traced test.*except clause.*test_managers.py"):
        gfx.symbolic_trace(fn, UP)


def test_a_refusal_is_not_taken():
    def appended(x):
        found = []
        with contextlib.suppress(Exception):
            if x.sum() > 0:
                found.append("up")
        return found

    with pytest.raises(CaptureError, match="append"):
        gfx.symbolic_trace(appended, np.ones(3))


def strict_logarithm(x: np.ndarray):
    try:
        with np.errstate(divide="raise"):
            return np.log(x)
    except FloatingPointError:
        return np.zeros_like(x)


def set_by_a_call(x: np.ndarray):
    old = np.seterr(divide="raise")
    try:
        y = 1 / x
    except FloatingPointError:
        y = -x
    finally:
        np.seterr(**old)
    return y


def warnings_as_errors(x: np.ndarray):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return 1 / x
        except RuntimeWarning:
            return -x


def warnings_as_data(x: np.ndarray):
    with warnings.catch_warnings(record=True) as told:
        y = 1 / x
    return y, len(told)


@np.errstate(divide="raise")
def strict_division(x):
    return 1 / x


def calls_the_strict_one(x: np.ndarray):
    try:
        return strict_division(x)
    except FloatingPointError:
        return -x


def quiet(x: np.ndarray):
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.log(x)


@pytest.mark.parametrize(
    "fn", [strict_logarithm, set_by_a_call, warnings_as_errors, warnings_as_data, calls_the_strict_one]
)
def test_settings_under_which_numbers_raise_are_refused(fn):
    """A graph only computes: FloatingPointError, and a warning that is an error or data, were lost without a word."""
    before = np.geterr(), list(warnings.filters)
    with pytest.raises(CaptureError, match="under a setting by which"):
        gfx.symbolic_trace(fn)
    assert (np.geterr(), list(warnings.filters)) == before


def test_settings_that_keep_numbers_quiet_are_taken():
    x = np.array([0.0, -1.0, 2.0])
    np.testing.assert_array_equal(gfx.symbolic_trace(quiet)(x), quiet(x))
