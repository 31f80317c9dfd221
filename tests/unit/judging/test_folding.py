"""What the fold costs and where it begins; what it accepts is told in the scenarios."""

from datetime import UTC

import pytest

from tests.vaults import Vault, id_of, memory, with_memories
from vaultd.history.objects import Objects
from vaultd.history.repository import open_repository
from vaultd.index.mirror import open_mirror
from vaultd.judging import folding
from vaultd.judging.blobs import Blobs
from vaultd.judging.folding import Fold, explained_in


@pytest.fixture
def fold(vault: Vault, tmp_path):
    """A fold over a vault with two memories, with a cache of its own."""
    with_memories(vault, "a", "b")
    repo = open_repository(vault.root)
    assert repo is not None
    mirror, objects = open_mirror(tmp_path / "index"), Objects(repo)
    yield Fold(repo, objects, mirror, UTC)
    objects.close()
    mirror.close()


def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that fills with the commits that are judged from now on."""
    commits: list[str] = []
    judge = folding.judge

    def counting(ground, step):
        commits.append(step.commit)
        return judge(ground, step)

    monkeypatch.setattr(folding, "judge", counting)
    return commits


def test_a_commit_is_judged_once_in_its_life(vault: Vault, fold: Fold, monkeypatch):
    fold.at(vault.head)
    vault.stamp("a")
    second = vault.commit("end")
    commits = judged(monkeypatch)
    fold.at(second)
    assert commits == [second]
    fold.at(second)
    again = Fold(fold.repo, fold.objects, fold.blobs._mirror, UTC)
    assert again.at(second).ground == fold.at(second).ground
    assert commits == [second]


def test_a_commit_without_memories_is_not_judged_at_all(vault: Vault, fold: Fold, monkeypatch):
    fold.at(vault.head)
    vault.write("prose.md", "words\n")
    commits = judged(monkeypatch)
    fold.at(vault.commit("prose"))
    assert commits == []


def test_notes_beside_the_memories_are_not_read(vault: Vault, fold: Fold, monkeypatch):
    fold.at(vault.head)
    vault.write("prose.md", "words\n")
    vault.stamp("a")
    second = vault.commit("both")
    asked: list[str] = []
    facts = Blobs.facts

    def asking(blobs, versions, *how):
        versions = list(versions)
        asked.extend(path for path, _ in versions)
        return facts(blobs, versions, *how)

    monkeypatch.setattr(Blobs, "facts", asking)
    fold.at(second)
    assert set(asked) == {"memory/_global/a.md"}


@pytest.mark.parametrize("at_once", [1, 100])
def test_a_folder_of_another_name_is_read_from_its_commit_on(vault: Vault, fold: Fold, monkeypatch, at_once: int):
    monkeypatch.setattr(folding, "_AT_ONCE", at_once)
    vault.write(".vaultd/config.toml", 'format = 1\n[folders]\nmemory = "claims"\n')
    vault.git("mv", "memory", "claims")
    vault.commit("claims")
    text = vault.file("claims/_global/a.md").read_text()
    vault.write("claims/_global/a.md", text.replace("invalid_at: null", "invalid_at: 2026-01-01T00:00:00Z"))
    vault.commit("end")
    standings = fold.at(vault.head).ground.standings
    assert {standing.path: type(standing.state).__name__ for standing in standings.values()} == {
        "claims/_global/a.md": "Archived",
        "claims/_global/b.md": "Active",
    }


def test_an_answer_does_not_change_the_one_before_it(vault: Vault, fold: Fold):
    first = fold.at(vault.head).ground
    before = first.copy()
    vault.stamp("a")
    fold.at(vault.commit("end"))
    assert first == before


def test_another_zone_is_another_answer(vault: Vault, fold: Fold):
    from zoneinfo import ZoneInfo

    vault.stamp("a", at="2025-06-01T12:00:00+02:00")
    vault.commit("end")
    vault.edit("a", "2025-06-01T12:00:00+02:00", "2025-06-01T12:00:01")
    head = vault.commit("another spelling")
    assert id_of("a") in fold.at(head).ground.open
    berlin = Fold(fold.repo, fold.objects, fold.blobs._mirror, ZoneInfo("Europe/Berlin"))
    assert berlin.key("s") != fold.key("s")


def test_history_before_the_vault_was_made_is_not_walked(folder: Vault, tmp_path, monkeypatch):
    folder.remember("a")
    folder.stamp("a")
    folder.commit("old")
    folder.write("memory/_global/a.md", memory("a"))
    folder.commit("and back, as nobody watched")
    folder.does("init", "--yes")
    repo = open_repository(folder.root)
    assert repo is not None
    objects = Objects(repo)
    commits = judged(monkeypatch)
    ground = Fold(repo, objects, None, UTC).at(folder.head).ground
    objects.close()
    assert ground.standings[id_of("a")].active
    assert len(commits) <= 2


@pytest.mark.parametrize(
    ("message", "restored", "reverts"),
    [
        ("x", [], False),
        ("x\n\nVaultd-Event: restored\nVaultd-Id: A\n", ["A"], False),
        ("Squashed\n\n    Vaultd-Event: restored\n    Vaultd-Id: A\n", ["A"], False),
        ("x\n\nVaultd-Event: restored\n\nVaultd-Id: A\n", [], False),
        ('Revert "x"\n', [], True),
        ("undo\n\nThis reverts commit 0123456789abcdef0123456789abcdef01234567.\n", [], True),
    ],
)
def test_what_a_message_explains(message: str, restored: list[str], reverts: bool):
    explained = explained_in(message)
    assert (sorted(explained.restored), explained.reverts) == (restored, reverts)
