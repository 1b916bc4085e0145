"""docs/studies/frozen.md: noisy-label methods on what a frozen encoder sees of CIFAR-10N.

python -m studies.frozen            with CANDIDLY_DATA: trains what is not committed yet (a
                                        results directory per sweep, resumable), then writes
                                        studies/frozen/results and the page; without it: writes
                                        the page from what is committed
    --cache FOLDER                      where the sweeps are trained
    --minutes N                         starts no sweep after so many minutes
    --only GROUP ...                    trains these groups of algorithms alone
python -m studies.frozen --check    writes nothing; exits 1 when the page is not up to date
python -m studies.frozen --quick    builds the page and writes nothing
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.append(str(Path(__file__).parents[2] / ".venv" / "encoders"))

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
