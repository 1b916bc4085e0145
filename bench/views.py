"""Views of pictures, a batch at a time, beside Pillow's one picture at a time.

Both sides make the same views of the same pixels, by the same random words, as float32, normalised,
in batches of 256 on one thread; ``tests/learn/views/test_against_pillow.py`` compares what they
make.
Ours is ``Examples.take``: it gathers rows, draws their words, makes the view and normalises. Pillow
is ``_pillow_views.py``, whose words are there before the clock starts. Its pictures become numbers
with torch, by the steps of torchvision's ToTensor and Normalize, or with NumPy, which is faster.
Figures are processor time, medians over rounds in which the sides take turns.

Where torchvision can be imported, its own loader of these views is timed, too; where kornia can,
its operations are timed and compared with Pillow's.

    python bench/views.py            about five minutes; writes bench/results/views.json
    python bench/views.py --quick    under half a minute
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec

from candidly.ground.process import tune_memory

tune_memory()  # before torch allocates, as in candidly's own processes

import numpy as np  # noqa: E402
import torch  # noqa: E402
from PIL import Image  # noqa: E402

import _pillow_views as pillow  # noqa: E402
from _bench import Claim, at_least, interleaved, main, median_ratio  # noqa: E402
from candidly.data.labels.labelled import Labelled  # noqa: E402
from candidly.ground.seeds import words  # noqa: E402
from candidly.learn.engine.examples import Examples, make_examples  # noqa: E402
from candidly.learn.views import erasing, geometry, view_of_pictures  # noqa: E402
from candidly.learn.views.crops import random_parts  # noqa: E402
from candidly.learn.views.policies import FUNCTIONS, UNCHANGED  # noqa: E402
from candidly.learn.written.policy import OPERATIONS  # noqa: E402

BATCH, SIDE, ROWS = 256, 32, 5_120
VIEWS = {
    "plain": pillow.plain,
    "weak": pillow.weak,
    "strong": pillow.strong,
    "distill": pillow.distill,
}
TARGETS = {  # times faster, at least
    ("four views", "Pillow and torch"): 5,
    ("four views", "torchvision's loader"): 5,
    ("weak", "torchvision's loader"): 20,
}
Side = Callable[[], float]


def make_pixels() -> np.ndarray:
    """Random pixels, smooth as pictures are: uint8 (ROWS, SIDE, SIDE, 3)."""
    g = np.random.default_rng(0)
    coarse = g.integers(0, 256, (ROWS, SIDE // 4, SIDE // 4, 3)).repeat(4, 1).repeat(4, 2)
    return (coarse + g.integers(-20, 21, coarse.shape)).clip(0, 255).astype(np.uint8)


def make_examples_of(pixels: np.ndarray) -> Examples:
    data = Labelled(inputs=pixels, classes=("a", "b"), truth=np.arange(len(pixels)) % 2)
    return make_examples(data, ("truth",), "plench")


def draw(rows: np.ndarray, block: int) -> np.ndarray:
    return words(0, "x", 0, rows, block)


def by_torch(image: Image.Image) -> torch.Tensor:
    """To tensor and normalised as torchvision's ToTensor and Normalize do it."""
    pixels = torch.from_numpy(np.array(image)).permute(2, 0, 1).contiguous()
    return pixels.to(torch.float32).div_(255).sub_(MEAN).div_(STD)


def by_numpy(image: Image.Image) -> torch.Tensor:
    return torch.from_numpy(pillow.numbers(image))


MEAN, STD = torch.from_numpy(pillow.MEAN), torch.from_numpy(pillow.STD)


