"""Speed of training on texts: padding, an update beside a plain loop, and tokenising.

``_text_sides.py`` says what is compared. Sides run in processes of their own on one thread, and
take turns; figures are medians over the rounds, of processor time. The texts are the validation
events of NoisywikiHow where ``CANDIDLY_DATA`` has them, else made up, about as long.

    python bench/text.py                      some minutes; writes bench/results/text.json
    python bench/text.py --quick              about a minute
    python bench/text.py padding              a part alone, as quickly: padding, update, tokenising
"""

from __future__ import annotations

import importlib
import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path

import torch

from _bench import Claim, at_least, at_most, interleaved, main, median_ratio
from _text_sides import (
    FIXED,
    PlainTexts,
    TextSide,
    make_text_stack,
    real_texts,
    without_dropout,
    write_bert,
)
from candidly.learn.engine.train import update

BATCH = 64
NETS = {"encoder": 8, "bilstm": 6, "bert": 8}  # updates a turn
SLOWEST = 1.05  # of a plain loop's time, at most
QUICKER = 2.5  # than batches padded to 128 tokens, at least
APART = 1e-5  # logits of the two, at most
SAME = 1e-4  # losses of the two ways, at most: sums run in another order


def same_logits(net: str, folder: Path) -> Claim:
    """Largest difference of logits between padding to the longest of a batch and to 128."""
    stack = make_text_stack(net, BATCH, folder)
    short, long = PlainTexts(stack, net, folder), PlainTexts(stack, net, folder, FIXED)
    worst = 0.0
    for plain in (short, long):
        plain.module.load_state_dict(short.module.state_dict())
        plain.module.eval()
    with torch.no_grad():
        for ids in short.order[:5]:
            apart = short.module(short.batch(ids)) - long.module(long.batch(ids))
            worst = max(worst, float(apart.abs().max().nan_to_num(torch.inf)))
    return at_most(f"{net}: largest difference of logits, padded to {FIXED}", worst, APART)


def same_losses(net: str, updates: int, folder: Path) -> Claim:
    """Largest difference between the two ways' losses, without dropout: the same work is timed."""
    without_dropout(net)
    stack = make_text_stack(net, BATCH, folder)
    plain, worst = PlainTexts(stack, net, folder), 0.0
    for _ in range(updates):
        plain.update()
        update(stack)
        worst = max(worst, abs(stack.mean_loss()[0] - plain.loss.item()))
    return at_most(f"{net}: largest difference of losses, {updates} updates", worst, SAME)


def turns(ways: tuple[str, ...], net: str, quick: bool, folder: Path) -> list[list[float]]:
    sides = [TextSide(way, net, BATCH, folder) for way in ways]
    calls = [partial(side, NETS[net]) for side in sides]
    for call in calls:
        call()
    found = interleaved(3 if quick else 9, *calls)
    for side in sides:
        side.close()
    return found


def padding(quick: bool, folder: Path) -> list[Claim]:
    claims = [Claim("real texts", float(bool(real_texts())))]
    for net in list(NETS)[: 1 if quick else None]:
        ours, fixed = turns(("ours", "fixed"), net, quick, folder)
        ratio = median_ratio(fixed, ours)
        name = f"{net}, batch {BATCH}: padded to {FIXED} over ours"
        claims += [at_least(name, ratio, QUICKER), same_logits(net, folder)]
    return claims


def updates(quick: bool, folder: Path) -> list[Claim]:
    claims = []
    for net in list(NETS)[: 2 if quick else None]:
        ours, plain = turns(("ours", "plain"), net, quick, folder)
        name = f"{net}, batch {BATCH}"
        claims += [
            Claim(f"{name}: ours, ms an update", 1e3 * statistics.median(ours)),
            Claim(f"{name}: plain loop, ms an update", 1e3 * statistics.median(plain)),
            at_most(f"{name}: ours over the plain loop", median_ratio(ours, plain), SLOWEST),
        ]
    with tempfile.TemporaryDirectory() as calm:
        write_bert(Path(calm), dropout=0.0)
        return claims + [same_losses(net, 3 if quick else 10, Path(calm)) for net in list(NETS)]


def tokenising(quick: bool, folder: Path) -> list[Claim]:
    timing = importlib.import_module("_text.tokenising")
    events = timing.EVENTS // 50 if quick else timing.EVENTS
    found = timing.run(events)
    limit = MINUTE * events / timing.EVENTS
    return [
        at_most(f"tokenising {events:,} events, {name}: s", value, limit)
        if name in QUICK
        else Claim(f"tokenising {events:,} events, {name}", value)
        for name, value in found.items()
    ]


MINUTE = 60.0  # for a million events
QUICK = ("words", "WordPiece, 8,000 pieces")  # tokenisers that know the words of their texts

PARTS = {"padding": padding, "update": updates, "tokenising": tokenising}


def measure(quick: bool, parts: list[str]) -> list[Claim]:
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        write_bert(Path(folder))
        return [claim for part in parts for claim in PARTS[part](quick, Path(folder))]


if __name__ == "__main__":
    asked = [part for part in sys.argv[1:] if part in PARTS]
    sys.argv = [word for word in sys.argv if word not in PARTS]
    if asked and "--quick" not in sys.argv:  # what a part says goes into no file
        sys.argv.append("--quick")
    main("text", __doc__ or "", partial(measure, parts=asked or list(PARTS)))
