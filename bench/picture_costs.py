"""What each algorithm that learns from candidate sets costs on pictures: time beside CC, memory.

Every algorithm trains a network on random pictures of 32 x 32 in a process of its own on one
thread, in its last stage and with full queues, and takes turns with CC; ratios are medians of
processor time. A floor is what an update needs in passes through the network, a forward pass 1 and
a backward pass 2, over CC's 3. The contrastive part is timed alone, on as many rows.

    python bench/picture_costs.py            about twenty minutes; writes picture_costs.json
    python bench/picture_costs.py --quick    about a minute
    python bench/picture_costs.py --only PiCO,DIRK   these again; the rest of the result stays
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from functools import partial

import torch
from torch.nn.functional import normalize

from _bench import RESULTS, Claim, at_most, interleaved, main, median_ratio
from _cost_sides import FULL, CostSide
from candidly.ground.process import tune_memory
from candidly.learn.algorithms import ALGORITHMS
from candidly.learn.algorithms._contrast import contrast, same_label
from candidly.learn.algorithms.costs import compared_with

BATCH = 128
NAMES = [name for name in ALGORITHMS if compared_with(name) == "CC" and name != "CC"]
FLOORS = {"PiCO": 4 / 3, "ABLE": 6 / 3, "ALIM": 7 / 3, "PiCO+": 7 / 3, "DIRK": 8 / 3}
OVER = 1.25  # of its floor at most
NETS = {"cnn": (6, 9), "resnet32": (1, 5)}  # updates a turn, and turns
MEMORY_OF = "densenet22"
SHARES = {"cnn": 0.12, "resnet32": 0.05}  # of an update of PiCO's that its contrast takes at most
SIZE = 128  # of a projection


def bound(name: str, net: str, ratio: float) -> Claim:
    what = f"{net}: {name}, times CC"
    return at_most(what, ratio, OVER * FLOORS[name]) if name in FLOORS else Claim(what, ratio)


def costs(net: str, names: list[str], quick: bool) -> list[Claim]:
    updates, rounds = (1, 2) if quick else NETS[net]
    base, claims = CostSide("CC", net, BATCH), []
    base(2)
    for name in names:
        side = CostSide(name, net, BATCH)
        side(2)
        mine, its = interleaved(rounds, *(partial(one, updates) for one in (side, base)))
        side.close()
        claims.append(bound(name, net, median_ratio(mine, its)))
    base.close()
    return claims


def memory(names: list[str]) -> list[Claim]:
    """Peak memory of a process that has trained two updates, as in the benchmark's Figure 4."""
    claims = []
    for name in names:
        side = CostSide(name, MEMORY_OF, BATCH)
        side(2)
        claims.append(Claim(f"{MEMORY_OF}, peak GB: {name}", side(0) / 1e9))
        side.close()
    return claims


def contrast_seconds() -> float:
    """PiCO's supervised contrast with a full queue, and its gradient; the median."""
    torch.manual_seed(0)
    features, keys, queue = (
        normalize(torch.randn(1, n, SIZE), dim=-1) for n in (BATCH, BATCH, FULL)
    )
    features.requires_grad_()
    labels, queue_labels = (torch.randint(10, (1, n)) for n in (BATCH, FULL))
    temperature = torch.full((1, 1, 1), 0.07)
    took = []
    for _ in range(15):
        started = time.process_time()
        own, toward = same_label(labels, keys, queue, queue_labels, 10)
        contrast(features, (keys, queue), own, toward, temperature).mean().backward()
        took.append(time.process_time() - started)
    return statistics.median(took)


def shares(nets: list[str]) -> list[Claim]:
    claims = []
    for net in nets:
        side = CostSide("PiCO", net, BATCH)
        side(2)
        parts, wholes = interleaved(5, contrast_seconds, partial(side, NETS[net][0]))
        side.close()
        ratio = median_ratio(parts, wholes)
        claims.append(at_most(f"{net}: contrast's share of PiCO's update", ratio, SHARES[net]))
    return claims


def measure(quick: bool) -> list[Claim]:
    tune_memory()
    torch.set_num_threads(1)
    if quick:
        return [*costs("cnn", ["PiCO"], quick), *memory(["CC"]), *shares(["cnn"])]
    some = list(FLOORS)
    return [
        *costs("cnn", NAMES, quick),
        *costs("resnet32", some, quick),
        *shares(list(SHARES)),
        *memory(["CC", *NAMES]),
    ]


def again(names: list[str]) -> list[Claim]:
    """What is committed, with some algorithms measured once more."""
    tune_memory()
    torch.set_num_threads(1)
    kept = json.loads((RESULTS / "picture_costs.json").read_text())["claims"]
    some = [name for name in names if name in FLOORS]
    new = [*costs("cnn", names, False), *costs("resnet32", some, False), *memory(names)]
    new += shares(list(SHARES)) if "PiCO" in names else []
    claims = {row["name"]: Claim(**row) for row in kept} | {claim.name: claim for claim in new}
    return list(claims.values())


if __name__ == "__main__":
    if "--only" in sys.argv:
        at = sys.argv.index("--only")
        asked = sys.argv[at + 1].split(",")
        del sys.argv[at : at + 2]
        main("picture_costs", __doc__ or "", lambda quick: again(asked))
    else:
        main("picture_costs", __doc__ or "", measure)
