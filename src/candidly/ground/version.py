"""The version of this package, and of what its numbers come from."""

import platform
from importlib.metadata import version

__version__ = "0.1.0"


def software() -> str:
    """What numbers are made with, such as ``candidly 0.1.0, Python 3.11.7, torch ..., numpy ...``.

    Versions are those that are installed; nothing is imported for them.
    """
    parts = (f"{name} {version(name)}" for name in ("torch", "numpy"))
    return ", ".join((f"candidly {__version__}", f"Python {platform.python_version()}", *parts))
