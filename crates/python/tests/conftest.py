import pytest

import autoheal


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store of the test's own, which pages use where they are not told."""
    path = tmp_path / "scraper.heal.db"
    monkeypatch.setenv("AUTOHEAL_STORE", str(path))
    yield path
    autoheal.flush()
