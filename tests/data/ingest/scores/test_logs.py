"""Logs of the programs themselves, and logs that are damaged: see logs/README.md."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from candidly.data.ingest import Roles
from candidly.data.ingest.scores import ScoreColumns, read_scores
from candidly.data.ingest.scores.logs import FORMATS, find_logs

LOGS = Path(__file__).parent / "logs"
PLAIN = {  # folder -> program, metric
    "lm_eval": ("lm-evaluation-harness", "acc"),
    "inspect": ("Inspect", "match"),
    "inspect_json": ("Inspect", "includes"),
    "swe_bench": ("SWE-bench", None),
    "evalplus": ("EvalPlus", "plus"),
    "promptfoo": ("promptfoo", "success"),
    "deepeval": ("DeepEval", None),
}


def test_every_program_has_a_log():
    programs = {program for program, _ in PLAIN.values()} | {"HELM"}
    assert {kind.program for kind in FORMATS} == programs


@pytest.mark.parametrize("folder", PLAIN)
def test_a_log_is_known_for_what_it_is(folder):
    program, _ = PLAIN[folder]
    found = find_logs([LOGS / folder])
    assert {kind.program for kind, _ in found} == {program}
    assert find_logs([path for _, path in found]) == found  # each by itself, too


def test_lm_eval():
    """The scores are those of the program's own table."""
    table = read_scores([LOGS / "lm_eval"], metric="acc")
    assert set(table.models) == {"org/good", "org/poor"}
    assert set(table.slices) == {"sums", "more_sums"}
    for model, scores in table.models.items():
        (said,) = (LOGS / "lm_eval" / model.replace("/", "__")).glob("results_*.json")
        results = json.loads(said.read_text())["results"]
        for task in ("sums", "more_sums"):
            assert scores[table.slices == task].mean() == pytest.approx(results[task]["acc,none"])


@pytest.mark.parametrize("folder", ["inspect", "inspect_json"])
def test_inspect(folder):
    table = read_scores([LOGS / folder], metric="match")
    assert set(table.models) == {"mockllm/good", "mockllm/poor"}
    n, runs = (6, 2) if folder == "inspect" else (3, 1)
    shape = (n, runs) if runs > 1 else (n,)
    assert all(scores.shape == shape for scores in table.models.values())
    assert table.ids.tolist() == [f"sums/q{k}" for k in range(n)]
    assert table.models["mockllm/good"].mean() > table.models["mockllm/poor"].mean()


def test_a_zip_of_inspect_says_what_the_program_says():
    """Accuracies in the header of the log are those of its samples."""
    for path in (LOGS / "inspect").glob("*.eval"):
        from candidly.data.ingest.scores.logs._archive import members_of

        ((_, header),) = members_of(path, lambda name: name == "header.json")
        (match,) = (one for one in header["results"]["scores"] if one["name"] == "match")
        table = read_scores([path], metric="match")
        (scores,) = table.models.values()
        assert scores.mean() == pytest.approx(match["metrics"]["accuracy"]["value"])


def test_evalplus():
    """Half of beta's first attempts fail, by old tests or by new ones."""
    plus, base = (read_scores([LOGS / "evalplus"], metric=m).models for m in ("plus", "base"))
    assert plus["alpha"].mean() == 0.875
    assert base["alpha"].mean() == 1.0
    assert plus["beta"].mean() == 0.625
    assert base["beta"].mean() == 0.75


def test_swe_bench():
    table = read_scores([LOGS / "swe_bench"])
    for model, scores in table.models.items():
        report = json.loads((LOGS / "swe_bench" / f"{model}.run1.json").read_text())
        assert np.nansum(scores) == report["resolved_instances"]
        assert np.isnan(scores).sum() == report["total_instances"] - report["submitted_instances"]
    assert set(table.slices) == {"django/django", "sympy/sympy"}


def test_promptfoo():
    """Two tests, asked twice, by two models with two prompts each."""
    table = read_scores([LOGS / "promptfoo"], metric="success")
    assert len(table.models) == 4
    for model, scores in table.models.items():
        assert scores.shape == (2, 2)
        assert (scores == float(model.startswith("adder"))).all()


def test_deepeval():
    table = read_scores([LOGS / "deepeval"])
    assert table.ids.tolist() == [f"sum {k}" for k in range(6)]
    assert table.models["alpha"].sum() > table.models["beta"].sum()


def test_helm(tmp_path):
    """HELM comes with one model that needs no network; another is its copy with other scores."""
    shutil.copytree(LOGS / "helm", tmp_path / "one")
    shutil.copytree(LOGS / "helm", tmp_path / "two")
    for spec in (tmp_path / "two").rglob("run_spec.json"):
        spec.write_text(spec.read_text().replace("simple/model1", "simple/model2"))
    for stats in (tmp_path / "two").rglob("per_instance_stats.json"):
        rows = json.loads(stats.read_text())
        for row in rows:
            for stat in row["stats"]:
                stat["mean"] = 1.0 if stat["name"]["name"] == "exact_match" else stat.get("mean")
        changed = dict(rows[0], perturbation={"name": "typos"})
        stats.write_text(json.dumps([*rows, changed]))
    table = read_scores([tmp_path], metric="exact_match")
    assert table.models["simple/model2"].tolist() == [1.0] * 6
    assert table.models["simple/model1"].mean() < 1
    assert set(table.slices) == {"simple_mcqa", "simple_classification"}


def test_several_scores_are_asked_about():
    with pytest.raises(ValueError, match=r"acc, acc_norm.*`metric`"):
        read_scores([LOGS / "lm_eval"])
    with pytest.raises(ValueError, match="'acc_nrm'; did you mean 'acc_norm'"):
        read_scores([LOGS / "lm_eval"], metric="acc_nrm")


