"""Random graphs and programs for hypothesis: straight lines over several ops, regions, calls, constants of every kind."""

from hypothesis import strategies as st

from gfx_ir import host, ops
from gfx_ir.dtypes import DTYPES
from gfx_ir.graph import UNBOUND, Graph, Node
from gfx_ir.host import Dim
from gfx_ir.op import lookup
from gfx_ir.program import PARAMETER_KINDS, Guard, Parameter, Program
from gfx_ir.trees import BRANCHES, leaves
from gfx_ir.types import LogicalTensor, Opaque

assert ops  # the catalogue is registered where it is imported

NAMES = st.sampled_from(
    [None, "x", "x", "y", "x_1", "x__1", "__1", "_1", "else", "else_", "float32", "tensor", "B", "inf", "λ", "sum"]
)
DIM_NAMES = ("B", "T", "B__1", "batch size", "_", "else")
DIMS = st.builds(Dim, st.sampled_from(DIM_NAMES), st.sampled_from([0, 0, 1]), st.sampled_from([None, None, 9]))
SIZES = st.recursive(
    st.one_of(st.integers(-3, 9), DIMS),
    lambda s: st.one_of(
        *(st.builds(fn, s, s) for fn in (host.add, host.sub, host.mul)),
        st.builds(host.floordiv, s, s.filter(lambda e: e != 0)),
        st.builds(host.mod, s, s.filter(lambda e: e != 0)),
        st.builds(host.extremum, st.sampled_from(["max", "min"]), s, s),
    ),
    max_leaves=4,
)
DTYPE = st.sampled_from(list(DTYPES.values()))


def small(strategy):
    return st.lists(strategy, max_size=3).map(tuple)


LOGICAL = st.builds(
    LogicalTensor,
    st.none() | DTYPE,
    st.none() | small(st.none() | SIZES),
    st.none() | small(st.none() | st.integers(-1, 9)),
    st.sampled_from(["any", "any", "strided", Opaque("torch.mkldnn")]),
    st.booleans(),
    st.none() | st.integers(0, 5),
)
LEAVES = st.one_of(
    st.integers(), st.floats(), st.booleans(), st.none(), st.text(max_size=4), st.complex_numbers(), DTYPE, LOGICAL,
    st.just(...), SIZES,
)  # fmt: skip
KEYS = st.one_of(
    st.text(max_size=3), st.integers(), st.tuples(st.integers(), st.text(max_size=1)), st.none(), st.booleans()
)


def trees(leaf):
    """Trees of leaves."""

    def branch(inner):
        pair = st.lists(inner, max_size=3)
        slices = st.tuples(inner, inner, inner).map(lambda ends: slice(*ends))
        return st.one_of(pair, pair.map(tuple), st.dictionaries(KEYS, inner, max_size=3), slices)

    return st.recursive(leaf, branch, max_leaves=5)


CONSTANTS = trees(LEAVES)
HOST = ("int", "float", "bool", "str", "dtype", "device", "shape", "any", "optional", "key")


