"""``candidly algorithms``: what can learn from imperfect labels."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="The learning algorithms: list, show.",
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


@app.command("list")
def list_algorithms(as_json: AsJson = False) -> None:
    """Every algorithm, in a line each.

    [bold]Example:[/bold]  candidly algorithms list
    """
    from ..algorithms import ALGORITHMS

    if as_json:
        print(json.dumps([_about(page) for page in ALGORITHMS.values()], indent=1))
        return
    table = Table(title="Algorithms")
    for column in ("name", "kind", "reads", "what it does"):
        table.add_column(column, no_wrap=column == "name")
    for page in ALGORITHMS.values():
        table.add_row(page.name, page.kind, ", ".join(page.reads), page.summary)
    Console().print(table)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A name, such as CAVL or CAVL:plench.")],
    as_json: AsJson = False,
) -> None:
    """One algorithm: paper, labels it reads, variants, hyper-parameters.

    [bold]Example:[/bold]  candidly algorithms show LWS
    """
    from ..algorithms import algorithm

    page = algorithm(name)
    if as_json:
        print(json.dumps(_about(page), indent=1))
        return
    console = Console()
    console.print(f"[bold]{page.label}[/bold]: {page.summary}")
    facts = {
        "paper": page.paper or "-",
        "kind": page.kind,
        "reads": ", ".join(page.reads) + (" (an oracle)" if page.oracle else ""),
        "variants": ", ".join(page.variants) or "none that differ",
        "version": str(page.version),
    }
    for what, text in facts.items():
        console.print(f"  {what:<9} {text}", highlight=False)
    table = Table("hyper-parameter", "default", "search", title="Hyper-parameters")
    for setting, value in page.settings().items():
        table.add_row(setting, f"{value.default:g}", value.shown)
    console.print(table)


def _about(page: Any) -> dict[str, Any]:
    return {
        "name": page.name,
        "variant": page.variant,
        "variants": list(page.variants),
        "kind": page.kind,
        "summary": page.summary,
        "paper": page.paper,
        "reads": list(page.reads),
        "oracle": page.oracle,
        "version": page.version,
        "hyper_parameters": {
            name: {"default": s.default, "search": s.shown} for name, s in page.settings().items()
        },
    }
