"""Pages that are made from committed results: written, or compared with what is there."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from candidly.ground.files import replacing


def options_of(about: str | None) -> argparse.ArgumentParser:
    """The options that every study has; others are added to them.

    Args:
        about: the docstring of the command.
    """
    spec = sys.modules["__main__"].__spec__
    parser = argparse.ArgumentParser(
        prog=None if spec is None else f"python -m {spec.parent}",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--check", action="store_true", help="exit 1 when a file would change")
    parser.add_argument("--quick", action="store_true", help="write nothing")
    return parser


def data_to_train(asked: argparse.Namespace) -> Path | None:
    """The folder of real files, where there is one and something is to be written."""
    folder = os.environ.get("CANDIDLY_DATA")
    return Path(folder) if folder and not (asked.check or asked.quick) else None


def differing(wanted: Mapping[Path, bytes], there: Iterable[Path] = ()) -> list[Path]:
    """Files that are missing or different, and those ``there`` that are not wanted any more."""
    changed = {p for p, text in wanted.items() if not p.exists() or p.read_bytes() != text}
    return sorted(changed | (set(there) - set(wanted)))


def settle(
    wanted: Mapping[Path, bytes],
    asked: argparse.Namespace,
    command: str,
    there: Iterable[Path] = (),
) -> None:
    """Write what differs; or, as the options have it, say so, and exit with 1 on ``--check``.

    Args:
        command: what writes these files.
        there: files of former pages; those that are not wanted any more are removed.
    """
    changed = differing(wanted, there)
    for path in changed:
        if asked.check:
            print(f"{path} is not up to date: run `{command}`.", file=sys.stderr)
        elif asked.quick:
            print(f"{path} would change")
        elif path in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as file:
                file.write(wanted[path])
            print(f"wrote {path}")
        else:
            path.unlink()
            print(f"removed {path}")
    if asked.check and changed:
        sys.exit(1)


def files_of(page: tuple[str, Mapping[str, str]], name: str, docs: Path) -> dict[Path, bytes]:
    """What belongs where, of a page's text and its figures."""
    text, images = page
    return {docs / name: text.encode()} | {
        docs / "images" / image: svg.encode() for image, svg in images.items()
    }


def write_text(path: Path, value: object) -> None:
    """JSON that people can read."""
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
    with replacing(path) as file:
        file.write(f"{text}\n".encode())


def filled(page: str, parts: Mapping[str, str]) -> str:
    """The page with what lies between ``<!-- name -->`` and ``<!-- / -->`` replaced."""
    for name, text in parts.items():
        place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- / -->)", re.DOTALL)
        page, count = place.subn(lambda match, text=text: match[1] + text + "\n" + match[2], page)
        if count != 1:
            raise ValueError(f"the page has {count} places named {name}.")
    return page
