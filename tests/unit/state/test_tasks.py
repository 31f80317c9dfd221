"""Tasks: ready or not, claimed by one, given back, never in a circle."""

import sqlite3
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.unit.state.conftest import Clock
from vaultd.errors import ConflictError, RejectedError, UsageError
from vaultd.state.queue import ready_now
from vaultd.state.sessions import Acting, Beginning
from vaultd.state.sidecar import Sidecar
from vaultd.state.tasks import Patch, Wish


@pytest.fixture
def ada(sidecar: Sidecar) -> str:
    return sidecar.sessions.start(Beginning(name="ada"))[0].id


@pytest.fixture
def bob(sidecar: Sidecar) -> str:
    return sidecar.sessions.start(Beginning(name="bob"))[0].id


def titles(sidecar: Sidecar, project: str = "", plan: str = "") -> list[str]:
    return [one.task.title for one in sidecar.tasks.ready(project, plan)[0]]


def test_ready_tasks_come_oldest_first(sidecar: Sidecar, clock: Clock) -> None:
    for title in ("first", "second", "third"):
        sidecar.tasks.add(Wish(title))
        clock.pass_by(seconds=1)
    assert titles(sidecar) == ["first", "second", "third"]


def test_steps_of_a_plan_and_other_projects_are_not_in_the_queue(sidecar: Sidecar) -> None:
    sidecar.tasks.add(Wish("step", plan="p"))
    sidecar.tasks.add(Wish("elsewhere", project="radio"))
    assert titles(sidecar) == []
    assert titles(sidecar, plan="p") == ["step"]
    assert titles(sidecar, "radio") == ["elsewhere"]


@pytest.mark.parametrize("end", ["done", "dropped"])
def test_a_task_is_ready_when_what_it_waits_for_is_closed(sidecar: Sidecar, end: str) -> None:
    first = sidecar.tasks.add(Wish("first"))
    sidecar.tasks.add(Wish("second", depends_on=(first.id,)))
    assert titles(sidecar) == ["first"]
    sidecar.tasks.update(first.id, Patch(status=end))
    assert titles(sidecar) == ["second"]


def test_what_waits_names_what_it_waits_for(sidecar: Sidecar) -> None:
    first = sidecar.tasks.add(Wish("first"))
    sidecar.tasks.add(Wish("second", depends_on=(first.id,)))
    (blocked,) = sidecar.tasks.ready()[1]
    assert (blocked.task.title, [one.id for one in blocked.blockers]) == ("second", [first.id])


def test_claiming_takes_and_claiming_again_prolongs(sidecar: Sidecar, clock: Clock, ada: str) -> None:
    task = sidecar.tasks.add(Wish("one"))
    first = sidecar.tasks.claim(task.id, ada, 60).task
    assert (first.status, first.holder, first.lease_expires_at) == ("in_progress", "ada", "2026-11-30T12:01:00.000000Z")
    clock.pass_by(seconds=30)
    assert sidecar.tasks.claim(task.id, ada, 60).task.lease_expires_at == "2026-11-30T12:01:30.000000Z"


def test_a_claim_of_what_another_holds_names_the_holder(sidecar: Sidecar, ada: str, bob: str) -> None:
    task = sidecar.tasks.add(Wish("one"))
    sidecar.tasks.claim(task.id, ada)
    with pytest.raises(ConflictError, match="held by ada until"):
        sidecar.tasks.claim(task.id, bob)


def test_a_lease_that_ends_just_now_is_over(sidecar: Sidecar, clock: Clock, ada: str, bob: str) -> None:
    task = sidecar.tasks.add(Wish("one"))
    sidecar.tasks.claim(task.id, ada, 60)
    clock.pass_by(seconds=60)
    claimed = sidecar.tasks.claim(task.id, bob)
    assert (claimed.task.holder, claimed.reclaimed_from) == ("bob", ada)


def test_b24_an_expired_lease_is_ready_and_says_whose_it_was(sidecar: Sidecar, clock: Clock, ada: str) -> None:
    task = sidecar.tasks.add(Wish("one"))
    sidecar.tasks.claim(task.id, ada, 60)
    assert titles(sidecar) == []
    clock.pass_by(seconds=61)
    (ready,) = sidecar.tasks.ready()[0]
    assert (ready.task.id, ready.expired_claim_of) == (task.id, "ada")


def test_b24_a_lease_has_a_longest(sidecar: Sidecar, ada: str) -> None:
    task = sidecar.tasks.add(Wish("one"))
    for lease in (0, -1, 86_401):
        with pytest.raises(UsageError, match="lease"):
            sidecar.tasks.claim(task.id, ada, lease)


