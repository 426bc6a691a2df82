"""Families of what code keeps from call to call: each place of it, in each way that code asks for it and writes it, over several calls,
against Python."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import torch

import gfx_trace as gfx
from family_checks import REFUSED, SECONDS, Program, outcome, run_families, same, within
from program_text import define

CALLS = 3
HELPERS = """
import collections, copy, dataclasses, functools, inspect, operator, types
import torch


class Plain:
    def __init__(self): self.c = START
    def __iter__(self): return iter([self.c])
    def __getattr__(self, name):
        if name == "lazy": return self.c
        raise AttributeError(name)
    @property
    def shown(self): return self.c
    def asked(self): return self.c
    def __call__(self): return self.c
    def __getitem__(self, at): return self.c


class Truth:
    def __init__(self): self.c = None
    def __eq__(self, other): return isinstance(other, Truth) and self.c is None
    def __len__(self): return 0 if self.c is None else 1
    def __bool__(self): return self.c is not None
    def __contains__(self, at): return self.c is not None


class Slotted:
    __slots__ = ("c",)
    def __init__(self): self.c = START


@dataclasses.dataclass
class Record:
    c: object = dataclasses.field(default_factory=lambda: START)
"""
_ATTRIBUTE = ("m.c", "getattr(m, 'c', None)", "vars(m)['c']", "m.__dict__.get('c')", "operator.attrgetter('c')(m)")
_SET = ("m.c = NEW", "setattr(m, 'c', NEW)", "vars(m)['c'] = NEW")
PLACES = {
    "attribute": ("m = Plain()", (
        *_ATTRIBUTE, "m.__getattribute__('c')", "object.__getattribute__(m, 'c')", "copy.copy(m).c", "m.shown", "m.asked()", "m.lazy", "m()", "m[0]",
        "list(m)[0]", "next(iter(m))", "inspect.getattr_static(m, 'c')", "operator.methodcaller('asked')(m)", "next(v for v in vars(m).values())",
        "{**vars(m)}['c']", "types.SimpleNamespace(**vars(m)).c", "functools.partial(getattr, m, 'c')()", "functools.reduce(getattr, ['c'], m)",
    ), (*_SET, "m.__dict__.update(c=NEW)", "object.__setattr__(m, 'c', NEW)", "m.__setattr__('c', NEW)"), "m.c"),
    "slot": ("m = Slotted()", ("m.c", "getattr(m, 'c', None)", "Slotted.c.__get__(m)", "copy.copy(m).c"), ("m.c = NEW", "Slotted.c.__set__(m, NEW)"), "m.c"),
    "field": ("m = Record()", ("m.c", "dataclasses.asdict(m)['c']", "dataclasses.astuple(m)[0]", "dataclasses.replace(m).c"), ("m.c = NEW",), "m.c"),
    "attribute of a class": ("m = type('Kind', (), {'c': START})", ("m.c", "m().c", "vars(m)['c']"), ("m.c = NEW", "type.__setattr__(m, 'c', NEW)"), "m.c"),
    "attribute of a function": ("m = lambda: None\nm.c = START", _ATTRIBUTE, _SET, "m.c"),
    "attribute of a namespace": ("m = types.SimpleNamespace(c=START)", _ATTRIBUTE, _SET, "m.c"),
    "name of a Python module": ("m = types.ModuleType('mm')\nm.c = START", _ATTRIBUTE, ("m.c = NEW", "setattr(m, 'c', NEW)"), "m.c"),
    "attribute of a module": ("m = torch.nn.Identity()\nm.c = START", (*_ATTRIBUTE, "copy.copy(m).c"), (*_SET, "object.__setattr__(m, 'c', NEW)"), "m.c"),
    "buffer": ("m = torch.nn.Identity()\nm.register_buffer('c', START)", (
        "m.c", "getattr(m, 'c', None)", "m._buffers['c']", "dict(m.named_buffers()).get('c')", "next(m.buffers(), None)", "m.get_buffer('c')",
        "m.state_dict().get('c')",
    ), ("m.c = NEW", "m._buffers['c'] = NEW"), "m.c"),
    "item of a dictionary": ("m = {'c': START}", (
        "m['c']", "m.get('c')", "list(m.values())[0]", "dict(m)['c']", "{**m}['c']", "operator.itemgetter('c')(m)", "[v for k, v in m.items()][0]",
        "(m | {})['c']", "copy.copy(m)['c']", "m.setdefault('c')", "next(iter(m.values()))",
    ), ("m['c'] = NEW", "m.update(c=NEW)", "m.__setitem__('c', NEW)", "operator.setitem(m, 'c', NEW)"), "m['c']"),
    "item of a list": ("m = [START]", (
        "m[0]", "m[-1]", "list(m)[0]", "m[:][0]", "[*m][0]", "next(iter(m))", "(lambda *a: a[0])(*m)", "m.copy()[0]", "tuple(m)[0]", "(m + [1])[0]",
    ), ("m[0] = NEW", "m[:] = [NEW]", "m.__setitem__(0, NEW)"), "m[0]"),
    "global": ("m = START", ("m", "globals()['m']"), ("m = NEW",), "m"),
}  # fmt: skip
"""Where it is, what makes that, the ways to ask for it and to write it, and how the call gives it."""
CONTENTS = {
    "truth": ("m = Truth()", ("(m if m else None)", "(len(m) or None)", "(1 if 0 in m else None)", "(None if m == Truth() else 1)", "(m or None)"), ("m.c = NEW",), "m.c"),
    "keys": ("m = {}", ("(m if 'c' in m else None)", "m.get('c')", "(m or None)", "(list(m) or None)", "(sorted(m) or None)", "next(iter(m), None)"),
             ("m['c'] = NEW", "m.update(c=NEW)", "m.setdefault('c', NEW)"), "m['c']"),
    "list": ("m = []", ("(m or None)", "(len(m) or None)", "(m[-1] if m else None)", "(None if m == [] else 1)", "next(iter(m), None)"),
             ("m.append(NEW)", "m.extend([NEW])", "m += [NEW]", "m.insert(0, NEW)"), "m[-1]"),
    "deque": ("m = collections.deque()", ("(m or None)", "(len(m) or None)"), ("m.append(NEW)",), "m[-1]"),
    "set": ("m = set()", ("(m or None)", "(1 if 1 in m else None)"), ("m.add(1)",), "x * 7"),
}  # fmt: skip
"""The same of what is not there at first."""
BODIES = {
    "None": ("None", "x * 2", "if ASK is None:\n        WRITE\n        return x\n    return READ + 1"),
    "number": ("0.5", "x * 2", "if isinstance(ASK, float):\n        WRITE\n        return x\n    return READ + 1"),
    "flag": ("0.5", "1.5", "if ASK == 0.5:\n        WRITE\n        return x\n    return READ + x"),
    "tensor": ("torch.zeros(3)", "x * 2", "r = (ASK) + x\n    WRITE\n    return r"),
    "counter": ("3", "(ASK) + 1", "WRITE\n    return x * READ"),
    "halved": ("0.5", "(ASK) / 2", "r = x + (ASK)\n    WRITE\n    return r"),
    "first call": ("True", "not (ASK)", "r = x * 2 if ASK else x\n    WRITE\n    return r"),
    "largest": ("0.5", "max(ASK, float(x.sum()))", "WRITE\n    return x - READ"),
    "sum": ("0.5", "(ASK) + x.sum()", "WRITE\n    return x * READ"),
    "written alone": ("None", "x * 2", "WRITE\n    return READ + 1"),
}
"""What stands there at first, what the code writes, and what it does."""

FUNCTIONS = {
    "twice": ("", "r = g(x)\n    WRITE\n    r = r * 10 + g(x)"),
    "in a test": ("", "r = g(x)\n    if n > 1:\n        WRITE\n    r = r * 10 + g(x)"),
    "in a loop": (
        "",
        "r = x * 0\n    for i in range(n):\n        r = r * 2 + g(x)\n        WRITE\n    r = r * 10 + g(x)",
    ),
    "by a function": ("def h(x):\n    GLOBAL\n    WRITE\n    return x", "r = g(x)\n    h(x)\n    r = r * 10 + g(x)"),
    "within another": ("def k(x):\n    return g(x) + 1", "r = k(x)\n    WRITE\n    r = r * 10 + k(x)"),
}
"""Functions beside one that asks, and what a call does that writes between two calls of it, and puts back what was there."""
STARTS = {"number": ("0.5", "1.5"), "tensor": ("torch.full((3,), 0.5)", "x * 2"), "number to tensor": ("0.5", "x * 2")}


def asked_by_functions() -> Iterator[Program]:
    """What stands in a place, asked for by a function that is called before and behind a write."""
    for (begins, (start, new)), (place, (made, asks, writes, _)), (how, (beside, body)) in itertools.product(
        STARTS.items(), PLACES.items(), FUNCTIONS.items()
    ):
        for ask, write in itertools.product(asks, writes):
            if place == "buffer" and begins != "tensor":
                continue
            back = write.replace("NEW", start)
            lines = f"GLOBAL\n    {body}\n    {back}\n    return r"
            asking = f"def g(x):\n    return x * ({ask})"
            text = f"{HELPERS}\n{made}\n\n\n{asking}\n\n\n{beside}\n\n\ndef f(x, n: int):\n    {lines}\n"
            text = text.replace("WRITE", write).replace("NEW", new).replace("START", start)
            head = "global m" if write.startswith("m =") else "pass"
            yield Program(f"{begins} in {place}, {ask}, {write}, {how}", text.replace("GLOBAL", head), [1.0, 2.0, 3.0])


def kept() -> Iterator[Program]:
    """What stands in a place, asked for, and written by the same call."""
    for (begins, (start, new, body)), (place, (made, asks, writes, read)) in itertools.product(
        BODIES.items(), {**PLACES, **CONTENTS}.items()
    ):
        if (place in CONTENTS and start != "None") or (place == "buffer" and start not in ("None", "torch.zeros(3)")):
            continue
        for ask, write in itertools.product(asks[:1] if "ASK" not in body + new else asks, writes):
            lines = body.replace("WRITE", write).replace("READ", read).replace("NEW", new).replace("ASK", ask)
            head = "global m\n    " if write.startswith(("m =", "m +=")) else ""
            text = f"{HELPERS}\n{made}\n\n\ndef f(x):\n    {head}{lines}\n".replace("START", start)
            yield Program(f"{begins} in {place}, {ask}, {write}", text, [1.0, 2.0, 3.0])


@within(SECONDS)
def judged_over_calls(program: Program) -> str:
    """What came of it: as `judged` has it, for the results of several calls."""
    x = torch.tensor(program.x)
    author, captured, typed = (define(program.text, f"<{program.name}>") for _ in range(3))
    try:
        wants = [outcome(lambda at=at: author(x + at)) for at in range(CALLS)]
        if any(isinstance(want, str) for want in wants):
            return "skipped"
        try:
            run = gfx.symbolic_trace(captured, backend="torch")
        except gfx.GfxError:  # what takes the place of None has to have a type
            run = gfx.symbolic_trace(typed, x)
    except gfx.GfxError:
        return REFUSED
    except Exception as error:
        return f"crash: {type(error).__name__}: {error}"
    for at, want in enumerate(wants):
        got = outcome(lambda at=at: run(x + at))
        if not same(want, got, True):
            return f"wrong: call {at}: {want}, got {got}"
        if got == REFUSED:
            return REFUSED
    return "equal"


if __name__ == "__main__":
    wrong = run_families({"kept": kept}, (HELPERS,), __doc__, judged_over_calls)
    raise SystemExit(run_families({"asked by functions": asked_by_functions}, (HELPERS,), __doc__) or wrong)
