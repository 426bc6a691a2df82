"""Arrays of sizes, of which JAX needs the numbers: what is computed of sizes alone, and tells where a slice ends, a shape, or how many
trips a loop has, is computed by NumPy. Under jax.jit arrays of JAX's own hold no numbers yet."""

from __future__ import annotations

import ast
import inspect
import operator
from collections.abc import Container, Iterator
from typing import Any

import numpy as np

from gfx_ir.codegen.prepare.base import HOSTED, Emission, Lowering, order
from gfx_ir.codegen.prepare.calls import referred
from gfx_ir.codegen.prepare.traced import TRACED
from gfx_ir.control import calls_function, is_call, is_for, is_given
from gfx_ir.edited import put_before
from gfx_ir.graph import Graph, Node, Value, values_in
from gfx_ir.op import Trait
from gfx_ir.program import Program
from gfx_ir.trees import leaves

from .sizes import needs_numbers_of

_MODULE, _KINDS = "jnp", {"b": "bool", "i": "int", "u": "int", "f": "float"}


Calls = dict[Graph, list[tuple[Graph, Node]]]


class Hosted(Lowering):
    """Such arrays are noted, callers first, from what needs a number back to the sizes."""

    name = "hosted"
    requires = (TRACED,)

    def lower(self, program: Program, emission: Emission) -> None:
        """Find what may be computed so, callees first, and of that what has to be."""
        calls = _calls(program)
        may = self._all_computable(program, emission, calls)
        waiting = [(graph, value) for graph in may for node in graph.walk() for value in _asked(node)]
        wanted = set[Value]()
        while waiting:
            graph, value = waiting.pop()
            if value not in may[graph] or value in wanted:
                continue
            wanted.add(value)
            if is_call(value.node):
                callee = program.functions[value.node.args[0]]
                waiting.append((callee, callee.result))
            else:
                waiting += [(caller, item) for caller, item in _given(calls, graph, value) if type(item) is Value]
                waiting += [(graph, part) for part in values_in(value.node.args)]
        hosted = [value.node for value in wanted if not is_given(value.node)]
        program.entry.set(HOSTED, frozenset(hosted))
        self._handed_on(hosted, emission)
        for node in hosted:
            if node.op.traits & Trait.OF_ONE:
                _as_number(node)

    def _handed_on(self, hosted: list[Node], emission: Emission) -> None:
        """What takes such an array by a way that JAX's alone have, as x.at[…], gets one of JAX's."""
        waiting, apart = [value for node in hosted for value in node.values], set(hosted)
        while waiting:
            value = waiting.pop()
            for user in {user: None for user in value.users() if user not in apart and not user.regions}:
                template = emission.backend.templates.get(user.op.name)
                if template is None or not template.spells(user.args):
                    continue
                tree = template.tree(user.args)
                others = {_root(taken) for taken in _taken(tree, user.op.params) if not _numpy_has(taken)}
                places = [at for at, x in enumerate(user.args) if x is value and user.op.params[at] in others]
                if places:
                    made = put_before(user, "as_tensor", value)
                    user.set_args(tuple([made if at in places else x for at, x in enumerate(user.args)]))
                elif type(tree) is ast.Name or (type(tree) is ast.Expression and type(tree.body) is ast.Name):
                    waiting += user.values  # a copy is the array itself

    def _all_computable(self, program: Program, emission: Emission, calls: Calls) -> dict[Graph, set[Value]]:
        """The arrays of all graphs that follow from sizes. What a function is given does where it does at each call."""
        graphs, given = order(program), {x for graph in calls for x in graph.placeholders if x.is_tensor}
        own = {graph: given.intersection(graph.placeholders) for graph in graphs}
        changed = True
        while changed:
            changed, may = False, dict[Graph, set[Value]]()
            for graph in graphs:
                may[graph] = self._computable(graph, program, emission, may, own[graph])
            for graph in reversed(graphs):  # callers first: what one cannot give is gone from all that it calls at once
                left = {x for x in own[graph] if not _every_call_has(calls, graph, x, may)}
                if left:
                    own[graph] -= left
                    may[graph] = self._computable(graph, program, emission, may, own[graph])
                    changed = True
        return may

    def _computable(
        self, graph: Graph, program: Program, emission: Emission, may: dict[Graph, set[Value]], given: set[Value]
    ) -> set[Value]:
        """The arrays of a graph that follow from sizes and what is given, and that NumPy computes as JAX does."""
        found, traced = {*given}, set(graph.get(TRACED))
        for node in graph:
            if is_given(node) or node.regions or node.op.effect or not all(value.is_tensor for value in node.values):
                continue
            if is_call(node):
                callee = program.functions[node.args[0]]
                if len(node.values) == 1 and callee.result in may.get(callee, ()):
                    found.add(node.value)
            elif _is_numpys(node, emission) and all(
                part in found if part.is_tensor else part not in traced and part.kind != "key"
                for part in values_in(node.args)
            ):
                found.update(node.values)
        return found


