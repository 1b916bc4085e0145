"""What the papers' own published tables say of their claims, by the rule of the page.

Counts of cells as they were printed: "most" is more than half of the cells, "level" less than 1
point apart, "clear" more than 1, "large" and "considerable" more than 5. Where a claim says *all*
or *every*, each cell counts; where it says *can* or *sometimes*, one does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from statistics import median

from candidly.compare import published

Cells = Mapping[tuple[str, str], float]  # by algorithm and criterion, or by method and level
PICTURES = ("plench-1", "plench-2", "plench-3", "plench-4")
PLENCH = tuple(name for name in published.TABLES if name.startswith("plench"))
TABULAR = tuple(name for name in PLENCH if name not in PICTURES)
LEVEL, CLEAR, LARGE = 1.0, 1.0, 5.0
CR, AA, CLEAN = "CR", "AA:plench", "OA & ES"
BASE = "Base model"


@dataclass(frozen=True)
class Read:
    """What published tables say of a claim.

    Attributes:
        tables: which. counts: what was counted in them. stands: whether the claim is so there.
    """

    tables: str
    counts: str
    stands: bool


@cache
def plench(name: str) -> Cells:
    rows = published.read(name).iter_rows(named=True)
    return {(row["algorithm"], row["criterion"]): float(row["mean"]) for row in rows}


@cache
def wikihow(table: int, metric: str = "top1") -> Cells:
    """By method and data set, which names the noise and its rate."""
    rows = published.read(f"noisywikihow-{table}").iter_rows(named=True)
    return {(row["algorithm"], row["dataset"]): float(row[metric]) for row in rows}


def chosen(cells: Cells, criterion: str) -> dict[str, float]:
    """Accuracies by algorithm, chosen by one criterion."""
    return {name: value for (name, by), value in cells.items() if by == criterion}


def rank(cells: Cells, algorithm: str, criterion: str = CR) -> int:
    """1 is the best; of equals the better one."""
    own = chosen(cells, criterion)
    return 1 + sum(value > own[algorithm] for value in own.values())


def gains(table: int, method: str, base: str = BASE) -> list[float]:
    """Of a method above the base model, noise level by noise level."""
    cells = wikihow(table)
    return [
        round(value - cells[base, data], 2)
        for (name, data), value in cells.items()
        if name == method and "noise" in data
    ]


def p3() -> Read:
    best = {max(own, key=own.__getitem__) for own in (chosen(plench(t), CR) for t in PLENCH)}
    counts = f"{len(best)} algorithms are best in one of 13 tables, chosen by CR"
    return Read("1-4, 7, 9-16", counts, len(best) > 1)


def p13() -> Read:
    loses = sum(plench(t)["LWS", AA] < plench(t)["LWS", CR] for t in PLENCH)
    return Read("1-4, 7, 9-16", f"LWS has less by AA than by CR in {loses} of 13", loses > 0)


def p15() -> Read:
    cells = [(t, name) for t in PLENCH for name in chosen(plench(t), CR)]
    over = [
        max(plench(t)[name, by] for by in (CR, AA)) - plench(t)[name, CLEAN] for t, name in cells
    ]
    above = sum(one > 0 for one in over)
    counts = (
        f"CR or AA has more than clean labels with early stopping in {above} of {len(cells)} rows, "
        f"by up to {max(over):.2f} points"
    )
    return Read("1-4, 7, 9-16", counts, above == 0)


def p21() -> Read:
    half = [t for t in TABULAR for name in ("NN", "GA") if _below_median(t, name)]
    counts = f"NN and GA are below the median of 20 algorithms in {len(half)} of 18 cases"
    return Read("7, 9-16", counts, len(half) == 18)


def _below_median(table: str, name: str) -> bool:
    own = chosen(plench(table), CR)
    return own[name] < median(own.values())


def _criteria(tables: tuple[str, ...]) -> tuple[int, int, int]:
    """Cells in which AA chose worse than CR by more than a point, better, and all."""
    cells = [(t, name) for t in tables for name in chosen(plench(t), CR)]
    apart = [plench(t)[name, AA] - plench(t)[name, CR] for t, name in cells]
    return sum(d < -CLEAR for d in apart), sum(d > CLEAR for d in apart), len(cells)


def p23() -> Read:
    worse, better, cells = _criteria(TABULAR)
    counts = f"AA is clearly worse than CR in {worse} of {cells} rows, clearly better in {better}"
    return Read("7, 9-16", counts, worse > 0)


def p27() -> Read:
    worse, better, cells = _criteria(PICTURES)
    counts = f"AA is clearly worse than CR in {worse} of {cells} rows, clearly better in {better}"
    return Read("1-4", counts, worse > 0)


def p24() -> Read:
    ranks = [rank(plench(t), "PRODEN") for t in TABULAR]
    high = sum(one <= 5 for one in ranks)
    counts = f"PRODEN is among the first 5 of 20 in {high} of 9 (ranks {_listed(ranks)})"
    return Read("7, 9-16", counts, high > 4)


def p28() -> Read:
    ranks = [rank(plench(t), "PRODEN") for t in PICTURES]
    half = sum(one <= 13 for one in ranks)
    counts = f"PRODEN is in the better half of 26 in {half} of 4 (ranks {_listed(ranks)})"
    return Read("1-4", counts, half > 2)


def p25() -> Read:
    names = ("Forward", "SCL-EXP", "OP-W")
    good = sum(not _below_median(t, name) for t in TABULAR for name in names)
    counts = f"the three are at or above the median in {good} of 27 cases, chosen by CR"
    return Read("7, 9-16", counts, good > 13)


def p26() -> Read:
    cells = [(t, name) for t in PICTURES for name in chosen(plench(t), CR)]
    near = sum(plench(t)[name, CLEAN] - plench(t)[name, CR] <= LEVEL for t, name in cells)
    counts = (
        f"CR is at most 1 point below clean labels with early stopping in {near} of {len(cells)}"
    )
    return Read("1-4", counts, near > len(cells) / 2)


def p29() -> Read:
    lost = [
        chosen(plench(clean), CR)[name] - value
        for clean, noisy in (("plench-1", "plench-2"), ("plench-3", "plench-4"))
        for name, value in chosen(plench(noisy), CR).items()
    ]
    much = sum(one > LARGE for one in lost)
    counts = f"Vaguest is more than 5 points below Aggregate in {much} of {len(lost)}"
    return Read("1-4", counts, much > len(lost) / 2)


def n3() -> Read:
    cells = wikihow(4)
    models = sorted({name for name, _ in cells})
    first, last = "noisywikihow", "noisywikihow:noise=mix,rate=0.6"
    lost = [cells[name, first] - cells[name, last] for name in models]
    counts = f"from no noise to 60 % the 7 models lose {min(lost):.2f} to {max(lost):.2f} points"
    return Read("4", counts, min(lost) > LARGE)


def n4() -> Read:
    cells = wikihow(4)
    levels = [data for name, data in cells if name == "ALBERT"]
    both = [(name, data) for name in ("RoBERTa", "XLNET") for data in levels]
    above = sum(cells[name, data] > cells["ALBERT", data] for name, data in both)
    counts = f"above ALBERT in {above} of {len(both)} cases"
    return Read("4", counts, above == len(both))


def n5() -> Read:
    cells = wikihow(4)
    levels = list(dict.fromkeys(data for _, data in cells))
    best = sum(
        max((name for name, at in cells if at == data), key=lambda n: cells[n, data]) == "BART"
        for data in levels
    )
    return Read("4", f"BART is best at {best} of {len(levels)} levels", best > len(levels) / 2)


def n6() -> Read:
    cells = {data.partition("noise=")[2]: value for (_, data), value in wikihow(5).items()}
    hardest = min(cells, key=cells.__getitem__)
    told = ", ".join(f"{name.partition(',')[0]} {value:.2f}" for name, value in cells.items())
    return Read("5", told, hardest.startswith("tail"))


def _above(table: int, method: str, every: bool, least: float = 0.0) -> Read:
    own = gains(table, method)
    above = sum(one > least for one in own)
    counts = f"{method}: {_signed(own)} points by level"
    return Read(str(table), counts, above == len(own) if every else 0 < above < len(own))


def n9() -> Read:
    own = gains(8, "Mixup")
    counts = f"Mixup: {_signed(own)} points by level"
    return Read("8", counts, all(0 < one <= LARGE for one in own))


def n10() -> Read:
    own = gains(8, "Data Parameter")
    counts = f"Data Parameters: {_signed(own)} points by level"
    return Read("8", counts, all(-LEVEL < one < LARGE for one in own))


def n11() -> Read:
    own = {name: gains(8, name) for name in ("Co-teaching", "CNLCU")}
    counts = "; ".join(f"{name}: {_signed(values)}" for name, values in own.items())
    return Read("8", counts, all(sum(v > 0 for v in values) <= 1 for values in own.values()))


def n16() -> Read:
    own = {name: gains(10, name) for name in ("SEAL", "Mixup")}
    counts = "; ".join(f"{name}: {_signed(values)}" for name, values in own.items())
    return Read("10", counts, all(one > 0 for values in own.values() for one in values))


def n18() -> Read:
    own = {name: gains(10, name) for name in ("Co-teaching", "Data Parameter", "CNLCU")}
    counts = "; ".join(f"{name}: {_signed(values)}" for name, values in own.items())
    return Read("10", counts, all(one > CLEAR for values in own.values() for one in values))


def n22() -> Read:
    real, made = wikihow(8), wikihow(10)
    levels = ("0.1", "0.2", "0.4", "0.6")
    ahead = [
        round(
            real[BASE, f"noisywikihow:noise=mix,rate={level}"]
            - made[BASE, f"noisywikihow:noise=sym,rate={level}"],
            2,
        )
        for level in levels
    ]
    counts = f"the base model, real noise above synthetic: {_signed(ahead)} points at 10 to 60 %"
    return Read("8, 10", counts, all(one > 0 for one in ahead))


def n25() -> Read:
    methods = dict.fromkeys(name for name, _ in wikihow(12))
    cells, base = wikihow(12), wikihow(4)
    own = [
        round(value - base["BART", data], 2)
        for (name, data), value in cells.items()
        if name in methods
    ]
    counts = f"{min(own):+.2f} to {max(own):+.2f} points above BART (text: -0.07 to 2.56)"
    return Read("4, 12", counts, (min(own), max(own)) == (-0.07, 2.56))


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def _signed(numbers: list[float]) -> str:
    return ", ".join(f"{one:+.2f}" for one in numbers)


READ: Mapping[str, Callable[[], Read]] = {
    "P3": p3,
    "P13": p13,
    "P15": p15,
    "P21": p21,
    "P23": p23,
    "P24": p24,
    "P25": p25,
    "P26": p26,
    "P27": p27,
    "P28": p28,
    "P29": p29,
    "N3": n3,
    "N4": n4,
    "N5": n5,
    "N6": n6,
    "N9": n9,
    "N10": n10,
    "N11": n11,
    "N12": lambda: _above(8, "SR", every=False),
    "N13": lambda: _above(8, "SEAL", every=True, least=LARGE),
    "N16": n16,
    "N17": lambda: _above(10, "SR", every=True),
    "N18": n18,
    "N22": n22,
    "N25": n25,
}
