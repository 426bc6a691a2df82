"""TorchScript as Python: the module that a compiled or loaded one was made of, its methods written anew from their serialised text.

The text of TorchScript (torch/csrc/jit/serialization/python_print.cpp) is a part of Python's grammar whose calls are those of ATen; each
becomes Python's own form, or a call of that overload.
"""

from __future__ import annotations

import ast
import copy
import functools
import io
import linecache
import zipfile
import zlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Optional

import torch

from gfx_ir.errors import UnsupportedConstruct

_FORMS = """
add(a, b): a + b
sub(a, b): a - b
mul(a, b): a * b
div(a, b): a / b
floordiv(a, b): a // b
floor_divide(a, b): a // b
remainder(a, b): a % b
pow(a, b): a ** b
neg(a): -a
matmul(a, b): a @ b
eq(a, b): a == b
ne(a, b): a != b
lt(a, b): a < b
le(a, b): a <= b
gt(a, b): a > b
ge(a, b): a >= b
__and__(a, b): a & b
__or__(a, b): a | b
__xor__(a, b): a ^ b
__not__(a): not a
__is__(a, b): a is b
__isnot__(a, b): a is not b
__contains__(a, b): b in a
sqrt(a): square_root(a)
add_(a, b): added(a, b)
slice(a): part(a)
slice(a, b): part(a, b)
slice(a, b, c): part(a, b, c)
slice(a, b, c, d): part(a, b, c, d)
slice(a, b, c, d, e): part(a, b, c, d, e)
size(a): list(a.shape)
size(a, b): a.shape[b]
dim(a): a.dim()
numel(a): a.numel()
item(a): a.item()
len(a): len(a)
list(a): list(a)
dict(a): dict(a)
str(a): str(a)
append(a, b): a.append(b)
extend(a, b): a.extend(b)
insert(a, b, c): a.insert(b, c)
pop(a): a.pop()
pop(a, b): a.pop(b)
keys(a): a.keys()
values(a): a.values()
items(a): a.items()
get(a, b): a.get(b)
get(a, b, c): a.get(b, c)
_set_item(a, b, c): a.__setitem__(b, c)
Int(a): int(a)
Float(a): float(a)
Bool(a): bool(a)
IntImplicit(a): a
FloatImplicit(a): a
ScalarImplicit(a): a
prim.NumToTensor(a): a
prim.unchecked_unwrap_optional(a): a
prim.data(a): a.detach()
prim.tolist(a): a.tolist()
prim.min(a): min(a)
prim.min(a, b): min(a, b)
prim.max(a): max(a)
prim.max(a, b): max(a, b)
prim.abs(a): abs(a)
prim.TupleIndex(a, b): a[b]
annotate(a, b): b
unchecked_cast(a, b): b
uninitialized(a): None
upsample_nearest2d(a, b, c): torch.nn.functional.interpolate(a, b, c)
upsample_bilinear2d(a, b, c, d): torch.nn.functional.interpolate(a, b, d, 'bilinear', c)
index(a, b): torch.ops.aten.index.Tensor(a, b)
_convolution(a, b, c, d, e, f, g, h, i, j, k, l, m): torch.ops.aten.convolution(a, b, c, d, e, f, g, h, i)
"""
"""What is none of ATen's, or takes numbers and lists, too, as Python's form of its arguments."""
_DTYPES = (
    "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex32", "complex64", "complex128", "bool", "qint8",
    "quint8", "qint32", "bfloat16",
)  # fmt: skip
"""By their numbers in c10/core/ScalarType.h."""
_TYPES: dict[str, Any] = {
    "Tensor": torch.Tensor, "Optional": Optional, "List": list, "Dict": dict, "Tuple": tuple, "int": int, "float": float, "bool": bool,
    "str": str,
}  # fmt: skip
"""Types that it names, which capture reads."""
_NO_MATTER = frozenset(("layout", "pin_memory", "memory_format", "non_blocking"))
_PRELUDE = """
def part(x, *given):
    if isinstance(x, torch.Tensor):
        return torch.ops.aten.slice(x, *given)
    start, end, step = (*given, None, None, None)[:3]
    return x[start:end:step]


def added(x, y):
    x += y
    return x


def square_root(x):
    return torch.sqrt(x) if isinstance(x, torch.Tensor) else x**0.5
"""
"""Functions that stand beside each class."""


def authors_own(module: Any) -> torch.nn.Module:
    """The module that TorchScript's was made of: the same parameters, buffers and attributes under the same names, and methods in Python.

    Raises UnsupportedConstruct where TorchScript cannot print one."""
    return _Written(module).module(module)


