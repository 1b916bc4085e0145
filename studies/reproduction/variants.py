"""The variants `fixed` and `plench` beside each other, and what that does to the ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from candidly.ground.numbers import count_of
from candidly.show.words import listed
from studies.kit.figures import slopes
from studies.kit.words import difference, grid, prose

from .numbers import MOVED, TITLES, Accuracies, Sources, Sweep, algorithms_of, mean_of, paired, rank
from .words import label_of, named, picture, pm_of, state


def variants(sources: Sources, images: dict[str, str]) -> list[str]:
    there = [name for name, sweep in sources.sweeps.items() if _has_both(sweep)]
    if not there:
        return ["Results of both variants on one data set are not there yet."]
    return [part for dataset in there for part in _of_data_set(sources, dataset, images)]


def _has_both(sweep: Sweep) -> bool:
    """Whether some method is there as meant and as released."""
    return any(f"{name}:plench" in sweep.rows for name in sweep.rows)


def _of_data_set(sources: Sources, dataset: str, images: dict[str, str]) -> list[str]:
    sweep, title = sources.sweeps[dataset], TITLES[dataset]
    parts = [f"### {title}, as meant and as released"]
    accuracy: dict[str, dict[str, Accuracies]] = {"plench": {}, "fixed": {}}
    rows = []
    for name in algorithms_of(sources.tables[dataset]):
        found = {variant: sweep.complete(label_of(name, variant)) for variant in accuracy}
        values = {variant: row.chosen["CR"] for variant, row in found.items() if row}
        if len(values) == 2 and all(mean_of(one) is not None for one in values.values()):
            for variant, one in values.items():
                accuracy[variant][name] = one
        shown = [
            pm_of(values[v]) if v in values else state(sweep.rows.get(label_of(name, v)))
            for v in accuracy
        ]
        both = name in accuracy["fixed"]
        gap = paired(values["fixed"], values["plench"]) if both else None
        which = named(name, label_of(name, "plench"), sweep.versions, "`plench`: version")
        rows.append([which, *shown, *(difference(gap) if gap else ["", ""])])
    parts.append(grid(["", "`plench`", "`fixed`", "fixed − plench", "95 % interval"], rows))
    if len(accuracy["fixed"]) < 2:
        return [*parts, "Fewer than two algorithms are complete in both, so there is no ranking."]
    return [*parts, *_ranking(accuracy, images, dataset)]


def _ranking(
    accuracy: Mapping[str, Mapping[str, Accuracies]], images: dict[str, str], dataset: str
) -> list[str]:
    plench, fixed = accuracy["plench"], accuracy["fixed"]
    ranking = rank(plench, fixed)
    moves = [f"{n} (from {ranking.plench[n]:g} to {ranking.fixed[n]:g})" for n in ranking.moved]
    moved = f"{listed(moves)} move" if len(moves) > 1 else f"{(moves or ['none'])[0]} moves"
    in_all = len(plench) * (len(plench) - 1) // 2
    swapped, sure = len(ranking.swapped), len(ranking.sure)
    text = f"""Ranked by these means, the {len(plench)} algorithms complete in both variants stand
        in orders whose Kendall's τ is {ranking.tau:.2f} (1: the same order, 0: unrelated).
        By {MOVED} ranks or more, {moved}. Of {count_of(in_all, "pair")}, {swapped}
        {"changes" if swapped == 1 else "change"} order. A change is *established* when both leads
        are, at 5 %: the paired t test over splits finds a difference in each variant, after Holm's
        correction over all pairs. That is so for {sure} of the {swapped}{_named(ranking.sure)}."""
    means = {name: (mean_of(plench[name]), mean_of(fixed[name])) for name in plench}
    title = f"{TITLES[dataset]}, chosen by CR: ranks in both variants"
    sides = ranking.plench, ranking.fixed
    shown = slopes(sides, ("plench", "fixed"), ranking.moved, means, title)
    return [prose(text), *picture(images, f"ranks-{dataset}", title, shown)]


def _named(sure: Sequence[tuple[str, str]]) -> str:
    """The pairs, in brackets."""
    if not sure:
        return ""
    return f" (ahead in `plench`, then in `fixed`: {'; '.join(f'{a}, {b}' for a, b in sure)})"
