"""What each algorithm costs: time per update beside CC or ce, whole-table steps, memory.

Every algorithm trains in a process of its own on one thread, its warm-up over, and takes turns with
CC, or with ce where it learns from one label; ratios are medians over the rounds, and hold what is
done between epochs. Whole-table steps are timed against the epochs they close.
`candidly algorithms show` prints the ratios, which `candidly.learn.algorithms.costs` holds; a test
compares them with the committed result.

    python bench/costs.py            about forty minutes; writes bench/results/costs.json
    python bench/costs.py --quick    under a minute
    python bench/costs.py --only mae,gce   these again; the rest of the result stays
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import torch

from _bench import RESULTS, Claim, at_most, interleaved, main, median_ratio
from _sides import Side, make_data, make_stack
from candidly.learn.algorithms import ALGORITHMS
from candidly.learn.algorithms.costs import compared_with
from candidly.learn.engine.train import update
from candidly.learn.engine.writing import write

# shape: trials in the stack
SHAPES = {(1122, 108, 16): 5, (22991, 163, 219): 1}
BATCH = 64
# times CC or ce at most: candidate sets by default, and for one label where a bound was set
# None: a queue costs a small network more than all else; bench/picture_costs.py has the bounds
QUEUED = ("PiCO", "ABLE", "DIRK", "ALIM", "PiCO+")
FULL = 8192 // BATCH  # updates that fill a queue
# SoLar has 50 Sinkhorn steps over its queue, too
OF_SETS: dict[str, float | None] = {"VALEN": 6.0, **dict.fromkeys((*QUEUED, "SoLar"))}
STATELESS = ("mae", "gce", "sce", "nce+rce", "nce+mae", "agce", "focal", "label-smoothing")
STATELESS += ("norm-ce", "sr", "eps-softmax", "forward-t", "backward-t")
OF_ONE = dict.fromkeys(STATELESS, 1.2) | dict.fromkeys(("data-parameters", "elr", "sop"), 1.5)
OF_ONE |= dict.fromkeys(("co-teaching", "co-teaching+", "jocor", "cnlcu-soft", "cnlcu-hard"), 2.3)
OF_ONE |= {"elr+": 3.4, "sop+": 3.0}
NAMES = [name for name in ALGORITHMS if compared_with(name) != name]
# share of an epoch that a step over all rows takes at most; more where each epoch predicts them all
WHOLE = {"POP": 0.2, "FREDIS": 0.2, "cores2": 0.15, "cnlcu-soft": 0.15, "cnlcu-hard": 0.15}
WHOLE |= dict.fromkeys(("dividemix", "promix", "decoupling-ncm", "seal", "pes", "pes-semi"), 0.45)


def costs(shape: tuple[int, int, int], names: list[str], quick: bool) -> list[Claim]:
    trials, label = SHAPES[shape], " x ".join(map(str, shape))
    updates = 10 if quick else 600 // (trials if shape[0] < 2000 else 12)
    claims = []
    for name in names:
        # both from the start: a network that knows its rows by heart is slow, as its gradients are
        # numbers below the processor's normal ones
        base = compared_with(name)
        sides = [Side(way, shape, BATCH, trials) for way in (name, base)]
        for side in sides:
            side(updates if quick or name not in QUEUED else max(updates, FULL))
        # a queue makes an update of a small network so slow that fewer tell as much
        each = -(-updates // 6) if name in QUEUED else updates
        mine, its = interleaved(3 if quick else 11, *(partial(side, each) for side in sides))
        for side in sides:
            side.close()
        what, ratio = f"{label}: {name}, times {base}", median_ratio(mine, its)
        most = OF_SETS.get(name, 3) if base == "CC" else OF_ONE.get(name)
        claims.append(Claim(what, ratio) if most is None else at_most(what, ratio, most))
    return claims


def whole_tables(name: str, shape: tuple[int, int, int], quick: bool) -> Claim:
    """Share of an epoch's time that the step over all rows takes, spread over its interval."""
    stack = make_stack(make_data(*shape), 1, BATCH, name)
    interval = stack.hyper[0].get("interval", 1)
    for _ in range(5):
        update(stack)
    assert stack.stage.whole
    start = time.perf_counter()
    for _ in range(count := 20 if quick else 200):
        update(stack)
    epoch = (time.perf_counter() - start) / count * stack.E
    stack.t = stack.E * interval  # as at the end of an epoch in which a step is due
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        write(stack, stack.stage.whole(stack))
        seconds.append(time.perf_counter() - start)
    share = statistics.median(seconds) / interval / epoch
    return at_most(
        f"{' x '.join(map(str, shape))}: {name}, whole-table share of an epoch", share, WHOLE[name]
    )


def valen_memory() -> Claim:
    """Peak memory of a child process that builds the graph and trains two trials."""
    code = f"""
import sys
from candidly.ground.process import peak_memory_bytes, tune_memory
tune_memory()
import torch
sys.path.insert(0, {str(Path(__file__).parent)!r})
from _sides import make_data, make_stack
from candidly.learn.engine.train import update
from candidly.learn.engine.writing import write
torch.set_num_threads(1)
stack = make_stack(make_data(22991, 163, 219), 2, 128, "VALEN")
for _ in range(5):
    update(stack)
print(peak_memory_bytes())
"""
    out = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True
    )
    return at_most("22991 x 163 x 219: VALEN, stack of 2, peak GB", int(out.stdout) / 1e9, 2)


def measure(quick: bool) -> list[Claim]:
    torch.set_num_threads(1)
    small, large = SHAPES
    claims = costs(small, ["PRODEN", "IDGP", "VALEN"] if quick else NAMES, quick)
    shapes = [small] if quick else [small, large]
    for shape in shapes:
        claims += [whole_tables(name, shape, quick) for name in WHOLE]
    if not quick:
        claims += [*costs(large, NAMES, quick), valen_memory()]
    return claims


def again(names: list[str]) -> list[Claim]:
    """What is committed, with the ratios of some algorithms measured once more."""
    kept = json.loads((RESULTS / "costs.json").read_text())["claims"]
    new = {claim.name: claim for shape in SHAPES for claim in costs(shape, names, False)}
    new |= {
        claim.name: claim
        for shape in SHAPES
        for claim in (whole_tables(name, shape, False) for name in names if name in WHOLE)
    }
    old = {row["name"]: Claim(**row) for row in kept}
    return list({**old, **new}.values())


if __name__ == "__main__":
    if "--only" in sys.argv:
        at = sys.argv.index("--only")
        some = sys.argv[at + 1].split(",")
        del sys.argv[at : at + 2]
        main("costs", __doc__ or "", lambda quick: again(some))
    main("costs", __doc__ or "", measure)
