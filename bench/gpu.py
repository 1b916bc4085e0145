"""Everything that waits for a GPU, in one command of at most twenty minutes.

The device tests; stacks of the network for tables; fused optimisers beside broadcast ones;
ResNet-32 alone and twenty of it as a stack, a vmap and a CUDA graph, beside a plain loop; views;
``torch.compile``; TF32 and bfloat16 beside float32; one whole sweep. Each part runs in a process of
its own within its own time, and writes what it found into ``bench/results/gpu.json`` at once. What
is there already, of the same code and device, is not measured again: the same command goes on where
it was stopped. Without a GPU it says so and writes nothing.

    PYTHONPATH=src python bench/gpu.py
    PYTHONPATH=src python bench/gpu.py --again views     that part once more; may be repeated
    PYTHONPATH=src python bench/gpu.py --only views      no other part
    PYTHONPATH=src python bench/gpu.py --device cpu --quick
                                          tries every part on the processor, smaller: about a minute

candidly need not be installed: any Python from 3.11 on will do that has torch with CUDA, and NumPy.
The part ``sweep`` needs SciPy, polars, pydantic and filelock as well, and ``tests`` these and
pytest; ``precision`` takes CIFAR-10 where CANDIDLY_DATA and candidly's other dependencies are
there, and else makes pictures. A part whose packages are missing is left out, and the first line
says so.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "src")]

from _bench import RESULTS, machine  # noqa: E402
from _gpu.run import Part, all_hold, run_parts, table_of  # noqa: E402

TOTAL = 20 * 60  # seconds
ENGINE = ("torch", "numpy")
SWEEP = (*ENGINE, "scipy", "polars", "pydantic", "filelock")
PARTS = (
    Part("tests", "_gpu.device_tests", 240, (*SWEEP, "pytest")),
    Part("views", "_gpu.views", 90, ENGINE),
    Part("tables", "_gpu.tables", 110, ENGINE),
    Part("networks", "_gpu.networks", 240, ENGINE),
    Part("optimisers", "_gpu.optimisers", 60, ENGINE),
    Part("precision", "_gpu.precision", 130, ENGINE),
    Part("sweep", "_gpu.sweep", 120, SWEEP),
    Part("compiled", "_gpu.compiled", 200, ENGINE),
)


def main(arguments: Sequence[str] | None = None, parts: Sequence[Part] = PARTS) -> int:
    """The command; returns its exit status."""
    asked = _asked(arguments, parts)
    lacking = sorted({name for part in parts for name in part.missing()})
    if "torch" in lacking or "numpy" in lacking:
        print(f"This Python has no {' and no '.join(lacking)}; bench/gpu.py needs torch and NumPy.")
        return 2
    import torch

    if asked.device != "cpu" and not torch.cuda.is_available():
        print("There is no GPU here (this torch finds no CUDA): nothing was measured or written.")
        return 0
    from candidly.ground.device import check_device

    try:
        check_device(asked.device)
    except ValueError as error:
        print(error)
        return 2
    if asked.device == "cpu" and not asked.quick:
        print("A processor is measured by bench/engine.py and bench/images.py: --quick tries this.")
        return 2
    if lacking:
        without = ", ".join(part.name for part in parts if part.missing())
        print(f"This Python lacks {', '.join(lacking)}: left out are {without}.")
    path, about = RESULTS / "gpu.json", facts(asked.device)
    before = _read(path) if not asked.quick else {}
    stamp = {"code": digest(), "device": about["device"]}
    chosen = [part for part in parts if not asked.only or part.name in asked.only]
    results: dict[str, Any] = {}
    started = time.monotonic()

    def say(line: str) -> None:
        print(f"{time.monotonic() - started:6.0f} s  {line}", file=sys.stderr, flush=True)

    how = (asked.device, "quick" if asked.quick else "full")
    try:
        for name, result in run_parts(chosen, how, stamp, before, asked.again, TOTAL, say):
            results[name] = asdict(result)
            if not asked.quick:
                _write(path, about, before | results, parts)
    except KeyboardInterrupt:
        say("stopped; the same command goes on with what is missing")
        return 130
    kept = {part.name: before[part.name] for part in chosen if part.name in before}
    print("\n".join([f"{name}: {value}" for name, value in about.items()]))
    print("\n".join(table_of(kept | results)))
    return 0 if all_hold(kept | results) else 1


def _asked(arguments: Sequence[str] | None, parts: Sequence[Part]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [part.name for part in parts]
    parser.add_argument("--device", default="cuda", help="cuda, cuda:1, or cpu with --quick")
    parser.add_argument("--quick", action="store_true", help="try every part; writes nothing")
    parser.add_argument("--again", action="append", default=[], choices=names, metavar="PART")
    parser.add_argument("--only", action="append", default=[], choices=names, metavar="PART")
    return parser.parse_args(arguments)


def digest() -> str:
    """Of the code that is measured and of what measures it."""
    found = hashlib.sha256()
    folders = (ROOT / "src", ROOT / "bench" / "_gpu", ROOT / "tests" / "devices")
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        found.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return found.hexdigest()[:16]


def facts(device: str) -> dict[str, str]:
    """What was measured on, by name."""
    import torch

    about = {"device": "the processor", "machine": machine()}
    if device == "cpu":
        return about
    made = torch.cuda.get_device_properties(device)
    return {
        "device": f"{made.name}, {made.total_memory / 1e9:.0f} GB",
        "capability": f"{made.major}.{made.minor}",
        "torch": torch.__version__,
        "CUDA": str(torch.version.cuda),
        "cuDNN": str(torch.backends.cudnn.version()),
        "driver": _driver(),
        "machine": about["machine"],
    }


def _driver() -> str:
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return done.stdout.strip().partition("\n")[0] or "unknown"


def _read(path: Path) -> dict[str, Any]:
    """Earlier results by part; none where the file is no such file."""
    try:
        return dict(json.loads(path.read_text(encoding="utf-8"))["parts"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _write(path: Path, about: dict[str, str], results: dict[str, Any], parts) -> None:
    known = {part.name: results[part.name] for part in parts if part.name in results}
    path.parent.mkdir(exist_ok=True)
    text = json.dumps({"about": about, "parts": known}, indent=1, ensure_ascii=False)
    beside = path.with_suffix(".part")
    beside.write_text(text + "\n", encoding="utf-8")
    os.replace(beside, path)


if __name__ == "__main__":
    sys.exit(main())