def test_logs_of_two_programs():
    with pytest.raises(ValueError, match="lm-evaluation-harness and of Inspect"):
        read_scores([LOGS / "lm_eval", LOGS / "inspect"], metric="acc")


def test_columns_say_nothing_of_logs():
    with pytest.raises(ValueError, match="`groups` says nothing of logs of Inspect"):
        read_scores([LOGS / "inspect"], columns=ScoreColumns(groups="x"), metric="match")
    with pytest.raises(ValueError, match="`separator` says nothing"):
        read_scores([LOGS / "inspect"], Roles(separator=";"), metric="match")


def test_an_evaluation_that_broke_off():
    with pytest.raises(ValueError, match=r"did not end well: its status is 'error'.*eval-retry"):
        read_scores([LOGS / "inspect_broken"], metric="match")


def copied(folder, tmp_path, pattern):
    shutil.copytree(LOGS / folder, tmp_path / folder)
    return sorted((tmp_path / folder).rglob(pattern))[0], tmp_path / folder


def test_a_line_that_was_cut_off(tmp_path):
    path, folder = copied("lm_eval", tmp_path, "samples_sums*")
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match=rf"{path.name}, line 12: it is no JSON"):
        read_scores([folder], metric="acc")


def test_a_log_that_was_written_twice(tmp_path):
    path, folder = copied("lm_eval", tmp_path, "samples_sums*")
    path.write_bytes(path.read_bytes() * 2)
    with pytest.raises(ValueError, match="has item 'sums/0' twice"):
        read_scores([folder], metric="acc")


def test_other_prompts_are_no_runs(tmp_path):
    path, folder = copied("lm_eval", tmp_path, "samples_sums*")
    text = path.read_text()
    again = path.with_name(path.name.replace("2026-11-29", "2026-11-30"))
    again.write_text(text)
    name = path.parent.name.replace("__", "/")
    runs = read_scores([folder], metric="acc").models
    assert runs[name].shape[1] == 2  # the same prompts are runs
    rows = [json.loads(line) for line in text.splitlines()]
    again.write_text("\n".join(json.dumps({**row, "prompt_hash": "other"}) for row in rows))
    with pytest.raises(ValueError, match=r"same model, .* with different prompts"):
        read_scores([folder], metric="acc")


def test_other_questions_are_refused(tmp_path):
    path, folder = copied("lm_eval", tmp_path, "samples_sums*")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("\n".join(json.dumps({**row, "doc_hash": "other"}) for row in rows))
    with pytest.raises(ValueError, match="sums/0 is another question"):
        read_scores([folder], metric="acc")


def packed_with(path, members, kind=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", kind) as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def test_a_bomb(tmp_path):
    path = tmp_path / "log.eval"
    packed_with(path, {"header.json": b" " * (1 << 27)})
    with pytest.raises(ValueError, match="unpack to more than"):
        read_scores([path])


@pytest.mark.parametrize("cut", [0.3, 0.9, 0.999])
def test_a_damaged_zip(tmp_path, cut):
    path, folder = copied("inspect", tmp_path, "*.eval")
    data = path.read_bytes()
    path.write_bytes(data[: int(cut * len(data))])
    with pytest.raises(ValueError, match="no zip of JSON, or a damaged one"):
        read_scores([folder], metric="match")


def test_a_damaged_member(tmp_path):
    path, folder = copied("inspect", tmp_path, "*.eval")
    with zipfile.ZipFile(path) as archive:
        entry = archive.getinfo("samples/q1_epoch_1.json")
    data = bytearray(path.read_bytes())
    data[entry.header_offset + 120] ^= 255
    path.write_bytes(data)
    with pytest.raises(ValueError, match="damaged"):
        read_scores([folder], metric="match")


def test_a_zip_without_an_end(tmp_path):
    path = tmp_path / "log.eval"
    packed_with(path, {"_journal/start.json": "{}"})
    with pytest.raises(ValueError, match=r"no header\.json, so the evaluation broke off"):
        read_scores([path])


@pytest.mark.parametrize(
    ("folder", "old", "new", "said"),
    [
        ("swe_bench", '"resolved_ids": [', '"resolved_ids": ["none__none-1",', "not submitted"),
        ("evalplus", '"base_status": "pass", "plus_status": "fail"', '"of": 1', "what became of"),
        ("deepeval", '"name": "sum 0", ', "", "without a name"),
        ("deepeval", '"score": 1.0', '"score": "high"', "'high', which is no number"),
        ("promptfoo", '"testIdx"', '"test"', "lacks test, prompt or provider in result 0"),
        ("inspect_json", '"status": "success"', '"status": "cancelled"', "'cancelled'"),
        ("inspect_json", '"value": "C"', '"value": "Z"', "'Z', which is no number"),
    ],
)
def test_what_is_not_there(tmp_path, folder, old, new, said):
    path, folder = copied(folder, tmp_path, "*.json")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(ValueError, match=said):
        read_scores([folder])


def test_a_metric_that_is_better_when_lower(tmp_path):
    path, folder = copied("lm_eval", tmp_path, "results_*")
    read_scores([folder], metric="acc")
    results = json.loads(path.read_text())
    results["higher_is_better"]["sums"]["acc"] = False
    path.write_text(json.dumps(results))
    with pytest.raises(ValueError, match="of 'acc' a lower value is better"):
        read_scores([folder], metric="acc")


def test_an_encrypted_zip(tmp_path):
    path = tmp_path / "log.eval"
    packed_with(path, {"header.json": "{}"})
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1  # as the list of its members says
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"log\.eval is encrypted"):
        read_scores([path])
