"""The command line: transpile, show, explain, run, check, convert-weights, optimize, ops."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.syntax import Syntax
from rich.table import Column, Table

from gfx_ir.errors import BackendError, GfxError
from gfx_ir.graph import UNBOUND
from gfx_ir.loading import available, backend, to_host
from gfx_ir.op import REGISTRY
from gfx_ir.passes import DEFAULT, PASSES, Optimize
from gfx_ir.text import to_text

from ..api import LAYOUTS, in_layout, layout_passes, transpile
from ..api.check import check
from ..api.interpreted import arguments
from ..api.placed import run_placed
from ..api.program import Program
from ..explain import explain
from .commands import (
    Args,
    Debug,
    Layout,
    Target,
    capture,
    err,
    guarded,
    out,
    save,
    working,
    write,
)
from .lacking import Need, covered, needs
from .specs import data_for, load_target
from .weights import KINDS, checkpoint, fitted, renamed

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Capture functions and models, look at them, run them, regenerate them.",
)


@app.command("transpile")
def transpile_command(
    target: Target,
    to: Annotated[str, typer.Option(help="torch, jax or numpy")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="file to write (weights beside it); else printed")
    ] = None,
    layout: Layout = "nchw",
    arg: Args = None,
    debug: Debug = False,
) -> None:
    """Write a function or model in another framework."""

    def work() -> None:
        with working(f"capturing {target}"):
            result = transpile(capture(target, arg)[0], to=to, layout=layout)
        if output is None:
            out.print(
                Syntax(result.source, "python") if out.is_terminal else result.source, highlight=False, soft_wrap=True
            )
            return
        save(result, output)

    guarded(debug, work)


@app.command()
def show(
    target: Target,
    level: Annotated[
        int | None,
        typer.Option(min=0, max=2, help="0 without types, 1 arguments typed, 2 all typed; else as --arg tells"),
    ] = None,
    format: Annotated[str, typer.Option(help="text or table")] = "text",
    arg: Args = None,
    debug: Debug = False,
) -> None:
    """Show the graph of a function, a model or a saved program."""

    def work() -> None:
        if format not in ("text", "table"):
            raise GfxError(f"--format is text or table, not {format!r}")
        with working(f"capturing {target}"):
            program = capture(target, arg, typed=level != 0)[0]
            program = program.infer() if level == 2 else program
        if format == "text":
            out.print(to_text(program), highlight=False, soft_wrap=True, markup=False)
        else:
            out.print(_table(program))

    guarded(debug, work)


def _table(program: Any) -> Table:
    table = Table("graph", "node", "op", "type", "place")
    for graph in (*program.functions.values(), program.entry):
        for node in graph.walk():
            names = ", ".join(v.name or f"%{v.index}" for v in node.values)
            types = ", ".join(str(v.type) if v.type is not None else v.kind for v in node.values)
            place = f"{Path(node.span.file).name}:{node.span.line}" if node.span is not None else ""
            table.add_row(graph.name, names, node.op.name, types, place)
    return table


@app.command("explain")
def explain_command(target: Target, debug: Debug = False) -> None:
    """Tell what a capture does with each construct, and show the rewritten code. Runs nothing; exit code 2 where it is refused."""

    def work() -> None:
        found = explain(load_target(target))
        out.print(found if out.is_terminal else str(found), highlight=False, soft_wrap=True, markup=False)
        if found.refused:
            raise typer.Exit(2)

    guarded(debug, work)


@app.command()
def run(
    target: Target,
    arg: Args = None,
    on: Annotated[str, typer.Option(help="backend to run on")] = "numpy",
    device: Annotated[list[str] | None, typer.Option(help="cut for it (again: the next): torch, jax:1 …")] = None,
    policy: Annotated[str, typer.Option(help="size of partitions: fusion, debug, max_ops=N")] = "fusion",
    plan: Annotated[bool, typer.Option("--plan", help="show what runs where")] = False,
    profile: Annotated[bool, typer.Option("--profile", help="show how long each node takes, once compiled")] = False,
    trace: Annotated[Path | None, typer.Option(help="file for the profile, as Chrome shows it")] = None,
    debug: Debug = False,
) -> None:
    """Run the graph on data (a SPEC gives random data of that type)."""

    def work() -> None:
        placed = bool(device) or plan or profile or trace is not None
        with working(f"running {target}"):
            owner = backend(on)
            program, given = capture(target, arg)
            data = {name: data_for(value, owner) for name, value in given.items()}
            run_ = program.on(*(device or [on]), policy=policy) if placed else program
            result = run_placed(run_, data, plan, profile, trace, err.print) if placed else run_(**data)
        out.print(result, highlight=False, markup=False)

    guarded(debug, work)


@app.command("check")
def check_command(
    target: Target,
    to: Annotated[str, typer.Option(help="torch, jax or numpy")] = "jax",
    arg: Args = None,
    tolerance: Annotated[
        float | None, typer.Option(help="relative to the largest output; else that of each dtype")
    ] = None,
    blocks: Annotated[
        bool, typer.Option("--blocks", help="show how far the blocks are apart, of equal ones too")
    ] = False,
    debug: Debug = False,
) -> None:
    """Run the original and the transpiled function on the same data and compare; where they differ, name the first block that does."""

    def work() -> None:
        with working(f"checking {target}"):
            program, given = capture(target, arg)
            values = {name: data_for(value, backend(program.flavour)) for name, value in given.items()}
            report = check(transpile(program, to=to), tolerance=tolerance, blocks=blocks, **values)
        out.print(str(report), highlight=False, markup=False)
        if blocks and report.blocks:
            table = Table("block", "function", "line", "max abs", "max rel", "")
            for block in report.blocks:
                table.add_row(
                    block.path, block.name, block.place, f"{block.max_abs:.3g}", f"{block.max_rel:.3g}", block.reason
                )
            out.print(table)
        if not report.ok:
            raise typer.Exit(2)

    guarded(debug, work)


@app.command("convert-weights")
def convert_command(
    old: Annotated[Path, typer.Argument(help=f"checkpoint of the original: {KINDS}")],
    graph: Annotated[str, typer.Option(help="the program that was captured from it: a saved .json, or FILE:NAME")],
    output: Annotated[Path, typer.Option("-o", "--output", help="the .safetensors file to write")],
    layout: Annotated[str, typer.Option(help=f"the layout of the emitted source: {' or '.join(LAYOUTS)}")] = "nchw",
    strip: Annotated[str, typer.Option(help="beginning of the checkpoint's names that the graph has not")] = "",
    under: Annotated[str, typer.Option(help="beginning of the graph's names that the checkpoint has not")] = "",
    rename: Annotated[list[str] | None, typer.Option(metavar="OLD=NEW", help="another name for an array")] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="take the graph's own, * too, where the checkpoint has none"),
    ] = None,
    cast: Annotated[bool, typer.Option("--cast", help="to the graph's dtypes where digits are lost, too")] = False,
    arg: Args = None,
    debug: Debug = False,
) -> None:
    """Write a checkpoint of the original as the params of the emitted source, which its `load` reads."""

    def work() -> None:
        if output.suffix != ".safetensors":
            raise GfxError(f"params are written as .safetensors, not to {output.name!r}")
        with working(f"converting {old}"):
            program = capture(graph, arg)[0]
            found = fitted(program, renamed(checkpoint(old), strip, under, rename or ()), keep or (), cast)
            program.params = found.params
            params = in_layout(program, layout).params
            write(output, {path: to_host(x) for path, x in params.items()})
        for what, names in (("kept of the graph", found.kept), ("left out, as the graph has no such name", found.left)):
            if names:
                err.print(f"{what}: {', '.join(names)}", highlight=False, soft_wrap=True, markup=False)

    guarded(debug, work)


def _inputs(program: Program, given: dict[str, Any]) -> tuple:
    """NumPy data for the placeholders of a program: what is given, else the author's defaults."""
    data = {p.name: p.default for p in program.arguments() if p.default is not UNBOUND}
    data.update({name: data_for(value, backend("numpy")) for name, value in given.items()})
    missing = [p.name for p in program.arguments() if p.name not in data and not p.fixed]
    if missing:
        raise GfxError(f"--validate needs data for {missing[0]!r}", hint=f"--arg {missing[0]}=SPEC")
    return tuple(arguments(program, data))


