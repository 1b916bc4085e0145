"""A review app of six images and two people."""

from __future__ import annotations

import pytest

from web_cases import a_project, a_site


@pytest.fixture
def project(tmp_path):
    with a_project(tmp_path / "check", title="Pets", guidelines="Look twice.") as project:
        yield project


@pytest.fixture
def site(project):
    return a_site(project)
