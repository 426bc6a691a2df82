"""Code that is not entered meets captured values: it gives what plain Python gives, or an error of ours with the author's line."""

import array
import base64
import bisect
import collections
import copy
import datetime
import decimal
import fractions
import functools
import hashlib
import heapq
import inspect
import itertools
import json
import math
import operator
import os
import pathlib
import pickle
import pprint
import random
import re
import statistics
import string
import struct
import sys
import textwrap
import types
import urllib.parse
import zlib

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GfxError, UnsupportedConstruct
from sweeps import one_in

OURS = re.compile(r"Proxy|OpenList|Starred|Compared|Unusable|(?<!tests/)gfx_trace/")
ONE = [
    *(f for name in ("abs", "index", "neg", "pos", "truth", "invert", "length_hint") if (f := getattr(operator, name))),
    *(f for name, f in vars(math).items() if callable(f) and not name.startswith("_")),
    json.dumps, copy.copy, copy.deepcopy, pickle.dumps, chr, bin, hex, oct, ord, repr, ascii, str, format, bool, int, float,
    complex, len, list, tuple, set, frozenset, dict.fromkeys, bytes, bytearray, memoryview, sorted, enumerate, iter, sum,
    min, max, any, all, callable, vars, dir, range, sys.getsizeof, sys.intern, collections.Counter, collections.deque,
    collections.OrderedDict, itertools.chain, itertools.cycle, itertools.accumulate, itertools.pairwise, itertools.groupby,
    itertools.permutations, itertools.count, functools.partial, statistics.mean, statistics.fmean, fractions.Fraction,
    decimal.Decimal, datetime.timedelta, os.fspath, pathlib.PurePath, urllib.parse.quote, base64.b64encode, hashlib.md5, zlib.crc32,
    inspect.isfunction, inspect.getmembers, inspect.signature, types.MappingProxyType, textwrap.dedent, string.capwords, re.compile,
    re.escape, random.choice, random.seed, random.Random, struct.Struct, torch.iinfo, torch.finfo, torch.device,
    torch.is_storage, torch.typename, torch.get_device_module, torch.Generator, np.binary_repr, np.base_repr, np.datetime64,
    np.dtype, np.iterable, np.isscalar, np.can_cast, np.min_scalar_type, np.format_float_positional, np.shape,
    ",".join, "abc".zfill, "abc".center, "abc".find, "abc".strip, "abc".startswith, "abc".encode, "{}".format, "abc".split,
    [1, 2].index, [1, 2].count, (1, 2).count, {1: 2}.get, {1: 2}.__contains__, {1, 2}.union, [3, 1].__getitem__, range(3).index,
    b"ab".join, types.SimpleNamespace, object, staticmethod, property,
]  # fmt: skip
TWO = [
    *(getattr(operator, name) for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift", "eq", "ne", "lt",
        "le", "gt", "ge", "concat", "contains", "countOf", "indexOf", "getitem", "iadd", "imul",
    )),
    math.gcd, math.lcm, math.pow, math.atan2, math.hypot, math.comb, math.isclose, math.copysign, math.ldexp, math.fmod, divmod, pow,
    round, format, isinstance, getattr, hasattr, itertools.repeat, itertools.islice, itertools.combinations, itertools.product,
    itertools.zip_longest, re.match, re.findall, re.split, struct.pack, array.array, bisect.bisect, heapq.nlargest, heapq.merge,
    random.sample, functools.reduce, collections.namedtuple, collections.ChainMap, json.dumps,
    os.path.join, np.binary_repr, np.broadcast_shapes, np.can_cast, torch.promote_types, torch.result_type,
    torch.is_same_size, datetime.date.fromordinal, string.Formatter().vformat, textwrap.shorten, zlib.adler32,
]  # fmt: skip


def whole(x, n, f, s, b):
    return n


def real(x, n, f, s, b):
    return f


def text(x, n, f, s, b):
    return s


def flag(x, n, f, s, b):
    return b


def size(x, n, f, s, b):
    return x.shape[0]


def shape(x, n, f, s, b):
    return x.shape


def sizes(x, n, f, s, b):
    return list(x.shape)


def dtype(x, n, f, s, b):
    return x.dtype


def device(x, n, f, s, b):
    return x.device


def tensor(x, n, f, s, b):
    return x


def number(x, n, f, s, b):
    return int(x[0, 0])


def held(x, n, f, s, b):
    return [n, {"a": f}]


VALUES = [whole, real, text, flag, size, shape, sizes, dtype, device, tensor, number, held]
ARGS = (torch.tensor([[2.0, 3.0], [4.0, 5.0]]), 2, 0.5, "a", True)


