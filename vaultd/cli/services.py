"""What systemd, launchd and the Windows task scheduler are told of a vault: texts and command lines, nothing done."""

import hashlib
import plistlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from vaultd.values import dataclass

Command = tuple[str, ...]
_FIRST = re.compile(r"[a-zA-Z0-9:_.]")
KEPT = ("XDG_STATE_HOME", "PATH")
"""What a daemon in the background must find as the shell did: where the index lies, and git."""


@dataclass(frozen=True, slots=True)
class Installation:
    """How one system is told to keep a vault's daemon running."""

    system: str
    name: str
    file: Path
    text: str
    install: tuple[Command, ...]
    """To be run once the file is there."""
    uninstall: tuple[Command, ...]
    """To be run before the file goes."""
    start: Command
    sign: Path
    """What is there while this vault is installed."""
    shared_with: str = ""
    """Pattern, beside the file, of the signs of other vaults; while one is there the file stays."""


def systemd(vault: Path, python: Path, environment: Mapping[str, str], units: Path) -> Installation:
    """Return the user unit of a vault: one template, and an instance of it named after the folder."""
    name = f"vaultd@{escaped_path(vault)}.service"
    # A vault may take longer to be ready than anybody wants to wait for a prompt.
    control = ("systemctl", "--user", "--no-block")
    return Installation(
        system="systemd, while you are logged in; `loginctl enable-linger` keeps it when you are not",
        name=name,
        file=units / "vaultd@.service",
        text=systemd_unit(python, environment),
        install=(("systemctl", "--user", "daemon-reload"), (*control, "enable", "--now", name)),
        uninstall=((*control, "disable", "--now", name),),
        start=(*control, "start", name),
        sign=units / "default.target.wants" / name,
        shared_with="*.wants/vaultd@*.service",
    )


def systemd_unit(python: Path, environment: Mapping[str, str]) -> str:
    """Return the template of the user unit; `%f` is the vault's folder."""
    kept = "".join(f"Environment={_quoted(f'{key}={value}')}\n" for key, value in environment.items())
    return f"""\
[Unit]
Description=vaultd for %f
ConditionPathExists=%f/.vaultd
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=notify
ExecStart={_quoted(str(python))} -P -m vaultd up %f
{kept}Restart=on-failure
RestartSec=2
TimeoutStartSec=900
TimeoutStopSec=10
WatchdogSec=60
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=default.target
"""


def escaped_path(path: Path) -> str:
    """Return a folder as `systemd-escape --path` writes it in the name of a unit."""
    text = str(path).strip("/")
    if not text:
        return "-"
    return "".join(
        _escaped(byte, first=place == 0) for place, byte in enumerate(text.encode("utf-8", "surrogateescape"))
    )


def _escaped(byte: int, *, first: bool) -> str:
    character = chr(byte)
    if character == "/":
        return "-"
    if _FIRST.fullmatch(character) and not (first and character == "."):
        return character
    return f"\\x{byte:02x}"


def _quoted(word: str) -> str:
    """Return a word as a unit holds it; systemd would put something else in the place of `%`."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{plain}"'


def launchd(vault: Path, python: Path, environment: Mapping[str, str], home: Path, user: int) -> Installation:
    """Return the launch agent of a vault, a file of its own."""
    label = f"dev.vaultd.{_key(vault)}"
    file = home / "Library" / "LaunchAgents" / f"{label}.plist"
    domain = f"gui/{user}"
    return Installation(
        system="launchd, while you are logged in",
        name=label,
        file=file,
        text=launch_agent(label, vault, python, environment, home / "Library" / "Logs" / "vaultd"),
        install=(("launchctl", "bootstrap", domain, str(file)),),
        uninstall=(("launchctl", "bootout", f"{domain}/{label}"),),
        start=("launchctl", "kickstart", f"{domain}/{label}"),
        sign=file,
    )


def launch_agent(label: str, vault: Path, python: Path, environment: Mapping[str, str], logs: Path) -> str:
    """Return the property list of a launch agent."""
    said = {
        "Label": label,
        "ProgramArguments": [*_daemon(python), str(vault)],
        "EnvironmentVariables": dict(environment),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 10,
        "ProcessType": "Background",
        "Umask": 0o077,
        "StandardErrorPath": str(logs / f"{_key(vault)}.log"),
    }
    return plistlib.dumps(said, sort_keys=False).decode()


def windows(vault: Path, python: Path, state: Path) -> Installation:
    """Return the task of a vault, begun when its user logs on."""
    name = f"vaultd {_key(vault)}"
    file = state / "vaultd.task.xml"
    return Installation(
        system="the task scheduler, while you are logged in",
        name=name,
        file=file,
        text=windows_task(vault, python),
        install=(("schtasks", "/Create", "/F", "/TN", name, "/XML", str(file)), ("schtasks", "/Run", "/TN", name)),
        uninstall=(("schtasks", "/Delete", "/F", "/TN", name),),
        start=("schtasks", "/Run", "/TN", name),
        sign=file,
    )


def windows_task(vault: Path, python: Path) -> str:
    """Return a task as the task scheduler imports it."""
    return f"""\
<?xml version="1.0"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>vaultd for {escape(str(vault))}</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger><Enabled>true</Enabled></LogonTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>5</Count></RestartOnFailure>
  </Settings>
  <Actions>
    <Exec>
      <Command>{escape(str(python))}</Command>
      <Arguments>-P -m vaultd up {escape(_windows_word(str(vault)))}</Arguments>
    </Exec>
  </Actions>
</Task>
"""


def _windows_word(word: str) -> str:
    # A folder's name holds no quote there; a backslash before the closing one would keep it open.
    return f'"{word}"' if not word.endswith("\\") else f'"{word}\\"'


def _daemon(python: Path) -> Sequence[str]:
    # -P: what lies in the vault must not be taken for a module of Python.
    return (str(python), "-P", "-m", "vaultd", "up")


def _key(vault: Path) -> str:
    return hashlib.sha256(str(vault).encode("utf-8", "surrogateescape")).hexdigest()[:12]