class Own(torch.nn.Module):
    """A module that one of TorchScript's was made of; its mode is the one that this is in."""

    def __getattr__(self, name: str) -> Any:
        return self.__dict__["_compiled"].training if name == "training" else super().__getattr__(name)


class _Written:
    """The Python that the modules of a tree were made of: a class for each of their types."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._classes: dict[str, tuple[Any, list[str]]] = {}
        self._made: dict[Any, torch.nn.Module] = {}
        self._functions: dict[str, ast.FunctionDef] | None = None

    def module(self, module: Any) -> torch.nn.Module:
        """The module of which one in the tree was made."""
        known = self._made.get(module)
        if known is not None:
            return known
        kind, attributes = self._class(module)
        made: torch.nn.Module = kind.__new__(kind)
        self._made[module] = made
        torch.nn.Module.__init__(made)
        tables = (module.named_parameters, made._parameters), (module.named_buffers, made._buffers)
        for given, table in tables:  # the same tensors: some may be tied
            table.update(given(recurse=False, remove_duplicate=False))
        for name, child in module._modules.items():
            made.add_module(name, self.module(child))
        held = {"training", *made._parameters, *made._buffers, *made._modules}
        for name in attributes:
            if name not in held:
                setattr(made, name, getattr(module, name))
        del made.__dict__["training"]
        made.__dict__["_compiled"] = module
        return made

    def _class(self, module: Any) -> tuple[Any, list[str]]:
        """The class of a module, and which attributes its code names."""
        name = module._c._type().qualified_name()
        if name not in self._classes:
            text, constants = _text(module)
            (tree,) = ast.parse(text).body
            assert isinstance(tree, ast.ClassDef)
            told = [x.target.id for x in tree.body if isinstance(x, ast.AnnAssign) and isinstance(x.target, ast.Name)]
            self._classes[name] = self._compiled(name, module.original_name, tree, constants), told
        return self._classes[name]

    def _compiled(self, name: str, called: str, tree: ast.ClassDef, constants: Any) -> Any:
        forms = _Forms(self)
        tree.name = called if called.isidentifier() else "Module"
        tree.bases = [ast.Name("Own", ast.Load())]
        tree.body = [forms.visit(x) for x in tree.body if isinstance(x, ast.FunctionDef)] or [ast.Pass()]
        text = "\n\n".join(
            [_PRELUDE, *map(ast.unparse, forms.functions.values()), ast.unparse(ast.fix_missing_locations(tree))]
        )
        place = f"<TorchScript {name} {zlib.crc32(text.encode()):08x}>"  # two files may have other classes of one name
        linecache.cache[place] = len(text), None, text.splitlines(keepends=True), place
        names: dict[str, Any] = {
            "torch": torch,
            "Own": Own,
            "CONSTANTS": SimpleNamespace(**constants),
            "__name__": name.lstrip("_"),
        }
        names |= _TYPES | dict.fromkeys(("ops", "__torch__"), _Lacking())
        exec(compile(text, place, "exec"), names)
        return names[tree.name]

    def function(self, name: str) -> ast.FunctionDef | None:
        """A function that the modules call, by its qualified name; None: it is none."""
        if self._functions is None:
            self._functions = dict(_functions(self._root))
        return self._functions.get(name)


class _Lacking:
    """What no Python stands for; it is refused where it is read."""

    def __getattr__(self, name: str) -> Any:
        raise UnsupportedConstruct(
            f"GFX cannot capture {name!r} of TorchScript, which has no form in Python",
            hint="capture the module that it was made of",
        )


def _text(module: Any) -> tuple[str, dict[str, Any]]:
    """The class of a module in TorchScript, and its constants."""
    try:
        return module._c.code_with_constants  # type: ignore[no-any-return]
    except RuntimeError as error:
        what = f"GFX cannot capture this {module.original_name}: TorchScript cannot print it ({error})"
        raise UnsupportedConstruct(what, hint="capture the module that it was made of") from None


def _functions(root: Any) -> Iterator[tuple[str, ast.FunctionDef]]:
    """All functions that a saved module holds, by their qualified names."""
    with zipfile.ZipFile(io.BytesIO(root.save_to_buffer())) as archive:
        for path in archive.namelist():
            _, _, place = path.partition("/code/")
            if place.endswith(".py"):
                package = place.removesuffix(".py").replace("/", ".")
                functions = [x for x in ast.parse(archive.read(path)).body if isinstance(x, ast.FunctionDef)]
                yield from ((f"{package}.{x.name}", x) for x in functions)


class _Forms(ast.NodeTransformer):
    """TorchScript's forms as Python's. `functions`: those that are called, by their qualified names."""

    def __init__(self, written: _Written) -> None:
        self._written = written
        self.functions: dict[str, ast.FunctionDef] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns, told = None, [x.annotation for x in node.args.args]
        self.generic_visit(node)
        for x, kind in zip(node.args.args, told):
            names = {x.id for x in ast.walk(kind) if isinstance(x, ast.Name)} if kind is not None else {""}
            x.annotation = kind if names <= _TYPES.keys() else None
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        """`ops.prim.RaiseException(text)` is a statement."""
        call, made = node.value, self.visit(node.value)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "ops.prim.RaiseException":
            text, *kind = map(ast.unparse, call.args)
            error = kind[0].strip("'").removeprefix("builtins.") if kind else "RuntimeError"
            return ast.parse(f"raise {error}({text})").body[0]
        return ast.Expr(made)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        path = ast.unparse(node.func)
        family, _, name = path.rpartition(".")
        if path in ("torch.format", "ops.aten.format"):
            node = ast.Call(ast.Attribute(node.args[0], "format", ast.Load()), node.args[1:], [])
        elif family in ("", "torch", "ops.prim") and path != "torch.device":
            form = _forms().get((path.removeprefix("torch.").removeprefix("ops."), len(node.args)))
            if form is not None and not node.keywords:
                return _Filled(dict(zip(form[0], node.args))).visit(copy.deepcopy(form[1]))
            if family == "ops.prim" and len(node.args) == 1:  # of a tensor
                return ast.Attribute(node.args[0], name, ast.Load())
            return _of_aten(name, node) if family == "torch" else node
        elif name == "forward":
            node.func = node.func.value  # type: ignore[attr-defined]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """PyTorch's own functions and classes stay; another function is written beside the class."""
        path = ast.unparse(node)
        if not path.startswith("__torch__."):
            self.generic_visit(node)
        elif _of_torch(path.removeprefix("__torch__.")):
            return ast.parse(path.removeprefix("__torch__."), mode="eval").body
        elif self._beside(path):
            return ast.Name(self.functions[path].name, ast.Load())
        return node

    def _beside(self, path: str) -> bool:
        """Whether a function stands beside the class, put there if there is such a one."""
        found = None if path in self.functions else copy.deepcopy(self._written.function(path))
        if found is not None:
            taken = {x.name for x in self.functions.values()}
            found.name = path.replace(".", "_") if found.name in taken else found.name
            self.functions[path] = found
            self.visit(found)
        return path in self.functions


