"""A plugin that fails in any way costs its caller a deadline at most, is named, and is left alone after the third time."""

import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.daemons import until
from tests.unit.host.strangers import hosted, nothing
from vaultd.errors import PluginError
from vaultd.host.crashes import Quarantine
from vaultd.host.hosted import Asking, Hosted
from vaultd.host.process import Limits, PluginCrashError, PluginRaisedError
from vaultd.host.protocol import Message

Make = Callable[..., Hosted]
ACTION = "class P(Plugin):\n async def onload(self):\n  self.add_command('go', 'Go', self.go)\n async def go(self):\n"


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    monkeypatch.setattr("vaultd.host.hosted.LOAD", PATIENCE)  # how long a start takes says how busy the machine is
    made: list[Hosted] = []

    def one(code: str, *args: object, **kwargs: object) -> Hosted:
        made.append(hosted(tmp_path, code, *args, **kwargs))
        return made[-1]

    yield one
    for plugin in made:
        plugin.kill()


PATIENCE = 60.0
"""Seconds for what takes none: only a test that fails waits for them."""


def go(plugin: Hosted, seconds: float = PATIENCE) -> object:
    return plugin.call("act", {"name": "stale:go"}, seconds)


def test_a_command_gives_its_result(make: Make) -> None:
    assert go(make(ACTION + "  return [{'path': 'a.md', 'days': 3}]")) == [{"path": "a.md", "days": 3}]


def test_what_is_printed_goes_to_the_log_and_breaks_nothing(make: Make) -> None:
    plugin = make(ACTION + "  print('noise', flush=True)\n  import os\n  os.write(1, b'raw noise\\n')\n  return 1")
    assert go(plugin) == 1
    assert "noise" in plugin.log.read_text()
    assert "raw noise" in plugin.log.read_text()


def test_what_its_code_raises_is_told_and_its_process_goes_on(make: Make) -> None:
    plugin = make(ACTION + "  raise KeyError('frost')")
    pids = set()
    for _ in range(4):
        with pytest.raises(PluginRaisedError, match="stale: act: KeyError: 'frost'"):
            go(plugin)
        pids.add(plugin.pid)
    assert len(pids) == 1


def test_it_is_started_when_it_is_first_needed(make: Make) -> None:
    plugin = make(ACTION + "  return 1")
    assert plugin.pid is None
    go(plugin)
    assert plugin.pid is not None


def test_a_stopped_plugin_was_unloaded_and_is_gone(make: Make) -> None:
    plugin = make(ACTION + "  return 1\n async def onunload(self):\n  print('bye')")
    go(plugin)
    pid = plugin.pid
    plugin.stop()
    assert "bye" in plugin.log.read_text()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(PluginError, match="it was stopped"):
        go(plugin)


