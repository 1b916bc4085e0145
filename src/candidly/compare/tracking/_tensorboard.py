"""TensorBoard: a folder of event files, one for each run."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...ground.extras import install
from ..sweep.records import Record, Run

OPEN = 32  # event files at a time; each has a thread and a buffer
MIB = 2**20


class TensorBoardSink:
    """Scalars of every record, and the hyper-parameters of every run.

    A run is called ``DATASET/ALGORITHM/config-C-split-S-KEY``; its scalars are ``test/top1``,
    ``validation/CR`` and the like, ``loss``, ``seconds`` and ``memory_mib``, against updates.
    Time relative to the run's start is its own training time. A record of a run that had
    diverged has ``diverged`` in place of the values that are missing.

    Args:
        folder: the folder of the event files; made if it is missing.

    Raises:
        ModuleNotFoundError: without the package tensorboard; says what installs it.
    """

    def __init__(self, folder: Path | str) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ModuleNotFoundError:
            raise ModuleNotFoundError(
                f"event files need the package tensorboard: {install('track')}"
            ) from None
        self.folder = Path(folder)
        self._writer = SummaryWriter
        self._open: OrderedDict[str, Any] = OrderedDict()

    def send(self, run: Run, records: Sequence[Record]) -> None:
        writer = self._writer_of(run)
        for record in records:
            for tag, value in _scalars(record).items():
                writer.add_scalar(tag, value, record.step, walltime=record.seconds)
        writer.flush()

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].close()

    def _writer_of(self, run: Run) -> Any:
        name = name_of(run)
        if name in self._open:
            self._open.move_to_end(name)
            return self._open[name]
        if len(self._open) >= OPEN:
            self._open.popitem(last=False)[1].close()
        begun = (self.folder / name).exists()
        writer = self._writer(str(self.folder / name))
        if not begun:
            self._describe(writer, run)
        self._open[name] = writer
        return writer

    def _describe(self, writer: Any, run: Run) -> None:
        """The run's hyper-parameters, for the page that compares them."""
        from torch.utils.tensorboard.summary import hparams

        values = {
            "dataset": run.dataset,
            "algorithm": run.algorithm,
            "config": run.config,
            "split": run.split,
            **run.hyper,
        }
        for part in hparams(values, {"test/top1": 0.0}):
            writer.file_writer.add_summary(part, walltime=0.0)


def name_of(run: Run) -> str:
    """A relative path for a run; what a file system may refuse becomes ``-``.

    It ends in the first letters of the run's key, so that no two runs share it.
    """
    parts = (run.dataset, run.algorithm, f"config-{run.config}-split-{run.split}-{run.key[:8]}")
    return "/".join(re.sub(r"[^\w.=-]+|\.{2,}", "-", part).strip(".") or "-" for part in parts)


def _scalars(record: Record) -> dict[str, float]:
    found = {
        **{f"test/{name}": value for name, value in record.test.items()},
        **{f"validation/{name}": value for name, value in record.validation.items()},
        "loss": record.loss,
        "seconds": record.seconds,
        "memory_mib": record.memory_bytes / MIB,
        "diverged": None if record.diverged_at is None else 1.0,
        "pruned": None if record.pruned_at is None else 1.0,
    }
    return {tag: value for tag, value in found.items() if value is not None}