def _of_torch(path: str) -> bool:
    """Whether PyTorch has something in Python under a name."""
    found: Any = SimpleNamespace(torch=torch)
    for part in path.split("."):
        found = vars(found).get(part, _Lacking) if hasattr(found, "__dict__") else _Lacking
    return found is not _Lacking


class _Filled(ast.NodeTransformer):
    """A form whose letters are these expressions."""

    def __init__(self, given: dict[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._given.get(node.id, node)


def _of_aten(name: str, call: ast.Call) -> ast.Call:
    """A call of ATen's function of a name: its dtypes by name; what says how memory is laid out is no matter here."""
    packet = getattr(torch.ops.aten, name, None)
    overloads = [] if packet is None else [getattr(packet, x)._schema.arguments for x in packet.overloads()]
    for at, x in enumerate(call.args):
        if any(at < len(told) and told[at].name == "dtype" and not told[at].kwarg_only for told in overloads):
            call.args[at] = _dtype(x)
    call.keywords = [x for x in call.keywords if x.arg not in _NO_MATTER]
    for keyword in call.keywords:
        if keyword.arg == "dtype":
            keyword.value = _dtype(keyword.value)
    call.func = ast.parse(f"torch.ops.aten.{name}", mode="eval").body
    return call


def _dtype(x: ast.expr) -> ast.expr:
    """A dtype that is told by its number."""
    told = isinstance(x, ast.Constant) and type(x.value) is int
    return ast.parse(f"torch.{_DTYPES[x.value]}", mode="eval").body if told else x  # type: ignore[attr-defined]


@functools.cache
def _forms() -> dict[tuple[str, int], tuple[list[str], ast.expr]]:
    """The letters and the form of a call, by its name and its number of arguments."""
    found: dict[tuple[str, int], tuple[list[str], ast.expr]] = {}
    for line in _FORMS.split("\n")[1:-1]:
        call, _, form = line.partition(": ")
        name, _, letters = call.rstrip(")").partition("(")
        names = letters.split(", ")
        found[name, len(names)] = names, ast.parse(form, mode="eval").body
    return found
