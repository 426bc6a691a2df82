"""The main job on real input: capture, regenerate, run, compare, capture again.

usage: python examples/demo.py [SECTION ...]      emitted files are left in demo_output/
"""

import copy
import functools
import pathlib
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import torch
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table

import gfx_trace as gfx
from decoder import decoder, init
from demo_report import Report, emit_back, named, to_framework
from embed import load, nearest, pool, read_sentences, tokenize
from foo import foo
from gpt import GPT
from newton import newton
from numpy_smooth import smooth
from resnet import calibrate, resnet50

OUT = pathlib.Path(__file__).parent.parent / "demo_output"


def optional_argument(report):
    """foo: one capture without shapes, a test on an argument that may be absent."""
    program = gfx.symbolic_trace(foo)
    x, y, z = torch.randn(3, 2, 5, generator=torch.Generator().manual_seed(0))
    for target, other in (("jax", "torch"), ("torch", "jax")):
        source = report.sources[target] = program.source(target)
        report.true(f"{target}: one test in the source", source.count("if z is not None") == 1)
        report.lines(target, source, foo, limit=1.5)
        back = emit_back(report.write(f"foo_{target}.py", source), "foo", other)
        for args in ((x, y), (x, y, z)):
            label = f"{target}, {len(args)} arguments"
            report.close(label, program.to(target)(*to_framework(args, target)), foo(*args), 1e-5)
            report.close(f"{label}, captured again", back(*to_framework(args, other)), foo(*args), 1e-5)


def loop_on_data(report):
    """newton: one capture on three frameworks; the loop becomes lax.while_loop."""
    traced = gfx.trace(newton)
    start = torch.tensor([1.0, 3.0, 0.5])
    want = newton(start)
    for target, kind in (("torch", torch.Tensor), ("jax", jax.Array), ("numpy", np.ndarray)):
        got = traced(to_framework(start, target))
        report.true(f"{target} in, {target} out", isinstance(got, kind))
        report.close(target, got, want, 1e-6)
    source = traced.source("jax")
    report.true("lax.while_loop in the JAX source", "lax.while_loop" in source)
    jitted = jax.jit(traced.to("jax"))
    for tol in (1e-6, 1e-1):
        report.close(f"under jax.jit, tol={tol:g}", jitted(jnp.asarray(start.numpy()), tol), newton(start, tol), 1e-6)
    for target, other in (("jax", "torch"), ("torch", "jax")):
        source = report.sources[target] = traced.source(target)
        report.lines(target, source, newton, limit=1.5)
        back = emit_back(report.write(f"newton_{target}.py", source), "newton", other)
        report.close(f"{target}, captured again", back(to_framework(start, other)), want, 1e-6)


def image_model(report):
    """ResNet-50: one function a kind of block, a loop over equal blocks; values and gradients."""
    torch.manual_seed(0)
    model = calibrate(resnet50())
    program = gfx.transpile(model, to="jax")
    path = report.out / "resnet50_jax.py"
    program.save(path)
    report.note("lines of source", len(program.source.splitlines()))
    kinds = program.source.count("def bottleneck")
    report.true(f"functions for kinds of blocks: {kinds}", 1 <= kinds <= 3)
    report.true("loops over equal blocks", "    for " in program.source)

    x = torch.randn(2, 3, 224, 224)
    with torch.no_grad():
        want = model(x)
    got = jax.jit(program.fn)(program.params, to_framework(x, "jax"))
    report.true("outputs differ between inputs", (want[0] - want[1]).abs().max() > 0.1 * want.abs().max())
    report.close("outputs", got, want, 1e-4)
    report.close("gradient of the input, in float64", *input_gradients(program, model, x[:1, :, ::4, ::4]), 1e-3)
    back = emit_back(path, program.fn.__name__, "torch", program.params)
    with torch.no_grad():
        report.close("captured again", back(to_framework(program.params, "torch"), x), want, 1e-4)


