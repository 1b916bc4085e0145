"""Virtual environments of submissions: what their ``requirements.txt`` asks for, made once.

pip runs confined like the submission itself, as what it installs may run programs of its own. The
packages of this Python, candidly among them, are there too, behind those that were installed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import stat
import sys
import sysconfig
import venv
from pathlib import Path

from ...ground.problem import why
from ._shown import INSTALLED
from ._watch import check_regular, read_regular
from .confine import Limits, confined

__all__ = ["CannotInstall", "environment_for"]

REQUIREMENTS = "requirements.txt"
MOST_BYTES = 1 << 20  # of requirements.txt
MADE = "made.txt"  # written last, and says what for
LIMITS = Limits(
    seconds=1800.0,
    memory_bytes=16 << 30,
    processes=128,
    output_bytes=8 << 30,
    scratch_bytes=8 << 30,
)
# what pip may need to know of the network here
NETWORK = (
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_TRUSTED_HOST"),
)


class CannotInstall(RuntimeError):
    """What a submission asks for could not be installed."""


def environment_for(submission: Path, at: Path, install: bool) -> Path | None:
    """The virtual environment of a submission, at ``at``; None where it asks for no packages.

    It is made if it is not there, is half-made, or was made for other requirements. pip has the
    submission's folder and, only with ``install``, the network: without it a requirement must be a
    file of the submission or be met by the packages of this Python.

    Raises ``CannotInstall`` where pip fails, and ``ValueError`` where ``requirements.txt`` is not a
    regular file of text.
    """
    text = _requirements(submission)
    if text is None:
        return None
    key = hashlib.sha256(f"{sys.version}\n{sys.prefix}\n{text}".encode()).hexdigest()
    made = at / MADE
    if made.is_file() and made.read_text() == key:
        return at
    shutil.rmtree(at, ignore_errors=True)
    at = at.absolute()
    venv.EnvBuilder(symlinks=True, with_pip=False).create(at)
    at.chmod(0o755)
    _look_in(at)
    _install(submission, at, install)
    made.write_text(key)
    return at


def _requirements(submission: Path) -> str | None:
    """The text of requirements.txt, None where it asks for nothing."""
    folder = os.open(submission, os.O_RDONLY | os.O_DIRECTORY)
    try:
        text = read_regular(folder, REQUIREMENTS, MOST_BYTES).decode()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ValueError(
            f"{submission / REQUIREMENTS} cannot be read{why(error, ': {}')}."
        ) from None
    finally:
        os.close(folder)
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return text if any(lines) else None


def _look_in(at: Path) -> None:
    """Has the environment's Python look where pip installs, then where this Python looks."""
    paths = {"base": f"{at}/{INSTALLED}", "platbase": f"{at}/{INSTALLED}"}
    own = {sysconfig.get_path(name, "venv", paths) for name in ("purelib", "platlib")}
    here = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
    lines = [f"import site; site.addsitedir({folder!r})" for folder in sorted(own)]
    lines += [*sorted(here), str(Path(__file__).absolute().parents[3])]
    folder = Path(sysconfig.get_path("purelib", "venv", {"base": str(at), "platbase": str(at)}))
    (folder / "packages.pth").write_text("\n".join(lines) + "\n")


def _install(submission: Path, at: Path, network: bool) -> None:
    """Fills the environment's folder of packages by pip, which sees only the submission."""
    python = str(at / "bin" / "python")

    def command(places):
        options = ["--no-cache-dir", "--no-input", "--disable-pip-version-check", "--no-compile"]
        options += ["--no-warn-script-location", *([] if network else ["--no-index"])]
        script = 'cd "$1" && shift && exec "$@"'
        install = [python, *_pip(), "install", "--prefix", f"{places['out']}/{INSTALLED}"]
        lines = ["sh", "-c", script, "pip", places["submission"], *install]
        return [*lines, *options, "-r", REQUIREMENTS]

    with confined(
        command,
        readable={"submission": submission},
        wanted=(),
        limits=LIMITS,
        environment={name: os.environ[name] for name in NETWORK if network and name in os.environ},
        network=network,
        virtual=at,
    ) as (ended, out):
        if ended.how != "ended" or ended.code:
            end = "\n".join(ended.log.decode(errors="replace").strip().splitlines()[-8:])
            why = f"pip ended with status {ended.code}" if ended.code else f"limit of {ended.how}"
            hint = "" if network else "; it had no network, as nobody asked for one"
            raise CannotInstall(
                f"{submission / REQUIREMENTS} cannot be installed ({why}{hint}):\n{end}"
            )
        (at / INSTALLED).mkdir()
        if (out / INSTALLED).is_dir() and not (out / INSTALLED).is_symlink():
            try:
                _copy(out / INSTALLED, at / INSTALLED, LIMITS.output_bytes)
            except ValueError as error:
                raise CannotInstall(f"what pip installed cannot be kept: {error}") from None


def _pip() -> list[str]:
    """Arguments by which a Python runs pip: this Python's, or that which comes with it."""
    if importlib.util.find_spec("pip"):
        return ["-m", "pip"]
    if found := importlib.util.find_spec("ensurepip"):
        assert found.origin is not None
        for wheel in Path(found.origin).parent.glob("_bundled/pip-*.whl"):
            return [f"{wheel}/pip"]
    raise CannotInstall(f"{sys.executable} has no pip: install it, with python -m ensurepip")


def _copy(source: Path, target: Path, most: int) -> None:
    """Copies a folder that a stranger wrote into an empty one: its regular files and links.

    Nothing is written through a link, as every folder here is made for one there.
    """
    folders = [(source, target)]
    while folders:
        inside, copied = folders.pop()
        for entry in os.scandir(inside):
            path = copied / entry.name
            if entry.is_symlink():
                path.symlink_to(os.readlink(entry.path))
            elif entry.is_dir():
                path.mkdir()
                folders.append((Path(entry.path), path))
            else:
                status = entry.stat(follow_symlinks=False)
                check_regular(status, most)
                most -= status.st_size
                shutil.copyfile(entry.path, path, follow_symlinks=False)
                path.chmod(0o755 if status.st_mode & stat.S_IXUSR else 0o644)
