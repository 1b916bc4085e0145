"""Pictures for docs/images: of the review app, running, on projects made from digits, and of pages.

    python docs/screenshots.py [NAME...]

needs chromium and ``candidly[dev,review]``. A picture more is a line in ``SHOTS``, or in ``PAGES``.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from sklearn.datasets import load_digits

from candidly import from_arrays, review
from candidly.compare import built_document, read_built
from candidly.compare.corpora import BuildSettings, build, make_corpus
from candidly.compare.corpora.corpus import wanted

IMAGES = Path(__file__).parent / "images"
LARGEST = 100_000  # bytes
COLOURS = 64
SEEN = """() => Promise.all([...document.images].filter(
  (image) => image.getBoundingClientRect().top < innerHeight).map((image) => image.decode()))"""
NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
LOOK_ALIKES = {1: 8, 8: 1, 3: 9, 9: 3, 4: 7, 7: 4, 5: 6, 6: 5, 0: 6, 2: 7}


@dataclass(frozen=True)
class Shot:
    """A picture.

    Attributes:
        project: a name among ``PROJECTS``. who: a person's code, or ``organiser``.
        address: of the page; None: where the link leads.
        keys: pressed before. size: of the window.
    """

    project: str
    who: str = "ann"
    address: str | None = None
    keys: tuple[str, ...] = ()
    size: tuple[int, int] = (1040, 680)


SHOTS = {
    "review": Shot("check"),
    "review-labels": Shot("sets", keys=("2", "9")),
    "organiser": Shot("check", "organiser", "/organiser", size=(1040, 1000)),
    "gallery": Shot("check", "organiser", "/gallery", size=(1040, 900)),
}


def check(folder: Path) -> None:
    """Verdicts on digits, of which half have a wrong label; three people have answered most."""
    data, guessed, score = suspicious()
    looks = review.looks_of(data, folder / "media")
    items = review.items_of_data(data, range(120), guessed=guessed, score=score, looks=looks)
    rules = replace(
        review.PRESETS["verdict"],
        classes=NAMES,
        people=3,
        threshold=2,
        title="Digits",
        goal="quality",
        seed=0,  # the same pictures each time
        guidelines="Each picture is one handwritten digit. Say what was meant.",
    )
    with review.make_project(folder, items, rules, examples=data) as project:
        review.add_person(project, "ann")
        for code in ("bob", "cy", "dan"):
            answer(project, code, 100, data.truth)


def suspicious():
    """Digits, the first 120 with every other label wrong; what is guessed, and a score."""
    digits = load_digits()
    images = (digits.images * 15).astype(np.uint8)
    other = np.array([LOOK_ALIKES[label] for label in digits.target])
    wrong = (np.arange(len(other)) < 120) & (np.arange(len(other)) % 2 == 1)
    given = np.where(wrong, other, digits.target)
    guessed = np.where(wrong, digits.target, other)
    score = np.where(wrong, -0.6, -0.1) - 0.3 * np.random.default_rng(0).random(len(other))
    return from_arrays(images, given=given, truth=digits.target, classes=NAMES), guessed, score


def answer(project: review.Project, code: str, number: int, truth: np.ndarray) -> None:
    """Somebody answers so many items, mostly right."""
    person, rng = review.add_person(project, code), np.random.default_rng([*code.encode()])
    for k in range(number):
        [task] = review.next_tasks(project, person)
        right = NAMES[truth[int(Path(task.shown.payload).stem)]]
        place = "ab"[[NAMES[label] for label in task.classes].index(right)]
        if rng.random() < 0.15:
            place = str(rng.choice(["a", "b", "both", "neither", "skip"]))
        said = {"item": task.item, "choice": task.choice(place), "repeat": task.repeat}
        took = float(rng.lognormal(7.4, 0.4))
        review.answer(project, person, [review.Reply(f"{code}-{k:08}", ms=took, **said)])


def sets(folder: Path) -> None:
    """All labels that could fit, for batches of four."""
    data, *_ = suspicious()
    looks = review.looks_of(data, folder / "media")
    rules = replace(review.PRESETS["candidates"], classes=NAMES, batch=4, title="Digits", seed=0)
    rules = replace(rules, shown_px=160)
    with review.make_project(
        folder, review.items_of_data(data, range(40), looks=looks), rules
    ) as project:
        review.add_person(project, "ann")


PROJECTS = {"check": check, "sets": sets}


def building(folder: Path) -> Path:
    """The page of a benchmark of made-up articles."""
    asked = BuildSettings(more_than=75, tail_at_most=150, held=12)
    build(make_corpus(3_000), folder, asked, keep=wanted)
    built_document(read_built(folder)).write(folder / "page.html")
    return folder / "page.html"


def lost(folder: Path) -> Path:
    """The committed report of the benchmark's runs on Lost."""
    return Path(__file__).parent / "lost-report.html"


def told(folder: Path, *lines: str) -> None:
    """Run lines of the command line in a folder."""
    folder.mkdir(exist_ok=True)
    for line in lines:
        command = (sys.executable, "-m", "candidly", *shlex.split(line))
        subprocess.run(command, cwd=folder, check=True, capture_output=True)


def annotators(folder: Path) -> Path:
    """The page of the tutorial on several annotators."""
    asked = "crowd consensus answers.csv --by dawid-skene --known expert.csv --html leaves.html"
    told(folder, "example answers", asked)
    return folder / "leaves.html"