class Source:
    """Draws one graph."""

    def __init__(self, draw, callees=()):
        self.draw, self.callees = draw, list(callees)

    def pick(self, *options):
        return self.draw(st.sampled_from(options))

    def graph(self, depth, kinds=None):
        graph = Graph(self.draw(NAMES) or "", self.draw(st.text(max_size=5)) if depth == 2 else "")
        for kind in (
            kinds
            if kinds is not None
            else self.draw(st.lists(st.sampled_from(("tensor", *HOST)), min_size=1, max_size=3))
        ):
            value = graph.add_placeholder("", kind, self.type(kind))
            value.name = self.draw(NAMES)
        for path in self.draw(st.lists(st.sampled_from(["w", "layers.0", "a.b.x", "a.else"]), max_size=2, unique=True)):
            graph.add_parameter(path, self.type("tensor"))
        known = [*graph.placeholders, *graph.parameters.values()]
        effects, nodes = [], []
        for _ in range(self.draw(st.integers(0, 4))):
            node = self.node(known, depth)
            graph.append(node)
            if nodes and self.draw(st.integers(0, 3)) == 3:
                node.waits = tuple(self.draw(st.lists(st.sampled_from(nodes), max_size=2, unique=True)))
            nodes.append(node)
            if node.op.effect:
                node.after = self.pick(effects[-1] if effects else None, *effects, None)
                effects.append(node)
            for value in node.values:
                value.name, value.type = self.draw(NAMES), self.type(value.kind)
            known += node.values
        graph.result = self.tree(known)
        return graph

    def type(self, kind):
        if self.draw(st.booleans()):
            return None
        told = CONSTANTS.filter(lambda c: c is not None and (kind == "any" or not isinstance(c, LogicalTensor)))
        return self.draw(LOGICAL if kind in ("tensor", "optional") else told)

    def tree(self, known):
        return self.draw(trees(st.one_of(LEAVES, *([st.sampled_from(known)] * 2 if known else []))))

    def leaf(self, known):
        return self.draw(st.sampled_from(known)) if known else 1

    def node(self, known, depth):
        kind = self.pick(
            "unary", "binary", "reduce", "tree", "index", "split", "host", "operator", "effect", "call", "region"
        )
        if kind == "region" and depth:
            return self.region(known, depth)
        if kind == "call" and self.callees:
            callee = self.draw(st.sampled_from(self.callees))
            args = tuple(self.leaf(known) for _ in callee.placeholders)
            branch = type(callee.result) in BRANCHES
            given = len(list(leaves(callee.result))) if branch else 1
            kinds = tuple([self.pick("tensor", *HOST) for _ in range(given)])
            return Node(lookup("call"), (callee, self.pick("", "h.0"), args), kinds)
        return self.straight(kind, known)

    def straight(self, kind, known):
        x = self.leaf(known)
        if kind == "binary":
            return Node(lookup(self.pick("add", "multiply", "pow")), (x, self.leaf([*known, 2, -1.5])))
        if kind == "reduce":
            return Node(
                lookup("sum"),
                (x, self.pick(None, 0, -1, (0, 1)), self.pick(None, DTYPES["int8"]), self.pick(False, True)),
            )
        if kind == "tree":
            return Node(lookup("print"), ((self.tree(known), self.draw(LEAVES)), "\n", "stdout"))
        if kind == "index":
            plain = st.one_of(
                LEAVES.filter(lambda leaf: type(leaf) is not str), *([st.sampled_from(known)] if known else [])
            )
            return Node(lookup("getitem"), (x, self.draw(trees(plain))), ("tensor",))
        if kind == "split":
            return Node(lookup("split"), (x, self.pick(2, (1, 2)), 0), ("tensor", "tensor"))
        if kind == "host":
            return Node(
                lookup("host"), (self.pick("getitem", "max", "-", "neg"), (self.tree(known),)), (self.pick(*HOST),)
            )
        if kind == "operator":
            sign = self.pick("+", "**", "<", "and", "or", "is", "in", "not", "neg")
            return Node(
                lookup("host"),
                (sign, (x,) if sign in ("not", "neg") else (x, self.leaf([*known, -1, -0.0, (1,)]))),
                ("bool",),
            )
        if kind == "effect":
            return Node(lookup("print"), ((x, "text"), "\n", "stdout"), ())
        return Node(lookup(self.pick("sin", "abs")), (x,))

    def region(self, known, depth):
        kinds = ("tensor", "int")
        name = self.pick("cond", "host_if", "while", "host_while", "for", "host_for")
        init, operands = (self.leaf(known),), (self.leaf(known),)
        results = [self.graph(depth - 1, kinds if "for" not in name else ("tensor", *kinds)) for _ in range(2)]
        for region in results:
            region.result = (region.placeholders[0],)
        if name in ("cond", "host_if"):
            return Node(lookup(name), (self.leaf(known), (*init, *operands)), ("tensor",), None, tuple(results))
        if "while" in name:
            results[0].result = results[0].placeholders[0]
            return Node(
                lookup(name), (init, operands, self.pick(None, 0)), (self.pick("tensor", "int"),), None, tuple(results)
            )
        items = (self.pick(self.leaf(known), ("range", 0, self.leaf(known), 1)),)
        return Node(
            lookup(name),
            (items if known else (("range", 0, 1, 1),), init, operands, None),
            ("tensor",),
            None,
            (results[0],),
        )


@st.composite
def graphs(draw, callees=()):
    """A graph with regions, two levels deep."""
    return Source(draw, callees).graph(2)


KINDS = st.sampled_from(["", "keyword", "positional"])


@st.composite
def programs(draw):
    """A program of up to three graphs."""
    functions = {}
    for key in draw(st.lists(st.sampled_from(["block", "encoder.0", "x", "else", "Block"]), max_size=2, unique=True)):
        functions[key] = draw(graphs(tuple(functions.values())))
    entry = draw(graphs(tuple(functions.values())))
    signature = []
    for at, value in enumerate(entry.placeholders):
        name = f"{value.name or 'arg'}_{at}"
        default = draw(st.just(UNBOUND) | CONSTANTS)
        signature.append(Parameter(name, value, default, draw(KINDS), draw(st.sampled_from(["", "float", "Tensor"]))))
    signature.sort(key=lambda parameter: PARAMETER_KINDS.index(parameter.kind))
    if draw(st.booleans()):
        signature = [Parameter("args", tuple(entry.placeholders))]
    guards = [Guard("value", "x", draw(CONSTANTS)), Guard("type", "y", draw(LOGICAL))][: draw(st.integers(0, 2))]
    writes = draw(st.lists(st.sampled_from(["a.b", "x"]), max_size=2, unique=True))
    if writes:
        entry.result = entry.result, dict.fromkeys(writes, entry.placeholders[0] if entry.placeholders else 0)
    if draw(st.booleans()):
        functions[draw(st.sampled_from(["main", "entry"]))] = entry
    return Program(
        entry,
        functions,
        signature,
        {},
        guards,
        draw(st.sampled_from(["torch", "jax"])),
        "numpy",
        writes,
        draw(st.integers(0, 2)),
    )
