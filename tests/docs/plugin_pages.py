"""The reference of the plugin API, made from the API itself, and the hashes of the plugins that come with vaultd."""

import dataclasses
import inspect
import json
from pathlib import Path

from vaultd.host import api
from vaultd.host.api.registry import EVENTS, MOST_FIELDS, TAKEN
from vaultd.host.crashes import MOST
from vaultd.host.hosted import ACT, EVENT, LOAD, UNLOAD, VALIDATE
from vaultd.host.permissions import MEANINGS
from vaultd.host.process import DEFAULT_LIMITS
from vaultd.host.trees import read_tree
from vaultd.host.versions import API_VERSION
from vaultd.plugged.validating import MOST_LISTED

ROOT = Path(__file__).parents[2]
HASHES = ROOT / "vaultd/host/shipped.json"
_ORDER = (
    "Plugin", "Component", "App", "Vault", "FileManager", "MetadataCache", "CachedMetadata", "FrontMatter", "Lifecycle",
    "Search", "Git", "SecretStorage", "TFile", "Change", "Problem", "EventRef", "setting", "normalize_path", "require_api_version",
)  # fmt: skip


def plugin_page() -> str:
    """Return the reference page of the plugin API, as Markdown."""
    return "\n".join([*_beginning(), *(line for name in _ORDER for line in _section(name)), *_errors()]) + "\n"


def hashes_text() -> str:
    """Return the hashes of the plugins that come with vaultd, as JSON."""
    folders = sorted(folder for folder in (ROOT / "plugins").iterdir() if (folder / "manifest.json").is_file())
    return json.dumps({folder.name: read_tree(folder).hash for folder in folders}, indent=2) + "\n"


def _beginning() -> list[str]:
    limits = DEFAULT_LIMITS
    return [
        "# Plugin API",
        "",
        "Made from `vaultd/host/api` by `make docs`; edit it there. [Your first plugin](../tutorial/first-plugin.md) shows it at work,",
        "[Whom you trust](../explanation/plugin-trust.md) says what a plugin may do.",
        "",
        f"This is API {API_VERSION}: a plugin whose `minAppVersion` is newer does not run. Names keep their meaning within 1.x.",
        "",
        "## manifest.json",
        "",
        "`id` (the folder's name: lower-case letters, digits, `-`, `_`), `name`, `author`, `version`, `minAppVersion` and `description` are",
        "needed; `main` (default `main.py`), `permissions`, `isDesktopOnly`, `authorUrl`, `fundingUrl` and `helpUrl` may be there. Another key",
        "is a warning. `versions.json` beside it, as in Obsidian, names the version that fits an older API.",
        "",
        "A plugin lies in `.vaultd/plugins/ID/`, comes with vaultd, or is a Python package that is installed beside vaultd: its entry point in",
        "the group `vaultd.plugins` says `ID = package`, and the package, which stands at the top, holds `manifest.json` and `main.py`. It is",
        "enabled and approved like any other, and not imported. Of several with one id that of vaultd is taken, then an installed one;",
        "`plugin enable --source` chooses another.",
        "",
        "| permission | lets it |",
        "|---|---|",
        *(f"| `{name}` | {meaning} |" for name, meaning in MEANINGS.items()),
        '| `env:NAME` | have a setting that says `{"$env": "NAME"}` filled in from vaultd\'s environment |',
        "| `vault:write:GLOB` | write the notes that match: `*` stays in a folder, `**` does not, `folder/` is all below it. Where it gives such a note another such name, links in every note follow |",
        "",
        "## Deadlines and limits",
        "",
        f"Seconds by the wall: `onload` {LOAD:g}, an event {EVENT:g}, a validator or indexer {VALIDATE:g} for a note, a verb {ACT:g},",
        f"`onunload` {UNLOAD:g}. The time that vaultd takes to answer does not count. A process may have {limits.memory >> 20} MB of address",
        f"space, {limits.cpu} s of processor time, {limits.files} open files, and write files of up to {limits.written >> 20} MB. Whatever it",
        "prints goes to its log, which `vaultd plugin doctor` names.",
        "",
        "Events, validators and indexers tell a plugin of notes, so it needs `vault:read` for them.",
        "",
        "A coroutine may wait for what this API gives. To wait for anything else, import asyncio at the top of the plugin.",
        "",
        "A validator sees one note and nothing else: what it finds is remembered until that note's text changes. Of one note it may list",
        f"{MOST_LISTED} problems, the worst of them are shown.",
        "",
        f"A plugin adds {MOST_FIELDS} fields at the most, none of them called as what a memory itself says ({', '.join(sorted(TAKEN))}). Of two",
        "plugins with one field the first by id runs, and the other says why not. A number is finite, a text has up to 10,000 characters.",
        "",
        "What a plugin's code raises is counted in `vaultd status`, with the last error and the line of the plugin it came from. A process that",
        f"ends, hangs or breaks the protocol {MOST} times in ten minutes is left alone. When the daemon is killed on Linux, its plugins and",
        "the processes of their groups end with it; elsewhere within seconds.",
        "",
        "## Events",
        "",
        "`"
        + "`, `".join(EVENTS)
        + "`: the part before the dot is where `on` stands (`app.vault`, `app.metadata_cache`,",
        "`app.lifecycle`), the part behind it is the name to give.",
    ]


def _section(name: str) -> list[str]:
    thing = getattr(api, name)
    if not inspect.isclass(thing):
        return ["", f"## {name}", "", f"`{name}{_signature(thing)}`", "", *_doc(thing)]
    rows = [row for member in _members(thing) for row in _member(member, vars(thing)[member])]
    fields = [f"- `{one.name}`" for one in dataclasses.fields(thing)] if dataclasses.is_dataclass(thing) else []
    return ["", f"## {name}", "", *_doc(thing), "", *fields, *rows]


def _members(thing: type) -> list[str]:
    return [
        name
        for name, value in vars(thing).items()
        if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)) and value.__doc__
    ]


def _member(name: str, value: object) -> list[str]:
    if isinstance(value, property):
        return [f"- `{name}`: {_told(value)}"]
    mark = "await " if inspect.iscoroutinefunction(value) else ""
    return [f"- `{mark}{name}{_signature(value)}`: {_told(value)}"]


def _signature(value: object) -> str:
    signature = inspect.signature(value)  # type: ignore[arg-type]  # a function
    kept = [one for one in signature.parameters.values() if one.name != "self"]
    text = str(signature.replace(parameters=kept))
    for prefix in ("vaultd.host.api.files.", "vaultd.host.api.components.", "vaultd.host.api.metadata.", "collections.abc.",
                   "vaultd.host.api.properties.", "vaultd.host.api.problems.", "~"):  # fmt: skip
        text = text.replace(prefix, "")
    return text.replace("= ''", '= ""').replace("'", "").removesuffix(" -> None")


def _told(value: object) -> str:
    return " ".join(" ".join(_doc(value)).split())


def _doc(value: object) -> list[str]:
    return (inspect.getdoc(value) or "").splitlines()


def _errors() -> list[str]:
    names = [name for name in api.__all__ if name.endswith("Error")]
    return [
        "",
        "## Errors",
        "",
        "What vaultd refuses with, to be caught by name: `"
        + "`, `".join(names)
        + "`. [Errors](errors.md) tells them apart.",
    ]
