"""``candidly algorithms``: what can learn from imperfect labels."""

from __future__ import annotations

import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import typer

from ..ground.jsons import to_json
from ..show.grid import Column, Grid
from . import _print
from ._print import AsJson
from ._words import debugged, print_traceback

app = typer.Typer(
    no_args_is_help=True,
    help="The learning algorithms: list, show, check.",
)


IN_A_SWEEP = "In a sweep the name also brings the released program's scaling and record times."


@app.command("list")
def list_algorithms(as_json: AsJson = False) -> None:
    """Every algorithm, in a line each.

    Example:  candidly algorithms list
    """
    from ..learn.algorithms import ALGORITHMS

    if as_json:
        print(to_json([_about(method) for method in ALGORITHMS.values()]))
        return
    columns = (
        *(Column("name", "word"), Column("kind", "word")),
        *(Column("reads", "name"), Column("what it does", "text")),
    )
    methods = ALGORITHMS.values()
    rows = [
        (method.name, method.kind, ", ".join(method.reads), method.summary) for method in methods
    ]
    _print.show(Grid("Algorithms", columns, rows))


@app.command()
def show(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A name, such as CAVL or CAVL:plench.")
    ],
    as_json: AsJson = False,
) -> None:
    """One algorithm: paper, what it needs, what its variants change, hyper-parameters.

    Also the settings with which its numbers were published, which train takes by --as-published.

    Example:  candidly algorithms show LWS
    """
    from ..learn.algorithms import algorithm
    from ..learn.algorithms.clean_labels import BEHIND
    from ..learn.own_loop import needs_of

    method = algorithm(name)
    if as_json:
        print(to_json({**_about(method), "own_loop": list(needs_of(method).told())}))
        return
    facts = [
        ("paper", method.paper or "-"),
        ("kind", method.kind),
        *(("needs" * (not k), need) for k, need in enumerate(_needs(method))),
        ("costs", _costs(method)),
        ("own loop", "; ".join(needs_of(method).told()) or "x and ids alone"),
        *(("clean labels", why) for why in [BEHIND.get(method.name)] if why),
        ("version", _versions(method)),
    ]
    facts += [(f":{variant}", sentence) for variant, sentence in _differences(method).items()]
    columns = (
        *(Column("hyper-parameter", "word"), Column("default", form="g"), Column("search", "name")),
        Column("where the benchmark's paper differs", "text"),
    )
    rows = [(name, s.default, s.shown, s.published) for name, s in method.settings().items()]
    _print.show(
        f"{method.label}: {method.summary}",
        Grid("", (Column("", "word"), Column("", "text")), facts),
        Grid("Hyper-parameters", columns, rows),
        *_published(method),
    )


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What people will write.")],
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Where the files go.")] = Path("."),
) -> None:
    """Write the file of an algorithm of your own, and its test, to begin with.

    Example:  candidly new algorithm my-method
    """
    from ..learn.contract import write_new

    file, test = write_new(name, folder)
    print(f"{file}\n{test}")
    print(f"Next:  candidly algorithms check {file}", file=sys.stderr)


@app.command()
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE.py", help="A plug-in; it is run.")],
    as_json: AsJson = False,
) -> None:
    """Put a plug-in's algorithms through the checks of every method; exit status 1 if one fails.

    Example:  candidly algorithms check my_method.py
    """
    from ..ground.plugins import load
    from ..learn.contract import check_plugin, coverage_note

    found = check_plugin(load(file))
    if debugged():
        for one in found:
            if one.error is not None:
                print_traceback(one.error)
    if as_json:
        told = [{"algorithm": f.algorithm, "rule": f.rule, "problem": f.problem} for f in found]
        print(to_json(told))
    else:
        columns = (Column("algorithm", "word"), Column("rule", "text"), Column("", "text"))
        rows = [(one.algorithm, one.rule, one.problem or "kept") for one in found]
        _print.show(Grid(f"{file}: the contract", columns, rows))
        if note := coverage_note():
            print(f"note: {note}", file=sys.stderr)
    broken = [one for one in found if one.problem]
    if broken:
        print(f"{file} breaks {len(broken)} of {len(found)} rules.", file=sys.stderr)
        raise typer.Exit(1)


def _published(method: Any) -> list[Grid]:
    """Its published settings, a row each; no table where there are none."""
    from ..learn.algorithms.published import of_algorithm

    rows: dict[tuple[str, str], list[str]] = {}  # data sets by algorithm and settings
    for (label, dataset), one in of_algorithm(method.name).items():
        hyper = ", ".join(f"{name}={value:g}" for name, value in one.hyper_parameters().items())
        told = f"{one.net}; {one.recipe}; {one.epochs} epochs; {hyper}. Source: {one.source}."
        if one.not_followed:
            told += f" Not followed: {one.not_followed}."
        rows.setdefault((label, told), []).append(dataset)
    columns = (Column("", "word"), Column("on", "text"), Column("", "text"))
    title = "Published settings, for train --as-published"
    there = [(label, " ".join(datasets), told) for (label, told), datasets in rows.items()]
    return [Grid(title, columns, there)] if there else []


