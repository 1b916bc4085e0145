"""The hash of a plug-in's code: all that a page reaches, and what it cannot see is said."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest

from candidly import benchmark
from candidly.compare.sweep.methods import method_of
from candidly.compare.sweep.settings import make_settings
from candidly.ground import plugins
from candidly.ground.followed import followed

from toys import toy

SMALL = {"configs": 1, "splits": 1, "steps": 20, "eval_every": 20, "workers": 1}
HELPERS = """
import functools

SCALE = 1.0
TABLE = {"a": 1.0, "b": [2.0, 3.0]}

def inner(logits):
    return logits.logsumexp(-1)

def f(logits):
    return inner(logits) * SCALE

def unused(logits):
    return logits

@functools.cache
def cached():
    return 3.0

class Weigh:
    factor = 1.0

    def __call__(self, logits):
        return logits.sum(-1) * self.factor

    @staticmethod
    def plain(logits):
        return logits.mean(-1)

    @property
    def half(self):
        return 0.5

class More(Weigh):
    pass
"""
PAGE = """
from candidly import register
from candidly.learn.algorithms import Algorithm, pure
{head}

def loss(logits, candidates):
    {body}

MINE = register("algorithm", Algorithm("mine", pure(loss), summary="Mine."))
"""
USES = {  # what a page writes, and changes of the helpers' file that it must see
    "a module": ("import hm", "return hm.f(logits)", ["logsumexp(-1)", "SCALE = 1.0"]),
    "a module of a package": ("import pk.hm", "return pk.hm.f(logits)", ["logsumexp(-1)"]),
    "a module by another name": ("import hm as x", "return x.f(logits)", ["logsumexp(-1)"]),
    "a module inside": ("", "import hm\n    return hm.f(logits)", ["logsumexp(-1)"]),
    "a name inside": ("", "from hm import f\n    return f(logits)", ["logsumexp(-1)"]),
    "a name": ("from hm import f", "return f(logits)", ["logsumexp(-1)", "SCALE = 1.0"]),
    "a class": ("import hm", "return hm.More()(logits)", ["logits.sum(-1)", "factor = 1.0"]),
    "a class's function": ("import hm", "return hm.Weigh.plain(logits)", ["logits.mean(-1)"]),
    "a property": ("import hm", "return logits.sum(-1) * hm.More().half", ["return 0.5"]),
    "an object": ("import hm\nIT = hm.More()", "return IT(logits)", ["logits.sum(-1)"]),
    "a method": ("import hm\nIT = hm.More().__call__", "return IT(logits)", ["logits.sum(-1)"]),
    "a container": (
        "import hm\nALL = {'a': [hm.f]}", "return ALL['a'][0](logits)", ["logsumexp(-1)"],
    ),
    "a table": ("import hm", "return logits.sum(-1) * hm.TABLE['b'][1]", ["2.0, 3.0"]),
    "what is kept": ("import hm", "return logits.sum(-1) * hm.cached()", ["return 3.0"]),
    "a part": (
        "import functools, hm\nIT = functools.partial(hm.f)", "return IT(logits)",
        ["logsumexp(-1)"],
    ),
    "a function inside": (
        "import hm", "return (lambda x: hm.f(x))(logits)", ["logsumexp(-1)"],
    ),
}  # fmt: skip


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Writes the helpers and a plug-in that uses them, and loads it anew."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # it would say which second it is of
    (tmp_path / "pk").mkdir()
    (tmp_path / "pk" / "__init__.py").write_text("")
    loaded = []

    def make(head, body, helpers=HELPERS):
        for one in loaded:
            plugins.unload(one)
        loaded.clear()
        for name in ("hm", "pk.hm", "pk"):
            sys.modules.pop(name, None)
        for place in ("hm.py", "pk/hm.py"):
            (tmp_path / place).write_text(helpers)
        (tmp_path / "mine.py").write_text(PAGE.format(head=head, body=body))
        loaded.append(plugins.load(tmp_path / "mine.py"))
        return sys.modules[plugins._module_name(loaded[0].digest)].MINE

    yield make
    for one in loaded:
        plugins.unload(one)
    for name in ("hm", "pk.hm", "pk"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("use", USES)
def test_a_changed_helper_is_seen_wherever_the_page_reaches_it(made, use):
    head, body, changes = USES[use]
    first = followed(made(head, body))
    assert first.left == ()
    assert followed(made(head, body)) == first
    for old in changes:
        assert old in HELPERS
        changed = HELPERS.replace(old, old.replace("1", "2").replace("3", "4").replace("0.5", "7"))
        assert changed != HELPERS
        assert followed(made(head, body, changed)).digest != first.digest, old
    beside = HELPERS.replace(
        "def unused(logits):\n    return logits", "def unused(x):\n    return 1"
    )
    assert followed(made(head, body, beside)).digest == first.digest


LEFT = {
    "by a text": ("import hm", 'return eval("hm.f(logits)")', "reaches by eval"),
    "by a name": ("import hm", 'return getattr(hm, "f")(logits)', "from hm by getattr"),
    "not there": ("", "import nowhere_to_be_found\n    return logits.sum(-1)", None),
    "breaks": ("", "import breaks\n    return logits.sum(-1)", "the module breaks, which"),
}


@pytest.mark.parametrize("case", LEFT)
def test_what_cannot_be_followed_is_said(made, tmp_path, case):
    head, body, said = LEFT[case]
    (tmp_path / "breaks.py").write_text("raise RuntimeError('not now')")
    page = made(head, body)
    settings = make_settings(datasets=["toy"], algorithms=["mine"], configs=1, splits=1)
    if said is None:
        assert followed(page).left == ()
        return
    with pytest.warns(UserWarning, match=f"mine: not seen of its code: .*{said}"):
        method_of(page, settings)


def test_arrays_and_objects_count_by_what_they_hold():
    def held(value):
        return followed(types.SimpleNamespace(value=value)).digest

    for one, other in (
        (np.arange(3), np.arange(1, 4)),
        (range(3), range(4)),
        ({"a", "b"}, {"a", "c"}),
        (types.SimpleNamespace(a=1), types.SimpleNamespace(a=2)),
        (np.float32, np.float64),
    ):
        assert held(one) != held(other)
    assert held(np.arange(3)) == held(np.arange(3))


def test_a_page_of_an_installed_package_is_followed_at_home(made, tmp_path, monkeypatch):
    head, body, _ = USES["a module"]
    changed = HELPERS.replace("logsumexp(-1)", "logsumexp(0)")
    monkeypatch.setattr("candidly.ground.problem.OTHERS", [tmp_path.parent])
    away = [followed(made(head, body, text)).digest for text in (HELPERS, changed)]
    home = [followed(made(head, body, text), tmp_path).digest for text in (HELPERS, changed)]
    assert away[0] == away[1]
    assert home[0] != home[1]


def test_old_and_new_runs_do_not_stand_in_one_table(made, tmp_path):
    head, body, _ = USES["a module"]
    made(head, body)
    data, out = {"toy": toy()}, tmp_path / "out"
    benchmark(data, "mine", out=out, **SMALL)
    made(head, body, HELPERS.replace("SCALE = 1.0", "SCALE = 2.0"))
    with pytest.raises(ValueError, match="other code of mine: its file, or what it uses, has"):
        benchmark(data, "mine", out=out, **(SMALL | {"splits": 2}))
