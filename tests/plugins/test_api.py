"""What a plugin is promised: events as they happen, writes that lose nobody's text, and no more than it may."""

import json
from pathlib import Path

import pytest

from tests.daemons import until
from tests.plugins.conftest import Try
from tests.vaults import memory
from vaultd.errors import PluginError
from vaultd.host.testing import git

LISTENER = """
class P(Plugin):
    async def onload(self):
        self.seen = []
        for name in ("create", "modify", "delete", "rename"):
            self.register_event(self.app.vault.on(name, self.hear(name)))
        self.add_command("seen", "Seen", lambda: self.seen)
    def hear(self, name):
        async def heard(file, old=""):
            self.seen.append({"event": name, "path": file.path, "old": old})
        return heard
"""


def seen(tried) -> list[tuple[str, ...]]:
    return [tuple(v for v in row.values() if v) for row in tried.act("ear:seen")]


def test_notes_that_were_there_are_no_news(try_code: Try) -> None:
    assert seen(try_code({"a.md": "x"}, ear=LISTENER)) == []


def test_what_happens_to_notes_is_told(try_code: Try) -> None:
    tried = try_code({"a.md": "aa", "b.md": "bb", "c.md": "cc"}, ear=LISTENER)
    tried.write("new.md", "new")
    tried.write("a.md", "edited")
    (tried.root / "b.md").unlink()
    tried.move("c.md", "d.md")
    tried.settle()
    expected = [("create", "new.md"), ("delete", "b.md"), ("modify", "a.md"), ("rename", "d.md", "c.md")]
    assert sorted(seen(tried)) == expected


def test_a_memory_that_moves_is_known_by_its_id(try_code: Try) -> None:
    tried = try_code({"memory/_global/a.md": memory("a")}, ear=LISTENER)
    text = tried.read("memory/_global/a.md")
    (tried.root / "memory/_global/a.md").unlink()
    tried.write("memory/_global/b.md", text.replace("name: a", "name: b"))
    tried.settle()
    assert seen(tried) == [
        ("rename", "memory/_global/b.md", "memory/_global/a.md"),
        ("modify", "memory/_global/b.md"),
    ]


REPLAY = """
class P(Plugin):
    async def onload(self):
        self.seen = []
        self.app.vault.on("create", lambda file: self.seen.append({"path": file.path}), replay=True)
        self.add_command("seen", "Seen", lambda: self.seen)
"""


def test_with_replay_notes_that_were_there_are_told(try_code: Try) -> None:
    assert seen(try_code({"a.md": "x", "b.md": "y"}, ear=REPLAY)) == [("a.md",), ("b.md",)]


WRITER = """
class P(Plugin):
    async def onload(self):
        self.heard = 0
        self.app.vault.on("modify", self.on_modify)
        self.add_command("write", "Write", self.write)
        self.add_command("seen", "Seen", lambda: str(self.heard))
    async def on_modify(self, file):
        self.heard += 1
    async def write(self):
        await self.app.vault.process("a.md", lambda text: text.replace("old", "new"))
"""


def test_a_write_is_one_commit_in_the_plugins_name(try_code: Try) -> None:
    tried = try_code({"a.md": "old\r\n"}, pen=WRITER)
    tried.act("pen:write")
    assert tried.read("a.md") == "new\r\n"
    assert tried.log()[0] == "note: write a"
    assert "Vaultd-Actor: plugin:pen" in git(tried.root, "show", "-s", "--format=%B")


def test_a_plugin_does_not_hear_its_own_write(try_code: Try) -> None:
    tried = try_code({"a.md": "old"}, pen=WRITER, ear=LISTENER)
    tried.act("pen:write")
    tried.settle()
    assert tried.act("pen:seen") == "0"
    assert seen(tried) == [("modify", "a.md")]


RACE = """
class P(Plugin):
    async def onload(self):
        self.runs = 0
        self.add_command("race", "Race", self.race)
    async def race(self):
        await self.app.vault.process("a.md", self.change)
        return str(self.runs)
    def change(self, text):
        self.runs += 1
        if self.runs == 1:
            import pathlib
            pathlib.Path("{root}/a.md").write_text(text + "typed by a person\\n")
        return text + "by the plugin\\n"
"""


