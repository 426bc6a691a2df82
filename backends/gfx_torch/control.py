"""Control flow of PyTorch's higher-order operators: `torch.cond`, `torch.while_loop`, `scan`.

What goes in and out of them is tensors of fixed dtypes; a result is neither an operand nor another result; a tensor as an index
is a list of positions. Functions close over what they read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from gfx_ir.codegen import constants
from gfx_ir.codegen.constants import call, name, parse
from gfx_ir.codegen.control.higher import HigherOrder
from gfx_ir.codegen.liveness import counted, loop_results, placeholders
from gfx_ir.control import is_for, is_host, is_loop, is_open_host, is_placeholder, is_test
from gfx_ir.dtypes import DType, dtype, kind_of
from gfx_ir.errors import GfxError
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.op import Trait
from gfx_ir.python_numbers import is_number
from gfx_ir.reach import reached
from gfx_ir.trees import leaves
from gfx_ir.types import LogicalTensor

_UNUSED = re.compile(r"_\d*")
_DEFAULTS = {"b": "bool", "i": "int64", "f": "float32", "c": "complex64"}


class HopControl(HigherOrder):
    """PyTorch's operators of higher order."""

    of_tensors = True

    # ------------------------------------------------------------------ what goes in and out
    def give(self, region: Graph, results: Sequence[Any], values: Sequence[Value], whole: bool = False) -> bool:
        """End the function of a region: numbers as tensors, and a copy of what is taken from elsewhere."""
        node = self.plan.whole.get(region)
        if node is not None:
            self.writer.put(ast.Return(self.writer.build(node)))
            return True
        owner = region.owner
        whole = whole or (owner is not None and is_loop(owner) and not is_for(owner))
        given = self._fresh(region, results, values)
        self.writer.put(ast.Return(ast.Tuple(given, ast.Load()) if whole or len(given) != 1 else given[0]))
        return True

    def _fresh(self, region: Graph, results: Sequence[Any], values: Sequence[Value]) -> list[ast.expr]:
        seen: set[Value] = set()
        out: list[ast.expr] = []
        for result, value in zip(results, values):
            leaf = self.writer.resolve(result)
            if type(leaf) is not Value or not (leaf.is_tensor or self._by_tensor(leaf)):
                out.append(self._tensor(leaf, value))
                continue
            node, made = leaf.node, self.writer.leaf(leaf)
            shared = node.graph is not region or is_placeholder(node) or self._shares(node)
            out.append(call(ast.Attribute(made, "clone", ast.Load())) if shared or leaf in seen else made)
            seen.add(leaf)
        return out

    def _shares(self, node: Node) -> bool:
        """Whether a node may give what it takes, or a part of it."""
        if not any(type(leaf) is Value and leaf.is_tensor for leaf in leaves(node.args)):
            return False
        row = self.module.backend.rows.get(node.op.name)
        fresh = row is None or row.spare or node.op.composite or node.op.traits & Trait.APART
        return node.op.put is not None or not fresh

    def _tensor(self, leaf: Any, value: Value) -> ast.expr:
        """A number as a tensor of the dtype that `value`, which it becomes, has."""
        if type(leaf) is Value:
            return call(self.of_module("tensor"), self.writer.leaf(leaf))
        if not is_number(leaf):
            raise GfxError(f"{leaf!r} cannot go through one of PyTorch's higher-order operators", value.node.span)
        element, style = self._element(value), self.module.style
        if element is None:
            raise GfxError(
                f"the dtype of {value.name or 'a number'!r} is not known, which PyTorch's higher-order operators ask for",
                value.node.span,
                "give the arguments' types at capture, or start from a tensor",
            )
        if element.kind in ("f", "c") and not isinstance(leaf, complex):
            leaf = float(leaf)
        if element.name == _DEFAULTS.get(kind_of(leaf)):
            return call(self.of_module("tensor"), self.writer.constant(leaf))
        made = parse(style.scalar.format(dtype=style.dtype(element.name), value="_"))
        assert isinstance(made, ast.Call)
        made.args[0] = constants.leaf(leaf, style)
        return self.module.free(made)

    def _element(self, value: Value) -> DType | None:
        """The dtype of what a number becomes, where it is known."""
        known = value.type
        if isinstance(known, LogicalTensor) and known.dtype is not None:
            return dtype(_DEFAULTS[known.dtype.kind]) if known.weak and known.dtype.kind in _DEFAULTS else known.dtype
        found = self.plan.facts.dtype(value)
        weak = found is not None and self.plan.facts.weak_kind(value) is not None
        return dtype(_DEFAULTS[found.kind]) if found is not None and weak else found

    def init(self, node: Node, at: int) -> ast.expr:
        leaf = self.writer.resolve(node.arg("init")[at])
        if not node.values[at].is_tensor:
            return super().init(node, at)
        if not self.module.functional(node):  # its numbers meet those that the operators give
            kept = (type(leaf) is Value and leaf.is_tensor) or self._element(node.values[at]) is None
            return self.writer.tree(leaf) if kept else self._tensor(leaf, node.values[at])
        if type(leaf) is Value and leaf.is_tensor:
            again = leaf in [self.writer.resolve(other) for other in node.arg("init")[:at]]
            return call(ast.Attribute(self.writer.leaf(leaf), "clone", ast.Load())) if again else self.writer.leaf(leaf)
        return self._tensor(leaf, node.values[at])

    # ------------------------------------------------------------------ while
    def loop(self, node: Node) -> ast.expr:
        carried = self.plan.liveness.carried(node)
        if is_for(node) and not counted(node) and node.arg("exit") is None:
            return self._scan(node, carried)
        made = self._counted(node, carried) if is_for(node) else self.while_loop(node, carried)
        if len(carried) != 1 or (is_for(node) and node in self.plan.positions.index):  # as a statement it is unpacked
            return made
        return ast.Subscript(made, ast.Constant(1 if is_for(node) else 0), ast.Load())

    def loop_values(self, node: Node) -> list[Value | None]:
        values = super().loop_values(node)
        return [None, *values] if is_for(node) and counted(node) else values

    def enter(
        self, phis: Sequence[Value | None], names: Sequence[str | None], before: Sequence[Value | None] = ()
    ) -> list[str]:
        arguments: list[str] = []
        for value, hint in [*((value, None) for value in before), *zip(phis, names)]:
            text = self.argument(value, hint, arguments)
            arguments.append(text if text != "_" else self._unused(arguments))
        return arguments

    @staticmethod
    def _unused(taken: Sequence[str]) -> str:
        return next(text for text in ("_", *(f"_{count}" for count in range(1, 999))) if text not in taken)

    def signature(self, names: Sequence[str]) -> ast.arguments:
        """The signature of a nested function; `*_` takes what it does not read at the end."""
        read = len(names)
        while read and _UNUSED.fullmatch(names[read - 1]):
            read -= 1
        if len(names) - read < 2:
            return super().signature(names)
        rest = ast.arg(self._unused(names[:read]))
        return ast.arguments([], [ast.arg(text) for text in names[:read]], rest, [], [], None, [])

    def inits(self, node: Node, carried: Sequence[int]) -> ast.expr:
        return ast.Tuple([self.init(node, at) for at in carried], ast.Load())

    # ------------------------------------------------------------------ for
    def _counted(self, node: Node, carried: list[int]) -> ast.expr:
        """A loop over a range, or over rows with an early end: `while_loop` with a counter."""
        body, flag, items = node.regions[-1], node.arg("exit"), placeholders(node, node.regions[-1])[0]
        hints = self.hints(node, carried)
        counter = self.items.counter(node, items, hints)
        over, avoid = node.args[0], set[str]()
        ranged = counted(node)
        lengths = [self.writer.tree(over[0][2])] if ranged else self.items.lengths(node)
        done = None if flag is None else hints[carried.index(flag)] or "done"
        asked = None if done is None else ast.UnaryOp(ast.Invert(), name(done))
        unused: list[str] = []
        for at in carried:
            unused.append(done if at == flag and done is not None else self._unused(unused))
        condition = self._test(node, counter, unused, lengths, asked, avoid)
        phis = placeholders(node, body)[1]

        def enter() -> list[str]:
            arguments = [counter]
            for at, hint in zip(carried, hints):
                text = self.argument(phis[at], hint, arguments)
                arguments.append(text if text != "_" else self._unused(arguments))
            self.writer.scope.closed |= {counter}
            self.want_results(node, carried)
            if ranged and self.plan.liveness.used(items[0]):
                self.writer.bind(items[0], counter)
            elif not ranged:
                self.items.bind_items(node, items, counter, arguments)
            return arguments

        results, values = [loop_results(node)[at] for at in carried], [node.values[at] for at in carried]

        def finish() -> bool:
            following = ast.BinOp(name(counter), ast.Add(), ast.Constant(1))
            self.writer.put(ast.Return(ast.Tuple([following, *self._fresh(body, results, values)], ast.Load())))
            return True

        step = self.functions.function(body, "body", avoid, enter, finish)
        first = self.writer.resolve(over[0][1]) if ranged else 0
        tensor = type(first) is Value and first.is_tensor
        start = self.writer.leaf(first) if tensor else call(self.of_module("tensor"), self.writer.tree(first))
        inits = [start, *[self.init(node, at) for at in carried]]
        return ast.Call(self.higher("while_loop"), [condition, step, ast.Tuple(inits, ast.Load())], [])

    def _test(
        self, node: Node, counter: str, unused: list[str], lengths: list[ast.expr], asked: ast.expr | None, avoid: set
    ) -> ast.expr:
        """The function that asks whether there is another trip."""
        for length in reversed(lengths):
            below = ast.Compare(name(counter), [ast.Lt()], [length])
            asked = below if asked is None else ast.BinOp(below, ast.BitAnd(), asked)
        graph, number = self.writer.place(self.plan.positions.statement(node))
        read = {found.id for length in lengths for found in ast.walk(length) if isinstance(found, ast.Name)}
        text = self.writer.scope.pick(["cond"], graph, 2 * number - 1, avoid | read)
        avoid.add(text)
        signature = self.signature([counter, *unused])
        self.writer.put(ast.FunctionDef(text, signature, [ast.Return(asked)], [], None))
        return name(text)

    def row(self, source: ast.expr, counter: str) -> ast.expr:
        """A row of a tensor at a counter, which is a tensor itself here."""
        return position(source, [name(counter)], [True])

    def _scan(self, node: Node, carried: list[int]) -> ast.expr:
        """`scan`: what is carried is a tensor or a tuple of them, and so is what is stacked; neither may be missing."""
        body, items = node.regions[-1], placeholders(node, node.regions[-1])[0]
        stacked = [value.index - 1 for value in self.stacked(node)]
        hints = self.hints(node, carried)

        def unpacked(values: Sequence[Value], given: Sequence[str | None], whole: str, held: list[str]) -> str:
            if len(values) == 1:
                text = self.argument(values[0], given[0], held)
                return text if text != "_" else self._unused(held)
            targets: list[str] = []
            for value, hint in zip(values, given):
                targets.append(self.argument(value, hint, [*held, *targets, whole]))
            stored: list[ast.expr] = [ast.Name(text, ast.Store()) for text in targets]
            if stored:
                self.writer.put(ast.Assign([ast.Tuple(stored, ast.Store())], name(whole)))
            held.extend(targets)
            return whole if stored else self._unused(held)

        def enter() -> list[str]:
            held: list[str] = []
            carry = unpacked(self.phis(node, body, carried), hints, "carry", held)
            held.append(carry)
            rows = unpacked(items, ["i" if item.kind == "int" else "row" for item in items], "items", held)
            self.want_results(node, carried)
            return [carry, rows]

        def finish() -> bool:
            at = [*carried, *stacked]
            given = self._fresh(body, [loop_results(node)[k] for k in at], [node.values[k] for k in at])
            parts = [given[: len(carried)], given[len(carried) :]]
            both = [self._tuple(part) if part else call(self.of_module("zeros"), ast.Constant(1)) for part in parts]
            self.writer.put(ast.Return(ast.Tuple(both, ast.Load())))
            return True

        step = self.functions.function(body, "step", set(), enter, finish)
        source = self._tuple([self.items.over(part) for part in node.args[0]])
        nothing = call(self.of_module("zeros"), ast.Constant(1))
        init = self._tuple([self.init(node, at) for at in carried]) if carried else nothing
        return ast.Call(name(self.module.use("scan")), [step, init, source], [])

    @staticmethod
    def _tuple(items: Sequence[ast.expr]) -> ast.expr:
        return items[0] if len(items) == 1 else ast.Tuple(list(items), ast.Load())

    # ------------------------------------------------------------------ positions
    def check(self, node: Node) -> ast.expr:
        what = "PyTorch's higher-order operators cannot raise an error that hangs on data"
        raise GfxError(what, node.span, 'mode="python" writes it')

    def spelled(self, node: Node) -> ast.expr | None:
        return self._by_position(node) if node.op.traits & (Trait.READS_AT | Trait.WRITES_AT) else None

    def _by_position(self, node: Node) -> ast.expr | None:
        """Reading and writing where the index is one position, told by a tensor."""
        index = node.arg("index")
        parts = [self.writer.resolve(part) for part in (index if type(index) is tuple else (index,))]
        if not any(map(self._by_tensor, parts)) or not all(map(self._is_position, parts)):
            return None
        written = [self.writer.leaf(part) for part in parts]
        if node.op.traits & Trait.READS_AT:
            return position(self.writer.leaf(node.args[0]), written, [self._by_tensor(part) for part in parts])
        if node.arg("accumulate"):
            return None
        if len(parts) == 1 and is_number(self.writer.resolve(node.arg("value"))):
            return call(
                ast.Attribute(self.writer.leaf(node.args[0]), "index_fill", ast.Load()),
                ast.Constant(0),
                written[0],
                self.writer.leaf(node.arg("value")),
            )
        value, x = node.arg("value"), node.args[0]
        if (
            all(map(self._by_tensor, parts))
            and self.plan.facts.is_array(self.writer.resolve(value))
            and self.plan.agreement.same(self.writer.resolve(value), self.writer.resolve(x))
        ):
            place = ast.Tuple(written, ast.Load())
            return call(ast.Attribute(self.writer.leaf(x), "index_put", ast.Load()), place, self.writer.leaf(value))
        where = written[0] if len(written) == 1 else ast.Tuple(written, ast.Load())
        return call(
            name(self.module.use("put_at", node)),
            self.writer.leaf(node.args[0]),
            where,
            self.writer.leaf(node.arg("value")),
        )

    def _by_tensor(self, part: Any) -> bool:
        """Whether a tensor holds this number: it is one, or is the index of a staged loop, or computed from that."""
        resolve, phis = self.writer.resolve, self.plan.liveness.phis

        def held(value: Value) -> bool:
            loop, at = phis.get(value, (None, 0))
            return value.is_tensor or (loop is not None and at < 0 and self.module.functional(loop))

        def operands(value: Value) -> list[Value]:
            made = is_host(value.node) and not value.is_tensor and value not in phis
            return [x for x in map(resolve, leaves(value.node.args[1]) if made else ()) if type(x) is Value]

        value = resolve(part)
        return type(value) is Value and any(map(held, reached([value], operands)))

    def _is_position(self, part: Any) -> bool:
        if type(part) is not Value:
            return type(part) is int
        known = part.type
        if part.kind == "int" or (isinstance(known, LogicalTensor) and known.dims == ()):
            return True
        node = self.plan.liveness.phis.get(part, (part.node, 0))[0]
        return part.is_tensor and not (is_test(node) and is_open_host(node)) and self.plan.facts.may_be_weak(part)


def position(source: ast.expr, parts: Sequence[ast.expr], tensors: Sequence[bool]) -> ast.expr:
    """`x[i]` where i is a tensor of one number: a list of one position, and the first of what that gives."""
    new_axis = ast.Constant(None)
    index = [ast.Subscript(part, new_axis, ast.Load()) if tensor else part for part, tensor in zip(parts, tensors)]
    chosen = ast.Subscript(source, index[0] if len(index) == 1 else ast.Tuple(index, ast.Load()), ast.Load())
    return ast.Subscript(chosen, ast.Constant(0), ast.Load())
