"""The law of the rewriter: with hooks that mean plain Python, the rewritten function does what the function does."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import sys
import traceback
import types
import weakref

import pytest

import plain_hooks
import rewrite_examples as examples
import rewrite_scopes
from gfx_ir.errors import GfxError
from gfx_trace.rewrite import NoSource, convert, converted_source, is_converted
from places import CONFORMANCE
from plain_hooks import HOOKS
from program_text import define
from random_programs import Writer
from rewrite_arguments import functions_of
from sweeps import part

CASES = CONFORMANCE / "control_flow_cases.py"


def outcome(fn, *args):
    """The result, or the kind of exception and its text."""
    try:
        return fn(*args)
    except Exception as error:
        text = "" if isinstance(error, NameError) else str(error)
        return NameError if isinstance(error, NameError) else type(error), text


@pytest.mark.parametrize("fn", [*functions_of(examples), *functions_of(rewrite_scopes)], ids=lambda f: f.__name__)
def test_examples(fn):
    new = convert(fn, HOOKS)
    for args in fn.arguments:
        assert outcome(new, *args) == outcome(fn, *args), args


class Fuel(Exception):
    """A random program ran too long."""


class World:
    """The effects of random programs, which a speculative run must be able to undo."""

    def __init__(self):
        self.fuel, self.events, self.depth = 60, [], 0

    def tick(self):
        self.fuel -= 1
        if self.fuel < 0:
            raise Fuel
        return True

    def log(self, value):
        self.events.append(repr(value))
        return value

    def run(self, fn, *args):
        self.fuel, self.events = 60, []
        return outcome(fn, *args), self.events

    def speculate(self, run, get, set_):
        """Run what Python would not run, as a capture of both sides does; then undo it by get and set."""
        if self.depth > 3:
            return
        before, fuel, events = get(), self.fuel, list(self.events)
        self.depth += 1
        with contextlib.suppress(Exception):
            run()
        self.depth -= 1
        set_(before)
        self.fuel, self.events = fuel, events

    def hooks(self):
        """Plain hooks that run the other side of each test, and each trip of a loop, once too often."""

        def if_(test, then, orelse, get, set_, names):
            other = orelse if test else then
            if other is not None:
                self.speculate(other, get, set_)
            return plain_hooks.gfx_if(test, then, orelse, get, set_, names)

        def while_(test, body, get, set_, names, stop, inner=()):
            while not (stop is not None and stop[0]()):
                self.speculate(lambda: (test(), body()), get, set_)
                if not test():
                    return
                self.speculate(body, get, set_)
                body()

        def for_(iterable, body, get, set_, names, stop, target_names):
            for item in iterable:
                self.speculate(lambda item=item: body(item), get, set_)
                body(item)
                if stop is not None and stop[0]():
                    return

        return {**HOOKS, "gfx_if": if_, "gfx_if_ret": if_, "gfx_while": while_, "gfx_for": for_}


def test_random_programs():
    world = World()
    around = contextlib.contextmanager(lambda: iter([None]))
    both, ran = world.hooks(), 0
    for seed in range(part(3, 250)):
        text = Writer(seed).text()
        try:
            fn = define(text, f"<program {seed}>", tick=world.tick, log=world.log, around=around)
        except SyntaxError:
            continue
        for args in [(0, 0), (1, 3), (5, -1)]:
            want = world.run(fn, *args)
            if want[0] == (Fuel, ""):
                continue
            ran += 1
            assert world.run(convert(fn, HOOKS), *args) == want, (seed, args, text)
            assert world.run(convert(fn, both), *args) == want, (seed, args, text)
    assert ran > part(3, 600)


def conformance_hooks(module) -> dict:
    """Plain hooks whose call enters the functions of the module."""

    def call(fn, /, *args, **kwargs):
        if isinstance(fn, types.MethodType) and isinstance(fn.__func__, types.FunctionType):
            fn, args = fn.__func__, (fn.__self__, *args)
        elif type(fn).__module__ == module.__name__ and not isinstance(fn, type):
            return call(fn.__call__, *args, **kwargs)
        if isinstance(fn, types.FunctionType) and fn.__globals__ is vars(module) and not is_converted(fn.__code__):
            with contextlib.suppress(NoSource):
                fn = convert(fn, hooks)
        return fn(*args, **kwargs)

    hooks = {**HOOKS, "gfx_call": call}
    return hooks


@pytest.mark.skipif(not CASES.exists(), reason="the conformance cases are not here")
def test_conformance_cases(capsys):
    spec = importlib.util.spec_from_file_location("control_flow_cases", CASES)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    hooks, count = conformance_hooks(module), 0
    for c in module.CASES:
        if "async" in c.features:
            continue
        new = convert(c.fn, hooks)
        for args in c.args:
            want = outcome(c.fn, *module.to_framework(args, c.flavour)), capsys.readouterr().out
            got = outcome(new, *module.to_framework(args, c.flavour)), capsys.readouterr().out
            raised = isinstance(want[0], tuple) and want[0] and isinstance(want[0][0], type)
            assert got == want if raised else module.same(got[0], want[0], 0) and got[1] == want[1], (c.name, args)
            count += 1
    assert count > 200


# ---- the function around the code


def make_counter(start, *, step=1):
    total = start

    def count(x, scale=2, *rest, flag=True, **more):
        """Counts."""
        nonlocal total
        total += x * scale * step
        return total, rest, flag, more

    count.note = "kept"
    count.__wrapped__ = start
    return count


def test_cells_defaults_and_names_are_the_functions_own():
    fn = make_counter(10, step=3)
    new = convert(fn, HOOKS)
    assert new(1, 2, 3, flag=None, k=4) == (16, (3,), None, {"k": 4})
    assert fn(0) == (16, (), True, {})
    assert new.__globals__ is fn.__globals__ and new.__defaults__ is fn.__defaults__
    assert new.__kwdefaults__ == {"flag": True} and new.__doc__ == "Counts." and new.note == "kept"
    assert new.__qualname__ == fn.__qualname__ and new.__code__.co_qualname == fn.__code__.co_qualname
    assert new.__module__ == fn.__module__ and not hasattr(new, "__wrapped__")
    other = make_counter(0)
    assert convert(other, HOOKS).__code__ is new.__code__ and convert(other, HOOKS)(1) == (2, (), True, {})


def test_nested_functions_count_as_converted_and_classes_do_not():
    def outer(x):
        def inner(y):
            return y + 1 if y > 0 else y

        class Local:
            def method(self):
                return inner(x)

        return inner, (lambda v: v * x), Local

    new = convert(outer, HOOKS)
    inner, double, local = new(2)
    assert is_converted(new.__code__) and is_converted(inner.__code__) and is_converted(double.__code__)
    assert convert(new, HOOKS) is new and convert(inner, HOOKS) is inner
    assert not is_converted(local.method.__code__) and not is_converted(outer.__code__)
    assert convert(local.method, HOOKS)(local()) == 3
    assert inner.__qualname__.endswith("outer.<locals>.inner") and "factory" not in inner.__qualname__
    assert local.__qualname__.endswith("outer.<locals>.Local")


def test_cache_holds_no_code_alive():
    fn = define("def f(x):\n    return x + 1 if x else -1\n", "<short-lived>")
    assert convert(fn, HOOKS)(2) == 3
    ref = weakref.ref(fn.__code__)
    del fn
    gc.collect()
    assert ref() is None


def test_two_lambdas_on_one_line():
    pair = (lambda v: v * 2 if v > 0 else v), (lambda v: v * 2 if v > 1 else -v)
    nested = lambda v: lambda w: w + v
    new = [convert(f, HOOKS) for f in pair]
    assert [f(1) for f in new] == [2, -1] and new[0].__name__ == "<lambda>"
    assert convert(nested, HOOKS)(2)(3) == 5 and convert(nested(4), HOOKS)(3) == 7


def test_no_source():
    space = {}
    exec("def f(x):\n    return x\n", space)
    with pytest.raises(NoSource, match="source"):
        convert(space["f"], HOOKS)
    with pytest.raises(NoSource):
        convert(convert, HOOKS) if convert.__code__.co_filename == "?" else convert(space["f"], HOOKS)


@pytest.mark.parametrize("change", ["    return x + 2\n", "    y = x\n    return y\n", ""])
def test_stale_source(tmp_path, change):
    path = tmp_path / "edited.py"
    path.write_text("def other():\n    pass\ndef f(x):\n    return x + 1\n")
    space = {"__name__": "edited"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    path.write_text("def other():\n    pass\n" + ("def f(x):\n" + change if change else "# gone\n"))
    with pytest.raises(GfxError, match="source changed") as raised:
        convert(space["f"], HOOKS)
    assert f"{path}:3" in str(raised.value)


def test_async_is_refused():
    async def half(x):
        return x

    with pytest.raises(GfxError, match="async function: 'half'"):
        convert(half, HOOKS)


def test_jump_out_of_finally_is_refused():
    def f(x):
        try:
            return x
        finally:
            return 1

    with pytest.raises(GfxError, match="finally"):
        convert(f, HOOKS)


def test_tracebacks_show_the_users_lines():
    # fmt: off
    def f(x):
        y = [1,
             2]
        if x > 0:
            for v in y:
                if v == 2:
                    raise ValueError(
                        x)
        return x
    # fmt: on

    first = f.__code__.co_firstlineno
    try:
        convert(f, HOOKS)(1)
    except ValueError as error:
        frames = [s for s in traceback.extract_tb(error.__traceback__) if s.filename == __file__]
    assert [s.lineno - first for s in frames][1:] == [3, 4, 5, 6]
    assert frames[-1].line.startswith("raise ValueError")
    assert convert(f, HOOKS).__code__.co_firstlineno == first


def test_source_reads_back():
    text = converted_source(examples.loops_with_jumps)
    compile(text, "<text>", "exec")
    assert "gfx_for(" in text and "gfx_call(" in text
