"""Programs as files: what is saved is loaded equal, whole or not at all, and nothing in a file is run."""

import contextlib
import json
import os

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings

from gfx_ir import save as saving
from gfx_ir.codegen import emit
from gfx_ir.copies import copy_program
from gfx_ir.encoding import encode
from gfx_ir.equality import difference
from gfx_ir.errors import FormatError, VerifyError
from gfx_ir.graph import Graph, Node
from gfx_ir.loading import backend
from gfx_ir.op import lookup
from gfx_ir.program import Guard, Parameter, Program
from gfx_ir.regions import with_regions
from gfx_ir.save import load, save, write_whole
from gfx_ir.source import Scope, Span
from gfx_ir.textparse import parse_text
from gfx_ir.trees import leaves
from linear import assert_linear
from strategies import programs
from sweeps import one_in, part


@given(programs())
@settings(max_examples=part(4, 100))
def test_programs_are_loaded_equal(tmp_path_factory, program):
    path = tmp_path_factory.mktemp("save") / "program.json"
    save(program, path)
    assert difference(program, load(path)) is None


def layer():
    """y = x @ w + b, called twice, with places."""
    block = Graph("block", "One layer.")
    x = block.add_placeholder("x")
    w, b = block.add_parameter("w"), block.add_parameter("0")
    product = block.append(Node(lookup("matmul"), (x, w))).value
    block.result = block.append(Node(lookup("add"), (product, b))).value
    entry = Graph("model")
    x = entry.add_placeholder("x", span=Span("model.py", 3, "forward"))
    outer = Scope("forward")
    inner = Scope("Block", "module", "blocks.1", None, outer, Span("model.py", 5, "forward", outer), doc="A block.")
    for at in range(2):
        span = Span("block.py", 7 + at, "block", inner)
        x = entry.append(Node(lookup("call"), ("block", f"blocks.{at}", (x,)), ("tensor",), span)).value
    entry.result = {"y": x, "n": 3}
    params = {
        f"blocks.{at}.{name}": np.full(shape, at, np.float32)
        for at in range(2)
        for name, shape in (("w", (2, 2)), ("0", (2,)))
    }
    signature = [Parameter("x", entry.placeholders[0], annotation="torch.Tensor | None")]
    return Program(entry, {"block": block}, signature, params, [Guard("rank", "x", 2, Span("model.py", 3))])


def test_params_places_and_scopes_come_back(tmp_path):
    program = layer()
    save(program, tmp_path / "m.json")
    assert sorted(os.listdir(tmp_path)) == ["m.json", "m.safetensors"]
    back = load(tmp_path / "m.json")
    assert difference(program, back) is None
    assert list(back.params) == list(program.params)
    for name, x in program.params.items():
        np.testing.assert_array_equal(back.params[name], x)
    for old, new in zip(program.entry, back.entry):
        assert old.span == new.span and list(old.span.callers()) == list(new.span.callers())
        assert (new.span.scope.name, new.span.scope.kind, new.span.scope.path) == ("Block", "module", "blocks.1")
        assert new.span.scope.doc == "A block." and new.span.scope.parent.name == "forward"
    assert back.guards[0].span == Span("model.py", 3) and back.entry.placeholders[0].node.span.line == 3
    assert back.signature[0].annotation == "torch.Tensor | None"