def _versions(method: Any) -> str:
    """Its version, and those of the other variants where they differ."""
    others = {variant: method.as_variant(variant).version for variant in method.variants}
    differ = [f":{variant} {v}" for variant, v in others.items() if v != method.version]
    return ", ".join([str(method.version), *differ])


def _differences(method: Any) -> dict[str, str]:
    """What each variant changes, in a sentence; ``plench`` always does."""
    released = method.differences.get("plench", "The formula is the same.")
    return {**method.differences, "plench": f"{released} {IN_A_SWEEP}"}


def _costs(method: Any) -> str:
    """Time per update as a multiple of CC's or ce's, at a small and a large shape."""
    from ..learn.algorithms.costs import COSTS, SHAPES, compared_with

    if method.name not in COSTS:
        return "not measured yet"
    told = (f"{times:g} at {shape}" for times, shape in zip(COSTS[method.name], SHAPES))
    base = compared_with(method.name)
    return f"per update, times {base}: {', '.join(told)} (rows x features x classes)"


def _needs(method: Any) -> list[str]:
    """What the algorithm learns from and what it keeps, read off the method."""
    import torch

    from ..ground.seeds import draw

    n, q, a = 1009, 101, 53  # sizes that nothing else has
    labels = torch.zeros(1, n, dtype=torch.int64)
    trial = SimpleNamespace(
        rng=partial(draw, 0),
        n=n,
        q=q,
        dtype=torch.float32,
        hp=SimpleNamespace(**{name: s.default for name, s in method.settings().items()}),
        candidates=torch.ones(1, n, q, dtype=torch.bool),
        given=labels,
        truth=labels,
        votes=torch.zeros(1, n, 1, 2, dtype=torch.int64),
    )
    called = {n: "n", q: "q", a: "annotators"}

    def sizes(made: dict[str, Any]) -> str:
        return ", ".join(
            f"{name} ({' × '.join(str(called.get(size, size)) for size in value.shape[1:])})"
            for name, value in made.items()
        )

    needs = [f"labels: {', '.join(method.reads)}{' (an oracle)' if method.oracle else ''}"]
    if method.rows:
        needs.append(f"a row for every training row: {sizes(method.rows(trial))}")
    if method.learned:
        made = {name: row.make(trial) for name, row in method.learned.items()}
        needs.append(f"learned by gradient for every training row: {sizes(made)}")
    if method.memory:
        needs.append(f"memory: {sizes(method.memory(trial))}")
    if method.per_annotator:
        kept = {
            name: torch.empty(1, *make(a, q).shape) for name, make in method.per_annotator.items()
        }
        needs.append(f"learned by gradient for every annotator: {sizes(kept)}")
    if method.constants:
        needs.append(f"once, from the training labels: {sizes(method.constants(trial))}")
    if method.networks > 1:
        predicts = "their mean" if method.averages else "the first"
        needs.append(f"{method.networks} networks side by side; {predicts} predicts")
    if method.cost > 1:
        needs.append(f"an epoch costs up to {method.cost}: networks times batches of an update")
    if method.modules:
        needs.append(f"further networks: {', '.join(method.modules)}")
    if method.views:
        needs.append(f"views of the inputs: {', '.join(method.views)}")
    if method.told:
        needs.append(f"{', '.join(method.told)}: an oracle where set to the true value")
    if len(method.stages) > 1:
        named = (stage.optimiser or "the recipe's optimiser" for stage in method.stages)
        kinds = ", then ".join(dict.fromkeys(named))
        needs.append(f"{len(method.stages)} stages, one after the other: {kinds}")
    if any(stage.whole or stage.begin for stage in method.stages):
        needs.append("now and then a step over all training rows")
    return needs


def _about(method: Any) -> dict[str, Any]:
    from ..learn.algorithms.clean_labels import BEHIND
    from ..learn.algorithms.published import of_algorithm

    return {
        "name": method.name,
        "variant": method.variant,
        "variants": list(method.variants),
        "differences": _differences(method),
        "kind": method.kind,
        "summary": method.summary,
        "paper": method.paper,
        "reads": list(method.reads),
        "needs": _needs(method),
        "costs": _costs(method),
        "behind_on_clean_labels": BEHIND.get(method.name, ""),
        "oracle": method.oracle,
        "version": method.version,
        "hyper_parameters": {
            name: {"default": s.default, "search": s.shown, "published": s.published}
            for name, s in method.settings().items()
        },
        "published": [
            {"algorithm": label, "dataset": dataset, **asdict(one)}
            for (label, dataset), one in of_algorithm(method.name).items()
        ],
    }
