"""From articles to a benchmark's files, in pieces that a stopped build does not repeat."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from ...data.labels.storage import read_arrays, write_arrays
from ...ground.files import check_folder, undone, write_json
from ...ground.problem import Refusal
from ...ground.version import __version__
from . import embed as embedding
from . import files, noise
from .accounts import (
    pages_read,
    source_rows,
    write_difficulty,
    write_dropped,
    write_left_out,
    write_votes,
)
from .articles import Articles, Path
from .checks import check_mixed, check_replaced, check_texts
from .funnel import Funnel, funnel, keep_categories, sizes_of
from .votes import Ballot, CategoryVotes, choose_beyond, choose_events
from .words import ENGLISH, Language

MANIFEST, WORK = "manifest.json", ".build"
OnStep = Callable[[str, int, int], None]  # what is done, how much of how much


@dataclass(frozen=True)
class BuildSettings:
    """What a build is asked for; the defaults are NoisywikiHow's.

    Attributes:
        shortest, longest: tokens of an event.
        more_than: a class is kept that has more events.
        tail_at_most: a class is a tail class that has at most so many.
        held: events of each class for validation, and as many for testing.
        rates: the rates of the noise of all sources, and of flipped labels.
        single: the rate of the noise of a single source, and ``rate_of`` what it is a share of.
        embedding: a name of ``embed.EMBEDDINGS`` or ``hf:FOLDER``; or what one's own is called.
        people: who vote on each category. agree: how many of them must.
    """

    shortest: int = 3
    longest: int = 80
    more_than: int = 300
    tail_at_most: int = noise.TAIL_AT_MOST
    held: int = noise.HELD
    rates: tuple[float, ...] = noise.RATES
    single: float = 0.1
    rate_of: noise.RateOf = "source"
    embedding: str = "words"
    seed: int = 0
    people: int = 3
    agree: int = 3


@dataclass(frozen=True, eq=False)
class Benchmark:
    """A benchmark on disk.

    Attributes:
        folder: the folder of its files.
        manifest: what they are and how they came about, as JSON values.
    """

    folder: FilePath
    manifest: Mapping[str, Any]


def build(
    articles: Articles,
    out: FilePath | str,
    settings: BuildSettings | None = None,
    *,
    keep: Callable[[Path], bool] = lambda path: True,
    event_votes: CategoryVotes | None = None,
    beyond: Collection[str] = (),
    sense_votes: CategoryVotes | None = None,
    language: Language = ENGLISH,
    embed: embedding.Embedding | None = None,
    watch: OnStep = lambda what, done, total: None,
) -> Benchmark:
    """Run the funnel, make the noise, check it and write the files.

    A build that was stopped goes on where it was, and ends in the same bytes. Files of an earlier
    build in the folder make room.

    Args:
        out: a folder; made if it is not there.
        keep: whether a category may be among the classes.
        event_votes: what people said of those that may: see ``votes.choose_events``.
        beyond: names of classes that are beyond common sense.
        sense_votes: what people said of classes, for more of these: see ``votes.choose_beyond``.
        language: how events are read.
        embed: one's own embedding, called ``settings.embedding``.

    Raises:
        ValueError: an impossible setting, too little left for the benchmark, an embedding that is
            none; the message names what, and the next step.
        Defect: the noise is not what it should be.
    """
    asked = settings or BuildSettings()
    folder = FilePath(out)
    check_folder(folder)
    with undone(folder, ValueError):
        found, ballots = chosen_events(articles, asked, keep, event_votes, language, watch)
        said = (beyond, sense_votes)
        return _build(articles, folder, asked, found, ballots, said, embed, watch)


def _build(
    articles: Articles,
    folder: FilePath,
    asked: BuildSettings,
    found: Funnel,
    ballots: list[Ballot],
    said: tuple[Collection[str], CategoryVotes | None],
    embed: embedding.Embedding | None,
    watch: OnStep,
) -> Benchmark:
    """From what the funnel leaves to the files; ``said`` of what is beyond common sense."""
    work = folder / WORK
    work.mkdir(parents=True, exist_ok=True)
    beyond, sense_votes = said
    classes = _classes(found, articles.categories)
    names = class_names([articles.categories[one] for one in classes])
    label_of = np.full(len(articles.categories), -1)
    label_of[classes] = np.arange(len(classes))
    mine, pool_rows = found.choosen_id >= 0, (found.step_id >= 0) & (found.choosen_id < 0)
    if not pool_rows.any():
        raise ValueError(
            "every event that the funnel leaves is in a class, so nothing can stand in its place. "
            "Keep fewer categories, or bring more articles."
        )
    labels = label_of[found.category[mine]]
    table = files.EventTable(found.choosen_id[mine], found.step_id[mine], labels, found.texts[mine])
    part = noise.split(labels, names, asked.held, asked.seed)
    sizes = np.bincount(labels, minlength=len(names))
    unusual = _numbers(beyond, names)
    if sense_votes is not None:
        paths = [articles.categories[one] for one in classes]
        chosen, ballot = choose_beyond(paths, sense_votes, asked.people, asked.agree)
        unusual += [paths.index(path) for path in chosen]
        ballots.append(ballot)
    source = noise.sources_of(sizes.tolist(), unusual, asked.tail_at_most)
    parents = noise.parents_of(articles.categories)
    training = part == noise.TRAINING
    events = noise.Events(
        labels[training], names, source, parents[classes], parents[found.category[pool_rows]]
    )
    pool = files.Pool(
        found.step_id[pool_rows],
        found.texts[pool_rows],
        np.array([path[-1] for path in articles.categories], object)[found.category[pool_rows]],
    )
    vectors, told = _vectors(found, work, asked, embed, watch)
    by_step = {"train": vectors[table.step[training]], "pool": vectors[pool.step]}
    near = _search(events, by_step["train"], by_step["pool"], work, watch)
    parts = {
        name: table.rows(part == number)
        for name, number in zip(files.PARTS, (noise.TRAINING, noise.VALIDATION, noise.TEST))
    }
    check_texts(parts, pool)
    _clear(folder)
    levels = [len(articles.categories[one]) for one in classes]
    written = [files.write_categories(folder, names, levels, sizes.tolist())]
    written += [files.write_part(folder, name, rows, names) for name, rows in parts.items()]
    written += _noises(folder, asked, events, near, parts["train"], names, pool, watch)
    chosen_ids = parts["train"].chosen
    written.append(write_difficulty(folder, chosen_ids, events.event_source, near.similarity))
    written.append(write_dropped(folder, articles, found))
    if articles.pages is not None:
        written.append(write_left_out(folder, articles.pages))
    if ballots:
        written.append(write_votes(folder, ballots))
    manifest = {
        "schema": 1,
        "candidly": __version__,
        "articles": len(articles.ids),
        "categories": len(articles.categories),
        "events": len(articles),
        "corpus": fingerprint(articles),
        "pages": None if articles.pages is None else pages_read(articles.pages),
        "settings": asdict(asked),
        "stages": [asdict(stage) for stage in found.stages],
        "dropped": found.reasons(),
        "votes": {ballot.asks: ballot.told() for ballot in ballots},
        "sources": source_rows(source, labels, part),
        "embedding": told,
        "files": {name: _sha256(folder / name) for name in written},
    }
    write_json(manifest, folder / MANIFEST, again=True)
    return Benchmark(folder, manifest)


def class_names(paths: Sequence[Path]) -> tuple[str, ...]:
    """The finest name of each class; the whole path where two have the same.

    >>> class_names([("Pets", "Dogs", "Grooming"), ("Pets", "Cats", "Grooming"), ("Pets", "Fish")])
    ('Pets > Dogs > Grooming', 'Pets > Cats > Grooming', 'Fish')
    """
    short = [path[-1] for path in paths]
    return tuple(
        name if short.count(name) == 1 else " > ".join(path) for name, path in zip(short, paths)
    )


def fingerprint(articles: Articles) -> str:
    """SHA-256 of all that articles say."""
    whole = hashlib.sha256()
    whole.update(json.dumps([articles.ids.tolist(), articles.categories]).encode())
    whole.update(articles.category.tobytes() + articles.article.tobytes())
    for text in articles.texts:
        whole.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return whole.hexdigest()


def _clear(folder: FilePath) -> None:
    """Remove what an earlier build says it has written there, itself first."""
    path = folder / MANIFEST
    if not path.exists():
        return
    told = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    for name in told.get("files", {}):
        file = (folder / name).resolve()
        if file.is_relative_to(folder.resolve()):
            file.unlink(missing_ok=True)


def chosen_events(
    articles: Articles,
    asked: BuildSettings,
    keep: Callable[[Path], bool] = lambda path: True,
    votes: CategoryVotes | None = None,
    language: Language = ENGLISH,
    watch: OnStep = lambda what, done, total: None,
) -> tuple[Funnel, list[Ballot]]:
    """All filters, and what votes came to; arguments as for ``build``.

    Raises:
        ValueError: votes are missing.
    """
    found = funnel(
        articles,
        language,
        shortest=asked.shortest,
        longest=asked.longest,
        more_than=asked.more_than,
        watch=lambda done, total: watch("filtering events", done, total),
    )
    sizes = {one: n for one, n in sizes_of(found).items() if keep(articles.categories[one])}
    if votes is None:
        return keep_categories(found, sizes), []
    wanted, ballots = choose_events(articles.categories, sizes, votes, asked.people, asked.agree)
    return keep_categories(found, wanted), ballots


def _classes(found: Funnel, categories: Sequence[Path]) -> np.ndarray:
    """The categories that are classes, in the order in which the benchmark has them: int64 (q,).

    Raises:
        ValueError: fewer than two are left.
    """
    there = found.category[found.choosen_id >= 0]
    _, first = np.unique(there, return_index=True)
    classes = there[np.sort(first)].astype(np.int64)
    if len(classes) < 2:
        left = "none is" if not len(classes) else f"only {categories[classes[0]][-1]!r} is"
        sizes = np.sort(np.bincount(found.category[found.step_id >= 0], minlength=2))[-2:]
        raise Refusal(
            f"a benchmark has at least two classes, and {left} left behind the filters; the two "
            f"largest categories have {sizes[1]:,} and {sizes[0]:,} events.",
            "bring more articles",
            "lower `more_than`",
            "keep more categories",
        )
    return classes


def _numbers(beyond: Collection[str], names: Sequence[str]) -> list[int]:
    unknown = sorted(set(beyond) - set(names))
    if unknown:
        raise ValueError(
            f"{unknown[0]!r} is to be beyond common sense and is no class. Classes: "
            f"{', '.join(names[:10])}{', ...' if len(names) > 10 else ''}."
        )
    return [names.index(name) for name in beyond]


def _vectors(
    found: Funnel,
    work: FilePath,
    asked: BuildSettings,
    embed: embedding.Embedding | None,
    watch: OnStep,
) -> tuple[np.ndarray, dict[str, Any]]:
    """Representations of all events that the TF-IDF filter left, by step id; what is told of them.

    Raises:
        ValueError: no such embedding, or it returned something else.
    """
    chosen = embed or embedding.named(asked.embedding)
    left = found.step_id >= 0
    texts = embedding.windows(found.texts[left].tolist(), found.verb[left].tolist())
    key = _hashed(asked.embedding if embed else embedding.known_by(asked.embedding), *texts)

    def make() -> dict[str, np.ndarray]:
        vectors = chosen(texts, lambda done, total: watch("representing events", done, total))
        return {"vectors": embedding.checked(vectors, len(texts))}

    # one's own embedding may be another one under the same name
    vectors = (_kept(work, "vectors", key, make) if embed is None else make())["vectors"]
    return vectors, {
        "name": asked.embedding,
        "dimensions": vectors.shape[1],
        "hash of the first events": embedding.probe_of(vectors[: embedding.PROBED]),
        "events without any": int((vectors == 0).all(1).sum()),
    }


def _search(
    events: noise.Events, mine: np.ndarray, pool: np.ndarray, work: FilePath, watch: OnStep
) -> noise.Likeness:
    arrays = (mine, pool, events.labels, events.source, events.parents, events.pool_parents)
    key = _hashed(*(np.ascontiguousarray(array).tobytes() for array in arrays))

    def told(done: int, total: int) -> None:
        watch("looking for what is alike", done, total)

    def make() -> dict[str, np.ndarray]:
        near = events.search(mine, pool, told)
        return {"near": near.chooser.near, "similarity": near.similarity}

    kept = _kept(work, "neighbours", key, make)
    return events.search(mine, pool, known=(kept["near"], kept["similarity"]))


def _noises(
    folder: FilePath,
    asked: BuildSettings,
    events: noise.Events,
    near: noise.Likeness,
    table: files.EventTable,
    names: Sequence[str],
    pool: files.Pool,
    watch: OnStep,
) -> list[str]:
    """Every noisy file, checked before it is written; returns their names."""
    rates = {rate: noise.mixed(events, near, rate) for rate in asked.rates}
    check_mixed(events, rates)
    made = [("mix", rate, origin) for rate, origin in rates.items()]
    for source, mode in enumerate(noise.MODES):
        if (events.event_source == source).any():
            origin = noise.single(events, near, source, asked.single, asked.rate_of)
            made.append((mode, asked.single, origin))
    written = []
    for number, (mode, rate, origin) in enumerate(made, 1):
        check_replaced(events, origin)
        written.append(files.write_replaced(folder, mode, rate, table, names, pool, origin))
        watch("writing files", number, len(made) + len(asked.rates))
    for number, rate in enumerate(asked.rates, len(made) + 1):
        given = noise.flipped(table.labels, len(names), rate, asked.seed)
        written.append(files.write_flipped(folder, rate, table, names, given))
        watch("writing files", number, len(made) + len(asked.rates))
    return written


def _kept(
    work: FilePath, name: str, key: str, make: Callable[[], dict[str, np.ndarray]]
) -> dict[str, np.ndarray]:
    """What an earlier build made of the same, or else what is made now, and kept."""
    path = work / f"{name}.npz"
    if path.exists():
        arrays, note = read_arrays(path)
        if note is not None and note.get("key") == key:
            return arrays
    arrays = make()
    write_arrays(path, arrays, {"key": key}, again=True)
    return arrays


def _hashed(*parts: str | bytes) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass"))
        whole.update(b"\0")
    return whole.hexdigest()


def _sha256(path: FilePath) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
