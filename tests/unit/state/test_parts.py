"""Plans, projects, settings, the log, jobs, figures and tokens."""

import json
import threading
from pathlib import Path

import pytest

from tests.unit.state.conftest import Clock
from vaultd.errors import RejectedError, UsageError
from vaultd.state.activity import PAYLOAD_LONGEST, Happening
from vaultd.state.sessions import Beginning
from vaultd.state.sidecar import Sidecar
from vaultd.state.tasks import Patch, Wish


def test_a_plan_says_how_far_it_is(sidecar: Sidecar) -> None:
    ada, _ = sidecar.sessions.start(Beginning(name="ada"))
    steps = [sidecar.tasks.add(Wish(f"step {n}", plan="ship")) for n in range(4)]
    sidecar.tasks.add(Wish("after", plan="ship", depends_on=(steps[3].id,)))
    sidecar.tasks.update(steps[0].id, Patch(status="done"))
    sidecar.tasks.update(steps[1].id, Patch(status="dropped"))
    sidecar.tasks.claim(steps[2].id, ada.id)
    (plan,) = sidecar.plans.list()
    assert (plan.total, plan.done, plan.in_flight, plan.claimable, plan.active) == (5, 2, 1, 1, True)


def test_plans_come_the_latest_worked_on_first(sidecar: Sidecar, clock: Clock) -> None:
    first = sidecar.tasks.add(Wish("a", plan="old"))
    clock.pass_by(hours=1)
    sidecar.tasks.add(Wish("b", plan="new"))
    assert [one.slug for one in sidecar.plans.list()] == ["new", "old"]
    clock.pass_by(hours=1)
    sidecar.tasks.update(first.id, Patch(status="done"))
    assert [(one.slug, one.active) for one in sidecar.plans.list()] == [("old", False), ("new", True)]


def test_two_projects_never_share_a_folder(sidecar: Sidecar) -> None:
    sidecar.projects.add("radio")
    for slug in ("radio", "Radio"):
        with pytest.raises((RejectedError, UsageError)):
            sidecar.projects.add(slug)


@pytest.mark.parametrize("slug", ["global", "_global", "all", "../x", "a/b", "", ".hidden", "con"])
def test_a_project_is_the_name_of_a_folder(sidecar: Sidecar, slug: str) -> None:
    with pytest.raises(UsageError, match="the project"):
        sidecar.projects.add(slug)


def test_a_work_tree_gets_a_project_and_keeps_it(sidecar: Sidecar, tmp_path: Path) -> None:
    (tmp_path / "River Radio" / ".git").mkdir(parents=True)
    (tmp_path / "River Radio" / "src").mkdir()
    first = sidecar.projects.of_folder(str(tmp_path / "River Radio" / "src"), tmp_path / "vault")
    again = sidecar.projects.of_folder(str(tmp_path / "River Radio"), tmp_path / "vault")
    assert (first, again) == ("river-radio", "river-radio")
    assert [one.slug for one in sidecar.projects.list()] == ["river-radio"]


def test_another_tree_of_the_same_name_is_another_project(sidecar: Sidecar, tmp_path: Path) -> None:
    for place in ("a", "b"):
        (tmp_path / place / "radio" / ".git").mkdir(parents=True)
    found = [sidecar.projects.of_folder(str(tmp_path / place / "radio"), tmp_path / "v") for place in ("a", "b")]
    assert found == ["radio", "radio-2"]


def test_a_moved_work_tree_keeps_its_project(sidecar: Sidecar, tmp_path: Path) -> None:
    (tmp_path / "a" / "radio" / ".git").mkdir(parents=True)
    sidecar.projects.of_folder(str(tmp_path / "a" / "radio"), tmp_path / "v")
    (tmp_path / "a").rename(tmp_path / "b")
    assert sidecar.projects.of_folder(str(tmp_path / "b" / "radio"), tmp_path / "v") == "radio"


def test_a_linked_work_tree_belongs_to_its_main_one(sidecar: Sidecar, tmp_path: Path) -> None:
    linked = tmp_path / "radio" / ".git" / "worktrees" / "wt"
    linked.mkdir(parents=True)
    (linked / "commondir").write_text("../..\n")
    (tmp_path / "wt").mkdir()
    (tmp_path / "wt" / ".git").write_text(f"gitdir: {linked}\n")
    assert sidecar.projects.of_folder(str(tmp_path / "wt"), tmp_path / "v") == "radio"


