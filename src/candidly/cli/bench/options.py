"""The options of ``candidly bench plan`` and ``run``: what is to be trained, and where."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...ground.bounds import MOST_CONFIGS, MOST_TIMES
from ...ground.problem import Refusal, passed
from .._column_options import OPTIONS, roles_of
from .._hyper import HyperByData, hyper_of
from .._network_options import Net, Training
from .._shared import shared
from .._types import how_many_workers, random_seed, share, whole
from .._words import running
from ..data.common import Data

if TYPE_CHECKING:
    from ...compare.sweep.settings import Settings

SOON_PLANNED = 100_000  # runs, in a minute

File = Annotated[
    Path | None,
    typer.Option("--settings", metavar="TOML", help="Settings from the table `bench` of a file."),
]
Preset = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Settings of a protocol: plench-images, plench-images-small or plench-tables, the "
        "published benchmark of candidate sets; cifarn or cifarn-small, CIFAR-N; "
        "noisywikihow-clean, noisywikihow-mix-40 and noisywikihow-sym-40 (or 10, 20, 60) or "
        "noisywikihow-small, texts. What is given besides overrules it.",
    ),
]
AsPublished = Annotated[
    str | None,
    typer.Option(
        metavar="DATA",
        help="Train every method as it was published for cifar10n or cifar100n: with its own "
        "network, recipe, epochs and hyper-parameters, where these are not given here. (default of "
        "--algorithms: all of which that is known)",
    ),
]
Datasets = Annotated[
    list[str] | None,
    typer.Option(
        "--dataset", metavar="NAMES", help="Names or files; repeat it, or separate with commas."
    ),
]
Algorithms = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES", help="Names, such as PRODEN,CC or CAVL:plench; repeat, or use commas."
    ),
]
Configs = Annotated[
    int | None,
    whole("Configurations; the first is the defaults. (default: 20)", 1, MOST_CONFIGS),
]
Splits = Annotated[int | None, whole("Train/validation/test splits. (default: 5)", 1, MOST_TIMES)]
Steps = Annotated[
    int | None, whole("Updates per run. (default: the data set's own, else 10000)", 1)
]
EvalEvery = Annotated[int | None, whole("Updates between records. (default: 1000)", 1)]
Seed = Annotated[int | None, random_seed("Seed of the first split. (default: 0)")]
Labels = Annotated[
    str | None,
    typer.Option(metavar="SPEC", help="Make labels imperfect first, such as flip:rate=0.3."),
]
Variant = Annotated[
    str | None,
    typer.Option(
        help="fixed, or plench: the released program's algorithms, scaling, record times "
        "and standard deviation. (default: fixed)"
    ),
]
Scaling = Annotated[
    str | None,
    typer.Option(
        help="train, plench (statistics over all rows; of pictures constants) or none; for "
        "pictures cifar10 or cifar100, too. (default: the variant's)"
    ),
]
Validation = Annotated[
    str | None,
    typer.Option(
        help="tune: choose models on the validation rows; train-oracle: train on their true "
        "labels instead. (default: tune)"
    ),
]
SplitBy = Annotated[
    str | None,
    typer.Option(
        help="random: a share of the rows is for testing; official: the test set that the data "
        "came with. (default: random)"
    ),
]
TestShare = Annotated[float | None, share("Rows for testing. (default: 0.1)", open=True)]
ValidationShare = Annotated[
    float | None, share("Share of the rest for validation. (default: 0.1)", open=True)
]
Search = Annotated[
    str | None,
    typer.Option(
        metavar="SEARCH",
        help="How configurations are found: random, or tpe, which learns from those before "
        "(tpe:by=CR,start=10,round=4); prune=median stops runs that fall behind. "
        "(default: random)",
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES", help="Metrics of plug-ins, to be recorded, too; repeat, or use commas."
    ),
]
Device = Annotated[
    str,
    typer.Option(
        metavar="NAMES",
        help="cpu, cuda, cuda:1; or several GPUs, which workers take in turn: cuda:0,cuda:1.",
    ),
]
Workers = Annotated[
    int | None,
    how_many_workers("Processes, one thread each. (default: one per core, or one per GPU)"),
]
On = Annotated[
    str | None,
    typer.Option(
        metavar="CLUSTER",
        help="ray: a Ray of this machine's cores; ray:ADDRESS: a Ray cluster that runs (ray:auto, "
        "ray:10.0.0.1:6379). (default: processes of this machine)",
    ),
]
StackSize = Annotated[
    int | None,
    whole("Runs trained as one at most. (default: what suits the device)", 1, names=("--stack",)),
]
Out = Annotated[
    Path | None,
    typer.Option(
        help="Results directory; resumed if it exists. (default: runs/DATASET, or runs/PRESET)"
    ),
]
AcceptCode = Annotated[
    bool,
    typer.Option(
        "--accept-code",
        help="Go on in a directory although the code of an algorithm has changed since; tables "
        "then name it.",
    ),
]


RUN: dict[str, tuple[Any, Any]] = {
    "preset": (Preset, None),
    "as_published": (AsPublished, None),
    "settings": (File, None),
    "datasets": (Datasets, None),
    "algorithms": (Algorithms, None),
    "configs": (Configs, None),
    "splits": (Splits, None),
    "steps": (Steps, None),
    "eval_every": (EvalEvery, None),
    "seed": (Seed, None),
    "labels": (Labels, None),
    "variant": (Variant, None),
    "scaling": (Scaling, None),
    "validation": (Validation, None),
    "split": (SplitBy, None),
    "test_share": (TestShare, None),
    "validation_share": (ValidationShare, None),
    "net": (Net, None),
    "recipe": (Training, None),
    "hyper": (HyperByData, None),
    "search": (Search, None),
    "metrics": (Metrics, None),
    "root": (Data, None),
    **OPTIONS,
    "device": (Device, "cpu"),
    "workers": (Workers, None),
    "stack": (StackSize, None),
    "out": (Out, None),
    "accept_code": (AcceptCode, False),
}


class RunOptions:
    """What one asks of a run: everything that ``plan`` and ``run`` have options for.

    Attributes:
        device, workers, stack, accept_code: as the options say.
        where: the folder of data and the roles of columns, as ``prepare`` takes them.
    """

    def __init__(self, **values: Any) -> None:
        self._values = values
        self.device: str = values["device"]
        self.workers: int | None = values["workers"]
        self.stack: int | None = values["stack"]
        self.accept_code: bool = values["accept_code"]
        roles = roles_of(**{name: values[name] for name in OPTIONS})
        self.where: dict[str, Any] = {"root": values["root"], "roles": roles}

    @cached_property
    def settings(self) -> Settings:
        """Those among the options, and in the file that they name."""
        from ...compare.sweep.settings import Settings, make_settings, read_settings, runs_of
        from ...ground.spec import several

        asked = {
            name: value for name, value in self._values.items() if name in Settings.model_fields
        }
        for name in ("datasets", "algorithms", "metrics"):
            if texts := asked[name]:
                asked[name] = tuple(several(texts, f"`{name}`"))
        roles = self.where["roles"]
        if roles.holds_out:
            if asked["split"] not in (None, "official"):
                raise Refusal(
                    f"{passed('split', asked['split'])} mixes all rows, and a test set is given.",
                    "leave one of them out",
                )
            asked["split"] = "official"
        elif roles.validation_file is not None:
            raise Refusal(
                "a validation set of its own goes with a test set of its own.",
                "give one with `test_file`",
                "name a column that says which rows are of which part with `part`",
            )
        if asked["hyper"]:
            asked["hyper"] = hyper_of(asked["hyper"])
        file = self._values["settings"]
        made = read_settings(file, **asked) if file else make_settings(**asked)
        if roles.files and len(made.datasets) > 1:
            raise Refusal(
                f"a test set of its own is that of one data set, and {len(made.datasets)} are"
                f" asked for ({', '.join(made.datasets)}).",
                "run one after the other",
            )
        if (runs := runs_of(made)) > SOON_PLANNED:
            typer.echo(f"planning {runs:,} runs takes more than a minute", err=True)
        return made

    @property
    def folder(self) -> Path:
        """The results directory: the one that was named, or the usual one."""
        names = (Path(name).stem for name in self.settings.datasets)
        usual = Path("runs", self.settings.preset or "-".join(names))
        return self._values["out"] or usual


asked_for = shared("asked", RUN, RunOptions)


def imported() -> list[str]:
    """The plug-ins that the command line which runs has imported, as words of another."""
    context = running()
    files = [] if context is None else context.find_root().params.get("plugins") or []
    return [word for file in files for word in ("--import", str(file))]


def command_of(
    settings: Mapping[str, Any], folder: Path, plugins: Sequence[str | Path] = ()
) -> str:
    """The command that trains what a results directory does not hold yet.

    Args:
        settings: the settings of its plan.
        plugins: files to import.
    """
    words = [word for file in plugins for word in ("--import", str(file))]
    words = ["candidly", "bench", "run", *words, *_options(settings)]
    return shlex.join([*words, "--out", str(folder)])


def _options(settings: Mapping[str, Any]) -> Iterator[str]:
    from ...compare.sweep.settings import Settings

    named = {"datasets": "dataset"}
    for name, field in Settings.model_fields.items():
        value = settings.get(name)
        if value is None or value == field.default or value in ({}, []):
            continue
        if name == "metrics":  # without the files that they are of
            value = [text.partition("@")[0] for text in value]
        option = "--" + named.get(name, name).replace("_", "-")
        if isinstance(value, Mapping):
            for key, one in value.items():
                yield from (option, f"{key}={one}")
        else:
            yield from (option, ",".join(value) if isinstance(value, list | tuple) else str(value))
