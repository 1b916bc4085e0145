"""What a page says of keys: those that people checked, and those that models contradict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...show.grid import Column, Grid
from ...show.pieces import Folded, Paragraph, Piece, Section
from ...show.words import listed
from ._words import folded, level, p_value, written
from ._wrong_keys import WrongKeys, wrong_keys

if TYPE_CHECKING:
    from . import CheckedScores, Ranking, Suspect

MANY = 30  # suspects that a page lists in either order
KNOWN = {
    True: "Answers are known, so a wrong key cannot part two models that gave the same one.",
    False: "Only scores are known, so a wrong key may change any score to any other.",
}


def checked_keys(found: Ranking, keys: WrongKeys) -> Section:
    """What people found of keys, and whether the order can still turn."""
    if not keys.checked:
        told = f"None of {keys.items:,} keys was checked. {KNOWN[keys.answers]}"
    else:
        told = (
            f"Of {keys.items:,} keys {keys.checked:,} {'was' if keys.checked == 1 else 'were'} "
            f"checked: {_wrong(keys)}. The ranking "
            f"above is by what is known now. {_moved(found, keys)} {_share(keys)} "
            f"{KNOWN[keys.answers]}"
        )
    pieces: list[Piece] = [Paragraph(told), Paragraph(_left(found, keys))]
    pieces += folded("Whether neighbours can still turn", _sure_pairs(found, keys))
    if keys.turned:
        pieces += folded("Orders that the right keys turn", _turned_pairs(found, keys))
    if keys.wrong:
        pieces.append(Paragraph(_cross(found, keys)))
        if keys.crossings:
            pieces.append(Folded("Where models cross", (_crossings(found, keys),)))
    return Section("Keys that were checked", tuple(pieces))


def _wrong(keys: WrongKeys) -> str:
    none = "1 item has" if keys.void == 1 else f"{keys.void:,} items have"
    return f"{keys.wrong:,} {'is' if keys.wrong == 1 else 'are'} wrong, and {none} no right answer"


def _share(keys: WrongKeys) -> str:
    bounds = f"{100 * keys.low:.2g} to {100 * keys.high:.2g} %"
    if keys.drawn:
        return (
            f"Of the {keys.of:,} items that can part neighbours, {bounds} have a wrong key or no "
            "right answer."
        )
    return (
        f"If the checked items were drawn at random, {bounds} of all have a wrong key or no right "
        "answer."
    )


def _moved(found: Ranking, keys: WrongKeys) -> str:
    if not keys.moved:
        return "No model has another rank than by the published keys."
    sure = sum(max(one.adjusted, one.adjusted_before) <= found.alpha for one in keys.turned)
    beyond = (
        "no pair that turns is told apart by both keys"
        if not sure
        else f"{sure:,} of {len(keys.turned):,} pairs that turn are told apart by both keys"
    )
    moved = (
        "1 model has" if keys.moved == 1 else f"{keys.moved:,} of {len(keys.ranks):,} models have"
    )
    return f"{moved} another rank than by the published keys; {beyond}."


def _left(found: Ranking, keys: WrongKeys) -> str:
    open_ = [one for one in keys.neighbours if one.status == "open"]
    turned = sum(one.status == "reversed" for one in keys.neighbours)
    settled = len(keys.neighbours) - len(open_) - turned
    first = (
        f"Right keys cannot turn {settled:,} of {len(keys.neighbours):,} orders of neighbours on "
        f"these items ({level(found)})"
    )
    first += f", and {turned:,} are the other way round." if turned else "."
    if not open_:
        return f"{first} No more keys need a check."
    if keys.to_check is None:
        return f"{first} Some neighbours are level, and nobody can say how many checks would tell."
    return f"{first} About {keys.to_check:,} more checks, in the order of the plan, settle all."


def _sure_pairs(found: Ranking, keys: WrongKeys) -> Grid:
    columns = (
        *(Column("ahead", "name"), Column("behind", "name")),
        *(Column("lead, in items", form=".4g"), Column("can part them", form=",")),
        *(Column("unchecked", form=","), Column("lead at worst", form=".4g")),
        *(Column("p"), Column("status", "name"), Column("to check", form=",")),
    )
    rows = [
        (
            *(one.first, one.second, one.lead, one.differing, one.unchecked, one.worst),
            *(p_value(min(one.p_secure, one.p_reversed)), one.status, one.to_check),
        )
        for one in keys.neighbours
    ]
    note = (
        "At worst: if every unchecked key that can part the two speaks for the one behind. p holds "
        "whenever one looks, and is corrected over all neighbours. This is about these items; "
        "whether others would give another order is said above."
    )
    return Grid("Whether neighbours can still turn", columns, rows, (note,))


def _turned_pairs(found: Ranking, keys: WrongKeys) -> Grid:
    columns = (
        *(Column("ahead by right keys", "name"), Column("behind", "name")),
        *(Column("difference before"), Column("after"), Column("p before"), Column("p after")),
    )
    rows = [
        (
            *(one.ahead, one.behind, written(found, one.before, True)),
            *(written(found, one.after, True), p_value(one.adjusted_before), p_value(one.adjusted)),
        )
        for one in keys.turned
    ]
    return Grid("Orders that the right keys turn", columns, rows)


def _cross(found: Ranking, keys: WrongKeys) -> str:
    sure = [one for one in keys.crossings if one.established]
    told = f"{100 * keys.prevalence:.2g} % of the keys that stand or were corrected were wrong. "
    if not sure:
        return told + "No two models are shown to change places were wrong keys more frequent."
    one = sure[0]
    more = f" ({len(sure):,} such pairs in all)" if len(sure) > 1 else ""
    return told + (
        f"Were {100 * one.prevalence:.2g} % wrong ({100 * one.low:.2g} to {100 * one.high:.2g}), "
        f"{one.behind} would pass {one.ahead}{more}."
    )


def _crossings(found: Ranking, keys: WrongKeys) -> Grid:
    columns = (
        *(Column("ahead where keys stand", "name"), Column("ahead where they were wrong", "name")),
        *(Column("level at % wrong", form=".3g"), Column("interval"), Column("p")),
        Column("established", "name"),
    )
    rows = [
        (
            *(one.ahead, one.behind, 100 * one.prevalence),
            *(f"{100 * one.low:.3g} to {100 * one.high:.3g}", p_value(one.adjusted)),
            "yes" if one.established else "no",
        )
        for one in keys.crossings
    ]
    note = (
        "By scores under the right keys. Intervals are of each pair alone; p is the larger of the "
        "tests on either set, corrected over all pairs. Wrong keys that nobody found may be of "
        "another kind."
    )
    return Grid("Where models cross as wrong keys become more frequent", columns, rows, (note,))


def _were_right(found: Ranking, if_right: CheckedScores) -> str:
    """What all suspects' verdicts together could do to the order."""
    keys = wrong_keys(if_right, found.alpha)
    first = [name for name, (before, _) in keys.ranks.items() if before == 1]
    then = [name for name, (_, after) in keys.ranks.items() if after == 1]
    sure = sum(one.adjusted_before <= found.alpha for one in keys.turned)
    leads = (
        f"{listed(first)} would stay first"
        if first == then
        else f"{listed(then)} would be first and not {listed(first)}"
    )
    orders = (
        "no order that tests establish would turn"
        if not sure
        else f"{sure:,} of {keys.sure_before:,} established orders would turn"
    )
    return f"Were most models right on all of them, {leads}, and {orders}."


def doubted_keys(
    found: Ranking, suspects: Sequence[Suspect], if_right: CheckedScores | None
) -> Section:
    told = (
        f"{len(suspects):,} items are answered alike by more than half of the models, and not as "
        "the key says. Models err together, so this proves nothing; such items are worth a look."
    )
    if if_right is not None:
        told += f" {_were_right(found, if_right)}"
    rows = [
        (one.item, one.key, one.answer, f"{one.models} of {one.of}", one.turns) for one in suspects
    ]
    columns = (
        *(Column("item", "name"), Column("key", "name"), Column("most say", "name")),
        *(Column("models"), Column("pairs it would turn", form=",")),
    )
    matter = sorted(range(len(suspects)), key=lambda k: -suspects[k].matters)
    first = Grid("Keys that the models contradict most", columns, rows[:MANY])
    order = Grid("Keys that matter most for the order", columns, [rows[k] for k in matter[:MANY]])
    return Section(
        "Keys that may be wrong",
        (Paragraph(told), *(Folded(grid.title, (grid,)) for grid in (first, order))),
    )
