"""The plan of a directory: what is to be trained, and the file that says so.

Reading it loads no algorithm: what tables need of one is in the file, except in files from before
that was kept.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from .._files import replacing
from .._names import UnknownName
from .._net_text import same_file
from ..seeds import hashed
from .facts import Drawn, Facts, Page, kept_in
from .records import Run
from .settings import Settings, kept_settings, recipe_for
from .trial import Trial, record_steps, selectable_from

SCHEMA = 3
READ_FROM_PAGES = (1, 2)  # schemas of plans that kept no more of an algorithm than its version
RENAMED = {"test": "test_share", "validation": "validation_share"}  # settings, since schema 1
GROWING = ("datasets", "algorithms", "configs", "splits")  # settings that a later plan may extend
OF_TEXTS = ("special", "names")
LATER: dict[str, Any] = {  # of later plans
    "kind": "table",
    "shape": (),
    "net": "",
    "track": "",
    "tokens": 0,
    "unknown": 0,
    "special": (),
    "length": 0,
    "names": (),
}
BY_KIND = ("recipe", "net")  # compared as what they come to for each data set
TOLD = ("preset",)  # where settings came from; they are compared themselves


@dataclass(frozen=True)
class Plan:
    """What is to be trained: settings, what was true of the data and of the algorithms by label."""

    settings: Settings
    facts: Mapping[str, Facts]
    pages: Mapping[str, Page]
    trials: tuple[Trial, ...]

    @property
    def versions(self) -> dict[str, int]:
        """Of the algorithms, by label."""
        return {label: page.version for label, page in self.pages.items()}


def training_rows(facts: Facts, settings: Settings) -> int:
    """How many rows each trial trains on."""
    held = facts.n_test + (facts.n_validation if settings.validation == "tune" else 0)
    return facts.n - held


def net_of(facts: Facts, settings: Settings) -> str:
    """The network of trials on a data set; plans of before kept it in their settings alone."""
    return facts.net or settings.net or "mlp"


def trials_of(
    settings: Settings, facts_by_name: Mapping[str, Facts], pages: Mapping[str, Page]
) -> Iterable[Trial]:
    """Every training: data sets by algorithms by configurations by splits."""
    for name, facts in facts_by_name.items():
        recipe = recipe_for(settings, facts.kind).text
        for label, page in pages.items():
            algorithm, _, variant = label.partition(":")
            released = variant == "plench"
            official = settings.split == "official"
            for config, by_split in enumerate(page.hyper_for(facts.kind)):
                for split, hyper in enumerate(by_split, settings.seed):
                    yield Trial(
                        dataset=name,
                        data=facts.fingerprint,
                        algorithm=algorithm,
                        variant=variant or "fixed",
                        version=page.version,
                        config=config,
                        hyper=hyper,
                        net=net_of(facts, settings),
                        scaling=settings.scaling or ("plench" if released else "train"),
                        split=split,
                        test=0.0 if official else settings.test_share,
                        validation=settings.validation_share,
                        mode=settings.validation,
                        seed=hashed(facts.seed_name, page.seed_name, config, split),
                        steps=facts.steps,
                        eval_every=settings.eval_every,
                        timing="plench" if released else "fixed",
                        dtype=settings.dtype,
                        test_set=settings.split,
                        recipe=recipe,
                    )


def planned_runs(plan: Plan) -> list[Run]:
    """The plan as runs without records."""
    runs = []
    for trial in plan.trials:
        due = record_steps(trial.steps, trial.eval_every, trial.timing)
        facts, page = plan.facts[trial.dataset], plan.pages[trial.label]
        runs.append(
            Run(
                key=trial.key,
                dataset=trial.dataset,
                algorithm=trial.label,
                config=trial.config,
                split=trial.split,
                hyper=trial.hyper,
                record_steps=due,
                selectable_from=selectable_from(due, trial.timing),
                n_validation=facts.n_validation,
                n_test=facts.n_test,
                mode=trial.mode,
                reads=page.reads,
                networks=page.networks,
                n_train=training_rows(facts, plan.settings),
            )
        )
    return runs


# the file beside the journal


def write_plan(folder: Path, plan: Plan) -> None:
    """Write ``plan.json``, and wait until it is on the disk."""
    about = {
        "schema": SCHEMA,
        "settings": plan.settings.model_dump(mode="json"),
        "data": {name: asdict(facts) for name, facts in plan.facts.items()},
        "algorithms": {label: asdict(page) for label, page in plan.pages.items()},
    }
    with replacing(folder / "plan.json", synced=True) as file:
        file.write(_written(about | {"crc32": _checksum(about)}).encode())


def _written(about: Mapping[str, Any]) -> str:
    """JSON with a line for each setting, data set and algorithm."""
    parts = []
    for name, value in about.items():
        text = json.dumps(value)
        if isinstance(value, dict):
            lines = (f"  {json.dumps(key)}: {json.dumps(one)}" for key, one in value.items())
            text = "{\n" + ",\n".join(lines) + "\n }"
        parts.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _checksum(about: Mapping[str, Any]) -> str:
    """Of the values, however they are written."""
    return f"{zlib.crc32(json.dumps(about, sort_keys=True).encode()):08x}"


def read_plan(folder: Path) -> Plan | None:
    """The plan of a directory, or None when it has none.

    Raises:
        ValueError: the file is damaged or of another version; says what to do.
    """
    path = folder / "plan.json"
    if not path.exists():
        return None
    try:
        about = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise _damaged(path, "it is no JSON") from None
    if not isinstance(about, dict) or "schema" not in about:
        raise _damaged(path, "it has no schema")
    schema = about["schema"]
    if schema not in (*READ_FROM_PAGES, SCHEMA):
        raise ValueError(
            f"{path} has schema {schema!r}, and this candidly reads up to {SCHEMA}. Update "
            "candidly, or use the version that wrote it."
        )
    if schema == SCHEMA and about.pop("crc32", None) != _checksum(about):
        raise _damaged(path, "it does not match its checksum")
    try:
        renamed = RENAMED if schema == 1 else {}
        settings = kept_settings({renamed.get(k, k): v for k, v in about["settings"].items()})
        facts = {name: _facts(values) for name, values in about["data"].items()}
        pages = _old_pages(about, settings) if schema in READ_FROM_PAGES else _pages(about)
    except UnknownName as error:
        raise ValueError(f"{path} names an algorithm that is not there: {error}") from None
    except KeyError as error:
        raise _damaged(path, f"it lacks {error.args[0]}") from None
    except (ValueError, TypeError, AttributeError) as error:
        # only candidly's own sentences say something to a reader
        raise _damaged(path, str(error) if type(error) is ValueError else "") from None
    return Plan(settings, facts, pages, tuple(trials_of(settings, facts, pages)))


def _facts(kept: Mapping[str, Any]) -> Facts:
    several = {name: tuple(kept.get(name, ())) for name in ("shape", *OF_TEXTS)}
    return Facts(**{**kept, **several})


def _damaged(path: Path, why: str) -> ValueError:
    return ValueError(
        f"{path} cannot be read as a plan{f': {why}' if why else ''}. Restore it from a copy. "
        f"Without one, move it away and repeat the command that made {path.parent}: the records "
        "in its journal count again."
    )


def _pages(about: Mapping[str, Any]) -> dict[str, Page]:
    return {
        label: Page(
            **kept
            | {name: tuple(kept[name]) for name in ("reads", "code")}
            | {
                name: _tuples(kept.get(name, ()))
                for name in ("hyper", "of_pictures", "of_language")
            }
        )
        for label, kept in about["algorithms"].items()
    }


def _tuples(drawn: Sequence[Sequence[Mapping[str, float | int]]]) -> Drawn:
    return tuple(tuple(by_split) for by_split in drawn)


def _old_pages(about: Mapping[str, Any], settings: Settings) -> dict[str, Page]:
    """What such a file did not keep, from the algorithms themselves; their code is not known."""
    from .pages import page_of, pages_asked  # which load torch

    versions = about["versions"]
    return {
        page.label: replace(page_of(page, settings, versions[page.label]), code=())
        for page in pages_asked(settings)
    }


# resuming


def extended(folder: Path, old: Plan, new: Plan, accept_code: bool = False) -> Plan:
    """The new plan with what the old one says of its runs' code, if it contradicts nothing.

    A plan may grow: more data sets, algorithms, configurations or splits.

    Args:
        accept_code: go on where an algorithm's code has changed.

    Raises:
        ValueError: names the setting, both values, and what to do.
    """
    then, now = old.settings.model_dump(), new.settings.model_dump()
    for name in then:
        if name not in (*GROWING, *BY_KIND, *TOLD) and then[name] != now[name]:
            raise ValueError(_contradiction(folder, name, then[name], now[name]))
    for name in ("configs", "splits"):
        if now[name] < then[name]:
            raise ValueError(_contradiction(folder, name, then[name], now[name]))
    for name in ("datasets", "algorithms"):
        if lost := [value for value in then[name] if value not in now[name]]:
            raise ValueError(_contradiction(folder, name, then[name], now[name], lost))
    for name, facts in old.facts.items():
        if _identity(facts) != _identity(new.facts[name]):
            raise ValueError(
                f"{name} is not the data that {folder} was made with (fingerprint "
                f"{new.facts[name].fingerprint[:12]}, not {facts.fingerprint[:12]}). Use another "
                "--out."
            )
        was = recipe_for(old.settings, facts.kind).text
        asked = recipe_for(new.settings, new.facts[name].kind).text
        if was != asked:
            raise ValueError(_contradiction(folder, "recipe", was, asked))
        _check_net(folder, net_of(facts, old.settings), net_of(new.facts[name], new.settings))
    pages = dict(new.pages)
    kinds = {(facts.kind, new.facts[name].kind) for name, facts in old.facts.items()}
    for label, page in old.pages.items():
        drawn = [(page.hyper_for(a), new.pages[label].hyper_for(b)) for a, b in kinds]
        _check_page(folder, label, page, new.pages[label], drawn, accept_code)
        current = new.pages[label].code
        before = tuple(one for one in page.code if one not in current)
        pages[label] = replace(new.pages[label], code=before + current if page.code else ())
    settings = new.settings.model_copy(update={n: now[n] or then[n] for n in TOLD})
    return replace(new, settings=settings, pages=pages)


def _check_net(folder: Path, then: str, now: str) -> None:
    if then == now:
        return
    if same_file(then, now):
        raise ValueError(
            f"{folder} was planned with {then}, and the file has been edited since: it is {now}, "
            f"and old and new runs would not compare. Use the copy in {folder / 'nets'} to resume, "
            "or another --out."
        )
    raise ValueError(_contradiction(folder, "net", then, now))


def _check_page(
    folder: Path,
    label: str,
    then: Page,
    now: Page,
    drawn: Iterable[tuple[Drawn, Drawn]],
    accept_code: bool,
) -> None:
    if then.plugin != now.plugin:
        raise ValueError(
            f"{folder} was made with {label} of {then.plugin or 'no plug-in file'}, and here it is "
            f"of {now.plugin or 'no plug-in file'}: old and new runs would not compare. Import "
            f"{kept_in(folder, then.plugin)} to go on, or use another --out."
        )
    if then.version != now.version:
        raise ValueError(
            f"{folder} was made with {label} version {then.version}; this candidly has version "
            f"{now.version}, whose numbers differ. Use another --out."
        )
    if any(old != new[: len(old)] for pair in drawn for old, new in zip(*pair)):
        raise ValueError(
            f"{folder} was made with other hyper-parameters of {label} than this candidly draws: "
            "its search space has changed since. Use another --out."
        )
    if then.code and then.code[-1:] != now.code and not accept_code:
        file = f"algorithms/{then.place.partition(':')[0]}.py" if then.place else "its page"
        same = then.place == now.place
        why = f"{file}, or what it uses, has changed" if same else f"it is not that of {file}"
        raise ValueError(
            f"{folder} was made with other code of {label}: {why}, though the version is the same, "
            "so old and new runs may not compare. Use another --out. If the change moves no number,"
            " --accept-code goes on, and tables name the algorithm."
        )


def _identity(facts: Facts) -> Facts:
    """The facts without what follows from the content, which has a fingerprint."""
    return replace(facts, flip_rate=None, flip_rate_error=None, flip_doubt="", **LATER)


def _contradiction(folder: Path, name: str, then: Any, now: Any, lost: Any = None) -> str:
    absent: tuple[Any, ...] = (None, {})
    was = f"without {name}" if then in absent else f"with {name} = {_shown(then)}"
    says = "this run leaves it out" if now in absent else f"this run says {_shown(now)}"
    missing = f" ({_shown(lost)} would be dropped)" if lost else ""
    back = f"Leave {name} out" if then in absent else "Repeat the old value"
    return f"{folder} was planned {was}, {says}{missing}. {back} to resume, or use another --out."


def _shown(value: Any) -> str:
    """A setting as a person writes it."""
    if isinstance(value, dict):
        return ",".join(f"{name}={number}" for name, number in value.items())
    return ",".join(value) if isinstance(value, list | tuple) else str(value)
