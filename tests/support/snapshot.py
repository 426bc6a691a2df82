"""Snapshots of emitted source: what each op sample, conformance case and docs example is written as for every target.

usage: python tests/support/snapshot.py        (or make snapshots) writes the files of tests/snapshots anew

One file for each family of ops, one for each framework that conformance cases are written for, one for the docs. After a title stands
each target with, in brackets, what its module imports and which of GFX's own helpers it prints (their text is not repeated: it is the
backend's own); then the functions, or just the expression where it is one. Where two branches change the same file, run it on the merge.
"""

import ast
import contextlib
import importlib
import pkgutil
import re
import sys
from itertools import groupby

import jax
import numpy as np

import gfx_trace as gfx
import samples
from conformance import load_cases
from docs.constructs import CHAPTERS
from docs.measured import kept
from docs.semantics import CHAPTERS as MEANINGS
from gfx_ir import dtypes
from gfx_ir.errors import GfxError
from gfx_ir.graph import Graph, Node
from gfx_ir.loading import backend
from gfx_ir.op import lookup
from gfx_ir.program import Parameter, Program
from gfx_ir.trees import tree_map
from gfx_ir.types import LogicalTensor
from places import ROOT

FOLDER = ROOT / "tests" / "snapshots"
TARGETS = ("torch", "jax", "numpy")
TOLERANCE = 1e-6, 0.0  # of constants that capture computes