@app.command("optimize")
def optimize_command(
    target: Target,
    passes: Annotated[
        str,
        typer.Option(
            help="names, in order, with commas, attributes in parentheses: constants,inline(limit=20); `all` of the default ones: "
            + " ".join(DEFAULT)
        ),
    ] = "all",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="file for the program; else it is printed")
    ] = None,
    fixpoint: Annotated[bool, typer.Option("--fixpoint", help="again and again until nothing changes")] = False,
    validate: Annotated[
        bool,
        typer.Option("--validate", help="run after each change on the data of --arg, and name what changed a result"),
    ] = False,
    dump: Annotated[Path | None, typer.Option(help="folder for the text before and after each change")] = None,
    layout: Layout = "nchw",
    arg: Args = None,
    debug: Debug = False,
) -> None:
    """Run passes on a function, a model or a saved program, and save or show what became of it."""

    def work() -> None:
        chosen = PASSES.read(",".join(DEFAULT) if passes == "all" else passes)
        with working(f"optimizing {target}"):
            program, given = capture(target, arg)
            first = layout_passes(program, layout)
            inputs = _inputs(program, given) if validate else None
            series = Optimize([*first, *chosen], fixpoint=fixpoint, dump=dump, validate=inputs)
            program = program.infer() if first else program
            made = Program.of(series(program), program.captured)
        table = Table("round", "pass", "ms", "nodes")
        for done in series.report:
            nodes = f"{done.before} → {done.after}" if done.changed else "no change"
            table.add_row(str(done.round), done.name, f"{1000 * done.seconds:.1f}", nodes)
        err.print(table)
        if output is None:
            out.print(to_text(made), highlight=False, soft_wrap=True, markup=False)
            return
        save(made, output)

    guarded(debug, work)