def test_b24_a_dependency_can_be_removed(sidecar: Sidecar) -> None:
    first = sidecar.tasks.add(Wish("first"))
    second = sidecar.tasks.add(Wish("second", depends_on=(first.id,)))
    after = sidecar.tasks.update(second.id, Patch(remove_depends_on=(first.id,)))
    assert after.depends_on == ()
    assert titles(sidecar) == ["first", "second"]


def test_in_progress_without_a_claim_is_up_for_grabs(sidecar: Sidecar, ada: str) -> None:
    task = sidecar.tasks.add(Wish("one"))
    sidecar.tasks.update(task.id, Patch(status="in_progress"))
    assert titles(sidecar) == ["one"]
    assert sidecar.tasks.claim(task.id, ada).task.holder == "ada"


def test_a_blocked_claim_names_its_blockers(sidecar: Sidecar, ada: str) -> None:
    first = sidecar.tasks.add(Wish("first"))
    second = sidecar.tasks.add(Wish("second", depends_on=(first.id,)))
    with pytest.raises(RejectedError, match=f"waits for {first.id} 'first'"):
        sidecar.tasks.claim(second.id, ada)


def test_a_closed_claim_says_so(sidecar: Sidecar, ada: str) -> None:
    task = sidecar.tasks.add(Wish("one"))
    sidecar.tasks.update(task.id, Patch(status="done"))
    with pytest.raises(RejectedError, match="is done"):
        sidecar.tasks.claim(task.id, ada)


def test_a_circle_is_refused_however_long(sidecar: Sidecar) -> None:
    ids = [sidecar.tasks.add(Wish("t0")).id]
    for number in range(1, 5):
        ids.append(sidecar.tasks.add(Wish(f"t{number}", depends_on=(ids[-1],))).id)
    with pytest.raises(RejectedError, match="waits for"):
        sidecar.tasks.update(ids[0], Patch(add_depends_on=(ids[-1],)))
    with pytest.raises(RejectedError, match="itself"):
        sidecar.tasks.update(ids[0], Patch(add_depends_on=(ids[0],)))


def test_a_task_with_a_dependency_that_is_not_there_is_not_added(sidecar: Sidecar) -> None:
    with pytest.raises(UsageError, match="no task"):
        sidecar.tasks.add(Wish("one", depends_on=("01HNOTTHERE",)))
    assert sidecar.tasks.list() == []


def test_opening_again_forgets_claim_and_end(sidecar: Sidecar, ada: str) -> None:
    task = sidecar.tasks.add(Wish("one"))
    sidecar.tasks.claim(task.id, ada)
    closed = sidecar.tasks.update(task.id, Patch(status="done"), ada)
    assert (closed.claimed_by, closed.closed_at is not None) == ("", True)
    again = sidecar.tasks.update(task.id, Patch(status="open"))
    assert (again.claimed_by, again.lease_expires_at, again.closed_at) == ("", None, None)


def test_what_another_holds_cannot_be_changed(sidecar: Sidecar, ada: str, bob: str) -> None:
    task = sidecar.tasks.add(Wish("one"))
    sidecar.tasks.claim(task.id, ada)
    for session in (bob, ""):
        with pytest.raises(ConflictError, match="held by ada"):
            sidecar.tasks.update(task.id, Patch(title="mine"), session)


def test_only_the_holder_releases_and_a_person_by_force(sidecar: Sidecar, ada: str, bob: str) -> None:
    task = sidecar.tasks.add(Wish("one"))
    sidecar.tasks.claim(task.id, ada)
    with pytest.raises(ConflictError):
        sidecar.tasks.release(task.id, bob)
    assert sidecar.tasks.force_release(task.id).status == "open"
    with pytest.raises(RejectedError, match="nobody works on it"):
        sidecar.tasks.force_release(task.id)


def test_ending_a_session_gives_its_claims_back(sidecar: Sidecar, ada: str) -> None:
    task = sidecar.tasks.add(Wish("one"))
    sidecar.tasks.claim(task.id, ada)
    _, released = sidecar.sessions.end(Acting(session="ada"), "done what I could")
    assert released == [task.id]
    assert titles(sidecar) == ["one"]


def test_a_task_is_found_by_the_beginning_of_its_id(sidecar: Sidecar) -> None:
    task = sidecar.tasks.add(Wish("one"))
    assert sidecar.tasks.show(task.id[:20]).id == task.id
    with pytest.raises(UsageError, match="no task"):
        sidecar.tasks.show(task.id[:7])


