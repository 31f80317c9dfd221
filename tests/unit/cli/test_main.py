"""Words become a call, a document becomes text, an exception becomes an exit code."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.daemons import finished
from tests.vaults import Vault, id_of, with_memories
from vaultd import errors
from vaultd.cli import main as edge
from vaultd.cli.outcome import Outcome
from vaultd.documents import error_document
from vaultd.errors import RejectedError
from vaultd.lifecycle.violations import Violation

WRITE = {"vaultd", "event", "id", "path", "hash", "commit", "paths", "notices"}
CHECK = {"vaultd", "notices", "violations", "summary"}
STATUS = {
    "vaultd",
    "vault",
    "vault_id",
    "state",
    "pid",
    "notes",
    "memories",
    "problems",
    "rejected",
    "pending",
    "last_event_at",
    "last_reconcile",
    "last_commit",
    "index",
    "git",
    "watcher",
    "plugins",
    "restricted",
}
HIT = {"path", "id", "type", "title", "project", "kind", "state", "score", "line", "snippet", "matched", "description"}
SEARCH = {"vaultd", "query", "mode", "total", "took_ms", "generation", "notices", "hits"}


@pytest.fixture
def pair(vault: Vault) -> Vault:
    return with_memories(vault, "old", "new")


# Documents -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ("memory", "supersede", "old", "new"),
        ("memory", "archive", "old"),
        ("memory", "restore", "old"),
        ("memory", "new", "--kind", "gotcha", "--name", "n", "--description", "d", "--body", "b"),
        ("adopt", "memory/_global/old.md"),
        ("revert", "memory/_global/old.md"),
    ],
    ids=lambda words: words[-1] if words[0] != "memory" else words[1],
)
def test_every_change_has_the_keys_of_a_write(pair: Vault, words: tuple[str, ...]):
    document = pair.does(*words, "--json").json
    assert set(document) == WRITE
    assert document["vaultd"] == 1


def test_the_keys_of_a_check_do_not_change(pair: Vault):
    pair.stamp("old", by="nobody")
    document = pair.run("check", "--json").json
    assert set(document) >= CHECK
    assert set(document["summary"]) >= {"error", "warning", "info", "notes"}
    (row,) = document["violations"]
    assert set(row) == {"code", "severity", "path", "line", "column", "subject", "message", "hint"}
    assert (row["code"], row["path"], row["line"]) == ("V103", "memory/_global/old.md", 10)


def test_the_keys_of_a_status_do_not_change(pair: Vault):
    pair.stamp("old", by="new")
    pair.stamp("new", by="nobody")
    document = pair.does("status", "--json").json
    assert set(document) >= STATUS
    assert set(document["memories"]) == {"active", "superseded", "archived"}
    assert set(document["problems"]) >= {"error", "warning"}
    assert set(document["index"]) >= {"schema", "documents", "bytes"}
    assert set(document["git"]) >= {"branch", "ahead", "behind", "operation"}
    assert [set(row) >= {"path", "code"} for row in document["rejected"]] == [True]
    assert document["state"] == "off"


def test_the_keys_of_a_search_do_not_change(pair: Vault):
    document = pair.does("search", "text", "--json").json
    assert set(document) >= SEARCH
    assert all(set(hit) >= HIT for hit in document["hits"])
    assert document["total"] == 2


def test_the_keys_of_a_log_do_not_change(pair: Vault):
    pair.does("memory", "supersede", "old", "new", "--reason", "why")
    entry, created = pair.does("log", "old", "--json").json["entries"]
    assert created["event"] == "created"
    assert set(entry) >= {"commit", "at", "actor", "event", "id", "successor", "reason", "subject", "paths"}
    assert (entry["event"], entry["reason"], entry["successor"]) == ("superseded", "why", id_of("new"))


def test_the_keys_of_a_chain_do_not_change(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    document = pair.does("memory", "chain", "new", "--json").json
    assert [row["path"] for row in document["chain"]] == ["memory/_global/old.md", "memory/_global/new.md"]
    assert all(set(row) >= {"id", "path", "state", "invalid_at", "superseded_by"} for row in document["chain"])


def test_json_is_one_document_on_standard_output(pair: Vault):
    ran = pair.does("memory", "archive", "old", "--json")
    assert len(ran.out.splitlines()) == 1
    assert ran.err == ""


def test_json_may_stand_before_the_verb(pair: Vault):
    assert pair.does("--json", "status").json["vaultd"] == 1


# Errors ----------------------------------------------------------------------------------------------------------------


def test_an_error_is_a_document_where_json_is_asked_for(pair: Vault):
    ran = pair.run("memory", "supersede", "old", "old", "--json")
    assert set(ran.json) == {"vaultd", "error", "message", "hint", "violations"}
    assert (ran.code, ran.json["error"], ran.err) == (3, "RejectedError", "")


def test_a_mistyped_line_is_a_document_too(pair: Vault):
    ran = pair.run("memory", "supersede", "--json")
    assert (ran.code, ran.json["error"]) == (2, "UsageError")


def test_an_error_is_talk_with_a_hint(pair: Vault):
    ran = pair.run("memory", "supersede", "old", "old")
    assert ran.out == ""
    first, second = ran.err.splitlines()
    assert first.startswith("vaultd: ")
    assert second.startswith("  hint: ")


def test_the_violations_of_a_refusal_travel_with_it():
    broken = Violation("V103", "error", "memory/a/b.md", 3, "no memory is 'x'", "write one", subject="x")
    document = error_document(RejectedError("no", "hint", [broken]))
    assert document["violations"] == [
        {
            "code": "V103",
            "severity": "error",
            "path": "memory/a/b.md",
            "line": 3,
            "column": 1,
            "subject": "x",
            "message": "no memory is 'x'",
            "hint": "write one",
        }
    ]


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("UsageError", 2),
        ("RejectedError", 3),
        ("ConflictError", 4),
        ("NoteFormatError", 5),
        ("StorageError", 6),
        ("BrokenIndexError", 7),
        ("PluginError", 8),
    ],
)
def test_each_error_has_its_exit_code(kind: str, code: int, vault: Vault, monkeypatch: pytest.MonkeyPatch):
    def fails(_asked: object) -> None:
        raise getattr(errors, kind)("it failed")

    monkeypatch.setattr(edge, "_run", fails)
    assert vault.run("status").code == code


def test_an_interruption_is_130(vault: Vault, monkeypatch: pytest.MonkeyPatch):
    def interrupted(_asked: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(edge, "_run", interrupted)
    assert vault.run("status").code == 130


def test_a_bug_is_70_and_leaves_a_report(vault: Vault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def breaks(_asked: object) -> None:
        raise ZeroDivisionError("so it goes")

    monkeypatch.setattr(edge, "_run", breaks)
    monkeypatch.setattr("tempfile.tempdir", os.fspath(tmp_path))
    ran = vault.run("status")
    assert ran.code == 70
    report = Path(ran.err.rpartition("report: ")[2].strip())
    assert "ZeroDivisionError: so it goes" in report.read_text()
    ran = vault.run("status", "--json")
    assert (ran.code, ran.json["error"], ran.json["violations"]) == (70, "Bug", [])
    assert Path(ran.json["hint"].removeprefix("report: ")).is_file()


# Words -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("nonsense",),
        ("memory",),
        ("memory", "nonsense"),
        ("check", "--nonsense"),
        ("log", "--limit", "0"),
    ],
    ids=" ".join,
)
def test_a_line_that_means_nothing_is_2_and_names_the_help(vault: Vault, words: tuple[str, ...]):
    ran = vault.run(*words)
    assert (ran.code, "--help" in ran.err) == (2, True)


@pytest.mark.parametrize("time", ["garbage", "2025-13-01"])
def test_a_ledger_since_no_time_is_2(vault: Vault, time: str):
    ran = vault.run("log", "--since", time)
    assert (ran.code, ran.out, "is not a time" in ran.err) == (2, "", True)


def test_what_the_disk_refuses_is_no_bug_wherever_it_is_heard(vault: Vault, monkeypatch: pytest.MonkeyPatch):
    def refused(_asked: object) -> Outcome:
        raise PermissionError(errno.EACCES, "Permission denied", "some/where")

    monkeypatch.setattr(edge, "_run", refused)
    ran = vault.run("tags")
    assert (ran.code, ran.err.splitlines()[0]) == (6, "vaultd: some/where cannot be used: Permission denied")
    assert vault.run("tags", "--json").json["error"] == "StorageError"


def test_a_folder_that_is_none_is_2(tmp_path: Path, vault: Vault):
    assert vault.run("-C", os.fspath(tmp_path / "nowhere"), "status").code == 2


def test_the_vault_may_be_named_from_elsewhere(pair: Vault, tmp_path: Path):
    elsewhere = Vault(tmp_path)
    ran = elsewhere.does("-C", os.fspath(pair.root), "status", "--json")
    assert ran.json["notes"] == 2


def test_a_folder_inside_the_vault_leads_to_it(pair: Vault):
    assert Vault(pair.root / "memory").does("status", "--json").json["notes"] == 2


def test_a_query_may_begin_with_a_dash(pair: Vault):
    assert pair.run("search", "--", "-text").code == 0


# Pipes -----------------------------------------------------------------------------------------------------------------


def test_a_reader_that_has_seen_enough_is_no_error(pair: Vault):
    for number in range(300):
        pair.write(f"note {number}.md", "---\nkey: [\n---\n")
    program = f"import os; os.chdir({os.fspath(pair.root)!r}); from vaultd.cli.main import entry; entry()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "check", "--severity", "info"],
        cwd=Path(__file__).parents[3],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) in {0, 1}
    assert "Traceback" not in said
    assert "BrokenPipe" not in said


def test_a_verb_that_only_asks_imports_nothing_heavy(vault: Vault):
    program = "import sys; from vaultd.cli.main import main; main(['status', '--help'])"
    check = (
        f"try:\n    {program}\nexcept SystemExit: pass\nprint(sorted(set(sys.modules) & {{'tantivy','numpy','git'}}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", "import sys\n" + check],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_module_is_the_command_line(pair: Vault):
    ran = finished(pair, "status", "--json")
    assert (ran.code, json.loads(ran.out)["notes"]) == (0, 2)
