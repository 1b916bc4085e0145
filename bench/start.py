"""How long the command line takes to answer: its help, and the tables of a directory of 36 runs.

Both beside ``python -c pass``, in turns, as processes of their own that are started warm: the first
round is not counted. Seconds are medians by the clock, and by the processor's time, which other
work on the machine moves less; ratios are medians over rounds.

    python bench/start.py            a minute; writes bench/results/start.json
    python bench/start.py --quick    seconds
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _bench import Claim, at_most, interleaved, main, median_ratio

ROUNDS = 15  # a quick run makes do with 3
RUNS = ("--algorithms", "PRODEN,CC,LWS", "--configs", "4", "--splits", "3", "--steps", "60")
CANDIDLY = (sys.executable, "-m", "candidly")


def make_runs(out: Path) -> None:
    """A results directory of 36 runs with 6 records each."""
    data = ("--dataset", "digits", "--labels", "flip:rate=0.3", "--eval-every", "10")
    subprocess.run(
        [*CANDIDLY, "bench", "run", *data, *RUNS, "--out", str(out)],
        check=True,
        capture_output=True,
    )


def processor_s() -> float:
    """Of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Command:
    """A side: seconds per call by the clock, those of the processor beside it."""

    def __init__(self, *words: str):
        self.words = words
        self.processor: list[float] = []

    def __call__(self) -> float:
        before, start = processor_s(), time.perf_counter()
        subprocess.run(self.words, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
        self.processor.append(processor_s() - before)
        return seconds


def measure(quick: bool) -> list[Claim]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "runs"
        make_runs(out)
        nothing = Command(sys.executable, "-c", "pass")
        asked = Command(*CANDIDLY, "--help")
        table = Command(*CANDIDLY, "bench", "table", str(out))
        rounds = interleaved(1 + (3 if quick else ROUNDS), nothing, asked, table)
    least, *others = (seconds[1:] for seconds in rounds)
    claims = [Claim("python -c pass, s", statistics.median(least))]
    for name, command, seconds, target in (
        ("candidly --help", asked, others[0], 0.5),
        ("candidly bench table, 36 runs", table, others[1], 2.0),
    ):
        processor = command.processor[1:]
        claims += [
            at_most(f"{name}: s", statistics.median(seconds), target),
            Claim(f"{name}: s of the processor", statistics.median(processor)),
            Claim(f"{name}: times python -c pass", median_ratio(seconds, least)),
        ]
    return claims


if __name__ == "__main__":
    main("start", __doc__ or "", measure)
