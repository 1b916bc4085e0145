"""The version of this package, on ground that every file may stand on."""

__version__ = "0.1.0"
