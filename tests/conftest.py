"""One thread per test process, and a summary of what was skipped."""

from __future__ import annotations

import os

# before NumPy is loaded: test processes share the cores, and threads that wait for cores spin
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import pytest  # noqa: E402

import needs  # noqa: E402


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    for line in needs.summary(report.longrepr[2] for report in skipped):
        terminalreporter.write_line(line)
