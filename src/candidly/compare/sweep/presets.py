"""Presets: protocols by name, each a table of settings. What is given besides overrules it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Wang et al., ICLR 2025, in the order of Tables 1 to 4, and of Tables 7 to 16
OF_TABLES = (
    *("PRODEN", "CAVL", "POP", "ABS-MAE", "ABS-GCE", "EXP", "MCL-GCE", "MCL-MSE", "CC", "LWS"),
    *("IDGP", "PC", "Forward", "NN", "GA", "SCL-EXP", "SCL-NL", "L-W", "OP-W"),
)
OF_PICTURES = (*OF_TABLES, "PiCO", "ABLE", "CRDPLL", "DIRK", "FREDIS", "ALIM", "PiCO+")


@dataclass(frozen=True)
class Preset:
    """Settings that belong together.

    Attributes:
        title: what they are, for people.
        settings: values by the names of ``Settings``; the others keep their defaults.
        reduces: the preset that it is a smaller form of, for machines that cannot do that one.
    """

    title: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    reduces: str = ""


_IMAGES: Mapping[str, Any] = {
    "datasets": ("plcifar10-aggregate", "plcifar10-vaguest"),
    "algorithms": OF_PICTURES,
    "configs": 20,
    "splits": 3,
    "steps": 60_000,
    "eval_every": 1_000,
    "split": "official",
    "validation_share": 0.1,
    "net": "resnet32",
    "recipe": "adam:views=weak",
    "hyper": {  # the share of sets that lack the true label, which these two are told
        "plcifar10-aggregate/noise_rate": 0.00132,
        "plcifar10-vaguest/noise_rate": 0.17556,
        "plcifar10-aggregate/pure_ratio": 0.99868,
        "plcifar10-vaguest/pure_ratio": 0.82444,
    },
}

_TABLES: Mapping[str, Any] = {
    "datasets": (
        *("lost", "msrcv2", "mirflickr", "birdsong", "malagasy"),
        *("soccer-player", "italian", "yahoo-news", "english"),
    ),
    "algorithms": (*OF_TABLES, "VALEN"),
    "configs": 20,
    "splits": 5,
    "eval_every": 1_000,
    "test_share": 0.1,
    "validation_share": 0.1,
    "net": "mlp",
    "recipe": "adam",
}

# what learns from one label a row, in the order of the documentation; long tails have other data
OF_GIVEN = (
    *("ce", "mae", "gce", "sce", "nce+rce", "nce+mae", "agce", "focal", "label-smoothing"),
    *("norm-ce", "sr", "eps-softmax", "mixup"),
    *("forward-t", "backward-t", "t-revision", "volminnet"),
    *("peer", "f-div", "cores2", "cores*", "cal"),
    *("data-parameters", "elr", "elr+", "sop", "sop+"),
    *("co-teaching", "co-teaching+", "jocor", "dividemix", "cnlcu-soft", "cnlcu-hard"),
    *("promix", "disc", "sgd-ema", "seal", "pes", "pes-semi"),
)

_CIFAR_N: Mapping[str, Any] = {  # cross-entropy's own settings, for all methods
    "datasets": ("cifar10n-aggre", "cifar10n-rand1", "cifar10n-worst"),
    "algorithms": OF_GIVEN,
    "configs": 1,
    "splits": 3,
    "steps": 31_600,  # 100 epochs of 40,500 rows in batches of 128
    "eval_every": 316,
    "test_share": 0.1,
    "validation_share": 0.1,
    "net": "resnet34",
    "recipe": "sgd:schedule=steps,at=0.6,decay=all,views=weak",
    "hyper": {"batch_size": 128},
}

# Wu et al., Findings of ACL 2023: Tables 8 and 10, and Table 12, which is of replaced inputs alone
OF_TEXTS = (
    *("ce", "mixup", "data-parameters", "norm-ce"),
    *("co-teaching:noisywikihow", "cnlcu-hard:epoch", "seal:carried"),
)
OF_TAILS = ("bbn", "ldam", "decoupling-ncm", "decoupling-crt", "decoupling-lws")

_TEXTS: Mapping[str, Any] = {  # gradients clipped for all, in the paper for some
    "configs": 1,
    "splits": 3,
    "steps": 10_310,  # 10 epochs of 66,009 rows in batches of 64
    "eval_every": 1_031,
    "split": "official",
    "validation_share": 0.1,
    "net": "hf:bart-base",
    "recipe": "adamw:schedule=constant,mix_at=embeddings,clip=3.0",
}
_OF_TEXTS: Mapping[str, float] = {  # the algorithms' own hyper-parameters, whatever the noise
    "lr": 3e-5,
    "weight_decay": 0.01,
    "batch_size": 64,
    "alpha": 1,
    "lr_row": 0.2,
    "weight_decay_row": 0,
    "interval": 5,
    "rounds": 4,
}
_REPLACED = {"tau": 0.05, "ramp": 8, "tau_min": 0.3, "visit": 4}  # its Tables 9 and 13
_FLIPPED = {"tau": 0.5, "ramp": 3, "tau_min": 0.1}  # its Table 11
_MARGINS = {0: (0.2, 10), 10: (0.5, 10), 20: (0.7, 7), 40: (0.8, 7), 60: (0.8, 10)}


def _replaced(percent: int) -> Mapping[str, Any]:
    """With texts of other categories in place of so many; 0 for none."""
    margin, scale = _MARGINS[percent]
    own = {"noise_rate": percent / 100, "margin": margin, "scale": scale}
    noise = f":noise=mix,rate={percent / 100:g}" if percent else ""
    return {
        **_TEXTS,
        "datasets": (f"noisywikihow{noise}",),
        "algorithms": (*OF_TEXTS, *OF_TAILS),
        "hyper": {**_OF_TEXTS, **_REPLACED, **own},
    }


def _flipped(percent: int) -> Mapping[str, Any]:
    """With so many labels that are wrong."""
    return {
        **_TEXTS,
        "datasets": (f"noisywikihow:noise=sym,rate={percent / 100:g}",),
        "algorithms": OF_TEXTS,
        "hyper": {**_OF_TEXTS, **_FLIPPED, "noise_rate": percent / 100},
    }


def _of_texts() -> dict[str, Preset]:
    """A preset for each noise of the paper, and a smaller form of one."""
    title = "noisily labelled texts, as the NoisywikiHow paper tuned them, 10 epochs each"
    made = {"noisywikihow-clean": Preset(f"{title}: no noise", _replaced(0))}
    for percent in (10, 20, 40, 60):
        name = f"noisywikihow-mix-{percent}"
        made[name] = Preset(f"{title}: {percent} % replaced inputs", _replaced(percent))
        name = f"noisywikihow-sym-{percent}"
        made[name] = Preset(f"{title}: {percent} % flipped labels", _flipped(percent))
    small = {**_replaced(40), "splits": 1, "net": "encoder"}
    return made | {
        "noisywikihow-small": Preset(
            "the same with 40 % replaced inputs as far as a CPU gets in a night",
            {**small, "hyper": {**small["hyper"], "lr": 1e-3}},
            reduces="noisywikihow-mix-40",
        )
    }


PRESETS: Mapping[str, Preset] = {
    "plench-images": Preset("the partial-label benchmark on pictures", _IMAGES),
    "plench-images-small": Preset(
        "the same as far as a CPU gets in a night",
        {**_IMAGES, "configs": 3, "splits": 2, "steps": 2_000, "eval_every": 200, "net": "cnn"},
        reduces="plench-images",
    ),
    "plench-tables": Preset("the partial-label benchmark on tables", _TABLES),
    "cifarn": Preset("methods for one noisy label on CIFAR-N, trained alike", _CIFAR_N),
    "cifarn-small": Preset(
        "the same as far as a CPU gets in a night",
        {**_CIFAR_N, "splits": 1, "steps": 6_320, "net": "cnn"},
        reduces="cifarn",
    ),
    **_of_texts(),
}
