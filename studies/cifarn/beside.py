"""Sections of the page: the study beside published numbers, other views, synthetic labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from studies.kit.words import fixed, grid

from .numbers import BASE, LEAST, Study, agreement, beside_the_board, fall, learned, mean, trained
from .published import BOARDS, read_gaps
from .runs import LABEL_SETS
from .words import accuracy, points

BOARD_WORDS = {
    "published": "published, best test epoch",
    "reproduced": "reproduced, best test epoch",
    "selected": "reproduced, selected by noisy validation",
}


def beside_gaps(study: Study) -> str:
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
    return grid([*header, "lost, no views", "gained, no views"], rows)


def common_gaps(study: Study) -> list[str]:
    """Means over the algorithms that both have, by label set."""
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
    return said


def without_views(study: Study) -> dict[str, Any] | None:
    first, names = LABEL_SETS[0], learned(study)
    if BASE not in names:
        return None
    plain, made = study.tables[f"{first}-plain"], study.tables[f"{first}-synthetic-plain"]
    rows = []
    for name in names:
        line = [f"`{name}`"]
        for table in (plain, made):
            row = table[name]
            line += [accuracy(mean(each)) for each in (row.best, row.selected, row.last)]
            line += [points(row.gained.mean)]
        rows.append(line)
    columns = [
        "algorithm",
        *("best, real", "selected", "last", "gained"),
        *("best, synthetic", "selected", "last", "gained"),
    ]
    return {
        "best": accuracy(mean(plain[BASE].best)),
        "last": accuracy(mean(plain[BASE].last)),
        "steady": [name for name in names if fall(plain[name]) < fall(plain[BASE]) / 2],
        "table": grid(columns, rows),
    }


def ranks(study: Study) -> str:
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
                    fixed(found.value, 2),
                    f"{found.p:.3f}",
                ]
            )
    return grid(["leaderboard", "label set", "algorithms", "tau", "p"], rows)


def own_orders(study: Study) -> list[str]:
    """How alike our orders on different label sets are."""
    own, sets = [], trained(study)
    for i, one in enumerate(sets):
        for other in sets[i + 1 :]:
            tau, count = agreement(study.tables[one], study.tables[other])
            if tau is not None:
                own.append(
                    f"{fixed(tau.value, 2)} between {one} and {other}, over {count} algorithms"
                )
    return own


def synthetic(study: Study) -> list[dict[str, Any]]:
    parts = []
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
        columns = [
            "algorithm",
            *("best, real", "selected", "last"),
            *("best, synthetic", "selected", "last", "difference"),
        ]
        parts.append(
            {
                "label_set": label_set,
                "higher": sum(gap > 0 for gap in gaps),
                "of": count,
                "gap": points(float(np.nanmean(gaps))),
                "tau": "" if found is None else fixed(found.value, 2),
                "table": grid(columns, rows),
            }
        )
    return parts