def test_text_that_a_person_saved_in_between_is_kept(try_code: Try, tmp_path: Path) -> None:
    tried = try_code({"a.md": "text\n"}, pen=RACE.replace("{root}", str(tmp_path / "vault")))
    assert tried.act("pen:race") == "2"
    assert tried.read("a.md") == "text\ntyped by a person\nby the plugin\n"


MATTER = """
class P(Plugin):
    async def onload(self):
        self.add_command("stamp", "Stamp", self.stamp)
        self.add_command("end", "End", self.end)
    async def stamp(self):
        def change(fm):
            fm["reviewed"] = True
            fm["same"] = 1
            del fm["gone"]
        await self.app.file_manager.process_front_matter("a.md", change)
    async def end(self):
        await self.app.file_manager.process_front_matter("a.md", lambda fm: fm.update(invalid_at="now"))
"""


def test_properties_change_and_every_other_byte_stays(try_code: Try) -> None:
    tried = try_code({"a.md": "---\n# mine\nreviewed:   false # yet\nsame:  1\ngone: x\n---\nbody"}, pen=MATTER)
    tried.act("pen:stamp")
    assert tried.read("a.md") == "---\n# mine\nreviewed:   true # yet\nsame:  1\n---\nbody"


def test_the_lifecycle_is_no_property(try_code: Try) -> None:
    tried = try_code({"a.md": "---\nx: 1\n---\n"}, pen=MATTER)
    with pytest.raises(PluginError, match="RejectedError: invalid_at is changed by the lifecycle"):
        tried.act("pen:end")


SNEAK = """
class P(Plugin):
    async def onload(self):
        self.add_command("end", "End", self.end)
        self.add_command("hand", "Hand over", self.hand)
    async def end(self):
        await self.app.vault.process("memory/_global/a.md", lambda t: t.replace("invalid_at: null", "invalid_at: 2025-06-01T00:00:00Z"))
    async def hand(self):
        await self.app.lifecycle.supersede("memory/_global/a.md", "memory/_global/b.md", "newer")
        return [{"path": f.path} for f in self.app.lifecycle.chain("memory/_global/a.md")]
"""


def test_a_text_does_not_change_the_lifecycle(try_code: Try) -> None:
    tried = try_code({"memory/_global/a.md": memory("a"), "memory/_global/b.md": memory("b")}, pen=SNEAK)
    with pytest.raises(PluginError, match="a text does not change a memory's lifecycle"):
        tried.act("pen:end")
    assert tried.act("pen:hand") == [{"path": "memory/_global/a.md"}, {"path": "memory/_global/b.md"}]
    assert tried.log()[0] == "memory: supersede a by b"


LIFE = """
class P(Plugin):
    async def onload(self):
        self.seen = []
        self.app.lifecycle.on("superseded", self.over)
        self.app.lifecycle.on("rejected", lambda file, code: self.seen.append({"path": file.path, "code": code}))
        self.add_command("seen", "Seen", lambda: self.seen)
    async def over(self, old, new):
        self.seen.append({"old": old.path, "new": new.path})
"""


def test_an_accepted_supersession_is_told_and_a_rejected_edit_with_its_rule(try_code: Try) -> None:
    notes = {f"memory/_global/{name}.md": memory(name) for name in "abc"}
    tried = try_code(notes, ear=LIFE, pen=SNEAK)
    tried.act("pen:hand")
    tried.write("memory/_global/c.md", memory("c").replace("superseded_by: null", "superseded_by: nobody"))
    tried.settle()
    assert seen(tried) == [("memory/_global/a.md", "memory/_global/b.md"), ("memory/_global/c.md", "V104")]


READER = """
class P(Plugin):
    async def onload(self):
        self.register_cli_handler("eye:read", "Read.", {"path": str}, self.read)
        self.register_cli_handler("eye:write", "Write.", {"path": str}, self.write)
    async def read(self, params):
        return await self.app.vault.read(params["path"])
    async def write(self, params):
        await self.app.vault.create(params["path"], "x")
"""


