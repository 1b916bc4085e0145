"""How far a project is, for scripts and for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from ...ground.jsons import finite
from ...ground.numbers import count_of
from ...show.grid import Column, Grid
from .project import Project
from .totals import overview


def status_of(project: Project) -> dict[str, Any]:
    """How far a project is, as JSON has it."""
    whole = overview(project)
    found = whole.progress
    about: dict[str, Any] = {
        "folder": str(project.folder),
        "title": project.rules.title,
        "question": project.rules.question,
        "people per item": project.rules.people,
        "items": found.items,
        "done": found.done,
        "held": found.held,
        "answers": found.answers,
        "skips": found.skips,
        "wanted": found.wanted,
        "saved": found.saved,
        "left": found.left,
        "verdicts": dict(found.verdicts),
        "decided by the organiser": found.decided,
        "people": [
            {**asdict(one), "seconds": one.seconds, "warn": one.warn} for one in whole.people
        ],
    }
    if found.agreement is not None:
        agreed = found.agreement
        about["agreement"] = {
            **asdict(agreed),
            "sentences": agreed.sentences(),
            "share decided": _share(agreed.decided, found.items),
        }
        classes = project.rules.classes
        about["pairs"] = [
            {**asdict(p), "given": classes[p.given], "guessed": classes[p.guessed]}
            for p in whole.pairs[:20]
        ]
    if whole.counted is not None:
        about["counted"] = whole.counted.as_dict()
    if found.labels is not None:
        about["labels"] = {**asdict(found.labels), "flips": found.labels.flips.tolist()}
    if found.yes is not None:
        about["yes"], about["no"] = found.yes
    return finite(about)


def status_parts(about: Mapping[str, Any]) -> Iterator[str | Grid]:
    """The same for people: lines, and a table of who answers."""
    yield (
        f"{count_of(about['items'], 'item')}, {about['done']:,} done; {about['answers']:,} of"
        f" {count_of(about['wanted'], 'answer')}, {count_of(about['skips'], 'skip')},"
        f" {about['held']:,} handed out"
    )
    if about["saved"]:
        yield f"{count_of(about['saved'], 'answer')} saved, as their items were decided"
    if about["verdicts"]:
        told = [f"{n:,} {name}" for name, n in about["verdicts"].items() if n]
        yield f"verdicts: {', '.join(told)}"
        yield from _agreement(about["agreement"])
    if about["decided by the organiser"]:
        yield f"{count_of(about['decided by the organiser'], 'item')} decided by the organiser"
    if "counted" in about:
        yield about["counted"]["sentence"]
    if "labels" in about:
        found = about["labels"]
        if found["size"] is not None:
            cover = found["coverage"]
            known = "" if cover is None else f"; {100 * cover:.1f} % hold the truth"
            yield (
                f"{found['size']:.2f} labels per item, {found['per_answer']:.2f} per answer{known}"
            )
    if "yes" in about:
        yield f"yes: {about['yes']:,}, no: {about['no']:,}"
    if about["people"]:
        yield _people(about["people"])


def _agreement(agreed: Mapping[str, Any]) -> Iterator[str]:
    yield from agreed["sentences"]
    if agreed["sentences"]:
        decided = count_of(agreed["decided"], "item")
        yield f"{decided} decided, {agreed['split']:,} of them by one vote"


def _people(people: list[dict[str, Any]]) -> Grid:
    columns = (
        Column("person", "name"),
        *(Column(name, form=",") for name in ("answers", "skips", "fast")),
        Column("seconds", form=".1f"),
        *map(Column, ("gold", "95 %", "repeats alike")),
        Column("", "word"),
    )
    rows = [
        (
            *(one["code"], one["answers"], one["skips"], one["fast"], one["seconds"]),
            f"{one['gold_right']} of {one['gold']}",
            None if one["low"] is None else f"{100 * one['low']:.0f} to {100 * one['high']:.0f}",
            f"{one['repeats_same']} of {one['repeats']}",
            "excluded" if one["excluded"] else "check" if one["warn"] else "",
        )
        for one in people
    ]
    return Grid("", columns, rows)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
