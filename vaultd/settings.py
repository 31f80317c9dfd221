"""config.toml and the environment become one frozen Settings, read once at the edge."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeVar

from vaultd.errors import UsageError
from vaultd.values import dataclass, field

if TYPE_CHECKING:
    from datetime import tzinfo

HookPolicy = Literal["none", "message", "all"]
SeverityName = Literal["error", "warning", "info", "off"]
ToolSet = Literal["daily", "all"]
ReviewPolicy = Literal["by-command", "in-notes"]
_T = TypeVar("_T")
_UTC = "UTC"
_SEVERITIES: tuple[SeverityName, ...] = ("error", "warning", "info", "off")
_TOOLS: tuple[ToolSet, ...] = ("daily", "all")
_REVIEWS: tuple[ReviewPolicy, ...] = ("by-command", "in-notes")
_HOOKS: tuple[HookPolicy, ...] = ("none", "message", "all")
_LONG_NUMBER = 10


@dataclass(frozen=True, slots=True)
class Folders:
    """Where the managed folders lie, relative to the vault, with `/`."""

    memory: str = "memory"
    notes: str = "notes"
    records: str = "records"
    review: str = "review"

    def managed(self) -> tuple[str, ...]:
        """Return the four folders whose notes are held to the error half of the format rules."""
        return (self.memory, self.notes, self.records, self.review)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a vault's `.vaultd/config.toml` says; the defaults are those of a vault without one."""

    folders: Folders = field(default_factory=Folders)
    timezone: str = _UTC
    commit_quiet: float = 30.0
    commit_hooks: HookPolicy = "message"
    large_bytes: int = 2_000_000
    """V225: a note above this size is told of; it is indexed all the same."""
    state_export: float = 900.0
    """Seconds between exports of the sidecar into the vault; 0 for none."""
    mcp_tools: ToolSet = "daily"
    review: ReviewPolicy = "by-command"
    """Whether `review: approve` or `reject`, written into a draft, is the command; a standing order."""
    severity: Mapping[str, SeverityName] = field(default_factory=dict)
    """Rule code to severity, vault-wide."""
    folder_severity: Mapping[str, Mapping[str, SeverityName]] = field(default_factory=dict)
    """Folder (relative, with `/`) to rule code to severity; the deepest folder wins."""

    @property
    def zone(self) -> "tzinfo":
        """Return the zone that stamps without one are read in."""
        # slow to import, both: what judges nothing needs no zone, and most vaults need no other
        if self.timezone == _UTC:
            from datetime import UTC  # noqa: PLC0415

            return UTC
        from zoneinfo import ZoneInfo  # noqa: PLC0415

        return ZoneInfo(self.timezone)


def parse_settings(text: str, source: str = ".vaultd/config.toml") -> Settings:
    """Return the settings that a config.toml declares.

    Raises:
        UsageError: the file is not TOML, or names a key or value that vaultd does not know.
    """
    table = _read_plainly(text)
    if table is None:
        table = _read_carefully(text, source)
    reader = _Reader(source)
    commit = reader.table(table, "commit")
    check = reader.table(table, "check")
    state = reader.table(table, "state")
    mcp = reader.table(table, "mcp")
    review = reader.one_of(table, "review", _REVIEWS, "by-command")
    severity, folder_severity = reader.severities(reader.table(table, "severity"))
    settings = Settings(
        folders=reader.folders(reader.table(table, "folders")),
        timezone=reader.zone(table.pop("timezone", _UTC)),
        commit_quiet=reader.seconds(commit, "quiet", 30.0),
        commit_hooks=reader.one_of(commit, "hooks", _HOOKS, "message"),
        large_bytes=int(reader.seconds(check, "large_bytes", 2_000_000)),
        state_export=reader.seconds(state, "export", 900.0),
        mcp_tools=reader.one_of(mcp, "tools", _TOOLS, "daily"),
        review=review,
        severity=severity,
        folder_severity=folder_severity,
    )
    table.pop("format", None)
    reader.nothing_left(table, "")
    reader.nothing_left(commit, "commit.")
    reader.nothing_left(check, "check.")
    reader.nothing_left(state, "state.")
    reader.nothing_left(mcp, "mcp.")
    return settings


