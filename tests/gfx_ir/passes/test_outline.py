"""Outline: what becomes a function of its own, and that the program stays what it was."""

import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.verify import verify


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)

    def forward(self, x, shortcut):
        return torch.relu(self.inner(x)) + shortcut


class Stack(nn.Module):
    def __init__(self, depth=3, width=4):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))

    def forward(self, x):
        first = x * 2.0
        for block in self.blocks:
            x = block(x, first)
        return x


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(4, 4), nn.Linear(4, 4)
        self.two.weight = self.one.weight

    def forward(self, x):
        return self.two(self.one(x))


class Loud(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x):
        print("in", x)
        return self.inner(x)


class Loudest(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = Loud(), Loud()

    def forward(self, x):
        print("start", x)
        x = self.two(self.one(x))
        print("end", x)
        return x


def calls(graph):
    return [node.args[:2] for node in graph if node.op.name == "call"]


def captured(model):
    """The program of a model, which computes what the model does."""
    torch.manual_seed(0)
    program = gfx.symbolic_trace(model)
    verify(program)
    x = torch.randn(2, 4)
    torch.testing.assert_close(program.to("torch")(x), model(x))
    return program


def test_equal_blocks_are_one_graph():
    program = captured(Stack())
    assert sorted(program.functions) == ["block", "linear"]
    assert calls(program.entry) == [("block", f"blocks.{at}") for at in range(3)]
    assert list(program.functions["linear"].parameters) == ["weight", "bias"]
    assert not program.entry.parameters


def test_arguments_follow_the_signature_and_are_called_as_there():
    block = captured(Stack()).functions["block"]
    assert [value.name for value in block.placeholders] == ["x", "shortcut"]


def test_what_stands_for_a_value_of_a_block_is_the_call():
    program = captured(Stack())
    *_, last = program.entry
    assert program.entry.result is last.value
    inner = program.functions["block"]
    assert inner.result.node.graph is inner and inner.result is not last.value


def test_a_tied_parameter_is_passed_where_it_is_not_its_own():
    program = captured(Tied())
    assert list(program.params) == ["one.weight", "one.bias", "two.bias"]
    assert sorted(program.functions) == ["linear", "linear_1"]
    assert list(program.entry.parameters) == ["one.weight"]
    assert list(program.functions["linear_1"].parameters) == ["bias"]


def test_effects_stand_in_a_chain_of_their_own_graph(capsys):
    program = captured(Loudest())
    first, last = (node for node in program.entry if node.op.effect)
    assert first.after is None and last.after is first
    (inner,) = (node for node in program.functions["loud"] if node.op.effect)
    assert inner.after is None
    words = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line[0].isalpha()]
    assert words == ["start", "in", "in", "end"] * 2


def test_what_computes_nothing_has_no_functions():
    x = torch.ones(2)
    program = gfx.symbolic_trace(lambda x: x, x)
    assert not program.functions and program(x) is x


class Turned(nn.Module):
    """Calls in both sides of a test, in a loop, and a parameter beside them."""

    def __init__(self):
        super().__init__()
        self.one, self.two, self.scale = Block(4), Block(4), nn.Parameter(torch.rand(4))

    def forward(self, x):
        if x.sum() > 0:
            x = self.one(x, x * self.scale)
        else:
            for row in range(x.shape[0]):
                x = self.two(x, x[row])
        return x


def test_blocks_within_tests_and_loops_are_graphs_too():
    """Those of equal modules are one, whatever their paths."""
    model, x = nn.Sequential(Turned(), Turned()).double(), torch.randn(3, 4, dtype=torch.float64)
    program = gfx.symbolic_trace(model, x, dynamic=True)
    verify(program)
    assert sorted(program.functions) == ["block", "linear", "turned"]
    for sign in (1, -1):
        torch.testing.assert_close(program(sign * x), model(sign * x))


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.gates = nn.Linear(8, 12)

    def forward(self, x, state):
        h, c = state
        forget, new, out = torch.split(self.gates(torch.cat((x, h), 1)), 4, 1)
        c = torch.sigmoid(forget) * c + torch.tanh(new)
        h = torch.sigmoid(out) * torch.tanh(c)
        return h, (h, c)


class Unrolled(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.other = Cell(), Cell()

    def forward(self, x, h):
        state, outs = (h, h * 0.5), []
        for row in x:
            out, state = self.cell(row, state)
            outs.append(out)
        return torch.stack(outs), self.other(x[0], state)[1]


def test_functions_give_what_their_author_gives_in_that_order():
    model, given = Unrolled(), (torch.randn(3, 2, 4), torch.randn(2, 4))
    source = gfx.symbolic_trace(model, *given).source("torch")
    assert source.count("return h, c") == 1 and "def cell(params, x, state_0, state_1):" in source
    assert 'state_0, state_1 = cell(params["cell"], row, state_0, state_1)' in source
    torch.testing.assert_close(gfx.symbolic_trace(model, *given)(*given), model(*given))
