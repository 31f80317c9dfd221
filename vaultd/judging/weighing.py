"""The severities that hold: what a config says of a rule, a folder says of its notes, and of what no rule may be quiet."""

from collections.abc import Iterable

from vaultd.lifecycle.rule_book import RULES
from vaultd.lifecycle.violations import Severity, Violation
from vaultd.settings import Settings
from vaultd.values import replace

LOCKED = frozenset(rule.code for rule in RULES if rule.locked)
_ORDER: dict[Severity, int] = {"error": 0, "warning": 1, "info": 2}


def ordered(found: Iterable[Violation], settings: Settings) -> list[Violation]:
    """Return violations at the severities that hold, each once, by path, line and code."""
    weighed = (weighed for violation in found if (weighed := weigh(violation, settings)) is not None)
    unique = {violation.identity: violation for violation in weighed}
    return sorted(unique.values(), key=lambda v: (v.path, v.line, _ORDER[v.severity], v.code, v.subject))


def weigh(violation: Violation, settings: Settings) -> Violation | None:
    """Return a violation at the severity that holds where it stands, None where it is switched off."""
    if violation.code in LOCKED:
        return violation
    severity: str = violation.severity
    if violation.code.startswith("V2") and severity == "error" and not _managed(violation.path, settings):
        severity = "warning"
    severity = settings.severity.get(violation.code, severity)
    for folder in sorted(settings.folder_severity, key=len):
        if violation.path.startswith(folder + "/"):
            severity = settings.folder_severity[folder].get(violation.code, severity)
    match severity:
        case "error" | "warning" | "info":
            return violation if severity == violation.severity else replace(violation, severity=severity)
        case _:
            return None


def heeds_links(settings: Settings) -> bool:
    """Say whether the config makes links more than an information: then they count wherever problems are counted."""
    named = (settings.severity, *settings.folder_severity.values())
    return any(code.startswith("V30") and how in ("error", "warning") for one in named for code, how in one.items())


def _managed(path: str, settings: Settings) -> bool:
    return any(path.startswith(folder + "/") for folder in settings.folders.managed())
