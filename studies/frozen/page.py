"""docs/studies/frozen.md, from the committed results."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.stats import kendalltau

from studies.kit.cells import percent
from studies.kit.rows import BASE, Rows
from studies.kit.words import bullets

from . import tables
from .numbers import AHEAD, BEHIND, SAME, against
from .runs import (
    BATCH,
    BY_CLASS,
    DECAY,
    ENCODER,
    EPOCHS,
    EVEN,
    HIDDEN,
    LABEL_SETS,
    MADE,
    PEOPLES,
    PER_EPOCH,
    PICTURES,
    SPLITS,
    VALIDATION,
    WITH_HIDDEN,
    hidden,
)

PAGE = "studies/frozen.md"
COMMAND = "python -m studies.frozen"
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
    deeper = {hidden(name): study[hidden(name)] for name in WITH_HIDDEN if hidden(name) in study}
    study = {name: study[name] for name in LABEL_SETS if name in study}
    found = against(study)
    parts = [
        "# Noisy labels on what a frozen encoder sees",
        tables.answer(study, found, PLAIN, "CIFAR-10N and labels drawn with its rates"),
        *([_drawn(study, found)] if set(study) & set(MADE) else []),
        *([_deeper(study, found, deeper)] if deeper else []),
        "## What was run",
        f"Written by `{COMMAND}` from `studies/frozen/results`.",
        _about(study),
        "## Each algorithm against cross-entropy",
        tables.rules(found, PLAIN),
        tables.gains(study, found),
        *(_with_hidden(deeper) if deeper else []),
        "## Best, selected and last epoch",
        "Test accuracy in %, means of the splits. The selected epoch is the one with the highest "
        "accuracy on validation rows, whose labels are as noisy; the best one is best on the test "
        "pictures, which nobody can choose by.",
        tables.epochs(study),
        "## What this does not say",
        "One encoder, one data set, a layer or two, default settings of each algorithm. ImageNet, "
        "which the encoder learned from, has most of CIFAR-10's classes. An algorithm that learns "
        "its own features, as all were published, is not tried here; from pixels and on a small "
        "scale they are in [cifarn.md](cifarn.md). What algorithms such as `elr+` need views of "
        "pictures for, they have none of here: the two views of a row are the row.",
    ]
    return "\n\n".join(parts) + "\n", {}


def _drawn(study: Mapping[str, Rows], found: tables.Found) -> str:
    """Whether labels that are drawn, wrong as often, tell what people's labels tell."""
    people = PEOPLES[0]
    made = [name for name in MADE if name in study]
    sets = (people, *made)
    names = [name for name in study[people] if all((each, name) in found for each in sets)]
    gained = {each: [found[each, name].gain.difference or 0.0 for name in names] for each in sets}
    base = ", ".join(f"{percent(study[each][BASE].selected)} on {each}" for each in sets)
    means = ", ".join(f"{_points(np.mean(gained[each]))} on {each}" for each in sets)
    orders = " and ".join(
        f"{kendalltau(gained[people], gained[each]).statistic:.2f} with {each}" for each in made
    )
    return (
        f"Are labels that are drawn, wrong as often as people's, as hard? Cross-entropy reaches "
        f"{base} (%). The {len(names)} algorithms and settings that were trained on all of these "
        f"gain in the mean {means} (points). Kendall's tau between the gains on {people} and on "
        f"drawn labels is {orders}."
    )


def _deeper(study: Mapping[str, Rows], found: tables.Found, deeper: Mapping[str, Rows]) -> str:
    """Whether a hidden layer, which can learn noise by heart, changes what methods bring."""
    tests = against(deeper)
    told = []
    for name in WITH_HIDDEN:
        if name not in study or hidden(name) not in deeper:
            continue
        rows, flat = deeper[hidden(name)], study[name]
        names = [each for each in rows if each != BASE and (name, each) in found]
        gained = [
            [one.gain.difference or 0.0 for one in (found[name, each], tests[hidden(name), each])]
            for each in names
        ]
        verdicts = [tests[hidden(name), each].verdict for each in names]
        before, after = zip(*gained, strict=True)
        told += [
            f"On {name} cross-entropy reaches {percent(rows[BASE].selected)} % at the selected "
            f"epoch and {percent(rows[BASE].last)} at the last one; without the layer "
            f"{percent(flat[BASE].selected)} and {percent(flat[BASE].last)}.",
            f"Of {len(names)} others on {name} {verdicts.count(AHEAD)} are ahead of it, "
            f"{verdicts.count(BEHIND)} behind and {verdicts.count(SAME)} the same. They gain "
            f"{_points(np.mean(after))} points in the mean, without the layer "
            f"{_points(np.mean(before))}; Kendall's tau between both gains is "
            f"{kendalltau(before, after).statistic:.2f}.",
        ]
    return f"Does that change with a hidden layer of 256 units?\n\n{bullets(told)}"


def _with_hidden(deeper: Mapping[str, Rows]) -> list[str]:
    """The section on a hidden layer."""
    tests = against(deeper)
    return [
        "## With a hidden layer",
        f"The same with `{HIDDEN}`, a hidden layer of 256 units, in place of a linear layer; "
        "verdicts are corrected over these comparisons.",
        tables.gains(deeper, tests),
        tables.epochs(deeper),
    ]


def _points(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")


def _about(study: Mapping[str, Rows]) -> str:
    return (
        f"The {PICTURES:,} training pictures of CIFAR-10 with the labels that people gave them "
        f"(CIFAR-10N: {', '.join(f'{WRONG[name]} wrong in {name}' for name in PEOPLES)}), "
        f"seen by [`{ENCODER}`](../encoders.md) at 96 pixels: 1,280 numbers a picture, "
        f"standardised, "
        f"which stay as they are. A linear layer learns {EPOCHS} epochs of {PER_EPOCH} updates in "
        f"batches of {BATCH}, by Adam, each algorithm with its default settings; those that count "
        f"epochs are as in [texts.md](texts.md). `ce, decay {DECAY}` is cross-entropy with a "
        f"weight "
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
