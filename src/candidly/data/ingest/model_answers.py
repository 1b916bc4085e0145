"""Answers of language models, in the forms they come in, as labels of a closed list.

Lines of JSON: what the batch services of OpenAI and Anthropic return, or objects of one's own that
name the item, the model and the answer. An answer counts only if it is a label by the rules of
``label_in_answer``; what is none is counted as refused, empty, failed or off the list, and never
guessed.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...ground.files import check_content
from ...ground.names import shortened
from ...ground.problem import Refusal
from ._packed import check_size
from ._sheet import read_frame

ITEMS = ("item", "id", "custom_id", "key")
MODELS = ("annotator", "model")
ANSWERS = ("label", "answer", "response", "output", "completion", "text")
TOPS = ("top", "top_logprobs", "logprobs")
REFUSALS = ("i'm sorry", "i am sorry", "i cannot", "i can't", "i can not", "i won't", "as an ai",
            "i'm unable", "i am unable", "i'm not able", "sorry, ")  # fmt: skip
ABOUT = " \t\r\n.,:;!?\"'`*_()[]{}<>"  # what may stand about a label
SENTENCE = re.compile(
    r"(?:^|\b)(?:label|answer|class|category)\s*(?:is\b|:|=)\s*(.+?)\s*$", re.IGNORECASE
)
OUTCOMES = ("answered", "refused", "empty", "off the list", "failed")


@dataclass(frozen=True)
class ModelAnswers:
    """What models said of items.

    Attributes:
        item, model: names, of each answer that is a label.
        label: the label. beliefs: how probable each label is, by the log-probabilities of the first
            token where there are some, divided by their sum; the label alone otherwise.
        counts: by model, how many answers came to each of ``OUTCOMES``.
        off_list: how often each text was said that is no label.
        covered: of answers with log-probabilities, which part of these is of labels, in the mean;
            None without any.
    """

    item: list[str] = field(default_factory=list)
    model: list[str] = field(default_factory=list)
    label: list[str] = field(default_factory=list)
    beliefs: list[dict[str, float]] = field(default_factory=list)
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    off_list: Counter[str] = field(default_factory=Counter)
    covered: float | None = None


@dataclass(frozen=True)
class _Reply:
    item: str
    model: str
    text: str | None  # None: it failed
    top: Mapping[str, float]  # token or label -> log-probability


def read_model_answers(
    paths: Sequence[Path | str],
    classes: Sequence[str],
    texts: Mapping[str, str] | None = None,
    fields: Mapping[str, str] | None = None,
) -> ModelAnswers:
    """Read files with an answer a line.

    Args:
        paths: ``.jsonl`` files.
        classes: names of all labels.
        texts: further texts that mean a label, such as ``{"A": "cat"}``.
        fields: names of the fields ``item``, ``annotator`` and ``label`` of objects of one's own,
            where they are called otherwise than usual.

    Raises:
        ValueError: no list of at least two labels, two labels that differ by case alone, a text for
            no label, a file that is damaged or without any answer, or an item that a model answers
            twice; it names file and line.
    """
    known = _known_texts(classes, texts or {})
    found = ModelAnswers()
    seen: dict[tuple[str, str], str] = {}
    masses: list[float] = []
    for path in map(Path, paths):
        before = len(seen)
        for number, reply in _replies(path, fields or {}):
            where = f"{path}, line {number}"
            if (reply.item, reply.model) in seen:
                raise Refusal(
                    f"{where}: {reply.model} answers item {shortened(reply.item)} again, after"
                    f" {seen[reply.item, reply.model]}.",
                    "keep one of the answers",
                )
            seen[reply.item, reply.model] = where
            counts = found.counts.setdefault(reply.model, Counter())
            label = None if reply.text is None else label_in_answer(reply.text, known)
            counts[_outcome(reply.text, label)] += 1
            if label is None:
                if _outcome(reply.text, label) == OUTCOMES[3]:
                    found.off_list[str(reply.text).strip()[:200]] += 1
                continue
            beliefs, mass = _beliefs(reply.top, known)
            if mass is not None:
                masses.append(mass)
            found.item.append(reply.item)
            found.model.append(reply.model)
            found.label.append(label)
            found.beliefs.append(beliefs if beliefs else {label: 1.0})
        if len(seen) == before:
            raise Refusal(f"{path} has no answer.", "name a file with an answer a line")
    covered = sum(masses) / len(masses) if masses else None
    return ModelAnswers(
        found.item, found.model, found.label, found.beliefs, found.counts, found.off_list, covered
    )


def label_in_answer(text: str, known: Mapping[str, str]) -> str | None:
    """The label that an answer is, or None.

    The whole text, without what may stand about it and whatever its case; the field ``label`` or
    ``answer`` of an object of JSON; or what a last line such as ``Answer: cat``, or one that says
    ``the label is cat``, ends with.

    Args:
        known: label by text, as ``_known_texts`` makes it.
    """
    whole = _folded(text)
    if whole in known:
        return known[whole]
    if text.strip().strip("`").removeprefix("json").strip().startswith("{"):
        try:
            value = json.loads(text.strip().strip("`").removeprefix("json"))
        except (ValueError, RecursionError):
            return None
        named = next((value[name] for name in ("label", "answer") if name in value), None)
        return known.get(_folded(str(named)))
    lines = [line for line in text.strip().splitlines() if line.strip()]
    ending = SENTENCE.search(lines[-1]) if lines else None
    return known.get(_folded(ending[1])) if ending else None


def _folded(text: str) -> str:
    return " ".join(text.casefold().strip(ABOUT).split())


def _known_texts(classes: Sequence[str], texts: Mapping[str, str]) -> dict[str, str]:
    names = [str(name) for name in classes]
    if len(set(names)) < 2:
        raise Refusal("answers of models need a list of two labels or more.", "name `classes`")
    known: dict[str, str] = {}
    for name in names:
        if known.setdefault(_folded(name), name) != name:
            raise ValueError(f"the labels {known[_folded(name)]!r} and {name!r} look alike.")
    for text, label in texts.items():
        if label not in names:
            raise ValueError(f"the text {text!r} stands for {label!r}, which is no label.")
        if known.setdefault(_folded(text), label) != label:
            raise ValueError(f"the text {text!r} stands for two labels.")
    return known


def _outcome(text: str | None, label: str | None) -> str:
    answered, refused, empty, off_list, failed = OUTCOMES
    if text is None:
        return failed
    if label is not None:
        return answered
    folded = text.casefold().strip(ABOUT).replace("’", "'")
    if not folded:
        return empty
    return refused if folded.startswith(REFUSALS) else off_list


def _beliefs(
    top: Mapping[str, float], known: Mapping[str, str]
) -> tuple[dict[str, float], float | None]:
    """Probabilities of labels from those of first tokens, which may be the beginning of one label
    alone; and which part of the tokens' they are."""
    found: dict[str, float] = {}
    total = 0.0
    for token, log in top.items():
        probability = math.exp(log)
        total += probability
        folded = _folded(token)
        label = known.get(folded)
        if label is None and folded:
            begun = {name for text, name in known.items() if text.startswith(folded)}
            label = begun.pop() if len(begun) == 1 else None
        if label is not None:
            found[label] = found.get(label, 0.0) + probability
    mass = sum(found.values())
    if not top:
        return {}, None
    if mass <= 0:
        return {}, 0.0
    return {label: value / mass for label, value in found.items()}, mass / total


