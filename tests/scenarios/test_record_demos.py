"""The demos about records leave real vaults: their files, and what git tells of them."""

import tempfile
from pathlib import Path

import pytest

from tests.scenarios.test_records import HEAD, HISTORY, paths, prop
from tests.vaults import Vault


def shown(vault: Vault, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[Vault, list[dict]]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    document = vault.does("demo", name, "--json").json
    return Vault(Path(document["vault"])), document["steps"]


def test_five_writes(vault: Vault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    demo, steps = shown(vault, "five-writes", monkeypatch, tmp_path)
    values = [step["current"] for step in steps if step["commit"]]
    first, second, third = "Evaluating SSO options", "Committed to SSO rollout in Q4", "Also exploring SCIM"
    assert values == [first, second, second, third, None]
    assert [subject.split(" customer_profiles")[0] for subject in demo.log[:5]] == [
        "record: retract",
        "record: approve",
        "record: propose",
        "record: set",
        "record: set",
    ]
    assert HEAD not in paths(demo)
    past = paths(demo, HISTORY)
    assert sorted((demo.root / path).read_text().rpartition("---\n")[2].strip() for path in past) == [
        "",
        third,
        second,
        first,
    ]
    assert sum(prop(demo, path, "superseded_by") is not None for path in past) == 3
    (draft,) = paths(demo, "review")
    assert (prop(demo, draft, "status"), prop(demo, draft, "review")) == ("draft", "approved")
    assert demo.status == []
    assert demo.errors("records", "review") == []


def test_support_desk(vault: Vault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    demo, _ = shown(vault, "support-desk", monkeypatch, tmp_path)
    events = paths(demo, "records/customer_events/acme-corp")
    assert sorted(prop(demo, path, "channel") or "" for path in events) == ["call", "email"]
    assert prop(demo, "records/customer_profiles/acme-corp/risks.md", "level") == "3"
    assert "catalog: publish support_desk 1.0.0" in demo.log
    assert demo.status == []
    assert demo.errors("records") == []