def _read_carefully(text: str, source: str) -> dict[str, object]:
    import tomllib  # noqa: PLC0415  -- a tenth of what a hook takes, and most configs are plain

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise UsageError(f"{source}: {exc}", "mend the file; `git diff` shows what changed") from exc


def _read_plainly(text: str) -> dict[str, object] | None:
    """Return what a TOML file of plain lines says: `[name]`, `name = 1`, `true` or `"text"`; None where it holds any other."""
    top: dict[str, object] = {}
    table = top
    for line in text.split("\n"):
        written = line.strip(" \t")
        if not written or (written[0] == "#" and written.isprintable()):
            continue
        if written[0] == "[":
            name = written[1:-1]
            if written[-1] != "]" or not _is_bare(name) or name in top:
                return None
            top[name] = table = {}
            continue
        key, _, said = written.partition("=")
        name, value = key.rstrip(" \t"), _plain_value(said.lstrip(" \t"))
        if value is None or not _is_bare(name) or name in table:
            return None
        table[name] = value
    return top


def _is_bare(name: str) -> bool:
    return name.isascii() and name.replace("-", "_").isidentifier()


def _plain_value(said: str) -> str | int | None:
    if said in ("true", "false"):
        return said == "true"
    if not said.isascii() or not said.isprintable():
        return None
    if said.isdigit():
        return int(said) if len(said) < _LONG_NUMBER and (said == "0" or said[0] != "0") else None
    text = said[1:-1]
    return text if len(said) > 1 and said[0] == said[-1] == '"' and not {'"', "\\"} & set(text) else None


class _Reader:
    """Takes known keys out of parsed TOML and complains, by dotted path, about anything else."""

    def __init__(self, source: str) -> None:
        self.source = source

    def fail(self, key: str, why: str) -> UsageError:
        return UsageError(f"{self.source}: {key}: {why}", "docs/reference/settings.md lists every key")

    def table(self, table: dict[str, object], key: str) -> dict[str, object]:
        value = table.pop(key, {})
        if not isinstance(value, dict):
            raise self.fail(key, "a table is needed here")
        return value

    def folders(self, table: dict[str, object]) -> Folders:
        names: dict[str, str] = {}
        for key, value in table.items():
            if key not in Folders.__slots__:
                raise self.fail(f"folders.{key}", "no such folder")
            if not isinstance(value, str) or not value.strip("/") or ".." in value.split("/"):
                raise self.fail(f"folders.{key}", "a folder inside the vault is needed")
            names[key] = value.strip("/")
        return Folders(**names)

    def zone(self, value: object) -> str:
        if not isinstance(value, str):
            raise self.fail("timezone", "an IANA name such as Europe/Berlin is needed")
        if value == _UTC:
            return value
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415

        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError) as exc:
            raise self.fail("timezone", f"no zone is called {value!r}") from exc
        return value

    def seconds(self, table: dict[str, object], key: str, default: float) -> float:
        value = table.pop(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise self.fail(key, "a number that is not negative is needed")
        return float(value)

    def one_of(self, table: dict[str, object], key: str, choices: tuple[_T, ...], default: _T) -> _T:
        value = table.pop(key, default)
        for choice in choices:
            if choice == value:
                return choice
        raise self.fail(key, "one of " + ", ".join(str(c) for c in choices) + " is needed")

    def severities(
        self, table: dict[str, object]
    ) -> tuple[dict[str, SeverityName], dict[str, dict[str, SeverityName]]]:
        plain: dict[str, SeverityName] = {}
        folders: dict[str, dict[str, SeverityName]] = {}
        for key, value in list(table.items()):
            if isinstance(value, dict):
                inner: dict[str, object] = value
                folders[key.strip("/")] = {code: self.one_of(inner, code, _SEVERITIES, "error") for code in list(inner)}
            else:
                plain[key] = self.one_of(table, key, _SEVERITIES, "error")
        return plain, folders

    def nothing_left(self, table: dict[str, object], prefix: str) -> None:
        for key in table:
            raise self.fail(prefix + key, "no such setting")
