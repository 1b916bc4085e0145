"""What a sweep's preset was, and where its settings are others."""

from __future__ import annotations

from typing import Any

from ...ground.names import UnknownName
from .presets import PRESETS
from .settings import Settings, hyper_on, name_in

FEW = 3  # values of a list that are named
TOLD = ("noise_rate", "pure_ratio")  # hyper-parameters that only true labels can say


def protocol_note(settings: Settings) -> str:
    """A sentence on the preset and on every setting that differs from it; '' without a preset.

    A reduced preset is compared with the one that it reduces.
    """
    if settings.preset is None:
        return ""
    preset = PRESETS[settings.preset]
    name = preset.reduces or settings.preset
    full = PRESETS[name]
    other = []
    for key, value in settings:
        default = Settings.model_fields[key].get_default(call_default_factory=True)
        asked = full.settings.get(key, default)
        if key != "preset" and value != asked:
            other.append(_difference(key, value, asked))
    if not other:
        return f"Protocol {name}: {full.title}, unchanged."
    how = "reduced" if preset.reduces else "changed"
    said = f"Protocol {settings.preset}: " if preset.reduces else "Protocol "
    return f"{said}{name} ({full.title}), {how}: {'; '.join(other)}."


def published_note(settings: Settings) -> str:
    """A sentence on methods that are trained as they were published; '' where they are not."""
    if settings.as_published is None:
        return ""
    given = [name for name in ("net", "recipe", "steps") if getattr(settings, name)]
    given += [f"hyper {name}" for name in settings.hyper]
    but = f", but for {', '.join(given)}, which is given" if given else ""
    return (
        f"Each method is trained as it was published for {settings.as_published}, with its own "
        f"network, recipe, epochs and hyper-parameters{but}: two of them differ in more than the "
        "method. candidly algorithms show NAME says what they are."
    )


def told_note(settings: Settings) -> str:
    """A sentence on what methods are told that only true labels can say; '' where nothing is."""
    if not any(name_in(key) in TOLD for key in settings.hyper):
        return ""
    from ...learn.algorithms import algorithm  # which takes time to import

    found: dict[str, list[str]] = {}
    for asked in settings.algorithms:
        try:
            method = algorithm(asked, settings.variant)
        except UnknownName:  # of a plug-in that is not imported
            continue
        for name in method.told:
            on = {dataset: hyper_on(settings, dataset).get(name) for dataset in settings.datasets}
            values = [f"{value} on {dataset}" for dataset, value in on.items() if value is not None]
            if values:
                found.setdefault(f"{name} ({', '.join(values)})", []).append(method.label)
    if not found:
        return ""
    told = "; ".join(f"{what} to {' and '.join(names)}" for what, names in found.items())
    return f"Told beforehand, which only true labels can say: {told}."


def _difference(key: str, value: Any, asked: Any) -> str:
    if isinstance(value, tuple) and isinstance(asked, tuple):
        same = [one for one in value if one in asked]
        if same == list(value):
            return f"{key}: {len(value)} of {len(asked)}"
    if isinstance(value, dict) and isinstance(asked, dict):
        value = {name: number for name, number in value.items() if asked.get(name) != number}
        asked = {name: asked[name] for name in value if name in asked}
    what = f"{key} {_shown(value)}"
    return what if asked in (None, {}) else f"{what} instead of {_shown(asked)}"


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        rest = f" and {len(value) - FEW} more" if len(value) > FEW else ""
        return ", ".join(value[:FEW]) + rest
    if isinstance(value, dict):
        return ", ".join(f"{name}={number}" for name, number in value.items())
    return f"{value:,}" if isinstance(value, int) else str(value)
