"""Tests and loops as a functional target writes them: `lax.cond`, `lax.while_loop`, `lax.fori_loop`, `lax.scan`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any

from ..control import is_for
from ..graph import Graph, Node, Value
from ..infer.elements import declared
from ..reach import reached
from .casts import Casts
from .constants import call, name, names_in
from .copying import outputs_of
from .liveness import counted, loop_results, placeholders
from .logic import flat
from .names import Scope
from .nesting import run
from .statements import Finish

_SIDES = ("then", "otherwise")
_LINE = 80  # columns of a test and its sides that stand on one line, with what is around them
_LINEAR = frozenset(("getitem", "add", "subtract", "negative", "sum", "mean", "reshape"))


class Functional(Casts):
    """Control flow by higher-order functions, with closures."""

    def higher(self, text: str) -> ast.expr:
        """A function of the target's module for control flow."""
        return ast.Attribute(self.module.free(name(self.module.style.prefix)), text, ast.Load())

    def closure(self, regions: Sequence[Graph]) -> Scope:
        """The scope of a nested function that holds these regions."""
        closed = {
            found for region in regions for value in self.plan.positions.captured(region) for found in self._read(value)
        }
        owner = regions[0].owner
        if owner is not None and is_for(owner) and owner.arg("exit") is not None:  # its items are read inside
            closed |= names_in(*map(self.tree, owner.args[0]))
        return Scope(self.plan, self.scope.reserved, closed)

    def _read(self, value: Value) -> set[str]:
        """Names that reading a value from outside reads."""
        if value not in self.bound and value.node.op.name != "parameter":
            return set()
        return names_in(self.value(value))

    def function(
        self, region: Graph, hint: str, avoid: set[str], enter: Callable[[], list[str]], finish: Finish
    ) -> ast.expr:
        """A region as a lambda, or as a function written before the statement at hand; `enter` gives its arguments."""
        outer_scope, outer_out, outer_prefer = self.scope, self.out, self.prefer
        self.scope, self.out, self.prefer = self.closure([region]), [], {}
        arguments = enter()
        run(self.fill_block(region, finish))
        body = self.out
        inner = self.scope
        self.scope, self.out, self.prefer = outer_scope, outer_out, outer_prefer
        signature = self._signature(arguments)
        if len(body) == 1 and isinstance(body[0], ast.Return) and hint in _SIDES and body[0].value is not None:
            return ast.Lambda(signature, body[0].value)
        text = self._function_name(hint, region, inner, avoid)
        avoid.add(text)
        self.put(ast.FunctionDef(text, signature, body, [], None))
        return name(text)

    def _signature(self, names: Sequence[str]) -> ast.arguments:
        """The signature of a nested function."""
        return ast.arguments([], [ast.arg(text) for text in names], None, [], [], None, [])

    def _function_name(self, hint: str, region: Graph, inner: Scope, avoid: set[str]) -> str:
        """A name for a nested function that hides nothing which is read later, or inside it."""
        assert region.owner is not None
        statement = self.plan.positions.statement(region.owner)
        graph, number = self.place(statement)
        written = takewhile(lambda stmt: isinstance(stmt, ast.FunctionDef), reversed(self.out))  # and not called yet
        beside = {function.name for function in written if isinstance(function, ast.FunctionDef)}
        return self.scope.pick([hint], graph, 2 * number - 1, avoid | beside | set(inner.closed))

    # ------------------------------------------------------------------ cond
    def functional_if(self, node: Node) -> ast.expr:
        """`lax.cond`; a choice between two values that exist already is the target's `where`."""
        outputs = [value for value in node.values if self.plan.liveness.used(value)]
        sides = [[outputs_of(r.result, len(node.values))[v.index - 1] for v in outputs] for r in node.regions]
        test = self.leaf(node.args[0])
        both = self._both(node, sides)
        if both is not None:
            return both
        chosen = len(outputs) == 1 and self._is_chosen([side[0] for side in sides], node.regions)
        if chosen and self.plan.agreement.alike(sides[0][0], sides[1][0]):  # `where` would broadcast others
            where = ast.Attribute(self.module.free(name(self.module.style.module)), "where", ast.Load())
            given = [self.tree(side[0]) for side in sides]
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Invert):
                test, given = test.operand, given[::-1]
            return ast.Call(where, [test, *given], [])
        functions = self._sides(node, sides, outputs, test)
        if typed := self.module.style.control == "functional":
            self.plan.agreement.check_axes(node, sides, self.module.style.name)
        differs = typed and any(self.plan.agreement.sides_differ(then, other) for then, other in zip(*sides))
        differs |= typed and chosen and self.plan.agreement.unrelated(sides[0][0], sides[1][0])
        cond = name(self.module.use("promoting_cond")) if differs else self.higher("cond")
        return ast.Call(cond, [test, *functions], [])

    def _sides(
        self, node: Node, sides: Sequence[list[Any]], outputs: Sequence[Value], test: ast.expr
    ) -> list[ast.expr]:
        """The functions of a test. Beside one with a name, a lambda that would break the line has one too."""
        avoid: set[str] = set()
        functions, before = [], []
        for region, side, hint in zip(node.regions, sides, _SIDES):

            def finish(region: Graph = region, side: list[Any] = side) -> bool:
                return self.give(region, side, outputs)

            before.append(len(self.out))
            functions.append(self.function(region, hint, avoid, list, finish))
        lambdas = [at for at, made in enumerate(functions) if isinstance(made, ast.Lambda)]
        if len(lambdas) == 1 and sum(len(ast.unparse(part)) for part in (test, *functions)) > _LINE:
            (at,) = lambdas
            made, region = functions[at], node.regions[at]
            assert isinstance(made, ast.Lambda)
            text = self._function_name(_SIDES[at], region, self.closure([region]), avoid)
            self.out.insert(before[at], ast.FunctionDef(text, made.args, [ast.Return(made.body)], [], None))
            functions[at] = name(text)
        return functions

    def give(self, region: Graph, results: Sequence[Any], values: Sequence[Value], whole: bool = False) -> bool:
        """End the function of a region by what stands for `values`: one or a tuple (`whole`: a tuple in any case)."""
        return self.return_(tuple(results) if whole or len(results) != 1 else results[0])

    def _both(self, node: Node, sides: Sequence[Sequence[Any]]) -> ast.expr | None:
        """`a & b` or `a | b` of booleans, where the right one is an expression."""
        if len(sides[0]) != 1 or any(self.plan.order[region] for region in node.regions):
            return None
        test, is_boolean = self.plan.resolve(node.args[0]), self.plan.facts.is_boolean
        then, other = (self.plan.resolve(side[0]) for side in sides)
        for leaf, known, expected, sign in ((then, other, False, ast.BitAnd), (other, then, True, ast.BitOr)):
            if known is expected and type(leaf) is Value and is_boolean(test) and is_boolean(leaf):
                return flat(self.leaf(test), sign, self.leaf(leaf))
        return None

    def _is_chosen(self, leaves: Sequence[Any], regions: Sequence[Graph]) -> bool:
        """Whether a test only chooses between two values that exist already, or cost nothing."""
        return all(map(self._is_plain, leaves, regions)) or self._beside_number(leaves, regions)

    def _is_plain(self, leaf: Any, region: Graph) -> bool:
        """Whether a side just names a value from outside, or a number, and does nothing else."""
        value = self.plan.resolve(leaf)
        if self.plan.order[region]:
            return False
        if type(value) is Value:
            return value.node.graph is not region and value.kind in ("tensor", "int", "float", "bool")
        return isinstance(value, (bool, int, float))

    def _beside_number(self, sides: Sequence[Any], regions: Sequence[Graph]) -> bool:
        """Whether one side is a number, and the other a linear expression: computed in vain, it harms no gradient."""
        leaves = [self.plan.resolve(side) for side in sides]
        if any(self.plan.order[region] for region in regions) or not self.plan.agreement.sides_differ(*leaves):
            return False
        inside = lambda found: [
            x for x in map(self.plan.resolve, found) if type(x) is Value and x.node.graph in regions
        ]
        computed = reached(inside(leaves), lambda value: inside(read.value for read in value.node.inputs))
        return all(value.node.op.name in _LINEAR for value in computed)

    # ------------------------------------------------------------------ loops
    def functional_loop(self, node: Node) -> ast.expr:
        """The loop as a call; its carried values that are needed are one value or a tuple."""
        if not is_for(node):
            return self._while_loop(node, self.plan.liveness.carried(node))
        carried = self.plan.liveness.carried(node)
        if counted(node):
            return self._fori_loop(node, carried)
        if node.arg("exit") is not None:
            return self._while_over(node, carried)
        return self._scan(node, carried)

    def loop_values(self, node: Node) -> list[Value | None]:
        """The values that the loop's call gives, in order (None: one that is not needed outside)."""
        carried = [node.values[at] for at in self.plan.liveness.carried(node)]
        return [*([None] if is_for(node) and node.arg("exit") is not None else []), *carried]

    def _scan(self, node: Node, carried: list[int]) -> ast.expr:
        raise NotImplementedError

    def _while_over(self, node: Node, carried: list[int]) -> ast.expr:
        raise NotImplementedError

    def _phis(self, node: Node, region: Graph, carried: Sequence[int]) -> list[Value]:
        phis = placeholders(node, region)[1]
        return [phis[at] for at in carried]

    def _enter(
        self, phis: Sequence[Value | None], names: Sequence[str | None], before: Sequence[Value | None] = ()
    ) -> list[str]:
        """Bind the arguments of a loop's function: those before, then the carried values as one or a tuple."""
        arguments: list[str] = []
        for value in before:
            arguments.append(self._argument(value, None, arguments))
        if len(phis) == 1:
            only = self._argument(phis[0], names[0], arguments)
            return [*arguments, only if only not in arguments else "_carry"]
        targets: list[str] = []
        for value, hint in zip(phis, names):
            targets.append(self._argument(value, hint, [*arguments, *targets]))
        carry = self._carry_name([*targets, *arguments])
        if any(text != "_" for text in targets):
            stored: list[ast.expr] = [ast.Name(text, ast.Store()) for text in targets]
            self.put(ast.Assign([ast.Tuple(stored, ast.Store())], name(carry)))
        return [*arguments, carry]

    def _carry_name(self, avoid: Sequence[str]) -> str:
        """What the tuple of carried values is called: nothing that the function reads or unpacks it to."""
        return next(
            text for text in ("carry", "state", "carried", "loop_state") if text not in (*avoid, *self.scope.closed)
        )

    def _argument(self, value: Value | None, hint: str | None, avoid: Sequence[str]) -> str:
        if value is None or not self.plan.liveness.used(value):
            return "_"
        graph = value.node.graph
        assert graph is not None
        fallback = {"int": "i"}.get(value.kind, "value")
        text = self.scope.pick([value.name, hint, fallback], graph, 0, avoid)
        self.bind(value, text)
        return text

    def _give(self, items: Sequence[Any]) -> Any:
        return items[0] if len(items) == 1 else tuple(items)

    def _init(self, node: Node, at: int) -> ast.expr:
        """What a value is before the loop; a number is typed where the loop is known to give an array, or another kind."""
        init = self.plan.resolve(node.arg("init")[at])
        if self.module.style.control == "python":
            return self.tree(init)
        element = declared(node.values[at])
        weak = (
            element is None or element.kind != "b" or not self.plan.facts.is_boolean(init)
        )  # True and False have one dtype
        if weak and element is not None and declared(init) is None and self.plan.facts.may_be_weak(init):
            return self.typed(self.tree(init), element)
        return self.of_kind(init, self.plan.agreement.widened(node, at))

    def _inits(self, node: Node, carried: Sequence[int]) -> ast.expr:
        items = [self._init(node, at) for at in carried]
        return items[0] if len(items) == 1 else ast.Tuple(items, ast.Load())

    def _settled(self, node: Node, init: ast.expr, trip: ast.expr, *rows: ast.expr) -> ast.expr:
        """What a loop starts from: where a number may become an array, or another kind of number late, as its trips say."""
        return call(self.module.use("settled"), trip, init, *rows) if self._unsettled(node) else init

    def _unsettled(self, node: Node) -> bool:
        """Whether what is carried may become an array, or of another kind late, and the target has words for it."""
        return self.module.style.control == "functional" and (
            self.plan.agreement.settles_late(node)
            or self.plan.agreement.grows(node)
            or any(self.plan.agreement.apart(node, at) for at in self.plan.liveness.carried(node))
        )

    def _hints(self, node: Node, carried: Sequence[int]) -> list[str | None]:
        phis = placeholders(node, node.regions[-1])[1]
        return [phis[at].name or node.values[at].name or ("done" if at == node.arg("exit") else None) for at in carried]

    def _want_results(self, node: Node, carried: Sequence[int]) -> None:
        """Results of the body get the names of the values that they carry on, where these are dead by then."""
        for at in carried:
            phi = placeholders(node, node.regions[-1])[1][at]
            read = self.bound.get(phi)
            result = self.plan.resolve(loop_results(node)[at])
            if (
                isinstance(read, ast.Name)
                and type(result) is Value
                and result.node.graph is node.regions[-1]
                and result.name
            ):
                self.prefer[result] = read.id

    def _while_loop(self, node: Node, carried: list[int]) -> ast.expr:
        test, body = node.regions
        hints = self._hints(node, carried)
        flag = node.arg("exit")
        avoid: set[str] = set()

        def ask() -> bool:
            asked = self.tree(outputs_of(test.result, 1)[0])
            if flag is not None:
                done = ast.UnaryOp(ast.Invert(), name(flags[0]))
                always = isinstance(asked, ast.Constant) and asked.value is True
                asked = done if always else ast.BinOp(asked, ast.BitAnd(), done)
            self.put(ast.Return(asked))
            return True

        flags: list[str] = []
        condition = self.function(test, "cond", avoid, lambda: self._enter_test(node, carried, hints, flags), ask)
        step = self.function(
            body, "body", avoid, lambda: self._enter_body(node, carried, hints), self._finish(node, carried)
        )
        init = self._settled(node, self._inits(node, carried), step)
        return ast.Call(self.higher("while_loop"), [condition, step, init], [])

    def _enter_test(self, node: Node, carried: list[int], hints: list[str | None], flags: list[str]) -> list[str]:
        """Arguments of the test; the flag that ends the loop is among what it reads."""
        phis = self._phis(node, node.regions[0], carried)
        flag = node.arg("exit")
        if flag is not None:
            phi = phis[carried.index(flag)]
            self.plan.liveness.users.setdefault(phi, [])
        arguments = self._enter(phis, hints)
        if flag is not None:
            read = self.bound[phi]
            assert isinstance(read, ast.Name)
            flags.append(read.id)
        return arguments

    def _enter_body(
        self, node: Node, carried: list[int], hints: list[str | None], before: Sequence[Value | None] = ()
    ) -> list[str]:
        self.read_dtypes(node, carried)
        arguments = self._enter(self._phis(node, node.regions[-1], carried), hints, before)
        self._want_results(node, carried)
        return arguments

    def _finish(self, node: Node, carried: Sequence[int]) -> Finish:
        results, values = [loop_results(node)[at] for at in carried], [node.values[at] for at in carried]

        def finish() -> bool:
            if not any(self.is_cast(node, at) for at in carried):
                return self.give(node.regions[-1], results, values)
            items = [self.trip_result(node, at) for at in carried]
            self.put(ast.Return(items[0] if len(items) == 1 else ast.Tuple(items, ast.Load())))
            return True

        return finish

    def _fori_loop(self, node: Node, carried: list[int]) -> ast.expr:
        body = node.regions[-1]
        items = placeholders(node, body)[0]
        hints = self._hints(node, carried)
        step = self.function(
            body, "body", set(), lambda: self._enter_body(node, carried, hints, items), self._finish(node, carried)
        )
        _, start, stop, _ = node.args[0][0]
        first = self.tree(start)
        trip = ast.Lambda(self._signature(["carry"]), ast.Call(step, [first, name("carry")], []))
        init = self._settled(node, self._inits(node, carried), trip)
        return ast.Call(self.higher("fori_loop"), [first, self.tree(stop), step, init], [])