@pytest.mark.parametrize(
    "path", ["../secret.md", "/etc/hostname", ".vaultd/config.toml", ".git/config", "a/../../x.md", ""]
)
def test_nothing_outside_is_read_through_the_api(try_code: Try, path: str) -> None:
    tried = try_code({}, eye=READER)
    with pytest.raises(PluginError, match="UsageError"):
        tried.act("eye:read", f"--path={path}")


@pytest.mark.parametrize("path", ["../x.md", "/tmp/x.md", ".git/hooks/x.md", ".vaultd/x.md", "memory/_global/x.md"])
def test_nothing_is_written_where_no_note_lies(try_code: Try, path: str, tmp_path: Path) -> None:
    tried = try_code({}, eye=READER)
    with pytest.raises(PluginError):
        tried.act("eye:write", f"--path={path}")
    assert [*tmp_path.rglob("x.md")] == []


PEN, EAR = (
    f"""
class P(Plugin):
    async def onload(self):
        self.app.vault.on("modify", self.answer)
    async def answer(self, file):
        await self.app.vault.append(file, "{word}\\n")
"""
    for word in ("ping", "pong")
)


def test_two_plugins_that_answer_each_other_are_cut_after_four_writes(try_code: Try) -> None:
    tried = try_code({"a.md": "begin\n"}, ping=PEN, pong=EAR)
    tried.write("a.md", "begin\nby hand\n")
    tried.settle()
    written = tried.read("a.md").splitlines()[2:]
    assert 2 <= len(written) <= 8
    assert sum(line == "note: write a" for line in tried.log()) == len(written)


FIELDS = """
class P(Plugin):
    async def onload(self):
        self.register_indexer("word_count", int, lambda file, cache: len(cache.body.split()))
        self.register_validator("count/short", self.short)
        self.add_command("find", "Find", lambda: [{"path": r["path"]} for r in self.app.search.query("", where="word_count >= 3")])
    def short(self, change):
        if change.cache.frontmatter.get("draft") is True:
            yield change.problem("still a draft", key="draft", level="error")
"""


def test_a_field_is_searched_like_a_property_and_follows_the_text(try_code: Try) -> None:
    tried = try_code({"a.md": "one two three", "b.md": "one"}, count=FIELDS)
    assert tried.act("count:find") == [{"path": "a.md"}]
    tried.write("b.md", "one two three four")
    tried.write("a.md", "one")
    tried.settle()
    assert tried.act("count:find") == [{"path": "b.md"}]


def test_a_problem_is_a_violation_at_its_property(try_code: Try) -> None:
    tried = try_code({"a.md": "---\nx: 1\ndraft: true\n---\n", "b.md": ""}, count=FIELDS)
    (found,) = tried.problems()
    assert [found[key] for key in ("code", "severity", "path", "line", "message")] == [
        "count/short", "error", "a.md", 3, "still a draft",
    ]  # fmt: skip


def test_a_validator_that_crashes_is_one_warning(try_code: Try) -> None:
    broken = "class P(Plugin):\n async def onload(self):\n  self.register_validator('bad/x', lambda change: 1 / 0)"
    found = try_code({"a.md": "", "b.md": ""}, bad=broken).problems()
    assert [(row["code"], row["severity"]) for row in found] == [("plugin-error", "warning")]


PICKY = """
class P(Plugin):
    async def onload(self):
        self.register_indexer("size", int, lambda file, cache: 1 // len(cache.body))
        self.register_validator("picky/x", self.check)
        self.add_command("find", "Find", lambda: [{"path": r["path"]} for r in self.app.search.query("", where="size >= 0")])
    def check(self, change):
        yield change.problem(f"{1 // len(change.data)}")
"""


def test_a_note_that_a_plugin_fails_on_keeps_it_from_no_other(try_code: Try) -> None:
    tried = try_code({"a.md": "", "b.md": "x"}, picky=PICKY)
    assert tried.act("picky:find") == [{"path": "b.md"}]
    found = {(row["code"], row["path"]) for row in tried.problems()}
    assert found == {("plugin-error", ".vaultd/plugins.json"), ("picky/x", "b.md")}


def test_a_flag_that_does_not_exist_is_named(try_code: Try) -> None:
    tried = try_code({}, eye=READER)
    with pytest.raises(Exception, match=r"'--nope' is no flag here"):
        tried.act("eye:read", "--nope")


