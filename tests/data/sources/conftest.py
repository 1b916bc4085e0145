from __future__ import annotations

import pytest


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No CANDIDLY_DATA, an empty cache, and a network that must not be asked."""
    import pooch

    def refuse(*args, **kwargs):
        raise AssertionError("the network was asked")

    monkeypatch.delenv("CANDIDLY_DATA", raising=False)
    monkeypatch.setattr("candidly.data.sources.fetch._cache", lambda: tmp_path / "cache")
    monkeypatch.setattr(pooch, "retrieve", refuse)
    return tmp_path
