"""docs/studies/images.md and its figures, from the committed results."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from candidly.show.words import listed, percent
from candidly.stats.rank_correlation import kendall
from studies.kit.words import grid, prose

from .figures import cost_figure, rank_figure
from .numbers import BASE, OnLabels, mean_ranks, spread
from .runs import (
    BATCH,
    CONFIGS,
    CONTRASTIVE,
    EPOCHS,
    GROUPS,
    IN_EPOCHS,
    LABEL_SETS,
    NET,
    SPLITS,
    STEPS,
    TUNED,
)

PAGE, IMAGE = "studies/images.md", "image-study-"
COMMAND = "python -m studies.images"
TITLES = {"flip": "Flipped labels", "instance": "Look-alike labels", "people": "People's labels"}
HOLISTIC = ("CRDPLL", *CONTRASTIVE)  # consistency between views, contrast, momentum networks
FIRST = 5  # algorithms that are named as leading
Study = Mapping[str, OnLabels]


def make_page(study: Study, memory: Mapping[str, float]) -> tuple[str, dict[str, str]]:
    """The page's text, and its figures as SVG by file name.

    Args:
        memory: peak of a process that trains DenseNet-22, in GB by algorithm.
    """
    images = {
        f"{IMAGE}ranks.svg": rank_figure(study),
        f"{IMAGE}costs.svg": cost_figure(study),
    }
    parts = [
        "# Partial labels on pictures: which takeaways hold on a small scale?",
        prose(_answer(study)),
        prose(_introduction(study)),
        f"```text\n{COMMAND}\n```",
        "## What was run",
        *_what(study),
        "## Ranks",
        prose(_ranks(study)),
        f"![Mean test accuracy by CR on three label sets](../images/{IMAGE}ranks.svg)",
        *(part for key in study for part in _table(study, key)),
        "## The benchmark's takeaways",
        *_takeaways(study),
        "## Clean validation labels: to choose by, or to train on",
        *_figure_1(study),
        "## What an algorithm costs",
        *_costs(study, memory),
        f"![Accuracy and processor time](../images/{IMAGE}costs.svg)",
    ]
    return "\n\n".join(parts) + "\n", images


def leaders(study: Study, criterion: str = "CR") -> list[str]:
    """Algorithms by their mean rank over the label sets, the best first."""
    ranks = mean_ranks(study, criterion)
    return sorted(ranks, key=lambda name: (ranks[name], name))


def _answer(study: Study) -> str:
    ahead = leaders(study)[:FIRST]
    tops = {key: _best(labels, "CR") for key, labels in study.items()}
    winners = listed([f"{name} on {TITLES[key].lower()}" for key, name in tops.items()])
    same = len(set(tops.values())) == 1
    return f"""**Chosen by the covering rate (CR), which needs no clean label, {winners}
    {"comes first everywhere" if same else "come first"}; by mean rank {listed(ahead)} lead.** Two
    splits of one algorithm differ with a standard deviation of {percent(spread(study))} points, and
    all have the same test pictures, whose chance is not in that: neighbours in a table are not told
    apart, and places say little. This is a small network and a short training:
    it says what holds at this scale, not what would at the benchmark's."""


def _introduction(study: Study) -> str:
    sizes = next(iter(study.values())).about
    return f"""All {len(next(iter(study.values())).rows)} algorithms of candidly that learn from
    candidate sets, on pictures of CIFAR-10 with three kinds of sets. The benchmark's own image
    tables (Wang et al., ICLR 2025) are of PLCIFAR10, whose answers are not at hand here, with
    60,000 updates of a ResNet-32; this study has {STEPS} updates of a small network on
    {sizes["train"]:,.0f} pictures. `candidly bench plan --preset plench-images` says what the full
    tables need. Written from `studies/images/results` by"""


