"""Pictures, and networks with buffers, through fit, predict, and a model's file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from safetensors.numpy import load_file

from candidly import from_arrays
from candidly.learn.model import Model, fit, load_model
from candidly.learn.model import _model as code
from own_net import FILE, small_pictures, write_net


@pytest.fixture(scope="module")
def data():
    return small_pictures()


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    return write_net(tmp_path_factory.mktemp("own"))


class Watched:
    """Keeps the stack."""

    def __call__(self, stack, batch):
        self.stack = stack


@pytest.fixture(scope="module")
def trained(data, net):
    watched = Watched()
    model = fit(data, "PRODEN", steps=40, net=net, batch_size=16, watchers=[watched])
    return model, watched.stack


def test_a_model_of_pictures_predicts_as_its_stack_did(trained, data, monkeypatch):
    model, stack = trained
    said = model.predict_logits(data.inputs)
    np.testing.assert_allclose(said, stack.whole(0).logits.numpy(), rtol=1e-4, atol=1e-4)
    monkeypatch.setattr(code, "rows_at_once", lambda net: 7)
    np.testing.assert_allclose(model.predict_logits(data), said, rtol=1e-5, atol=1e-5)
    assert repr(model).startswith("Model(PRODEN, pictures of 8 x 8 pixels in 1 channel, 3 classes")


def test_a_file_holds_parameters_and_buffers_in_their_types_and_no_code(trained, net, tmp_path):
    model = trained[0]
    model.save(tmp_path / "m.safetensors")
    kept = load_file(tmp_path / "m.safetensors")
    counter, mean = (kept[f"net/norm.{name}"] for name in ("num_batches_tracked", "running_mean"))
    assert (counter.dtype, counter.shape, int(counter)) == (np.int64, (), 40)
    assert (mean.dtype, mean.shape) == (np.float32, (4,))
    assert np.abs(mean).sum() > 0
    assert kept["shift"].shape == (1, 1, 1)
    assert b"nn.Module" not in (tmp_path / "m.safetensors").read_bytes()
    again = load_model(tmp_path / "m.safetensors", net)
    assert again.about == model.about
    x = small_pictures(seed=5).inputs
    assert again.predict_logits(x).tobytes() == model.predict_logits(x).tobytes()


def test_the_file_of_the_network_is_asked_for_and_has_to_be_as_it_was(trained, net, tmp_path):
    saved = tmp_path / "m.safetensors"
    trained[0].save(saved)
    with pytest.raises(ValueError, match=r"was made by net\.py:make, .* `net='net\.py:make'`\.$"):
        load_model(saved)
    edited = write_net(tmp_path, FILE + "\n# edited\n")
    with pytest.raises(ValueError, match=r"was trained with net\.py:make@[0-9a-f]+, and this is"):
        load_model(saved, edited)
    with pytest.raises(ValueError, match="trained with"):
        load_model(saved, "mlp")
    write_net(tmp_path)
    assert load_model(saved, edited).shape == (1, 8, 8)


def test_a_model_by_name_takes_no_other_network(data, tmp_path):
    fit(data, "ce", steps=2, net="mlp:4").save(tmp_path / "m.safetensors")
    assert load_model(tmp_path / "m.safetensors", "mlp:hidden=4").shape == (1, 8, 8)
    with pytest.raises(ValueError, match=r"has the network mlp:4, not mlp; leave it out"):
        load_model(tmp_path / "m.safetensors", "mlp")


def test_the_default_for_arrays_of_pictures_is_the_cnn_and_for_tables_the_mlp(data):
    assert fit(data, "ce", steps=1).about["net"] == "cnn"
    small = replace(data, inputs=data.inputs[:, :5])
    assert fit(small, "ce", steps=1).about["net"] == "mlp"
    table = replace(data, inputs=data.inputs.reshape(len(data.inputs), -1).astype(float))
    assert fit(table, "ce", steps=1).about["net"] == "mlp"


def test_the_mlp_takes_pictures_as_their_numbers(data):
    model = fit(data, "ce", steps=60, net="mlp:16", recipe="adam", batch_size=32)
    assert model.scaling[0].shape == (1, 1, 1)
    assert (model.predict(data) == data.truth).mean() > 0.8


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        (np.zeros((2, 9, 8), np.uint8), "has pictures of 9 x 8 pixels in 1 channel; this model"),
        (np.zeros((2, 8, 8, 3), np.uint8), "in 3 channels; this model was trained on pictures"),
        (np.zeros((2, 8, 8)), "pictures are uint8 images"),
        ([[1.0, 2.0]], "takes pictures, a uint8 array"),
    ],
)
def test_other_inputs_are_refused(trained, inputs, said):
    with pytest.raises(ValueError, match="`inputs`") as caught:
        trained[0].predict(inputs)
    assert said in str(caught.value)


def test_a_damaged_model_of_pictures_is_one_sentence(trained, net, tmp_path):
    model, _ = trained
    shift, factor = model.scaling
    for about, scaling, said in (
        ({"shape": [3, 8, 8]}, model.scaling, "scaling has the shapes"),
        ({"shape": [0, 8, 8]}, model.scaling, "inputs are of shape"),
        ({"shape": [1, 8, 1 << 40]}, model.scaling, "inputs are of shape"),
        ({}, (shift.ravel(), factor.ravel()), "scaling has the shapes"),
    ):
        Model(model.parameters, scaling, model.about).save(tmp_path / "m.safetensors")
        broken = Model(model.parameters, model.scaling, model.about)
        broken.about, broken.scaling = {**model.about, **about}, scaling
        broken.save(tmp_path / "m.safetensors")
        with pytest.raises(ValueError, match=f"damaged model: its {said}"):
            load_model(tmp_path / "m.safetensors", net)
    counter = "norm.num_batches_tracked"
    wrong = {**model.parameters, counter: model.parameters[counter].astype(np.float32)}
    Model(wrong, model.scaling, model.about).save(tmp_path / "m.safetensors")
    with pytest.raises(ValueError, match=f"its net/{counter} is float32, not int64"):
        load_model(tmp_path / "m.safetensors", net)


def test_several_networks_that_are_averaged_keep_their_buffers(data, net, tmp_path):
    watched = Watched()
    model = fit(data, "dividemix", steps=3, net=net, batch_size=16, watchers=[watched])
    assert model.parameters["norm.running_mean"].shape == (2, 4)
    expected = watched.stack.whole(0).logits.numpy()
    np.testing.assert_allclose(model.predict_logits(data), expected, rtol=1e-4, atol=1e-4)
    model.save(tmp_path / "m.safetensors")
    again = load_model(tmp_path / "m.safetensors", net)
    assert again.predict_logits(data).tobytes() == model.predict_logits(data).tobytes()


def files(folder, data):
    """The pictures as files of another size, and a data set of them."""
    found = []
    for row, pixels in enumerate(data.inputs):
        found.append(folder / f"{row}.png")
        Image.fromarray(pixels).resize((24, 24), Image.Resampling.NEAREST).save(found[-1])
    return from_arrays(found, given=data.given, classes=data.classes)


def test_pictures_in_files_stay_pictures_for_a_network_that_takes_them(data, net, tmp_path):
    told = files(tmp_path, small_pictures(30))
    model = fit(told, "ce", steps=2, net=net, batch_size=8)
    assert model.shape == (3, 32, 32)
    assert model.predict(told).shape == (30,)
    model.save(tmp_path / "m.safetensors")
    again = load_model(tmp_path / "m.safetensors", net)
    paths = [str(path) for path in told.inputs]
    assert again.predict_logits(paths).tobytes() == model.predict_logits(told).tobytes()
    for usual in (None, "mlp"):  # as before: descriptors
        assert fit(told, "ce", steps=2, net=usual, batch_size=8).shape == (440,)


def test_models_of_pictures_from_before_are_read(data, tmp_path):
    """They took pixels as a table, scaled one by one, and kept no shape."""
    flat = replace(data, inputs=data.inputs.reshape(len(data.inputs), -1).astype(float))
    model = fit(flat, "ce", steps=5, net="mlp:8", batch_size=16)
    about = {name: value for name, value in model.about.items() if name != "shape"}
    inputs = {"kind": "images", "names": None, "encoding": None}
    Model(model.parameters, model.scaling, {**about, "inputs": inputs}).save(
        tmp_path / "m.safetensors"
    )
    again = load_model(tmp_path / "m.safetensors")
    assert again.predict_logits(data).tobytes() == model.predict_logits(flat).tobytes()
