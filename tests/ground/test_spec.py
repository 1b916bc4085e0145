"""Short texts, ``NAME:key=value,...``: one grammar, and no door beside it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import candidly
from candidly.cli._hyper import hyper_of
from candidly.compare.challenge.sets import read_set
from candidly.compare.sweep.search import search
from candidly.compare.tracking import make_sink
from candidly.data import imperfect
from candidly.data.sources import source_of
from candidly.errors.crossval import by_name
from candidly.ground.names import same
from candidly.ground.spec import SpecError, UnknownPart, pipeline, read, several
from candidly.ground.spread import place_of
from candidly.learn.algorithms import algorithm
from candidly.learn.engine.recipe import recipe
from candidly.learn.written.nets import read_net
from candidly.learn.written.views import read_view

SRC = Path(candidly.__file__).parent
SEED = st.integers(0, 2**31)
SHARE = st.floats(0, 1, exclude_max=True)


@dataclass(frozen=True)
class Door:
    """A reader of short texts.

    Attributes:
        canonical: a text -> the one way to write it.
        name: a name that it knows.
        options: values by key, that may be said together and in any order.
        argument: what may stand behind the colon without a key; '' for nothing.
        needs: an option that must be there, as it is written.
        one: an option with a value that may stand alone.
        numbers: a key of ``options`` whose value is a number from 0 or 1 on.
    """

    canonical: Callable[[str], Any]
    name: str
    options: dict[str, st.SearchStrategy[Any]] = field(default_factory=dict)
    argument: str = ""
    needs: str = ""
    one: str = ""
    numbers: str = ""


DOORS = {
    "network": Door(
        lambda text: read_net(text).text,
        "cnn",
        {"width": st.integers(1, 999)},
        one="width=4",
        numbers="width",
    ),
    "network with a bare option": Door(
        lambda text: read_net(text).text,
        "mlp",
        {"hidden": st.integers(1, 999), "initial": st.sampled_from(["linear", "xavier"])},
        one="hidden=4",
        numbers="hidden",
    ),
    "network of a folder": Door(
        lambda text: read_net(text).text,
        "hf",
        {"start": st.sampled_from(["weights", "random"])},
        argument="models/some@0123456789abcdef",
        one="start=random",
    ),
    "recipe": Door(
        lambda text: recipe(text).text,
        "sgd",
        {
            "momentum": SHARE,
            "lowest": SHARE,
            "warm_up": SHARE,
            "decay": st.sampled_from(["all", "weights"]),
            "clip": st.floats(0, 1e300),
            "views": st.sampled_from(["weak", "drop-words:0.2"]),
        },
        one="momentum=0.5",
        numbers="clip",
    ),
    "search": Door(
        lambda text: search(text).text,
        "tpe",
        {
            "start": st.integers(1, 999),
            "round": st.integers(1, 999),
            "by": st.sampled_from(["CR", "NVA", "AA:plench"]),
            "prune": st.sampled_from(["median", "quarter"]),
        },
        one="round=4",
        numbers="round",
    ),
    "labels": Door(
        imperfect.canonical,
        "pair",
        {
            "seed": st.integers(0, 2**64 - 1),
            "per_class": st.booleans(),
            "of_all": st.booleans(),
            "to": st.just("9-1/2-0"),
            "classes": st.just("0-4/7"),
        },
        needs="rate=0.2",
        one="seed=3",
        numbers="seed",
    ),
    "labels, the second step": Door(
        lambda text: imperfect.canonical(f"uniform + {text}").partition("+")[2],
        "noise",
        {"rate": SHARE, "seed": SEED},
        needs="rate=0.2",
        one="seed=3",
        numbers="seed",
    ),
    "data set": Door(
        lambda text: source_of(text).name,
        "cifar10h",
        {
            "k": st.integers(1, 47),
            "sets": st.sampled_from(["union", "vaguest", "at-least-3", "none"]),
            "scored": st.integers(1, 50_000),
        },
        one="k=3",
        numbers="k",
    ),
    "view": Door(read_view, "drop-words", argument="0.2"),
    "algorithm": Door(lambda text: algorithm(text).label, "CAVL", argument="plench"),
    "cluster": Door(lambda text: f"ray:{place_of(text).address}", "ray", argument="10.0.0.1:6379"),
}
WITH_OPTIONS = sorted(name for name, door in DOORS.items() if door.options)


@st.composite
def texts(draw: Any) -> tuple[Door, dict[str, Any], list[str]]:
    """A door, values of some of its options, and these as somebody may write them."""
    door = DOORS[draw(st.sampled_from(sorted(DOORS)))]
    keys = draw(st.permutations(sorted(door.options)))[: draw(st.integers(0, len(door.options)))]
    values = {key: draw(door.options[key]) for key in keys}
    if door.needs and door.needs.partition("=")[0] not in values:
        key, _, value = door.needs.partition("=")
        values[key] = value
    said = [door.argument] if door.argument else []
    for key, value in values.items():
        key = key.replace("_", draw(st.sampled_from("_-")))
        key = draw(st.sampled_from([key, key.upper(), key.title()]))
        space = draw(st.sampled_from(["", " ", "  "]))
        value = str(value).lower() if isinstance(value, bool) else value
        said.append(f"{space}{key}{space}={space}{value}{space}")
    return door, values, said


@given(texts(), st.sampled_from([str.upper, str.lower, str.title]), st.sampled_from(["", " "]))
@settings(max_examples=200)
def test_what_is_read_is_written_and_read_again(asked, case, space):
    door, values, said = asked
    text = f"{space}{case(door.name)}{space}" + (f":{','.join(said)}" if said else "")
    kept = door.canonical(text)
    assert door.canonical(kept) == kept
    plain = [door.argument] if door.argument else []
    plain += [
        f"{key}={str(value).lower() if isinstance(value, bool) else value}"
        for key, value in values.items()
    ]
    assert door.canonical(f"{door.name}:{','.join(plain)}" if plain else door.name) == kept


MALFORMED = {  # with an option that the door takes: the text behind the colon, and what is said
    "nothing behind the colon": ("", "nothing stands"),
    "spaces behind the colon": ("  ", "nothing stands"),
    "a comma at the end": ("{one},", "nothing stands behind the last comma"),
    "two commas": ("{one},,{one}", "nothing stands in front of a comma"),
    "a comma at the start": (",{one}", "nothing stands in front of a comma"),
    "a key twice": ("{one},{one}", "says {key} twice"),
    "a key twice in another case": ("{one},{ONE}", "says {key} twice"),
    "no value": ("{one},{key}", "twice|no value"),
    "an empty value": ("{key}=", "{key} has no value"),
    "no key": ("{one},=4", "no key stands in front of ="),
    "an unknown key": ("{one},zzz=4", "has no option 'zzz'. Choose from: "),
}


@pytest.mark.parametrize("shape", MALFORMED)
@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_every_door_refuses_the_same(name, shape):
    door = DOORS[name]
    one = door.one
    key = one.partition("=")[0]
    behind, said = MALFORMED[shape]
    behind = behind.format(one=one, ONE=one.title(), key=key)
    if door.argument and shape not in ("nothing behind the colon", "spaces behind the colon"):
        behind = f"{door.argument},{behind}"
    text = f"{door.name}:{behind}"
    with pytest.raises(SpecError, match=said.format(key=key)) as caught:
        door.canonical(text)
    check_place(caught.value, text, name)


@pytest.mark.parametrize("name", [name for name, door in DOORS.items() if door.argument])
@pytest.mark.parametrize("behind", ["", " "])
def test_a_colon_promises_something(name, behind):
    text = f"{DOORS[name].name}:{behind}"
    with pytest.raises(SpecError, match="nothing stands behind") as caught:
        DOORS[name].canonical(text)
    check_place(caught.value, text, name)


@pytest.mark.parametrize(
    "number", ["1_0", "nan", "inf", "-inf", "+1", "-1", "٣", "0x1", "1e", "1e999", "e3", ".", "1 0"]
)
@pytest.mark.parametrize("name", [name for name, door in DOORS.items() if door.numbers])
def test_every_door_reads_the_same_numbers(name, number):
    door = DOORS[name]
    needs = f",{door.needs}" if door.needs else ""
    text = f"{door.name}:{door.numbers}={number}{needs}"
    with pytest.raises(SpecError) as caught:
        door.canonical(text)
    check_place(caught.value, text, name)
    shown = caught.value.text[slice(*caught.value.place)]
    assert shown == number or (number == "+1" and shown in ("", "seed"))  # a plus joins


def check_place(error: SpecError, text: str, name: str) -> None:
    """The place is in the text, and the text is what was given."""
    whole = f"uniform + {text}" if "second step" in name else text
    start, end = error.place
    assert error.text == whole
    assert 0 <= start <= end <= len(whole)
    assert whole[start:end] == whole[start:end].strip()
    assert str(error)[-1] == "."


PIECES = ("cnn", "sgd", "flip", "cifar10h", "CAVL", "ray", "hf", "k", "rate", "0.3", "1", "a b")
ANY = st.lists(st.sampled_from([*PIECES, *":=,+@/. -_\n", "́", "x"]), max_size=12).map("".join)
ALL = {
    **{name: door.canonical for name, door in DOORS.items()},
    "classifier": lambda text: by_name(text, "table"),
    "tracker": lambda text: make_sink(text) if text[:12] != "tensorboard:" else None,
    "hyper-parameters": lambda text: hyper_of([text]),
    "list": lambda text: several([text], "--dataset"),
    "label set": read_set,
}


@given(ANY)
@settings(max_examples=200)
def test_whatever_is_written_is_read_or_refused_with_its_place(text):
    for name, door in ALL.items():
        error = refusal(door, text)
        assert error is None or str(error), (name, text)
        if isinstance(error, SpecError):
            start, end = error.place
            assert 0 <= start <= end <= len(error.text), (name, text)
            assert text in error.text, (name, text)


def refusal(door: Callable[[str], Any], text: str) -> Exception | None:
    try:
        door(text)
    except (ValueError, FileNotFoundError) as error:
        return error
    return None


def test_errors_name_the_text_the_part_what_is_allowed_and_the_nearest():
    with pytest.raises(UnknownPart) as caught:
        recipe("sgd:lowest=0.1,momentun=0.9", "--recipe")
    assert str(caught.value).startswith(
        "--recipe 'sgd:lowest=0.1,momentun=0.9': sgd has no option 'momentun'; did you mean "
        "'momentum'? Choose from: schedule, at, "
    )
    assert caught.value.text[slice(*caught.value.place)] == "momentun"
    assert isinstance(caught.value, KeyError | ValueError)
    with pytest.raises(UnknownPart, match=r"no algorithm named 'CAVLL'; did you mean 'CAVL'\?"):
        algorithm("CAVLL:plench")


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("a+b", ["a", "b"]),
        ("a:x=1e+3+b", ["a:x=1e+3", "b"]),
        ("a:x=1e+b", ["a:x=1e", "b"]),
        ("e+1", ["e", "1"]),
        ("a+", ["a", ""]),
    ],
)
def test_a_plus_joins_but_in_an_exponent(text, steps):
    found = pipeline(text, "", "a")
    whole = [one.name.text + (f":{one.behind.text}" if one.behind else "") for one in found]
    assert whole == steps


def test_hyper_parameters_are_options_without_a_name():
    assert hyper_of(["noise_rate=0.4, batch_size = 32", "lr=1e-3"]) == {
        "noise_rate": 0.4, "batch_size": 32, "lr": 0.001,
    }  # fmt: skip
    assert isinstance(hyper_of(["k=3"])["k"], int)
    for text, said in {
        "lr=0.1,lr=0.2": "--hyper 'lr=0.1,lr=0.2' says lr twice",
        "lr=0.1,": "behind the last comma",
        "lr": "lr has no value",
        "lr=nan": "lr is 'nan'; give a number, such as 0.4",
        "=3": "no key",
    }.items():
        with pytest.raises(SpecError, match=said):
            hyper_of([text])
    with pytest.raises(SpecError, match="says lr twice"):
        hyper_of(["lr=0.1", "lr=0.2"])


def test_names_in_a_list_are_there():
    for text in ("", "a,", ",a", "a,,b"):
        with pytest.raises(SpecError, match="nothing stands"):
            several([text], "--algorithms")


def test_no_two_keys_of_a_table_mean_the_same():
    from candidly.compare.sweep.search import OPTIONS as OF_SEARCH
    from candidly.data.sources import SOURCES
    from candidly.learn.engine.recipe import OPTIONS as OF_RECIPE
    from candidly.learn.written.nets import KNOWN

    processes = [process.defaults for process in imperfect.PROCESSES.values()]
    tables = [OF_SEARCH, OF_RECIPE, KNOWN, *KNOWN.values(), SOURCES, *processes]
    tables += [source.options for source in SOURCES.values()]
    for table in tables:
        assert [same(table, key) for key in table] == list(table)


def test_what_is_no_text_is_refused():
    for wrong in (3, None, ["mlp"]):
        with pytest.raises(ValueError, match="give its name, such as 'mlp:128'"):
            read(wrong, "net", "mlp:128")


# no other parser

SPLITS = {
    "partition", "rpartition", "split", "rsplit", "find", "rfind", "index", "rindex",
    "removeprefix", "removesuffix", "startswith", "endswith",
}  # fmt: skip
PATTERNS = {"compile", "match", "fullmatch", "search", "split", "finditer", "findall"}
ELSEWHERE = {  # places where a colon, an equals sign or a comma is looked for, and of what
    "data/ingest/scores/logs/_lm_eval.py": (1, "a metric and its filter, as its tables call them"),
    "data/ingest/scores/logs/_helm.py": (2, "what HELM calls a run"),
    "data/ingest/model_answers.py": (1, "what may stand about a label in a sentence"),
    "cli/__init__.py": (1, "--import=FILE, before the command line is read"),
    "cli/bench/table.py": (1, "NAME=FILE, whose name may be a data set with options"),
    "cli/_column_options.py": (2, "names of columns, which may have any letter"),
    "cli/review/gallery.py": (1, "NAME=PATH, with or without a path"),
    "compare/challenge/_cgroup.py": (2, "lines of a file of /proc"),
    "compare/challenge/_run.py": (2, "lines of a file of /proc"),
    "compare/corpora/words.py": (3, "English words"),
    "compare/sweep/code.py": (1, "where the code of a page is, as a program wrote it"),
    "compare/sweep/compact.py": (1, "another program's message"),
    "compare/sweep/worker.py": (1, "torch's name of a device"),
    "data/ingest/_folder_files.py": (1, "names of files in a sentence"),
    "data/ingest/_one_hot.py": (2, "names of columns with commas between"),
    "data/ingest/_pictures.py": (1, "addresses of pictures"),
    "data/ingest/labels.py": (2, "names of classes, which may have any letter"),
    "data/inputs/_numerals.py": (1, "decimal commas"),
    "data/ingest/exports/_label_studio.py": (1, "another program's names"),
    "data/ingest/exports/_prodigy.py": (1, "another program's names"),
    "data/sources/_crowds.py": (2, "lines of a published file"),
    "errors/detectors/_cost.py": (1, "lines of a file of /proc"),
    "ground/cluster.py": (1, "the port of an address"),
    "ground/device.py": (4, "torch's names of devices, and a line of /proc"),
    "ground/problem.py": (1, "a parameter and its value between backticks, for people"),
    "learn/algorithms/_space.py": (1, "an interval, (0, 1), of a page"),
    "learn/nets/_cost.py": (1, "the equation of torch.einsum"),
    "people/review/export.py": (1, "names of rows"),
    "people/review/new.py": (1, "numbers of rows"),
    "people/review/questions/_counts.py": (1, "a pattern of counts, as a program wrote it"),
    "people/web/_guard.py": (2, "addresses"),
    "people/web/_site.py": (1, "addresses"),
    "people/web/entering.py": (1, "addresses"),
    "people/web/serve.py": (2, "addresses"),
}


def literal(node: ast.AST) -> str:
    """The letters of a string in the source; of an f-string those that are there."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(literal, node.values))
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def looks_apart(node: ast.AST) -> bool:
    """Whether an expression takes a text apart, or looks, at a colon, an equals sign or a comma."""
    if isinstance(node, ast.Compare):
        return isinstance(node.ops[0], ast.In | ast.NotIn) and literal(node.left) in set(":=,+")
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    given = [*node.args, *(one.value for one in node.keywords)]
    text = literal(given[0]) if given else ""
    if isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
        bare = re.sub(r"\\?\[[^\]]*\]", "", re.sub(r"\(\?(?:[:=!]|<[=!]|P<\w+>)", "(", text))
        signs = "[:=,]" if node.func.attr == "split" else "[:=]"
        return node.func.attr in PATTERNS and bool(re.search(signs, bare))
    return node.func.attr in SPLITS and bool(re.fullmatch(r"[\w-]*\s*[:=,+]\s*", text))


