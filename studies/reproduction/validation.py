"""What clean validation labels are better used for: choosing, or training."""

from __future__ import annotations

from collections.abc import Mapping

from candidly.ground.numbers import count_of
from candidly.show.words import listed
from candidly.stats import summarise
from studies.kit.words import difference, ends, excludes_zero, grid, in_points, prose

from . import figures
from .numbers import ORACLE, Accuracies, Sources, averaged, paired
from .words import picture, pm_of, state


def validation_study(sources: Sources, images: dict[str, str]) -> list[str]:
    lost, trained = sources.sweeps.get("lost"), sources.sweeps.get(ORACLE)
    if lost is None or trained is None:
        missing = [n for n in ("lost", ORACLE) if n not in sources.sweeps]
        return [f"Not there yet: {listed([f'`bench/results/{n}`' for n in missing])}."]
    if lost.fingerprint != trained.fingerprint:
        raise ValueError(
            f"studies/reproduction/results/{ORACLE} was made from other data than lost beside it "
            f"({trained.fingerprint[:12]}, not {lost.fingerprint[:12]}). Run it with the same file."
        )
    rows, tuned, after = [], {}, {}
    for label in trained.rows:
        before, then = lost.complete(label), trained.complete(label)
        if not before or not then:
            why = [state(lost.rows.get(label)), state(trained.rows[label])]
            rows.append([label, why[0], "", why[1], "", "", ""])
            continue
        tuned[label], after[label] = before.chosen["OA & ES"], then.last
        shown = [before.chosen["OA & ES"], before.chosen["OA"], then.last, before.last]
        gap = paired(then.last, tuned[label])
        numbers = [pm_of(one) for one in shown]
        rows.append([label, *numbers, *difference(gap)])
    header = ["", "tuned, OA & ES", "tuned, OA", "trained", "neither", "difference"]
    parts = [grid([*header, "95 % interval"], rows)]
    if not tuned:
        return [*parts, "No row is complete in both directories."]
    return [*parts, _study_in_words(tuned, after), *_study_figure(tuned, after, images)]


def _study_in_words(tuned: Mapping[str, Accuracies], trained: Mapping[str, Accuracies]) -> str:
    gaps = [paired(trained[label], tuned[label]) for label in tuned]
    ahead = [gap for gap in gaps if (gap.mean or 0) > 0]
    behind = [gap for gap in gaps if (gap.mean or 0) < 0]
    overall = paired(averaged(list(trained.values())), averaged(list(tuned.values())))
    text = f"""Training on the clean labels gives the higher mean for {len(ahead)} of
        {count_of(len(gaps), "row")} (for {sum(map(excludes_zero, ahead))} with an interval that
        leaves out zero), tuning on them for {len(behind)} ({sum(map(excludes_zero, behind))})."""
    if overall.mean is not None:
        text += f""" Averaged over these rows, training minus tuning is {in_points(overall.mean)}
            points (95 % interval {ends(overall)})."""
    return prose(text)


def _study_figure(
    tuned: Mapping[str, Accuracies], trained: Mapping[str, Accuracies], images: dict[str, str]
) -> list[str]:
    title = "Lost: clean validation labels, tuned on and trained on"
    before, after = (
        {label: summarise(list(one.values())) for label, one in several.items()}
        for several in (tuned, trained)
    )
    words = ("tuned on clean validation labels (OA & ES)", "trained on them, default configuration")
    return picture(images, "validation", title, figures.pairs(before, after, title, words))
