from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly.learn.model import _fit as module
from candidly.learn.model import fit, load_model

from toys import toy


@pytest.fixture(scope="module")
def data():
    return toy(n=400)


def test_fit_predict_save_load(data, tmp_path):
    model = fit(data, "PRODEN", steps=200, lr=3e-3)
    assert (model.predict(data.inputs) == data.truth).mean() > 0.8
    probs = model.predict_proba(data.inputs)
    assert probs.shape == (400, 7)
    np.testing.assert_allclose(probs.sum(1), 1, rtol=1e-5)
    model.save(tmp_path / "model.safetensors")
    again = load_model(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(
        again.predict_logits(data.inputs), model.predict_logits(data.inputs)
    )
    assert again.classes == data.classes
    assert again.about["algorithm"] == "PRODEN"


def test_the_seed_decides(data):
    runs = [fit(data, "CC", steps=20, seed=s).predict_logits(data.inputs) for s in (1, 1, 2)]
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


def test_watchers_see_every_update(data):
    seen = []
    fit(data, "CC", steps=30, watchers=[lambda s, b: seen.append((b.ids.shape, b.logits.shape))])
    assert seen == [((1, 128), (1, 128, 7))] * 30


def test_training_is_on_one_thread_and_the_callers_number_comes_back(data):
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        seen = []
        fit(
            data,
            "CC",
            steps=2,
            batch_size=32,
            watchers=[lambda *_: seen.append(torch.get_num_threads())],
        )
        assert seen == [1, 1]
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_training_gets_no_truth(data, monkeypatch):
    seen = []
    original = module.make_examples
    monkeypatch.setattr(
        module, "make_examples", lambda d, *a, **k: seen.append(d.truth) or original(d, *a, **k)
    )
    fit(data, "CC", steps=1)
    fit(data, "supervised-oracle", steps=1)
    assert seen[0] is None
    assert seen[1] is not None


@pytest.mark.parametrize(
    ("problem", "match"),
    [
        ({"algorithm": "PRODEM"}, "PRODEN"),
        ({"algorithm": "LWS", "betta": 1}, "beta"),
        ({"scaling": "minmax"}, "train"),
        ({"steps": 0}, "steps"),
        ({"steps": 1.5}, "steps is 1.5, but must be a whole number of at least 1"),
        ({"steps": True}, "steps is True"),
        ({"seed": 0.5}, "seed is 0.5"),
        ({"device": "cuda:99"}, r"device 'cuda:99' is not there.* This machine has: cpu"),
        ({"device": "tpu"}, "device 'tpu' is unknown. This machine has: cpu"),
        ({"lr": float("nan")}, "PRODEN's lr is nan; give a finite number"),
        ({"algorithm": "gce", "power": 0}, r"gce's power is 0; it must lie in \(0, 1\]"),
        ({"algorithm": "forward-t:symmetric", "noise_rate": 1}, r"noise_rate is 1; .*\[0, 1\)"),
    ],
)
def test_bad_requests_are_refused(data, problem, match):
    with pytest.raises((ValueError, KeyError), match=match):
        fit(data, **problem)


def test_a_device_that_torch_does_not_find_is_said_so(data, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    told = "device 'cuda' is not there: this torch finds no CUDA. This machine has: cpu."
    with pytest.raises(ValueError, match=told):
        fit(data, "CC", steps=1, device="cuda")


def test_too_few_rows_are_counted_beside_the_batch_that_needs_them(data):
    few = data[np.arange(40)]
    with pytest.raises(ValueError, match=r"40 rows.* a batch, which is 128.*batch_size=40") as told:
        fit(few, "CC", steps=1, batch_size=128)
    assert "share" not in str(told.value)
    assert fit(few, "CC", steps=1, batch_size=40)


def test_the_default_batch_is_halved_until_there_are_as_many_rows(data):
    sizes = [fit(data[:n], "CC", steps=1).about["hyper"]["batch_size"] for n in (128, 127, 40, 1)]
    assert sizes == [128, 64, 32, 1]


def test_the_kind_of_labels_decides_where_no_algorithm_is_named(data):
    assert fit(data, steps=1).about["algorithm"] == "PRODEN"
    assert fit(replace(data, candidates=None), steps=1).about["algorithm"] == "ce"
    answered = replace(data, candidates=None, given=None)
    assert fit(answered, steps=1).about["algorithm"] == module.DEFAULTS["votes"]
    with pytest.raises(ValueError, match="toy has no labels to learn from"):
        fit(replace(answered, votes=None), steps=1)


def test_progress_goes_from_little_to_all_and_changes_nothing(data):
    told = []
    watched = fit(data, "CC", steps=120, watch=lambda done, total: told.append((done, total)))
    assert told == [(50, 120), (100, 120), (120, 120)]
    alone = fit(data, "CC", steps=120)
    np.testing.assert_array_equal(
        watched.predict_logits(data.inputs), alone.predict_logits(data.inputs)
    )


def test_divergence_is_an_error_that_says_what_to_do(data):
    with pytest.raises(FloatingPointError, match="learning rate"):
        fit(data, "CC", steps=300, lr=1e30)


def test_bad_inputs_are_refused(data):
    model = fit(data, "CC", steps=1)
    with pytest.raises(ValueError, match="features"):
        model.predict(np.ones((3, 5)))
    broken = np.array(data.inputs[:4])
    broken[2, 0] = np.nan
    with pytest.raises(ValueError, match="row 2"):
        model.predict(broken)


def test_a_feature_that_was_constant_in_training_counts_for_nothing(data):
    inputs = np.array(data.inputs)
    inputs[:, 3] = 5.0
    model = fit(replace(data, inputs=inputs), "CC", steps=30)
    moved = np.array(inputs)
    moved[:, 3] = 6.0
    np.testing.assert_array_equal(model.predict_logits(moved), model.predict_logits(inputs))


@pytest.mark.parametrize("scaling", ["train", "none"])
def test_the_model_scales_as_training_did(data, scaling):
    stacks = []
    model = fit(data, "CC", steps=30, scaling=scaling, watchers=[lambda s, b: stacks.append(s)])
    trained = stacks[-1].logits(0, torch.arange(data.n)).numpy()
    np.testing.assert_allclose(model.predict_logits(data.inputs), trained, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["ldam", "bbn", "decoupling-ncm:euclidean", "sgd-ema", "pes:deep"])
def test_a_model_predicts_as_its_stack_did_whatever_the_head(name, data, tmp_path):
    stacks = []
    watch = [lambda stack, batch: stacks.append(stack)]
    model = fit(data, name, steps=30, batch_size=32, scaling="none", watchers=watch)
    model.save(tmp_path / "model.safetensors")
    expected = stacks[-1].logits(0, torch.arange(data.n))
    ours = load_model(tmp_path / "model.safetensors").predict_logits(data.inputs)
    np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("arguments", "options", "match"),
    [
        (([[0.0], [1.0]], [0, 1]), {}, r"fit takes one Labelled or a pair .* fit\(\(X, y\)"),
        ((None,), {}, "this is a NoneType"),
        (("data", torch.nn.Sequential()), {}, "algorithm is a Sequential; give its name, such as"),
        (("data",), {"net": torch.nn.Sequential()}, "net is a Sequential, .*my_net.py:make"),
        (("data",), {"steps": 10.0}, "steps is 10.0, but must be a whole number of at least 1"),
        (("data",), {"seed": "0"}, "seed is '0', but must be a whole number"),
    ],
)
def test_wrong_kinds_of_arguments_are_told_apart(data, arguments, options, match):
    given = [data if isinstance(a, str) and a == "data" else a for a in arguments]
    with pytest.raises(ValueError, match=match):
        fit(*given, **{"steps": 1} | options)


def test_inputs_that_are_no_numbers(data):
    model = fit(data, "CC", steps=1)
    for inputs in (5, [["a"] * 7]):
        with pytest.raises(ValueError, match="`inputs` must be numbers, a row an example"):
            model.predict(inputs)


def test_models_on_the_way_are_those_of_shorter_trainings(data):
    seen = {}
    whole = fit(data, "ce", steps=30, every=10, each=lambda model, done: seen.update({done: model}))
    assert list(seen) == [10, 20, 30]
    short = fit(data, "ce", steps=10)
    assert np.array_equal(seen[10].predict_logits(data), short.predict_logits(data))
    assert np.array_equal(seen[30].predict_logits(data), whole.predict_logits(data))
    assert seen[10].about["steps"] == 10
    assert seen[10].suspicion is None
    with pytest.raises(ValueError, match="every and each go together"):
        fit(data, "ce", steps=10, every=5)
    with pytest.raises(ValueError, match="every is 0"):
        fit(data, "ce", steps=10, every=0, each=lambda model, done: None)


def test_predictions_are_adjusted_for_how_frequent_classes_were(data, tmp_path):
    kept = np.concatenate([np.flatnonzero(data.given == c)[: 40 // (c + 1)] for c in range(7)])
    model = fit(data[kept], "ce", steps=60, batch_size=16)
    model.save(tmp_path / "model.safetensors")
    model = load_model(tmp_path / "model.safetensors")
    counts = np.bincount(data.given[kept], minlength=7)
    assert model.about["label counts"] == counts.tolist()
    logits = model.predict_logits(data) - np.log(counts)
    np.testing.assert_array_equal(model.predict(data, adjusted=True), logits.argmax(1))
    found = model.measure(data, adjusted=True)["oracle accuracy"]
    assert found == pytest.approx((logits.argmax(1) == data.truth).mean())
    assert found > model.measure(data)["oracle accuracy"]
    probs = model.predict_proba(data, adjusted=True)
    np.testing.assert_allclose(probs.sum(1), 1, rtol=1e-5)
    assert (probs.argmax(1) == logits.argmax(1)).all()


def test_what_learned_from_candidates_knows_no_frequencies(data):
    model = fit(data, "CC", steps=2)
    with pytest.raises(ValueError, match="it learned from candidate sets, or was saved by an ear"):
        model.predict(data, adjusted=True)
