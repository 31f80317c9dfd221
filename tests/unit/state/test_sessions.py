"""Sessions: begun, gone on with, ended, never guessed, reaped when nobody gives a sign of life."""

import pytest

from tests.unit.state.conftest import Clock
from vaultd.errors import UsageError
from vaultd.state.activity import Happening
from vaultd.state.sessions import Acting, Beginning
from vaultd.state.sidecar import Sidecar
from vaultd.state.tasks import Wish


def test_a_session_without_a_name_gets_one(sidecar: Sidecar) -> None:
    there, went_on = sidecar.sessions.start(Beginning())
    assert there.name == f"sess/{there.id[-8:].lower()}"
    assert not went_on


def test_the_same_name_goes_on_also_after_its_end(sidecar: Sidecar) -> None:
    first, _ = sidecar.sessions.start(Beginning(name="ada", project="radio"))
    sidecar.sessions.end(Acting(session="ada"), "found it")
    again, went_on = sidecar.sessions.start(Beginning(name="ada"))
    assert (again.id, again.status, again.project, again.findings) == (first.id, "active", "radio", "found it")
    assert went_on


def test_findings_are_put_in_place_of_those_before(sidecar: Sidecar) -> None:
    sidecar.sessions.start(Beginning(name="ada"))
    sidecar.sessions.update(Acting(session="ada"), "first")
    assert sidecar.sessions.update(Acting(session="ada"), "second").findings == "second"


def test_every_mishap_is_an_entry_of_the_log(sidecar: Sidecar) -> None:
    sidecar.sessions.start(Beginning(name="ada"))
    sidecar.sessions.end(Acting(session="ada"), "done", ["broke the build", "read the wrong note"])
    logged = sidecar.activity.latest(kind="agent.mishap")
    assert [one["payload"] for one in logged] == [{"text": "read the wrong note"}, {"text": "broke the build"}]


def test_a_session_without_a_sign_of_life_is_over_and_gives_its_claims_back(sidecar: Sidecar, clock: Clock) -> None:
    ada, _ = sidecar.sessions.start(Beginning(name="ada"))
    task = sidecar.tasks.add(Wish("one"))
    sidecar.tasks.claim(task.id, ada.id, 86_400)
    clock.pass_by(minutes=46)
    assert sidecar.sessions.reap() == ["ada"]
    assert sidecar.tasks.show(task.id).status == "open"
    assert sidecar.sessions.list()[0].status == "expired"


def test_a_sign_of_life_from_a_clock_that_went_ahead_keeps_nothing_once_it_is_put_right(
    sidecar: Sidecar, clock: Clock
) -> None:
    clock.pass_by(minutes=365 * 24 * 60)
    ada, _ = sidecar.sessions.start(Beginning(name="ada"))
    task = sidecar.tasks.add(Wish("one"))
    sidecar.tasks.claim(task.id, ada.id)
    clock.pass_by(minutes=-365 * 24 * 60)
    bob, _ = sidecar.sessions.start(Beginning(name="bob"))
    assert sidecar.sessions.called("ada").status == "expired"
    assert sidecar.tasks.claim(task.id, bob.id).task.holder == "bob"
    clock.pass_by(minutes=-44)  # as far as a clock may be put back beneath somebody at work
    assert sidecar.sessions.reap() == []


def test_any_call_is_a_sign_of_life(sidecar: Sidecar, clock: Clock) -> None:
    ada, _ = sidecar.sessions.start(Beginning(name="ada"))
    clock.pass_by(minutes=44)
    sidecar.sessions.heard(ada.id, Happening("tool.call"))
    clock.pass_by(minutes=44)
    assert sidecar.sessions.reap() == []


def test_b24_the_reaper_needs_nobody_who_runs_it(sidecar: Sidecar, clock: Clock) -> None:
    sidecar.sessions.start(Beginning(name="ada"))
    clock.pass_by(minutes=46)
    sidecar.sessions.start(Beginning(name="bob"))
    assert {one.name: one.status for one in sidecar.sessions.list()} == {"ada": "expired", "bob": "active"}


def test_a_connection_speaks_for_its_last_session(sidecar: Sidecar) -> None:
    sidecar.sessions.start(Beginning(name="ada", connection="c1"))
    sidecar.sessions.start(Beginning(name="bob", connection="c2"))
    sidecar.sessions.start(Beginning(name="eve", connection="c1"))
    found = sidecar.sessions.find(Acting(connection="c1"))
    assert found is not None
    assert found.name == "eve"


