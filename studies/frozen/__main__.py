"""docs/studies/frozen.md: noisy-label methods on what a frozen encoder sees of CIFAR-10N.

Trains what is not committed yet, a results directory a sweep: hours of two cores.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from studies.frozen.command import Study, main
from studies.frozen.page import COMMAND, PAGE, make_page
from studies.frozen.runs import GROUPS, SPLITS, run, sweeps, vectors

STUDY = Study(
    name="frozen",
    sweeps=sweeps,
    groups=tuple(GROUPS),
    vectors=vectors,
    run=run,
    splits=SPLITS,
    criterion="NVA",
    page=PAGE,
    make_page=make_page,
    command=COMMAND,
)

if __name__ == "__main__":
    main(STUDY, __doc__)