def test_a_verb_that_does_not_exist_lists_those_that_do(try_code: Try) -> None:
    with pytest.raises(Exception, match=r"there is no 'eye:fly'") as raised:
        try_code({}, eye=READER).act("eye:fly")
    assert raised.value.hint == "verbs of eye: eye:read, eye:write"


def test_a_plugin_that_is_not_enabled_says_so(try_code: Try) -> None:
    with pytest.raises(PluginError, match="other does not run: it is not enabled"):
        try_code({}, eye=READER).act("other:x")


CHANGED = """
class P(Plugin):
    class Settings:
        days: int = setting(90)
    settings: Settings
    async def on_user_enable(self):
        await self.save_data({"first": True})
    async def onload(self):
        self.heard = []
        self.add_command("seen", "Seen", lambda: self.heard)
        self.add_command("save", "Save", self.save)
    async def on_external_settings_change(self):
        self.heard.append({"days": self.settings.days})
    async def save(self):
        self.settings.days = 5
        await self.save_settings()
"""


def test_what_somebody_else_changes_in_its_settings_is_told(try_code: Try) -> None:
    tried = try_code({}, set=CHANGED)
    tried.write(".vaultd/plugins/set/data.json", '{"days": 7, "theirs": 1}')
    until(lambda: tried.act("set:seen"))
    assert tried.act("set:seen") == [{"days": 7}]


def test_saved_settings_keep_what_others_put_there(try_code: Try) -> None:
    tried = try_code({}, set=CHANGED)
    assert json.loads(tried.read(".vaultd/plugins/set/data.json")) == {"first": True}
    tried.act("set:save")
    assert json.loads(tried.read(".vaultd/plugins/set/data.json")) == {"first": True, "days": 5}


def test_the_first_enabling_is_told_once(try_code: Try) -> None:
    tried = try_code({}, set=CHANGED)
    (tried.root / ".vaultd/plugins/set/data.json").unlink()
    tried._company.answer("plugins_changed", {"reload": "set"})
    tried.act("set:seen")
    assert not (tried.root / ".vaultd/plugins/set/data.json").exists()


MOVER = """
class P(Plugin):
    async def onload(self):
        self.add_command("move", "Move", self.move)
        self.add_command("link", "Link", self.link)
        self.add_command("trash", "Trash", lambda: self.app.vault.trash("b.md"))
    async def move(self):
        file = await self.app.file_manager.rename_file("a.md", "deep/c")
        return file.path
    async def link(self):
        manager, cache = self.app.file_manager, self.app.metadata_cache
        return [{"link": manager.generate_markdown_link("a.md", "b.md", alias="A"),
                 "to": cache.get_first_linkpath_dest("a", "b.md").path, "none": cache.get_first_linkpath_dest("x", "b.md")}]
"""


def test_a_rename_takes_links_along_in_one_commit(try_code: Try) -> None:
    tried = try_code({"a.md": "x", "b.md": "[[a]]"}, hand=MOVER)
    assert tried.act("hand:link") == [{"link": "[[a|A]]", "to": "a.md", "none": None}]
    before = len(tried.log())
    assert tried.act("hand:move") == "deep/c.md"
    assert (tried.read("b.md"), tried.read("deep/c.md"), len(tried.log())) == ("[[c]]", "x", before + 1)


def test_what_is_trashed_stays_in_git(try_code: Try) -> None:
    tried = try_code({"b.md": "text"}, hand=MOVER)
    tried.act("hand:trash")
    assert not (tried.root / "b.md").exists()
    assert git(tried.root, "show", "HEAD~1:b.md") == "text"


SECRETIVE = """
class P(Plugin):
    class Settings:
        token: str = setting("none")
        days: int = setting(1)
    settings: Settings
    async def onload(self):
        self.add_command("show", "Show", lambda: [{"token": self.settings.token[::-1], "days": self.settings.days}])
        self.add_command("save", "Save", self.save)
        self.add_command("kept", "Kept", lambda: self.app.secret_storage.get_secret("other"))
    async def save(self):
        self.settings.days = 5
        await self.save_settings()
"""


