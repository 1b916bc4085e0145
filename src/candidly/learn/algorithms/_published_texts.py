"""Published settings on NoisywikiHow: Tables 9, 11 and 13 of its paper, and its released program.

The paper fine-tunes the base-sized BART for 10 epochs; ``hf:bart-base`` is the folder of that name,
into which a person puts the model. Its learning rate is 3e-5 throughout, and what Tables 9 and 11
say depends on the kind of noise, and on its rate only as co-teaching and CNLCU are told it.

Source: Wu et al., "NoisywikiHow: A benchmark for learning with real-world noisy labels in natural
language processing", Findings of ACL 2023.
"""

from __future__ import annotations

from collections.abc import Mapping

from ._published import Published
from ._space import Number

RATES = (10, 20, 40, 60)  # percent of the training rows
MIXED, FLIPPED = "noisywikihow-mix", "noisywikihow-sym"  # replaced inputs, and flipped labels
CLEAN = "noisywikihow-clean"
LEVELS: Mapping[str, float] = {  # data sets by name: their noise rates
    CLEAN: 0.0,
    **{f"{kind}-{rate}": rate / 100 for kind in (MIXED, FLIPPED) for rate in RATES},
}
NET = "hf:bart-base"
RECIPE = "adamw:schedule=constant"
CLIPPED, EMBEDDED = f"{RECIPE},clip=3", f"{RECIPE},mix_at=embeddings,clip=3"
MARGINS = {  # largest margin and scale of LDAM, by noise rate (Table 13)
    0.0: (0.2, 10),
    0.1: (0.5, 10),
    0.2: (0.7, 7),
    0.4: (0.8, 7),
    0.6: (0.8, 10),
}


def _text(
    table: str, hyper: Mapping[str, Number], epochs: int = 10, recipe: str = RECIPE
) -> Published:
    source = f"{table} of the data set's paper; its released program has batches of 32"
    return Published(NET, recipe, epochs, 64, 3e-5, 0.01, hyper, source)


def _of(dataset: str, rate: float) -> dict[tuple[str, str], Published]:
    """Of all algorithms that the paper trained there."""
    flipped = dataset.startswith(FLIPPED)
    table, tail = ("Table 11" if flipped else "Table 9"), "Table 13"
    told: dict[str, Number] = {"noise_rate": rate, "ramp": 3 if flipped else 8}
    bound = {"tau_min": 0.1 if flipped else 0.3, "interval": 5}
    without = f"SR in {table}, where its penalty has no weight,"
    known = {
        "ce": _text("Section 4", {}, 10, CLIPPED),
        "mixup": _text(table, {"alpha": 1}, 10, EMBEDDED),
        "data-parameters": _text(table, {"lr_row": 0.2, "weight_decay_row": 0}),
        "norm-ce": _text(without, {"tau": 0.5 if flipped else 0.05}, 20, CLIPPED),
        "co-teaching:noisywikihow": _text(table, told),
        "cnlcu-hard:epoch": _text(table, told | bound),
        "seal:carried": _text(table, {"rounds": 4}, 40, CLIPPED),
    }
    if not flipped:
        margin, scale = MARGINS[rate]
        known |= {
            "bbn": _text(tail, {}),
            "ldam": _text(tail, {"margin": margin, "scale": scale}),
            "decoupling-ncm": _text(tail, {}),
            "decoupling-crt": _text(tail, {"first": 10 / 15, "visit": 4}, 15),
            "decoupling-lws": _text(tail, {"first": 10 / 15, "visit": 4}, 15),
        }
    return {(label, dataset): one for label, one in known.items()}


TEXTS: Mapping[tuple[str, str], Published] = {
    key: one for dataset, rate in LEVELS.items() for key, one in _of(dataset, rate).items()
}
