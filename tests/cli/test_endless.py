"""What has no end is refused before it begins, and what is refused leaves nothing behind."""

from __future__ import annotations

import json

import pytest

BEYOND = (2**63, 10**30)
SWEEP = [
    "bench",
    "plan",
    "--dataset",
    "digits",
    "--labels",
    "flip:rate=0.3",
    "--algorithms",
    "PRODEN",
]


def refusal(answer) -> str:
    status, out, err = answer
    assert (status, out) == (2, ""), answer
    assert "Traceback" not in err
    assert "has no name" not in err
    return err.splitlines()[-1]


@pytest.fixture
def pets(candidly):
    assert candidly("example", "pets")[0] == 0
    return "pets.csv", "--label", "kind"


@pytest.mark.parametrize("value", BEYOND)
@pytest.mark.parametrize(
    "line",
    [
        "check pets.csv --label kind --classes",
        "review new project pets.csv --label kind --preset single --rows",
        "errors find --labels pets.csv --label kind --by margin --probs pets.csv --count",
        "challenge new it --set easy=digits+symmetric:rate=0.2 --subset",
    ],
)
def test_a_number_among_words_is_bounded(candidly, pets, line, value):
    assert str(value)[:3] in refusal(candidly(*line.split(), value)).replace(",", "")


def test_a_sweep_has_an_end(candidly, tmp_path):
    said = refusal(candidly(*SWEEP, "--configs", 100_000, "--splits", 10_000))
    assert "are 1,000,000,000 runs; a sweep has at most 1,000,000. Lower --configs" in said
    said = refusal(candidly(*SWEEP, "--steps", 10**9, "--eval-every", 1))
    assert "records a run; a run has at most 1,000,000. Lower --steps, or raise" in said
    (tmp_path / "it.toml").write_text(
        f'[bench]\ndatasets=["digits"]\nalgorithms=["CC"]\nseed={10**19}'
    )
    said = refusal(candidly("bench", "plan", "--settings", "it.toml"))
    assert "must be a whole number from 0 to 1000000000000000000" in said


def test_a_long_plan_is_announced(monkeypatch, capsys):
    from candidly.cli.bench import options

    asked = {name: default for name, (_, default) in options.RUN.items()}
    asked |= {"datasets": ["digits"], "algorithms": ["PRODEN"], "splits": 10}
    assert options.RunOptions(**asked | {"configs": 100}).settings.configs == 100
    assert capsys.readouterr().err == ""
    assert options.RunOptions(**asked | {"configs": 20_001}).settings.splits == 10
    assert capsys.readouterr().err == "planning 200,010 runs takes more than a minute\n"


def test_a_challenge_has_a_baseline_that_can_be_trained(candidly, tmp_path):
    line = ["challenge", "new", "it", "--set", "easy=digits+symmetric:rate=0.2"]
    assert "--net: no network named 'nope'" in refusal(candidly(*line, "--net", "nope"))
    assert "--recipe" in refusal(candidly(*line, "--recipe", "nope"))
    assert not (tmp_path / "it").exists()


def test_a_network_of_countless_layers_is_refused(candidly, pets, tmp_path):
    pytest.importorskip("transformers")
    (tmp_path / "deep").mkdir()
    told = {"model_type": "bert", "num_hidden_layers": 10**8}
    (tmp_path / "deep" / "config.json").write_text(json.dumps(told))
    from candidly.learn.nets.hf._folder import described

    with pytest.raises(ValueError, match="num_hidden_layers = 100,000,000; a network has at most"):
        described(tmp_path / "deep")


def test_an_algorithm_that_is_there_is_not_begun_again(candidly, tmp_path):
    assert "PRODEN is an algorithm" in refusal(candidly("new", "algorithm", "proden"))
    assert not list(tmp_path.iterdir())


def test_a_refused_project_leaves_nothing(candidly, tmp_path):
    assert candidly("example", "shapes")[0] == 0
    line = ("review", "new", "deep/project", "shapes", "--preset", "single", "--sample", 5)
    (tmp_path / "gold.csv").write_text("name,answer\nnobody,cat\n")
    refusal(candidly(*line, "--gold", "gold.csv"))
    assert not (tmp_path / "deep").exists()
    assert candidly(*line)[0] == 0


def test_a_refused_build_leaves_nothing_and_takes_nothing(candidly, tmp_path):
    assert candidly("build", "corpus", "events.csv", "--articles", 60)[0] == 0
    line = ["build", "noisywikihow", "events.csv", "--out", "it"]
    refusal(candidly(*line))
    assert not (tmp_path / "it").exists()
    line += ["--keep", "events-keep.txt"]
    assert candidly(*line, "--more-than", 2, "--tail", 4, "--held", 1)[0] == 0
    there = {path: path.stat().st_mtime_ns for path in (tmp_path / "it").rglob("*")}
    refusal(candidly(*line))
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "it").rglob("*")} == there
