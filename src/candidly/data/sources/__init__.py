"""Where data comes from: the table of known data sets, and ``load`` for these and for files.

Nothing here is shipped with candidly. A file that is on this machine already works in place of a
download; see ``load`` for where it is looked for.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from warnings import warn

from ...ground.files import MODEL, wrong_ending
from ...ground.names import UnknownName, same
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ...ground.spec import halves
from ...ground.spec import read as read_text
from ..ingest import SUFFIXES, Roles, load_mat, read
from ..ingest.unused import RolesUsed, refuse_unused
from ..labels.labelled import Labelled
from ._crowds import SOURCES_OF_CROWDS
from ._from_votes import with_scored
from ._images import with_pictures, with_test_part
from ._options import as_words
from ._source import Comparison, Expected, Source, compare
from .cifar10_people import CIFAR10_PEOPLE
from .cifar_n import CIFAR_N
from .digits import load_digits, load_scattered_digits
from .fetch import find_file, find_parts, warn_if_different, warn_if_parts_differ
from .noisywikihow import NOISYWIKIHOW
from .official import OFFICIAL
from .order import match_order
from .plcifar10 import PLCIFAR10

__all__ = [
    "SOURCES",
    "Comparison",
    "Expected",
    "Source",
    "as_words",
    "compare",
    "load",
    "match_order",
    "source_of",
    "title_of",
]

COMMIT = "a43c823f1cf2575e7fc74bcdfc307463e0bd44bd"
REPOSITORY = f"https://raw.githubusercontent.com/pruirui/partial_label_realworld_dataset/{COMMIT}"
PAGE = "https://palm.seu.edu.cn/zhangml/Resources.htm#data"
LICENCE = (
    "none stated in the source repository; the collector of these data sets (palm.seu.edu.cn"
    " resources page) offers them for academic use only, at the user's own risk"
)


def _mat(
    name: str,
    title: str,
    file: str,
    expected: Expected,
    citation: str,
    *,
    steps: int = 10_000,
    size_bytes: int | None = None,
    sha256: str | None = None,
    also: tuple[str, ...] = (),
    here: bool = True,
) -> Source:
    """A MATLAB file of the shared repository, or (``here=False``) one without an address."""
    url = f"{REPOSITORY}/{file.replace(' ', '%20')}" if here else None
    return Source(
        name=name,
        title=title,
        files=(file, *also),
        size_bytes=size_bytes,
        sha256=sha256,
        url=url,
        page=PAGE,
        licence=LICENCE,
        citation=citation,
        expected=expected,
        steps=steps,
        loader=load_mat,
    )


_TABLE = (
    Source(
        name="digits",
        title="Digits",
        files=(),
        size_bytes=None,
        sha256=None,
        url=None,
        page="https://archive.ics.uci.edu/dataset/80",
        licence="CC BY 4.0 (UCI Machine Learning Repository); a copy comes with scikit-learn",
        citation="E. Alpaydin, C. Kaynak. Optical recognition of handwritten digits. UCI, 1998.",
        expected=Expected(1797, 64, 10),
        steps=2_000,
        loader=load_digits,
    ),
    _mat(
        "lost",
        "Lost",
        "lost.mat",
        Expected(1122, 108, 16, 2.23, 0.0),
        "T. Cour, B. Sapp, B. Taskar. Learning from partial labels. JMLR 12, 2011.",
        size_bytes=936_096,
        sha256="42a8cc43e05578087e7b8ca194647829ec535dc4d0a86cf47f357c5eb3146e4f",
    ),
    _mat(
        "msrcv2",
        "MSRCv2",
        "MSRCv2.mat",
        Expected(1758, 48, 23, 3.16, 0.0),
        "L. Liu, T. G. Dietterich. A conditional multinomial mixture model for superset label"
        " learning. NeurIPS 2012.",
        size_bytes=381_088,
        sha256="948e4d443a5450308f05aa689bc82d9bcc7af699a113a6a81c40ef337a20c393",
    ),
    _mat(
        "mirflickr",
        "Mirflickr",
        "Mirflickr.mat",
        Expected(2780, 1536, 14, 2.76, 0.0),
        "M. J. Huiskes, M. S. Lew. The MIR Flickr retrieval evaluation. MIR 2008.",
    ),
    _mat(
        "birdsong",
        "Birdsong",
        "BirdSong.mat",
        Expected(4998, 38, 13, 2.18, 0.0),
        "F. Briggs, X. Z. Fern, R. Raich. Rank-loss support instance machines for MIML instance"
        " annotation. KDD 2012.",
        size_bytes=1_052_915,
        sha256="2170d46765a151ac80623d9a1242e0299802236e5574442bdb596bef90f50743",
    ),
    _mat(
        "malagasy",
        "Malagasy",
        "malagasy.mat",
        Expected(5303, 384, 44, 8.35, 0.0004),
        "D. Garrette, J. Baldridge. Learning a part-of-speech tagger from two hours of"
        " annotation. NAACL 2013.",
    ),
    _mat(
        "soccer-player",
        "SoccerPlayer",
        "Soccer Player.mat",
        Expected(17472, 279, 171, 2.09, 0.0),
        "Z. Zeng et al. Learning by associating ambiguously labeled images. CVPR 2013.",
        steps=20_000,
    ),
    _mat(
        "italian",
        "Italian",
        "italian.mat",
        Expected(21878, 519, 90, 1.60, 0.0),
        "J. Bos, C. Bosco, A. Mazzei. Converting a dependency treebank to a categorial grammar"
        " treebank for Italian. TLT 2009.",
        steps=20_000,
        size_bytes=287_098,
        sha256="7981fff3efd2df21abfac990d71777dd9637bf6ab8ccd15066b086287b9e6fde",
    ),
    _mat(
        "yahoo-news",
        "YahooNews",
        "Yahoo! News.mat",
        Expected(22991, 163, 219, 1.91, 0.0),
        "M. Guillaumin, J. Verbeek, C. Schmid. Multiple instance metric learning from"
        " automatically labeled bags of faces. ECCV 2010.",
        steps=20_000,
    ),
    _mat(
        "english",
        "English",
        "English.mat",
        Expected(24000, 300, 45, 1.19, 0.0097),
        "D. Zhou, Z. Zhang, M.-L. Zhang, Y. He. Weakly supervised POS tagging without"
        " disambiguation. ACM TALLIP 17(4), 2018.",
        steps=20_000,
        here=False,
    ),
    _mat(
        "fg-net",
        "FG-NET",
        "FG-NET.mat",
        Expected(1002, 262, 78, 7.48),
        "G. Panis, A. Lanitis, N. Tsapatsoulis, T. F. Cootes. Overview of research on facial"
        " ageing using the FG-NET ageing database. IET Biometrics 5(2), 2016.",
        size_bytes=2_024_494,
        sha256="5b8d43e40cee007f6438a7a74d600b5cf67ac596754a322ce91b0fc6811f45db",
    ),
    Source(
        name="scattered-digits",
        title="Scattered digits",
        files=(),
        size_bytes=None,
        sha256=None,
        url=None,
        page="https://archive.ics.uci.edu/dataset/80",
        licence="CC BY 4.0, as digits, which it is made of",
        citation="E. Alpaydin, C. Kaynak. Optical recognition of handwritten digits. UCI, 1998.",
        expected=Expected(1797, None, 10),
        steps=2_000,
        loader=load_scattered_digits,
    ),
    *OFFICIAL,
    *CIFAR_N,
    *SOURCES_OF_CROWDS,
    *CIFAR10_PEOPLE,
    *PLCIFAR10,
    NOISYWIKIHOW,
)

SOURCES: dict[str, Source] = {source.name: source for source in _TABLE}


def load(
    name_or_path: str | os.PathLike[str],
    root: str | os.PathLike[str] | None = None,
    download: bool = True,
    watch: OnProgress = lambda done, total: None,
    classes: Sequence[str] | int | None = None,
    roles: Roles | None = None,
    as_given: bool = False,
    tested: bool = False,
) -> Labelled:
    """A known data set by name, or a file of your own.

    Args:
        name_or_path: a name in ``SOURCES`` as a string, in any case and punctuation, with its
            options if it has some (``cifar10h:k=3,seed=1``); or a path of a file or folder that
            ``candidly.read`` reads.
        root: where to look first for the file of a known data set: that file, or a folder, of
            which subfolders are looked into too. Then come the folder named by the environment
            variable CANDIDLY_DATA, candidly's cache folder, and a download into it.
        download: whether to ask the network for what is not on this machine.
        watch: called with rows done and rows in all, by what takes long.
        classes: for a file of your own, the names of the classes in order, or how many there are;
            by default what the labels show.
        roles: for a file of your own, which column is what (``ingest.Roles``).
        as_given: the labels of a known data set that has one published label a row and no others,
            such as ``mnist``, are given labels, which may be wrong, and no truth.
        tested: pictures of which people labelled the official training part, as those of CIFAR-N,
            come with the official test part behind them, which has a truth and no given label.

    Raises:
        UnknownName (a KeyError): no such data set, or no such option; the message suggests the
            nearest.
        FileNotFoundError: no such file, or one that could not be had; the message says which file
            to put where.
        ValueError: a file that does not hold what it should, or of another kind; or ``classes``
            with a known data set, which has its own.

    Warns:
        UserWarning: a folder here has the name of a known data set; the file of one differs from
            the one on record, or labels were found without the images that they are about.
    """
    if not isinstance(name_or_path, (str, os.PathLike)):
        raise ValueError(
            f"load takes a name or a path, and this is of the type {type(name_or_path).__name__};"
            " from_arrays takes arrays and tables."
        )
    path = Path(name_or_path).expanduser()
    if (
        isinstance(name_or_path, os.PathLike)
        or path.suffix.lower() in SUFFIXES
        or (path.is_dir() and str(name_or_path).strip() and not is_known(str(name_or_path)))
    ):
        refuse_root(root, path)
        roles = roles or Roles()
        return read(path, roles if classes is None else replace(roles, classes=classes), watch)
    source = _known(str(name_or_path), path)
    said = roles or Roles()
    said = said if classes is None else replace(said, classes=classes)
    refuse_unused(said, RolesUsed(f"{source.name}, which is read as it was published", ()))
    if path.is_dir():
        warn(
            f"{path} is the known data set. The folder of that name here is read as {path}/.",
            stacklevel=2,
        )
    data = _of_source(source, root, download, watch)
    if tested and source.test_rows:
        data = with_test_part(data, source, root, watch)
    if as_given and data.label_kind is None and data.votes is None:
        return replace(data, given=data.truth, truth=None)
    return data


def _of_source(
    source: Source,
    root: str | os.PathLike[str] | None,
    download: bool,
    watch: OnProgress,
) -> Labelled:
    """A known data set as it was published."""
    if not source.files:
        refuse_root(root, f"{source.name}, which comes with scikit-learn")
        return source.loader()
    if source.finds:
        return source.loader(source.name, root, watch)
    if source.parts:
        paths = find_parts(source, root, download)
        data = source.loader(paths, source.name, **source.asked())
        if source.learned:
            data = with_scored(data, source, root, watch)
        warn_if_parts_differ(paths, data, source)
        return data
    found = find_file(source, root, download)
    data = source.loader(found, source.name, **source.asked())
    if source.learned:
        data = with_scored(data, source, root, watch)
    warn_if_different(found, data, source)
    if source.pictures:
        data = with_pictures(data, source, root, watch)
    return data


def refuse_root(root: str | os.PathLike[str] | None, what: object) -> None:
    """Refuse a folder to look into for a file that is not looked for.

    Raises:
        Refusal: it was given.
    """
    if root is not None:
        raise Refusal(
            f"`root` is where known data sets are looked for, not {what}.", "leave it out"
        )


def is_known(name: str) -> bool:
    """Whether a data set has this name, whatever the case and punctuation; a place is no name."""
    if "/" in name or os.sep in name:
        return False
    return same(SOURCES, halves(name)[0]) is not None


def source_of(name: str) -> Source:
    """The entry of a known data set, with the options that stand behind its name.

    Raises:
        UnknownName (a KeyError): no such data set, or no such option.
        ValueError: a value that an option cannot have, or no string.

    >>> source_of("CIFAR-10H: seed=0, k=3").name
    'cifar10h:k=3'
    """
    asked = read_text(name, "data set", "lost")
    _, source = asked.lookup(SOURCES, "data set")
    return source.with_options(asked)


def _known(name: str, path: Path) -> Source:
    """The entry of this name; what looks like a file is told how files end.

    Raises:
        UnknownName, ValueError: no such data set.
    """
    try:
        return source_of(name)
    except UnknownName:
        if not name.strip():
            raise ValueError("the name of the data set is empty.") from None
        if is_known(name):
            raise
        if path.suffix or path.exists() or len(path.parts) > 1:
            if path.suffix.lower() == MODEL:
                raise ValueError(wrong_ending(path, SUFFIXES)) from None
            raise ValueError(
                f"{name} is no file that can be read: its name must end in {', '.join(SUFFIXES)}."
                " Nor is it a known data set; candidly.sources.SOURCES (candidly data list) names"
                " them."
            ) from None
        raise


def title_of(name: str) -> str:
    """The benchmark's own spelling of a known data set, which its training seeds are made of.

    Of one with options, these stand behind it.

    >>> title_of("soccer-player")
    'SoccerPlayer'
    """
    return source_of(name).title
