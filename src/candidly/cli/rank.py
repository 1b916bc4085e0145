"""``candidly rank``: how models rank by scores on items, and what of it is more than chance."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..data.ingest import Roles
from ..ground.bounds import MOST
from ..ground.files import write_json, write_table
from ..ground.spec import ends
from ._column_options import ANY, CELLS, COLUMN, reads
from ._issues import check_place
from ._print import Form, check_form, print_text, width
from ._progress import reading
from ._types import number, share

if TYPE_CHECKING:
    import polars as pl

    from ..compare.ranking import JudgedScores, Scores, Suspect, Wins
    from ..data.ingest.scores import ScoreColumns

WORSE = 4  # exit status: a condition of --fail-unless or --fail-if-worse is not met


@reads("id", "drop", *CELLS)
def rank(
    places: Annotated[
        list[Path],
        typer.Argument(
            metavar="PLACE...",
            help="A table with a column of scores for each model, or with a row for each model and "
            "item (--model); several tables, one a model; or logs of lm-evaluation-harness, "
            "Inspect, HELM, SWE-bench, EvalPlus, promptfoo or DeepEval, or folders of them.",
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(metavar=COLUMN, help="Column that names the model of a row."),
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(metavar=COLUMN, help="Column of the scores of such rows. (default: score)"),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(
            metavar=COLUMN,
            help="Column that tells runs of a model on an item apart. (default: rows as they come)",
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar=COLUMN,
            help="Column of what an item was made of, such as a document or a template: items of a "
            "group are not independent.",
        ),
    ] = None,
    slices: Annotated[
        str | None,
        typer.Option(
            metavar=COLUMN,
            help="Column of the part of the benchmark, such as a subject. With --people: from each "
            "of which their items were drawn.",
        ),
    ] = None,
    weights: Annotated[
        str | None, typer.Option(metavar=COLUMN, help="Column of how much an item counts.")
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            metavar=COLUMN,
            help="Column of right answers; the columns of models are then answers, which score 1 "
            "where they are the key.",
        ),
    ] = None,
    people: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="People's scores of some items, chosen at random: a table like that of PLACE, "
            "which then holds the scores of a judge.",
        ),
    ] = None,
    wins: Annotated[
        bool,
        typer.Option(
            "--wins",
            help="The table has comparisons of two models: columns first, second and winner.",
        ),
    ] = False,
    metric: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which score of the logs.")
    ] = None,
    between: Annotated[
        str,
        typer.Option(
            metavar="LOW,HIGH", help="The lowest and the highest score that there can be."
        ),
    ] = "0,1",
    missing: Annotated[
        str,
        typer.Option(
            metavar="refuse|lowest|drop",
            help="What a missing answer means: refuse it, count it as the lowest score, or leave "
            "out the items that any model lacks.",
        ),
    ] = "refuse",
    average: Annotated[
        str,
        typer.Option(
            metavar="items|slices",
            help="What a score is the mean of: items; or slices, which then count the same.",
        ),
    ] = "items",
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Another ranking to put beside it, such as a published one: a table with columns "
            "model and score.",
        ),
    ] = None,
    alpha: Annotated[float, share("One minus the level of intervals and tests.", open=True)] = 0.05,
    power: Annotated[
        float, share("How often a difference is to be found by the items it needs.", open=True)
    ] = 0.8,
    unless: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-unless",
            metavar='"A > B"',
            help="End with status 4 unless tests say that model A is ahead of model B; repeat it.",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--fail-if-worse",
            metavar="MODEL",
            help="End with status 4 unless every other model is shown to be no worse than this "
            "one by more than --by.",
        ),
    ] = None,
    by: Annotated[
        float,
        number("With --fail-if-worse: points of the score that do not matter.", 0, MOST),
    ] = 0.0,
    suspects: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --key: write the items whose key most models contradict, for people to "
            "check: .csv .parquet.",
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="PAGE", help="Write one self-contained page.")
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write every figure as SVG, PDF and PNG, too."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write everything as JSON.")
    ] = None,
    form: Form = "text",
    roles: Roles = ANY,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
) -> None:
    """Is the order of models by their scores on items more than chance?

    One sentence, then: every model's score and the places that it may have, which neighbours tests
    tell apart, how many more items would, and whether parts of the benchmark disagree. Scores are
    never taken for classes: for predicted classes and labels see candidly stability.

    Examples:

      candidly rank scores.csv

      candidly rank scores.csv --groups document --slices subject --html page.html

      candidly rank answers.csv --key answer --slices subject --drop question --missing lowest

      candidly rank results.csv --model model --score correct --run epoch

      candidly rank logs --metric acc --fail-if-worse my-old-model --by 0.5

      candidly rank judge.csv --people people.csv

      candidly rank arena.csv --wins --groups question
    """
    from ..compare.ranking import make_judged, make_scores, make_wins
    from ..compare.ranking import rank as ranked
    from ..compare.ranking import suspects as suspects_of
    from ..compare.ranking.conditions import ahead, no_worse
    from ..compare.ranking.document import ranking_document
    from ..data.ingest.scores import ScoreColumns, in_order_of, read_other, read_scores, read_wins

    check_form(form)
    check_place(out, "--out", (".json",))
    check_place(html, "--html", (".html", ".htm"))
    check_place(suspects, "--suspects", (".csv", ".parquet"))
    if by and baseline is None:
        raise ValueError("--by goes with --fail-if-worse.")
    for name, value in (("--weights", weights), ("--key", key)):
        if people is not None and value is not None:
            raise ValueError(f"{name} says nothing where people correct a judge (--people).")
    if suspects is not None and key is None:
        raise ValueError("--suspects goes with --key: without answers no model contradicts a key.")
    columns = ScoreColumns(model, score, run, groups, slices, weights, key)
    doubted: tuple[Suspect, ...] = ()
    scores: Scores | JudgedScores | Wins
    if wins:
        _refuse_beside_wins(columns, places, metric, people)
        scores = make_wins(**read_wins(places[0], roles, groups))
    else:
        with reading() as watch:
            table = read_scores(places, roles, columns, metric, watch)
        if people is None:
            scores = make_scores(
                table.models,
                ids=table.ids,
                groups=table.groups,
                slices=table.slices,
                weights=table.weights,
                between=ends(between, "`between`"),
                missing=missing,
                average=average,
            )
        else:
            by_people = read_scores([people], roles, ScoreColumns(model, score, run), None)
            scores = make_judged(
                table.models,
                in_order_of(by_people, table),
                ids=table.ids,
                groups=table.groups,
                slices=table.slices,
                between=ends(between, "`between`"),
            )
        if table.answers is not None and table.key is not None:
            doubted = suspects_of(table.answers, table.key, table.ids)
    other = None if against is None else read_other(against)
    found = ranked(scores, alpha=alpha, power=power, against=other)
    checks = [ahead(found, text) for text in unless or ()]
    if baseline is not None:
        checks += no_worse(found, baseline, by)
    read = {"scores": ", ".join(map(str, places))}
    document = ranking_document(found, read=read, suspects=doubted)
    if html is not None:
        document.write(html, figures_in=figures)
    elif figures is not None:
        document.write_figures(figures)
    if suspects is not None:
        write_table(_table_of(doubted), suspects)
    if out is not None:
        write_json({"read": read, **found.as_dict()}, out)
    print_text(document.render("json" if as_json else form, width()))
    if not as_json:
        for path in (html, suspects, out, figures):
            if path is not None:
                print(f"wrote {path}", file=sys.stderr)
    for check in checks:
        print(check.told, file=sys.stderr)
    if not all(check.met for check in checks):
        raise typer.Exit(WORSE)


def _refuse_beside_wins(
    columns: ScoreColumns, places: Sequence[Path], metric: str | None, people: Path | None
) -> None:
    """What says something of scores says nothing of wins."""
    given = {name: value for name, value in asdict(columns).items() if name != "groups"}
    for name, value in {**given, "metric": metric, "people": people}.items():
        if value is not None:
            raise ValueError(f"--{name} says nothing of comparisons of two models (--wins).")
    if len(places) > 1:
        raise ValueError("--wins takes one table.")


def _table_of(doubted: Sequence[Suspect]) -> pl.DataFrame:
    import polars as pl

    names = ("item", "key", "answer", "models", "of", "turns")
    return pl.DataFrame({name: [getattr(one, name) for one in doubted] for name in names})
