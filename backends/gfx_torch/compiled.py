"""Partitions on PyTorch: emitted source, eager or through torch.compile; results written where the caller wants them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from gfx_ir.backend import Backend
from gfx_ir.copies import copy_program
from gfx_ir.graph import Node, Value
from gfx_ir.program import Program
from gfx_ir.runtime.device import Executable
from gfx_ir.runtime.emitted import Emitted
from gfx_ir.template import Template
from gfx_ir.trees import leaves, tree_map

_OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: torch.add, ast.Sub: torch.sub, ast.Mult: torch.mul, ast.Div: torch.div, ast.MatMult: torch.matmul, ast.Pow: torch.pow,
}  # fmt: skip
"""PyTorch's functions behind Python's operators."""


def compiled(program: Program, backend: Backend, through_compiler: bool) -> Executable:
    """The program as PyTorch source that runs without recording gradients."""
    emitted = Emitted(program, backend)
    fn = torch.compile(emitted.fn) if through_compiler else emitted.fn
    writing: list[_Writing] = []

    def run(args: Sequence[Any], params: Mapping[str, Any], buffers: Sequence[Any] | None) -> Sequence[Any]:
        args = emitted.arguments(args)
        with torch.no_grad():
            if buffers is not None and not through_compiler:
                if not writing:
                    writing.append(_Writing(program, backend))
                if writing[0].fits(buffers):
                    return writing[0].run(args, params, buffers)
            return emitted.results(fn(emitted.tree(params), *args) if emitted.takes_params else fn(*args))

    return Executable(
        run, handle=emitted.module, how="torch.compile of source" if through_compiler else "PyTorch source"
    )


class _Writing:
    """The same program, which gives what its last calls take; these write into memory of the caller by `out=`."""

    def __init__(self, program: Program, backend: Backend) -> None:
        own = copy_program(program)
        results = own.entry.result if type(own.entry.result) is tuple else (own.entry.result,)
        self.last = [_call(leaf, backend) for leaf in results]
        trees = [leaf if call is None else leaf.node.args for leaf, call in zip(results, self.last)]
        self.trees = trees
        flat = list(dict.fromkeys(leaf for tree in trees for leaf in leaves(tree) if type(leaf) is Value))
        own.entry.result = tuple(flat)
        for node in [leaf.node for leaf, call in zip(results, self.last) if call is not None]:
            if node.graph is not None and not any(value.uses for value in node.values):
                node.graph.erase(node)
        self.emitted = Emitted(own, backend) if flat else None
        self.places = {value: at for at, value in enumerate(flat)}
        self.convert = backend.convert

    def fits(self, buffers: Sequence[Any]) -> bool:
        """Whether there is such a call for a buffer that was brought."""
        return self.emitted is not None and any(
            b is not None and call is not None for b, call in zip(buffers, self.last)
        )

    def run(self, args: Sequence[Any], params: Mapping[str, Any], buffers: Sequence[Any]) -> Sequence[Any]:
        emitted = self.emitted
        assert emitted is not None
        given = emitted.fn(emitted.tree(params), *args) if emitted.takes_params else emitted.fn(*args)
        found = []
        for tree, call, buffer in zip(self.trees, self.last, buffers):
            filled = tree_map(
                lambda leaf: given[self.places[leaf]] if type(leaf) is Value else self.convert(leaf), tree
            )
            found.append(filled if call is None else call(filled, buffer))
        return found


def _call(leaf: Any, backend: Backend) -> Callable[[Any, Any], Any] | None:
    """The last call of a result as fn(arguments, buffer), where PyTorch has a form of it that writes."""
    node: Node | None = leaf.node if type(leaf) is Value else None
    if (
        node is None
        or len(node.values) != 1
        or node.graph is None
        or len(leaf.uses) != 1
        or node.op.control is not None
    ):
        return None
    template = backend.templates.get(node.op.name)
    if template is None or not template.spells(node.args):
        return None
    tree = copy.deepcopy(template.tree(node.args))
    call = _as_call(tree, backend.namespace)
    if call is None:
        return None
    call.keywords.append(ast.keyword("out", ast.Name("_out", ast.Load())))
    function = _function(call, template, backend)

    def run(args: Any, buffer: Any) -> Any:
        try:
            return function(*args, buffer)
        except RuntimeError:
            if buffer is None:
                raise
            return function(*args, None)  # of a dtype or strides that it does not write

    return run


def _as_call(tree: ast.expr, namespace: Mapping[str, Any]) -> ast.Call | None:
    """An expression as a call of a function of PyTorch that takes `out=`; None where it is none."""
    if isinstance(tree, ast.BinOp) and type(tree.op) in _OPERATORS:
        name = _OPERATORS[type(tree.op)].__name__
        function = ast.Attribute(ast.Name("torch", ast.Load()), name, ast.Load())
        tree = ast.Call(function, [tree.left, tree.right], [])
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Attribute):
        return None
    found = getattr(torch, tree.func.attr, None) if ast.unparse(tree.func) == f"torch.{tree.func.attr}" else None
    packet = getattr(torch.ops.aten, tree.func.attr, None)
    return tree if found is not None and packet is not None and "out" in packet.overloads() else None


def _function(call: ast.Call, template: Template, backend: Backend) -> Callable[..., Any]:
    names = [ast.arg(name) for name in (*template.params, "_out")]
    signature = ast.arguments([], names, None, [], [], None, [])
    code = ast.fix_missing_locations(ast.Expression(ast.Lambda(signature, call)))
    made: Callable[..., Any] = eval(compile(code, "<out>", "eval"), dict(backend.namespace))
    return made