class Work:
    """The two sides' work on batches of the same rows."""

    def __init__(self) -> None:
        self.examples = make_examples_of(make_pixels())
        self.pixels = self.examples.inputs.numpy()
        self.rows = np.random.default_rng(1).permutation(ROWS).reshape(-1, BATCH)
        self.drawn = [draw(self.rows[0], block).tolist() for block in range(pillow.BLOCKS)]

    def ours(self, views: Mapping[str, Callable], batches: int = 1) -> None:
        """Of all rows, so many batches at once, as a stack of as many trials takes them."""
        for rows in self.rows.reshape(-1, batches * BATCH):
            own = torch.from_numpy(rows)
            for view in views:
                change = partial(view_of_pictures(view), draw=partial(draw, rows))
                self.examples.take(own, None if view == "plain" else change)

    def pillows(self, views: Mapping[str, Callable], numbers: Callable) -> None:
        """Of the first batch."""
        made: dict[str, list[torch.Tensor]] = {view: [] for view in views}
        for at, row in enumerate(self.rows[0]):
            image, own = pillow.picture(self.pixels[row]), partial(self.words, at)
            for view, change in views.items():
                made[view].append(numbers(change(image, own)))
        for each in made.values():
            torch.stack(each)

    def loaded(self, views: tuple[str, ...]) -> None:
        """Of the first batch, by torchvision, under random numbers of its own."""
        from _torchvision_views import VIEWS as LOADER

        made: dict[str, list[torch.Tensor]] = {view: [] for view in views}
        for row in self.rows[0]:
            image = pillow.picture(self.pixels[row])
            for view in views:
                made[view].append(LOADER[view](image))
        for each in made.values():
            torch.stack(each)

    def words(self, at: int, block: int) -> list[int]:
        return self.drawn[block][at]


def spent(work: Callable[[], object], pictures: int = BATCH, repeat: int = 1) -> Side:
    """A side: processor seconds a picture."""
    work()

    def side() -> float:
        start = time.process_time()
        for _ in range(repeat):
            work()
        return (time.process_time() - start) / (repeat * pictures)

    return side


def microseconds(name: str, seconds: list[float]) -> Claim:
    return Claim(f"{name}, us a picture", 1e6 * statistics.median(seconds))


def whole_views(work: Work, rounds: int) -> Iterator[Claim]:
    asked = {"four views": VIEWS, **{view: {view: change} for view, change in VIEWS.items()}}
    for name, views in asked.items():
        others = {
            "Pillow and torch": partial(work.pillows, views, by_torch),
            "Pillow and NumPy": partial(work.pillows, views, by_numpy),
        }
        if find_spec("torchvision"):
            others["torchvision's loader"] = partial(work.loaded, tuple(views))
        ours = spent(partial(work.ours, views), ROWS)
        mine, *theirs = interleaved(rounds, ours, *map(spent, others.values()))
        yield microseconds(f"{name}: ours", mine)
        for label, side in zip(others, theirs):
            yield microseconds(f"{name}: {label}", side)
            faster, ratio = f"{name}: times faster than {label}", median_ratio(side, mine)
            target = TARGETS.get((name, label))
            yield at_least(faster, ratio, target) if target else Claim(faster, ratio)


def stacked(work: Work, rounds: int) -> Iterator[Claim]:
    (times,) = interleaved(rounds, spent(partial(work.ours, VIEWS, len(work.rows)), ROWS))
    yield microseconds(f"four views, {len(work.rows)} batches at once: ours", times)


def operations(work: Work, rounds: int) -> Iterator[Claim]:
    """Of a whole batch each; a strong view does each to a fourteenth of it, three times."""
    for name, ours, pillows in operation_sides(work):
        mine, theirs = interleaved(rounds, spent(ours, repeat=4), spent(pillows))
        yield microseconds(f"{name}: ours", mine)
        yield microseconds(f"{name}: Pillow", theirs)


def operation(name: str, pixels: torch.Tensor, values: np.ndarray) -> torch.Tensor:
    """One of candidly's operations, whether it has magnitudes or not."""
    return FUNCTIONS[name](pixels, *([] if OPERATIONS[name] is None else [values]))