@pytest.mark.parametrize(
    "dtype", ["float64", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8", "uint64", "bool", "complex64"]
)
def test_every_dtype_of_params(tmp_path, dtype):
    program = layer()
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    program.params = {name: np.arange(6).reshape(2, 3).astype(kind).T for name in program.params}
    program.params["blocks.0.w"] = np.ones((), kind)
    save(program, tmp_path / "m.json")
    back = load(tmp_path / "m.json")
    for name, x in program.params.items():
        assert back.params[name].dtype == kind and back.params[name].shape == x.shape
        assert (back.params[name] == x).all()


def test_params_of_a_framework_go_through_to_host(tmp_path):
    program = layer()
    program.params = {name: ("array", x) for name, x in program.params.items()}
    save(program, tmp_path / "m.json", to_host=lambda pair: pair[1])
    assert load(tmp_path / "m.json").params["blocks.1.w"].sum() == 4


def test_a_dtype_that_safetensors_lacks_is_refused(tmp_path):
    program = layer()
    program.params["blocks.0.w"] = np.ones((2, 2), np.complex128)
    with pytest.raises(FormatError, match=r"blocks.0.w.*complex128"):
        save(program, tmp_path / "m.json")
    assert not os.listdir(tmp_path)


def test_nothing_is_left_of_a_save_that_fails(tmp_path, monkeypatch):
    save(layer(), tmp_path / "m.json")
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    program = layer()
    program.params = {name: x + 1 for name, x in program.params.items()}
    real = os.replace
    calls = []

    def fails(source, target):
        calls.append(target)
        if len(calls) == 2:
            raise OSError("the disk is full")
        real(source, target)

    monkeypatch.setattr(saving.os, "replace", fails)
    with pytest.raises(OSError, match="full"):
        save(program, tmp_path / "m.json")
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == before
    calls.clear()
    with pytest.raises(OSError, match="full"):
        write_whole({tmp_path / "a.py": b"1", tmp_path / "b.py": b"2"})
    assert sorted(os.listdir(tmp_path)) == sorted(before)


def test_what_a_file_cannot_hold_is_refused_with_its_line(tmp_path):
    program = layer()
    program.entry.insert(
        Node(lookup("full"), ((2,), object(), None, None), None, Span("user.py", 9)), program.entry.first
    )
    with pytest.raises(FormatError, match=r"full in 'model'.*object.*user.py:9"):
        save(program, tmp_path / "m.json")
    program = layer()
    program.entry.last.args = ()
    with pytest.raises(VerifyError):
        save(program, tmp_path / "m.json")
    assert not os.listdir(tmp_path)


def tampered(change):
    def check(tmp_path, message):
        save(layer(), tmp_path / "m.json")
        data = json.loads((tmp_path / "m.json").read_text())
        change(data)
        (tmp_path / "m.json").write_text(json.dumps(data))
        with pytest.raises(FormatError, match=message):
            load(tmp_path / "m.json")

    return check


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(version=99), "update it"),
        (lambda d: d.update(version="1"), "version"),
        (lambda d: d.update(format="pickle"), "does not say"),
        (lambda d: d.update(entry=7), "no graph 7"),
        (lambda d: d.update(entry=True), "cannot be True"),
        (lambda d: d.pop("graphs"), "table of graphs"),
        (lambda d: d["graphs"][0]["nodes"][0].__setitem__(0, "os.system"), "an op that this GFX lacks: 'os.system'"),
        (lambda d: d["graphs"][0]["nodes"][0].__setitem__(1, [["%", 0], ["%", 99]]), "no value 99"),
        (lambda d: d["graphs"][0]["nodes"][0].__setitem__(1, [["%", 0]]), "1 arguments"),
        (lambda d: d["graphs"][0]["nodes"][0].__setitem__(3, [0]), "region"),
        (lambda d: d["graphs"][0]["nodes"][0].__setitem__(5, 99), "no span 99"),
        (lambda d: d["graphs"][0]["nodes"][0].append(1), "a node cannot be"),
        (lambda d: d["graphs"][0]["nodes"][0][2][0].__setitem__(0, "x; import os"), "no name"),
        (lambda d: d["graphs"][0].update(result=["object", "os"]), "no constant of the form 'object'"),
        (lambda d: d["graphs"][1]["nodes"][0][1].__setitem__(0, "nothing"), "no function 'nothing'"),
        (lambda d: d["functions"].append(["loop", 1]), "has parameters|takes parameter|calls itself"),
        (lambda d: d.update(guards=[["exec", "x", 1, None]]), "no guard"),
        (lambda d: d.update(guards=[["kinds", "x", 1.5, None]]), "does not hold 1.5"),
        (lambda d: d["signature"][0].__setitem__(0, "x=__import__('os')"), "no name"),
        (lambda d: d["signature"].append(d["signature"][0]), "no function has these arguments: x"),
        (lambda d: d["params"].pop("blocks.0.w"), "params differ"),
        (lambda d: d["params"].update({"blocks.0.w": ["float32", [4]]}), "blocks.0.w"),
        (lambda d: d.update(digest="0"), "not the file of params"),
        (lambda d: d.update(file="../../m.safetensors"), "elsewhere"),
        (lambda d: d.update(file=None), "names no file"),
        (lambda d: d["scopes"][1].__setitem__(4, 1), "before its parent"),
        (lambda d: d["spans"][0].__setitem__(0, "a\0b"), "stands in no file"),
        (lambda d: d.update(promotion="tuple"), "no rules of promotion"),
        (lambda d: d.update(writes=["x"]), "is no pair"),
        (lambda d: d["graphs"][0]["nodes"][0].__setitem__(3, [[]]), "position of graph"),
        (lambda d: d["graphs"][0]["placeholders"][0].__setitem__(2, 5), "cannot be of the type 5"),
    ],
)  # fmt: skip
def test_tampered_files_are_refused(tmp_path, change, message):
    if message.startswith("has parameters"):
        save(layer(), tmp_path / "m.json")
        data = json.loads((tmp_path / "m.json").read_text())
        change(data)
        data["graphs"][1]["nodes"][0][1][0] = "loop"
        (tmp_path / "m.json").write_text(json.dumps(data))
        with pytest.raises(FormatError, match="calls itself"):
            load(tmp_path / "m.json")
        return
    tampered(change)(tmp_path, message)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\x80\x04pickle", b"[1, 2]", b"null", b"[" * 100000, b'{"format": "gfx"}']
)
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "m.json").write_bytes(content)
    with pytest.raises(FormatError, match=r"m\.json"):
        load(tmp_path / "m.json")


