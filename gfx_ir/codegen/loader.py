"""The loader of a saved module: functions that stand behind its source, so that the params are read without GFX."""

from __future__ import annotations

import ast
import json
import pathlib
import re
from typing import Any

from safetensors.numpy import load_file

from ..param_tree import as_dictionaries, listed
from .helpers import bare_source, import_block


def load(path: Any) -> Any:
    """The tree of params in a .safetensors file, or in the shards that a .safetensors.index.json names."""
    path = pathlib.Path(path)
    files = [path]
    if path.suffix == ".json":
        shards = json.loads(path.read_text())["weight_map"].values()
        files = [path.parent / pathlib.Path(name).name for name in dict.fromkeys(shards)]
    return listed(as_dictionaries({name: x for file in files for name, x in load_file(file).items()}))


_PRINTED = {"load": load, "as_dictionaries": as_dictionaries, "listed": listed}


def with_loader(source: str, library: str) -> str:
    """Source with a function `load(path)` at its end; where the source has something of that name, it is `load_params`.

    `library` is the module of safetensors that reads a file as the target's arrays."""
    body = ast.parse(source).body
    first = next((node.lineno for node in body if not isinstance(node, (ast.Import, ast.ImportFrom))), 1)
    lines = source.splitlines()
    head, rest = [line for line in lines[: first - 1] if line], lines[first - 1 :]
    block = import_block({*head, "import json", "import pathlib", f"from {library} import load_file"})
    taken = {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    names = {name: f"{name}_params" for name in _PRINTED if name in taken}
    texts = [bare_source(function).rstrip() for function in _PRINTED.values()]
    for name, other in names.items():
        texts = [re.sub(rf"\b{name}\b(?=\()", other, text) for text in texts]
    return "\n".join([*block, "", "", *rest, "", "", "\n\n\n".join(texts)]) + "\n"