@contextlib.contextmanager
def narrow():
    """Inside, JAX has its 64-bit types off, as it has by default."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", False)
    try:
        yield
    finally:
        jax.config.update("jax_enable_x64", before)


# ---------------------------------------------------------------- what one module is told as
def told(make, target, **options):
    """The source for a target, in short, of the program that `make()` gives; or that it is refused."""
    try:
        source = gfx.Program.of(make()).source(target, **options)
    except GfxError as error:
        return f"refused: {type(error).__name__}"
    owner = backend(target)
    known = {*owner.namespace, *owner.style.helpers}
    head, helpers, kept = [], [], []
    lines = source.splitlines()
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            head += [alias.asname or alias.name for alias in node.names]
        elif isinstance(node, ast.FunctionDef) and node.name in known:
            helpers.append(node.name)
        else:
            kept.append((node, "\n".join(lines[first_line(node) - 1 : node.end_lineno])))
    text = f"[{', '.join(head)}{'; ' if helpers else ''}{', '.join(helpers)}]"
    if len(kept) == 1 and (returned := expression(kept[0][0])):
        return f"{text} {returned}"
    body = "\n\n".join(part for _, part in kept)
    return "\n".join([text, *(f"    {line}".rstrip() for line in body.splitlines())])


def first_line(node):
    """Where a statement begins, its decorators included."""
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])


def expression(node):
    """What a function returns, where it does nothing else and that is one line."""
    if isinstance(node, ast.FunctionDef) and len(node.body) == 1 and isinstance(node.body[0], ast.Return):
        text = ast.unparse(node.body[0].value) if node.body[0].value is not None else ""
        return text if len(text) < 120 else ""
    return ""


def entry(title, texts):
    """A title and the text under each label."""
    return "\n".join([f"== {title}", *(f"{label} {text}" for label, text in texts.items())]) + "\n"


# ---------------------------------------------------------------- op samples
def program_of(sample, typed):
    """A program of the one op, each array an argument."""
    op, graph, signature = lookup(sample.op), Graph("f"), []

    def leaf(x):
        if not isinstance(x, (np.ndarray, np.generic)):
            return x
        kind = LogicalTensor(dtypes.dtype(x.dtype), x.shape) if typed else None
        value = graph.add_placeholder(f"x{len(signature) + 1}", "tensor", kind)
        signature.append(Parameter(value.name, value))
        return value

    args = tree_map(leaf, op.bind(*sample.args, **sample.kwargs))
    node = graph.append(Node(op, args, op.output_kinds(args)))
    graph.result = node.values[0] if len(node.values) == 1 else tuple(node.values)
    return Program(graph, {}, signature)


def sampled(sample):
    """What an op is written as, by label; without types only where that differs."""
    texts = {}
    for target in TARGETS:
        texts[target] = told(lambda: program_of(sample, typed=True), target)
        untyped = told(lambda: program_of(sample, typed=False), target)
        if untyped != texts[target]:
            texts[f"{target} without types"] = untyped
    return texts


def family(module):
    """The samples of a family; those in a row that are written alike stand under one text."""
    told_of = [(str(sample), sampled(sample)) for sample in module.SAMPLES]
    runs = groupby(told_of, key=lambda pair: pair[1])
    return "\n".join(entry("\n== ".join(title for title, _ in run), texts) for texts, run in runs)


def each(text):
    """The entries of a file, a title and what stands under it: those that stand under one text apart."""
    found = []
    for block in re.split(r"\n+(?=== )", text.rstrip()):
        title, *rest = block.split("\n", 1)
        found.append((title, *rest))
    for at in reversed(range(len(found))):
        found[at] = (*found[at], found[at + 1][1]) if len(found[at]) == 1 else found[at]
    return ["\n".join(pair) for pair in found]


# ---------------------------------------------------------------- captured programs
def captured(title, fn, args, flavour, targets=TARGETS, typed=False):
    """A function without types, or with those of its arguments where it is refused so."""
    for given, note in (((), ""), (args, ", types given")) if not typed else ((args, ", types given"),):
        try:
            program = gfx.symbolic_trace(fn, *given, backend=flavour)
        except Exception as error:  # what Python itself raises is a refusal, too
            refused = {"refused:": type(error).__name__}
            continue
        texts = {target: told(lambda program=program: program, target) for target in targets}
        texts["torch, hop"] = told(lambda program=program: program, "torch", mode="hop")
        return entry(f"{title}{note}", texts)
    return entry(title, refused)


def conformance(cases, flavour):
    """The conformance cases that are written for a framework."""
    chosen = [case for case in cases.CASES if case.flavour == flavour and case.expect != "error"]
    return "\n".join(
        captured(case.name, case.fn, tuple(cases.to_framework(case.args[0], flavour)), flavour) for case in chosen
    )


def docs_examples():
    """The constructs and the meanings of the docs: what their pages do not show already."""
    rows = [row for _, chapter in CHAPTERS for row in chapter if not row.refused]
    shown = [captured(row.title, row.fn, row.args, row.flavour, ("numpy",), row.typed) for row in rows]
    meant = [
        captured(row.title, row.fn, row.args, "torch", ("torch", "numpy"), row.typed)
        for _, chapter in MEANINGS
        for row in chapter
    ]
    return "\n".join([*shown, *meant])


# ---------------------------------------------------------------- files
def families():
    """The modules of samples, by the family of their ops."""
    return {m.name: importlib.import_module(f"samples.{m.name}") for m in pkgutil.iter_modules(samples.__path__)}


def groups(cases):
    """What writes each file, by name; `cases`: the module of conformance cases, or None where it is absent."""
    found = {f"ops_{name}": lambda module=module: family(module) for name, module in families().items()}
    found["docs"] = docs_examples
    if cases is not None:
        for flavour in TARGETS:
            found[f"conformance_{flavour}"] = lambda flavour=flavour: conformance(cases, flavour)
    return found


def main():
    old = {path.stem: path.read_text() for path in FOLDER.glob("*.txt")}
    for path in FOLDER.glob("*.txt"):
        if not path.stem.startswith("conformance_"):  # their cases may be absent
            path.unlink()
    with narrow():
        for name, write in groups(load_cases()).items():
            path = FOLDER / f"{name}.txt"
            path.write_text(kept(old.get(path.stem, ""), write(), *TOLERANCE))
    return 0


if __name__ == "__main__":
    sys.exit(main())