def input_gradients(program, model, x):
    """(JAX's, torch's) gradient of a weighted sum of the outputs.

    In float64: in float32 torch's own gradient is 5 % of its largest element away from its float64 gradient, because rounding
    decides on which side of a ReLU a value near zero falls.
    """
    x = x.double().requires_grad_()
    out = copy.deepcopy(model).double()(x)
    weights = torch.randn_like(out)
    (out * weights).sum().backward()
    with jax.enable_x64(True):
        params = jax.tree.map(lambda p: jnp.asarray(p, jnp.float64) if p.dtype == jnp.float32 else p, program.params)
        given, factors = jnp.asarray(x.detach().numpy()), jnp.asarray(weights.numpy())
        gradient = jax.jit(jax.grad(lambda x: (program.fn(params, x) * factors).sum()))(given)
    return np.asarray(gradient), x.grad


def language_model(report):
    """GPT, depth 12, tied weights: with and without targets, at two sizes; values and gradients."""
    torch.manual_seed(0)
    model = GPT(depth=12)
    program = gfx.transpile(model, to="jax")
    path = report.out / "gpt_jax.py"
    program.save(path)
    report.sources["jax"] = program.source
    report.note("lines of source", len(program.source.splitlines()))
    report.true("a loop over the blocks", "    for " in program.source)
    fn, params = jax.jit(program.fn), program.params
    gradients = jax.jit(jax.grad(lambda params, *args: program.fn(params, *args)[1]))
    back = emit_back(path, program.fn.__name__, "torch", params)
    for batch, length in ((2, 7), (3, 20)):
        tokens, targets = torch.randint(0, 50, (2, batch, length))
        want = model(tokens, targets)
        model.zero_grad()
        want[1].backward()
        args = to_framework((tokens, targets), "jax")
        label = f"({batch}, {length})"
        logits, loss = fn(params, *args)
        report.near(f"{label} logits", logits, want[0], 1e-4)
        report.near(f"{label} loss", loss, want[1], 1e-5)
        without = fn(params, args[0])
        report.true(f"{label} no loss without targets", without[1] is None)
        report.near(f"{label} logits without targets", without[0], want[0], 1e-4)
        got = named(gradients(params, *args))
        want_gradients = {name: p.grad for name, p in model.named_parameters()}
        report.near(f"{label} gradients", {name: got[name] for name in want_gradients}, want_gradients, 1e-4)
        again = back(to_framework(params, "torch"), tokens, targets)
        report.near(f"{label} captured again", again, want, 1e-4)


def sentence_embeddings(report):
    """BERT with real weights on real sentences: one capture for every batch, length, and with or without a mask."""
    model, sentences = load(), read_sentences()
    program = gfx.transpile(model, to="jax")
    path = report.out / "bert_jax.py"
    program.save(path)
    report.note("lines of source", len(program.source.splitlines()))
    encode, pooled = jax.jit(program.fn), gfx.transpile(pool, to="jax").fn
    back = emit_back(path, program.fn.__name__, "torch", program.params)
    for count, masked in ((32, True), (5, True), (1, False)):
        ids, mask = tokenize(sentences[:count])
        args = (ids, mask) if masked else (ids,)
        with torch.no_grad():
            hidden = model(*args).last_hidden_state
            again = last_hidden_state(back(to_framework(program.params, "torch"), *args))
        want = pool(hidden, mask)
        got = pooled(last_hidden_state(encode(program.params, *to_framework(args, "jax"))), to_framework(mask, "jax"))
        label = f"{tuple(ids.shape)} {'with' if masked else 'without'} a mask"
        report.close(label, got, want, 1e-4)
        report.close(f"{label}, captured again", pool(again, mask), want, 1e-4)
        if count > 1:
            same = (nearest(to_framework(got, "torch")) == nearest(want)).sum().item()
            report.true(f"{label}: {same} of {count} nearest neighbours the same", same == count)


def last_hidden_state(output):
    """Of a model output, which emitted code returns as a NamedTuple of its fields."""
    return output.last_hidden_state


