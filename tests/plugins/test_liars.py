"""Processes that do not keep to the protocol: they are named, they harm nobody, and nothing they say is believed."""

from pathlib import Path

import pytest

from tests.plugins.conftest import Try
from tests.unit.host.strangers import write_plugin
from vaultd.host.testing import vault_with

pytestmark = pytest.mark.usefixtures("_no_hurry")

SERVE = r'''
import fcntl, json, os, stat
def pipes(kind):
    for fd in range(3, 30):
        try:
            if stat.S_ISFIFO(os.fstat(fd).st_mode) and fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == kind:
                yield fd
        except OSError: pass
class P(Plugin): pass
def serve(**said):
    """Answer in the worker's place, from the call to load on."""
    reading, writing = os.fdopen(next(pipes(os.O_RDONLY)), "rb", closefd=False), next(pipes(os.O_WRONLY))
    call = {"call": 1, "name": "load"}
    while True:
        reply = {"done": call["call"], "result": said.get(call["name"])}
        os.write(writing, json.dumps({**reply, "registered": {**NOTHING, **said.get("registered", {})}}).encode() + b"\n")
        line = reading.readline()
        if not line or b'"unload"' in line: os._exit(0)
        call = json.loads(line)
NOTHING = {"events": [], "own": [], "replay": False, "intervals": [], "validators": ["liar/x"], "indexers": {}, "verbs": {}, "ready": False, "schema": {}}
ROW = {"rule": "liar/x", "message": "m", "level": "error", "line": 1, "column": 1, "subject": "", "hint": ""}
'''
GOOD = "class P(Plugin):\n async def onload(self): self.add_command('go', 'Go', lambda: 'here')"


def found(try_code: Try, lie: str) -> list[tuple[str, str, str]]:
    tried = try_code({"a.md": "x"}, liar=SERVE + lie, good=GOOD)
    rows = tried.problems()
    assert tried.act("good:go") == "here"
    return [(str(row["code"]), str(row["severity"]), str(row["message"])) for row in rows]


@pytest.mark.parametrize("rule", ["'V102'", "'good/x'", "None"])
def test_a_rule_that_it_did_not_sign_up_for_is_not_reported(try_code: Try, rule: str) -> None:
    rows = found(try_code, f"serve(validate=[dict(ROW, rule={rule})])")
    assert [(code, severity) for code, severity, _ in rows] == [("plugin-error", "warning")]
    assert "is no rule that it signed up for" in rows[0][2]


def test_of_thousands_of_problems_the_worst_are_listed(try_code: Try) -> None:
    row = "dict(ROW, subject=str(n), level='error' if n == 4999 else 'warning')"
    rows = found(try_code, f"serve(validate=[{row} for n in range(5000)])")
    assert [severity for _, severity, _ in rows] == ["error", *["warning"] * 199, "info"]
    assert rows[-1][2] == "4,800 more problems that liar has with this note are not listed"


def test_odd_texts_and_numbers_can_be_shown(try_code: Try) -> None:
    rows = found(try_code, r"serve(validate=[dict(ROW, message='\ud800' + 'x' * 5000, line=-1, column={}, level=[])])")
    assert rows == [("liar/x", "warning", "\ufffd" + "x" * 999 + "…")]


def test_a_field_that_it_did_not_sign_up_for_is_not_stored(try_code: Try) -> None:
    find = "self.add_command('find', 'Find', lambda: [{'n': len(self.app.search.query('', where='size exists or evil exists'))}])"
    eye = f"class P(Plugin):\n async def onload(self): {find}"
    lie = "serve(registered={'indexers': {'size': 'number'}}, index={'evil': 1, 'size': 'x'})"
    tried = try_code({"a.md": "x"}, liar=SERVE + lie, eye=eye)
    assert tried.act("eye:find") == [{"n": 0}]


ASK = """
class P(Plugin):
    async def onload(self):
        self.add_command("go", "Go", self.go)
    def go(self):
        said = []
        for name, args in ASKED:
            try:
                self._line.ask(name, **args)
            except VaultdError as exc:
                said.append({"error": type(exc).__name__, "message": exc.message[:80]})
        return said
PATH = ["\\ud800", "\\udc80", "a\\0b", "x" * 5000, "../x", "/etc/passwd", "a\\nb", 5, None, "..", ".git/x", "\\ud800.md"]
ASKED = [(name, {key: odd}) for odd in PATH for name, key in (
    ("read", "path"), ("exists", "path"), ("create", "path"), ("trash", "path"), ("chain", "path"), ("archive", "path"),
    ("supersede", "old"), ("save_data", "data"), ("resolve", "target"), ("search", "where"), ("secret", "name"))]
ASKED += [("rename", {"path": "a.md", "to": odd}) for odd in PATH] + [("relink", {"moves": {"b.md": odd}}) for odd in PATH]
ASKED += [("save_data", {"data": {"x": odd}}) for odd in PATH[:2]] + [("nobody", {}), ("write", {"path": "\\ud800"})]
"""