def read_pairs(path: Path | str, key: str, value: str) -> dict[str, str]:
    """Two columns of a table, as text: value by key.

    Raises:
        ValueError: it lacks one of them, a cell is empty, or a key is there twice.
    """
    frame = read_frame(Path(path)).frame
    for name in (key, value):
        if name not in frame.columns:
            raise ValueError(f"{path} has no column {name!r}, but {', '.join(frame.columns)}.")
    pairs = list(zip(*(frame[name].cast(str).to_list() for name in (key, value))))
    for row, (one, other) in enumerate(pairs):
        if one is None or other is None:
            raise ValueError(f"{path}: row {row} lacks its {key} or its {value}.")
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(one for one, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"{path}, column {key!r}, has {twice!r} twice.")
    return found


# ---- the forms that answers come in


def _replies(path: Path, fields: Mapping[str, str]) -> Iterator[tuple[int, _Reply]]:
    check_content(path)
    check_size(path.stat().st_size)
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise Refusal(
                    f"{path}, line {number} is damaged: {error}.",
                    "write the file again with the program that made it",
                ) from None
            if not isinstance(record, dict):
                raise ValueError(f"{path}, line {number} is no object of JSON.")
            yield number, _reply(record, f"{path}, line {number}", fields)


def _reply(record: Mapping[str, Any], where: str, fields: Mapping[str, str]) -> _Reply:
    if "custom_id" in record and isinstance(record.get("result"), Mapping):
        return _of_anthropic(record, where)
    if "custom_id" in record and (
        isinstance(record.get("response"), Mapping) or isinstance(record.get("error"), Mapping)
    ):
        return _of_openai(record, where)
    item = _field(record, fields.get("item"), ITEMS, where, "item")
    model = _field(record, fields.get("annotator"), MODELS, where, "annotator")
    answer = _field(record, fields.get("label"), ANSWERS, where, "label")
    top = next((record[name] for name in TOPS if name in record), None)
    for what, value in (("item", item), ("annotator", model)):
        if not isinstance(value, str | int):
            raise ValueError(f"{where} names the {what} with {shortened(value)}; write text.")
    return _Reply(str(item), str(model), None if answer is None else str(answer), _top(top, where))