def outcome(call):
    try:
        return "gives", call()
    except Exception as error:
        return "raises", error


def plainly(found):
    """What can be compared of a result."""
    if isinstance(found, torch.Tensor):
        return ("tensor", found.tolist()) if found.ndim else (type(found.item()).__name__, found.item())
    if hasattr(found, "__next__"):
        return "items", [plainly(item) for item in itertools.islice(found, 9)]
    return type(found).__name__, found if isinstance(found, (int, float, complex, bool)) else re.sub(
        "0x[0-9a-f]+", "", repr(found)
    )


def name_of(f):
    owner = getattr(f, "__self__", None)
    name = getattr(f, "__name__", type(f).__name__)
    return name if owner is None or isinstance(owner, types.ModuleType) else f"{type(owner).__name__}.{name}"


def check(fn):
    """fn, captured with every argument open, does what it does in plain Python, or is refused as it should be."""
    want = outcome(lambda: fn(*ARGS))
    kind, captured = outcome(lambda: gfx.symbolic_trace(fn, backend="torch"))
    if kind == "gives":
        found = outcome(lambda: captured(*ARGS))
        if want[0] == "raises":
            assert found[0] == "raises", (want, found)
        else:
            assert found[0] == "gives" and plainly(found[1]) == plainly(want[1]), (want, found)
        return
    told = str(captured)
    assert not OURS.search(told), told
    if isinstance(captured, GfxError):
        assert f"{pathlib.Path(__file__).name}:" in told, told
        return
    assert want[0] == "raises", (want, captured)


def of_one(f, value):
    def called(x, n: int, f_: float, s: str, b: bool):
        return f(value(x, n, f_, s, b))

    return called


def of_two(f, value, first):
    def called(x, n: int, f_: float, s: str, b: bool):
        return f(value(x, n, f_, s, b), 2) if first else f(2, value(x, n, f_, s, b))

    return called


@pytest.mark.parametrize("f", one_in(3, ONE), ids=name_of)
def test_a_call_with_one_value(f):
    for value in VALUES:
        check(of_one(f, value))


@pytest.mark.parametrize("first", [True, False], ids=["first", "second"])
@pytest.mark.parametrize("f", one_in(3, TWO), ids=name_of)
def test_a_call_with_two(f, first):
    for value in (whole, real, text, shape, sizes, tensor, number):
        check(of_two(f, value, first))


def test_code_that_goes_on_without_a_value_it_asked_for_is_refused():
    def sliced(x, n: int):
        return x * sum(itertools.islice([1, 2, 3], n))

    with pytest.raises(GfxError, match="islice"):
        gfx.symbolic_trace(sliced, backend="torch")


def test_a_fault_of_the_author_is_told_in_pythons_words():
    def checked(fault, message):
        with pytest.raises(TypeError, match=re.escape(message)):
            gfx.symbolic_trace(fault, ARGS[0], kwargs={}, backend="torch", dynamic=True)

    checked(lambda x: x.shape[0] + None, "unsupported operand type(s) for +: 'int' and 'NoneType'")
    checked(lambda x: x.shape[0] < "a", "'<' not supported between instances of 'int' and 'str'")
    checked(lambda x: x + "a", "unsupported operand type(s) for +: 'Tensor' and 'str'")
    checked(lambda x: x < None, "'<' not supported between instances of 'Tensor' and 'NoneType'")
    checked(lambda x: x.shape[0] @ 3, "unsupported operand type(s) for @: 'int' and 'int'")
    checked(lambda x: x.shape[0](), "'int' object is not callable")
    checked(lambda x: x(), "'Tensor' object is not callable")
    checked(lambda x: {**x}, "'Tensor' object is not a mapping")
    checked(lambda x: len(x.shape[0]), "object of type 'int' has no len()")
    checked(lambda x: [d for d in x.shape[0]], "'int' object is not iterable")


def test_what_the_author_catches_is_raised_as_python_raises_it():
    def sized(x, n: int):
        try:
            return x * len(n)
        except TypeError:
            return x * n

    program = gfx.symbolic_trace(sized, backend="torch")
    assert torch.equal(program(ARGS[0], 3), sized(ARGS[0], 3))


def test_an_object_whose_getattr_raises_what_it_likes_is_called():
    class Stored:
        def __init__(self):
            self.__dict__["parts"] = {"w": torch.ones(2)}

        def __getattr__(self, name):
            return self.__dict__["parts"][name]

        def __call__(self, x):
            return x * self.w

    stored = Stored()
    assert torch.equal(gfx.symbolic_trace(lambda x: stored(x), ARGS[0])(ARGS[0]), stored(ARGS[0]))


