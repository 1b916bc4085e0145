"""Sections of the page: the study beside published numbers, other views, synthetic labels."""

from __future__ import annotations

import numpy as np

from candidly.show.words import listed
from studies.kit.words import grid, prose

from .numbers import BASE, LEAST, Study, agreement, beside_the_board, fall, learned, mean, trained
from .published import BOARDS, read_gaps
from .runs import LABEL_SETS, PLAIN_EPOCHS
from .words import accuracy, points

BOARD_WORDS = {
    "published": "published, best test epoch",
    "reproduced": "reproduced, best test epoch",
    "selected": "reproduced, selected by noisy validation",
}


def beside_gaps(study: Study) -> list[str]:
    first = LABEL_SETS[0]
    plain = study.tables.get(f"{first}-plain", {})
    gaps = [gap for gap in read_gaps() if gap.labels == first]
    whole = {gap.algorithm: gap for gap in gaps if gap.protocol == "all rows"}
    rows = []
    for gap in (gap for gap in gaps if gap.protocol == "held out"):
        assert gap.selected is not None
        full = whole.get(gap.algorithm)
        line = [f"`{gap.algorithm}`", str(gap.epochs)]
        line += [points(gap.best - gap.selected), points(gap.selected - gap.last)]
        line += ["–" if full is None else points(full.best - full.last)]
        for table in (study.tables[first], plain):
            row = table.get(gap.algorithm)
            line += ["–"] * 2 if row is None else [points(row.lost.mean), points(row.gained.mean)]
        rows.append(line)
    header = ["algorithm", "epochs", "lost", "gained", "fall", "lost, here", "gained, here"]
    return [
        prose(
            f"""Of a reproduction's raw logs (ReScience C 11(1), 2026; three seeds, ResNet-34,
            {first}): what selecting by noisy validation lost against the best epoch and gained on
            the last, where 5 % of the pictures were held out for it; and the fall from the best to
            the last epoch where the network was CIFAR's and all rows were trained on. Beside them
            the same here, with weak views and, for some, with pictures as they are. In points."""
        ),
        grid([*header, "lost, no views", "gained, no views"], rows),
        prose(_common_gaps(study)),
    ]


def _common_gaps(study: Study) -> str:
    said = []
    for label_set in trained(study):
        table = study.tables[label_set]
        common = [
            (gap, table[gap.algorithm])
            for gap in read_gaps()
            if (gap.labels, gap.protocol) == (label_set, "held out") and gap.algorithm in table
        ]
        theirs = np.mean(
            [(g.best - g.selected, g.selected - g.last) for g, _ in common if g.selected], 0
        )
        ours = np.mean([(row.lost.mean, row.gained.mean) for _, row in common], 0)
        said.append(
            f"on {label_set} {points(ours[0])} lost and {points(ours[1])} gained here, "
            f"{points(theirs[0])} and {points(theirs[1])} there"
        )
    return f"""Means over the algorithms that both have: {"; ".join(said)}. Their validation set has
    2,500 pictures; the accuracy on the {study.about["validation"]} here has a standard error of
    about two points."""


def without_views(study: Study) -> list[str]:
    first, names = LABEL_SETS[0], learned(study)
    if BASE not in names:
        return ["Not trained yet."]
    plain, made = study.tables[f"{first}-plain"], study.tables[f"{first}-synthetic-plain"]
    rows = []
    for name in names:
        line = [f"`{name}`"]
        for table in (plain, made):
            row = table[name]
            line += [accuracy(mean(each)) for each in (row.best, row.selected, row.last)]
            line += [points(row.gained.mean)]
        rows.append(line)
    steady = [f"`{n}`" for n in names if fall(plain[n]) < fall(plain[BASE]) / 2]
    return [
        prose(
            f"""The same on {first} with pictures as they are (`--recipe adam`) for {PLAIN_EPOCHS}
            epochs: now the network learns wrong labels by heart. `{BASE}` falls from
            {accuracy(mean(plain[BASE].best))} to {accuracy(mean(plain[BASE].last))}. Less than
            half of that fall is seen with {listed(steady) if steady else "no algorithm"}. One
            split each."""
        ),
        grid(
            [
                "algorithm",
                *("best, real", "selected", "last", "gained"),
                *("best, synthetic", "selected", "last", "gained"),
            ],
            rows,
        ),
    ]


def ranks(study: Study) -> list[str]:
    rows = []
    for board in BOARDS:
        for label_set in trained(study):
            found, names = beside_the_board(study.tables[label_set], board, label_set)
            if found is None:
                continue
            rows.append(
                [
                    BOARD_WORDS[board],
                    label_set,
                    str(len(names)),
                    f"{found.value:.2f}".replace("-", "−"),
                    f"{found.p:.3f}",
                ]
            )
    own, sets = [], trained(study)
    for i, one in enumerate(sets):
        for other in sets[i + 1 :]:
            tau, count = agreement(study.tables[one], study.tables[other])
            if tau is not None:
                own.append(f"{tau.value:.2f} between {one} and {other}, over {count} algorithms")
    among = ""
    if own:
        among = f"Our own orders on different label sets have a tau of {listed(own)}."
    return [
        prose(
            f"""Kendall's tau between our order and a leaderboard's, over the algorithms that both
            have, compared only where the epoch is chosen alike: our best test epoch with the two
            boards of best test epochs, our selected epoch with the board of noisy validation; and
            how often chance alone gives a tau as far from 0 (10,000 permutations).
            {among.replace("-", "−")}"""
        ),
        grid(["leaderboard", "label set", "algorithms", "tau", "p"], rows),
    ]


def synthetic(study: Study) -> list[str]:
    parts = [
        prose(
            """The transition matrix of the pictures' real labels is counted, and labels are dealt
            to the pictures of each class by its row (seed 0; `data/imperfect/matrix.py`, exact):
            each class is mistaken for each other as often as before, but in pictures drawn at
            random, not in those that people found hard."""
        )
    ]
    for label_set in trained(study):
        real, made = study.tables[label_set], study.tables.get(f"{label_set}-synthetic", {})
        both = [name for name in made if name in real]
        if len(both) < LEAST:
            continue
        rows, gaps = [], []
        for name in both:
            other = made[name]
            # both of the first split
            one, two = real[name].selected[0], other.selected[0]
            line = [f"`{name}`"]
            line += [accuracy(each) for each in (real[name].best[0], one, real[name].last[0])]
            line += [accuracy(each) for each in (other.best[0], two, other.last[0])]
            gap = np.nan if one is None or two is None else two - one
            gaps.append(gap)
            rows.append([*line, points(gap)])
        found, count = agreement(real, made)
        order = "" if found is None else f"{found.value:.2f}".replace("-", "−")
        parts += [
            f"### {label_set}",
            prose(
                f"""Test accuracy in percent, on the same split; the difference of the selected
                epochs in points. Synthetic labels give the higher accuracy with
                {sum(g > 0 for g in gaps)} of {count} algorithms,
                {points(float(np.nanmean(gaps)))} points in the mean; tau between the two orders is
                {order}."""
            ),
            grid(
                [
                    "algorithm",
                    *("best, real", "selected", "last"),
                    *("best, synthetic", "selected", "last", "difference"),
                ],
                rows,
            ),
        ]
    return parts
