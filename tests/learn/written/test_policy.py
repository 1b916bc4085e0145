"""Files of policies: what they may say, and what is refused with its place and the next step."""

from __future__ import annotations

import json

import pytest

from candidly.learn.written.policy import (
    LARGEST_BYTES,
    MOST_OPERATIONS,
    OPERATIONS,
    Magnitudes,
    Operation,
    policy_of,
    source_of_policy,
)

ROTATE = '{"operation": "rotate", "probability": 0.7, "magnitude": [-10, 10]}'
EQUALIZE = '{"operation": "equalize", "probability": 0.5}'


def test_a_file_says_sub_policies_of_operations(tmp_path):
    path = tmp_path / "own.json"
    path.write_text(
        f'[[{ROTATE}, {EQUALIZE}],\n [{{"operation": "Posterize", "probability": 1, '
        '"magnitude": 6.0}], [{"magnitude": 1e-3, "operation": "ShearX", "probability": 0}]]'
    )
    assert policy_of(source_of_policy(path), str(path)) == (
        (Operation("rotate", 0.7, -10, 10), Operation("equalize", 0.5)),
        (Operation("posterize", 1.0, 6, 6),),
        (Operation("shear-x", 0.0, 0.001, 0.001),),
    )


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_is_read_at_both_ends_and_no_further(name):
    def source(*ends):
        said = {"operation": name, "probability": 1}
        return json.dumps([[said | ({"magnitude": list(ends)} if ends else {})]]).encode()

    possible = OPERATIONS[name]
    if possible is None:
        assert policy_of(source(), "p") == ((Operation(name),),)
        return
    assert isinstance(possible, Magnitudes)
    ends = possible.low, possible.high
    assert policy_of(source(*ends), "p") == ((Operation(name, 1.0, *ends),),)
    for over in [(possible.low - 1, possible.high), (possible.low, possible.high + 1)]:
        with pytest.raises(ValueError, match=f"p: sub-policy 1, operation 1: magnitude of {name}"):
            policy_of(source(*over), "p")


def test_a_byte_order_mark_is_no_harm():
    assert policy_of(f"\ufeff[[{EQUALIZE}]]".encode(), "p") == ((Operation("equalize", 0.5),),)


AT = r"own\.json: sub-policy 2, operation 2"


def second(operation):
    """A policy whose last operation is the second of the second sub-policy."""
    return f"[[{EQUALIZE}], [{ROTATE}, {operation}]]"