def _calls(program: Program) -> Calls:
    """The calls of the functions that nothing else refers to, and the graphs that they stand in."""
    found, others = dict[str, list[tuple[Graph, Node]]](), set[str]()
    for graph in order(program):
        for node in graph.walk():
            if is_call(node):
                found.setdefault(node.args[0], []).append((graph, node))
            elif calls_function(node):
                others.add(node.args[0])
        others.update(referred(graph))
    return {program.functions[name]: calls for name, calls in found.items() if name not in others}


def _given(calls: Calls, graph: Graph, value: Value) -> Iterator[tuple[Graph, Any]]:
    """What stands for a placeholder at each call, and where."""
    if graph in calls and value in graph.placeholders:
        at = graph.placeholders.index(value)
        for caller, node in calls[graph]:
            yield caller, node.arg("args")[at]


def _every_call_has(calls: Calls, graph: Graph, value: Value, found: dict[Graph, set[Value]]) -> bool:
    """Whether what stands for a placeholder at each call is a constant, or among what was found there."""
    return all(type(item) is not Value or item in found[caller] for caller, item in _given(calls, graph, value))


def _asked(node: Node) -> Iterator[Value]:
    """The arrays of which a node needs the numbers, and those whose sizes hang on numbers."""
    yield from needs_numbers_of(node)
    if is_for(node):
        ends = [part for item in node.args[0] if isinstance(item, tuple) for part in leaves(item)]
        yield from (part for part in ends if type(part) is Value and part.is_tensor)


def _is_numpys(node: Node, emission: Emission) -> bool:
    """Whether JAX spells an op by functions that NumPy has under the same name, or as an operator or method."""
    if node.op.traits & Trait.OF_ONE:
        return True
    template = emission.backend.templates.get(node.op.name)
    if template is None or node.op.draws or not template.spells(node.args):
        return False
    tree = template.tree(node.args)
    names = {inner.id for inner in ast.walk(tree) if type(inner) is ast.Name} - set(node.op.params)
    if not names <= {_MODULE, *_KINDS.values()} or not all(map(_numpy_has, _taken(tree, (_MODULE, *node.op.params)))):
        return False
    return all(_numpy_takes(inner) for inner in ast.walk(tree) if type(inner) is ast.Call)


def _taken(tree: ast.AST, names: Container[str]) -> list[ast.Attribute]:
    """What a spelling takes of modules and arrays of these names."""
    found = [inner for inner in ast.walk(tree) if type(inner) is ast.Attribute]
    return [taken for taken in found if _root(taken) in names]


def _root(taken: ast.expr) -> str:
    return ast.unparse(taken).partition(".")[0]


def _numpy_has(taken: ast.Attribute) -> bool:
    """Whether there is in NumPy what JAX's module has by this name, or one of its arrays."""
    module, _, path = ast.unparse(taken).partition(".")
    try:
        operator.attrgetter(path if module == _MODULE else taken.attr)(np if module == _MODULE else np.ndarray)
    except AttributeError:
        return False
    return True


def _numpy_takes(call: ast.Call) -> bool:
    """Whether a function of NumPy's takes the keywords that JAX's of its name is given; those written in C take the same."""
    named = {keyword.arg for keyword in call.keywords}
    if not named or _root(call.func) != _MODULE:
        return True
    try:
        taken = inspect.signature(operator.attrgetter(ast.unparse(call.func).partition(".")[2])(np))
    except ValueError:
        return True
    return named <= taken.parameters.keys()


def _as_number(node: Node) -> None:
    """A number that is read of such an array is Python's own."""
    dtype: Any = getattr(node.value.type, "dtype", None)
    kind = _KINDS.get(getattr(dtype, "kind", ""))
    if kind is not None:
        node.value.replace_by(put_before(node, "host", kind, (node.args[0],)))
        node.graph.erase(node)  # type: ignore[union-attr]  # it stands there
