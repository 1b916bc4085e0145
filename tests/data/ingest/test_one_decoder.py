"""Who makes pixels of a picture's file: one function, in one file. By the syntax trees."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import candidly

SRC = Path(candidly.__file__).parent
DECODER = "data/ingest/media/_decode.py"
MAY = {  # others that import Pillow, and what for; none of them opens a file with it
    "data/examples/shapes.py": "draws made-up pictures",
    "data/ingest/contact_sheet.py": "draws the sheet, of pixels that the decoder gave",
    "data/ingest/media/_squares.py": "makes pixels smaller",
    "learn/encoders/_pictures.py": "makes pixels smaller or larger",
    "learn/encoders/_vision.py": "makes pixels smaller or larger, as an encoder's folder says",
    "data/ingest/previews.py": "writes pixels into a page",
    "data/ingest/media/_bare.py": "writes pixels anew",
}
LIBRARIES = ("PIL", "cv2", "imageio", "tifffile", "skimage", "torchvision", "pillow_heif", "pyvips")
# what makes pixels of bytes, by the last name; of Pillow's own objects, too
DECODES = {
    "exif_transpose", "getexif", "draft", "verify", "imread", "imdecode", "decode_image",
    "decode_jpeg", "decode_png", "read_image", "imopen",
}  # fmt: skip
OPENS = ("Image.open", "PIL.Image.open", "ImageFile.Parser", "Image.frombytes")


def imports(tree):
    """Libraries of pictures that are imported, at any depth."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module or "")
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in names if name.split(".")[0] in LIBRARIES} | {
        name for name in names if name in ("matplotlib.image", "matplotlib.pyplot.imread")
    }


def decodings(tree):
    """Calls that make pixels of a file, as they stand there."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("PIL"):
            bare = {"open", *DECODES} & {alias.name for alias in node.names}
            found += [f"{name} in line {node.lineno}" for name in bare]
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        if name.endswith(OPENS) or name.rpartition(".")[2] in DECODES:
            found.append(f"{name} in line {node.lineno}")
    return found


TREES = {
    path.relative_to(SRC).as_posix(): ast.parse(path.read_text())
    for path in sorted(SRC.rglob("*.py"))
}


def test_one_file_decodes_pictures():
    found = {name: calls for name, tree in TREES.items() if (calls := decodings(tree))}
    assert set(found) == {DECODER}, found


def test_one_function_of_it_does():
    """``pixels_of`` alone has pixels; the others there look at what stands in front of them."""
    gives = [
        function.name
        for function in ast.walk(TREES[DECODER])
        if isinstance(function, ast.FunctionDef)
        and not function.name.startswith("_")
        and "ndarray" in ast.unparse(function.returns)
    ]
    assert gives == ["pixels_of"]
    opens = [name for name in decodings(TREES[DECODER]) if name.startswith("Image.open")]
    assert len(opens) == 1


def test_who_else_knows_pillow_only_writes():
    known = {name for name, tree in TREES.items() if imports(tree)} - {DECODER}
    assert known == set(MAY)


@pytest.mark.parametrize(
    "text",
    [
        "from PIL import Image\nImage.open(path)",
        "import PIL.Image\nPIL.Image.open(path)",
        "def f():\n    from PIL.Image import open\n    return open(path)",
        "from PIL import ImageOps\nImageOps.exif_transpose(picture)",
        "picture.draft('RGB', (9, 9))",
        "import cv2\ncv2.imread(name)",
        "import matplotlib.pyplot as plt\nplt.imread(name)",
        "from torchvision.io import decode_image\ndecode_image(data)",
    ],
)
def test_a_second_decoder_is_found(text):
    assert decodings(ast.parse(text))


def test_a_library_that_is_imported_is_found():
    assert imports(ast.parse("def f():\n    import tifffile")) == {"tifffile"}
    assert imports(ast.parse("from . import Image")) == set()