def _what(study: Study) -> list[str]:
    sizes = next(iter(study.values())).about
    sets = "\n".join(
        f"* **{TITLES[key]}** (`{label_set.text}`): {label_set.about}"
        for key, label_set in LABEL_SETS.items()
    )
    groups = "; ".join(
        f"{listed(names)}: {_values(hyper)}"
        for group, (names, hyper) in GROUPS.items()
        if group != "others" and _values(hyper)
    )
    return [
        sets,
        prose(
            f"""Each split has {sizes["train"]:,.0f} pictures to train on,
            {sizes["validation"]:,.0f} to choose the record by and {sizes["test"]:,.0f} to test on.
            Flipped and look-alike labels are of official training pictures and tested on official
            test pictures; people labelled test pictures, so that these are learned from, and
            training pictures are tested on. Pixels are of the JPEG copy of CIFAR-10. The network is
            `{NET}`, the recipe the default of pictures (Adam, rate 0.001, weak views), batches of
            {BATCH}, {EPOCHS} epochs, a record after each, {SPLITS} splits, one configuration."""
        ),
        prose(
            f"""Defaults made for 60,000 updates would never leave their warm-up in {STEPS}, so that
            these differ: FREDIS: interval 2; {groups}. Warm-ups of {listed(IN_EPOCHS)} are in
            epochs, the others in updates. ALIM and PiCO+ are told how many sets lack the label, as
            in the benchmark: none."""
        ),
    ]


def _values(hyper: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value}" for name, value in hyper.items() if name != "batch_size")


def _best(labels: OnLabels, criterion: str) -> str:
    return min(labels.rows, key=lambda name: (labels.ranks(criterion)[name], name))


def _ranks(study: Study) -> str:
    criteria = ("AA", "OA & ES")
    said = [
        f"{TITLES[key].lower()} {labels.agreement('CR', one):.2f} with {one}"
        for key, labels in study.items()
        for one in criteria
    ]
    return f"""The order by CR agrees with the orders by AA and by the oracle that looks at true
    validation labels and stops early (OA & ES); Kendall's tau: {listed(said)}. Orders on different
    label sets agree less: {listed(_between(study))}."""


def _between(study: Study) -> list[str]:
    keys = list(study)
    pairs = [(one, other) for i, one in enumerate(keys) for other in keys[i + 1 :]]
    return [
        f"{_tau(study[one], study[other]):.2f} between {TITLES[one].lower()} and "
        f"{TITLES[other].lower()}"
        for one, other in pairs
    ]


def _tau(one: OnLabels, other: OnLabels) -> float:
    means = np.array([[row.mean("CR"), other.rows[n].mean("CR")] for n, row in one.rows.items()])
    there = means[~np.isnan(means).any(1)]
    return kendall(there[:, 0], there[:, 1])


def _table(study: Study, key: str) -> list[str]:
    labels = study[key]
    ranks = {criterion: labels.ranks(criterion) for criterion in ("CR", "AA", "OA & ES")}
    order = sorted(labels.rows, key=lambda name: (ranks["CR"][name], name))
    header = (
        *("algorithm", "CR", "AA", "OA", "OA & ES"),
        *("rank by CR", "by AA", "by OA & ES", "seconds", "times CC"),
    )
    rows = [
        [
            name,
            *(_accuracy(labels.rows[name].mean(c)) for c in ("CR", "AA", "OA", "OA & ES")),
            *(str(ranks[c][name]) for c in ("CR", "AA", "OA & ES")),
            f"{labels.rows[name].seconds:.0f}",
            f"{labels.cost(name):.1f}",
        ]
        for name in order
    ]
    return [
        f"### {TITLES[key]}",
        prose(
            f"""Test accuracy in percent of the record that each criterion chooses, the mean of
            {SPLITS} splits; seconds of one processor for a run. {_diverged(labels)}"""
        ),
        grid(header, rows),
    ]


def _accuracy(mean: float) -> str:
    return "–" if np.isnan(mean) else percent(mean, 1)


def _diverged(labels: OnLabels) -> str:
    named = [name for name, row in labels.rows.items() if row.diverged]
    return f"Runs of {listed(named)} diverged." if named else "No run diverged."


def _takeaways(study: Study) -> list[str]:
    return [
        "\n".join(
            "* " + prose(line).replace("\n", "\n  ")
            for line in (
                _selection(study),
                _concise(study),
                _no_winner(study),
                _identification(study),
            )
        ),
        prose(
            """The benchmark's remark on noisy sets cannot be asked here: these sets lack the label
            in fewer than one of a thousand pictures. `--labels flip:rate=0.3+noise:rate=0.2` and
            `cifar10h:k=1` are such sets."""
        ),
    ]


def _gaps(study: Study, criterion: str) -> list[float]:
    """How much lower the choice's test accuracy is than the oracle's."""
    return [
        row.mean("OA & ES") - row.mean(criterion)
        for labels in study.values()
        for row in labels.rows.values()
        if not np.isnan(row.mean("OA & ES") - row.mean(criterion))
    ]