def test_odd_questions_are_answered_and_the_process_goes_on(try_code: Try) -> None:
    tried = try_code({"a.md": "x"}, odd=ASK)
    for _ in range(2):
        said = tried.act("odd:go")
        assert len(said) > 100
        assert {row["error"] for row in said} <= {"UsageError", "RejectedError", "PluginError", "NoteFormatError"}
        assert "vaultd failed to answer" not in str(said)
    assert tried.states()["odd"] == "enabled"
    assert [one.name for one in (tried.root / ".vaultd/plugins/odd").iterdir() if one.name.startswith(".")] == []


NARROW = """
class P(Plugin):
    async def onload(self):
        self.add_command("go", "Go", self.go)
    async def go(self):
        said = []
        vault, files, lifecycle = self.app.vault, self.app.file_manager, self.app.lifecycle
        for call in (
            vault.create("b.md", "x"), vault.append("a.md", "x"), vault.trash("a.md"), files.rename_file("a.md", "in/a.md"),
            files.rename_file("in/c.md", "c.md"), files.update_links({"gone.md": "in/c.md"}),
            files.update_links({"in/gone.md": "a.md"}), files.process_front_matter("a.md", lambda fm: fm.update(x=1)),
            lifecycle.archive("a.md"), lifecycle.supersede("a.md", "in/c.md"), self.ledger(),
        ):
            try:
                await call
            except PluginError as exc:
                said.append(exc.message)
        await vault.append("in/c.md", "x")
        return [{"said": one} for one in said]
    async def ledger(self):
        return self.app.git.ledger()
"""


def test_each_call_is_held_to_the_permissions(tmp_path: Path) -> None:
    may = ["vault:read", "vault:write:in/"]
    folder = write_plugin(tmp_path / "made/narrow", NARROW, permissions=may)
    with vault_with(folder, tmp_path, {"a.md": "[[gone]]", "in/c.md": "c"}) as tried:
        said = tried.act("narrow:go")
        assert isinstance(said, list)
        wanted = ["may not write"] * 8 + ["asked for lifecycle"] * 2 + ["asked for git"]
        assert [next((w for w in {*wanted} if w in row["said"]), row["said"]) for row in said] == wanted
        assert (tried.read("a.md"), tried.read("in/c.md")) == ("[[gone]]", "cx")


BLIND = """
class P(Plugin):
    async def onload(self):
        self.add_command("go", "Go", self.go)
    def go(self):
        said = []
        app, cache = self.app, self.app.metadata_cache
        for call in (
            app.vault.get_markdown_files, lambda: app.vault.get_file_by_path("a.md"), lambda: app.search.query("x"),
            lambda: app.lifecycle.chain("a.md"), lambda: cache.get_file_cache("a.md"), lambda: cache.resolved_links,
            lambda: cache.unresolved_links, cache.link_places, lambda: cache.get_first_linkpath_dest("a", "b.md"),
            lambda: app.file_manager.generate_markdown_link("a.md", "b.md"),
        ):
            try:
                call()
            except PluginError as exc:
                said.append({"said": exc.message})
        return said
"""


def test_without_vault_read_nothing_is_told_of_the_notes(tmp_path: Path) -> None:
    with vault_with(write_plugin(tmp_path / "made/blind", BLIND), tmp_path, {"a.md": "[[gone]]"}) as tried:
        assert tried.act("blind:go") == [{"said": "blind asked for vault:read"}] * 10


@pytest.mark.parametrize(
    "signs_up",
    [
        "self.register_validator('blind/x', lambda change: [])",
        "self.register_indexer('size', int, lambda file, cache: 1)",
        "self.app.vault.on('modify', print)",
    ],
)
def test_without_vault_read_nobody_hears_of_notes(tmp_path: Path, signs_up: str) -> None:
    code = f"class P(Plugin):\n async def onload(self): {signs_up}"
    with vault_with(write_plugin(tmp_path / "made/blind", code), tmp_path, {"a.md": "secret"}) as tried:
        assert '"vault:read" is not among its permissions' in tried.states()["blind"]
        (row,) = tried.problems()
        assert (row["code"], row["severity"]) == ("plugin-error", "warning")


LATE = """
class P(Plugin):
    async def onload(self):
        self.add_command("go", "Go", self.go)
    def go(self):
        self.register_validator("blind/x", lambda change: [change.problem(change.data)])
"""


def test_nor_does_one_that_signs_up_later(tmp_path: Path) -> None:
    with vault_with(write_plugin(tmp_path / "made/blind", LATE), tmp_path, {"a.md": "secret"}) as tried:
        tried.act("blind:go")
        assert "secret" not in str(tried.problems())