def test_params_of_another_save_are_refused(tmp_path):
    program = layer()
    save(program, tmp_path / "m.json")
    program.params = {name: x + 1 for name, x in program.params.items()}
    save(program, tmp_path / "n.json")
    (tmp_path / "n.safetensors").replace(tmp_path / "m.safetensors")
    with pytest.raises(FormatError, match="not the file of params"):
        load(tmp_path / "m.json")
    (tmp_path / "m.safetensors").unlink()
    with pytest.raises(FormatError, match=r"copy the \.safetensors"):
        load(tmp_path / "m.json")


def test_every_cut_of_a_file_is_refused(tmp_path):
    save(layer(), tmp_path / "m.json")
    whole = (tmp_path / "m.json").read_bytes()
    for end in range(0, len(whole), 97):
        (tmp_path / "m.json").write_bytes(whole[:end])
        with pytest.raises(FormatError):
            load(tmp_path / "m.json")


def test_an_annotation_that_would_run_code_is_left_out(tmp_path):
    program = layer()
    program.signature[0].annotation = "__import__('os').system('true')"
    save(program, tmp_path / "m.json")
    assert load(tmp_path / "m.json").signature[0].annotation == ""


TEXTS = """program("torch", "torch", writes=["w"])
guard("value", "n", "three")

def block(x):
    "A block."
    w = parameter("w")
    y = einsum("ij,jk->ik", (x, w))
    return y

@entry
def model(x, name: str = "mean"):
    y = call("block", "a.b", (x,))
    d: dtype = dtype_of(y)
    eps: float = finfo(d, "eps")
    m = mse_loss(y, x, reduction="mean")
    t = greater(m, 0)
    t__1: str = name + "!"
    check(t, "bad", "ValueError")
    print(("m", m, t__1))
    z = pad(y, ((1, 1),), mode="constant")
    def then(z, eps: float):
        u = add(z, eps)
        return (u,)
    def else_(z, eps: float):
        return (z,)
    u = cond(then, else_, pred=t, operands=(z, eps))
    return (u, {"w": m})
"""
EVIL = (
    "{}", "x') or {} or ('", 'x") or {} or ("', "f(): pass\n{}\ndef g", '"""\n{}\n"""', "{{{}}}", "eps if {} else 0", "x\n{}\n#",
)  # fmt: skip


