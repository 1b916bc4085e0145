"""A picture of pictures: some examples of each class, with what their labels say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...ground.files import replacing
from ...ground.problem import why
from .media import opened_picture

SIDE = 96  # pixels of a picture on the sheet: three times CIFAR's
GAP = 8
LINES = 3  # of text below a picture
NAMES = 240  # pixels for the longest name of a class
TITLE, NAME, SMALL = 20, 14, 12  # sizes of text in pixels
INK, GREY, RED, PAPER = "#1a1a1a", "#6b6b6b", "#b3140a", "#ffffff"
TALL = 14  # classes below one another before a second column begins


@dataclass(frozen=True, eq=False)
class SheetPicture:
    """One example on the sheet.

    Attributes:
        picture: uint8 (h, w) or (h, w, 1, 3 or 4), or a file.
        labels: names to write below it.
        wrong: whether they leave out the true class.
    """

    picture: np.ndarray | Path
    labels: tuple[str, ...] = ()
    wrong: bool = False


@dataclass(frozen=True)
class SheetRow:
    """A class: its name, how many examples it has, and some of them."""

    name: str
    count: int
    shots: tuple[SheetPicture, ...]


def draw_sheet(path: Path, title: str, note: str, rows: Sequence[SheetRow]) -> None:
    """Writes a PNG: a row a class, in columns where there are many, each with its examples.

    Args:
        title, note: lines above; the note is in small letters.
        rows: at least one.

    Raises:
        ValueError: a file that is no picture, or a damaged one. OSError: it cannot be written.
    """
    from PIL import Image, ImageDraw

    fonts = {size: _font(size) for size in (TITLE, NAME, SMALL)}
    lines = max((len(_lines(shot, fonts[SMALL])) for row in rows for shot in row.shots), default=0)
    shots = max(1, *(len(row.shots) for row in rows))
    columns = -(-len(rows) // TALL) if len(rows) > TALL else 1
    columns = min(columns, 3)
    below = -(-len(rows) // columns)
    names = min(NAMES, int(max(fonts[NAME].getlength(row.name) for row in rows)) + 2 * GAP)
    names = max(names, 8 * GAP)
    wide = names + shots * (SIDE + GAP) + 2 * GAP
    high = SIDE + lines * (SMALL + 3) + 2 * GAP
    top = TITLE + SMALL + 5 * GAP
    size = (columns * wide + 2 * GAP, top + below * high + GAP)
    sheet = Image.new("RGB", size, PAPER)
    draw = ImageDraw.Draw(sheet)
    room = size[0] - 4 * GAP
    draw.text((2 * GAP, 2 * GAP), _cut(title, fonts[TITLE], room), INK, fonts[TITLE])
    draw.text((2 * GAP, 3 * GAP + TITLE), _cut(note, fonts[SMALL], room), GREY, fonts[SMALL])
    for place, row in enumerate(rows):
        x, y = 2 * GAP + place // below * wide, top + place % below * high
        draw.text((x, y), _cut(row.name, fonts[NAME], names - GAP), INK, fonts[NAME])
        draw.text((x, y + NAME + 4), f"{row.count:,}", GREY, fonts[SMALL])
        for number, shot in enumerate(row.shots):
            left = x + names + number * (SIDE + GAP)
            image = _image(shot.picture)
            sheet.paste(image, (left + (SIDE - image.width) // 2, y + (SIDE - image.height) // 2))
            for line, text in enumerate(_lines(shot, fonts[SMALL])):
                colour = RED if shot.wrong else INK
                draw.text((left, y + SIDE + 3 + line * (SMALL + 3)), text, colour, fonts[SMALL])
    with replacing(path) as file:
        sheet.save(file, "png")


def _image(picture: np.ndarray | Path) -> Any:
    """In colour, enlarged by a whole number without smoothing, or made smaller."""
    from PIL import Image, ImageOps

    if isinstance(picture, Path):
        with opened_picture(picture) as opened:
            opened.draft("RGB", (2 * SIDE, 2 * SIDE))  # of a JPEG, reads less
            try:
                image = ImageOps.exif_transpose(opened).convert("RGB")
            except (OSError, ValueError, SyntaxError) as error:
                raise ValueError(
                    f"{picture} cannot be read to its end{why(error)}. Replace it, or take it away."
                ) from None
    else:
        pixels = np.ascontiguousarray(picture[..., 0] if picture.shape[2:] == (1,) else picture)
        image = Image.fromarray(pixels).convert("RGB")
    if max(image.size) > SIDE:
        image.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
        return image
    times = SIDE // max(image.size)
    return image.resize((image.width * times, image.height * times), Image.Resampling.NEAREST)


def _lines(shot: SheetPicture, font: Any) -> list[str]:
    """The labels in lines that are as wide as a picture; how many more there are, at the end."""
    lines: list[list[str]] = []
    left = len(shot.labels)
    for label in shot.labels:
        if lines and font.getlength(", ".join([*lines[-1], label])) <= SIDE:
            lines[-1].append(label)
        elif len(lines) < LINES:
            lines.append([_cut(label, font, SIDE)])
        else:
            break
        left -= 1
    found = [", ".join(line) for line in lines]
    while left:
        more = f" +{left}"
        if font.getlength(found[-1] + more) <= SIDE or len(lines[-1]) == 1:
            found[-1] = _cut(found[-1], font, SIDE - font.getlength(more)) + more
            break
        lines[-1].pop()
        left += 1
        found[-1] = ", ".join(lines[-1])
    return found


def _cut(text: str, font: Any, room: float) -> str:
    """The text on one line, and as much of it as there is room for."""
    text = " ".join(text.split())
    if font.getlength(text) <= room:
        return text
    while text and font.getlength(f"{text}…") > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _font(size: int) -> Any:
    """The letters that come with Matplotlib, which has more of them than Pillow's own."""
    from matplotlib import get_data_path
    from PIL import ImageFont

    return ImageFont.truetype(str(Path(get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")), size)
