"""Processes that do not keep to the protocol: they are named, they harm nobody, and nothing they say is believed."""

import pytest

from tests.plugins.conftest import Try

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
