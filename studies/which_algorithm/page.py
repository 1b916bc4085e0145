"""docs/which-algorithm.md, from the committed results."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from candidly.learn.algorithms import ALGORITHMS, algorithm
from candidly.show.words import listed
from studies.claims.shelf import Shelf
from studies.kit.words import bullets, grid, minus, prose
from studies.new_tables.page import answer, sections
from studies.new_tables.study import read

from .advice import Advice, advise, code, points
from .kinds import read_kinds
from .remarks import UNKNOWN, Advices, better_labels, losers, surprises
from .rule import ANY, CHEAP, CLEAR, FEW, LISTED

PAGE = "which-algorithm.md"
COMMAND = "python -m studies.which_algorithm"


def make_page(shelf: Shelf) -> str:
    """The page as Markdown: the same from the same results."""
    advice = {key: advise(kind) for key, kind in read_kinds(shelf).items()}
    new = read(shelf.of("new_tables") / "tables.json")
    parts = [
        "# Which algorithm should I use?",
        prose(answer(new)),
        *sections(new),
        "## On single data sets",
        prose(_answer(advice)),
        _decisions(advice),
        prose(_reading(advice)),
        KINDS,
        prose(_without_results()),
        "## The rule",
        prose(_rule()),
        "## How far to trust it",
        *_trust(advice),
        "## What not to use",
        bullets(losers(advice)),
        "## What surprises",
        bullets(surprises(shelf, advice)),
        "## When to collect better labels instead",
        *better_labels(advice),
        OWN_DATA,
        "## Where this page comes from",
        prose(_origin(advice)),
        f"```text\n{COMMAND}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def _answer(advice: Advices) -> str:
    open_ones = [one for one in advice.values() if not one.names]
    unknown = advice[UNKNOWN]
    first = unknown.choices[CHEAP].first
    rest = ""
    if open_ones:
        rest = f"""In the other {len(open_ones)} no algorithm is clearly better, so use the simple
        one."""
    leads = ""
    if first is not None:
        leads = f"""Where the noise is not known, `{first}` gains most in the mean; what is
        chosen by the other data sets gains {points(unknown.checked(CHEAP))} points on a new one."""
    return f"""Each row is what one to four data sets say, so that it is a first guess elsewhere. In
    {len(advice) - len(open_ones)} of {len(advice)} rows an algorithm is better than the simple one
    (`ce` or `CC`), also on label sets that had no part in the choice. {rest} No algorithm is the
    best in every row. {leads}"""


def _decisions(advice: Advices) -> str:
    header = (
        *("labels and inputs", "simple", "choice", "gain, points"),
        *("clear gains", "training time"),
    )
    return grid(header, [row for one in advice.values() for row in _rows(one)], words=3)


def _rows(advice: Advice) -> Iterable[list[str]]:
    base, best = advice.kind.baseline, advice.choices[CHEAP].first
    lines = [_line(advice, name, f"`{name}`") for name in advice.names]
    if not lines:
        lines = [[f"`{base}`", "–", "–", "1.0 ×"]]
        if best is not None:
            lines.append(_line(advice, best, f"next: `{best}`"))
    for number, line in enumerate(lines):
        yield [*(["", ""] if number else [advice.where, f"`{base}`"]), *line]


def _line(advice: Advice, name: str, shown: str) -> list[str]:
    row = advice.choices[ANY].rows[name]
    return [
        shown,
        points(row.gain),
        f"{row.ahead} of {len(row.each)}",
        f"{row.cost:.1f} ×",
    ]


def _reading(advice: Advices) -> str:
    criteria = {one.kind.baseline: one.kind.criterion for one in advice.values()}
    chosen = listed([f"by {by} in the rows of `{base}`" for base, by in criteria.items()])
    named = dict.fromkeys(name for one in advice.values() for name in one.names)
    told = [name for name in named if algorithm(name).told]
    knows = f" {code(told)} must be told how many labels are wrong." if told else ""
    return f"""`ce` is plain cross-entropy; `CC` is cross-entropy on the probability of the whole
    candidate set. *Gain*: accuracy on true test labels less the simple algorithm's on the same
    splits, the mean over the label sets ± its standard error over splits and, where all splits have
    the same, over test rows. *Clear gains*: on how
    many label sets the 95 % interval lies above 0; no algorithm in the table clearly loses on any.
    *Training time*: the simple algorithm's is 1. *Next*: the algorithm with the largest gain, which
    is not clearly above 0 on label sets that had no part in the choice.
    Configurations and records were selected without clean labels, {chosen}
    ([criteria](benchmark.md#which-criterion-to-trust)).{knows} The links lead to the numbers of all
    algorithms."""


KINDS = """* **Candidate sets**: several labels, one of them right.
* **Symmetric noise**: wrong labels are drawn evenly from all classes (`symmetric` in
  [data.md](data.md)). **Pair or instance noise**: they depend on the class (`pair`) or on the input
  (`instance-label`). **People's labels**: people chose them, one a row.
* **Answers of several people**: who said what of each row; `ce` learns what most said.
* **Texts of no class**: the text was replaced by one that fits no label (`open-set`).
* **Unequal classes**: some classes have many more training rows than others; with and without texts
  of no class."""


def _without_results() -> str:
    complementary, noisy = (
        code(name for name, page in ALGORITHMS.items() if page.kind == kind)
        for kind in ("complementary", "noisy candidates")
    )
    return f"""Two kinds of labels have no results yet, so that nothing is recommended. For
    *complementary labels* (classes that the example is not) there are {complementary}
    ([formulas](algorithms.md#learning-from-complementary-labels)); the results have them on
    candidate sets, where each class outside the set is a complementary label. For *candidate sets
    that may lack the right label* there are {noisy}; in the
    [study of pictures](studies/images.md#the-benchmarks-takeaways) hardly any set lacks it."""


def _rule() -> str:
    return f"""The rule is the same for every row. (1) Compare all algorithms that were trained on
    every label set of the row, but no oracles, which are told the truth. (2) Leave out those that
    clearly lose to the simple algorithm on any label set: the 95 % interval of the difference,
    by the test of its [design](benchmark.md#read-the-tables), lies below 0. With
    fewer than {FEW} splits, the spread between splits is that of all algorithms of the study
    together. (3) The leader has the largest mean gain over the label
    sets. (4) Those above 0 that are at most one standard error behind the leader are level with it;
    the one that trains fastest comes first, and at most {LISTED} are named. (5) Do this once for
    algorithms with at most {CHEAP:g} times the training time of the simple one, and once for all.
    (6) Check both on label sets that are left out, as below. If the gain of the fast choice is
    there not above 0 by {CLEAR:g} standard errors, it is not named. A slow algorithm is named only
    if it is first among all, passes the same check, and gains more in it than the fast choice where
    that is named. Where none is, recommend the simple algorithm."""


def _trust(advice: Advices) -> list[str]:
    seen = statistics.fmean(one.seen(CHEAP).mean for one in advice.values())
    out = statistics.fmean(one.checked(CHEAP).mean for one in advice.values())
    counts = [len(one.choices[ANY].rows) for one in advice.values()]
    rows = []
    for one in advice.values():
        rows.append(_check(one, CHEAP))
        if one.choices[ANY].first != one.choices[CHEAP].first:
            rows.append(_check(one, ANY))
    header = (
        *("labels and inputs", "time", "first choice", "chosen when left out"),
        *("gain", "gain left out", "above 0"),
    )
    whole = listed([f"*{one.kind.title}*" for one in advice.values() if one.kind.by_data])
    return [
        prose(
            f"""The best of {min(counts)} to {max(counts)} algorithms looks better than it is: of
            many numbers with noise, the largest is partly luck (the winner's curse). So each row is
            checked. Leave out a label set, choose from the others by steps 1 to 5, and measure what
            that choice gains on the label set left out. **In the mean of the {len(advice)} rows,
            the first fast choice gains {minus(100 * seen, 1)} points on the label sets that it was
            chosen by, and {minus(100 * out, 1)} on those left out.**"""
        ),
        grid(header, rows, words=4),
        prose(
            f"""A whole data set is left out at a time in the rows {whole}. In the others the label
            sets left out share their examples with those that remain: the check tells of other
            labels there, or of other draws of the noise, not of other data, and is too kind.
            Standard errors allow for rows and splits that are shared; where it was not recorded
            which test rows are predicted right (pictures), as for algorithms that err
            independently. Networks are small: pictures and texts were learned in
            [few](studies/images.md#what-was-run) [epochs](studies/cifarn.md#what-was-run), texts by
            a [linear layer](studies/texts.md) on numbers of a language model."""
        ),
    ]


def _check(advice: Advice, budget: float) -> list[str]:
    left, choice = advice.left_out[budget], advice.choices[budget]
    base = advice.kind.baseline
    return [
        advice.kind.title,
        "any" if budget == ANY else f"≤ {budget:g} ×",
        f"`{choice.first or base}`",
        code(dict.fromkeys(one.chosen or base for one in left)),
        points(advice.seen(budget)),
        points(advice.checked(budget)),
        f"{sum(one.gain.mean > 0 for one in left)} of {len(left)}",
    ]


RUN = (
    "$ candidly bench run --dataset digits --labels symmetric:rate=0.4 --algorithms ce,elr "
    "--configs 1 --splits 2 --steps 200 --eval-every 100 --workers 1 --out runs/which"
)
OWN_DATA = f"""## How to decide on your own data

Two or three algorithms on your own data tell you more than this page. Train them beside the simple
one, on the same splits:

```text
candidly bench plan --dataset mine.csv --algorithms ce,elr,mae --configs 5 --splits 5
candidly bench run --dataset mine.csv --algorithms ce,elr,mae --configs 5 --splits 5 --out runs/mine
candidly bench table runs/mine --criterion NVA
candidly bench report runs/mine
```

`plan` says how long that takes; `--criterion CR` is for candidate sets. Believe a difference if it
is larger than two standard errors, and larger still the more algorithms you compare. Accuracies
need true labels of test rows: have people label some with care (the field `truth` in
[data.md](data.md)), or make labels wrong on similar data whose labels you trust, as here:

```console
{RUN}
$ candidly bench table runs/which --criterion NVA
```

[benchmark.md](benchmark.md) says how to read the table, [data.md](data.md) how labels are made
wrong, and [algorithms.md](algorithms.md) what each algorithm does."""


def _origin(advice: Advices) -> str:
    kinds = [one.kind for key, one in advice.items() if key != UNKNOWN]
    count = sum(len(kind.sets) for kind in kinds)
    data = {each.data for kind in kinds for each in kind.sets}
    return f"""All numbers are computed from the committed results of `studies` by the command
    below, of {count} label sets of {len(data)} data sets. A test compares the page with them:
    `test_the_page_is_what_the_committed_results_recommend`."""