def test_work_in_the_vault_belongs_to_no_project(sidecar: Sidecar, tmp_path: Path) -> None:
    (tmp_path / "vault" / ".git").mkdir(parents=True)
    assert sidecar.projects.of_folder(str(tmp_path / "vault"), tmp_path / "vault") == ""


def test_families_and_retirement_are_told(sidecar: Sidecar) -> None:
    sidecar.projects.add("radio")
    sidecar.projects.join("broadcast", "radio")
    retired = sidecar.projects.retire("radio")
    assert retired.families == ("broadcast",)
    assert retired.retired_at is not None
    assert sidecar.projects.leave("broadcast", "radio").families == ()
    with pytest.raises(UsageError, match="not in the family"):
        sidecar.projects.leave("broadcast", "radio")


def test_a_project_may_be_a_part_of_another_that_is_there(sidecar: Sidecar) -> None:
    sidecar.projects.add("broadcast")
    assert sidecar.projects.add("radio", parent="broadcast").parent == "broadcast"
    with pytest.raises(UsageError, match="no project is called 'nothing'"):
        sidecar.projects.add("film", parent="nothing")
    assert sidecar.projects.describe("radio", description="On air", parent="").description == "On air"
    sidecar.projects.describe("broadcast", parent="radio")
    with pytest.raises(UsageError, match="a part of itself"):
        sidecar.projects.describe("radio", parent="broadcast")


def test_a_retired_project_takes_no_task_until_it_is_revived(sidecar: Sidecar) -> None:
    sidecar.projects.add("radio")
    sidecar.projects.retire("radio")
    with pytest.raises(RejectedError, match="retired"):
        sidecar.tasks.add(Wish("one", project="radio"))
    sidecar.projects.revive("radio")
    assert sidecar.tasks.add(Wish("one", project="radio")).project == "radio"


def test_what_is_put_into_a_project_registers_it_and_one_spelling_counts(sidecar: Sidecar) -> None:
    sidecar.tasks.add(Wish("one", project="radio"))
    sidecar.sessions.start(Beginning(name="ada", project="film"))
    assert [one.slug for one in sidecar.projects.list()] == ["film", "radio"]
    with pytest.raises(UsageError, match="is written 'radio'"):
        sidecar.tasks.add(Wish("two", project="Radio"))


def test_a_mapped_folder_gives_its_project_and_the_longest_path_counts(sidecar: Sidecar, tmp_path: Path) -> None:
    inner = tmp_path / "code" / "inner"
    inner.mkdir(parents=True)
    sidecar.projects.map_repository(tmp_path / "code", "radio")
    sidecar.projects.map_repository(inner, "film")
    found = [sidecar.projects.of_folder(str(place), tmp_path / "v") for place in (tmp_path / "code", inner)]
    assert found == ["radio", "film"]
    assert sidecar.projects.show("film").repositories == (str(inner.resolve()),)
    sidecar.projects.unmap_repository(inner)
    assert sidecar.projects.of_folder(str(inner), tmp_path / "v") == "radio"
    with pytest.raises(UsageError, match="belongs to no project"):
        sidecar.projects.unmap_repository(inner)