def operation_sides(work: Work) -> Iterator[tuple[str, Callable, Callable]]:
    """Name, ours of a batch, and Pillow's of each of its pictures."""
    rows, g = work.rows[0], np.random.default_rng(2)
    images = [pillow.picture(work.pixels[row]) for row in rows]
    pixels = torch.from_numpy(work.pixels[rows].transpose(0, 3, 1, 2).copy())

    def sides(ours: Callable, theirs: Callable, *values: np.ndarray) -> tuple[Callable, Callable]:
        each = [value.tolist() for value in values]
        return partial(ours, pixels, *values), lambda: list(map(theirs, images, *each))

    which = g.random(BATCH) < 0.5
    yield "mirror, half of them", *sides(geometry.mirrored, pillow.mirrored, which)
    top, left = g.integers(0, SIDE // 4 + 1, (2, BATCH))
    yield (
        "pad and crop",
        *sides(
            lambda pixels, top, left: geometry.cropped(pixels, top - SIDE // 8, left - SIDE // 8),
            pillow.padded_crop,
            top,
            left,
        ),
    )
    parts = random_parts(SIDE, SIDE, partial(draw, rows))
    yield "resized crop", *sides(geometry.resized_crop, pillow.resized_crop, *parts)
    square = draw(rows, 0)
    yield "black square", *sides(erasing.hole, pillow.hole, square)
    yield "grey square", *sides(erasing.grey_square, pillow.grey_square, square)
    for name, low, high in pillow.RANDAUGMENT:
        if name != UNCHANGED:
            values = g.uniform(low, high, BATCH)
            values = values.astype(np.int64) if name == "posterize" else values
            yield name, *sides(partial(operation, name), pillow.OPERATIONS[name], values)


def rest(work: Work, rounds: int) -> Iterator[Claim]:
    """What a view costs beside its operations."""
    rows = work.rows[0]
    inputs, own = work.examples.inputs, torch.from_numpy(rows)
    pixels = [work.pixels[row] for row in rows]
    images = [pillow.picture(each) for each in pixels]
    numbers = [by_numpy(image) for image in images]
    sides = {
        "ours, random words of a block": partial(draw, rows, 0),
        "ours, rows": partial(inputs.index_select, 0, own),
        "ours, rows, plane by plane": lambda: (
            inputs.index_select(0, own).permute(0, 3, 1, 2).contiguous()
        ),
        "ours, rows, plane by plane, normalised": partial(work.examples.take, own),
        "Pillow, picture of an array": lambda: list(map(pillow.picture, pixels)),
        "Pillow, normalised with NumPy": lambda: list(map(by_numpy, images)),
        "Pillow, normalised with torch": lambda: list(map(by_torch, images)),
        "Pillow, batch of pictures": partial(torch.stack, numbers),
    }
    for name, each in zip(sides, interleaved(rounds, *map(spent, sides.values()))):
        yield microseconds(f"rest: {name}", each)


def by_kornia(work: Work, rounds: int) -> Iterator[Claim]:
    """What there is of the operations in kornia, and in how many pictures it equals Pillow."""
    import _kornia_views as kornia

    rows = work.rows[0]
    parts = random_parts(SIDE, SIDE, partial(draw, rows))
    for name, made, images in kornia.operations(work.pixels[rows], parts):
        (times,) = interleaved(min(rounds, 9), spent(made))
        yield microseconds(f"kornia, {name}", times)
        if images is not None:
            largest = kornia.apart(made(), images)
            equal = 100 * (largest == 0).mean()
            yield Claim(f"kornia, {name}: pictures equal to Pillow's, %", equal)
            yield Claim(f"kornia, {name}: largest difference of a level", float(largest.max()))


def measure(quick: bool) -> list[Claim]:
    torch.set_num_threads(1)
    work, rounds = Work(), 3 if quick else 25
    parts = [whole_views, stacked, operations, rest, *[by_kornia] * bool(find_spec("kornia"))]
    return [claim for part in parts for claim in part(work, rounds)]


if __name__ == "__main__":
    main("views", __doc__ or "", measure)
