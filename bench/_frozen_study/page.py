"""docs/frozen-study.md, from the committed results."""

from __future__ import annotations

from collections.abc import Mapping

from _text_study.numbers import Rows

from . import tables
from .numbers import against
from .runs import (
    BATCH,
    BY_CLASS,
    DECAY,
    ENCODER,
    EPOCHS,
    EVEN,
    LABEL_SETS,
    MADE,
    PEOPLES,
    PER_EPOCH,
    PICTURES,
    SPLITS,
    VALIDATION,
)

PAGE = "frozen-study.md"
COMMAND = "python bench/frozen_study.py"
PLAIN = "cross-entropy"
WRONG = {  # of people's labels
    "worst": "40 %",
    "rand1": "17 %",
    "rand2": "18 %",
    "rand3": "18 %",
    "aggre": "9 %",
}


def make_page(study: Mapping[str, Rows]) -> tuple[str, dict[str, str]]:
    """The page's text; it has no figures."""
    found = against(study)
    study = {name: study[name] for name in LABEL_SETS if name in study}
    parts = [
        "# Noisy labels on what a frozen encoder sees",
        f"Written by `{COMMAND}` from `bench/results/frozen_study`.",
        tables.answer(study, found, PLAIN, "CIFAR-10N"),
        "## What was run",
        _about(study),
        "## Each algorithm against cross-entropy",
        tables.rules(found, PLAIN),
        tables.gains(study, found),
        "## Best, selected and last epoch",
        "Test accuracy in %, means of the splits. The selected epoch is the one with the highest "
        "accuracy on validation rows, whose labels are as noisy; the best one is best on the test "
        "pictures, which nobody can choose by.",
        tables.epochs(study),
        "## What this does not say",
        "One encoder, one data set, a linear layer, default settings of each algorithm. ImageNet, "
        "which the encoder learned from, has most of CIFAR-10's classes. An algorithm that learns "
        "its own features, as all were published, is not tried here; from pixels and on a small "
        "scale they are in [cifarn.md](cifarn.md). What algorithms such as `elr+` need views of "
        "pictures for, they have none of here: the two views of a row are the row.",
    ]
    return "\n\n".join(parts) + "\n", {}


def _about(study: Mapping[str, Rows]) -> str:
    return (
        f"The {PICTURES:,} training pictures of CIFAR-10 with the labels that people gave them "
        f"(CIFAR-10N: {', '.join(f'{WRONG[name]} wrong in {name}' for name in PEOPLES)}), "
        f"seen by [`{ENCODER}`](encoders.md) at 96 pixels: 1,280 numbers a picture, standardised, "
        f"which stay as they are. A linear layer learns {EPOCHS} epochs of {PER_EPOCH} updates in "
        f"batches of {BATCH}, by Adam, each algorithm with its default settings; those that count "
        f"epochs are as in [text.md](text.md). `ce, decay {DECAY}` is cross-entropy with a weight "
        f"decay of {DECAY}, where all others have 0.00001. {SPLITS} splits draw "
        f"{100 * VALIDATION:g} % of the training pictures for validation anew, and all are tested "
        "on the 10,000 official test pictures, which have true labels." + _made(study)
    )


def _made(study: Mapping[str, Rows]) -> str:
    if not set(study) & set(MADE):
        return ""
    return (
        f" *{EVEN}* and *{BY_CLASS}* are drawn labels, of which as many are wrong as in worst: any "
        "wrong class alike, or each pair of classes as often as people take one for the other. In "
        "both it does not matter how a picture looks."
    )
