"""A whole challenge from one command: run, killed in the middle, run again, and what scoring costs.

Seven submissions that come with candidly, and three that misbehave: one crashes, one does not stop
when it is told to, one looks for the truth and the other label sets by their real places. On
CIFAR-10N where CANDIDLY_DATA has it (2,000 pictures, three label sets, five seeds), else on digits.

    python bench/challenge.py            about half an hour; writes bench/results/challenge.json
    python bench/challenge.py --quick    digits, two seeds: about two minutes
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from _bench import Claim, at_most, main

GOOD = ("cross-entropy", "elr", "co-teaching", "sop", "pes", "confident-learning", "knn-vote")
LONGEST_S = 40 * 60
SCORER_S = 2.0  # of each submission and label set

CRASHES = "echo 'predictions follow' && exit 7\n"
OVERRUNS = """trap '' TERM INT HUP
python -c "
import sys, numpy as np
rows = len(np.load(sys.argv[1] + '/test_inputs.npy', mmap_mode='r'))
np.save(sys.argv[2] + '/predictions.npy', np.zeros(rows, np.int64))" "$4" "$5"
while true; do sleep 1; done
"""
CHEATS = """for place in {folder}/truth {folder}/data /proc/1/root{folder} "$4/.." \\
    "$4/../{other}"; do
    find "$place" -maxdepth 3 -name '*.npz' -o -name labels.npy 2>/dev/null
