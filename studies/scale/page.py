"""docs/studies/scale.md, from the committed results."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from studies.kit.words import grid, prose

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "bench" / "results"
PAGE = "studies/scale.md"
COMMAND = "python -m studies.scale"
N, M = "50,426,266", 345
WAITS = ("median ms", "95th percentile, ms", "99th percentile, ms")
LINE_BYTES = 1e9 / 8  # a second, of a network of 1 Gbit/s

Value = Callable[[str], float]


def values(name: str, folder: Path = RESULTS) -> Value:
    """The values of a script's results, by their names."""
    found = json.loads((folder / f"{name}.json").read_text())
    by_name = {claim["name"]: float(claim["value"]) for claim in found["claims"]}
    return by_name.__getitem__


def machine(name: str, folder: Path = RESULTS) -> str:
    return json.loads((folder / f"{name}.json").read_text())["machine"]


def make_page(folder: Path = RESULTS) -> str:
    scale, cluster = values("scale", folder), values("cluster", folder)
    review = values("review_scale", folder)
    journal = values("journal", folder) if (folder / "journal.json").exists() else None
    parts = [
        "# Beyond one machine",
        prose(_answer(scale, review)),
        f"Written by `{COMMAND}` from `bench/results`.",
        prose(
            "How far label errors, sweeps and reviews go, measured part by part, and what limits "
            f"each beyond. All of it was measured on one machine: {machine('scale', folder)}. Each "
            "section names the script that repeats it."
        ),
        *_study(scale),
        *_curve(scale),
        *_parts(scale),
        *_beyond(scale),
        *_sweeps(cluster),
        *(_journal(journal) if journal else ()),
        *_review(review),
        "## What this does not say",
        prose(
            """All processes were on one machine of two cores: how a network of machines, a disk
            that many share, or a database elsewhere slows them was not measured. The rows are made
            up, with errors that are independent of each other. People do not answer as programs
            do."""
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _answer(scale: Value, review: Value) -> str:
    of = f"{N} x {M}, two workers"
    seconds = 60 * scale(f"{of}: errors found, minutes")
    wait = review("1000 people, 2 processes: answer to next item, 95th percentile, ms")
    return f"""**Of {N} rows of {M} classes planted errors are found in {seconds:.0f} s by two
        processes, and 1,000 people who look at a million items wait {wait:.0f} ms for the next one
        (95 % of the time no longer).**"""


def count(number: float) -> str:
    return f"{round(number):,}"


def _study(scale: Value) -> list[str]:
    of = f"{N} x {M}, two workers"

    def v(name: str) -> float:
        return scale(f"{of}: {name}")

    n = int(N.replace(",", ""))
    rows = [
        ["rows made once, and nothing done with them", f"{v('rows made once, s'):.0f} s"],
        ["errors found: all of it", f"{60 * v('errors found, minutes'):.0f} s"],
        ["of this, the first pass", f"{v('first pass'):.0f} s"],
        ["the second pass", f"{v('both passes') - v('first pass'):.0f} s"],
        [
            "selection, in one process",
            f"{60 * v('errors found, minutes') - v('both passes'):.0f} s",
        ],
        ["by the time of making the rows (at most 2)", f"{v('by the time of making'):.2f}"],
        ["memory of a worker", f"{count(v('MB of a worker'))} MB"],
        ["memory of the process that asks", f"{count(v('MB of the process that asks'))} MB"],
    ]
    share = v("planted") / n
    return [
        f"## {N} rows of {M} classes",
        prose(
            f"""The largest study of the sources has {N} drawings of {M} classes (QuickDraw), in
            whose labels its authors estimate 10.12 % of errors. Its probabilities would take
            {4 * n * M / 1e9:.0f} GB. Here rows of that shape are made from a seed when they are
            read, so that none is stored, and errors are planted in {share:.2%} of the labels;
            `bench/_scale/planted.py` says how. Two processes read them (`--on processes`)."""
        ),
        grid(["", ""], rows),
        prose(
            f"""Planted were {count(v("planted"))} errors. The calibrated count estimates
            {count(v("estimated"))}, with a 95 % interval from {count(v("estimated from"))} to
            {count(v("estimated to"))}. Of the {M} classes, {count(v("classes in their interval"))}
            have their planted share of right labels in the interval of `errors health`; of
            independent draws 95 of 100 would, and more do here, as most errors are counted one by
            one. By noise rate, {count(v("flagged"))} labels are flagged:
            {v("precision"):.3%} of them are planted errors, and {v("recall"):.2%} of the
            planted errors are among them (the others lie in rows on which the classifier is torn).
            {count(v("rows read twice"))} rows had to be made a second time."""
        ),
        *(
            [
                prose(
                    """The bar of twice the time of making the rows is missed: a row is made so
                    quickly that handing its columns to the process that asks, and making some rows
                    again, weigh as much."""
                )
            ]
            if v("by the time of making") > 2
            else []
        ),
        "```sh\npython bench/scale.py    # ten minutes\n```",
    ]


def _curve(scale: Value) -> list[str]:
    rows = []
    for n in (100_000, 1_000_000, 10_000_000):
        for workers in (1, 2):
            of = f"curve {n:,} x {M}, {workers} worker{'s' * (workers > 1)}"
            made, found = scale(f"{of}: made, s"), scale(f"{of}: found, s")
            memory = count(scale(f"{of}: MB of the process that asks"))
            rows.append([f"{n:,}", str(workers), f"{made:.1f}", f"{found:.1f}", memory])
    of = f"{N} x {M}, two workers"
    made, found = scale(f"{of}: rows made once, s"), 60 * scale(f"{of}: errors found, minutes")
    memory = count(scale(f"{of}: MB of the process that asks"))
    rows.append([N, "2", f"{made:.0f}", f"{found:.0f}", memory])
    head = ["rows", "workers", "rows made, s", "errors found, s", "MB of the process that asks"]
    return [
        "### From 10^5 rows on",
        grid(head, rows),
        prose("The start of the workers, one to two seconds, is in each number."),
    ]


def _parts(scale: Value) -> list[str]:
    of, peer = "2,000,000 x 100 on disk", "1,000,000 x 100 on disk, one thread"
    return [
        "### Parts, files, and the established tool",
        prose(
            f"""800 MB in 20 parts take {scale(f"{of}: 20 parts by the time of one file"):.2f} times
            as long as in one file (at most 1.10), in 200 parts
            {scale(f"{of}: 200 parts by the time of one file"):.2f} times. Processes in place of
            threads take {scale(f"{of}: processes by the time of one file"):.2f} times as long, as
            they hand columns over. What is found is the same each time, to the byte."""
        ),
        prose(
            f"""The established tool's out-of-core way (cleanlab, `find_label_issues_batched`) takes
            {scale(f"{peer}: times as fast as the peer"):.1f} times as long on a file of 1,000,000
            rows of 100 classes, on one thread each, and
            {count(scale(f"{peer}: the peer's private MB"))} MB where candidly takes
            {count(scale(f"{peer}: private MB"))}."""
        ),
        prose(
            f"""5,000,000 rows of 10 classes take
            {scale("5,000,000 x 10 float32 on disk: private MB, with --work"):.0f} MB of memory
            beyond the input with `--work`; [label-errors.md](../label-errors.md#large-data) says
            what without."""
        ),
    ]


def _beyond(scale: Value) -> list[str]:
    of = f"{N} x {M}, two workers"
    n = int(N.replace(",", ""))
    seconds, both = 60 * scale(f"{of}: errors found, minutes"), scale(f"{of}: both passes")
    serial = (seconds - both) / n
    made = scale(f"{of}: rows made once, s")
    per_core = n / (2 * made)
    memory = scale(f"{of}: MB of the process that asks") * 1e6 / n
    back = 2 + 2 * 4 + 10 * scale(f"{of}: pairs") / n
    per_line = LINE_BYTES / back
    return [
        "### 10^9 rows, 1,000 nodes",
        prose(
            f"""A core makes {count(per_core / 1000)} thousand rows of {M} classes a second. What
            comes back of a row is {back:.1f} bytes, so a network of 1 Gbit/s at the process that
            asks carries {per_line / 1e6:.0f} million rows a second: {count(per_line / per_core)}
            cores. That is where more nodes stop helping; with 10 Gbit/s it is ten times as many.
            What that process does alone (thresholds, counts, selection) took
            {1e9 * serial:.0f} ns a row."""
        ),
        grid(
            ["10^9 rows", "2 cores", f"{count(per_line / per_core)} cores, 1 Gbit/s"],
            [
                [
                    "making the rows",
                    f"{1e9 / per_core / 2 / 3600:.1f} h",
                    f"{1e9 / per_line / 60:.1f} min",
                ],
                ["what one process does alone", *[f"{1e9 * serial / 60:.1f} min"] * 2],
                ["memory of that process", *[f"{memory:.0f} GB"] * 2],
            ],
        ),
        prose(
            f"""Memory of the process that asks is {memory:.0f} bytes a row, labels included, and
            the first limit at 10^9 rows; `--work` puts most of it into files. Beyond that,
            selection itself would have to be spread."""
        ),
    ]


def _sweeps(cluster: Value) -> list[str]:
    def killed(name: str) -> str:
        return count(cluster(f"kills: {name}"))

    def over(name: str) -> float:
        return cluster(f"overhead: {name}")

    return [
        "## Sweeps on a cluster",
        prose(
            f"""A sweep of {killed("seconds of the run left alone, two local workers")} s
            ran on a Ray cluster of nodes of one machine while
            {killed("workers killed at random moments")} of its workers and
            {killed("drivers killed at random moments")} drivers were killed with
            `kill -9` at random moments, and a node was added and removed. All
            {killed("records compared")} records are, bit for bit, those of a run left
            alone; it took {killed("seconds of the killed run, two nodes, some time three")} s."""
        ),
        prose(
            f"""Side by side, each on a core of its own, which they then changed, a sweep of
            {over("seconds of training, local") / 60:.1f} minutes by a local worker took
            {over("Ray's time of training, by that of local workers"):.3f} times as long on Ray (at
            most 1.05), and {over("seconds that Ray's start takes more"):.0f} s more to start
            (`bench/cluster.py`). [cluster.md](../cluster.md) says how to run one."""
        ),
    ]


def _journal(journal: Value) -> list[str]:
    sizes = ("10,000", "100,000", "1,000,000")
    commands = ("plan", "resume", "status", "table", "report", "compact")

    def ten(name: str) -> float:
        return 10 * journal(f"1,000,000 runs, {name}")

    rows = []
    for name in commands:
        cells = [f"{journal(f'{runs} runs, {name}: seconds'):.1f}" for runs in sizes]
        memory = journal(f"1,000,000 runs, {name}: peak memory, GB")
        rows.append(
            [f"`bench {name}`" if name != "resume" else "resuming", *cells, f"{memory:.1f}"]
        )
    rows.append(
        ["the journal, MB", *[count(journal(f"{runs} runs: journal, MB")) for runs in sizes], ""]
    )
    return [
        "## A million runs",
        prose(
            """Results of 60 records a run, compacted, with 1 % of the runs in lines beside, as if
            they had come later. Seconds of each command, a process of its own
            (`bench/journal.py`), with resuming up to the first task that is handed out:"""
        ),
        grid(["", *[f"{runs} runs" for runs in sizes], "GB at most"], rows),
        prose(
            f"""From 10^5 runs on, times grow with the number of runs or more slowly. Ten times as
            many, 10^7, would take {ten("status: seconds") / 60:.1f} minutes for the status,
            {ten("plan: seconds") / 60:.0f} for a plan and {ten("compact: seconds") / 60:.0f} to
            compact, {ten("report: peak memory, GB"):.0f} GB of memory for the report and
            {journal("1,000,000 runs: journal, MB") / 100:.0f} GB of disk: time for several
            directories, with a part of the data sets each."""
        ),
    ]


def _review(review: Value) -> list[str]:
    rows = []
    for people, processes in ((50, 2), (100, 2), (200, 2), (500, 1), (500, 2), (500, 4), (1000, 2)):
        of = f"{people} people, {processes} processes"
        waits = [review(f"{of}: answer to next item, {which}") for which in WAITS]
        answers = review(f"{of}: answers a second")
        rows.append([str(people), str(processes), count(answers), *map(count, waits)])
    return [
        "## Hundreds of people at a million items",
        prose(
            """People who look at an item for 2 s on average, several web processes behind one
            address, PostgreSQL, and the people's programs, all on one machine of two cores
            (`bench/review_scale.py`); waits until the next item is there, in milliseconds:"""
        ),
        grid(["people", "processes", "answers a second", "median", "95 %", "99 %"], rows),
        prose(
            f"""All {count(review("answers confirmed in all runs"))} confirmed answers were in the
            database afterwards, once each, also those given while
            {count(review("web processes killed under load"))} web processes were killed; nobody was
            asked twice. [deploy.md](../deploy.md#what-it-bears) says what limits: the
            processors."""
        ),
    ]