CRASHES = {
    "hangs in a loop": ("  while True: pass", "did not answer within 0.4 s"),
    "sleeps": ("  import time\n  time.sleep(60)", "did not answer within 0.4 s"),
    "leaves": ("  import os\n  os._exit(3)", "exit code 3"),
    "crashes the interpreter": ("  import os, signal\n  os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
    "closes its pipes": ("  import os\n  os.closerange(3, 50)", "its process|closed its pipes"),
    "closes its pipes and goes on": ("  import os, time\n  os.closerange(3, 50)\n  time.sleep(60)", "it closed its pipes"),
    "writes into the protocol": ("  [__import__('os').write(fd, b'{]\\n') for fd in (4, 5, 6) if alive(fd)]", "protocol"),
    "answers what nobody asked": ("  [__import__('os').write(fd, b'{\"done\":99}\\n') for fd in (4, 5, 6) if alive(fd)]", "protocol"),
    "floods the protocol": ("  [__import__('os').write(fd, b'x' * 9_000_000) for fd in (4, 5, 6) if alive(fd)]", "protocol"),
}  # fmt: skip
ALIVE = """
import os, stat
def alive(fd):
    try:
        return stat.S_ISFIFO(os.fstat(fd).st_mode) and os.access(f"/proc/self/fd/{fd}", os.W_OK)
    except OSError:
        return False
"""


@pytest.mark.parametrize("name", CRASHES)
def test_a_process_that_cannot_be_used_is_ended_within_its_deadline(make: Make, name: str) -> None:
    code, says = CRASHES[name]
    plugin = make(ALIVE + ACTION + code)
    pid = plugin.registered and plugin.pid
    began = time.monotonic()
    with pytest.raises(PluginCrashError, match=f"(?s)stale: act: .*({says})"):
        go(plugin, 0.4 if "0.4 s" in says else PATIENCE)
    assert time.monotonic() - began < PATIENCE / 2
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_one_that_is_long_in_ending_is_named_by_its_end(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = make(ACTION + "  print('no bread', flush=True)\n  import os\n  os._exit(3)")
    wait = subprocess.Popen.wait

    def busy(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        if timeout is not None:
            raise subprocess.TimeoutExpired(process.args, timeout)
        return wait(process)

    assert plugin.registered
    monkeypatch.setattr(subprocess.Popen, "wait", busy)
    with pytest.raises(PluginCrashError, match=r"exit code 3 \(no bread\)"):
        go(plugin)


def test_children_of_its_group_end_with_it(make: Make, tmp_path: Path) -> None:
    note = tmp_path / "child"
    fork = (
        f"  import os, time\n  c = os.fork()\n  if not c: time.sleep(600)\n  open({str(note)!r}, 'w').write(str(c))\n"
    )
    plugin = make(ACTION.replace("onload(self):\n", f"onload(self):\n{fork}") + "  import time\n  time.sleep(600)")
    assert plugin.registered
    with pytest.raises(PluginCrashError):
        go(plugin, 0.4)
    child = int(note.read_text())
    until(lambda: not lives(child))


def lives(pid: int) -> bool:
    """Say whether a process is there, and not only its end that nobody has asked for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_memory_hog_meets_its_limit(make: Make) -> None:
    plugin = make(ACTION + "  x = bytearray(1 << 30)", limits=Limits(memory=300 << 20))
    with pytest.raises(PluginRaisedError, match="MemoryError"):
        go(plugin)


def test_a_fork_bomb_meets_its_deadline(make: Make) -> None:
    plugin = make(
        ACTION + "  import os, time\n  for _ in range(20):\n   if os.fork() == 0: time.sleep(60)\n  time.sleep(60)"
    )
    with pytest.raises(PluginCrashError):
        go(plugin, 1.0)


def test_its_files_have_a_longest(make: Make) -> None:
    plugin = make(ACTION + "  while True: print('x' * 10000)", limits=Limits(written=1 << 20))
    with pytest.raises(PluginError):
        go(plugin, 5.0)
    assert plugin.log.stat().st_size <= 1 << 20


def test_a_result_that_is_too_long_is_an_error_and_no_crash(make: Make) -> None:
    plugin = make(ACTION + "  return 'x' * 9_000_000")
    with pytest.raises(PluginRaisedError, match="the result cannot be sent: a message of 9,000,"):
        go(plugin)
    with pytest.raises(PluginRaisedError):
        go(plugin)


def test_a_result_that_json_does_not_know_is_an_error(make: Make) -> None:
    with pytest.raises(PluginRaisedError, match="cannot be sent"):
        go(make(ACTION + "  return {1, 2}"))


def test_a_question_that_is_too_long_is_refused(make: Make) -> None:
    plugin = make(ACTION + "  await self.save_data('x' * 9_000_000)")
    with pytest.raises(PluginRaisedError, match="UsageError: a message of 9,000,"):
        go(plugin)


def test_a_question_that_vaultd_itself_fails_on_is_answered_with_an_error(make: Make) -> None:
    def fail(_asking: Asking, _name: str, _args: Message) -> object:
        raise ZeroDivisionError("a bug of ours")

    plugin = make(ACTION + "  await self.save_data({})", fail)
    for _ in range(2):
        with pytest.raises(PluginRaisedError, match="PluginError: vaultd failed to answer 'save_data': a bug of ours"):
            go(plugin)


def test_an_error_says_where_in_the_plugins_code_it_was(make: Make) -> None:
    plugin = make(ACTION + "  import json\n  json.loads('{')")
    with pytest.raises(PluginRaisedError, match=r"JSONDecodeError: .* \(main\.py, line 7\)"):
        go(plugin)


def test_async_may_be_forgotten_where_nothing_is_awaited(make: Make) -> None:
    ends = " def onunload(self): print('unloaded', flush=True)\n"
    plugin = make(f"class P(Plugin):\n def onload(self): self.add_command('go', 'Go', lambda: 1)\n{ends}")
    assert go(plugin) == 1
    plugin.stop()
    assert "unloaded" in plugin.log.read_text()


def test_the_last_words_of_a_process_are_its_own(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vaultd.host.crashes.BACK_OFF", (0.0,))
    plugin = make(ACTION + "  import os, pathlib\n  if pathlib.Path('said').exists(): os._exit(3)\n  os._exit(4)")
    plugin.log.parent.mkdir(parents=True)
    plugin.log.write_text("of an earlier one\n" * 1000)
    with pytest.raises(PluginCrashError, match=r"exit code 4$"):
        go(plugin)


def test_a_machine_that_cannot_start_it_is_named_and_it_is_left_alone(
    make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("vaultd.host.crashes.BACK_OFF", (0.0,))
    monkeypatch.setattr("sys.executable", str(tmp_path / "no-python"))
    plugin = make(ACTION + "  return 1")
    for _ in range(3):
        with pytest.raises(PluginCrashError, match="stale: cannot be started: No such file"):
            go(plugin)
    assert "cannot be started" in plugin.held
    assert [*(tmp_path / "state/plugins/running").iterdir()] == []


@pytest.mark.parametrize(
    "code", ["1 / 0", "import os\nos._exit(1)", "x = 1", "class A(Plugin): pass\nclass B(Plugin): pass"]
)
def test_the_third_failure_to_load_leaves_it_alone(make: Make, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vaultd.host.hosted.pause_before_start", lambda _crashes, _now: 0.0)
    plugin = make(code)
    for _ in range(3):
        with pytest.raises(PluginError, match="stale: load: "):
            go(plugin)
    with pytest.raises(PluginError, match="does not run: failed 3 times in ten minutes"):
        go(plugin)


def test_a_restart_after_a_failure_waits(make: Make, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    noted = f"import os, time\nwith open({str(starts)!r}, 'a') as f: f.write(f'{{time.time()}}\\n')\n"
    plugin = make(noted + ACTION + "  os._exit(1)")
    for _ in range(2):
        with pytest.raises(PluginCrashError, match="exit code 1"):
            go(plugin)
    first, second = (float(line) for line in starts.read_text().splitlines())
    (crash, _) = Quarantine(tmp_path / "state").crashes("stale")
    assert first < crash.at
    assert second >= crash.at + 1


def test_one_that_hangs_while_it_unloads_is_ended(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vaultd.host.hosted.UNLOAD", 0.2)
    plugin = make(ACTION + "  return 1\n async def onunload(self):\n  while True: pass")
    go(plugin)
    pid = plugin.pid
    plugin.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_another_thread_can_end_it_while_it_hangs(make: Make) -> None:
    hangs = threading.Event()

    def answer(asking: Asking, name: str, args: Message) -> object:
        hangs.set() if name == "save_data" else None
        return nothing(asking, name, args)

    def end() -> None:
        assert hangs.wait(PATIENCE)
        plugin.kill()

    plugin = make(ACTION + "  import time\n  await self.save_data({})\n  time.sleep(600)", answer)
    other = threading.Thread(target=end)
    other.start()
    with pytest.raises(PluginCrashError, match="SIGKILL"):
        go(plugin, 10 * PATIENCE)
    other.join()


def test_tokens_of_the_environment_are_not_handed_on(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_TOKEN", "secret")
    assert "API_TOKEN" not in go(make(ACTION + "  import os\n  return sorted(os.environ)"))


def test_what_runs_is_what_was_read(make: Make) -> None:
    plugin = make(ACTION + "  import more\n  return more.A")
    (plugin.folder / "main.py").write_text("1 / 0")
    (plugin.folder / "more.py").write_text("A = 'slipped in'")
    with pytest.raises(PluginRaisedError, match="No module named 'more'"):
        go(plugin)


def test_asyncio_works_for_a_plugin_that_imports_it(make: Make) -> None:
    assert go(make("import asyncio\n" + ACTION + "  await asyncio.sleep(0.01)\n  return 'slept'")) == "slept"


def test_asyncio_is_not_there_for_one_that_does_not(make: Make) -> None:
    assert go(make(ACTION + "  import sys\n  return 'asyncio' in sys.modules")) is False


def test_a_misspelt_event_is_told_when_it_loads(make: Make) -> None:
    plugin = make("class P(Plugin):\n async def onload(self):\n  self.app.vault.on('modfiy', print)")
    with pytest.raises(PluginRaisedError, match=r"there is no event 'vault\.modfiy'"):
        go(plugin)


SETTINGS = """
class P(Plugin):
    class Settings:
        days: int = setting(90, ge=1, desc="How old.")
        folders: list[str] = setting(["memory"])
    settings: Settings
    async def onload(self):
        self.add_command("go", "Go", lambda: [self.settings.days, self.settings.folders])
"""


def saved(data: object) -> Callable[[Asking, str, Message], object]:
    return lambda asking, name, args: data if name == "load_data" else nothing(asking, name, args)


def test_settings_are_typed_and_have_defaults(make: Make) -> None:
    plugin = make(SETTINGS, saved({"days": 7, "other": 1}))
    assert go(plugin) == [7, ["memory"]]
    assert plugin.registered["schema"]["properties"]["days"] == {
        "type": "integer",
        "default": 90,
        "description": "How old.",
        "minimum": 1,
    }


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"days": 0}, "/days: 0 is below 1"),
        ({"days": 1.5}, "/days: 1.5 is no whole number"),
        ({"folders": "memory"}, "/folders: is no list of texts"),
        ([], "is no object"),
    ],
)
def test_settings_that_do_not_fit_are_named_and_no_crash(make: Make, data: object, says: str) -> None:
    plugin = make(SETTINGS, saved(data))
    for _ in range(4):
        with pytest.raises(PluginError, match=says):
            go(plugin)
    assert plugin.held == ""


def test_a_start_does_without_what_it_need_not_import_and_whoever_wants_it_has_it(make: Make) -> None:
    plugin = make(
        """
        import sys
        before = {"inspect", "logging", "asyncio"} & sys.modules.keys()
        class P(Plugin):
            class Settings:
                days: int = setting(9)
            async def onload(self):
                self.add_command("go", "Go", self.go)
            def go(self):
                import dataclasses, inspect
                undocumented = dataclasses.make_dataclass("U", ["a"])
                made = [undocumented(1).a, str(inspect.signature(undocumented)), self.settings.days]
                return [sorted(before), made, dataclasses.inspect.isclass(P)]
        """
    )
    assert go(plugin) == [[], [1, "(a: 'typing.Any') -> None", 9], True]


def test_a_start_and_a_call_cost_little(make: Make) -> None:
    plugin = make(ACTION + "  return 1")
    go(plugin)
    kilobytes = next(line for line in Path(f"/proc/{plugin.pid}/status").read_text().splitlines() if "VmRSS" in line)
    assert int(kilobytes.split()[1]) < 25_000
