"""What a plugin may sign up for, and what becomes of two that want the same."""

import json
import os
from pathlib import Path

import pytest

from tests.daemons import until
from tests.plugins.conftest import Try
from tests.unit.host.strangers import hosted
from tests.vaults import memory
from vaultd.errors import PluginError
from vaultd.host.enabling import load_wanted, save_wanted
from vaultd.host.testing import Tried

pytestmark = pytest.mark.usefixtures("_no_hurry")


def indexer(name: str, value: str = "1", kind: str = "int") -> str:
    return (
        f"class P(Plugin):\n async def onload(self):\n  self.register_indexer({name!r}, {kind}, lambda *_: {value})\n"
    )


def verb(name: str, flags: str) -> str:
    return f"class P(Plugin):\n async def onload(self):\n  self.register_cli_handler({name!r}, 'Do', {flags}, print)\n"


def finds(tried: Tried, where: str) -> list[str]:
    """Return the notes that a condition holds of, as a plugin is told them."""
    found = tried.act("eye:find", "--where", where)
    assert isinstance(found, list)
    return [row["path"] for row in found]


EYE = """
class P(Plugin):
    async def onload(self):
        self.register_cli_handler("eye:find", "Find", {"where": str}, self.find)
    async def find(self, params):
        return [{"path": row["path"]} for row in self.app.search.query("", where=params["where"])]
"""


def test_of_two_plugins_with_one_field_the_first_by_id_has_it(try_code: Try) -> None:
    tried = try_code({"a.md": "x"}, eye=EYE, beta=indexer("size", "2"), alpha=indexer("size"))
    until(lambda: tried.states()["beta"] == "incompatible beta: the field 'size' is alpha's already")
    tried.settle()
    assert tried.states()["alpha"] == "enabled"
    assert (finds(tried, "size = 1"), finds(tried, "size = 2")) == (["a.md"], [])
    save_wanted(tried.root, load_wanted(tried.root).disable("alpha"))
    tried.start()
    until(lambda: tried.states()["beta"] == "enabled")
    tried.settle()
    assert (finds(tried, "size = 1"), finds(tried, "size = 2")) == ([], ["a.md"])


def test_settings_that_were_mended_are_read(try_code: Try) -> None:
    tried = try_code({}, picky="class P(Plugin):\n class Settings:\n  days: int = setting(9)")
    data = tried.root / ".vaultd/plugins/picky/data.json"
    data.write_text('{"days": "many"}')
    with pytest.raises(Exception, match="/days: 'many' is no whole number"):
        tried.reloaded("picky")
    assert tried.states()["picky"].startswith("incompatible picky: load: SettingsError")
    data.unlink()
    os.mkfifo(data)
    with pytest.raises(Exception, match=r"SettingsError: .*data\.json is no file"):
        tried.reloaded("picky")
    data.unlink()
    data.write_text(json.dumps({"days": 3}))
    tried.start()
    until(lambda: tried.states()["picky"] == "enabled")


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (indexer("invalid_at"), "'invalid_at' cannot be a field: it is a memory's own"),
        (indexer("a b"), "'a b' cannot be a field"),
        (indexer("a", kind="list"), "a field cannot be of list"),
        (
            "class P(Plugin):\n async def onload(self):\n  for n in range(65):\n   self.register_indexer(f'f{n}', int, len)",
            "'f64' is one field too many",
        ),
        (verb("odd:x", "{'days': list}"), "'days' cannot be a flag of <class 'list'>"),
        (verb("odd:x", "{'two words': int}"), "'two words' cannot be a flag"),
        (verb("odd:two words", "{}"), "cannot be typed as one word"),
        (
            "class P(Plugin):\n async def onload(self): self.register_interval(float('nan'), print)",
            "nan is no number of seconds",
        ),
    ],
)
def test_what_cannot_be_signed_up_for_is_named(tmp_path: Path, code: str, says: str) -> None:
    plugin = hosted(tmp_path, code.replace("odd:", "stale:"))
    with pytest.raises(PluginError, match=says):
        _ = plugin.registered


def test_sixty_four_fields_are_searched_on_many_notes(try_code: Try) -> None:
    code = "class P(Plugin):\n async def onload(self):\n  for n in range(64): self.register_indexer(f'f{n}', int, lambda *_: 7)"
    tried = try_code({f"{n}.md": "x" for n in range(210)}, eye=EYE, many=code)
    assert len(finds(tried, "f0 = 7 and f63 = 7")) == 20


def test_fields_of_many_notes_are_there_without_a_pause(try_code: Try, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vaultd.plugged.telling._IDLE", 600.0)
    tried = try_code(
        {f"{n}.md": "x" for n in range(410)}, eye=EYE, one=indexer("size", "2 if _[0].path == 'last.md' else 1")
    )
    assert len(finds(tried, "size = 1")) == 20
    tried.write("last.md", "x")
    tried.settle()
    assert len(finds(tried, "size = 2")) == 1


@pytest.mark.parametrize("value", ["10 ** 400", "float('nan')", "'x'", "[1]"])
def test_a_value_that_fits_no_field_is_named_and_costs_no_other_note(try_code: Try, value: str) -> None:
    value = f"{value} if _[0].path == 'a.md' else 3"
    tried = try_code({"a.md": "x", "b.md": "x"}, eye=EYE, odd=indexer("size", value, "float"))
    assert finds(tried, "size = 3") == ["b.md"]
    assert "failed once, last: odd: index: UsageError: size is a field of float" in tried.states()["odd"]


def test_a_handler_that_raises_is_named_with_its_line(try_code: Try) -> None:
    code = "class P(Plugin):\n async def onload(self): self.app.vault.on('modify', self.go)\n def go(self, file): 1 / 0"
    tried = try_code({"a.md": "x"}, odd=code)
    for text in ("y", "z"):
        tried.write("a.md", text)
        tried.settle()
    assert tried.states()["odd"] == (
        "enabled failed 2 times, last: odd: event: ZeroDivisionError: division by zero (main.py, line 4)"
    )


ENDS = """
class P(Plugin):
    async def onload(self):
        self.heard = []
        for own in (True, False):
            self.register_event(self.app.lifecycle.on("archived", self.hear(own), own=own))
        self.add_command("go", "Go", self.go)
        self.add_command("heard", "Heard", lambda: self.heard)
    def hear(self, own):
        return lambda file: self.heard.append({"path": file.path, "own": own})
    async def go(self):
        await self.app.lifecycle.archive("memory/_global/a.md", "over")
"""


def test_what_a_plugin_ends_itself_it_hears_of_only_with_own(try_code: Try) -> None:
    tried = try_code({"memory/_global/a.md": memory("a")}, ends=ENDS, ear=ENDS)
    tried.act("ends:go")
    tried.settle()
    path = "memory/_global/a.md"
    assert tried.act("ends:heard") == [{"path": path, "own": True}]
    assert tried.act("ear:heard") == [{"path": path, "own": True}, {"path": path, "own": False}]
