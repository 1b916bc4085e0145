"""``candidly rank``: how models rank by scores on items, and what of it is more than chance."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..data.ingest import Roles
from ..ground.bounds import MOST
from ..ground.files import write_json, write_table
from ..ground.spec import ends
from ._column_options import ANY, CELLS, COLUMN, reads
from ._issues import check_place
from ._print import AsJson, Figures, Form, Html, OutJson, check_form, print_text, width
from ._progress import reading
from ._types import number, random_seed, share

if TYPE_CHECKING:
    import polars as pl

    from ..compare.ranking import Suspect

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
    checked: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keys that people checked, however they were chosen: a table with the items, and "
            "with --key a column found, the right answer, else a column of scores for each model; "
            "true in a column void says that no answer is right.",
        ),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write which keys to check next, in a random order, to be filled in: "
            ".csv .parquet.",
        ),
    ] = None,
    found_file: Annotated[
        Path | None,
        typer.Option(
            "--found",
            metavar="FILE",
            help="That plan with its first rows filled in. Look as often as you like.",
        ),
    ] = None,
    seed: Annotated[int, random_seed("Of the plan.")] = 0,
    html: Html = None,
    figures: Figures = None,
    out: OutJson = None,
    form: Form = "text",
    roles: Roles = ANY,
    as_json: AsJson = False,
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

      candidly rank answers.csv --key answer --plan plan.csv

      candidly rank answers.csv --key answer --found plan.csv --html page.html

      candidly rank judge.csv --people people.csv

      candidly rank arena.csv --wins --groups question
    """
    from ..compare.ranking import CheckedScores, keys_to_check
    from ..compare.ranking import rank as ranked
    from ..compare.ranking.conditions import ahead, no_worse
    from ..compare.ranking.document import ranking_document
    from ..compare.ranking.files import read_ranking
    from ..data.ingest.scores import ScoreColumns, read_other

    check_form(form)
    check_place(out, "--out", (".json",))
    check_place(html, "--html", (".html", ".htm"))
    for place, name in ((suspects, "--suspects"), (plan, "--plan")):
        check_place(place, name, (".csv", ".parquet"))
    if by and baseline is None:
        raise ValueError("--by goes with --fail-if-worse.")
    if suspects is not None and key is None:
        raise ValueError("--suspects goes with --key: without answers no model contradicts a key.")
    if plan is not None and (wins or people is not None):
        raise ValueError("--plan says nothing of --wins and --people, where there are no keys.")
    if plan is not None and found_file is not None:
        raise ValueError("--found is a plan that was filled in; go on with it, without --plan.")
    if plan is not None and plan.exists():
        raise ValueError(f"{plan} is there, and people may have filled it in; name another --plan.")
    with reading() as watch:
        read_in = read_ranking(
            places,
            ScoreColumns(model, score, run, groups, slices, weights, key),
            roles=roles,
            metric=metric,
            between=ends(between, "`between`"),
            missing=missing,
            average=average,
            people=people,
            wins=wins,
            checked=checked,
            found=found_file,
            plans=plan is not None,
            seed=seed,
            watch=watch,
        )
    other = None if against is None else read_other(against)
    found = ranked(read_in.scores, alpha=alpha, power=power, against=other)
    checks = [ahead(found, text) for text in unless or ()]
    if baseline is not None:
        checks += no_worse(found, baseline, by)
    read = {"scores": ", ".join(map(str, places))}
    document = ranking_document(
        found, read=read, suspects=read_in.suspects, if_right=read_in.if_right
    )
    if html is not None:
        document.write(html, figures_in=figures)
    elif figures is not None:
        document.write_figures(figures)
    if suspects is not None:
        write_table(_table_of(read_in.suspects), suspects)
    if plan is not None and isinstance(read_in.scores, CheckedScores):
        to_check = keys_to_check(read_in.scores, alpha)
        write_table(read_in.plan_table(to_check, roles.id or "id"), plan)
    if out is not None:
        write_json({"read": read, **found.as_dict()}, out)
    print_text(document.render("json" if as_json else form, width()))
    if not as_json:
        for path in (html, suspects, plan, out, figures):
            if path is not None:
                print(f"wrote {path}", file=sys.stderr)
    for check in checks:
        print(check.told, file=sys.stderr)
    if not all(check.met for check in checks):
        raise typer.Exit(WORSE)


def _table_of(doubted: Sequence[Suspect]) -> pl.DataFrame:
    import polars as pl

    names = ("item", "key", "answer", "models", "of", "turns", "matters")
    return pl.DataFrame({name: [getattr(one, name) for one in doubted] for name in names})
