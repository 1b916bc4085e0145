"""A test set of messages with wrong labels, five models' predictions, and people who looked.

Nobody wrote the messages and no model made the predictions: both are drawn from ``truth``, so that
it is known what the correct labels would have shown. ``wrong`` says which labels are wrong,
``BOTH`` which messages belong to two topics, ``RIGHT`` and ``FOLLOWS`` how good the models are.
"""

from __future__ import annotations

import random
from functools import cache

from ._text import csv_text

N = 2000
TOPICS = ("account", "delivery", "payment", "product", "returns")
NEAR = {  # the topic that each is mistaken for most often
    "account": "payment",
    "delivery": "returns",
    "payment": "account",
    "product": "returns",
    "returns": "delivery",
}
WRONG = 100  # wrong labels, mostly the near topic
BOTH = range(17, N, 250)  # two topics fit, the label is one of them
RIGHT = {"large": 0.925, "tuned": 0.905, "base": 0.86, "small": 0.81, "words": 0.72}
FOLLOWS = {"large": 0.08, "tuned": 0.62, "base": 0.1, "small": 0.1, "words": 0.1}
JUDGE = 0.88  # how often the model that flags labels is right
PEOPLE = ("p1", "p2", "p3", "p4", "p5")
CAREFUL = 0.92  # how often a person answers what is true
AUDITED = 300  # messages that were not flagged, drawn at random and checked
ABOUT = {
    "account": ("I cannot log in", "my password is refused", "please close my profile"),
    "delivery": ("my parcel is late", "the courier did not ring", "where is my order"),
    "payment": ("I was charged twice", "my card is declined", "the invoice is wrong"),
    "product": ("the zip is broken", "does it fit a 15 inch laptop", "the colour fades"),
    "returns": ("how do I send it back", "my refund has not come", "I want to exchange it"),
}
ENDS = ("", " please help", " since Monday", " thank you", " again", " what can I do")


def truth() -> list[str]:
    """The topic of each message, which no file has."""
    draw = random.Random(21)
    return [draw.choice(TOPICS) for _ in range(N)]


@cache
def wrong() -> dict[int, str]:
    """The wrong labels, by row."""
    draw = random.Random(22)
    topics = truth()
    rows = sorted(draw.sample([row for row in range(N) if row not in BOTH], WRONG))
    return {row: _another(topics[row], draw) for row in rows}


def labels() -> list[str]:
    """The labels that the test set was published with."""
    return [wrong().get(row, topic) for row, topic in enumerate(truth())]


def _another(topic: str, draw: random.Random) -> str:
    if draw.random() < 0.7:
        return NEAR[topic]
    return draw.choice([other for other in TOPICS if other != topic])


def messages() -> list[tuple[str, str, str]]:
    """Id, text and label of each message."""
    draw = random.Random(23)
    found = []
    for row, (topic, label) in enumerate(zip(truth(), labels(), strict=True)):
        text = draw.choice(ABOUT[topic])
        if row in BOTH:
            text += f", and {draw.choice(ABOUT[NEAR[topic]])}"
        found.append(
            (f"M{row:04}", f"Order {draw.randint(10000, 99999)}: {text}{draw.choice(ENDS)}.", label)
        )
    return found


def predictions(model: str) -> list[str]:
    """What a model says; ``tuned`` has learned from labels that were made in the same way."""
    draw = random.Random(f"leaderboard {model}")
    found = []
    for row, topic in enumerate(truth()):
        if row in wrong() and draw.random() < FOLLOWS[model]:
            found.append(wrong()[row])
        else:
            found.append(topic if draw.random() < RIGHT[model] else _another(topic, draw))
    return found


@cache
def probabilities() -> list[tuple[float, ...]]:
    """Of a further model that has not seen these messages: a row each, in order of the topics."""
    draw = random.Random(24)
    found = []
    for topic in truth():
        first = topic if draw.random() < JUDGE else _another(topic, draw)
        top = draw.uniform(0.45, 0.97)
        shares = [draw.random() ** 2 for _ in TOPICS]
        rest = sum(share for share, name in zip(shares, TOPICS, strict=True) if name != first)
        parts = [
            1000 * (top if name == first else (1 - top) * share / rest)
            for share, name in zip(shares, TOPICS, strict=True)
        ]
        whole = [int(part) for part in parts]
        whole[TOPICS.index(first)] += 1000 - sum(whole)
        found.append(tuple(part / 1000 for part in whole))
    return found


@cache
def flagged() -> dict[int, str]:
    """Rows that the model confidently takes for another topic, and for which.

    Confident is a probability of at least the mean of those that carry the label, as in confident
    learning; ``candidly errors find --by confident`` finds the same.
    """
    given = [TOPICS.index(label) for label in labels()]
    rows = probabilities()
    least = []
    for topic in range(len(TOPICS)):
        mine = [row[topic] for row, label in zip(rows, given, strict=True) if label == topic]
        least.append(sum(mine) / len(mine))
    found = {}
    for number, (row, label) in enumerate(zip(rows, given, strict=True)):
        likely = row.index(max(row))
        sure = [k for k in range(len(TOPICS)) if row[k] >= least[k]]
        proposed = sure[0] if len(sure) == 1 else likely
        if sure and label not in (likely, proposed):
            found[number] = TOPICS[proposed]
    return found


def votes() -> list[tuple[int, str, str, str]]:
    """What five people say of each flagged label: row, person, answer, the class proposed."""
    draw = random.Random(25)
    topics, given = truth(), labels()
    found = []
    for row, guess in flagged().items():
        if row in BOTH and {topics[row], NEAR[topics[row]]} == {given[row], guess}:
            right = "both"
        else:
            right = {given[row]: "given", guess: "guessed"}.get(topics[row], "neither")
        for person in PEOPLE:
            answers = ("given", "guessed", "both", "neither")
            said = right if draw.random() < CAREFUL else draw.choice(answers)
            found.append((row, person, said, guess))
    return found


def audit() -> list[tuple[str, str, str]]:
    """Messages that were not flagged, drawn at random: id, label, and what people found."""
    topics, given = truth(), labels()
    rows = [row for row in range(N) if row not in flagged()]
    drawn = sorted(random.Random(26).sample(rows, AUDITED))
    return [(f"M{row:04}", given[row], topics[row]) for row in drawn]


def files() -> dict[str, bytes]:
    """``test.csv``, ``probs.csv``, ``votes.csv``, ``audit.csv`` and ``models/``, a file each."""
    names = [row[0] for row in messages()]
    rows = [(name, *row) for name, row in zip(names, probabilities(), strict=True)]
    return {
        "test.csv": csv_text(("id", "text", "label"), messages()),
        "probs.csv": csv_text(("id", *TOPICS), rows),
        "votes.csv": csv_text(("item", "person", "answer", "guessed"), votes()),
        "audit.csv": csv_text(("id", "label", "found"), audit()),
        **{
            f"models/{model}.csv": csv_text(
                ("id", "prediction"), zip(names, predictions(model), strict=True)
            )
            for model in RIGHT
        },
    }
