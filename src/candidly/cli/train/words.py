"""What ``candidly train`` says of a training, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ground.numbers import count_of
from ...show.grid import Column, Grid

if TYPE_CHECKING:
    from ...data.labels.labelled import Labelled

SHOWN_NAMES = 8  # of columns, on a line
MEANING = {
    "covering rate": "the predicted class is a candidate",
    "approximated accuracy": "expected accuracy, from the candidates alone",
    "given accuracy": "the given label is predicted; it may be wrong itself",
    "answer accuracy": "the mean share of a row's answers that are predicted",
    "oracle accuracy": "the true label is predicted",
}


def print_training(
    about: dict[str, Any], data: Labelled, chosen: str = "", narrowed: str = ""
) -> None:
    """Print what ``candidly train`` has done: data, columns, measures, and the next command.

    Args:
        about: what ``--json`` prints.
        data: what was learned from, and measured on.
        chosen: which one of several was chosen, in a sentence.
        narrowed: how much smaller the sets to learn from are, in a sentence.
    """
    print(f"{about['rows']:,} rows, {len(about['classes']):,} classes, {_sets(data)}")
    print(narrowed, end="\n" * bool(narrowed))
    if about["without a label"]:
        are = "row is" if about["without a label"] == 1 else "rows are"
        print(f"{about['without a label']:,} {are} left out, without a label")
    for kind, names in about["columns"].items():
        count = names if isinstance(names, int) else len(names)
        listed = "" if isinstance(names, int) else f": {_listed(names)}"
        several = "categories" if kind == "category" else ""
        whole = names == 1 and not data.kind.array  # the row is one thing, which has no name
        print(f"each row is a {kind}" if whole else count_of(count, kind, several) + listed)
    if about["compared"]:
        print(_compared(about["compared"], _label_of(about)).text())
        print(chosen)
    if about["encoder"]:
        print(f"each is seen as what {about['encoder']}, trained elsewhere, makes of it")
    elif about["default"] and data.kind.pictures and data.given is not None:
        from ...learn.encoders import advised

        print(advised(), end="\n" * bool(advised()))
    default = f", the default for {about['labels']}" if about["default"] else ""
    trained = f"{about['steps']:,} updates on" if about["steps"] else "learned from"
    print(f"{about['algorithm']}{default}: {trained} {about['learned from']:,} rows")
    own = about["validation set"]
    if own and not (about["early stopping"] or about["compared"]):
        print(
            f"{count_of(own, 'row')} of the validation set: not used, as nothing was to be chosen"
        )
    if found := about["early stopping"]:
        which = "of the validation set" if own else "left out"
        print(
            f"early stopping: {_label_of(about)} was predicted most often, for "
            f"{found['right'] / found['rows']:.1%} of {count_of(found['rows'], 'row')} {which}, "
            f"after {found['steps']:,} of {found['tried']:,} updates"
        )
    if about["judged"]:
        print(_judged(about["judged"]).text())
    if about["track"]:
        print(f"{about['track']}: a track of its own")
    if about["measured"]:
        print(f"on {count_of(about['held out'], 'row')} held out:")
        width = max(len(name) for name in about["measured"])
        ends = {name: _between(about["intervals"][name]) for name in about["measured"]}
        wide = max(map(len, ends.values()))
        for name, value in about["measured"].items():
            shown = "   -  " if value is None else f"{value:6.1%}"
            shown += ends[name].ljust(wide)
            known = about["truth known"]
            some = f", of {known:,} rows" * (
                name.startswith("oracle") and known < about["held out"]
            )
            print(f"  {name:{width}}  {shown}  {MEANING[name]}{some}")
        if premise := about["on the premise"]:
            low, right, high = (100 * value for value in premise["accuracy"].values())
            print(
                "  if errors strike clear and unclear rows alike: the true label is predicted for "
                f"{right:.1f}% ({low:.1f} to {high:.1f}%)"
            )
        if constant := about["constant"]:
            print(f"  always {constant['class']!r}: {constant['share']:.1%}")
    print(f"next: {about['next']}")


def _label_of(about: dict[str, Any]) -> str:
    return {"candidate sets": "a candidate", "people's answers": "what most people said"}.get(
        about["labels"], "the given label"
    )


def _compared(found: dict[str, Any], label: str) -> Grid:
    """How each did on the rows that they were compared on, the best first."""
    columns = (
        Column(f"on {count_of(found['rows'], 'row')} that none has seen", "name"),
        Column(f"{label} predicted", form=".1%"),
        Column("95 %"),
        Column("p", form=".3f"),
    )
    rows = [
        (
            *(one["name"], one["right"] / found["rows"]),
            f"{100 * one['low']:.1f} to {100 * one['high']:.1f}",
            None if one["name"] == found["chosen"] else one["p"],
        )
        for one in found["contestants"]
    ]
    note = "p: of being as good as the first (McNemar's exact test, Holm's correction)."
    return Grid("", columns, rows, (note,))


def _judged(judged: list[dict[str, Any]]) -> Grid:
    """How each classifier of a blend did on rows that it had not learned from."""
    columns = (
        Column("on rows that it has not seen", "name"),
        Column("given label predicted", form=".1%"),
        Column("log loss", form=".3f"),
        Column("weight", form=".0%"),
    )
    rows = [(one["name"], one["agreement"], one["loss"], one["weight"]) for one in judged]
    return Grid("", columns, rows)


def _between(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f" ({100 * ends[0]:.1f} to {ends[1]:.1%})"


def _sets(data: Labelled) -> str:
    if data.candidates is not None:
        return f"{data.candidates.sum(1).mean():.2f} candidates a row"
    if data.given is None and data.votes is not None:
        return f"{len(data.votes) / data.n:.2f} answers a row"
    return "one label a row"


def _listed(names: list[str]) -> str:
    return ", ".join(names[:SHOWN_NAMES]) + (", ..." if len(names) > SHOWN_NAMES else "")