def _selection(study: Study) -> str:
    cr, aa = np.array(_gaps(study, "CR")), np.array(_gaps(study, "AA"))
    holds = np.median(cr) < 0.01 and cr.mean() <= aa.mean()
    return f"""*CR is nearly as good as clean labels to choose by, AA less reliably so*:
    {"holds" if holds else "does not show"} here. Beside the oracle, CR loses
    {percent(float(np.median(cr)))} points in the median and {percent(float(cr.max()))} at most, AA
    {percent(float(np.median(aa)))} and {percent(float(aa.max()))}; but one configuration leaves
    little to choose, which is the record alone."""


def _concise(study: Study) -> str:
    plain = {
        key: max(row.mean("CR") for name, row in labels.rows.items() if name not in HOLISTIC)
        for key, labels in study.items()
    }
    rich = {
        key: max(labels.rows[name].mean("CR") for name in HOLISTIC) for key, labels in study.items()
    }
    ahead = [TITLES[key].lower() for key in study if plain[key] >= rich[key]]
    apart = listed([f"{TITLES[key].lower()} {_points(plain[key] - rich[key])}" for key in study])
    return f"""*Concise algorithms can outperform complicated ones*: on
    {listed(ahead) if ahead else "no label set"} the best of those without second views, contrast
    and momentum networks is ahead of the best of {listed(HOLISTIC)}; difference in points:
    {apart}."""


def _points(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")


def _no_winner(study: Study) -> str:
    tops = [_best(labels, "CR") for labels in study.values()]
    ranks = mean_ranks(study)
    best = leaders(study)[0]
    places = listed([str(labels.ranks("CR")[best]) for labels in study.values()])
    return f"""*No algorithm outperforms all others in all cases*:
    {"holds" if len(set(tops)) > 1 else "not so here"}. The lowest mean rank is that of {best}
    ({ranks[best]:.1f}: places {places})."""


def _identification(study: Study) -> str:
    family = ("PRODEN", "RC", "POP", "IDGP", "CAVL", "LWS", "VALEN")
    places = [
        f"{name} {listed([str(labels.ranks('CR')[name]) for labels in study.values()])}"
        for name in family
    ]
    return f"""*PRODEN and its variants are strong*: the places of the identification methods,
    by CR, on {listed([TITLES[key].lower() for key in study])}: {"; ".join(places)}."""


def _figure_1(study: Study) -> list[str]:
    rows, better = [], 0
    for key, labels in study.items():
        for name in TUNED:
            tuned, trained, neither = (
                float(np.mean(each[name]))
                for each in (labels.tuned, labels.trained, labels.neither)
            )
            better += trained > tuned
            rows.append([TITLES[key], name, *(percent(v, 1) for v in (neither, tuned, trained))])
    header = ("label set", "algorithm", "defaults, CR", f"best of {CONFIGS}, OA & ES", "trained on")
    of = len(rows)
    return [
        prose(
            f"""The question of the benchmark's Figure 1: if there are validation rows with true
            labels, should they choose among configurations, or be trained on, with the defaults and
            no choice? Training on them is better in {better} of {of} cases here. The validation
            rows are a tenth; {CONFIGS} configurations are few, and more would gain more."""
        ),
        grid(header, rows),
    ]


def _costs(study: Study, memory: Mapping[str, float]) -> list[str]:
    first = next(iter(study.values()))
    order = sorted(first.rows, key=first.cost)
    median = {
        name: float(np.median([labels.cost(name) for labels in study.values()])) for name in order
    }
    rows = [
        [name, f"{median[name]:.1f}", f"{memory[name]:.2f}", f"{memory[name] / memory[BASE]:.2f}"]
        for name in sorted(order, key=lambda n: (median[n], n))
        if name in memory
    ]
    return [
        prose(
            f"""Processor time of a run over that of {BASE} here, the median of the label sets, and
            peak memory of a process that trains DenseNet-22 with batches of 128, as in the
            benchmark's Figure 4 (`bench/picture_costs.py`, which also has the time of an update
            beside its floor in network passes)."""
        ),
        grid(("algorithm", "time, times CC", "memory, GB", "memory, times CC"), rows),
    ]
