"""Pictures of shapes in a folder for each class, of which some are in the wrong folder.

``WRONG`` says which pictures.
"""

from __future__ import annotations

import io
import math
import random

from PIL import Image, ImageDraw

N = 300
SIDE = 24  # pixels
SHAPES = ("circle", "square", "triangle")
CORNERS = {"square": 4, "triangle": 3}
WRONG = {row: 1 + row % 2 for row in range(11, N, 20)}  # picture -> how many folders further


def files() -> dict[str, bytes]:
    """``shapes/CLASS/shape-NNN.png``: 300 pictures in shades of grey, 24 x 24 pixels."""
    draw = random.Random(3)
    found = {}
    for row in range(N):
        shape = draw.choice(SHAPES)
        folder = SHAPES[(SHAPES.index(shape) + WRONG.get(row, 0)) % 3]
        found[f"shapes/{folder}/shape-{row:03}.png"] = _picture(shape, draw)
    return found


def _picture(shape: str, draw: random.Random) -> bytes:
    """A shape of random size, place, turn and shade, with noise, as a PNG file."""
    paper = draw.randint(150, 230)
    image = Image.new("L", (SIDE, SIDE), paper)
    radius = draw.uniform(6, 9)
    x, y = (SIDE / 2 + draw.uniform(-2.5, 2.5) for _ in range(2))
    ink = draw.randint(10, 90)
    pen = ImageDraw.Draw(image)
    if shape in CORNERS:
        sides = CORNERS[shape]
        turn = draw.uniform(-0.3, 0.3) - math.pi / 2 + math.pi / sides * (sides == 4)
        angles = [turn + 2 * math.pi * corner / sides for corner in range(sides)]
        pen.polygon([(x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles], ink)
    else:
        pen.ellipse((x - radius * 0.9, y - radius * 0.9, x + radius * 0.9, y + radius * 0.9), ink)
    pixels = bytearray(image.tobytes())
    for place, shade in enumerate(pixels):
        pixels[place] = min(255, max(0, round(shade + draw.gauss(0, 18))))
    image.frombytes(bytes(pixels))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()