REFUSED = {
    "": r"own\.json is no JSON: .* line 1, column 1\. Write a list of sub-policies",
    "[[": r"no JSON: .* line 1, column 3",
    f"[[{EQUALIZE},]]": "no JSON",
    f"[[{EQUALIZE}]] x": "no JSON",
    "[" * 100_000: "no JSON that can be read: .* too deep",
    "[" + "1" * 5000 + "]": "thousands of digits",
    "[]": "the policy is an empty list; write one of sub-policies",
    "{}": "the policy is an object; write a list of sub-policies",
    "null": "the policy is null",
    '"weak"': "the policy is 'weak'",
    f"[[{EQUALIZE}], []]": "sub-policy 2: it is an empty list; write one of operations",
    f"[{EQUALIZE}]": "sub-policy 1: it is an object; write a list of operations",
    f"[[{EQUALIZE}], 3]": "sub-policy 2: it is 3; write a list",
    second('"rotate"'): f"{AT} is 'rotate'; write an object",
    second("[]"): f"{AT} is a list; write an object",
    second("true"): f"{AT} is true; write an object",
    second("{}"): f"{AT} has no 'operation'; add it",
    second('{"operation": "invert"}'): f"{AT} has no 'probability'; add it",
    second(
        '{"operation": "invert", "prob": 1}'
    ): f"{AT} has the unknown key 'prob'; did you mean 'probability'\\? Choose from: operation,",
    second(
        '{"operation": "invert", "probability": 1, "probability": 0}'
    ): f"{AT} says 'probability' twice; keep one",
    second('{"operation": 3, "probability": 1}'): f"{AT}: operation is 3; write a name",
    second('{"operation": null, "probability": 1}'): f"{AT}: operation is null; write a name",
    second(
        '{"operation": "posterise", "probability": 1, "magnitude": 4}'
    ): f"{AT}: no operation named 'posterise'; did you mean 'posterize'",
    second(
        '{"operation": "invert", "probability": 1.5}'
    ): f"{AT}: probability is 1.5; give a number from 0 to 1",
    second('{"operation": "invert", "probability": -0.1}'): "probability is -0.1; give",
    second('{"operation": "invert", "probability": NaN}'): "probability is nan; give",
    second('{"operation": "invert", "probability": "1"}'): "probability is '1'; give",
    second('{"operation": "invert", "probability": true}'): "probability is true; give",
    second('{"operation": "invert", "probability": null}'): "probability is null; give",
    second('{"operation": "invert", "probability": [1]}'): "probability is a list; give",
    second(
        '{"operation": "invert", "probability": 1, "magnitude": 1}'
    ): f"{AT}: invert has no magnitude; leave it out",
    second(
        '{"operation": "solarize", "probability": 1}'
    ): f"{AT}: magnitude of solarize is missing; give a number from 0 to 256, or \\[LOW, HIGH\\]",
    second(
        '{"operation": "solarize", "probability": 1, "magnitude": 257}'
    ): f"{AT}: magnitude of solarize is 257; give a number from 0 to 256",
    second(
        '{"operation": "solarize", "probability": 1, "magnitude": 1e999}'
    ): "magnitude of solarize is inf; give a number",
    second(
        '{"operation": "rotate", "probability": 1, "magnitude": [-Infinity, 3]}'
    ): "magnitude of rotate is -inf; give a number from -180 to 180",
    second(
        f'{{"operation": "rotate", "probability": 1, "magnitude": 1{"0" * 400}}}'
    ): "magnitude of rotate is 1000000.*characters.*give a number",
    second(
        '{"operation": "posterize", "probability": 1, "magnitude": 4.5}'
    ): "magnitude of posterize is 4.5; give a whole number from 1 to 8",
    second(
        '{"operation": "posterize", "probability": 1, "magnitude": [4, 9]}'
    ): "magnitude of posterize is 9; give a whole number from 1 to 8",
    second(
        '{"operation": "rotate", "probability": 1, "magnitude": [10, -10]}'
    ): "is from 10 to -10; write the smaller one first",
    second(
        '{"operation": "rotate", "probability": 1, "magnitude": [1, 2, 3]}'
    ): "magnitude of rotate is a list of 3; write a number, or",
    second('{"operation": "rotate", "probability": 1, "magnitude": []}'): "is a list of 0",
    second(
        '{"operation": "rotate", "probability": 1, "magnitude": {"low": 1}}'
    ): "magnitude of rotate is an object; give a number",
    second(
        '{"operation": "rotate", "probability": 1, "magnitude": false}'
    ): "magnitude of rotate is false; give a number",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[-70:])
def test_what_is_no_policy_is_refused_with_place_value_and_next_step(tmp_path, text):
    path = tmp_path / "own.json"
    path.write_text(text)
    with pytest.raises((ValueError, KeyError), match=REFUSED[text]) as caught:
        policy_of(source_of_policy(path), str(path))
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 500 + len(str(path))


def test_bytes_that_are_no_text_are_refused(tmp_path):
    with pytest.raises(ValueError, match="own is no JSON that can be read: its text is not UTF-8"):
        policy_of(b'[["\xff\xfe"]]', "own")


def test_a_file_that_is_too_large_is_refused(tmp_path):
    path = tmp_path / "own.json"
    path.write_text(f"[[{EQUALIZE}]]".ljust(LARGEST_BYTES))
    assert len(policy_of(source_of_policy(path), str(path))) == 1
    path.write_text(f"[[{EQUALIZE}]]".ljust(LARGEST_BYTES + 1))
    with pytest.raises(ValueError, match=r"larger than 1,000,000 bytes.*fewer"):
        policy_of(source_of_policy(path), str(path))


def test_a_sub_policy_of_very_many_operations_is_refused():
    of = "[[{}], [{}]]".format
    most = ", ".join([EQUALIZE] * MOST_OPERATIONS)
    assert len(policy_of(of(EQUALIZE, most).encode(), "own")[1]) == MOST_OPERATIONS
    with pytest.raises(ValueError, match="sub-policy 2 has 21 operations, and at most 20"):
        policy_of(of(EQUALIZE, f"{most}, {EQUALIZE}").encode(), "own")


def test_a_file_that_is_not_there_is_named(tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(FileNotFoundError, match=f"no file {path}, which should hold a policy"):
            policy_of(source_of_policy(path), str(path))