def _at(value: Any, *path: str | int) -> Any:
    """What lies at a place of nested objects and lists; None where there is no such place."""
    for step in path:
        if isinstance(value, Mapping) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def _field(
    record: Mapping[str, Any], named: str | None, usual: Sequence[str], where: str, what: str
) -> Any:
    if named is not None and named not in record:
        raise ValueError(f"{where} has no field {named!r}, but {', '.join(record)}.")
    name = named or next((one for one in usual if one in record), None)
    if name is None:
        raise Refusal(
            f"{where} has none of the fields {', '.join(usual)}, but {', '.join(record)}.",
            f"say which it is with `{what}`",
        )
    return record[name]


def _of_openai(record: Mapping[str, Any], where: str) -> _Reply:
    """A line of what OpenAI's Batch API returns, and services that do as it does."""
    body = _at(record, "response", "body")
    model = str(_at(body, "model") or "unknown model")
    choice = _at(body, "choices", 0)
    if record.get("error") or not isinstance(choice, Mapping):
        return _Reply(str(record["custom_id"]), model, None, {})
    text = _at(choice, "message", "content") or _at(choice, "message", "refusal") or ""
    top = _at(choice, "logprobs", "content", 0, "top_logprobs")
    return _Reply(str(record["custom_id"]), model, str(text), _top(top, where))


def _of_anthropic(record: Mapping[str, Any], where: str) -> _Reply:
    """A line of what Anthropic's Message Batches API returns."""
    message = _at(record, "result", "message")
    model = str(_at(message, "model") or "unknown model")
    if _at(record, "result", "type") != "succeeded":
        return _Reply(str(record["custom_id"]), model, None, {})
    content = _at(message, "content")
    parts = [_at(part, "text") for part in content] if isinstance(content, list) else []
    text = "".join(part for part in parts if isinstance(part, str))
    return _Reply(str(record["custom_id"]), model, text, {})


def _top(value: Any, where: str) -> dict[str, float]:
    """Log-probabilities by token: a list of ``{"token", "logprob"}``, or an object."""
    if value is None:
        return {}
    pairs: list[tuple[Any, Any]] = []
    if isinstance(value, Mapping):
        pairs = list(value.items())
    elif isinstance(value, list) and all(isinstance(one, Mapping) for one in value):
        pairs = [(one.get("token"), one.get("logprob")) for one in value]
    found: dict[str, float] = {}
    for token, log in pairs:
        if not isinstance(token, str) or isinstance(log, bool) or not isinstance(log, int | float):
            raise ValueError(f"{where} has the log-probability {log!r} of {token!r}.")
        if not log <= 1e-6:
            raise ValueError(f"{where} has the log-probability {log!r} of {token!r}, above 0.")
        found[token] = max(float(log), found.get(token, -math.inf))
    return found
