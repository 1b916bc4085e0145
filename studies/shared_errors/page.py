"""docs/shared-errors.md: its tables, sentences and figure, from the committed results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from studies.kit.figures import alone

Row = dict[str, Any]
PAGE = Path(__file__).parents[2] / "docs" / "shared-errors.md"
FIGURE = PAGE.parent / "images" / "shared-errors.svg"


def signed(value: float) -> str:
    return f"{value:+.1f}".replace("-", "−")


def table(heads: str, rows: list[str]) -> str:
    names = heads.split(" | ")
    ruler = " | ".join("---" if k == 0 else "---:" for k in range(len(names)))
    return "\n".join([f"| {heads} |", f"| {ruler} |", *(f"| {row} |" for row in rows)])


def tables(found: dict[str, Any]) -> dict[str, str]:
    """Markdown by the name of its place in the page."""
    ways = ("majority", "dawid-skene", "opinion-pool")
    sets = [
        " | ".join(
            [
                f"{row['set']}",
                *(f"{row[way]['right']:.1f}" for way in ways),
                *(signed(row[way]["gap"]) for way in ways),
                *(f"{row[way]['ece']:.3f}" for way in ways[1:]),
                f"{row['claim'][1]:.0f} to {row['claim'][2]:.0f}{'' if row['holds'] else ' †'}",
            ]
        )
        for row in found["sets"]
    ]
    alarms: dict[str, list[Row]] = {}
    for row in found["alarms"]:
        alarms.setdefault(row["shape"], []).append(row)
    power: dict[str, list[Row]] = {}
    for row in found["power"]:
        power.setdefault(row["shape"], []).append(row)
    claims: dict[str, list[Row]] = {}
    for row in found["independent"]:
        claims.setdefault(row["shape"], []).append(row)
    few = [
        " | ".join(
            [
                f"{row['people']}",
                f"{row['twice']}",
                f"{row['right']:.1f}",
                signed(row["gap"]),
                *(
                    (f"{row['ends'][0]:.0f} to {row['ends'][1]:.0f}", f"{100 * row['holds']:.0f}")
                    if row["ends"]
                    else ("none", "–")
                ),
            ]
        )
        for row in found["few"]
    ]
    percent = "{:.0f}".format
    return {
        "sets": table(
            "crowd | right %: majority | Dawid–Skene | pool | claimed − right: majority |"
            " Dawid–Skene | pool | ECE: Dawid–Skene | pool | interval of the claim",
            sets,
        ),
        "few": table(
            "annotators | items with two answers | right % | mean probability − right | interval of"
            " the claim | holds in % of crowds",
            few,
        ),
        "alarms": table(
            "crowd | independent: pairs | together | repeats | difficult items: repeats |"
            " very difficult: repeats",
            [
                " | ".join(
                    [
                        name,
                        *(
                            percent(100 * rows[0][test])
                            for test in ("pairs", "together", "repeats")
                        ),
                        *(percent(100 * row["repeats"]) for row in rows[1:]),
                    ]
                )
                for name, rows in alarms.items()
            ],
        ),
        "power": table(
            "crowd | " + " | ".join(f"{100 * row['copies']:.0f} %" for row in power["14 models"]),
            [
                " | ".join([name, *(percent(100 * row["repeats"]) for row in rows)])
                for name, rows in power.items()
            ],
        ),
        "claims": table(
            "crowd | independent: right | claimed − right | difficult: right | claimed − right |"
            " Dawid–Skene | very difficult: right | claimed − right | Dawid–Skene",
            [
                " | ".join(
                    [
                        name,
                        f"{rows[0]['right']:.1f}",
                        signed(rows[0]["gap"]),
                        *(
                            cell
                            for row in rows[1:]
                            for cell in (
                                f"{row['right']:.1f}",
                                signed(row["gap"]),
                                signed(row["dawid-skene gap"]),
                            )
                        ),
                    ]
                )
                for name, rows in claims.items()
            ],
        ),
        "said": said(found),
        "others": (
            "On the language models "
            + ", ".join(f"`{row['by']}` claims {row['gap']:.1f}" for row in found["others"])
            + " points too much."
        ),
        "known": table(
            "known items | crowds | largest mean gap | mean distance of a draw | draws within 2"
            " points | mean ECE",
            [
                " | ".join(
                    [
                        str(number),
                        str(len(rows)),
                        f"{max(abs(row['mean']) for row in rows):.1f}",
                        f"{np.mean([row['absolute'] for row in rows]):.1f}",
                        f"{100 * np.mean([row['within 2'] for row in rows]):.0f} %",
                        f"{np.mean([row['ece'] for row in rows]):.3f}",
                    ]
                )
                for number in (50, 200)
                for rows in [[row for row in found["known"] if row["known"] == number]]
            ],
        ),
        "next-said": next_said(found["next"]),
        "next": table(
            "crowd | right with all answers | opinion pool | Dawid–Skene | fewest answers first",
            [
                " | ".join([name, f"{goal:.1f}", *(f"{number:.2f}" for number in numbers)])
                for name, goal, numbers in needed(found["next"])
            ],
        ),
        "speed": table(
            "crowd | `shared_errors` s | `opinion_pool` s | `dawid_skene` s",
            [
                f"{row['crowd']} | {row['shared_errors']:.2f} | {row['opinion_pool']:.2f} |"
                f" {row['dawid_skene']:.3f}"
                for row in found["speed"]
            ],
        ),
    }


def said(found: dict[str, Any]) -> str:
    """What the table of real crowds comes to."""
    rows, draws = found["sets"], found["models"]

    def where(holds: Callable[[Row], bool]) -> str:
        names = [row["set"] for row in rows if not holds(row)]
        few = f" (not on {', '.join(names)})" if names else ""
        return f"on {len(rows) - len(names)} of {len(rows)} crowds{few}"

    def pair(row: Row, what: str) -> tuple[float, float]:
        return row["opinion-pool"][what], row["dawid-skene"][what]

    gains = [pair(row, "right")[0] - pair(row, "right")[1] for row in rows]
    worse = [row["set"] for row, gain in zip(rows, gains) if gain < 0 and row["p"] < 0.05]
    beaten = (
        f"worse by McNemar's test (p < 0.05) on {', '.join(worse)}"
        if worse
        else ("nowhere worse by McNemar's test")
    )
    mine = [row["opinion-pool"] for row in draws]
    held = sum(row["holds"] for row in rows)
    return (
        f"The pool's calibration error is below that of Dawid–Skene"
        f" {where(lambda row: np.subtract(*pair(row, 'ece')) < 0)}, its log loss"
        f" {where(lambda row: np.subtract(*pair(row, 'loss')) < 0)}. It is right"
        f" {signed(float(np.mean(gains)))} points more often in the mean of the crowds, {beaten}."
        f" The interval holds the share that is right on {held} of {len(rows)}. With five of the 14"
        f" models, drawn {len(draws)} times, the pool claims"
        f" {signed(float(np.mean([one['gap'] for one in mine])))} points more than is right in the"
        f" mean, {max(abs(one['gap']) for one in mine):.1f} at most, its ECE is"
        f" {np.mean([one['ece'] for one in mine]):.3f}, and the interval holds in"
        f" {sum(row['holds'] for row in draws)}; Dawid–Skene claims"
        f" {signed(float(np.mean([row['dawid-skene']['gap'] for row in draws])))}."
    )


def next_said(rows: list[Row]) -> str:
    """Which way needs the fewest answers, crowd by crowd."""
    found = [numbers for _, _, numbers in needed(rows)]
    fewer = sum(pool < usual for pool, usual, _ in found)
    more = sum(pool > usual for pool, usual, _ in found)
    even = sum(pool < plain for pool, _, plain in found)
    return (
        f"By the pool's priorities it takes fewer answers than by Dawid–Skene's on {fewer} of"
        f" {len(found)} crowds and more on {more}; fewer than by asking where there are fewest on"
        f" {even}."
    )


def needed(rows: list[Row]) -> Iterator[tuple[str, float, list[float]]]:
    """Of each crowd the share that is right at last, less half a point, and the answers an item
    after which each way has it and keeps it, in the mean of the draws."""
    for name in dict.fromkeys(row["set"] for row in rows):
        mine = [row for row in rows if row["set"] == name]
        ends = [row["curve"][-1][1] for row in mine]
        goal = float(np.mean(ends)) - 0.5
        numbers = []
        for way in dict.fromkeys(row["way"] for row in mine):
            reached = []
            for row in mine:
                if row["way"] == way:
                    number, right = np.array(row["curve"]).T
                    late = np.flatnonzero(right < goal)
                    reached.append(number[min(late[-1] + 1, len(number) - 1) if len(late) else 0])
            numbers.append(float(np.mean(reached)))
        yield name, goal, numbers


def figure(found: dict[str, Any]) -> str:
    """Claimed minus right of every crowd: Dawid and Skene's model, the pool and its interval."""
    from candidly.show.figures import FAINT, INK, SERIES, draw_svg

    rows = sorted(found["sets"], key=lambda row: row["dawid-skene"]["gap"])

    def draw(axes: Any) -> None:
        for place, row in enumerate(rows):
            right = row["opinion-pool"]["right"]
            low, high = (end - right for end in row["claim"][1:])
            axes.plot([low, high], [place, place], color=FAINT, lw=4, alpha=0.5, zorder=1)
        for k, (way, mark, name) in enumerate(
            (("dawid-skene", "D", "Dawid–Skene"), ("opinion-pool", "o", "opinion pool"))
        ):
            gaps = [row[way]["gap"] for row in rows]
            colour = SERIES[1 - k]
            axes.plot(gaps, range(len(rows)), mark, ms=5, color=colour, label=name, ls="")
        axes.axvline(0, color=INK, lw=0.8)
        axes.set_yticks(range(len(rows)), [row["set"] for row in rows])
        axes.set_xlabel("claimed minus right, in points")
        axes.grid(axis="x", color=FAINT, linewidth=0.6, alpha=0.3)
        axes.legend(frameon=False, loc="lower right")

    worst = rows[-1]
    about = (
        f"{len(rows)} crowds; Dawid–Skene claims {rows[0]['dawid-skene']['gap']:.1f} to"
        f" {worst['dawid-skene']['gap']:.1f} points too much."
    )
    title = "What is claimed, beside what is right"
    return alone(draw_svg(draw, title, about, len(rows), width=7.2))
