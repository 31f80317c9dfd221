"""What a person keeps for a plugin: told to that one, and in no log."""

from pathlib import Path

import pytest

from tests.unit.host.strangers import hosted
from vaultd.errors import PluginError, UsageError
from vaultd.host.hiding import Hiding
from vaultd.host.hosted import Asking
from vaultd.host.permissions import meaning, permissions_of
from vaultd.host.protocol import Message
from vaultd.host.secrets import keep_secret, secrets_of

SECRET = "hunter2-and-more"
LEAKS = """
class P(Plugin):
    async def onload(self):
        self.add_command("go", "Go", self.go)
    async def go(self):
        token = self.app.secret_storage.get_secret("token")
        print("the token is", token)
        self.log.warning("again %s", token)
        raise ValueError(f"403 for {token}")
"""


def test_a_secret_is_one_plugins_and_its_users_alone(tmp_path: Path) -> None:
    keep_secret(tmp_path, "one", "token", SECRET)
    keep_secret(tmp_path, "two", "token", "another")
    assert secrets_of(tmp_path, "one") == {"token": SECRET}
    assert (tmp_path / "secrets.json").stat().st_mode & 0o777 == 0o600
    keep_secret(tmp_path, "one", "token", None)
    assert secrets_of(tmp_path, "one") == {}
    with pytest.raises(UsageError, match="no secret 'token'"):
        keep_secret(tmp_path, "one", "token", None)


@pytest.mark.parametrize(("name", "text"), [("", "x"), ("a\nb", "x"), ("a", ""), ("a", "x" * 10_001)])
def test_what_is_no_secret_is_not_kept(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(UsageError):
        keep_secret(tmp_path, "one", name, text)
    assert not (tmp_path / "secrets.json").exists()


def test_a_secret_that_is_printed_or_raised_is_in_no_log_and_no_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaultd.host.hosted.LOAD", 60.0)

    def answer(_asking: Asking, name: str, _args: Message) -> object:
        return SECRET if name == "secret" else None

    plugin = hosted(tmp_path, LEAKS, answer)
    with pytest.raises(PluginError, match=r"403 for \[hidden\]"):
        plugin.call("act", {"name": "stale:go"}, 60.0)
    plugin.stop()
    log = plugin.log.read_text()
    assert "the token is [hidden]" in log
    assert "WARNING again [hidden]" in log
    assert "Traceback" in log
    assert SECRET not in log


def test_the_longest_secret_is_hidden_first_and_each_line_of_one() -> None:
    hiding = Hiding()
    for text in ("abcd", "abcdefgh", "line one\nline two", "xyz"):
        hiding.add(text)
    assert hiding.hide("abcdefgh abcd line two xyz") == "[hidden] [hidden] [hidden] xyz"


def test_a_variable_of_the_environment_is_a_permission_of_its_own() -> None:
    permissions = permissions_of(["env:TOKEN", "vault:read"])
    assert (permissions.may("env:TOKEN"), permissions.may("env:OTHER")) == (True, False)
    assert meaning("env:TOKEN") == "read TOKEN of vaultd's environment, for a setting that names it"
    with pytest.raises(UsageError, match="no permission"):
        permissions_of(["env:a b"])
