"""``candidly cluster``: what a Ray cluster has, and whether its nodes agree."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from ..ground.jsons import to_json
from ..ground.numbers import count_of
from ._print import AsJson, grid_of, show

app = typer.Typer(no_args_is_help=True, help="Ray clusters: check.")


@app.callback()
def _group() -> None:
    pass


@app.command()
def check(
    address: Annotated[
        str,
        typer.Argument(help="Of the cluster: auto (one of this machine), or 10.0.0.1:6379."),
    ] = "auto",
    device: Annotated[str, typer.Option(help="cpu or cuda: what runs will be trained on.")] = "cpu",
    as_json: AsJson = False,
) -> None:
    """What each node of a cluster has, and whether sweeps there give the numbers of this machine.

    Example:  candidly cluster check 10.0.0.1:6379
    """
    from ..ground.cluster import Cluster, check_device_there, check_nodes, connected, look_at

    check_device_there(device)
    with connected(Cluster(address)) as ray:
        nodes = look_at(ray)
    rows = [
        {
            "node": node.name,
            "cores": node.cores,
            "GPUs": node.gpus,
            "memory GB": round(node.memory_bytes / 1e9, 1),
            **(node.versions or {"candidly": node.problem}),
        }
        for node in nodes
    ]
    if as_json:
        print(to_json([asdict(node) for node in nodes]))
    else:
        show(grid_of(count_of(len(nodes), "node"), rows))
    check_nodes(nodes, device)