@pytest.mark.parametrize("text", ["%%%%%%%%", "________", "01K%", "0" * 7, "' OR 1=1 --"])
def test_a_sign_that_sqlite_knows_finds_no_task(sidecar: Sidecar, text: str) -> None:
    sidecar.tasks.add(Wish("one"))
    with pytest.raises(UsageError, match="no task is"):
        sidecar.tasks.show(text)


def test_the_queue_is_read_through_its_index(sidecar: Sidecar) -> None:
    """A queue of a hundred thousand closed tasks is as quick as an empty one."""
    asked: list[str] = []
    with sidecar.database.read() as sql:
        sql.set_trace_callback(asked.append)
        ready_now(sql, "2026-11-30T12:00:00.000000Z", "radio", "")
        sql.set_trace_callback(None)
        (query,) = [one for one in asked if one.startswith("SELECT")]
        plan = " ".join(row["detail"] for row in sql.execute(f"EXPLAIN QUERY PLAN {query}").fetchall())
    assert "tasks_queue (project=? AND plan=?" in plan
    assert "SCAN t" not in plan


@pytest.mark.parametrize("title", ["", "  ", "two\nlines", "x" * 301])
def test_a_title_is_one_line(sidecar: Sidecar, title: str) -> None:
    with pytest.raises(UsageError, match="title"):
        sidecar.tasks.add(Wish(title))


def test_a_plan_is_a_slug_and_a_project_a_folder(sidecar: Sidecar) -> None:
    with pytest.raises(UsageError, match="the plan"):
        sidecar.tasks.add(Wish("one", plan="a/b"))
    task = sidecar.tasks.add(Wish("one"))
    with pytest.raises(UsageError, match="the project"):
        sidecar.tasks.update(task.id, Patch(project="../x"))


_CLAIMER = """
import sys
from itertools import pairwise
from pathlib import Path
from vaultd.errors import ConflictError
from vaultd.state.sessions import Beginning
from vaultd.state.sidecar import open_sidecar
sidecar = open_sidecar(Path(sys.argv[1]))
me = sidecar.sessions.start(Beginning(name=sys.argv[2]))[0]
print("ready", flush=True)
sys.stdin.readline()
try:
    sidecar.tasks.claim(sys.argv[3], me.id)
    print("won")
except ConflictError as lost:
    print("lost", lost.message)
"""


def test_of_many_processes_exactly_one_gets_a_task(sidecar: Sidecar, tmp_path: Path) -> None:
    task = sidecar.tasks.add(Wish("one"))
    command = [sys.executable, "-c", _CLAIMER, str(tmp_path / "state")]
    claimers = [
        subprocess.Popen([*command, f"agent{n}", task.id], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for n in range(6)
    ]
    for one in claimers:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    for one in claimers:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    said = [one.communicate(timeout=60)[0] for one in claimers]
    assert [text.split()[0] for text in said].count("won") == 1
    holder = sidecar.tasks.show(task.id).holder
    assert all(f"held by {holder}" in text for text in said if text.startswith("lost"))


def test_a_circle_is_refused_also_where_more_than_ten_thousand_wait(sidecar: Sidecar) -> None:
    first, last = sidecar.tasks.add(Wish("first")), sidecar.tasks.add(Wish("last"))

    def chain(sql: sqlite3.Connection) -> None:
        ids = [first.id, *(f"T{number}" for number in range(11_000)), last.id]
        put = "INSERT INTO tasks (id, title, status, created_at, updated_at) VALUES (?, 't', 'open', '', '')"
        sql.executemany(put, [(id_,) for id_ in ids[1:-1]])
        sql.executemany("INSERT INTO task_deps VALUES (?, ?)", pairwise(ids))

    sidecar.database.write(chain)
    with pytest.raises(RejectedError, match="waits for"):
        sidecar.tasks.update(last.id, Patch(add_depends_on=(first.id,)))


def test_a_clock_that_was_ahead_keeps_no_task_for_as_long(sidecar: Sidecar, clock: Clock, ada: str, bob: str) -> None:
    day, week = 86_400, 7 * 86_400
    near, far = sidecar.tasks.add(Wish("near")), sidecar.tasks.add(Wish("far"))
    sidecar.tasks.claim(near.id, ada, day)
    clock.pass_by(seconds=week)
    sidecar.tasks.claim(far.id, ada, day)
    clock.pass_by(seconds=-week - 60)
    assert titles(sidecar) == ["far"]
    assert sidecar.tasks.claim(far.id, bob).reclaimed_from == ada
    with pytest.raises(ConflictError, match="held by ada"):  # a minute back is nothing
        sidecar.tasks.claim(near.id, bob)
