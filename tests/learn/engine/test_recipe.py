"""Recipes as text: names, keys and values, there and back, and what is refused."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from dataclasses import fields

import pytest

from candidly.ground.names import UnknownName
from candidly.learn.engine.recipe import (
    FINE_TUNE,
    OPTIONS,
    RECIPES,
    Recipe,
    default_recipe,
    recipe,
    unsuited,
)

EXAMPLES = {
    "adam": Recipe(),
    "Adam:views=weak": Recipe(views="weak"),
    "sgd": Recipe("sgd", schedule="cosine", decay="weights"),
    "sgd:nesterov=true,momentum=0.95": Recipe(
        "sgd", schedule="cosine", decay="weights", momentum=0.95, nesterov=True
    ),
    "sgd: schedule = steps , at = 0.6": Recipe("sgd", schedule="steps", at=(0.6,), decay="weights"),
    "adamw:warm_up=0.05,precision=bfloat16": Recipe(
        "adamw", schedule="cosine", decay="weights", warm_up=0.05, precision="bfloat16"
    ),
    "fine-tune": FINE_TUNE,
    "Fine-Tune:clip=0": Recipe("adamw", "linear", at=(0.1,), warm_up=0.1, decay="weights"),
    "adam:clip=2,mix_at=embeddings": Recipe(clip=2.0, mix_at="embeddings"),
    "adam:schedule=steps,at=0.5/0.75/.9": Recipe(schedule="steps", at=(0.5, 0.75, 0.9)),
    "adam:schedule=linear,at=0.4": Recipe(schedule="linear", at=(0.4,)),
    "sgd:cycles=12,lowest=0.05,decay=all": Recipe("sgd", "cosine", lowest=0.05, cycles=12),
    "sgd:schedule=steps,factor=0.01,cycles=2": Recipe(
        "sgd", "steps", factor=0.01, cycles=2, decay="weights"
    ),
}


@pytest.mark.parametrize(("text", "expected"), EXAMPLES.items())
def test_a_text_names_a_recipe(text, expected):
    assert recipe(text) == expected


def test_every_recipe_is_read_back_from_its_text():
    values = {
        "schedule": ("constant", "steps", "linear", "cosine"),
        "at": ((0.5, 0.75), (0.1,)),
        "factor": (0.1, 1 / 3),
        "lowest": (0.0, 1e-7),
        "cycles": (1, 12),
        "warm_up": (0.0, 1 / 3),
        "decay": ("all", "weights"),
        "momentum": (0.9, 0.0, 0.123456789012345),
        "nesterov": (False, True),
        "precision": ("float32", "bfloat16"),
        "views": ("plain", "weak"),
        "weak": ("weak", "autoaugment"),
        "strong": ("strong",),
        "distill": ("distill",),
        "mix_at": ("pooled", "embeddings"),
        "clip": (0.0, 1.0),
    }
    assert set(values) == set(OPTIONS) == {f.name for f in fields(Recipe)} - {"optimiser"}
    seen = {}
    for name in RECIPES:
        for some in itertools.product(*values.values()):
            made = Recipe(name, **dict(zip(values, some)))
            idle = made.schedule not in ("steps", "linear") and made.at != (0.5, 0.75)
            idle |= made.schedule != "steps" and made.factor != 0.1
            idle |= made.schedule != "cosine" and made.lowest != 0.0
            idle |= made.schedule == "constant" and made.cycles != 1
            idle |= name != "sgd" and (made.momentum, made.nesterov) != (0.9, False)
            idle |= made.nesterov and not made.momentum
            if not idle:
                assert recipe(made.text) == made
                seen[made.text] = made
    assert len(seen) == len(set(seen.values())) > 400


def test_texts_of_recipes_from_before_stay():
    """They are in the keys of trials; only what is all of it is called fine-tune."""
    old = "adamw:schedule=linear,at=0.1,warm_up=0.1"
    assert recipe(old).text == old
    assert recipe(f"{old},clip=1").text == "fine-tune"
    assert recipe("fine-tune:warm_up=0").text == "adamw:schedule=linear,at=0.1,clip=1.0"
    assert recipe("fine-tune:clip=0").text == old


def test_where_texts_are_mixed_belongs_to_texts():
    made = recipe("adam:mix_at=embeddings")
    for kind in ("tokens", "language"):
        assert unsuited(made, kind) == ""
    for kind in ("table", "texts"):  # which networks for tables see as counts
        assert unsuited(made, kind).endswith("the network takes none. Leave mix_at out.")


def test_views_belong_to_the_inputs_that_have_them():
    words = recipe("adam:views=drop-words:.1,strong=dropout")
    assert words.text == "adam:views=drop-words:0.1,strong=dropout"
    assert unsuited(words, "tokens") == unsuited(recipe("adam:views=weak"), "language") == ""
    assert "changes texts, as tokens, and the inputs are none" in unsuited(words, "images")
    assert "changes pictures" in unsuited(recipe("adam:strong=autoaugment"), "tokens")
    with pytest.raises(ValueError, match="above 0 and below 1"):
        recipe("adam:views=drop-words:1")


def test_defaults_by_kind_of_input():
    for kind in ("table", "columns", "texts"):
        assert default_recipe(kind).text == "adam"
    assert default_recipe("images").text == "adam:views=weak"
    assert default_recipe("tokens").text == "adam"
    assert default_recipe("language").text == "fine-tune"


BAD = {
    "adm": "no recipe named 'adm'; did you mean 'adam'? Choose from: adam, sgd, adamw, fine-tune.",
    "": "no recipe named ''. Choose from: adam, sgd, adamw, fine-tune.",
    "sgd:schedul=steps": "recipe 'sgd:schedul=steps': sgd has no option 'schedul'; did you mean "
    "'schedule'? Choose from: schedule, at, factor, lowest, cycles, warm_up, decay, momentum, "
    "nesterov, precision, views, weak, strong, distill, mix_at, clip.",
    "sgd:": "recipe 'sgd:': nothing stands behind the colon. Leave it out.",
    "sgd:schedule=cosin": "recipe 'sgd:schedule=cosin': schedule is 'cosin'; did you mean "
    "'cosine'? Choose from: constant, cosine, steps, linear.",
    "adam:precision=float64": "recipe 'adam:precision=float64': precision is 'float64'; did you "
    "mean 'bfloat16'? Choose from: float32, tf32, bfloat16.",
    "adam:views": "recipe 'adam:views': views has no value. Write views=VALUE, or leave it out.",
    "adam:views=w": "recipe 'adam:views=w': views: no view named 'w'. Choose from: plain, weak, "
    "strong, distill, strong-plench, autoaugment, dropout, drop-words; or name a policy's file, "
    "such as mine.json.",
    "sgd:momentum=1": "recipe 'sgd:momentum=1': momentum is '1'; give a number from 0 to below 1, "
    "such as 0.1.",
    "sgd:momentum=nan": "recipe 'sgd:momentum=nan': momentum is 'nan'; give a number from 0 to "
    "below 1, such as 0.1.",
    "sgd:nesterov=yes": "recipe 'sgd:nesterov=yes': nesterov is 'yes'; give true or false.",
    "sgd:schedule=steps,at=0.7/0.6": "recipe 'sgd:schedule=steps,at=0.7/0.6': at is '0.7/0.6'; "
    "give growing shares above 0, such as 0.5/0.75.",
    "sgd:at=0.6": "recipe 'sgd:at=0.6': at belongs to schedule=steps or linear. Leave at out.",
    "sgd:factor=0.5": "recipe 'sgd:factor=0.5': factor belongs to schedule=steps. Leave factor "
    "out.",
    "sgd:schedule=steps,factor=0": "recipe 'sgd:schedule=steps,factor=0': factor is '0'; give a "
    "number above 0 and below 1, such as 0.1.",
    "adam:lowest=0.1": "recipe 'adam:lowest=0.1': lowest belongs to schedule=cosine. Leave lowest "
    "out.",
    "sgd:cycles=0": "recipe 'sgd:cycles=0': cycles is '0'; give a whole number from 1 to "
    "999,999, such as 12.",
    "sgd:cycles=2.5": "recipe 'sgd:cycles=2.5': cycles is '2.5'; give a whole number from 1 "
    "to 999,999, such as 12.",
    "adam:cycles=2": "recipe 'adam:cycles=2': cycles belongs to a schedule that is not constant. "
    "Leave cycles out.",
    "adam:schedule=linear,at=0.4/0.5": "recipe 'adam:schedule=linear,at=0.4/0.5': at of "
    "schedule=linear is one share, such as 0.4.",
    "adam:momentum=0.9": "recipe 'adam:momentum=0.9': momentum belongs to the recipe sgd. Leave "
    "momentum out.",
    "sgd:momentum=0,nesterov=true": "recipe 'sgd:momentum=0,nesterov=true': nesterov needs a "
    "momentum above 0.",
    "adam:clip=-1": "recipe 'adam:clip=-1': clip is '-1'; give a number from 0 on, such as 1.0, "
    "or 0 for none.",
    "adam:clip=inf": "recipe 'adam:clip=inf': clip is 'inf'; give a number from 0 on, such as "
    "1.0, or 0 for none.",
    "sgd:decay=all,decay=all": "recipe 'sgd:decay=all,decay=all' says decay twice.",
    3: "recipe is a int; give its name, such as 'sgd:momentum=0.95'.",
    None: "recipe is a NoneType; give its name, such as 'sgd:momentum=0.95'.",
}


@pytest.mark.parametrize(("text", "message"), BAD.items())
def test_what_is_no_recipe_is_a_sentence(text, message):
    with pytest.raises((ValueError, KeyError)) as caught:
        recipe(text)
    assert str(caught.value) == message


def test_recipes_are_read_without_torch():
    code = "import sys; from candidly.learn.engine.recipe import recipe; recipe('sgd')"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; print('torch' in sys.modules, 'numpy' in sys.modules)"],
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["False", "False"], done.stderr


def test_a_recipe_names_a_policy_by_its_content(tmp_path):
    file = tmp_path / "mine.json"
    file.write_text('[[{"operation": "invert", "probability": 1}]]')
    made = recipe(f"adam:strong={file}")
    assert re.fullmatch(r"mine\.json@[0-9a-f]{16}", made.strong)
    assert recipe(made.text) == made
    assert made.replaced("strong") == made.strong
    file.write_text('[[{"operation": "invert", "probability": 0.5}]]')
    assert recipe(f"adam:strong={file}") != made
    file.write_text('[[{"operation": "invrt", "probability": 1}]]')
    with pytest.raises(UnknownName, match=r"sub-policy 1, operation 1.*did you mean 'invert'"):
        recipe(f"adam:strong={file}")
    # what a plan says is a name, and never a path out of its directory
    for path in ("../mine.json", "/tmp/mine.json", "..\\mine.json"):
        with pytest.raises(UnknownName, match="or name a policy's file"):
            recipe(f"adam:strong={path}@0123456789abcdef")
    with pytest.raises(FileNotFoundError, match=r"no file .*gone\.json"):
        recipe(f"adam:strong={tmp_path / 'gone.json'}")