done | grep -v '/data/labels.npy$' > /tmp/found
if [ -s /tmp/found ]; then echo "found $(cat /tmp/found)"; exit 9; fi
python -c "
import sys, numpy as np
rows = len(np.load(sys.argv[1] + '/test_inputs.npy', mmap_mode='r'))
np.save(sys.argv[2] + '/predictions.npy', np.arange(rows) % 10)" "$4" "$5"
"""


def written(at: Path, name: str, program: str) -> Path:
    """A submission of one script."""
    folder = at / name
    folder.mkdir()
    about = {"name": name, "task": "learning", "hyperparameters": {}}
    (folder / "manifest.json").write_text(json.dumps(about))
    (folder / "run.sh").write_text(program)
    return folder


def exactly(name: str, value: int, wanted: int) -> Claim:
    """A count that must be this one."""
    return Claim(name, value, f"= {wanted}", value == wanted)


def candidly(*arguments: object, **how: object) -> subprocess.Popen[bytes]:
    """The command line, in a group of processes of its own."""
    words = [sys.executable, "-m", "candidly", "challenge", *map(str, arguments)]
    return subprocess.Popen(words, start_new_session=True, stdout=subprocess.DEVNULL, **how)


def finished(*arguments: object) -> float:
    """Seconds that a command took."""
    begun = time.monotonic()
    if candidly(*arguments).wait():
        raise RuntimeError(f"candidly challenge {arguments[0]} failed")
    return time.monotonic() - begun


def outcomes(folder: Path) -> dict[Path, int]:
    """Runs that are over, and when their files were written."""
    return {path: path.stat().st_mtime_ns for path in folder.glob("runs/*/*/*/outcome.json")}


def whole(at: Path, real: bool) -> list[Claim]:
    folder = at / "challenge"
    if real:
        sets = [f"cifar10n-{name}" for name in ("aggre", "rand1", "worst")]
        size = ["--test", "cifar10", "--rows", 2000, "--test-rows", 1000, "--net", "cnn:width=8"]
        seeds, epochs = 5, 8
    else:
        sets = ["easy=digits+symmetric:rate=0.2", "hard=digits+pair:rate=0.4"]
        size, seeds, epochs = ["--rows", 600, "--net", "mlp:64"], 2, 20
    asked = [word for one in sets for word in ("--set", one)]
    finished("new", folder, *asked, *size, "--seeds", seeds, "--epochs", epochs, "--seed", 1)
    given = [
        *GOOD,
        written(at, "crashes", CRASHES),
        written(at, "overruns", OVERRUNS),
        written(at, "cheats", CHEATS.format(folder=folder, other="worst" if real else "hard")),
    ]
    due = len(given) * len(sets) * seeds
    begun = time.monotonic()
    process = candidly("run", folder, *given)
    while len(outcomes(folder)) < due // 3:
        if process.poll() is not None:
            raise RuntimeError("the challenge ended before it was killed")
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = outcomes(folder)
    finished("run", folder)
    seconds = time.monotonic() - begun
    after = outcomes(folder)
    kept = all(after[path] == when for path, when in before.items())
    result = json.loads((folder / "scores.json").read_text())
    runs = {
        name: [run for by in cells.values() for run in by["runs"]]
        for contest in result["contests"]
        for name, cells in contest["scores"].items()
    }
    failed = {name: sum(run["status"] == "failed" for run in those) for name, those in runs.items()}
    late = sum(run["status"] == "time" for run in runs["overruns"])
    part, each = "CIFAR-10N" if real else "digits", len(sets) * seeds
    claims = [
        at_most(f"{part}: seconds, killed and run again", seconds, LONGEST_S),
        Claim(
            f"{part}: runs over at the kill", len(before), f"1..{due - 1}", 0 < len(before) < due
        ),
        Claim(f"{part}: runs before the kill are kept", kept, "1", kept),
        exactly(f"{part}: runs over", len(after), due),
        exactly(f"{part}: of the crashing one, failed", failed["crashes"], each),
        exactly(f"{part}: of the overrunning one, stopped and scored", late, each),
        exactly(f"{part}: of the cheating one, found something", failed["cheats"], 0),
        exactly(f"{part}: of the seven others, failed", sum(failed[name] for name in GOOD), 0),
    ]
    for name, timed in result["baseline"].items():
        trained = float(np.median(timed["training"]))
        claims.append(Claim(f"{part}: baseline of {name}, s of training", trained))
    for contest in result["contests"]:
        for one in contest["standings"]:
            name = f"{part}: {contest['task']}, points of {one['submission']}"
            claims.append(Claim(name, one["points"]))
    return claims


def scorer(at: Path) -> list[Claim]:
    """What scoring takes at full size: 50,000 rows, 10,000 test rows, ten submissions, 5 runs."""
    from candidly import from_arrays
    from candidly.compare.challenge import Given, make_challenge, score_challenge, submit

    rng = np.random.default_rng(0)
    classes, rows, tested, names = 10, 50_000, 10_000, [f"s{i}" for i in range(10)]

    def made(n: int):
        truth = rng.integers(0, classes, n)
        given = np.where(rng.random(n) < 0.4, rng.integers(0, classes, n), truth)
        X = rng.normal(size=(n, 2)).astype(np.float32)
        return from_arrays(X, given=given, truth=truth, classes=classes)

    folder = at / "large"
    one = Given("worst", "large", made(rows), made(tested))
    protocol = make_challenge(folder, [one])
    ids, seconds = np.arange(rows), {}
    for task in ("learning", "detection"):
        for name in names:
            program = written(at, f"{name}-{task}", f"# {name}\n")
            about = {"name": program.name, "task": task, "hyperparameters": {}}
            (program / "manifest.json").write_text(json.dumps(about))
            submit(folder, protocol, program)
            for number in range(len(protocol.seeds)):
                run = folder / "runs" / program.name / "worst" / str(number)
                run.mkdir(parents=True)
                outcome = {"how": "ended", "code": 0, "limit": 1.0, "settings": "", "refused": {}}
                (run / "outcome.json").write_text(json.dumps(outcome))
                if task == "learning":
                    np.save(run / "predictions.npy", rng.integers(0, classes, tested))
                else:
                    np.save(run / "detection.npy", rng.random(rows) < 0.4)
                    np.save(run / "scores.npy", rng.random(rows))
                    np.save(run / "ids.npy", ids)
        begun = time.perf_counter()
        result = score_challenge(folder, protocol)
        seconds[task] = time.perf_counter() - begun - sum(seconds.values())
        if any(p.scores["worst"] is None for c in result.contests for p in c.standings):
            raise RuntimeError("a run was not scored")
    return [
        at_most(f"scoring {task}, s a submission and label set", taken / len(names), SCORER_S)
        for task, taken in seconds.items()
    ]


def measure(quick: bool) -> list[Claim]:
    real = "CANDIDLY_DATA" in os.environ and not quick
    with tempfile.TemporaryDirectory() as temporary:
        at = Path(temporary)
        return [*scorer(at), *whole(at, real)]


if __name__ == "__main__":
    main("challenge", __doc__ or "", measure)
