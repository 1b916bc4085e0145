"""What people said, as the exports of annotation tools hold it: a writer for each format."""

from __future__ import annotations

import io
import json

import polars as pl

PEOPLE = ("ann", "bob", "eve")

Said = dict[int, dict[str, str]]  # by item, then by person, the label; both in any order


def text(item: int) -> str:
    return f"text {item}, as it stands"


def _lines(rows) -> bytes:
    return b"\n".join(json.dumps(row).encode() for row in rows) + b"\n"


def _csv(rows, separator=",") -> bytes:
    return pl.DataFrame(rows, infer_schema_length=None).write_csv(separator=separator).encode()


def _answers(said: Said):
    return [(item, who, label) for item, by in said.items() for who, label in by.items()]


def long_csv(said: Said) -> bytes:
    rows = [
        {"item": item, "annotator": who, "label": label, "text": text(item)}
        for item, by in said.items()
        for who, label in (by or {None: None}).items()
    ]
    return _csv(rows)


def label_studio(said: Said) -> bytes:
    tasks = []
    for item, by in said.items():
        annotations = [
            {
                "id": 100 * item + place,
                "completed_by": {"id": place, "email": who, "first_name": "", "last_name": ""},
                "result": [
                    {
                        "value": {"choices": [label]},
                        "id": "aBc",
                        "from_name": "animal",
                        "to_name": "text",
                        "type": "choices",
                        "origin": "manual",
                    }
                ],
                "was_cancelled": False,
                "ground_truth": False,
                "created_at": f"2024-01-01T00:00:0{place}.5Z",
                "lead_time": 3.5,
                "task": item,
            }
            for place, (who, label) in enumerate(by.items())
        ]
        tasks.append(
            {
                "id": item,
                "annotations": annotations,
                "file_upload": "texts.csv",
                "drafts": [],
                "predictions": [],
                "data": {"text": text(item)},
                "meta": {},
                "total_annotations": len(annotations),
                "project": 1,
            }
        )
    return json.dumps(tasks, indent=2).encode()


def _short(said: Said):
    return [
        {
            "text": text(item),
            "id": item,
            "animal": label,
            "annotator": who,
            "annotation_id": place,
            "created_at": f"2024-01-01T00:00:{place:02}.0Z",
            "updated_at": "2024-01-02T00:00:00.0Z",
            "lead_time": 2.5,
        }
        for place, (item, who, label) in enumerate(_answers(said))
    ]


def label_studio_short(said: Said) -> bytes:
    return json.dumps(_short(said)).encode()


def label_studio_csv(said: Said) -> bytes:
    return _csv(_short(said))


def argilla_records(said: Said) -> bytes:
    return json.dumps(
        [
            {
                "id": str(item),
                "fields": {"text": text(item)},
                "metadata": {},
                "suggestions": {"animal": {"value": "cat", "score": 0.5, "agent": "model"}},
                "responses": {"animal": [{"value": v, "user_id": who} for who, v in by.items()]},
                "vectors": {},
            }
            for item, by in said.items()
        ]
    ).encode()


def _argilla_rows(said: Said):
    return [
        {
            "id": str(item),
            "status": "completed",
            "_server_id": f"s{item}",
            "text": text(item),
            "animal.responses": list(by.values()) or None,
            "animal.responses.users": list(by) or None,
            "animal.responses.status": ["submitted"] * len(by) or None,
            "animal.suggestion": "cat",
            "animal.suggestion.score": 0.5,
            "animal.suggestion.agent": "model",
        }
        for item, by in said.items()
    ]


def argilla_parquet(said: Said) -> bytes:
    file = io.BytesIO()
    pl.DataFrame(_argilla_rows(said), infer_schema_length=None).write_parquet(file)
    return file.getvalue()


def argilla_lines(said: Said) -> bytes:
    return _lines(_argilla_rows(said))


def argilla_feedback(said: Said) -> bytes:
    return _lines(
        {
            "external_id": str(item),
            "text": text(item),
            "animal": [
                {"user_id": who, "value": label, "status": "submitted"} for who, label in by.items()
            ],
            "animal-suggestion": None,
            "animal-suggestion-metadata": {"type": None, "score": None, "agent": None},
            "metadata": "{}",
        }
        for item, by in said.items()
    )


def prodigy(said: Said) -> bytes:
    return _lines(
        {
            "text": text(item),
            "_input_hash": item,
            "_task_hash": -item,
            "options": [{"id": "cat", "text": "Cat"}, {"id": "dog", "text": "Dog"}],
            "_view_id": "choice",
            "config": {"choice_style": "single"},
            "accept": [label] if label else [],
            "answer": "accept" if label else "ignore",
            "_timestamp": 1700000000 + place,
            "_annotator_id": who,
            "_session_id": who,
        }
        for item, by in said.items()
        for place, (who, label) in enumerate((by or {"ann": None}).items())
    )


def toloka(said: Said) -> bytes:
    rows = [
        {
            "INPUT:text": text(item),
            "OUTPUT:result": label,
            "GOLDEN:result": None,
            "HINT:text": None,
            "HINT:default_language": None,
            "ASSIGNMENT:link": "https://example.org/task/1",
            "ASSIGNMENT:task_id": str(item),
            "ASSIGNMENT:assignment_id": f"{item}-{who}",
            "ASSIGNMENT:task_suite_id": "suite",
            "ASSIGNMENT:worker_id": who,
            "ASSIGNMENT:status": "APPROVED" if label else "SKIPPED",
            "ASSIGNMENT:started": "2021-01-01T00:00:00.000",
            "ASSIGNMENT:submitted": "2021-01-01T00:01:00.000",
            "ASSIGNMENT:accepted": "2021-01-01T00:01:00.000",
            "ASSIGNMENT:reward": 0.01,
        }
        for item, by in said.items()
        for who, label in (by or {"ann": None}).items()
    ]
    return _csv(rows, "\t")


def wide(said: Said) -> bytes:
    return _csv(
        [
            {"item": item, "text": text(item), **{who: by.get(who) for who in PEOPLE}}
            for item, by in said.items()
        ]
    )


def get_another_label(said: Said) -> bytes:
    return "".join(f"{who}\t{item}\t{label}\n" for item, who, label in _answers(said)).encode()


def doccano(said: Said, who: str) -> bytes:
    """What one person said."""
    return _lines(
        {
            "id": item,
            "text": text(item),
            "label": [by[who]] if who in by else [],
            "Comments": [],
        }
        for item, by in said.items()
    )


FILES = {  # by name: the file's name, and what writes it; each shows the texts
    "Label Studio": ("export.json", label_studio),
    "Label Studio, short": ("min.json", label_studio_short),
    "Label Studio, CSV": ("min.csv", label_studio_csv),
    "Argilla records": ("records.json", argilla_records),
    "Argilla Parquet": ("argilla.parquet", argilla_parquet),
    "Argilla lines": ("argilla.jsonl", argilla_lines),
    "Argilla feedback": ("feedback.jsonl", argilla_feedback),
    "Prodigy": ("annotations.jsonl", prodigy),
    "Toloka": ("assignments.tsv", toloka),
}
SILENT = {"Label Studio, short", "Label Studio, CSV"}  # of items that nobody answered
