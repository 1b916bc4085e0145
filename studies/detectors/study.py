"""Runs what is missing, a line of JSON per detector and set of labels."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench._bench import machine
from candidly.errors.detectors import DETECTORS, compare
from candidly.ground.files import replacing
from candidly.ground.names import lookup

from .data import STUDIES, Piece

KEY = ("data", "noise", "rate", "seed", "detector")
ANCHOR = "flag everything"


def read_lines(path: Path) -> list[dict[str, Any]]:
    """What a file holds; of lines with one key the first, and none that cannot be parsed."""
    found: dict[tuple, dict[str, Any]] = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            row = json.loads(line)
            found.setdefault(tuple(row[name] for name in KEY), row)
        except (ValueError, KeyError, TypeError):  # a torn line
            continue
    return list(found.values())


def read_results(folder: Path) -> list[dict[str, Any]]:
    """All results, in the order of the study."""
    return [row for name in STUDIES for row in read_lines(folder / f"{name}.jsonl")]


def missing(
    rows: Sequence[dict[str, Any]], pieces: Sequence[Piece], detectors: Sequence[str]
) -> Iterator[tuple[Piece, list[str]]]:
    """Pieces with the detectors that have no line yet."""
    done = {tuple(row[name] for name in KEY) for row in rows}
    for piece in pieces:
        left = [name for name in detectors if (*piece, name) not in done]
        if left:
            yield piece, left


def run_piece(piece: Piece, detectors: Sequence[str], path: Path, epochs: int) -> None:
    """One set of labels; its lines are appended together."""
    trained = any("epochs" in DETECTORS[name].takes for name in detectors)
    options = {"epochs": epochs} if trained else {}
    rows = compare(STUDIES[piece.data].make(piece), detectors, seed=piece.seed, **options)
    about = {**piece._asdict(), "epochs": epochs}
    lines = [json.dumps({**about, **row.values()}, allow_nan=False) for row in rows]
    torn = path.exists() and not path.read_bytes().endswith((b"\n",)) and path.stat().st_size
    with path.open("a") as file:
        file.write("\n" * bool(torn) + "\n".join(lines) + "\n")
        file.flush()
        os.fsync(file.fileno())


def main(arguments: Sequence[str], results: Path) -> None:
    parser = argparse.ArgumentParser(prog="detectors.py study", description=__doc__)
    parser.add_argument("--data", choices=STUDIES, action="append", help="(default: all)")
    parser.add_argument("--noise", action="append", help="or label set; (default: all)")
    parser.add_argument("--rate", type=float, action="append")
    parser.add_argument("--seed", type=int, action="append")
    parser.add_argument("--detectors", default=",".join(DETECTORS))
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--results", type=Path, default=results)
    parser.add_argument("--list", action="store_true", help="say what is missing, and run nothing")
    asked = parser.parse_args(arguments)
    names = [lookup(DETECTORS, name, "detector")[0] for name in asked.detectors.split(",")]
    wanted = [
        piece
        for name in asked.data or STUDIES
        for piece in STUDIES[name].pieces()
        if all(
            chosen is None or value in chosen
            for chosen, value in (
                (asked.noise, piece.noise),
                (asked.rate, piece.rate),
                (asked.seed, piece.seed),
            )
        )
    ]
    todo = list(missing(read_results(asked.results), wanted, names))
    print(f"{len(todo)} of {len(wanted)} sets of labels have something to do", flush=True)
    started = time.monotonic()
    for number, (piece, left) in enumerate(todo):
        if asked.list:
            print(*piece, ",".join(left))
            continue
        asked.results.mkdir(parents=True, exist_ok=True)
        run_piece(piece, left, asked.results / f"{piece.data}.jsonl", asked.epochs)
        _note_machine(asked.results, piece.data, left)
        spent = time.monotonic() - started
        rest = spent / (number + 1) * (len(todo) - number - 1) / 60
        print(*piece, f"· {number + 1} of {len(todo)} · {rest:.0f} min left", flush=True)


def _note_machine(folder: Path, data: str, detectors: Sequence[str]) -> None:
    """Add where a data set's detectors were run, where that is another place or day."""
    path = folder / "machines.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    before, here = known.get(data), machine()
    if before is None:
        known[data] = here
    elif here not in before:
        known[data] = f"{before}; {', '.join(detectors)}: {here}"
    with replacing(path) as file:
        file.write((json.dumps(known, indent=1) + "\n").encode())
