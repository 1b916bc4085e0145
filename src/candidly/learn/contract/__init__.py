"""Does somebody else's algorithm keep the contract? The checks of every method, for plug-ins.

A method is trained on small data, three trials in a stack of unlike hyper-parameters, and must
end as it does alone, when interrupted, and beside trials that fail; on every kind of input that it
does not refuse, with as many trials as channels, classes and rows of a batch; and learn something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from dataclasses import dataclass, field
from functools import partial
from io import StringIO
from pathlib import Path

import torch

from ...ground.names import same
from ...ground.plugins import Plugin, load, plugin_of, unload
from ...ground.problem import Refusal, refused, said_of
from ..algorithms import ALGORITHMS
from . import battery, kinds
from .reached import BRANCHES, Steps, Where, never_ran, watched


def _bits(run: battery.Reference) -> None:
    battery.check_bits(run.name)


def _on_a_kind(kind: str, run: battery.Reference) -> None:
    kinds.check_kind(run.name, kind)


ON_A_KIND = "on {} with as many trials as channels, classes and rows of a batch, none mixes"
# each rule in words, and what raises an AssertionError where it is broken
RULES: tuple[tuple[str, Callable[[battery.Reference], None]], ...] = (
    ("a trial ends alone as it does in a stack", battery.check_alone),
    ("in float32 a trial's bits do not depend on its neighbours", _bits),
    ("a training that was interrupted ends as one that was not", battery.check_resumed),
    ("a trial that diverges leaves its neighbours alone", battery.check_buried),
    ("looking at predictions changes nothing", battery.check_looking),
    ("rows outside the batch stay as they are", battery.check_rows),
    *((ON_A_KIND.format(kind), partial(_on_a_kind, kind)) for kind in kinds.KINDS),
    (
        "a check of sanity, which proves nothing: it learns what any method learns",
        kinds.check_sane,
    ),
)
TRAINS, REACHES = "it trains", "its short training reaches every line and branch of the file"


@dataclass(frozen=True)
class Finding:
    """What became of one rule.

    Attributes:
        algorithm: its label, or the file's name.
        rule: in words.
        problem: '' where it is kept.
        error: what was raised in place of an answer.
    """

    algorithm: str
    rule: str
    problem: str = ""
    error: Exception | None = field(default=None, repr=False, compare=False)


def check_plugin(plugin: Plugin) -> list[Finding]:
    """Put each algorithm of a plug-in through every rule.

    Raises:
        ValueError: it has no algorithm.
    """
    names = [name for kind, name in plugin.added if kind == "algorithm"]
    if not names:
        raise ValueError(
            f"{plugin.file} registers no algorithm; it registers "
            f"{', '.join(f'the {kind} {name}' for kind, name in plugin.added)}."
        )
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        unload(plugin)
        with watched(str(plugin.file)) as ran:  # what runs on import counts, too
            load(plugin.file, plugin.digest)
        found = [
            finding
            for name in names
            for label in (name, *(f"{name}:{one}" for one in ALGORITHMS[name].variants))
            for finding in _checked(label, plugin, ran)
        ]
    finally:
        torch.set_num_threads(threads)
    if any(one.rule == TRAINS and one.problem for one in found):
        return found  # what a training reached that ended early says nothing
    left = never_ran(plugin.file, ran)
    return [*found, Finding(plugin.file.name, REACHES, "; ".join(left))]


def _differs(error: AssertionError) -> str:
    """What a check of the battery compared."""
    what, *when = error.args[0] if error.args and isinstance(error.args[0], tuple) else error.args
    return f"{what}{''.join(f' after {t} updates' for t in when)}" if what else "what it ends with"


def coverage_note() -> str:
    """What this Python cannot say; '' where it says all."""
    return "" if BRANCHES else "branches are judged by Python 3.11 alone; here only lines are"


def _checked(label: str, plugin: Plugin, ran: dict[Where, Steps]) -> Iterator[Finding]:
    try:
        reference = battery.train_reference(label, str(plugin.file))
    except Exception as error:
        yield Finding(label, TRAINS, said_of(error), error)
        return
    yield Finding(label, TRAINS)
    for where, steps in reference.ran.items():
        ran.setdefault(where, set()).update(steps)
    refused = [ON_A_KIND.format(kind) for kind in kinds.KINDS if kinds.refuses(label, kind)]
    for rule, check in RULES:
        if rule in refused:
            continue
        finding = Finding(label, rule)
        try:
            with redirect_stderr(StringIO()):
                check(reference)
        except AssertionError as error:
            finding = Finding(label, rule, f"it differs in {_differs(error)}")
        except Exception as error:
            finding = Finding(label, rule, said_of(error), error)
        yield finding


def write_new(name: str, folder: Path) -> tuple[Path, Path]:
    """Write the file of an algorithm that works, and its test, to begin with.

    Args:
        name: what people will write, such as ``my-method``.
        folder: where both go.

    Returns:
        the file and its test.

    Raises:
        ValueError: no name, or one that candidly has given.
        FileExistsError: one of the files is there.
    """
    stem = "".join(c if c.isalnum() else "_" for c in name.lower()).strip("_")
    if not stem or not stem.isascii() or set(name) & set(":,= \"'\\"):
        raise ValueError(f"{name!r} is no name of an algorithm; use letters, digits and hyphens.")
    known = same(ALGORITHMS, name)
    if known is not None and plugin_of("algorithm", known) is None:
        raise Refusal(f"{known} is an algorithm that candidly has.", "choose another name")
    if stem[0].isdigit():
        stem = f"method_{stem}"
    method, test = folder / f"{stem}.py", folder / f"test_{stem}.py"
    for path in (method, test):
        if path.exists():
            raise refused(FileExistsError, f"{path} is there already.", "name another `folder`")
    folder.mkdir(parents=True, exist_ok=True)
    method.write_text(METHOD.replace("NAME", name), encoding="utf-8")
    test.write_text(TEST.replace("STEM", stem), encoding="utf-8")
    return method, test


METHOD = '''"""NAME: say here what it minimises, and who found it."""

from __future__ import annotations

import candidly
from candidly.learn import Algorithm, Batch, OneTrial, Stage, Trials
from candidly.learn import cross_entropy, masked_softmax, uniform_over


def rows(s: OneTrial):
    """Tables with a row for each training row: (1, n, q)."""
    return {"weights": uniform_over(s.candidates, s.dtype)}


def step(s: Trials, b: Batch):
    """The objective of each trial, (K,). Nothing may reduce across trials, the first axis."""
    return cross_entropy(b.weights, s.net(b.x).logits).mean(-1)


def after(s: Trials, b: Batch):
    """What the batch's rows become behind the optimiser: (K, B, q)."""
    return {"weights": masked_softmax(s.net(b.x).logits, b.candidates)}


candidly.register("algorithm", Algorithm("NAME", (Stage(step, after),), rows=rows))
'''
TEST = '''"""It keeps the contract: stacking, resuming, divergence, and every branch runs."""

from pathlib import Path

import candidly
from candidly.learn.contract import check_plugin


def test_the_method_keeps_the_contract():
    findings = check_plugin(candidly.plugins.load(Path(__file__).parent / "STEM.py"))
    assert not [one for one in findings if one.problem]
'''