@app.command()
def ops(
    target: Annotated[
        str | None, typer.Argument(metavar="[FILE:NAME]", help="only what this function, model or program needs")
    ] = None,
    backend_name: Annotated[str | None, typer.Option("--backend", help="only this backend")] = None,
    missing: Annotated[bool, typer.Option("--missing", help="only what is not covered, with the reason")] = False,
    arg: Args = None,
    debug: Debug = False,
) -> None:
    """List the catalogue and what each backend covers, or what a function needs of it and where."""

    def work() -> None:
        backends = [backend(backend_name)] if backend_name else _usable_backends()
        if target is not None:
            with working(f"capturing {target}"):
                found = needs(capture(target, arg)[0], backends)
        else:
            sorted_ops = sorted(REGISTRY.values(), key=lambda o: (o.family, o.name))
            found = [Need(op.name, op.family, [covered(b, op) for b in backends]) for op in sorted_ops]
        shown = [need for need in found if not (missing and need.covered)]
        if target is not None and missing and not shown:
            out.print(f"nothing is missing on {', '.join(b.name for b in backends)}", highlight=False)
            return
        titles = ("op", "family", *(b.name for b in backends), *(["where"] if target is not None else []))
        table = Table(*(Column(title, overflow="fold") for title in titles))
        for need in shown:
            table.add_row(
                need.name, need.family, *need.cells, *(["\n".join(need.places)] if target is not None else [])
            )
        out.print(table)

    guarded(debug, work)


def _usable_backends() -> list[Any]:
    """The backends whose frameworks are there; of the others it is said why they are left out."""
    found = []
    for name in available():
        try:
            found.append(backend(name))
        except BackendError as error:
            err.print(f"left out: {escape(error.what)}", highlight=False, soft_wrap=True)
    return found


def main() -> None:
    """Entry of the console script."""
    sys.path.insert(0, "")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # what is half written is then taken away
    app()
