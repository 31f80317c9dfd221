"""What every scenario stands on."""

import pytest


@pytest.fixture(autouse=True)
def _nobody_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take no file for one that an editor is still at work on: each command here would wait two seconds for it."""
    monkeypatch.setattr("vaultd.commands.resting.REST", 0.0)