def strings(data, path=()):
    """Paths of all texts in JSON data."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, item in items:
        if isinstance(item, str):
            yield (*path, key)
        yield from strings(item, (*path, key))


@pytest.mark.parametrize("target", ["torch", "jax"])
def test_nothing_in_a_file_becomes_code(tmp_path, target):
    marker = tmp_path / "marker"
    save(parse_text(TEXTS), tmp_path / "m.json")
    whole = (tmp_path / "m.json").read_text()
    loaded = 0
    for path in one_in(4, strings(json.loads(whole))):
        for evil in EVIL:
            data = json.loads(whole)
            place = data
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = evil.format(f"open({str(marker)!r}, 'w')")
            (tmp_path / "m.json").write_text(json.dumps(data))
            with contextlib.suppress(FormatError):
                program = load(tmp_path / "m.json")
                loaded += 1
                with contextlib.suppress(Exception):
                    fn = emit(program, backend(target)).load()
                    fn({"a": {"b": {"w": backend(target).from_host(np.eye(2))}}}, backend(target).from_host(np.eye(2)))
            assert not marker.exists(), (path, evil)
    assert loaded > part(4, 20)


def nested(depth):
    """Tests within tests."""
    graph = Graph("inner")
    graph.add_placeholder("x")
    graph.result = (graph.placeholders[0],)
    for _ in range(depth):
        other, outer = Graph("other"), Graph("outer")
        other.add_placeholder("x")
        other.result = (other.placeholders[0],)
        x = outer.add_placeholder("x")
        node = outer.append(Node(lookup("cond"), (x, (x,)), ("tensor",), None, (graph, other)))
        outer.result, graph = (node.value,), outer
    return Program(graph)


def test_depth_costs_no_recursion(tmp_path):
    program = nested(3000)
    save(program, tmp_path / "m.json")
    assert encode(load(tmp_path / "m.json")) == encode(program)


def chain(length):
    graph = Graph("chain")
    value = graph.add_placeholder("x")
    for at in range(length):
        value = graph.append(Node(lookup("add"), (value, float(at)), None, Span("f.py", at + 1))).value
    graph.result = value
    return Program(graph)


def test_cost_is_linear(tmp_path):
    def prepare(length):
        program = chain(length)
        return lambda: [save(program, tmp_path / "m.json"), load(tmp_path / "m.json")]

    assert_linear(prepare)


def test_leaves_are_values_of_the_loaded_graph(tmp_path):
    save(layer(), tmp_path / "m.json")
    back = load(tmp_path / "m.json")
    assert next(leaves(back.signature[0].tree)) is back.entry.placeholders[0]


def ids(program):
    """Ids of all nodes and values, in order."""
    found = []
    for graph in with_regions(program.graphs):
        for value in (*graph.placeholders, *graph.parameters.values()):
            found.append((value.node.id, value.id))
        found += [(node.id, *[value.id for value in node.values]) for node in graph]
    return found


@given(programs())
@settings(max_examples=20)
def test_ids_are_each_their_own_and_survive_copies_and_files(tmp_path_factory, program):
    own = ids(program)
    flat = [number for row in own for number in row]
    assert len(set(flat)) == len(flat)
    path = tmp_path_factory.mktemp("save") / "program.json"
    save(program, path)
    back = load(path)
    assert ids(copy_program(program)) == ids(back) == own
    assert Node(lookup("add"), (1, 2)).id not in flat


def test_ids_that_a_file_gives_twice_are_refused(tmp_path):
    save(layer(), tmp_path / "m.json")
    data = json.loads((tmp_path / "m.json").read_text())
    for row in data["graphs"][0]["nodes"]:
        row[7] = 1
    (tmp_path / "m.json").write_text(json.dumps(data))
    with pytest.raises(FormatError, match="which another one of its graph has"):
        load(tmp_path / "m.json")
