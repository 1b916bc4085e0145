"""One document of each kind, with names as long as they get."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from candidly import crowd, validation
from candidly.compare import ranking
from candidly.compare.corpora.built_document import built_document
from candidly.compare.corpora.files import ReplacedEvent
from candidly.compare.corpora.read import BuiltBenchmark
from candidly.compare.ranking.document import ranking_document
from candidly.compare.report import accuracy_tables, results_document
from candidly.compare.report.changes import compare_sides, side_of
from candidly.compare.report.changes_document import changes_document
from candidly.compare.report.gap import gap_tables
from candidly.compare.report.why import trust_tables
from candidly.compare.stability import assess, make_case
from candidly.compare.stability.document import stability_document
from candidly.data.labels.building import from_arrays
from candidly.data.labels.votes import Votes, union
from candidly.errors.confident import find_multilabel
from candidly.errors.confident.issues_document import issues_document
from candidly.errors.confident.tags_document import tags_document
from candidly.errors.detectors import DETECTORS
from candidly.errors.detectors.comparison_document import MEASURES, comparison_document
from candidly.people.crowd.consensus_document import crowd_document
from candidly.people.crowd.labels_document import labels_document
from candidly.people.validation.verdicts_document import summarise, verdicts_document
from compare.report.fake_results import SKILL, make_results
from compare.report.test_changes import fake
from compare.stability.test_document import LONG
from people.validation.test_verdicts_document import COUNTS

from made_issues import issues_of
from stability_cases import arrays, probabilities


def results_made(datasets=2):
    names = (*SKILL, "decoupling-lws:a-variant-with-a-long-name", "an_algorithm_with_a_long_name")
    places = ("Lost", "tabular-benchmark-2024/flights", "Birdsong", "YahooNews")
    return results_document(
        make_results(places[:datasets], names, splits=3, configs=1), criteria=["CR", "OA"]
    )


def ranking_made():
    """Twelve models on 600 items of four slices in groups of three, with two runs."""
    g = np.random.default_rng(0)
    skills, part = np.linspace(1, -0.5, 12), np.arange(600) // 3 % 4
    luck = g.normal(size=(12, 600, 2)) + g.normal(size=(600, 1))
    right = skills[:, None, None] + luck > 0
    right[3, part == 2] = False  # one model does not answer in a slice
    names = [f"an organisation of {k}/its longest model's name {k}" for k in range(12)]
    scores = ranking.make_scores(
        dict(zip(names, right)), slices=part.astype(str), groups=np.arange(600) // 3
    )
    found = ranking.rank(scores, against={name: float(k) for k, name in enumerate(names)})
    doubted = ranking.suspects({n: ["B"] * 40 for n in names}, ["A"] * 40)
    return ranking_document(found, read={"scores": "scores.csv"}, suspects=doubted)


def stability_made():
    original, corrected, predictions = arrays(models=5, n=600, wrong=60, seed=3)
    models = {name: probabilities(p) for name, p in zip(LONG, predictions.values())}
    stricter = np.where(corrected == original, original, -1)
    return stability_document(
        assess(make_case(original, corrected, models), resamples=50, corrections={"T=5": stricter})
    )


CLASSES = (
    "black-capped_chickadee/Poecile_atricapillus",
    "great grey owl, Strix nebulosa, adult in flight",
    "n01530575",
    "a-class-with-a-name-that-never-ends-and-has-only-hyphens",
    "Saxicola_rubicola_juvenile_female_2019",
)


def issues_made():
    return issues_document(issues_of(300, 5), classes=CLASSES)


def crowd_made():
    rows = [
        (f"images/2024/batch-0001/frame_{i:06d}_left_camera.png", f"annotator-{j}@example", i % 5)
        for i in range(12)
        for j in range(3)
    ]
    answers = crowd.Answers.from_columns(*zip(*rows), classes=CLASSES)
    return crowd_document(crowd.consensus(answers, "majority"), by="majority")


def verdicts_made():
    answers = validation.from_counts(COUNTS, given=[0] * 6, guessed=[1] * 6, classes=CLASSES[:2])
    found = validation.judge(answers)
    return verdicts_document(found, about=summarise(found, size=50), read={"answers": "a.csv"})


def comparison_made():
    """Every number as long as it gets: three digits, and an interval of two."""
    rng = np.random.default_rng(0)
    about = {"noise": "symmetric:rate=0.2", "n": 1797, "wrong": 359}
    names = [column.name for column in MEASURES]
    return comparison_document(
        [
            {"detector": name, "seed": seed, **about}
            | {n: (1.0 if seed else 0.7) * rng.uniform(0.9, 1) for n in names}
            for name in (*DETECTORS, "flag everything")
            for seed in (0, 1, 2)
        ]
    )


def labels_made():
    rng = np.random.default_rng(0)
    rows = [(i, "a", rng.choice(5, 2, replace=False)) for i in range(60) for _ in range(4)]
    votes = Votes.from_rows(rows)
    data = from_arrays(np.zeros((60, 1)), truth=np.arange(60) % 4, classes=list(CLASSES))
    sets = union(votes, 60, 5)
    return labels_document(replace(data, votes=votes, candidates=sets, source="set-" * 40))


def built_made():
    """Three sources, with names as long as wikiHow's, and a million events."""
    names = ("sub-categories", "beyond common sense", "tail")
    stages = ("articles", "length", "format", "copies", "keywords", "sample size", "categories")
    told = {
        "articles": 100_623,
        "events": 1_407_306,
        "categories": 3_334,
        "stages": [{"name": one, "classes": 3_334, "events": 1_407_306} for one in stages],
        "dropped": dict.fromkeys(("no keyword of its article", "in several categories"), 100_000),
        "pages": {"read": 100_623, "left out": {"cut off: it has no </html>": 1_000}},
        "votes": {"hard to tell apart": dict.fromkeys(KAPPA, 0.88)},
        "sources": [
            {"source": one, **dict.fromkeys(("classes", "train", "val", "test", "events"), 73_343)}
            for one in names
        ],
        "embedding": {"name": "sentences", "dimensions": 384},
        "settings": {"rates": [0.1, 0.6], "seed": 0},
        "corpus": "0" * 64,
        "candidly": "0.1.0",
    }
    event = "then slowly and carefully " + "take the small window out of its frame " * 5 + "."
    one = ReplacedEvent(0, event, "Maintaining and Repairing Bicycles", event, "Knitting " * 5)
    moved = [replace(one, chosen=k) for k in range(30)]
    hard = np.linspace(0.2, 1, 30)
    return built_document(
        BuiltBenchmark(told, CLASSES, np.arange(30), np.arange(30) % 3, hard, {0.6: moved}),
        make_results(configs=1, splits=3),
    )