def test_a_text_that_a_library_makes_is_refused_and_one_that_is_thrown_away_is_not():
    import logging

    def logged(x):
        logging.getLogger("none").warning("%s %s", x, x.shape[0])
        return x + 1

    assert torch.equal(gfx.symbolic_trace(logged, backend="torch")(ARGS[0]), ARGS[0] + 1)
    with pytest.raises(GfxError, match="it puts the value into a text"):
        gfx.symbolic_trace(lambda x: pprint.pformat(types.SimpleNamespace(a=x)), backend="torch")
    template = "%s"
    with pytest.raises(GfxError, match="a text needs"):
        gfx.symbolic_trace(lambda x: template % x.shape[0], backend="torch")


def test_what_the_framework_is_asked_of_its_state_may_be_asked_under_a_test():
    """Code that chooses between kernels asks PyTorch's functions in C, which are bound to records that show nothing."""

    def f(x):
        if x.sum() > 0:
            derived = torch._C._are_functorch_transforms_active() or torch._C._is_tracing()
            tangent = torch.autograd.forward_ad.unpack_dual(x).tangent
            x = x * 2 if tangent is None and not derived else x
        return x

    for given in ((), (torch.ones(2),)):
        program = gfx.symbolic_trace(f, *given)
        for x in (torch.ones(2), -torch.ones(2)):
            torch.testing.assert_close(program(x), f(x))


def test_deep_copies_are_made_in_each_call():
    kept = [torch.zeros(2)]

    def f(x):
        memo = {}
        own, first, again = copy.deepcopy(kept), copy.deepcopy(kept, memo), copy.deepcopy(kept, memo=memo)
        own[0] += x
        first[0] += 2 * x
        again[0] += 4 * x
        return own[0], first[0], again[0] is first[0]

    program, x = gfx.symbolic_trace(f, torch.ones(2)), torch.ones(2)
    for _ in range(2):
        own, first, one = program(x)
        assert (own.tolist(), first.tolist(), one) == ([1.0, 1.0], [6.0, 6.0], True)
    assert kept[0].tolist() == [0.0, 0.0]


def of_computed(x):
    held = {"h": x * 2, "more": [x + 1]}
    held["same"] = held["h"]
    own = copy.deepcopy(held)
    own["h"] += 1
    return held["h"], own["h"], own["same"], own["more"][0], own["same"] is own["h"]


def in_a_loop(x):
    found, h = [], torch.zeros(2)
    for row in x:
        h += row
        found.append(copy.deepcopy(h))
    return (torch.stack(found),)


def on_one_side(x):
    held = [x * 2]
    if x.sum() > 0:
        own = copy.deepcopy(held)
        own[0] += 1
    else:
        own = held
        own[0] -= 1
    return held[0], own[0]


@pytest.mark.parametrize("f", [of_computed, in_a_loop, on_one_side])
@pytest.mark.parametrize("to", ["torch", "jax"])
def test_deep_copies_of_computed_tensors(f, to):
    made = gfx.transpile(f, torch.ones(2, 2), to=to, dynamic=True)
    for x in (torch.tensor([[1.0, 2], [3, 4], [5, 6]]), -torch.ones(1, 2)):
        for found, wanted in zip(made(x if to == "torch" else jnp.asarray(x.numpy())), f(x), strict=True):
            np.testing.assert_allclose(found, wanted)


def test_deep_copies_keep_no_history_and_those_of_views_are_refused():
    f = lambda x: (copy.deepcopy(x) * x).sum()
    made, x = gfx.transpile(f, torch.ones(2), to="torch"), torch.tensor([2.0, 3.0], requires_grad=True)
    assert torch.autograd.grad(made(x), x)[0].tolist() == [2.0, 3.0]
    with pytest.raises(UnsupportedConstruct, match="share memory"):
        gfx.symbolic_trace(lambda x: copy.deepcopy([x, x[0]]), torch.ones(2))


class Rows:
    """It is called, and gone over."""

    def __init__(self, rows):
        self.rows = rows

    def __call__(self, row):
        return -row

    def __iter__(self):
        return iter(self.rows)


def test_a_callable_object_is_gone_over_by_code_that_does_not_call_it():
    def largest(x):
        rows = Rows([1.0, 3.0, 2.0])
        return (
            x * heapq.nlargest(1, rows)[0]
            + heapq.nsmallest(1, [1.0, 3.0], key=rows)[0]
            + functools.reduce(operator.add, rows)
        )

    x = torch.ones(2)
    assert torch.equal(gfx.symbolic_trace(largest)(x), largest(x))
