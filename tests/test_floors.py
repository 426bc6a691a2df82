"""The house stands on its floors: imports point down only, and the package itself loads no framework."""

import ast
import functools
import pathlib
import re
import subprocess
import sys
import tomllib

import pytest

ROOT = pathlib.Path(__file__).parent.parent
FOLDERS = {
    "gfx_ir": ROOT / "gfx_ir",
    "gfx_trace": ROOT / "gfx_trace",
    "gfx_numpy": ROOT / "backends/gfx_numpy",
    "gfx_torch": ROOT / "backends/gfx_torch",
    "gfx_jax": ROOT / "backends/gfx_jax",
}
# What the rewrites of the printer's copy may know of the printer: facts about graphs, and what the target asks for.
FACTS = {"copying", "liveness", "nesting", "sides", "style", "unrolling", "writer"}
BACKENDS = ("gfx_numpy", "gfx_torch", "gfx_jax")

# Modules and packages of gfx_ir above floor 0, by their first name; what is not listed lies on floor 0.
FLOOR_1 = {"ops", "infer", "cost"}
FLOOR_2 = {"array_api", "save", "lifting", "passes", "patterns", "codegen", "partition", "runtime"}

# The folders of gfx_trace, from the lowest: each imports only those below it.
ROOMS = (
    *("rewrite", "values", "heap", "interfaces", "python", "frameworks", "objects"),
    *("control", "calls", "trace", "capture", "explain", "api", "cli"),
)

# What each package may import besides the standard library: at module level, and anywhere.
NUMERIC = {"numpy", "ml_dtypes"}
AT_ONCE = {
    "gfx_ir": {"gfx_ir", "astor", "safetensors"} | NUMERIC,
    "gfx_trace": {"gfx_ir", "gfx_trace", "numpy"},
    "gfx_numpy": {"gfx_ir", "gfx_numpy"} | NUMERIC,
    "gfx_torch": {"gfx_ir", "gfx_torch", "torch"} | NUMERIC,
    "gfx_jax": {"gfx_ir", "gfx_jax", "jax"} | NUMERIC,
}
AT_FIRST_USE = {
    "gfx_ir": {"scipy", "rich"},
    "gfx_trace": {"rich", "typer", "safetensors"},
    "gfx_numpy": {"scipy"},
    "gfx_torch": set(),
    "gfx_jax": set(),
}
# The command line is a leaf: nothing imports it, so its own libraries may stand at its head.
LEAVES = {"gfx_trace.cli": {"rich", "typer", "click"}, "gfx_trace.cli.commands": {"rich", "typer", "click"}}

INSIDE = {"gfx_jax.recorded.names"}  # the one module that names what JAX does not show, and checks that it is there
PRIVATE = re.compile(r"\btorch\._|\bjax\._src|\bjaxlib\b|\bnumpy\.core\b|\bnumpy\._core\b")


def module_files():
    for package, folder in FOLDERS.items():
        for path in sorted(folder.rglob("*.py")):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            yield ".".join(parts).removesuffix(".__init__"), path


MODULES = dict(module_files())


