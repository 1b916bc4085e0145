"""A corpus of how-to articles that nobody wrote, to try a build on without data.

A category is an activity with a thing, such as Cleaning Lamps, below the thing and its theme; so
siblings share words, and are told apart by what is done. Things have sizes that fall as 1 / rank;
an activity with a thing has up to three times the articles of another one.
Among the steps stand copies, within a category and across, steps without a verb, some that are too
short or too long, markup, accents and odd case: what the funnel is there for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...ground.seeds import draw
from .articles import Articles, Path, make_articles
from .votes import ALIKE, EVENT, SENSE, CategoryQuestion, CategoryVotes

THEMES: Mapping[str, str] = {
    "Home and Living": "lamp carpet curtain mirror drawer kettle",
    "Gardens": "hedge pond lawn fence rose greenhouse",
    "Pets": "rabbit parrot turtle hamster kitten puppy",
    "Food": "bread soup pasta salad cheese jam",
    "Crafts": "scarf quilt basket candle kite mask",
    "Travel": "bicycle scooter canoe van sled wagon",
    "Health": "back knee skin tooth scalp wrist",
    "Work": "printer folder report budget calendar desk",
}
ACTIVITIES: Mapping[str, tuple[str, str]] = {  # what is done, and with what
    "Cleaning": ("wipe scrub rinse soak dust brush", "cloth soap water vinegar sponge towel"),
    "Repairing": ("loosen tighten glue sand patch replace", "screw tape wire hinge filler clamp"),
    "Choosing": (
        "compare measure inspect weigh test judge",
        "price label seller size review offer",
    ),
    "Decorating": (
        "paint trace print sew tie varnish",
        "ribbon colour pattern bead button",
    ),
    "Storing": ("wrap pack stack seal dry fold", "box shelf bag jar rack cupboard"),
    "Making": ("mix shape cut join press stir", "bowl mould knife board thread paste"),
    "Selling": (
        "photograph list advertise ship bundle post",
        "buyer invoice parcel receipt ad",
    ),
    "Understanding": (
        "study sketch read explain name watch",
        "guide chart lesson rule video",
    ),
}
PLAIN = ("use", "place", "find", "take", "check", "keep")  # verbs of every activity
LOOKS = (
    *("small", "large", "old", "new", "heavy", "plain", "bright", "dark", "round", "flat", "soft"),
    *("rough", "clean", "cold", "warm", "dry", "wet", "long", "short", "thin"),
)
WHERE = (
    *("table", "window", "door", "floor", "garden", "kitchen", "corner", "wall", "light", "sink"),
    *("bench", "yard"),
)
HOW = ("slowly", "carefully", "gently", "firmly", "quickly", "evenly")
NAMES = (
    "The basics of the {thing}.",
    "{count} reasons for a {look} {thing}.",
    "Your {thing} and you.",
)
ODD = ("smallUrl: icon_{count}.png", "Stop!", "Go.")
UNUSUAL = ("Gardens", "Work")  # themes beyond common sense
STEPS = 10  # of an article, in the mean


def make_corpus(articles: int = 4_000, seed: int = 0) -> Articles:
    """Articles with some ten steps each.

    Args:
        articles: how many; of 4,000, some forty categories have more than 100 events in the end.

    Raises:
        ValueError: fewer than one article.
    """
    if articles < 1:
        raise ValueError(f"a corpus has at least one article, and {articles} are asked for.")
    g = draw(seed, "build.corpus")
    leaves = _leaves()
    things = sum(len(words.split()) for words in THEMES.values())
    shares = np.repeat(1 / (1 + g.permutation(things)), len(ACTIVITIES))
    shares *= g.uniform(0.5, 1.5, len(leaves))
    chosen = g.choice(len(leaves), articles, p=shares / shares.sum())
    counts = np.maximum(1, g.poisson(STEPS, articles))
    paths, events = [], []
    for leaf, count in zip(chosen.tolist(), counts.tolist()):
        theme, thing, activity = leaves[leaf]
        paths.append(_path(theme, thing, activity))
        events.append([_step(g, thing, activity) for _ in range(count)])
    return make_articles([f"article-{n}" for n in range(articles)], paths, events)


def wanted(path: Path) -> bool:
    """Which categories a build of this corpus keeps, as if people had said so: every second one."""
    return path[-1].split()[0] in list(ACTIVITIES)[::2]


def simulated_votes(
    questions: Sequence[CategoryQuestion], seed: int = 0, people: int = 3, error: float = 0.02
) -> CategoryVotes:
    """What people might say of this corpus's categories, each wrong now and then.

    Events are ``wanted`` categories; those of gardens and of work take an expert.

    Args:
        error: probability that somebody says the opposite.
    """
    g = draw(seed, "build.votes")
    right = {
        EVENT: lambda names: wanted((names[0],)),
        ALIKE: lambda names: False,
        SENSE: lambda names: not names[1].startswith(UNUSUAL),
    }
    counts = {}
    for one in questions:
        names = (one.shown.get("category", ""), one.shown.get("above it", ""))
        yes = people - int(g.binomial(people, error))
        counts[one.name] = (yes, people - yes) if right[one.asks](names) else (people - yes, yes)
    return CategoryVotes(counts)


def _leaves() -> list[tuple[str, str, str]]:
    return [
        (theme, thing, activity)
        for theme, things in THEMES.items()
        for thing in things.split()
        for activity in ACTIVITIES
    ]


def _path(theme: str, thing: str, activity: str) -> Path:
    several = thing.title() if thing.endswith("s") else f"{thing.title()}s"
    return theme, several, f"{activity} {several}"


def _step(g: np.random.Generator, thing: str, activity: str) -> str:
    """One step: mostly an imperative of the activity, sometimes what a filter should find."""
    verbs, things = (words.split() for words in ACTIVITIES[activity])
    kind, look, count = g.random(), _one(g, LOOKS), int(g.integers(2, 40))
    if kind < 0.04:
        return _one(g, NAMES).format(thing=thing, look=look, count=count)
    if kind < 0.06:
        return _one(g, ODD).format(count=count)
    if kind < 0.065:
        return f"{_one(g, verbs)} the {thing} " + "and turn it over again " * 20
    if kind < 0.09:  # the same in many categories
        return f"{_one(g, PLAIN)} a {look} {_one(g, WHERE)}."
    verb = _one(g, verbs if g.random() < 0.8 else PLAIN)
    what = thing if g.random() < 0.6 else _one(g, things)
    text = f"{verb} the {look} {what} {_end(g, things, count)}"
    if g.random() < 0.2:
        text = f"{_one(g, HOW)} {text}"
    if g.random() < 0.03:
        text = text.replace("the", "thé", 1)
    return text.title() if g.random() < 0.1 else text[0].upper() + text[1:] + "."


def _end(g: np.random.Generator, things: list[str], count: int) -> str:
    ends = (
        f"with the {_one(g, things)}",
        f"near the {_one(g, LOOKS)} {_one(g, WHERE)}",
        f"until it is {_one(g, LOOKS)}",
        f"for {count} minutes",
        f"before the {_one(g, things)} is {_one(g, LOOKS)}",
    )
    return _one(g, ends)


def _one(g: np.random.Generator, options: list[str] | tuple[str, ...]) -> str:
    return options[int(g.integers(len(options)))]
