"""docs/studies/scale.md, from the committed results of ``bench``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from studies.kit.template import rendered

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "bench" / "results"
PAGE = "studies/scale.md"
COMMAND = "python -m studies.scale"
SCRIPTS = ("scale", "cluster", "review_scale", "journal")


def make_page(folder: Path = RESULTS) -> str:
    found = {name: json.loads((folder / f"{name}.json").read_text()) for name in SCRIPTS}
    about = {"command": COMMAND, "machine": found["scale"]["machine"]}
    measured = {name: _by_name(one) for name, one in found.items()}
    return rendered(Path(__file__).with_name("page.md"), measured | about)


def _by_name(found: dict) -> Callable[[str], float]:
    """The values of a script's results, by their names."""
    return {claim["name"]: float(claim["value"]) for claim in found["claims"]}.__getitem__