def statements(block, inside=False):
    """(statement, whether inside a function) of each statement within a module or a statement."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(block, field, ()):
            yield node, inside
            yield from statements(node, inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@functools.cache
def imports(name):
    """(imported modules in full, line, whether inside a function) of each import in the module `name`."""
    path, found = MODULES[name], []
    for node, inside in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.append(([alias.name for alias in node.names], node.lineno, inside))
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = name if path.stem == "__init__" else name.rpartition(".")[0]
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parents, base] if base else parents)
            targets = [f"{base}.{alias.name}" for alias in node.names]
            found.append(([t if t in MODULES else base for t in targets], node.lineno, inside))
    return found


def floor(name):
    """The floor of a module of gfx_ir; the package itself only gathers names, so it lies on top."""
    parts = name.split(".")
    if len(parts) == 1:
        return 2
    return 1 if parts[1] in FLOOR_1 else 2 if parts[1] in FLOOR_2 else 0


def every_import(start=""):
    """(module that imports, imported module, line, whether inside a function), of modules whose name begins so."""
    for name in MODULES:
        if name.startswith(start):
            for targets, line, inside in imports(name):
                for target in targets:
                    yield name, target, line, inside


def test_imports_point_down():
    found = []
    for name, target, line, inside in every_import():
        package, top = name.split(".")[0], target.split(".")[0]
        may = AT_ONCE[package] | LEAVES.get(name, set()) | (AT_FIRST_USE[package] if inside else set())
        if top not in may and top not in sys.stdlib_module_names:
            found.append(f"{MODULES[name]}:{line} imports {target}" + ("" if inside else " at module level"))
    assert not found


def test_floors_of_gfx_ir():
    assert not [
        f"{MODULES[name]}:{line} (floor {floor(name)}) imports {target} (floor {floor(target)})"
        for name, target, line, _ in every_import("gfx_ir")
        if target.split(".")[0] == "gfx_ir" and floor(target) > floor(name)
    ]


def circles(arrows):
    """The groups of more than one module that all reach each other (strongly connected components, by Kosaraju)."""
    order, seen = [], set()
    for root in arrows:
        path = [(root, iter(arrows[root]))] if root not in seen else []
        seen.add(root)
        while path:
            at, rest = path[-1]
            step = next((s for s in rest if s not in seen), None)
            if step is None:
                order.append(path.pop()[0])
            else:
                seen.add(step)
                path.append((step, iter(arrows[step])))
    against = {name: [n for n in arrows if name in arrows[n]] for name in arrows}
    groups = []
    for root in reversed(order):
        group, todo = set(), [root]
        while todo:
            at = todo.pop()
            if at in seen:
                seen.remove(at)
                group.add(at)
                todo += against[at]
        groups += [group] if len(group) > 1 else []
    return groups


def test_circles_are_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}) == [{"b", "c"}]


def test_imports_form_no_circle():
    """Imports for types count: they tie rooms as firmly."""
    arrows = {name: {t for ts, _, _ in imports(name) for t in ts if t in MODULES and t != name} for name in MODULES}
    assert not circles(arrows)


def test_folders_of_gfx_trace():
    def room(module):
        return ROOMS.index(module.split(".")[1])

    inside = [found for found in every_import("gfx_trace.") if found[1].split(".")[0] == "gfx_trace"]
    assert not [found for found in inside if found[1] == "gfx_trace" or room(found[1]) > room(found[0])]


def test_rewrites_know_nothing_of_the_printer():
    rewrites = "prepare"
    for name, target, line, _ in every_import("gfx_ir.codegen."):
        room = name.split(".")[2]
        allowed = FACTS | {rewrites} if room == rewrites else FACTS
        if room in allowed and target.startswith("gfx_ir.codegen."):
            assert target.split(".")[2] in allowed, f"{MODULES[name]}:{line} imports {target}"


def test_project_is_imported_at_module_level():
    late = [
        f"{MODULES[name]}:{line} imports {t}"
        for name, t, line, inside in every_import()
        if inside and t.split(".")[0] in FOLDERS
    ]
    assert not late


def test_leaves_are_not_imported():
    assert not [(name, t) for name, t, _, _ in every_import() if t in LEAVES and name not in LEAVES]


SCAN = "from torch._higher_order_ops import scan"  # emitted source needs it, and PyTorch has no public name for it


def test_public_names_of_frameworks_only():
    for name in MODULES.keys() - INSIDE:
        lines = MODULES[name].read_text(encoding="utf-8").replace(SCAN, "").splitlines()
        assert not [f"{MODULES[name]}:{n}" for n, line in enumerate(lines, 1) if PRIVATE.search(line.split("#")[0])]


def test_importing_gfx_trace_loads_no_framework():
    heavy = {"torch", "jax", "jaxlib", "scipy", "rich", "typer", "transformers"}
    code = f"import sys, gfx_trace; print(*sorted(set(sys.modules) & {heavy!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_backend_loads_no_other_framework(backend):
    others = {"torch", "jax"} - {backend.removeprefix("gfx_")}
    code = f"import sys, {backend}; print(*sorted(set(sys.modules) & {others!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_backends_are_declared_as_entry_points():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = project["entry-points"]["gfx.backends"]
    assert declared == {name.removeprefix("gfx_"): f"{name}:backend" for name in BACKENDS}