def test_a_setting_changed_by_32_at_once_loses_none(sidecar: Sidecar) -> None:
    def add_one(before: object) -> object:
        return (before if isinstance(before, int) else 0) + 1

    threads = [threading.Thread(target=sidecar.options.change, args=("n", add_one)) for _ in range(32)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sidecar.options.get("n") == 32


def test_c31_a_payload_is_bounded_and_keeps_its_keys(sidecar: Sidecar) -> None:
    sidecar.activity.record(Happening("tool.call", payload={"tool": "search", "text": "ю" * 50_000}))
    (logged,) = sidecar.database.rows("SELECT payload FROM activity")
    assert len(logged["payload"].encode()) <= PAYLOAD_LONGEST
    assert json.loads(logged["payload"])["tool"] == "search"


def test_c31_counts_outlive_the_entries_they_count(sidecar: Sidecar, clock: Clock) -> None:
    for kind in ("tool.call", "task.transition"):
        sidecar.activity.record(Happening(kind))
    clock.pass_by(days=31)
    assert sidecar.activity.prune() == 1
    assert [one["kind"] for one in sidecar.activity.latest()] == ["task.transition"]
    assert sidecar.activity.counts(days=60) == {"task.transition": 1, "tool.call": 1}


def test_what_happens_once_is_told_once(sidecar: Sidecar) -> None:
    first = Happening("memory.first_reuse", item="m1")
    assert [sidecar.activity.record_once(first), sidecar.activity.record_once(first)] == [True, False]


def test_a_job_is_taken_by_one_and_again_where_it_failed(sidecar: Sidecar, clock: Clock) -> None:
    sidecar.jobs.add("export", "state", {"why": "test"})
    sidecar.jobs.add("export", "state")
    job = sidecar.jobs.take("export")
    assert job is not None
    assert sidecar.jobs.take("export") is None
    sidecar.jobs.failed(job, "the disk is full")
    assert sidecar.jobs.take("export") is None
    clock.pass_by(seconds=31)
    again = sidecar.jobs.take("export")
    assert again is not None
    assert again.attempts == 2
    sidecar.jobs.done(again)
    assert sidecar.jobs.counts() == {}


def test_a_job_whose_process_was_killed_is_taken_again(sidecar: Sidecar, clock: Clock) -> None:
    sidecar.jobs.add("export", "state")
    sidecar.jobs.take("export")
    clock.pass_by(seconds=601)
    assert sidecar.jobs.take("export") is not None


def test_a_job_that_never_works_is_given_up_and_seen(sidecar: Sidecar, clock: Clock) -> None:
    sidecar.jobs.add("export", "state")
    for _ in range(8):
        clock.pass_by(hours=2)
        job = sidecar.jobs.take("export")
        assert job is not None
        sidecar.jobs.failed(job, "no")
    clock.pass_by(hours=2)
    assert sidecar.jobs.take("export") is None
    assert sidecar.jobs.counts() == {"failed": 1}


def test_what_is_read_is_counted(sidecar: Sidecar) -> None:
    sidecar.retrieval.read(["a", "b"])
    sidecar.retrieval.read(["a"])
    sidecar.retrieval.shown(["c"])
    sidecar.database.settle()
    assert [(one.item, one.read, one.injected) for one in sidecar.retrieval.top()] == [("a", 2, 0), ("b", 1, 0)]


def client(sidecar: Sidecar, text: str) -> str | None:
    found = sidecar.tokens.owner_of(text)
    return found.client if found is not None else None


def test_a_token_says_when_it_was_used_last(sidecar: Sidecar, clock: Clock) -> None:
    _, text = sidecar.tokens.create("editor")
    (before,) = sidecar.tokens.list()
    sidecar.tokens.owner_of(text)
    clock.pass_by(seconds=10)
    sidecar.tokens.owner_of(text)
    (noted,) = sidecar.tokens.list()
    clock.pass_by(minutes=6)
    sidecar.tokens.owner_of(text)
    (later,) = sidecar.tokens.list()
    assert before.last_used_at is None
    assert (noted.last_used_at or "")[:19] == "2026-11-30T12:00:00"
    assert (later.last_used_at or "")[:19] == "2026-11-30T12:06:10"


def test_c38_a_token_is_one_clients_and_can_be_taken_back(sidecar: Sidecar) -> None:
    first, text = sidecar.tokens.create("editor")
    _, other = sidecar.tokens.create("agent")
    assert (client(sidecar, text), client(sidecar, other)) == ("editor", "agent")
    sidecar.tokens.revoke(first.id)
    assert (client(sidecar, text), client(sidecar, other)) == (None, "agent")


def test_c38_a_token_is_not_on_disk(sidecar: Sidecar, tmp_path: Path) -> None:
    _, text = sidecar.tokens.create("editor")
    assert [file for file in (tmp_path / "state").iterdir() if text.encode() in file.read_bytes()] == []


@pytest.mark.parametrize("text", ["", "vaultd_", "vaultd_nothing", "\udcff"])
def test_no_token_is_nobodys(sidecar: Sidecar, text: str) -> None:
    sidecar.tokens.create("editor")
    assert sidecar.tokens.owner_of(text) is None
