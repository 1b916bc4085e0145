"""``candidly crowd read``: answers of language models as a table of labels, or of sets."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ...ground.files import write_table
from ...ground.jsons import to_json
from .._issues import check_place
from .._print import AsJson, Form, check_form, show
from .._types import share

TABLES = (".parquet", ".csv", ".json")


def read(
    answers: Annotated[
        list[Path],
        typer.Argument(
            metavar="ANSWERS...",
            help="Files with an answer a line of JSON: what the batch services of OpenAI and "
            'Anthropic return, or lines like {"item": "p1", "model": "m", "answer": '
            '"cat"}.',
        ),
    ],
    classes: Annotated[
        str,
        typer.Option(
            "--classes", metavar="NAMES", help="All labels: cat,dog,emu; or a file, a name a line."
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="Write the answers: .parquet .csv .json.")
    ],
    texts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A table of text and label: what else means a label, such as A for cat.",
        ),
    ] = None,
    item: Annotated[
        str | None, typer.Option(metavar="FIELD", help="The field that names the item.")
    ] = None,
    annotator: Annotated[
        str | None, typer.Option(metavar="FIELD", help="The field that names the model.")
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="FIELD", help="The field that holds the answer.")
    ] = None,
    mass: Annotated[
        float | None,
        share(
            "Make sets of labels that hold this share of a model's probability, where answers have "
            "log-probabilities.",
            open=True,
        ),
    ] = None,
    known: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A table of item and label, of items taken at random and checked: with --error, "
            "sets are as large as these items need.",
        ),
    ] = None,
    error: Annotated[
        float | None,
        share("Of --known: the share of sets that may lack the true label.", open=True),
    ] = None,
    form: Form = "text",
    as_json: AsJson = False,
) -> None:
    """Answers of language models as a table for crowd consensus, or of sets for crowd sets.

    Examples:

      candidly crowd read gpt.jsonl claude.jsonl --classes cat,dog,emu --out answers.csv

      candidly crowd read answers.jsonl --classes names.txt --texts letters.csv --out answers.csv

      candidly crowd read answers.jsonl --classes cat,dog,emu --mass 0.9 --out sets.csv

      candidly crowd read answers.jsonl --classes cat,dog --known checked.csv --error 0.05 \\
        --out sets.csv
    """
    import polars as pl

    from ...data.ingest.labels import read_classes
    from ...data.ingest.model_answers import read_model_answers, read_pairs
    from ...people.crowd.answer_sets import by_known, by_mass
    from ...people.crowd.answer_sets.told import answers_grid, answers_lines

    check_form(form)
    check_place(out, "--out", TABLES)
    if (known is None) != (error is None):
        raise ValueError("--known and --error go together: checked items, and the error they set.")
    if mass is not None and error is not None:
        raise ValueError("--mass and --error are two ways to make sets; give one of them.")
    names = [str(name) for name in read_classes(classes) or []]
    named = {"item": item, "annotator": annotator, "label": label}
    found = read_model_answers(
        answers,
        names,
        read_pairs(texts, "text", "label") if texts else None,
        {field: name for field, name in named.items() if name is not None},
    )
    sets = [[one] for one in found.label]
    if mass is not None:
        sets = by_mass(found.beliefs, mass)
    if known is not None and error is not None:
        checked = read_pairs(known, "item", "label")
        sets = by_known(found.beliefs, found.model, found.item, checked, names, error)
    table = pl.DataFrame(
        {
            "item": found.item,
            "annotator": found.model,
            "label": ["|".join(one) for one in sets],
            "belief": [belief[one] for belief, one in zip(found.beliefs, found.label)]
            if found.covered is not None
            else [None] * len(sets),
        },
        schema_overrides={"belief": pl.Float64},
    )
    write_table(table if found.covered is not None else table.drop("belief"), out)
    size = sum(map(len, sets)) / max(len(sets), 1)
    if as_json:
        about = {
            "answers": len(sets),
            "items": len(set(found.item)),
            "models": {name: dict(counts) for name, counts in found.counts.items()},
            "off_list": dict(found.off_list.most_common(20)),
            "covered": found.covered,
            "size": size,
            "written": str(out),
        }
        print(to_json(about))
        return
    show(*answers_lines(found, size), answers_grid(found), form=form)
    print(f"wrote {out}", file=sys.stderr)
