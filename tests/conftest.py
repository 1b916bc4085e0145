"""One thread per test process, compiled once, and a summary of what was skipped."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# before NumPy is loaded: test processes share the cores, and threads that wait for cores spin
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

os.environ["CANDIDLY_CACHE"] = (
    ""  # what an encoder makes is kept where a test says so, or not at all
)

# hundreds of processes start in a run: the first compiles for the others
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# a shell that starts the tests in the background ignores Ctrl-C in all that they start
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

gc.disable()  # until everything is collected: what is imported stays

import pytest  # noqa: E402
from _pytest.raises import RaisesExc  # noqa: E402
from hypothesis import settings  # noqa: E402

settings.register_profile("candidly", deadline=None)  # no test asserts a time
settings.load_profile("candidly")

import needs  # noqa: E402

SLOW = Path(__file__).with_name("slow_tests.txt")
STATES: dict[tuple[str, str], dict[str, Any]] = {}  # of generators, by module and name


@pytest.fixture(autouse=True)
def same_draws(request: pytest.FixtureRequest) -> None:
    """A module's own generator draws the same in each test, whichever ran before."""
    for name, value in vars(request.module).items():
        if type(value).__name__ == "Generator" and hasattr(value, "bit_generator"):
            now = value.bit_generator.state
            value.bit_generator.state = STATES.setdefault((request.module.__name__, name), now)


NUMPYS_OWN = re.compile(r"\bnp\.(str_|bytes_|bool|int|uint|float|True_|False_|datetime64|array)")


@pytest.fixture(autouse=True, scope="session")
def messages_in_words() -> Iterator[None]:
    """No error that a test expects shows a value as NumPy writes it, such as ``np.str_('cat')``."""
    matches = RaisesExc.matches

    def checked(self: RaisesExc[Any], error: BaseException | None) -> bool:
        found = matches(self, error)
        assert not (found and NUMPYS_OWN.search(str(error))), str(error)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RaisesExc, "matches", checked)
        yield


@pytest.fixture
def plugins_as_they_were() -> Iterator[None]:
    """What a test registers is gone behind it."""
    from candidly import plugins

    loaded, owned = set(plugins._LOADED), set(plugins._OWNER)
    yield
    for digest in set(plugins._LOADED) - loaded:
        plugins.unload(plugins._LOADED[digest])
    for kind, name in set(plugins._OWNER) - owned:
        plugins._remove([(kind, name)])


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks as slow what ``slow_tests.txt`` lists; of a file that is whole, a name that is none
    is a fault."""
    listed = set(SLOW.read_text(encoding="utf-8").split("\n")) - {""}
    for item in items:
        if item.nodeid in listed:
            item.add_marker(pytest.mark.slow)
    if not any("::" in argument for argument in config.args):
        files = {item.nodeid.partition("::")[0] for item in items}
        names = {item.nodeid.partition("[")[0] for item in items}
        every = {one.partition("[")[0] for one in listed}
        gone = [one for one in every - names if one.partition("::")[0] in files]
        if gone:
            raise pytest.UsageError(f"{SLOW} lists {min(gone)}, which is no test. Take it out.")


def pytest_collection_finish() -> None:
    gc.enable()
    gc.collect()
    gc.freeze()  # thousands of tests and what they import stay: nothing there to look for again


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("slow"):
        needs.skip_after_time()
    if item.get_closest_marker("gpu"):
        import torch

        if not torch.cuda.is_available():
            pytest.skip("needs CUDA")


def pytest_sessionfinish() -> None:
    while needs.AT_THE_END:
        needs.AT_THE_END.pop()()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    for line in needs.summary(report.longrepr[2] for report in skipped):
        terminalreporter.write_line(line)
