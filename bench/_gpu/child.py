"""A part in a process of its own: ``python child.py MODULE DEVICE QUICK`` measures and tells.

Each claim or note is a line of JSON on standard output as soon as it is found, so that a part that
is stopped leaves what it had; the last line says that it came to its end.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "src")]


def main(module: str, device: str, quick: str) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints goes to standard error

    def tell(what: object) -> None:
        print(json.dumps(what), file=answers, flush=True)

    from _gpu.where import Where

    if ":" in device:
        import torch

        torch.cuda.set_device(device)
    for found in importlib.import_module(module).measure(Where(device, quick == "quick")):
        tell({"note": found} if isinstance(found, str) else asdict(found))
    tell({"end": True})


if __name__ == "__main__":
    main(*sys.argv[1:])
