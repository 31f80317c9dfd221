"""A judgement is kept for a start with nothing changed, and for nothing else."""

from tests.vaults import Vault, with_memories
from vaultd.app import Overview
from vaultd.judging.keeping import Kept, kept_at, moment


def kept(vault: Vault) -> Kept | None:
    with vault.app() as app:
        return kept_at(app.opened, moment(app.opened))


def told(seen: Overview) -> tuple[object, ...]:
    return (seen.head, seen.memories, seen.violations, seen.waiting, seen.notices, seen.rejected)


def test_what_was_kept_says_what_judging_said(vault: Vault):
    with_memories(vault, "a", "b")
    vault.write("memory/_global/plain.md", "no id\n")
    vault.commit()
    first = vault.look()
    found = kept(vault)
    assert found is not None
    assert found.violations == first.violations
    assert told(vault.look()) == told(first)


def test_what_is_accepted_can_be_asked_of_a_kept_judgement(vault: Vault):
    with_memories(vault, "a", "b")
    with vault.app() as app:
        first, second = app.look(), app.look()
        assert kept_at(app.opened, moment(app.opened)) is not None
        assert second.present.ground == first.present.ground


def test_a_save_is_judged_after_a_kept_judgement(vault: Vault):
    with_memories(vault, "a", "b")
    vault.look()
    vault.stamp("a", at="nonsense")
    assert list(vault.look().rejected.values()) == ["V106"]
    assert kept(vault) is None


def test_a_commit_is_judged_after_a_kept_judgement(vault: Vault):
    with_memories(vault, "a", "b")
    vault.look()
    vault.stamp("a")
    vault.commit()
    assert vault.look().memories == {"active": 1, "superseded": 0, "archived": 1}


def test_another_severity_is_another_judgement(vault: Vault):
    with_memories(vault, "a", "b")
    vault.write("memory/_global/plain.md", "no id\n")
    vault.commit()
    assert [violation.code for violation in vault.look().violations] == ["V105"]
    vault.write(".vaultd/config.toml", '[severity]\nV105 = "off"\n')
    assert vault.look().violations == ()
