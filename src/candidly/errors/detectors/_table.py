"""The table of detectors, and the door to them by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ...data.labels.labelled import Labelled
from ...ground.arrays import door
from ...ground.names import lookup
from . import _aum, _cores2, _incv, _knn, _probs, _trained
from ._detection import Detection
from ._rank_average import rank_average
from ._subject import Subject, make_subject

Need = Literal["probs", "record", "training", "features"]

NEEDS: Mapping[Need, str] = {
    "probs": "out-of-sample probabilities",
    "record": "one watched training, which all that need it share",
    "training": "trainings of its own",
    "features": "numbers in which like examples are near",
}
OPTIONS: Mapping[Need, tuple[str, ...]] = {  # of ``detect``, that what is needed is made with
    "probs": ("probs",),
    "record": ("epochs", "runs", "net", "recipe"),
    "training": ("net", "recipe"),  # beside each one's own, see ``Detector.options``
    "features": ("features", "metric"),
}
AVERAGED = ("loss", "data-maps", "knn-vote")  # one that needs each kind of thing


@dataclass(frozen=True)
class Detector:
    """A way to find wrong labels, as a value.

    Attributes:
        name: what people write.
        needs: see ``NEEDS``.
        run: (subject) -> Detection.
        cut: whether it also flags, or only ranks.
        summary: what is suspicious to it.
        paper: whose idea it is.
        options: the options of ``detect``, that it reads beside those of what it needs.
    """

    name: str
    needs: tuple[Need, ...]
    run: Callable[[Subject], Detection]
    cut: bool
    summary: str
    paper: str
    options: tuple[str, ...] = ()

    @property
    def takes(self) -> tuple[str, ...]:
        """Every option of ``detect`` that it reads, beside the seed, which all of them share."""
        return (*(name for need in self.needs for name in OPTIONS[need]), *self.options)


def _confident(name: str, by: Literal["noise rate", "class", "both", "confident"], summary: str):
    return Detector(
        name,
        ("probs",),
        lambda s: _probs.confident_learning(s.evidence, by=by),
        True,
        f"{summary}; ranked by margin",
        "Northcutt, Jiang & Chuang, JAIR 2021",
    )


def _training(s: Subject) -> dict[str, Any]:
    return {"seed": s.seed, "net": s.net, "recipe": s.recipe}


def _average(s: Subject) -> Detection:
    return rank_average([DETECTORS[name].run(s) for name in AVERAGED])


_ROWS = (
    _confident("cl-noise-rate", "noise rate", "of each pair of classes, as many as estimated"),
    _confident("cl-class", "class", "of each class, as many as estimated"),
    _confident("cl-both", "both", "what cl-noise-rate and cl-class have in common"),
    _confident("cl-confident", "confident", "confidently another class than given"),
    Detector(
        "margin",
        ("probs",),
        lambda s: _probs.confident_learning(s.evidence, by="margin"),
        True,
        "the lowest margins; the cut is candidly's: as many as are confidently another class",
        "Northcutt, Athalye & Mueller, NeurIPS 2021",
    ),
    Detector(
        "retag",
        ("probs",),
        lambda s: _probs.retag(s.evidence),
        True,
        "the prediction differs",
        "the plain baseline",
    ),
    Detector(
        "loss",
        ("probs",),
        lambda s: _probs.loss(s.evidence),
        False,
        "a high held-out loss",
        "the plain baseline",
    ),
    Detector(
        "mistakenness",
        ("probs",),
        lambda s: _probs.mistakenness(s.evidence),
        False,
        "a prediction that differs and is sure",
        "FiftyOne (Voxel51)",
    ),
    Detector(
        "small-loss",
        ("record",),
        lambda s: _trained.small_loss(s.record),
        False,
        "a high loss in the last third of training",
        "Huang et al., ICCV 2019 (O2U-Net)",
    ),
    Detector(
        "aum",
        ("training",),
        lambda s: _aum.aum(s.data, epochs=s.epochs, **_training(s)),
        True,
        "a margin during training like that of a class nobody has",
        "Pleiss et al., NeurIPS 2020",
        options=("epochs",),
    ),
    Detector(
        "forgetting",
        ("record",),
        lambda s: _trained.forgetting(s.record),
        False,
        "often right, then wrong again; or never right",
        "Toneva et al., ICLR 2019",
    ),
    Detector(
        "data-maps",
        ("record",),
        lambda s: _trained.data_maps(s.record),
        False,
        "a low probability of the label throughout training",
        "Swayamdipta et al., EMNLP 2020",
    ),
    Detector(
        "mean-probs",
        ("record",),
        lambda s: _trained.mean_probs(s.record),
        False,
        "another class with a larger mean probability throughout training",
        "Pickler, Kamassury & Silva, 2025",
    ),
    Detector(
        "el2n",
        ("training",),
        lambda s: _trained.el2n(s.data, **_training(s)),
        False,
        "a large error after a few epochs, over ten seeds",
        "Paul, Ganguli & Dziugaite, NeurIPS 2021",
    ),
    Detector(
        "cores2",
        ("training",),
        lambda s: _cores2.cores2(s.data, epochs=s.epochs, **_training(s)),
        True,
        "sieved out of confidence-regularised training",
        "Cheng et al., ICLR 2021",
        options=("epochs",),
    ),
    Detector(
        "tracin",
        ("record",),
        lambda s: _trained.tracin(s.record),
        False,
        "a large influence on itself through the last layer",
        "Pruthi et al., NeurIPS 2020",
    ),
    Detector(
        "incv",
        ("training",),
        lambda s: _incv.incv(s.data, epochs=s.epochs, **_training(s)),
        True,
        "never predicted right by networks that grow what they trust",
        "Chen et al., ICML 2019",
        options=("epochs",),
    ),
    Detector(
        "knn-vote",
        ("features",),
        lambda s: _knn.knn_vote(s.given, s.data.q, neighbours=s.neighbours),
        True,
        "most of the ten nearest carry another label",
        "Zhu, Dong & Liu, ICML 2022 (SimiFeat-V)",
    ),
    Detector(
        "knn-rank",
        ("features",),
        lambda s: _knn.knn_rank(s.given, s.data.q, neighbours=s.neighbours),
        True,
        "few of the ten nearest carry the label; of each class, as many as estimated",
        "Zhu, Dong & Liu, ICML 2022 (SimiFeat-R)",
    ),
    Detector(
        "rank-average",
        ("probs", "record", "features"),
        _average,
        False,
        f"a high mean rank over {', '.join(AVERAGED)}",
        "Borda",
    ),
)

DETECTORS: dict[str, Detector] = {detector.name: detector for detector in _ROWS}
if len(DETECTORS) != len(_ROWS):
    raise RuntimeError("two detectors share a name")


@door
def check_taken(names: Sequence[str], given: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """The options that are given, which are those not None.

    Args:
        names: the chosen ones of ``DETECTORS``.
        given: options of ``detect`` by name.
        before: what stands before an option where it is written, such as ``--``.

    Raises:
        ValueError: none of the chosen detectors reads an option; names it, and those that do.
    """
    there = {option: value for option, value in given.items() if value is not None}
    for option in there:
        takers = [name for name, detector in DETECTORS.items() if option in detector.takes]
        if not set(takers) & set(names):
            chosen = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
            raise ValueError(
                f"{before}{option} is not used by {chosen}. Leave it out, or choose one of "
                f"{', '.join(takers)}."
            )
    return there


@door
def detect(
    data: Labelled,
    detector: str,
    *,
    probs: np.ndarray | None = None,
    features: np.ndarray | None = None,
    metric: str | None = None,
    seed: int = 0,
    epochs: int | None = None,
    runs: int | None = None,
    net: str | None = None,
    recipe: str | None = None,
) -> Detection:
    """What a detector says of every given label.

    An option that the detector does not read is refused; ``DETECTORS[name].takes`` has those that
    it does. The seed goes with all, those too in which nothing is random.

    Args:
        data: with ``given`` on every row. The truth is not looked at.
        detector: a name of ``DETECTORS``.
        probs: out-of-sample probabilities (n, q), for those that need them.
        features: numbers (n, d) in which like examples are near; by default the inputs,
            standardised, if they are a table or images.
        metric: between features: ``cosine``, the default, or ``l2``.
        seed: the seed of everything random.
        epochs: the epochs of every training but el2n's; by default 30.
        runs: trainings with other seeds that the watched one is averaged over; by default 1.
        net, recipe: of every training, as ``fit`` takes them.

    Returns:
        with ``ids`` of the data.

    Raises:
        KeyError: no such detector or metric.
        ValueError: what it needs is not there, or does not fit; or it does not read an option.
        FloatingPointError: a training diverged.
    """
    name, found = lookup(DETECTORS, detector, "detector")
    options = {"metric": metric, "epochs": epochs, "runs": runs, "net": net, "recipe": recipe}
    taken = check_taken([name], {"probs": probs, "features": features, **options})
    subject = make_subject(data, seed=seed, **taken)
    made: Any = found.run(subject)
    if not isinstance(made, Detection) or len(made.score) != data.n:
        size = f"{len(made.score)} scores" if isinstance(made, Detection) else type(made).__name__
        raise ValueError(
            f"the detector {name} gave {size}; it has to give a Detection of {data.n} scores."
        )
    return replace(made, ids=data.ids)
