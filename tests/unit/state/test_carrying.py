"""Export and import: a new machine gives the same answers."""

from pathlib import Path

import pytest

from tests.unit.state.conftest import Clock
from vaultd.errors import NoteFormatError, StorageError
from vaultd.state.activity import Happening
from vaultd.state.sessions import Acting, Beginning
from vaultd.state.sidecar import Sidecar, open_sidecar
from vaultd.state.tasks import Wish


def lived_in(sidecar: Sidecar) -> None:
    ada, _ = sidecar.sessions.start(Beginning(name="ada", project="radio"))
    first = sidecar.tasks.add(Wish("first", plan="ship"), ada.id)
    sidecar.tasks.add(Wish("second: «ü» 日本", "body\nof two lines", plan="ship", depends_on=(first.id,)), ada.id)
    sidecar.tasks.claim(first.id, ada.id)
    sidecar.options.put("a", {"b": [1, 2]})
    sidecar.retrieval.read(["m1"])
    sidecar.database.settle()
    sidecar.activity.record(Happening("tool.call", payload={"tool": "search"}))
    sidecar.tokens.create("editor")


def answers(sidecar: Sidecar) -> list[object]:
    return [
        sidecar.tasks.ready("", "ship"),
        sidecar.tasks.list(plan="ship"),
        sidecar.plans.list(),
        sidecar.sessions.list(),
        sidecar.projects.list(),
        sidecar.options.get("a"),
        sidecar.retrieval.top(),
        sidecar.activity.counts(),
    ]


def test_a_new_machine_gives_the_same_answers(sidecar: Sidecar, clock: Clock, tmp_path: Path) -> None:
    lived_in(sidecar)
    other = open_sidecar(tmp_path / "other", clock)
    imported = other.carrying.take_in(sidecar.carrying.export())
    assert imported.kept == 0
    assert answers(other) == answers(sidecar)
    assert other.carrying.export() == sidecar.carrying.export()
    other.close()


def test_the_same_again_adds_nothing(sidecar: Sidecar) -> None:
    lived_in(sidecar)
    assert sidecar.carrying.take_in(sidecar.carrying.export()).added == 0


def test_what_is_here_stays(sidecar: Sidecar, clock: Clock, tmp_path: Path) -> None:
    lived_in(sidecar)
    files = sidecar.carrying.export()
    sidecar.sessions.update(Acting(session="ada"), "newer")
    sidecar.carrying.take_in(files)
    assert sidecar.sessions.list()[0].findings == "newer"


def test_what_two_machines_did_on_one_day_is_counted_and_named_for_both(
    sidecar: Sidecar, clock: Clock, tmp_path: Path
) -> None:
    lived_in(sidecar)
    other = open_sidecar(tmp_path / "other", clock)
    lived_in(other)
    before = sidecar.activity.counts()
    files = other.carrying.export()
    sidecar.carrying.take_in(files)
    assert sidecar.carrying.take_in(files).added == 0
    after = sidecar.activity.counts()
    assert after["session.started"] == 2 * before["session.started"]
    assert after["task.transition"] == 2 * before["task.transition"]
    (ada,) = other.sessions.list()
    holders = {task.holder for task in sidecar.tasks.list(plan="ship") if task.status == "in_progress"}
    assert holders == {"ada", f"ada ({ada.id[-6:]})"}
    other.close()


def test_secrets_and_transport_do_not_leave(sidecar: Sidecar) -> None:
    lived_in(sidecar)
    everything = b"".join(sidecar.carrying.export().values())
    digest = sidecar.database.rows("SELECT digest FROM tokens")[0]["digest"]
    assert digest.encode() not in everything
    assert b"tool.call" not in b"".join(
        data for name, data in sidecar.carrying.export().items() if name.startswith("activity-")
    )


@pytest.mark.parametrize(
    ("files", "error", "says"),
    [
        ({"tasks.jsonl": b"{not json\n"}, NoteFormatError, "tasks.jsonl:1"),
        ({"tasks.jsonl": b"[1]\n"}, NoteFormatError, "no JSON object"),
        ({"tasks.jsonl": b'{"id": 1, "robert\\"); DROP TABLE tasks; --": 2}\n'}, StorageError, "knows no"),
        ({"sqlite_master.jsonl": b"{}\n"}, StorageError, "no table"),
        ({"tasks.jsonl": b"[" * 100_000}, NoteFormatError, "no JSON"),
        ({"projects.jsonl": b'{"slug": "a", "favorite": 99999999999999999999}\n'}, NoteFormatError, "projects.jsonl:1"),
        ({"projects.jsonl": b'{"slug": "\\ud800"}\n'}, NoteFormatError, "projects.jsonl:1"),
        ({"projects.jsonl": b'{"slug": ["a"]}\n'}, NoteFormatError, "projects.jsonl:1"),
        ({"task_deps.jsonl": b'{"task": "a", "depends_on": "b"}\n'}, StorageError, "not whole"),
    ],
)
def test_an_export_that_is_none_changes_nothing(
    sidecar: Sidecar, files: dict[str, bytes], error: type[Exception], says: str
) -> None:
    lived_in(sidecar)
    before = sidecar.carrying.export()
    with pytest.raises(error, match=says):
        sidecar.carrying.take_in({**files, "settings.jsonl": b'{"key": "z", "value": "1", "updated_at": ""}\n'})
    assert sidecar.carrying.export() == before