def leaderboard(folder: Path) -> Path:
    """The page of the tutorial for the owner of a benchmark."""
    classes = "--classes account,delivery,payment,product,returns"
    files = "--labels test.csv --corrected test-corrected.csv --predictions models"
    told(
        folder,
        "example leaderboard",
        "validate --votes votes.csv --into test.csv --out test-corrected.csv --undecided prune",
        f"stability {files} {classes} --audited 300 --audit-errors 6 --html ranking.html",
    )
    return folder / "ranking.html"


def ranked(folder: Path) -> Path:
    """The page of ``rank.md``: the scores that it makes, then its command."""
    text = (Path(__file__).parent / "rank.md").read_text(encoding="utf-8")
    made = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert made is not None
    folder.mkdir()
    with contextlib.chdir(folder):
        exec(compile(made[1], "rank.md", "exec"), {})
    told(folder, "rank scores.csv --groups document --slices topic --html page.html")
    return folder / "page.html"


def checked_pets(folder: Path) -> Path:
    """The page of a check of made-up animals."""
    told(folder, "example pets", "check pets.csv --label kind")
    return folder / "pets-check.html"


def digit_errors(folder: Path) -> Path:
    """The page of ``label-errors.md``: its Python up to the files, then its command."""
    text = (Path(__file__).parent / "label-errors.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    last = next(k for k, block in enumerate(blocks) if "np.save(" in block)
    folder.mkdir()
    (folder / "made.py").write_text("\n".join(blocks[: last + 1]), encoding="utf-8")
    subprocess.run([sys.executable, "made.py"], cwd=folder, check=True, capture_output=True)
    files = "--labels labels.npy --probs probs.npy --media images.npy"
    told(folder, f"errors find {files} --by margin --count 50 --html page.html")
    return folder / "page.html"


@dataclass(frozen=True)
class PageShot:
    """A picture of a page that lies in a file.

    Attributes:
        make: writes the page into a folder, and says where.
        size: of the window. dark: as people see it who prefer dark pages.
        at: a heading that the window begins with; "": the beginning.
    """

    make: Callable[[Path], Path]
    size: tuple[int, int] = (1040, 760)
    dark: bool = False
    at: str = ""

    def take(self, browser: Browser, folder: Path) -> bytes:
        width, height = self.size
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if self.dark else "light",
        )
        page = context.new_page()
        page.goto(self.make(folder).as_uri())
        if self.at:
            page.get_by_role("heading", name=self.at).evaluate("(e) => e.scrollIntoView()")
        return shrunk(page)


PAGES = {
    "check": PageShot(checked_pets, (1040, 860)),
    "check-rows": PageShot(checked_pets, at="The most suspicious"),
    "label-errors": PageShot(digit_errors, (1040, 1180)),
    "rank": PageShot(ranked, (1040, 900)),
    "benchmark-owner": PageShot(leaderboard, (1040, 900)),
    "several-annotators": PageShot(annotators, (1040, 900)),
    "building": PageShot(building),
    "report": PageShot(lost, (1040, 900)),
    "report-phone": PageShot(lost, (390, 844), dark=True, at="Learning curves"),
}


@contextmanager
def serving(folder: Path) -> Iterator[dict[str, str]]:
    """The program, serving a project; its links by who they are of."""
    command = (sys.executable, "-m", "candidly", "review", "serve", str(folder))
    options = ("--person", "ann", "--port", "0", "--json")
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["links"]
        finally:
            process.terminate()


def take(browser: Browser, shot: Shot, links: dict[str, str]) -> bytes:
    """A page as a small PNG."""
    width, height = shot.size
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(links[shot.who])
    page.click("#enter")
    if shot.address is not None:
        page.goto(page.url.split("/", 3)[0] + "//" + page.url.split("/")[2] + shot.address)
    if page.locator("#desk").count():
        page.locator("body[data-ready]").wait_for()
    for key in shot.keys:
        page.keyboard.press(key)
    page.evaluate(SEEN)
    return shrunk(page)


def shrunk(page: Page) -> bytes:
    """What the window shows, as a small PNG; closes it."""
    picture = Image.open(io.BytesIO(page.screenshot()))
    page.close()
    file = io.BytesIO()
    small = picture.convert("RGB").quantize(
        COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
    )
    small.save(file, "PNG", optimize=True)
    assert file.tell() < LARGEST, f"{file.tell()} bytes are too many for a page"
    return file.getvalue()


def main() -> None:
    asked = sys.argv[1:] or [*SHOTS, *PAGES]
    chosen = {name: SHOTS[name] for name in asked if name in SHOTS}
    with tempfile.TemporaryDirectory() as place, sync_playwright() as p:
        path = shutil.which("chromium")
        browser = p.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for project in {shot.project for shot in chosen.values()}:
            folder = Path(place) / project
            PROJECTS[project](folder)
            with serving(folder) as links:
                for name, shot in chosen.items():
                    if shot.project == project:
                        (IMAGES / f"{name}.png").write_bytes(take(browser, shot, links))
                        print(f"wrote {IMAGES / name}.png")
        for name in [name for name in asked if name not in SHOTS]:
            (IMAGES / f"{name}.png").write_bytes(PAGES[name].take(browser, Path(place) / name))
            print(f"wrote {IMAGES / name}.png")
        browser.close()


if __name__ == "__main__":
    main()
