"""Every option has a type with bounds, and refuses what nobody can mean."""

from __future__ import annotations

import os

import pytest

from candidly.cli._types import Bounded
from refusal_words import COMMANDS

BEYOND = (2**63, 10**30, -1)  # of any number


def numbers_of(words: tuple[str, ...]) -> list:
    """The parameters of a command that hold numbers."""
    kinds = {int, float, list[int], list[float]}
    return [
        one
        for one in COMMANDS[words].params
        if one.type_descriptor.annotation in kinds or one.type_descriptor.parameter_info.parser
    ]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_number_has_a_smallest_and_a_largest(words):
    for one in numbers_of(words):
        reader = one.type_descriptor.parameter_info.parser
        assert isinstance(reader, Bounded), f"{one.name} has no bounds"
        assert -1 < reader.low < reader.high < 2**63, one.name


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_numbers_beyond_are_refused_in_one_sentence(candidly, words):
    for one in numbers_of(words):
        for value in (*BEYOND, "1_0", "nan", "inf", "x"):
            status, out, err = candidly(*words, one.opts[0], value)
            assert (status, out) == (2, ""), (one.name, value)
            said = err.splitlines()[-1]
            assert said.startswith(f"Error: Invalid value for '{one.opts[0]}': it is "), said
            assert "Traceback" not in err


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_what_is_empty_is_refused(candidly, words):
    for one in COMMANDS[words].params:
        if getattr(one, "is_flag", False) or one.default == "":
            continue
        given = ("--", "") if one.param_type_name == "argument" else (one.opts[0], "")
        status, out, err = candidly(*words, *given)
        assert (status, out) == (2, ""), one.name
        last = err.splitlines()[-1]
        assert last.endswith("it is empty. Give a value, or leave it out."), (one.name, err)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_pipe_is_no_file(candidly, tmp_path, words):
    os.mkfifo(tmp_path / "pipe.csv")
    for one in COMMANDS[words].params:
        if getattr(one, "is_flag", False) or one in numbers_of(words):
            continue
        given = ["pipe.csv"] if one.param_type_name == "argument" else [one.opts[0], "pipe.csv"]
        status, out, err = candidly(*words, *given)
        assert (status, out) == (2, ""), one.name
        assert "pipe.csv is a pipe, and no file. Write what it holds to a file." in err, one.name