KAPPA = ("questions", "answers", "kappa", "low", "high")


def changes_made():
    sides = [fake(), fake(seed=1)]
    named = zip(sides, ("runs/before", "a directory with a long name/after"))
    return changes_document(compare_sides(*(side_of(one, name, ["CR"]) for one, name in named)))


def tags_made():
    rng = np.random.default_rng(0)
    tags = rng.random((200, 5)) < 0.3
    probs = np.clip(np.where(tags, 0.9, 0.1) + rng.normal(0, 0.05, tags.shape), 0.01, 0.99)
    tags[:8, 0] ^= True
    found = find_multilabel(tags, probs)
    return tags_document(found, classes=CLASSES, following=["candidly review new check"])


DOCUMENTS = {
    "changes": changes_made,
    "tags": tags_made,
    "built": built_made,
    "labels": labels_made,
    "comparison": comparison_made,
    "results": results_made,
    "ranking": ranking_made,
    "stability": stability_made,
    "issues": issues_made,
    "crowd": crowd_made,
    "verdicts": verdicts_made,
}

TABLES = {  # documents without a heading: what commands print
    "accuracy": lambda: accuracy_tables(make_results(configs=2, splits=3)),
    "gap": lambda: gap_tables(make_results(configs=2, splits=3)),
    "trust": lambda: trust_tables(make_results(configs=2, splits=3)),
}