def taken_apart(root: Path) -> dict[str, int]:
    """How many such expressions a file has."""
    found: dict[str, int] = {}
    for path in sorted(root.rglob("*.py")):
        number = sum(map(looks_apart, ast.walk(ast.parse(path.read_text()))))
        if number:
            found[path.relative_to(root).as_posix()] = number
    return found


def test_nothing_else_takes_short_texts_apart():
    found = taken_apart(SRC)
    assert found.pop("ground/spec.py") > 0
    assert found == {file: number for file, (number, _) in ELSEWHERE.items()}


@pytest.mark.parametrize(
    ("code", "number"),
    [
        ("base, _, rest = text.partition(':')", 1),
        ("pairs = [one.split('=') for one in text.split(',')]", 2),
        ("text.split(sep=',')", 1),
        ("text[: text.index(':')]", 1),
        ("if ':' in text: ...", 1),
        ("text.startswith(f'{HF}:')", 1),
        ("text.startswith('hf:')", 1),
        ("re.fullmatch(r'(.*):(.*)', text)", 1),
        ("re.fullmatch(rf'{name}=([0-9]+)', text)", 1),
        ("re.split(r'\\s*,\\s*', text)", 1),
        ("re.fullmatch(r'(?:a|b)(?=c)[:=]*', text)", 0),
        ("text.split()", 0),
        ("name.partition('.')", 0),
    ],
)
def test_parsers_are_found(tmp_path, code, number):
    (tmp_path / "a.py").write_text(code)
    assert taken_apart(tmp_path).get("a.py", 0) == number
