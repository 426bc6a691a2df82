"""Nodes as expressions."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..control import (
    host_operator,
    is_call,
    is_data_test,
    is_for,
    is_holder,
    is_host,
    is_loop,
    is_none_test,
    is_test,
    makes_python,
)
from ..graph import Graph, Node, Value, values_in
from ..infer.abstract import NUMBERS
from ..op import Trait
from ..python_numbers import SPELLINGS, is_number
from ..trees import leaves, tree_map
from . import constants
from .argument_trees import Taken
from .constants import call, name
from .derivatives import derivative
from .host import host_expression
from .leaves import Leaves
from .logic import negate
from .prepare.calls import OWN, TRANSFORMED, derives
from .prepare.filled import BEGIN, FILLED
from .prepare.unpack import UNPACK
from .transformed import transformed
from .writer import ControlWriter


class Expressions(Leaves):
    """Expressions of one function."""

    control: ControlWriter

    # ------------------------------------------------------------------ nodes
    def build(self, node: Node) -> ast.expr:
        """The node as an expression; one of Python numbers is marked: `n = n + 1` of such is `n += 1`.
        Higher-order operators carry tensors, which `+=` would write."""
        made = self._built(node)
        if type(made) is ast.BinOp and self.plan.counts(node.values[0]):
            made.gfx_counts = True  # type: ignore[attr-defined]
        return made

    def _built(self, node: Node) -> ast.expr:
        op = node.op
        if host_operator(node) == "list" and self._is_list(node.args[1][0], node):
            return self.leaf(node.args[1][0])
        if is_host(node):
            return host_expression(self, node.args[0], node.args[1])
        if is_none_test(node):
            return ast.Compare(self.leaf(node.args[0]), [ast.Is()], [ast.Constant(None)])
        if is_test(node) or is_loop(node):
            return self.control.expression(node)
        if is_call(node):
            return self.call(node)
        if makes_python(node) and not self.module.backend.spells(op):
            return call({"shape": "tuple"}.get(node.args[1], node.args[1]), self.leaf(node.args[0]))
        if op is BEGIN:
            return ast.List([self.array_of(item) for item in node.args[0]], ast.Load())
        if op is FILLED:
            return self.stacked(node.value, self.leaf(node.args[1][0]))
        if op is UNPACK:
            return self.leaf(node.args[0])
        if is_holder(node):
            return self.holder(node)
        if op is OWN:
            return ast.Call(self.module.own_gradient(node), [self.tree(arg) for arg in node.args[5]], [])
        if op is TRANSFORMED:
            return derivative(self.module, node, self.call(node)) if derives(node) else transformed(self, node)
        if op.traits & Trait.TRUTH and (asked := self._negated(node.args[0])) is not None:
            return self.truth(asked.args[0], False)
        if op.sign == "not" and self._is_mask(node) and not self.of_numbers(node):
            return ast.UnaryOp(ast.Invert(), self.leaf(node.args[0]))
        made = self.control.spelled(node) or self.template(node)
        return self._unboxed(made) if op.traits & Trait.TRUTH else made

    def _unboxed(self, made: ast.expr) -> ast.expr:
        """What a call gives that is a Python boolean already, of what makes it an array and a boolean again."""
        taken = made.args[0] if type(made) is ast.Call and len(made.args) == 1 else made
        bare = self._bare(taken)
        return made if bare is taken else bare

    def _negated(self, leaf: Any) -> Node | None:
        """The node of a `not` that makes what is written in this place."""
        value = self.resolve(leaf)
        found = type(value) is Value and value.node.op.sign == "not" and value.node in self.plan.inside
        return value.node if found else None

    def _is_mask(self, node: Node) -> bool:
        """Whether a `not` is surely of an array of booleans: `~` of Python's True is no boolean."""
        value = self.resolve(node.args[0])
        if not (self.plan.facts.is_boolean(value) and self.plan.facts.is_array(value)):
            return False
        asked = all(is_data_test(user) and user.args[0] is node.value for user in self.plan.users[node.value])
        return self.plan.inverts(value, asked)

    def _is_list(self, leaf: Any, user: Node) -> bool:
        """Whether rows are a list that a loop of Python's filled, of which nothing but that list is made."""
        value = self.resolve(leaf)
        if type(value) is not Value or self.plan.users[value] != [user] or value.node.graph is not user.graph:
            return False
        loop = is_for(value.node) and not self.module.functional(value.node)
        return value.node.op is FILLED or (loop and value.index > len(value.node.arg("init")))

    def _goes_over(self, user: Node, rows: Value) -> bool:
        """Whether a loop of Python's goes over rows, which it takes for nothing else: a list of none has no trip, as a tensor has not."""
        if not is_for(user) or self.module.functional(user):
            return False
        taken = [leaf for leaf in leaves(user.args) if self.resolve(leaf) is rows]
        return len(taken) == 1 and any(self.resolve(item) is rows for item in user.args[0])

    def stacked(self, rows: Value, filled: ast.expr) -> ast.expr:
        """The tensor of rows that a list stands for; the list itself where nothing but a list is made of it, or a loop goes over it."""
        if not rows.is_tensor:
            return filled
        user = self.plan.users[rows][0]
        if (host_operator(user) == "list" or self._goes_over(user, rows)) and self._is_list(rows, user):
            return filled
        return call(ast.Attribute(self.module.free(name(self.module.style.module)), "stack", ast.Load()), filled)

    def call(self, node: Node) -> ast.expr:
        """A call of a function of the module."""
        callee, prefix, args = node.args[:3]
        function = name(self.module.titles.function(callee))
        given = [self.path(prefix)] if self.module.summary.needs_params(self.module.functions[callee]) else []
        return ast.Call(function, given + self._given(self.module.functions[callee], args), [])

    def _given(self, callee: Graph, args: Sequence[Any]) -> list[ast.expr]:
        """The arguments of a call; of those that are leaves of a tree that the function takes, the tree."""
        written = [self.tree(arg) for arg in args]
        taken = self.module.trees.arguments(callee)
        return [written[part] if type(part) is int else self._subtree(part, args, written) for part in taken]

    def _subtree(self, taken: Taken, args: Sequence[Any], written: Sequence[ast.expr]) -> ast.expr:
        """The tree in which leaves stand, where they are written as parts of one; else one that is made of them."""
        bases = {}
        for at, path in taken.leaves.items():
            base: Any = written[at]
            for key in reversed(path):
                inner = getattr(base, "value", None)
                if not isinstance(inner, ast.expr) or ast.dump(self.part(inner, key)) != ast.dump(base):
                    return self.tree(taken.tree(args))
                base = inner
            bases[ast.dump(base)] = base
        return bases.popitem()[1] if len(bases) == 1 else self.tree(taken.tree(args))

    def holder(self, node: Node) -> ast.expr:
        """A call that no op stands for, as it was written for the framework that it came from."""
        args, kwargs, count = node.args[2:5]
        target = self.module.held(node)
        given = [self.array_of(arg) for arg in args]
        keywords = [ast.keyword(key, self.array_of(value)) for key, value in kwargs.items()]
        method = target.removeprefix(f"{self.module.style.tensor}.") if given else target
        function: ast.expr
        if method != target:
            function, given = ast.Attribute(given[0], method, ast.Load()), given[1:]
        else:
            function = self.module.free(constants.parse(target))
        if written := self.module.written(node):
            function, given = self.module.free(name("updated")), [function, self.tree(written), *given]
        made = ast.Call(function, given, keywords)
        return ast.Subscript(made, ast.Constant(0), ast.Load()) if count == 1 else made

    def array_of(self, arg: Any) -> ast.expr:
        """An argument of a function that takes no Python number for a tensor."""
        made, style = self.tree(arg), self.module.style
        value = self.resolve(arg) if type(arg) is Value else arg
        if style.numbers is None or type(arg) is not Value or not arg.is_tensor:
            return made
        is_number = not isinstance(value, Value) or self.plan.facts.may_be_number(value)
        return call(self.module.free(constants.parse(style.wrap)), made) if is_number else made

    def template(self, node: Node) -> ast.expr:
        """The row's spelling with the arguments put in."""
        args = tree_map(self.resolve, node.args)
        if self.of_numbers(node):
            spelled = constants.parse(SPELLINGS[node.op.name])
        else:
            spelled = self.module.template(node, node in self.plan.in_place).tree(self.seen(node))
        made = _Fill(self, dict(zip(node.op.params, args)), node).fill(spelled)
        return self.module.finished(node, made)

    def seen(self, node: Node) -> Any:
        """The arguments of a node as the spelling of its op sees them."""
        return tree_map(lambda leaf: self.plan.seen(self.resolve(leaf)), node.args)

    def of_numbers(self, node: Node) -> bool:
        """Whether a node is an operator of Python's on its numbers, where Python runs the code; one of a single operand, as abs, on what
        may be a number or an array."""
        if self.module.style.control.higher_order or not node.op.sign:
            return False
        either = len(node.op.params) == 1 and node.op.sign != "not"
        return (self.plan.facts.may_be_number if either else self.plan.facts.is_number)(node.values[0])

    def test(self, leaf: Any, positive: bool = True) -> ast.expr:
        """A test as `if` and `while` take it: Python's `not` does for what may be a number as well."""
        value = self.resolve(leaf)
        if type(value) is Value and value.node.op.sign == "not" and value.node in self.plan.inside:
            return self.test(value.node.args[0], not positive)
        asked = type(value) is Value and value.node in self.plan.ternary and value.node in self.plan.inside
        expression = self._bare(self.control.ternary(value.node, True) if asked else self.leaf(leaf))
        return expression if positive else negate(expression)

    def truth(self, leaf: Any, positive: bool) -> ast.expr:
        """A test, or what it is not, as a boolean of Python's: `t == 0` for `not t != 0` is a tensor."""
        told = self.test(leaf, positive)
        return told if isinstance(told, ast.UnaryOp) or self._tells_python(leaf) else call("bool", told)

    def _tells_python(self, leaf: Any) -> bool:
        """Whether what `test` writes is a number of Python's: of a test in line, what it asks and gives."""
        value = self.resolve(leaf)
        if type(value) is not Value or not value.is_tensor:
            return True
        if not self.plan.facts.is_number(value) or value.node not in self.plan.inside:
            return self.plan.facts.is_number(value)
        if value.node in self.plan.ternary:
            return self._tells_python(value.node.args[0])
        return value.node.op.sign != "not" or self._tells_python(value.node.args[0])

    def _bare(self, test: ast.expr) -> ast.expr:
        """A Python boolean that a call gives needs not be made an array where only its truth is asked for."""
        if type(test) is not ast.Call or len(test.args) != 1 or type(test.args[0]) is not ast.Call or test.keywords:
            return test
        return test.args[0] if ast.unparse(test.func) == self.module.style.of_bool else test


