"""Passes are checked, named, timed, dumped and validated; attributes of graphs survive copies, levels and files."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.attributes import Attribute
from gfx_ir.copies import copy_program
from gfx_ir.errors import ArgumentError, FormatError
from gfx_ir.graph import Node
from gfx_ir.infer import bind, infer
from gfx_ir.op import lookup
from gfx_ir.passes import ALL, Context, Optimize, Pass, PassError, PassRegistry
from gfx_ir.save import load, save
from optimized import f32, ops_of, read

TEXT = """def f(x):
    a = sin(x)
    b = multiply(a, 1.0)
    c = cos(x)
    return b
"""
PLACES = Attribute("places", dict)
COUNT = Attribute("count", int, derived=True)


class Renames(Pass):
    """Replaces every op of one name by that of another."""

    name = "renames"
    needs = ("old", "new")

    def run(self, program, context):
        changed = False
        for node in list(program.entry):
            if node.op.name == self.get("old"):
                made = program.entry.insert(Node(lookup(self.get("new")), node.args), node)
                node.value.replace_by(made.value)
                program.entry.erase(node)
                changed = True
        return changed


class Breaks(Pass):
    name = "breaks"

    def run(self, program, context):
        program.entry.first.args = ()
        if not self.get("uncounted"):
            program.entry.edited()
        return True


class Lies(Pass):
    name = "lies"

    def run(self, program, context):
        program.entry.erase(program.entry.last)
        return False


# ---------------------------------------------------------------------- one pass
def test_a_pass_needs_its_attributes():
    with pytest.raises(PassError, match="needs its attribute 'old'"):
        Renames().apply(read(TEXT))
    program = read(TEXT)
    assert Renames(old="sin", new="tan").apply(program) and ops_of(program) == ["tan", "multiply", "cos"]
    assert not Renames(old="sin", new="tan").apply(program)


def test_attributes_of_a_pass_are_owned_or_borrowed():
    shared = {"x": "cuda:0"}
    one = Renames().set("own", {"a": [1]}).set_not_owned("places", shared)
    two = one.copy()
    two.get("own")["a"].append(2)
    assert one.get("own") == {"a": [1]} and two.get("places") is shared
    assert one.set("places", {}).get("places") == {} and not one.has("absent") and one.get("absent", 3) == 3


def test_a_pass_needs_attributes_of_the_graph():
    registry = PassRegistry()
    registry.register(Renames).require_pass_attr("third").require_graph_attr(PLACES)
    made = registry.get("renames", old="sin", new="tan", third=1)
    program = read(TEXT)
    with pytest.raises(PassError, match="needs the graph attribute 'places'"):
        made.apply(program)
    program.entry.set(PLACES, {"sin": "cpu"})
    assert made.apply(program)
    with pytest.raises(PassError, match="needs its attribute 'third'"):
        registry.get("renames", old="sin", new="tan").apply(program)


def test_a_name_is_registered_once():
    registry = PassRegistry()
    registry.register(Renames)
    with pytest.raises(ValueError, match=r"already registered: at \S+work.py:\d+, and at \S+work.py:\d+"):
        registry.register(Renames)
    registry.register(lambda: Renames(old="sin", new="cos"), name="sin_to_cos")
    assert "sin_to_cos" in registry.names()
    with pytest.raises(ArgumentError, match=r"there are: .*renames"):
        registry.get("absent")


def test_passes_are_read_from_text():
    registry = PassRegistry()
    registry.register(Renames)
    made = registry.read("renames(old='sin', new='tan'), renames")
    assert [(p.get("old"), p.get("new")) for p in made] == [("sin", "tan"), (None, None)]
    for wrong in ("renames(1)", "renames()()", "renames(old=absent)", "a b", "renames(**{})", "1", "renames) + (1"):
        with pytest.raises(ArgumentError, match="is no list of passes"):
            registry.read(wrong)
    assert ops_of(Optimize(["decompose(ops=['sin', 'cos', 'multiply'])"])(read(TEXT))) == ["sin", "multiply", "cos"]


def test_what_is_no_pass_or_no_attribute_of_one_is_refused():
    with pytest.raises(PassError, match=r"'inline' has no attribute 'limits'\nit has: limit"):
        Optimize(["inline(limits=3)"])(read(TEXT))
    assert [p.name for p in Optimize("dead_code, casts").passes] == ["dead_code", "casts"]
    with pytest.raises(ArgumentError, match="is no pass"):
        Optimize([Renames])
    with pytest.raises(ArgumentError, match="a tuple with data for each of: "):
        Optimize(["dead_code"], validate=())(read(TEXT))


def test_a_pass_that_breaks_or_lies_is_named_with_those_before_it():
    with pytest.raises(PassError, match=r"pass 'breaks', after dead_code, left a broken program: .*arguments for x"):
        Optimize(["dead_code", Breaks()])(read(TEXT))
    series = Optimize([Breaks(uncounted=True)])
    with pytest.raises(PassError, match=r"pass 'breaks' left a broken program"):
        series(read(TEXT))
    with pytest.raises(PassError, match=r"'lies'.* edited the program, and says that it did not"):
        Optimize([Lies()])(read(TEXT))
    broken = read(TEXT)
    broken.entry.first.args = ()
    with pytest.raises(PassError, match="was given a broken program"):
        Renames(old="sin", new="tan").apply(broken)


# ---------------------------------------------------------------------- several
def test_the_first_pass_that_changes_a_result_is_named():
    inputs = (np.ones(2, np.float32),)
    Optimize([Renames(old="cos", new="tan"), "dead_code"], validate=inputs)(read(TEXT))
    with pytest.raises(PassError, match=r"pass 'renames' changed a result: value 0 differs .*after dead_code"):
        Optimize(["dead_code", Renames(old="sin", new="tan")], validate=inputs)(read(TEXT))


class Shares(Pass):
    """Takes the first argument of the last op of that name for what it gives."""

    name = "shares"
    needs = ("op",)

    def run(self, program, context):
        found = [node for node in program.entry if node.op.name == self.get("op")]
        for node in found[-1:]:
            node.value.replace_by(node.args[0])
            program.entry.erase(node)
        return bool(found)


@pytest.mark.parametrize(
    ("text", "op", "shared"),
    [
        ("a = multiply(x, 1.0)\n    return a", "multiply", "argument 0"),
        ("a = sin(x)\n    b = copy(a)\n    return a, b", "copy", "value 0"),
        ("a = copy(x)\n    b = reshape(a, (2, 1))\n    return b", "copy", "argument 0"),
    ],
)
def test_the_first_pass_that_makes_results_share_memory_is_named(text, op, shared):
    program, inputs = read(f"def f(x):\n    {text}\n"), (np.ones(2, np.float32),)
    Optimize([Shares(op=op)])(program)
    with pytest.raises(PassError, match=rf"pass 'shares' changed a result: value \d shares memory with {shared}"):
        Optimize(["dead_code", Shares(op=op)], validate=inputs)(program)


def test_a_series_leaves_its_program_alone_and_reports():
    program = read(TEXT, x=f32(3))
    series = Optimize(["algebra", "dead_code"], fixpoint=True)
    out = series(program)
    assert ops_of(program) == ["sin", "multiply", "cos"] and ops_of(out) == ["sin"]
    assert [(a.name, a.round, a.changed, a.before, a.after) for a in series.report] == [
        ("algebra", 0, True, 3, 2), ("dead_code", 0, True, 2, 1), ("algebra", 1, False, 1, 1), ("dead_code", 1, False, 1, 1),
    ]  # fmt: skip
    assert "3 -> 2 nodes" in str(series.report[0]) and all(a.seconds >= 0 for a in series.report)


def test_a_series_without_an_end_is_refused():
    with pytest.raises(PassError, match=r"no fixpoint .* renames, renames still change"):
        Optimize([Renames(old="sin", new="cos"), Renames(old="cos", new="sin")], fixpoint=True)(read(TEXT))


def test_dumps(tmp_path, monkeypatch):
    monkeypatch.setenv("GFX_DUMP", str(tmp_path))
    Optimize(["canonical", "dead_code"])(read(TEXT))
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        f"002_dead_code.{e}" for e in ("after.txt", "before.txt", "diff")
    ]
    assert "-    c = cos(x)" in (tmp_path / "002_dead_code.diff").read_text()


# ---------------------------------------------------------------------- graph attributes
def test_attributes_survive_copies_levels_and_files(tmp_path):
    program = read(TEXT)
    lent = {"big": object()}
    program.entry.set(PLACES, {"result": program.entry.first.value, "list": [1, 2.5, None, "x"]})
    program.entry.set_not_owned(Attribute("lent", dict), lent)
    copy = copy_program(program)
    assert copy.entry.get(PLACES)["result"] is copy.entry.first.value
    copy.entry.get(PLACES)["list"].append(3)
    assert program.entry.get(PLACES)["list"] == [1, 2.5, None, "x"]
    typed = infer(bind(program, x=f32(3)))
    assert typed.entry.get(PLACES)["result"] is typed.entry.first.value
    assert typed.entry.get(Attribute("lent", dict)) is lent
    save(program, tmp_path / "f.json")
    again = load(tmp_path / "f.json")
    assert again.entry.get(PLACES) == {"result": again.entry.first.value, "list": [1, 2.5, None, "x"]}
    assert not again.entry.has(Attribute("lent", dict))


def test_what_an_attribute_knows_of_nodes_is_that_of_the_copy():
    program = read(TEXT)
    node = program.entry.first
    lent, bound = Attribute("lent", dict), Attribute("bound", object, of_nodes=True)
    program.entry.set(Attribute("ranks", dict), {node: {node.value}, node.value: 1})
    program.entry.set_not_owned(lent, {node: 1})
    program.entry.set_not_owned(bound, object())
    copy = copy_program(program).entry
    assert copy.get(Attribute("ranks", dict)) == {copy.first: {copy.first.value}, copy.first.value: 1}
    assert program.entry.has(lent) and program.entry.has(bound)
    assert not copy.has(lent) and not copy.has(bound)


def test_an_attribute_that_no_file_can_hold(tmp_path):
    program = read(TEXT)
    program.entry.set(Attribute("made", set), {1})
    with pytest.raises(FormatError, match="attribute 'made' of graph 'f' is a set"):
        save(program, tmp_path / "f.json")
    with pytest.raises(TypeError, match="is a dict, not a list"):
        program.entry.set(PLACES, [])


def test_derived_attributes_go_stale_unless_they_are_preserved():
    class Keeps(Renames):
        preserves = (COUNT,)

    class KeepsAll(Renames):
        preserves = ALL

    for kind, kept in ((Renames, False), (Keeps, True), (KeepsAll, True)):
        program = read(TEXT)
        program.entry.set(COUNT, 3)
        program.entry.set(PLACES, {})
        kind(old="absent", new="tan").apply(program)
        assert program.entry.has(COUNT)
        kind(old="sin", new="tan").apply(program, Context())
        assert program.entry.has(COUNT) is kept and program.entry.has(PLACES)


# ---------------------------------------------------------------------- edits
def test_an_edited_program_runs_and_prints_the_edit():
    made = gfx.transpile(lambda x: np.sin(x) + 1.0, to="jax", backend="numpy")
    program, x = made.program, np.ones(3)
    np.testing.assert_array_equal(program(x), np.sin(x) + 1.0)
    assert "sin" in made.source and made.jitted is made.jitted
    before = program.version
    program.entry.first.value.replace_by(program.entry.placeholders[0])
    assert program.version != before
    np.testing.assert_array_equal(program(x), x + 1.0)
    np.testing.assert_array_equal(made(x), x + 1.0)
    assert "sin" in str(program) and "sin" not in program.source("numpy") and "sin" not in made.source


def test_an_edit_within_a_region_counts():
    program = read("""def f(x, n: int):
    def body(i, y):
        a = sin(y)
        b = cos(a)
        return (b,)
    y = for_(body, items=(("range", 0, n, 1),), init=(x,), operands=())
    return y
""")
    before = program.version
    body = program.entry.first.regions[0]
    body.result = (body.first.value,)
    assert program.version != before


def test_parameters_that_are_replaced_are_used():
    layer = torch.nn.Linear(2, 2)
    program = gfx.symbolic_trace(layer, torch.ones(2))
    program(torch.ones(2))
    program.params["weight"] = torch.zeros(2, 2)
    assert torch.equal(program(torch.ones(2)), layer.bias)
