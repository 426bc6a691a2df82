"""The page that puts emitted source beside source written by hand."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import pathlib
import sys
from types import ModuleType
from typing import Any

import gfx_trace as gfx

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "shared" / "conformance" / "emitted_examples.py"
HEAD = """# Emitted source beside source written by hand

Six functions, captured without any argument. For each target the source as a person wrote it stands first, then the one that is
written by GFX. Lines are those of the function, without docstrings and blank lines.
"""
TARGETS = (
    ("PyTorch", "t_py", "torch", {}),
    ('PyTorch, `mode="hop"`', "t_hop", "torch", {"mode": "hop"}),
    ("JAX", "jx", "jax", {}),
)


def examples() -> ModuleType | None:
    """The module of examples, or None where it is absent."""
    if not EXAMPLES.exists():
        return None
    spec = importlib.util.spec_from_file_location("emitted_examples", EXAMPLES)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["emitted_examples"] = module
    spec.loader.exec_module(module)
    return module


def body(source: str) -> str:
    """The functions of a module, without its imports."""
    tree = ast.parse(source)
    first = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    return "\n".join(source.splitlines()[first.lineno - 1 :]).strip()


def count(source: str) -> int:
    """Lines that are neither blank, nor comments, nor of a docstring."""
    lines = set()
    for node in ast.walk(ast.parse(source)):
        for parent in [node] if hasattr(node, "body") and isinstance(node.body, list) else []:
            first = parent.body[0] if parent.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                lines |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    texts = enumerate(source.splitlines(), 1)
    return sum(1 for at, text in texts if text.strip() and not text.strip().startswith("#") and at not in lines)


def pair(module: ModuleType, name: str, title: str, hand: Any, program: gfx.Program, target: str, options: dict) -> str:
    """Both sources and their lines."""
    written = inspect.getsource(getattr(hand, name)).strip()
    ours = body(program.source(target, **options))
    lines = f"{title}: {count(written)} lines by hand, {count(ours)} emitted."
    return f"{lines}\n\n```python\n{written}\n```\n\n```python\n{ours}\n```\n"


def emitted_page() -> str | None:
    """docs/emitted_examples.md; None where the examples are absent."""
    module = examples()
    if module is None:
        return None
    parts = [HEAD]
    for name, (flavour, _) in module.ARGS.items():
        fn = getattr(module.src, name)
        program = gfx.symbolic_trace(fn, backend=flavour)
        parts.append(f"## {name}\n")
        parts.append(f"Input ({flavour}):\n\n```python\n{inspect.getsource(fn).strip()}\n```\n")
        for title, hand, target, options in TARGETS:
            parts.append(pair(module, name, title, getattr(module, hand), program, target, options))
    return "\n".join(parts).rstrip() + "\n"