def _item(made: ast.Subscript) -> ast.expr:
    """`(a, b)[0]` is a."""
    if type(made.value) in (ast.Tuple, ast.List) and type(made.slice) is ast.Constant and type(made.slice.value) is int:
        items = made.value.elts
        if not any(type(item) is ast.Starred for item in items):
            return items[made.slice.value]
    return made


class _Fill:
    """Copies a spelling with the op's parameter names replaced by its arguments."""

    def __init__(self, writer: Expressions, args: Mapping[str, Any], node: Node) -> None:
        self.writer, self.args, self.node = writer, args, node

    def fill(self, spelled: Any, bound: frozenset[str] = frozenset()) -> Any:
        kind = type(spelled)
        if kind is list:
            return self._items(spelled, bound)
        if not isinstance(spelled, ast.AST):
            return spelled
        if kind is ast.Name:
            return self._name(spelled, bound)
        if kind is ast.Subscript and type(spelled.slice) is ast.Name and spelled.slice.id in self.args:
            index = self.writer.index(self.args[spelled.slice.id])
            return ast.Subscript(self.fill(spelled.value, bound), index, ast.Load())
        if kind is ast.Attribute and type(spelled.value) is ast.Name:
            return ast.Attribute(self._holder(spelled.value, bound), spelled.attr, ast.Load())
        if kind is ast.Call and type(spelled.func) is ast.Attribute and (arrays := self._arrays(spelled.func)):
            args = [
                self._array(arg, bound) if type(arg) is ast.Name and at < arrays else self.fill(arg, bound)
                for at, arg in enumerate(spelled.args)
            ]
            keywords = self._items(spelled.keywords, bound)
            return ast.Call(self.fill(spelled.func, bound), self._spliced(args), keywords)
        if kind is ast.Lambda:
            bound |= {arg.arg for arg in spelled.args.args}
        elif kind in (ast.GeneratorExp, ast.ListComp, ast.DictComp, ast.SetComp):
            inner = (n for generator in spelled.generators for n in ast.walk(generator.target))
            bound |= {n.id for n in inner if type(n) is ast.Name}
        fields = kind._fields
        if not fields:  # a context or an operator, which says no more than its class
            return spelled
        made = kind(*[self.fill(getattr(spelled, field), bound) for field in fields])
        return _item(made) if kind is ast.Subscript else made

    def _name(self, spelled: ast.Name, bound: frozenset[str]) -> ast.expr:
        if spelled.id in bound:
            return spelled
        if spelled.id in self.args:
            return self.writer.tree(self.args[spelled.id])
        return name(self.writer.module.use(spelled.id, self.node))

    def _arrays(self, function: ast.Attribute) -> float:
        """How many arguments a function of the target takes before the first that may be one of Python's numbers."""
        style, root = self.writer.module.style, function.value
        known = type(root) is ast.Name and root.id in style.imports and root.id != "math"
        return style.numbers.get(f"{root.id}.{function.attr}", math.inf) if known and style.numbers is not None else 0

    def _holder(self, spelled: ast.Name, bound: frozenset[str]) -> ast.expr:
        """An argument of which an attribute or method is asked: Python's numbers have none of an array's."""
        arg = self.args.get(spelled.id) if spelled.id not in bound else None
        if is_number(arg) or (type(arg) is Value and arg.kind in NUMBERS):
            wrap = self.writer.module.free(constants.parse(self.writer.module.style.wrap))
            return ast.Call(wrap, [self._name(spelled, bound)], [])
        return self._array(spelled, bound)

    def _array(self, spelled: ast.Name, bound: frozenset[str]) -> ast.expr:
        """An argument where only an array does: what may be a Python number is made one."""
        made = self._name(spelled, bound)
        arg = self.args.get(spelled.id) if spelled.id not in bound else None
        if type(arg) is Value and arg.is_tensor and self.writer.plan.facts.may_be_number(arg):
            return ast.Call(self._wrap(arg), [made], [])
        return made

    def _wrap(self, arg: Value) -> ast.expr:
        """What makes an array of what may be a number: of a double's digits where no other argument tells how many there are."""
        module, facts = self.writer.module, self.writer.plan.facts
        others = [facts.elements(x) for x in values_in(tuple(self.args.values())) if x.is_tensor and x is not arg]
        narrow = any(
            d is None or (not weak and d.kind in "fc" and d.bits < 64) for found in others for d, weak in found
        )
        if module.style.wide and module.doubles and "float" in facts.kinds(arg) and not narrow:
            return name(module.use(module.style.wide, self.node))
        return module.free(constants.parse(module.style.wrap))

    def _items(self, items: list, bound: frozenset[str]) -> list:
        """A list of expressions; `*shape` and `**sizes` of a literal become their items."""
        return self._spliced([self.fill(item, bound) for item in items])

    @staticmethod
    def _spliced(items: list) -> list:
        out = []
        for made in items:
            if type(made) is ast.Starred and type(made.value) in (ast.Tuple, ast.List):
                out.extend(made.value.elts)
            elif type(made) is ast.keyword and made.arg is None and type(made.value) is ast.Dict:
                names = [key.value if type(key) is ast.Constant else None for key in made.value.keys]
                named = all(type(text) is str and text.isidentifier() for text in names)
                out.extend(map(ast.keyword, names, made.value.values) if named else [made])
            else:
                out.append(made)
        return out