def test_of_two_sessions_over_a_shared_connection_neither_is_guessed(sidecar: Sidecar) -> None:
    """Two windows of one program come with one token; neither may claim, or write, as the other."""
    ada, _ = sidecar.sessions.start(Beginning(name="ada", connection="token", shared=True))
    assert sidecar.sessions.find(Acting(connection="token")) == ada
    sidecar.sessions.start(Beginning(name="bob", connection="token", shared=True))
    assert sidecar.sessions.find(Acting(connection="token")) is None
    named = sidecar.sessions.find(Acting(session="ada", connection="token"))
    assert named is not None
    assert named.id == ada.id
    sidecar.sessions.end(Acting(session="bob"), "done")
    alone = sidecar.sessions.find(Acting(connection="token"))
    assert alone is not None
    assert alone.id == ada.id


def test_a_name_says_more_than_a_connection_and_an_id_more_than_a_name(sidecar: Sidecar) -> None:
    ada, _ = sidecar.sessions.start(Beginning(name="ada"))
    sidecar.sessions.start(Beginning(name="bob", connection="c"))
    named = sidecar.sessions.find(Acting(session="ada", connection="c"))
    by_id = sidecar.sessions.find(Acting(session_id=ada.id, session="bob"))
    assert named is not None
    assert by_id is not None
    assert (named.name, by_id.name) == ("ada", "ada")


def test_nobody_is_guessed(sidecar: Sidecar) -> None:
    sidecar.sessions.start(Beginning(name="ada"))
    with pytest.raises(UsageError, match="not clear which session"):
        sidecar.sessions.end(Acting(), "done")


def test_two_ambient_sessions_are_nobody(sidecar: Sidecar) -> None:
    sidecar.sessions.start_ambient(Beginning(client="cc"), "one")
    only = sidecar.sessions.find(Acting())
    sidecar.sessions.start_ambient(Beginning(client="cc"), "two")
    assert only is not None
    assert sidecar.sessions.find(Acting()) is None


def test_the_ambient_session_of_another_program_does_not_act_for_this_one(sidecar: Sidecar) -> None:
    sidecar.sessions.start_ambient(Beginning(client="cc", project="radio"), "one")
    assert sidecar.sessions.find(Acting(connection="c", client="cx")) is None
    assert sidecar.sessions.find(Acting(connection="c", client="cc")) is not None


@pytest.mark.parametrize("project", ["../x", "a/b", "global", ".git"])
def test_a_session_has_no_project_that_no_folder_can_be(sidecar: Sidecar, project: str) -> None:
    with pytest.raises(UsageError, match="the project"):
        sidecar.sessions.start(Beginning(project=project))


def test_ambient_sessions_are_told_apart_by_their_whole_id(sidecar: Sidecar) -> None:
    first, _ = sidecar.sessions.start_ambient(Beginning(client="cc"), "0123456789-a")
    second, _ = sidecar.sessions.start_ambient(Beginning(client="cc"), "0123456789-b")
    again, went_on = sidecar.sessions.start_ambient(Beginning(client="cc"), "0123456789-a")
    assert first.id != second.id
    assert (again.id, went_on) == (first.id, True)


def test_the_one_ambient_session_of_a_folder_is_adopted(sidecar: Sidecar) -> None:
    ambient, _ = sidecar.sessions.start_ambient(Beginning(client="cc", cwd="/code"), "one")
    started, went_on = sidecar.sessions.start(Beginning(cwd="/code"))
    assert (started.id, went_on) == (ambient.id, True)


@pytest.mark.parametrize("name", ["two\nlines", " padded", "x" * 101])
def test_a_name_is_one_line(sidecar: Sidecar, name: str) -> None:
    with pytest.raises(UsageError, match="no session can be called"):
        sidecar.sessions.start(Beginning(name=name))


def test_an_ended_session_acts_no_more(sidecar: Sidecar) -> None:
    sidecar.sessions.start(Beginning(name="ada"))
    sidecar.sessions.end(Acting(session="ada"), "done")
    with pytest.raises(UsageError, match="is completed"):
        sidecar.sessions.update(Acting(session="ada"), "more")