def jax_to_torch(report):
    """A decoder in pure jax.numpy becomes a torch.nn.Module: values, and gradients of all parameters."""
    params = init(0)
    program = gfx.transpile(functools.partial(decoder, params), to="torch")
    path = report.out / "decoder_torch.py"
    program.save(path)
    report.sources["torch"] = program.source
    module = program.module()
    report.true("a torch.nn.Module", isinstance(module, torch.nn.Module))
    tokens = np.random.default_rng(0).integers(0, 256, (2, 33))
    weights = np.random.default_rng(1).normal(size=(2, 33, 256)).astype(np.float32)

    want = decoder(params, tokens)
    want_gradients = named(jax.grad(lambda params: (decoder(params, tokens) * weights).mean())(params))
    got = module(torch.from_numpy(tokens))
    (got * torch.from_numpy(weights)).mean().backward()
    gradients = {name.removeprefix("params."): p.grad for name, p in module.named_parameters()}
    report.close("logits", got, want, 1e-4)
    report.within("gradients missing", len(want_gradients.keys() - gradients.keys()), 0)
    report.close(f"gradients of {len(gradients)} parameters", gradients, want_gradients, 1e-3)
    back = emit_back(path, program.fn.__name__, "jax", program.params)
    report.close("captured again", back(to_framework(program.params, "jax"), tokens), want, 1e-4)


def numpy_to_both(report):
    """smooth: a NumPy function with a loop over rows and a test on their values."""
    program = gfx.symbolic_trace(smooth)
    noise = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    signal = 0.1 * noise + np.repeat(np.float32([[0], [2], [2], [-1]]), 10, axis=0)
    threshold = np.float32(1.0)
    jumps = (np.abs(np.diff(smooth(signal, threshold)[0], axis=0)).max(axis=1) > 1).sum()
    report.true("both sides of the test are taken", 0 < jumps < len(signal))
    for target, other in (("jax", "torch"), ("torch", "jax")):
        source = report.sources[target] = program.source(target)
        back = emit_back(report.write(f"smooth_{target}.py", source), "smooth", other)
        run = jax.jit(program.to("jax")) if target == "jax" else program.to("torch")
        for args in ((signal, threshold), (signal[:1], threshold), (signal, threshold, 0.5)):
            label = f"{target}, {len(args[0])} rows" + (f", alpha={args[2]}" if args[2:] else "")
            report.close(label, run(*to_framework(args, target)), smooth(*args), 1e-5)
            report.close(f"{label}, captured again", back(*to_framework(args, other)), smooth(*args), 1e-5)


SECTIONS = {
    "foo": optional_argument,
    "newton": loop_on_data,
    "resnet50": image_model,
    "gpt": language_model,
    "sentences": sentence_embeddings,
    "decoder": jax_to_torch,
    "smooth": numpy_to_both,
}


def run(name, out):
    """The report of one section; files that it emits go to the directory `out`."""
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    report = Report(pathlib.Path(out))
    SECTIONS[name](report)
    return report


def show(console, name, report, seconds):
    table = Table(title=f"{SECTIONS[name].__doc__} {seconds:.1f} s", title_justify="left", min_width=100)
    for column in ("figure", "value", "limit", ""):
        table.add_column(column, justify="left" if column == "figure" else "right")
    for figure in report.figures:
        value = f"{figure.value:.2g}" if isinstance(figure.value, float) else str(figure.value)
        limit = "" if figure.limit is None else f"{figure.limit:g}"
        table.add_row(figure.name, value, limit, "[green]ok[/]" if figure.kept else "[bold red]FAILED[/]")
    for target, source in report.sources.items():
        console.rule(f"{name}, {target}")
        console.print(Syntax(source, "python", background_color="default"))
    console.print(table)


def main(names):
    console = Console(width=None if sys.stdout.isatty() else 130)
    unknown = [name for name in names if name not in SECTIONS]
    if unknown:
        console.print(f"no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
        return 2
    failed = []
    for name in names or SECTIONS:
        start = time.perf_counter()
        try:
            with console.status(name):
                report = run(name, OUT)
        except Exception:  # the other sections still have something to say
            console.print_exception()
            failed.append(name)
            continue
        show(console, name, report, time.perf_counter() - start)
        failed += [name] if report.failures else []
    console.print(f"[bold red]failed: {', '.join(failed)}[/]" if failed else "[bold green]all results are equal[/]")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
