"""Loops of others: Lightning, Trainer and Accelerate end with the numbers of a plain loop."""

from __future__ import annotations

import warnings

import pytest
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

from candidly.learn.own_loop import attach
from learn.own_loop.loops import SIZE, Small, made

DATA = made(dtype=torch.float32)
EPOCHS, BATCH = 3, 16
# nothing besides; a second network; the optimiser changed at every update, and anew at a stage
NAMES = ("PRODEN", "co-teaching", "co-teaching:epochs", "forward-t")
HYPER = {"co-teaching:epochs": {"decay_from": 1}}


@pytest.fixture(autouse=True)
def _quiet():
    """Their advice on workers and devices."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def begin(name):
    torch.manual_seed(0)
    net = Small()
    method = attach(
        name,
        net,
        candidates=DATA.labels["candidates"],
        labels=DATA.labels["given"],
        classes=SIZE,
        epochs=EPOCHS,
        batch_size=BATCH,
        inputs=DATA.x,
        **HYPER.get(name, {}),
    )
    optimizer = torch.optim.Adam(method.groups(weight_decay=1e-4), lr=0.01)
    return net, method, method.drive(optimizer) if method.needs.optimizer else optimizer


def rows():
    return TensorDataset(DATA.x, torch.arange(len(DATA.x)))


def plain(name):
    _, method, optimizer = begin(name)
    for _ in range(EPOCHS):
        for x, ids in DataLoader(rows(), BATCH):
            optimizer.zero_grad()
            method(x, ids).backward()
            optimizer.step()
            method.step()
    return method


def check(method, name):
    assert method.done
    expected = plain(name)._stack.changing()
    for what, tensor in method._stack.changing().items():
        torch.testing.assert_close(tensor, expected[what], rtol=0, atol=1e-5, msg=what)


@pytest.mark.parametrize("name", NAMES)
def test_accelerate(name):
    from accelerate import Accelerator

    _, method, optimizer = begin(name)
    accelerator = Accelerator(cpu=True)
    optimizer, loader = accelerator.prepare(optimizer, DataLoader(rows(), BATCH))
    for _ in range(EPOCHS):
        for x, ids in loader:
            accelerator.backward(method(x, ids))
            optimizer.step()
            optimizer.zero_grad()
            method.step()
    check(method, name)


@pytest.mark.parametrize("name", NAMES)
def test_lightning(name, tmp_path):
    import lightning

    class Training(lightning.LightningModule):
        def __init__(self, net, method, optimizer):
            super().__init__()
            self.net, self.method, self.own = net, method, optimizer

        def training_step(self, batch, number):
            return self.method(*batch)

        def configure_optimizers(self):
            return self.own

        def on_train_batch_end(self, outputs, batch, number):
            self.method.step()

    net, method, optimizer = begin(name)
    trainer = lightning.Trainer(
        max_epochs=EPOCHS,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=tmp_path,
    )
    trainer.fit(Training(net, method, optimizer), DataLoader(rows(), BATCH))
    check(method, name)


class Dicts(Dataset):
    def __len__(self):
        return len(DATA.x)

    def __getitem__(self, row):
        return {"x": DATA.x[row], "ids": row}


@pytest.mark.parametrize("name", NAMES)
def test_trainer(name, tmp_path):
    from torch.utils.data import SequentialSampler
    from transformers import Trainer, TrainerCallback, TrainingArguments

    net, method, optimizer = begin(name)

    class Own(Trainer):
        def compute_loss(self, model, inputs, return_outputs=False, **more):
            return method(inputs["x"], inputs["ids"])

        def _get_train_sampler(self, *args):
            return SequentialSampler(self.train_dataset)

    class Step(TrainerCallback):
        def on_step_end(self, args, state, control, **more):
            method.step()

    how = TrainingArguments(
        output_dir=str(tmp_path),
        num_train_epochs=EPOCHS,
        per_device_train_batch_size=BATCH,
        remove_unused_columns=False,
        lr_scheduler_type="constant",
        max_grad_norm=0.0,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        disable_tqdm=True,
    )
    trainer = Own(
        model=net,
        args=how,
        train_dataset=Dicts(),
        optimizers=(optimizer, None),
        callbacks=[Step()],
    )
    trainer.train()
    check(method, name)
