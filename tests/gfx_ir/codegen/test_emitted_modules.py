"""The emitted module: places, notes, long lines, and the cost of writing it."""

import ast
import inspect
import itertools
import textwrap

import pytest

from emitted import BACKENDS, graph, newton
from gfx_ir import ops
from gfx_ir.codegen import emit
from gfx_ir.codegen.helpers import Helpers
from gfx_ir.codegen.wrap import wrap
from gfx_ir.errors import GfxError
from gfx_ir.loading import backend
from gfx_ir.printed import same_code
from gfx_ir.program import Guard, Program
from gfx_ir.rules import building
from gfx_ir.source import Span
from graphs import named


def test_places_comments_and_notes():
    g, (x,), b = graph("f", "x")
    with building(b):
        value = named(ops.sin(x), "value")
        value.node.span = Span("/somewhere/model.py", 12, "f")
        g.result = ops.cos(value)
    program = Program(g, guards=[Guard("promotion", "x", "floating"), Guard("type", "x", "f32[3]")])
    module = emit(program, backend("torch"), comments=True)
    line, span = module.source_map[0]
    assert module.source.split("\n")[line - 1] == "    value = torch.sin(x)  # model.py:12"
    assert span.line == 12
    assert '"""Assumes: x: floating\n    Assumes x: f32[3].\n' in module.source


def test_tracebacks_show_emitted_lines():
    import traceback

    try:
        emit(newton(), backend("torch")).bare()("no tensor")
    except TypeError as error:
        assert "while torch.max(torch.abs(x * x - 2.0)) > tol:" in "".join(traceback.format_exception(error))


def test_long_statements_are_broken_within_110_columns():
    g, arguments, b = graph("f", *[f"a_rather_long_name_{at}" for at in range(9)])
    with building(b):
        g.result = (*[ops.sin(ops.add(a, b_)) for a, b_ in itertools.pairwise(arguments)], "text, (with brackets" * 4)
    for name in BACKENDS:
        text = emit(Program(g), backend(name)).source
        assert max(map(len, text.split("\n"))) <= 110
        assert "def f(\n    a_rather_long_name_0,\n" in text and "    return (\n" in text
        ast.parse(text)
    said = f"it was {'{n}'} and not {'{n + 1}'}, " * 5
    for statement in (f'raise ValueError(f"{said}")', f'assert ok, "{said}"', f'f(a, text="{said}", k=f"{said}")'):
        lines = wrap("    ", statement)
        assert max(map(len, lines)) <= 110 and ast.dump(ast.parse(textwrap.dedent("\n".join(lines)))) == ast.dump(
            ast.parse(statement)
        )


@pytest.mark.parametrize("name", BACKENDS)
def test_helpers_are_fitted_and_mean_the_same(name):
    owner = backend(name)
    helpers = Helpers(owner, owner.style)
    for text in sorted(helpers.names):
        helpers.use(text, None)
    assert max(len(line) for text in helpers.sources() for line in text.split("\n")) <= 110
    for text in helpers.sources():
        own = {**owner.namespace, **owner.style.helpers}.get(text[4 : text.index("(")])
        if own is not None:
            assert without_words(text) == without_words(textwrap.dedent(inspect.getsource(own)))
            made: dict = {}
            exec("\n".join([*owner.style.imports.values(), text]), dict(own.__globals__), made)
            assert same_code(made[own.__name__].__code__, own.__code__)  # known again where it is captured


def without_words(source):
    """A function's code, without docstrings and annotations."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns, node.body = None, node.body[1:] if ast.get_docstring(node) else node.body
        elif isinstance(node, ast.arg):
            node.annotation = None
    return ast.dump(tree)


def test_a_spelling_that_a_backend_lacks_is_refused():
    with pytest.raises(GfxError, match="hop"):
        emit(newton(), backend("jax"), mode="hop")


def test_a_long_assertion_is_no_tuple():
    for test in ("a" * 40, " and ".join(["a" * 30] * 4)):
        text = "\n".join(wrap("", f'assert {test}, "{"m" * 80}"'))
        assert isinstance(ast.parse(text).body[0].test, ast.Name | ast.BoolOp)
