"""A folder of pages that is there whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """A folder beside ``out`` that becomes ``out`` when the block ends well.

    Of a block that fails nothing stays. Of a process that is killed a hidden folder stays,
    ``.NAME.NUMBER.part``, and nothing under the name itself.

    Raises:
        ValueError: ``out`` holds something, or would be in no folder. OSError: it cannot be
            written.
    """
    if not out.parent.is_dir():
        raise ValueError(f"{out} would be in {out.parent}, which is no folder.")
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise ValueError(f"{out} holds something already; give a folder that is not there.")
    beside = out.with_name(f".{out.name}.{os.getpid()}.part")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        beside.mkdir()
        yield beside
        if out.exists():
            out.rmdir()
        beside.rename(out)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