def test_a_setting_from_the_environment_is_filled_in_and_saved_by_its_name(
    try_code: Try, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAIL_TOKEN", "hunter2")
    monkeypatch.setenv("SSH_TOKEN", "other")
    tried = try_code({}, mail=SECRETIVE)
    assert tried.act("mail:kept") is None
    tried.write(".vaultd/plugins/mail/data.json", '{"token": {"$env": "MAIL_TOKEN"}}')
    until(lambda: tried.act("mail:show") == [{"token": "2retnuh", "days": 1}])
    tried.act("mail:save")
    assert tried.act("mail:show") == [{"token": "2retnuh", "days": 5}]
    data = tried.read(".vaultd/plugins/mail/data.json")
    assert json.loads(data) == {"token": {"$env": "MAIL_TOKEN"}, "days": 5}


def test_a_variable_that_no_permission_names_is_not_handed_on(try_code: Try, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_TOKEN", "other")
    tried = try_code({}, mail=SECRETIVE)
    data = tried.root / ".vaultd/plugins/mail/data.json"
    for name, says in (("SSH_TOKEN", "asked for env:SSH_TOKEN"), ("MAIL_TOKEN", "is not in vaultd's environment")):
        data.write_text(json.dumps({"token": {"$env": name}}))
        with pytest.raises(PluginError, match=f"data.json: /token: .*{says}"):
            tried.reloaded("mail")
    assert "other" not in (tried.log_of("mail"))


PARTS = """
from vaultd.host.api import Component
class Part(Component):
    def __init__(self, owner):
        super().__init__()
        self.owner, self.ticks = owner, 0
    async def onload(self):
        self.register_interval(1, self.tick)
        self.register_event(self.owner.app.metadata_cache.on("resolve", self.hear))
    async def hear(self, file):
        self.owner.heard.append(file.path)
    def tick(self):
        self.ticks += 1
class P(Plugin):
    async def onload(self):
        self.heard = []
        self.part = self.add_child(Part(self))
        self.add_command("seen", "Seen", lambda: [{"heard": self.heard, "ticks": self.part.ticks > 0}])
        self.add_command("end", "End", self.part.unload_all)
        self.add_command("is", "Is", lambda: [{"name": self.manifest.name, "needs": self.manifest.min_app_version}])
        self.add_command("link", "Link", self.link)
    def link(self):
        to = self.app.metadata_cache.file_to_linktext
        return [{"short": to("b/x.md", "a.md"), "whole": to("b/x.md", "a.md", omit_md_extension=False)}]
"""


def test_a_part_has_intervals_and_events_of_its_own_until_it_unloads(try_code: Try) -> None:
    tried = try_code({"a.md": "x", "b/x.md": "y"}, parts=PARTS)
    until(lambda: tried.act("parts:seen")[0]["ticks"])
    tried.write("a.md", "[[x]]")
    tried.settle()
    assert tried.act("parts:seen") == [{"heard": ["a.md"], "ticks": True}]
    tried.act("parts:end")
    tried.write("a.md", "again")
    tried.settle()
    assert tried.act("parts:seen")[0]["heard"] == ["a.md"]


def test_a_plugin_knows_its_manifest_and_what_a_link_says(try_code: Try) -> None:
    tried = try_code({"a.md": "x", "b/x.md": "y"}, parts=PARTS)
    assert tried.act("parts:is") == [{"name": "parts", "needs": "1.0.0"}]
    assert tried.act("parts:link") == [{"short": "x", "whole": "x.md"}]


POISONED = """
class P(Plugin):
    async def onload(self):
        self.register_event(self.app.vault.on("modify", self.go))
    async def go(self, file):
        print("told", file.path)
        if file.path == "bad.md":
            import os
            os._exit(1)
"""


def test_an_event_that_ends_its_process_is_told_once_more_and_not_for_ever(try_code: Try) -> None:
    tried = try_code({"bad.md": "x", "good.md": "y"}, frail=POISONED)
    tried.write("bad.md", "poison")
    tried.settle()
    tried.write("good.md", "more")
    tried.settle()
    told = [line for line in tried.log_of("frail").splitlines() if line.startswith("told")]
    assert told == ["told bad.md", "told bad.md", "told good.md"]
    assert tried.states()["frail"].startswith("enabled failed 2 times, last: frail: event: its process ended")
