"""What a confined program sees of the host: its inputs, the system's programs and its Python."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ._start import CannotStart

NOBODY = 65534  # the user and group of a confined program

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/sys/devices/system/cpu")
ETC = (
    "alternatives",
    "host.conf",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "nsswitch.conf",
    "protocols",
    "services",
)
ETC_OF_THE_NETWORK = ("ca-certificates", "pip.conf", "pki", "resolv.conf", "ssl")
TEXTS = {
    "/etc/passwd": f"root:x:0:0::/:/bin/false\nnobody:x:{NOBODY}:{NOBODY}::/tmp:/bin/sh\n",
    "/etc/group": f"root:x:0:\nnogroup:x:{NOBODY}:\n",
}
INSTALLED = "installed"  # the folder of a virtual environment that pip filled
TAKEN = {"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "proc", "sys", "dev"} | {
    "out",
    "tmp",
    "root",
}


@dataclass(frozen=True)
class Root:
    """What is where in a confined program's root.

    ``folders`` are folders or files of the host by where they are seen, read-only; ``links`` are
    symbolic links by where they are, with their targets; ``texts`` are small files; ``writable``
    are empty folders in memory, with their sizes in bytes.
    """

    folders: Mapping[str, Path]
    links: Mapping[str, str]
    texts: Mapping[str, str]
    writable: Mapping[str, int]

    def parents(self) -> list[str]:
        """The folders above what is shown, outermost first."""
        paths = [Path(path) for path in (*self.folders, *self.texts)]
        above = {folder for path in paths for folder in path.parents if folder != Path("/")}
        inside = [Path(path) for path in (*self.folders, "/dev")]
        return sorted(str(folder) for folder in above if not within(folder, inside))


def shown(
    readable: Mapping[str, Path], sizes: Mapping[str, int], network: bool, virtual: Path | None
) -> Root:
    """What a program sees, ``readable`` and empty folders of these sizes at ``/NAME``."""
    folders: dict[str, Path] = {}
    links = {}
    for path in SYSTEM:
        if os.path.islink(path):
            links[path] = os.readlink(path)
        elif os.path.exists(path):
            folders[path] = Path(path)
    for name in ETC + (ETC_OF_THE_NETWORK if network else ()):
        if os.path.exists(f"/etc/{name}"):
            folders[f"/etc/{name}"] = Path("/etc", name).resolve()
    folders |= {
        str(path): path.resolve() for path in of_python(virtual) if not within(path, SYSTEM)
    }
    folders |= {f"/{name}": handed(name, path) for name, path in readable.items()}
    return Root(folders, links, TEXTS, {f"/{name}": size for name, size in sizes.items()})


def handed(name: str, path: Path) -> Path:
    """A file or folder that a program is handed, where its user may read it."""
    if not name.isidentifier() or name in TAKEN:
        raise ValueError(f"{name!r} cannot be the name of what a program is handed: take another")
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise CannotStart(f"{path} cannot be shown to a program: {error.strerror}") from None
    needed = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
    if os.geteuid() == 0 and mode & needed != needed:
        raise CannotStart(
            f"{path} can be read by its owner alone, and a program has another user than root: "
            f"chmod -R o+rX {path}"
        )
    return path.resolve()


def of_python(virtual: Path | None = None) -> list[Path]:
    """The folders of this Python, a virtual environment's, and candidly's where it is elsewhere."""
    found = {Path(p).absolute() for p in (sys.prefix, sys.base_prefix, sys.base_exec_prefix)}
    found |= {virtual.absolute()} if virtual else set()
    found |= {path.resolve() for path in found}
    package = Path(__file__).absolute().parents[2]
    if not within(package, found):
        found.add(package)
    return sorted(path for path in found if not within(path, found - {path}))


def import_path() -> str | None:
    """Where a program must look for candidly, in case its Python does not do so by itself."""
    package = Path(__file__).absolute().parents[2]
    return str(package.parent) if package in of_python() else None


def virtual_path(virtual: Path) -> str:
    """Where programs of a virtual environment are, for PATH: what pip put there, and its Python."""
    return f"{virtual / INSTALLED / 'bin'}:{virtual / 'bin'}"


def within(path: Path, folders) -> bool:
    return any(path == Path(f) or Path(f) in path.parents for f in folders)
