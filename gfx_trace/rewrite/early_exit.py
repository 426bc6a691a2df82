"""return, break and continue become structure: sides of an `if`, and flags where an `if` is not enough.

Afterwards a `return` stands only at the end of a function or of a side of an `if` marked `returns`, and loops have
neither `break` nor `continue`, but `stop`: the names of the flags that end them.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.source import Span

from .flow import LOOPS, TRY, falls, forget, jumps, yields
from .names import Fresh
from .templates import any_of, assign, at, const, hook, load, none_of

BLOCKS = (ast.With, *TRY)


@dataclass(slots=True)
class Jumps:
    """Where a jump goes: the flags of the loop around, and those of a return."""

    brk: str = ""
    cont: str = ""
    ret: str = ""
    value: str = ""
    used: set[str] = field(default_factory=set)

    def flags(self, kinds: frozenset) -> list[str]:
        """The flags that a statement with such jumps may set."""
        pairs = (("break", self.brk), ("continue", self.cont), ("return", self.ret))
        found = [flag for kind, flag in pairs if kind in kinds]
        self.used.update(found)
        return found


NOWHERE = Jumps()


class EarlyExit:
    """Lowers the body of one user function."""

    def __init__(self, fresh: Fresh, file: str, name: str) -> None:
        self.fresh, self.file, self.name = fresh, file, name

    # ---- the function's own level: returns are real

    def tail(self, stmts: list) -> list:
        """A block after which the function ends."""
        out: list = []
        for i, s in enumerate(stmts):
            kinds = jumps(s)
            if isinstance(s, (ast.Return, ast.Raise)):
                return [*out, s]
            if "return" not in kinds:
                out += self.block([s], NOWHERE, False)
                if not falls(s):
                    return out
                continue
            rest = stmts[i + 1 :]
            if isinstance(s, ast.If):
                return out + self.tail_if(s, rest)
            if isinstance(s, BLOCKS) and self.returns_by_itself(s, rest):
                return out + self.tail_block(s) + self.tail(rest)
            return out + self.by_flag(s, rest)
        return out

    def tail_if(self, s: ast.If, rest: list) -> list:
        """An `if` with a return in it: what follows moves into the side that goes on; where both may, it stands once, behind a flag."""
        goes_on = falls(s.body), falls(s.orelse)
        if rest and all(goes_on):
            return self.by_flag(s, rest)
        body = self.tail(s.body + rest if goes_on[0] else s.body)
        orelse = self.tail(s.orelse + rest if goes_on[1] else s.orelse)
        new = at(ast.If(s.test, body, orelse), s)
        new.returns = True
        return [new]

    def returns_by_itself(self, s: ast.stmt, rest: list) -> bool:
        """May the returns inside a with or try stay real? Not where an `if` in it returns on one side and goes on."""
        if isinstance(s, ast.With):
            return not rest or not falls(s.body)
        if any(jumps(x) for x in s.finalbody):
            self.refuse(s, "finally")
        parts = [(s.body, bool(s.orelse)), (s.orelse, False), *((h.body, False) for h in s.handlers)]
        returning = [(p, more) for p, more in parts if any("return" in jumps(x) for x in p)]
        return all(not falls(p) or not (rest or more) for p, more in returning)

    def tail_block(self, s: ast.stmt) -> list:
        s.body = self.tail(s.body)
        if isinstance(s, TRY):
            s.orelse, s.finalbody = self.tail(s.orelse), self.tail(s.finalbody)
            for h in s.handlers:
                h.body = self.tail(h.body)
        return [forget(s)]

    def by_flag(self, s: ast.stmt, rest: list) -> list:
        """A return inside a loop, with or try, or on one way of several through an `if`: a flag and a value, asked for afterwards."""
        ret, value = self.fresh.group("returned", "value")
        to = Jumps(ret=ret, value=value)
        nothing = hook("gfx_undefined", [const("return value")], s)
        out = [assign(ret, const(False), s), assign(value, nothing, s)]
        goes_on = falls(s)
        out += self.block([s], to, False)
        back = at(ast.Return(hook("gfx_returned", [at(load(value), s)], s)), s)
        if not goes_on:
            return [*out, back]
        return out + self.tail_if(at(ast.If(any_of([ret], s), [back], []), s), rest)

    # ---- inside of loops, with and try: jumps set flags

    def block(self, stmts: list, to: Jumps, last: bool) -> list:
        """A block whose jumps go `to`; `last`: nothing follows it in the loop's body, so `continue` needs no flag."""
        out: list = []
        for i, s in enumerate(stmts):
            if isinstance(s, (ast.Break, ast.Continue, ast.Return)):
                return out + self.jump(s, to, last)
            kinds = jumps(s)
            rest = stmts[i + 1 :] if falls(s) else []
            if isinstance(s, LOOPS):
                kinds = frozenset({"return"} if any("return" in jumps(x) for x in s.body) else ())
                made, after = self.loop(s, to)
                out += made
                rest = after + rest
            elif not kinds:
                out.append(self.straight(s))
                if not falls(s):
                    return out
                continue
            elif isinstance(s, ast.If) and not (rest and falls(s.body) and falls(s.orelse)):
                body = self.block(s.body + rest if falls(s.body) else s.body, to, last)
                orelse = self.block(s.orelse + rest if falls(s.orelse) else s.orelse, to, last)
                return [*out, at(ast.If(s.test, body, orelse), s)]
            else:
                out.append(self.inside(s, to))
            if not kinds:
                return out + self.block(rest, to, last)
            if rest:
                guarded = self.block(rest, to, last)
                out.append(at(ast.If(none_of(to.flags(kinds), s), guarded, []), s))
            return out
        return out

    def jump(self, s: ast.stmt, to: Jumps, last: bool) -> list:
        if isinstance(s, ast.Return):
            value = s.value if s.value is not None else at(const(None), s)
            return [assign(to.value, value, s), assign(to.ret, const(True), s)]
        if isinstance(s, ast.Continue):
            if last:
                return []
            to.used.add(to.cont)
            return [assign(to.cont, const(True), s)]
        return [assign(to.brk, const(True), s)]

    def straight(self, s: ast.stmt) -> ast.stmt:
        """A statement that nothing jumps out of."""
        return self.inside(s, NOWHERE) if isinstance(s, (ast.If, *BLOCKS)) else s

    def inside(self, s: ast.stmt, to: Jumps) -> ast.stmt:
        """An if, with or try that other statements may follow."""
        if isinstance(s, ast.If):
            return at(ast.If(s.test, self.block(s.body, to, False), self.block(s.orelse, to, False)), s)
        leaves = frozenset().union(*map(jumps, s.body))
        s.body = self.block(s.body, to, False)
        if isinstance(s, TRY):
            if any(jumps(x) for x in s.finalbody):
                self.refuse(s, "finally")
            orelse = self.block(s.orelse, to, False)
            if orelse and leaves:
                orelse = [at(ast.If(none_of(to.flags(leaves), s), orelse, []), s)]
            s.orelse, s.finalbody = orelse, self.block(s.finalbody, NOWHERE, False)
            for h in s.handlers:  # at the end of one with a name, that name is deleted, also after a jump
                last = h.body[-1:] if h.name else []
                h.body = self.block(h.body[: len(h.body) - len(last)], to, False) + last
        return forget(s)

    def loop(self, s: ast.stmt, to: Jumps) -> tuple[list, list]:
        """The loop without jumps, and the statements (still to be lowered) that its `else` becomes."""
        brk, cont = self.fresh.group("stopped", "skipped")
        inner = Jumps(brk, cont, to.ret, to.value)
        kinds = frozenset().union(*map(jumps, s.body))
        body = self.block(s.body, inner, True)
        if cont in inner.used:
            body = [assign(cont, const(False), s), *body]
        stop = inner.flags(kinds - {"continue"})
        first = [assign(brk, const(False), s)] if "break" in kinds else []
        after = s.orelse
        if after and stop:
            after = [at(ast.If(none_of(stop, s), after, []), s)]
        s.body, s.orelse, s.stop = body, [], stop
        s.returned = [to.value] if to.ret in stop else []
        return [*first, forget(s)], after

    def refuse(self, s: ast.stmt, where: str) -> None:
        what = f"GFX cannot convert this {where}: {self.name!r} jumps out of it, which would drop an exception"
        raise UnsupportedConstruct(what, Span(self.file, s.lineno, self.name), "Return after the try statement.")

    # ---- generators: what holds a yield, or leaves a loop that does, stays as it is

    def generator(self, stmts: list, native_loop: bool = False) -> list:
        out: list = []
        for s in stmts:
            kinds = jumps(s)
            stays = yields(s) or "return" in kinds or (native_loop and bool(kinds))
            if not stays or not isinstance(s, (ast.If, *LOOPS, *BLOCKS)):
                out += [s] if isinstance(s, (ast.Return, ast.Break, ast.Continue)) else self.block([s], NOWHERE, False)
                continue
            s.native = True
            inner = native_loop or isinstance(s, LOOPS)
            s.body = self.generator(s.body, inner)
            for h in getattr(s, "handlers", ()):
                h.body = self.generator(h.body, inner)
            for part in ("orelse", "finalbody"):
                if getattr(s, part, None):
                    setattr(s, part, self.generator(getattr(s, part), native_loop))
            out.append(s)
        return out
